//! Where a falling function certainly reaches a target: how noise scales and quantiles are found.
//!
//! **Guarantee.** The number returned satisfies `f_upper(x) ≤ target` by the caller's certified upper bound,
//! and a number smaller by one part in 2^40 was tried and did not, unless the range began there. Floats
//! choose where to look next, and nothing else: whatever they say, the answer was certified.

use std::ops::RangeInclusive;

use pointillist_numbers::Rational;

/// The bracket closes to one part in this power of two.
const RELATIVE_BITS: i64 = 40;

struct Point {
    x: Rational,
    value: Rational,
}

/// The least x between two powers of two, to one part in 2^40, with `f_upper(x) ≤ target`; the greatest power
/// of two when there is none below it, which callers exclude by their choice of the range.
pub(crate) fn falling_root(
    target: &Rational,
    exponents: RangeInclusive<i64>,
    f_upper: impl Fn(&Rational) -> Rational,
) -> Rational {
    let at = |x: Rational| Point { value: f_upper(&x), x };
    let (mut below, mut above) = exponents.into_inner();
    let mut high = at(Rational::power_of_two(above));
    let mut low = at(Rational::power_of_two(below));
    if low.value <= *target {
        return low.x;
    }
    while above - below > 1 {
        let middle = below.midpoint(above);
        let point = at(Rational::power_of_two(middle));
        if point.value <= *target {
            (above, high) = (middle, point);
        } else {
            (below, low) = (middle, point);
        }
    }
    let nudge = |sign: i128| Rational::one() + Rational::ratio(sign, 1 << (RELATIVE_BITS + 2));
    let done = Rational::one() + Rational::power_of_two(-RELATIVE_BITS);
    let closed = |low: &Point, high: &Point| high.x <= &low.x * &done;
    while !closed(&low, &high) {
        let guess = guess(&low, &high, target);
        // Just above and just below the guess: once it is good, these two close the bracket. The middle is
        // for guesses that are bad, and keeps the number of steps below twice that of a bisection.
        let middle = (&low.x + &high.x) * Rational::ratio(1, 2);
        for trial in [&guess * &nudge(1), &guess * &nudge(-1), middle] {
            if trial <= low.x || trial >= high.x || closed(&low, &high) {
                continue;
            }
            let point = at(trial.round_up_significant(64));
            if point.value <= *target {
                high = point;
            } else {
                low = point;
            }
        }
    }
    high.x
}

/// Where the straight line through both ends meets the target, on logarithmic scales; a number between the
/// ends.
fn guess(low: &Point, high: &Point, target: &Rational) -> Rational {
    let ln = |value: &Rational| value.to_f64_upper().max(f64::MIN_POSITIVE).ln();
    let rise = ln(&high.value) - ln(&low.value);
    let share = ((ln(target) - ln(&low.value)) / rise).clamp(0.0, 1.0);
    // ln of the quotient, not the difference of logarithms: the ends may agree to many digits.
    let width = ln(&(high.x.clone() / low.x.clone()));
    let factor = Rational::from_f64((share * width).exp()).unwrap_or_else(|_| Rational::one());
    &low.x * &factor
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn count_calls(target: &str, f: impl Fn(&Rational) -> Rational) -> (Rational, u32) {
        let calls = Cell::new(0);
        let counted = |x: &Rational| {
            calls.set(calls.get() + 1);
            f(x)
        };
        (falling_root(&Rational::parse(target).unwrap(), -20..=80, counted), calls.get())
    }

    #[test]
    fn the_root_is_certified_tight_and_found_quickly() {
        for target in ["0.5", "1e-12", "3", "1e-20"] {
            let (root, calls) = count_calls(target, |x| x.reciprocal().unwrap());
            let exact = Rational::parse(target).unwrap().reciprocal().unwrap();
            assert!(
                root >= exact && root <= &exact * &(Rational::one() + Rational::power_of_two(-39)),
                "{target}"
            );
            assert!(calls < 30, "{target}: {calls} calls");
        }
    }

    /// Specification: a step, on which every straight line is a bad guess, is still found.
    #[test]
    fn a_step_is_found_by_halving() {
        let step = Rational::parse("12345.678").unwrap();
        let (root, calls) =
            count_calls("0.5", |x| if *x >= step { Rational::zero() } else { Rational::one() });
        assert!(root >= step && root <= &step * &(Rational::one() + Rational::power_of_two(-39)));
        assert!(calls < 160, "{calls} calls");
    }

    #[test]
    fn a_range_that_begins_beyond_the_root_begins_the_answer() {
        let (root, _) = count_calls("1e9", |x| x.reciprocal().unwrap());
        assert_eq!(root, Rational::power_of_two(-20));
    }
}
