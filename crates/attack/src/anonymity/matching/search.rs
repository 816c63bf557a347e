//! One search: an alternating tree from a free row or door, and the prices that let it grow.

use super::{DOOR, FREE, Matching};

/// Where a tree starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// A free row.
    Row(usize),
    /// The door of a row that wants to leave.
    Door(usize),
}

/// The first free row or door.
pub(super) fn root(matching: &Matching<'_>) -> Root {
    match matching.leaving.last() {
        Some(row) => Root::Door(*row),
        None => Root::Row(matching.mate.iter().position(|mate| *mate == FREE).expect("something is free")),
    }
}

/// How an outermost row or blossom stands to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    /// Not in the tree.
    Away,
    /// At an even distance from the root: prices rise.
    Outer,
    /// At an odd distance: prices fall.
    Inner,
}

/// What may happen at some time: the prices of two rows, the first outer, pay their edge in full; or, with
/// [`OPENS`] in the place of the first row, the price of an inner blossom has fallen to zero.
type Event = (u32, u32);
const OPENS: u32 = u32::MAX;

struct Tree<'m, 'c> {
    matching: &'m mut Matching<'c>,
    label: Vec<Label>,
    /// The edge to the parent in the tree: the parent's row, or [`DOOR`] or [`FREE`] at the root, and the own
    /// row.
    edge: Vec<(usize, usize)>,
    /// For rows that are not outer: the outer row whose edge is paid first, and cost − price + time of that
    /// row.
    nearest: Vec<(usize, i32)>,
    time: i32,
    /// What happens at each time.
    events: Vec<Vec<Event>>,
    /// When set, every row's time minus price from when it is outer.
    reached: Option<&'m mut Vec<Option<i32>>>,
    /// What happens later is of no interest.
    time_max: i32,
}

/// Grows a tree from [`root`] until it meets something free, and augments: true. When there is nothing else
/// free, until all rows that are here are outer or a time has passed: false. Then it notes time minus price
/// for each outer row.
pub(super) fn search(matching: &mut Matching<'_>, noted: Option<(&mut Vec<Option<i32>>, i32)>) -> bool {
    let (rows, nodes) = (matching.mate.len(), 2 * matching.mate.len() + 1);
    let root = root(matching);
    let (reached, time_max) = noted.unzip();
    let mut tree = Tree {
        matching,
        label: vec![Label::Away; nodes],
        edge: vec![(FREE, FREE); nodes],
        nearest: vec![(FREE, i32::MAX); rows],
        time: 0,
        events: Vec::new(),
        reached,
        time_max: time_max.unwrap_or(i32::MAX),
    };
    let met = match root {
        Root::Row(row) => tree.becomes_outer(tree.matching.top[row], (FREE, row)),
        Root::Door(row) => tree.joins(DOOR, row),
    };
    let met = met || tree.grow();
    if met {
        tree.tidy();
    }
    met
}

impl Tree<'_, '_> {
    fn grow(&mut self) -> bool {
        loop {
            while let Some(event) = self.events.get_mut(self.time as usize).and_then(Vec::pop) {
                let met = match event {
                    (OPENS, node) => self.opens(node as usize),
                    (outer, row) => self.is_paid(outer as usize, row as usize),
                };
                if met {
                    return true;
                }
            }
            if self.time as usize + 1 >= self.events.len() {
                return false;
            }
            self.step();
        }
    }

    /// One unit of time: prices move.
    fn step(&mut self) {
        self.time += 1;
        let rows = self.matching.mate.len();
        for row in 0..rows {
            match self.label[self.matching.top[row]] {
                Label::Outer => self.matching.price[row] += 1,
                Label::Inner => self.matching.price[row] -= 1,
                Label::Away => {}
            }
        }
        for place in 0..self.matching.blossoms.len() {
            let outermost = self.matching.around[rows + place] == FREE;
            let label = self.label[rows + place];
            if let Some(blossom) = self.matching.blossoms[place].as_mut().filter(|_| outermost) {
                match label {
                    Label::Outer => blossom.price += 2,
                    Label::Inner => blossom.price -= 2,
                    Label::Away => {}
                }
            }
        }
    }

