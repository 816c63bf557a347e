//! The other side: what an adversary learns without differential privacy, and tries with it.
//!
//! | room | its idea |
//! | --- | --- |
//! | [`records`], [`condition`] | a table of texts, as files have it, and some of its rows |
//! | [`anonymity`] | k-anonymity and its kin: the method that falls short, and what still works against it |
//! | [`linkage`] | quasi-identifiers joined with a public list; who is unique |
//! | [`reconstruction`] | secrets from many slightly wrong counts |
//! | [`differencing`], [`averaging`], [`floating`], [`membership`], [`minimiser`] | one attack each |
//! | [`comparison`] | what every attack hands to a door: theirs beside ours |
//! | [`limits`] | what differential privacy allows any of them |

pub mod anonymity;
pub mod averaging;
pub mod comparison;
pub mod condition;
pub mod differencing;
pub mod floating;
pub mod limits;
pub mod linkage;
pub mod membership;
pub mod minimiser;
pub mod reconstruction;
pub mod records;

mod deviation;
mod error;
mod serialized;

pub use comparison::Comparison;
pub use error::AttackError;
