//! What planner and engine promise together.

mod chance;
mod stability;

pub(crate) use chance::Chance;
