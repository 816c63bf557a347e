//! The studies from end to end; one binary, and its modules are one study each.

#[path = "study/recommendations.rs"]
mod recommendations;

#[path = "study/traces.rs"]
mod traces;
