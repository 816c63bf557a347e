//! What one release of counts costs, where an attack compares it with rows.

use std::fmt;

use pointillist_privacy::{Delta, Epsilon, ParameterError};
use pointillist_render::decimals::exact;
use serde::Serialize;

use crate::serialized;

/// Counts that may be drawn for one attack: about a second.
const DRAWS: usize = 2_000_000;
/// More releases than this make no figure better.
const RELEASES_MAX: usize = 200;

/// The price of one release of counts, for one more or one fewer person.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReleasePrice {
    /// What one person may change any probability by, as a power of e.
    #[serde(serialize_with = "serialized::epsilon")]
    pub epsilon: Epsilon,
    /// The probability with which a rare combination may show, where combinations are not public.
    #[serde(serialize_with = "serialized::delta")]
    pub delta: Delta,
}

impl ReleasePrice {
    /// The price from what somebody wrote.
    pub fn parse(epsilon: &str, delta: &str) -> Result<Self, ParameterError> {
        Ok(Self { epsilon: Epsilon::parse(epsilon)?, delta: Delta::parse(delta)? })
    }

    /// The price of counts over public combinations, which need no threshold: ε alone, in words.
    pub fn of_public_keys(&self) -> String {
        format!("ε = {}", exact(self.epsilon.value()))
    }
}

impl fmt::Display for ReleasePrice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ε = {}, δ = {}", exact(self.epsilon.value()), exact(self.delta.value()))
    }
}

/// How many releases of so many counts are simulated.
pub(crate) fn releases(cells: usize) -> usize {
    (DRAWS / cells.max(1)).clamp(1, RELEASES_MAX)
}
