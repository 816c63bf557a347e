//! One person at a time: rows to groups, at most `groups_max` of them, each bounded.
//!
//! **Exact people.** Two people are the same only if their identifiers are. Were two merged because their hashes
//! agree, one of them leaving would change which groups and rows of the other are kept: add/remove would become
//! replace, and the sensitivity twice what was paid for. Hashes only say where to look.
//! **Bottom k.** Of a person's groups those of smallest (rank, key) stay. This is the same whichever order rows
//! come in and however they are cut into blocks: a group that is not among the k smallest of some rows has k
//! smaller ones there, so it is not among the k smallest of all rows, and the k smallest are complete because
//! no block has left any of their rows out. So what is dropped never comes back, and a person's state is at most
//! k groups plus one block, whatever the number of rows.
//! **How.** People get numbers from an exact table; rows are sorted by them (counted, then moved); each person's
//! rows then stand together, and an array over groups says which of them the person has been in.

use std::cmp::Ordering;

use super::Plan;
use super::bring::Brought;
use super::keys::Keys;
use super::layout::ValueKind;
use super::names::NamedRows;
use super::points::{Point, Points};
use super::spread::Spread;
use super::table::{NONE, Names, Words};

/// Rows of some people, packed. `groups` translates their group numbers, if need be.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) groups: Option<&'a [u32]>,
}

/// The groups that rows speak of.
pub(crate) trait Space {
    /// How many there are.
    fn len(&self) -> usize;
    /// The hash of a group's key.
    fn hash(&self, group: u32) -> u64;
    /// The order of two groups' keys.
    fn compare(&self, left: u32, right: u32) -> Ordering;
}

impl Space for Keys {
    fn len(&self) -> usize {
        self.len()
    }

    fn hash(&self, group: u32) -> u64 {
        self.hashes()[group as usize]
    }

    fn compare(&self, left: u32, right: u32) -> Ordering {
        self.key(left).cmp(&self.key(right))
    }
}

/// People and totals of every group: for each, how many people, then each measure. Beside them where values lie, for
/// those that are remembered as weights, and who may bring which, for those that are counted.
pub(crate) struct Totals {
    pub(crate) stride: usize,
    pub(crate) sums: Vec<i128>,
    /// One for every remembered value, empty for those that are brought.
    pub(crate) spreads: Vec<Spread>,
    /// By partition.
    pub(crate) brought: Vec<(usize, Brought)>,
}

impl Totals {
    pub(crate) fn new(plan: &Plan, groups: usize) -> Self {
        let stride = plan.layout.measures() + 1;
        let known = (plan.declared || plan.width == 0).then_some(groups);
        let spreads = plan.layout.values().iter().map(|value| match value.kind {
            ValueKind::Spread { last, .. } => Spread::new(last, known),
            ValueKind::Distinct => Spread::new(0, None),
        });
        Self { stride, sums: vec![0; stride * groups], spreads: spreads.collect(), brought: Vec::new() }
    }
}

/// Who has been met, exactly.
enum Owners {
    Words(Words),
    Names(Names),
}

/// What is known of people and groups between blocks: one entry a person and group, with the lanes added up.
#[derive(Default)]
pub(crate) struct Entries {
    pub(crate) owners: Vec<u32>,
    pub(crate) groups: Vec<u32>,
    pub(crate) lanes: Vec<i128>,
    /// Remembered values of these people in these groups.
    pub(crate) points: Vec<Point>,
}

impl Entries {
    fn clear(&mut self) {
        self.owners.clear();
        self.groups.clear();
        self.lanes.clear();
        self.points.clear();
    }
}

/// The work on one partition. Memory is kept from one to the next.
pub(crate) struct Bounding<'a> {
    plan: &'a Plan,
    owners: Owners,
    pub(crate) entries: Entries,
    /// Rows, or entries, of every person; then where theirs begin.
    row_ends: Vec<u32>,
    entry_ends: Vec<u32>,
    who: Vec<u32>,
    sorted: Vec<u64>,
    entry_order: Vec<u32>,
    next: Entries,
    one: OnePerson,
    brought: Brought,
}

/// Lanes of one person.
struct OnePerson {
    /// For every group, the last person who was in it and where among `groups`.
    marks: Vec<(u32, u32)>,
    stamp: u32,
    groups: Vec<u32>,
    lanes: Vec<i128>,
    ranks: Vec<u64>,
    sorted: Vec<u64>,
    points: Points,
}

/// A block has at least so many rows: fewer would be merged too often, many more would leave the cache.
const BLOCK_ROWS: usize = 1 << 18;

/// A person who is over the bound by at most so many groups loses the largest ranks one by one.
const FEW: usize = 4;

