//! The files of a folder, compared with those that a statement names.
//!
//! **Guarantee.** Names in a statement lead nowhere but into its folder: they are plain names, and whatever is no plain
//! file or folder is refused before anything is opened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{ListedFile, VerifyError};
use crate::STATEMENT;
use crate::signature::{PUBLIC_KEY_FILE, SIGNATURE_FILE};

/// Longer statements, signatures and keys are none of ours.
const READ_MAX: u64 = 64 << 20;
/// Folders in folders; releases have none.
const DEPTH_MAX: usize = 4;
const NAME_BYTES_MAX: usize = 200;

/// Every file of the folder with its length, by its name; parts are separated by `/`.
pub(super) fn list(folder: &Path) -> Result<BTreeMap<String, u64>, VerifyError> {
    let mut found = BTreeMap::new();
    walk(folder, "", 0, &mut found)?;
    Ok(found)
}

fn walk(
    folder: &Path,
    prefix: &str,
    depth: usize,
    found: &mut BTreeMap<String, u64>,
) -> Result<(), VerifyError> {
    let unreadable = |source| VerifyError::Unreadable { path: folder.to_owned(), source };
    let mut is_empty = true;
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        is_empty = false;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        // Of the entry itself: a link is not followed.
        let metadata = fs::symlink_metadata(entry.path()).map_err(unreadable)?;
        if !is_plain_name(&name) {
            return Err(VerifyError::Extra { path: name });
        }
        if metadata.is_file() {
            found.insert(name, metadata.len());
        } else if metadata.is_dir() && depth < DEPTH_MAX {
            walk(&entry.path(), &format!("{name}/"), depth + 1, found)?;
        } else {
            return Err(VerifyError::NoPlainFile { path: name });
        }
    }
    match is_empty && depth > 0 {
        true => Err(VerifyError::Extra { path: prefix.to_owned() }),
        false => Ok(()),
    }
}

/// Letters, digits and `_-.` in every part, which does not begin with a dot: no way up, no way out, nothing hidden.
pub(super) fn is_plain_name(name: &str) -> bool {
    let is_plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"_-.".contains(&letter))
    };
    name.len() <= NAME_BYTES_MAX && name.split('/').all(is_plain)
}

/// The bytes of a file that [`list`] has found.
pub(super) fn read(folder: &Path, name: &str) -> Result<Vec<u8>, VerifyError> {
    let path = folder.join(name);
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(READ_MAX + 1).read_to_end(&mut bytes));
    match read {
        Err(source) => Err(VerifyError::Unreadable { path, source }),
        Ok(_) if bytes.len() as u64 > READ_MAX => Err(VerifyError::Changed { path: name.to_owned() }),
        Ok(_) => Ok(bytes),
    }
}

/// Whether the files are those that are listed, the statement and what signs it.
pub(super) fn compare(
    folder: &Path,
    found: &BTreeMap<String, u64>,
    listed: &[ListedFile],
) -> Result<(), VerifyError> {
    let own = [STATEMENT, SIGNATURE_FILE, PUBLIC_KEY_FILE];
    let known: BTreeSet<&str> = listed.iter().map(|file| file.path.as_str()).chain(own).collect();
    if let Some(path) = found.keys().find(|name| !known.contains(name.as_str())) {
        return Err(VerifyError::Extra { path: path.clone() });
    }
    for file in listed {
        let path = || file.path.clone();
        let length = found.get(&file.path).ok_or_else(|| VerifyError::Missing { path: path() })?;
        // The length first: a file that grew without end is not read to its end.
        if *length != file.bytes || sha256(folder, file)? != file.sha256 {
            return Err(VerifyError::Changed { path: path() });
        }
    }
    Ok(())
}

fn sha256(folder: &Path, file: &ListedFile) -> Result<[u8; 32], VerifyError> {
    let path = folder.join(&file.path);
    let mut hasher = Sha256::new();
    let read = File::open(&path).and_then(|opened| io::copy(&mut opened.take(file.bytes), &mut hasher));
    read.map_err(|source| VerifyError::Unreadable { path, source })?;
    Ok(hasher.finalize().into())
}
