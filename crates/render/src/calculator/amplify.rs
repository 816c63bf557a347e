//! What a secret sample or a shuffler adds to a guarantee.

use pointillist_privacy::calculator::Amplification;
use serde_json::json;

use super::{CalculatorAnswer, RowRounding};
use crate::decimals::{exact, long_lower, long_upper, short_lower, short_upper};

const SAMPLES: &str =
    "Poisson sampling with add/remove, or a fixed size without replacement with replace-one.";

/// The amplified guarantee for people and for programs.
pub fn amplification(amplification: &Amplification) -> CalculatorAnswer {
    match amplification {
        Amplification::Sampled { epsilon, delta, rate, epsilon_after, delta_after } => CalculatorAnswer {
            heading: format!(
                "(ε = {}, δ = {}) on a secret sample with rate {} is",
                exact(epsilon.value()),
                exact(delta.value()),
                exact(rate.value())
            ),
            rows: vec![
                [format!("ε = {}", short_upper(epsilon_after.value())), "ln(1 + q·(e^ε − 1))".into()],
                [format!("δ = {}", short_upper(delta_after.value())), "q·δ".into()],
            ],
            rounding: RowRounding::Up,
            note: SAMPLES.into(),
            json: json!({
                "given": { "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) },
                "sampling_rate": exact(rate.value()),
                "epsilon": long_upper(epsilon_after.value()),
                "delta": long_upper(delta_after.value()),
            }),
        },
        Amplification::BeforeSampling { epsilon, delta, rate, epsilon_before, delta_before } => {
            CalculatorAnswer {
                heading: format!(
                    "To reach (ε = {}, δ = {}) with rate {}, the mechanism may have",
                    exact(epsilon.value()),
                    exact(delta.value()),
                    exact(rate.value())
                ),
                rows: vec![
                    [format!("ε = {}", short_lower(epsilon_before.value())), "ln(1 + (e^ε − 1)/q)".into()],
                    [format!("δ = {}", short_lower(delta_before)), "δ/q".into()],
                ],
                rounding: RowRounding::Down,
                note: SAMPLES.into(),
                json: json!({
                    "given": { "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) },
                    "sampling_rate": exact(rate.value()),
                    "inverse": true,
                    "epsilon": long_lower(epsilon_before.value()),
                    "delta": long_lower(delta_before),
                }),
            }
        }
        Amplification::Shuffled { epsilon, reports, delta, epsilon_after } => CalculatorAnswer {
            heading: format!(
                "{reports} shuffled reports of ε = {} each are, at δ = {},",
                exact(epsilon.value()),
                exact(delta.value())
            ),
            rows: vec![[
                format!("ε = {}", short_upper(epsilon_after.value())),
                "hiding among the clones".into(),
            ]],
            rounding: RowRounding::Up,
            note: "Neighbours replace one person's value.".into(),
            json: json!({
                "given": { "epsilon": exact(epsilon.value()) },
                "reports": reports,
                "epsilon": long_upper(epsilon_after.value()),
                "delta": long_upper(delta.value()),
            }),
        },
    }
}
