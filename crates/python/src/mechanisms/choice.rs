//! The best of several.

use pointillist_mechanisms as library;
use pyo3::prelude::*;

use super::parameters::{beta, epsilon, line, linf, made, movement, neighbours, rational, rationals, rho};
use super::values::{Values, drawn, drawn_or, fraction, loss_json};
use crate::errors::wrong;

/// One of finitely many candidates.
#[pyclass(frozen)]
struct Exponential(library::ExponentialMechanism);

#[pymethods]
impl Exponential {
    #[new]
    fn new(sensitivity: &str, movement: &str, epsilon: &str) -> PyResult<Self> {
        let (movement, epsilon) = (self::movement(movement)?, self::epsilon(epsilon)?);
        made(library::ExponentialMechanism::new(&linf(sensitivity)?, movement, &epsilon)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, py: Python<'_>, scores: Values<'_>) -> PyResult<usize> {
        let (mechanism, scores) = (self.0.clone(), scores.scores()?);
        drawn(py, scores.len(), move |bits| mechanism.release(&scores, bits))
    }

    fn error_bound(&self, candidates: usize, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(candidates, &self::beta(beta)?)))
    }
}

/// The same under pure ε, never worse.
#[pyclass(frozen)]
struct PermuteAndFlip(library::PermuteAndFlip);

#[pymethods]
impl PermuteAndFlip {
    #[new]
    fn new(sensitivity: &str, movement: &str, epsilon: &str) -> PyResult<Self> {
        let (movement, epsilon) = (self::movement(movement)?, self::epsilon(epsilon)?);
        made(library::PermuteAndFlip::new(&linf(sensitivity)?, movement, &epsilon)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, py: Python<'_>, scores: Values<'_>) -> PyResult<usize> {
        let (mechanism, scores) = (self.0.clone(), scores.scores()?);
        drawn(py, scores.len(), move |bits| mechanism.release(&scores, bits))
    }

    fn error_bound(&self, candidates: usize, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(candidates, &self::beta(beta)?)))
    }
}

/// The largest of several counts with noise.
#[pyclass(frozen)]
struct NoisyMax(library::NoisyMax);

#[pymethods]
impl NoisyMax {
    #[new]
    fn new(sensitivity: &str, movement: &str, epsilon: &str) -> PyResult<Self> {
        let (movement, epsilon) = (self::movement(movement)?, self::epsilon(epsilon)?);
        made(library::NoisyMax::new(&linf(sensitivity)?, movement, &epsilon)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn scale(&self) -> String {
        fraction(self.0.scale())
    }

    fn release(&self, py: Python<'_>, scores: Vec<i64>) -> PyResult<usize> {
        let mechanism = self.0.clone();
        drawn_or(py, scores.len(), move |bits| mechanism.release(&scores, bits))
    }

    fn error_bound(&self, candidates: usize, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(candidates, &self::beta(beta)?)))
    }
}

/// Several candidates.
#[pyclass(frozen)]
struct TopK(library::TopK);

#[pymethods]
impl TopK {
    #[new]
    #[pyo3(signature = (k, sensitivity, movement, epsilon, rho))]
    fn new(
        k: usize,
        sensitivity: &str,
        movement: &str,
        epsilon: Option<&str>,
        rho: Option<&str>,
    ) -> PyResult<Self> {
        let (sensitivity, movement) = (linf(sensitivity)?, self::movement(movement)?);
        let made_for = match (epsilon, rho) {
            (Some(epsilon), None) => library::TopK::new(k, &sensitivity, movement, &self::epsilon(epsilon)?),
            (None, Some(rho)) => library::TopK::from_rho(k, &sensitivity, movement, &self::rho(rho)?),
            _ => return Err(wrong("one of epsilon and rho is the price", "give epsilon, or rho alone")),
        };
        made(made_for).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, py: Python<'_>, scores: Values<'_>) -> PyResult<Vec<usize>> {
        let (mechanism, scores) = (self.0.clone(), scores.scores()?);
        drawn_or(py, scores.len(), move |bits| mechanism.release(&scores, bits))
    }

