//! `docs/benchmarks.md`: a section a benchmark, as it was printed, with what there is to say about it.
//!
//! Nobody writes figures into the page by hand. Words about a benchmark are in `benches/notes/NAME.md`; they stand below the
//! figures of every run, so that they speak of what bounds a figure and not of the figure.

/// What one run of one benchmark left.
pub struct Section {
    pub name: &'static str,
    pub about: &'static str,
    /// Day, machine, duration.
    pub measured: String,
    pub output: String,
    pub notes: String,
}

pub const INTRODUCTION: &str = "\
# Benchmarks

`cargo xtask bench all` wrote this page: our figure, the floor, and a peer where the machine can have one, in one run. `cargo xtask bench NAME` measures one
section anew and `cargo xtask bench all --only NAME` writes it here. Machines are noisy: compare ratios within a table, not figures between tables.
";

impl Section {
    pub fn text(&self) -> String {
        let Self { name, about, measured, .. } = self;
        let mut text = format!("## {name}\n\nMeasured: {about}. {measured}\n\n{}", markdown(&self.output));
        if !self.notes.trim().is_empty() {
            // Links of a note start where the note is, and on the page where the page is.
            text.push_str(&format!("\n{}\n", self.notes.trim().replace("](../../docs/", "](")));
        }
        text
    }
}

/// The page with these sections instead of those of the same names, in the order of `names`. Sections of benchmarks that
/// are no more are left out.
pub fn updated(page: &str, sections: &[Section], names: &[&str]) -> String {
    let old = old_sections(page);
    let mut text = INTRODUCTION.to_owned();
    for name in names {
        let new = sections.iter().find(|section| section.name == *name).map(Section::text);
        let kept = || old.iter().find(|(title, _)| title == name).map(|(_, text)| (*text).to_owned());
        if let Some(section) = new.or_else(kept) {
            text.push_str(&format!("\n{}\n", section.trim_end()));
        }
    }
    text
}

/// Titles, and texts that begin with their title.
fn old_sections(page: &str) -> Vec<(&str, &str)> {
    let mut starts: Vec<usize> = page.match_indices("\n## ").map(|(place, _)| place + 1).collect();
    starts.push(page.len());
    let section = |pair: &[usize]| {
        let text = &page[pair[0]..pair[1]];
        (text.lines().next().unwrap_or_default().trim_start_matches("## "), text)
    };
    starts.windows(2).map(section).collect()
}

/// What a benchmark printed, for a page: tables stay tables, single lines are sentences, and lines that belong together
/// keep their columns.
fn markdown(output: &str) -> String {
    let mut blocks: Vec<Vec<&str>> = vec![Vec::new()];
    let is_table = |line: &str| line.starts_with('|');
    // That a peer was installed is nobody's figure.
    let lines = output.lines().map(str::trim_end).filter(|line| !line.starts_with("(installing "));
    for line in lines {
        let last = blocks.last_mut().expect("there is a block from the beginning");
        match last.last() {
            _ if line.is_empty() => blocks.push(Vec::new()),
            Some(before) if is_table(before) != is_table(line) || before.starts_with('#') => {
                blocks.push(vec![line]);
            }
            _ => last.push(line),
        }
    }
    let text = |block: Vec<&str>| match block.as_slice() {
        [] => String::new(),
        [first, ..] if is_table(first) => table(&block),
        // A title of its own must not look like the next section.
        [line] if line.starts_with('#') => format!("### {}\n\n", line.trim_start_matches('#').trim()),
        [line] if !line.trim().contains("  ") => format!("{}\n\n", line.trim()),
        _ if block.iter().skip(1).all(|line| line.starts_with("- ")) => block.join("\n") + "\n\n",
        _ => format!("```text\n{}\n```\n\n", block.join("\n")),
    };
    let text: String = blocks.into_iter().map(text).collect();
    text.trim_end().to_owned() + "\n"
}

/// A table, with an empty head where it has none: rows of a peer go on where ours end, and stand alone on the page.
fn table(rows: &[&str]) -> String {
    let has_head =
        rows.get(1).is_some_and(|second| second.starts_with("| ---") || second.starts_with("|---"));
    let cells = rows[0].matches('|').count().saturating_sub(1);
    let head = if has_head {
        String::new()
    } else {
        format!("|{}\n|{}\n", " |".repeat(cells), " --- |".repeat(cells))
    };
    format!("{head}{}\n\n", rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &'static str, output: &str) -> Section {
        let (measured, notes) = (
            "2026-01-01.".to_owned(),
            "What bounds it: the disk, see [scale](../../docs/scale.md).".to_owned(),
        );
        Section { name, about: "how fast", measured, output: output.to_owned(), notes }
    }

    #[test]
    fn tables_stay_tables_and_columns_stay_columns() {
        assert_eq!(
            markdown("## Adult\nWith a price:\n- one\n- two\n"),
            "### Adult\n\nWith a price:\n- one\n- two\n"
        );
        assert_eq!(markdown("(installing x once)\n| a | b |\n"), "| | |\n| --- | --- |\n| a | b |\n");
        let printed = "A line.\n| a | b |\n| --- | --- |\n| 1 | 2 |\nafter it\n\n  one   1\n  two   2\n";
        let expected = "A line.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nafter it\n\n```text\n  one   1\n  two   2\n```\n";
        assert_eq!(markdown(printed), expected);
    }

    #[test]
    fn a_section_is_replaced_and_the_others_stay() {
        let names = ["noise", "graph", "local"];
        let page = "# Benchmarks\n\nold words\n\n## graph\n\nold graph\n\n## gone\n\nno more\n\n## noise\n\nold noise\n";
        let text = updated(page, &[section("graph", "new graph\n")], &names);
        assert!(text.starts_with(INTRODUCTION), "{text}");
        let places =
            ["## noise\n\nold noise\n", "## graph\n\nMeasured: how fast. 2026-01-01.\n\nnew graph\n"];
        let places = places.map(|part| text.find(part).expect(part));
        assert!(places[0] < places[1], "the order is that of the list:\n{text}");
        assert!(text.contains("the disk, see [scale](scale.md).") && !text.contains("no more"), "{text}");
        assert_eq!(updated(&text, &[], &names), text, "nothing measured, nothing changed");
    }
}
