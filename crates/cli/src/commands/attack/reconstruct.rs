//! `pointillist attack reconstruct`.

use pointillist_attack::reconstruction::{Answers, Method, Norm, SecretOracle, attack};
use pointillist_noise::BitSource;
use serde_json::json;

use super::shown;
use super::through_curator::{self, Siege};
use crate::failure::Failure;
use crate::report::ReportArguments;

/// The linear programme is for few people.
const PROGRAMME_MOST: usize = 300;

/// A made-up secret column and how it is asked about.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack reconstruct
  pointillist attack reconstruct --people 4096 --error 16 --epsilon 1 --json")]
pub struct Arguments {
    /// How many people have a secret bit
    #[arg(long, value_name = "N", default_value_t = 1024)]
    people: usize,
    /// Questions a person
    #[arg(long, value_name = "N", default_value_t = 4)]
    questions: usize,
    /// The largest error of the answers that others publish [default: a quarter of the root of the people]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    error: Option<f64>,
    /// The price of all our answers together
    #[arg(long, value_name = "E", default_value = "1")]
    epsilon: String,
    /// Attack Pointillist itself: real SQL, a real ledger, until its budget is spent
    #[arg(long)]
    curator: bool,
    /// With --curator: the budget for all answers together
    #[arg(long, value_name = "E", default_value = "1", requires = "curator")]
    budget: String,
    /// With --curator: the budget's δ; the scope then counts ρ
    #[arg(long, value_name = "D", requires = "curator")]
    delta: Option<String>,
    #[command(flatten)]
    report: ReportArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Asks, decodes, compares.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let people = arguments.people;
    let questions = people.saturating_mul(arguments.questions);
    let error = arguments.error.unwrap_or(0.25 * (people as f64).sqrt());
    let method =
        if people <= PROGRAMME_MOST { Method::LinearProgram(Norm::Sum) } else { Method::LeastSquares };
    if arguments.curator {
        let secret: Vec<bool> =
            shown::drawn(|bits| Ok((0..people.min(1 << 20)).map(|_| bits.coin()).collect()))?;
        let siege = Siege {
            secret: &secret,
            prior: 0.5,
            budget: &arguments.budget,
            delta: arguments.delta.as_deref(),
            epsilon: &arguments.epsilon,
            questions: arguments.questions,
            error,
        };
        return through_curator::run(&siege, arguments.json, &arguments.report);
    }
    let price = shown::price(&arguments.epsilon)?;
    let mut found = Vec::new();
    for answers in [Answers::ErrorUpTo(error), Answers::Private(price)] {
        found.push(shown::drawn(|bits| {
            let secret: Vec<bool> = (0..people.min(1 << 20)).map(|_| bits.coin()).collect();
            let mut oracle = SecretOracle::new(&secret, &answers, questions, bits)?;
            let result = attack(people, questions, method, &mut oracle, bits)?;
            let recovery = result.recovery(&secret)?;
            Ok((result.summary(Some(&recovery)), recovery.fraction()))
        })?);
    }
    if arguments.json {
        shown::json([
            ("attack", json!("reconstruct")),
            ("people", json!(people)),
            ("questions", json!(questions)),
            ("error", json!(error)),
            ("recovered", json!(found[0].1)),
            ("recovered_private", json!(found[1].1)),
        ]);
        return Ok(());
    }
    shown::side_by_side(&found[0].0, &found[1].0);
    Ok(())
}
