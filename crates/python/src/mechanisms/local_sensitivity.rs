//! Numbers whose worst case is far from the usual case.

use pointillist_mechanisms as library;
use pointillist_mechanisms::{
    LaplaceLogNormalSetting, LaplaceSetting, PowerTailedLaplaceSetting, SmoothMechanism, SmoothSensitivity,
    Smoothing, StudentTSetting, TestedOutcome, TwoSidedParetoSetting,
};
use pointillist_numbers::Rational;
use pyo3::prelude::*;

use super::parameters::{beta, delta, epsilon, l1, made, neighbours, rational, rho};
use super::values::{drawn_or, fraction, loss_json, quick};

/// Noise of five kinds at the smooth sensitivity of an answer.
#[pyclass(frozen)]
struct Smooth(Kind);

enum Kind {
    PowerTailed(SmoothMechanism<PowerTailedLaplaceSetting>),
    StudentT(SmoothMechanism<StudentTSetting>),
    Pareto(SmoothMechanism<TwoSidedParetoSetting>),
    LogNormal(SmoothMechanism<LaplaceLogNormalSetting>),
    Laplace(SmoothMechanism<LaplaceSetting>),
}

/// The same for every kind.
macro_rules! for_each {
    ($kind:expr, $mechanism:ident => $what:expr) => {
        match $kind {
            Kind::PowerTailed($mechanism) => $what,
            Kind::StudentT($mechanism) => $what,
            Kind::Pareto($mechanism) => $what,
            Kind::LogNormal($mechanism) => $what,
            Kind::Laplace($mechanism) => $what,
        }
    };
}

#[pymethods]
impl Smooth {
    #[staticmethod]
    #[pyo3(signature = (epsilon, power, floor, cap))]
    fn power_tailed_laplace(epsilon: &str, power: Option<u32>, floor: &str, cap: &str) -> PyResult<Self> {
        let epsilon = self::epsilon(epsilon)?;
        let noise = made(match power {
            Some(power) => PowerTailedLaplaceSetting::new(power, &epsilon),
            None => PowerTailedLaplaceSetting::recommended(&epsilon),
        })?;
        made(SmoothMechanism::new(noise, &rational(floor)?, &rational(cap)?)).map(Kind::PowerTailed).map(Self)
    }

    #[staticmethod]
    #[pyo3(signature = (epsilon, smoothing, degrees, floor, cap))]
    fn student_t(
        epsilon: &str,
        smoothing: Option<&str>,
        degrees: Option<u32>,
        floor: &str,
        cap: &str,
    ) -> PyResult<Self> {
        let epsilon = self::epsilon(epsilon)?;
        let recommended = made(StudentTSetting::recommended(&epsilon))?;
        let noise = match (degrees, smoothing) {
            (None, None) => recommended,
            (degrees, smoothing) => {
                let smoothing = match smoothing {
                    Some(text) => rational(text)?,
                    None => library::SmoothNoise::beta(&recommended).clone(),
                };
                made(StudentTSetting::new(degrees.unwrap_or(recommended.degrees()), &epsilon, &smoothing))?
            }
        };
        made(SmoothMechanism::new(noise, &rational(floor)?, &rational(cap)?)).map(Kind::StudentT).map(Self)
    }

    #[staticmethod]
    #[pyo3(signature = (epsilon, smoothing, floor, cap))]
    fn two_sided_pareto(epsilon: &str, smoothing: Option<&str>, floor: &str, cap: &str) -> PyResult<Self> {
        let epsilon = self::epsilon(epsilon)?;
        let noise = made(match smoothing {
            Some(text) => TwoSidedParetoSetting::new(&epsilon, &rational(text)?),
            None => TwoSidedParetoSetting::recommended(&epsilon),
        })?;
        made(SmoothMechanism::new(noise, &rational(floor)?, &rational(cap)?)).map(Kind::Pareto).map(Self)
    }

    #[staticmethod]
    #[pyo3(signature = (rho, smoothing, shape, floor, cap))]
    fn laplace_log_normal(
        rho: &str,
        smoothing: Option<&str>,
        shape: Option<&str>,
        floor: &str,
        cap: &str,
    ) -> PyResult<Self> {
        let rho = self::rho(rho)?;
        let recommended = || made(LaplaceLogNormalSetting::recommended(&rho));
        let noise = match (smoothing, shape) {
            (None, None) => recommended()?,
            (smoothing, shape) => {
                let smoothing = match smoothing {
                    Some(text) => rational(text)?,
                    None => library::SmoothNoise::beta(&recommended()?).clone(),
                };
                made(match shape {
                    Some(text) => LaplaceLogNormalSetting::new(&rho, &smoothing, &rational(text)?),
                    None => LaplaceLogNormalSetting::with_best_shape(&rho, &smoothing),
                })?
            }
        };
        made(SmoothMechanism::new(noise, &rational(floor)?, &rational(cap)?)).map(Kind::LogNormal).map(Self)
    }

