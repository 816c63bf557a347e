//! Trainers from outside: whatever the rows and the price, a model or a clear refusal.

#[path = "all/hostile.rs"]
mod hostile;
#[path = "all/trainers.rs"]
mod trainers;
