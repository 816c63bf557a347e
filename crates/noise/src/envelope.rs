//! Blocks of a two-sided, falling density: which one to look into, drawn exactly from one 64-bit word.
//!
//! The density at distance x from zero is exp(−γ(x)), γ(x) = linear·x + quadratic·x², on both sides. Each side is cut
//! into blocks of one width; block q of a side starts at x = q·width (+ an offset) and is proposed with probability
//! proportional to the density at its start, its largest. Category 2q is block q of the right side, 2q + 1 of the
//! left.
//!
//! **Guarantee.** [`Envelope::pick`] returns category c with probability exactly `w(c)/Σw`. Cumulative probabilities
//! are held as integers with certified bounds; a word that lies clear of them decides, any other word (about one
//! in 2^50) is refined with more random bits and more precision until it does. No tail is cut off: a word beyond
//! the table is refined like any other.
//! **Time.** One word, one look into a guide and a short walk; nearly the same for every category.

use dashu_int::IBig;
use pointillist_numbers::{Enclosure, Rational};

use crate::{BitSource, LazyUniform};

/// The guide maps the leading bits of a word to the first category it can mean.
const GUIDE_BITS: u32 = 11;
/// Bits behind the point while the table is built; errors grow to about 2^22 units, far below 2^64.
const BUILD_PRECISION: usize = 128;
/// Categories lighter than 2^-70 are left to refinement: together they weigh less than one word in 2^64.
const LIGHTEST_BITS: usize = 70;

/// The density and the blocks it is cut into.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub linear: Rational,
    pub quadratic: Rational,
    pub width: Rational,
    /// Where the left side starts: 1 on the integers, so that zero is counted once; 0 on the reals.
    pub left_start: Rational,
}

impl Shape {
    /// The distance from zero at which a category's block starts.
    pub fn start(&self, category: usize) -> Rational {
        let block = Rational::from(category / 2) * self.width.clone();
        if category.is_multiple_of(2) { block } else { block + self.left_start.clone() }
    }

    /// γ(start + offset) − γ(start): how much the density has fallen inside a block.
    pub fn fall(&self, category: usize, offset: &Rational) -> Rational {
        let start = self.start(category);
        let both = &(&start + &start) + offset;
        &(&self.linear * offset) + &(&self.quadratic * &(&both * offset))
    }

    fn gamma(&self, distance: &Rational) -> Rational {
        &(&self.linear * distance) + &(&self.quadratic * &distance.squared())
    }

    /// The weights exp(−γ(start)) in the order of categories, by two multiplications each.
    fn weights(&self, precision: usize) -> Weights {
        let side = |category: usize| {
            let start = self.start(category);
            Side {
                weight: Enclosure::exp_of_minus(&self.gamma(&start), precision),
                ratio: Enclosure::exp_of_minus(&self.fall(category, &self.width), precision),
            }
        };
        let twice = &self.quadratic + &self.quadratic;
        let bend = Enclosure::exp_of_minus(&(&twice * &self.width.squared()), precision);
        Weights { sides: [side(0), side(1)], bend, category: 0 }
    }

    /// A bound on all weights from `category` (of weight `first`) and its sister on, when both sides have reached it.
    ///
    /// Weights of one side fall by ever smaller ratios, the first of them exp(−fall); so one side's rest is at most
    /// first/(1 − exp(−fall)) ≤ first·(1 + 1/fall). The left side never weighs more than the right.
    fn rest_upper(&self, category: usize, first: &Enclosure) -> Rational {
        let fall = self.fall(category & !1, &self.width);
        let side =
            first.upper() * (Rational::one() + fall.reciprocal().expect("the density falls over a block"));
        &side + &side
    }

