//! The arctangent between certified bounds.
//!
//! **Guarantee.** `atan(x)` lies in `Enclosure::atan(a)` for every `x` in `a`.
//! **Method.** atan(x) = 2·atan(x/(1 + √(1 + x²))) three times, which brings every x ≥ 0 below 1/5; then the alternating
//! power series with its first omitted term as remainder.

use dashu_int::IBig;

use crate::Enclosure;

const HALVINGS: i64 = 3;

impl Enclosure {
    /// The arctangent.
    pub fn atan(&self) -> Self {
        let lower = atan_of_point(&self.lower, self.precision);
        let upper = atan_of_point(&self.upper, self.precision);
        Self::new(lower.lower, upper.upper, self.precision)
    }
}

fn atan_of_point(units: &IBig, precision: usize) -> Enclosure {
    if *units < IBig::ZERO {
        return -&atan_of_point(&-units, precision);
    }
    let working = precision + 32;
    let x = Enclosure::new(units.clone(), units.clone(), precision).at_precision(working);
    let one = Enclosure::integer(1, working);
    let mut reduced = x;
    for _ in 0..HALVINGS {
        let root = (&one + &(&reduced * &reduced)).sqrt();
        reduced = reduced.checked_div(&(&one + &root)).expect("the divisor is at least one");
    }
    series(&reduced).scale_by_power_of_two(HALVINGS).at_precision(precision)
}

/// r − r³/3 + r⁵/5 − …, for r in [0, 1/5].
fn series(r: &Enclosure) -> Enclosure {
    let square = r * r;
    let mut power = r.clone();
    let mut sum = Enclosure::integer(0, r.precision());
    for k in 0.. {
        let term = power.div_integer(2 * k + 1);
        sum = if k % 2 == 0 { &sum + &term } else { &sum - &term };
        power = &power * &square;
        if power.upper <= IBig::ONE {
            break;
        }
    }
    sum.widened(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;

    /// Specification: the remainder is not too small. At every precision the series holds what it is at four times the
    /// precision.
    #[test]
    fn the_series_holds_its_limit() {
        for text in ["0", "1/256", "1/3", "0.5"] {
            let r = Rational::parse(text).unwrap();
            for precision in (4..200).step_by(3) {
                let coarse = series(&Enclosure::of(&r, precision));
                let fine = series(&Enclosure::of(&r, 4 * precision + 64));
                assert!(
                    coarse.lower() <= fine.lower() && fine.upper() <= coarse.upper(),
                    "{text} at {precision}"
                );
            }
        }
    }

    #[test]
    fn known_digits_are_enclosed() {
        let cases = [
            ("1", "0.78539816339744830961566084581987572104929234984377645524373614"),
            ("0.5", "0.46364760900080611621425623146121440202853705428612026381093308"),
            ("-2", "-1.10714871779409050301706546017853704007004764540143264667653920"),
            ("1000", "1.569796327128229752564797882004830898086963765133284897396041247"),
        ];
        let slack = Rational::parse("1e-60").unwrap();
        for (x, digits) in cases {
            let enclosure = Enclosure::of(&Rational::parse(x).unwrap(), 250).atan();
            let centre = Rational::parse(digits).unwrap();
            assert!(
                enclosure.lower() >= &centre - &slack && enclosure.upper() <= &centre + &slack,
                "atan({x})"
            );
            assert!(enclosure.upper() - enclosure.lower() < Rational::power_of_two(-240));
        }
    }

    /// Specification: zero has the angle zero, and a huge number nearly a right angle: π/2 − 1/x + 1/(3x³) − …
    #[test]
    fn zero_and_huge_numbers_have_their_angles() {
        let zero = Enclosure::integer(0, 250).atan();
        let slack = Rational::power_of_two(-245);
        assert!(zero.lower() <= Rational::zero() && zero.upper() >= Rational::zero());
        assert!(zero.lower() > -slack.clone() && zero.upper() < slack);
        for power in [40, 100, 300] {
            let found = Enclosure::integer(IBig::ONE << power, 250).atan();
            let right = Enclosure::pi(250).scale_by_power_of_two(-1);
            let gap = Rational::power_of_two(-(power as i64));
            // The next term is below x⁻³ ≤ 2^-120.
            let near = &Rational::power_of_two(-120) + &slack;
            assert!(found.upper() - (right.lower() - gap.clone()) < near, "2^{power}");
            assert!((right.upper() - gap) - found.lower() < near, "2^{power}");
        }
    }
}
