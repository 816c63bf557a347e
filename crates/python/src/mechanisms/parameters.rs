//! Parameters that carry a promise, read exactly from texts.

use pointillist_errors::Explained;
use pointillist_mechanisms::{ContributionBound, Grid, Line, Movement};
use pointillist_numbers::Rational;
use pointillist_privacy::{
    Delta, Epsilon, FailureProbability, Neighbours, Rho, SensitivityL1, SensitivityL2, SensitivityLInf, Spend,
};
use pyo3::prelude::*;

use crate::errors::{raised, wrong};

/// What a room made, or what it says against it.
pub fn made<T>(result: Result<T, impl Explained>) -> PyResult<T> {
    result.map_err(|error| raised(&error))
}

/// An exact number.
pub fn rational(text: &str) -> PyResult<Rational> {
    made(Rational::parse(text))
}

/// Exact numbers.
pub fn rationals(texts: &[String]) -> PyResult<Vec<Rational>> {
    texts.iter().map(|text| rational(text)).collect()
}

/// An ε as its text says it, exactly.
pub fn epsilon(text: &str) -> PyResult<Epsilon> {
    made(Epsilon::parse(text))
}

/// A δ as its text says it, exactly.
pub fn delta(text: &str) -> PyResult<Delta> {
    made(Delta::parse(text))
}

/// A ρ as its text says it, exactly.
pub fn rho(text: &str) -> PyResult<Rho> {
    made(Rho::parse(text))
}

/// β, the probability with which an error bound may fail.
pub fn beta(text: &str) -> PyResult<FailureProbability> {
    made(FailureProbability::parse(text))
}

/// How far answers move in sum.
pub fn l1(text: &str) -> PyResult<SensitivityL1> {
    made(SensitivityL1::parse(text))
}

/// How far answers move together, as a distance.
pub fn l2(text: &str) -> PyResult<SensitivityL2> {
    made(SensitivityL2::parse(text))
}

/// How far each answer moves.
pub fn linf(text: &str) -> PyResult<SensitivityLInf> {
    made(SensitivityLInf::parse(text))
}

/// Which data sets are neighbours.
pub fn neighbours(text: &str) -> PyResult<Neighbours> {
    made(text.parse())
}

/// How scores move between neighbours.
pub fn movement(text: &str) -> PyResult<Movement> {
    match text {
        "general" => Ok(Movement::General),
        "monotone" => Ok(Movement::Monotone),
        other => Err(wrong(
            format!("`{}` is no movement of scores", shortened(other)),
            "write 'monotone' if between any two neighbours either no score falls or no score rises, else 'general'",
        )),
    }
}

/// What a release may cost: ε or ρ, one of them.
pub fn spend(epsilon: Option<&str>, rho: Option<&str>) -> PyResult<Spend> {
    match (epsilon, rho) {
        (Some(text), None) => Ok(Spend::Pure(self::epsilon(text)?)),
        (None, Some(text)) => Ok(Spend::Concentrated(self::rho(text)?)),
        (None, None) => Err(wrong("the price is missing", "give epsilon or rho")),
        (Some(_), Some(_)) => Err(wrong("the price is given twice", "give either epsilon or rho, not both")),
    }
}

/// The grid of a bounded column.
pub fn grid(lower: &str, upper: &str, step: &str) -> PyResult<Grid> {
    made(Grid::new(rational(lower)?, rational(upper)?, rational(step)?))
}

/// An interval with a grid.
pub fn line(lower: &str, upper: &str, step: &str) -> PyResult<Line> {
    made(Line::new(rational(lower)?, rational(upper)?, rational(step)?))
}

/// The most of one person that counts.
pub fn contribution(max_groups: u64, max_contributions: u64) -> PyResult<ContributionBound> {
    made(ContributionBound::new(max_groups, max_contributions))
}

/// A few letters of what somebody wrote.
pub fn shortened(text: &str) -> String {
    text.chars().take(60).flat_map(char::escape_debug).collect()
}
