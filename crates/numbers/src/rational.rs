//! Exact rational numbers, and the decimal strings in which people write them.
//!
//! **Guarantee.** Arithmetic, comparison, [`Rational::parse`] and [`Rational::from_f64`] are exact. Conversion
//! to `f64` exists only with a direction in its name.
//!
//! The arithmetic rests on `dashu-int`; the tests repeat it with `num-bigint`, because a division bug in a
//! big-number crate once biased another library's noise.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

use dashu_int::ops::{BitTest, DivEuclid, DivRem, Gcd, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};
use pointillist_errors::{Explained, Kind};

/// The most characters a number may have: nobody types more, and parsing stays cheap.
const TEXT_LENGTH_MAX: usize = 128;
/// The largest power of ten a decimal may carry.
const EXPONENT_MAX: i64 = 400;

/// Why a text or a float is not a number we take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The text is empty.
    #[error("a number is missing")]
    Empty,
    /// The text is longer than anyone would type.
    #[error("a number of {length} characters is too long")]
    TooLong {
        /// How many bytes were given.
        length: usize,
    },
    /// The text is not a decimal or a fraction.
    #[error("`{text}` is not a number")]
    NotANumber {
        /// The text as given.
        text: String,
    },
    /// The exponent is out of range.
    #[error("the exponent of `{text}` is out of range")]
    Exponent {
        /// The text as given.
        text: String,
    },
    /// A fraction over zero.
    #[error("`{text}` divides by zero")]
    ZeroDenominator {
        /// The text as given.
        text: String,
    },
    /// A float that is NaN, infinite or subnormal.
    #[error("the float {text} is not a finite normal number")]
    NotFinite {
        /// The float as printed.
        text: String,
    },
}

impl Explained for NumberError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Empty => "write a decimal such as 0.5, 3 or 1e-6".to_owned(),
            Self::TooLong { .. } => {
                format!("write at most {TEXT_LENGTH_MAX} characters, such as 0.5 or 1e-6")
            }
            Self::NotANumber { .. } => {
                "write a decimal such as 0.5, 3 or 1e-6, or a fraction such as 10/3".to_owned()
            }
            Self::Exponent { .. } => format!("exponents run from -{EXPONENT_MAX} to {EXPONENT_MAX}"),
            Self::ZeroDenominator { .. } => {
                "write a fraction with a positive denominator, such as 10/3".to_owned()
            }
            Self::NotFinite { .. } => "write a decimal such as 0.5, 3 or 1e-6".to_owned(),
        })
    }

    fn kind(&self) -> Kind {
        Kind::Parameter
    }
}

/// An exact fraction in lowest terms.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: IBig,
    denominator: UBig,
}

impl Rational {
    /// The fraction `numerator / denominator` in lowest terms; `None` when the denominator is zero.
    pub fn new(numerator: impl Into<IBig>, denominator: impl Into<UBig>) -> Option<Self> {
        let denominator = denominator.into();
        (denominator != UBig::ZERO).then(|| Self::reduced(numerator.into(), denominator))
    }

    /// The fraction of two machine integers, for constants in code.
    ///
    /// # Panics
    /// When the denominator is zero, which is a mistake in the calling code.
    pub fn ratio(numerator: i128, denominator: u128) -> Self {
        Self::new(numerator, denominator).expect("a constant fraction has a positive denominator")
    }

    /// The number zero.
    pub fn zero() -> Self {
        Self { numerator: IBig::ZERO, denominator: UBig::ONE }
    }

    /// The number one.
    pub fn one() -> Self {
        Self::from(1)
    }

    /// Two to the power of `exponent`.
    pub fn power_of_two(exponent: i64) -> Self {
        let power = UBig::ONE
            << usize::try_from(exponent.unsigned_abs()).expect("an exponent fits the address space");
        if exponent >= 0 {
            Self { numerator: power.into(), denominator: UBig::ONE }
        } else {
            Self { numerator: IBig::ONE, denominator: power }
        }
    }

