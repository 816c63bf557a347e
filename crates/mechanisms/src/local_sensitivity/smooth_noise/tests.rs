//! Numerical checks of every constant, and of the releases themselves.

use pointillist_errors::Explained as _;
use pointillist_numbers::Enclosure;
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_testkit::{assert_distribution, hockey_stick, hoeffding_radius, seeded};

use super::*;
use crate::local_sensitivity::smooth_sensitivity::beta_with_error;

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn failure(text: &str) -> FailureProbability {
    FailureProbability::parse(text).unwrap()
}

fn float(value: &Rational) -> f64 {
    value.to_f64_upper()
}

/// What smooth sensitivity allows: the logarithm t of the ratio of the scales, and the distance of the
/// answers in units of the first scale, at most α times the smaller scale.
fn allowed(alpha: f64, beta: f64) -> impl Iterator<Item = (f64, f64)> {
    let times = (-4..=4).map(move |i| beta * f64::from(i) / 4.0);
    times.flat_map(move |t| [-1.0, -0.7, 0.0, 0.4, 1.0].map(|share| (t, share * alpha * t.exp().min(1.0))))
}

/// The largest log-ratio of Student t densities over outputs, scales and answers, by brute force.
fn largest_log_ratio(degrees: u32, alpha: f64, beta: f64) -> f64 {
    let d = f64::from(degrees);
    let near = (-4000..=4000).map(|i| f64::from(i) * 0.01);
    let far = (0..200).flat_map(|i| [-1.0, 1.0].map(|sign| sign * 40.0 * (f64::from(i) * 0.06).exp()));
    let outputs: Vec<f64> = near.chain(far).collect();
    let log_ratio = |z: f64, (t, shift): (f64, f64)| {
        let moved = (z - shift) * (-t).exp();
        t + (d + 1.0) / 2.0 * ((moved * moved / d).ln_1p() - (z * z / d).ln_1p())
    };
    let pairs = allowed(alpha, beta).flat_map(|(t, shift)| {
        // The other density has its corners here.
        let corners = [shift - t.exp(), shift, shift + t.exp()];
        outputs.iter().copied().chain(corners).map(move |z| (z, (t, shift)))
    });
    pairs.map(|(z, pair)| log_ratio(z, pair)).fold(0.0, f64::max)
}

/// The theorem of `student_t.rs`, numerically: never above ε, and so close to ε that no larger α would do.
/// The same check rejects an α 3 % larger, a scale half as large, and an α chosen as if the scale did not
/// depend on the data.
#[test]
fn student_t_noise_reaches_epsilon_and_never_exceeds_it() {
    for degrees in [1, 3, 5] {
        for (text, share) in [("0.1", "1/20"), ("1", "1/20"), ("1", "1/8"), ("3", "1/10")] {
            let beta = rational(text) * rational(share);
            let setting = StudentTSetting::new(degrees, &epsilon(text), &beta).unwrap();
            let (e, alpha, beta) = (float(epsilon(text).value()), float(setting.alpha()), float(&beta));
            let largest = largest_log_ratio(degrees, alpha, beta);
            assert!(largest <= e * (1.0 + 1e-9), "t_{degrees}, ε = {text}: {largest}");
            assert!(largest >= e * 0.9999, "t_{degrees}, ε = {text}: {largest} wastes noise");
            assert!(largest_log_ratio(degrees, alpha * 1.03, beta) > e * 1.001, "an α 3 % too large");
            assert!(largest_log_ratio(degrees, alpha * 2.0, beta) > e * 1.2, "half the scale");
        }
    }
    let careless = StudentTSetting::new(3, &epsilon("1"), &rational("1e-9")).unwrap();
    assert!(largest_log_ratio(3, float(careless.alpha()), 0.05) > 1.02, "β ignored");
}

/// The usual sufficient condition α(d + 1)/(2√d) + dβ ≤ ε never allows more than the exact one.
#[test]
fn the_sum_of_shift_and_dilation_costs_is_sufficient() {
    for degrees in 1..=9u32 {
        for (text, share) in [("0.01", "1/20"), ("1", "1/20"), ("1", "1/11"), ("10", "1/40")] {
            let beta = rational(text) * rational(share);
            let setting = StudentTSetting::new(degrees, &epsilon(text), &beta).unwrap();
            let (e, d) = (float(epsilon(text).value()), f64::from(degrees));
            let usual = (e - d * float(&beta)) * 2.0 * d.sqrt() / (d + 1.0);
            assert!(float(setting.alpha()) >= usual * (1.0 - 1e-9), "t_{degrees}, ε = {text}");
        }
    }
    // At d = 3, β = ε/20 and a small ε: α = ε·√(3(0.475² − 0.05²)).
    let alpha = float(StudentTSetting::recommended(&epsilon("0.001")).unwrap().alpha());
    assert!((alpha / 0.001 - (3.0f64 * (0.475f64.powi(2) - 0.05f64.powi(2))).sqrt()).abs() < 1e-4, "{alpha}");
}

