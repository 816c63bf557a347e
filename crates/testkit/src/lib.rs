//! Tools for tests of random things, with stated false-alarm rates. Development only.
//!
//! * [`seeded`], [`scripted`], [`counting`]: reproducible sources of random words.
//! * [`assert_distribution`]: does a sampler have the distribution it claims?
//! * [`Distinguisher`]: can anybody tell two neighbouring releases apart better than ε and δ allow?
//! * [`renyi_divergence_lower`]: is a measured divergence above what was charged?
//! * [`all_datasets`], [`neighbours_add_remove`], [`neighbours_replace_one`]: every small data set and its
//!   neighbours.
//! * [`postgres`]: a PostgreSQL server in a temporary folder, where one is installed.
//! * [`spark`]: a Spark Connect server, where one is asked for.
//!
//! Floats are fine here: they decide whether a test fails, never what is released. The tests of this crate
//! show that broken samplers and leaking releases are caught.

mod beta;
mod bounds;
mod chi_square;
mod distinguish;
mod gamma;
mod neighbours;
#[cfg(unix)]
pub mod postgres;
mod renyi;
mod seeded;
#[cfg(unix)]
pub mod spark;

pub use bounds::{clopper_pearson_lower, clopper_pearson_upper, hoeffding_radius};
pub use chi_square::{FALSE_ALARM, assert_distribution, chi_square_p_value, distribution_p_value};
pub use distinguish::{Distinguisher, Verdict};
pub use neighbours::{all_datasets, neighbours_add_remove, neighbours_replace_one};
pub use renyi::{hockey_stick, log_ratio_range, max_log_ratio, renyi_divergence, renyi_divergence_lower};
pub use seeded::{WordCount, counting, scripted, seeded};
