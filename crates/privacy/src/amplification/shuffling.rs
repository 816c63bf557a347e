//! Amplification by shuffling: local reports whose senders are hidden.
//!
//! **Guarantee.** `n` units each send one report through the same ε₀-differentially private randomizer, and
//! a shuffler permutes the reports at random before anyone sees them. The shuffled reports are (ε,
//! δ)-differentially private for the pairs computed here: always ε ≤ ε₀, and about `√(e^{ε₀}·ln(1/δ)/n)`
//! where n is large.
//! **Neighbours.** Replace-one: one unit's value is exchanged for another.
//! **Proof.** (Feldman, McMillan, Talwar 2021, "Hiding among the clones", arXiv:2012.12803.) Let `P` and
//! `Q` be the first unit's reports on its two values. They are mixtures of two distributions `A` and `B`,
//! `P = αA + (1 − α)B` and `Q` the mirror image, `α = e^{ε₀}/(1 + e^{ε₀})` (see `conversion/pure.rs`).
//! Every other unit's report is at least `e^{−ε₀}·P` and `e^{−ε₀}·Q`, hence a mixture that with probability
//! `e^{−ε₀}` is a *clone*, drawn from `(P + Q)/2 = (A + B)/2`. Reveal everything but who sent what of the
//! first unit's report and the clones: what is left is how many of these `C + 1` reports come from `A`,
//! with `C` binomial of `n − 1` draws at `e^{−ε₀}`. So the shuffled reports are no easier to tell apart
//! than `(C, Bin(C, ½) + Bernoulli(α))` from `(C, Bin(C, ½) + 1 − Bernoulli(α))`.
//! **Randomized response.** Nothing in the proof but the clones' rate uses the randomizer: any rate `c` will
//! do for which every other report `R` is at least `c·(P + Q)/2` everywhere. For binary and k-ary randomized
//! response, which report the truth with probability `p = e^{ε₀}·q` and each other value with probability
//! `q`, `c = 2/(1 + e^{ε₀})`, up to twice the general rate: `R` is at least `q`, and `P` and `Q` can not both
//! be `p`, so that `(P + Q)/2 ≤ (p + q)/2`. A random map of the data before the response (rounding, say)
//! changes nothing: the bound holds for whatever was drawn.
//! **Method.** Given `C = c` the ratio of the two rises in the count, so that the divergence is a sum over
//! an upper end: `Σ Bin(c, ½)(b)·max(0, X − Y·(c − b)/(b + 1))`, `X = α − e^ε(1 − α)`,
//! `Y = e^ε·α − (1 − α)`. It falls in `c`, as a clone can be added by whoever looks, so blocks of `c` are
//! bounded by their smallest one.
//! **Exactness.** Upper bounds throughout: `X` and `Y` are certified, the sums are `Binomial::upper_sum`,
//! the weights are raised by one part in 10¹⁴, and rare `C` count as no clones at all.
//! **Not covered.** Randomizers that differ between units, several reports a unit, reports that carry a
//! time or an address, and a δ of the randomizer. Better constants are known for general randomizers (the
//! same authors, 2023, arXiv:2208.04591) and for particular ones (Balle, Bell, Gascón, Nissim 2019,
//! arXiv:1903.02837); they are not used here.

use pointillist_numbers::{Enclosure, Rational};

use crate::composition::binomial::{Binomial, LOG_PRECISION, Term, Terms};
use crate::conversion::claim::{PRECISION, delta_from_upper, epsilon_from_upper, rational_from_upper};
use crate::conversion::least_epsilon::least_epsilon_upper;
use crate::{Delta, Epsilon, ParameterError};

/// The most reports that are counted.
const REPORTS_MAX: u64 = 1_000_000_000;
/// Beyond this ε₀ no clone is ever likely, and shuffling amplifies nothing.
const EPSILON_LOCAL_MAX: i64 = 100;
/// Into so many parts the likely numbers of clones are cut, and into so many the unlikely ones on either
/// side.
const BLOCKS_LIKELY: usize = 192;
const BLOCKS_UNLIKELY: usize = 24;
/// What a likely number of clones has at least, relative to the likeliest.
const LIKELY: f64 = 1e-16;
/// Numbers of clones less likely than this, relative to the likeliest, count as none.
const RARE: f64 = 1e-66;
/// What the float weights may err by.
const WEIGHT_ERROR: f64 = 1e-14;

