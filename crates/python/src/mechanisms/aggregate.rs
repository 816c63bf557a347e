//! Counts, sums, means, variances and histograms of bounded data.

use pointillist_mechanisms as library;
use pointillist_mechanisms::{Grid, MeanRelease, Origin, VarianceRelease};
use pyo3::prelude::*;

use super::parameters::{beta, contribution, grid, made, neighbours, shortened, spend};
use super::values::{People, Values, drawn, drawn_or, fraction, fractions, loss_json, quick};
use crate::errors::wrong;

/// How many rows or people there are.
#[pyclass(frozen)]
struct Count(library::Count);

#[pymethods]
impl Count {
    #[new]
    #[pyo3(signature = (max_contributions, epsilon, rho))]
    fn new(max_contributions: u64, epsilon: Option<&str>, rho: Option<&str>) -> PyResult<Self> {
        made(library::Count::new(max_contributions, &spend(epsilon, rho)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, py: Python<'_>, rows_per_person: Vec<u64>) -> PyResult<i128> {
        let mechanism = self.0.clone();
        drawn(py, rows_per_person.len(), move |bits| mechanism.release(rows_per_person, bits))
    }

    fn release_bounded(&self, count: i128) -> PyResult<i128> {
        quick(|bits| self.0.release_bounded(count, bits))
    }

    fn error_bound(&self, beta: &str) -> PyResult<i128> {
        Ok(self.0.error_bound(&self::beta(beta)?))
    }
}

/// The sum of a bounded column.
#[pyclass(frozen)]
struct BoundedSum {
    sum: library::BoundedSum,
    grid: Grid,
}

#[pymethods]
impl BoundedSum {
    #[new]
    #[pyo3(signature = (lower, upper, step, origin, max_contributions, neighbours, epsilon, rho))]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the mechanism, one each")]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        origin: &str,
        max_contributions: u64,
        neighbours: &str,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        let origin = match origin {
            "zero" => Origin::Zero,
            "lower" => Origin::Lower,
            "centre" => Origin::Centre,
            other => {
                return Err(wrong(
                    format!("`{}` is no origin of a sum", shortened(other)),
                    "write 'zero' for the sum of the values, 'lower' or 'centre' for that of their distances",
                ));
            }
        };
        let (grid, spend) = (grid(lower, upper, step)?, spend(epsilon, rho)?);
        let neighbours = self::neighbours(neighbours)?;
        let sum = made(library::BoundedSum::new(&grid, origin, max_contributions, neighbours, &spend))?;
        Ok(Self { sum, grid })
    }

    fn loss(&self) -> String {
        loss_json(&self.sum.loss())
    }

    #[pyo3(signature = (values, lengths))]
    fn release(&self, py: Python<'_>, values: Values<'_>, lengths: Option<Vec<usize>>) -> PyResult<String> {
        let (sum, people) = (self.sum.clone(), People::new(values.indexes(py, &self.grid)?, lengths)?);
        let released = drawn(py, people.rows(), move |bits| sum.release(people.each(), bits))?;
        Ok(fraction(&self.sum.value_of(released)))
    }

    fn error_bound(&self, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.sum.error_bound(&self::beta(beta)?)))
    }
}

/// The mean of a bounded column, of an unknown number of people.
#[pyclass(frozen)]
struct Mean {
    mean: library::Mean,
    grid: Grid,
}

#[pymethods]
impl Mean {
    #[new]
    #[pyo3(signature = (lower, upper, step, max_contributions, sum_to_count, epsilon, rho))]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        max_contributions: u64,
        sum_to_count: [u64; 2],
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        let (grid, spend) = (grid(lower, upper, step)?, spend(epsilon, rho)?);
        let mean = made(library::Mean::with_split(&grid, max_contributions, &spend, sum_to_count))?;
        Ok(Self { mean, grid })
    }

    fn loss(&self) -> String {
        loss_json(&self.mean.loss())
    }

    /// Sum and count, both with noise, and the mean that follows.
    #[pyo3(signature = (values, lengths))]
    fn release(
        &self,
        py: Python<'_>,
        values: Values<'_>,
        lengths: Option<Vec<usize>>,
    ) -> PyResult<(i128, i128, String)> {
        let (mean, people) = (self.mean.clone(), People::new(values.indexes(py, &self.grid)?, lengths)?);
        let released = drawn(py, people.rows(), move |bits| mean.release(people.each(), bits))?;
        Ok((released.centred_sum, released.count, fraction(&self.mean.mean(&released))))
    }

    fn interval(&self, centred_sum: i128, count: i128, beta: &str) -> PyResult<(String, String)> {
        let released = MeanRelease { centred_sum, count };
        Ok(fractions(&self.mean.interval(&released, &self::beta(beta)?)))
    }
}

/// The mean of a public number of people.
#[pyclass(frozen)]
struct MeanOfKnownCount {
    mean: library::MeanOfKnownCount,
    grid: Grid,
}