    fn at(&mut self, time: i32, event: Event) {
        if time > self.time_max {
            return;
        }
        let place = time as usize;
        if self.events.len() <= place {
            self.events.resize_with(place + 1, Vec::new);
        }
        self.events[place].push(event);
    }

    /// An edge from an outer row: prophecies that came too early are passed over, for a better one was made
    /// since.
    fn is_paid(&mut self, outer: usize, row: usize) -> bool {
        let (left, right) = (self.matching.top[outer], self.matching.top[row]);
        if left == right || self.matching.slack(outer, row) != 0 {
            return false;
        }
        match self.label[right] {
            Label::Away => self.joins(outer, row),
            Label::Outer => self.closes(outer, row),
            Label::Inner => false,
        }
    }

    /// A row that was away and its blossom become inner, and the partner of the blossom outer.
    fn joins(&mut self, outer: usize, row: usize) -> bool {
        let node = self.matching.top[row];
        let partner = self.matching.mate[self.matching.base(node)];
        if partner == FREE {
            self.matching.rebase(node, row);
            self.matching.mate[row] = outer;
            if outer == DOOR {
                self.matching.leaving.retain(|other| *other != row);
            } else {
                self.flip(outer, row);
            }
            return true;
        }
        self.label[node] = Label::Inner;
        self.edge[node] = (outer, row);
        if let Some(blossom) = self.matching.blossom(node) {
            let when = self.time + blossom.price / 2;
            self.at(when, (OPENS, node as u32));
        }
        // A door has no other edge: there the tree ends.
        partner != DOOR
            && self.becomes_outer(self.matching.top[partner], (self.matching.mate[partner], partner))
    }

    fn becomes_outer(&mut self, node: usize, edge: (usize, usize)) -> bool {
        self.label[node] = Label::Outer;
        self.edge[node] = edge;
        let rows = self.matching.rows_of(node);
        rows.into_iter().any(|row| self.looks_around(row))
    }

    /// A row has become outer: when will its edges be paid?
    fn looks_around(&mut self, row: usize) -> bool {
        if let Some(reached) = self.reached.as_mut() {
            reached[row] = Some(self.time - self.matching.price[row]);
        }
        // A row that wants to leave has a free door. (Not the root's: its row is inner as long as the tree
        // grows.)
        if let Some(place) = self.matching.leaving.iter().position(|other| *other == row) {
            self.matching.leaving.swap_remove(place);
            self.flip(row, DOOR);
            return true;
        }
        let (top, own) = (self.matching.top[row], self.matching.price[row]);
        let (costs, time) = (self.matching.costs, self.time);
        for (other, cost) in costs.from(row).iter().enumerate() {
            let node = self.matching.top[other];
            if node == top {
                continue;
            }
            let slack = cost - own - self.matching.price[other];
            if self.label[node] == Label::Outer {
                self.at(time + slack / 2, (row as u32, other as u32));
                continue;
            }
            let key = cost - own + time;
            if key < self.nearest[other].1 {
                self.nearest[other] = (row, key);
                if self.label[node] == Label::Away {
                    self.at(time + slack, (row as u32, other as u32));
                }
            }
        }
        false
    }

    /// The parent of a node of the tree.
    fn parent(&self, node: usize) -> Option<usize> {
        self.matching.top.get(self.edge[node].0).copied()
    }

    /// An edge between two outer nodes closes an odd cycle: a blossom.
    fn closes(&mut self, left: usize, right: usize) -> bool {
        let up = |tree: &Self, row: usize| {
            let mut path = vec![tree.matching.top[row]];
            while let Some(parent) = tree.parent(path[path.len() - 1]) {
                path.push(parent);
            }
            path
        };
        let (mut left_path, mut right_path) = (up(self, left), up(self, right));
        let mut meeting = FREE;
        while let (Some(a), Some(b)) = (left_path.last(), right_path.last()) {
            if a != b {
                break;
            }
            meeting = *a;
            left_path.pop();
            right_path.pop();
        }
        let down = left_path.iter().rev().map(|node| self.edge[*node]);
        let climb = right_path.iter().map(|node| (self.edge[*node].1, self.edge[*node].0));
        let joints = down.chain([(left, right)]).chain(climb).collect();
        let mut parts = vec![meeting];
        parts.extend(left_path.iter().rev().chain(&right_path));
        let inner: Vec<usize> =
            parts.iter().copied().filter(|part| self.label[*part] == Label::Inner).collect();
        let rows: Vec<usize> = inner.iter().flat_map(|part| self.matching.rows_of(*part)).collect();
        let node = self.matching.enclose(parts, joints);
        self.label[node] = Label::Outer;
        self.edge[node] = self.edge[meeting];
        rows.into_iter().any(|row| self.looks_around(row))
    }