/// The largest log-ratio of two-sided Pareto densities, by brute force; the worst output is the answer
/// itself.
fn largest_pareto_log_ratio(exponent: f64, alpha: f64, beta: f64) -> f64 {
    let near = (-500..=500).map(|i| f64::from(i) * 0.01);
    let far = (0..100).flat_map(|i| [-1.0, 1.0].map(|sign| sign * 5.0 * (f64::from(i) * 0.1).exp()));
    let outputs: Vec<f64> = near.chain(far).collect();
    let log_ratio = |y: f64, (t, shift): (f64, f64)| {
        -exponent * t + (exponent + 1.0) * ((t.exp() + (y - shift).abs()) / (1.0 + y.abs())).ln()
    };
    let pairs = allowed(alpha, beta).flat_map(|pair| outputs.iter().map(move |y| (*y, pair)));
    pairs.map(|(y, pair)| log_ratio(y, pair)).fold(0.0, f64::max)
}

/// The theorem of `two_sided_pareto.rs`, numerically, with the same planted leaks as for Student t noise.
#[test]
fn two_sided_pareto_noise_reaches_epsilon_and_never_exceeds_it() {
    for (text, share) in [("0.1", "1/20"), ("1", "1/20"), ("1", "1/3"), ("3", "1/8")] {
        let beta = rational(text) * rational(share);
        let setting = TwoSidedParetoSetting::new(&epsilon(text), &beta).unwrap();
        let (e, beta) = (float(epsilon(text).value()), float(&beta));
        let [exponent, alpha] = [setting.exponent(), setting.alpha()].map(float);
        let largest = largest_pareto_log_ratio(exponent, alpha, beta);
        assert!(largest <= e * (1.0 + 1e-9), "ε = {text}: {largest}");
        assert!(largest >= e * 0.9999, "ε = {text}: {largest} wastes noise");
        assert!(largest_pareto_log_ratio(exponent, alpha * 1.03, beta) > e * 1.005, "an α 3 % too large");
        assert!(
            largest_pareto_log_ratio(exponent * 1.1, alpha, beta) > e * 1.02,
            "an exponent 10 % too large"
        );
    }
    let careless = TwoSidedParetoSetting::new(&epsilon("1"), &rational("0.01")).unwrap();
    let [exponent, alpha] = [careless.exponent(), careless.alpha()].map(float);
    assert!(largest_pareto_log_ratio(exponent, alpha, 0.05) > 1.5, "β ignored");
}

/// ln of the power-tailed Laplace density, but for a constant.
fn ln_power_tailed(power: u32, z: f64) -> f64 {
    let (k, z) = (f64::from(power), z.abs());
    let core = (k - 1.0) * (-z.min(1.0) / k).ln_1p();
    core - (k + 1.0) * ((z.max(1.0) / k).ln_1p() - (1.0 / k).ln_1p())
}

/// The largest log-ratio of power-tailed Laplace densities, by brute force.
fn largest_power_tailed_log_ratio(power: u32, alpha: f64, beta: f64) -> f64 {
    let near = (-2000..=2000).map(|i| f64::from(i) * 0.005);
    let far = (0..200).flat_map(|i| [-1.0, 1.0].map(|sign| sign * 10.0 * (f64::from(i) * 0.08).exp()));
    let outputs: Vec<f64> = near.chain(far).collect();
    let log_ratio = |z: f64, (t, shift): (f64, f64)| {
        t + ln_power_tailed(power, z) - ln_power_tailed(power, (z - shift) * (-t).exp())
    };
    let pairs = allowed(alpha, beta).flat_map(|(t, shift)| {
        // The other density has its corners here.
        let corners = [shift - t.exp(), shift, shift + t.exp()];
        outputs.iter().copied().chain(corners).map(move |z| (z, (t, shift)))
    });
    pairs.map(|(z, pair)| log_ratio(z, pair)).fold(0.0, f64::max)
}

