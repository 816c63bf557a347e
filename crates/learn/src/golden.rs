//! Minimisers and constants computed elsewhere, with their data.

use serde_json::Value;

use crate::{MarginLoss, MemoryRows};

const CASES: &str = include_str!("golden/erm.json");
const DATA: &str = include_str!("golden/erm_data.json");

/// The cases of a kind.
pub(crate) fn cases(kind: &str) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(CASES).unwrap();
    all.into_iter().filter(|case| case["inputs"]["kind"] == kind).collect()
}

/// The rows of a case, and how many there are.
pub(crate) fn dataset(case: &Value, norm_bound: f64) -> (MemoryRows, f64) {
    let data: Value = serde_json::from_str(DATA).unwrap();
    let data = &data[case["inputs"]["dataset"].as_str().unwrap()];
    let d = data["d"].as_u64().unwrap() as usize;
    let y = numbers(&data["y"]);
    let x: Vec<f64> = data["X"].as_array().unwrap().iter().flat_map(numbers).collect();
    let n = y.len() as f64;
    // A margin for rows of norm one, which would be shortened by a rounding otherwise.
    (MemoryRows::new(x, y, d, norm_bound * (1.0 + 1e-9), 1), n)
}

/// An array of numbers, written as such or as text.
pub(crate) fn numbers(array: &Value) -> Vec<f64> {
    array.as_array().unwrap().iter().map(number).collect()
}

/// A number, written as such or as text.
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

pub(crate) fn loss_of(case: &Value) -> MarginLoss {
    match case["inputs"]["loss"].as_str().unwrap() {
        "logistic" => MarginLoss::Logistic,
        _ => MarginLoss::huber_hinge(case["inputs"]["huber_h"].as_f64().unwrap()).unwrap(),
    }
}
