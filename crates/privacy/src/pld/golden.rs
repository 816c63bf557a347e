//! Independently computed values of composed losses.
//!
//! Sources of the figures: closed forms and multinomial sums at 40 digits and more, exact splines for Laplace, Fourier
//! inversion at the saddle point for the subsampled Gaussian; sensitivity 1, add or remove one unit.

use super::laws::Direction;
use super::{Accountant, Certified, Mechanism};

fn composed(parts: &[(Mechanism, u64)]) -> Accountant {
    let mut accountant = Accountant::new();
    parts.iter().for_each(|(mechanism, count)| accountant.add(mechanism.clone(), *count));
    accountant
}

/// The truth lies between the bounds, and the upper one is within `relative` and `absolute` of it.
fn assert_certified(found: Certified, truth: f64, relative: f64, absolute: f64, context: &str) {
    let rounding = 1e-12 * truth;
    assert!(found.lower <= truth + rounding, "{context}: lower bound {} above {truth}", found.lower);
    assert!(found.upper >= truth - rounding, "{context}: upper bound {} below {truth}", found.upper);
    let allowed = truth * (1.0 + relative) + absolute;
    assert!(found.upper <= allowed, "{context}: upper bound {} is loose, {truth} is true", found.upper);
}

fn gaussian(sigma: f64) -> Mechanism {
    Mechanism::Gaussian { noise_multiplier: sigma }
}

fn laplace(scale: f64) -> Mechanism {
    Mechanism::Laplace { noise_multiplier: scale }
}

#[test]
fn epsilons_of_composed_gaussians() {
    let cases = [
        (1.0, 1, 1e-5, 4.377178095681225),
        (10.0, 100, 1e-6, 4.886554117462212),
        (100.0, 1_000_000, 1e-9, 109.19559688180632),
        (5.0, 40, 1e-15, 10.529216298021973),
        (0.5, 1, 0.01, 5.99789252981892),
        (1_000_000.0, 1, 1e-15, 0.00000569907383194314),
        (0.1, 1, 1e-6, 96.7172719638677),
        (50.0, 10_000, 1e-6, 10.99715121422065),
    ];
    for (sigma, k, delta, truth) in cases {
        let found = composed(&[(gaussian(sigma), k)]).epsilon(delta).unwrap();
        println!("gaussian {sigma} {k} {delta}: {found:?} {truth}");
        assert_certified(found, truth, 0.01, 1e-6, &format!("Gaussian σ = {sigma}, k = {k}, δ = {delta}"));
    }
}

#[test]
fn deltas_of_composed_gaussians() {
    let cases = [
        (1.0, 1, 1.0, 0.12693673750664395),
        (10.0, 100, 5.0, 5.793721691919494e-7),
        (20.0, 400, 1e-6, 0.38292461401050925),
        (3.0, 10, 0.0, 0.4018385473164719),
        (0.2, 1, 50.0, 1.2556669972910952e-14),
        (1000.0, 1_000_000, 8.0, 3.650821687421791e-15),
    ];
    for (sigma, k, epsilon, truth) in cases {
        let found = composed(&[(gaussian(sigma), k)]).delta(epsilon).unwrap();
        println!("gaussian {sigma} {k} {epsilon}: {found:?} {truth}");
        assert_certified(found, truth, 0.01, 1e-14, &format!("Gaussian σ = {sigma}, k = {k}, ε = {epsilon}"));
    }
}

#[test]
fn epsilons_of_composed_laplaces() {
    let cases = [
        (10.0, 10, 1e-6, 0.9989780894472198),
        (10.0, 60, 1e-6, 3.4757599017977467),
        (1.0, 3, 1e-9, 2.999999992),
        (2.0, 20, 1e-5, 9.105543658592783),
        (100.0, 40, 1e-4, 0.16091460509799918),
        (1.0, 12, 1e-15, 11.999999999995913),
        (0.02, 2, 1e-6, 99.999996),
    ];
    for (scale, k, delta, truth) in cases {
        let found = composed(&[(laplace(scale), k)]).epsilon(delta).unwrap();
        println!("laplace {scale} {k} {delta}: {found:?} {truth}");
        assert_certified(found, truth, 0.01, 1e-6, &format!("Laplace b = {scale}, k = {k}, δ = {delta}"));
    }
}

#[test]
fn deltas_of_composed_laplaces() {
    let cases = [
        (1.0, 1, 0.5, 0.22119921692859513),
        (5.0, 8, 0.6, 0.05136191277413827),
        (1.0, 5, 3.3, 0.11158410866653057),
        (10.0, 50, 1e-6, 0.2723073876962325),
        (0.1, 2, 15.0, 0.8153087530962277),
    ];
    for (scale, k, epsilon, truth) in cases {
        let found = composed(&[(laplace(scale), k)]).delta(epsilon).unwrap();
        println!("laplace {scale} {k} {epsilon}: {found:?} {truth}");
        assert_certified(found, truth, 0.01, 1e-12, &format!("Laplace b = {scale}, k = {k}, ε = {epsilon}"));
    }
}