/// The theorem of `power_tailed_laplace.rs`, numerically, with the same planted leaks as for Student t noise.
#[test]
fn power_tailed_noise_reaches_epsilon_and_never_exceeds_it() {
    for (text, power) in [("0.01", 8), ("0.1", 2), ("0.1", 20), ("0.5", 64), ("1", 8), ("1", 20), ("3", 8)] {
        let setting = PowerTailedLaplaceSetting::new(power, &epsilon(text)).unwrap();
        let [e, alpha, beta] = [epsilon(text).value(), setting.alpha(), setting.beta()].map(float);
        let largest = largest_power_tailed_log_ratio(power, alpha, beta);
        assert!(largest <= e * (1.0 + 1e-9), "ε = {text}, k = {power}: {largest}");
        assert!(largest >= e * 0.9999, "ε = {text}, k = {power}: {largest} wastes noise");
        assert!(largest_power_tailed_log_ratio(power + 1, alpha, beta) > e * 1.005, "the next power");
        assert!(largest_power_tailed_log_ratio(power, alpha, beta * 1.03) > e * 1.01, "a β 3 % too large");
        if e < 0.2 {
            assert!(largest_power_tailed_log_ratio(power, alpha * 1.02, beta) > e * 1.001, "α 2 % too large");
        }
        assert!(largest_power_tailed_log_ratio(power, alpha * 2.0, beta) > e * 1.2, "half the scale");
    }
}

/// Specification: the condition of the proof is met with equality at every output: no noise that meets it falls faster.
#[test]
fn power_tailed_noise_pays_the_same_at_every_output() {
    for power in [2, 8, 20, 64] {
        for i in 1..4000 {
            let (z, step) = (f64::from(i) * 0.0101, 1e-6);
            let slope = -(ln_power_tailed(power, z + step) - ln_power_tailed(power, z - step)) / (2.0 * step);
            let cost = slope + (1.0 - z * slope).abs() / f64::from(power);
            assert!((cost - 1.0).abs() < 1e-4, "k = {power}, z = {z}: {cost}");
        }
    }
}

/// How much the condition gives away at ε = 1: with this α, but not with one 0.3 % larger, all log-ratios stay within ε.
#[test]
fn power_tailed_noise_could_be_a_little_smaller() {
    for (power, alpha) in [(2, 1.136), (3, 1.088), (8, 1.0315), (20, 1.0125), (64, 1.0039)] {
        let beta = 1.0 / f64::from(power);
        let [within, beyond] =
            [alpha, alpha * 1.003].map(|alpha| largest_power_tailed_log_ratio(power, alpha, beta));
        assert!(within <= 1.0 + 1e-9 && beyond > 1.0 + 1e-6, "k = {power}: {within} and {beyond}");
    }
}

/// The mean magnitude from the tail: the integral of P[|Z| ≥ t], closed in both halves.
fn power_tailed_mean(power: u32) -> f64 {
    let k = f64::from(power);
    let w = (1.0 - 1.0 / k).powf(k - 1.0);
    let inside = k / (k + 1.0) * (1.0 - (1.0 - 1.0 / k).powf(k + 1.0)) + 2.0 * w / k;
    let beyond = w * (1.0 + 1.0 / k).powi(2) * k / (k - 1.0);
    (inside + beyond) / (1.0 + 2.0 * w / k)
}

/// At the same β the mean magnitude is below that of two-sided Pareto and Student t noise.
#[test]
fn power_tailed_noise_is_the_smallest_at_every_beta() {
    for (power, mean) in [(4, 1.404), (8, 1.173), (20, 1.064), (64, 1.0192)] {
        let ours = power_tailed_mean(power);
        assert!((ours - mean).abs() < 1e-3, "k = {power}: {ours}");
        for text in ["0.001", "0.1", "1"] {
            let (e, ours) = (epsilon(text), ours / float(epsilon(text).value()));
            let beta = e.value() / &Rational::from(power);
            let pareto = TwoSidedParetoSetting::new(&e, &beta).unwrap();
            let pareto = 1.0 / (float(pareto.alpha()) * (float(pareto.exponent()) - 1.0));
            assert!(ours < pareto, "ε = {text}, k = {power}: {ours} {pareto}");
            if power > 3 {
                let student = StudentTSetting::new(3, &e, &beta).unwrap();
                let student = 2.0 * 3f64.sqrt() / std::f64::consts::PI / float(student.alpha());
                assert!(ours < student, "ε = {text}, k = {power}: {ours} {student}");
            }
        }
    }
}

