//! Tables of a cube: one depth for each attribute, cells in row-major order, sums from fine to coarse.

use crate::{Attribute, WorkloadError};

/// One depth for each attribute of a cube: zero where it is summed out.
pub type Depths = Vec<usize>;

/// The most cells of one table.
pub const TABLE_CELLS_MAX: usize = 1 << 24;

/// The attributes that tables are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cube {
    attributes: Vec<Attribute>,
}

impl Cube {
    /// A cube of these attributes, in this order.
    pub fn new(attributes: Vec<Attribute>) -> Self {
        Self { attributes }
    }

    /// The attributes in order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The depths of the finest table.
    pub fn finest(&self) -> Depths {
        self.attributes.iter().map(Attribute::deepest).collect()
    }

    /// Whether all families of all attributes are of one size, depth by depth.
    pub fn is_balanced(&self) -> bool {
        self.attributes.iter().all(Attribute::is_balanced)
    }

    /// The cells of a table.
    pub fn cells(&self, depths: &[usize]) -> Result<usize, WorkloadError> {
        self.check(depths)?;
        Ok(self.shape(depths).iter().product())
    }

    /// How many blocks each axis of a table has.
    pub fn shape(&self, depths: &[usize]) -> Vec<usize> {
        self.attributes.iter().zip(depths).map(|(attribute, depth)| attribute.blocks(*depth)).collect()
    }

    /// Refuses depths that no table has, and tables that are too large.
    pub fn check(&self, depths: &[usize]) -> Result<(), WorkloadError> {
        let fits = depths.len() == self.attributes.len()
            && self.attributes.iter().zip(depths).all(|(attribute, depth)| *depth <= attribute.deepest());
        if !fits {
            return Err(WorkloadError::NoSuchTable { depths: depths.to_vec() });
        }
        let cells = self.shape(depths).iter().try_fold(1usize, |cells, blocks| cells.checked_mul(*blocks));
        match cells {
            Some(cells) if cells <= TABLE_CELLS_MAX => Ok(()),
            _ => Err(WorkloadError::TooLarge { what: format!("the table of depths {depths:?}") }),
        }
    }

    /// Whether a residual of these depths can be other than zero: every family difference has a family of two or more.
    pub fn has_residual(&self, depths: &[usize]) -> bool {
        self.attributes
            .iter()
            .zip(depths)
            .all(|(attribute, depth)| *depth == 0 || attribute.largest_family(*depth) > 1)
    }

    /// The residuals that a table is put together from: at or above its depths, without those that are always zero.
    pub fn residuals_of(&self, depths: &[usize]) -> Vec<Depths> {
        let mut all = vec![Vec::new()];
        for depth in depths {
            all = all
                .iter()
                .flat_map(|start: &Depths| {
                    (0..=*depth).map(|next| start.iter().copied().chain([next]).collect::<Depths>())
                })
                .collect();
        }
        all.retain(|residual| self.has_residual(residual));
        all
    }

    /// The cells of a coarser table, as sums of the cells of a finer one. Sums of integers stop at the ends of 128 bits.
    pub fn sum_to<T: Cell>(
        &self,
        from: &[usize],
        table: &[T],
        to: &[usize],
    ) -> Result<Vec<T>, WorkloadError> {
        let expected = self.cells(from)?;
        self.check(to)?;
        if table.len() != expected {
            return Err(WorkloadError::CellCount { expected, got: table.len() });
        }
        if !is_below(to, from) {
            return Err(WorkloadError::NoSuchTable { depths: to.to_vec() });
        }
        let mut shape = self.shape(from);
        let mut values = table.to_vec();
        for (axis, attribute) in
            self.attributes.iter().enumerate().filter(|(axis, _)| to[*axis] < from[*axis])
        {
            let ancestors = attribute.ancestors(from[axis], to[axis]);
            values = sum_axis(&values, &shape, axis, &ancestors, attribute.blocks(to[axis]));
            shape[axis] = attribute.blocks(to[axis]);
        }
        Ok(values)
    }

    /// For each cell of a table, the cell of a coarser one that it is part of.
    pub(crate) fn ancestors(&self, from: &[usize], to: &[usize]) -> Vec<usize> {
        let mut cells = vec![0];
        for ((attribute, from), to) in self.attributes.iter().zip(from).zip(to) {
            let (blocks, width) = (attribute.ancestors(*from, *to), attribute.blocks(*to));
            cells =
                cells.iter().flat_map(|cell| blocks.iter().map(move |block| cell * width + block)).collect();
        }
        cells
    }

