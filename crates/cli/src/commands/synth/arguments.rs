//! Which table of which rows, at which price.

use pointillist_curator::{Ask, OWNER};
use pointillist_query::{EarnedValues, synthesis_statement, table_rows};

use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::whole_price::WholePrice;

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
    price: WholePrice,
}

impl TableArguments {
    /// The question as the curator takes it.
    pub fn ask(
        &self,
        home: &Home,
        earned: &[EarnedValues],
        request_id: Option<String>,
    ) -> Result<Ask, Failure> {
        let rows = match &self.rows {
            Some(rows) => rows.clone(),
            None => {
                let table = self.table.as_deref().unwrap_or_default();
                table_rows(&home.catalog, table, None, &self.columns, earned, self.condition.as_deref())?
            }
        };
        let sql = synthesis_statement(&self.method, &rows, self.settings.as_deref());
        let options = self.price.options()?;
        Ok(Ask { options, request_id, ..Ask::new(sql, &self.analyst) })
    }

    /// The question for the values of a column that enough people have, at a price of its own.
    pub fn ask_for_values(&self, home: &Home, column: &str, epsilon: &str) -> Result<Ask, Failure> {
        let table = self.table.as_deref().unwrap_or_default();
        let sql = EarnedValues::question(&home.catalog, table, column, self.condition.as_deref());
        let options = self.price.options_of_part(epsilon)?;
        Ok(Ask { options, ..Ask::new(sql, &self.analyst) })
    }

    /// Whether whoever asks has said what it may cost.
    pub fn names_a_price(&self) -> bool {
        self.price.is_named()
    }
}
