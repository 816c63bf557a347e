//! Every mechanism of the catalogue as a subject: its own loss is the claim, all that it releases is seen.
//!
//! **Neighbours.** Pairs are chosen to be hard: the pair for which the proof is tight, people with as many
//! rows as are allowed and with many more, values at and beyond the bounds, nothing against something, ties,
//! keys that one person alone has. Each is a pair by the relation the mechanism was built for; a pair that is
//! not would be a false alarm, and a test of its own draws every pair.
//! **Parameters.** Small, so that a release takes microseconds, and with a δ large enough to be measured: an
//! audit of δ = 1e-9 from a few thousand releases sees nothing.

mod choices;
mod crowds;
mod medians;
mod numbers;
mod quantiles;
mod responses;
mod smooth;
mod streams;
mod tables;

use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, Rho, SensitivityL1, SensitivityL2, SensitivityLInf, Spend};

use crate::{AuditError, Canaries, Subject};

/// The δ of every mechanism that has one: rare, and common enough to be counted.
const DELTA: &str = "0.02";

/// What several subjects are made of, or why they cannot be.
type Subjects = Result<Vec<Box<dyn Subject>>, AuditError>;

/// One subject or more for every card of [`pointillist_mechanisms::catalogue`], at this price: its name is
/// the card's, perhaps with a variant in parentheses. Mechanisms that are paid in ρ get ε²/2, those with a δ
/// get 0.02.
///
/// # Errors
/// When a mechanism refuses the price; it says which prices it takes.
pub fn mechanisms(epsilon: &Epsilon) -> Result<Vec<Box<dyn Subject>>, AuditError> {
    let terms = Terms::new(epsilon)?;
    let mut all = Vec::new();
    all.extend(responses::subjects(&terms)?);
    all.extend(numbers::subjects(&terms)?);
    all.extend(tables::subjects(&terms)?);
    all.extend(quantiles::subjects(&terms)?);
    all.extend(choices::subjects(&terms)?);
    all.extend(streams::subjects(&terms)?);
    all.extend(smooth::subjects(&terms)?);
    all.extend(medians::subjects(&terms)?);
    Ok(all)
}

/// Mechanisms that see many people in one run, each of them a canary, at this price.
///
/// # Errors
/// When a mechanism refuses the price; it says which prices it takes.
pub fn canaries(epsilon: &Epsilon) -> Result<Vec<Box<dyn Canaries>>, AuditError> {
    crowds::canaries(&Terms::new(epsilon)?)
}

/// The price in every currency.
struct Terms {
    epsilon: Epsilon,
    rho: Rho,
    delta: Delta,
}

impl Terms {
    fn new(epsilon: &Epsilon) -> Result<Self, AuditError> {
        let rho = Rho::from_pure(epsilon)?;
        Ok(Self { epsilon: epsilon.clone(), rho, delta: Delta::parse(DELTA)? })
    }

    fn pure(&self) -> Spend {
        Spend::Pure(self.epsilon.clone())
    }

    fn concentrated(&self) -> Spend {
        Spend::Concentrated(self.rho.clone())
    }

    /// Both currencies, with the words that tell the two subjects apart.
    fn prices(&self) -> [(&'static str, Spend); 2] {
        [("ε", self.pure()), ("ρ", self.concentrated())]
    }
}

fn l1(distance: u32) -> Result<SensitivityL1, AuditError> {
    Ok(SensitivityL1::new(Rational::from(distance))?)
}

fn l2(distance: u32) -> Result<SensitivityL2, AuditError> {
    Ok(SensitivityL2::new(Rational::from(distance))?)
}

fn linf(distance: u32) -> Result<SensitivityLInf, AuditError> {
    Ok(SensitivityLInf::new(Rational::from(distance))?)
}

/// The card's name and the variant.
fn named(card: &pointillist_mechanisms::Card, variant: &str) -> String {
    format!("{} ({variant})", card.name)
}

/// A multiple of the step, counted in steps.
fn in_steps(value: &Rational, step: &Rational) -> i128 {
    i128::try_from((value / step).floor()).expect("audited answers are small")
}

#[cfg(test)]
mod tests;
