//! A person's total as if it were of at most m rows: one weight a row, rounded to nearest on a finer grid.
//!
//! **Guarantee.** Let every row of a person hold an integer in [lo, hi], lo ≤ 0 ≤ hi, and let the person have c rows
//! with total t. [`thinned`] returns w·t with w = min(1, m/c), in units of 1/F, F = 2^b, rounded to nearest. It lies in
//! [m·F·lo, m·F·hi] whatever the rows are, so noise for Δ = m·F·max(−lo, hi) in units of 1/F hides the person: in values
//! the same noise as without F. The refinement is free.
//! **Neighbours.** Add or remove everything one privacy unit contributed; the result looks at one person alone.
//! **Source.** Proof. With c ≤ m it is F·t, between c·F·lo and c·F·hi. With c > m it is m·F·t/c rounded; as t lies
//! between c·lo and c·hi, m·F·t/c lies between m·F·lo and m·F·hi, which are integers, and a number between two integers
//! stays between them when it is rounded to a nearest integer.
//! **Bias.** A thinned person errs by at most half a unit, 1/(2F), and carries the weight m in the count of rows, so a
//! mean errs by at most 1/(2·F·m) of a row's unit: with F from [`refinement_bits`] at most 2^-21/m of the largest
//! magnitude, to either side. Cutting towards zero on the plain grid instead moves everybody with mixed rows towards the
//! middle: a yes/no column with m = 1 then has the mean ½ for all of them.
//! **Exactness.** Integers. With t = q·c + r, both of one sign, m·F·t/c = q·m·F + r·m·F/c; |q| ≤ 2^62, |r| < c < 2^63 and
//! m·F ≤ 2^62, so nothing passes 2^126 ([`refinement_bits`] keeps m·F there; an unrefined m may be up to 2^63).

/// Units are refined until the largest magnitude of a row has this many bits.
const BITS: u32 = 20;
/// The largest m·F.
const WEIGHT_MAX: u128 = 1 << 62;
/// The largest magnitude of a row in refined units.
const ROW_MAX: u128 = 1 << 62;
/// The largest total of a person in refined units.
const PERSON_MAX: u128 = 1 << 80;

/// b, for rows of at most this magnitude and at most `rows_max` of them: the least with 2^b·magnitude ≥ 2^20, or fewer
/// where a person's total would outgrow 80 bits.
pub fn refinement_bits(magnitude_max: u128, rows_max: u64) -> u32 {
    let magnitude = magnitude_max.max(1);
    let fits = |bits: u32| {
        let row = magnitude.checked_shl(bits).filter(|row| row >> bits == magnitude);
        let weight = u128::from(rows_max) << bits;
        let total = row.and_then(|row| row.checked_mul(u128::from(rows_max)));
        row.is_some_and(|row| row <= ROW_MAX)
            && weight <= WEIGHT_MAX
            && total.is_some_and(|total| total <= PERSON_MAX)
    };
    let wanted = BITS.saturating_sub(magnitude.ilog2());
    (0..=wanted).rev().find(|bits| fits(*bits)).unwrap_or(0)
}

