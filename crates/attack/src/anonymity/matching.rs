//! The cheapest perfect matching of rows that come and go.
//!
//! **Claim.** After [`Matching::settle`], the rows that are present, but for one when their number is odd,
//! are matched in pairs at the least total cost; [`Matching::costs_without`] then says what the rest would
//! cost without each single row.
//! **Method.** Edmonds (1965): prices of rows and of odd sets of rows (blossoms), from which an alternating
//! tree grows along edges that the prices pay in full. A row that leaves is matched with a partner of its
//! own, the door, which has no other edge and costs nothing; so blossoms stay odd, and leaving is an
//! augmentation like any other.
//! **Proof.** Written π for the prices of rows and ζ ≥ 0 for those of blossoms, three things hold at all
//! times: π(u) + π(v) ≤ cost(u, v) + Σ ζ over the blossoms that contain both; equality for matched pairs; a
//! blossom of positive ζ has all but one of its rows matched inside. Any perfect matching costs at least Σ π
//! − Σ ζ·(size − 1)/2 by the first, and ours costs that by the others. While one row (or door) is free,
//! prices rise by t at outer rows and fall by t at inner ones: the sum grows by t, and taking an outer row v
//! away costs Σ − π(v), which no longer moves. That is `costs_without`.
//! **Exactness.** Integers. Costs are even, so all rows of a tree have prices of the same parity and time
//! runs in whole steps.
//! **Time.** A search looks at every pair at most twice and takes a pass over the rows for each unit of time,
//! of which there are no more than the largest cost: n² for costs that are small against n.

mod blossom;
mod search;

use blossom::Blossom;

/// A row that is matched with nobody.
const FREE: usize = usize::MAX;
/// A row that is matched with its door: it is not there.
const DOOR: usize = usize::MAX - 1;

/// What pairs cost: symmetric, even, not negative.
#[derive(Clone, Debug)]
pub(super) struct PairCosts {
    rows: usize,
    costs: Vec<i32>,
}

impl PairCosts {
    /// The costs of all pairs.
    pub(super) fn new(rows: usize, cost: impl Fn(usize, usize) -> i32) -> Self {
        let mut costs = vec![0; rows * rows];
        for left in 0..rows {
            for right in 0..left {
                let cost = cost(left, right);
                debug_assert!(cost >= 0 && cost % 2 == 0, "costs are even, so that prices stay whole");
                costs[left * rows + right] = cost;
                costs[right * rows + left] = cost;
            }
        }
        Self { rows, costs }
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// What two rows cost.
    pub(super) fn of(&self, left: usize, right: usize) -> i32 {
        self.costs[left * self.rows + right]
    }

    fn from(&self, row: usize) -> &[i32] {
        &self.costs[row * self.rows..(row + 1) * self.rows]
    }
}

/// Rows in pairs, and the prices that show that no other pairs are cheaper.
///
/// Rows and blossoms share one numbering: the rows first.
#[derive(Clone, Debug)]
pub(super) struct Matching<'c> {
    costs: &'c PairCosts,
    mate: Vec<usize>,
    /// Rows whose doors are free: they want to leave.
    leaving: Vec<usize>,
    price: Vec<i32>,
    /// The outermost blossom, or the row itself.
    top: Vec<usize>,
    blossoms: Vec<Option<Blossom>>,
    /// The blossom around each row and each blossom.
    around: Vec<usize>,
}

impl<'c> Matching<'c> {
    /// The cheapest matching of all rows.
    pub(super) fn new(costs: &'c PairCosts) -> Self {
        let rows = costs.rows;
        let price = (0..rows)
            .map(|row| {
                let others = (0..rows).filter(|other| *other != row);
                others.map(|other| costs.of(row, other)).min().unwrap_or(0) / 2
            })
            .collect();
        let mut matching = Self {
            costs,
            mate: vec![FREE; rows],
            leaving: Vec::new(),
            price,
            top: (0..rows).collect(),
            blossoms: Vec::new(),
            around: vec![FREE; rows],
        };
        for row in 0..rows {
            let partner = (row + 1..rows)
                .find(|other| matching.mate[*other] == FREE && matching.slack(row, *other) == 0);
            if let (FREE, Some(partner)) = (matching.mate[row], partner) {
                matching.mate[row] = partner;
                matching.mate[partner] = row;
            }
        }
        matching.settle();
        matching
    }

    /// Whether a row is present and is not about to leave.
    pub(super) fn is_here(&self, row: usize) -> bool {
        self.mate[row] != DOOR && !self.leaving.contains(&row)
    }

    /// The pairs.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let partners = self.mate.iter().copied().enumerate();
        partners.filter(|(row, mate)| row < mate && *mate < self.mate.len())
    }

    /// What the pairs cost.
    pub(super) fn cost(&self) -> i32 {
        self.pairs().map(|(left, right)| self.costs.of(left, right)).sum()
    }

    /// A row goes; `settle` after it.
    pub(super) fn leave(&mut self, row: usize) {
        if self.mate[row] == FREE {
            self.mate[row] = DOOR;
        } else {
            self.leaving.push(row);
        }
    }

    /// A row that left, or was about to, comes back; `settle` after it.
    pub(super) fn come_back(&mut self, row: usize) {
        if self.mate[row] == DOOR {
            self.mate[row] = FREE;
        }
        self.leaving.retain(|other| *other != row);
    }

    /// Matches until at most one row or door is free.
    pub(super) fn settle(&mut self) {
        loop {
            let alone = self.mate.iter().filter(|mate| **mate == FREE).count() + self.leaving.len();
            if alone < 2 {
                return;
            }
            let found = search::search(self, None);
            debug_assert!(found, "two free ends of a complete graph are always joined");
        }
    }

    /// For every row that is here, what the pairs of the others would cost at least; one row or door is free.
    /// A cost that is not below the row's bound may be left out. Uses the matching up: prices are raised
    /// until every row could be the one that is left out.
    pub(super) fn costs_without(mut self, bounds: impl Fn(usize) -> i32) -> Vec<Option<i32>> {
        let start = self.cost() + self.rent();
        // A row that becomes outer at time t costs start + t − price, and its price never rises before.
        let times = (0..self.mate.len()).map(|row| bounds(row).saturating_sub(start - self.price[row]));
        let time_max = times.max().unwrap_or(0);
        let mut reached = vec![None; self.mate.len()];
        search::search(&mut self, Some((&mut reached, time_max)));
        let here = (0..reached.len()).map(|row| reached[row].filter(|_| self.is_here(row)));
        here.map(|reached| Some(start + reached?)).collect()
    }

    /// A lower bound on what the pairs cost when these rows come back and everybody is matched, from the
    /// prices as they are.
    pub(super) fn cost_with_lower(&self, back: &[usize]) -> i32 {
        self.cost() + self.rent() + back.iter().map(|row| self.price[*row]).sum::<i32>()
    }

    /// The price of what is free.
    fn rent(&self) -> i32 {
        match search::root(self) {
            search::Root::Row(row) => self.price[row],
            search::Root::Door(row) => -self.price[row],
        }
    }

    fn slack(&self, left: usize, right: usize) -> i32 {
        self.costs.of(left, right) - self.price[left] - self.price[right]
    }
}

#[cfg(test)]
mod tests;
