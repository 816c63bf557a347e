//! `pointillist account amplify`: what a secret sample or a shuffler adds to a guarantee.

use pointillist_privacy::amplification::{
    SamplingRate, shuffled_epsilon_upper, subsampled_epsilon_lower, subsampled_upper,
};
use pointillist_privacy::{Delta, Epsilon};
use serde_json::json;

use super::answer::{Answer, exact, long_lower, long_upper, refuse, short_lower, short_upper};
use crate::failure::Failure;

/// The guarantee before, and what hides people on top of it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account amplify --epsilon 1 --delta 1e-6 --sampling-rate 0.01
  pointillist account amplify --epsilon 0.1 --delta 1e-6 --sampling-rate 0.01 --inverse
  pointillist account amplify --epsilon 4 --delta 1e-6 --shuffle 100000

Sampling: Poisson sampling with neighbours that add or remove a person, or a sample of fixed size without
replacement with neighbours that replace one; the guarantee before sampling must be for the same neighbours.
Shuffling: every person sends one report of a pure ε; neighbours replace one person's value.
Both hold only while nobody learns who was sampled, or who sent which report.")]
pub struct Arguments {
    /// ε of the mechanism on the sample, or of each report; with --inverse the ε to reach
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Epsilon,
    /// δ of the mechanism on the sample, or the δ at which the shuffled ε is asked for
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<Delta>,
    /// The probability with which each person is in the sample
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    sampling_rate: Option<SamplingRate>,
    /// How many reports are shuffled
    #[arg(long, value_name = "N")]
    shuffle: Option<u64>,
    /// Ask for the loss the mechanism may have on the sample, given the loss to reach
    #[arg(long)]
    inverse: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the amplified guarantee.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (epsilon, delta) = (&arguments.epsilon, &arguments.delta);
    let answer = match (&arguments.sampling_rate, arguments.shuffle) {
        (Some(rate), None) => {
            let delta = delta.clone().unwrap_or_else(Delta::zero);
            if arguments.inverse {
                before_sampling(epsilon, &delta, rate)?
            } else {
                sampled(epsilon, &delta, rate)?
            }
        }
        (None, Some(_)) if arguments.inverse => {
            return Err(refuse(
                "--inverse answers for sampling only",
                "give --sampling-rate, or try values of --epsilon with --shuffle",
            ));
        }
        (None, Some(reports)) => match delta {
            Some(delta) if !delta.is_zero() => shuffled(epsilon, delta, reports)?,
            _ => {
                return Err(refuse(
                    "shuffling gains nothing at δ = 0",
                    "give the δ at which ε is asked for, such as --delta 1e-6",
                ));
            }
        },
        (Some(_), Some(_)) => {
            return Err(refuse(
                "both --sampling-rate and --shuffle are given",
                "ask for one of them at a time; no theorem here covers both at once",
            ));
        }
        (None, None) => {
            return Err(refuse(
                "nothing amplifies the guarantee",
                "give --sampling-rate, such as 0.01, or --shuffle with the number of reports",
            ));
        }
    };
    answer.print(arguments.json)
}

fn sampled(epsilon: &Epsilon, delta: &Delta, rate: &SamplingRate) -> Result<Answer, Failure> {
    let (after, delta_after) = subsampled_upper(epsilon, delta, rate).map_err(Failure::request)?;
    Ok(Answer {
        heading: format!(
            "(ε = {}, δ = {}) on a secret sample with rate {} is",
            exact(epsilon.value()),
            exact(delta.value()),
            exact(rate.value())
        ),
        rows: vec![
            [format!("ε = {}", short_upper(after.value())), "ln(1 + q·(e^ε − 1))".into()],
            [format!("δ = {}", short_upper(delta_after.value())), "q·δ".into()],
        ],
        note: "Rounded up to 6 digits; --json has 17.\n\
               Poisson sampling with add/remove, or a fixed size without replacement with replace-one."
            .into(),
        json: json!({
            "given": { "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) },
            "sampling_rate": exact(rate.value()),
            "epsilon": long_upper(after.value()),
            "delta": long_upper(delta_after.value()),
        }),
    })
}

fn before_sampling(epsilon: &Epsilon, delta: &Delta, rate: &SamplingRate) -> Result<Answer, Failure> {
    let before = subsampled_epsilon_lower(epsilon, rate).map_err(Failure::request)?;
    if delta.value() >= rate.value() {
        return Err(refuse(
            &format!(
                "δ = {} is not below the sampling rate {}, so that publishing the sample is within it",
                exact(delta.value()),
                exact(rate.value())
            ),
            "ask for a δ far below the sampling rate",
        ));
    }
    let delta_before = delta.value() / rate.value();
    Ok(Answer {
        heading: format!(
            "To reach (ε = {}, δ = {}) with rate {}, the mechanism may have",
            exact(epsilon.value()),
            exact(delta.value()),
            exact(rate.value())
        ),
        rows: vec![
            [format!("ε = {}", short_lower(before.value())), "ln(1 + (e^ε − 1)/q)".into()],
            [format!("δ = {}", short_lower(&delta_before)), "δ/q".into()],
        ],
        note: "Rounded down to 6 digits; --json has 17.\n\
               Poisson sampling with add/remove, or a fixed size without replacement with replace-one."
            .into(),
        json: json!({
            "given": { "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) },
            "sampling_rate": exact(rate.value()),
            "inverse": true,
            "epsilon": long_lower(before.value()),
            "delta": long_lower(&delta_before),
        }),
    })
}

fn shuffled(epsilon: &Epsilon, delta: &Delta, reports: u64) -> Result<Answer, Failure> {
    let after = shuffled_epsilon_upper(epsilon, reports, delta).map_err(Failure::request)?;
    Ok(Answer {
        heading: format!(
            "{reports} shuffled reports of ε = {} each are, at δ = {},",
            exact(epsilon.value()),
            exact(delta.value())
        ),
        rows: vec![[format!("ε = {}", short_upper(after.value())), "hiding among the clones".into()]],
        note: "Rounded up to 6 digits; --json has 17. Neighbours replace one person's value.".into(),
        json: json!({
            "given": { "epsilon": exact(epsilon.value()) },
            "reports": reports,
            "epsilon": long_upper(after.value()),
            "delta": long_upper(delta.value()),
        }),
    })
}
