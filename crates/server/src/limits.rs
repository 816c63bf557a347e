//! How much of everything one server lets in.

use std::time::Duration;

/// Limits of size, time and number. Each is per connection unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once, of both doors together.
    pub connections: usize,
    /// Connections at once from one person.
    pub connections_per_person: usize,
    /// Questions of one person that are on their way at once, until their replies leave; further ones wait.
    pub questions_per_person: usize,
    /// Questions of everybody that are on their way at once; further ones wait.
    pub questions: usize,
    /// The longest message or body, in bytes.
    pub message_bytes: usize,
    /// From the first byte to being let in.
    pub login: Duration,
    /// The whole of a request's head, and of its body.
    pub request: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// For a client that does not read.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4_096,
            connections_per_person: 1_024,
            questions_per_person: 64,
            questions: 512,
            message_bytes: 1 << 20,
            login: Duration::from_secs(30),
            request: Duration::from_secs(30),
            idle: Duration::from_secs(3_600),
            write: Duration::from_secs(60),
        }
    }
}
