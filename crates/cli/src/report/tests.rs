use super::*;

const BAD: &str = "<script>alert(\"x\")</script> ' & \u{202e}\u{0}";

fn page(blocks: Vec<Block>) -> String {
    Report::new(BAD, BAD).section(BAD, blocks).made_by(BAD, "2026-01-31")
}

/// Specification: whatever comes from data or arguments, wherever it stands, is text.
#[test]
fn nothing_from_data_is_taken_for_anything_but_text() {
    let bad = || BAD.to_owned();
    let html = page(vec![
        Block::text(BAD),
        Block::figure(&crate::bar_chart::BarChart::default(), BAD),
        Block::Table { head: vec![bad()], rows: vec![vec![bad()], vec![]] },
        Block::facts([(BAD, BAD)]),
        Block::verdict(Tone::Alarm, BAD),
        Block::side_by_side(BAD, BAD),
    ]);
    // Title twice, lead, heading, command, and nine in the blocks.
    let escaped = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &#39; &amp; \\u{202e}\\u{0}";
    assert_eq!(html.matches(escaped).count(), 14, "{html}");
    assert!(!html.contains("<script") && !html.contains('\u{202e}') && !html.contains('\u{0}'), "{html}");
    assert!(!html.contains("\"x\"") && !html.contains("src=") && !html.contains("href="), "{html}");
}

#[test]
fn texts_have_paragraphs_and_lines() {
    assert_eq!(paragraphs("one\ntwo\n\n\nthree\r\n\r\n"), "<p>one<br/>\ntwo</p>\n<p>three</p>");
    assert_eq!(paragraphs(" \n"), "");
}

#[test]
fn columns_of_numbers_stand_to_the_right() {
    let cells = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    let rows = vec![cells(["1,204", "a", "< 0.1 %"]), cells(["−3.5 ± 2", "7", ""])];
    let html = table(&cells(["n", "word", "share"]), &rows);
    assert!(
        html.contains("<th class=\"number\">n</th><th>word</th><th class=\"number\">share</th>"),
        "{html}"
    );
    assert!(html.contains("<td class=\"number\">−3.5\u{a0}±\u{a0}2</td><td>7</td>"), "{html}");
}

#[test]
fn the_page_says_how_it_was_made() {
    let html = Report::new("t", "l").made_by("pointillist attack float", "2026-01-31");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<code>pointillist attack float</code>"));
    assert!(html.contains("2026-01-31") && html.contains(env!("CARGO_PKG_VERSION")), "{html}");
}

#[test]
fn words_are_as_a_shell_reads_them() {
    for (word, line) in [
        ("a.csv", "a.csv"),
        ("sex=female", "sex=female"),
        ("", "''"),
        ("a b", "'a b'"),
        ("it's $HOME", "'it'\\''s $HOME'"),
    ] {
        assert_eq!(in_a_shell(word), line);
    }
}
