use pointillist_errors::Explained as _;
use pointillist_privacy::Guarantee;
use pointillist_testkit::{assert_distribution, hoeffding_radius, renyi_divergence, seeded};

use super::*;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn beta(text: &str) -> FailureProbability {
    FailureProbability::parse(text).unwrap()
}

/// Laplace noise of this scale, by way of Δ = scale and ε = 1.
fn laplace(scale: &str) -> AdditiveNoise {
    AdditiveNoise::for_epsilon(&SensitivityL1::parse(scale).unwrap(), &Epsilon::parse("1").unwrap()).unwrap()
}

/// Gaussian noise of this σ², by way of Δ² = σ² and ρ = 1/2.
fn gaussian(variance: &str) -> AdditiveNoise {
    let sensitivity = SensitivityL2::from_squared(rational(variance)).unwrap();
    AdditiveNoise::for_rho(&sensitivity, &Rho::parse("0.5").unwrap()).unwrap()
}

/// Reference values: the least integer m with P[|Z| ≥ m] ≤ β, at 40 digits; our bound is m − 1.
#[test]
fn error_bounds_match_the_exact_tails() {
    for (scale, probability, least) in
        [("1", "0.05", 4), ("10", "0.01", 47), ("5/2", "1e-6", 35), ("100", "1e-15", 3455), ("1/2", "0.5", 1)]
    {
        assert_eq!(laplace(scale).error_bound(&beta(probability)), least - 1, "scale {scale}");
    }
    for (variance, probability, least) in
        [("1", "0.05", 3), ("25", "0.01", 14), ("9/4", "1e-6", 8), ("100", "1e-15", 81), ("1/4", "0.5", 1)]
    {
        assert_eq!(gaussian(variance).error_bound(&beta(probability)), least - 1, "σ² = {variance}");
    }
}

/// A density up to its normaliser, on the nonnegative integers.
type Weight = Box<dyn Fn(i64) -> f64>;

/// Specification: no bound is too small by the exact tail, and none is more than one too large, for many
/// scales.
#[test]
fn error_bounds_hold_and_are_tight() {
    for scale in ["0.05", "0.3", "0.7", "1", "2.2", "5", "13", "40"] {
        let s = rational(scale).to_f64_upper();
        let reach = (60.0 * s) as i64 + 60;
        let laws: [(AdditiveNoise, Weight); 2] = [
            (laplace(scale), Box::new(move |k| (-(k as f64) / s).exp())),
            (
                gaussian(&rational(scale).squared().to_string()),
                Box::new(move |k| (-((k * k) as f64) / (2.0 * s * s)).exp()),
            ),
        ];
        for (noise, weight) in laws {
            let total: f64 = weight(0) + 2.0 * (1..=reach).map(&weight).sum::<f64>();
            let tail = |t: i128| 2.0 * (t as i64 + 1..=reach).map(&weight).sum::<f64>() / total;
            for probability in ["0.9", "0.5", "0.3", "0.05", "1e-3", "1e-9"] {
                let bound = noise.error_bound(&beta(probability));
                let allowed = beta(probability).to_f64_upper();
                assert!(tail(bound) <= allowed * (1.0 + 1e-9), "{noise}, β = {probability}: {bound}");
                assert!(bound < 2 || tail(bound - 2) > allowed, "{noise}, β = {probability}: {bound}");
            }
        }
    }
}

#[test]
fn error_bounds_exist_at_the_ends_of_the_range() {
    let extreme = beta("1e-60");
    for noise in [laplace("1e-6"), laplace("1e30"), gaussian("1e-6"), gaussian("1e60")] {
        let one = noise.error_bound(&extreme);
        assert!(one <= noise.error_bound_of_all(u64::MAX, &extreme), "{noise}");
        assert!(noise.error_bound_of_sum(u64::MAX, &extreme) >= one / 2, "{noise}");
    }
}

/// Specification: sums of 1, 16 and 400 values leave the bound with at most the stated probability.
/// False alarm: 1e-9 a case (Hoeffding).
#[test]
fn sums_stay_within_their_bound() {
    let (runs, probability) = (4000, 0.1);
    for noise in [laplace("3"), gaussian("9"), laplace("0.2")] {
        for count in [1u64, 16, 400] {
            let bound = noise.error_bound_of_sum(count, &beta("0.1"));
            let mut bits = seeded(count);
            let values = noise.sample_many(runs * count as usize, &mut bits);
            let outside =
                values.chunks(count as usize).filter(|sum| sum.iter().sum::<i128>().abs() > bound).count();
            let frequency = outside as f64 / runs as f64;
            assert!(frequency <= probability + hoeffding_radius(runs as u64, 1e-9), "{noise}: {frequency}");
        }
    }
    // √n, not n: about 2·√(10,000·ln 40) = 384.
    assert!(laplace("1").error_bound_of_sum(10_000, &beta("0.05")) < 400);
}

