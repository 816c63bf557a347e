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
    /// The folder of a study, which holds nothing else, and no study of another trace. Makes and changes nothing.
    pub fn plan(path: &Path, tables: Vec<Table>, version: String) -> Result<Self, TraceError> {
        let folder = Self { path: path.to_owned(), tables, version };
        let is_new = !path.exists() || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        let found: Vec<String> = [Unit::Host, Unit::Packet]
            .iter()
            .filter_map(|unit| fs::read_to_string(folder.catalog(*unit)).ok())
            .collect();
        if !is_new && !found.iter().any(|text| text.starts_with(MARK)) {
            return Err(TraceError::Occupied { folder: folder.path });
        }
        let of_this_trace = folder.version_line();
        match found.iter().all(|text| text.contains(&of_this_trace)) {
            true => Ok(folder),
            false => Err(TraceError::OtherStudy { folder: folder.path }),
        }
    }

    fn version_line(&self) -> String {
        format!("version = \"{}\"", self.version)
    }

    /// Makes the folder of tables.
    pub fn make(&self) -> Result<(), TraceError> {
        let data = self.path.join("data");
        fs::create_dir_all(&data).map_err(|source| TraceError::Unwritable { path: data.clone(), source })
    }

    /// The file of a table.
    pub fn file(&self, table: Table) -> PathBuf {
        self.path.join("data").join(format!("{}.csv", table.name()))
    }

    /// The catalog of a unit.
    pub fn catalog(&self, unit: Unit) -> PathBuf {
        self.path.join(unit.name()).join(CATALOG)
    }

    /// Refuses a unit whose catalog is there and says something else: its ledger counts by that.
    pub fn check_catalog(&self, unit: Unit, rho: &str, delta: &str) -> Result<(), TraceError> {
        match fs::read_to_string(self.catalog(unit)) {
            Ok(found) if found != self.catalog_text(unit, rho, delta) => {
                Err(TraceError::OtherStudy { folder: self.path.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Writes the catalog of a unit with this budget.
    pub fn write_catalog(&self, unit: Unit, rho: &str, delta: &str) -> Result<(), TraceError> {
        let (path, text) = (self.catalog(unit), self.catalog_text(unit, rho, delta));
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
                "\n[table.{name}]\nscope = \"{scope}\"\nsource = \"../data/{name}.csv\"\n{}\nprivacy_unit = \"{privacy_unit}\"\n\
                 {limits}\n[table.{name}.columns]\n",
                self.version_line()
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
