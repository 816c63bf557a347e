//! Means: exact laws, unbiased values, simulated surveys, lines of text.

use pointillist_numbers::Rational;
use pointillist_testkit::{assert_distribution, seeded};

use super::*;

const PRECISION: usize = 320;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn range(steps: u64) -> Range {
    Range::new(Rational::from(-1), Rational::one(), steps).unwrap()
}

fn small_oracles() -> Vec<MeanOracle> {
    let mut oracles = Vec::new();
    for loss in ["0.3", "1", "4"] {
        for steps in [1, 2, 5, 9] {
            oracles.push(MeanOracle::sign(&epsilon(loss), range(steps)));
            oracles.push(MeanOracle::window(&epsilon(loss), range(steps)));
        }
    }
    oracles.push("window-mean lower=-1 upper=1 steps=6 epsilon=1 window=1".parse().unwrap());
    oracles.push("window-mean lower=-1 upper=1 steps=6 epsilon=1 window=6".parse().unwrap());
    oracles
}

fn laws(oracle: &MeanOracle) -> Vec<Vec<Enclosure>> {
    let reports = 0..oracle.reports();
    let law =
        |step| reports.clone().map(move |report| oracle.probability(&Report::Value(report), step, PRECISION));
    (0..=oracle.range.steps()).map(|step| law(step).collect()).collect()
}

/// Specification: all pairs of answers, all reports: ratios of exact probabilities are at most e^ε, which is
/// reached.
#[test]
fn the_exact_law_of_every_report_keeps_epsilon() {
    let tiny = Rational::parse("1e-60").unwrap();
    for oracle in small_oracles() {
        let loss = oracle.loss().pure_epsilon().unwrap();
        let growth = Enclosure::of(loss.value(), PRECISION).exp();
        let laws = laws(&oracle);
        let mut reached = false;
        for law in &laws {
            let total = law.iter().fold(Enclosure::integer(0, PRECISION), |sum, part| &sum + part);
            assert!(
                (total.upper() - Rational::one()).abs() < tiny
                    && (total.lower() - Rational::one()).abs() < tiny
            );
            for other in &laws {
                for (p, q) in law.iter().zip(other) {
                    let most = (&growth * q).upper();
                    assert!(p.upper() <= &most * &(Rational::one() + tiny.clone()), "{oracle}");
                    reached |= p.upper() >= most * Rational::parse("0.999999999999999999999999").unwrap();
                }
            }
        }
        assert!(reached, "{oracle} could be cheaper");
    }
}

/// Specification: unbiased values average to the step, exactly, and have the stated variance, by summing over
/// the law.
#[test]
fn unbiased_values_have_the_stated_mean_and_variance() {
    for oracle in small_oracles() {
        for (step, law) in laws(&oracle).into_iter().enumerate() {
            let law: Vec<f64> = law.iter().map(|part| part.upper().to_f64_upper()).collect();
            let moment = |power: i32| -> f64 {
                let values = (0..oracle.reports()).map(|report| oracle.unbiased(report as f64) - step as f64);
                values.zip(&law).map(|(value, weight)| weight * value.powi(power)).sum()
            };
            let stated = match oracle.method() {
                MeanMethod::Sign(sign) => sign.variance(step as u64),
                MeanMethod::Window(window) => window.variance(step as u64),
            };
            assert!(moment(1).abs() < 1e-10 * stated.sqrt().max(1.0), "{oracle}: {}", moment(1));
            assert!((moment(2) / stated - 1.0).abs() < 1e-10, "{oracle}: {} {stated}", moment(2));
            let largest = oracle.variance_max() / oracle.range.step_near().powi(2);
            assert!(stated <= largest * (1.0 + 1e-12), "{oracle}: {stated} {largest}");
        }
    }
}