    #[staticmethod]
    #[pyo3(signature = (epsilon, delta, smoothing, floor, cap))]
    fn laplace(
        epsilon: &str,
        delta: &str,
        smoothing: Option<&str>,
        floor: &str,
        cap: &str,
    ) -> PyResult<Self> {
        let (epsilon, delta) = (self::epsilon(epsilon)?, self::delta(delta)?);
        let noise = made(match smoothing {
            Some(text) => LaplaceSetting::new(&epsilon, &delta, &rational(text)?),
            None => LaplaceSetting::recommended(&epsilon, &delta),
        })?;
        made(SmoothMechanism::new(noise, &rational(floor)?, &rational(cap)?)).map(Kind::Laplace).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&for_each!(&self.0, mechanism => mechanism.loss()))
    }

    fn smoothing(&self) -> String {
        fraction(self.parameters().beta())
    }

    /// The smooth sensitivity of data whose local sensitivities, as texts, a function of the distance says.
    fn smooth_sensitivity(&self, local_sensitivity_at: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(fraction(self.sensitivity(local_sensitivity_at)?.value_upper()))
    }

    fn release(&self, answer: i128, local_sensitivity_at: &Bound<'_, PyAny>) -> PyResult<i128> {
        // Where somebody's function fails nothing is released, whatever was drawn.
        let mut asked = Asked::new(local_sensitivity_at, self.parameters().cap());
        let released = quick(
            |bits| for_each!(&self.0, mechanism => mechanism.release_wide(answer, |k| asked.at(k), bits)),
        )?;
        asked.failure.map_or(Ok(released), Err)
    }

    fn error_bound(&self, local_sensitivity_at: &Bound<'_, PyAny>, beta: &str) -> PyResult<String> {
        let (sensitivity, beta) = (self.sensitivity(local_sensitivity_at)?, self::beta(beta)?);
        let bound = for_each!(&self.0, mechanism => mechanism.error_bound(&sensitivity, &beta));
        Ok(fraction(&made(bound)?))
    }
}

impl Smooth {
    fn parameters(&self) -> &Smoothing {
        for_each!(&self.0, mechanism => mechanism.smoothing())
    }

    fn sensitivity(&self, local_sensitivity_at: &Bound<'_, PyAny>) -> PyResult<SmoothSensitivity> {
        let mut asked = Asked::new(local_sensitivity_at, self.parameters().cap());
        let sensitivity = self.parameters().of(|k| asked.at(k));
        asked.failure.map_or(Ok(sensitivity), Err)
    }
}

/// Somebody's function of the distance, until it fails: from then on everything is the cap, which ends the search.
struct Asked<'a, 'py> {
    function: &'a Bound<'py, PyAny>,
    cap: Rational,
    failure: Option<PyErr>,
}

impl<'a, 'py> Asked<'a, 'py> {
    fn new(function: &'a Bound<'py, PyAny>, cap: &Rational) -> Self {
        Self { function, cap: cap.clone(), failure: None }
    }

    fn at(&mut self, distance: u64) -> Rational {
        if self.failure.is_some() {
            return self.cap.clone();
        }
        let asked = self.function.py().check_signals().and_then(|()| {
            let text: String = self.function.call1((distance,))?.extract()?;
            rational(&text)
        });
        asked.unwrap_or_else(|failure| {
            self.failure = Some(failure);
            self.cap.clone()
        })
    }
}

/// The median with noise that adapts to the data.
#[pyclass(frozen)]
struct SmoothMedian(library::SmoothMedian);

