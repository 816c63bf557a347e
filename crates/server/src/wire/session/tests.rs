//! Sessions over a made-up clinic: bytes in, bytes out, and what the ledger says.

mod clients;
mod house;
mod portals;
mod simple;
mod system;
mod undo;
