//! `pointillist attack float`.

mod page;

use pointillist_attack::floating::{Floating, attack, attack_integers};
use pointillist_mechanisms::additive_noise::Price;
use serde_json::{Value, json};

use super::shown;
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;
use pointillist_render::decimals::significant;

/// Two answers that noise should hide from each other.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack float --truth 0 --other 1 --epsilon 1 --outputs 20000 --json
  pointillist attack float --report float.html")]
pub struct Arguments {
    /// The true answer
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    truth: i64,
    /// The answer without one person
    #[arg(long, value_name = "N", default_value_t = 1, allow_hyphen_values = true)]
    other: i64,
    /// The price; the textbook's scale is the difference over it
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true)]
    epsilon: String,
    /// Outputs to look at
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    outputs: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// What was drawn and what was seen in it.
struct Found {
    truth: i64,
    other: i64,
    price: Price,
    scale: f64,
    textbook: Floating,
    exact: Floating,
}

/// Draws and looks.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    let Arguments { truth, other, outputs, .. } = *arguments;
    let price = shown::price(&arguments.epsilon)?;
    let epsilon = match &price {
        Price::Pure(epsilon) => epsilon.to_f64_upper(),
        Price::Concentrated(rho) => rho.to_f64_upper(),
    };
    let scale = truth.abs_diff(other) as f64 / epsilon;
    let progress = shown::working(format!("looking at {outputs} outputs"));
    let (textbook, exact) = shown::drawn(|bits| {
        let textbook = attack(truth as f64, other as f64, scale, outputs, bits)?;
        Ok((textbook, attack_integers(truth, other, &price, outputs, bits)?))
    })?;
    progress.finish_and_clear();
    let found = Found { truth, other, price, scale, textbook, exact };
    arguments.report.write(|| Ok(page::page(&found)))?;
    if arguments.json {
        print_json(&found);
    } else {
        shown::side_by_side(&found.without(), &found.with());
    }
    Ok(())
}

impl Found {
    fn without(&self) -> String {
        format!(
            "The answer is {} or {}, published with Laplace noise of scale {} as textbooks draw it. {}",
            self.truth,
            self.other,
            significant(self.scale),
            self.textbook.summary()
        )
    }

    fn with(&self) -> String {
        format!("Exact integer noise at {}. {}", self.price, self.exact.summary())
    }
}

fn print_json(found: &Found) {
    let side = |side: &Floating| -> Value {
        json!({
            "outputs": side.outputs,
            "identified": side.identified,
            "undecided": side.undecided,
            "outputs_needed": side.outputs_needed(),
        })
    };
    shown::json([
        ("attack", json!("float")),
        ("truth", json!(found.truth)),
        ("other", json!(found.other)),
        ("epsilon", shown::epsilon_json(&found.price)),
        ("scale", json!(found.scale)),
        ("outputs", json!(found.textbook.outputs)),
        ("identified", json!(found.textbook.identified_fraction())),
        ("identified_exact", json!(found.exact.identified_fraction())),
        ("without", side(&found.textbook)),
        ("with", side(&found.exact)),
    ]);
}