impl<'a> Bounding<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        let owners = if plan.text_owners { Owners::Names(Names::new()) } else { Owners::Words(Words::new()) };
        let one = OnePerson {
            marks: Vec::new(),
            stamp: 0,
            groups: Vec::new(),
            lanes: Vec::new(),
            ranks: Vec::new(),
            sorted: Vec::new(),
            points: Points::default(),
        };
        Self {
            plan,
            owners,
            entries: Entries::default(),
            row_ends: Vec::new(),
            entry_ends: Vec::new(),
            who: Vec::new(),
            sorted: Vec::new(),
            entry_order: Vec::new(),
            next: Entries::default(),
            one,
            brought: Brought::default(),
        }
    }

    /// Begins another partition.
    pub(crate) fn begin(&mut self) {
        match &mut self.owners {
            Owners::Words(words) => words.clear(),
            Owners::Names(names) => names.clear(),
        }
        self.entries.clear();
    }

    /// How many people have been met.
    pub(crate) fn people(&self) -> usize {
        match &self.owners {
            Owners::Words(words) => words.words().len(),
            Owners::Names(names) => names.len(),
        }
    }

    /// The people, by number.
    pub(crate) fn owner(&self, person: usize) -> Owner<'_> {
        match &self.owners {
            Owners::Words(words) => Owner::Word(words.words()[person]),
            Owners::Names(names) => Owner::Name(names.head(person as u32), names.name(person as u32)),
        }
    }

    /// Bounds all pieces, block by block, after what is known already. With `totals` this is the end of the
    /// partition, and every person's bounded lanes are added there; else they stay in `entries`.
    pub(crate) fn reduce_all(
        &mut self,
        pieces: &[Piece],
        space: &impl Space,
        mut totals: Option<&mut Totals>,
    ) {
        let stride = 1 + self.plan.layout.words();
        let mut rest = pieces;
        loop {
            let words_max = BLOCK_ROWS.max(2 * self.entries.owners.len()) * stride;
            let mut words = 0;
            let fitting = rest.iter().take_while(|piece| {
                words += piece.words.len();
                words <= words_max.max(piece.words.len())
            });
            let (block, later) = rest.split_at(fitting.count());
            let last = later.is_empty();
            self.reduce(block, space, if last { totals.as_deref_mut() } else { None });
            if last {
                return;
            }
            rest = later;
        }
    }

    /// The number of a person, met before or not, for an entry that is added by hand.
    pub(crate) fn person(&mut self, owner: Owner) -> u32 {
        let hash_key = &self.plan.hash_key;
        match (&mut self.owners, owner) {
            (Owners::Words(words), Owner::Word(word)) => {
                let hash = hash_key.owner_word(word);
                match words.find(hash, word) {
                    NONE => words.insert(hash, word, |word| hash_key.owner_word(word)),
                    found => found,
                }
            }
            (Owners::Names(names), Owner::Name(head, name)) => match names.find(head, name) {
                NONE => names.insert(head, name),
                found => found,
            },
            _ => unreachable!("a table has one type of owners"),
        }
    }

    fn reduce(&mut self, pieces: &[Piece], space: &impl Space, mut totals: Option<&mut Totals>) {
        self.number_people(pieces);
        // People were added run by run; entries that stay are in order already.
        self.entries.points.sort_by_key(|point| point.person);
        match self.plan.layout.words() {
            1 => self.sort_rows::<1>(pieces),
            2 => self.sort_rows::<2>(pieces),
            _ => self.sort_rows::<0>(pieces),
        }
        self.sort_entries();
        self.one.marks.resize(space.len().max(self.one.marks.len()), (0, 0));
        self.next.clear();
        let words = self.plan.layout.words();
        let lanes = 1 + self.plan.layout.lanes().len();
        let values = self.plan.layout.values();
        let (mut row, mut entry, mut point) = (0, 0, 0);
        for person in 0..self.people() {
            let (row_end, entry_end) = (self.row_ends[person] as usize, self.entry_ends[person] as usize);
            let one = &mut self.one;
            one.begin();
            for &at in &self.entry_order[entry..entry_end] {
                let at = at as usize;
                let known = &self.entries.lanes[at * lanes..(at + 1) * lanes];
                match one.place(self.entries.groups[at]) {
                    None => one.lanes.extend_from_slice(known),
                    Some(place) => {
                        let sums = &mut one.lanes[place * lanes..(place + 1) * lanes];
                        sums.iter_mut().zip(known).for_each(|(sum, lane)| *sum += lane);
                    }
                }
            }
            if !values.is_empty() {
                let known = &self.entries.points[point..];
                let own = known.partition_point(|point| point.person == person as u32);
                one.points.0.extend_from_slice(&known[..own]);
                point += own;
                for packed in self.sorted[row * words..row_end * words].chunks_exact(words) {
                    one.points.remember(person as u32, packed, &self.plan.layout);
                }
            }
            for packed in self.sorted[row * words..row_end * words].chunks_exact(words) {
                let stored = self.plan.layout.lanes().iter().map(|lane| i128::from(lane.unpack(packed)));
                match one.place(packed[0] as u32) {
                    None => {
                        one.lanes.push(1);
                        one.lanes.extend(stored);
                    }
                    Some(place) => {
                        let sums = &mut one.lanes[place * lanes..(place + 1) * lanes];
                        sums[0] += 1;
                        sums[1..].iter_mut().zip(stored).for_each(|(sum, lane)| *sum += lane);
                    }
                }
            }
            (row, entry) = (row_end, entry_end);
            let hash = || match &self.owners {
                Owners::Words(words) => self.plan.hash_key.owner_word(words.words()[person]),
                Owners::Names(names) => names.head(person as u32),
            };
            if one.groups.len() as u64 > self.plan.groups_max {
                one.keep_smallest(self.plan, hash(), space, lanes);
                one.points.keep_groups(&one.groups);
            }
            if !one.points.0.is_empty() {
                one.points.keep_smallest(self.plan, hash());
            }
            match &mut totals {
                Some(totals) => {
                    one.add_to(self.plan, totals, lanes);
                    one.points.add_to(self.plan, totals, &mut self.brought);
                }
                None => {
                    self.next.points.extend_from_slice(&one.points.0);
                    self.next.owners.extend(one.groups.iter().map(|_| person as u32));
                    self.next.groups.extend_from_slice(&one.groups);
                    self.next.lanes.extend_from_slice(&one.lanes);
                }
            }
        }
        std::mem::swap(&mut self.entries, &mut self.next);
    }

    /// What the people of the partition that has ended may bring, in the order of their hashes; of those who share one, in
    /// the order of what they are known by.
    pub(crate) fn take_brought(&mut self) -> Option<Brought> {
        let mut brought = std::mem::take(&mut self.brought);
        let hash = |person: u32| match &self.owners {
            Owners::Words(words) => self.plan.hash_key.owner_word(words.words()[person as usize]),
            Owners::Names(names) => names.head(person),
        };
        brought.people.sort_by(|left, right| {
            let hashes = hash(left.person).cmp(&hash(right.person));
            hashes.then_with(|| match &self.owners {
                Owners::Words(words) => {
                    words.words()[left.person as usize].cmp(&words.words()[right.person as usize])
                }
                Owners::Names(names) => names.name(left.person).cmp(names.name(right.person)),
            })
        });
        (!brought.people.is_empty()).then_some(brought)
    }

    /// Gives every row its person's number.
    fn number_people(&mut self, pieces: &[Piece]) {
        self.who.clear();
        self.row_ends.clear();
        self.row_ends.resize(self.people(), 0);
        let words = self.plan.layout.words();
        let hash_key = &self.plan.hash_key;
        match &mut self.owners {
            Owners::Words(owners) => {
                for piece in pieces {
                    for row in piece.words.chunks_exact(1 + words) {
                        let owner = row[0];
                        let hash = hash_key.owner_word(owner);
                        let mut person = owners.find(hash, owner);
                        if person == NONE {
                            person = owners.insert(hash, owner, |word| hash_key.owner_word(word));
                        }
                        count(&mut self.row_ends, person);
                        self.who.push(person);
                    }
                }
            }
            Owners::Names(owners) => {
                for piece in pieces {
                    for (head, _, name) in NamedRows::new(piece.words, words) {
                        let mut person = owners.find(head, name);
                        if person == NONE {
                            person = owners.insert(head, name);
                        }
                        count(&mut self.row_ends, person);
                        self.who.push(person);
                    }
                }
            }
        }
    }

    /// Puts every person's rows together.
    fn sort_rows<const WORDS: usize>(&mut self, pieces: &[Piece]) {
        let words = if WORDS == 0 { self.plan.layout.words() } else { WORDS };
        starts(&mut self.row_ends);
        self.sorted.resize((self.who.len() * words).max(self.sorted.len()), 0);
        let mut who = self.who.iter();
        for piece in pieces {
            let mut put = |packed: &[u64], person: &u32| {
                let end = &mut self.row_ends[*person as usize];
                let at = *end as usize * words;
                *end += 1;
                let place = &mut self.sorted[at..at + words];
                place.copy_from_slice(packed);
                if let Some(groups) = piece.groups {
                    place[0] = place[0] >> 32 << 32 | u64::from(groups[place[0] as u32 as usize]);
                }
            };
            if self.plan.text_owners {
                let rows = NamedRows::new(piece.words, words);
                rows.zip(&mut who).for_each(|((_, packed, _), person)| put(packed, person));
            } else {
                let rows = piece.words.chunks_exact(1 + words);
                rows.zip(&mut who).for_each(|(row, person)| put(&row[1..], person));
            }
        }
    }

    fn sort_entries(&mut self) {
        self.entry_ends.clear();
        self.entry_ends.resize(self.people(), 0);
        self.entries.owners.iter().for_each(|person| self.entry_ends[*person as usize] += 1);
        starts(&mut self.entry_ends);
        self.entry_order.resize(self.entries.owners.len(), 0);
        for (at, person) in self.entries.owners.iter().enumerate() {
            let end = &mut self.entry_ends[*person as usize];
            self.entry_order[*end as usize] = at as u32;
            *end += 1;
        }
    }
}

