//! The file that holds everybody who may come in, readable by its owner alone.
//!
//! ```toml
//! version = 1
//! secret = "base64 of 32 bytes"     # makes what people whom nobody knows are asked
//!
//! [people.ana]
//! role = "analyst"                  # owner, curator, analyst or auditor
//! verifier = "SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey>"   # absent: tokens alone
//!
//! [tokens.k3x9vq2m7p]               # the id between the two `_` of a token
//! person = "ana"
//! sha256 = "base64 of the secret's SHA-256"
//! created = 1794837600              # seconds since 1970
//! expires = 1797429600              # absent: no end
//! verbs = ["ask", "explain"]        # absent: all that the person may do
//! revoked = true                    # absent: false
//! ```
//!
//! **Guarantee.** A file that others can read or write, a link, and anything that is not understood are refused as a whole. A
//! change is written beside the file with mode 0600, made durable and put in its place: a crash leaves the old file or the new
//! one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use toml_edit::{Array, DocumentMut, Item, Table, Value, value};

use crate::access::{Entry, Token};
use crate::verifier::Key;
use crate::{Access, AccessError, Role, Verb, Verifier, name, token};

/// A longer file is none of ours.
const LENGTH_MAX: u64 = 16 << 20;

const HEADER: &str = "# Who may come in. Written by Pointillist; holds no password, but lets whoever reads it guess at them.\n";

impl Access {
    /// Reads the file.
    ///
    /// # Errors
    /// When it is a link, can be read by others, or is not understood.
    pub fn load(path: &Path) -> Result<Self, AccessError> {
        let text = read(path)?;
        from_text(&text).map_err(|complaint| AccessError::Format { path: path.to_owned(), complaint })
    }

    /// Writes the file in place of the one that is there.
    ///
    /// # Errors
    /// When what is there is a link or can be read by others, or the disk refuses.
    pub fn save(&self, path: &Path) -> Result<(), AccessError> {
        match fs::symlink_metadata(path) {
            Ok(metadata) => check_file(path, &metadata)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(AccessError::Io { path: path.to_owned(), source }),
        }
        replace(path, to_text(self).as_bytes())
            .map_err(|source| AccessError::Io { path: path.to_owned(), source })
    }

    /// Reads the file, or starts one where there is none, changes it and writes it. Changes by several processes follow each
    /// other.
    ///
    /// # Errors
    /// As [`load`](Self::load), [`save`](Self::save) and the change itself; then nothing is changed.
    pub fn edit<T>(
        path: &Path,
        change: impl FnOnce(&mut Self) -> Result<T, AccessError>,
    ) -> Result<T, AccessError> {
        Self::edit_with(path, change)
    }