    fn error_bound(&self, candidates: usize, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(candidates, &self::beta(beta)?)))
    }
}

/// A number from an interval.
#[pyclass(frozen)]
struct ExponentialOnLine(library::ExponentialOnLine);

#[pymethods]
impl ExponentialOnLine {
    #[new]
    fn new(
        lower: &str,
        upper: &str,
        step: &str,
        sensitivity: &str,
        movement: &str,
        epsilon: &str,
    ) -> PyResult<Self> {
        let (line, sensitivity) = (line(lower, upper, step)?, linf(sensitivity)?);
        let (movement, epsilon) = (self::movement(movement)?, self::epsilon(epsilon)?);
        made(library::ExponentialOnLine::new(&line, &sensitivity, movement, &epsilon)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, py: Python<'_>, breakpoints: Values<'_>, scores: Values<'_>) -> PyResult<String> {
        let (breakpoints, scores) = (breakpoints.rationals(py)?, scores.scores()?);
        let mechanism = self.0.clone();
        Ok(fraction(&drawn_or(py, scores.len(), move |bits| mechanism.release(&breakpoints, &scores, bits))?))
    }

    fn error_bound(&self, reached_length: &str, beta: &str) -> PyResult<String> {
        Ok(fraction(&made(self.0.error_bound(&rational(reached_length)?, &self::beta(beta)?))?))
    }
}

/// A median without a list of candidates.
#[pyclass(frozen)]
struct ContinuousMedian(library::ContinuousMedian);

#[pymethods]
impl ContinuousMedian {
    #[new]
    fn new(lower: &str, upper: &str, step: &str, neighbours: &str, epsilon: &str) -> PyResult<Self> {
        let (line, neighbours) = (line(lower, upper, step)?, self::neighbours(neighbours)?);
        made(library::ContinuousMedian::new(&line, neighbours, &self::epsilon(epsilon)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, py: Python<'_>, records: Values<'_>) -> PyResult<String> {
        let (mechanism, records) = (self.0.clone(), records.rationals(py)?);
        Ok(fraction(&drawn(py, records.len(), move |bits| mechanism.release(&records, bits))?))
    }

    fn error_bound(&self, middle_length: &str, beta: &str) -> PyResult<String> {
        Ok(fraction(&made(self.0.error_bound(&rational(middle_length)?, &self::beta(beta)?))?))
    }
}

/// The most accurate of several models.
#[pyclass(frozen)]
struct Tuning(library::Tuning);

#[pymethods]
impl Tuning {
    #[new]
    fn new(neighbours: &str, epsilon: &str) -> PyResult<Self> {
        made(library::Tuning::new(self::neighbours(neighbours)?, &self::epsilon(epsilon)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, py: Python<'_>, correct_counts: Vec<u64>) -> PyResult<usize> {
        let mechanism = self.0.clone();
        drawn_or(py, correct_counts.len(), move |bits| mechanism.release(&correct_counts, bits))
    }

    fn error_bound(&self, models: usize, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(models, &self::beta(beta)?)))
    }
}

/// One price for all.
#[pyclass(frozen)]
struct Pricing(library::Pricing);

#[pymethods]
impl Pricing {
    #[new]
    fn new(prices: Vec<String>, epsilon: &str) -> PyResult<Self> {
        made(library::Pricing::new(&rationals(&prices)?, &self::epsilon(epsilon)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn release(&self, py: Python<'_>, bids: Values<'_>) -> PyResult<String> {
        let (mechanism, bids) = (self.0.clone(), bids.rationals(py)?);
        Ok(fraction(&drawn(py, bids.len(), move |bits| mechanism.release(&bids, bits).clone())?))
    }

    fn error_bound(&self, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound(&self::beta(beta)?)))
    }
}

/// Adds the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Exponential>()?;
    module.add_class::<PermuteAndFlip>()?;
    module.add_class::<NoisyMax>()?;
    module.add_class::<TopK>()?;
    module.add_class::<ExponentialOnLine>()?;
    module.add_class::<ContinuousMedian>()?;
    module.add_class::<Tuning>()?;
    module.add_class::<Pricing>()
}
