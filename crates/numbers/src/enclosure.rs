//! A real number between two exact bounds.
//!
//! **Guarantee.** If `x` lies in enclosure `a` and `y` in `b`, then `x + y` lies in `&a + &b`, and likewise for
//! every operation and function of this crate: lower bounds are rounded down, upper bounds up.
//!
//! Bounds are integers in units of `2^-precision`. Precision is absolute: whoever needs a small number to many
//! significant digits asks for as many bits as its size takes away.

use std::ops::{Add, Mul, Neg, Sub};

use dashu_int::ops::{DivEuclid, SquareRoot};
use dashu_int::{IBig, UBig};

use crate::Rational;

/// Exact bounds `lower ≤ x ≤ upper` around a real `x`, both multiples of `2^-precision`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosure {
    pub(crate) lower: IBig,
    pub(crate) upper: IBig,
    pub(crate) precision: usize,
}

impl Enclosure {
    /// Bounds in units of `2^-precision`.
    ///
    /// # Panics
    /// When the bounds are reversed, which no correct computation produces.
    pub fn new(lower: IBig, upper: IBig, precision: usize) -> Self {
        assert!(lower <= upper, "an enclosure has its lower bound below its upper bound");
        Self { lower, upper, precision }
    }

    /// The tightest enclosure of a rational at this precision.
    pub fn of(value: &Rational, precision: usize) -> Self {
        let scaled = value.numerator() << precision;
        let denominator = IBig::from(value.denominator().clone());
        Self::new(floor_div(&scaled, &denominator), ceil_div(&scaled, &denominator), precision)
    }

    /// An integer, exactly.
    pub fn integer(value: impl Into<IBig>, precision: usize) -> Self {
        let scaled = value.into() << precision;
        Self { lower: scaled.clone(), upper: scaled, precision }
    }

    /// How many bits stand behind the point.
    pub fn precision(&self) -> usize {
        self.precision
    }

    /// The lower bound in units of `2^-precision`.
    pub fn lower_units(&self) -> &IBig {
        &self.lower
    }

    /// The upper bound in units of `2^-precision`.
    pub fn upper_units(&self) -> &IBig {
        &self.upper
    }

    /// The lower bound.
    pub fn lower(&self) -> Rational {
        Rational::from(self.lower.clone()) * Rational::power_of_two(-self.signed_precision())
    }

    /// The upper bound.
    pub fn upper(&self) -> Rational {
        Rational::from(self.upper.clone()) * Rational::power_of_two(-self.signed_precision())
    }

    /// The same real at another precision; fewer bits round outwards.
    pub fn at_precision(&self, precision: usize) -> Self {
        if precision >= self.precision {
            let shift = precision - self.precision;
            return Self { lower: &self.lower << shift, upper: &self.upper << shift, precision };
        }
        let shift = self.precision - precision;
        Self { lower: floor_shift(&self.lower, shift), upper: ceil_shift(&self.upper, shift), precision }
    }

    /// The quotient; `None` when the divisor may be zero.
    pub fn checked_div(&self, divisor: &Self) -> Option<Self> {
        let precision = self.same_precision(divisor);
        if divisor.lower <= IBig::ZERO && divisor.upper >= IBig::ZERO {
            return None;
        }
        let corners = |round: fn(&IBig, &IBig) -> IBig| -> Vec<IBig> {
            [
                (&self.lower, &divisor.lower),
                (&self.lower, &divisor.upper),
                (&self.upper, &divisor.lower),
                (&self.upper, &divisor.upper),
            ]
            .into_iter()
            .map(|(over, under)| round(&(over << precision), under))
            .collect()
        };
        let lower = corners(floor_div).into_iter().min().expect("four corners");
        let upper = corners(ceil_div).into_iter().max().expect("four corners");
        Some(Self::new(lower, upper, precision))
    }

