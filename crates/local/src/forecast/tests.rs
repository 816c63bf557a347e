use super::*;
use crate::{Domain, Question, Range};

fn design(question: Question, method: &str, epsilon: &str) -> SurveyDesign {
    SurveyDesign::Asked { question, method: method.to_owned(), epsilon: Epsilon::parse(epsilon).unwrap() }
}

fn shares(values: u64, epsilon: &str) -> SurveyDesign {
    design(Question::Shares(Domain::numbers(values).unwrap()), "auto", epsilon)
}

fn at(values: u64, epsilon: &str, people: u64) -> Forecast {
    Forecast::new(&shares(values, epsilon), people, None).unwrap()
}

/// Local and central standard error, ratio, people for the central error, and floor.
fn errors(forecast: &Forecast) -> [f64; 5] {
    match &forecast.figures {
        ForecastFigures::Errors { local, central, ratio, people_for_central_error, local_floor, .. } => {
            let floor = local_floor.unwrap_or(f64::NAN);
            [local.standard_error, central.standard_error, *ratio, *people_for_central_error, floor]
        }
        ForecastFigures::Words { .. } => panic!("no words were asked for"),
    }
}

fn near(got: f64, want: f64) {
    assert!((got / want - 1.0).abs() < 1e-9, "{got} is not {want}");
}

/// The rates of the textbook: four times the people halve the local error and quarter the central one.
#[test]
fn local_errors_fall_as_a_root_and_central_ones_as_a_line() {
    for (values, epsilon) in [(2, "1"), (16, "0.5"), (1024, "2")] {
        let (few, many) = (errors(&at(values, epsilon, 10_000)), errors(&at(values, epsilon, 40_000)));
        near(few[0] / many[0], 2.0);
        near(few[1] / many[1], 4.0);
        near(many[2] / few[2], 2.0);
        // So many people are needed for half the error.
        let half = NORMAL_975 * few[0] / 2.0;
        let needed = Forecast::for_error(&shares(values, epsilon), half, None).unwrap().people;
        assert!((40_000..=40_001).contains(&needed), "{needed}");
    }
}

#[test]
fn figures_are_those_of_the_formulas() {
    // Two values: √(e^ε)/(e^ε − 1)/√n, and √(2t)/((1 − t)n).
    let forecast = at(2, "1", 10_000);
    let [local, central, ratio, people_for_central_error, _] = errors(&forecast);
    let e = std::f64::consts::E;
    near(local, e.sqrt() / (e - 1.0) / 100.0);
    near(central, (2.0 / e).sqrt() / (1.0 - 1.0 / e) / 10_000.0);
    near(people_for_central_error, 10_000.0 * ratio.powi(2));
    let ForecastFigures::Errors { local, central, .. } = forecast.figures else { panic!("shares") };
    near(local.error_95 / local.standard_error, 1.959_963_984_540_054);
    near(central.error_95 / central.standard_error, 1.959_963_984_540_054);
    // For small ε: about 1/(ε√n) and √2/(εn).
    let [local, central, ..] = errors(&at(2, "0.001", 10_000));
    assert!((local * 0.001 * 100.0 - 1.0).abs() < 1e-6);
    assert!((central * 0.001 * 10_000.0 / 2f64.sqrt() - 1.0).abs() < 1e-6);
}

#[test]
fn no_method_beats_the_floor() {
    for epsilon in ["0.01", "0.1", "0.5", "1", "3"] {
        let [local, _, _, _, floor] = errors(&at(2, epsilon, 1000));
        assert!(floor < local, "ε = {epsilon}");
        // √8·√(e^ε) is what lies between the floor and randomized response.
        near(local / floor, 8f64.sqrt() * (epsilon.parse::<f64>().unwrap() / 2.0).exp());
    }
}

/// A sum of steps that one person moves by all 1000 of them, over n, in units of the range.
#[test]
fn a_mean_is_compared_with_noise_on_the_sum() {
    let range = Range::new(0.into(), 120.into(), 1000).unwrap();
    let forecast = Forecast::new(&design(Question::Mean(range), "auto", "1"), 50_000, None).unwrap();
    let [local, central, ratio, _, floor] = errors(&forecast);
    // Discrete noise of a large scale has nearly the deviation √2·Δ/ε.
    assert!((central / (2f64.sqrt() * 120.0 / 50_000.0) - 1.0).abs() < 1e-6, "{central}");
    assert!(ratio > 100.0 && local > central && floor.is_nan());
    assert_eq!(forecast.candidates.len(), 2);
    assert_eq!(forecast.reason, MethodReason::LeastError);
}