/// Specification: both ways to draw have the law that the loss was computed for. False alarm: 1e-9 each (χ²).
#[test]
fn one_and_many_have_the_same_law() {
    let ratio = (-1.0f64 / 3.0).exp();
    let laplace_pmf = |k: i64| (1.0 - ratio) / (1.0 + ratio) * ratio.powi(k.unsigned_abs() as i32);
    let total: f64 = (-60i64..=60).map(|k| (-((k * k) as f64) / 18.0).exp()).sum();
    let gaussian_pmf = |k: i64| (-((k * k) as f64) / 18.0).exp() / total;
    let mut bits = seeded(1);
    let one: Vec<i64> = (0..50_000).map(|_| laplace("3").sample(&mut bits) as i64).collect();
    assert_distribution(one, laplace_pmf, -80..=80, "Laplace, one by one");
    let many = laplace("3").sample_many(50_000, &mut bits);
    assert_distribution(many.iter().map(|z| *z as i64), laplace_pmf, -80..=80, "Laplace, many");
    let one: Vec<i64> = (0..50_000).map(|_| gaussian("9").sample(&mut bits) as i64).collect();
    assert_distribution(one, gaussian_pmf, -40..=40, "Gaussian, one by one");
    let many = gaussian("9").sample_many(50_000, &mut bits);
    assert_distribution(many.iter().map(|z| *z as i64), gaussian_pmf, -40..=40, "Gaussian, many");
}

/// Exact: on the computed laws, Δ = 2 at ε = 0.7 moves log-probabilities by at most ε, and Δ = 2 at ρ = 0.3
/// keeps D_α ≤ α·ρ; the planted variant with half the scale does not.
#[test]
fn the_loss_covers_the_exact_laws() {
    let noise =
        AdditiveNoise::for_epsilon(&SensitivityL1::parse("2").unwrap(), &Epsilon::parse("0.7").unwrap())
            .unwrap();
    assert_eq!(noise.loss(), Loss::pure(Epsilon::parse("0.7").unwrap()));
    let Law::Laplace(law) = &noise.law else { panic!("pure noise is Laplace") };
    assert_eq!(*law.scale(), rational("20/7"));

    let rho = Rho::parse("0.3").unwrap();
    let noise = AdditiveNoise::for_rho(&SensitivityL2::parse("2").unwrap(), &rho).unwrap();
    assert_eq!(noise.loss().guarantees(), [Guarantee::ZeroConcentrated { rho }]);
    let Law::Gaussian(law) = &noise.law else { panic!("concentrated noise is Gaussian") };
    let variance = law.variance_parameter().to_f64_upper();
    let divergence = |variance: f64, order: f64| {
        let pmf = |centre: i64| -> Vec<f64> {
            let weights: Vec<f64> = (-80..=80)
                .map(|k: i64| (-((k - centre) * (k - centre)) as f64 / (2.0 * variance)).exp())
                .collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect()
        };
        renyi_divergence(&pmf(2), &pmf(0), order)
    };
    for order in [1.5, 2.0, 4.0, 10.0] {
        assert!(divergence(variance, order) <= order * 0.3 * (1.0 + 1e-9));
        assert!(divergence(variance / 4.0, order) > order * 0.3, "half the scale is caught");
    }
}

#[test]
fn noise_that_cannot_be_is_refused_with_a_hint() {
    let huge = SensitivityL1::parse("1e38").unwrap();
    let error = AdditiveNoise::for_epsilon(&huge, &Epsilon::parse("1").unwrap()).unwrap_err();
    assert!(error.explanation().text().contains("hint:"));
    assert!(AdditiveNoise::for_number(0, &Spend::Pure(Epsilon::parse("1").unwrap())).is_err());
}

#[test]
fn answers_saturate_after_noise() {
    let noise = laplace("1e9");
    let mut bits = seeded(4);
    for _ in 0..100 {
        assert!(noise.release(i128::MAX, &mut bits) > 0);
        assert!(noise.release(i128::MIN, &mut bits) < 0);
    }
    assert_eq!(noise.to_string(), "discrete Laplace of scale 1000000000");
    assert_eq!(gaussian("9").to_string(), "discrete Gaussian of σ = 3");
}
