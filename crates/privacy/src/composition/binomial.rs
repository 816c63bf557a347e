//! Binomial probabilities and sums of them, bounded from above.
//!
//! **Guarantee.** Every probability and every sum returned is at or above the exact value, if the weights
//! of a sum are.
//! **Exactness.** The largest term is certified: `ln n!` by Stirling's series, which envelops it (the error
//! of a partial sum is below, and has the sign of, the first term left out), or as an exact product below
//! 256. The other terms follow from it by their exact ratios in floats. All terms are positive, so that
//! every float operation adds at most one part in 2⁵³ to the relative error; a result is raised by eight
//! parts in 2⁵² a term, which covers the operations of a term and two units in the last place of its
//! weight. A sum stops where a geometric series bounds the rest, and the bound is added.

use std::sync::LazyLock;

use dashu_int::UBig;
use pointillist_numbers::{Enclosure, Rational};

/// Bits behind the point of logarithms. Counts have at most 34 bits, which leaves 150 for the probability.
pub(crate) const LOG_PRECISION: usize = 192;
/// A sum stops when the rest is below this share of it.
const REST: f64 = 1e-17;
/// Terms below this share of the largest are not worth waiting for: all ten thousand million of them together
/// are below what is added for underflow.
const TINY: f64 = 1e-295;
/// Above what floats could have lost to underflow.
const UNDERFLOW: f64 = 1e-280;
/// From here on nine terms of Stirling's series err by less than `2^-138`.
const STIRLING_FROM: u64 = 256;
/// `B₂ₘ/(2m(2m − 1))` for m = 1 to 9.
const STIRLING: [(i64, u64); 9] = [
    (1, 12),
    (-1, 360),
    (1, 1260),
    (-1, 1680),
    (1, 1188),
    (-691, 360_360),
    (1, 156),
    (-3617, 122_400),
    (43_867, 244_188),
];

static LN_CIRCLE: LazyLock<Enclosure> =
    LazyLock::new(|| Enclosure::pi(LOG_PRECISION).mul_integer(2).ln().expect("2π is positive"));

/// The number of hits among `count` independent draws.
#[derive(Clone, Debug)]
pub(crate) struct Binomial {
    count: u64,
    log_hit: Enclosure,
    log_miss: Enclosure,
    /// `p/(1 − p)` and its inverse, rounded up; infinite where that is the only float above.
    odds: f64,
    odds_inverse: f64,
}

/// One number of hits, and its probability, rounded up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) hits: u64,
    pub(crate) mass: f64,
}

/// Consecutive numbers of hits, rising, and bounds on the probability of all numbers below and above them.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) below: f64,
    pub(crate) inside: Vec<Term>,
    pub(crate) above: f64,
}

impl Binomial {
    /// From the logarithms of the probabilities of a hit and a miss, neither of them certain.
    pub(crate) fn new(count: u64, log_hit: Enclosure, log_miss: Enclosure) -> Self {
        let log_odds = &log_hit - &log_miss;
        let exp = |exponent: &Enclosure| {
            let near = exponent.upper().to_f64_upper();
            if near > 700.0 { f64::INFINITY } else { exp_upper(exponent) }
        };
        let (odds, odds_inverse) = (exp(&log_odds), exp(&-&log_odds));
        Self { count, log_hit, log_miss, odds, odds_inverse }
    }

    /// Fair coins.
    pub(crate) fn fair(count: u64) -> Self {
        let log_half = -&Enclosure::ln_2(LOG_PRECISION);
        Self { count, log_hit: log_half.clone(), log_miss: log_half, odds: 1.0, odds_inverse: 1.0 }
    }

    /// `C(count, hits)·p^hits·(1 − p)^(count − hits)`, rounded up.
    pub(crate) fn mass_upper(&self, hits: u64) -> f64 {
        let misses = self.count - hits;
        let integer = |value: u64| Enclosure::integer(value, LOG_PRECISION);
        let choices = &ln_factorial(self.count) - &(&ln_factorial(hits) + &ln_factorial(misses));
        let drawn = &(&self.log_hit * &integer(hits)) + &(&self.log_miss * &integer(misses));
        exp_upper(&(&choices + &drawn))
    }

    /// The likeliest number of hits from `first` on, about, and its probability.
    pub(crate) fn start(&self, first: u64) -> Term {
        let hits = self.mode(first);
        let mass = self.mass_upper(hits);
        Term { hits, mass }
    }

