//! Medians and other quantiles of bounded data.

use std::collections::BTreeMap;

use pointillist_mechanisms as library;
use pointillist_mechanisms::order_statistic::weighted_quantile::{row_weight, weight_bits};
use pointillist_mechanisms::{Grid, Rank};
use pointillist_privacy::Loss;
use pyo3::prelude::*;

use super::parameters::{beta, grid, made, neighbours, rational, rationals, spend};
use super::values::{People, Values, drawn, fraction, loss_json};
use crate::errors::wrong;

/// Bins of a histogram, at most: each is a count with noise.
const BINS_MAX: u32 = 1 << 20;
/// Quantiles that are released together, at most.
const QUANTILES_MAX: usize = 1 << 16;
/// All rows of one group together, as a power of two: what they weigh fits 64 bits.
const ROWS_MAX: usize = 1 << 34;

/// One quantile.
#[pyclass(frozen)]
struct Quantile {
    quantile: library::Quantile,
    grid: Grid,
}

#[pymethods]
impl Quantile {
    #[new]
    #[pyo3(signature = (lower, upper, step, q, max_contributions, neighbours, epsilon, rho))]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the mechanism, one each")]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        q: &str,
        max_contributions: u64,
        neighbours: &str,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        let (grid, q) = (grid(lower, upper, step)?, rational(q)?);
        let (neighbours, spend) = (self::neighbours(neighbours)?, spend(epsilon, rho)?);
        let quantile = made(library::Quantile::new(&grid, &q, max_contributions, neighbours, &spend))?;
        Ok(Self { quantile, grid })
    }

    fn loss(&self) -> String {
        loss_json(&self.quantile.loss())
    }

    fn release(&self, py: Python<'_>, values: Values<'_>) -> PyResult<String> {
        let (quantile, rows) = (self.quantile.clone(), values.indexes(py, &self.grid)?);
        let index = drawn(py, rows.len(), move |bits| quantile.release(rows, bits))?;
        Ok(fraction(&self.grid.value_of(index)))
    }

    fn error_bound(&self, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.quantile.error_bound(&self::beta(beta)?)))
    }
}

/// Several quantiles together.
#[pyclass(frozen)]
struct Quantiles {
    quantiles: library::Quantiles,
    grid: Grid,
}

#[pymethods]
impl Quantiles {
    #[new]
    #[pyo3(signature = (lower, upper, step, quantiles, max_contributions, neighbours, epsilon, rho))]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the mechanism, one each")]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        quantiles: Vec<String>,
        max_contributions: u64,
        neighbours: &str,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        if quantiles.len() > QUANTILES_MAX {
            return Err(wrong(
                format!("{} quantiles are too many", quantiles.len()),
                format!("ask for at most {QUANTILES_MAX}, or for a histogram"),
            ));
        }
        let (grid, quantiles) = (grid(lower, upper, step)?, rationals(&quantiles)?);
        let (neighbours, spend) = (self::neighbours(neighbours)?, spend(epsilon, rho)?);
        let quantiles =
            made(library::Quantiles::new(&grid, &quantiles, max_contributions, neighbours, &spend))?;
        Ok(Self { quantiles, grid })
    }

    fn loss(&self) -> String {
        loss_json(&self.quantiles.loss())
    }

    fn release(&self, py: Python<'_>, values: Values<'_>) -> PyResult<Vec<String>> {
        let (quantiles, rows) = (self.quantiles.clone(), values.indexes(py, &self.grid)?);
        let indexes = drawn(py, rows.len(), move |bits| quantiles.release(rows, bits))?;
        Ok(indexes.into_iter().map(|index| fraction(&self.grid.value_of(index))).collect())
    }

    fn error_bound(&self, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.quantiles.error_bound(&self::beta(beta)?)))
    }
}

/// Counts of bins, and any quantiles from them.
#[pyclass(frozen)]
struct QuantileHistogram {
    histogram: library::QuantileHistogram,
    grid: Grid,
}

