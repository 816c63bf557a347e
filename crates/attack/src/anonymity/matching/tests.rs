//! Against all matchings of small sets, by dynamic programming over subsets.

use pointillist_noise::BitSource;
use pointillist_testkit::seeded;

use super::*;

/// The least cost of matching every subset; `None` where the number is odd.
fn by_subsets(costs: &PairCosts) -> Vec<Option<i32>> {
    let mut least: Vec<Option<i32>> = vec![None; 1 << costs.rows()];
    least[0] = Some(0);
    for set in 1usize..least.len() {
        let first = set.trailing_zeros() as usize;
        let others = (first + 1..costs.rows()).filter(|other| set >> other & 1 == 1);
        least[set] = others
            .filter_map(|other| Some(least[set & !(1 << first) & !(1 << other)]? + costs.of(first, other)))
            .min();
    }
    least
}

fn random_costs(rows: usize, seed: u64) -> PairCosts {
    let mut bits = seeded(seed);
    let range = 1 + bits.word() % 9;
    let drawn: Vec<i32> = (0..rows * rows).map(|_| 2 * (bits.word() % range) as i32).collect();
    PairCosts::new(rows, |left, right| drawn[left * rows + right])
}

/// Specification: prices pay no edge too much, matched edges in full, and blossoms are full.
fn assert_prices(matching: &Matching<'_>) {
    let rows = matching.mate.len();
    let chain = |row: usize| {
        let mut chain = Vec::new();
        let mut node = matching.around[row];
        while node != FREE {
            chain.push(node);
            node = matching.around[node];
        }
        chain
    };
    for left in 0..rows {
        for right in 0..left {
            let (one, two) = (chain(left), chain(right));
            let shared = one.iter().filter(|node| two.contains(node));
            let paid: i32 = shared.map(|node| matching.blossom(*node).unwrap().price).sum();
            let slack = matching.slack(left, right) + paid;
            assert!(slack >= 0, "{left} {right}");
            assert!(matching.mate[left] != right || slack == 0, "{left} {right}");
        }
    }
    for place in 0..matching.blossoms.len() {
        let Some(blossom) = &matching.blossoms[place] else { continue };
        assert!(blossom.price >= 0);
        let inside = matching.rows_of(rows + place);
        let out = inside.iter().filter(|row| !inside.contains(&matching.mate[**row])).count();
        assert_eq!((inside.len() % 2, out), (1, 1));
    }
}

#[test]
fn the_cheapest_matching_is_found_while_rows_come_and_go() {
    for seed in 0..400u64 {
        let rows = 2 + (seed % 11) as usize;
        let costs = random_costs(rows, seed);
        let least = by_subsets(&costs);
        let mut matching = Matching::new(&costs);
        let mut bits = seeded(1_000 + seed);
        let mut here = (1usize << rows) - 1;
        for _ in 0..12 {
            assert_prices(&matching);
            if here.count_ones().is_multiple_of(2) {
                assert_eq!(Some(matching.cost()), least[here], "seed {seed}");
            } else {
                let without = matching.clone().costs_without(|_| i32::MAX);
                for row in 0..rows {
                    let expected = if here >> row & 1 == 1 { least[here & !(1 << row)] } else { None };
                    assert_eq!(without[row], expected, "seed {seed} row {row}");
                }
                let bound = (bits.word() % 20) as i32;
                let bounded = matching.clone().costs_without(|_| bound);
                for (bounded, exact) in bounded.iter().zip(&without) {
                    let may_be_left_out = exact.is_none_or(|exact| exact >= bound);
                    assert!(bounded == exact || bounded.is_none() && may_be_left_out, "seed {seed}");
                }
            }
            for _ in 0..1 + bits.word() % 4 {
                let row = (bits.word() % rows as u64) as usize;
                assert_eq!(here >> row & 1 == 1, matching.is_here(row));
                if matching.is_here(row) {
                    matching.leave(row)
                } else {
                    matching.come_back(row)
                }
                here ^= 1 << row;
            }
            matching.settle();
        }
    }
}

/// Specification: a row that is about to leave counts as gone, whoever is still matched with it.
#[test]
fn costs_without_two_rows_follow_from_one_search() {
    for seed in 0..200u64 {
        let rows = 4 + 2 * (seed % 5) as usize;
        let costs = random_costs(rows, 7_000 + seed);
        let least = by_subsets(&costs);
        let matching = Matching::new(&costs);
        for gone in 0..rows {
            let mut leaving = matching.clone();
            leaving.leave(gone);
            let without = leaving.costs_without(|_| i32::MAX);
            for row in (0..rows).filter(|row| *row != gone) {
                let set = ((1usize << rows) - 1) & !(1 << gone) & !(1 << row);
                assert_eq!(without[row], least[set], "seed {seed}");
            }
        }
    }
}

/// Specification: what rows that come back cost is at least the bound.
#[test]
fn the_bound_for_rows_that_come_back_is_one() {
    for seed in 0..200u64 {
        let costs = random_costs(10, 9_000 + seed);
        let mut matching = Matching::new(&costs);
        [0, 1, 2, 3, 4].into_iter().for_each(|row| matching.leave(row));
        matching.settle();
        let bound = matching.cost_with_lower(&[0, 1, 2]);
        [0, 1, 2].into_iter().for_each(|row| matching.come_back(row));
        matching.settle();
        assert!(bound <= matching.cost(), "seed {seed}");
    }
}
