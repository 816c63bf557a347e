//! Against all partitions of small sets.

use pointillist_noise::BitSource;
use pointillist_testkit::seeded;

use super::*;

/// Costs that are written down.
struct Listed {
    rows: usize,
    pairs: Vec<i32>,
    triples: Vec<i32>,
}

impl Costs for Listed {
    fn rows(&self) -> usize {
        self.rows
    }

    fn pair(&self, left: usize, right: usize) -> i32 {
        self.pairs[left.min(right) * self.rows + left.max(right)]
    }

    fn triple(&self, [first, second, third]: Triple) -> i32 {
        self.triples[(first * self.rows + second) * self.rows + third]
    }
}

impl Listed {
    /// Arbitrary costs with the simplex condition, often with equality: pairs of 0 to `range` · 2.
    fn random(rows: usize, seed: u64) -> Self {
        let mut bits = seeded(seed);
        let mut below = |bound: u64| (bits.word() % bound) as i32;
        let (range, extra, sparse) = (1 + below(5), 1 + below(5), below(2) == 0);
        let mut costs = Self { rows, pairs: vec![0; rows * rows], triples: vec![0; rows * rows * rows] };
        for cost in &mut costs.pairs {
            *cost = 2 * if sparse { range * i32::from(below(3) > 0) } else { below(range as u64 + 1) };
        }
        for first in 0..rows {
            for second in first + 1..rows {
                for third in second + 1..rows {
                    let pairs = [(first, second), (first, third), (second, third)];
                    let pairs: i32 = pairs.into_iter().map(|(left, right)| costs.pair(left, right)).sum();
                    let more = match below(3) {
                        0 => 0,
                        1 => below(extra as u64 + 1),
                        _ => 60,
                    };
                    costs.triples[(first * rows + second) * rows + third] = (pairs + 1) / 2 + more;
                }
            }
        }
        costs
    }

    fn total(&self, classes: &[Vec<usize>]) -> i32 {
        let cost = |class: &Vec<usize>| match class[..] {
            [left, right] => self.pair(left, right),
            [first, second, third] => self.triple([first, second, third]),
            _ => panic!("{class:?} is neither a pair nor a triple"),
        };
        classes.iter().map(cost).sum()
    }

    /// The least cost of all partitions, by subsets.
    fn least(&self) -> i32 {
        let mut least = vec![i32::MAX; 1 << self.rows];
        least[0] = 0;
        for set in 1usize..least.len() {
            let first = set.trailing_zeros() as usize;
            let rest = set & !(1 << first);
            for second in (first + 1..self.rows).filter(|row| rest >> row & 1 == 1) {
                let rest = rest & !(1 << second);
                let with_pair = least[rest].saturating_add(self.pair(first, second));
                least[set] = least[set].min(with_pair);
                for third in (second + 1..self.rows).filter(|row| rest >> row & 1 == 1) {
                    let with_triple =
                        least[rest & !(1 << third)].saturating_add(self.triple([first, second, third]));
                    least[set] = least[set].min(with_triple);
                }
            }
        }
        least[least.len() - 1]
    }
}

/// Specification: for arbitrary costs with the simplex condition, nothing is cheaper.
#[test]
fn no_partition_of_a_small_set_is_cheaper() {
    for seed in 0..3_000u64 {
        let costs = Listed::random(2 + (seed % 12) as usize, seed);
        let classes = cheapest(&costs);
        let mut rows = classes.concat();
        rows.sort_unstable();
        assert_eq!(rows, (0..costs.rows).collect::<Vec<_>>());
        assert_eq!(costs.total(&classes), costs.least(), "seed {seed}");
    }
}
