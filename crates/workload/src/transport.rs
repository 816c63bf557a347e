//! A table between two fixed ones that are sums of it: nearest to an estimate, not negative, then whole.
//!
//! Each cell belongs to a row and to a column, whose sums are given; wherever a row and a column share a cell of what they
//! have in common, some cell has both, so such a table exists. It is found in three steps. The nearest point of {x ≥ 0, row
//! sums, column sums} by Dykstra's alternating projections (Boyle and Dykstra 1986), in floats; the same in fixed point,
//! with what is missing put in by going along rows and columns, so that all sums are exact; then every cell up or down to
//! a whole number, by moving what is left of one around cycles of cells with fractions, which leaves all sums as they are
//! until no cell has a fraction: with whole sums, fractions form cycles as long as there are any.

/// The fixed point: units in one.
const UNITS: i128 = 1 << 24;
const ROUNDS_MAX: usize = 500;
/// The projections stop when no cell moves further than this in a round.
const SETTLED: f64 = 1e-4;

/// The sums that a table must have: for each cell the index of its sum, and the sums.
pub(crate) struct Margin {
    pub of_cell: Vec<usize>,
    pub sums: Vec<i128>,
}

impl Margin {
    /// For each sum, how many cells have a part in it.
    fn counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.sums.len()];
        self.of_cell.iter().for_each(|index| counts[*index] += 1.0);
        counts
    }

    /// Adds to all cells of each sum what is missing, evenly.
    fn meet(&self, counts: &[f64], values: &mut [f64]) {
        let mut missing: Vec<f64> = self.sums.iter().map(|sum| *sum as f64).collect();
        self.of_cell.iter().zip(&*values).for_each(|(index, value)| missing[*index] -= value);
        missing.iter_mut().zip(counts).for_each(|(missing, count)| *missing /= count);
        self.of_cell.iter().zip(values).for_each(|(index, value)| *value += missing[*index]);
    }
}

/// Whole cells ≥ 0 with the sums of both margins, near the estimate. The margins agree on what they have in common, and
/// every sum is at least zero.
pub(crate) fn between(estimate: &[f64], rows: &Margin, columns: &Margin) -> Option<Vec<i128>> {
    let nearest = nearest(estimate, rows, columns);
    let mut units = exact(&nearest, rows, columns)?;
    round(&mut units, rows, columns);
    units.iter().all(|units| units % UNITS == 0).then(|| units.iter().map(|units| units / UNITS).collect())
}

fn nearest(estimate: &[f64], rows: &Margin, columns: &Margin) -> Vec<f64> {
    let (row_counts, column_counts) = (rows.counts(), columns.counts());
    let mut values = estimate.to_vec();
    // What the projection on {x ≥ 0} took away last time; those on planes need no such memory.
    let mut taken = vec![0.0; values.len()];
    for _ in 0..ROUNDS_MAX {
        rows.meet(&row_counts, &mut values);
        columns.meet(&column_counts, &mut values);
        let mut moved = 0.0f64;
        for (value, taken) in values.iter_mut().zip(&mut taken) {
            let wanted = *value + *taken;
            let kept = wanted.max(0.0);
            moved = moved.max((kept - *value).abs());
            (*taken, *value) = (wanted - kept, kept);
        }
        if moved < SETTLED {
            break;
        }
    }
    values
}

/// The same in units, every sum exact.
fn exact(values: &[f64], rows: &Margin, columns: &Margin) -> Option<Vec<i128>> {
    let mut left =
        [rows, columns].map(|margin| margin.sums.iter().map(|sum| sum * UNITS).collect::<Vec<i128>>());
    let mut units = vec![0; values.len()];
    let mut put = |cell: usize, wanted: i128, units: &mut Vec<i128>| {
        let (row, column) = (rows.of_cell[cell], columns.of_cell[cell]);
        let amount = wanted.min(left[0][row]).min(left[1][column]).max(0);
        units[cell] += amount;
        left[0][row] -= amount;
        left[1][column] -= amount;
    };
    for (cell, value) in values.iter().enumerate() {
        put(cell, (value * UNITS as f64).floor() as i128, &mut units);
    }
    // Whatever is missing in a row is missing in columns that share a cell with it. Cells that hold something come first:
    // an empty cell stays empty if it can.
    let (full, empty): (Vec<usize>, Vec<usize>) = (0..values.len()).partition(|cell| units[*cell] > 0);
    full.into_iter().chain(empty).for_each(|cell| put(cell, i128::MAX, &mut units));
    left.iter().flatten().all(|left| *left == 0).then_some(units)
}

/// Moves fractions around cycles until there are none.
fn round(units: &mut [i128], rows: &Margin, columns: &Margin) {
    let mut forest = Forest::new(rows.sums.len() + columns.sums.len());
    for cell in 0..units.len() {
        if units[cell] % UNITS == 0 {
            continue;
        }
        let ends = (rows.of_cell[cell], rows.sums.len() + columns.of_cell[cell]);
        if let Some(path) = forest.path(ends.0, ends.1) {
            turn(units, cell, &path);
            for edge in path.into_iter().filter(|edge| units[*edge] % UNITS == 0) {
                forest.remove(edge, (rows.of_cell[edge], rows.sums.len() + columns.of_cell[edge]));
            }
        }
        if units[cell] % UNITS != 0 {
            forest.add(cell, ends);
        }
    }
}