    /// Reads a decimal (`0.5`, `-3`, `1e-6`) or a fraction (`10/3`), exactly.
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        if text.is_empty() {
            return Err(NumberError::Empty);
        }
        if text.len() > TEXT_LENGTH_MAX {
            return Err(NumberError::TooLong { length: text.len() });
        }
        match text.split_once('/') {
            None => parse_decimal(text, text),
            Some((over, under)) => {
                let (over, under) = (parse_decimal(over, text)?, parse_decimal(under, text)?);
                match under.numerator.sign() {
                    _ if under.is_zero() => Err(NumberError::ZeroDenominator { text: text.to_owned() }),
                    Sign::Negative => Err(NumberError::NotANumber { text: text.to_owned() }),
                    Sign::Positive => Ok(over / under),
                }
            }
        }
    }

    /// The exact value of a float; refuses NaN, infinities and subnormals.
    pub fn from_f64(value: f64) -> Result<Self, NumberError> {
        if value == 0.0 {
            return Ok(Self::zero());
        }
        if !value.is_normal() {
            return Err(NumberError::NotFinite { text: value.to_string() });
        }
        let bits = value.to_bits();
        let mantissa = IBig::from((bits & ((1 << 52) - 1)) | (1 << 52));
        let exponent = ((bits >> 52) & 0x7ff) as i64 - 1075;
        let magnitude = Self::from(mantissa) * Self::power_of_two(exponent);
        Ok(if value < 0.0 { -magnitude } else { magnitude })
    }

    /// The numerator, which carries the sign.
    pub fn numerator(&self) -> &IBig {
        &self.numerator
    }

    /// The denominator, positive and without common factor with the numerator.
    pub fn denominator(&self) -> &UBig {
        &self.denominator
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.numerator == IBig::ZERO
    }

    /// Whether this is greater than zero.
    pub fn is_positive(&self) -> bool {
        self.numerator > IBig::ZERO
    }

    /// Whether this is less than zero.
    pub fn is_negative(&self) -> bool {
        self.numerator < IBig::ZERO
    }

    /// Whether this is a whole number.
    pub fn is_integer(&self) -> bool {
        self.denominator == UBig::ONE
    }

    /// The largest integer at or below.
    pub fn floor(&self) -> IBig {
        (&self.numerator).div_euclid(IBig::from(self.denominator.clone()))
    }

    /// The smallest integer at or above.
    pub fn ceil(&self) -> IBig {
        -(-self.clone()).floor()
    }

    /// The magnitude.
    pub fn abs(&self) -> Self {
        Self {
            numerator: self.numerator.clone().unsigned_abs().into(),
            denominator: self.denominator.clone(),
        }
    }

    /// The product with itself.
    pub fn squared(&self) -> Self {
        self.clone() * self.clone()
    }

    /// One over this; `None` for zero.
    pub fn reciprocal(&self) -> Option<Self> {
        let (sign, magnitude) = self.numerator.clone().into_parts();
        Self::new(IBig::from_parts(sign, self.denominator.clone()), magnitude)
    }

    /// The smallest multiple of `2^-bits` at or above.
    pub fn round_up_to_bits(&self, bits: i64) -> Self {
        let unit = Self::power_of_two(-bits);
        Self::from((self.clone() / unit.clone()).ceil()) * unit
    }

    /// The largest multiple of `2^-bits` at or below.
    pub fn round_down_to_bits(&self, bits: i64) -> Self {
        -(-self.clone()).round_up_to_bits(bits)
    }

    /// The smallest rational with about `bits` significant bits that is at or above this positive number.
    pub fn round_up_significant(&self, bits: usize) -> Self {
        let length = |n: usize| i64::try_from(n).expect("a bit length fits i64");
        let magnitude =
            length(self.numerator.clone().unsigned_abs().bit_len()) - length(self.denominator.bit_len());
        self.round_up_to_bits(length(bits) - magnitude)
    }

    /// The nearest `f64` at or above; infinite when none is finite.
    pub fn to_f64_upper(&self) -> f64 {
        let mut candidate = self.to_f64_near();
        while candidate.is_finite() && Self::exact(candidate) < *self {
            candidate = candidate.next_up();
        }
        loop {
            let below = candidate.next_down();
            if below.is_finite() && Self::exact(below) >= *self {
                candidate = below;
            } else if candidate == f64::NEG_INFINITY {
                return f64::MIN;
            } else {
                return candidate;
            }
        }
    }

    /// The nearest `f64` at or below; negative infinite when none is finite.
    pub fn to_f64_lower(&self) -> f64 {
        // Subtracting from zero keeps zero from becoming minus zero.
        0.0 - (-self.clone()).to_f64_upper()
    }

    /// The nearest `f64`, the one with an even last bit where two are equally near: for people and scripts, never for a
    /// bound.
    pub fn to_f64_nearest(&self) -> f64 {
        let (lower, upper) = (self.to_f64_lower(), self.to_f64_upper());
        if lower == upper || !lower.is_finite() || !upper.is_finite() {
            return if lower.is_finite() { lower } else { upper };
        }
        let (down, up) = (self.clone() - Self::exact(lower), Self::exact(upper) - self.clone());
        match down.cmp(&up) {
            Ordering::Less => lower,
            Ordering::Greater => upper,
            Ordering::Equal if lower.to_bits() & 1 == 0 => lower,
            Ordering::Equal => upper,
        }
    }

    /// The exact value of any finite float, subnormals included: only comparisons with our own candidates use it.
    fn exact(value: f64) -> Self {
        if value == 0.0 || value.is_normal() {
            Self::from_f64(value).expect("zero and normal floats convert")
        } else {
            Self::from_f64(value * 2f64.powi(200)).expect("scaled subnormals are normal")
                * Self::power_of_two(-200)
        }
    }

    /// A float close to the value; the directed conversions correct it by exact comparison.
    fn to_f64_near(&self) -> f64 {
        let length = |n: usize| i64::try_from(n).expect("a bit length fits i64");
        let magnitude = self.numerator.clone().unsigned_abs();
        let shift = 64 + length(self.denominator.bit_len()) - length(magnitude.bit_len());
        let quotient = if shift >= 0 {
            (magnitude << shift.unsigned_abs() as usize) / &self.denominator
        } else {
            magnitude / (&self.denominator << shift.unsigned_abs() as usize)
        };
        let leading = u128::try_from(quotient).expect("the quotient has at most 66 bits") as f64;
        // Two steps, so that the scaling itself neither overflows nor underflows early.
        let half = (-shift / 2).clamp(-1000, 1000) as i32;
        let rest = (-shift - i64::from(half)).clamp(-1000, 1000) as i32;
        let near = leading * 2f64.powi(half) * 2f64.powi(rest);
        if self.is_negative() { -near } else { near }
    }

    fn reduced(numerator: IBig, denominator: UBig) -> Self {
        if numerator == IBig::ZERO {
            return Self::zero();
        }
        let common = (&numerator).unsigned_abs().gcd(&denominator);
        if common == UBig::ONE {
            return Self { numerator, denominator };
        }
        Self { numerator: numerator / IBig::from(common.clone()), denominator: denominator / common }
    }
}

