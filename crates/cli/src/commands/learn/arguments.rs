//! Which model of which rows, at which price.

use pointillist_curator::{Ask, OWNER};
use pointillist_query::{table_rows, training_statement};

use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::whole_price::WholePrice;

/// A model that is wanted.
#[derive(clap::Args)]
pub struct ModelArguments {
    /// The kind of model; `pointillist learn list` shows all
    #[arg(long, value_name = "KIND")]
    model: String,
    /// A table of the catalog
    #[arg(long, value_name = "NAME", conflicts_with = "rows", required_unless_present = "rows")]
    table: Option<String>,
    /// The column that the model learns to say; clusters and moments have none
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
    /// The columns that it learns from [default: all others with public bounds or values]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "rows")]
    features: Vec<String>,
    /// Which rows, as an SQL condition
    #[arg(long = "where", value_name = "SQL", conflicts_with = "rows")]
    condition: Option<String>,
    /// The rows as a SELECT of their own, for joins and expressions: its items are the features and the target
    #[arg(long, value_name = "SELECT")]
    rows: Option<String>,
    /// Settings of the model, such as 'lambda = 10, method = output'
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

impl ModelArguments {
    /// The question as the curator takes it.
    pub fn ask(&self, home: &Home, request_id: Option<String>) -> Result<Ask, Failure> {
        let target = self.target.as_deref();
        let rows = match &self.rows {
            Some(rows) => rows.clone(),
            None => {
                let table = self.table.as_deref().unwrap_or_default();
                table_rows(&home.catalog, table, target, &self.features, &[], self.condition.as_deref())?
            }
        };
        let sql = training_statement(&self.model, &rows, target, self.settings.as_deref());
        let options = self.price.options()?;
        Ok(Ask { options, request_id, ..Ask::new(sql, &self.analyst) })
    }

    /// Whether whoever asks has said what it may cost.
    pub fn names_a_price(&self) -> bool {
        self.price.is_named()
    }
}