/// P[|Z| ≥ t] of power-tailed Laplace noise.
fn power_tailed_tail(power: u32, t: f64) -> f64 {
    let k = f64::from(power);
    let w = (1.0 - 1.0 / k).powf(k - 1.0);
    let inside = (1.0 - t.min(1.0) / k).powf(k) + 2.0 * w / k;
    let mass = if t <= 1.0 { inside } else { w * (1.0 + 1.0 / k) * ((k + 1.0) / (k + t)).powf(k) };
    mass / (1.0 + 2.0 * w / k)
}

/// Deviations are the exact quantiles, in the core and in the tail.
#[test]
fn power_tailed_deviations_are_quantiles() {
    for power in [2, 8, 64] {
        let setting = PowerTailedLaplaceSetting::new(power, &epsilon("1")).unwrap();
        for text in ["0.9", "0.6", "0.38", "0.36", "0.05", "0.001", "1e-9"] {
            let reached = power_tailed_tail(power, float(&setting.deviation_upper(&failure(text))));
            let asked = float(failure(text).value());
            assert!((reached / asked - 1.0).abs() < 1e-9, "k = {power}, {text}: {reached}");
        }
    }
}

/// At β = ε/20 the mean magnitude is smaller than that of Student t noise, and near that of Laplace noise,
/// 1/ε.
#[test]
fn two_sided_pareto_noise_is_smaller_than_student_noise_at_small_beta() {
    for text in ["0.01", "1"] {
        let pareto = TwoSidedParetoSetting::recommended(&epsilon(text)).unwrap();
        let student = StudentTSetting::recommended(&epsilon(text)).unwrap();
        let mean = 1.0 / (float(pareto.alpha()) * (float(pareto.exponent()) - 1.0));
        let mean_student = 2.0 * 3f64.sqrt() / std::f64::consts::PI / float(student.alpha());
        let laplace = 1.0 / float(epsilon(text).value());
        assert!(mean < 0.87 * mean_student && mean > laplace && mean < 1.17 * laplace, "ε = {text}: {mean}");
    }
}

/// ln of the Laplace-log-normal density, by the trapezoidal rule over the normal variable.
fn ln_density(z: f64, sigma: f64) -> f64 {
    let step = 0.05;
    let terms = (-200..=200).map(|i| {
        let y = f64::from(i) * step;
        (-y * y / 2.0 - sigma * y - z.abs() * (-sigma * y).exp()).exp()
    });
    (terms.sum::<f64>() * step / 2.0 / std::f64::consts::TAU.sqrt()).ln()
}

/// The Rényi divergence of order λ between Z and e^t·Z + shift, by quadrature on a logarithmic grid.
fn divergence(sigma: f64, t: f64, shift: f64, order: f64) -> f64 {
    let step = 0.03;
    let nodes = (-600..=230).flat_map(|i| [-1.0, 1.0].map(|sign| sign * (f64::from(i) * step).exp()));
    let sum: f64 = nodes
        .map(|z| {
            let p = ln_density(z, sigma);
            let q = ln_density((z - shift) * (-t).exp(), sigma) - t;
            z.abs() * step * (order * p + (1.0 - order) * q).exp()
        })
        .sum();
    sum.ln() / (order - 1.0)
}

/// The theorem of `laplace_log_normal.rs`, numerically at three orders. The same check rejects half the
/// scale.
#[test]
fn laplace_log_normal_noise_stays_within_its_divergence() {
    let setting = LaplaceLogNormalSetting::recommended(&Rho::parse("0.125").unwrap()).unwrap();
    let [sigma, alpha, beta] = [setting.shape(), setting.alpha(), setting.beta()].map(float);
    assert!((divergence(sigma, 0.0, 0.0, 2.0)).abs() < 1e-6, "the density integrates to one");
    // Against the normal variable alone, the dilation costs λt²/(2σ²) and no less than half of it here.
    let worst = |alpha: f64, order: f64| {
        let corners = [(beta, 1.0), (beta, -1.0), (-beta, 1.0), (0.0, 1.0)];
        let each = corners.map(|(t, sign)| divergence(sigma, t, sign * alpha * t.exp().min(1.0), order));
        each.into_iter().fold(0.0, f64::max)
    };
    for order in [1.5, 2.0, 8.0] {
        let measured = worst(alpha, order);
        assert!(measured <= order * 0.125, "order {order}: {measured}");
        // At high orders the divergence levels off, as the shift alone is pure.
        if order <= 2.0 {
            assert!(measured >= order * 0.125 * 0.4, "order {order}: {measured} is far from what is charged");
            assert!(worst(alpha * 2.0, order) > order * 0.125, "order {order}: half the scale");
        }
    }
}

