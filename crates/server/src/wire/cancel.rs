//! Cancelling: a second connection that knows a session's key stops the statement that it waits for.
//!
//! **Guarantee.** A key that is wrong does nothing and is told nothing, as PostgreSQL does; it is compared in constant time. A
//! statement that is cancelled keeps its charge: what the curator began it finishes and records, and nobody is sent the answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use subtle::ConstantTimeEq;
use tokio::sync::Notify;

/// Bytes of a key where the client speaks 3.2 or later; clients of 3.0 read four.
const LONG_KEY: usize = 32;

/// Every session that can be cancelled.
#[derive(Clone, Default)]
pub(crate) struct CancelRegistry(Arc<Mutex<HashMap<i32, Registered>>>);

struct Registered {
    key: Vec<u8>,
    signal: CancelSignal,
}

/// What a session looks at while a statement of its runs.
#[derive(Clone, Default)]
pub(crate) struct CancelSignal(Arc<Signal>);

#[derive(Default)]
struct Signal {
    cancelled: AtomicBool,
    changed: Notify,
}

/// A session's entry, which goes when the session does.
pub(crate) struct CancelEntry {
    registry: CancelRegistry,
    /// The number by which the client names the session.
    pub(crate) backend_pid: i32,
    /// What it must know besides.
    pub(crate) key: Vec<u8>,
    /// What the session looks at.
    pub(crate) signal: CancelSignal,
}

impl CancelRegistry {
    /// An entry with a number and a key of its own; nothing where the operating system gives no random bytes.
    pub(crate) fn register(&self, long_key: bool) -> Option<CancelEntry> {
        let mut key = vec![0; if long_key { LONG_KEY } else { 4 }];
        getrandom::fill(&mut key).ok()?;
        let signal = CancelSignal::default();
        let mut sessions = self.sessions();
        let backend_pid = loop {
            // Numbers are drawn, not counted: how many came before somebody is not theirs to know.
            let mut bytes = [0; 4];
            getrandom::fill(&mut bytes).ok()?;
            let number = i32::from_be_bytes(bytes) & i32::MAX;
            if number != 0 && !sessions.contains_key(&number) {
                break number;
            }
        };
        sessions.insert(backend_pid, Registered { key: key.clone(), signal: signal.clone() });
        drop(sessions);
        Some(CancelEntry { registry: self.clone(), backend_pid, key, signal })
    }

    /// Cancels what the session of that number waits for, if the key is its own.
    pub(crate) fn cancel(&self, backend_pid: i32, key: &[u8]) {
        let sessions = self.sessions();
        if let Some(session) = sessions.get(&backend_pid)
            && bool::from(session.key.as_slice().ct_eq(key))
        {
            session.signal.cancel();
        }
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<i32, Registered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CancelSignal {
    fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }

    /// Forgets what was asked before a statement began: it was about another one.
    pub(crate) fn clear(&self) {
        self.0.cancelled.store(false, Ordering::SeqCst);
    }

    /// Whether somebody asked to cancel.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Waits until somebody asks to cancel.
    pub(crate) async fn cancelled(&self) {
        loop {
            let mut changed = std::pin::pin!(self.0.changed.notified());
            // Listens before it looks, so that nothing in between is missed.
            changed.as_mut().enable();
            if self.is_cancelled() {
                return;
            }
            changed.await;
        }
    }
}

impl Drop for CancelEntry {
    fn drop(&mut self) {
        self.registry.sessions().remove(&self.backend_pid);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn the_right_key_cancels_its_session_and_no_other() {
        let registry = CancelRegistry::default();
        let (one, other) = (registry.register(true).unwrap(), registry.register(false).unwrap());
        assert_eq!((one.key.len(), other.key.len()), (32, 4));
        let waiting = tokio::spawn({
            let signal = one.signal.clone();
            async move { signal.cancelled().await }
        });
        registry.cancel(one.backend_pid, &one.key);
        tokio::time::timeout(Duration::from_secs(5), waiting).await.unwrap().unwrap();
        assert!(one.signal.is_cancelled());
        assert!(!other.signal.is_cancelled());
        one.signal.clear();
        assert!(!one.signal.is_cancelled());
    }

    /// Specification: a thousand guesses at keys, prefixes of the right one among them, stop nothing.
    #[test]
    fn a_storm_of_wrong_keys_cancels_nothing() {
        let registry = CancelRegistry::default();
        let entry = registry.register(true).unwrap();
        for guess in 0..1_000_u32 {
            let mut key = entry.key.clone();
            key[(guess % 32) as usize] ^= 1 + (guess / 32) as u8;
            registry.cancel(entry.backend_pid, &key);
            registry.cancel(entry.backend_pid ^ 1, &entry.key);
        }
        for length in 0..32 {
            registry.cancel(entry.backend_pid, &entry.key[..length]);
        }
        assert!(!entry.signal.is_cancelled());
        registry.cancel(entry.backend_pid, &entry.key);
        assert!(entry.signal.is_cancelled());
    }

    #[test]
    fn a_session_that_ended_is_forgotten() {
        let registry = CancelRegistry::default();
        let entry = registry.register(true).unwrap();
        let (signal, number, key) = (entry.signal.clone(), entry.backend_pid, entry.key.clone());
        drop(entry);
        registry.cancel(number, &key);
        assert!(!signal.is_cancelled());
        assert!(registry.sessions().is_empty());
    }
}
