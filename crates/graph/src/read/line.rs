//! Ids between blanks: one record, or many, to ties. A record is a line, and further lines while quotes are open.

use std::borrow::Cow;

use pointillist_records::{Boundary, Separators};

use super::builder::{Piece, label};

/// A longer record, in bytes, is no tie.
pub(super) const LINE_MAX: usize = 1 << 20;
/// Whatever may separate ids: quotes behind it open a field.
const SEPARATORS: Separators = Separators::new(b" \t\r,;");
/// Stands for a record that cannot be read: it is no tie.
pub(super) const UNREADABLE: &[u8] = b",";
/// As many digits as a number has that fits into 64 bits for sure.
const SAFE_DIGITS: usize = 19;

/// Whether a byte separates ids where nothing else does.
#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[inline]
fn is_separator(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b',' | b';')
}

/// Whether a line is a comment.
pub(super) fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'#' | b'%'))
}

/// Whether a line says nothing.
pub(super) fn is_idle(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || is_comment(line)
}

/// Where the line that begins here ends.
#[inline]
fn line_end(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| start + length)
}

/// At the start of a record.
pub(super) fn boundary() -> Boundary {
    Boundary::new(SEPARATORS)
}

/// Whether lines are records here: there are no quotes.
pub(super) fn without_quotes(bytes: &[u8]) -> bool {
    !bytes.contains(&b'"')
}

/// Where the record that begins here ends, and whether its quotes are closed there.
#[inline]
fn record_end(bytes: &[u8], start: usize) -> (usize, bool) {
    let end = line_end(bytes, start);
    if without_quotes(&bytes[start..end]) {
        return (end, true);
    }
    let mut boundary = boundary();
    match boundary.end(&bytes[start..]) {
        Some(length) => (start + length - 1, true),
        None => (bytes.len(), !boundary.in_quotes()),
    }
}

/// Behind the last record that ends in these bytes, which begin with a record.
pub(super) fn last_end(bytes: &[u8]) -> Option<usize> {
    if without_quotes(bytes) {
        return bytes.iter().rposition(|byte| *byte == b'\n').map(|feed| feed + 1);
    }
    let (mut boundary, mut end) = (boundary(), 0);
    while let Some(length) = boundary.end(&bytes[end..]) {
        end += length;
    }
    Some(end).filter(|end| *end > 0)
}

/// Pieces of whole records, of about this many bytes.
pub(super) fn pieces(mut bytes: &[u8], size: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let lines = without_quotes(bytes);
    while bytes.len() > size {
        let mut end = if lines { line_end(bytes, size) + 1 } else { 0 };
        while end <= size {
            end = record_end(bytes, end).0 + 1;
        }
        if end >= bytes.len() {
            break;
        }
        let (piece, rest) = bytes.split_at(end);
        pieces.push(piece);
        bytes = rest;
    }
    pieces.push(bytes);
    pieces
}

/// Every record once, without its line feed, and where the next one begins.
pub(super) fn records(bytes: &[u8]) -> impl Iterator<Item = (&[u8], usize)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let (end, closed) = (start < bytes.len()).then(|| record_end(bytes, start))?;
        let record = if closed { &bytes[start..end] } else { UNREADABLE };
        start = (end + 1).min(bytes.len());
        Some((record, start))
    })
}

/// The first record that says something.
pub(super) struct First<'a> {
    pub(super) record: &'a [u8],
    /// What comes behind it.
    pub(super) rest: &'a [u8],
}

/// The first record that says something, how many stand before it, and how many bytes they have; everything if
/// there is none.
pub(super) fn first_content(bytes: &[u8]) -> (u64, usize, Option<First<'_>>) {
    let (mut idle, mut skipped) = (0, 0);
    for (record, next) in records(bytes) {
        if !is_idle(record) {
            return (idle, skipped, Some(First { record, rest: &bytes[next..] }));
        }
        idle += 1;
        skipped = next;
    }
    (idle, skipped, None)
}

/// Reads all records into a piece.
pub(super) fn read_all(bytes: &[u8], piece: &mut Piece) {
    let mut start = 0;
    while start < bytes.len() {
        piece.tally.lines += 1;
        let numbers = two_numbers(bytes, start);
        let (end, closed) = match numbers {
            Some((_, _, end)) if bytes.get(end) == Some(&b'\n') => (end, true),
            _ => record_end(bytes, start),
        };
        let record = if closed { &bytes[start..end] } else { UNREADABLE };
        start = end + 1;
        piece.tally.ended_in_quotes |= !closed;
        if record.len() > LINE_MAX {
            piece.tally.skipped += u64::from(!is_comment(record));
        } else if let Some((u, v, _)) = numbers.filter(|_| closed) {
            piece.add_numbers(u, v);
        } else if let Some((u, v)) = tie(record) {
            piece.add_labels(u, v);
        } else {
            piece.tally.skipped += u64::from(!is_idle(record));
        }
    }
}

/// The quick way: two short numbers at the very start of a line, and where the second ends.
#[inline]
fn two_numbers(bytes: &[u8], start: usize) -> Option<(u64, u64, usize)> {
    let (first, end) = short_number(bytes, start)?;
    let second_start = skip_separator(bytes, end)?;
    let (second, end) = short_number(bytes, second_start)?;
    let ends = bytes.get(end).is_none_or(|byte| *byte == b'\n' || is_separator(*byte));
    ends.then_some((first, second, end))
}

