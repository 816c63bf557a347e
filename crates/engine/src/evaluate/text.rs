//! Functions of text. Positions and lengths count characters; upper and lower case and spaces are ASCII's.
//!
//! **Guarantee.** A text that a function makes is no longer than its longest argument or than `TEXT_BYTES_MAX`;
//! every function takes time in proportion to its arguments' lengths.

use arrow::array::{BooleanArray, Int64Array, StringViewArray, StringViewBuilder};
use arrow::datatypes::Int64Type;
use pointillist_plan::Type;

use super::TEXT_BYTES_MAX;
use super::like::Pattern;
use super::operand::{Lane, Operand, Texts, span};

/// Texts written row by row; NULL where `write` says there is none.
pub(super) fn written(
    rows: usize,
    mut write: impl FnMut(usize, &mut String) -> Option<()>,
) -> StringViewArray {
    let mut builder = StringViewBuilder::with_capacity(rows);
    let mut scratch = String::new();
    for row in 0..rows {
        scratch.clear();
        match write(row, &mut scratch) {
            // An array refuses texts of 4 GiB, which no row of ours has.
            Some(()) if builder.try_append_value(&scratch).is_ok() => {}
            _ => builder.append_null(),
        }
    }
    builder.finish()
}

/// ASCII letters in the other case; all others stay.
pub(super) fn change_case(value: &Operand, upper: bool) -> Operand {
    let Some(texts) = value.texts() else { return Operand::null(Type::Text) };
    let changed = written(span(&[value]), |row, scratch| {
        scratch.push_str(texts.get(row)?);
        if upper {
            scratch.make_ascii_uppercase()
        } else {
            scratch.make_ascii_lowercase()
        }
        Some(())
    });
    Operand::of(changed, &[value])
}

/// Without spaces (U+0020) at both ends.
pub(super) fn trim(value: &Operand) -> Operand {
    let Some(texts) = value.texts() else { return Operand::null(Type::Text) };
    let trimmed = written(span(&[value]), |row, scratch| {
        scratch.push_str(texts.get(row)?.trim_matches(' '));
        Some(())
    });
    Operand::of(trimmed, &[value])
}

/// The number of characters.
pub(super) fn length(value: &Operand) -> Operand {
    let Some(texts) = value.texts() else { return Operand::null(Type::Integer) };
    let lengths = (0..span(&[value])).map(|row| i64::try_from(texts.get(row)?.chars().count()).ok());
    Operand::of(lengths.collect::<Int64Array>(), &[value])
}

/// The characters at the positions start, start + 1, … (the first of a text is 1), at most `count` of them.
/// Positions before the first count and are empty, as in PostgreSQL. A negative count is NULL.
pub(super) fn substring(value: &Operand, start: &Operand, count: Option<&Operand>) -> Operand {
    let mut operands = vec![value, start];
    operands.extend(count);
    let (Some(texts), Some(starts)) = (value.texts(), Whole::of(start)) else {
        return Operand::null(Type::Text);
    };
    let counts = match count {
        None => None,
        Some(count) => match Whole::of(count) {
            Some(counts) => Some(counts),
            None => return Operand::null(Type::Text),
        },
    };
    let cut = written(span(&operands), |row, scratch| {
        let (text, start) = (texts.get(row)?, starts.get(row)?);
        let end = match &counts {
            None => i64::MAX,
            Some(counts) => start.saturating_add(counts.get(row).filter(|count| *count >= 0)?),
        };
        scratch.push_str(characters(text, start, end));
        Some(())
    });
    Operand::of(cut, &operands)
}

/// The characters at positions from `start` up to, but not including, `end`.
fn characters(text: &str, start: i64, end: i64) -> &str {
    let start = start.max(1);
    let skip = usize::try_from(start - 1).unwrap_or(usize::MAX);
    let take = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
    let rest = beyond(text, skip);
    &rest[..rest.len() - beyond(rest, take).len()]
}

/// The text behind its first `count` characters.
fn beyond(text: &str, count: usize) -> &str {
    match text.char_indices().nth(count) {
        Some((at, _)) => &text[at..],
        None => "",
    }
}

/// One after the other, NULL as nothing; cut to `TEXT_BYTES_MAX` bytes, between characters. Never NULL.
pub(super) fn concat(values: &[Operand]) -> Operand {
    let operands: Vec<&Operand> = values.iter().collect();
    let Some(texts) = values.iter().map(Operand::texts).collect::<Option<Vec<Texts>>>() else {
        return Operand::null(Type::Text);
    };
    let joined = written(span(&operands), |row, scratch| {
        for text in texts.iter().filter_map(|texts| texts.get(row)) {
            let room = TEXT_BYTES_MAX - scratch.len();
            scratch.push_str(&text[..text.floor_char_boundary(room)]);
            // What is cut here is the end: a shorter text that would still fit comes behind it.
            if text.len() > room {
                break;
            }
        }
        Some(())
    });
    Operand::of(joined, &operands)
}

pub(super) fn starts_with(value: &Operand, beginning: &Operand) -> Operand {
    let operands = [value, beginning];
    let (Some(texts), Some(beginnings)) = (value.texts(), beginning.texts()) else {
        return Operand::null(Type::Boolean);
    };
    let found = (0..span(&operands)).map(|row| Some(texts.get(row)?.starts_with(beginnings.get(row)?)));
    Operand::of(found.collect::<BooleanArray>(), &operands)
}

/// Where a text first has another in it, in characters from one; zero where it has not.
pub(super) fn position(value: &Operand, part: &Operand) -> Operand {
    let operands = [value, part];
    let (Some(texts), Some(parts)) = (value.texts(), part.texts()) else {
        return Operand::null(Type::Integer);
    };
    let places = (0..span(&operands)).map(|row| {
        let (text, part) = (texts.get(row)?, parts.get(row)?);
        // The search of the standard library takes time in proportion to both lengths, whatever they hold.
        let before = text.find(part).map_or(0, |at| text[..at].chars().count() + 1);
        i64::try_from(before).ok()
    });
    Operand::of(places.collect::<Int64Array>(), &operands)
}

/// SQL's LIKE; NULL where the text is, and everywhere if the pattern is too long.
pub(super) fn like(value: &Operand, pattern: &str, escape: Option<char>, ignore_case: bool) -> Operand {
    let (Some(texts), Some(mut pattern)) = (value.texts(), Pattern::new(pattern, escape, ignore_case)) else {
        return Operand::null(Type::Boolean);
    };
    let found = (0..span(&[value])).map(|row| texts.get(row).map(|text| pattern.matches(text)));
    Operand::of(found.collect::<BooleanArray>(), &[value])
}

/// The integers of an operand, row by row.
struct Whole<'a> {
    lane: Lane<'a, i64>,
    operand: &'a Operand,
}

impl<'a> Whole<'a> {
    fn of(operand: &'a Operand) -> Option<Self> {
        operand.lane::<Int64Type>().map(|lane| Self { lane, operand })
    }

    fn get(&self, row: usize) -> Option<i64> {
        let row = if self.operand.is_constant() { 0 } else { row };
        let value = match self.lane {
            Lane::Same(value) => value,
            Lane::Each(values) => *values.get(row)?,
        };
        self.operand.array().is_valid(row).then_some(value)
    }
}
