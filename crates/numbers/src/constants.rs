//! π and ln 2 to any precision, remembered once computed.
//!
//! **Source.** Machin's formula, π/4 = 4·atan(1/5) − atan(1/239), and
//! ln 2 = 18·atanh(1/26) − 2·atanh(1/4801) + 8·atanh(1/8749).

use std::collections::BTreeMap;
use std::sync::Mutex;

use dashu_int::IBig;

use crate::Enclosure;
use crate::enclosure::floor_div;

impl Enclosure {
    /// The circle constant π, to `precision` bits.
    pub fn pi(precision: usize) -> Self {
        static KNOWN: Mutex<BTreeMap<usize, Enclosure>> = Mutex::new(BTreeMap::new());
        remembered(&KNOWN, precision, |bits| {
            let quarter = &inverse_series(5, bits, true).mul_integer(4) - &inverse_series(239, bits, true);
            quarter.mul_integer(4)
        })
    }

    /// The natural logarithm of two.
    pub fn ln_2(precision: usize) -> Self {
        static KNOWN: Mutex<BTreeMap<usize, Enclosure>> = Mutex::new(BTreeMap::new());
        remembered(&KNOWN, precision, |bits| {
            let first = inverse_series(26, bits, false).mul_integer(18);
            let second = inverse_series(4801, bits, false).mul_integer(2);
            let third = inverse_series(8749, bits, false).mul_integer(8);
            &(&first - &second) + &third
        })
    }
}

/// Computes with guard bits at the next multiple of 64, so that neighbouring precisions share one result.
fn remembered(
    known: &Mutex<BTreeMap<usize, Enclosure>>,
    precision: usize,
    compute: impl Fn(usize) -> Enclosure,
) -> Enclosure {
    let bits = (precision + 16).next_multiple_of(64);
    // A poisoned lock only means that another thread stopped between look-up and insertion; the map is whole.
    let lock = || known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let found = lock().get(&bits).cloned();
    // Computed outside the lock: many digits take a while, and others may want few.
    let constant = found.unwrap_or_else(|| {
        let constant = compute(bits);
        lock().insert(bits, constant.clone());
        constant
    });
    constant.at_precision(precision)
}

/// atan(1/n) (alternating) or atanh(1/n), by their power series.
fn inverse_series(n: u64, precision: usize, alternating: bool) -> Enclosure {
    let square = IBig::from(n) * IBig::from(n);
    let mut power = floor_div(&(IBig::ONE << precision), &IBig::from(n));
    let mut sum = IBig::ZERO;
    let mut terms = 0u64;
    while power != IBig::ZERO {
        let term = &power / IBig::from(2 * terms + 1);
        if alternating && terms % 2 == 1 {
            sum -= term
        } else {
            sum += term
        }
        power = floor_div(&power, &square);
        terms += 1;
    }
    // Each power is at most two units low (one division, and the earlier error shrunk by n² ≥ 25), each term one
    // more, and what follows the last term is below one unit: three units a term and one for the rest.
    Enclosure::new(sum.clone(), sum, precision).widened(3 * terms + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;

    /// Specification: the remainder is not too small. At every precision the series holds what it is at four times the
    /// precision.
    #[test]
    fn the_series_hold_their_limits() {
        for n in [5, 26, 239, 4801, 8749] {
            for alternating in [true, false] {
                for precision in (8..300).step_by(7) {
                    let (coarse, fine) = (
                        inverse_series(n, precision, alternating),
                        inverse_series(n, 4 * precision, alternating),
                    );
                    assert!(
                        coarse.lower() <= fine.lower() && fine.upper() <= coarse.upper(),
                        "{n} at {precision}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_constants_are_between_their_published_digits() {
        let cases = [
            (
                Enclosure::pi(300),
                "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862",
            ),
            (
                Enclosure::ln_2(300),
                "0.69314718055994530941723212145817656807550013436025525412068000949339362196969471560",
            ),
        ];
        for (enclosure, digits) in cases {
            let below = Rational::parse(digits).unwrap();
            let above = &below + &Rational::parse("1e-83").unwrap();
            assert!(enclosure.lower() >= below && enclosure.upper() <= above, "{digits}");
            assert!(enclosure.upper() - enclosure.lower() < Rational::power_of_two(-290));
        }
    }
}
