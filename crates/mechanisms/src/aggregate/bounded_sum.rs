//! The sum of a bounded column.
//!
//! **Guarantee.** Each row is clamped to the grid, [L, U], and each person's total to what m rows can add up
//! to: [m·min(L, 0), m·max(U, 0)]. When a person joins or leaves the sum moves by at most m·max(|L|, |U|);
//! when one is replaced, by at most m·(max(U, 0) − min(L, 0)), which is m·(U − L) when zero lies between the
//! bounds. Discrete Laplace noise gives ε-differential privacy, discrete Gaussian noise ρ-zCDP, for the
//! relation it was built for.
//! **Neighbours.** Add or remove one person, or replace one: the relation it was built for.
//! **Source.** A person's total lies in the stated interval, and so does zero, which is what an absent person
//! adds. (m·(U − L) alone would be wrong for bounds such as [5, 10]: a person with one row of 5 and one with
//! two rows of 10 are 15 apart, not 10. Count from the lower bound, [`Origin::Lower`], and it is right for
//! any bounds.) The noise: `additive_noise.rs`.
//! **Error.** [`BoundedSum::error_bound`], on top of what clamping and rounding to the grid change.
//! **Exactness.** Sums are 128-bit integers in units that divide every grid point, so they do not depend on the
//! order of rows, never overflow (a person adds at most 2^80 units) and never round.
//! **Not covered.** [`Origin::Centre`] halves the noise but gives Σ(x − centre): whoever wants Σx needs the
//! count, which has to be paid for as well (`mean.rs` does).

use dashu_int::ops::Gcd;
use dashu_int::ops::UnsignedAbs;
use pointillist_noise::SecureBits;
use pointillist_numbers::{IBig, Rational};
use pointillist_privacy::{FailureProbability, Loss, Neighbours, Spend};

use crate::aggregate::grid::Grid;
use crate::number::additive_noise::AdditiveNoise;
use crate::{Card, MechanismError};

/// The mechanism in the list that users read.
pub const CARD: Card = Card {
    name: "bounded sum",
    releases: "the sum of a bounded column, on its grid",
    guarantee: "ε-DP or ρ-zCDP; sensitivity m·max(|L|,|U|) add/remove, m·(U−L) replace-one with 0 in [L,U]",
    error: "beyond ln(1/β)·Δ/ε with probability about β",
    source: "Dwork, McSherry, Nissim, Smith 2006; Canonne, Kamath, Steinke 2020, Theorem 4",
};

/// No person may add more than this many units: 2^47 of them fit 128 bits.
const PERSON_UNITS_MAX: i128 = 1 << 80;

/// From where values are counted when they are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The values themselves.
    Zero,
    /// Their distance above the lower bound.
    Lower,
    /// Their distance from the middle of the range, with sign.
    Centre,
}

/// A noisy sum of grid values, each person clamped.
#[derive(Clone, Debug)]
pub struct BoundedSum {
    grid: Grid,
    /// A row of index i adds `offset + factor·i` units.
    offset: i128,
    factor: i128,
    unit: Rational,
    /// The least and the most that one person adds, in units; zero lies between.
    person: (i128, i128),
    noise: AdditiveNoise,
}

impl BoundedSum {
    /// The sum of a column on this grid, with at most `max_contributions` rows' worth from each person.
    pub fn new(
        grid: &Grid,
        origin: Origin,
        max_contributions: u64,
        neighbours: Neighbours,
        spend: &Spend,
    ) -> Result<Self, MechanismError> {
        let (offset, factor, unit) = units(grid, origin)?;
        let rows = i128::from(max_contributions);
        let ends = [offset, offset + factor * i128::from(grid.last_index())];
        let times = |end: i128| end.checked_mul(rows).filter(|total| total.abs() <= PERSON_UNITS_MAX);
        let [Some(low), Some(high)] = [times(ends[0].min(0)), times(ends[1].max(0))] else {
            return Err(too_fine());
        };
        let sensitivity = match neighbours {
            Neighbours::AddRemove => high.max(-low),
            Neighbours::ReplaceOne => high - low,
        };
        let noise = AdditiveNoise::for_number(sensitivity, spend)?;
        Ok(Self { grid: grid.clone(), offset, factor, unit, person: (low, high), noise })
    }