/// The ε of `reports` shuffled reports at a given δ, each from an `epsilon_local`-private randomizer;
/// rounded up. At δ = 0 nothing is gained.
pub fn shuffled_epsilon_upper(
    epsilon_local: &Epsilon,
    reports: u64,
    delta: &Delta,
) -> Result<Epsilon, ParameterError> {
    epsilon_upper(Randomizer::Any, epsilon_local, reports, delta)
}

/// The same for reports of binary or k-ary randomized response, where less is enough.
pub fn shuffled_response_epsilon_upper(
    epsilon_local: &Epsilon,
    reports: u64,
    delta: &Delta,
) -> Result<Epsilon, ParameterError> {
    epsilon_upper(Randomizer::Response, epsilon_local, reports, delta)
}

/// The δ of `reports` shuffled reports at a given ε, each from an `epsilon_local`-private randomizer;
/// rounded up.
pub fn shuffled_delta_upper(
    epsilon_local: &Epsilon,
    reports: u64,
    epsilon: &Epsilon,
) -> Result<Delta, ParameterError> {
    delta_from_upper(Blocks::of(Randomizer::Any, epsilon_local, reports)?.delta_upper(epsilon.value()))
}

/// The same for reports of binary or k-ary randomized response, where less is enough.
pub fn shuffled_response_delta_upper(
    epsilon_local: &Epsilon,
    reports: u64,
    epsilon: &Epsilon,
) -> Result<Delta, ParameterError> {
    delta_from_upper(Blocks::of(Randomizer::Response, epsilon_local, reports)?.delta_upper(epsilon.value()))
}

/// What is known of the randomizer besides its ε₀: it decides how many clones there are.
#[derive(Clone, Copy)]
enum Randomizer {
    Any,
    Response,
}

impl Randomizer {
    /// The logarithms of the probabilities that a report is, and is not, a clone.
    fn log_clone_and_other(self, epsilon_local: &Rational) -> (Enclosure, Enclosure) {
        let exponent = Enclosure::of(epsilon_local, LOG_PRECISION);
        let one = Enclosure::integer(1, LOG_PRECISION);
        let decay = (-&exponent).exp();
        let some = "ε₀ is at least 2^-64, and so is 1 − e^{−ε₀} about";
        let log_rest = (&one - &decay).ln().expect(some);
        match self {
            Self::Any => (-&exponent, log_rest),
            // 2/(1 + e^{ε₀}) is 2·e^{−ε₀}/(1 + e^{−ε₀}), and what is left is (1 − e^{−ε₀})/(1 + e^{−ε₀}).
            Self::Response => {
                let log_sum = (&one + &decay).ln().expect("at least one");
                let log_clone = &(&Enclosure::ln_2(LOG_PRECISION) - &exponent) - &log_sum;
                (log_clone, &log_rest - &log_sum)
            }
        }
    }
}

fn epsilon_upper(
    randomizer: Randomizer,
    epsilon_local: &Epsilon,
    reports: u64,
    delta: &Delta,
) -> Result<Epsilon, ParameterError> {
    let blocks = Blocks::of(randomizer, epsilon_local, reports)?;
    if delta.is_zero() {
        return Ok(epsilon_local.clone());
    }
    let curve = |epsilon: &Rational| blocks.delta_upper(epsilon);
    epsilon_from_upper(least_epsilon_upper(delta.value(), epsilon_local.value(), curve))
}

/// Likely numbers of clones, in blocks.
struct Blocks {
    epsilon_local: Rational,
    /// Empty where there are no clones at all.
    blocks: Vec<Block>,
}

/// Consecutive numbers of clones.
struct Block {
    /// The smallest of them.
    clones: u64,
    /// Their probability together, rounded up.
    mass: f64,
    /// How many of the clones come from the first of the two distributions, and the likeliest such number.
    heads: Binomial,
    middle: Term,
}

