//! A bar for how much is spent: drawn in eighths, so that a little shows.

/// Eighths of a cell.
const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A bar of so many cells, this part of it full. Anything above nothing shows, and full is full only at one.
pub fn bar(part: f64, cells: usize) -> String {
    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 1.0 };
    let eighths_max = 8 * cells;
    let mut eighths = (part * eighths_max as f64).round() as usize;
    if part > 0.0 {
        eighths = eighths.max(1);
    }
    if part < 1.0 {
        eighths = eighths.min(eighths_max.saturating_sub(1));
    }
    let (full, rest) = (eighths / 8, eighths % 8);
    let mut text = "█".repeat(full);
    if rest > 0 {
        text.push(PARTS[rest]);
    }
    let empty = cells - full - usize::from(rest > 0);
    text + &"░".repeat(empty)
}

/// Cells of a bar on each side of zero.
const SIDE: usize = 24;
/// Names are cut to so many signs.
const NAME_MAX: usize = 40;

/// Named numbers as bars to the left and to the right of zero, in proportion to the largest of them.
pub fn signed_bars(numbers: &[(String, f64)]) -> Vec<String> {
    let largest = numbers.iter().map(|(_, value)| value.abs()).filter(|size| size.is_finite());
    let largest = largest.fold(0.0, f64::max);
    let names = numbers.iter().map(|(name, _)| width_of(name).min(NAME_MAX)).max().unwrap_or(0);
    let line = |(name, value): &(String, f64)| {
        let name = shortened(name, NAME_MAX);
        let blanks = " ".repeat(names.saturating_sub(width_of(&name)));
        let cells = if largest > 0.0 { (value.abs() / largest * SIDE as f64).round() as usize } else { 0 };
        let (cells, rest) = ("█".repeat(cells.min(SIDE)), " ".repeat(SIDE - cells.min(SIDE)));
        let bar = match *value < 0.0 {
            true => format!("{rest}{cells}│"),
            false => format!("{}│{cells}", " ".repeat(SIDE)),
        };
        format!("{name}{blanks}  {bar}").trim_end().to_owned()
    };
    numbers.iter().map(line).collect()
}

fn width_of(text: &str) -> usize {
    text.chars().count()
}

fn shortened(text: &str, length: usize) -> String {
    match width_of(text) > length {
        true => text.chars().take(length - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_bars_start_at_zero_and_are_in_proportion() {
        let rows = [("a".to_owned(), 2.0), ("name".to_owned(), -1.0), ("c".repeat(50), 0.0)];
        let bars = signed_bars(&rows);
        let zero = |bar: &str| bar.chars().position(|sign| sign == '│');
        assert!(bars.iter().all(|bar| zero(bar) == zero(&bars[0]) && zero(bar).is_some()), "{bars:?}");
        let cells: Vec<usize> = bars.iter().map(|bar| bar.matches('█').count()).collect();
        assert_eq!(cells, [24, 12, 0]);
        assert!(bars[0].ends_with('█') && bars[1].ends_with("█│") && bars[2].contains('…'));
        assert_eq!(signed_bars(&[("n".to_owned(), f64::NAN)]).len(), 1);
    }

    #[test]
    fn a_bar_has_its_length_and_shows_what_is_little() {
        for part in [0.0, 1e-9, 0.1, 0.5, 0.999_999, 1.0, 7.0, f64::NAN] {
            assert_eq!(bar(part, 10).chars().count(), 10, "{part}");
        }
        assert_eq!(bar(0.0, 4), "░░░░");
        assert_eq!(bar(1e-9, 4), "▏░░░");
        assert_eq!(bar(0.5, 4), "██░░");
        assert_eq!(bar(0.999_999, 4), "███▉");
        assert_eq!(bar(1.0, 4), "████");
    }
}
