//! Hash functions of which any two values are sent to independent cells.
//!
//! **Guarantee.** `x ↦ (a·x + b) mod P` with a and b uniform below a prime P sends any two different values below P to two
//! independent uniform numbers below P: for given results y and z the equations `a·x + b = y`, `a·x' + b = z` have exactly
//! one solution (a, b), since x − x' is invertible. The numbers below P are cut into g nearly equal cells, of ⌊P/g⌋ or one
//! more; so the cells of two values are independent as well, and coincide with probability `Σ (size/P)²`, which is known
//! exactly and little more than 1/g.

use pointillist_noise::{BitSource, uniform_u64_below};
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

    pub(crate) fn draw<B: BitSource + ?Sized>(&self, bits: &mut B) -> Hash {
        let [multiplier, shift] = [(); 2].map(|()| uniform_u64_below(self.prime, bits));
        Hash { multiplier, shift }
    }

    pub(crate) fn admits(&self, hash: &Hash) -> bool {
        hash.multiplier < self.prime && hash.shift < self.prime
    }

    /// `a·x + b mod P`, for x below P.
    #[inline]
    pub(crate) fn place(&self, hash: &Hash, x: u64) -> u64 {
        let sum = u128::from(hash.multiplier) * u128::from(x) + u128::from(hash.shift);
        if self.prime == PRIME_OF_STRINGS {
            // 2^61 is one modulo 2^61 − 1: the high and the low digits are added.
            let folded = (sum as u64 & PRIME_OF_STRINGS) + (sum >> 61) as u64;
            return if folded >= PRIME_OF_STRINGS { folded - PRIME_OF_STRINGS } else { folded };
        }
        match u64::try_from(sum) {
            Ok(sum) => sum % self.prime,
            Err(_) => (sum % u128::from(self.prime)) as u64,
        }
    }

    /// The cell of a value below P.
    pub(crate) fn cell(&self, hash: &Hash, x: u64) -> u64 {
        (u128::from(self.place(hash, x)) * u128::from(self.cells) / u128::from(self.prime)) as u64
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

    /// Specification: over all functions, two values meet every pair of cells as often as independence says, and the
    /// stated collision probability is exact.
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
        for (prime, cells) in [(PRIME_OF_STRINGS, 5), (PRIME_OF_LISTS, 4), (PRIME_OF_LISTS, 65_536)] {
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
            }
        }
        assert!(HashFamily::new(7, 2).admits(&Hash { multiplier: 6, shift: 0 }));
        assert!(!HashFamily::new(7, 2).admits(&Hash { multiplier: 7, shift: 0 }));
    }
}
