//! The ledger from outside: what is promised to owners and analysts, and what happens when machines fail.

#[path = "ledger/fixture.rs"]
mod fixture;

#[path = "ledger/cluster.rs"]
mod cluster;

#[path = "ledger/arithmetic.rs"]
mod arithmetic;
#[path = "ledger/corruption.rs"]
mod corruption;
#[path = "ledger/crash.rs"]
mod crash;
#[path = "ledger/decisions.rs"]
mod decisions;
#[path = "ledger/kill.rs"]
mod kill;
#[path = "ledger/moving.rs"]
mod moving;
#[path = "ledger/postgres.rs"]
mod postgres;
#[path = "ledger/postgres_place.rs"]
mod postgres_place;
#[path = "ledger/publications.rs"]
mod publications;
#[path = "ledger/questions.rs"]
mod questions;
#[path = "ledger/race.rs"]
mod race;
#[path = "ledger/reports.rs"]
mod reports;
#[path = "ledger/rollback.rs"]
mod rollback;
#[path = "ledger/shared.rs"]
mod shared;
#[path = "ledger/shared_crash.rs"]
mod shared_crash;
