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

#[cfg(test)]
mod tests {
    use super::*;

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
