//! The cheapest partition into pairs and triples, where triples cost enough: simplex matching.
//!
//! **Claim.** If every triple costs at least half of what its three pairs cost together (the simplex
//! condition), [`cheapest`] finds a partition into pairs and triples with the least total cost, in polynomial
//! time.
//! **Method.** A partition is a set T of triples and a matching of the rows outside T; given T, the cheapest
//! matching is known (`matching.rs`). Start with as few triples as parity allows, and as long as that makes
//! the partition cheaper, exchange two: add two triples, remove two, or put one in the place of another.
//! **Why no better partition is missed.** Draw every triple as a node with an edge of cost c to each of its
//! rows, such that two of the three c together are at least the pair's cost; the simplex condition says that
//! such c exist. Then a partition is a set of edges that meets every row once and every triple's node 0, 2 or
//! 3 times, where two times is never better than the pair itself. Degrees {0, 2, 3} have a gap of one, and
//! for such degrees a set of edges that is not the cheapest has a cheaper one beside it whose degrees have
//! another parity at no more than two nodes (Dudycz and Paluch 2018, *Optimal general matchings*; another
//! proof: Kobayashi 2023; for {0, 2, 3}: Shao and Živný 2023). Parity is odd exactly at the triples of T.
//! That 2-anonymity is a simplex matching and polynomial is Anshelevich and Karagiozova (2007) with Blocki
//! and Williams (2010). The theorem of Dudycz and Paluch is quoted from memory and not proven here; the tests
//! compare with all partitions of small sets, for costs of tables and for arbitrary costs with the simplex
//! condition.
//! **What is skipped, and why that is safe.** Let f(U) be the cheapest matching of U and t = {u, v, w}. A
//! matching of the rest of U and the pair {u, v} match U without w, so f(U ∖ t) + cost(t) ≥ f(U ∖ w) +
//! cost(t) − cost(u, v). One search gives f(U ∖ w) for all w; triples whose bound is no better than what is
//! had are not tried. For two new triples the same holds of every row of the one together with every row of
//! the other.
//! **Time.** A round takes about n searches of n² steps and those that the bounds do not avert. Every
//! exchange saves at least one star, of which there are at most as many as cells.

use std::collections::BinaryHeap;
use std::iter;

use rayon::prelude::*;

use super::matching::{Matching, PairCosts};

/// So many promising triples are kept at a time.
const BATCH: usize = 20_000;

/// Three rows in one class, in increasing order.
type Triple = [usize; 3];

/// What pairs and triples cost.
pub(super) trait Costs: Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;
    /// What a pair costs: even, not negative.
    fn pair(&self, left: usize, right: usize) -> i32;
    /// What a triple costs: at least half of its pairs together.
    fn triple(&self, triple: Triple) -> i32;
}

/// The classes of the cheapest partition of at least two rows.
pub(super) fn cheapest(costs: &impl Costs) -> Vec<Vec<usize>> {
    let pairs = PairCosts::new(costs.rows(), |left, right| costs.pair(left, right));
    let mut partition = Partition::new(costs, &pairs);
    while partition.exchange_one_by_one() | partition.add_two() | partition.remove_two() {}
    partition.classes()
}

struct Partition<'c, C> {
    costs: &'c C,
    pairs: &'c PairCosts,
    /// For two rows u and w: the least of cost(u, v, w) − cost(u, v) over v.
    attached_least: Vec<i32>,
    /// For a row w: the least of cost(u, v, w) − cost(u, v) over u and v.
    third_least: Vec<i32>,
    triples: Vec<Triple>,
    /// Of all rows, those of triples gone.
    matching: Matching<'c>,
}

impl<'c, C: Costs> Partition<'c, C> {
    fn new(costs: &'c C, pairs: &'c PairCosts) -> Self {
        let rows = pairs.rows();
        let mut attached_least = vec![i32::MAX; rows * rows];
        for first in 0..rows {
            for second in first + 1..rows {
                for third in second + 1..rows {
                    let triple = [first, second, third];
                    let cost = costs.triple(triple);
                    for (place, row) in triple.into_iter().enumerate() {
                        let (left, right) = (triple[(place + 1) % 3], triple[(place + 2) % 3]);
                        let extra = cost - pairs.of(left, right);
                        for other in [left, right] {
                            let least = &mut attached_least[row * rows + other];
                            *least = extra.min(*least);
                        }
                    }
                }
            }
        }
        let third_least = attached_least.chunks(rows.max(1)).map(|row| row.iter().copied().min());
        let third_least = third_least.map(|least| least.unwrap_or(i32::MAX)).collect();
        let matching = Matching::new(pairs);
        let mut partition = Self { costs, pairs, attached_least, third_least, triples: Vec::new(), matching };
        if rows % 2 == 1 {
            let odd = partition.matching.clone();
            let (_, triple) = partition.best_triple(&odd, i32::MAX).expect("three rows are a triple");
            partition.add(triple);
            partition.matching.settle();
        }
        partition
    }