#[pymethods]
impl MeanOfKnownCount {
    #[new]
    #[pyo3(signature = (lower, upper, step, count, epsilon, rho))]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        count: u64,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        let (grid, spend) = (grid(lower, upper, step)?, spend(epsilon, rho)?);
        let mean = made(library::MeanOfKnownCount::new(&grid, count, &spend))?;
        Ok(Self { mean, grid })
    }

    fn loss(&self) -> String {
        loss_json(&self.mean.loss())
    }

    fn release(&self, py: Python<'_>, values: Values<'_>) -> PyResult<String> {
        let (mean, rows) = (self.mean.clone(), values.indexes(py, &self.grid)?);
        Ok(fraction(&drawn_or(py, rows.len(), move |bits| mean.release(&rows, bits))?))
    }

    fn error_bound(&self, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.mean.error_bound(&self::beta(beta)?)))
    }
}

/// Variance and standard deviation of a bounded column.
#[pyclass(frozen)]
struct Variance {
    variance: library::Variance,
    grid: Grid,
}

#[pymethods]
impl Variance {
    #[new]
    #[pyo3(signature = (lower, upper, step, max_contributions, epsilon, rho))]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        max_contributions: u64,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        let (grid, spend) = (grid(lower, upper, step)?, spend(epsilon, rho)?);
        let variance = made(library::Variance::new(&grid, max_contributions, &spend))?;
        Ok(Self { variance, grid })
    }

    fn loss(&self) -> String {
        loss_json(&self.variance.loss())
    }

    /// Three numbers with noise.
    #[pyo3(signature = (values, lengths))]
    fn release(
        &self,
        py: Python<'_>,
        values: Values<'_>,
        lengths: Option<Vec<usize>>,
    ) -> PyResult<[i128; 3]> {
        let (variance, people) =
            (self.variance.clone(), People::new(values.indexes(py, &self.grid)?, lengths)?);
        let released = drawn(py, people.rows(), move |bits| variance.release(people.each(), bits))?;
        Ok([released.centred_sum, released.centred_squares, released.count])
    }

    /// What follows from them: population and sample variance, and the deviations of both.
    fn figures(&self, released: [i128; 3]) -> [String; 4] {
        let (variance, released) = (&self.variance, released_variance(released));
        [
            variance.population(&released),
            variance.sample(&released),
            variance.standard_deviation(&released),
            variance.sample_standard_deviation(&released),
        ]
        .map(|figure| fraction(&figure))
    }

    fn interval(&self, released: [i128; 3], beta: &str) -> PyResult<(String, String)> {
        let beta = self::beta(beta)?;
        Ok(fractions(&self.variance.interval(&released_variance(released), &beta)))
    }
}

fn released_variance([centred_sum, centred_squares, count]: [i128; 3]) -> VarianceRelease {
    VarianceRelease { centred_sum, centred_squares, count }
}

/// Counts of public keys, which are numbered in the order in which they were declared.
#[pyclass(frozen)]
struct Histogram(library::Histogram<i64>);

#[pymethods]
impl Histogram {
    #[new]
    #[pyo3(signature = (keys, max_groups, max_contributions, neighbours, epsilon, rho))]
    fn new(
        keys: u32,
        max_groups: u64,
        max_contributions: u64,
        neighbours: &str,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        let keys = (0..i64::from(keys)).collect();
        let bound = contribution(max_groups, max_contributions)?;
        let (neighbours, spend) = (self::neighbours(neighbours)?, spend(epsilon, rho)?);
        made(library::Histogram::new(keys, &bound, neighbours, &spend)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    #[pyo3(signature = (keys, lengths))]
    fn release(&self, py: Python<'_>, keys: Vec<i64>, lengths: Option<Vec<usize>>) -> PyResult<Vec<i128>> {
        let (histogram, people) = (self.0.clone(), People::new(keys, lengths)?);
        let released = drawn(py, people.rows(), move |bits| histogram.release(people.each(), bits))?;
        Ok(released.into_iter().map(|(_, count)| count).collect())
    }

    fn release_bounded(&self, py: Python<'_>, counts: Vec<i128>) -> PyResult<Vec<i128>> {
        let histogram = self.0.clone();
        let released = drawn_or(py, counts.len(), move |bits| histogram.release_bounded(&counts, bits))?;
        Ok(released.into_iter().map(|(_, count)| count).collect())
    }

    fn error_bound(&self, beta: &str) -> PyResult<i128> {
        Ok(self.0.error_bound(&self::beta(beta)?))
    }
}

/// Adds the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Count>()?;
    module.add_class::<BoundedSum>()?;
    module.add_class::<Mean>()?;
    module.add_class::<MeanOfKnownCount>()?;
    module.add_class::<Variance>()?;
    module.add_class::<Histogram>()
}
