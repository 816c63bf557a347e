//! The targets, a few thousand inputs each; longer with `cargo xtask fuzz`.

#[path = "fuzz/driver.rs"]
mod driver;
#[path = "fuzz/ledger.rs"]
mod ledger;
#[path = "fuzz/logins.rs"]
mod logins;
#[path = "fuzz/questions.rs"]
mod questions;
#[path = "fuzz/surveys.rs"]
mod surveys;
#[path = "fuzz/tables.rs"]
mod tables;
