//! The folder of a study: a catalog with its budget, its ledger, and what was released.

use std::path::Path;
use std::{fs, io};

use pointillist_curator::{Clock, Curator, Home};
use pointillist_privacy::{Delta, Price};
use pointillist_render::decimals::short_upper;

use super::{RecommendationError, StudyOutcome};

/// The name of the catalog in the folder.
pub const CATALOG: &str = "pointillist.toml";
/// The first line of a catalog that we wrote.
const MARK: &str =
    "# Made by `pointillist study recommendations`: what may ever be learnt from these ratings.";

/// Opens the ledger of a study. A new folder gets a catalog that grants each scope this price, rounded up; one that has a catalog of a study keeps it, and its
/// owner may have granted more there since.
///
/// # Errors
/// When something else is there, nothing can be written, or the ledger does not open.
pub(super) fn open(
    folder: &Path,
    scopes: &[&'static str],
    price: Price,
    delta: &Delta,
) -> Result<Curator, RecommendationError> {
    let failed = |source: io::Error| RecommendationError::Unwritable { folder: folder.to_owned(), source };
    let catalog = folder.join(CATALOG);
    if !catalog.exists() {
        let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
        if !is_empty {
            return Err(RecommendationError::Occupied { folder: folder.to_owned() });
        }
        fs::create_dir_all(folder).map_err(failed)?;
        fs::write(&catalog, catalog_text(scopes, price, delta)).map_err(failed)?;
    } else if !fs::read_to_string(&catalog).is_ok_and(|text| text.starts_with(MARK)) {
        return Err(RecommendationError::Occupied { folder: folder.to_owned() });
    }
    Ok(Home::open(&catalog)?.curator(Clock::Immediate)?)
}

fn catalog_text(scopes: &[&'static str], price: Price, delta: &Delta) -> String {
    let mut text = format!("{MARK}\n");
    let rho = short_upper(&price.amount().loss());
    for scope in scopes {
        let unit = match *scope {
            "people" => "one person: all of their ratings",
            _ => "what one person said of one item",
        };
        text += &format!("\n[scope.{scope}]   # {unit}\nbudget = {{ rho = {rho}, delta = {delta} }}\n");
    }
    text
}

/// Writes what was released, one file each: whole numbers with noise, which anybody may have.
pub(super) fn write_releases(folder: &Path, outcome: &StudyOutcome) -> Result<(), RecommendationError> {
    let failed = |source: io::Error| RecommendationError::Unwritable { folder: folder.to_owned(), source };
    for release in &outcome.releases {
        let name = format!("released-{}-{}.json", release.unit.word(), release.epsilon);
        let bytes = serde_json::to_vec(&release.released).map_err(|error| failed(io::Error::other(error)))?;
        fs::write(folder.join(name.replace('/', "_")), bytes).map_err(failed)?;
    }
    Ok(())
}
