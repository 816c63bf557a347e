//! Trainers from outside: whatever the rows and the price, a model or a clear refusal.

#[path = "all/hostile.rs"]
mod hostile;
#[path = "all/known_defects.rs"]
mod known_defects;
#[path = "all/trainers.rs"]
mod trainers;