    fn classes(&self) -> Vec<Vec<usize>> {
        let pairs = self.matching.pairs().map(|(left, right)| vec![left, right]);
        let mut classes: Vec<Vec<usize>> =
            pairs.chain(self.triples.iter().map(|triple| triple.to_vec())).collect();
        classes.sort_unstable();
        classes
    }

    fn add(&mut self, triple: Triple) {
        triple.into_iter().for_each(|row| self.matching.leave(row));
        self.triples.push(triple);
    }

    fn remove(&mut self, triple: Triple) {
        self.triples.retain(|other| *other != triple);
        triple.into_iter().for_each(|row| self.matching.come_back(row));
    }

    /// The triple that, with the cheapest matching of the others, costs least, if less than `bound`; the
    /// matching has one row or door that is free.
    fn best_triple(&self, odd: &Matching<'_>, bound: i32) -> Option<(i32, Triple)> {
        let without = odd.clone().costs_without(|row| bound.saturating_sub(self.third_least[row]));
        let rows: Vec<(usize, i32)> = (0..without.len())
            .filter_map(|row| Some((row, without[row]?)))
            .filter(|(row, cost)| cost.saturating_add(self.third_least[*row]) < bound)
            .collect();
        let (mut bound, mut best, mut done) = (bound, None, None);
        // The most promising one first: often its bound is what it costs, and all others fall short.
        for count in iter::once(1).chain(iter::repeat(BATCH)) {
            let batch = self.promising(&rows, bound, done, count);
            for (lower, triple) in &batch {
                if *lower >= bound {
                    return best;
                }
                let mut even = odd.clone();
                triple.iter().for_each(|row| even.leave(*row));
                even.settle();
                let cost = even.cost() + self.costs.triple(*triple);
                if cost < bound {
                    (bound, best) = (cost, Some((cost, *triple)));
                }
            }
            if batch.len() < count {
                return best;
            }
            done = batch.last().copied();
        }
        best
    }

    /// Of the triples of these rows whose lower bound is below `bound`, so many with the least bounds, in
    /// order, after the one that is done. With a row stands what the matching costs without it.
    fn promising(
        &self,
        rows: &[(usize, i32)],
        bound: i32,
        done: Option<(i32, Triple)>,
        count: usize,
    ) -> Vec<(i32, Triple)> {
        let attached = |(row, without): (usize, i32), other: usize| {
            without.saturating_add(self.attached_least[row * self.pairs.rows() + other])
        };
        let (mut bound, mut found) = (bound, BinaryHeap::new());
        for (first_place, first) in rows.iter().enumerate() {
            for (second_place, second) in rows.iter().enumerate().skip(first_place + 1) {
                if attached(*first, second.0).max(attached(*second, first.0)) >= bound {
                    continue;
                }
                for third in &rows[second_place + 1..] {
                    if attached(*third, first.0).max(attached(*third, second.0)) >= bound {
                        continue;
                    }
                    let triple = [first.0, second.0, third.0];
                    let lower = [
                        first.1 - self.pairs.of(second.0, third.0),
                        second.1 - self.pairs.of(first.0, third.0),
                        third.1 - self.pairs.of(first.0, second.0),
                    ];
                    let lower = self.costs.triple(triple) + lower.into_iter().max().unwrap_or(0);
                    if lower >= bound || done.is_some_and(|done| (lower, triple) <= done) {
                        continue;
                    }
                    found.push((lower, triple));
                    if found.len() > count {
                        found.pop();
                        // Triples come in increasing order, so those that cost as much as the worst are
                        // beyond it.
                        bound = found.peek().map_or(bound, |(worst, _)| *worst);
                    }
                }
            }
        }
        found.into_sorted_vec()
    }

    /// What a row adds to the cost of the other two.
    fn extra(&self, triple: Triple, place: usize) -> i32 {
        self.costs.triple(triple) - self.pairs.of(triple[(place + 1) % 3], triple[(place + 2) % 3])
    }

    /// For two rows that become the third rows of triples: what the matching saves, less what the other adds
    /// to its triple at least. `None` where that cannot pay for what the row itself adds.
    fn savings(&self, row: usize) -> Vec<Option<i32>> {
        if !self.matching.is_here(row) {
            return vec![None; self.pairs.rows()];
        }
        let cost = self.matching.cost();
        let bound =
            |other: usize| cost.saturating_sub(self.third_least[row]).saturating_sub(self.third_least[other]);
        let mut leaving = self.matching.clone();
        leaving.leave(row);
        let without = leaving.costs_without(bound);
        let saved = without.into_iter().enumerate().map(|(other, without)| {
            let without = without.filter(|without| *without < bound(other))?;
            Some(cost - without - self.third_least[other])
        });
        saved.collect()
    }

