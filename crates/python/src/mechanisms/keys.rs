//! Groups whose names are private too. Keys are numbers here: Python has sorted its own and numbered them, so that the order
//! of an answer tells nothing about the order of the data.

use std::collections::BTreeMap;

use pointillist_mechanisms as library;
use pyo3::prelude::*;

use super::parameters::{beta, contribution, delta, epsilon, made, rho};
use super::values::{People, drawn, loss_json};

/// Bits behind the point of a probability that is shown.
const SHOWN: usize = 80;

/// Common keys with their counts.
#[pyclass(frozen)]
struct StabilityHistogram(library::StabilityHistogram);

#[pymethods]
impl StabilityHistogram {
    #[new]
    fn new(max_groups: u64, max_contributions: u64, epsilon: &str, delta: &str) -> PyResult<Self> {
        let bound = contribution(max_groups, max_contributions)?;
        let (epsilon, delta) = (self::epsilon(epsilon)?, self::delta(delta)?);
        made(library::StabilityHistogram::new(&bound, &epsilon, &delta)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn threshold(&self) -> i128 {
        self.0.threshold()
    }

    #[pyo3(signature = (keys, lengths))]
    fn release(
        &self,
        py: Python<'_>,
        keys: Vec<i64>,
        lengths: Option<Vec<usize>>,
    ) -> PyResult<Vec<(i64, i128)>> {
        let (histogram, people) = (self.0.clone(), People::new(keys, lengths)?);
        drawn(py, people.rows(), move |bits| histogram.release(people.each(), bits))
    }

    fn release_bounded(&self, py: Python<'_>, counts: Vec<i128>) -> PyResult<Vec<(i64, i128)>> {
        let (histogram, counts) = (self.0.clone(), (0i64..).zip(counts).collect::<BTreeMap<i64, i128>>());
        drawn(py, counts.len(), move |bits| histogram.release_bounded(counts, bits))
    }

    fn error_bound(&self, keys: u64, beta: &str) -> PyResult<i128> {
        Ok(self.0.error_bound(keys, &self::beta(beta)?))
    }
}

/// The keys that enough people hold.
#[pyclass(frozen)]
struct PartitionSelection(library::PartitionSelection);

#[pymethods]
impl PartitionSelection {
    #[new]
    fn new(max_groups: u64, epsilon: &str, delta: &str) -> PyResult<Self> {
        let (epsilon, delta) = (self::epsilon(epsilon)?, self::delta(delta)?);
        made(library::PartitionSelection::new(max_groups, &epsilon, &delta)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn keep_probability(&self, people: u64) -> f64 {
        self.0.keep_probability(people, SHOWN).upper().to_f64_nearest()
    }

    #[pyo3(signature = (keys, lengths))]
    fn release(&self, py: Python<'_>, keys: Vec<i64>, lengths: Option<Vec<usize>>) -> PyResult<Vec<i64>> {
        let (selection, people) = (self.0.clone(), People::new(keys, lengths)?);
        drawn(py, people.rows(), move |bits| selection.release(people.each(), bits))
    }

    fn release_bounded(&self, py: Python<'_>, holders: Vec<u64>) -> PyResult<Vec<i64>> {
        let (selection, holders) = (self.0.clone(), (0i64..).zip(holders).collect::<BTreeMap<i64, u64>>());
        drawn(py, holders.len(), move |bits| selection.release_bounded(holders, bits))
    }

    fn people_needed(&self, beta: &str) -> PyResult<u128> {
        Ok(self.0.people_needed(&self::beta(beta)?))
    }
}

/// The keys that enough people hold, with how many.
#[pyclass(frozen)]
struct EarnedKeys(library::EarnedKeys);

#[pymethods]
impl EarnedKeys {
    #[new]
    fn new(groups_max: u64, rho: &str, delta: &str) -> PyResult<Self> {
        made(library::EarnedKeys::new(groups_max, &self::rho(rho)?, &self::delta(delta)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn threshold(&self) -> i128 {
        self.0.threshold()
    }

    fn release(&self, py: Python<'_>, people: Vec<i128>) -> PyResult<Vec<Option<i128>>> {
        let keys = self.0.clone();
        drawn(py, people.len(), move |bits| keys.release(&people, bits))
    }

    fn people_needed(&self, beta: &str) -> PyResult<i128> {
        Ok(self.0.people_needed(&self::beta(beta)?))
    }
}

/// Adds the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<StabilityHistogram>()?;
    module.add_class::<PartitionSelection>()?;
    module.add_class::<EarnedKeys>()
}
