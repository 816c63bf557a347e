//! SQL to private plan: who owns each row, how contributions are bounded, which mechanism answers, at what
//! cost, with what error.

pub mod plan;
pub mod scalar;
