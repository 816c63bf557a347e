//! Exact counts of many marginals in one pass over the rows. Never for release.
//!
//! **Guarantee.** Every row adds one to one cell of every marginal, whatever its codes are. So a person with at most k rows moves each
//! marginal by at most k in L1, hence by at most k in L2 as well; k rows that are all alike do move one cell by k.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** The cell is a function of the row alone (codes are clamped one by one, then renumbered by a map that does not look at rows);
//! the marginals of two neighbours differ by the sum of at most k unit vectors, of one sign.

use rayon::prelude::*;

use crate::rows::clamped;
use crate::{CodeRows, Domain, RowsError};

/// For each code of each column the code that stands for it: public, or made of released numbers alone.
#[derive(Clone, Copy)]
pub(crate) struct Renumbering<'a> {
    /// The domain that rows are in.
    pub domain: &'a Domain,
    /// For each column the new codes; none where they stay.
    pub maps: &'a [Option<Vec<u32>>],
    /// The domain of the new codes.
    pub target: &'a Domain,
}

/// The exact counts of some marginals, cells in row-major order.
pub(crate) fn histograms(
    rows: &dyn CodeRows,
    renumbering: Renumbering<'_>,
    sets: &[Vec<usize>],
) -> Result<Vec<Vec<u64>>, RowsError> {
    let Renumbering { domain, maps, target } = renumbering;
    let d = domain.attributes();
    let mut counts: Vec<Vec<u64>> = sets.iter().map(|set| vec![0; target.cells(set) as usize]).collect();
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); d];
    rows.for_each_codes(&mut |block| {
        for (attribute, column) in columns.iter_mut().enumerate() {
            let size = domain.size(attribute);
            let codes = block.chunks_exact(d).map(|row| clamped(row[attribute], size));
            column.clear();
            match maps.get(attribute).and_then(Option::as_ref) {
                Some(map) => column.extend(codes.map(|code| map[code])),
                None => column.extend(codes.map(|code| code as u32)),
            }
        }
        let columns = &columns;
        let count = |(set, counts): (&Vec<usize>, &mut Vec<u64>)| add(columns, set, target, counts);
        if sets.len() > 8 && block.len() > 4096 {
            sets.par_iter().zip(counts.par_iter_mut()).for_each(count);
        } else {
            sets.iter().zip(counts.iter_mut()).for_each(count);
        }
    })?;
    Ok(counts)
}

fn add(columns: &[Vec<u32>], set: &[usize], target: &Domain, counts: &mut [u64]) {
    match *set {
        [] => counts[0] += columns.first().map_or(0, Vec::len) as u64,
        [one] => columns[one].iter().for_each(|code| counts[*code as usize] += 1),
        [one, two] => {
            let width = target.size(two);
            let pairs = columns[one].iter().zip(&columns[two]);
            pairs.for_each(|(one, two)| counts[*one as usize * width + *two as usize] += 1);
        }
        _ => {
            let mut cells = vec![0; columns[set[0]].len()];
            for attribute in set {
                let size = target.size(*attribute);
                let codes = columns[*attribute].iter();
                cells.iter_mut().zip(codes).for_each(|(cell, code)| *cell = *cell * size + *code as usize);
            }
            cells.into_iter().for_each(|cell| counts[cell] += 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryCodes;
    use crate::domain::subsets;

    fn count(codes: Vec<u32>, domain: &Domain, sets: &[Vec<usize>]) -> Vec<Vec<u64>> {
        let renumbering = Renumbering { domain, maps: &[], target: domain };
        histograms(&MemoryCodes::new(codes, domain.attributes()), renumbering, sets).unwrap()
    }

    #[test]
    fn counts_are_those_of_a_plain_loop() {
        let domain = Domain::new(vec![2, 3, 2]).unwrap();
        let rows = [[0, 1, 1], [1, 2, 0], [0, 1, 1], [1, 0, 0]];
        let sets = [vec![], vec![1], vec![0, 1], vec![0, 1, 2]];
        let counts = count(rows.concat(), &domain, &sets);
        assert_eq!(counts[0], [4]);
        assert_eq!(counts[1], [1, 2, 1]);
        assert_eq!(counts[2], [0, 2, 0, 1, 0, 1]);
        assert_eq!(counts[3], [0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 1, 0]);
    }

    /// Specification: on every table of up to two rows and every added person of up to two rows, over codes in and beyond the
    /// domain, no marginal moves by more than the person's rows, in L1 or in L2; and two rows alike do move one by two in L2.
    #[test]
    fn a_person_moves_a_histogram_by_no_more_than_their_rows() {
        let domain = Domain::new(vec![2, 2]).unwrap();
        let sets: Vec<Vec<usize>> = (0..=2).flat_map(|count| subsets(2, count)).collect();
        let row = |index: usize| [(index % 4) as u32, (index / 4) as u32 * 3];
        let tables = |rows: usize| {
            (0..8usize.pow(rows as u32)).map(move |t| {
                (0..rows).flat_map(move |r| row(t / 8usize.pow(r as u32) % 8)).collect::<Vec<u32>>()
            })
        };
        let mut largest = 0;
        for others in (0..=2).flat_map(tables) {
            let without = count(others.clone(), &domain, &sets);
            for k in 1..=2usize {
                for person in tables(k) {
                    let with = count([others.clone(), person].concat(), &domain, &sets);
                    for (with, without) in with.iter().zip(&without) {
                        let moves: Vec<u64> = with.iter().zip(without).map(|(a, b)| a.abs_diff(*b)).collect();
                        let (l1, l2): (u64, u64) = (moves.iter().sum(), moves.iter().map(|m| m * m).sum());
                        assert!(l1 <= k as u64 && l2 <= (k * k) as u64);
                        largest = largest.max(l2);
                    }
                }
            }
        }
        assert_eq!(largest, 4, "the bound is reached");
    }

    #[test]
    fn a_code_beyond_the_end_is_the_last_one() {
        let domain = Domain::new(vec![3]).unwrap();
        assert_eq!(count(vec![0, 2, 3, u32::MAX], &domain, &[vec![0]])[0], [1, 0, 3]);
    }
}
