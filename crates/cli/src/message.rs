//! Words for people, on stderr: apart from answers, and never a reason to fail.
//!
//! A reader of stderr may go away (`2>&1 | head`), and `eprintln!` would then end the program in the middle of what it
//! does. Here such words are lost and nothing else happens; a lint keeps `eprintln!` out of this crate.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::terminal::tell;

static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on nothing but errors is said.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether nothing but errors is said.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// A line that helps: what was written where, a note, a reminder.
pub fn say(line: impl Display) {
    if !is_quiet() {
        insist(line);
    }
}

/// A line that is said in any case: errors.
pub fn insist(line: impl Display) {
    tell(&line.to_string());
}