    /// Division by a positive integer.
    pub fn div_integer(&self, divisor: u64) -> Self {
        let divisor = IBig::from(divisor);
        Self {
            lower: floor_div(&self.lower, &divisor),
            upper: ceil_div(&self.upper, &divisor),
            precision: self.precision,
        }
    }

    /// Multiplication by an integer, which is exact.
    pub fn mul_integer(&self, factor: i64) -> Self {
        let factor = IBig::from(factor);
        let (a, b) = (&self.lower * &factor, &self.upper * &factor);
        if a <= b { Self::new(a, b, self.precision) } else { Self::new(b, a, self.precision) }
    }

    /// Multiplication by `2^exponent`.
    pub fn scale_by_power_of_two(&self, exponent: i64) -> Self {
        let shift = usize::try_from(exponent.unsigned_abs()).expect("an exponent fits the address space");
        if exponent >= 0 {
            Self { lower: &self.lower << shift, upper: &self.upper << shift, precision: self.precision }
        } else {
            Self {
                lower: floor_shift(&self.lower, shift),
                upper: ceil_shift(&self.upper, shift),
                precision: self.precision,
            }
        }
    }

    /// The square root; bounds below zero count as zero.
    ///
    /// # Panics
    /// When the whole enclosure is negative.
    pub fn sqrt(&self) -> Self {
        assert!(self.upper >= IBig::ZERO, "a square root needs a number that can be nonnegative");
        let floor_root = |units: &IBig| -> UBig {
            let units = UBig::try_from(units.clone()).unwrap_or(UBig::ZERO);
            (units << self.precision).sqrt()
        };
        let lower = floor_root(&self.lower);
        let above = floor_root(&self.upper);
        let exact = UBig::try_from(self.upper.clone() << self.precision)
            .is_ok_and(|square| &above * &above == square);
        let upper = if exact { above } else { above + UBig::ONE };
        Self::new(lower.into(), upper.into(), self.precision)
    }

    /// The integer part when every number in the enclosure has the same.
    pub fn floor(&self) -> Option<IBig> {
        let floor = floor_shift(&self.lower, self.precision);
        (floor == floor_shift(&self.upper, self.precision)).then_some(floor)
    }

    /// Both bounds moved apart by this many units.
    pub(crate) fn widened(&self, units: impl Into<IBig>) -> Self {
        let units = units.into();
        Self { lower: &self.lower - &units, upper: &self.upper + units, precision: self.precision }
    }

    fn same_precision(&self, other: &Self) -> usize {
        assert_eq!(self.precision, other.precision, "enclosures meet at one precision");
        self.precision
    }

    fn signed_precision(&self) -> i64 {
        i64::try_from(self.precision).expect("a precision fits i64")
    }
}

pub(crate) fn floor_shift(value: &IBig, shift: usize) -> IBig {
    // An arithmetic shift rounds towards minus infinity; a test holds the library to it.
    value >> shift
}

pub(crate) fn ceil_shift(value: &IBig, shift: usize) -> IBig {
    -floor_shift(&-value, shift)
}

pub(crate) fn floor_div(over: &IBig, under: &IBig) -> IBig {
    if *under < IBig::ZERO {
        return floor_div(&-over, &-under);
    }
    over.div_euclid(under)
}

pub(crate) fn ceil_div(over: &IBig, under: &IBig) -> IBig {
    -floor_div(&-over, under)
}

impl Add for &Enclosure {
    type Output = Enclosure;
    fn add(self, other: Self) -> Enclosure {
        let precision = self.same_precision(other);
        Enclosure { lower: &self.lower + &other.lower, upper: &self.upper + &other.upper, precision }
    }
}

impl Sub for &Enclosure {
    type Output = Enclosure;
    fn sub(self, other: Self) -> Enclosure {
        let precision = self.same_precision(other);
        Enclosure { lower: &self.lower - &other.upper, upper: &self.upper - &other.lower, precision }
    }
}

impl Neg for &Enclosure {
    type Output = Enclosure;
    fn neg(self) -> Enclosure {
        Enclosure { lower: -&self.upper, upper: -&self.lower, precision: self.precision }
    }
}

