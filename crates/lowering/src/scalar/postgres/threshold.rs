//! From which number on an operation with a constant leaves the range of floats, found by trying.
//!
//! **Exact.** The operations are monotone in the distance of their operand from zero, and floats of one sign are ordered as
//! their bits are: bisection over the bits finds the very float.

/// The largest float that the condition holds for, if it holds from zero up to some float and for none beyond.
pub(super) fn largest(holds: impl Fn(f64) -> bool) -> Option<f64> {
    border(holds).checked_sub(1).map(f64::from_bits)
}

/// The smallest positive float or zero that the condition holds for, if it holds from there on; `None` if for none.
pub(super) fn smallest(holds: impl Fn(f64) -> bool) -> Option<f64> {
    Some(f64::from_bits(border(|x| !holds(x)))).filter(|x| x.is_finite())
}

/// The bits of the first float, from zero, that the condition does not hold for; those of infinity if it holds for all.
fn border(holds: impl Fn(f64) -> bool) -> u64 {
    let (mut low, mut high) = (0, f64::INFINITY.to_bits());
    while low < high {
        let middle = low + (high - low) / 2;
        match holds(f64::from_bits(middle)) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_found_to_the_bit() {
        assert_eq!(largest(|x| x <= 3.5), Some(3.5));
        assert_eq!((largest(|_| true), largest(|_| false)), (Some(f64::MAX), None));
        assert_eq!(smallest(|x| x * 0.5 > 0.0), Some(f64::from_bits(2)));
        assert_eq!((smallest(|_| true), smallest(|_| false)), (Some(0.0), None));
        let end = largest(|x| (x * 3.0).is_finite()).unwrap();
        assert!((end * 3.0).is_finite() && (end.next_up() * 3.0).is_infinite());
    }
}
