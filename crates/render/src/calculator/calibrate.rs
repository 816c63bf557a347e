//! The least noise for a promise.

use pointillist_mechanisms::calibrate::{Calibration, Direction, Figure, Noise, Target};
use serde_json::{Value, json};

use super::{CalculatorAnswer, RowRounding};
use crate::decimals::{exact, long_lower, long_upper, short_lower, short_upper};

/// The noise for people and for programs. `sensitivity` is the text in which it was given.
pub fn calibration(calibration: &Calibration, sensitivity: &str, figures: &[Figure]) -> CalculatorAnswer {
    let Calibration { noise, target, count, .. } = calibration;
    let mut json = json!({ "mechanism": noise.name(), "count": count, "target": target_json(target) });
    if *noise != Noise::RandomizedResponse {
        json["sensitivity"] = json!(sensitivity);
    }
    for figure in figures {
        json[figure.name] = json!(match figure.direction {
            Direction::Up => long_upper(&figure.value),
            Direction::Down => long_lower(&figure.value),
        });
    }
    let uses = if *count == 1 { "one use".to_owned() } else { format!("{count} uses together") };
    CalculatorAnswer {
        heading: format!("{}, {uses} within {}:", noise.name(), target_words(target)),
        rows: figures.iter().map(row).collect(),
        rounding: RowRounding::Noise,
        note: String::new(),
        json,
    }
}

fn row(figure: &Figure) -> [String; 2] {
    let value = match figure.direction {
        Direction::Up => short_upper(&figure.value),
        Direction::Down => short_lower(&figure.value),
    };
    [format!("{} = {value}", figure.symbol), figure.words.to_owned()]
}

/// The promise in a few signs.
fn target_words(target: &Target) -> String {
    match target {
        Target::Pure(epsilon) => format!("ε = {}", exact(epsilon.value())),
        Target::Approximate(epsilon, delta) => {
            format!("(ε = {}, δ = {})", exact(epsilon.value()), exact(delta.value()))
        }
        Target::Concentrated(rho) => format!("ρ = {}", exact(rho.value())),
    }
}

fn target_json(target: &Target) -> Value {
    match target {
        Target::Pure(epsilon) => json!({ "epsilon": exact(epsilon.value()), "delta": "0" }),
        Target::Approximate(epsilon, delta) => {
            json!({ "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) })
        }
        Target::Concentrated(rho) => json!({ "rho": exact(rho.value()) }),
    }
}