#[inline]
fn short_number(bytes: &[u8], start: usize) -> Option<(u64, usize)> {
    let mut number = 0u64;
    let mut end = start;
    while let Some(digit) = bytes.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        end += 1;
    }
    // `007` is another id than `7`.
    let leads_with_zero = bytes.get(start) == Some(&b'0') && end - start > 1;
    ((1..=SAFE_DIGITS).contains(&(end - start)) && !leads_with_zero).then_some((number, end))
}

/// Past blanks and at most one comma or semicolon among them; `None` if nothing separates here.
#[inline]
fn skip_separator(bytes: &[u8], start: usize) -> Option<usize> {
    let skip_blanks = |mut at: usize| {
        while bytes.get(at).is_some_and(|byte| is_blank(*byte)) {
            at += 1;
        }
        at
    };
    let mut end = skip_blanks(start);
    if matches!(bytes.get(end), Some(b',' | b';')) {
        end = skip_blanks(end + 1);
    }
    (end > start).then_some(end)
}

/// The labels of the two ids of a line.
pub(super) fn tie(line: &[u8]) -> Option<(u128, u128)> {
    let [u, v] = ids(line)?;
    Some((label(&u)?, label(&v)?))
}

/// The two ids of a line, without quotes and without the blanks around them.
pub(super) fn ids(line: &[u8]) -> Option<[Cow<'_, [u8]>; 2]> {
    let line = line.trim_ascii();
    if line.len() > LINE_MAX || is_idle(line) {
        return None;
    }
    if let [u, v, ..] = *numbers(line) {
        return Some([Cow::Borrowed(u), Cow::Borrowed(v)]);
    }
    let separator = separator(line);
    let (first, rest) = id(line, separator)?;
    let (second, _) = id(rest?, separator)?;
    (!first.is_empty() && !second.is_empty()).then_some([first, second])
}

/// The fields of a record that tell what it is: the numbers that it begins with, or two ids.
pub(super) fn leading(record: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let numbers = numbers(record.trim_ascii());
    if numbers.len() >= 2 && record.len() <= LINE_MAX {
        return numbers.into_iter().map(Cow::Borrowed).collect();
    }
    ids(record).map_or_else(Vec::new, Vec::from)
}

/// The first id of a line.
pub(super) fn first_id(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let line = line.trim_ascii();
    let (first, _) = id(line, separator(line))?;
    (line.len() <= LINE_MAX && !is_idle(line) && !first.is_empty()).then_some(first)
}

/// The numbers that a line begins with: digits, each with an end or a separator behind it.
pub(super) fn numbers(line: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        let length = line[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = start + length;
        let next = skip_separator(line, end);
        if length == 0 || next.is_none() && end < line.len() {
            return found;
        }
        found.push(&line[start..end]);
        // Two are all that a tie needs, and three tell counts from a tie.
        match next {
            Some(next) if found.len() < 4 => start = next,
            _ => return found,
        }
    }
}

/// What separates the ids of a line: the first of tab, semicolon and comma that stands there outside quotes, or
/// blanks. A brace after a blank begins attributes, which have commas of their own.
fn separator(line: &[u8]) -> u8 {
    const BY_RANK: &[u8] = b" ,;\t";
    let mut best = 0;
    let mut quoted = false;
    let mut before = b' ';
    for byte in line {
        match byte {
            // A quote opens where an id can begin, or again where two stand for one.
            b'"' => quoted = !quoted && (is_separator(before) || before == b'"'),
            b'{' if !quoted && is_blank(before) => break,
            _ if !quoted => best = best.max(BY_RANK.iter().position(|known| known == byte).unwrap_or(0)),
            _ => {}
        }
        before = *byte;
    }
    BY_RANK[best]
}

/// An id, and what comes after the separator behind it, if there is one.
type IdAndRest<'a> = (Cow<'a, [u8]>, Option<&'a [u8]>);

/// The id that a line begins with. `None` where quotes do not end, or something stands behind them.
fn id(line: &[u8], separator: u8) -> Option<IdAndRest<'_>> {
    let line = line.trim_ascii_start();
    let is_end = |byte: &u8| *byte == separator || separator == b' ' && is_blank(*byte);
    if line.first() != Some(&b'"') {
        let end = line.iter().position(is_end);
        let id = &line[..end.unwrap_or(line.len())];
        return Some((Cow::Borrowed(id.trim_ascii()), end.map(|end| &line[end + 1..])));
    }
    let mut id = Vec::new();
    let mut rest = &line[1..];
    loop {
        let end = rest.iter().position(|byte| *byte == b'"')?;
        id.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        // Two quotes stand for one.
        match rest.strip_prefix(b"\"") {
            Some(more) => {
                id.push(b'"');
                rest = more;
            }
            None => break,
        }
    }
    let behind = if separator == b' ' { rest } else { trim_blanks(rest, separator) };
    match behind.first() {
        None => Some((Cow::Owned(id), None)),
        Some(byte) if is_end(byte) => Some((Cow::Owned(id), Some(&behind[1..]))),
        Some(_) => None,
    }
}

/// Takes blanks away at the start, but not the separator.
fn trim_blanks(bytes: &[u8], separator: u8) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| is_blank(**byte) && **byte != separator).count();
    &bytes[blanks..]
}
