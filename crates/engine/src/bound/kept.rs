//! What is kept of people once their rows have been bounded: the groups that remain, in few bytes.
//!
//! A person has at most `groups_max` groups here, whatever their rows were. Counts and totals are small numbers mostly,
//! and are written in as many bytes as they need.

use super::names::words_of;
use super::person::{Bounding, Owner};
use super::points::Point;

/// People of one partition and the groups that each of them keeps so far.
pub(super) struct Kept {
    words: Vec<u64>,
    /// Names of people one after the other, each after its head.
    names: Vec<u64>,
    /// How many groups each person has.
    counts: Vec<u32>,
    groups: Vec<u32>,
    lanes: Vec<u8>,
    /// How many remembered values each person has, where there are any; their groups, and the rest of them.
    point_counts: Vec<u32>,
    point_groups: Vec<u32>,
    points: Vec<u8>,
}

impl Kept {
    /// What was bounded last: entries that stand together person by person.
    pub(super) fn new(from: &Bounding) -> Self {
        let people = from.people();
        let (mut words, mut names) = (Vec::new(), Vec::new());
        for person in 0..people {
            match from.owner(person) {
                Owner::Word(word) => words.push(word),
                Owner::Name(head, name) => {
                    names.push(head);
                    names.extend_from_slice(name);
                }
            }
        }
        let mut counts = vec![0; people];
        from.entries.owners.iter().for_each(|person| counts[*person as usize] += 1);
        let mut lanes = Vec::new();
        from.entries.lanes.iter().for_each(|lane| write_number(&mut lanes, *lane));
        let groups = from.entries.groups.clone();
        let known = &from.entries.points;
        let mut point_counts = vec![0; if known.is_empty() { 0 } else { people }];
        let mut points = Vec::new();
        for point in known {
            point_counts[point.person as usize] += 1;
            points.extend_from_slice(&point.value.to_le_bytes());
            write_number(&mut points, i128::from(point.lane));
            write_number(&mut points, i128::from(point.count));
        }
        points.shrink_to_fit();
        let point_groups = known.iter().map(|point| point.group).collect();
        let mut kept = Self { words, names, counts, groups, lanes, point_counts, point_groups, points };
        kept.words.shrink_to_fit();
        kept.names.shrink_to_fit();
        kept.lanes.shrink_to_fit();
        kept
    }

    /// Adds these people to what is known. `numbers` translates group numbers, if need be.
    pub(super) fn add_to(&self, into: &mut Bounding, numbers: Option<&[u32]>, lanes: usize) {
        let mut groups = self.groups.iter();
        let (mut rest, mut names) = (self.lanes.as_slice(), self.names.as_slice());
        let (mut point_groups, mut points) = (self.point_groups.iter(), self.points.as_slice());
        let number = |group: u32| numbers.map_or(group, |numbers| numbers[group as usize]);
        for (at, count) in self.counts.iter().enumerate() {
            let person = match self.words.get(at) {
                Some(word) => into.person(Owner::Word(*word)),
                None => {
                    let (head, others) = names.split_first().expect("everybody has a name");
                    let (name, others) = others.split_at(words_of(*head, others));
                    names = others;
                    into.person(Owner::Name(*head, name))
                }
            };
            for group in groups.by_ref().take(*count as usize) {
                into.entries.owners.push(person);
                into.entries.groups.push(number(*group));
                into.entries.lanes.extend((0..lanes).map(|_| read_number(&mut rest)));
            }
            let own = self.point_counts.get(at).copied().unwrap_or(0);
            for group in point_groups.by_ref().take(own as usize) {
                let (value, after) =
                    points.split_first_chunk::<8>().expect("values are read as they were written");
                points = after;
                let (lane, count) = (read_number(&mut points) as u32, read_number(&mut points) as u64);
                let value = u64::from_le_bytes(*value);
                into.entries.points.push(Point { person, group: number(*group), lane, value, count });
            }
        }
    }

    /// Marks the groups that somebody keeps.
    pub(super) fn mark(&self, used: &mut [bool]) {
        self.groups.iter().for_each(|group| used[*group as usize] = true);
    }

    /// Gives groups other numbers.
    pub(super) fn renumber(&mut self, numbers: &[u32]) {
        let all = self.groups.iter_mut().chain(&mut self.point_groups);
        all.for_each(|group| *group = numbers[*group as usize]);
    }

    /// How many people there are.
    pub(super) fn people(&self) -> usize {
        self.counts.len()
    }

    /// How much memory this takes, about.
    pub(super) fn bytes(&self) -> usize {
        let words = self.words.capacity() + self.names.capacity();
        let numbers = self.counts.capacity() + self.groups.capacity();
        let point_numbers = self.point_counts.capacity() + self.point_groups.capacity();
        let bytes = self.lanes.capacity() + self.points.capacity();
        words * 8 + (numbers + point_numbers) * 4 + bytes
    }
}

/// Seven bits a byte, the lowest first, the sign in the first of them.
fn write_number(bytes: &mut Vec<u8>, number: i128) {
    let mut rest = ((number << 1) ^ (number >> 127)).cast_unsigned();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn read_number(bytes: &mut &[u8]) -> i128 {
    let (mut number, mut shift) = (0_u128, 0);
    loop {
        let (byte, rest) = bytes.split_first().expect("numbers are read as they were written");
        *bytes = rest;
        number |= u128::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return (number >> 1).cast_signed() ^ -((number & 1).cast_signed());
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let ends =
            [0, 1, -1, 63, 64, -64, -65, i128::from(i64::MAX), 1 << 126, -(1 << 126), i128::MAX, i128::MIN];
        let mut bytes = Vec::new();
        ends.iter().for_each(|number| write_number(&mut bytes, *number));
        let mut rest = bytes.as_slice();
        assert_eq!(ends.map(|_| read_number(&mut rest)), ends);
        assert!(rest.is_empty());
    }
}
