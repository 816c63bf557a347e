use pointillist_errors::Explained;
use pointillist_privacy::account::{Release, Statement, best};
use pointillist_privacy::{Scale, SensitivityL1};

use super::*;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn within(noise: Noise, target: Target, count: u64) -> Calibration {
    Calibration { noise, target, count, sensitivity: None }
}

fn pure(text: &str) -> Target {
    Target::Pure(epsilon(text))
}

fn approximate(epsilon_text: &str, delta: &str) -> Target {
    Target::approximate(epsilon(epsilon_text), Delta::parse(delta).unwrap())
}

fn concentrated(rho: &str) -> Target {
    Target::Concentrated(Rho::parse(rho).unwrap())
}

fn figure(calibration: &Calibration, name: &str) -> Rational {
    let figures = calibration.figures().unwrap();
    figures.iter().find(|figure| figure.name == name).expect("a figure of this name").value.clone()
}

fn number(calibration: &Calibration, name: &str) -> f64 {
    figure(calibration, name).to_f64_upper()
}

/// The frozen value for (1, 1e-5); k uses take √k times as much.
#[test]
fn gaussian_noise_is_calibrated_analytically() {
    for (count, factor) in [(1, 1.0), (4, 2.0), (10_000, 100.0)] {
        let calibration = within(Noise::Gaussian, approximate("1", "1e-5"), count);
        let ratio = number(&calibration, "sigma") / (factor * 3.730_631_634_815_942);
        assert!((1.0 - 1e-15..=1.0 + 1e-7).contains(&ratio), "{count}: {ratio}");
        assert!(number(&calibration, "delta_reached") <= 1e-5);
    }
    let all = within(Noise::Gaussian, concentrated("0.1"), 7);
    for noise in [Noise::Gaussian, Noise::DiscreteGaussian] {
        let wide = Calibration { noise, sensitivity: Some(Rational::from(3)), ..all.clone() };
        assert!((number(&wide, "sigma") / (3.0 * 35f64.sqrt()) - 1.0).abs() < 1e-14);
    }
}

#[test]
fn pure_losses_take_k_times_the_scale() {
    for noise in [Noise::Laplace, Noise::DiscreteLaplace] {
        let calibration =
            Calibration { sensitivity: Some(Rational::from(3)), ..within(noise, pure("0.5"), 10) };
        assert_eq!(figure(&calibration, "scale"), Rational::from(60));
        let none = Calibration { target: approximate("0.5", "0"), ..calibration };
        assert_eq!(figure(&none, "scale"), Rational::from(60));
    }
}

/// Specification: a list of that many releases with the noise found is within the target by an accountant that knows
/// nothing of calibration, and with one per mille less noise it is not.
#[test]
fn noise_for_a_delta_is_enough_and_not_more() {
    let delta = Delta::parse("1e-6").unwrap();
    let spent = |scale: Rational| {
        let mut statement = Statement::new();
        let (scale, sensitivity) = (Scale::from_upper(scale).unwrap(), SensitivityL1::parse("1").unwrap());
        statement.add(Release::Laplace { scale, sensitivity, sampling_rate: None }, 100);
        let accounts = statement.accounts(&delta).unwrap();
        best(&accounts).unwrap().epsilon.clone().unwrap().upper
    };
    let scale = figure(&within(Noise::Laplace, approximate("1", "1e-6"), 100), "scale");
    assert!(spent(scale.clone()) <= 1.0);
    assert!(spent(scale * Rational::ratio(999, 1000)) > 1.0);
}

/// Specification: one use is within a thousandth of the closed form δ = 1 − exp((ε − 1/b)/2), and far more uses than
/// anyone convolves are calibrated by way of ρ, quickly.
#[test]
fn laplace_noise_with_a_delta_follows_the_accountant() {
    for (epsilon_text, delta_text) in [("1", "0.01"), ("0.2", "0.05"), ("1", "1e-6")] {
        let found = number(&within(Noise::Laplace, approximate(epsilon_text, delta_text), 1), "scale");
        let (e, d) = (epsilon_text.parse::<f64>().unwrap(), delta_text.parse::<f64>().unwrap());
        let exact = 1.0 / (e - 2.0 * (-d).ln_1p());
        assert!(found >= exact * (1.0 - 1e-15) && found <= exact * 1.001, "{found} {exact}");
    }
    let most = number(&within(Noise::Laplace, approximate("1", "1e-15"), 1_000_000_000), "scale");
    assert!((230_000.0..250_000.0).contains(&most), "{most}");
}

