//! What planner and engine promise together.

mod stability;