/// Digits with at most one point and an optional exponent; anything else is refused. `whole` is for the error.
fn parse_decimal(text: &str, whole: &str) -> Result<Rational, NumberError> {
    let refuse = || NumberError::NotANumber { text: whole.to_owned() };
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, exponent) = match body.split_once(['e', 'E']) {
        None => (body, 0),
        Some((digits, exponent)) => {
            let plain = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if plain.is_empty() || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(refuse());
            }
            let out_of_range = || NumberError::Exponent { text: whole.to_owned() };
            let value: i64 = exponent.parse().map_err(|_| out_of_range())?;
            if value.abs() > EXPONENT_MAX {
                return Err(out_of_range());
            }
            (digits, value)
        }
    };
    let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let figures: String = [integer, fraction].concat();
    if figures.is_empty() || !figures.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(refuse());
    }
    let magnitude = UBig::from_str_radix(&figures, 10).map_err(|_| refuse())?;
    let scale = exponent - i64::try_from(fraction.len()).expect("the text is short");
    let ten = UBig::from(10u8).pow(scale.unsigned_abs() as usize);
    let value = if scale >= 0 {
        Rational::from(IBig::from(magnitude * ten))
    } else {
        Rational::reduced(magnitude.into(), ten)
    };
    Ok(if negative { -value } else { value })
}

impl FromStr for Rational {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        Self::parse(text)
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Rational {
            fn from(value: $integer) -> Self {
                Self { numerator: value.into(), denominator: UBig::ONE }
            }
        }
    )*};
}
from_integers!(i32, i64, i128, u32, u64, u128, usize, IBig, UBig);

impl Add for Rational {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let left = self.numerator * IBig::from(other.denominator.clone());
        let right = other.numerator * IBig::from(self.denominator.clone());
        Self::reduced(left + right, self.denominator * other.denominator)
    }
}

impl Sub for Rational {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Rational {
    type Output = Self;
    fn neg(self) -> Self {
        Self { numerator: -self.numerator, denominator: self.denominator }
    }
}

impl Mul for Rational {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::reduced(self.numerator * other.numerator, self.denominator * other.denominator)
    }
}

impl Div for Rational {
    type Output = Self;
    /// # Panics
    /// When the divisor is zero, as integer division does.
    fn div(self, other: Self) -> Self {
        let reciprocal = other.reciprocal().expect("the divisor is not zero");
        Mul::mul(self, reciprocal)
    }
}

macro_rules! by_reference {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for &Rational {
            type Output = Rational;
            fn $method(self, other: Self) -> Rational {
                self.clone().$method(other.clone())
            }
        }
    )*};
}
by_reference!(Add add, Sub sub, Mul mul, Div div);

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = &self.numerator * IBig::from(other.denominator.clone());
        let right = &other.numerator * IBig::from(self.denominator.clone());
        left.cmp(&right)
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A finite decimal of up to forty places where there is one, a fraction otherwise: a text short enough to be parsed
/// gives the same number back.
impl fmt::Display for Rational {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.denominator.clone();
        let mut places = [0usize; 2];
        for (count, prime) in places.iter_mut().zip([2u8, 5]) {
            loop {
                let (quotient, remainder) = (&rest).div_rem(&UBig::from(prime));
                if remainder != UBig::ZERO {
                    break;
                }
                rest = quotient;
                *count += 1;
            }
        }
        let digits = places[0].max(places[1]);
        if rest != UBig::ONE || digits > 40 {
            return write!(out, "{}/{}", self.numerator, self.denominator);
        }
        let scaled = self.numerator.clone().unsigned_abs() * UBig::from(10u8).pow(digits) / &self.denominator;
        let figures = format!("{:0>width$}", scaled.to_string(), width = digits + 1);
        let (integer, fraction) = figures.split_at(figures.len() - digits);
        let sign = if self.is_negative() { "-" } else { "" };
        let point = if digits > 0 { "." } else { "" };
        write!(out, "{sign}{integer}{point}{fraction}")
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests;