/// Adds to a cell and every second cell of the path that closes its cycle, takes from the others, or the other way round,
/// whichever is the shorter way to the first whole number.
fn turn(units: &mut [i128], cell: usize, path: &[usize]) {
    let cycle: Vec<usize> = std::iter::once(cell).chain(path.iter().copied()).collect();
    let above = |cell: usize| units[cell].rem_euclid(UNITS);
    let step = |up: bool| {
        let own = |(index, cell): (usize, &usize)| match (index % 2 == 0) == up {
            true => UNITS - above(*cell),
            false => above(*cell),
        };
        cycle.iter().enumerate().map(own).min().expect("a cycle has cells")
    };
    let (up, down) = (step(true), step(false));
    let amount = if up <= down { up } else { -down };
    for (index, cell) in cycle.iter().enumerate() {
        units[*cell] += if index % 2 == 0 { amount } else { -amount };
    }
}

/// Rows and columns joined by cells with fractions, without a cycle.
struct Forest {
    /// For each node its neighbours, with the cell between.
    neighbours: Vec<Vec<(usize, usize)>>,
    /// Per node, from which neighbour and over which cell the last search came, and which search that was.
    came: Vec<(usize, usize, usize)>,
    searches: usize,
}

impl Forest {
    fn new(nodes: usize) -> Self {
        Self { neighbours: vec![Vec::new(); nodes], came: vec![(0, 0, 0); nodes], searches: 0 }
    }

    fn add(&mut self, cell: usize, (one, other): (usize, usize)) {
        self.neighbours[one].push((other, cell));
        self.neighbours[other].push((one, cell));
    }

    fn remove(&mut self, cell: usize, (one, other): (usize, usize)) {
        self.neighbours[one].retain(|(_, edge)| *edge != cell);
        self.neighbours[other].retain(|(_, edge)| *edge != cell);
    }

    /// The cells on the way from `to` back to `from`, if there is one.
    fn path(&mut self, from: usize, to: usize) -> Option<Vec<usize>> {
        self.searches += 1;
        self.came[from].2 = self.searches;
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if node == to {
                break;
            }
            for (next, cell) in &self.neighbours[node] {
                if self.came[*next].2 != self.searches {
                    self.came[*next] = (node, *cell, self.searches);
                    open.push(*next);
                }
            }
        }
        if self.came[to].2 != self.searches {
            return None;
        }
        let mut cells = Vec::new();
        let mut node = to;
        while node != from {
            let (before, cell, _) = self.came[node];
            cells.push(cell);
            node = before;
        }
        Some(cells)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    fn margins(truth: &[i128], columns: usize) -> (Margin, Margin) {
        let rows = truth.len() / columns;
        let mut sums = (vec![0; rows], vec![0; columns]);
        for (cell, value) in truth.iter().enumerate() {
            sums.0[cell / columns] += value;
            sums.1[cell % columns] += value;
        }
        let cells = 0..truth.len();
        (
            Margin { of_cell: cells.clone().map(|cell| cell / columns).collect(), sums: sums.0 },
            Margin { of_cell: cells.map(|cell| cell % columns).collect(), sums: sums.1 },
        )
    }

    /// Specification: whatever the noise, the result is whole, not negative, has both margins, is within one of the nearest
    /// point, and that point is no further from the truth than the estimate was.
    #[test]
    fn tables_between_margins_are_whole_and_near() {
        let mut words = seeded(31);
        for round in 0..200 {
            let (height, width) = (2 + round % 7, 2 + round % 5);
            let truth: Vec<i128> =
                (0..height * width).map(|_| i128::from((words() >> 60) * (words() & 1))).collect();
            let noisy: Vec<f64> =
                truth.iter().map(|x| *x as f64 + (words() >> 50) as f64 / 1000.0 - 8.0).collect();
            let (rows, columns) = margins(&truth, width);
            let whole = between(&noisy, &rows, &columns).unwrap();
            assert!(whole.iter().all(|value| *value >= 0));
            let (again, beside) = margins(&whole, width);
            assert_eq!((again.sums, beside.sums), (rows.sums.clone(), columns.sums.clone()));
            let nearest = nearest(&noisy, &rows, &columns);
            let off =
                whole.iter().zip(&nearest).map(|(whole, x)| (*whole as f64 - x).abs()).fold(0.0, f64::max);
            assert!(off < 1.01, "{off}");
            let distance = |values: &[f64]| -> f64 {
                values.iter().zip(&truth).map(|(value, truth)| (value - *truth as f64).powi(2)).sum()
            };
            assert!(distance(&nearest) <= distance(&noisy) + 1e-2);
        }
    }

    /// Specification: the nearest point is nearest: no step along a cycle of four cells comes nearer and stays at or above zero.
    #[test]
    fn no_exchange_comes_nearer() {
        let mut words = seeded(32);
        for _ in 0..50 {
            let truth: Vec<i128> = (0..12).map(|_| i128::from(words() >> 61)).collect();
            let noisy: Vec<f64> =
                truth.iter().map(|x| *x as f64 + (words() >> 50) as f64 / 2000.0 - 4.0).collect();
            let (rows, columns) = margins(&truth, 4);
            let nearest = nearest(&noisy, &rows, &columns);
            for (row, other) in [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)] {
                for (column, beside) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                    let cell = |row: usize, column: usize| row * 4 + column;
                    let given = [cell(row, column), cell(other, beside)];
                    let taken = [cell(row, beside), cell(other, column)];
                    if taken.iter().any(|cell| nearest[*cell] < 1e-2) {
                        continue;
                    }
                    let slope =
                        |cells: [usize; 2]| cells.map(|cell| nearest[cell] - noisy[cell]).iter().sum::<f64>();
                    assert!(slope(given) - slope(taken) > -1e-2);
                }
            }
        }
    }

    #[test]
    fn empty_tables_stay_empty() {
        let (rows, columns) = margins(&[0; 6], 3);
        assert_eq!(between(&[5.0, -3.0, 2.0, 9.0, 1.0, 0.5], &rows, &columns).unwrap(), [0; 6]);
    }
}
