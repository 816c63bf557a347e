use pointillist_mechanisms::calibrate::{Calibration, Noise, Target};
use pointillist_privacy::account::{Release, Statement};
use pointillist_privacy::calculator::{AmplificationForm, ConversionForm, FilterForm, GroupForm, LossForm};
use pointillist_privacy::{Delta, Epsilon, Rho};
use serde_json::json;

use super::*;

fn epsilon(text: &str) -> Option<Epsilon> {
    Some(Epsilon::parse(text).unwrap())
}

fn delta(text: &str) -> Option<Delta> {
    Some(Delta::parse(text).unwrap())
}

fn said(answer: &CalculatorAnswer) -> String {
    answer.lines("programs get 17").join("\n")
}

#[test]
fn rows_are_aligned_below_their_heading() {
    let form =
        ConversionForm { rho: Some(Rho::parse("0.1").unwrap()), delta: delta("1e-6"), ..Default::default() };
    let answer = conversion(&form.convert().unwrap());
    assert_eq!(
        said(&answer),
        "ρ = 0.1 implies, at δ = 1e-6,\n  \
         ε = 2.14194   tight, by the Rényi divergence of order 11.6581\n  \
         ε = 2.45079   ρ + 2√(ρ·ln(1/δ)), the classical one\n\
         Rounded up to 6 digits; programs get 17."
    );
    assert_eq!(answer.json["given"], json!({ "rho": "0.1", "delta": "1e-6" }));
}

/// Specification: what may be spent is rounded down and what is lost up, for people and for programs.
#[test]
fn numbers_are_rounded_to_the_side_that_keeps_the_promise() {
    let form = ConversionForm { epsilon: epsilon("1"), delta: delta("1e-6"), ..Default::default() };
    let answer = conversion(&form.convert().unwrap());
    assert!(said(&answer).contains("ρ = 0.0243559 "), "{}", said(&answer));
    let form = AmplificationForm {
        epsilon: epsilon("0.1").unwrap(),
        delta: delta("1e-6"),
        sampling_rate: Some("0.01".parse().unwrap()),
        shuffled_reports: None,
        inverse: true,
    };
    let answer = amplification(&form.amplify().unwrap());
    assert_eq!((answer.rounding, &answer.json["inverse"]), (RowRounding::Down, &json!(true)));
    assert_eq!(answer.json["delta"], "1e-4");
    let form = GroupForm { epsilon: epsilon("0.5"), delta: delta("1e-6"), rho: None, size: 3 };
    assert!(said(&group_loss(&form.enlarge().unwrap())).contains("δ = 5.36701e-6"));
}

#[test]
fn calibrated_noise_is_shown_with_its_promise() {
    let target = Target::Pure(epsilon("0.3").unwrap());
    let asked = Calibration { noise: Noise::Laplace, target, count: 1, sensitivity: None };
    let answer = calibration(&asked, "1", &asked.figures().unwrap());
    assert!(said(&answer).starts_with("laplace, one use within ε = 0.3:\n  b = 3.33334   k·Δ/ε\n"));
    assert_eq!(answer.json["scale"], "3.3333333333333334", "rounded up");
    assert_eq!(answer.json["sensitivity"], "1");
}

#[test]
fn questions_asked_already_are_taken_off() {
    let loss = |each: &str, d: &str| LossForm { epsilon: epsilon(each), delta: delta(d), rho: None };
    let form = FilterForm { budget: loss("1", "1e-6"), question: loss("0.1", "0"), asked: 5 };
    let answer = filter_comparison(&form, &form.compare().unwrap());
    let text = said(&answer);
    assert!(text.starts_with(
        "Questions of (ε = 0.1, δ = 0) within a budget of (ε = 1, δ = 1e-6), 5 asked already:\n"
    ));
    assert!(text.contains(" 5 more   basic") && text.contains("no more   advanced"), "{text}");
    assert!(
        text.contains("← most") && text.contains("A tight accountant") && !text.contains("digits"),
        "{text}"
    );
    assert_eq!(answer.json["filters"][0], json!({ "filter": "basic", "admits": 10, "how_many_more": 5 }));
    assert_eq!(answer.json["best"], "basic");
}

#[test]
fn accounts_are_listed_with_their_reasons() {
    let mut statement = Statement::new();
    statement.add(Release::Pure { epsilon: epsilon("0.1").unwrap() }, 3);
    let accounts = statement.accounts(&Delta::zero()).unwrap();
    let lines = composition_lines(&accounts, "0");
    assert_eq!(lines[0], "ε at δ = 0, rounded up");
    assert!(lines.iter().any(|line| line.starts_with("→ ") && line.contains("0.3")), "{lines:?}");
    let object = composition_json(&accounts, "0");
    assert!(object["not_applicable"]["gaussian"].is_string() && object["best"].is_string(), "{object}");
}
