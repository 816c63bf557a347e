//! What is answered, what is refused, and that nothing makes the planner fall over.

mod accepted;
mod bounds;
pub(crate) mod fixture;
mod graphs;
mod hostile;
mod parameters;
mod periods;
mod person_bounds;
mod prices;
mod public;
mod questions_as_bytes;
mod ratios;
mod refused;
mod relations;
mod released;
mod sql;
mod tools;
mod training_rows;
mod types;
