//! A page of the book: its text, the blocks that run, and the places where their output goes.
//!
//! A block that begins with ```` ```sh ```` runs. Words behind it say more: `refused` when it must end with a code other than 0, and
//! `needs=psql,curl` when it is left out, loudly, on a machine without those programs. A line `<!-- output -->` behind a block, or
//! `<!-- output 30 lines -->`, becomes what the block printed. Everything else is text.

/// What a page consists of, in its order.
#[derive(Debug, PartialEq)]
pub enum Piece {
    /// Lines that stay as they are.
    Text(String),
    /// Commands that run.
    Block(Block),
    /// Where the block before is quoted.
    Output(Output),
}

/// Commands that a reader types.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The line of its fence, counted from 1.
    pub line: usize,
    /// One script.
    pub script: String,
    /// Whether it must end with a code other than 0.
    pub refused: bool,
    /// Programs without which it is left out.
    pub needs: Vec<String>,
    /// The blanks before its fence, when it stands in a list.
    pub indent: String,
}

impl Block {
    /// The block as the book shows it: without the words for us.
    pub fn shown(&self) -> String {
        fenced(&self.indent, "sh", &self.script)
    }
}

/// The place of an output.
#[derive(Debug, PartialEq)]
pub struct Output {
    /// The line of the mark, counted from 1.
    pub line: usize,
    /// How many lines are kept, from the first on.
    lines_max: Option<usize>,
    indent: String,
}

impl Output {
    /// What was printed, as the book shows it.
    pub fn shown(&self, printed: &str) -> String {
        let lines: Vec<&str> = printed.trim_end().lines().collect();
        let kept = self.lines_max.unwrap_or(lines.len()).min(lines.len());
        let mut text = lines[..kept].join("\n");
        if kept < lines.len() {
            text.push_str("\n…");
        }
        fenced(&self.indent, "text", &text)
    }
}

/// A fence that its content cannot close.
fn fenced(indent: &str, language: &str, content: &str) -> String {
    let longest = content.split(|sign| sign != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let mut text = format!("{indent}{fence}{language}\n");
    for line in content.trim_end_matches('\n').lines() {
        text.push_str(format!("{indent}{line}").trim_end());
        text.push('\n');
    }
    text + indent + &fence + "\n"
}

/// Splits a page.
///
/// # Errors
/// The line, and what is wrong with it: a word we do not know behind a fence, a fence that is never closed, an output of nothing.
pub fn pieces(page: &str) -> Result<Vec<Piece>, (usize, String)> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut lines = page.lines().enumerate().map(|(place, line)| (place + 1, line));
    while let Some((number, line)) = lines.next() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let trimmed = line.trim();
        if let Some(mark) = trimmed.strip_prefix("<!-- output").and_then(|mark| mark.strip_suffix("-->")) {
            if !text.trim().is_empty() || !matches!(pieces.last(), Some(Piece::Block(_))) {
                return Err((number, "an output stands right after the block that prints it".to_owned()));
            }
            let lines_max = lines_max(mark.trim()).map_err(|problem| (number, problem))?;
            pieces.push(Piece::Text(std::mem::take(&mut text)));
            pieces.push(Piece::Output(Output { line: number, lines_max, indent: indent.to_owned() }));
            continue;
        }
        let fence: &str = &trimmed[..trimmed.len() - trimmed.trim_start_matches('`').len()];
        if fence.len() < 3 {
            text.push_str(line);
            text.push('\n');
            continue;
        }
        let info = trimmed[fence.len()..].trim();
        let block = block(number, info, indent).map_err(|problem| (number, problem))?;
        let mut content = String::new();
        let mut verbatim = format!("{line}\n");
        let mut closed = false;
        for (_, inner) in lines.by_ref() {
            verbatim.push_str(inner);
            verbatim.push('\n');
            let end = inner.trim();
            if end.len() >= fence.len() && end.chars().all(|sign| sign == '`') {
                closed = true;
                break;
            }
            content.push_str(inner.strip_prefix(indent).unwrap_or(inner));
            content.push('\n');
        }
        if !closed {
            return Err((number, "this fence is never closed".to_owned()));
        }
        match block {
            None => text.push_str(&verbatim),
            Some(block) => {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Block(Block { script: content, ..block }));
            }
        }
    }
    pieces.push(Piece::Text(text));
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    Ok(pieces)
}