    /// The attribute's name, or its number where it has none.
    pub(crate) fn name_of(&self, axis: usize) -> String {
        match self.attributes[axis].name() {
            "" => format!("attribute {}", axis + 1),
            name => name.to_owned(),
        }
    }
}

/// Whether a table is a sum of another: nowhere deeper.
pub fn is_below(coarse: &[usize], fine: &[usize]) -> bool {
    coarse.iter().zip(fine).all(|(coarse, fine)| coarse <= fine)
}

/// What two tables share: the finest table that is a sum of both.
pub fn meet(one: &[usize], other: &[usize]) -> Depths {
    one.iter().zip(other).map(|(one, other)| *one.min(other)).collect()
}

/// The coarsest table of which both are sums.
pub fn join(one: &[usize], other: &[usize]) -> Depths {
    one.iter().zip(other).map(|(one, other)| *one.max(other)).collect()
}

/// A number that cells hold.
pub trait Cell: Copy + Default {
    /// The sum, at the end of the range where it would pass it.
    fn plus(self, other: Self) -> Self;
}

impl Cell for i128 {
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl Cell for f64 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// Blocks of an axis added up by their ancestors.
pub(crate) fn sum_axis<T: Cell>(
    values: &[T],
    shape: &[usize],
    axis: usize,
    ancestors: &[usize],
    blocks: usize,
) -> Vec<T> {
    let (outer, length, inner) = strides(shape, axis);
    let mut sums = vec![T::default(); outer * blocks * inner];
    for start in 0..outer {
        for block in 0..length {
            let from = &values[(start * length + block) * inner..][..inner];
            let to = &mut sums[(start * blocks + ancestors[block]) * inner..][..inner];
            to.iter_mut().zip(from).for_each(|(to, from)| *to = to.plus(*from));
        }
    }
    sums
}

/// How many times an axis is run through, its length, and how far apart its neighbours are.
pub(crate) fn strides(shape: &[usize], axis: usize) -> (usize, usize, usize) {
    (shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Cube {
        Cube::new(vec![
            Attribute::categories(2).unwrap(),
            Attribute::tree(5, 2).unwrap(),
            Attribute::levels(vec![vec![0, 0], vec![1, 0, 1]]).unwrap(),
        ])
    }

    #[test]
    fn sums_are_those_of_a_plain_loop() {
        let cube = cube();
        let (finest, table): (Depths, Vec<i128>) =
            (cube.finest(), (0..30).map(|cell| cell * cell + 1).collect());
        assert_eq!(cube.cells(&finest), Ok(30));
        let sums = cube.sum_to(&finest, &table, &[0, 2, 1]).unwrap();
        let mut expected = vec![0; 6];
        for cell in 0..30 {
            let (age, place) = (cell / 3 % 5 / 2, [1, 0, 1][cell % 3]);
            expected[age * 2 + place] += table[cell];
        }
        assert_eq!(sums, expected);
        assert_eq!(cube.sum_to(&finest, &table, &[0, 0, 0]).unwrap(), [table.iter().sum::<i128>()]);
    }

    #[test]
    fn tables_that_do_not_follow_are_refused() {
        let cube = cube();
        assert!(cube.sum_to(&[0, 1, 0], &[1i128, 2], &[1, 0, 0]).is_err(), "finer than what is given");
        assert!(cube.sum_to(&[0, 1, 0], &[1i128], &[0, 0, 0]).is_err(), "a cell is missing");
        assert!(cube.check(&[2, 0, 0]).is_err() && cube.check(&[0, 0]).is_err());
        let large = Cube::new(vec![Attribute::categories(5000).unwrap(); 2]);
        assert!(large.check(&[1, 1]).is_err() && large.check(&[1, 0]).is_ok());
    }

    #[test]
    fn a_table_is_made_of_the_residuals_above_it() {
        let cube = Cube::new(vec![Attribute::tree(4, 2).unwrap(), Attribute::categories(1).unwrap()]);
        assert_eq!(cube.residuals_of(&[2, 1]), [[0, 0], [1, 0], [2, 0]], "one category has no difference");
    }
}
