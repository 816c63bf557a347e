//! Switches of two ties: u–x and w–y become u–w and x–y. Every degree stays, and the graph stays simple.
//!
//! A switch whose new ties are loops or there already is not made, so that whatever is tried, the degrees are those of the beginning. At random they forget
//! how a graph was built. Towards more triangles, u and w are two neighbours of one node that are not tied, so that the new tie
//! closes what was open (Bansal, Khandelwal, Meyers 2009, "Exploring biological network structure with clustered random networks"); a switch stays if
//! the number of triangles came nearer to the wanted one, and is undone if not.

use pointillist_synth::PublicCoins;

/// Of so many neighbours the one whose tie is in the fewest triangles is given up.
const LOOKED_AT: usize = 3;
/// So many switches a tie in a row that did not stay: it will not get better.
const STUCK: u64 = 8;

/// A graph whose ties are switched.
pub(super) struct Switches {
    /// The neighbours of each node, sorted.
    rows: Vec<Vec<u32>>,
    /// Every node as often as it has ties; switches never change that.
    stubs: Vec<u32>,
    coins: PublicCoins,
}

impl Switches {
    pub fn new(rows: Vec<Vec<u32>>, coins: PublicCoins) -> Self {
        let of_node = |(node, row): (u32, &Vec<u32>)| std::iter::repeat_n(node, row.len());
        let stubs = (0u32..).zip(&rows).flat_map(of_node).collect();
        Self { rows, stubs, coins }
    }

    pub fn into_rows(self) -> Vec<Vec<u32>> {
        self.rows
    }

    pub fn ties(&self) -> u64 {
        self.stubs.len() as u64 / 2
    }

    /// Tries so many switches at random.
    pub fn mix(&mut self, tries: u64) {
        for _ in 0..tries {
            if let Some([u, x, w, y]) = self.any_switch() {
                [(u, x), (w, y)].into_iter().for_each(|(one, other)| self.untie(one, other));
                [(u, w), (x, y)].into_iter().for_each(|(one, other)| self.tie(one, other));
            }
        }
    }

    /// Tries so many switches towards a number of triangles; tells the number that is reached.
    pub fn climb(&mut self, wanted: u64, tries: u64) -> u64 {
        let mut now = self.triangles();
        let mut in_vain = 0;
        for _ in 0..tries {
            if now == wanted || in_vain > STUCK * self.stubs.len() as u64 {
                break;
            }
            in_vain += 1;
            let switch = if now < wanted { self.closing_switch() } else { self.any_switch() };
            let Some(switch) = switch else { continue };
            let next = now.saturating_add_signed(self.make(switch));
            if next.abs_diff(wanted) < now.abs_diff(wanted) {
                (now, in_vain) = (next, 0);
            } else {
                let [u, x, w, y] = switch;
                self.make([u, w, x, y]);
            }
        }
        now
    }

    fn triangles(&self) -> u64 {
        let of_node = |(node, row): (u32, &Vec<u32>)| {
            let later = row[row.partition_point(|other| *other <= node)..].iter();
            later.map(|other| self.common(node, *other)).sum::<u64>()
        };
        (0u32..).zip(&self.rows).map(of_node).sum::<u64>() / 3
    }

    fn has(&self, one: u32, other: u32) -> bool {
        self.rows[one as usize].binary_search(&other).is_ok()
    }

    /// How many neighbours two nodes have in common.
    fn common(&self, one: u32, other: u32) -> u64 {
        let (one, other) = (&self.rows[one as usize], &self.rows[other as usize]);
        let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
        if many.len() > 16 * few.len() {
            return few.iter().filter(|node| many.binary_search(node).is_ok()).count() as u64;
        }
        let (mut at, mut found) = (0, 0);
        for node in few {
            at += many[at..].iter().take_while(|own| *own < node).count();
            found += u64::from(many.get(at) == Some(node));
        }
        found
    }

    fn neighbour(&mut self, node: u32) -> Option<u32> {
        let count = self.rows[node as usize].len() as u64;
        let place = self.coins.below(count) as usize;
        self.rows[node as usize].get(place).copied()
    }

    /// A node, in proportion to its ties.
    fn stub(&mut self) -> Option<u32> {
        let place = self.coins.below(self.stubs.len() as u64) as usize;
        self.stubs.get(place).copied()
    }

    /// Two ties anywhere, as [u, x, w, y].
    fn any_switch(&mut self) -> Option<[u32; 4]> {
        let (u, w) = (self.stub()?, self.stub()?);
        let (x, y) = (self.neighbour(u)?, self.neighbour(w)?);
        self.allowed([u, x, w, y])
    }

    /// Two ties whose switch ties two neighbours of one node.
    fn closing_switch(&mut self) -> Option<[u32; 4]> {
        let middle = self.stub()?;
        let (u, w) = (self.neighbour(middle)?, self.neighbour(middle)?);
        if u == w || self.has(u, w) {
            return None;
        }
        let (x, y) = (self.given_up(u, middle)?, self.given_up(w, middle)?);
        self.allowed([u, x, w, y])
    }

    /// A neighbour, other than one, whose tie is in few triangles.
    fn given_up(&mut self, node: u32, but: u32) -> Option<u32> {
        let mut best: Option<(u64, u32)> = None;
        for _ in 0..LOOKED_AT.min(self.rows[node as usize].len()) {
            let other = self.neighbour(node)?;
            if other != but {
                let found = (self.common(node, other), other);
                best = Some(best.map_or(found, |best| best.min(found)));
            }
        }
        best.map(|(_, other)| other)
    }

    fn allowed(&self, [u, x, w, y]: [u32; 4]) -> Option<[u32; 4]> {
        let is_simple = u != w && x != y && u != y && x != w && !self.has(u, w) && !self.has(x, y);
        is_simple.then_some([u, x, w, y])
    }

    /// Switches u–x and w–y for u–w and x–y; tells how many triangles there are more.
    fn make(&mut self, [u, x, w, y]: [u32; 4]) -> i64 {
        let mut more = 0i64;
        for (one, other) in [(u, x), (w, y)] {
            more -= self.common(one, other) as i64;
            self.untie(one, other);
        }
        for (one, other) in [(u, w), (x, y)] {
            more += self.common(one, other) as i64;
            self.tie(one, other);
        }
        more
    }

    fn untie(&mut self, one: u32, other: u32) {
        for (one, other) in [(one, other), (other, one)] {
            let row = &mut self.rows[one as usize];
            if let Ok(place) = row.binary_search(&other) {
                row.remove(place);
            }
        }
    }

    fn tie(&mut self, one: u32, other: u32) {
        for (one, other) in [(one, other), (other, one)] {
            let row = &mut self.rows[one as usize];
            if let Err(place) = row.binary_search(&other) {
                row.insert(place, other);
            }
        }
    }
}
