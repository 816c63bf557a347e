//! The folder of a study: tables of rows, and for each unit a home of its own with its catalog and its ledger.
//!
//! ```text
//! FOLDER/data/packets.csv, payloads.csv, …      readable to the owner alone
//! FOLDER/host/pointillist.toml, .pointillist/    hosts are hidden
//! FOLDER/packet/pointillist.toml, .pointillist/  packets are hidden, and no host is
//! FOLDER/report.html, results.json
//! ```
//!
//! The two homes do not know of each other: whoever publishes from both hides hosts at the price of both, and packets hide no host. The study does it to
//! show the difference, on traces in which nobody is.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::TraceError;
use super::questions::Table;
use super::trace::{BINS, LINKS};
use super::{Unit, trace};

/// The name of the catalog in a home.
pub const CATALOG: &str = "pointillist.toml";
/// The first line of a catalog that a study wrote.
const MARK: &str = "# Made by `pointillist study traces`.";

/// A folder, and which tables are in it.
#[derive(Clone, Debug)]
pub struct StudyFolder {
    /// Where.
    pub path: PathBuf,
    /// What there is to ask about.
    pub tables: Vec<Table>,
    /// What tells one version of the data from another: words without signs.
    pub version: String,
}

impl StudyFolder {
    /// The folder, made if it is not there. One that holds anything but a study is refused.
    pub fn create(path: &Path, tables: Vec<Table>, version: String) -> Result<Self, TraceError> {
        let is_new = !path.exists() || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        let is_ours = [Unit::Host, Unit::Packet].iter().any(|unit| {
            fs::read_to_string(path.join(unit.name()).join(CATALOG)).is_ok_and(|text| text.starts_with(MARK))
        });
        if !is_new && !is_ours {
            return Err(TraceError::Occupied { folder: path.to_owned() });
        }
        let folder = Self { path: path.to_owned(), tables, version };
        let data = path.join("data");
        fs::create_dir_all(&data).map_err(|source| TraceError::Unwritable { path: data.clone(), source })?;
        Ok(folder)
    }

    /// The file of a table.
    pub fn file(&self, table: Table) -> PathBuf {
        self.path.join("data").join(format!("{}.csv", table.name()))
    }

    /// The catalog of a unit.
    pub fn catalog(&self, unit: Unit) -> PathBuf {
        self.path.join(unit.name()).join(CATALOG)
    }

    /// Writes the catalog of a unit with this budget, unless the same one is there.
    ///
    /// # Errors
    /// When another one is there: its ledger counts by that.
    pub fn write_catalog(&self, unit: Unit, rho: &str, delta: &str) -> Result<(), TraceError> {
        let (path, text) = (self.catalog(unit), self.catalog_text(unit, rho, delta));
        if let Ok(found) = fs::read_to_string(&path) {
            return match found == text {
                true => Ok(()),
                false => Err(TraceError::OtherStudy { folder: self.path.clone() }),
            };
        }
        let home = self.path.join(unit.name());
        let failed = |source| TraceError::Unwritable { path: path.clone(), source };
        fs::create_dir_all(&home).and_then(|()| fs::write(&path, text)).map_err(failed)
    }

    fn catalog_text(&self, unit: Unit, rho: &str, delta: &str) -> String {
        let scope = unit.scope();
        let (hidden, privacy_unit, limits) = match unit {
            Unit::Host => (
                "all that may ever be learnt about one host and what it sent",
                "host",
                "max_groups = 1000\nmax_contributions = 100000\n",
            ),
            Unit::Packet => ("all that may ever be learnt about one packet; hosts are not hidden", "row", ""),
        };
        let mut text =
            format!("{MARK}\n\n[scope.{scope}]\nbudget = {{ rho = {rho}, delta = {delta} }}   # {hidden}\n");
        for table in &self.tables {
            let name = table.name();
            text += &format!(
                "\n[table.{name}]\nscope = \"{scope}\"\nsource = \"../data/{name}.csv\"\nversion = \"{}\"\nprivacy_unit = \"{privacy_unit}\"\n\
                 {limits}\n[table.{name}.columns]\n",
                self.version
            );
            if unit == Unit::Packet {
                text += "host = { type = \"text\" }\n";
            }
            for (column, declared) in columns(*table) {
                text += &format!("{column} = {declared}\n");
            }
        }
        text
    }
}

/// What is declared about a table beside its host.
fn columns(table: Table) -> Vec<(&'static str, String)> {
    let text = || "{ type = \"text\" }".to_owned();
    let whole = |upper: u64| format!("{{ type = \"integer\", lower = 0, upper = {upper} }}");
    let listed = |count: usize| {
        let keys: Vec<String> = (0..count).map(|key| key.to_string()).collect();
        format!(
            "{{ type = \"integer\", lower = 0, upper = {}, public_keys = [{}] }}",
            count - 1,
            keys.join(", ")
        )
    };
    match table {
        Table::Packets => vec![
            ("peer", text()),
            ("port", whole(65_535)),
            ("kind", "{ type = \"text\", public_keys = [\"syn\", \"synack\", \"data\"] }".to_owned()),
            ("time_us", whole(1 << 52)),
            ("size", whole(trace::SIZES as u64 - 1)),
            ("flow", whole(1 << 52)),
            ("seq", whole(u64::from(u32::MAX))),
        ],
        Table::Payloads => vec![("peer", text()), ("payload", text())],
        Table::Keystrokes => vec![("flow", whole(1 << 52)), ("time_us", whole(1 << 52))],
        Table::Crossings => vec![("bin", listed(BINS)), ("home", listed(LINKS)), ("away", listed(LINKS))],
        Table::Paths => vec![("path", text())],
    }
}
