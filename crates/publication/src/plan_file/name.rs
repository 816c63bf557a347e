//! Names of releases and of their tables: safe in SQL, as files on every system, and in messages.

use pointillist_catalog::document::{Entry, Fault, shown};

/// PostgreSQL cuts longer names, and two names that are cut alike are one.
pub(super) const LENGTH_MAX: usize = 63;
const HINT: &str = "write a small letter, then small letters, digits and `_`, such as by_region";
/// Names whose files would be other files of a release.
const TAKEN: [&str; 3] = ["codebook", "release", "report"];
/// Names that are devices on some systems, whatever ending they have.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The name of a release.
pub(super) fn plan(entry: &Entry<'_>) -> Result<String, Fault> {
    let name = entry.text("a name")?;
    match complaint(name) {
        None => Ok(name.to_owned()),
        Some(complaint) => Err(entry.fault(format!("the name `{}` {complaint}", shown(name)), HINT)),
    }
}

/// The name of a table of a release.
pub(super) fn table(entry: &Entry<'_>, plan: &str) -> Result<String, Fault> {
    let name = entry.text("a name")?;
    match complaint(name).or_else(|| table_complaint(name, plan)) {
        None => Ok(name.to_owned()),
        Some(complaint) => Err(entry.fault(format!("the name `{}` {complaint}", shown(name)), HINT)),
    }
}

/// What is wrong with a valid name as that of a table of this release, if anything.
pub(super) fn table_complaint(name: &str, plan: &str) -> Option<&'static str> {
    let is_port = name.len() == 4 && ["com", "lpt"].iter().any(|port| name.starts_with(port));
    if TAKEN.contains(&name) {
        Some("is that of another file of every release")
    } else if DEVICES.contains(&name) || (is_port && name.ends_with(|last: char| last.is_ascii_digit())) {
        Some("is a device and no file on some systems")
    } else if plan.len() + 1 + name.len() > LENGTH_MAX {
        Some("is longer than 63 bytes together with the release's, which stands before it in SQL")
    } else {
        None
    }
}

/// A column's part of the name of a table.
pub(super) fn part(column: &str) -> String {
    let small = column.to_lowercase();
    small
        .chars()
        .map(|sign| if sign.is_ascii_lowercase() || sign.is_ascii_digit() { sign } else { '_' })
        .collect()
}

/// What is wrong with a name of a release, if anything.
pub(crate) fn complaint(name: &str) -> Option<&'static str> {
    let fits = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    match name.chars().next() {
        None => Some("is empty"),
        Some(first) if !first.is_ascii_lowercase() => Some("does not begin with a small letter"),
        Some(_) if !name.chars().all(fits) => Some("has signs other than small letters, digits and `_`"),
        Some(_) if name.len() > LENGTH_MAX => Some("is longer than 63 bytes"),
        Some(_) => None,
    }
}
