//! Attributes of tables: chains of partitions, from everything to single cells.
//!
//! Depth 0 of an attribute is one block, everything; each depth cuts the blocks of the one before into families of
//! children, and the last has the cells. Categories have one depth below everything; an ordered attribute has a tree of
//! chosen branching; a declared hierarchy has its levels, with families of any size.
//!
//! **Trees.** The cells of an ordered attribute are grouped from the bottom up, into as few families of at most
//! `branching` neighbours as there can be, their sizes as even as can be, until one block is left. There is no padding: every block holds
//! cells, so that a table is always the sum of what it is cut into.

use crate::WorkloadError;

/// The most cells that an attribute may have.
const CELLS_MAX: usize = 1 << 24;

/// A column, as a chain of ever finer partitions of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    name: String,
    ordered: bool,
    /// The partitions below depth 0.
    partitions: Vec<Partition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Partition {
    /// For each block, its parent one depth up.
    parents: Vec<usize>,
    /// For each block one depth up, how many children it has.
    families: Vec<usize>,
}

impl Partition {
    fn new(parents: Vec<usize>, above: usize) -> Result<Self, WorkloadError> {
        let mut families = vec![0; above];
        for parent in &parents {
            *families
                .get_mut(*parent)
                .ok_or_else(|| shape("a block names a parent that does not exist"))? += 1;
        }
        if families.contains(&0) {
            return Err(shape("a block of a level has no block in the level below"));
        }
        Ok(Self { parents, families })
    }
}

fn shape(what: &str) -> WorkloadError {
    WorkloadError::Shape { what: what.to_owned() }
}

impl Attribute {
    /// Values without an order: everything, and each of `cells` values.
    pub fn categories(cells: usize) -> Result<Self, WorkloadError> {
        Self::levels(vec![vec![0; cells]])
    }

    /// Ordered cells under a tree whose blocks have at most `branching` children, evenly many.
    pub fn tree(cells: usize, branching: usize) -> Result<Self, WorkloadError> {
        if cells == 0 || branching < 2 {
            return Err(shape("a tree has at least one cell and two branches"));
        }
        let mut levels = Vec::new();
        let mut blocks = cells;
        while blocks > 1 || levels.is_empty() {
            // Families of nearly one size: block b of n belongs to parent ⌊b·above/n⌋.
            let above = blocks.div_ceil(branching);
            levels.push((0..blocks).map(|block| block * above / blocks).collect());
            blocks = above;
        }
        levels.reverse();
        Ok(Self { ordered: true, ..Self::levels(levels)? })
    }

    /// A declared hierarchy: for each level from the coarsest, the parent of each of its blocks in the level above. All
    /// parents of the first level are 0.
    pub fn levels(parents: Vec<Vec<usize>>) -> Result<Self, WorkloadError> {
        let mut partitions = Vec::new();
        let mut above = 1;
        for level in parents {
            let blocks = level.len();
            if blocks > CELLS_MAX {
                return Err(WorkloadError::TooLarge { what: format!("a level of {blocks} blocks") });
            }
            partitions.push(Partition::new(level, above)?);
            above = blocks;
        }
        if partitions.is_empty() {
            return Err(shape("an attribute has at least one level"));
        }
        Ok(Self { name: String::new(), ordered: false, partitions })
    }

    /// The same with a name, for texts.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The name, empty unless given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its cells have an order, so that ranges of them make sense.
    pub fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// The depth of the cells.
    pub fn deepest(&self) -> usize {
        self.partitions.len()
    }

    /// How many blocks a depth has.
    pub fn blocks(&self, depth: usize) -> usize {
        self.partition(depth).map_or(1, |partition| partition.parents.len())
    }

    /// For each block of a depth, its parent one depth up; nothing at depth 0.
    pub fn parents(&self, depth: usize) -> &[usize] {
        self.partition(depth).map_or(&[], |partition| &partition.parents)
    }

    /// For each block one depth up, how many children it has at this depth; nothing at depth 0.
    pub fn families(&self, depth: usize) -> &[usize] {
        self.partition(depth).map_or(&[], |partition| &partition.families)
    }

    /// The size of the largest family of a depth, one at depth 0.
    pub fn largest_family(&self, depth: usize) -> usize {
        self.families(depth).iter().copied().max().unwrap_or(1)
    }

    /// The size of the families of a depth where all have the same, one at depth 0.
    pub fn equal_family(&self, depth: usize) -> Option<usize> {
        let families = self.families(depth);
        let first = families.first().copied().unwrap_or(1);
        families.iter().all(|size| *size == first).then_some(first)
    }

