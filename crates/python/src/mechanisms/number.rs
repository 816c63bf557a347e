//! A number, or many, with noise.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pointillist_mechanisms as library;
use pointillist_numbers::Rational;
use pyo3::prelude::*;

use super::parameters::{beta, delta, epsilon, l1, l2, made, rational, rho};
use super::values::{Values, clamped, drawn, fraction, loss_json, quick};
use crate::errors::wrong;

/// Integer answers with discrete Laplace noise.
#[pyclass(frozen)]
struct Geometric(library::GeometricMechanism);

#[pymethods]
impl Geometric {
    #[new]
    fn new(sensitivity_l1: &str, epsilon: &str) -> PyResult<Self> {
        made(library::GeometricMechanism::new(&l1(sensitivity_l1)?, &self::epsilon(epsilon)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn scale(&self) -> String {
        fraction(self.0.scale())
    }

    fn release(&self, answer: i128) -> PyResult<i128> {
        quick(|bits| self.0.release(answer, bits))
    }

    fn release_all<'py>(
        &self,
        py: Python<'py>,
        answers: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (mechanism, answers) = (self.0.clone(), wide(&answers));
        Ok(drawn(py, answers.len(), move |bits| clamped(mechanism.release_all(&answers, bits)))?
            .into_pyarray(py))
    }

    fn error_bound(&self, count: u64, beta: &str) -> PyResult<u128> {
        Ok(self.0.error_bound_all(&self::beta(beta)?, count))
    }
}

/// Real answers with Laplace noise on a grid.
#[pyclass(frozen)]
struct Laplace(library::LaplaceMechanism);

#[pymethods]
impl Laplace {
    #[new]
    fn new(sensitivity_l1: &str, coordinates_per_unit_max: u64, epsilon: &str, step: &str) -> PyResult<Self> {
        let (sensitivity, epsilon) = (l1(sensitivity_l1)?, self::epsilon(epsilon)?);
        let step = rational(step)?;
        made(library::LaplaceMechanism::new(&sensitivity, coordinates_per_unit_max, &epsilon, &step))
            .map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn scale(&self) -> String {
        fraction(&self.0.scale())
    }

    fn release(&self, answer: &str) -> PyResult<String> {
        let answer = rational(answer)?;
        Ok(fraction(&quick(|bits| self.0.release(&answer, bits))?))
    }

    /// The floats nearest to what is released: rounding after the noise tells nothing more.
    fn release_all<'py>(&self, py: Python<'py>, answers: Values<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (mechanism, answers) = (self.0.clone(), answers.rationals(py)?);
        let released = drawn(py, answers.len(), move |bits| {
            let released = mechanism.release_all(&answers, bits);
            released.iter().map(Rational::to_f64_nearest).collect::<Vec<f64>>()
        })?;
        Ok(released.into_pyarray(py))
    }

    fn error_bound(&self, count: u64, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound_all(&self::beta(beta)?, count)))
    }
}

/// Integer answers with rounded normal noise.
#[pyclass(frozen)]
struct Gaussian(library::GaussianMechanism);

#[pymethods]
impl Gaussian {
    #[new]
    #[pyo3(signature = (sensitivity_l2, epsilon, delta, rho, classical))]
    fn new(
        sensitivity_l2: &str,
        epsilon: Option<&str>,
        delta: Option<&str>,
        rho: Option<&str>,
        classical: bool,
    ) -> PyResult<Self> {
        let sensitivity = l2(sensitivity_l2)?;
        let made_for = match (epsilon, delta, rho) {
            (Some(epsilon), Some(delta), None) => {
                let (epsilon, delta) = (self::epsilon(epsilon)?, self::delta(delta)?);
                match classical {
                    true => library::GaussianMechanism::classical(&epsilon, &delta, &sensitivity),
                    false => library::GaussianMechanism::new(&epsilon, &delta, &sensitivity),
                }
            }
            (None, None, Some(rho)) if !classical => {
                library::GaussianMechanism::for_rho(&self::rho(rho)?, &sensitivity)
            }
            (None, None, Some(_)) => {
                return Err(wrong("the classical noise is for epsilon and delta", "leave classical out"));
            }
            _ => {
                return Err(wrong(
                    "Gaussian noise is for epsilon with delta, or for rho",
                    "give epsilon and delta, such as epsilon=1, delta=1e-6; or rho alone",
                ));
            }
        };
        made(made_for).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn sigma(&self) -> String {
        fraction(self.0.sigma())
    }

    fn release(&self, answer: i128) -> PyResult<i128> {
        quick(|bits| self.0.release(answer, bits))
    }

    fn release_all<'py>(
        &self,
        py: Python<'py>,
        answers: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (mechanism, answers) = (self.0.clone(), wide(&answers));
        Ok(drawn(py, answers.len(), move |bits| clamped(mechanism.release_all(&answers, bits)))?
            .into_pyarray(py))
    }

    fn error_bound(&self, count: u64, beta: &str) -> PyResult<String> {
        Ok(fraction(&self.0.error_bound_all(&self::beta(beta)?, count)))
    }
}

/// Integer answers with discrete Gaussian noise.
#[pyclass(frozen)]
struct DiscreteGaussian(library::DiscreteGaussianMechanism);

#[pymethods]
impl DiscreteGaussian {
    #[new]
    #[pyo3(signature = (sensitivity_l2, rho, variance))]
    fn new(sensitivity_l2: &str, rho: Option<&str>, variance: Option<&str>) -> PyResult<Self> {
        let sensitivity = l2(sensitivity_l2)?;
        let made_for = match (rho, variance) {
            (Some(rho), None) => library::DiscreteGaussianMechanism::for_rho(&self::rho(rho)?, &sensitivity),
            (None, Some(variance)) => {
                library::DiscreteGaussianMechanism::with_variance(&rational(variance)?, &sensitivity)
            }
            _ => {
                return Err(wrong(
                    "one of rho and variance says how much noise",
                    "give rho, or variance alone",
                ));
            }
        };
        made(made_for).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn variance_parameter(&self) -> String {
        fraction(self.0.variance_parameter())
    }

    fn delta(&self, epsilon: &str) -> PyResult<String> {
        Ok(fraction(made(self.0.delta(&self::epsilon(epsilon)?))?.value()))
    }

    fn release(&self, answer: i128) -> PyResult<i128> {
        quick(|bits| self.0.release(answer, bits))
    }

    fn release_all<'py>(
        &self,
        py: Python<'py>,
        answers: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (mechanism, answers) = (self.0.clone(), wide(&answers));
        Ok(drawn(py, answers.len(), move |bits| clamped(mechanism.release_all(&answers, bits)))?
            .into_pyarray(py))
    }

    fn error_bound(&self, count: u64, beta: &str) -> PyResult<u128> {
        Ok(self.0.error_bound_all(&self::beta(beta)?, count))
    }
}

fn wide(answers: &PyReadonlyArray1<'_, i64>) -> Vec<i128> {
    answers.as_array().iter().map(|answer| i128::from(*answer)).collect()
}

/// Adds the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Geometric>()?;
    module.add_class::<Laplace>()?;
    module.add_class::<Gaussian>()?;
    module.add_class::<DiscreteGaussian>()
}
