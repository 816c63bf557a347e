//! What every asking command takes: the SQL, who asks, and at which price.

use std::io::Read;

use pointillist_curator::{Ask, OWNER};
use pointillist_query::Options;

use crate::failure::Failure;

/// A question.
#[derive(clap::Args)]
pub struct QuestionArguments {
    /// The question; `-` reads it from stdin
    #[arg(value_name = "SQL")]
    sql: String,
    /// Who asks: an analyst of the catalog, or the owner
    #[arg(long = "as", value_name = "ANALYST", default_value = OWNER)]
    pub analyst: String,
    #[command(flatten)]
    price: PriceArguments,
    #[command(flatten)]
    accuracy: AccuracyArguments,
}

/// The price of one statement. What the statement itself says (OPTIONS) has the last word.
#[derive(clap::Args)]
#[command(next_help_heading = "Price")]
pub struct PriceArguments {
    /// The whole statement's ε
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// The whole statement's ρ
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<String>,
    /// The δ for keys that must be earned
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<String>,
    /// Groups that one person may touch
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    max_groups: Option<String>,
    /// Rows that one person may add to one group
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    max_contributions: Option<String>,
    /// auto, laplace or gaussian
    #[arg(long, value_name = "LAW")]
    noise: Option<String>,
    /// The period that is asked about, where each has a budget of its own, such as 2026-01
    #[arg(long, value_name = "WHEN")]
    period: Option<String>,
}

/// How wrong a statement may be, in place of a price.
#[derive(clap::Args)]
#[command(next_help_heading = "Price")]
struct AccuracyArguments {
    /// The error that every count and sum should stay within; the price follows
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    error: Option<String>,
    /// With which probability it should [default: 0.95]
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    confidence: Option<String>,
    /// Also tell how many people have more rows than count, for a twentieth of the price
    #[arg(long, value_name = "TRUTH", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    bias: Option<String>,
}

impl PriceArguments {
    /// The options that are given.
    pub fn options(&self) -> Result<Options, Failure> {
        options(&self.given())
    }

    /// What is given, by name.
    pub fn given(&self) -> [(&'static str, &Option<String>); 7] {
        [
            ("epsilon", &self.epsilon),
            ("rho", &self.rho),
            ("delta", &self.delta),
            ("max_groups", &self.max_groups),
            ("max_contributions", &self.max_contributions),
            ("noise", &self.noise),
            ("period", &self.period),
        ]
    }
}

/// The same words as everywhere: numbers are read by the planner, exactly.
pub fn options(given: &[(&str, &Option<String>)]) -> Result<Options, Failure> {
    let mut options = Options::default();
    for (name, text) in given {
        match text.as_deref() {
            None => {}
            Some(text) if text.trim().is_empty() => {
                let flag = name.replace('_', "-");
                return Err(Failure::wrong(format!("--{flag} is empty"), "give it a value, or leave it out"));
            }
            Some(text) => options.set(name, text)?,
        }
    }
    Ok(options)
}

impl QuestionArguments {
    /// The question as the curator takes it.
    pub fn ask(&self, request_id: Option<String>) -> Result<Ask, Failure> {
        let mut sql = self.sql.clone();
        if sql == "-" {
            sql.clear();
            std::io::stdin().read_to_string(&mut sql).map_err(|error| {
                Failure::wrong(
                    format!("stdin could not be read as text: {error}"),
                    "give the question as an argument",
                )
            })?;
        }
        let accuracy = [
            ("error", &self.accuracy.error),
            ("confidence", &self.accuracy.confidence),
            ("bias", &self.accuracy.bias),
        ];
        let options = options(&[&self.price.given()[..], &accuracy].concat())?;
        Ok(Ask { options, request_id, ..Ask::new(sql, &self.analyst) })
    }
}