impl Mul for &Enclosure {
    type Output = Enclosure;
    fn mul(self, other: Self) -> Enclosure {
        let precision = self.same_precision(other);
        let (lower, upper) = if self.lower >= IBig::ZERO && other.lower >= IBig::ZERO {
            (&self.lower * &other.lower, &self.upper * &other.upper)
        } else {
            let corners = [
                &self.lower * &other.lower,
                &self.lower * &other.upper,
                &self.upper * &other.lower,
                &self.upper * &other.upper,
            ];
            let lower = corners.iter().min().expect("four corners").clone();
            let upper = corners.into_iter().max().expect("four corners");
            (lower, upper)
        };
        Enclosure { lower: floor_shift(&lower, precision), upper: ceil_shift(&upper, precision), precision }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Rational> {
        ["0", "1", "-1", "1/3", "-1/3", "2.75", "-17/7", "1e-9", "12345/11"]
            .map(|t| Rational::parse(t).unwrap())
            .to_vec()
    }

    fn assert_holds(enclosure: &Enclosure, exact: &Rational) {
        assert!(
            enclosure.lower() <= *exact && *exact <= enclosure.upper(),
            "{enclosure:?} does not hold {exact}"
        );
    }

    #[test]
    fn operations_never_lose_the_exact_result() {
        for precision in [3, 20, 64, 130] {
            for a in sample() {
                for b in sample() {
                    let (x, y) = (Enclosure::of(&a, precision), Enclosure::of(&b, precision));
                    assert_holds(&(&x + &y), &(&a + &b));
                    assert_holds(&(&x - &y), &(&a - &b));
                    assert_holds(&(&x * &y), &(&a * &b));
                    assert_holds(&x.div_integer(7), &(&a / &Rational::from(7)));
                    assert_holds(&x.mul_integer(-3), &(&a * &Rational::from(-3)));
                    assert_holds(&x.scale_by_power_of_two(-2), &(&a / &Rational::from(4)));
                    assert_holds(&x.at_precision(2), &a);
                    match x.checked_div(&y) {
                        Some(quotient) => assert_holds(&quotient, &(&a / &b)),
                        None => assert!(y.lower <= IBig::ZERO && y.upper >= IBig::ZERO),
                    }
                }
            }
        }
    }

    #[test]
    fn shifts_round_outwards_below_zero_too() {
        let minus_five = IBig::from(-5);
        assert_eq!(floor_shift(&minus_five, 1), IBig::from(-3));
        assert_eq!(ceil_shift(&minus_five, 1), IBig::from(-2));
        assert_eq!(floor_div(&minus_five, &IBig::from(-2)), IBig::from(2));
        assert_eq!(ceil_div(&minus_five, &IBig::from(-2)), IBig::from(3));
        assert_eq!(floor_div(&minus_five, &IBig::from(2)), IBig::from(-3));
    }

    #[test]
    fn square_roots_square_back() {
        for text in ["0", "2", "1/3", "4", "12345/11"] {
            let exact = Rational::parse(text).unwrap();
            let root = Enclosure::of(&exact, 90).sqrt();
            assert!(root.lower().squared() <= exact && exact <= root.upper().squared(), "{text}");
        }
        let four = Enclosure::integer(4, 10).sqrt();
        assert_eq!((four.lower(), four.upper()), (Rational::from(2), Rational::from(2)));
    }

    #[test]
    fn a_floor_is_given_only_when_it_is_certain() {
        let third = Enclosure::of(&Rational::ratio(7, 3), 8);
        assert_eq!(third.floor(), Some(IBig::from(2)));
        assert_eq!(Enclosure::new(IBig::from(255), IBig::from(257), 8).floor(), None);
        assert_eq!(Enclosure::of(&Rational::ratio(-1, 3), 8).floor(), Some(IBig::from(-1)));
    }
}
