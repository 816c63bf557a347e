//! Statistics of graphs under edge and node privacy.
//!
//! A [`Graph`] is simple and undirected. Two notions of neighbours decide what is protected: under *edge privacy* one
//! tie between two people, with the list of people public; under *node privacy* a person with all their ties, and then
//! even the number of people is private.
//!
//! | room | its idea |
//! | --- | --- |
//! | [`graph`](mod@graph), [`read`] | a simple graph in memory, and how files become one |
//! | [`kernel`] | exact counts, fast; never for release |
//! | [`sensitivity`] | by how much one edge or one node can move a statistic: the table of the lecture on graphs of "Applied Privacy for Data Science" (Harvard CS 208, 2022) |
//! | [`extension`] | a mechanism that is private on some graphs only, extended to all for twice the price; on tiny graphs, to look at |
//! | [`isotonic`] | the closest sequence that never rises, for distributions with noise |
//! | [`edge`] | mechanisms for edge privacy, one file each |
//! | [`node`] | mechanisms for node privacy, one file each |
//! | [`synthetic`] | a made-up graph from released degrees and triangles |
//! | [`plan`](mod@plan) | from a question to the mechanism that answers it, with its price and its expected error |

pub mod edge;
pub mod extension;
pub mod graph;
pub mod isotonic;
pub mod kernel;
pub mod node;
pub mod plan;
pub mod read;
pub mod sensitivity;
pub mod synthetic;

mod answer;
mod error;
mod mechanism;
mod statistic;

pub use answer::{Answer, Estimate, Figure};
pub use error::GraphError;
pub use graph::Graph;
pub use mechanism::{Draw, Mechanism, Outlook};
pub use plan::{Public, Question, plan};
pub use statistic::{Method, Privacy, Statistic};
pub use synthetic::{Distance, ReleasedNumbers, SyntheticGraph};

/// The example of the crate's page is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
