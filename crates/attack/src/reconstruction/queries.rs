//! Many subsets of people as one matrix of bits, and its products with vectors.
//!
//! A product walks through the matrix byte by byte: the 256 possible sums of eight neighbouring coordinates
//! are computed once, and every row then looks up one of them for each of its bytes. Sums are taken in a
//! fixed order, so the result does not depend on the number of threads.

use pointillist_noise::SecureBits;
use rayon::prelude::*;

use crate::AttackError;

/// The most bits a matrix of questions may have: 256 MiB, and as much again for its transpose.
const BITS_MAX: usize = 1 << 31;
/// Rows that one thread takes at a time.
const ROWS_AT_A_TIME: usize = 256;
/// Words whose tables stay in a core's cache together: 64 KiB.
const WORDS_AT_A_TIME: usize = 4;
/// How many sums eight coordinates have.
const SUMS: usize = 256;

/// A set of people, as an oracle sees it.
#[derive(Clone, Copy, Debug)]
pub struct Subset<'a> {
    people: usize,
    words: &'a [u64],
}

impl Subset<'_> {
    /// How many people there are in all.
    pub fn people(&self) -> usize {
        self.people
    }

    /// Whether a person is in the subset.
    pub fn contains(&self, person: usize) -> bool {
        person < self.people && self.words[person / 64] >> (person % 64) & 1 == 1
    }

    /// The people in the subset, in order.
    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.people).filter(|person| self.contains(*person))
    }

    /// How many people are in the subset.
    pub fn size(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// How many people are in this subset and in the other, given as packed bits.
    pub fn overlap(&self, other: &[u64]) -> u64 {
        self.words.iter().zip(other).map(|(left, right)| u64::from((left & right).count_ones())).sum()
    }
}

/// A list of subsets of the same people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queries {
    people: usize,
    count: usize,
    words: Vec<u64>,
}

impl Queries {
    /// Independent subsets that contain everybody with probability one half.
    pub fn random(people: usize, count: usize, bits: &mut dyn SecureBits) -> Result<Self, AttackError> {
        check_size(people, count)?;
        let width = people.div_ceil(64);
        let mut words: Vec<u64> = (0..width * count).map(|_| bits.word()).collect();
        if !people.is_multiple_of(64) {
            let inside = (1 << (people % 64)) - 1;
            words.iter_mut().skip(width - 1).step_by(width).for_each(|word| *word &= inside);
        }
        Ok(Self { people, count, words })
    }

    /// Subsets given as one flag a person.
    pub fn from_rows(rows: &[Vec<bool>]) -> Result<Self, AttackError> {
        let people = rows.first().map_or(0, Vec::len);
        check_size(people, rows.len())?;
        if let Some(row) = rows.iter().position(|row| row.len() != people) {
            return Err(AttackError::new(
                format!(
                    "question {} is about {} people, the first one about {people}",
                    row + 1,
                    rows[row].len()
                ),
                "give every question one flag for every person",
            ));
        }
        let words = rows.iter().flat_map(|row| packed(row)).collect();
        Ok(Self { people, count: rows.len(), words })
    }

    /// All subsets of a few people; number `mask` contains person j when its bit j is set.
    pub(super) fn all(people: usize) -> Self {
        Self { people, count: 1 << people, words: (0..1 << people).collect() }
    }

    /// How many people the questions are about.
    pub fn people(&self) -> usize {
        self.people
    }

    /// How many questions there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The subsets, in order.
    pub fn subsets(&self) -> impl Iterator<Item = Subset<'_>> {
        self.words.chunks_exact(self.width()).map(|words| Subset { people: self.people, words })
    }

    /// The first few questions.
    pub fn first(&self, count: usize) -> Self {
        let count = count.min(self.count);
        Self { people: self.people, count, words: self.words[..count * self.width()].to_vec() }
    }

    fn width(&self) -> usize {
        self.people.div_ceil(64)
    }

    /// The product with a vector: for every subset, the sum over its people.
    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        assert_eq!(vector.len(), self.people, "a vector has one number for every person");
        let width = self.width();
        let mut sums = vec![[0.0; SUMS]; width * 8];
        sums.par_iter_mut().enumerate().for_each(|(byte, table)| {
            for (bit, value) in vector.iter().skip(byte * 8).take(8).enumerate() {
                let (known, new) = table.split_at_mut(1 << bit);
                new.iter_mut().zip(known).for_each(|(new, known)| *new = *known + *value);
            }
        });
        let mut product = vec![0.0; self.count];
        let rows = self.words.par_chunks(ROWS_AT_A_TIME * width);
        product.par_chunks_mut(ROWS_AT_A_TIME).zip(rows).for_each(|(product, rows)| {
            for start in (0..width).step_by(WORDS_AT_A_TIME) {
                let end = (start + WORDS_AT_A_TIME).min(width);
                let tables = &sums[start * 8..end * 8];
                for (total, row) in product.iter_mut().zip(rows.chunks_exact(width)) {
                    *total += looked_up(&row[start..end], tables);
                }
            }
        });
        product
    }

    /// The same flags with the roles of questions and people exchanged.
    pub(super) fn transposed(&self) -> Self {
        let (width, new_width) = (self.width(), self.count.div_ceil(64));
        let mut words = vec![0; self.people * new_width];
        words.par_chunks_mut(64 * new_width).enumerate().for_each(|(column, rows)| {
            for group in 0..new_width {
                let mut square = [0; 64];
                for (row, word) in square.iter_mut().enumerate() {
                    *word = self.words.get((group * 64 + row) * width + column).copied().unwrap_or(0);
                }
                transpose_square(&mut square);
                for (row, word) in rows.chunks_exact_mut(new_width).zip(square) {
                    row[group] = word;
                }
            }
        });
        Self { people: self.count, count: self.people, words }
    }
}

