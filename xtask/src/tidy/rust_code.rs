//! Rust text reduced to what a rule should look at.
//!
//! A rule about code must not trip over a comment that explains the rule, nor over a message that quotes it,
//! nor over a test that needs what production must not have. What is left out becomes blank, character by
//! character, so that line numbers stay true.
//!
//! Where the reduction could err, it errs towards showing too much: a rule then complains about harmless
//! text, which somebody notices, and never overlooks harmful text, which nobody would.

use super::workspace::Workspace;
use std::ops::Range;

const TEST_ATTRIBUTE: &str = "#[cfg(test)]";

/// A source file of a crate, without comments, literals and whatever only tests compile.
pub struct ProductionFile {
    pub path: String,
    pub code: String,
}

/// The production code of all crates: `crates/*/src`, without modules that only tests compile.
pub fn production_files(workspace: &Workspace) -> Vec<ProductionFile> {
    let mut files = Vec::new();
    let mut test_modules = Vec::new();
    for file in workspace.rust_files().filter(|file| is_crate_source(&file.path)) {
        let mut code = code_only(&file.text);
        if code.contains("#![cfg(test)]") {
            continue;
        }
        for item in test_items(&code).into_iter().rev() {
            test_modules
                .extend(declared_module(&code[item.clone()]).map(|name| module_path(&file.path, name)));
            blank(&mut code, item);
        }
        files.push(ProductionFile { path: file.path.clone(), code });
    }
    files.retain(|file| !test_modules.iter().any(|module| belongs_to_module(&file.path, module)));
    files
}

/// The lines of `code`, counted from 1.
pub fn numbered_lines(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// Whether `line` contains `needle` and not merely inside a longer word: `dbg!` but not `mydbg!`.
/// What follows the needle does not matter, so a needle may be the beginning of several names.
pub fn contains_word_starting_with(line: &str, needle: &str) -> bool {
    let ends_in_word = |text: &str| text.chars().next_back().is_some_and(is_word_character);
    line.match_indices(needle).any(|(position, _)| !ends_in_word(&line[..position]))
}

/// The line of a place in `code`, counted from 1.
pub fn line_of(code: &str, place: usize) -> usize {
    code[..place].matches('\n').count() + 1
}

/// Whether `word` occurs in `code` with nothing of a word before or after it.
pub fn contains_word(code: &str, word: &str) -> bool {
    word_positions(code, word).next().is_some()
}

fn word_positions<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> {
    code.match_indices(word).map(|(position, _)| position).filter(move |position| {
        let before = code[..*position].chars().next_back();
        let after = code[position + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(is_word_character)
    })
}

/// A function of some code that comes from [`code_only`].
pub struct Function<'a> {
    pub name: &'a str,
    /// Where `fn` stands.
    pub start: usize,
    pub visibility: Visibility,
    /// From the name to the body, without either.
    pub signature: &'a str,
    /// With its braces; a method that a trait only declares has none.
    pub body: Option<Range<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Visibility {
    Public,
    /// `pub(crate)` and its like.
    Restricted,
    /// Nothing said: private, or a method of a trait.
    Private,
}

/// Every function of `code`, those inside others too, in the order in which they begin.
pub fn functions(code: &str) -> Vec<Function<'_>> {
    word_positions(code, "fn").filter_map(|start| function_at(code, start)).collect()
}

/// The function whose `fn` stands at `start`; nothing where it is a type such as `fn(u8)`.
fn function_at(code: &str, start: usize) -> Option<Function<'_>> {
    let rest = code[start + 2..].trim_start();
    let name_start = code.len() - rest.len();
    let name_length = rest.find(|c| !is_word_character(c)).unwrap_or(rest.len());
    if name_length == 0 {
        return None;
    }
    let signature_start = name_start + name_length;
    let mut depth = 0_usize;
    let end = code[signature_start..].char_indices().find_map(|(offset, character)| {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '{' | ';' if depth == 0 => return Some((signature_start + offset, character)),
            _ => {}
        }
        None
    });
    let (end, opening) = end?;
    Some(Function {
        name: &code[name_start..signature_start],
        start,
        visibility: visibility_before(&code[..start]),
        signature: &code[signature_start..end],
        body: (opening == '{').then(|| end..end_of_item(code, end)),
    })
}

fn visibility_before(code: &str) -> Visibility {
    let mut code = code.trim_end();
    while let Some(rest) =
        ["const", "async", "unsafe", "extern"].iter().find_map(|word| code.strip_suffix(word))
    {
        code = rest.trim_end();
    }
    let restriction = code.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    if restriction.is_some_and(|(before, _)| before.ends_with("pub")) {
        Visibility::Restricted
    } else if word_positions(code, "pub").any(|place| place + 3 == code.len()) {
        Visibility::Public
    } else {
        Visibility::Private
    }
}