#[pymethods]
impl QuantileHistogram {
    #[new]
    #[pyo3(signature = (lower, upper, step, bins, neighbours, epsilon, rho))]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        bins: u32,
        neighbours: &str,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        if bins > BINS_MAX {
            return Err(wrong(format!("{bins} bins are too many"), format!("ask for at most {BINS_MAX}")));
        }
        let (grid, spend) = (grid(lower, upper, step)?, spend(epsilon, rho)?);
        let neighbours = self::neighbours(neighbours)?;
        let histogram = made(library::QuantileHistogram::new(&grid, bins, neighbours, &spend))?;
        Ok(Self { histogram, grid })
    }

    fn loss(&self) -> String {
        loss_json(&self.histogram.loss())
    }

    fn release(&self, py: Python<'_>, values: Values<'_>) -> PyResult<Vec<i128>> {
        let (histogram, rows) = (self.histogram.clone(), values.indexes(py, &self.grid)?);
        drawn(py, rows.len(), move |bits| histogram.release(rows, bits))
    }

    fn quantile(&self, counts: Vec<i128>, q: &str) -> PyResult<String> {
        let index = made(self.histogram.quantile(&counts, &rational(q)?))?;
        Ok(fraction(&self.grid.value_of(index)))
    }

    fn error_bound(&self, beta: &str) -> PyResult<i128> {
        made(self.histogram.error_bound(&self::beta(beta)?))
    }
}

/// A quantile, or about the least or greatest value, of people with many rows in many groups.
#[pyclass(frozen)]
struct WeightedQuantile {
    quantile: library::WeightedQuantile,
    grid: Grid,
    rows_max: u64,
    loss: Loss,
}

#[pymethods]
impl WeightedQuantile {
    #[new]
    #[pyo3(signature = (lower, upper, step, rank, rows_max, groups_max, epsilon, rho))]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the mechanism, one each")]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        rank: &str,
        rows_max: u64,
        groups_max: u64,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        let (grid, spend) = (grid(lower, upper, step)?, spend(epsilon, rho)?);
        let rank = match rank {
            "least" => Rank::Least,
            "greatest" => Rank::Greatest,
            part => Rank::Part(rational(part)?),
        };
        if u32::try_from(grid.last_index()).is_err() {
            return Err(wrong("the grid has more than 2^32 points", "write a longer step"));
        }
        let quantile =
            made(library::WeightedQuantile::new(grid.last_index(), &rank, rows_max, groups_max, &spend))?;
        Ok(Self { quantile, grid, rows_max, loss: spend.loss() })
    }

    fn loss(&self) -> String {
        loss_json(&self.loss)
    }

    #[pyo3(name = "from_end")]
    fn rank_from_end(&self) -> Option<i128> {
        self.quantile.from_end()
    }

    #[pyo3(signature = (values, lengths))]
    fn release(&self, py: Python<'_>, values: Values<'_>, lengths: Option<Vec<usize>>) -> PyResult<String> {
        let people = People::new(values.indexes(py, &self.grid)?, lengths)?;
        let (quantile, rows_max) = (self.quantile.clone(), self.rows_max);
        let index = drawn(py, people.rows(), move |bits| {
            let weights = weights(&people, rows_max);
            weights.map(|weights| quantile.release(&weights, bits))
        })?;
        let index = index.ok_or_else(|| wrong("there are too many rows", "release of fewer rows"))?;
        Ok(fraction(&self.grid.value_of(index)))
    }

    fn error_bound(&self, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.quantile.rank_error(&self::beta(beta)?)))
    }
}

/// What the rows at every point weigh, points rising: a person's rows weigh no more than `rows_max` of them.
fn weights(people: &People, rows_max: u64) -> Option<Vec<(u32, u64)>> {
    let bits = weight_bits(rows_max);
    let mut weights: BTreeMap<u32, u64> = BTreeMap::new();
    let mut rows_seen = 0usize;
    for rows in people.each() {
        rows_seen = rows_seen.checked_add(rows.len()).filter(|rows| *rows <= ROWS_MAX)?;
        let weight = row_weight(rows.len() as u64, rows_max, bits);
        for index in rows {
            let sum = weights.entry(u32::try_from(index).ok()?).or_insert(0);
            *sum = sum.checked_add(weight)?;
        }
    }
    Some(weights.into_iter().collect())
}

/// Adds the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Quantile>()?;
    module.add_class::<Quantiles>()?;
    module.add_class::<QuantileHistogram>()?;
    module.add_class::<WeightedQuantile>()
}
