//! A function of Python as a subject: called first, searched afterwards.
//!
//! The function runs on the calling thread with the interpreter's lock, alternately on the world and on its neighbour; what it
//! raises goes to the caller. There is one pair of worlds, so that every release that is drawn is counted or learnt from.

use pointillist_audit::{
    AuditError, Audited, Findings as Found, Observation, Profile, Settings, Side, Subject, audit, no_pair,
};
use pointillist_noise::{SecureBits, with_system_bits};
use pointillist_privacy::{Delta, Epsilon, Guarantee, Loss, Rho};
use pyo3::prelude::*;

use super::Findings;
use super::observe::observation;
use crate::errors::{raised, wrong};
use crate::interrupt::interruptible;

/// The fewest and the most releases of either side that an audit takes.
const TRIALS: std::ops::RangeInclusive<usize> = 200..=1_000_000;
/// Calls between two looks at signals, for functions that are not written in Python.
const CALLS: usize = 256;

/// Releases that were drawn before, given out in their order.
struct Recorded {
    profile: Profile,
    sides: [std::vec::IntoIter<Observation>; 2],
}

impl Subject for Recorded {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn release(
        &mut self,
        pair: usize,
        side: Side,
        _: &mut dyn SecureBits,
    ) -> Result<Observation, AuditError> {
        self.sides[side.index()].next().ok_or_else(|| no_pair(pair))
    }
}

/// What a function claims and how it is called.
#[pyfunction]
#[pyo3(signature = (release, worlds, name, pair, epsilon, delta, rho, trials, confidence, progress))]
#[expect(clippy::too_many_arguments, reason = "everything that a caller may say, once")]
fn of_callable(
    py: Python<'_>,
    release: &Bound<'_, PyAny>,
    worlds: (Bound<'_, PyAny>, Bound<'_, PyAny>),
    name: String,
    pair: String,
    epsilon: Option<&str>,
    delta: &str,
    rho: Option<&str>,
    trials: usize,
    confidence: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    let claim = claim(epsilon, delta, rho)?;
    let settings = settings(trials, confidence)?;
    let mut sides = [Vec::new(), Vec::new()];
    for done in 0..trials {
        sides[0].push(observation(&release.call1((&worlds.0,))?)?);
        sides[1].push(observation(&release.call1((&worlds.1,))?)?);
        if done % CALLS == 0 {
            py.check_signals()?;
        }
        if let Some(progress) = progress.as_ref().filter(|_| done % (trials / 100).max(1) == 0) {
            progress.call1(py, ("drawing releases", done as f64 / trials as f64))?;
        }
    }
    let profile = Profile::new(name.clone(), claim).with_neighbours([pair]);
    let mut subject = Recorded { profile, sides: sides.map(Vec::into_iter) };
    let finding = interruptible(py, move || {
        with_system_bits(|bits| audit(&mut subject, &settings, bits, &mut |_, _| ()))
    })?;
    let finding = finding.map_err(|error| raised(&error))?.map_err(|error| raised(&error))?;
    if let Some(progress) = &progress {
        progress.call1(py, ("searching", 1.0))?;
    }
    Ok(Findings::new(Found {
        title: name,
        notes: Vec::new(),
        rates: finding.rates,
        audited: vec![Audited { finding, flaw: None }],
        one_runs: Vec::new(),
    }))
}

/// What one call promises, of everything that was said.
fn claim(epsilon: Option<&str>, delta: &str, rho: Option<&str>) -> PyResult<Loss> {
    let delta = Delta::parse(delta).map_err(|error| raised(&error))?;
    let epsilon = epsilon.map(Epsilon::parse).transpose().map_err(|error| raised(&error))?;
    let rho = rho.map(Rho::parse).transpose().map_err(|error| raised(&error))?;
    let approximate = epsilon.map(|epsilon| Loss::approximate(epsilon, delta.clone()));
    match (approximate, rho) {
        (Some(loss), None) => Ok(loss),
        (None, Some(rho)) => Ok(Loss::approximate_zcdp(rho, delta)),
        (Some(loss), Some(rho)) => Ok(loss.and(Guarantee::ApproximateZeroConcentrated { rho, delta })),
        (None, None) => {
            Err(wrong("there is no claim to refute", "give epsilon, with delta where it has one, or rho"))
        }
    }
}

fn settings(trials: usize, confidence: f64) -> PyResult<Settings> {
    if !TRIALS.contains(&trials) {
        return Err(wrong(
            format!("{trials} trials of either world cannot be audited"),
            format!("ask for {} to {}; 20000 see most leaks", TRIALS.start(), TRIALS.end()),
        ));
    }
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(wrong(
            format!("{confidence} is not a confidence"),
            "give a number between 0 and 1, such as 0.95",
        ));
    }
    let mut settings = Settings::new(trials);
    settings.rates.doubt = 1.0 - confidence;
    Ok(settings)
}

/// Adds the function.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(of_callable, module)?)
}
