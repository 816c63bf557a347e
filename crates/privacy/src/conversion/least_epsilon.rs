//! The smallest ε that a curve δ(ε) allows for a given δ.
//!
//! **Guarantee.** The result is an ε at which the curve's own certified value was at most δ; the search
//! only decides how close to the smallest it is. Values of the curve are compared as exact rationals.

use pointillist_numbers::Rational;

use super::claim::rational_from_upper;

/// The smallest ε a search looks at: what [`crate::Epsilon`] counts as one unit.
const EPSILON_LEAST: f64 = 1.0 / 18_446_744_073_709_551_616.0;
/// Where the bracket around the smallest ε is narrow enough.
const WIDTH_RELATIVE: f64 = 1e-12;
/// Far more steps than the search needs; its result is true after any number of them.
const STEPS_MAX: usize = 120;
/// Every so many steps the bracket is halved, whatever the secant says.
const HALVING_EVERY: usize = 5;
/// Values of the curve further below the target than this, in nats, pull the secant no further.
const LOG_FLOOR: f64 = -60.0;

/// An ε at or above the smallest one with `δ(ε) ≤ delta`, usually within one part in 10¹².
///
/// `ceiling` is an ε at which δ is known to suffice; `delta_upper_at` is the certified curve, falling in ε.
pub(crate) fn least_epsilon_upper(
    delta: &Rational,
    ceiling: &Rational,
    mut delta_upper_at: impl FnMut(&Rational) -> Rational,
) -> Rational {
    let (mut low, mut high) = (EPSILON_LEAST, ceiling.to_f64_upper());
    let mut best = ceiling.clone();
    if high <= low {
        return best;
    }
    let delta_near = delta.to_f64_upper();
    let mut evaluate = |epsilon: f64| {
        let exact = rational_from_upper(epsilon);
        let value = delta_upper_at(&exact);
        let enough = value <= *delta;
        let log = (value.to_f64_upper() / delta_near).ln().max(LOG_FLOOR);
        // The sign decides the side and must agree with the exact comparison.
        let log = if enough { log.min(-1e-16) } else { log.max(1e-16) };
        (enough, log, exact)
    };
    let (enough, mut log_low, exact) = evaluate(low);
    if enough {
        return exact;
    }
    let mut log_high = LOG_FLOOR;
    let mut side = 0;
    for step in 1..=STEPS_MAX {
        let width = high - low;
        let close = WIDTH_RELATIVE * high;
        if width <= close {
            break;
        }
        // A secant, a little beyond the root on the side that has not moved: once it is right, both ends
        // close in.
        let secant = low + width * (log_low / (log_low - log_high));
        let candidate = if side > 0 { secant - 0.3 * close } else { secant + 0.3 * close };
        let inside = low < candidate && candidate < high;
        let middle = if inside && step % HALVING_EVERY != 0 { candidate } else { low + width / 2.0 };
        if !(low < middle && middle < high) {
            break;
        }
        let (enough, log, exact) = evaluate(middle);
        // The Illinois rule: an end that has not moved for two steps loses half its weight.
        if enough {
            (high, log_high, best) = (middle, log, exact);
            log_low *= if side > 0 { 0.5 } else { 1.0 };
            side = 1;
        } else {
            (low, log_low) = (middle, log);
            log_high *= if side < 0 { 0.5 } else { 1.0 };
            side = -1;
        }
    }
    best.min(ceiling.clone())
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Enclosure;

    use super::*;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// δ(ε) = e^{−ε}: the smallest ε is ln(1/δ).
    #[test]
    fn the_smallest_epsilon_is_found_from_above() {
        for delta in ["0.5", "1e-6", "1e-15", "1e-60"] {
            let delta = rational(delta);
            let mut steps = 0;
            let found = least_epsilon_upper(&delta, &rational("1000"), |epsilon| {
                steps += 1;
                Enclosure::exp_of_minus(epsilon, 320).upper()
            });
            let exact = (-&Enclosure::ln_of(&delta, 320).unwrap()).upper();
            assert!(found >= exact, "never below");
            assert!(found <= exact * rational("1.000000000002"), "{delta}: {found}");
            assert!(steps < 60, "{delta}: {steps} steps");
        }
    }

    #[test]
    fn a_curve_that_always_suffices_gives_the_least_epsilon() {
        let found = least_epsilon_upper(&rational("0.5"), &rational("3"), |_| rational("0.1"));
        assert_eq!(found, Rational::power_of_two(-64));
    }

    #[test]
    fn a_step_is_found_and_the_ceiling_is_never_passed() {
        let step = |at: &'static str| {
            move |epsilon: &Rational| {
                if *epsilon < rational(at) { Rational::one() } else { Rational::zero() }
            }
        };
        let found = least_epsilon_upper(&rational("0.5"), &rational("3"), step("1.25"));
        assert!(found >= rational("1.25") && found < rational("1.2500001"), "{found}");
        let ceiling = rational("1/3");
        assert_eq!(least_epsilon_upper(&rational("0.5"), &ceiling, step("1/3")), ceiling);
    }
}
