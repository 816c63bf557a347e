//! Numbers added up exactly, and rounded once.
//!
//! **Guarantee.** [`ExactSum::value`] is the number nearest to the true sum of what was added less what was taken away, ties to
//! even; infinite if no finite number is nearest. So it is a function of the multiset of numbers, whatever their order, and
//! windows may slide.
//! **How.** A finite double is a whole number of 53 bits times a power of two from 2^-1074 on. The sum is kept as digits of 32
//! bits, each with room for 2^94 additions before it must be carried.

/// Bits of a digit.
const DIGIT: usize = 32;
/// From 2^-1074 to beyond 2^64 times the largest number.
const DIGITS: usize = 69;
const MASK: i128 = (1 << DIGIT) - 1;

/// A sum.
#[derive(Clone)]
pub(super) struct ExactSum([i128; DIGITS]);

impl ExactSum {
    /// Nothing.
    pub(super) fn new() -> Self {
        Self([0; DIGITS])
    }

    /// The sum of numbers.
    pub(super) fn of(numbers: impl Iterator<Item = f64>) -> f64 {
        let mut sum = Self::new();
        numbers.for_each(|number| sum.add(number));
        sum.value()
    }

    /// Adds a finite number.
    pub(super) fn add(&mut self, number: f64) {
        let bits = number.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as usize, bits & ((1 << 52) - 1));
        let whole = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let place = exponent.saturating_sub(1);
        let shifted = i128::from(whole) << (place % DIGIT);
        let sign = if number.is_sign_negative() { -1 } else { 1 };
        for (digit, shift) in self.0[place / DIGIT..].iter_mut().zip([0, DIGIT, 2 * DIGIT]) {
            *digit += sign * (shifted >> shift & MASK);
        }
    }

    /// Takes a finite number away.
    pub(super) fn subtract(&mut self, number: f64) {
        self.add(-number);
    }

    /// The nearest number.
    pub(super) fn value(&self) -> f64 {
        let (mut digits, negative) = match carried(self.0) {
            (digits, carry) if carry >= 0 => (digits, false),
            _ => (carried(self.0.map(|digit| -digit)).0, true),
        };
        let Some(top) = digits.iter().rposition(|digit| *digit != 0) else { return 0.0 };
        let last = top * DIGIT + digits[top].ilog2() as usize;
        let mut bit = |place: usize| {
            let digit = &mut digits[place / DIGIT];
            let set = *digit >> (place % DIGIT) & 1;
            *digit &= !(1 << (place % DIGIT));
            set as u64
        };
        // As bits of a double: 53 leading ones from `last` down, the first of which is the exponent's lowest.
        let first = last.saturating_sub(52);
        let mut bits = (first..=last).rev().fold(0, |bits, place| bits << 1 | bit(place));
        if first > 0 {
            let half = bit(first - 1) == 1;
            let beyond = digits[..first.div_ceil(DIGIT)].iter().any(|digit| *digit != 0);
            bits += (first as u64) << 52;
            bits += u64::from(half && (beyond || bits & 1 == 1));
        }
        let size = if bits >> 52 >= 0x7ff { f64::INFINITY } else { f64::from_bits(bits) };
        if negative { -size } else { size }
    }
}

/// Digits from zero to 2^32 − 1, and what is left above them.
fn carried(mut digits: [i128; DIGITS]) -> ([i128; DIGITS], i128) {
    let mut carry = 0;
    for digit in &mut digits {
        let sum = *digit + carry;
        (*digit, carry) = (sum & MASK, sum >> DIGIT);
    }
    (digits, carry)
}

#[cfg(test)]
pub(super) mod tests {
    use pointillist_numbers::Rational;

    use super::*;
    use crate::tests::Chance;

    /// The nearest number of an exact sum, computed with fractions.
    pub(crate) fn nearest(numbers: &[f64]) -> f64 {
        let exact = |number: f64| {
            // The smallest numbers are converted as multiples of 2^-200.
            let large = Rational::from_f64(number * 2f64.powi(200)).ok();
            let small = || large.map(|large| large * Rational::from_f64(2f64.powi(-200)).unwrap());
            Rational::from_f64(number).ok().or_else(small).unwrap()
        };
        let sum = numbers.iter().fold(Rational::zero(), |sum, number| sum + exact(*number));
        // Half a step beyond the largest number.
        let beyond = exact(f64::MAX) + exact(2f64.powi(970));
        if sum >= beyond {
            f64::INFINITY
        } else if -sum.clone() >= beyond {
            f64::NEG_INFINITY
        } else {
            sum.to_f64_nearest()
        }
    }

    #[test]
    fn sums_are_the_nearest_numbers_whatever_the_order() {
        let edges =
            [0.0, 5e-324, f64::MIN_POSITIVE, 1.0, 0.1, 1e16, 1e300, f64::MAX / 2.0, 1.0 + f64::EPSILON];
        let mut chance = Chance(0x7375_6d00);
        for _ in 0..3_000 {
            let mut numbers: Vec<f64> = (0..1 + chance.below(6))
                .map(|_| {
                    let size = match chance.below(4) {
                        0 => *chance.pick(&edges),
                        1 => f64::from_bits(chance.word() % (0x7fe0 << 48)),
                        2 => (chance.below(9) as f64) * 0.5,
                        _ => *chance.pick(&[9007199254740992.0, 9007199254740994.0, 0.5, 1.0]),
                    };
                    if chance.one_in(2) { -size } else { size }
                })
                .collect();
            let expected = nearest(&numbers);
            assert_eq!(ExactSum::of(numbers.iter().copied()), expected, "{numbers:?}");
            let mut slid = ExactSum::new();
            slid.add(f64::MAX);
            chance.shuffle(&mut numbers);
            numbers.iter().for_each(|number| slid.add(*number));
            slid.subtract(f64::MAX);
            assert_eq!(slid.value(), expected, "{numbers:?}");
        }
        assert_eq!(ExactSum::of([f64::MAX, f64::MAX, -f64::MAX].into_iter()), f64::MAX);
        assert_eq!(ExactSum::of([f64::MAX, f64::MAX].into_iter()), f64::INFINITY);
        assert_eq!(ExactSum::of([f64::MIN, f64::MIN].into_iter()), f64::NEG_INFINITY);
    }
}
