//! Bounded aggregations where the rows live: the contract of engines over other people's servers.
//!
//! **Guarantee.** Whatever a server cannot do faithfully is refused by name before anything is paid, from its catalogs and from
//! its planner, without a look at a row. After that there are whole numbers per group or one constant failure.

pub mod postgres;
mod rows_place;
mod server;
pub mod spark;

pub use rows_place::RowsPlace;
pub use server::{Server, Session, Tell};