    /// Whether all families are of one size, depth by depth.
    pub fn is_balanced(&self) -> bool {
        (0..=self.deepest()).all(|depth| self.equal_family(depth).is_some())
    }

    /// For each block of `from`, the block of the coarser depth `to` that it is part of.
    pub fn ancestors(&self, from: usize, to: usize) -> Vec<usize> {
        let mut blocks: Vec<usize> = (0..self.blocks(from)).collect();
        for depth in (to + 1..=from).rev() {
            let parents = self.parents(depth);
            blocks.iter_mut().for_each(|block| *block = parents[*block]);
        }
        blocks
    }

    /// The most blocks of `from` in one block of the coarser depth `to`.
    pub fn blocks_within_max(&self, from: usize, to: usize) -> usize {
        let mut within = vec![0; self.blocks(to)];
        for block in self.ancestors(from, to) {
            within[block] += 1;
        }
        within.into_iter().max().unwrap_or(1)
    }

    /// What tells this chain from every other: the parents of each level, in runs.
    pub(crate) fn canonical(&self) -> String {
        let level = |partition: &Partition| {
            let runs = partition.parents.chunk_by(|one, next| one == next);
            let runs: Vec<String> = runs.map(|run| format!("{}x{}", run[0], run.len())).collect();
            runs.join(",")
        };
        let levels: Vec<String> = self.partitions.iter().map(level).collect();
        format!("{}[{}]", if self.ordered { "ordered" } else { "levels" }, levels.join(";"))
    }

    fn partition(&self, depth: usize) -> Option<&Partition> {
        depth.checked_sub(1).map(|index| &self.partitions[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_families_of_nearly_one_size() {
        let tree = Attribute::tree(100, 4).unwrap();
        assert_eq!((0..=4).map(|depth| tree.blocks(depth)).collect::<Vec<_>>(), [1, 2, 7, 25, 100]);
        assert!(tree.is_ordered() && !tree.is_balanced() && Attribute::tree(64, 4).unwrap().is_balanced());
        let cases = [(1, 2), (2, 2), (3, 2), (7, 16), (16, 16), (17, 16), (1000, 3), (4096, 2), (5, 2)];
        for (cells, branching) in cases {
            let tree = Attribute::tree(cells, branching).unwrap();
            assert_eq!(tree.blocks(tree.deepest()), cells);
            for depth in 1..=tree.deepest() {
                let (least, most) = (tree.families(depth).iter().min(), tree.families(depth).iter().max());
                assert!(
                    most.unwrap() - least.unwrap() <= 1 && *most.unwrap() <= branching,
                    "{cells} by {branching}"
                );
                assert!(tree.parents(depth).is_sorted(), "neighbours are together");
            }
        }
    }

    #[test]
    fn ancestors_follow_the_parents() {
        let places = Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap();
        assert_eq!(places.ancestors(2, 1), [1, 0, 1, 1]);
        assert_eq!(places.ancestors(2, 0), [0; 4]);
        assert_eq!(places.families(2), [1, 3]);
        assert_eq!((places.blocks_within_max(2, 1), places.blocks_within_max(2, 0)), (3, 4));
        assert_eq!((places.equal_family(1), places.equal_family(2)), (Some(2), None));
        assert!(!places.is_balanced());
    }

    #[test]
    fn chains_with_a_gap_are_refused() {
        for parents in [vec![], vec![vec![0, 1]], vec![vec![0, 0], vec![0, 0]], vec![vec![]]] {
            assert!(Attribute::levels(parents).is_err());
        }
        assert!(Attribute::tree(5, 1).is_err() && Attribute::tree(0, 2).is_err());
        assert!(Attribute::categories(0).is_err());
    }

    #[test]
    fn different_chains_have_different_canonical_texts() {
        let chains = [
            Attribute::categories(4).unwrap(),
            Attribute::tree(4, 4).unwrap(),
            Attribute::tree(4, 2).unwrap(),
            Attribute::tree(3, 2).unwrap(),
            Attribute::levels(vec![vec![0, 0], vec![0, 0, 1, 1]]).unwrap(),
            Attribute::levels(vec![vec![0, 0], vec![0, 1, 0, 1]]).unwrap(),
        ];
        let texts: std::collections::BTreeSet<_> = chains.iter().map(Attribute::canonical).collect();
        assert_eq!(texts.len(), chains.len());
    }
}
