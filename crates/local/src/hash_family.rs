//! Hash functions of which any two values are sent to independent cells.
//!
//! **Guarantee.** `x ↦ (a·x + b) mod P` with a and b uniform below a prime P sends any two different values
//! below P to two independent uniform numbers below P: for given results y and z the equations `a·x + b = y`,
//! `a·x' + b = z` have exactly one solution (a, b), since x − x' is invertible. The numbers below P are cut
//! into g nearly equal cells, of ⌊P/g⌋ or one more; so the cells of two values are independent as well, and
//! coincide with probability `Σ (size/P)²`, which is known exactly and little more than 1/g.

use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::Rational;

use crate::report::Hash;

/// Enough for every question with a list of values: two numbers below it add up without overflow in 32 bits.
pub(crate) const PRIME_OF_LISTS: u64 = (1 << 31) - 1;
/// Enough for strings.
pub(crate) const PRIME_OF_STRINGS: u64 = (1 << 61) - 1;

/// All functions of one prime and one number of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HashFamily {
    prime: u64,
    cells: u64,
}

impl HashFamily {
    /// The number of cells is at least one and at most the prime.
    pub(crate) fn new(prime: u64, cells: u64) -> Self {
        assert!((1..=prime).contains(&cells), "there are at most as many cells as results");
        Self { prime, cells }
    }

    pub(crate) fn prime(&self) -> u64 {
        self.prime
    }

    pub(crate) fn cells(&self) -> u64 {
        self.cells
    }

    pub(crate) fn draw<B: SecureBits + ?Sized>(&self, bits: &mut B) -> Hash {
        let [multiplier, shift] = [(); 2].map(|()| uniform_u64_below(self.prime, bits));
        Hash { multiplier, shift }
    }

    pub(crate) fn admits(&self, hash: &Hash) -> bool {
        hash.multiplier < self.prime && hash.shift < self.prime
    }

    /// `a·x + b mod P`, for x below P.
    #[inline]
    pub(crate) fn place(&self, hash: &Hash, x: u64) -> u64 {
        let once = |folded: u64| if folded >= self.prime { folded - self.prime } else { folded };
        match self.prime {
            // 2^31 is one modulo 2^31 − 1: the high and the low digits are added. At most (P − 1)·P goes in,
            // so what comes out is below 2P.
            PRIME_OF_LISTS => {
                let sum = hash.multiplier * x + hash.shift;
                once((sum & PRIME_OF_LISTS) + (sum >> 31))
            }
            PRIME_OF_STRINGS => {
                let sum = u128::from(hash.multiplier) * u128::from(x) + u128::from(hash.shift);
                once((sum as u64 & PRIME_OF_STRINGS) + (sum >> 61) as u64)
            }
            prime => {
                let sum = u128::from(hash.multiplier) * u128::from(x) + u128::from(hash.shift);
                (sum % u128::from(prime)) as u64
            }
        }
    }

    /// The cell of a value below P.
    #[inline]
    pub(crate) fn cell(&self, hash: &Hash, x: u64) -> u64 {
        self.cell_at(self.place(hash, x))
    }

    /// The cells of the values 0, 1, 2 and so on, up to P of them: neighbours are one multiplier apart.
    pub(crate) fn cells_in_turn(&self, hash: &Hash) -> impl Iterator<Item = u64> {
        let (mut place, multiplier) = (hash.shift, hash.multiplier);
        std::iter::repeat_with(move || {
            let cell = self.cell_at(place);
            place += multiplier;
            if place >= self.prime {
                place -= self.prime;
            }
            cell
        })
    }

    /// The cell that a number below P lies in.
    #[inline]
    fn cell_at(&self, place: u64) -> u64 {
        if self.prime == PRIME_OF_LISTS {
            // Dividing by 2^31 instead falls short by less than one: by what the remainder says.
            let product = place * self.cells;
            let quotient = product >> 31;
            let remainder = (product & PRIME_OF_LISTS) + quotient;
            return quotient + u64::from(remainder >= PRIME_OF_LISTS);
        }
        (u128::from(place) * u128::from(self.cells) / u128::from(self.prime)) as u64
    }

    /// The first number in a cell; the cell after the last one begins at P.
    pub(crate) fn start(&self, cell: u64) -> u64 {
        (u128::from(cell) * u128::from(self.prime)).div_ceil(u128::from(self.cells)) as u64
    }

    /// The probability that two different values fall into the same cell.
    pub(crate) fn collision(&self) -> Rational {
        let (size, larger) = (self.prime / self.cells, self.prime % self.cells);
        let square = |count: u64, size: u64| Rational::from(count) * Rational::from(size).squared();
        (square(larger, size + 1) + square(self.cells - larger, size)) / Rational::from(self.prime).squared()
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    /// Specification: over all functions, two values meet every pair of cells as often as independence says,
    /// and the stated collision probability is exact.
    #[test]
    fn cells_of_two_values_are_independent() {
        for (prime, cells) in [(5u64, 3u64), (7, 2), (11, 4), (13, 13), (7, 1)] {
            let family = HashFamily::new(prime, cells);
            let size = |cell: u64| family.start(cell + 1) - family.start(cell);
            assert_eq!((0..cells).map(size).sum::<u64>(), prime);
            for (x, y) in (0..prime).flat_map(|x| (0..x).map(move |y| (x, y))) {
                let mut pairs = vec![0u64; (cells * cells) as usize];
                for (multiplier, shift) in (0..prime).flat_map(|a| (0..prime).map(move |b| (a, b))) {
                    let hash = Hash { multiplier, shift };
                    pairs[(family.cell(&hash, x) * cells + family.cell(&hash, y)) as usize] += 1;
                }
                for cell in 0..cells * cells {
                    assert_eq!(pairs[cell as usize], size(cell / cells) * size(cell % cells));
                }
                let together: u64 = (0..cells).map(|cell| pairs[(cell * cells + cell) as usize]).sum();
                let collision = Rational::from(together) / Rational::from(prime * prime);
                assert_eq!(collision, family.collision());
            }
        }
    }

    /// Specification: the fast arithmetic agrees with long division, and a place is in its cell.
    #[test]
    fn places_are_computed_modulo_the_prime() {
        let mut words = seeded(1);
        for (prime, cells) in [
            (PRIME_OF_STRINGS, 5),
            (PRIME_OF_LISTS, 4),
            (PRIME_OF_LISTS, 65_536),
            (PRIME_OF_LISTS, PRIME_OF_LISTS),
            (PRIME_OF_LISTS, 1),
        ] {
            let family = HashFamily::new(prime, cells);
            for round in 0..2000 {
                let mut number = || if round < 8 { prime - 1 - words() % 2 } else { words() % prime };
                let (hash, x) = (Hash { multiplier: number(), shift: number() }, number());
                let exact = (u128::from(hash.multiplier) * u128::from(x) + u128::from(hash.shift))
                    % u128::from(prime);
                let place = family.place(&hash, x);
                assert_eq!(u128::from(place), exact);
                let cell = family.cell(&hash, x);
                assert!((family.start(cell)..family.start(cell + 1)).contains(&place));
                let in_turn = family.cells_in_turn(&hash).take(20).enumerate();
                in_turn.for_each(|(x, cell)| assert_eq!(cell, family.cell(&hash, x as u64)));
            }
        }
        assert!(HashFamily::new(7, 2).admits(&Hash { multiplier: 6, shift: 0 }));
        assert!(!HashFamily::new(7, 2).admits(&Hash { multiplier: 7, shift: 0 }));
    }
}
