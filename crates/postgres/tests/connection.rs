//! A connection against real servers, where PostgreSQL is installed.

#[path = "connection/failures.rs"]
mod failures;
#[path = "connection/login.rs"]
mod login;
#[path = "connection/values.rs"]
mod values;

use pointillist_postgres::{Address, Connection, Limits};

fn connect(url: &str) -> Connection {
    Connection::open(&Address::parse(url).unwrap(), None, &Limits::default()).unwrap()
}
