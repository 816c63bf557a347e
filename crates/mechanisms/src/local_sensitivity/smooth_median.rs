//! The median with noise that adapts to how well the data pin it down.
//!
//! **Guarantee.** The loss of the chosen noise, ε-DP with Student t noise by default, for replacing one
//! value.
//! **Neighbours.** Replace one value; the number of values and the range are public.
//! **Source.** Nissim, Raskhodnikova, Smith (2007), Proposition 3.4: the smooth sensitivity of the median is
//! the largest `e^{−βk}·(x_j − x_i)`, `k = j − i − 1`, over ranks i ≤ m ≤ j, the ends of the range standing
//! for ranks 0 and n + 1. The noise is that of `smooth_noise.rs`.
//! **Error.** About `1.35·S/ε` on average with the default noise, where S is the smooth sensitivity: a few
//! times the spacing of the data around the median, when the data are dense there.
//! **Exactness.** Divide and conquer over ranks: with `A_d ≥ e^{−βd}` rounded up and falling in d, the best j
//! for a given i is the largest `(x_j − x_i)·A_{j−m}`, and if it is j* for i, then for smaller i some best j
//! is at most j* and for larger i at least j*, exactly, whatever the rounding (the difference of two
//! candidates is linear in x_i with slope `A_{j'−m} − A_{j−m}`). The largest product of rounded-up factors is
//! an upper bound of S, and the same pair with factors rounded down a lower bound; the precision grows until
//! they agree. Ranks so far from the median that even the whole range could not win are left out. Values are
//! integers; the result is rounded to an integer and moved into the range.
//! **Not covered.** Add/remove neighbours. Timing: sorting and the search depend on the data.

use pointillist_noise::SecureBits;
use pointillist_numbers::{Enclosure, IBig, Rational};
use pointillist_privacy::{Epsilon, Loss};

use crate::local_sensitivity::median_sensitivity::{MedianData, check_range};
use crate::local_sensitivity::smooth_noise::{SmoothMechanism, SmoothNoise, StudentTSetting};
use crate::local_sensitivity::smooth_sensitivity::{SmoothSensitivity, Smoothing};
use crate::{Card, MechanismError};

/// For the list of mechanisms.
pub const CARD: Card = Card {
    name: "median at smooth sensitivity",
    releases: "the median of integers in a public range",
    guarantee: "ε-DP for replacing one value; Student t noise of scale S/α",
    error: "about 1.35·S/ε on average, S the smooth sensitivity",
    source: "Nissim, Raskhodnikova, Smith 2007, Proposition 3.4",
};

/// Smooth sensitivities below this, in units of the grid, count as this: it is far less than rounding to an
/// integer.
const FLOOR_BITS: i64 = -20;

/// The median plus noise at its smooth sensitivity.
#[derive(Clone, Debug)]
pub struct SmoothMedian<N = StudentTSetting> {
    mechanism: SmoothMechanism<N>,
    lower: i64,
    upper: i64,
}

impl SmoothMedian<StudentTSetting> {
    /// The ε-DP median of values in `lower ..= upper`, with the recommended Student t noise.
    pub fn new(epsilon: &Epsilon, lower: i64, upper: i64) -> Result<Self, MechanismError> {
        Self::with_noise(StudentTSetting::recommended(epsilon)?, lower, upper)
    }
}

impl<N: SmoothNoise> SmoothMedian<N> {
    /// The median of values in `lower ..= upper` with another noise.
    pub fn with_noise(noise: N, lower: i64, upper: i64) -> Result<Self, MechanismError> {
        check_range(lower, upper)?;
        let range = Rational::from(upper.abs_diff(lower));
        // With a very large ε the noise would be finer than the sampler can draw; then the floor is higher.
        let least = noise.alpha() * &Rational::power_of_two(-40);
        let floor = Rational::power_of_two(FLOOR_BITS).max(least).min(range.clone());
        Ok(Self { mechanism: SmoothMechanism::new(noise, &floor, &range)?, lower, upper })
    }

    /// What a release costs.
    pub fn loss(&self) -> Loss {
        self.mechanism.loss()
    }

    /// The noise, its smooth sensitivity and its error, for simulations.
    pub fn mechanism(&self) -> &SmoothMechanism<N> {
        &self.mechanism
    }

    /// The smooth sensitivity of these values. It is not private.
    pub fn smooth_sensitivity(&self, values: &[i64]) -> Result<SmoothSensitivity, MechanismError> {
        let data = MedianData::new(values, self.lower, self.upper)?;
        Ok(smooth_sensitivity(self.mechanism.smoothing(), &data).0)
    }

