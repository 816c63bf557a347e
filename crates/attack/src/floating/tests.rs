use pointillist_errors::Explained;
use pointillist_privacy::{Epsilon, Rho};
use pointillist_testkit::seeded;

use super::*;

fn pure(epsilon: &str) -> Spend {
    Spend::Pure(Epsilon::parse(epsilon).unwrap())
}

/// Specification: the true answer is never excluded, whatever the sizes: an exclusion is a proof.
#[test]
fn the_true_answer_is_never_excluded() {
    let mut bits = seeded(1);
    for scale in [1e-90, 0.001, 0.1, 0.7, 1.0, 3.0, 10.0, 1e5, 1e90] {
        for truth in [0.0, 1.0, -1.0, 71.0, 0.1, 1e-12, 123_456.789, 1e15, -1e99] {
            for _ in 0..200 {
                let output = truth + broken_laplace(scale, &mut bits);
                assert!(could_have_produced(output, truth, scale).unwrap(), "{output} {truth} {scale}");
            }
        }
    }
    // The ends of the sampler: no noise, the least and the most.
    for step in [1, 2, 3, (1 << 53) - 1, 1 << 53] {
        for negative in [false, true] {
            let output = 5.0 + broken_laplace_of(step, negative, 2.0);
            assert!(could_have_produced(output, 5.0, 2.0).unwrap());
        }
    }
}

/// Specification: most outputs on 0 cannot come from 1, and one in three on 70 cannot come
/// from 71 at ε = 0.01; on our integers none is ever excluded.
/// False alarm: below 1e-9 (Hoeffding: 0.074 for 2000 outputs; 66 % and 33 % were measured on 20000).
#[test]
fn outputs_of_floats_prove_the_answer_and_ours_prove_nothing() {
    let zero = attack(0.0, 1.0, 1.0, 2000, &mut seeded(2)).unwrap();
    assert!(zero.identified_fraction() > 0.5, "{}", zero.summary());
    assert!(zero.summary().contains("with certainty") && zero.outputs_needed().unwrap() < 10);
    let counts = attack(70.0, 71.0, 100.0, 2000, &mut seeded(3)).unwrap();
    assert!(counts.identified_fraction() > 0.2, "{}", counts.summary());
    for price in [pure("0.01"), pure("1"), pure("100"), Spend::Concentrated(Rho::parse("0.5").unwrap())] {
        let ours = attack_integers(70, 71, &price, 2000, &mut seeded(4)).unwrap();
        assert_eq!((ours.identified, ours.undecided, ours.outputs_needed()), (0, 2000, None));
        assert!(ours.summary().starts_with("None of 2000 outputs"));
    }
}

/// Specification: what is excluded really is, and what is not is reached: around the largest u, whose
/// outputs can all be listed, the search agrees with the list on every float.
#[test]
fn exclusions_agree_with_a_list_of_all_outputs() {
    let (first, last) = ((1u64 << 53) - 20_000, 1u64 << 53);
    let mut outputs: Vec<f64> =
        (first..=last).rev().map(|step| 0.125 + broken_laplace_of(step, false, 0.75)).collect();
    outputs.dedup();
    let (mut reached, mut holes) = (0, 0);
    let mut output = 0.125f64;
    while output < *outputs.last().unwrap() {
        let listed = outputs.binary_search_by(|other| other.total_cmp(&output)).is_ok();
        assert_eq!(could_have_produced(output, 0.125, 0.75).unwrap(), listed, "{output}");
        if listed {
            reached += 1
        } else {
            holes += 1
        }
        output = output.next_up();
    }
    assert!(reached > 10_000 && holes > 10_000, "{reached} reached, {holes} holes");
}

#[test]
fn what_cannot_be_is_refused_with_a_hint() {
    let mut bits = seeded(0);
    for (truth, other, scale, outputs) in [
        (f64::NAN, 1.0, 1.0, 10),
        (0.0, f64::INFINITY, 1.0, 10),
        (0.0, 1e300, 1.0, 10),
        (0.0, 1.0, 0.0, 10),
        (0.0, 1.0, -1.0, 10),
        (0.0, 1.0, f64::NAN, 10),
        (0.0, 1.0, f64::INFINITY, 10),
        (0.0, 1.0, 1.0, 0),
        (0.0, 1.0, 1.0, usize::MAX),
        (1.0, 1.0, 1.0, 10),
    ] {
        let error = attack(truth, other, scale, outputs, &mut bits).unwrap_err();
        assert!(error.hint().is_some(), "{error}");
    }
    assert!(attack_integers(1, 1, &pure("1"), 10, &mut bits).is_err());
    assert!(attack_integers(0, 1, &pure("1"), 0, &mut bits).is_err());
    assert!(attack_integers(i64::MIN, i64::MAX, &pure("1e-9"), 10, &mut bits).is_ok());
    for output in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!could_have_produced(output, 0.0, 1.0).unwrap());
    }
    assert!(could_have_produced(0.0, f64::NAN, 1.0).is_err() && could_have_produced(0.0, 0.0, 0.0).is_err());
    assert!(!could_have_produced(f64::MAX, 0.0, 1.0).unwrap());
}

/// Specification: scripts get these members, and no others.
#[test]
fn an_outcome_is_an_object_for_scripts() {
    let settings = Settings { truth: 0, other: 1, epsilon: Epsilon::parse("1/3").unwrap(), outputs: 100 };
    let found = serde_json::to_value(run(settings, &mut seeded(1)).unwrap()).unwrap();
    let names: Vec<&String> = found.as_object().unwrap().keys().collect();
    let expected = [
        "attack",
        "epsilon",
        "identified",
        "identified_exact",
        "other",
        "outputs",
        "scale",
        "truth",
        "with",
        "without",
    ];
    assert_eq!(names, expected);
    assert_eq!((&found["attack"], &found["epsilon"]), (&"float".into(), &"1/3".into()));
    // One over a third that was rounded up.
    assert!(
        (found["scale"].as_f64().unwrap() - 3.0).abs() < 1e-12 && found["identified_exact"] == 0.0,
        "{found}"
    );
    let side: Vec<&String> = found["with"].as_object().unwrap().keys().collect();
    assert_eq!(side, ["identified", "outputs", "outputs_needed", "undecided"]);
    assert!(found["with"]["outputs_needed"].is_null() && found["without"]["identified"].is_u64(), "{found}");
}
