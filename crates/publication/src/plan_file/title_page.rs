//! Words about a release: title, description, licence, citation, contact, keywords, and what columns mean.

use std::collections::BTreeMap;

use pointillist_catalog::document::{Entry, Fault, Section, name_complaint, shown};

const LINE_MAX: usize = 300;
const PROSE_MAX: usize = 20_000;
const KEYWORDS_MAX: usize = 50;

/// What stands under a key that may be missing.
pub(super) fn optional(
    section: &Section<'_>,
    key: &str,
    read: impl Fn(&Entry<'_>, &str) -> Result<String, Fault>,
) -> Result<Option<String>, Fault> {
    section.get(key).map(|entry| read(&entry, &format!("a {key}"))).transpose()
}

/// A line of text.
pub(super) fn line(entry: &Entry<'_>, what: &str) -> Result<String, Fault> {
    let text = words(entry, what, LINE_MAX)?;
    if text.contains('\n') {
        return Err(entry.fault(format!("{what} is a line"), "write it without line breaks"));
    }
    Ok(text)
}

/// Text of any number of lines.
pub(super) fn prose(entry: &Entry<'_>, what: &str) -> Result<String, Fault> {
    words(entry, what, PROSE_MAX)
}

fn words(entry: &Entry<'_>, what: &str, length_max: usize) -> Result<String, Fault> {
    let text = entry.text(what)?.trim();
    let complaint = if text.is_empty() {
        format!("{what} is empty")
    } else if text.len() > length_max {
        format!("{what} has at most {length_max} bytes")
    } else if text.chars().any(|sign| (sign.is_control() && sign != '\n') || turns_direction(sign)) {
        format!("{what} has signs that cannot be shown")
    } else {
        return Ok(text.to_owned());
    };
    Err(entry.fault(complaint, "write plain words; what is said here is published as it stands"))
}

/// Signs that turn the direction of text: with them a page shows something else than its bytes say.
fn turns_direction(sign: char) -> bool {
    matches!(sign, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Words to find a release by.
pub(super) fn keywords(root: &Section<'_>) -> Result<Vec<String>, Fault> {
    let Some(entry) = root.get("keywords") else {
        return Ok(Vec::new());
    };
    let words = entry.list("a list of words")?;
    if words.len() > KEYWORDS_MAX {
        return Err(entry.fault("these are too many keywords", format!("write at most {KEYWORDS_MAX}")));
    }
    words.iter().map(|word| line(word, "a keyword")).collect()
}

/// What the codebook says of columns.
pub(super) fn columns(root: &Section<'_>) -> Result<BTreeMap<String, String>, Fault> {
    let Some(entry) = root.get("columns") else {
        return Ok(BTreeMap::new());
    };
    entry.named()?.iter().map(|column| Ok((column.name.clone(), prose(column, "a description")?))).collect()
}

/// The name of a table or of a column of the catalog.
pub(super) fn declared(entry: &Entry<'_>, what: &str) -> Result<String, Fault> {
    let name = entry.text(what)?;
    match name_complaint(name) {
        None => Ok(name.to_owned()),
        Some(complaint) => Err(entry.fault(
            format!("the name `{}` {complaint}", shown(name)),
            "write the name as the catalog declares it",
        )),
    }
}
