//! What something public is worth by private rows: the part that `learn evaluate` and `synth evaluate` share.

use std::io;

use pointillist_curator::{Ask, Executed, OWNER, Reply};
use pointillist_query::{evaluation_statement, table_rows};

use crate::answer_format::Format;
use crate::commands::{explain, query};
use crate::failure::Failure;
use crate::home::{CLOCK, Home, HomeArguments};
use crate::progress;
use crate::refused_price::refusal;
use crate::terminal::print_json;
use crate::whole_price::WholePrice;

/// Which rows, and who pays what for it.
#[derive(clap::Args)]
pub struct EvaluationArguments {
    /// A table of the catalog that has the columns
    #[arg(long, value_name = "NAME", conflicts_with = "rows")]
    table: Option<String>,
    /// Which rows, as an SQL condition
    #[arg(long = "where", value_name = "SQL", conflicts_with = "rows")]
    condition: Option<String>,
    /// The rows as a SELECT of their own: its items are the columns, by name
    #[arg(long, value_name = "SELECT")]
    rows: Option<String>,
    /// Pay for it, where no price is named
    #[arg(long)]
    yes: bool,
    /// A name for this request: repeating it with the same name never pays twice
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Who asks: an analyst of the catalog, or the owner
    #[arg(long = "as", value_name = "ANALYST", default_value = OWNER)]
    analyst: String,
    #[command(flatten)]
    home: HomeArguments,
    #[command(flatten)]
    price: WholePrice,
}

impl EvaluationArguments {
    /// The home that pays.
    pub fn open(&self) -> Result<Home, Failure> {
        self.home.open()
    }

    /// The rows that were named, by these columns; `None` where no rows were.
    pub fn named_rows(
        &self,
        home: &Home,
        columns: &[String],
        target: Option<&str>,
    ) -> Result<Option<String>, Failure> {
        Ok(match (&self.rows, &self.table) {
            (Some(rows), _) => Some(rows.clone()),
            (None, Some(table)) => {
                Some(table_rows(&home.catalog, table, target, columns, &[], self.condition.as_deref())?)
            }
            (None, None) => None,
        })
    }

    /// Shows the price, pays and prints.
    pub fn evaluate(
        &self,
        home: &Home,
        name: &str,
        rows: &str,
        measure: Option<&str>,
    ) -> Result<Box<Reply>, Failure> {
        let sql = evaluation_statement(name, rows, measure);
        let (options, request_id) = (self.price.options()?, self.request_id.clone());
        let ask = Ask { options, request_id, ..Ask::new(sql, &self.analyst) };
        let quote = home.quote(&ask)?;
        if !self.yes && !self.price.is_named() && !quote.is_free {
            explain::print(&quote, false, self.json)?;
            let hint = "if the price is fine, run it again with --yes, or name one with --epsilon";
            return Err(Failure::Told(2, format!("nothing was evaluated\nhint: {hint}")));
        }
        let waiting = progress::spinner("evaluating …");
        let executed = home.execute(&ask, CLOCK);
        waiting.finish_and_clear();
        let Executed::Answer(reply) = executed.map_err(|error| refusal(home, &ask, error))? else {
            return Err(Failure::environment("the statement was not answered with numbers"));
        };
        match self.json {
            true => print_json(&mut io::stdout().lock(), &*reply)?,
            false => query::print_reply(&reply, Format::Table)?,
        }
        Ok(reply)
    }
}
