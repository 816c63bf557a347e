//! Releases that are broken on purpose, each claiming what the right one would: an audit that does not refute
//! them all is worth nothing.
//!
//! **Never use anything here to protect anybody.** Where it can be, a leak is our own mechanism, given wrong
//! parameters; what a careless implementer forgot is the one line that differs.

mod choices;
mod keys;
mod medians;
mod numbers;
mod people;
mod randomness;
mod responses;
mod streams;

use pointillist_mechanisms::AdditiveNoise;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, Loss, Rho, SensitivityL1, SensitivityL2, SensitivityLInf, Spend};

use crate::{Observation, Subject, Trial};

/// A release that leaks, and why.
pub struct Planted {
    /// The release, with the claim of the right one.
    pub subject: Box<dyn Subject>,
    /// What a careless implementer forgot, in one sentence.
    pub flaw: &'static str,
    /// So many releases of either side are enough to refute it.
    pub releases: usize,
}

impl Planted {
    /// Most leaks are seen in ten thousand releases.
    fn new<D: Send + 'static>(flaw: &'static str, trial: Trial<D>) -> Self {
        Self { subject: Box::new(trial), flaw, releases: 10_000 }
    }

    /// A smaller leak.
    fn after(mut self, releases: usize) -> Self {
        self.releases = releases;
        self
    }
}

/// All leaks of mechanisms and of what surrounds them.
pub fn planted() -> Vec<Planted> {
    let mut all = numbers::planted();
    all.extend(people::planted());
    all.extend(keys::planted());
    all.extend(randomness::planted());
    all.extend(responses::planted());
    all.extend(choices::planted());
    all.extend(streams::planted());
    all.extend(medians::planted());
    all
}

/// Why the parameters below never fail.
const CONSTANT: &str = "the parameters of a planted leak are constants";

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).expect(CONSTANT)
}

fn delta(text: &str) -> Delta {
    Delta::parse(text).expect(CONSTANT)
}

fn rho(text: &str) -> Rho {
    Rho::parse(text).expect(CONSTANT)
}

fn rational(text: &str) -> Rational {
    Rational::parse(text).expect(CONSTANT)
}

fn pure(text: &str) -> Loss {
    Loss::pure(epsilon(text))
}

fn price(text: &str) -> Spend {
    Spend::Pure(epsilon(text))
}

fn l1(text: &str) -> SensitivityL1 {
    SensitivityL1::parse(text).expect(CONSTANT)
}

fn l2(text: &str) -> SensitivityL2 {
    SensitivityL2::parse(text).expect(CONSTANT)
}

fn linf(text: &str) -> SensitivityLInf {
    SensitivityLInf::parse(text).expect(CONSTANT)
}

/// Discrete Laplace noise that hides a change of this size at ε = 1.
fn noise_for(sensitivity: i128) -> AdditiveNoise {
    AdditiveNoise::for_number(sensitivity, &price("1")).expect(CONSTANT)
}

/// A number with noise that hides a change of this size at ε = 1; how the number is computed is the leak.
fn number<D>(name: &str, sensitivity: i128, computed: impl Fn(&D) -> i128 + Send + 'static) -> Trial<D> {
    let noise = noise_for(sensitivity);
    Trial::new(name, pure("1"), move |data: &D, bits| Observation::of(noise.release(computed(data), bits)))
}

/// Numbers by key, each with noise that hides a change of this size at ε = 1; how they are computed is the
/// leak.
fn table<D>(
    name: &str,
    sensitivity: i128,
    computed: impl Fn(&D) -> Vec<(&'static str, i128)> + Send + 'static,
) -> Trial<D> {
    let noise = noise_for(sensitivity);
    Trial::new(name, pure("1"), move |data: &D, bits| {
        let noisy = computed(data).into_iter().map(|(key, count)| (key, noise.release(count, bits)));
        noisy.fold(Observation::new(), |seen, (key, count)| seen.with(key, count))
    })
}

#[cfg(test)]
mod tests;
