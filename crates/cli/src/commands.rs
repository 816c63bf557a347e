//! One file a verb.

pub mod mechanisms;
pub mod noise;
