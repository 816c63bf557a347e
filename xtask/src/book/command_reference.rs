//! The reference of the command line: what the program says of itself, one page a command.
//!
//! Commands are found by walking from `--help` to `--help`. The program also writes a manual page for each of its commands, from the
//! same parser; if the walk missed one, the two disagree, and the book is not built.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::stage::GeneratedPage;

/// The page about all commands, from the root.
pub const INDEX: &str = "docs/book/reference/cli.md";
const PROGRAM: &str = "pointillist";

/// A command and what it says.
struct CommandHelp {
    /// Its words, without the program: `graph count`. The program itself has none.
    words: Vec<String>,
    text: String,
}

/// The index and the pages, from this program. `scratch` is a folder that is emptied.
///
/// # Errors
/// When the program does not explain itself, or not in the same words twice.
pub fn pages(program: &Path, scratch: &Path) -> Result<Vec<GeneratedPage>, String> {
    let commands = walk(&|words| said(program, words))?;
    let walked = commands.iter().map(|command| command.name().replace(' ', "-")).collect();
    agree(&walked, &manual(program, scratch)?)?;
    Ok(written(&commands))
}

impl CommandHelp {
    fn name(&self) -> String {
        [&[PROGRAM.to_owned()], self.words.as_slice()].concat().join(" ")
    }

    /// What it is for: what stands before `Usage:`.
    fn purpose(&self) -> &str {
        self.text.split_once("Usage:").map_or("", |(purpose, _)| purpose).trim()
    }

    /// The rest, as it is printed.
    fn details(&self) -> &str {
        self.text.find("Usage:").map_or("", |usage| &self.text[usage..]).trim_end()
    }

    /// The names of its commands.
    fn commands(&self) -> Vec<String> {
        let section = self.text.split_once("\nCommands:\n").map_or("", |(_, section)| section);
        let lines = section.lines().take_while(|line| !line.is_empty());
        // A name is indented by two blanks; the words about it go on in lines that are indented by more.
        let names = lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    }
}

/// Every command, each before its own commands.
fn walk(help: &dyn Fn(&[String]) -> Result<String, String>) -> Result<Vec<CommandHelp>, String> {
    let mut found = Vec::new();
    let mut ahead = vec![Vec::new()];
    while let Some(words) = ahead.pop() {
        let command = CommandHelp { text: help(&words)?, words };
        let inner = command.commands().into_iter().filter(|name| name != "help");
        let inner = inner.map(|name| [command.words.as_slice(), &[name]].concat());
        ahead.extend(inner.collect::<Vec<_>>().into_iter().rev());
        found.push(command);
    }
    Ok(found)
}

