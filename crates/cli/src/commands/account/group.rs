//! `pointillist account group`: what a guarantee for one person means for several together.

use pointillist_privacy::{Delta, Epsilon, Loss, Rho};
use serde_json::json;

use super::answer::{Answer, exact, long_upper, refuse, short_upper};
use crate::failure::Failure;

/// The guarantee for one, and the size of the group.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account group --epsilon 0.5 --size 4                  a household of four
  pointillist account group --epsilon 0.5 --delta 1e-6 --size 3
  pointillist account group --rho 0.01 --size 10

A size of 2 also turns a guarantee for adding or removing one person into one for replacing a person.")]
pub struct Arguments {
    /// ε for one person
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<Epsilon>,
    /// δ for one person; none means 0
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<Delta>,
    /// ρ for one person, in place of ε
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<Rho>,
    /// How many people the group has
    #[arg(long, value_name = "K")]
    size: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the guarantee for the group.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let size = arguments.size;
    let answer = match (&arguments.epsilon, &arguments.delta, &arguments.rho) {
        (Some(epsilon), delta, None) => {
            let delta = delta.clone().unwrap_or_else(Delta::zero);
            of_epsilon(epsilon, &delta, size)?
        }
        (None, None, Some(rho)) => of_rho(rho, size)?,
        (None, Some(_), Some(_)) => {
            return Err(refuse(
                "--delta goes with --epsilon, not with --rho",
                "leave --delta out, and convert the ρ of the group with `pointillist account convert`",
            ));
        }
        (None, _, None) => {
            return Err(refuse(
                "there is no guarantee to enlarge",
                "give --epsilon, with --delta where there is one, or --rho",
            ));
        }
        (Some(_), _, Some(_)) => {
            return Err(refuse("both --epsilon and --rho are given", "ask for one of them at a time"));
        }
    };
    answer.print(arguments.json)
}

fn of_epsilon(epsilon: &Epsilon, delta: &Delta, size: u64) -> Result<Answer, Failure> {
    let loss = Loss::approximate(epsilon.clone(), delta.clone()).group(size).map_err(Failure::request)?;
    let (group_epsilon, group_delta) =
        loss.approximate_epsilon().expect("groups keep the kind of a guarantee");
    Ok(Answer {
        heading: format!(
            "(ε = {}, δ = {}) for one is, for a group of {size},",
            exact(epsilon.value()),
            exact(delta.value())
        ),
        rows: vec![
            [format!("ε = {}", short_upper(group_epsilon.value())), "k·ε".into()],
            [format!("δ = {}", short_upper(group_delta.value())), "δ·(1 + e^ε + … + e^((k−1)ε))".into()],
        ],
        note: "Rounded up to 6 digits; --json has 17.".into(),
        json: json!({
            "given": { "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) },
            "size": size,
            "epsilon": long_upper(group_epsilon.value()),
            "delta": long_upper(group_delta.value()),
        }),
    })
}

fn of_rho(rho: &Rho, size: u64) -> Result<Answer, Failure> {
    let loss = Loss::zcdp(rho.clone()).group(size).map_err(Failure::request)?;
    let group_rho = loss.rho().expect("groups keep the kind of a guarantee");
    Ok(Answer {
        heading: format!("ρ = {} for one is, for a group of {size},", exact(rho.value())),
        rows: vec![[format!("ρ = {}", short_upper(group_rho.value())), "k²·ρ".into()]],
        note: "Rounded up to 6 digits; --json has 17.".into(),
        json: json!({
            "given": { "rho": exact(rho.value()) },
            "size": size,
            "rho": long_upper(group_rho.value()),
        }),
    })
}
