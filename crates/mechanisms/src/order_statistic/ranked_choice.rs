//! An exact choice among grid points whose weights fall exponentially with a rank imbalance.
//!
//! **Guarantee.** [`choose`] returns a point r with probability exactly e^(−decay·|A(r)|)/Σ e^(−decay·|A|),
//! where the imbalance A is constant on runs of neighbouring points and never falls from one run to the next.
//! **Method.** A run is chosen by comparing a lazy uniform number with the cumulative weights
//! length·e^(−decay·|A|), held between certified bounds; then a point of the run, uniformly. Weights are
//! relative to the largest. From the run with the least |A| outwards each weight is the one before times
//! e^(−decay·difference), and there are only as many different differences as there are different
//! multiplicities. Runs lighter than one unit of the precision are not computed: together they weigh between
//! zero and their length in units. Digits and precision grow until one run is certain, so pruning and
//! rounding never change the law.
//! **Time.** A million runs take a fraction of a second; runs that cannot matter take none.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use pointillist_noise::{LazyUniform, SecureBits, uniform_u64_below};
use pointillist_numbers::{Enclosure, IBig, Rational, UBig};
use pointillist_privacy::Neighbours;

use crate::MechanismError;

/// A part of a whole, `over/under` between zero and one, with small integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub over: i128,
    pub under: i128,
}

impl Part {
    /// Larger denominators could overflow when they meet the number of rows, and nobody means them.
    const UNDER_MAX: i128 = 1 << 32;

    pub(crate) fn new(value: &Rational) -> Result<Self, MechanismError> {
        if value.is_negative() || *value > Rational::one() {
            let what = format!("a quantile lies between 0 and 1, got {value}");
            return Err(MechanismError::invalid(
                what,
                "write 0.5 for the median, 0.25 for the lower quartile",
            ));
        }
        let over = i128::try_from(value.numerator().clone());
        let under = i128::try_from(IBig::from(value.denominator().clone()));
        match (over, under) {
            (Ok(over), Ok(under)) if under <= Self::UNDER_MAX => Ok(Self { over, under }),
            _ => Err(MechanismError::invalid(
                "a quantile has too many digits",
                "write a fraction with a denominator of at most 2^32, such as 0.999 or 1/3",
            )),
        }
    }

    /// The largest difference between the changes of |A|/under at two points when one row joins or leaves, or
    /// is replaced; derived in `quantile.rs`.
    pub(crate) fn swing(&self, neighbours: Neighbours) -> Rational {
        let (over, rest) = (self.over, self.under - self.over);
        match neighbours {
            _ if over == 0 || rest == 0 => Rational::one(),
            Neighbours::AddRemove => Rational::from(2 * over.max(rest)) / Rational::from(self.under),
            Neighbours::ReplaceOne => Rational::from(2),
        }
    }
}

/// Neighbouring grid points with one imbalance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub first: i64,
    pub length: u64,
    pub imbalance: i128,
}

/// The grid points from `first` to `last`, cut into runs of equal imbalance A(r) = (under − over)·#{x < r} −
/// over·#{x > r}, for sorted rows inside the range. Every value that occurs is a run of its own, so that a
/// point mass can be chosen however narrow it is.
pub(crate) fn runs(sorted: &[i64], first: i64, last: i64, part: &Part) -> Vec<Run> {
    let rows = sorted.len() as i128;
    let mut runs = Vec::with_capacity(2 * sorted.len().min(1 << 20) + 1);
    let mut push = |first: i64, length: i64, imbalance: i128| {
        if length > 0 {
            runs.push(Run { first, length: length.unsigned_abs(), imbalance });
        }
    };
    let (mut below, mut next) = (0i128, first);
    for equal in sorted.chunk_by(|a, b| a == b) {
        let (value, count) = (equal[0], equal.len() as i128);
        push(next, value - next, part.under * below - part.over * rows);
        push(value, 1, part.under * below - part.over * (rows - count));
        below += count;
        next = value + 1;
    }
    push(next, last - next + 1, (part.under - part.over) * rows);
    runs
}

/// A point, chosen with probability proportional to e^(−decay·|imbalance|); see the head of this file.
///
/// # Panics
/// When there are no runs, or the decay is not positive: the callers' grids have points and their prices are
/// positive.
pub(crate) fn choose<B: SecureBits + ?Sized>(runs: &[Run], decay: &Rational, bits: &mut B) -> i64 {
    choose_near(|_| Near { before: 0, runs: Cow::Borrowed(runs), after: 0 }, decay, bits)
}

/// The runs around the least |imbalance|, and how many points lie on either side of them.
pub(crate) struct Near<'a> {
    pub before: u128,
    pub runs: Cow<'a, [Run]>,
    pub after: u128,
}

/// The same where runs are made when they are needed: `near` returns at least all runs whose |imbalance| is at most its
/// argument above the least. Of a million values only those are looked at that a draw can reach.
pub(crate) fn choose_near<'a, B: SecureBits + ?Sized>(
    near: impl Fn(i128) -> Near<'a>,
    decay: &Rational,
    bits: &mut B,
) -> i64 {
    let mut number = LazyUniform::new(bits);
    loop {
        // A coarse look first: it is quick with many runs, and nearly always enough.
        for precision in [number.length(), number.length() + 64] {
            let near = near(reach(decay, precision));
            if let Some(index) = decide(&number, &near, decay, precision) {
                let run = &near.runs[index];
                let offset = uniform_u64_below(run.length, bits);
                return run.first + i64::try_from(offset).expect("a run lies inside the grid");
            }
        }
        number.reveal(bits);
    }
}

