//! Released numbers: integers on a public grid.

use serde::{Deserialize, Serialize};

/// Numbers i·2^-bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridNumbers {
    /// The step of the grid is 2^-bits.
    pub bits: i32,
    /// The numbers, in steps.
    pub values: Vec<i64>,
}

impl GridNumbers {
    /// The numbers as floating point, each rounded once.
    pub fn to_f64(&self) -> Vec<f64> {
        let step = (-f64::from(self.bits)).exp2();
        self.values.iter().map(|value| *value as f64 * step).collect()
    }
}