fn said(program: &Path, words: &[String]) -> Result<String, String> {
    let output = Command::new(program)
        .args(words)
        .arg("--help")
        .output()
        .map_err(|error| format!("the program does not start: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("`{PROGRAM} {} --help` fails", words.join(" ")))
    }
}

/// The names of the manual pages.
fn manual(program: &Path, scratch: &Path) -> Result<BTreeSet<String>, String> {
    let _ = fs::remove_dir_all(scratch);
    let failed = |error: std::io::Error| format!("the manual pages are not written: {error}");
    fs::create_dir_all(scratch).map_err(failed)?;
    let output =
        Command::new(program).args(["man", "--quiet", "--output"]).arg(scratch).output().map_err(failed)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let files = fs::read_dir(scratch).map_err(failed)?.flatten();
    let names = files.map(|file| file.path().file_stem().unwrap_or_default().to_string_lossy().into_owned());
    Ok(names.collect())
}

fn agree(walked: &BTreeSet<String>, manual: &BTreeSet<String>) -> Result<(), String> {
    let differ: Vec<&str> = walked.symmetric_difference(manual).map(String::as_str).collect();
    if differ.is_empty() {
        return Ok(());
    }
    Err(format!("`--help` and the manual pages do not name the same commands: {}", differ.join(", ")))
}

fn written(commands: &[CommandHelp]) -> Vec<GeneratedPage> {
    let mut index = String::from("# Command line\n\n");
    let mut pages: Vec<GeneratedPage> = Vec::new();
    for command in commands {
        let details = format!("```text\n{}\n```\n", command.details());
        let purpose = escaped(command.purpose());
        match command.words.as_slice() {
            [] => {
                let _ = write!(
                    index,
                    "What `{PROGRAM}` says of itself: one page a command, made of what `--help` prints. \
                     `{PROGRAM} man` has the same as manual pages, `{PROGRAM} completions` completes it in a shell.\n\n\
                     | command | for |\n| --- | --- |\n"
                );
            }
            [name] => {
                let _ = writeln!(index, "| [`{name}`](cli/{name}.md) | {} |", purpose.replace('\n', " "));
                let path = format!("docs/book/reference/cli/{name}.md");
                pages.push(GeneratedPage {
                    path,
                    text: format!("# {}\n\n{purpose}\n\n{details}", command.name()),
                });
            }
            _ => {
                let page = pages.last_mut().expect("a command comes before its own commands");
                let _ = write!(page.text, "\n## {}\n\n{purpose}\n\n{details}", command.name());
            }
        }
    }
    let whole = commands.first().map_or("", CommandHelp::details);
    // The list of commands is the table above.
    let rest = whole.split_once("\nOptions:\n").map_or("", |(_, rest)| rest);
    let _ = write!(index, "\n## Options and exit codes\n\n```text\nOptions:\n{rest}\n```\n");
    pages.insert(0, GeneratedPage { path: INDEX.to_owned(), text: index });
    pages
}

/// Plain words, so that Markdown does not see more in them.
fn escaped(words: &str) -> String {
    let mut text = String::new();
    for sign in words.chars() {
        if "\\*_<>[]|#".contains(sign) {
            text.push('\\');
        }
        text.push(sign);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[String]) -> Result<String, String> {
        let text = match words.join(" ").as_str() {
            "" => {
                "All of it\n\nUsage: pointillist <COMMAND>\n\nCommands:\n  graph  Statistics of\n         graphs <all>\n  noise  Noise\n  help   Print this\n\nOptions:\n  -h  Help\n"
            }
            "graph" => {
                "Graphs\n\nUsage: pointillist graph <COMMAND>\n\nCommands:\n  count  Count\n\nOptions:\n  -h  Help\n"
            }
            "graph count" => "Count\n\nUsage: pointillist graph count\n",
            "noise" => "Noise\n\nUsage: pointillist noise\n",
            _ => return Err("no such command".to_owned()),
        };
        Ok(text.to_owned())
    }

    #[test]
    fn every_command_is_walked_to_and_has_its_place() {
        let commands = walk(&help).expect("it explains itself");
        let names: Vec<String> = commands.iter().map(CommandHelp::name).collect();
        assert_eq!(
            names,
            ["pointillist", "pointillist graph", "pointillist graph count", "pointillist noise"]
        );
        let pages = written(&commands);
        let paths: Vec<&str> = pages.iter().map(|page| page.path.as_str()).collect();
        assert_eq!(paths, [INDEX, "docs/book/reference/cli/graph.md", "docs/book/reference/cli/noise.md"]);
        assert!(pages[0].text.contains("| [`noise`](cli/noise.md) | Noise |"), "{}", pages[0].text);
        assert!(pages[1].text.contains("\n## pointillist graph count\n\nCount\n"), "{}", pages[1].text);
    }

    #[test]
    fn a_command_that_the_walk_missed_is_found() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        assert!(agree(&names(&["a", "a-b"]), &names(&["a-b", "a"])).is_ok());
        let problem = agree(&names(&["a"]), &names(&["a", "a-b"])).expect_err("they differ");
        assert!(problem.ends_with(": a-b"), "{problem}");
    }

    #[test]
    fn words_are_shown_as_they_are() {
        assert_eq!(escaped("a <b> | c_d"), "a \\<b\\> \\| c\\_d");
    }
}