/// Specification: integer noise needs a little more than noise on the line, and ρ a little more than the accountant.
#[test]
fn integer_noise_with_a_delta_lies_between_its_bounds() {
    let of = |noise, name| number(&within(noise, approximate("1", "1e-6"), 100), name);
    let (continuous, discrete) = (of(Noise::Laplace, "scale"), of(Noise::DiscreteLaplace, "scale"));
    assert!(continuous * 0.999 <= discrete && discrete <= continuous * 1.02, "{continuous} {discrete}");
    let analytic = of(Noise::Gaussian, "sigma");
    let (one, any) =
        (of(Noise::DiscreteGaussian, "sigma"), of(Noise::DiscreteGaussian, "sigma_any_dimension"));
    assert!(analytic * 0.999 <= one && one < any && any <= analytic * 1.1, "{analytic} {one} {any}");
    let wide = Calibration {
        sensitivity: Some(Rational::parse("1e20").unwrap()),
        ..within(Noise::DiscreteLaplace, approximate("1", "1e-9"), 1)
    };
    assert_eq!(figure(&wide, "scale"), Rational::parse("1e20").unwrap(), "losses not listed are added up");
}

/// ε·tanh(ε/2) = 0.1 at ε = 0.45097…; ln 3 is the survey with two coins.
#[test]
fn randomized_response_tells_how_often_to_lie() {
    let coins = within(Noise::RandomizedResponse, pure("1.0986122886681098"), 1);
    assert!((number(&coins, "truth_probability") - 0.75).abs() < 1e-15);
    assert!((number(&coins, "gamma") - 0.25).abs() < 1e-15);
    let four = within(Noise::RandomizedResponse, pure("2"), 4);
    assert_eq!(figure(&four, "epsilon_each"), Rational::ratio(1, 2));
    assert_eq!(figure(&four, "truth_probability") + figure(&four, "lie_probability"), Rational::one());
    let each = number(&within(Noise::RandomizedResponse, approximate("2", "1e-6"), 100), "epsilon_each");
    assert!((0.045..0.046).contains(&each), "{each}");
    let each = number(&within(Noise::RandomizedResponse, concentrated("0.1"), 1), "epsilon_each");
    let rho = each * (each / 2.0).tanh();
    assert!(rho <= 0.1 && rho > 0.0999, "{each}");
}

#[test]
fn a_form_has_one_target() {
    let (one, tiny, rho) = (epsilon("1"), Delta::parse("1e-6").unwrap(), Rho::parse("1").unwrap());
    assert_eq!(Target::of_form(Some(&one), None, None), Ok(pure("1")));
    assert_eq!(Target::of_form(Some(&one), Some(&Delta::zero()), None), Ok(pure("1")));
    assert_eq!(Target::of_form(Some(&one), Some(&tiny), None), Ok(approximate("1", "1e-6")));
    assert_eq!(Target::of_form(None, None, Some(&rho)), Ok(concentrated("1")));
    for (epsilon, delta, rho, refused) in [
        (None, None, None, CalibrationError::NoTarget),
        (None, Some(&tiny), None, CalibrationError::NoTarget),
        (Some(&one), None, Some(&rho), CalibrationError::TwoTargets),
        (None, Some(&tiny), Some(&rho), CalibrationError::TwoTargets),
    ] {
        assert_eq!(Target::of_form(epsilon, delta, rho), Err(refused));
    }
}

#[test]
fn promises_that_no_noise_keeps_are_refused_with_a_hint() {
    let refused = |calibration: Calibration| calibration.figures().unwrap_err();
    for noise in [Noise::Gaussian, Noise::DiscreteGaussian] {
        assert_eq!(refused(within(noise, pure("1"), 1)), CalibrationError::PureGaussian);
    }
    assert_eq!(refused(within(Noise::Laplace, pure("1"), 0)), CalibrationError::NoUses);
    let half = Some(Rational::ratio(1, 2));
    let integer = Calibration { sensitivity: half.clone(), ..within(Noise::DiscreteLaplace, pure("1"), 1) };
    assert_eq!(refused(integer), CalibrationError::LessThanOne);
    let answer = Calibration { sensitivity: half, ..within(Noise::RandomizedResponse, pure("1"), 1) };
    assert_eq!(refused(answer.clone()), CalibrationError::SensitivityOfResponse);
    assert!(refused(answer).hint().is_some());
    for (noise, sensitivity) in [(Noise::Laplace, "0"), (Noise::Gaussian, "-1")] {
        let sensitivity = Some(Rational::parse(sensitivity).unwrap());
        let impossible = Calibration { sensitivity, ..within(noise, concentrated("1"), 1) };
        assert!(matches!(refused(impossible), CalibrationError::Mechanism(_)));
    }
    let tiny = refused(within(Noise::Laplace, pure("1e-19"), 100));
    assert!(tiny.to_string().contains("too small"), "{tiny}");
}
