//! What is published beside a catalog, for whoever may read it: releases and their files.
//!
//! **Guarantee.** On the shelf is what the key of this home has signed. A file is handed out only if its bytes are those that the
//! signed statement names, and no release before its day, whoever changes the folder or waits at the door.

use std::fs;
use std::path::PathBuf;

use pointillist_catalog::calendar::parse_date;
use pointillist_curator::Home;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::public_tables::{FOLDER, names, today};
use crate::signature::{PUBLIC_KEY_FILE, ReleaseKey, SIGNATURE_FILE};
use crate::verify::{Trusted, verify};
use crate::{STATEMENT, Statement};

/// Releases that were verified.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    releases: Vec<(ShelfRelease, PathBuf)>,
}

/// A release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShelfRelease {
    /// Its name.
    pub name: String,
    /// The population whose budget paid.
    pub scope: String,
    /// Its files, the signature among them.
    pub files: Vec<ShelfFile>,
    /// The day before which it is not shown, in days since 1970.
    #[serde(skip)]
    not_before: Option<i32>,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShelfFile {
    /// Its name.
    pub name: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl Shelf {
    /// The releases beside a catalog; what does not verify is left out.
    pub fn of(home: &Home) -> Self {
        let place = home.catalog.releases.folder.clone().unwrap_or_else(|| FOLDER.to_owned());
        let place = home.folder.join(place);
        let names = names(&place).unwrap_or_default();
        let Some(key) = ReleaseKey::existing(home).ok().flatten().map(|key| key.public()) else {
            return Self::default();
        };
        let trusted = Trusted { key: Some(&key), ..Trusted::default() };
        let verified = |name: String| {
            let folder = place.join(name);
            let release = ShelfRelease::of(&verify(&folder, trusted).ok()?.statement, &folder)?;
            Some((release, folder))
        };
        Self { releases: names.into_iter().filter_map(verified).collect() }
    }

    /// The releases whose day has come.
    pub fn releases(&self) -> impl Iterator<Item = &ShelfRelease> {
        self.open().map(|(release, _)| release)
    }

    /// A file of a release, if it is still what was signed.
    pub fn read(&self, release: &str, file: &str) -> Option<Vec<u8>> {
        let (release, folder) = self.open().find(|(found, _)| found.name == release)?;
        let listed = release.files.iter().find(|listed| listed.name == file)?;
        let bytes = fs::read(folder.join(&listed.name)).ok()?;
        (hex(&Sha256::digest(&bytes)) == listed.sha256).then_some(bytes)
    }

    fn open(&self) -> impl Iterator<Item = &(ShelfRelease, PathBuf)> {
        let today = today();
        self.releases.iter().filter(move |(release, _)| release.not_before.is_none_or(|day| day <= today))
    }
}

impl ShelfRelease {
    fn of(statement: &Statement, folder: &std::path::Path) -> Option<Self> {
        let not_before = match &statement.not_before {
            None => None,
            // A day that is none never comes.
            Some(day) => Some(parse_date(day)?),
        };
        let mut files: Vec<ShelfFile> = Vec::new();
        for listed in &statement.files {
            files.push(ShelfFile {
                name: listed.path.clone(),
                bytes: listed.bytes,
                sha256: hex(&listed.sha256),
            });
        }
        // What names and signs the others.
        for name in [STATEMENT, SIGNATURE_FILE, PUBLIC_KEY_FILE] {
            let bytes = fs::read(folder.join(name)).ok()?;
            let sha256 = hex(&Sha256::digest(&bytes));
            files.push(ShelfFile { name: name.to_owned(), bytes: bytes.len() as u64, sha256 });
        }
        Some(Self { name: statement.name.clone(), scope: statement.scope.clone(), files, not_before })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