impl Blocks {
    fn of(randomizer: Randomizer, epsilon_local: &Epsilon, reports: u64) -> Result<Self, ParameterError> {
        if reports == 0 {
            return Err(ParameterError::Zero {
                parameter: "number of reports",
                given: "0".to_owned(),
                hint: "a shuffler needs reports to hide behind; count at least one",
            });
        }
        if reports > REPORTS_MAX {
            return Err(ParameterError::TooLarge {
                parameter: "number of reports",
                given: reports.to_string(),
                limit: format!("at most {REPORTS_MAX}, which is a true bound for more reports too"),
                example: "1000000",
            });
        }
        let epsilon_local = epsilon_local.value().clone();
        let others = reports - 1;
        if others == 0 || epsilon_local > Rational::from(EPSILON_LOCAL_MAX) {
            let blocks = Vec::new();
            return Ok(Self { epsilon_local, blocks });
        }
        let (log_clone, log_other) = randomizer.log_clone_and_other(&epsilon_local);
        let Terms { below, inside, above } = Binomial::new(others, log_clone, log_other).terms(RARE);
        let mut blocks = vec![Block::new(0, below)];
        let largest = inside.iter().map(|term| term.mass).fold(0.0, f64::max);
        let likely = |term: &Term| term.mass >= LIKELY * largest;
        let (low, rest) = inside.split_at(inside.iter().position(likely).unwrap_or(0));
        let (middle, high) = rest.split_at(rest.iter().rposition(likely).map_or(0, |last| last + 1));
        for (terms, count) in [(low, BLOCKS_UNLIKELY), (middle, BLOCKS_LIKELY), (high, BLOCKS_UNLIKELY)] {
            blocks.extend(terms.chunks(terms.len().div_ceil(count).max(1)).map(|chunk| {
                let mass: f64 = chunk.iter().map(|term| term.mass).sum();
                Block::new(chunk[0].hits, mass * (1.0 + 2.0 * chunk.len() as f64 * f64::EPSILON))
            }));
        }
        blocks.extend(inside.last().map(|last| Block::new(last.hits, above)));
        Ok(Self { epsilon_local, blocks })
    }

    fn delta_upper(&self, epsilon: &Rational) -> Rational {
        if *epsilon >= self.epsilon_local {
            return Rational::zero();
        }
        // X = (1 − e^{ε − ε₀})/(1 + e^{−ε₀}), rounded up, and Y = (e^ε − e^{−ε₀})/(1 + e^{−ε₀}), rounded
        // down.
        let one = Enclosure::integer(1, PRECISION);
        let gap = Enclosure::exp_of_minus(&(&self.epsilon_local - epsilon), PRECISION);
        let clone = Enclosure::exp_of_minus(&self.epsilon_local, PRECISION);
        let under = &one + &clone;
        let x = (&one - &gap).checked_div(&under).expect("at least one").upper();
        if self.blocks.is_empty() {
            return x;
        }
        let growth = Enclosure::of(epsilon, PRECISION).exp();
        let y = (&growth - &clone).checked_div(&under).expect("at least one");
        let (x_near, y_near) = (x.to_f64_upper(), y.lower().to_f64_lower());
        let sum: f64 = self.blocks.iter().map(|block| block.delta_upper(x_near, y_near)).sum();
        let raised = sum * (1.0 + 4.0 * self.blocks.len() as f64 * f64::EPSILON);
        rational_from_upper(raised).min(x)
    }
}

impl Block {
    fn new(clones: u64, mass: f64) -> Self {
        let heads = Binomial::fair(clones);
        let middle = heads.start(0);
        Self { clones, mass, heads, middle }
    }

