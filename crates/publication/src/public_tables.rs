//! Releases beside a catalog, as public tables of its home.
//!
//! **Guarantee.** A release becomes tables only if the key of this home has signed it, byte for byte, and its folder holds
//! exactly the files that it names ([`verify`]). Everything else in the folder is left out, and told.
//! **When.** Each time a door opens a home. The ledger is not asked: that is what verifying a release with its home does.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use pointillist_catalog::calendar::{in_calendar, parse_date};
use pointillist_curator::{Home, ReleaseFolder};

use crate::public_models::with_models;
use crate::signature::ReleaseKey;
use crate::verify::{Trusted, verify};
use crate::{PublicKey, STATEMENT};

/// Where releases lie, unless the catalog says otherwise.
pub(crate) const FOLDER: &str = "releases";
const SECONDS_A_DAY: u64 = 86_400;

/// The folder of a home's releases.
pub fn releases_folder(home: &Home) -> std::path::PathBuf {
    home.folder.join(home.catalog.releases.folder.as_deref().unwrap_or(FOLDER))
}

/// The home with everything public that lies beside its catalog: the tables of the releases and the models in its folders; and in
/// words what was left out.
pub fn with_releases(home: Home) -> (Home, Vec<String>) {
    let declared = home.catalog.releases.folder.clone();
    let place = declared.clone().unwrap_or_else(|| FOLDER.to_owned());
    let mut warnings = Vec::new();
    let names = names(&home.folder.join(&place));
    if names.is_none() && declared.is_some() {
        warnings.push(format!("the folder of releases, {place}, cannot be read"));
    }
    let mut found = Vec::new();
    let names = names.unwrap_or_default();
    if !names.is_empty() {
        let key = ReleaseKey::existing(&home).ok().flatten().map(|key| key.public());
        for name in names {
            match release(&home.folder, &format!("{place}/{name}"), key.as_ref()) {
                Ok(release) => found.push(release),
                Err(why) => warnings.push(format!("the release in {place}/{name} is left out: {why}")),
            }
        }
    }
    let (home, more) = home.with_releases(&found, today());
    warnings.extend(more);
    let (home, more) = with_models(home);
    warnings.extend(more);
    (home, warnings)
}

/// The folders that hold a release, in the order of their names; `None` where there is no such folder.
pub(crate) fn names(place: &Path) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(place).ok()? {
        let entry = entry.ok()?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Drafts of releases begin with a dot.
        if !name.starts_with('.') && entry.path().join(STATEMENT).is_file() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Some(names)
}

fn release(home: &Path, folder: &str, key: Option<&PublicKey>) -> Result<ReleaseFolder, String> {
    let key = key.ok_or("this home has no key that could have signed it")?;
    let trusted = Trusted { key: Some(key), ..Trusted::default() };
    let statement = verify(&home.join(folder), trusted).map_err(|error| error.to_string())?.statement;
    let not_before = match &statement.not_before {
        None => None,
        Some(day) => Some(parse_date(day).ok_or("the day before which it is not shown is no day")?),
    };
    let tables = statement.files.iter().filter_map(|file| file.path.strip_suffix(".parquet"));
    let tables = tables.map(str::to_owned).collect();
    let digest = statement.released.1.to_string();
    Ok(ReleaseFolder { folder: folder.to_owned(), name: statement.name, tables, digest, not_before })
}

/// The day that it is, in UTC; without a clock the first of all, so that no embargo ends.
pub(crate) fn today() -> i32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    i64::try_from(now / SECONDS_A_DAY).ok().and_then(in_calendar).unwrap_or_default()
}