/// A person's total, weighted and rounded, in units of 2^-bits; ties go away from zero.
#[inline(always)]
pub fn thinned(total: i128, rows: i128, rows_max: u64, bits: u32) -> i128 {
    if rows <= i128::from(rows_max) {
        return total << bits;
    }
    let weight = i128::from(rows_max) << bits;
    let (whole, rest) = (total / rows, (total % rows) * weight);
    let (quotient, remainder) = (rest / rows, rest % rows);
    let away = if 2 * remainder.unsigned_abs() >= rows.unsigned_abs() { rest.signum() } else { 0 };
    whole * weight + quotient + away
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Rational;
    use pointillist_testkit::all_datasets;

    use super::*;

    /// The definition, in exact fractions.
    fn defined(total: i128, rows: i128, rows_max: u64, bits: u32) -> i128 {
        let refined = Rational::from(total) * Rational::power_of_two(i64::from(bits));
        let weight = match rows > i128::from(rows_max) {
            true => Rational::from(rows_max) / Rational::from(rows),
            false => Rational::one(),
        };
        let (exact, half) = (refined * weight, Rational::ratio(1, 2));
        let nearest = match exact.is_negative() {
            true => -(half - exact).floor(),
            false => (exact + half).floor(),
        };
        i128::try_from(nearest).unwrap()
    }

    /// Brute force: over all persons of at most six rows the claim holds and is reached, at every refinement; a person cut
    /// towards zero would stay inside too, so the values are compared with the definition as well.
    #[test]
    fn every_small_person_is_inside_and_some_person_is_at_the_ends() {
        for (low, high) in [(-1i128, 1i128), (-3, 3), (0, 2), (-2, 0), (-7, 9)] {
            for rows_max in 1..=4u64 {
                for bits in [0, 1, 5, 20] {
                    let (mut least, mut most) = (0, 0);
                    for person in all_datasets(&[low, low.min(0) / 2, 0, high.max(0) / 2, high], 5) {
                        let (total, rows) = (person.iter().sum(), person.len() as i128);
                        let share = thinned(total, rows, rows_max, bits);
                        assert_eq!(share, defined(total, rows, rows_max, bits), "{person:?} of {rows_max}");
                        (least, most) = (share.min(least), share.max(most));
                    }
                    let claim = i128::from(rows_max) << bits;
                    assert_eq!((least, most), (claim * low.min(0), claim * high.max(0)));
                }
            }
        }
    }

    /// Brute force at the extremes: huge numbers of rows, the widest grids, and totals at and next to the ends.
    #[test]
    fn the_claim_holds_at_the_ends_of_every_range() {
        for magnitude in [1i128, 2, 1 << 19, 1 << 20, 1 << 31, 1 << 61, 1 << 62] {
            for rows_max in [1u64, 2, 20, 1 << 18, 1 << 30, 1 << 42, 1 << 62, 1 << 63] {
                let bits = refinement_bits(magnitude.unsigned_abs(), rows_max);
                let m = i128::from(rows_max);
                if m * magnitude > 1 << 80 {
                    assert_eq!(bits, 0, "a plan refuses this");
                    continue;
                }
                let claim = (m * magnitude) << bits;
                assert!(claim <= 1 << 80);
                for rows in [1, m, m + 1, 2 * m - 1, 1 << 20, 1 << 40, (1 << 63) - 1] {
                    // A person's total of so many rows fits; more rows than there can be are not tried.
                    let Some(end) = rows.checked_mul(magnitude).filter(|_| rows < 1 << 63) else { continue };
                    for total in [-end, 1 - end, -end / 2, -1, 0, 1, end / 3, end - 1, end] {
                        let share = thinned(total, rows, rows_max, bits);
                        assert!((-claim..=claim).contains(&share), "{magnitude} {rows_max} {rows} {total}");
                        assert_eq!(share, defined(total, rows, rows_max, bits));
                        assert_eq!(share, -thinned(-total, rows, rows_max, bits), "no side is favoured");
                    }
                    let most = if rows > m { claim } else { end << bits };
                    assert_eq!(thinned(end, rows, rows_max, bits), most);
                }
            }
        }
    }

    /// The bias bound of the head: half a unit a person, and a unit is at most 2^-20 of the largest magnitude.
    #[test]
    fn a_mean_of_thinned_people_is_their_mean() {
        for (magnitude, rows_max) in [(1i128, 1u64), (1, 5), (3, 2), (1 << 19, 1), (1 << 31, 7)] {
            let bits = refinement_bits(magnitude.unsigned_abs(), rows_max);
            assert!(magnitude << bits >= 1 << 20, "{magnitude}");
            for (total, rows) in [(1, 3), (-7, 12), (5, 12), (-1, 1 << 40), (1 << 20, (1 << 20) + 3)] {
                if rows <= i128::from(rows_max) {
                    continue;
                }
                let share =
                    Rational::from(thinned(total, rows, rows_max, bits)) / Rational::from(1i64 << bits);
                let fair = Rational::from(total) * Rational::from(rows_max) / Rational::from(rows);
                assert!((share - fair).abs() <= Rational::ratio(1, 2u128 << bits));
            }
        }
    }

    #[test]
    fn coarse_units_are_refined_and_fine_ones_are_not() {
        assert_eq!(
            [1, 2, 3, 100, 1 << 20, 1 << 40].map(|row| refinement_bits(row, 20)),
            [20, 19, 19, 14, 0, 0]
        );
        // 2^60 rows leave room for two bits of weight.
        assert_eq!(
            [1 << 42, 1 << 43, 1 << 60, u64::MAX].map(|rows| refinement_bits(1, rows)),
            [20, 19, 2, 0]
        );
        assert_eq!(refinement_bits(0, 1), 20);
        assert_eq!(refinement_bits(u128::MAX, 1), 0);
    }
}