    /// What one release costs.
    pub fn loss(&self) -> Loss {
        self.noise.loss()
    }

    /// The noise that is added, in units.
    pub fn noise(&self) -> &AdditiveNoise {
        &self.noise
    }

    /// What one unit of the sum is worth.
    pub fn unit(&self) -> &Rational {
        &self.unit
    }

    /// Sums up grid indexes, one list a person, and releases the sum in units.
    pub fn release<P, R, B>(&self, people: P, bits: &mut B) -> i128
    where
        P: IntoIterator<Item = R>,
        R: IntoIterator<Item = i64>,
        B: SecureBits + ?Sized,
    {
        self.release_bounded(self.bounded(people), bits)
    }

    /// Releases a sum, in units, that was taken after clamping every row and every person.
    pub fn release_bounded<B: SecureBits + ?Sized>(&self, sum: i128, bits: &mut B) -> i128 {
        self.noise.release(sum, bits)
    }

    /// The value of a sum in units.
    pub fn value_of(&self, sum: i128) -> Rational {
        &self.unit * &Rational::from(sum)
    }

    /// The noise stays within this, in values, with probability at least 1 − β.
    pub fn error_bound(&self, beta: &FailureProbability) -> Rational {
        self.value_of(self.noise.error_bound(beta))
    }

    fn bounded<R: IntoIterator<Item = i64>>(&self, people: impl IntoIterator<Item = R>) -> i128 {
        people.into_iter().map(|rows| self.bounded_person(rows)).sum()
    }

    fn bounded_person(&self, rows: impl IntoIterator<Item = i64>) -> i128 {
        let row = |index: i64| self.offset + self.factor * i128::from(self.grid.clamped(index));
        let total: i128 = rows.into_iter().map(row).sum();
        total.clamp(self.person.0, self.person.1)
    }
}

/// Offset, factor and worth of the units in which every grid point is an integer.
fn units(grid: &Grid, origin: Origin) -> Result<(i128, i128, Rational), MechanismError> {
    let last = i128::from(grid.last_index());
    match origin {
        Origin::Lower => Ok((0, 1, grid.step().clone())),
        Origin::Centre => Ok((-last, 2, grid.step() * &Rational::ratio(1, 2))),
        Origin::Zero => {
            // The greatest common divisor of the lower bound and the step divides every grid point.
            let (lower, step) = (grid.lower(), grid.step());
            let over = |a: &Rational, b: &Rational| a.numerator().unsigned_abs() * b.denominator();
            let common = over(lower, step).gcd(over(step, lower));
            let unit = Rational::new(common, lower.denominator() * step.denominator());
            let unit = unit.expect("denominators are positive");
            let whole = |value: Rational| -> Result<i128, MechanismError> {
                let count: IBig = (value / unit.clone()).floor();
                let count = i128::try_from(count).ok().filter(|count| count.abs() <= PERSON_UNITS_MAX);
                count.ok_or_else(too_fine)
            };
            let (offset, factor) = (whole(lower.clone())?, whole(step.clone())?);
            whole(grid.upper())?;
            Ok((offset, factor, unit))
        }
    }
}

