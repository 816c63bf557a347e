//! Whole studies under differential privacy, each from a file of rows to a report.
//!
//! [`recommendations`] learns from films that people rated, after McSherry and Mironov (KDD 2009); [`traces`] learns from packets
//! that a network carried, after McSherry and Mahajan (SIGCOMM 2010). A study says whose secret is kept (all of a person's rows,
//! or one of them), charges a ledger before it reads a row, releases exact integers with exact noise, and computes everything
//! else from those.

pub mod recommendations;
pub mod traces;