/// The text with comments and the contents of strings and characters blanked.
pub fn code_only(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut position = 0;
    while position < characters.len() {
        let end = end_of_comment_or_literal(&characters, position);
        if end == position {
            code.push(characters[position]);
            position += 1;
        } else {
            code.extend(characters[position..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            position = end;
        }
    }
    code
}

/// Where the comment or literal that begins at `start` ends; `start` itself when none begins there.
fn end_of_comment_or_literal(text: &[char], start: usize) -> usize {
    let at = |position: usize| text.get(position).copied();
    match (text[start], at(start + 1)) {
        ('/', Some('/')) => find(text, start, |position| text[position] == '\n'),
        ('/', Some('*')) => end_of_block_comment(text, start),
        ('"', _) => end_of_quoted(text, start, '"'),
        ('\'', Some('\\')) => end_of_quoted(text, start, '\''),
        // A quote without a second one two places on is a lifetime.
        ('\'', Some(_)) if at(start + 2) == Some('\'') => start + 3,
        ('r', Some('#' | '"')) => end_of_raw_string(text, start).unwrap_or(start),
        _ => start,
    }
}

fn find(text: &[char], start: usize, is_end: impl Fn(usize) -> bool) -> usize {
    (start..text.len()).find(|position| is_end(*position)).unwrap_or(text.len())
}

fn end_of_block_comment(text: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut position = start;
    while position < text.len() {
        match text[position..] {
            ['/', '*', ..] => {
                depth += 1;
                position += 2;
            }
            ['*', '/', ..] => {
                depth -= 1;
                position += 2;
                if depth == 0 {
                    return position;
                }
            }
            _ => position += 1,
        }
    }
    position
}

fn end_of_quoted(text: &[char], start: usize, quote: char) -> usize {
    let mut position = start + 1;
    while position < text.len() {
        match text[position] {
            '\\' => position += 2,
            c if c == quote => return position + 1,
            _ => position += 1,
        }
    }
    text.len()
}

/// The end of a raw string, or nothing when the `r` belongs to a name such as `r#type` or `attr`.
fn end_of_raw_string(text: &[char], start: usize) -> Option<usize> {
    let prefix_start = if start > 0 && matches!(text[start - 1], 'b' | 'c') { start - 1 } else { start };
    if prefix_start > 0 && is_word_character(text[prefix_start - 1]) {
        return None;
    }
    let hashes = text[start + 1..].iter().take_while(|c| **c == '#').count();
    let quote = start + 1 + hashes;
    if text.get(quote) != Some(&'"') {
        return None;
    }
    let closes = |position: usize| {
        text[position] == '"' && text[position + 1..].iter().take_while(|c| **c == '#').count() >= hashes
    };
    Some((find(text, quote + 1, closes) + 1 + hashes).min(text.len()))
}

fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The places of everything that stands under `#[cfg(test)]`. `code` must come from [`code_only`], so that
/// every bracket in it is one of Rust's own.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut position = 0;
    while let Some(found) = code[position..].find(TEST_ATTRIBUTE) {
        let start = position + found;
        let end = end_of_item(code, start + TEST_ATTRIBUTE.len());
        items.push(start..end);
        position = end;
    }
    items
}

/// An item ends with its semicolon, with its closing brace, or where the braces around it close.
fn end_of_item(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, character) in code[start..].char_indices() {
        let after = start + offset + character.len_utf8();
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return start + offset,
            '}' if depth == 1 => return after,
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return after,
            _ => {}
        }
    }
    code.len()
}

/// The name in `mod name;`, whatever attributes and visibility stand before it.
fn declared_module(item: &str) -> Option<&str> {
    let mut words = item.strip_suffix(';')?.split_whitespace().rev();
    let name = words.next()?;
    (words.next() == Some("mod")).then_some(name)
}

/// The path, without ending, of the module `name` declared in the file `declaring_path`.
fn module_path(declaring_path: &str, name: &str) -> String {
    let (folder, file) = declaring_path.rsplit_once('/').unwrap_or(("", declaring_path));
    match file {
        "lib.rs" | "main.rs" | "mod.rs" => format!("{folder}/{name}"),
        _ => format!("{folder}/{}/{name}", file.trim_end_matches(".rs")),
    }
}

fn belongs_to_module(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn blank(code: &mut String, range: Range<usize>) {
    let blanks: String = code[range.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    code.replace_range(range, &blanks);
}

/// Whether the path is `crates/NAME/src/…`.
fn is_crate_source(path: &str) -> bool {
    matches!(path.split('/').collect::<Vec<_>>().as_slice(), ["crates", _, "src", _, ..])
}

#[cfg(test)]
mod tests;
