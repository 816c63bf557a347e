//! The Postgres wire.