/// Both ends of the condition on α. Where the gain e^β' of the dilation would pass √(2ρ), the shift alone ends α.
#[test]
fn neither_shift_nor_dilation_costs_more_than_the_root() {
    let alpha = |rho: &str, beta: &str, shape: &str| {
        let rho = Rho::parse(rho).unwrap();
        let setting = LaplaceLogNormalSetting::new(&rho, &rational(beta), &rational(shape)).unwrap();
        setting.alpha().clone()
    };
    let near = |found: &Rational, expected: f64| (float(found) / expected - 1.0).abs() < 1e-9;
    // √(2ρ) = 4: e^0.2·(4 − 0.4) = 4.397 is beyond 4, and α = 4·e^(−3/8).
    let shift = alpha("8", "0.2", "0.5");
    assert!(near(&shift, 2.749_157_115_036_349), "{}", float(&shift));
    let end = &Enclosure::integer(4, 256) * &Enclosure::exp_of_minus(&rational("3/8"), 256);
    assert!(shift <= end.upper(), "a shift alone costs more than √(2ρ)");
    // √(2ρ) = 1/2: α = e^0.02·(0.5 − 0.1)·e^(−0.06) = 0.4·e^(−0.04).
    let both = alpha("0.125", "0.02", "0.2");
    assert!(near(&both, 0.384_315_775_660_929_3), "{}", float(&both));
}

/// Every shape is valid, and the best one has about the smallest variance e^{2σ²}/α².
#[test]
fn the_best_shape_has_the_least_noise() {
    let (rho, beta) = (Rho::parse("0.5").unwrap(), rational("0.05"));
    let deviation =
        |setting: &LaplaceLogNormalSetting| (float(setting.shape()).powi(2)).exp() / float(setting.alpha());
    let best = LaplaceLogNormalSetting::with_best_shape(&rho, &beta).unwrap();
    let sigma = float(best.shape());
    assert!(
        (100.0 * sigma.powi(3) - 5.0 * sigma * sigma - 1.0).abs() < 1e-4,
        "5(r/β)σ³ − 5σ² − 1 = 0 with r = 1"
    );
    for shape in ["0.1", "0.15", "0.2", "0.3", "0.4", "1"] {
        let other = LaplaceLogNormalSetting::new(&rho, &beta, &rational(shape)).unwrap();
        assert!(deviation(&best) <= deviation(&other) * (1.0 + 1e-6), "σ = {shape}");
    }
}

/// The hockey-stick divergence of order e^ε between two Laplace densities, by quadrature.
fn laplace_divergence(epsilon: f64, t: f64, shift: f64) -> f64 {
    let step = 0.0005;
    let nodes = (-120_000..120_000).map(|i| (f64::from(i) + 0.5) * step);
    let (p, q): (Vec<f64>, Vec<f64>) = nodes
        .map(|w| {
            let other = ((w - shift) * (-t).exp()).abs();
            ((-w.abs()).exp() * step / 2.0, (-other - t).exp() * step / 2.0)
        })
        .unzip();
    hockey_stick(&p, &q, epsilon)
}

/// The theorem of `laplace.rs`: the largest divergence over what smooth sensitivity allows is δ, to four
/// digits. The same check rejects an α 5 % larger.
#[test]
fn laplace_noise_reaches_delta_and_never_exceeds_it() {
    for (e, delta, beta) in [("1", "1e-3", "0.07"), ("0.5", "1e-4", "0.03"), ("2", "1e-2", "0.2")] {
        let setting =
            LaplaceSetting::new(&epsilon(e), &Delta::parse(delta).unwrap(), &rational(beta)).unwrap();
        let [e, delta, beta] = [e, delta, beta].map(|text| float(&rational(text)));
        let alpha = float(setting.alpha());
        let largest = |alpha: f64| {
            let corners = [(-beta, 1.0), (-beta, 0.5), (-beta / 2.0, 1.0), (0.0, 1.0), (beta, 1.0)];
            let each = corners.map(|(t, share)| laplace_divergence(e, t, share * alpha * t.exp().min(1.0)));
            each.into_iter().fold(0.0, f64::max)
        };
        assert!(largest(alpha) <= delta * (1.0 + 1e-4), "ε = {e}: {}", largest(alpha));
        assert!(largest(alpha) >= delta * (1.0 - 1e-3), "ε = {e}: {} wastes noise", largest(alpha));
        assert!(largest(alpha * 1.05) > delta * 1.2, "ε = {e}: an α 5 % too large");
    }
}