    /// An inner blossom whose price is zero is taken apart: the parts on the way through it stay in the tree.
    fn opens(&mut self, node: usize) -> bool {
        let ready = self.label[node] == Label::Inner && self.matching.around[node] == FREE;
        if !ready || self.matching.blossom(node).is_none_or(|blossom| blossom.price != 0) {
            return false;
        }
        let entry = self.edge[node];
        let first = self.matching.part_with(node, entry.1);
        let blossom = self.matching.open(node);
        self.label[node] = Label::Away;
        let (length, parts) = (blossom.parts.len(), &blossom.parts);
        let place = parts.iter().position(|part| *part == first).expect("the entry is in it");
        parts.iter().for_each(|part| self.label[*part] = Label::Away);
        // From the entry to the base on the side that starts with a matched edge.
        let way: Vec<(usize, (usize, usize))> = if place % 2 == 1 {
            (place..length).map(|step| (parts[(step + 1) % length], blossom.joints[step])).collect()
        } else {
            let back = |step: usize| (blossom.joints[step].1, blossom.joints[step].0);
            (0..place).rev().map(|step| (parts[step], back(step))).collect()
        };
        let mut outer = Vec::new();
        let mut inner = vec![(first, entry)];
        for (step, (part, edge)) in way.into_iter().enumerate() {
            if step % 2 == 0 { outer.push((part, edge)) } else { inner.push((part, edge)) }
        }
        for (part, edge) in inner {
            self.label[part] = Label::Inner;
            self.edge[part] = edge;
            if let Some(blossom) = self.matching.blossom(part) {
                let when = self.time + blossom.price / 2;
                self.at(when, (OPENS, part as u32));
            }
        }
        for (part, edge) in &outer {
            self.label[*part] = Label::Outer;
            self.edge[*part] = *edge;
        }
        // Parts off the way are away again: their rows may be reached from outer rows found before.
        for part in parts {
            let away = self.label[*part] == Label::Away;
            for row in self.matching.rows_of(*part).into_iter().filter(|_| away) {
                let (near, key) = self.nearest[row];
                if near != FREE {
                    self.at(key - self.matching.price[row], (near as u32, row as u32));
                }
            }
        }
        let rows: Vec<usize> = outer.iter().flat_map(|(part, _)| self.matching.rows_of(*part)).collect();
        rows.into_iter().any(|row| self.looks_around(row))
    }

    /// Exchanges matched and other edges from an outer row to the root; the row's new partner is `partner`.
    fn flip(&mut self, row: usize, partner: usize) {
        let (mut row, mut partner) = (row, partner);
        loop {
            let node = self.matching.top[row];
            let above = self.edge[node].0;
            self.matching.rebase(node, row);
            self.matching.mate[row] = partner;
            if above == FREE {
                return;
            }
            let inner = self.matching.top[above];
            let (next, own) = self.edge[inner];
            self.matching.rebase(inner, own);
            self.matching.mate[own] = next;
            if next == DOOR {
                self.matching.leaving.retain(|other| *other != own);
                return;
            }
            (row, partner) = (next, own);
        }
    }

    /// Outermost blossoms without a price say nothing any more.
    fn tidy(&mut self) {
        let rows = self.matching.mate.len();
        let mut open: Vec<usize> = (rows..rows + self.matching.blossoms.len()).collect();
        while let Some(node) = open.pop() {
            let outermost = self.matching.around[node] == FREE;
            if outermost && self.matching.blossom(node).is_some_and(|blossom| blossom.price == 0) {
                let opened = self.matching.open(node);
                open.extend(opened.parts.iter().filter(|part| **part >= rows));
            }
        }
    }
}
