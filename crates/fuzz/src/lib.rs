//! Mutated bytes into everything that reads bytes from outside: SQL, catalogs, tables, graphs, records of the ledger,
//! reports of surveys, logins and who may log in. All of it is in the tests of this crate: run `cargo xtask fuzz` for longer than a test may take.
//!
//! Each target starts from real inputs and mutates them (bits, bytes, blocks, words of its language, parts of other
//! inputs). What is checked is stated with the target: nothing panics, nothing hangs, and the same bytes mean the same
//! thing twice. An input that breaks a target is written to `target/fuzz`; copy it into `tests/found` with the fix.
