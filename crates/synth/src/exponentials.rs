//! e^x of whole rows, a few cells at a time: most of the time of a fit is spent here.
//!
//! The exponent is split into a whole power of two and a rest of at most ln 2/2, whose series is cut off after the thirteenth power: off by
//! less than one part in 10^15. Multiplications and additions only, in one order, so that it comes out the same on every machine.

/// Adding this rounds to a whole number, which is then in the lowest bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Below this the result is as good as nothing.
const LEAST: f64 = -700.0;
/// 1/k! from the highest power down.
const SERIES: [f64; 14] = [
    1.605_904_383_682_161_3e-10,
    2.087_675_698_786_81e-9,
    2.505_210_838_544_172e-8,
    2.755_731_922_398_589e-7,
    2.755_731_922_398_589_3e-6,
    2.480_158_730_158_73e-5,
    1.984_126_984_126_984e-4,
    1.388_888_888_888_889e-3,
    8.333_333_333_333_333e-3,
    4.166_666_666_666_666_4e-2,
    1.666_666_666_666_666_6e-1,
    0.5,
    1.0,
    1.0,
];

/// e^x for x ≤ 0; what is below −700 counts as −700.
#[inline(always)]
fn exponential(x: f64) -> f64 {
    let x = if x > LEAST { x } else { LEAST };
    let shifted = x * std::f64::consts::LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    let rest = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let series = SERIES.iter().skip(1).fold(SERIES[0], |sum, term| sum * rest + term);
    series * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// Replaces logarithms by their exponentials over the sum of all, and says ln of that sum. The row is not empty.
pub(crate) fn normalise(row: &mut [f64]) -> f64 {
    let largest =
        row.iter().fold(f64::NEG_INFINITY, |largest, value| if *value > largest { *value } else { largest });
    let largest = if largest.is_finite() { largest } else { 0.0 };
    for value in row.iter_mut() {
        *value = exponential(*value - largest);
    }
    // At least one cell is e^0, so that the sum is at least one.
    let total = crate::broadcast::sum(row).max(f64::MIN_POSITIVE);
    let share = 1.0 / total;
    row.iter_mut().for_each(|value| *value *= share);
    largest + libm::log(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        for step in 0..70_000 {
            let x = f64::from(step) * -0.01;
            assert!((exponential(x) / x.exp() - 1.0).abs() < 4e-15, "{x}");
        }
        assert_eq!(exponential(0.0), 1.0);
        for hostile in [f64::NEG_INFINITY, f64::NAN, -1e300] {
            assert!((0.0..1e-300).contains(&exponential(hostile)), "{hostile}");
        }
    }

    #[test]
    fn rows_sum_to_one_whatever_they_hold() {
        for mut row in [vec![0.0], vec![-1e300, 3.0, 1e300], vec![f64::NAN, 1.0], vec![f64::NEG_INFINITY; 3]]
        {
            let logarithm = normalise(&mut row);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && logarithm.is_finite(), "{row:?}");
        }
        let mut row = vec![1.0, 2.0, 3.0];
        assert!((normalise(&mut row) - (1f64.exp() + 2f64.exp() + 3f64.exp()).ln()).abs() < 1e-14);
    }
}
