//! Many tables at once: which measurements answer them with least noise, and what follows from those.
//!
//! ```text
//!   axes, wanted tables, price ──► strategy ──► measurements ──► noisy integers ──► reconstruction ──► whole numbers
//!                                  free, public                  the only step         every table, every cell,
//!                                                                that sees data        its error; all agree
//! ```
//!
//! A [`Cube`] has attributes, each a chain of ever finer partitions; a table is one depth for each ([`Depths`]). What a
//! table says beyond its coarser tables is a residual ([`What`]); a [`Measurement`] releases one, or a table itself, with
//! integer noise for an exact price. [`choose`] picks what to measure; [`Reconstruction`] puts tables together again.

mod allocation;
mod attribute;
mod cube;
mod error;
mod influence;
mod information;
mod measurement;
mod reconstruction;
mod residual;
mod simplex;
mod strategy;
mod transport;
mod whole;

pub use allocation::{Budget, Goal, Wanted, allocate};
pub use attribute::Attribute;
pub use cube::{Cell, Cube, Depths, TABLE_CELLS_MAX, is_below, join, meet};
pub use error::WorkloadError;
pub use measurement::{Measurement, Shift};
pub use reconstruction::{Estimate, Reconstruction};
pub use residual::{Moved, Norms, What};
pub use strategy::{Axis, Choice, Strategy, choose};
pub use whole::whole_numbers;
