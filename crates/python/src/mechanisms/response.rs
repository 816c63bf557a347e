//! Answers that nobody sees in truth.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pointillist_mechanisms as library;
use pyo3::prelude::*;

use super::parameters::{beta, epsilon, made, rational};
use super::values::{drawn, drawn_or, fraction, loss_json, quick};
use crate::errors::wrong;

/// A yes or no from each person.
#[pyclass(frozen)]
struct RandomizedResponse(library::RandomizedResponse);

#[pymethods]
impl RandomizedResponse {
    #[new]
    #[pyo3(signature = (epsilon, gamma))]
    fn new(epsilon: Option<&str>, gamma: Option<&str>) -> PyResult<Self> {
        match (epsilon, gamma) {
            (Some(text), None) => {
                Ok(Self(library::RandomizedResponse::for_epsilon(&super::parameters::epsilon(text)?)))
            }
            (None, Some(text)) => made(library::RandomizedResponse::with_gamma(rational(text)?)).map(Self),
            _ => Err(wrong(
                "one of epsilon and gamma says how often people lie",
                "give epsilon, or gamma alone",
            )),
        }
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, answer: bool) -> PyResult<bool> {
        quick(|bits| self.0.release(answer, bits))
    }

    fn release_all<'py>(
        &self,
        py: Python<'py>,
        answers: PyReadonlyArray1<'py, bool>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let (mechanism, answers) = (self.0.clone(), answers.as_array().to_vec());
        Ok(drawn(py, answers.len(), move |bits| mechanism.release_all(&answers, bits))?.into_pyarray(py))
    }

    /// Count, fraction and the variances of both.
    fn estimate(&self, reported_ones: u64, n: u64) -> PyResult<[String; 4]> {
        let found = made(self.0.estimate(reported_ones, n))?;
        Ok([&found.count, &found.fraction, &found.variance_count, &found.variance_fraction].map(fraction))
    }

    fn error_bound(&self, n: u64, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(n, &super::parameters::beta(beta)?)))
    }
}

/// One of k categories from each person.
#[pyclass(frozen)]
struct KaryRandomizedResponse(library::KaryRandomizedResponse);

#[pymethods]
impl KaryRandomizedResponse {
    #[new]
    fn new(epsilon: &str, categories: u64) -> PyResult<Self> {
        made(library::KaryRandomizedResponse::new(&self::epsilon(epsilon)?, categories)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, answer: u64) -> PyResult<u64> {
        made(quick(|bits| self.0.release(answer, bits))?)
    }

    fn release_all<'py>(
        &self,
        py: Python<'py>,
        answers: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (mechanism, answers) = (self.0.clone(), answers.as_array().to_vec());
        let reports = drawn_or(py, answers.len(), move |bits| {
            // What is below zero is no category either, and is refused as the largest number is.
            let category = |answer: i64| u64::try_from(answer).unwrap_or(u64::MAX);
            let report = |answer: i64| mechanism.release(category(answer), bits);
            // A report that does not fit is one of more categories than an array of answers can name.
            let reports = answers.into_iter().map(report);
            reports
                .map(|report| report.map(|report| i64::try_from(report).unwrap_or(i64::MAX)))
                .collect::<Result<Vec<i64>, _>>()
        })?;
        Ok(reports.into_pyarray(py))
    }

    fn estimate(&self, reported: Vec<u64>) -> PyResult<Vec<String>> {
        Ok(made(self.0.estimate(&reported))?.iter().map(fraction).collect())
    }

    fn variance_count(&self, n: u64, frequency: &str) -> PyResult<String> {
        Ok(fraction(&made(self.0.variance_count(n, &rational(frequency)?))?))
    }

    fn error_bound(&self, n: u64, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(n, &self::beta(beta)?)))
    }
}

/// Adds the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RandomizedResponse>()?;
    module.add_class::<KaryRandomizedResponse>()
}