#[test]
fn composed_randomized_responses() {
    let response = |epsilon, categories| Mechanism::RandomizedResponse { epsilon, categories };
    let cases = [
        (0.1, 2, 100, 1e-6, 4.774567588107986),
        (1.0, 2, 30, 1e-8, 29.999879368462544),
        (0.01, 2, 10_000, 1e-9, 6.171915016480078),
        (0.5, 4, 40, 1e-6, 12.853699593577712),
        (2.0, 10, 10, 1e-5, 19.97075956780789),
        (1e-6, 2, 100, 1e-15, 0.00005883156839727874),
    ];
    for (each, categories, k, delta, truth) in cases {
        let found = composed(&[(response(each, categories), k)]).epsilon(delta).unwrap();
        println!("rr {each} {categories} {k} {delta}: {found:?} {truth}");
        assert_certified(
            found,
            truth,
            0.01,
            1e-9,
            &format!("response ε = {each}, {categories}, k = {k}, δ = {delta}"),
        );
    }
    let cases = [
        (0.2, 2, 50, 1.0, 0.2880976469368663),
        (1.0, 3, 20, 6.5, 0.49383873800080195),
        (50.0, 2, 2, 60.0, 1.0),
    ];
    for (each, categories, k, epsilon, truth) in cases {
        let found = composed(&[(response(each, categories), k)]).delta(epsilon).unwrap();
        println!("rr {each} {categories} {k} {epsilon}: {found:?} {truth}");
        assert_certified(
            found,
            truth,
            1e-6,
            1e-14,
            &format!("response ε = {each}, {categories}, k = {k}, ε = {epsilon}"),
        );
    }
}

#[test]
fn laplace_and_gaussian_together() {
    let cases = [
        (2.0, 1, 1.0, 1e-5, 4.737366084905081),
        (10.0, 1, 4.0, 1e-6, 1.1244050940914274),
        (5.0, 2, 2.0, 1e-9, 3.1978344264369328),
        (0.5, 1, 10.0, 1e-15, 2.734257282499092),
    ];
    for (scale, count, sigma, delta, truth) in cases {
        let found = composed(&[(laplace(scale), count), (gaussian(sigma), 1)]).epsilon(delta).unwrap();
        println!("mixed {scale} {count} {sigma} {delta}: {found:?} {truth}");
        assert_certified(
            found,
            truth,
            0.01,
            1e-6,
            &format!("Laplace {scale}×{count} and Gaussian {sigma}, δ = {delta}"),
        );
    }
    for (scale, count, sigma, epsilon, truth) in
        [(2.0, 1, 1.0, 2.0, 0.03546968009188961), (4.0, 2, 3.0, 0.5, 0.04513945908325487)]
    {
        let found = composed(&[(laplace(scale), count), (gaussian(sigma), 1)]).delta(epsilon).unwrap();
        assert_certified(
            found,
            truth,
            0.01,
            1e-12,
            &format!("Laplace {scale}×{count} and Gaussian {sigma}, ε = {epsilon}"),
        );
    }
}

#[test]
fn poisson_subsampled_gaussians() {
    let sampled = |sigma, rate| Mechanism::PoissonSubsampled { rate, base: Box::new(gaussian(sigma)) };
    let singles = [
        (1.0, 0.01, 0.5, 2.214519013153061e-7),
        (0.8, 0.1, 1.0, 0.0015676589280900738),
        (2.0, 0.5, 0.2, 0.03982688331494281),
        (1.0, 0.001, 0.0001, 0.00035374597403608117),
    ];
    for (sigma, rate, epsilon, truth) in singles {
        let found = composed(&[(sampled(sigma, rate), 1)]).delta(epsilon).unwrap();
        println!("psg {sigma} {rate} {epsilon}: {found:?} {truth}");
        assert_certified(
            found,
            truth,
            0.01,
            1e-12,
            &format!("sampled Gaussian {sigma} at {rate}, ε = {epsilon}"),
        );
    }
    let cases = [
        (1.0, 0.01, 1000, 1e-5, 1.828236666),
        (0.8, 0.004, 3000, 1e-6, 2.354362202),
        (2.0, 0.05, 200, 1e-6, 1.792052837),
        (1.5, 0.1, 50, 1e-9, 4.040186721),
        (4.0, 0.2, 500, 1e-5, 5.146139938),
        (1.1, 0.001, 20_000, 1e-6, 0.6739995497),
        (0.6, 0.01, 100, 1e-5, 3.815598936),
    ];
    for (sigma, rate, k, delta, truth) in cases {
        let found = composed(&[(sampled(sigma, rate), k)]).epsilon(delta).unwrap();
        println!("psg {sigma} {rate} {k} {delta}: {found:?} {truth}");
        // The reference itself is lowered by 3e-10 relative.
        let found = Certified { lower: found.lower * (1.0 - 1e-9), ..found };
        assert_certified(
            found,
            truth,
            0.01,
            1e-4,
            &format!("sampled Gaussian {sigma} at {rate}, k = {k}, δ = {delta}"),
        );
    }
}