    /// Whether a triple leaves three rows that may be the third row of another.
    fn has_partners(&self, triple: Triple, savings: [&[Option<i32>]; 3]) -> bool {
        let pays = |other: usize| {
            (0..3).all(|place| savings[place][other].is_some_and(|saved| self.extra(triple, place) < saved))
        };
        (0..self.pairs.rows()).filter(|other| !triple.contains(other) && pays(*other)).nth(2).is_some()
    }

    /// Two more triples.
    fn add_two(&mut self) -> bool {
        let mut savings: Vec<Option<Vec<Option<i32>>>> =
            (0..self.pairs.rows()).into_par_iter().map(|row| Some(self.savings(row))).collect();
        let promising: Vec<(usize, i32)> = covering(&savings)
            .into_iter()
            .filter_map(|row| Some((row, -savings[row].iter().flatten().flatten().max()?)))
            .collect();
        let (mut improved, mut done) = (false, None);
        while !improved {
            let batch = self.promising(&promising, 0, done, BATCH);
            for (_, first) in &batch {
                // Less can be saved after every improvement.
                for row in first {
                    savings[*row].get_or_insert_with(|| self.savings(*row));
                }
                if !self.has_partners(*first, first.map(|row| savings[row].as_deref().unwrap_or(&[]))) {
                    continue;
                }
                let mut odd = self.matching.clone();
                first.iter().for_each(|row| odd.leave(*row));
                odd.settle();
                let bound = self.matching.cost() - self.costs.triple(*first);
                if let Some((_, second)) = self.best_triple(&odd, bound) {
                    self.add(*first);
                    self.add(second);
                    self.matching.settle();
                    improved = true;
                    savings.fill(None);
                }
            }
            if batch.len() < BATCH {
                break;
            }
            done = batch.last().copied();
        }
        improved
    }

    /// A triple in the place of another.
    fn exchange_one_by_one(&mut self) -> bool {
        let mut improved = false;
        for old in self.triples.clone() {
            let mut odd = self.matching.clone();
            old.into_iter().for_each(|row| odd.come_back(row));
            odd.settle();
            let bound = self.matching.cost() + self.costs.triple(old);
            if let Some((_, new)) = self.best_triple(&odd, bound) {
                self.remove(old);
                self.add(new);
                self.matching.settle();
                improved = true;
            }
        }
        improved
    }

    /// Two triples fewer.
    fn remove_two(&mut self) -> bool {
        let mut improved = false;
        for first in self.triples.clone() {
            if !self.triples.contains(&first) {
                continue;
            }
            let mut odd = self.matching.clone();
            first.into_iter().for_each(|row| odd.come_back(row));
            odd.settle();
            let second = self.triples.iter().copied().filter(|second| first < *second).find(|second| {
                let bound = self.matching.cost() + self.costs.triple(first) + self.costs.triple(*second);
                if odd.cost_with_lower(second) >= bound {
                    return false;
                }
                let mut even = odd.clone();
                second.iter().for_each(|row| even.come_back(*row));
                even.settle();
                even.cost() < bound
            });
            if let Some(second) = second {
                self.remove(first);
                self.remove(second);
                self.matching.settle();
                improved = true;
            }
        }
        improved
    }
}

/// Rows that meet every two rows of which one may save with the other. Of two triples that save together
/// every row of the one saves with every row of the other, so all rows of one of them are among these.
fn covering(savings: &[Option<Vec<Option<i32>>>]) -> Vec<usize> {
    let rows = savings.len();
    let saves =
        |left: usize, right: usize| savings[left].as_ref().is_some_and(|savings| savings[right].is_some());
    let linked: Vec<Vec<usize>> = (0..rows)
        .map(|row| (0..rows).filter(|other| saves(row, *other) || saves(*other, row)).collect())
        .collect();
    let mut degrees: Vec<usize> = linked.iter().map(Vec::len).collect();
    let mut covering = Vec::new();
    while let Some((row, _)) =
        degrees.iter().enumerate().filter(|(_, degree)| **degree > 0).max_by_key(|(_, d)| **d)
    {
        covering.push(row);
        degrees[row] = 0;
        linked[row].iter().for_each(|other| degrees[*other] = degrees[*other].saturating_sub(1));
    }
    covering.sort_unstable();
    covering
}

#[cfg(test)]
mod tests;