/// Refuses nothing and nobody, and what does not fit into memory.
pub(super) fn check_size(people: usize, questions: usize) -> Result<(), AttackError> {
    if people == 0 || questions == 0 {
        return Err(AttackError::new(
            format!("{questions} questions about {people} people cannot be asked"),
            "give at least one person and one question; four questions a person are plenty",
        ));
    }
    // Both matrices are padded to whole words.
    let padded = people.checked_add(63).and_then(|people| people.checked_mul(questions.checked_add(63)?));
    if padded.is_none_or(|bits| bits > BITS_MAX) {
        return Err(AttackError::new(
            format!("{questions} questions about {people} people do not fit into memory"),
            "keep people times questions below 2^31, such as 16384 people and 65536 questions",
        ));
    }
    Ok(())
}

/// Flags as packed bits.
pub(super) fn packed(flags: &[bool]) -> Vec<u64> {
    let word = |chunk: &[bool]| chunk.iter().rev().fold(0, |word, flag| word << 1 | u64::from(*flag));
    flags.chunks(64).map(word).collect()
}

/// The sum over the members of a few words of a row.
#[inline]
fn looked_up(row: &[u64], tables: &[[f64; SUMS]]) -> f64 {
    let mut total = 0.0;
    for (word, tables) in row.iter().zip(tables.as_chunks::<8>().0) {
        let [a, b, c, d, e, f, g, h] = word.to_le_bytes().map(usize::from);
        // Added in pairs, so that additions do not wait for each other.
        let low = (tables[0][a] + tables[1][b]) + (tables[2][c] + tables[3][d]);
        let high = (tables[4][e] + tables[5][f]) + (tables[6][g] + tables[7][h]);
        total += low + high;
    }
    total
}

/// Exchanges rows and columns of a square of bits, quarter by quarter, then within the quarters.
fn transpose_square(square: &mut [u64; 64]) {
    let mut half = 32;
    let mut mask = u64::MAX >> 32;
    while half > 0 {
        for row in (0..64).filter(|row| row & half == 0) {
            let difference = (square[row] >> half ^ square[row + half]) & mask;
            square[row] ^= difference << half;
            square[row + half] ^= difference;
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;
    use pointillist_testkit::seeded;

    use super::*;

    #[test]
    fn products_are_sums_over_the_members() {
        for (people, count) in [(1, 1), (7, 3), (64, 64), (65, 130), (300, 700), (1000, 20)] {
            let queries = Queries::random(people, count, &mut seeded(people as u64)).unwrap();
            let vector: Vec<f64> = (0..people).map(|person| (person * person % 17) as f64 - 4.0).collect();
            let slowly = |subset: Subset| subset.members().map(|person| vector[person]).sum::<f64>();
            let expected: Vec<f64> = queries.subsets().map(slowly).collect();
            // Integers in floats: no rounding, whatever the order.
            assert_eq!(queries.times(&vector), expected);
        }
    }

    #[test]
    fn transposing_exchanges_people_and_questions() {
        for (people, count) in [(1, 1), (64, 64), (65, 130), (300, 70)] {
            let queries = Queries::random(people, count, &mut seeded(people as u64)).unwrap();
            let turned = queries.transposed();
            assert_eq!((turned.people(), turned.count()), (count, people));
            for (question, subset) in queries.subsets().enumerate() {
                for (person, column) in turned.subsets().enumerate() {
                    assert_eq!(subset.contains(person), column.contains(question));
                }
            }
            assert_eq!(turned.transposed(), queries);
        }
    }

    #[test]
    fn rows_of_flags_and_random_rows_agree() {
        let queries = Queries::random(70, 9, &mut seeded(3)).unwrap();
        let rows: Vec<Vec<bool>> =
            queries.subsets().map(|subset| (0..70).map(|person| subset.contains(person)).collect()).collect();
        assert_eq!(Queries::from_rows(&rows).unwrap(), queries);
        assert!(queries.subsets().all(|subset| subset.size() == subset.members().count()));
        assert!(queries.subsets().all(|subset| !subset.contains(70) && !subset.contains(usize::MAX)));
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        for (people, count) in [(0, 5), (5, 0), (1 << 20, 1 << 20), (usize::MAX, 2), (2, usize::MAX)] {
            let error = Queries::random(people, count, &mut seeded(0)).unwrap_err();
            assert!(error.hint().is_some(), "{error}");
        }
        assert!(Queries::from_rows(&[]).is_err());
        assert!(Queries::from_rows(&[vec![true], vec![]]).is_err());
    }
}