/// Specification: the mean of a report is linear in the step, as a statement about exact numbers: second
/// differences of enclosed means are zero to 60 digits.
#[test]
fn means_of_reports_are_exactly_linear() {
    for oracle in small_oracles() {
        let mean = |law: &Vec<Enclosure>| {
            let parts = law.iter().zip(0i64..).map(|(part, report)| part.mul_integer(report));
            parts.fold(Enclosure::integer(0, PRECISION), |sum, part| &sum + &part)
        };
        let means: Vec<Enclosure> = laws(&oracle).iter().map(mean).collect();
        for three in means.windows(3) {
            let bend = &(&three[0] + &three[2]) - &three[1].mul_integer(2);
            let tiny = Rational::parse("1e-60").unwrap();
            assert!(bend.upper() < tiny && bend.lower() > -tiny, "{oracle}");
        }
    }
}

/// Specification: on a fine grid the variances are those of the continuous mechanisms.
#[test]
fn fine_grids_have_the_variances_of_the_literature() {
    for text in ["0.5", "1", "2", "5"] {
        let loss = epsilon(text);
        let e = loss.to_f64_upper().exp();
        let root = e.sqrt();
        let steps = 1 << 20;
        let (sign, window) = (SignMean::new(&loss, steps), WindowMean::new(&loss, steps));
        let unit = (2.0 / steps as f64).powi(2);
        for (step, x) in [(0, -1.0), (steps / 2, 0.0), (steps / 4, -0.5), (steps, 1.0f64)] {
            let signs = ((e + 1.0) / (e - 1.0)).powi(2) - x * x;
            assert!((sign.variance(step) * unit / signs - 1.0).abs() < 1e-9);
            let windows = x * x / (root - 1.0) + (root + 3.0) / (3.0 * (root - 1.0).powi(2));
            assert!((window.variance(step) * unit / windows - 1.0).abs() < 1e-5, "{text} {x}");
        }
    }
    // Signs win for small ε and windows for large; the worst cases meet near ε = 1.29.
    let is_sign =
        |text: &str| matches!(MeanOracle::auto(&epsilon(text), range(1000)).method, MeanMethod::Sign(_));
    assert!(is_sign("0.1") && is_sign("1.25") && !is_sign("1.35") && !is_sign("5"));
}

/// Specification: reports are drawn with exactly the stated probabilities. False alarm: 1e-9 a case (χ²).
#[test]
fn randomizers_draw_from_the_stated_law() {
    for (seed, oracle) in small_oracles().into_iter().enumerate() {
        let mut bits = seeded(seed as u64);
        for (step, law) in laws(&oracle).into_iter().enumerate() {
            let law: Vec<f64> = law.iter().map(|part| part.upper().to_f64_upper()).collect();
            let draws: Vec<i64> = (0..20_000)
                .map(|_| match oracle.randomize(step as u64, &mut bits).unwrap() {
                    Report::Value(value) => value as i64,
                    _ => panic!("means are reported as numbers"),
                })
                .collect();
            assert_distribution(
                draws,
                |report| law[report as usize],
                0..=law.len() as i64 - 1,
                &oracle.to_string(),
            );
        }
    }
}

/// Specification: over simulated surveys the estimated mean is unbiased with the stated variance within 3 %.
/// Runs: 100,000 surveys of 8 people, as for frequencies. False alarm: below 1e-9 a case by the normal law.
#[test]
fn simulated_surveys_have_the_stated_mean_and_variance() {
    for (seed, line) in
        ["sign-mean lower=0 upper=10 steps=20 epsilon=1", "window-mean lower=0 upper=10 steps=20 epsilon=2"]
            .into_iter()
            .enumerate()
    {
        let oracle: MeanOracle = line.parse().unwrap();
        let answers = [0u64, 3, 3, 5, 9, 14, 20, 20];
        let truth = answers.iter().sum::<u64>() as f64 / 8.0 * 0.5;
        let stated = answers
            .iter()
            .map(|step| match oracle.method() {
                MeanMethod::Sign(sign) => sign.variance(*step),
                MeanMethod::Window(window) => window.variance(*step),
            })
            .sum::<f64>()
            * 0.25
            / 64.0;
        let mut bits = seeded(seed as u64);
        let (mut sum, mut squares, mut outside) = (0.0, 0.0, 0u32);
        let runs = 100_000;
        for _ in 0..runs {
            let mut collector = MeanCollector::new(oracle.clone());
            for step in answers {
                collector.absorb(&oracle.randomize(step, &mut bits).unwrap()).unwrap();
            }
            let estimate = collector.estimate().unwrap();
            sum += estimate.mean;
            squares += estimate.mean.powi(2);
            outside += u32::from(!estimate.guaranteed.contains(truth));
            assert!(estimate.variance_max >= stated * (1.0 - 1e-12));
        }
        let runs = f64::from(runs);
        let (mean, variance) = (sum / runs, squares / runs - (sum / runs).powi(2));
        assert!((variance / stated - 1.0).abs() < 0.03, "{line}: {variance} {stated}");
        assert!((mean - truth).abs() < 6.5 * (stated / runs).sqrt(), "{line}: {mean} {truth}");
        assert!(f64::from(outside) < 0.05 * runs, "{line}: {outside}");
    }
}

