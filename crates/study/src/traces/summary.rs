//! What a study found, as one object for scripts. Truths are there only where nobody is in the trace.

use serde_json::{Value, json};

use super::accuracy::{Accuracy, EPSILONS};
use super::study::{Finding, TraceStudy, Way};

/// The object.
pub fn summary(study: &TraceStudy, accuracy: Option<&Accuracy>) -> Value {
    let finding = |finding: &Finding| {
        let (way, words) = match &finding.way {
            Way::Sql(sql) => ("sql", sql),
            Way::Named(words) => ("named mechanism", words),
        };
        json!({
            "question": finding.title, "asked_as": way, "words": words, "answer": finding.answer, "truth": finding.truth,
            "price": finding.price,
        })
    };
    let units: Vec<Value> = study
        .units
        .iter()
        .map(|unit| {
            let curves: Vec<Value> = unit
                .curves
                .iter()
                .map(|curve| {
                    json!({ "column": curve.column, "of": curve.of, "method": curve.estimate.name(), "largest_error": curve.error })
                })
                .collect();
            json!({
                "unit": unit.unit.name(), "catalog": unit.catalog, "spent": unit.spent,
                "findings": unit.findings.iter().map(finding).collect::<Vec<_>>(), "distributions": curves,
            })
        })
        .collect();
    json!({
        "about": study.about, "epsilon": study.epsilon.to_string(), "units": units, "accuracy": accuracy.map(measured),
    })
}

/// Every line that was measured, with its means and medians.
fn measured(accuracy: &Accuracy) -> Value {
    let line = |(line, values): (&super::accuracy::Line, &super::accuracy::Values)| {
        let values: serde_json::Map<String, Value> = values
            .0
            .keys()
            .map(|name| (name.clone(), json!({ "mean": values.mean(name), "median": values.median(name) })))
            .collect();
        json!({ "what": line.what, "unit": line.unit, "how": line.how, "epsilon": EPSILONS[line.price], "values": values })
    };
    json!({ "traces": accuracy.rounds, "lines": accuracy.lines.iter().map(line).collect::<Vec<_>>() })
}