    /// Cumulative weights of every category heavier than `2^-lightest`, and the total of all.
    fn cumulative(&self, precision: usize, lightest: usize) -> (Vec<Enclosure>, Enclosure) {
        let floor = IBig::ONE << (precision - lightest);
        let mut sums = Vec::new();
        let mut sum = Enclosure::integer(0, precision);
        for (category, weight) in self.weights(precision).enumerate() {
            if category.is_multiple_of(2) && *weight.upper_units() < floor {
                let rest = Enclosure::of(&self.rest_upper(category, &weight), precision);
                let total = Enclosure::new(
                    sum.lower_units().clone(),
                    sum.upper_units() + rest.upper_units(),
                    precision,
                );
                return (sums, total);
            }
            sum = &sum + &weight;
            sums.push(sum.clone());
        }
        unreachable!("the weights fall below any floor")
    }
}

struct Side {
    weight: Enclosure,
    ratio: Enclosure,
}

struct Weights {
    sides: [Side; 2],
    bend: Enclosure,
    category: usize,
}

impl Iterator for Weights {
    type Item = Enclosure;

    fn next(&mut self) -> Option<Enclosure> {
        let side = &mut self.sides[self.category % 2];
        self.category += 1;
        let next = &side.weight * &side.ratio;
        let weight = std::mem::replace(&mut side.weight, next);
        side.ratio = &side.ratio * &self.bend;
        Some(weight)
    }
}

/// The table: one word in, one category out.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    shape: Shape,
    /// `ends[c]`: words from here on certainly mean a later category.
    ends: Vec<u64>,
    /// Words below `ends[c] − slack` certainly mean category c or an earlier one.
    slack: u64,
    guide: Vec<u16>,
}

