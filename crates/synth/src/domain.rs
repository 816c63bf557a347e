//! How many codes each column has: all that is known of a table before anything is released.

use serde::{Deserialize, Serialize};

use crate::SynthError;

/// The most columns.
pub const ATTRIBUTES_MAX: usize = 256;
/// The most codes of all columns together: each has one noisy count.
pub const CODES_MAX: u64 = 1 << 20;

/// The sizes of the columns, in order: the codes of a column of size n are 0 to n − 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>", into = "Vec<u32>")]
pub struct Domain {
    sizes: Vec<u32>,
}

impl Domain {
    /// Columns of these sizes.
    ///
    /// # Errors
    /// When there is no column, a column without codes, or too many of either.
    pub fn new(sizes: Vec<u32>) -> Result<Self, SynthError> {
        if sizes.is_empty() || sizes.len() > ATTRIBUTES_MAX {
            return Err(SynthError::parameter(format!(
                "a table of {} columns cannot be sanitized; choose between 1 and {ATTRIBUTES_MAX}",
                sizes.len()
            )));
        }
        if sizes.contains(&0) {
            return Err(SynthError::parameter("every column needs at least one value; declare its values"));
        }
        let codes: u64 = sizes.iter().map(|size| u64::from(*size)).sum();
        if codes > CODES_MAX {
            return Err(SynthError::parameter(format!(
                "the columns have {codes} values together, more than the {CODES_MAX} that fit; choose fewer columns, or \
                 columns with fewer values"
            )));
        }
        Ok(Self { sizes })
    }

    /// The sizes in order.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// How many columns there are.
    pub fn attributes(&self) -> usize {
        self.sizes.len()
    }

    /// How many codes a column has.
    pub fn size(&self, attribute: usize) -> usize {
        self.sizes[attribute] as usize
    }

    /// How many codes each of some columns has.
    pub fn shape(&self, attributes: &[usize]) -> Vec<usize> {
        attributes.iter().map(|attribute| self.size(*attribute)).collect()
    }

    /// The cells of a marginal, or the largest number where they are more.
    pub fn cells(&self, attributes: &[usize]) -> u64 {
        let sizes = attributes.iter().map(|attribute| u64::from(self.sizes[*attribute]));
        sizes.fold(1, u64::saturating_mul)
    }

    /// Whether these are columns, in rising order.
    pub(crate) fn has(&self, attributes: &[usize]) -> bool {
        attributes.windows(2).all(|pair| pair[0] < pair[1])
            && attributes.iter().all(|attribute| *attribute < self.attributes())
    }
}

impl TryFrom<Vec<u32>> for Domain {
    type Error = SynthError;

    fn try_from(sizes: Vec<u32>) -> Result<Self, SynthError> {
        Self::new(sizes)
    }
}

impl From<Domain> for Vec<u32> {
    fn from(domain: Domain) -> Self {
        domain.sizes
    }
}

/// All sets of `count` of these many columns, each in rising order, in lexicographic order.
pub(crate) fn subsets(attributes: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |start: &Vec<usize>| {
            let from = start.last().map_or(0, |last| last + 1);
            let start = start.clone();
            (from..attributes).map(move |next| start.iter().copied().chain([next]).collect())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_no_table_has_are_refused() {
        for sizes in [vec![], vec![3, 0], vec![2; 257], vec![1 << 24, 1]] {
            assert!(Domain::new(sizes.clone()).is_err());
            assert!(serde_json::from_str::<Domain>(&serde_json::to_string(&sizes).unwrap()).is_err());
        }
        assert_eq!(Domain::new(vec![u32::from(u16::MAX); 3]).unwrap().cells(&[0, 1, 2]), 65_535u64.pow(3));
        assert_eq!(Domain::new(vec![1 << 18; 4]).unwrap().cells(&[0, 1, 2, 3]), u64::MAX, "no overflow");
    }

    #[test]
    fn subsets_are_those_of_a_plain_loop() {
        assert_eq!(subsets(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(subsets(2, 3), Vec::<Vec<usize>>::new());
        assert_eq!(subsets(3, 0), [Vec::<usize>::new()]);
    }
}