/// Many people: the mean is found, within both intervals at this seed.
#[test]
fn the_mean_of_many_answers_is_found() {
    let oracle =
        MeanOracle::auto(&epsilon("1"), Range::new(Rational::zero(), Rational::from(100), 1000).unwrap());
    let mut bits = seeded(3);
    let mut collector = MeanCollector::new(oracle.clone());
    for person in 0..50_000u64 {
        let step = oracle.range().parse_answer(&format!("{}.{}", 20 + person % 40, person % 10)).unwrap();
        let line = oracle.randomize(step, &mut bits).unwrap().to_string();
        collector.absorb_line(&line).unwrap();
    }
    // 20 to 59 and .0 to .9 in step: 39.5 + 0.45.
    let estimate = collector.estimate().unwrap();
    assert!(estimate.normal.contains(39.95) && estimate.guaranteed.contains(39.95), "{estimate:?}");
    assert!(estimate.normal.radius() < 1.1 && estimate.guaranteed.radius() < 1.5, "{estimate:?}");
    assert_eq!(estimate.reports, 50_000);
    assert!(MeanCollector::new(oracle).estimate().is_none());
}

#[test]
fn lines_set_up_the_same_oracle_and_carry_its_reports() {
    for line in [
        "sign-mean lower=-1 upper=1 steps=10 epsilon=1",
        "window-mean lower=0 upper=0.5 steps=1000 epsilon=3 window=223",
    ] {
        let oracle: MeanOracle = line.parse().unwrap();
        assert_eq!(oracle.to_string(), line);
        let report = oracle.randomize(3, &mut seeded(1)).unwrap();
        assert_eq!(oracle.parse_report(&report.to_string()).unwrap(), report);
        for hostile in ["", "-1", "1223", "99999999999999999999", "x", "1,2"] {
            assert!(oracle.parse_report(hostile).unwrap_err().told().contains("hint: "), "{hostile}");
        }
        assert!(oracle.randomize(1001, &mut seeded(1)).is_err());
        assert!(MeanCollector::new(oracle).absorb(&Report::Subset(vec![1])).is_err());
    }
    let short: MeanOracle = "window-mean lower=0 upper=0.5 steps=1000 epsilon=3".parse().unwrap();
    assert_eq!(short.to_string(), "window-mean lower=0 upper=0.5 steps=1000 epsilon=3 window=223");
    for line in [
        "mean lower=0 upper=1 steps=10 epsilon=1",
        "sign-mean lower=1 upper=0 steps=10 epsilon=1",
        "sign-mean lower=0 upper=1 steps=10 epsilon=1 window=3",
        "window-mean lower=0 upper=1 steps=10 epsilon=1 window=11",
        "window-mean lower=0 upper=1 steps=10 epsilon=1 window=0",
        "window-mean lower=0 upper=1 steps=0 epsilon=1",
    ] {
        assert!(line.parse::<MeanOracle>().unwrap_err().told().contains("hint: "), "{line}");
    }
}
