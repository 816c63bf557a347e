//! A small table laid over a large one: added to it cell by cell, or the large one summed into it.
//!
//! Both are one walk over the large table with a stride into the small one for every axis. Neighbouring axes along which the walk goes
//! on evenly are joined first, so that the innermost loop is long and runs over memory in order.

/// How far apart cells are along each axis of a table in row-major order.
pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// The walk over a large table and where it is in a small one.
#[derive(Clone, Debug)]
pub(crate) struct Broadcast {
    extents: Vec<usize>,
    strides: Vec<usize>,
    small: usize,
}

impl Broadcast {
    /// A table over the columns `inner`, all of which are among the columns `outer` of the large one. The orders may differ.
    pub fn new(outer: &[usize], inner: &[usize], size: impl Fn(usize) -> usize) -> Self {
        let inner_strides = strides(&inner.iter().map(|attribute| size(*attribute)).collect::<Vec<_>>());
        let (mut extents, mut joined): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for attribute in outer {
            let extent = size(*attribute);
            let stride = inner.iter().position(|own| own == attribute).map_or(0, |at| inner_strides[at]);
            if extent == 1 {
                continue;
            }
            match (extents.last_mut(), joined.last_mut()) {
                (Some(before), Some(step)) if *step == stride * extent => {
                    *before *= extent;
                    *step = stride;
                }
                _ => {
                    extents.push(extent);
                    joined.push(stride);
                }
            }
        }
        if extents.is_empty() {
            (extents, joined) = (vec![1], vec![0]);
        }
        Self { extents, strides: joined, small: inner.iter().map(|attribute| size(*attribute)).product() }
    }

    /// How many cells the small table has.
    pub fn small_cells(&self) -> usize {
        self.small
    }

    /// Adds the small table to the large one.
    pub fn add(&self, large: &mut [f64], small: &[f64]) {
        let (extent, stride) = self.inner();
        self.walk(|chunk, offset| {
            let row = &mut large[chunk * extent..][..extent];
            match stride {
                0 => {
                    let value = small[offset];
                    row.iter_mut().for_each(|cell| *cell += value);
                }
                1 => row.iter_mut().zip(&small[offset..][..extent]).for_each(|(cell, value)| *cell += value),
                _ => row.iter_mut().zip(small[offset..].iter().step_by(stride)).for_each(|(c, v)| *c += v),
            }
        });
    }

    /// Adds the cells of the large table to those of the small one that they lie under.
    pub fn sum(&self, large: &[f64], small: &mut [f64]) {
        let (extent, stride) = self.inner();
        self.walk(|chunk, offset| {
            let row = &large[chunk * extent..][..extent];
            match stride {
                0 => small[offset] += sum(row),
                1 => small[offset..][..extent].iter_mut().zip(row).for_each(|(cell, value)| *cell += value),
                _ => small[offset..].iter_mut().step_by(stride).zip(row).for_each(|(c, v)| *c += v),
            }
        });
    }

    /// For each cell of the large table, the cell of the small one.
    pub fn indices(&self) -> Vec<u32> {
        let (extent, stride) = self.inner();
        let mut indices = Vec::with_capacity(self.extents.iter().product());
        self.walk(|_, offset| indices.extend((0..extent).map(|at| (offset + at * stride) as u32)));
        indices
    }

    fn inner(&self) -> (usize, usize) {
        let last = self.extents.len() - 1;
        (self.extents[last], self.strides[last])
    }

    /// Calls with the number of each run along the last axis and where it begins in the small table.
    fn walk(&self, mut each: impl FnMut(usize, usize)) {
        let outer = self.extents.len() - 1;
        let runs: usize = self.extents[..outer].iter().product();
        let mut at = vec![0; outer];
        let mut offset = 0;
        for run in 0..runs {
            each(run, offset);
            for axis in (0..outer).rev() {
                at[axis] += 1;
                offset += self.strides[axis];
                if at[axis] < self.extents[axis] {
                    break;
                }
                offset -= self.strides[axis] * self.extents[axis];
                at[axis] = 0;
            }
        }
    }
}

/// The sum in a fixed order, four lanes at a time, so that it comes out the same every time.
pub(crate) fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let mut chunks = values.chunks_exact(4);
    for chunk in &mut chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += value);
    }
    let rest: f64 = chunks.remainder().iter().sum();
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: for every order of columns, adding and summing are what a plain loop over coordinates does.
    #[test]
    fn adding_and_summing_are_those_of_a_plain_loop() {
        let sizes = [2, 1, 3, 4];
        let orders: [&[usize]; 5] = [&[0, 1, 2, 3], &[3, 2, 1, 0], &[2, 0, 3], &[1], &[]];
        let inners: [&[usize]; 8] = [&[], &[0], &[2, 3], &[3, 2], &[0, 3], &[0, 2, 3], &[1, 2], &[1]];
        for outer in orders {
            for inner in inners.iter().filter(|inner| inner.iter().all(|a| outer.contains(a))) {
                let walk = Broadcast::new(outer, inner, |attribute| sizes[attribute]);
                let cells: usize = outer.iter().map(|a| sizes[*a]).product();
                let large: Vec<f64> = (0..cells).map(|cell| (cell * cell) as f64).collect();
                let place = |cell: usize| {
                    let mut left = cell;
                    let mut code = [0; 4];
                    outer.iter().rev().for_each(|a| {
                        code[*a] = left % sizes[*a];
                        left /= sizes[*a];
                    });
                    inner.iter().fold(0, |at, a| at * sizes[*a] + code[*a])
                };
                let mut expected = vec![0.0; walk.small_cells()];
                (0..cells).for_each(|cell| expected[place(cell)] += large[cell]);
                let mut sums = vec![0.0; walk.small_cells()];
                walk.sum(&large, &mut sums);
                assert_eq!(sums, expected, "{outer:?} {inner:?}");
                let mut added = large.clone();
                walk.add(&mut added, &expected);
                let indices = walk.indices();
                for cell in 0..cells {
                    assert_eq!(added[cell], large[cell] + expected[place(cell)]);
                    assert_eq!(indices[cell] as usize, place(cell));
                }
            }
        }
    }
}