    /// The same with a change that can fail in ways of its own: what else is written with it, such as a catalog, is written by one
    /// process at a time.
    ///
    /// # Errors
    /// As [`edit`](Self::edit).
    pub fn edit_with<T, E: From<AccessError>>(
        path: &Path,
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let beside_it = beside(path, ".lock");
        let failed = |source| AccessError::Io { path: beside_it.clone(), source };
        let lock = private().create(true).truncate(false).open(&beside_it).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut access = match Self::load(path) {
            Err(AccessError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Self::new()?,
            loaded => loaded?,
        };
        let outcome = change(&mut access)?;
        access.save(path)?;
        Ok(outcome)
    }
}

fn read(path: &Path) -> Result<String, AccessError> {
    let failed = |source| AccessError::Io { path: path.to_owned(), source };
    let metadata = fs::symlink_metadata(path).map_err(failed)?;
    check_file(path, &metadata)?;
    let file = File::open(path).map_err(failed)?;
    let opened = file.metadata().map_err(failed)?;
    check_file(path, &opened)?;
    if !same_file(&metadata, &opened) {
        return Err(AccessError::NotAFile { path: path.to_owned() });
    }
    let mut text = String::new();
    file.take(LENGTH_MAX).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

fn check_file(path: &Path, metadata: &fs::Metadata) -> Result<(), AccessError> {
    if !metadata.is_file() {
        return Err(AccessError::NotAFile { path: path.to_owned() });
    }
    if open_to_others(metadata) {
        return Err(AccessError::Readable { path: path.to_owned() });
    }
    Ok(())
}

#[cfg(unix)]
fn open_to_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn open_to_others(_: &fs::Metadata) -> bool {
    false
}

/// Whether what was looked at is what was opened, so that nobody put a link in between.
#[cfg(unix)]
fn same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_file(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

/// Options to write a file that its owner alone can read. Through a link nothing is opened and nothing made.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let no_link = rustix::fs::OFlags::NOFOLLOW.bits();
        options.mode(0o600).custom_flags(no_link.cast_signed());
    }
    options
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut noise = [0; 8];
    getrandom::fill(&mut noise).map_err(io::Error::other)?;
    let new = beside(path, &format!(".{:016x}.new", u64::from_le_bytes(noise)));
    let written = (|| {
        let mut file = private().create_new(true).open(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

fn to_text(access: &Access) -> String {
    let mut document = DocumentMut::new();
    document.insert("version", value(1));
    document.insert("secret", value(STANDARD.encode(access.secret)));
    let mut people = Table::new();
    people.set_implicit(true);
    for (name, entry) in &access.people {
        let mut table = Table::new();
        table.insert("role", value(entry.role.word()));
        if let Some(verifier) = &entry.verifier {
            table.insert("verifier", value(verifier.text()));
        }
        people.insert(name, Item::Table(table));
    }
    document.insert("people", Item::Table(people));
    let mut tokens = Table::new();
    tokens.set_implicit(true);
    for (id, token) in &access.tokens {
        tokens.insert(id, Item::Table(token_table(token)));
    }
    document.insert("tokens", Item::Table(tokens));
    format!("{HEADER}{document}")
}

fn token_table(token: &Token) -> Table {
    let seconds = |time| value(i64::try_from(token::seconds(time)).unwrap_or(i64::MAX));
    let mut table = Table::new();
    table.insert("person", value(&token.person));
    table.insert("sha256", value(STANDARD.encode(token.hash)));
    table.insert("created", seconds(token.created));
    if let Some(expires) = token.expires {
        table.insert("expires", seconds(expires));
    }
    if let Some(verbs) = &token.verbs {
        table.insert("verbs", value(Array::from_iter(verbs.iter().map(|verb| verb.word()))));
    }
    if token.revoked {
        table.insert("revoked", value(true));
    }
    table
}

/// Reads the text. Complaints name places, never values.
fn from_text(text: &str) -> Result<Access, String> {
    let document: DocumentMut = text.parse().map_err(|_| "it is not TOML".to_owned())?;
    let root = document.as_table();
    known_keys(root, "the file", &["version", "secret", "people", "tokens"])?;
    if root.get("version").and_then(Item::as_integer) != Some(1) {
        return Err("`version` is not 1".to_owned());
    }
    let secret = root.get("secret").and_then(Item::as_str).and_then(key).ok_or("`secret` is not 32 bytes")?;
    let mut access = Access { secret, people: Default::default(), tokens: Default::default() };
    for (name, table) in children(root, "people")? {
        let entry = person(table).map_err(|what| format!("`{what}` of `{}`", name::shown(name)))?;
        name::check(name, entry.role).map_err(|error| error.to_string())?;
        if access.people.keys().any(|other| name::folded(other) == name::folded(name)) {
            return Err(format!("two people are called `{}`", name::shown(name)));
        }
        access.people.insert(name.to_owned(), entry);
    }
    for (id, table) in children(root, "tokens")? {
        let token = token_of(table).map_err(|what| format!("`{what}` of token `{}`", name::shown(id)))?;
        if !token::is_id(id) || !access.people.contains_key(&token.person) {
            return Err(format!("the token `{}` is nobody's", name::shown(id)));
        }
        access.tokens.insert(id.to_owned(), token);
    }
    Ok(access)
}

fn person(table: &Table) -> Result<Entry, &'static str> {
    known_keys(table, "", &["role", "verifier"]).map_err(|_| "an unknown key")?;
    let role = table.get("role").and_then(Item::as_str).and_then(Role::from_word).ok_or("role")?;
    let verifier = match table.get("verifier") {
        None => None,
        Some(item) => Some(item.as_str().and_then(Verifier::from_text).ok_or("verifier")?),
    };
    Ok(Entry { role, verifier })
}

fn token_of(table: &Table) -> Result<Token, &'static str> {
    let keys = ["person", "sha256", "created", "expires", "verbs", "revoked"];
    known_keys(table, "", &keys).map_err(|_| "an unknown key")?;
    let time = |item: &Item| token::time(u64::try_from(item.as_integer()?).ok()?);
    let verb = |value: &Value| value.as_str().and_then(Verb::from_word);
    Ok(Token {
        person: table.get("person").and_then(Item::as_str).ok_or("person")?.to_owned(),
        hash: table.get("sha256").and_then(Item::as_str).and_then(key).ok_or("sha256")?,
        created: table.get("created").and_then(time).ok_or("created")?,
        expires: table.get("expires").map(|item| time(item).ok_or("expires")).transpose()?,
        verbs: match table.get("verbs") {
            None => None,
            Some(item) => {
                Some(item.as_array().and_then(|verbs| verbs.iter().map(verb).collect()).ok_or("verbs")?)
            }
        },
        revoked: table.get("revoked").map_or(Some(false), Item::as_bool).ok_or("revoked")?,
    })
}

fn children<'a>(root: &'a Table, key: &str) -> Result<Vec<(&'a str, &'a Table)>, String> {
    let Some(item) = root.get(key) else { return Ok(Vec::new()) };
    let table = item.as_table().ok_or(format!("`{key}` is not a table"))?;
    table
        .iter()
        .map(|(name, item)| item.as_table().map(|item| (name, item)))
        .collect::<Option<_>>()
        .ok_or(format!("`{key}` has something other than tables"))
}

fn known_keys(table: &Table, place: &str, known: &[&str]) -> Result<(), String> {
    match table.iter().find(|(name, _)| !known.contains(name)) {
        Some((name, _)) => Err(format!("{place} has an unknown key `{}`", name::shown(name))),
        None => Ok(()),
    }
}

fn key(text: &str) -> Option<Key> {
    Key::try_from(STANDARD.decode(text).ok()?).ok()
}

#[cfg(test)]
#[path = "access_file/tests.rs"]
mod tests;
