//! Where the ledger's anchor lies, and what that protects from.
//!
//! The anchor remembers what was spent when an older copy of the ledger is put in its place. Beside the ledger it is
//! restored with it and remembers nothing. So `init` proposes a place outside of the folder, and `check` says what a
//! place does not protect from.

use std::env;
use std::path::{self, Path, PathBuf};

use pointillist_catalog::{Finding, Severity, quoted};
use pointillist_errors::Explained as _;
use pointillist_ledger::{Digest, PostgresPlace};

use crate::Home;

/// Letters of a folder's name that an anchor's name shows.
const SHOWN: usize = 24;

/// The section of a new catalog that puts the anchor outside of its folder: where this system keeps a user's state.
/// Without a home, a reminder.
pub fn ledger_section(catalog: &Path) -> String {
    let advice = "\n# What was spent is remembered in the anchor too. Keep it where it is not restored together with this folder,\n\
                  # best on another disk: otherwise a restored backup resets the budget.\n";
    match proposed(catalog) {
        Some(anchor) => {
            let anchor = quoted(&anchor.to_string_lossy());
            format!("{advice}[ledger]\nanchor = {anchor}\n")
        }
        None => format!("{advice}# [ledger]\n# anchor = \"/mnt/other-disk/pointillist.anchor\"\n"),
    }
}

/// A file in the user's state folder, named after the catalog's folder and, by a hash, its whole path.
fn proposed(catalog: &Path) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    let catalog = path::absolute(catalog).ok()?;
    let folder = catalog.parent()?;
    let plain = |letter: &char| letter.is_ascii_alphanumeric() || ['-', '_'].contains(letter);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().filter(plain).take(SHOWN).collect();
    let hash = Digest::of("pointillist anchor place", &[catalog.to_string_lossy().as_bytes()]).to_string();
    Some(state.join("pointillist").join(format!("{name}-{}.anchor", &hash[..8])))
}

impl Home {
    /// Whether the anchor is restored whenever the catalog's or the ledger's folder is: then it proves nothing.
    pub fn anchor_is_beside_the_ledger(&self) -> bool {
        let place = self.place();
        if place.is_shared() || place.anchor_database().is_some() {
            // One server holds both: what restores the one restores the other.
            let server = |database: Option<&PostgresPlace>| database.map(PostgresPlace::server);
            let records = server(place.records_database());
            return records.is_some() && records == server(place.anchor_database());
        }
        let [ledger, anchor] = [place.directory(), place.anchor()].map(resolved);
        anchor.starts_with(resolved(&self.folder)) || anchor.starts_with(ledger)
    }
}

/// What to look at again about the ledger's files.
pub(crate) fn findings(home: &Home) -> Vec<Finding> {
    let place = home.place();
    let [ledger, anchor] = [place.directory(), place.anchor()];
    let mut list = Vec::new();
    let mut add = |severity, place: &str, words: String, advice: &str| {
        list.push(Finding { severity, place: place.to_owned(), words, advice: advice.to_owned() });
    };
    if place.is_shared() || place.anchor_database().is_some() {
        if home.anchor_is_beside_the_ledger() {
            let words = "the anchor is on the same PostgreSQL server as the ledger: whoever restores the server from a backup \
                         resets the budget, and nothing notices";
            let advice = "keep it on another server: [ledger] anchor = \"postgres:OTHER\"";
            add(Severity::Risk, "ledger.anchor", words.to_owned(), advice);
        }
        if let Err(error) = place.check_own_records() {
            add(Severity::Error, "ledger.store", error.to_string(), &error.hint().unwrap_or_default());
        }
        return list;
    }
    let elsewhere = "keep it on another disk: [ledger] anchor = \"/mnt/other-disk/NAME.anchor\"; an anchor that exists is \
                     moved there first";
    if home.anchor_is_beside_the_ledger() {
        let words = "the anchor lies beside the ledger: whoever restores the folder from a backup resets the budget, and \
                     nothing notices";
        add(Severity::Risk, "ledger.anchor", words.to_owned(), elsewhere);
    } else if device(anchor).is_some() && device(anchor) == device(ledger) {
        let words = "the anchor is on the same disk as the ledger: whoever restores an image of the disk resets the budget";
        add(Severity::Note, "ledger.anchor", words.to_owned(), elsewhere);
    }
    for file in place.files_open_to_others() {
        let words = format!("others on this machine may read {}", file.display());
        let advice = "take their rights away: chmod go= FILE; opening the ledger does it where it may";
        add(Severity::Risk, "ledger", words, advice);
    }
    list
}

/// The path without links and dots, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let whole = path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for ancestor in whole.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), whole.strip_prefix(ancestor)) {
            return real.join(rest);
        }
    }
    whole
}

/// The disk of the nearest folder that exists.
#[cfg(unix)]
fn device(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let whole = path::absolute(path).ok()?;
    whole.ancestors().find_map(|ancestor| ancestor.metadata().ok()).map(|metadata| metadata.dev())
}

#[cfg(not(unix))]
fn device(_: &Path) -> Option<u64> {
    None
}
