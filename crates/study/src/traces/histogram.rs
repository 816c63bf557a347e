//! Rows to cells: how much one unit adds to a histogram, at most.
//!
//! **Guarantee.** Between data sets that differ in one unit the histogram moves by at most `moves_l1_upper` in L1, and
//! therefore in L2: all that a unit adds may fall into one cell, so the square root of a number of rows is no bound.
//! **Neighbours.** Add or remove one row ([`Weighing::EachRow`]), or all rows of one host (the others).
//! **Proof.** A row adds one to one cell. A host with c rows, n of them in a cell, adds ⌊G·n·min(c, k)/c⌋ there; over all cells that is
//! at most G·min(c, k) ≤ G·k, and nothing of another host's enters. For the average host k = 1 and every c rows weigh one.
//! **Grid.** Cells are whole numbers of 1/G, so that what a host adds is an exact integer, rounded down.
//! **Not covered.** Hosts as receivers: a packet is its owner's (`trace.rs`).

/// A cell is counted in steps of this part of a row, where rows are weighed.
pub const GRID: i128 = 1 << 20;

/// How rows are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// Every row is one; a row is the unit.
    EachRow,
    /// A host's rows weigh as much as k rows at most; a host is the unit.
    CappedHost {
        /// Rows that one host weighs at most, k in the proof.
        rows_max: u32,
    },
    /// All of a host's rows together weigh one, however many there are: the average host. A host is the unit.
    AverageHost,
}

impl Weighing {
    /// How far one unit moves the histogram in L1, in steps of its grid.
    pub fn moves_l1_upper(self) -> i128 {
        match self {
            Self::EachRow => 1,
            Self::CappedHost { rows_max } => GRID * i128::from(rows_max),
            Self::AverageHost => GRID,
        }
    }

    /// How many steps of the grid one row is.
    pub fn grid(self) -> i128 {
        match self {
            Self::EachRow => 1,
            Self::CappedHost { .. } | Self::AverageHost => GRID,
        }
    }

    /// The histogram of rows, given as (host, cell) in any order.
    pub fn histogram(self, cells: usize, rows: impl Iterator<Item = (u32, usize)>) -> Vec<i128> {
        let mut histogram = vec![0; cells];
        if self == Self::EachRow {
            rows.for_each(|(_, cell)| histogram[cell] += 1);
            return histogram;
        }
        let mut rows: Vec<(u32, usize)> = rows.collect();
        rows.sort_unstable();
        for of_host in rows.chunk_by(|(a, _), (b, _)| a == b) {
            let count = of_host.len() as i128;
            let weight = match self {
                Self::CappedHost { rows_max } => count.min(i128::from(rows_max)),
                Self::EachRow | Self::AverageHost => 1,
            };
            for of_cell in of_host.chunk_by(|(_, a), (_, b)| a == b) {
                histogram[of_cell[0].1] += GRID * of_cell.len() as i128 * weight / count;
            }
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(with: &[i128], without: &[i128]) -> i128 {
        with.iter().zip(without).map(|(a, b)| (a - b).abs()).sum()
    }

    /// All tables of three hosts with up to three rows each in three cells, by brute force.
    fn tables() -> impl Iterator<Item = Vec<(u32, usize)>> {
        (0..4_usize.pow(6))
            .map(|code| {
                (0..6).filter_map(move |place| {
                    let cell = (code / 4_usize.pow(place)) % 4;
                    (cell < 3).then_some((place / 2, cell))
                })
            })
            .map(Iterator::collect)
    }

    fn largest_move(weighing: Weighing, removed: impl Fn(&[(u32, usize)]) -> Vec<Vec<(u32, usize)>>) -> i128 {
        let largest = tables().flat_map(|rows| {
            let all = weighing.histogram(3, rows.iter().copied());
            removed(&rows)
                .into_iter()
                .map(move |fewer| distance(&all, &weighing.histogram(3, fewer.into_iter())))
                .collect::<Vec<_>>()
        });
        largest.max().expect("there are tables")
    }

    fn without_a_host(rows: &[(u32, usize)]) -> Vec<Vec<(u32, usize)>> {
        (0..3).map(|host| rows.iter().copied().filter(|(owner, _)| *owner != host).collect()).collect()
    }

    fn without_a_row(rows: &[(u32, usize)]) -> Vec<Vec<(u32, usize)>> {
        (0..rows.len())
            .map(|place| {
                rows.iter().copied().enumerate().filter(|(at, _)| *at != place).map(|(_, row)| row).collect()
            })
            .collect()
    }

    /// Specification: over all small tables the histogram moves by at most what is claimed, and somewhere by exactly that.
    #[test]
    fn no_unit_moves_a_histogram_by_more_than_is_claimed_and_some_by_as_much() {
        let capped = Weighing::CappedHost { rows_max: 1 };
        assert_eq!(largest_move(capped, without_a_host), capped.moves_l1_upper());
        let capped = Weighing::CappedHost { rows_max: 2 };
        assert_eq!(largest_move(capped, without_a_host), capped.moves_l1_upper());
        assert_eq!(largest_move(Weighing::AverageHost, without_a_host), GRID);
        assert_eq!(largest_move(Weighing::EachRow, without_a_row), 1);
    }

    /// Specification: bounds that look right and are not are caught by the same brute force: the root of k for L2, a row's bound for a
    /// host, and a host's weights where a row is the unit.
    #[test]
    fn planted_wrong_bounds_are_caught() {
        let capped = Weighing::CappedHost { rows_max: 2 };
        // In L2, too: both of a host's rows may lie in one cell.
        let rows = [(0, 1), (0, 1), (1, 0)];
        let moved = capped.histogram(3, rows.into_iter())[1] - capped.histogram(3, [(1, 0)].into_iter())[1];
        assert!((moved as f64 / GRID as f64) > 2f64.sqrt(), "the root of k is no bound");
        assert!(largest_move(Weighing::EachRow, without_a_host) > Weighing::EachRow.moves_l1_upper());
        assert!(largest_move(Weighing::AverageHost, without_a_row) > 1);
    }
}