impl Envelope {
    pub fn new(shape: Shape) -> Self {
        let (sums, total) = shape.cumulative(BUILD_PRECISION, LIGHTEST_BITS);
        let word = |bound: IBig| u64::try_from(bound).unwrap_or(u64::MAX);
        let mut slack = 0;
        let mut ends: Vec<u64> = Vec::with_capacity(sums.len());
        for sum in &sums {
            let lower = (sum.lower_units() << 64) / total.upper_units();
            let upper = ((sum.upper_units() << 64) + total.lower_units() - IBig::ONE) / total.lower_units();
            // Saturation is safe: the last word is never below `end − slack`, so it is always refined.
            let (lower, upper) = (word(lower), word(upper));
            slack = slack.max(upper - lower);
            ends.push(upper);
        }
        assert!(ends.len() <= usize::from(u16::MAX), "a table has a few thousand categories");
        let guide = (0..1u64 << GUIDE_BITS)
            .map(|cell| ends.partition_point(|end| *end <= cell << (64 - GUIDE_BITS)) as u16)
            .collect();
        Self { shape, ends, slack, guide }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How many categories the table itself decides.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub fn pick<B: BitSource + ?Sized>(&self, bits: &mut B) -> usize {
        let word = bits.word();
        let mut category = usize::from(self.guide[(word >> (64 - GUIDE_BITS)) as usize]);
        while let Some(end) = self.ends.get(category) {
            if word < *end {
                if word < end.saturating_sub(self.slack) {
                    return category;
                }
                break;
            }
            category += 1;
        }
        self.refine(word, bits)
    }

    /// Decides a word that the table could not, with as many further words as it takes.
    #[cold]
    fn refine<B: BitSource + ?Sized>(&self, word: u64, bits: &mut B) -> usize {
        let mut number = LazyUniform::starting_with(word);
        loop {
            number.reveal(bits);
            if let Some(category) = self.decide(&number) {
                return category;
            }
        }
    }

    /// The category of every number that begins with the known digits, if it is one and the same.
    fn decide(&self, number: &LazyUniform) -> Option<usize> {
        let length = number.length();
        let (sums, total) = self.shape.cumulative(length + 64, length + 8);
        let digits = IBig::from(number.digits().clone());
        // number·total lies in [low, high), in units of the sums' precision scaled by 2^length.
        let low = &digits * total.lower_units();
        let high = (digits + IBig::ONE) * total.upper_units();
        let category = sums.partition_point(|sum| (sum.upper_units() << length) <= low);
        let sum = sums.get(category)?;
        // Every earlier sum is certainly at or below; this one must be certainly above.
        ((sum.lower_units() << length) >= high).then_some(category)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::{counting, scripted};

    use super::*;

    fn laplace(scale: Rational, width: Rational) -> Envelope {
        let linear = scale.reciprocal().unwrap();
        Envelope::new(Shape { linear, quadratic: Rational::zero(), width, left_start: Rational::one() })
    }

    /// Specification: for the discrete Laplace of scale 1 the cumulative probability of {0}, {0, −1}, {0, −1, 1} is
    /// known in closed form; the table's ends are within two words of it.
    #[test]
    fn the_ends_are_the_cumulative_probabilities() {
        let envelope = laplace(Rational::one(), Rational::one());
        assert!(envelope.slack <= 2, "slack {}", envelope.slack);
        // Golden probabilities of 0 and ±1; categories come in the order 0, −1, 1, −2, …
        let zero = 0.462_117_157_260_009_76;
        let one = 0.170_003_401_568_547_92;
        for (category, cumulative) in [zero, zero + one, zero + 2.0 * one].into_iter().enumerate() {
            let found = envelope.ends[category] as f64 / 2f64.powi(64);
            assert!((found - cumulative).abs() < 1e-15, "{category}: {found}");
        }
        assert!(envelope.ends.is_sorted());
    }

    /// Specification: a word on an edge is refined, and the refined answer is the same as that of exact arithmetic:
    /// all zeros after the edge mean the category before the edge's fractional part, all ones the one after.
    #[test]
    fn a_word_on_the_edge_is_refined_to_either_side() {
        let envelope = laplace(Rational::from(10), Rational::one());
        for category in [0usize, 1, 2, 17, 100] {
            let end = envelope.ends[category];
            // The edge lies strictly between end − slack and end.
            let edge = end - envelope.slack;
            let before = envelope.refine(edge - 1, &mut scripted(vec![u64::MAX]));
            assert_eq!(before, category, "just below the edge of {category}");
            let after = envelope.refine(end, &mut scripted(vec![0]));
            assert_eq!(after, category + 1, "just above the edge of {category}");
            // Bisecting the words after `edge` finds the true edge; both sides of it must be neighbours.
            let side = |next: u64| envelope.refine(edge, &mut scripted(vec![next, 0, 0]));
            assert!(side(0) <= category + 1 && side(u64::MAX) >= category && side(u64::MAX) <= category + 1);
            assert!(side(0) <= side(u64::MAX));
        }
    }

    /// Specification: between values −q and q lies 1 − 2a^(q+1)/(1 + a) of the discrete Laplace law, and between −q − 1 and
    /// q lies 1 − a^(q+1), a = exp(−1/scale). A number that begins with the 192 digits of such an edge, but for one unit
    /// more or less in the last word, falls on its own side; the table alone could not tell.
    #[test]
    fn words_at_the_exact_edge_fall_to_their_side() {
        for scale in ["1", "7/3", "10", "31"] {
            let scale = Rational::parse(scale).unwrap();
            let envelope = laplace(scale.clone(), Rational::one());
            let power = |k: usize| Enclosure::exp_of_minus(&(Rational::from(k) / scale.clone()), 320);
            let one = Enclosure::integer(1, 320);
            for category in [0usize, 1, 2, 3, 4, 9, 16, 31] {
                let beyond = if category % 2 == 1 {
                    power(category / 2 + 1)
                } else {
                    power(category / 2 + 1).mul_integer(2).checked_div(&(&one + &power(1))).unwrap()
                };
                let edge = &one - &beyond;
                let digits = edge.scale_by_power_of_two(192).floor().expect("320 bits tell 192 digits");
                let pick = |digits: IBig| {
                    let word =
                        |shift: usize| u64::try_from((&digits >> shift) & IBig::from(u64::MAX)).unwrap();
                    let (mut bits, words) = counting(scripted(vec![word(128), word(64), word(0), 0, 0]));
                    (envelope.pick(&mut bits), words.get())
                };
                let (before, words_before) = pick(&digits - IBig::ONE);
                let (after, words_after) = pick(digits + IBig::ONE);
                assert_eq!((before, after), (category, category + 1), "scale {scale}");
                assert!(words_before >= 3 && words_after >= 3, "scale {scale}: decided too early");
            }
        }
    }

    /// Specification: whatever is left out of the table weighs no more than its bound, on both sides together, and the
    /// total holds everything. The rest of a Laplace law is a geometric series; that of a Gaussian one is added up.
    #[test]
    fn the_rest_and_the_total_hold_every_weight() {
        let shapes = [
            // linear, quadratic, width, start of the left side.
            ("1/10", "0", "1", 1),
            ("10", "0", "1", 0),
            ("1", "0", "1/16", 0),
            ("0", "1/2", "1/16", 0),
            ("0", "1/200", "1", 1),
            ("0", "5", "1", 0),
        ];
        for (linear, quadratic, width, left_start) in shapes {
            let [linear, quadratic, width] =
                [linear, quadratic, width].map(|text| Rational::parse(text).unwrap());
            let shape = Shape { linear, quadratic, width, left_start: Rational::from(left_start) };
            let weight = |category: usize| Enclosure::exp_of_minus(&shape.gamma(&shape.start(category)), 200);
            for first in [0usize, 2, 6, 20] {
                let rest = shape.rest_upper(first, &weight(first));
                let sum = (first..first + 1500)
                    .map(weight)
                    .take_while(|weight| *weight.lower_units() > IBig::ONE)
                    .fold(Rational::zero(), |sum, weight| sum + weight.lower());
                assert!(sum <= rest, "{shape:?} from {first}");
                if shape.quadratic.is_zero() {
                    assert!(rest <= sum * Rational::from(3), "{shape:?} from {first}: the bound is idle");
                }
            }
            let (sums, total) = shape.cumulative(128, 70);
            let all = (0..sums.len() + 1500)
                .map(weight)
                .take_while(|weight| *weight.lower_units() > IBig::ONE)
                .fold(Rational::zero(), |sum, weight| sum + weight.lower());
            assert!(all <= total.upper() && total.lower() <= all, "{shape:?}");
            assert!(total.upper() - total.lower() < Rational::power_of_two(-55), "{shape:?}");
            for (category, sum) in sums.iter().enumerate().take(40) {
                let truth =
                    (0..=category).map(weight).fold(Rational::zero(), |sum, weight| sum + weight.lower());
                let off = sum.upper() - truth.clone();
                assert!(!off.is_negative() && off < Rational::power_of_two(-110), "{shape:?}: {category}");
                assert!(sum.lower() <= truth + Rational::power_of_two(-190), "{shape:?}: {category}");
            }
        }
    }

    /// Specification: no tail is cut off. The last words reach categories that the table does not hold.
    #[test]
    fn the_last_word_reaches_beyond_the_table() {
        let envelope = laplace(Rational::from(10), Rational::one());
        let picked = envelope.pick(&mut scripted(vec![u64::MAX, u64::MAX, u64::MAX / 2]));
        assert!(picked > envelope.len(), "{picked} is inside the table of {}", envelope.len());
        // exp(−k/10)·const ≈ 2^-128 puts k near 880 on either side.
        assert!((700..1000).contains(&(picked / 2)), "{picked}");
    }

    /// Specification: fast path and refinement agree wherever the fast path decides.
    #[test]
    fn the_fast_path_agrees_with_exact_refinement() {
        let envelope = laplace(Rational::ratio(7, 3), Rational::one());
        for step in 0..400u64 {
            let word = step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let fast = envelope.pick(&mut scripted(vec![word, 0, 0]));
            let exact = envelope.refine(word, &mut scripted(vec![0, 0]));
            assert_eq!(fast, exact, "word {word:#x}");
        }
    }

    /// Specification: at the smallest scales everything but zero is out of reach, and nothing loops.
    #[test]
    fn a_tiny_scale_has_one_category() {
        let envelope = laplace(Rational::power_of_two(-20), Rational::one());
        assert_eq!(envelope.pick(&mut scripted(vec![u64::MAX - 5])), 0);
        assert_eq!(envelope.pick(&mut scripted(vec![u64::MAX, 0])), 0);
    }
}
