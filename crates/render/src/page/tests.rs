use super::html::{paragraphs, table};
use super::*;

const BAD: &str = "<script>alert(\"x\")</script> ' & \u{202e}\u{0}";

fn made_by(command: &str) -> MadeBy {
    MadeBy { command: command.to_owned(), date: "2026-01-31".to_owned() }
}

fn page(blocks: Vec<Block>) -> String {
    Page::new(BAD, BAD).section(BAD, blocks).to_html(&made_by(BAD))
}

/// Specification: whatever comes from data or arguments, wherever it stands, is text.
#[test]
fn nothing_from_data_is_taken_for_anything_but_text() {
    let bad = || BAD.to_owned();
    let html = page(vec![
        Block::text(BAD),
        Block::figure(&crate::chart::BarChart::default(), BAD),
        Block::Table { head: vec![bad()], rows: vec![vec![bad()], vec![]] },
        Block::facts([(BAD, BAD)]),
        Block::Code(BAD.to_owned()),
        Block::Folded { summary: bad(), blocks: vec![Block::text(BAD)] },
        Block::verdict(Tone::Alarm, BAD),
        Block::side_by_side(BAD, BAD),
    ]);
    // Title twice, lead, heading, command, and twelve in the blocks.
    let escaped = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; ' &amp; \\u{202e}\\u{0}";
    assert_eq!(html.matches(escaped).count(), 17, "{html}");
    assert!(!html.contains("<script") && !html.contains('\u{202e}') && !html.contains('\u{0}'), "{html}");
    assert!(!html.contains("\"x\"") && !html.contains("src=") && !html.contains("href="), "{html}");
}

#[test]
fn texts_have_paragraphs_and_lines() {
    assert_eq!(paragraphs("one\ntwo\n\n\nthree\r\n\r\n").into_string(), "<p>one<br>two</p><p>three</p>");
    assert_eq!(paragraphs(" \n").into_string(), "");
}

#[test]
fn columns_of_numbers_stand_to_the_right() {
    let cells = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    let rows = vec![cells(["1,204", "a", "< 0.1 %"]), cells(["−3.5 ± 2", "7", ""])];
    let html = table(&cells(["n", "word", "share"]), &rows).into_string();
    assert!(
        html.contains("<th class=\"number\">n</th><th>word</th><th class=\"number\">share</th>"),
        "{html}"
    );
    assert!(html.contains("<td class=\"number\">−3.5\u{a0}±\u{a0}2</td><td>7</td>"), "{html}");
}

#[test]
fn the_page_says_how_it_was_made() {
    let html = Page::new("t", "l").to_html(&made_by("pointillist attack float"));
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<code>pointillist attack float</code>"));
    assert!(html.contains("2026-01-31") && html.contains(env!("CARGO_PKG_VERSION")), "{html}");
}
