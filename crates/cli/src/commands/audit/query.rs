//! `pointillist audit query`: a question in SQL, asked of the real curator in worlds that differ in one person.

use pointillist_audit::query::{PreparedQuestion, QuestionRequest, Rows};
use serde_json::{Value, json};

use super::run::AuditArguments;
use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::question::PriceArguments;

/// Which question, at which price, on which rows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit query \"SELECT region, COUNT(*) FROM visits GROUP BY region\" --epsilon 1
  pointillist audit query \"SELECT SUM(cost) FROM visits WHERE age > 64\" --rho 0.1 --report sum.html
  pointillist audit query \"SELECT COUNT(*) FROM visits\" --epsilon 1 --on-data --person patient

The worlds are people made up from the catalog, with and without one more who is hard to hide:
hundreds of rows, values at the bounds and far outside, empty and unreadable cells, rows in every
group, a group of their own. Each answer comes from a curator with a ledger of its own; your ledger
is neither read nor charged. No file of yours is read, unless --on-data says so: then your rows are
copied into temporary folders `pointillist-…`, which nobody else can enter and which are removed
however the audit ends, also by Ctrl-C or by force. With --person, neighbours differ in
all rows of one person of that column, whatever the catalog calls a unit. Audit at a price that
shows something: at ε = 0.01 no audit sees anything.")]
pub struct Arguments {
    /// The question
    #[arg(value_name = "SQL")]
    sql: String,
    #[command(flatten)]
    home: HomeArguments,
    /// Use a copy of the owner's own rows; what is printed is then for the owner only
    #[arg(long)]
    on_data: bool,
    /// The column that says whose row it is [default: the catalog's privacy unit]
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,
    #[command(flatten)]
    price: PriceArguments,
    #[command(flatten)]
    audit: AuditArguments,
}

/// Audits a question.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.home.open()?;
    let request = QuestionRequest {
        sql: &arguments.sql,
        options: arguments.price.options()?,
        person: arguments.person.as_deref(),
        rows: if arguments.on_data { Rows::Owners(&home.folder) } else { Rows::MadeUp },
    };
    let batch = PreparedQuestion::new(&home.catalog, &request)?.batch()?;
    arguments.audit.audit(batch, arguments.settings())
}

impl Arguments {
    /// What was asked for, for scripts.
    fn settings(&self) -> Value {
        let mut settings = json!({
            "sql": self.sql,
            "catalog": self.home.catalog.display().to_string(),
            "on_data": self.on_data,
            "person": self.person,
        });
        for (name, value) in self.price.given() {
            settings[name] = json!(value);
        }
        settings
    }
}
