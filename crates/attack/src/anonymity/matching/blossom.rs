//! Odd sets of rows: cycles of rows and smaller blossoms, matched inside but for the base.

use super::{FREE, Matching};

/// An odd cycle. The first part holds the base; then the second is matched with the third, the fourth with
/// the fifth, …
#[derive(Clone, Debug)]
pub(super) struct Blossom {
    /// Rows and blossoms, in the order of the cycle.
    pub(super) parts: Vec<usize>,
    /// The edge from each part to the next: a row of the one, a row of the other.
    pub(super) joints: Vec<(usize, usize)>,
    /// The dual variable ζ of the odd cycle.
    pub(super) price: i32,
}

impl Matching<'_> {
    pub(super) fn blossom(&self, node: usize) -> Option<&Blossom> {
        self.blossoms[node.checked_sub(self.mate.len())?].as_ref()
    }

    pub(super) fn blossom_mut(&mut self, node: usize) -> Option<&mut Blossom> {
        self.blossoms[node.checked_sub(self.mate.len())?].as_mut()
    }

    /// The row that is matched outside of a blossom, or free.
    pub(super) fn base(&self, node: usize) -> usize {
        let mut node = node;
        while let Some(blossom) = self.blossom(node) {
            node = blossom.parts[0];
        }
        node
    }

    /// The rows of a blossom.
    pub(super) fn rows_of(&self, node: usize) -> Vec<usize> {
        let (mut rows, mut open) = (Vec::new(), vec![node]);
        while let Some(node) = open.pop() {
            match self.blossom(node) {
                Some(blossom) => open.extend(&blossom.parts),
                None => rows.push(node),
            }
        }
        rows
    }

    /// A new outermost blossom.
    pub(super) fn enclose(&mut self, parts: Vec<usize>, joints: Vec<(usize, usize)>) -> usize {
        let place = self.blossoms.iter().position(Option::is_none).unwrap_or_else(|| {
            self.blossoms.push(None);
            self.around.push(FREE);
            self.blossoms.len() - 1
        });
        let node = self.mate.len() + place;
        parts.iter().for_each(|part| self.around[*part] = node);
        self.around[node] = FREE;
        self.blossoms[place] = Some(Blossom { parts, joints, price: 0 });
        self.rows_of(node).into_iter().for_each(|row| self.top[row] = node);
        node
    }

    /// Takes an outermost blossom apart; its parts become outermost.
    pub(super) fn open(&mut self, node: usize) -> Blossom {
        let place = node - self.mate.len();
        let blossom = self.blossoms[place].take().expect("a blossom is opened once");
        for part in &blossom.parts {
            self.around[*part] = FREE;
            self.rows_of(*part).into_iter().for_each(|row| self.top[row] = *part);
        }
        blossom
    }

    /// The part of a blossom that holds a row.
    pub(super) fn part_with(&self, node: usize, row: usize) -> usize {
        let mut part = row;
        while self.around[part] != node {
            part = self.around[part];
        }
        part
    }

    /// Matches the rows of a blossom anew so that `row` is its base.
    pub(super) fn rebase(&mut self, node: usize, row: usize) {
        if node == row {
            return;
        }
        let part = self.part_with(node, row);
        self.rebase(part, row);
        let blossom = self.blossom(node).expect("what is no row is a blossom");
        let length = blossom.parts.len();
        let place = blossom.parts.iter().position(|other| *other == part).expect("a part of it");
        // The old base, at place 0, is reached along the cycle on the side that starts with a matched edge;
        // the edges that were not matched there are the new pairs.
        let steps = if place % 2 == 1 { place + 1..length } else { 0..place };
        for step in steps.step_by(2) {
            let blossom = self.blossom(node).expect("still there");
            let (left, right) = (blossom.parts[step], blossom.parts[(step + 1) % length]);
            let (from, to) = blossom.joints[step];
            self.rebase(left, from);
            self.rebase(right, to);
            self.mate[from] = to;
            self.mate[to] = from;
        }
        let blossom = self.blossom_mut(node).expect("still there");
        blossom.parts.rotate_left(place);
        blossom.joints.rotate_left(place);
    }
}