fn too_fine() -> MechanismError {
    MechanismError::invalid(
        "one person could add more than 2^80 steps to the sum",
        "choose a longer step, a lower bound that is a multiple of the step, or fewer rows a person",
    )
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_privacy::Epsilon;
    use pointillist_testkit::{
        Distinguisher, all_datasets, neighbours_add_remove, neighbours_replace_one, seeded,
    };

    use super::*;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn spend() -> Spend {
        Spend::Pure(Epsilon::parse("1").unwrap())
    }

    fn sum(grid: &Grid, origin: Origin, rows: u64, neighbours: Neighbours) -> BoundedSum {
        BoundedSum::new(grid, origin, rows, neighbours, &spend()).unwrap()
    }

    /// Every person with at most three rows at, inside and outside the ends of the grid.
    fn people(last: i64) -> Vec<Vec<i64>> {
        all_datasets(&[i64::MIN, 0, 1, last, i64::MAX], 3)
    }

    fn scale(sum: &BoundedSum) -> String {
        sum.noise().to_string()
    }

    /// Brute force: over all persons, the largest change is exactly the claimed sensitivity, for bounds on either side
    /// of zero, both relations, all origins; so no claim is too small and none is wasteful.
    #[test]
    fn the_sum_moves_by_exactly_the_claimed_sensitivity() {
        for (lower, upper) in [(0, 3), (-2, 5), (5, 10), (-10, -5), (-7, 0)] {
            let grid = Grid::integers(lower, upper).unwrap();
            let people = people(grid.last_index());
            for origin in [Origin::Zero, Origin::Lower, Origin::Centre] {
                for rows in [1, 2, 3] {
                    let add_remove = sum(&grid, origin, rows, Neighbours::AddRemove);
                    let totals: Vec<i128> = people
                        .iter()
                        .map(|person| add_remove.bounded_person(person.iter().copied()))
                        .collect();
                    let alone = totals.iter().map(|total| total.abs()).max().unwrap();
                    let apart = totals.iter().max().unwrap() - totals.iter().min().unwrap();
                    let claim = |sensitivity: i128| format!("discrete Laplace of scale {sensitivity}");
                    let case = format!("[{lower}, {upper}] {origin:?} {rows}");
                    assert_eq!(scale(&add_remove), claim(alone), "{case}");
                    let replace = sum(&grid, origin, rows, Neighbours::ReplaceOne);
                    assert_eq!(scale(&replace), claim(apart), "{case}");
                }
            }
        }
    }

    /// Brute force on whole data sets, one row a person: rows given in every order, with clamping and without. Without
    /// it, the planted leak, the same check fails.
    #[test]
    fn clamping_is_what_bounds_the_sum() {
        let grid = Grid::integers(-2, 5).unwrap();
        let alphabet = [i64::MIN, -1, 0, 3, 7, i64::MAX];
        let claimed = 5;
        let mechanism = sum(&grid, Origin::Zero, 1, Neighbours::AddRemove);
        let clamped = |rows: &[i64]| mechanism.bounded(rows.iter().map(|row| [*row]));
        let leaking = |rows: &[i64]| rows.iter().map(|row| i128::from(*row) - 2).sum::<i128>();
        let (mut worst, mut worst_leaking) = (0, 0);
        for rows in all_datasets(&alphabet, 4) {
            for other in neighbours_add_remove(&rows, &alphabet) {
                worst = worst.max((clamped(&rows) - clamped(&other)).abs());
                worst_leaking = worst_leaking.max((leaking(&rows) - leaking(&other)).abs());
            }
            for other in neighbours_replace_one(&rows, &alphabet) {
                assert!((clamped(&rows) - clamped(&other)).abs() <= 7);
            }
            let reversed: Vec<i64> = rows.iter().rev().copied().collect();
            assert_eq!(clamped(&rows), clamped(&reversed));
        }
        assert_eq!(worst, claimed);
        assert!(worst_leaking > claimed);
    }

    /// The attack on float sums: bounds [L, L + 2] with L near 10^15 and a thousand rows. In integers one
    /// change moves the sum by two at most, in whatever order the rows come.
    #[test]
    fn sums_of_large_numbers_keep_their_sensitivity() {
        let lower = 1_000_000_000_000_063;
        let grid = Grid::integers(lower, lower + 2).unwrap();
        let mechanism = sum(&grid, Origin::Zero, 1, Neighbours::ReplaceOne);
        let mut rows: Vec<i64> = vec![0; 1000];
        let before = mechanism.bounded(rows.iter().map(|row| [*row]));
        assert_eq!(before, i128::from(lower) * 1000);
        rows[400] = 2;
        assert_eq!(mechanism.bounded(rows.iter().map(|row| [*row])), before + 2);
        rows.reverse();
        assert_eq!(mechanism.bounded(rows.iter().map(|row| [*row])), before + 2);
        assert_eq!(mechanism.value_of(before), Rational::from(before));
    }

    #[test]
    fn odd_grids_have_units_that_divide_them() {
        let grid = Grid::new(rational("1/3"), rational("4"), rational("1/2")).unwrap();
        let mechanism = sum(&grid, Origin::Zero, 1, Neighbours::AddRemove);
        assert_eq!(*mechanism.unit(), rational("1/6"));
        for index in 0..=grid.last_index() {
            let total = mechanism.bounded([[index]]);
            assert_eq!(mechanism.value_of(total), grid.value_of(index));
        }
        let centred = sum(&grid, Origin::Centre, 1, Neighbours::AddRemove);
        for index in 0..=grid.last_index() {
            let offset = centred.value_of(centred.bounded([[index]]));
            assert_eq!(grid.midpoint() + offset, grid.value_of(index));
        }
    }

    #[test]
    fn grids_that_would_overflow_are_refused_with_a_hint() {
        let awkward =
            Grid::new(rational("1/1000000000000000003"), rational("1000000"), rational("0.001")).unwrap();
        let wide = Grid::integers(0, 1 << 62).unwrap();
        for (grid, rows) in [(&awkward, 1), (&wide, 1 << 20)] {
            let error =
                BoundedSum::new(grid, Origin::Zero, rows, Neighbours::AddRemove, &spend()).unwrap_err();
            assert!(error.explanation().text().contains("hint:"), "{error}");
        }
        assert!(BoundedSum::new(&wide, Origin::Centre, 1 << 10, Neighbours::AddRemove, &spend()).is_ok());
        let none = BoundedSum::new(&wide, Origin::Lower, 0, Neighbours::AddRemove, &spend());
        assert!(none.unwrap_err().explanation().text().contains("hint:"));
    }

    /// Distinguishing: a person at the upper bound cannot be told at ε = 1; the same release without the clamp is caught.
    /// False alarm: 1e-9.
    #[test]
    fn an_outlier_cannot_be_told() {
        let grid = Grid::integers(0, 10).unwrap();
        let mechanism = sum(&grid, Origin::Zero, 1, Neighbours::AddRemove);
        let mut bits = seeded(6);
        let crowd = [3i64, 4, 5];
        let outlier = [3i64, 4, 5, 40];
        let mut draws = |rows: &[i64]| -> Vec<i128> {
            (0..4000).map(|_| mechanism.release(rows.iter().map(|row| [*row]), &mut bits)).collect()
        };
        let claim = Distinguisher::new(1.0, 0.0);
        claim.assert_private(&draws(&crowd), &draws(&outlier), "bounded sum");
        let mut leaking = |rows: &[i64]| -> Vec<i128> {
            let total = rows.iter().map(|row| i128::from(*row)).sum();
            (0..4000).map(|_| mechanism.release_bounded(total, &mut bits)).collect()
        };
        claim.assert_leaks(&leaking(&crowd), &leaking(&outlier), "sum without clamp");
    }

    #[test]
    fn the_error_bound_is_in_values() {
        let grid = Grid::new(Rational::zero(), Rational::one(), rational("0.25")).unwrap();
        let mechanism = sum(&grid, Origin::Zero, 1, Neighbours::AddRemove);
        let beta = FailureProbability::parse("0.05").unwrap();
        // Scale 4 in units of a quarter: P[|Z| > 12] = 2·e^(−13/4)/(1 + e^(−1/4)) = 0.0436, and 0.0559 beyond
        // 11.
        assert_eq!(mechanism.error_bound(&beta), rational("3"));
    }
}
