//! Numbers that carry a promise: exact rationals, and real functions with certified bounds.
//!
//! Everything that backs a privacy claim is computed here or in plain integers. A [`Rational`] is exact. An
//! [`Enclosure`] is a pair of exact bounds around a real number; every operation on enclosures rounds its
//! lower bound down and its upper bound up, so the result is a theorem and not an approximation.
//!
//! This crate knows nothing of randomness or privacy.

mod arctangent;
mod constants;
mod enclosure;
mod exponential;
mod logarithm;
mod normal;
mod rational;
mod rounding;

pub use dashu_int::{IBig, UBig};
pub use enclosure::Enclosure;
pub use normal::normal_quantile_upper;
pub use rational::{NumberError, Rational};
pub use rounding::{
    decimal_lower, decimal_upper, short_decimal_lower, short_decimal_upper, without_leading_zeros,
};

/// The example of the crate's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
