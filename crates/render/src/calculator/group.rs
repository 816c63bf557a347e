//! What a guarantee for one person means for several together.

use pointillist_privacy::calculator::GroupLoss;
use serde_json::json;

use super::{CalculatorAnswer, RowRounding};
use crate::decimals::{exact, long_upper, short_upper};

/// The guarantee of a group for people and for programs.
pub fn group_loss(loss: &GroupLoss) -> CalculatorAnswer {
    match loss {
        GroupLoss::Approximate { epsilon, delta, size, group_epsilon, group_delta } => CalculatorAnswer {
            heading: format!(
                "(ε = {}, δ = {}) for one is, for a group of {size},",
                exact(epsilon.value()),
                exact(delta.value())
            ),
            rows: vec![
                [format!("ε = {}", short_upper(group_epsilon.value())), "k·ε".into()],
                [format!("δ = {}", short_upper(group_delta.value())), "δ·(1 + e^ε + … + e^((k−1)ε))".into()],
            ],
            rounding: RowRounding::Up,
            note: String::new(),
            json: json!({
                "given": { "epsilon": exact(epsilon.value()), "delta": exact(delta.value()) },
                "size": size,
                "epsilon": long_upper(group_epsilon.value()),
                "delta": long_upper(group_delta.value()),
            }),
        },
        GroupLoss::Concentrated { rho, size, group_rho } => CalculatorAnswer {
            heading: format!("ρ = {} for one is, for a group of {size},", exact(rho.value())),
            rows: vec![[format!("ρ = {}", short_upper(group_rho.value())), "k²·ρ".into()]],
            rounding: RowRounding::Up,
            note: String::new(),
            json: json!({
                "given": { "rho": exact(rho.value()) },
                "size": size,
                "rho": long_upper(group_rho.value()),
            }),
        },
    }
}