/// How far above the least |imbalance| a point still weighs a unit of the precision: exp(−0.7·p) < 2^−p.
fn reach(decay: &Rational, precision: usize) -> i128 {
    let cut = Rational::from((7 * precision).div_ceil(10));
    i128::try_from((cut / decay.clone()).floor()).unwrap_or(i128::MAX)
}

/// The run that every number beginning with the known digits chooses, if it is one and the same.
fn decide(number: &LazyUniform, near: &Near<'_>, decay: &Rational, precision: usize) -> Option<usize> {
    let Core { range, weights, slacks, before, after } = Core::new(&near.runs, decay, precision);
    let (before, after) = (before + near.before, after + near.after);
    let total_lower: UBig = weights.iter().sum();
    let total_upper = &total_lower + UBig::from(slacks.iter().sum::<u128>() + before + after);
    // number·Σw lies in [low, high) once both are rounded outwards to units.
    let low = (number.digits() * total_lower) >> number.length();
    let past = (number.digits() + UBig::ONE) * total_upper;
    let high = ((past - UBig::ONE) >> number.length()) + UBig::ONE;
    let (mut sum_lower, mut sum_upper) = (UBig::ZERO, UBig::from(before));
    if sum_upper > low {
        return None;
    }
    for ((weight, slack), index) in weights.iter().zip(&slacks).zip(range) {
        sum_lower += weight;
        sum_upper += weight;
        sum_upper += UBig::from(*slack);
        if sum_upper > low {
            // The number is certainly past every earlier run; it must certainly not be past this one.
            return (sum_lower >= high).then_some(index);
        }
    }
    None
}

/// The runs that weigh anything at some precision: each weighs between `weight` and `weight + slack` units,
/// and all others together between zero and `before` or `after`, on their side.
struct Core {
    range: Range<usize>,
    weights: Vec<UBig>,
    slacks: Vec<u128>,
    before: u128,
    after: u128,
}

impl Core {
    fn new(runs: &[Run], decay: &Rational, precision: usize) -> Self {
        let turn = runs.partition_point(|run| run.imbalance < 0);
        let nearest = [turn.checked_sub(1), Some(turn)].into_iter().flatten();
        let least = nearest.filter_map(|index| runs.get(index)).map(|run| run.imbalance.abs()).min();
        let least = least.expect("a grid has at least one point");
        // Whatever is further out weighs less than a unit for each of its points.
        let most = least.saturating_add(reach(decay, precision));
        let start = runs.partition_point(|run| run.imbalance < -most);
        let end = runs.partition_point(|run| run.imbalance <= most);

        let mut factors = Factors { decay, precision, known: BTreeMap::new() };
        let mut left = factors.outwards(runs[start..turn].iter().rev(), least);
        left.reverse();
        left.extend(factors.outwards(runs[turn..end].iter(), least));
        let (weights, slacks) = left.into_iter().unzip();
        let length = |runs: &[Run]| runs.iter().map(|run| u128::from(run.length)).sum();
        Self {
            range: start..end,
            weights,
            slacks,
            before: length(&runs[..start]),
            after: length(&runs[end..]),
        }
    }
}

/// e^(−decay·difference) for the differences that occur, each computed once.
struct Factors<'a> {
    decay: &'a Rational,
    precision: usize,
    known: BTreeMap<i128, (UBig, u128)>,
}

impl Factors<'_> {
    /// A lower bound and the distance to an upper bound, in units.
    fn factor(&mut self, difference: i128) -> &(UBig, u128) {
        self.known.entry(difference).or_insert_with(|| {
            let gamma = self.decay * &Rational::from(difference);
            let exact = Enclosure::exp_of_minus(&gamma, self.precision);
            let units = |units: &IBig| UBig::try_from(units.clone()).expect("an exponential is not negative");
            let lower = units(exact.lower_units());
            let slack =
                u128::try_from(units(exact.upper_units()) - &lower).expect("bounds are two units apart");
            (lower, slack)
        })
    }

    /// Weights of runs with growing |imbalance|, with their lengths, each as a lower bound and a slack.
    fn outwards<'b>(&mut self, runs: impl Iterator<Item = &'b Run>, least: i128) -> Vec<(UBig, u128)> {
        let precision = self.precision;
        let mut reached = least;
        // The weight of one point with the least |imbalance|, exactly.
        let (mut weight, mut slack) = (UBig::ONE << precision, 0u128);
        let step = |run: &Run| {
            let difference = run.imbalance.abs() - reached;
            if difference > 0 {
                reached += difference;
                let (factor, factor_slack) = self.factor(difference);
                // With w in [W, W + s] and f in [F, F + d], where W and F are at most 2^p, w·f lies between W·F/2^p
                // and (W + s)(F + d)/2^p ≤ W·F/2^p + s + d + s·d/2^p units: at most s + d + 2 above the floor of
                // the former when s·d ≤ 2^p. d is at most 2, so s is at most four times the number of steps, which
                // fit in memory, and p is at least 64.
                debug_assert!(*factor_slack <= 2 && slack < 1 << 62, "{factor_slack} and {slack}");
                weight = (&weight * factor) >> precision;
                slack += factor_slack + 2;
            }
            (&weight * UBig::from(run.length), slack * u128::from(run.length))
        };
        runs.map(step).collect()
    }
}

#[cfg(test)]
mod tests;
