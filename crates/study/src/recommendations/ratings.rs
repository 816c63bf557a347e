//! Ratings by person: at most one for each item, in the order of items.
//!
//! **Stability.** A person's ratings here follow from that person's rows alone, and what a person says of an item from the rows of
//! that pair alone: of several the latest counts, and of several at the same moment the last in the file. Whether a rating is
//! held back for testing is a function of the person's id, the item and a public number.

use super::Points;

/// What somebody thinks of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rating {
    /// A position in the catalogue.
    pub item: u32,
    /// How much they liked it.
    pub points: Points,
}

/// Ratings by person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ratings {
    /// Where each person's ratings begin; one more than there are people.
    starts: Vec<usize>,
    ratings: Vec<Rating>,
    /// One for each person, scattered from the id.
    keys: Vec<u64>,
}

/// Collects ratings in any order.
#[derive(Default)]
pub struct RatingsBuilder {
    rows: Vec<(u32, u32, i64, u32, Points)>,
    keys: Vec<u64>,
}

impl RatingsBuilder {
    /// Somebody new, by a key that follows from the id alone; the number to rate with.
    pub fn person(&mut self, key: u64) -> u32 {
        self.keys.push(key);
        (self.keys.len() - 1) as u32
    }

    /// A rating of this person at this time.
    pub fn rate(&mut self, person: u32, item: u32, points: Points, time: i64) {
        let order = self.rows.len() as u32;
        self.rows.push((person, item, time, order, points));
    }

    /// One rating for each person and item.
    pub fn finish(mut self) -> Ratings {
        self.rows.sort_unstable_by_key(|(person, item, time, order, _)| (*person, *item, *time, *order));
        let mut ratings = Ratings { starts: vec![0], ratings: Vec::new(), keys: self.keys };
        let mut rows = self.rows.into_iter().peekable();
        for person in 0..ratings.keys.len() as u32 {
            while let Some((_, item, _, _, points)) = rows.next_if(|row| row.0 == person) {
                // The next one of the same pair is later.
                if rows.peek().is_none_or(|next| (next.0, next.1) != (person, item)) {
                    ratings.ratings.push(Rating { item, points });
                }
            }
            ratings.starts.push(ratings.ratings.len());
        }
        ratings
    }
}

impl Ratings {
    /// How many people there are.
    pub fn people(&self) -> usize {
        self.keys.len()
    }

    /// How many ratings there are.
    pub fn len(&self) -> usize {
        self.ratings.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ratings.is_empty()
    }

    /// Everything that one person said, in the order of items.
    pub fn of(&self, person: usize) -> &[Rating] {
        &self.ratings[self.starts[person]..self.starts[person + 1]]
    }

    /// Everybody's ratings, one person after the other.
    pub fn iter(&self) -> impl Iterator<Item = &[Rating]> {
        self.starts.windows(2).map(|ends| &self.ratings[ends[0]..ends[1]])
    }

    /// Ratings to learn from, and those held back: one in five, by a public number.
    pub fn split(&self, part: u64) -> (Self, Self) {
        let (mut kept, mut held) = (self.nobody(), self.nobody());
        for (person, ratings) in self.iter().enumerate() {
            for rating in ratings {
                let word = scattered(self.keys[person], u64::from(rating.item), part);
                let to = if word.is_multiple_of(5) { &mut held } else { &mut kept };
                to.ratings.push(*rating);
            }
            kept.starts.push(kept.ratings.len());
            held.starts.push(held.ratings.len());
        }
        (kept, held)
    }

    /// The same people before they rated anything.
    fn nobody(&self) -> Self {
        Self { starts: vec![0], ratings: Vec::new(), keys: self.keys.clone() }
    }

    /// How often each item was rated. Never for release.
    pub(super) fn counts(&self, items: usize) -> Vec<u32> {
        let mut counts = vec![0; items];
        self.ratings.iter().for_each(|rating| counts[rating.item as usize] += 1);
        counts
    }
}

/// A key that follows from an id.
pub(super) fn key_of(id: &[u8]) -> u64 {
    id.iter().fold(id.len() as u64, |key, byte| scattered(key, u64::from(*byte), 0))
}

/// Three numbers to one that looks like none of them. It makes splits, and no noise.
fn scattered(a: u64, b: u64, c: u64) -> u64 {
    let mut word = a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ c.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    for _ in 0..2 {
        word ^= word >> 31;
        word = word.wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 29;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(value: i64) -> Points {
        Points::from_f64(value as f64)
    }

    #[test]
    fn the_latest_rating_of_a_pair_counts_and_no_other_pair_changes() {
        let mut builder = RatingsBuilder::default();
        let (ana, ben) = (builder.person(1), builder.person(2));
        for (person, item, value, time) in
            [(ben, 4, 1, 0), (ana, 7, 2, 9), (ana, 7, 3, 5), (ana, 2, 4, 5), (ana, 2, 5, 5)]
        {
            builder.rate(person, item, points(value), time);
        }
        let ratings = builder.finish();
        let rating = |item, value| Rating { item, points: points(value) };
        assert_eq!(ratings.of(0), [rating(2, 5), rating(7, 2)]);
        assert_eq!(ratings.of(1), [rating(4, 1)]);
        assert_eq!((ratings.people(), ratings.len()), (2, 3));
    }

    /// Specification: somebody more or less changes nothing in how the ratings of others are split.
    #[test]
    fn a_split_is_decided_by_each_pair_alone() {
        let made = |first: bool| {
            let mut builder = RatingsBuilder::default();
            for id in (if first { 0 } else { 1 })..40u64 {
                let person = builder.person(key_of(&id.to_le_bytes()));
                (0..50).for_each(|item| builder.rate(person, item, points(5), 0));
            }
            builder.finish()
        };
        let (whole, without) = (made(true), made(false));
        for part in 0..3 {
            let [(kept, held), (kept_without, held_without)] = [whole.split(part), without.split(part)];
            assert_eq!(kept.iter().skip(1).collect::<Vec<_>>(), kept_without.iter().collect::<Vec<_>>());
            assert_eq!(held.iter().skip(1).collect::<Vec<_>>(), held_without.iter().collect::<Vec<_>>());
            let share = held.len() as f64 / whole.len() as f64;
            assert!((0.15..0.25).contains(&share), "{share}");
        }
        assert_ne!(whole.split(0), whole.split(1));
    }
}
