//! One file a verb.

pub mod account;
pub mod mechanisms;
pub mod noise;
