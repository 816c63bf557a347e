//! What losses add up to: the calculators of every door, and their JSON.
//!
//! None of them touches data. A list of releases comes as the fields of its entries, every number as a text.

use pointillist_errors::Explained;
use pointillist_mechanisms::calibrate::{Calibration, Noise, Target};
use pointillist_numbers::Rational;
use pointillist_privacy::account::specification::{Fields, statement};
use pointillist_privacy::account::{Statement, best};
use pointillist_privacy::amplification::SamplingRate;
use pointillist_privacy::calculator::{AmplificationForm, ConversionForm, FilterForm, GroupForm, LossForm};
use pointillist_privacy::{Delta, Epsilon, ParameterError, Rho};
use pointillist_render::calculator::{
    amplification, calibration, composition_json, conversion, filter_comparison, group_loss, profile_chart,
    repeated_use_chart,
};
use pointillist_render::svg::Drawing;
use pyo3::prelude::*;

use crate::errors::{raised, wrong};
use crate::interrupt::interruptible;
use crate::submodule;

/// ε of a fixed list at a δ, by every accountant that applies, as JSON.
#[pyfunction]
fn compose(py: Python<'_>, entries: Vec<Fields>, delta: String) -> PyResult<String> {
    let (list, at) = (listed(entries)?, read(&delta, Delta::parse)?);
    let accounts = said(interruptible(py, move || list.accounts(&at))?)?;
    if best(&accounts).is_none() {
        return Err(no_epsilon());
    }
    Ok(composition_json(&accounts, &delta).to_string())
}

fn no_epsilon() -> PyErr {
    let hint = "with δ = 0 only pure mechanisms have one; ask for a larger δ";
    wrong("no accountant has an ε for this list at this δ", hint)
}

/// ε of a fixed list at a δ, between two bounds.
#[pyfunction]
fn epsilon(py: Python<'_>, entries: Vec<Fields>, delta: &str) -> PyResult<(f64, f64)> {
    let (list, at) = (listed(entries)?, read(delta, Delta::parse)?);
    let found = said(interruptible(py, move || list.epsilon(&at))?)?.ok_or_else(no_epsilon)?;
    Ok((found.lower, found.upper))
}

/// δ of a fixed list at an ε, between two bounds.
#[pyfunction]
fn delta(py: Python<'_>, entries: Vec<Fields>, epsilon: &str) -> PyResult<(f64, f64)> {
    let (list, at) = (listed(entries)?, read(epsilon, Epsilon::parse)?);
    let found = said(interruptible(py, move || list.delta(&at))?)?;
    Ok((found.lower, found.upper))
}

/// δ against ε, drawn.
#[pyfunction]
fn profile_svg(py: Python<'_>, entries: Vec<Fields>, delta: &str) -> PyResult<String> {
    let (list, at) = (listed(entries)?, read(delta, Delta::parse)?);
    let curves = said(interruptible(py, move || list.profile(&at))?)?;
    Ok(profile_chart(curves).to_svg())
}

/// ε against how often the whole list runs, drawn.
#[pyfunction]
fn uses_svg(py: Python<'_>, entries: Vec<Fields>, delta: &str) -> PyResult<String> {
    let (list, at) = (listed(entries)?, read(delta, Delta::parse)?);
    let delta = at.clone();
    let curves = said(interruptible(py, move || list.repeated_use(&at))?)?;
    Ok(repeated_use_chart(curves, &delta).to_svg())
}

/// The least noise for a promise, as JSON.
#[pyfunction]
#[pyo3(signature = (mechanism, epsilon, delta, rho, count, sensitivity))]
fn calibrate(
    py: Python<'_>,
    mechanism: &str,
    epsilon: Option<&str>,
    delta: Option<&str>,
    rho: Option<&str>,
    count: u64,
    sensitivity: Option<&str>,
) -> PyResult<String> {
    let all = [
        Noise::Gaussian,
        Noise::Laplace,
        Noise::DiscreteGaussian,
        Noise::DiscreteLaplace,
        Noise::RandomizedResponse,
    ];
    let name = mechanism.replace('_', "-");
    let noise = all.into_iter().find(|noise| noise.name() == name).ok_or_else(|| {
        let names = all.map(|noise| noise.name().replace('-', "_")).join(", ");
        wrong(format!("the noise of `{mechanism}` is not calibrated here"), format!("take one of {names}"))
    })?;
    let loss = loss(epsilon, delta, rho)?;
    let target = Target::of_form(loss.epsilon.as_ref(), loss.delta.as_ref(), loss.rho.as_ref());
    let moved = sensitivity.map(Rational::parse).transpose();
    let asked = Calibration {
        noise,
        target: said(target)?,
        count,
        sensitivity: moved.map_err(|error| raised(&error.explanation().about("sensitivity")))?,
    };
    let (asked, figures) = interruptible(py, move || {
        let figures = asked.figures();
        (asked, figures)
    })?;
    Ok(calibration(&asked, sensitivity.unwrap_or("1"), &said(figures)?).json.to_string())
}

