//! Which table of which rows, at which price.

use pointillist_curator::{Ask, OWNER};
use pointillist_query::{synthesis_statement, table_rows};

use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::question::options;

/// A sanitized table that is wanted.
#[derive(clap::Args)]
pub struct TableArguments {
    /// How it is made; `pointillist synth list` shows all methods
    #[arg(long, value_name = "METHOD", default_value = "mst")]
    method: String,
    /// A table of the catalog
    #[arg(long, value_name = "NAME", conflicts_with = "rows", required_unless_present = "rows")]
    table: Option<String>,
    /// Its columns [default: all with public bounds or values]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "rows")]
    columns: Vec<String>,
    /// Which rows, as an SQL condition
    #[arg(long = "where", value_name = "SQL", conflicts_with = "rows")]
    condition: Option<String>,
    /// The rows as a SELECT of their own, for joins and expressions: its items are the columns
    #[arg(long, value_name = "SELECT")]
    rows: Option<String>,
    /// Settings, such as 'bins = 16, binning = quantile'
    #[arg(long, value_name = "SETTINGS")]
    settings: Option<String>,
    /// Who asks: an analyst of the catalog, or the owner
    #[arg(long = "as", value_name = "ANALYST", default_value = OWNER)]
    analyst: String,
    #[command(flatten)]
    pub home: HomeArguments,
    #[command(flatten)]
    price: PriceArguments,
}

/// The price.
#[derive(clap::Args)]
#[command(next_help_heading = "Price")]
struct PriceArguments {
    /// The whole table's ε
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// The whole table's ρ
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<String>,
    /// Rows of one person that are used at most
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    max_contributions: Option<String>,
    /// The period that is asked about, where each has a budget of its own, such as 2026-01
    #[arg(long, value_name = "WHEN")]
    period: Option<String>,
}

impl TableArguments {
    /// The question as the curator takes it.
    pub fn ask(&self, home: &Home, request_id: Option<String>) -> Result<Ask, Failure> {
        let rows = match &self.rows {
            Some(rows) => rows.clone(),
            None => {
                let table = self.table.as_deref().unwrap_or_default();
                table_rows(&home.catalog, table, None, &self.columns, self.condition.as_deref())?
            }
        };
        let sql = synthesis_statement(&self.method, &rows, self.settings.as_deref());
        let PriceArguments { epsilon, rho, max_contributions, period } = &self.price;
        let options = options(&[
            ("epsilon", epsilon),
            ("rho", rho),
            ("max_contributions", max_contributions),
            ("period", period),
        ])?;
        Ok(Ask { options, request_id, ..Ask::new(sql, &self.analyst) })
    }

    /// Whether whoever asks has said what it may cost.
    pub fn names_a_price(&self) -> bool {
        self.price.epsilon.is_some() || self.price.rho.is_some()
    }
}