/// Specification: α + β' ≤ ε, whatever δ: the proof needs it, and the δ of the theorem says nothing without it. Here δ is so
/// large that it would allow more.
#[test]
fn laplace_noise_never_shifts_by_more_than_is_left_of_epsilon() {
    for (e, delta, beta) in [("1", "0.05", "0.2"), ("0.5", "0.2", "0.1"), ("2", "0.5", "0.5")] {
        let setting =
            LaplaceSetting::new(&epsilon(e), &Delta::parse(delta).unwrap(), &rational(beta)).unwrap();
        let left = epsilon(e).value() - &beta_with_error(&rational(beta));
        assert!(*setting.alpha() <= left, "ε = {e}: {}", float(setting.alpha()));
        assert!(&left - setting.alpha() < Rational::power_of_two(-90), "ε = {e}: the end is not reached");
    }
}

/// At the β of the paper the exact α is larger than its ε/2.
#[test]
fn the_published_laplace_setting_is_within_the_exact_one() {
    for (e, delta) in [("0.1", "1e-9"), ("1", "1e-6"), ("4", "1e-3")] {
        let setting = LaplaceSetting::recommended(&epsilon(e), &Delta::parse(delta).unwrap()).unwrap();
        assert!(*setting.alpha() > epsilon(e).value() * &Rational::ratio(13, 20), "ε = {e}");
    }
}

fn student_cdf(u: f64) -> f64 {
    let u = u / 3f64.sqrt();
    0.5 + (u / (1.0 + u * u) + u.atan()) / std::f64::consts::PI
}

fn laplace_cdf(x: f64) -> f64 {
    if x < 0.0 { x.exp() / 2.0 } else { 1.0 - (-x).exp() / 2.0 }
}

/// Specification: a release is the answer plus (Ŝ/α)·Z, rounded to the nearest integer. False alarm: 1e-9 a
/// law (χ²).
#[test]
fn releases_have_the_law_of_rounded_noise_at_the_smooth_sensitivity() {
    fn check<N: SmoothNoise>(noise: N, cdf: impl Fn(f64) -> f64, seed: u64) {
        let mechanism = SmoothMechanism::new(noise, &rational("0.01"), &Rational::from(50)).unwrap();
        // Local sensitivity 2 up to distance 6 and 50 beyond.
        let local = |k: u64| Rational::from(if k < 7 { 2 } else { 50 });
        let sensitivity = float(mechanism.smoothing().of(local).value_upper());
        let beta = float(mechanism.smoothing().beta());
        assert!((sensitivity - (50.0 * (-7.0 * beta).exp()).max(2.0)).abs() < 1e-9);
        let scale = sensitivity / float(mechanism.noise().alpha());
        let mut bits = seeded(seed);
        let draws = (0..4_000).map(|_| mechanism.release(7, local, &mut bits).clamp(-400, 400));
        let below = |k: i64| cdf((k as f64 - 0.5 - 7.0) / scale);
        let pmf = |k: i64| match k {
            -400 => below(-399),
            400 => 1.0 - below(400),
            _ => below(k + 1) - below(k),
        };
        assert_distribution(draws, pmf, -400..=400, "noise at smooth sensitivity");
    }
    check(StudentTSetting::new(3, &epsilon("1"), &rational("0.2")).unwrap(), student_cdf, 1);
    let pareto = TwoSidedParetoSetting::new(&epsilon("1"), &rational("0.2")).unwrap();
    let exponent = float(pareto.exponent());
    let tail = move |x: f64| (1.0 + x).powf(-exponent) / 2.0;
    check(pareto, move |x| if x < 0.0 { tail(-x) } else { 1.0 - tail(x) }, 8);
    let tail = |x: f64| power_tailed_tail(5, x) / 2.0;
    let cdf = move |x: f64| if x < 0.0 { tail(-x) } else { 1.0 - tail(x) };
    check(PowerTailedLaplaceSetting::new(5, &epsilon("1")).unwrap(), cdf, 9);
    let delta = Delta::parse("1e-4").unwrap();
    check(LaplaceSetting::new(&epsilon("2"), &delta, &rational("0.15")).unwrap(), laplace_cdf, 2);
}

