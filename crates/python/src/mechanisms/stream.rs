//! The first few of a stream that stand out. A session cannot be copied: a copy would give answers nobody paid for.

use pointillist_mechanisms as library;
use pointillist_mechanisms::stream::{above_threshold, numeric_sparse};
use pyo3::prelude::*;

use super::parameters::{beta, epsilon, linf, made, movement};
use super::values::{fraction, loss_json, quick};

/// Which queries are above their thresholds.
#[pyclass(frozen)]
struct AboveThreshold(library::AboveThreshold);

#[pymethods]
impl AboveThreshold {
    #[new]
    fn new(sensitivity: &str, movement: &str, tops_max: u32, epsilon: &str) -> PyResult<Self> {
        let (sensitivity, movement) = (linf(sensitivity)?, self::movement(movement)?);
        made(library::AboveThreshold::new(&sensitivity, movement, tops_max, &self::epsilon(epsilon)?))
            .map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn start(&self) -> PyResult<AboveThresholdSession> {
        Ok(AboveThresholdSession(quick(|bits| self.0.start(bits))?))
    }

    fn error_bound(&self, queries: u64, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(queries, &self::beta(beta)?)))
    }
}

/// Answers under one noisy threshold.
#[pyclass]
struct AboveThresholdSession(above_threshold::Session);

#[pymethods]
impl AboveThresholdSession {
    /// Whether the value is above the threshold.
    fn ask(&mut self, value: i64, threshold: i64) -> PyResult<bool> {
        let answer = made(quick(|bits| self.0.ask(value, threshold, bits))?)?;
        Ok(answer == above_threshold::Answer::Above)
    }

    fn tops_left(&self) -> u32 {
        self.0.tops_left()
    }
}

/// The values of queries that are above their thresholds.
#[pyclass(frozen)]
struct NumericSparse(library::NumericSparse);

#[pymethods]
impl NumericSparse {
    #[new]
    fn new(sensitivity: &str, movement: &str, tops_max: u32, epsilon: &str) -> PyResult<Self> {
        let (sensitivity, movement) = (linf(sensitivity)?, self::movement(movement)?);
        made(library::NumericSparse::new(&sensitivity, movement, tops_max, &self::epsilon(epsilon)?))
            .map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn start(&self) -> PyResult<NumericSparseSession> {
        Ok(NumericSparseSession(quick(|bits| self.0.start(bits))?))
    }

    fn error_bound(&self, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(&self::beta(beta)?)))
    }

    fn finding_error_bound(&self, queries: u64, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.finding().error_bound(queries, &self::beta(beta)?)))
    }
}

/// Answers under one noisy threshold, with values.
#[pyclass]
struct NumericSparseSession(numeric_sparse::Session);

#[pymethods]
impl NumericSparseSession {
    /// A noisy value if it is above the threshold.
    fn ask(&mut self, value: i64, threshold: i64) -> PyResult<Option<i128>> {
        match made(quick(|bits| self.0.ask(value, threshold, bits))?)? {
            numeric_sparse::Answer::Below => Ok(None),
            numeric_sparse::Answer::Above { value } => Ok(Some(value)),
        }
    }

    fn tops_left(&self) -> u32 {
        self.0.tops_left()
    }
}

/// Adds the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<AboveThreshold>()?;
    module.add_class::<AboveThresholdSession>()?;
    module.add_class::<NumericSparse>()?;
    module.add_class::<NumericSparseSession>()
}