    /// The probability of the block times `Σ Bin(c, ½)(b)·max(0, X − Y·(c − b)/(b + 1))`, rounded up, for X
    /// rounded up and Y rounded down.
    fn delta_upper(&self, x: f64, y: f64) -> f64 {
        let weight = |heads: u64| {
            let away = y * ((self.clones - heads) as f64 / (heads + 1) as f64);
            (x - away + WEIGHT_ERROR * (x + away)).max(0.0)
        };
        // The weight rises, and where fewer than half of the clones are heads it is not positive, because Y
        // ≥ X: the sum may start a little below the middle.
        let first = (self.clones / 2).saturating_sub(2);
        let weight_max = x * (1.0 + 2.0 * WEIGHT_ERROR);
        let given = self.heads.upper_sum(first, self.middle, weight_max, weight);
        self.mass * given.min(x)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained as _;
    use pointillist_testkit::hockey_stick;

    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    /// The frozen reference interval for n = 10⁵, ε₀ = 4, δ = 10⁻⁶: the authors' own numbers, from below
    /// and above.
    #[test]
    fn a_hundred_thousand_reports_match_the_reference() {
        let found = shuffled_epsilon_upper(&epsilon("4"), 100_000, &delta("1e-6")).unwrap();
        let found = found.to_f64_upper();
        assert!((0.1675..0.1728).contains(&found), "{found}");
    }

    /// The closed form of the same paper (Theorem 3.1, here from memory and as a cross-check only): for
    /// ε₀ ≤ ln(n/(16·ln(2/δ))), ε ≤ ln(1 + tanh(ε₀/2)·(8·√(e^{ε₀}·ln(4/δ)/n) + 8·e^{ε₀}/n)).
    fn closed_form(epsilon_local: f64, reports: f64, delta: f64) -> Option<f64> {
        let growth = epsilon_local.exp();
        (epsilon_local <= (reports / (16.0 * (2.0 / delta).ln())).ln()).then(|| {
            let root = 8.0 * (growth * (4.0 / delta).ln() / reports).sqrt();
            ((epsilon_local / 2.0).tanh() * (root + 8.0 * growth / reports)).ln_1p()
        })
    }

    #[test]
    fn the_closed_form_is_never_smaller() {
        for (e, n, d) in [
            ("4", 100_000, "1e-6"),
            ("1", 10_000, "1e-6"),
            ("0.1", 10_000, "1e-9"),
            ("6", 10_000_000, "1e-15"),
        ] {
            let found = shuffled_epsilon_upper(&epsilon(e), n, &delta(d)).unwrap().to_f64_upper();
            let [e, d] = [e, d].map(|text| text.parse().unwrap());
            let closed = closed_form(e, n as f64, d).unwrap();
            assert!(found <= closed.min(e), "{e} {n} {d}: {found} {closed}");
            assert!(found >= closed / 10.0, "{e} {n} {d}: {found} {closed}");
        }
    }

    /// A few reports, all outcomes of the pair written out in floats: the bound is met, from above.
    #[test]
    fn few_reports_are_summed_exactly() {
        let local = 1.0f64;
        let alpha = 1.0 / (1.0 + (-local).exp());
        for n in [1u32, 2, 3, 8] {
            let clone = (-local).exp();
            let choose = |n: u32, k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
            let (mut p, mut q) = (Vec::new(), Vec::new());
            for c in 0..n {
                let weight = choose(n - 1, c) * clone.powi(c as i32) * (1.0 - clone).powi((n - 1 - c) as i32);
                let coins = |a: i64| {
                    if (0..=i64::from(c)).contains(&a) {
                        choose(c, a as u32) / 2f64.powi(c as i32)
                    } else {
                        0.0
                    }
                };
                for a in 0..=i64::from(c) + 1 {
                    p.push(weight * (alpha * coins(a - 1) + (1.0 - alpha) * coins(a)));
                    q.push(weight * ((1.0 - alpha) * coins(a - 1) + alpha * coins(a)));
                }
            }
            for at in ["0.001", "0.2", "0.5", "0.9"] {
                let found =
                    shuffled_delta_upper(&epsilon("1"), n.into(), &epsilon(at)).unwrap().to_f64_upper();
                let exact = hockey_stick(&p, &q, at.parse().unwrap());
                assert!(found >= exact * (1.0 - 1e-12), "{n} {at}: {found} {exact}");
                assert!(found <= exact * (1.0 + 1e-10), "{n} {at}: {found} {exact}");
            }
        }
    }

    /// Every data set of three people and every answer of one of them, k-ary response written out: the true
    /// divergence of the shuffled reports stays below the bound, and for two answers comes near it.
    #[test]
    fn shuffled_responses_stay_below_their_bound() {
        let local = 1.0f64;
        for categories in [2usize, 3, 4] {
            let scale = 1.0 / (local.exp() + categories as f64 - 1.0);
            let law = |data: [usize; 3]| {
                let mut cells = vec![0.0; 4usize.pow(categories as u32)];
                for reports in 0..categories.pow(3) {
                    let reports = [
                        reports % categories,
                        reports / categories % categories,
                        reports / categories.pow(2),
                    ];
                    let mut probability = 1.0;
                    let mut cell = 0;
                    for (report, truth) in reports.into_iter().zip(data) {
                        probability *= scale * if report == truth { local.exp() } else { 1.0 };
                        cell += 4usize.pow(report as u32);
                    }
                    cells[cell] += probability;
                }
                cells
            };
            for at in ["0.05", "0.3", "0.6", "0.9"] {
                let bound = |delta: Result<Delta, ParameterError>| delta.unwrap().to_f64_upper();
                let response = bound(shuffled_response_delta_upper(&epsilon("1"), 3, &epsilon(at)));
                let any = bound(shuffled_delta_upper(&epsilon("1"), 3, &epsilon(at)));
                let mut worst = 0.0f64;
                for data in 0..categories.pow(3) {
                    let others = [data / categories % categories, data / categories.pow(2)];
                    for other in 0..categories {
                        let [p, q] =
                            [data % categories, other].map(|first| law([first, others[0], others[1]]));
                        worst = worst.max(hockey_stick(&p, &q, at.parse().unwrap()));
                    }
                }
                assert!(worst <= response * (1.0 + 1e-12), "{categories} {at}: {worst} {response}");
                assert!(response < any, "{categories} {at}: {response} {any}");
                assert!(categories > 2 || worst >= 0.6 * response, "{at}: {worst} {response}");
            }
        }
    }

    /// Specification: however many clones one asks for, the blocks say that as few or fewer are at least as likely as they
    /// are; rare numbers, down to one in 10¹²⁰ here, included. The divergence falls in the number of clones, so this
    /// order is all that the bound needs.
    #[test]
    fn no_number_of_clones_is_less_likely_in_blocks() {
        let clone = (-2.0f64).exp();
        for n in [1200u32, 2000] {
            let others = n - 1;
            let blocks = Blocks::of(Randomizer::Any, &epsilon("2"), n.into()).unwrap().blocks;
            let mut log_weight = f64::from(others) * (-clone).ln_1p();
            let mut exact = 0.0;
            for c in 0..others {
                exact += log_weight.exp();
                log_weight += (f64::from(others - c) / f64::from(c + 1) * clone / (1.0 - clone)).ln();
                let claimed: f64 =
                    blocks.iter().filter(|block| block.clones <= c.into()).map(|block| block.mass).sum();
                assert!(claimed >= exact * (1.0 - 1e-9), "{n}: {c} clones or fewer: {claimed:e} {exact:e}");
            }
            assert!(exact > 0.999_999, "{exact}");
        }
    }

    #[test]
    fn responses_hide_better_than_any_randomizer_must() {
        for (e, n, d) in [("4", 100_000, "1e-6"), ("1", 10_000, "1e-6"), ("0.01", 1000, "1e-9")] {
            let any = shuffled_epsilon_upper(&epsilon(e), n, &delta(d)).unwrap().to_f64_upper();
            let response = shuffled_response_epsilon_upper(&epsilon(e), n, &delta(d)).unwrap().to_f64_upper();
            // √2 is what twice the clones can give.
            assert!(response < any && response > any / 1.45, "{e}: {response} {any}");
        }
        for e in ["1e-15", "50", "101", "1e6"] {
            assert!(
                shuffled_response_epsilon_upper(&epsilon(e), 1000, &delta("1e-6")).unwrap() <= epsilon(e)
            );
        }
    }

    #[test]
    fn more_reports_and_more_local_privacy_help() {
        let at = |e: &str, n: u64| shuffled_epsilon_upper(&epsilon(e), n, &delta("1e-6")).unwrap();
        assert!(at("2", 1_000_000) < at("2", 10_000));
        assert!(at("1", 10_000) < at("2", 10_000));
        assert!(at("2", 10) <= epsilon("2"));
    }

    #[test]
    fn extreme_values_never_exceed_the_local_loss() {
        for e in ["1e-6", "50", "99", "101", "1e6"] {
            for n in [1, 2, 1000, 10_000_000] {
                for d in ["1e-15", "0.5"] {
                    let found = shuffled_epsilon_upper(&epsilon(e), n, &delta(d)).unwrap();
                    assert!(found <= epsilon(e), "{e} {n} {d}: {}", found.to_f64_upper());
                }
            }
        }
        // A thousand million reports, at an ε far out where the sums are all but empty.
        let far = shuffled_delta_upper(&epsilon("2"), 1_000_000_000, &epsilon("0.1")).unwrap();
        assert_eq!(far, delta("1e-60"));
        assert_eq!(shuffled_epsilon_upper(&epsilon("3"), 1000, &Delta::zero()).unwrap(), epsilon("3"));
        assert_eq!(shuffled_delta_upper(&epsilon("3"), 1000, &epsilon("3")).unwrap(), Delta::zero());
    }

    #[test]
    fn impossible_numbers_of_reports_are_refused_with_a_hint() {
        for n in [0, REPORTS_MAX + 1, u64::MAX] {
            let message =
                shuffled_epsilon_upper(&epsilon("1"), n, &delta("1e-6")).unwrap_err().explanation().text();
            assert!(message.contains("\nhint: "), "{message}");
        }
    }
}
