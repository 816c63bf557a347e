//! The price of something that is bought whole: a model, a sanitized table, an evaluation.

use pointillist_query::Options;

use crate::failure::Failure;
use crate::question::options;

/// The price.
#[derive(clap::Args)]
#[command(next_help_heading = "Price")]
pub struct WholePrice {
    /// The ε of the whole
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// The ρ of the whole
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<String>,
    /// Rows of one person that are used at most
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    max_contributions: Option<String>,
    /// The period that is asked about, where each has a budget of its own, such as 2026-01
    #[arg(long, value_name = "WHEN")]
    period: Option<String>,
}

impl WholePrice {
    /// The options of a question.
    pub fn options(&self) -> Result<Options, Failure> {
        let Self { epsilon, rho, max_contributions, period } = self;
        options(&[
            ("epsilon", epsilon),
            ("rho", rho),
            ("max_contributions", max_contributions),
            ("period", period),
        ])
    }

    /// The options of a question that is asked before it, at a price of its own.
    pub fn options_of_part(&self, epsilon: &str) -> Result<Options, Failure> {
        options(&[("epsilon", &Some(epsilon.to_owned())), ("period", &self.period)])
    }

    /// Whether whoever asks has said what it may cost.
    pub fn is_named(&self) -> bool {
        self.epsilon.is_some() || self.rho.is_some()
    }
}