/// Specification: the error bound fails with probability at most β. False alarm: 1e-9 a noise (Hoeffding).
#[test]
fn error_bounds_hold() {
    fn check<N: SmoothNoise>(noise: N, seed: u64) {
        let mechanism = SmoothMechanism::new(noise, &rational("0.01"), &Rational::from(50)).unwrap();
        let sensitivity = mechanism.smoothing().of(|_| Rational::from(50));
        let bound = float(&mechanism.error_bound(&sensitivity, &failure("0.1")).unwrap());
        let (mut bits, n) = (seeded(seed), 600u64);
        let far = (0..n)
            .filter(|_| {
                mechanism.release_at(-3, &sensitivity, &mut bits).unwrap().abs_diff(-3) as f64 > bound
            })
            .count();
        assert!(far as f64 / n as f64 <= 0.1 + hoeffding_radius(n, 1e-9), "{far}");
    }
    check(StudentTSetting::recommended(&epsilon("1")).unwrap(), 3);
    check(PowerTailedLaplaceSetting::recommended(&epsilon("1")).unwrap(), 10);
    check(LaplaceLogNormalSetting::recommended(&Rho::parse("0.5").unwrap()).unwrap(), 4);
    check(LaplaceSetting::recommended(&epsilon("1"), &Delta::parse("1e-6").unwrap()).unwrap(), 5);
}

