//! Many people with a value of their own, and one run of every method.
//!
//! **Seen.** A canary's own cells of every marginal that was measured, as the model puts them together.
//! **Not seen.** Whatever moves all canaries alike: an exact number of rows tells next to nothing about each coin. That leak is for the
//! audit of many releases.

use pointillist_noise::SecureBits;
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Spend};
use pointillist_synth::{Domain, MemoryCodes, Method, Model, Recipe, Synthesizer};

use crate::crowd::Crowd;
use crate::{AuditError, Canaries};

/// How many canaries there are.
const COUNT: usize = 2000;
/// The δ at which a price in ρ is ε.
const DELTA: &str = "1e-9";

pub(super) fn canaries(epsilon: &Epsilon) -> Result<Vec<Box<dyn Canaries>>, AuditError> {
    let mut all: Vec<Box<dyn Canaries>> = Vec::new();
    for method in Method::ALL {
        let spend = match method {
            Method::Aim => Spend::Concentrated(zcdp_rho_lower(epsilon, &Delta::parse(DELTA)?)?),
            Method::Mst | Method::Mwem | Method::Residual => Spend::Pure(epsilon.clone()),
        };
        let synthesizer = listing(method, COUNT, &spend)?;
        let (name, claim) = (format!("synth: {method}"), synthesizer.loss().clone());
        all.push(Box::new(Crowd::new(name, claim, COUNT, move |present, bits| {
            fitted(&synthesizer, present, bits)
                .map_or_else(|| vec![0.0; present.len()], |model| scores(&model))
        })));
    }
    Ok(all)
}

/// A column in which every canary has a value, and one of two values. Rare values are not merged: that would hide canaries.
pub(super) fn listing(method: Method, canaries: usize, spend: &Spend) -> Result<Synthesizer, AuditError> {
    let recipe = Recipe::new(method).with_settings("merge = 0, rounds = 1, iterations = 3")?;
    Ok(recipe.synthesizer(Domain::new(vec![canaries as u32, 2])?, 1, spend)?)
}

/// The canaries that are there, a row each.
pub(super) fn rows(present: &[bool]) -> MemoryCodes {
    let there = (0u32..).zip(present).filter(|(_, present)| **present);
    MemoryCodes::new(there.flat_map(|(canary, _)| [canary, canary % 2]).collect(), 2)
}

/// One run; nothing where it is refused, which no coin decides.
pub(super) fn fitted(
    synthesizer: &Synthesizer,
    present: &[bool],
    bits: &mut dyn SecureBits,
) -> Option<Model> {
    let measured = synthesizer.fit(&rows(present), bits, &mut |_| ()).ok()?;
    synthesizer.model(measured).ok()
}

/// What was measured of each canary's cells, the surer the heavier.
fn scores(model: &Model) -> Vec<f64> {
    let mut scores = vec![0.0; model.domain().size(0)];
    for (columns, width) in [(vec![0], 1), (vec![0, 1], 2)] {
        let Some(known) = model.measured(&columns) else { continue };
        let own = |canary: usize| known.values[canary * width + canary % width];
        let weight = known.deviation.powi(-2);
        scores.iter_mut().enumerate().for_each(|(canary, score)| *score += weight * own(canary));
    }
    scores
}
