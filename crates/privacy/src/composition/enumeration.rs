//! Optimal composition of a few releases: every outcome enumerated, everything certified.
//!
//! **Guarantee.** [`Enumeration::delta_upper`] is at or above the hockey-stick divergence
//! `Σ max(P(y) − e^ε·Q(y), 0)` between `P` and `Q`, the outputs of independent randomized responses with
//! odds `e^{εᵢ}` on the bits 0…0 and 1…1, and exceeds it by less than `2^-300`.
//! **Exactness.** Losses of outcomes are exact rationals, so each outcome is on the right side of ε;
//! probabilities are certified enclosures, with as many extra bits as `e^ε` and the binomial coefficients
//! can take away.

use dashu_int::UBig;
use pointillist_numbers::{Enclosure, IBig, Rational};

use crate::conversion::claim::PRECISION;

/// The most outcomes that are enumerated.
const OUTCOMES_MAX: u64 = 8192;
/// The most releases, and the largest total ε, for which precision is spent.
const COUNT_MAX: u64 = 4096;
const EPSILON_TOTAL_MAX: u64 = 1000;

/// Groups of equal releases: the ε of each, and how many.
pub(crate) type Groups = [(Rational, u64)];

/// All outcomes of a few randomized responses, from the largest privacy loss down.
#[derive(Clone, Debug)]
pub(crate) struct Enumeration {
    precision: usize,
    /// Falling.
    losses: Vec<Rational>,
    /// `P` and `Q` of the first 0, 1, 2, … outcomes.
    sums: Vec<(Enclosure, Enclosure)>,
}

struct Outcome {
    loss: Rational,
    p: Enclosure,
    q: Enclosure,
}

impl Enumeration {
    /// `None` where there are too many outcomes, or losses too large, to enumerate.
    pub(crate) fn of(groups: &Groups) -> Option<Self> {
        let outcomes =
            groups.iter().try_fold(1u64, |product, (_, count)| product.checked_mul(count.checked_add(1)?))?;
        let count = groups.iter().try_fold(0u64, |sum, (_, count)| sum.checked_add(*count))?;
        let total = groups
            .iter()
            .fold(Rational::zero(), |sum, (epsilon, count)| sum + epsilon * &Rational::from(*count));
        if outcomes > OUTCOMES_MAX || count > COUNT_MAX || total > Rational::from(EPSILON_TOTAL_MAX) {
            return None;
        }
        // e^ε takes 1.45 bits per unit of ε, binomial coefficients at most one bit per release.
        let precision =
            PRECISION + 64 + usize::try_from(count).ok()? + (total.to_f64_upper() * 1.45) as usize;

        let one = Enclosure::integer(1, precision);
        let mut all = vec![Outcome { loss: Rational::zero(), p: one.clone(), q: one }];
        for (epsilon, count) in groups {
            let group = outcomes_of_group(epsilon, *count, precision);
            let pair = |a: &Outcome, b: &Outcome| Outcome {
                loss: &a.loss + &b.loss,
                p: &a.p * &b.p,
                q: &a.q * &b.q,
            };
            all = all.iter().flat_map(|a| group.iter().map(move |b| pair(a, b))).collect();
        }
        all.sort_by(|a, b| b.loss.cmp(&a.loss));

        let zero = Enclosure::integer(0, precision);
        let mut sums = vec![(zero.clone(), zero)];
        for (index, outcome) in all.iter().enumerate() {
            let (p, q) = &sums[index];
            sums.push((p + &outcome.p, q + &outcome.q));
        }
        let losses = all.into_iter().map(|outcome| outcome.loss).collect();
        Some(Self { precision, losses, sums })
    }

    /// The δ at a given ε ≥ 0.
    pub(crate) fn delta_upper(&self, epsilon: &Rational) -> Rational {
        let above = self.losses.partition_point(|loss| loss > epsilon);
        if above == 0 {
            return Rational::zero();
        }
        let (p, q) = &self.sums[above];
        let growth = Enclosure::of(epsilon, self.precision).exp();
        (p - &(&growth * q)).upper().max(Rational::zero())
    }
}

/// The outcomes of `count` responses with odds `e^ε`, told apart by how many kept their bit.
fn outcomes_of_group(epsilon: &Rational, count: u64, precision: usize) -> Vec<Outcome> {
    let one = Enclosure::integer(1, precision);
    let decay = Enclosure::exp_of_minus(epsilon, precision);
    let under = &one + &decay;
    let keep = one.checked_div(&under).expect("at least one");
    let flip = decay.checked_div(&under).expect("at least one");
    let powers = |base: &Enclosure| {
        let mut powers = vec![one.clone()];
        for _ in 0..count {
            powers.push(powers.last().map_or_else(|| one.clone(), |last| last * base));
        }
        powers
    };
    let (keep, flip) = (powers(&keep), powers(&flip));
    let mut ways = UBig::ONE;
    let mut outcomes = Vec::new();
    for kept in 0..=count {
        let flipped = count - kept;
        let [k, f] = [kept, flipped].map(|n| n as usize);
        let p = times(&(&keep[k] * &flip[f]), &ways);
        let q = times(&(&keep[f] * &flip[k]), &ways);
        let loss = epsilon * &(Rational::from(kept) - Rational::from(flipped));
        outcomes.push(Outcome { loss, p, q });
        ways = ways * UBig::from(flipped) / UBig::from(kept + 1);
    }
    outcomes
}

fn times(value: &Enclosure, factor: &UBig) -> Enclosure {
    let factor = IBig::from(factor.clone());
    Enclosure::new(value.lower_units() * &factor, value.upper_units() * &factor, value.precision())
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::hockey_stick;

    use super::*;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    /// Against a sum over all 2⁵ outcomes in floats.
    #[test]
    fn enumeration_is_the_hockey_stick_of_the_product() {
        let groups = [(rational("0.5"), 3), (rational("1.25"), 2)];
        let enumeration = Enumeration::of(&groups).unwrap();
        let each = [0.5, 0.5, 0.5, 1.25, 1.25f64];
        let mut p = Vec::new();
        let mut q = Vec::new();
        for outcome in 0..32u32 {
            let keeps = |i: usize| outcome >> i & 1 == 1;
            let chance = |kept: bool, e: f64| {
                if kept { 1.0 / (1.0 + (-e).exp()) } else { 1.0 / (1.0 + e.exp()) }
            };
            p.push((0..5).map(|i| chance(keeps(i), each[i])).product::<f64>());
            q.push((0..5).map(|i| chance(!keeps(i), each[i])).product::<f64>());
        }
        for epsilon in ["0", "0.1", "0.5", "1", "1.75", "2.5", "3.9", "4", "5"] {
            let epsilon = rational(epsilon);
            let found = enumeration.delta_upper(&epsilon).to_f64_upper();
            let exact = hockey_stick(&p, &q, epsilon.to_f64_upper());
            assert!((found - exact).abs() < 1e-14, "{epsilon}: {found} {exact}");
        }
    }

    #[test]
    fn many_or_huge_losses_are_left_to_others() {
        assert!(Enumeration::of(&[(rational("0.1"), 4096)]).is_some());
        assert!(Enumeration::of(&[(rational("0.1"), 4097)]).is_none());
        assert!(Enumeration::of(&[(rational("501"), 2)]).is_none());
        let many: Vec<_> = (1..=14u32).map(|i| (Rational::from(i), 1)).collect();
        assert!(Enumeration::of(&many).is_none());
        assert!(Enumeration::of(&[(rational("1"), u64::MAX)]).is_none());
    }
}