/// One guarantee in the words of another, as JSON.
#[pyfunction]
#[pyo3(signature = (epsilon, delta, rho, mu, eta))]
fn convert(
    py: Python<'_>,
    epsilon: Option<&str>,
    delta: Option<&str>,
    rho: Option<&str>,
    mu: Option<&str>,
    eta: Option<&str>,
) -> PyResult<String> {
    let LossForm { epsilon, delta, rho } = loss(epsilon, delta, rho)?;
    let mu = mu.map(Rational::parse).transpose();
    let form = ConversionForm {
        epsilon,
        delta,
        rho,
        mu: mu.map_err(|error| raised(&error.explanation().about("mu")))?,
        eta: optional(eta, Epsilon::parse)?,
    };
    let converted = py.detach(|| form.convert());
    Ok(conversion(&said(converted)?).json.to_string())
}

/// What a secret sample or a shuffler adds, as JSON.
#[pyfunction]
#[pyo3(signature = (epsilon, delta, sampling_rate, shuffle, inverse))]
fn amplify(
    py: Python<'_>,
    epsilon: &str,
    delta: Option<&str>,
    sampling_rate: Option<&str>,
    shuffle: Option<u64>,
    inverse: bool,
) -> PyResult<String> {
    let form = AmplificationForm {
        epsilon: read(epsilon, Epsilon::parse)?,
        delta: optional(delta, Delta::parse)?,
        sampling_rate: optional(sampling_rate, SamplingRate::parse)?,
        shuffled_reports: shuffle,
        inverse,
    };
    let amplified = interruptible(py, move || form.amplify())?;
    Ok(amplification(&said(amplified)?).json.to_string())
}

/// What a guarantee for one means for several, as JSON.
#[pyfunction]
#[pyo3(signature = (epsilon, delta, rho, size))]
fn group(
    py: Python<'_>,
    epsilon: Option<&str>,
    delta: Option<&str>,
    rho: Option<&str>,
    size: u64,
) -> PyResult<String> {
    let LossForm { epsilon, delta, rho } = loss(epsilon, delta, rho)?;
    let form = GroupForm { epsilon, delta, rho, size };
    let enlarged = py.detach(|| form.enlarge());
    Ok(group_loss(&said(enlarged)?).json.to_string())
}

/// How many more questions of a price fit into a budget, as JSON. Losses are ε, δ and ρ.
#[pyfunction]
fn filter(
    py: Python<'_>,
    budget: [Option<String>; 3],
    question: [Option<String>; 3],
    asked: u64,
) -> PyResult<String> {
    let form = |[epsilon, delta, rho]: [Option<String>; 3]| {
        loss(epsilon.as_deref(), delta.as_deref(), rho.as_deref())
    };
    let form = FilterForm { budget: form(budget)?, question: form(question)?, asked };
    let comparison = py.detach(|| form.compare());
    Ok(filter_comparison(&form, &said(comparison)?).json.to_string())
}

/// The list that these entries describe.
fn listed(entries: Vec<Fields>) -> PyResult<Statement> {
    said(statement(entries))
}

fn loss(epsilon: Option<&str>, delta: Option<&str>, rho: Option<&str>) -> PyResult<LossForm> {
    Ok(LossForm {
        epsilon: optional(epsilon, Epsilon::parse)?,
        delta: optional(delta, Delta::parse)?,
        rho: optional(rho, Rho::parse)?,
    })
}

fn read<T>(text: &str, parse: fn(&str) -> Result<T, ParameterError>) -> PyResult<T> {
    said(parse(text))
}

fn optional<T>(text: Option<&str>, parse: fn(&str) -> Result<T, ParameterError>) -> PyResult<Option<T>> {
    text.map(|text| read(text, parse)).transpose()
}

fn said<T, E: Explained>(found: Result<T, E>) -> PyResult<T> {
    found.map_err(|error| raised(&error))
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "accounting")?;
    module.add_function(wrap_pyfunction!(compose, &module)?)?;
    module.add_function(wrap_pyfunction!(epsilon, &module)?)?;
    module.add_function(wrap_pyfunction!(delta, &module)?)?;
    module.add_function(wrap_pyfunction!(profile_svg, &module)?)?;
    module.add_function(wrap_pyfunction!(uses_svg, &module)?)?;
    module.add_function(wrap_pyfunction!(calibrate, &module)?)?;
    module.add_function(wrap_pyfunction!(convert, &module)?)?;
    module.add_function(wrap_pyfunction!(amplify, &module)?)?;
    module.add_function(wrap_pyfunction!(group, &module)?)?;
    module.add_function(wrap_pyfunction!(filter, &module)?)
}
