//! Clustering: how often two neighbours of a node are tied to each other.
//!
//! The global coefficient is the share of 2-stars that are closed to triangles; the average coefficient is
//! the mean over all nodes of each node's own share. Nodes with many ties dominate the first and count like
//! all others in the second.

mod average;
mod global;

pub use average::AverageClustering;
pub use global::GlobalClustering;

use crate::{Answer, Estimate, Figure};

/// A share between zero and one, and an interval around it that is cut to what a share can be.
fn share(value: f64, lower: f64, upper: f64, note: &str) -> Answer {
    let [lower, upper] = [lower, upper].map(|end| end.clamp(0.0, 1.0));
    let value = Figure::Ratio(value.clamp(lower, upper));
    Answer { estimates: vec![Estimate { degree: None, value, lower, upper }], notes: vec![note.to_owned()] }
}