    /// `Σ P[hits]·weight(hits)` over all hits from `first` on, rounded up, for weights between zero and
    /// `weight_max`. The sum starts from `start(first)`, which a caller may keep.
    pub(crate) fn upper_sum(
        &self,
        first: u64,
        start: Term,
        weight_max: f64,
        weight: impl Fn(u64) -> f64,
    ) -> f64 {
        let mode = start.hits;
        let mut sum = weight(mode);
        let mut terms = 1;
        let (mut hits, mut relative) = (mode, 1.0);
        while let Some(factor) = self.ratio_up(hits) {
            hits += 1;
            relative *= factor;
            sum += relative * weight(hits);
            terms += 1;
            let rest = relative * factor / (1.0 - factor) * weight_max;
            if factor < 1.0 && (rest <= REST * sum || relative < TINY) {
                sum += rest;
                break;
            }
        }
        (hits, relative) = (mode, 1.0);
        while let Some(factor) = self.ratio_down(hits).filter(|_| hits > first) {
            hits -= 1;
            relative *= factor;
            sum += relative * weight(hits);
            terms += 1;
            let rest = relative * factor / (1.0 - factor) * weight_max;
            if factor < 1.0 && (rest <= REST * sum || relative < TINY) {
                sum += rest;
                break;
            }
        }
        start.mass * sum * slack(terms) + UNDERFLOW
    }

    /// Every number of hits whose probability is not below `least` times the largest.
    pub(crate) fn terms(&self, least: f64) -> Terms {
        let start = self.start(0);
        let walk = |ratio: &dyn Fn(u64) -> Option<f64>, next: &dyn Fn(u64) -> u64| {
            let mut terms = Vec::new();
            let (mut hits, mut relative) = (start.hits, 1.0);
            while let Some(factor) = ratio(hits) {
                relative *= factor;
                let slack = slack(terms.len() as u64);
                if relative < least && factor < 1.0 {
                    // The ratios fall further: a geometric series bounds this and all that follow.
                    return (terms, start.mass * (relative / (1.0 - factor)) * slack + UNDERFLOW);
                }
                hits = next(hits);
                let mass = start.mass * relative * slack + UNDERFLOW;
                terms.push(Term { hits, mass });
            }
            (terms, 0.0)
        };
        let (mut inside, below) = walk(&|hits| self.ratio_down(hits), &|hits| hits - 1);
        let (high, above) = walk(&|hits| self.ratio_up(hits), &|hits| hits + 1);
        inside.reverse();
        inside.push(start);
        inside.extend(high);
        Terms { below, inside, above }
    }

    /// About the most likely number of hits, and at least `first`. It need not be exact.
    fn mode(&self, first: u64) -> u64 {
        let hit = 1.0 / (1.0 + self.odds_inverse);
        (((self.count as f64 + 1.0) * hit) as u64).clamp(first, self.count)
    }

    /// The probability of one hit more over that of `hits`.
    fn ratio_up(&self, hits: u64) -> Option<f64> {
        (hits < self.count).then(|| (self.count - hits) as f64 / (hits + 1) as f64 * self.odds)
    }

    /// The probability of one hit less over that of `hits`.
    fn ratio_down(&self, hits: u64) -> Option<f64> {
        (hits > 0).then(|| hits as f64 / (self.count - hits + 1) as f64 * self.odds_inverse)
    }
}

/// By how much a sum of so many terms is raised.
fn slack(terms: u64) -> f64 {
    1.0 + 8.0 * (terms as f64 + 8.0) * f64::EPSILON
}

/// `exp` with 53 significant bits, rounded up; what is too small for a float becomes the smallest normal one.
fn exp_upper(exponent: &Enclosure) -> f64 {
    let near = exponent.upper().to_f64_upper();
    if near < -700.0 {
        return f64::MIN_POSITIVE;
    }
    let bits = 96 + (-near.min(0.0) * std::f64::consts::LOG2_E).ceil() as usize;
    exponent.at_precision(exponent.precision() + bits).exp().upper().to_f64_upper()
}