/// A person's identifier.
pub(crate) enum Owner<'a> {
    /// A number.
    Word(u64),
    /// A text: its head and its words.
    Name(u64, &'a [u64]),
}

impl OnePerson {
    #[inline(always)]
    fn begin(&mut self) {
        if self.stamp == u32::MAX {
            self.marks.fill((0, 0));
            self.stamp = 0;
        }
        self.stamp += 1;
        self.groups.clear();
        self.lanes.clear();
        self.points.0.clear();
    }

    /// Where among the person's groups this one is; if it is new, it is the last, and its lanes are to follow.
    #[inline(always)]
    fn place(&mut self, group: u32) -> Option<usize> {
        let mark = &mut self.marks[group as usize];
        if mark.0 == self.stamp {
            return Some(mark.1 as usize);
        }
        *mark = (self.stamp, self.groups.len() as u32);
        self.groups.push(group);
        None
    }

    /// Leaves the `groups_max` groups of smallest (rank, key).
    fn keep_smallest(&mut self, plan: &Plan, owner_hash: u64, space: &impl Space, lanes: usize) {
        let keep = plan.groups_max as usize;
        self.ranks.clear();
        self.ranks.extend(self.groups.iter().map(|group| plan.hash_key.rank(owner_hash, space.hash(*group))));
        if self.groups.len() - keep <= FEW {
            while self.groups.len() > keep {
                let mut worst = 0;
                for at in 1..self.ranks.len() {
                    if self.order(space, at, worst).is_gt() {
                        worst = at;
                    }
                }
                self.ranks.swap_remove(worst);
                self.groups.swap_remove(worst);
                self.move_lanes(self.groups.len(), worst, lanes);
            }
        } else {
            self.sorted.clear();
            self.sorted.extend_from_slice(&self.ranks);
            let (_, &mut last, _) = self.sorted.select_nth_unstable(keep - 1);
            // Those before the last rank stay, and of those that share it the smallest keys.
            let mut ties: Vec<usize> = (0..self.ranks.len()).filter(|at| self.ranks[*at] == last).collect();
            ties.sort_unstable_by(|left, right| self.order(space, *left, *right));
            let before = self.ranks.iter().filter(|rank| **rank < last).count();
            ties.truncate(keep - before);
            let mut to = 0;
            for at in 0..self.groups.len() {
                if self.ranks[at] < last || (self.ranks[at] == last && ties.contains(&at)) {
                    self.groups[to] = self.groups[at];
                    self.move_lanes(at, to, lanes);
                    to += 1;
                }
            }
        }
        self.groups.truncate(keep);
        self.lanes.truncate(keep * lanes);
    }