/// What the words behind a fence ask for; `None` for a fence that does not run.
fn block(line: usize, info: &str, indent: &str) -> Result<Option<Block>, String> {
    let mut words = info.split_whitespace();
    match words.next() {
        Some("sh") => {}
        Some(other @ ("bash" | "shell" | "console")) => {
            return Err(format!(
                "`{other}` does not run: write `sh`, or `text` and a word why it cannot run"
            ));
        }
        _ => return Ok(None),
    }
    let mut block = Block { line, indent: indent.to_owned(), ..Block::default() };
    for word in words {
        if word == "refused" {
            block.refused = true;
        } else if let Some(programs) = word.strip_prefix("needs=") {
            block.needs.extend(programs.split(',').map(str::to_owned));
        } else {
            return Err(format!(
                "`{word}` behind `sh` means nothing: there are `refused` and `needs=PROGRAM`"
            ));
        }
    }
    Ok(Some(block))
}

fn lines_max(mark: &str) -> Result<Option<usize>, String> {
    if mark.is_empty() {
        return Ok(None);
    }
    let number = mark.strip_suffix("lines").and_then(|number| number.trim().parse().ok());
    number
        .filter(|number| *number > 0)
        .map(Some)
        .ok_or_else(|| format!("`output {mark}` is not understood: write `output` or `output 30 lines`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(page: &str) -> Vec<Block> {
        let pieces = pieces(page).expect("a page");
        let block = |piece| if let Piece::Block(block) = piece { Some(block) } else { None };
        pieces.into_iter().filter_map(block).collect()
    }

    #[test]
    fn only_sh_runs_and_its_words_are_understood() {
        let page =
            "# A\n\n```sh\necho a\n```\n\n```text\nrm x\n```\n```sh refused needs=psql,curl\nfalse\n```\n";
        let found = blocks(page);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].line, found[0].script.as_str(), found[0].refused), (3, "echo a\n", false));
        assert_eq!((found[1].line, found[1].refused), (10, true));
        assert_eq!(found[1].needs, ["psql", "curl"]);
        assert_eq!(found[1].shown(), "```sh\nfalse\n```\n");
    }

    #[test]
    fn a_fence_in_a_longer_fence_is_text() {
        assert_eq!(blocks("````text\n```sh\nrm x\n```\n````\n"), []);
    }

    #[test]
    fn a_block_in_a_list_loses_its_indent_and_is_shown_with_it() {
        let found = blocks("1. one:\n   ```sh\n   cat <<END\n     two\n   END\n   ```\n");
        assert_eq!(found[0].script, "cat <<END\n  two\nEND\n");
        assert_eq!(found[0].shown(), "   ```sh\n   cat <<END\n     two\n   END\n   ```\n");
    }

    #[test]
    fn an_output_quotes_the_block_before_it() {
        let found = pieces("```sh\nseq 9\n```\n\n<!-- output 2 lines -->\nend\n").expect("a page");
        let Some(Piece::Output(output)) = found.iter().find(|piece| matches!(piece, Piece::Output(_))) else {
            panic!("{found:?}");
        };
        assert_eq!(output.shown("1\n2\n3\n"), "```text\n1\n2\n…\n```\n");
        assert_eq!(output.shown("1\n"), "```text\n1\n```\n");
        assert_eq!(output.shown("```\n"), "````text\n```\n````\n");
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        for (page, line, word) in [
            ("a\n```sh quickly\n```\n", 2, "`quickly`"),
            ("```bash\n```\n", 1, "`bash`"),
            ("```sh\necho\n", 1, "never closed"),
            ("words\n\n<!-- output -->\n", 3, "right after"),
            ("```sh\n```\nwords\n<!-- output -->\n", 4, "right after"),
            ("```sh\n```\n<!-- output some lines -->\n", 3, "`output some lines`"),
        ] {
            let (found, problem) = pieces(page).expect_err(page);
            assert!(found == line && problem.contains(word), "{page}: {found} {problem}");
        }
    }
}