/// `ln n!`.
fn ln_factorial(n: u64) -> Enclosure {
    if n < STIRLING_FROM {
        let product = (2..=n).fold(UBig::ONE, |product, factor| product * UBig::from(factor));
        return Enclosure::ln_of(&Rational::from(product), LOG_PRECISION).expect("a factorial is positive");
    }
    let integer = Enclosure::integer(n, LOG_PRECISION);
    let ln_n = Enclosure::ln_of(&Rational::from(n), LOG_PRECISION).expect("positive");
    let leading = &(&ln_n * &integer) - &integer;
    let half = (&ln_n + &LN_CIRCLE).scale_by_power_of_two(-1);

    let inverse = Enclosure::integer(1, LOG_PRECISION).div_integer(n);
    let square = &inverse * &inverse;
    let mut power = inverse;
    let mut sums = [0, 1].map(|_| Enclosure::integer(0, LOG_PRECISION));
    for (over, under) in STIRLING {
        let term = power.mul_integer(over).div_integer(under);
        sums = [sums[1].clone(), &sums[1] + &term];
        power = &power * &square;
    }
    // The truth lies between the last two partial sums.
    let [before, last] = sums;
    let between = Enclosure::new(
        before.lower_units().min(last.lower_units()).clone(),
        before.upper_units().max(last.upper_units()).clone(),
        LOG_PRECISION,
    );
    &(&leading + &half) + &between
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stirling's series against exact products, and a check value for a million: ln(10⁶!) to 30 digits.
    #[test]
    fn factorials_are_enclosed() {
        let mut product = UBig::ONE;
        for n in 1..=600u64 {
            product *= UBig::from(n);
            if n.is_multiple_of(50) || n == 255 || n == 256 {
                let exact = Enclosure::ln_of(&Rational::from(product.clone()), 400).unwrap();
                let found = ln_factorial(n);
                assert!(found.lower() <= exact.lower() && exact.upper() <= found.upper(), "{n}");
                assert!(found.upper() - found.lower() < Rational::power_of_two(-118), "{n} is loose");
            }
        }
        let million = ln_factorial(1_000_000);
        let digits = Rational::parse("12815518.38465816962425107589296584").unwrap();
        assert!((million.upper() - digits).abs() < Rational::parse("1e-25").unwrap());
    }

    #[test]
    fn fair_coins_have_exact_probabilities() {
        let coins = Binomial::fair(4);
        for (hits, ways) in [1.0, 4.0, 6.0, 4.0, 1.0].into_iter().enumerate() {
            let (found, exact) = (coins.mass_upper(hits as u64), ways / 16.0);
            assert!(found >= exact && found <= exact * (1.0 + 1e-15), "{hits}");
        }
        // C(10⁶, 500000)/2^(10⁶), to 17 digits.
        let middle = Binomial::fair(1_000_000).mass_upper(500_000);
        assert!((middle - 7.978_843_613_317_501e-4).abs() < 1e-18, "{middle}");
        assert!(Binomial::fair(1_000_000).mass_upper(0) <= f64::MIN_POSITIVE);
    }

    fn with_probability(count: u64, hit: &str) -> Binomial {
        let hit = Rational::parse(hit).unwrap();
        let miss = Rational::one() - hit.clone();
        let [hit, miss] = [hit, miss].map(|p| Enclosure::ln_of(&p, LOG_PRECISION).unwrap());
        Binomial::new(count, hit, miss)
    }

    #[test]
    fn the_terms_are_a_distribution() {
        for (count, hit) in [(1, "0.3"), (5, "0.9"), (10_000, "0.5"), (10_000_000, "0.37"), (1000, "1e-30")] {
            let terms = with_probability(count, hit).terms(1e-80);
            let total: f64 = terms.inside.iter().map(|term| term.mass).sum();
            assert!((1.0 - 1e-12..1.0 + 1e-9).contains(&total), "{hit} {count}: {total}");
            assert!(terms.below < 1e-70 && terms.above < 1e-70);
            assert!(terms.inside.windows(2).all(|pair| pair[0].hits + 1 == pair[1].hits));
        }
    }

    #[test]
    fn sums_over_the_upper_end_are_tail_probabilities() {
        let coins = with_probability(10, "0.5");
        for (first, ways) in [(0, 1024.0), (1, 1023.0), (5, 638.0), (8, 56.0), (10, 1.0)] {
            let found = coins.upper_sum(first, coins.start(first), 1.0, |_| 1.0);
            let exact = ways / 1024.0;
            assert!(found >= exact && found <= exact * (1.0 + 1e-12), "{first}: {found}");
        }
        let many = with_probability(1_000_000, "0.9");
        let found = many.upper_sum(100_000, many.start(100_000), 1.0, |_| 1.0);
        assert!((1.0..1.0 + 1e-9).contains(&found), "{found}");
    }
}