#[test]
fn curves_pass_through_what_was_asked_for() {
    let forecast = at(2, "1", 10_000);
    let curves = forecast.curves().unwrap();
    let ForecastFigures::Errors { local, central, sampling, .. } = &forecast.figures else {
        panic!("shares")
    };
    for (curve, error, slope) in
        [(&curves.local, local, -0.5), (&curves.central, central, -1.0), (&curves.sampling, sampling, -0.5)]
    {
        let (people, half_width) = curve[curve.len() / 2];
        near(people, 10_000.0);
        near(half_width, error.error_95);
        let (first, last) = (curve[0], curve[curve.len() - 1]);
        near((last.1 / first.1).log10() / (last.0 / first.0).log10(), slope);
    }
    let words = Question::Words { alphabet: "abc".to_owned(), length: 3 };
    assert_eq!(Forecast::new(&design(words, "auto", "4"), 30_000, None).unwrap().curves(), None);
}

#[test]
fn a_method_is_told_with_its_reason() {
    let reason = |values: u64, method: &str, epsilon: &str| {
        let question = Question::Shares(Domain::numbers(values).unwrap());
        Forecast::new(&design(question, method, epsilon), 10_000, None).unwrap().reason
    };
    assert_eq!(reason(2, "auto", "1"), MethodReason::LeastError);
    assert_eq!(reason(1024, "auto", "0.1"), MethodReason::ShortestReports);
    assert_eq!(reason(1024, "krr", "1"), MethodReason::Asked);
    assert_eq!(reason(2, "rappor", "2"), MethodReason::AskedToRemember);
    let question = Question::Shares(Domain::numbers(2).unwrap());
    let rappor = Forecast::new(&design(question, "rappor", "2"), 10_000, None).unwrap();
    assert_eq!(rappor.reports_worth_a_memory(), Some(5), "one report costs 0.496 of 2");
    assert_eq!(at(2, "1", 10).reports_worth_a_memory(), None);
}

/// Specification: what a shuffler allows is at least what was asked for, and keeps it; a method that was set up
/// with its price has no other.
#[test]
fn a_shuffler_lets_everyone_spend_more() {
    let delta = Delta::parse("1e-6").unwrap();
    let forecast = Forecast::new(&shares(4, "1"), 10_000, Some(&delta)).unwrap();
    let [local, ..] = errors(&forecast);
    let shuffled = forecast.shuffle.expect("it was asked for");
    assert!(shuffled.epsilon < Epsilon::parse("0.2").unwrap());
    let price = shuffled.price.as_ref().expect("the price is apart from the method");
    assert!(price.epsilon_local > Epsilon::parse("3").unwrap(), "{}", price.setting);
    let ShuffledFigure::Local(error) = price.figure else { panic!("shares") };
    assert!(error.standard_error < local);
    let fixed = SurveyDesign::Fixed(Survey::parse("randomized-response gamma=1/4", None).unwrap());
    assert!(Forecast::new(&fixed, 1000, Some(&delta)).unwrap().shuffle.unwrap().price.is_none());
    assert!(Forecast::new(&fixed, 1000, Some(&Delta::zero())).is_err());
}

#[test]
fn impossible_surveys_are_refused() {
    assert!(Forecast::new(&shares(4, "1"), 0, None).is_err());
    for error in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        assert!(Forecast::for_error(&shares(4, "1"), error, None).is_err(), "{error}");
    }
    let words = Question::Words { alphabet: "ab".to_owned(), length: 3 };
    assert!(Forecast::for_error(&design(words, "auto", "1"), 0.1, None).is_err());
}

/// Specification: scripts rely on these names.
#[test]
fn records_have_the_same_names_for_every_program() {
    let keys =
        |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let delta = Delta::parse("1e-6").unwrap();
    let shares = serde_json::to_value(Forecast::new(&shares(4, "1"), 1000, Some(&delta)).unwrap()).unwrap();
    assert_eq!(
        keys(&shares),
        "candidates central cost local local_floor method people people_for_central_error ratio sampling setting shuffle"
    );
    assert_eq!(keys(&shares["candidates"][0]), "line_bytes_max method standard_error");
    assert_eq!(keys(&shares["local"]), "error_95 standard_error");
    assert_eq!(keys(&shares["shuffle"]), "delta epsilon epsilon_local local setting");
    assert_eq!((&shares["shuffle"]["delta"], &shares["cost"]["epsilon"]), (&"1e-6".into(), &"1".into()));
    let question = Question::Words { alphabet: "abc".to_owned(), length: 3 };
    let words = Forecast::new(&design(question, "auto", "4"), 30_000, Some(&delta)).unwrap();
    let words = serde_json::to_value(words).unwrap();
    assert_eq!(keys(&words), "candidates cost least_share method people setting shuffle");
    assert_eq!(keys(&words["shuffle"]), "delta epsilon epsilon_local least_share setting");
}
