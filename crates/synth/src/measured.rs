//! What was released: noisy integers, and which codes were merged because of them. No exact count is in it.

use serde::{Deserialize, Serialize};

use crate::compression::{Maps, is_map, merged, target};
use crate::graphical_model::Observation;
use crate::{Domain, Noise, SynthError};

/// The noisy counts of one marginal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoisyMarginal {
    /// Its columns, in rising order.
    pub attributes: Vec<usize>,
    /// Whether its cells are over merged codes; those of single columns never are.
    pub merged: bool,
    /// The noise of every cell.
    pub noise: Noise,
    /// The cells in row-major order.
    pub cells: Vec<i64>,
}

/// The noisy rows of one residual of the cube of all columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoisyResidual {
    /// Its columns, in rising order.
    pub attributes: Vec<usize>,
    /// Its rows.
    pub rows: Vec<i64>,
}

/// Everything that a synthesizer released.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Marginals, in the order of their release.
    #[serde(default)]
    pub marginals: Vec<NoisyMarginal>,
    /// Residuals, in the order of the plan.
    #[serde(default)]
    pub residuals: Vec<NoisyResidual>,
    /// For each column the code that stands for each of its codes; none where all codes stay. A function of the marginals of single columns.
    #[serde(default)]
    pub maps: Vec<Option<Vec<u32>>>,
}

impl Measured {
    /// The bytes that are recorded.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// What was recorded.
    ///
    /// # Errors
    /// When the bytes are others, or do not fit the columns.
    pub fn from_bytes(bytes: &[u8], domain: &Domain) -> Result<Self, SynthError> {
        let measured: Self = serde_json::from_slice(bytes)
            .map_err(|_| SynthError::misfit("they are no released marginals"))?;
        measured.check(domain)?;
        Ok(measured)
    }

    /// Refuses what does not fit the columns.
    pub(crate) fn check(&self, domain: &Domain) -> Result<Domain, SynthError> {
        let maps = &self.maps;
        let fits = |(attribute, map): (usize, &Option<Vec<u32>>)| {
            map.as_ref().is_none_or(|map| is_map(map, domain.size(attribute)))
        };
        if !(maps.is_empty() || maps.len() == domain.attributes()) || !maps.iter().enumerate().all(fits) {
            return Err(SynthError::misfit("a map of merged codes is none"));
        }
        let target =
            target(domain, maps).ok_or_else(|| SynthError::misfit("a map of merged codes is none"))?;
        for marginal in &self.marginals {
            let own = if marginal.merged { &target } else { domain };
            if !own.has(&marginal.attributes)
                || own.cells(&marginal.attributes) != marginal.cells.len() as u64
            {
                return Err(SynthError::misfit("a marginal has other cells"));
            }
            let raw = marginal.attributes.iter().any(|attribute| self.map(*attribute).is_some());
            if raw && !marginal.merged && marginal.attributes.len() > 1 {
                return Err(SynthError::misfit("a marginal is not over merged codes"));
            }
        }
        for residual in &self.residuals {
            if !domain.has(&residual.attributes)
                || domain.cells(&residual.attributes) != residual.rows.len() as u64
            {
                return Err(SynthError::misfit("a residual has other rows"));
            }
        }
        Ok(target)
    }

    fn map(&self, attribute: usize) -> Option<&Vec<u32>> {
        self.maps.get(attribute).and_then(Option::as_ref)
    }

    /// The marginals as numbers over merged codes, for a fit.
    pub(crate) fn observations(&self) -> Vec<Observation> {
        self.marginals.iter().map(|marginal| observation(marginal, &self.maps)).collect()
    }
}

/// A marginal as numbers over merged codes.
pub(crate) fn observation(marginal: &NoisyMarginal, maps: &Maps) -> Observation {
    let variance = marginal.noise.variance();
    match (marginal.attributes.as_slice(), marginal.merged) {
        ([attribute], false) => {
            merged(*attribute, &marginal.cells, variance, maps.get(*attribute).and_then(Option::as_ref))
        }
        _ => Observation {
            attributes: marginal.attributes.clone(),
            values: marginal.cells.iter().map(|cell| *cell as f64).collect(),
            variances: vec![variance; marginal.cells.len()],
        },
    }
}