#[pymethods]
impl SmoothMedian {
    #[new]
    fn new(epsilon: &str, lower: i64, upper: i64) -> PyResult<Self> {
        made(library::SmoothMedian::new(&self::epsilon(epsilon)?, lower, upper)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn smooth_sensitivity(&self, values: Vec<i64>) -> PyResult<String> {
        Ok(fraction(made(self.0.smooth_sensitivity(&values))?.value_upper()))
    }

    fn release(&self, py: Python<'_>, values: Vec<i64>) -> PyResult<i64> {
        let mechanism = self.0.clone();
        drawn_or(py, values.len(), move |bits| mechanism.release(&values, bits))
    }
}

/// An answer for a proposed sensitivity, or a refusal.
#[pyclass(frozen)]
struct ProposeTestRelease(library::ProposeTestRelease);

#[pymethods]
impl ProposeTestRelease {
    #[new]
    fn new(bound: &str, epsilon_test: &str, epsilon_release: &str, delta: &str) -> PyResult<Self> {
        let (test, release) = (epsilon(epsilon_test)?, epsilon(epsilon_release)?);
        made(library::ProposeTestRelease::new(&l1(bound)?, &test, &release, &self::delta(delta)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn distance_needed(&self, beta: &str) -> PyResult<i128> {
        Ok(self.0.distance_needed(&self::beta(beta)?))
    }

    fn release(&self, answer: i64, distance: u64) -> PyResult<Option<i64>> {
        Ok(released(quick(|bits| self.0.release(answer, distance, bits))?))
    }

    fn error_bound(&self, beta: &str) -> PyResult<i128> {
        Ok(self.0.error_bound(&self::beta(beta)?))
    }
}

/// The median for a proposed sensitivity, or a refusal.
#[pyclass(frozen)]
struct PtrMedian(library::PtrMedian);

#[pymethods]
impl PtrMedian {
    #[new]
    fn new(
        lower: i64,
        upper: i64,
        bound: u64,
        epsilon_test: &str,
        epsilon_release: &str,
        delta: &str,
    ) -> PyResult<Self> {
        let (test, release) = (epsilon(epsilon_test)?, epsilon(epsilon_release)?);
        made(library::PtrMedian::new(lower, upper, bound, &test, &release, &self::delta(delta)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn distance_needed(&self, beta: &str) -> PyResult<i128> {
        Ok(self.0.mechanism().distance_needed(&self::beta(beta)?))
    }

    fn release(&self, py: Python<'_>, values: Vec<i64>) -> PyResult<Option<i64>> {
        let mechanism = self.0.clone();
        Ok(released(drawn_or(py, values.len(), move |bits| mechanism.release(&values, bits))?))
    }

    fn error_bound(&self, beta: &str) -> PyResult<i128> {
        Ok(self.0.error_bound(&self::beta(beta)?))
    }
}

/// The most frequent category, or a refusal.
#[pyclass(frozen)]
struct StableMode(library::StableMode);

#[pymethods]
impl StableMode {
    #[new]
    fn new(epsilon: &str, delta: &str, neighbours: &str) -> PyResult<Self> {
        let (epsilon, delta) = (self::epsilon(epsilon)?, self::delta(delta)?);
        made(library::StableMode::new(&epsilon, &delta, self::neighbours(neighbours)?)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    fn distance_needed(&self, beta: &str) -> PyResult<i128> {
        Ok(self.0.distance_needed(&self::beta(beta)?))
    }

    fn release(&self, counts: Vec<u64>) -> PyResult<Option<usize>> {
        Ok(released(made(quick(|bits| self.0.release(&counts, bits))?)?))
    }
}

/// An answer with a private bound on its sensitivity.
#[pyclass(frozen)]
struct NoisyLocalBound(library::NoisyLocalBound);

#[pymethods]
impl NoisyLocalBound {
    #[new]
    fn new(
        epsilon_bound: &str,
        epsilon_answer: &str,
        delta: &str,
        bound_sensitivity: u64,
        bound_max: u64,
    ) -> PyResult<Self> {
        let (bound, answer) = (epsilon(epsilon_bound)?, epsilon(epsilon_answer)?);
        let delta = self::delta(delta)?;
        made(library::NoisyLocalBound::new(&bound, &answer, &delta, bound_sensitivity, bound_max)).map(Self)
    }

    fn loss(&self) -> String {
        loss_json(&self.0.loss())
    }

    /// The bound, then the answer.
    fn release(&self, answer: i64, local_bound: u64) -> PyResult<(u64, i64)> {
        let released = quick(|bits| self.0.release(answer, local_bound, bits))?;
        Ok((released.bound, released.value))
    }

    fn error_bound(&self, bound: u64, beta: &str) -> PyResult<i128> {
        Ok(self.0.error_bound(bound, &self::beta(beta)?))
    }
}

/// A refusal is nothing.
fn released<T>(outcome: TestedOutcome<T>) -> Option<T> {
    match outcome {
        TestedOutcome::Released { value } => Some(value),
        TestedOutcome::Refused => None,
    }
}

/// Adds the classes.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Smooth>()?;
    module.add_class::<SmoothMedian>()?;
    module.add_class::<ProposeTestRelease>()?;
    module.add_class::<PtrMedian>()?;
    module.add_class::<StableMode>()?;
    module.add_class::<NoisyLocalBound>()
}