    /// Releases the median.
    ///
    /// # Errors
    /// When there are no values; how many there are is public.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        values: &[i64],
        bits: &mut B,
    ) -> Result<i64, MechanismError> {
        let data = MedianData::new(values, self.lower, self.upper)?;
        let (sensitivity, _) = smooth_sensitivity(self.mechanism.smoothing(), &data);
        Ok(self.mechanism.noisy(data.median(), &sensitivity, bits).clamp(self.lower, self.upper))
    }
}

/// The smooth sensitivity of the median, and a distance k at which it is attained.
fn smooth_sensitivity(smoothing: &Smoothing, data: &MedianData) -> (SmoothSensitivity, u64) {
    let window = Window::around_the_median(smoothing, data);
    let mut precision = smoothing.first_precision();
    loop {
        let (lower, upper, distance) = window.bounds(smoothing.beta(), precision);
        if let Some(certified) = smoothing.certified(&lower, &upper) {
            return (certified, distance);
        }
        precision *= 2;
    }
}

/// The ranks that can matter.
struct Window<'a> {
    data: &'a MedianData,
    first: usize,
    last: usize,
}

/// The best pair of ranks so far: its two indices, and the product of its gap and both weights.
struct Best {
    low: usize,
    high: usize,
    product: IBig,
}

impl<'a> Window<'a> {
    fn around_the_median(smoothing: &Smoothing, data: &'a MedianData) -> Self {
        // S is at least the larger of the floor and LS^(0); a pair k apart is worth at most e^{−βk} times the
        // range.
        let known = Rational::from(data.local_sensitivity_at(0)).max(smoothing.floor().clone());
        let ratio = (smoothing.cap() / &known).max(Rational::one());
        let logarithm = Enclosure::ln_of(&ratio, 64).expect("the ratio is positive").upper();
        let reach = usize::try_from((logarithm / smoothing.beta().clone()).ceil())
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        let (rank, last) = (data.rank(), data.padded().len() - 1);
        Self { data, first: rank.saturating_sub(reach), last: rank.saturating_add(reach).min(last) }
    }

    /// Bounds of `max e^{−βk}·(x_j − x_i)` over the window, and the k of the best pair.
    fn bounds(&self, beta: &Rational, precision: usize) -> (Rational, Rational, u64) {
        let rank = self.data.rank();
        let weights = powers(beta, (rank - self.first).max(self.last - rank), precision);
        let mut best = Best { low: rank, high: rank, product: IBig::ZERO };
        self.search((self.first, rank), (rank, self.last), &weights, &mut best);
        if best.product == IBig::ZERO {
            return (Rational::zero(), Rational::zero(), 0);
        }
        // e^{−β(j−m)}·e^{−β(m−i)} is one factor e^{−β} too small.
        let missing = Enclosure::of(beta, precision).exp().upper();
        let unit = Rational::power_of_two(-2 * i64::try_from(precision).expect("a precision fits i64"));
        let upper = Rational::from(best.product) * unit * missing;
        let distance = best.high - best.low - 1;
        let weight = Enclosure::exp_of_minus(&(beta * &Rational::from(distance)), precision);
        let lower = Rational::from(self.data.gap(best.low, best.high)) * weight.lower();
        (lower, upper, distance as u64)
    }

    /// Visits the rows `lows`, whose best columns lie within `highs`; both ranges include their ends.
    fn search(&self, lows: (usize, usize), highs: (usize, usize), weights: &[IBig], best: &mut Best) {
        let (rank, low) = (self.data.rank(), lows.0.midpoint(lows.1));
        let weighted = |high: usize| IBig::from(self.data.gap(low, high)) * &weights[high - rank];
        let mut winner = (highs.0, weighted(highs.0));
        for high in highs.0 + 1..=highs.1 {
            let product = weighted(high);
            if product > winner.1 {
                winner = (high, product);
            }
        }
        let (high, product) = winner;
        let product = product * &weights[rank - low];
        if product > best.product {
            *best = Best { low, high, product };
        }
        if low > lows.0 {
            self.search((lows.0, low - 1), (highs.0, high), weights, best);
        }
        if low < lows.1 {
            self.search((low + 1, lows.1), (high, highs.1), weights, best);
        }
    }
}

/// Upper bounds of `e^{−βd}` for d = 0 … count, in units of `2^-precision`, never rising.
fn powers(beta: &Rational, count: usize, precision: usize) -> Vec<IBig> {
    let decay = Enclosure::exp_of_minus(beta, precision);
    let start = Enclosure::integer(1, precision);
    let enclosures = std::iter::successors(Some(start), |weight| Some(weight * &decay));
    enclosures.take(count + 1).map(|weight| weight.upper_units().clone()).collect()
}

#[cfg(test)]
mod tests;