/// Two-sided 5 % quantiles of Student's law from tables.
#[test]
fn student_deviations_are_above_the_quantile_and_not_far() {
    for (degrees, quantile) in
        [(1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (5, 2.57058), (9, 2.26216)]
    {
        let setting = StudentTSetting::new(degrees, &epsilon("1"), &rational("0.01")).unwrap();
        let bound = float(&setting.deviation_upper(&failure("0.05")));
        assert!(bound >= quantile && bound <= 1.7 * quantile, "t_{degrees}: {bound}");
    }
}

#[test]
fn losses_are_stated_in_their_own_currency() {
    let student = StudentTSetting::recommended(&epsilon("0.5")).unwrap();
    assert_eq!(student.loss().pure_epsilon(), Some(epsilon("0.5")));
    assert_eq!((student.degrees(), student.beta().clone()), (3, rational("0.025")));
    let pareto = TwoSidedParetoSetting::recommended(&epsilon("0.5")).unwrap();
    assert_eq!(pareto.loss().pure_epsilon(), Some(epsilon("0.5")));
    let power = PowerTailedLaplaceSetting::recommended(&epsilon("0.5")).unwrap();
    assert_eq!((power.power(), power.loss().pure_epsilon()), (20, Some(epsilon("0.5"))));
    assert!(Rational::from(20) * beta_with_error(power.beta()) <= *epsilon("0.5").value());
    let rho = Rho::parse("0.1").unwrap();
    assert_eq!(LaplaceLogNormalSetting::recommended(&rho).unwrap().loss().rho(), Some(rho));
    let delta = Delta::parse("1e-6").unwrap();
    let laplace = LaplaceSetting::recommended(&epsilon("1"), &delta).unwrap();
    assert_eq!(laplace.loss().approximate_epsilon(), Some((epsilon("1"), delta)));
}

#[test]
fn settings_that_cannot_be_are_refused_with_a_hint() {
    let one = Rational::one();
    let delta = Delta::parse("1e-6").unwrap();
    let refusals = [
        StudentTSetting::new(0, &epsilon("1"), &rational("0.1")).unwrap_err(),
        StudentTSetting::new(3, &epsilon("1"), &rational("1/3")).unwrap_err(),
        StudentTSetting::new(3, &epsilon("1"), &Rational::zero()).unwrap_err(),
        StudentTSetting::new(3, &epsilon("1"), &rational("-1")).unwrap_err(),
        StudentTSetting::recommended(&epsilon("101")).unwrap_err(),
        TwoSidedParetoSetting::recommended(&epsilon("101")).unwrap_err(),
        TwoSidedParetoSetting::new(&epsilon("1"), &one).unwrap_err(),
        PowerTailedLaplaceSetting::new(1, &epsilon("1")).unwrap_err(),
        PowerTailedLaplaceSetting::recommended(&epsilon("101")).unwrap_err(),
        PowerTailedLaplaceSetting::recommended(&epsilon("1e-12")).unwrap_err(),
        StudentTSetting::recommended(&epsilon("1e-12")).unwrap_err(),
        LaplaceLogNormalSetting::new(&Rho::parse("0.5").unwrap(), &one, &one).unwrap_err(),
        LaplaceLogNormalSetting::new(&Rho::parse("0.5").unwrap(), &rational("0.1"), &rational("9"))
            .unwrap_err(),
        LaplaceSetting::new(&epsilon("1"), &delta, &one).unwrap_err(),
        LaplaceSetting::new(&epsilon("1"), &delta, &rational("0.2")).unwrap_err(),
        LaplaceSetting::recommended(&epsilon("1"), &Delta::zero()).unwrap_err(),
    ];
    for error in refusals {
        assert!(error.explanation().text().contains("hint:"), "{error}");
    }
}

#[test]
fn scales_that_data_could_make_impossible_are_refused_before_any_data() {
    let noise = || StudentTSetting::recommended(&epsilon("1")).unwrap();
    assert!(SmoothMechanism::new(noise(), &Rational::power_of_two(-60), &Rational::one()).is_err());
    assert!(SmoothMechanism::new(noise(), &Rational::one(), &Rational::power_of_two(100)).is_err());
    let mechanism = SmoothMechanism::new(noise(), &Rational::one(), &Rational::from(9)).unwrap();
    let other = Smoothing::new(&rational("0.3"), &Rational::one(), &Rational::from(9)).unwrap();
    let error = mechanism.release_at(0, &other.of(|_| Rational::one()), &mut seeded(6)).unwrap_err();
    assert!(error.explanation().text().contains("hint: compute it with the mechanism's own"), "{error}");
}

#[test]
fn answers_at_the_ends_of_the_range_saturate() {
    let noise = StudentTSetting::new(1, &epsilon("0.01"), &rational("0.001")).unwrap();
    let mechanism = SmoothMechanism::new(noise, &Rational::one(), &Rational::power_of_two(60)).unwrap();
    let mut bits = seeded(7);
    let draws: Vec<i64> =
        (0..50).map(|_| mechanism.release(i64::MAX, |_| Rational::power_of_two(60), &mut bits)).collect();
    assert!(draws.contains(&i64::MAX));
}

/// Specification: a wide release is the answer plus the noise of the narrow one, and noise that was cut off says nothing
/// of the answer: the same draw ends at the same place for every answer.
#[test]
fn wide_answers_carry_the_same_noise() {
    let noise = StudentTSetting::new(1, &epsilon("1"), &rational("0.2")).unwrap();
    let mechanism = SmoothMechanism::new(noise, &Rational::one(), &Rational::power_of_two(90)).unwrap();
    let wide = |answer: i128, seed| mechanism.release_wide(answer, |_| Rational::from(5), &mut seeded(seed));
    for seed in 0..50 {
        let narrow = mechanism.release(7, |_| Rational::from(5), &mut seeded(seed));
        assert_eq!(wide(7, seed), i128::from(narrow));
        assert_eq!(wide(1 << 100, seed), (1 << 100) + i128::from(narrow) - 7);
    }
    // Noise that was cut off, on either side.
    struct Cut(bool);
    impl SmoothNoise for Cut {
        fn beta(&self) -> &Rational {
            unreachable!("the smoothing was made from another noise")
        }
        fn alpha(&self) -> &Rational {
            static ONE: std::sync::LazyLock<Rational> = std::sync::LazyLock::new(Rational::one);
            &ONE
        }
        fn loss(&self) -> Loss {
            Loss::pure(epsilon("1"))
        }
        fn sample_floor<B: SecureBits + ?Sized>(&self, _: &Rational, _: &mut B) -> Result<i128, NoiseError> {
            Ok(if self.0 { i128::MAX } else { i128::MIN })
        }
        fn deviation_upper(&self, _: &FailureProbability) -> Rational {
            Rational::one()
        }
    }
    for (cut, end) in [(Cut(true), 1i128 << 125), (Cut(false), -(1i128 << 125))] {
        let mechanism = SmoothMechanism { noise: cut, smoothing: mechanism.smoothing.clone() };
        for answer in [i128::MIN, -(1 << 124), -1, 0, 5, 1 << 124, i128::MAX] {
            assert_eq!(mechanism.release_wide(answer, |_| Rational::one(), &mut seeded(1)), end);
        }
    }
}
