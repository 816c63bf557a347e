//! Links in Markdown: where they stand, outside of code.

use std::ops::Range;

/// `[text](target)` or `![text](target)`.
#[derive(Debug, PartialEq)]
pub struct Link {
    /// From its first sign to its last, a picture's `!` included.
    pub whole: Range<usize>,
    /// What stands in the square brackets.
    pub text: Range<usize>,
    /// What stands in the round ones.
    pub target: Range<usize>,
}

/// The links of a page in their order. One within the text of another is not among them.
pub fn links(page: &str) -> Vec<Link> {
    let code = code(page);
    let is_code = |at: usize| code.iter().any(|range| range.contains(&at));
    let bytes = page.as_bytes();
    let mut found: Vec<Link> = Vec::new();
    for (middle, _) in page.match_indices("](").filter(|(middle, _)| !is_code(*middle)) {
        let Some(end) = page[middle..].find(')').map(|length| middle + length) else { continue };
        let mut depth = 0;
        let opening = (0..middle).rev().filter(|at| !is_code(*at)).find(|at| {
            match bytes[*at] {
                b']' => depth += 1,
                b'[' if depth == 0 => return true,
                b'[' => depth -= 1,
                _ => {}
            }
            false
        });
        let Some(opening) = opening else { continue };
        let is_image = opening > 0 && bytes[opening - 1] == b'!';
        let start = if is_image { opening - 1 } else { opening };
        // A picture that is itself a link: the outer one is the later.
        found.retain(|link| link.whole.start < start);
        found.push(Link { whole: start..end + 1, text: opening + 1..middle, target: middle + 2..end });
    }
    found
}

/// What is code: fenced blocks, and spans between backticks.
fn code(page: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut paragraph = 0;
    let mut at = 0;
    let mut fence: Option<(usize, usize)> = None;
    for line in page.split_inclusive('\n') {
        let trimmed = line.trim();
        let ticks = trimmed.len() - trimmed.trim_start_matches('`').len();
        match fence {
            Some((start, length)) if ticks >= length && ticks == trimmed.len() => {
                ranges.push(start..at + line.len());
                (fence, paragraph) = (None, at + line.len());
            }
            None if ticks >= 3 => {
                ranges.extend(spans(page, paragraph..at));
                fence = Some((at, ticks));
            }
            None if trimmed.is_empty() => {
                ranges.extend(spans(page, paragraph..at));
                paragraph = at + line.len();
            }
            _ => {}
        }
        at += line.len();
    }
    match fence {
        Some((start, _)) => ranges.push(start..at),
        None => ranges.extend(spans(page, paragraph..at)),
    }
    ranges
}

/// Spans of code in a paragraph: from a run of backticks to the next run of the same length.
fn spans(page: &str, paragraph: Range<usize>) -> Vec<Range<usize>> {
    let text = &page[paragraph.clone()];
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    let mut spans = Vec::new();
    let mut next = 0;
    while let Some(open) = runs.get(next) {
        let close = (next + 1..runs.len()).find(|close| runs[*close].len() == open.len());
        if let Some(close) = close {
            spans.push(paragraph.start + open.start..paragraph.start + runs[close].end);
            next = close;
        }
        next += 1;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(page: &str) -> Vec<(&str, &str)> {
        links(page).into_iter().map(|link| (&page[link.text], &page[link.target])).collect()
    }

    #[test]
    fn links_are_found_across_lines_and_not_in_code() {
        let page = "See [one\nof them](a.md#b) and ![`two`](c.svg).\n\n`[three](d.md)`\n\n```sh\n[four](e.md)\n```\n";
        assert_eq!(found(page), [("one\nof them", "a.md#b"), ("`two`", "c.svg")]);
    }

    #[test]
    fn brackets_within_the_text_belong_to_it() {
        assert_eq!(found("[a [b] c](d.md)"), [("a [b] c", "d.md")]);
        assert_eq!(found("[![a](b.svg)](c.md)"), [("![a](b.svg)", "c.md")]);
        assert_eq!(found("x](y) and [`a]`](z)"), [("`a]`", "z")]);
    }

    #[test]
    fn a_single_backtick_hides_nothing() {
        assert_eq!(found("a ` b [c](d)\n\nand ` e"), [("c", "d")]);
    }
}
