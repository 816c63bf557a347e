//! Sanitized tables: marginals of private rows with integer noise, a graphical model of them, and rows drawn from it.
//!
//! ```text
//!   sizes of columns, recipe, price ──► synthesizer ──► noisy marginals ──► model ──► rows, marginals, error bars
//!                                       free, public    the only step        post-processing of released integers
//!                                                       that sees rows
//! ```

mod aim;
mod annealed_budget;
mod attribute_set;
mod broadcast;
mod component;
mod compression;
mod domain;
mod error;
mod exact_floats;
mod exponentials;
mod graphical_model;
mod histogram;
mod junction_tree;
mod marginal_query;
mod measured;
mod measured_marginal;
mod model;
mod mst;
mod mwem;
mod noisy_marginal;
mod one_way;
mod propagation;
mod public_coins;
mod recipe;
mod residual_basis;
mod rows;
mod sampling;
mod selection;
mod synthesizer;
mod table;

pub use domain::{ATTRIBUTES_MAX, CODES_MAX, Domain};
pub use error::SynthError;
pub use measured::{Measured, NoisyMarginal, NoisyResidual};
pub use measured_marginal::{DEVIATIONS_95, MeasuredMarginal};
pub use model::Model;
pub use noisy_marginal::Noise;
pub use public_coins::PublicCoins;
pub use recipe::{Method, Recipe, SETTINGS};
pub use rows::{CodeRows, MemoryCodes, RowsError};
pub use synthesizer::{Progress, Synthesizer};
pub use table::{
    Attribute, Binning, Compared, TABLE_SETTINGS, TableDistance, TableDistances, TableLayout, TableMeasured,
    TableModel, TableRecipe, TableSynthesizer,
};

/// The example of the crate's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