    #[inline(always)]
    fn order(&self, space: &impl Space, left: usize, right: usize) -> Ordering {
        let ranks = self.ranks[left].cmp(&self.ranks[right]);
        ranks.then_with(|| space.compare(self.groups[left], self.groups[right]))
    }

    #[inline(always)]
    fn move_lanes(&mut self, from: usize, to: usize, lanes: usize) {
        if from != to {
            self.lanes.copy_within(from * lanes..(from + 1) * lanes, to * lanes);
        }
    }

    /// Adds what the person may contribute.
    #[inline(always)]
    fn add_to(&self, plan: &Plan, totals: &mut Totals, lanes: usize) {
        for (group, lanes) in self.groups.iter().zip(self.lanes.chunks_exact(lanes)) {
            let at = *group as usize * totals.stride;
            let sums = &mut totals.sums[at..at + totals.stride];
            sums[0] += 1;
            for (measure, sum) in sums[1..].iter_mut().enumerate() {
                *sum += plan.layout.bounded(measure, lanes);
            }
        }
    }
}

#[inline(always)]
fn count(counts: &mut Vec<u32>, person: u32) {
    // New people get the next number, so at most one is missing.
    if person as usize == counts.len() {
        counts.push(0);
    }
    counts[person as usize] += 1;
}

/// Counts to where each one's begin.
fn starts(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}