/// Specification: lists of very different scales, and laws whose ends weigh nothing, finish with bounds in order.
#[test]
fn unlike_scales_are_accounted_for() {
    let sampled = |sigma, rate| Mechanism::PoissonSubsampled { rate, base: Box::new(gaussian(sigma)) };
    let response = |epsilon| Mechanism::RandomizedResponse { epsilon, categories: 2 };
    let lists = [
        vec![(sampled(200.0, 0.5), 1)],
        vec![(sampled(50.0, 0.5), 1)],
        vec![(sampled(30.0, 0.9), 1)],
        vec![(sampled(1000.0, 0.01), 1)],
        vec![(Mechanism::DiscreteGaussian { sigma: 0.2, sensitivity: 1 }, 1)],
        vec![(Mechanism::DiscreteGaussian { sigma: 0.344552, sensitivity: 1 }, 1), (gaussian(9.66514), 1)],
        vec![(response(1e-5), 1), (laplace(1.0), 1)],
        vec![(laplace(1.0), 1), (laplace(10_000.0), 1)],
        vec![
            (Mechanism::Approximate { epsilon: 5.8e-5, delta: 3.3e-12 }, 2),
            (Mechanism::BoundedRange { eta: 1.266 }, 1),
        ],
    ];
    for list in lists {
        let accountant = composed(&list);
        let epsilon = accountant.epsilon(1e-6).unwrap_or_else(|error| panic!("{list:?}: {error}"));
        let delta = accountant.delta(0.0).unwrap();
        println!("{list:?}: {epsilon:?} {delta:?}");
        assert!(
            0.0 <= epsilon.lower && epsilon.lower <= epsilon.upper && epsilon.upper.is_finite(),
            "{list:?}"
        );
        assert!(0.0 <= delta.lower && delta.lower <= delta.upper && delta.upper <= 1.0, "{list:?}");
        // Next to the largest loss of a bounded range the optimistic lattice may end early.
        let ends_early =
            list.iter().any(|(mechanism, _)| matches!(mechanism, Mechanism::BoundedRange { .. }));
        let narrow = epsilon.upper - epsilon.lower <= 0.02 * epsilon.upper + 1e-6;
        assert!(narrow || ends_early, "{list:?}: {epsilon:?}");
    }
}

/// Specification: losses that are nearly but not quite on one lattice are not moved onto it. The largest possible loss of
/// this list is below the ε asked for, so the truth is zero.
#[test]
fn a_loss_beside_the_lattice_stays_there() {
    let response = |epsilon| Mechanism::RandomizedResponse { epsilon, categories: 2 };
    let found =
        composed(&[(response(20.0), 1), (response(19.999999999982002), 3)]).delta(79.99999999998).unwrap();
    assert_eq!(found.lower, 0.0, "{found:?}");
    // ln-odds 1000 each: everything is told but with probability e^-1000, and the loss passes ε by 2.6e-9.
    let far = [(response(1000.0), 1), (response(1000.0000000009), 3)];
    let found = composed(&far).delta(4000.0000000001).unwrap();
    assert!(found.upper >= 2.5998e-9 && found.lower <= 2.5998e-9 * 1.001, "{found:?}");
}

/// Specification: at a sampling rate next to one the digits that the loss loses are paid for, and the bounds hold between
/// them what the mechanism is without sampling, which can only be worse.
#[test]
fn a_rate_next_to_one_pays_for_lost_digits() {
    let rate = 1.0 - 1e-10;
    let sampled = Mechanism::PoissonSubsampled { rate, base: Box::new(gaussian(2.0)) };
    let law = sampled.law(Direction::Remove).unwrap();
    assert!(law.loss_error() >= 8.0 * f64::EPSILON / (1.0 - rate));
    let found = composed(&[(sampled, 3)]).epsilon(1e-6).unwrap();
    let all = composed(&[(gaussian(2.0), 3)]).epsilon(1e-6).unwrap();
    assert!(found.lower <= all.upper, "{found:?} {all:?}");
    assert!(found.upper >= all.lower * (1.0 - 1e-6), "{found:?} {all:?}");
}
