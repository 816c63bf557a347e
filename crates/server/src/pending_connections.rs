//! Connections of people who are not let in yet, or who ask for nothing now, and who of them has to leave when there are too many.
//!
//! **Guarantee.** Whoever opens connections and says nothing, or a byte now and then, keeps nobody out: when an address has too
//! many logins, or there are too many connections in all, the oldest leaves (of the address that has most). A login takes a few
//! round trips; to push one out somebody has to open all of an address's places within that time, from that address. Over HTTP,
//! where one proxy speaks for many, an address may have as many as there are places, until somebody else needs one.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::login_failures::network;

/// Everybody who is not let in yet.
pub(crate) struct PendingConnections {
    per_address: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    next: u64,
    /// By age.
    waiting: BTreeMap<u64, Waiting>,
}

struct Waiting {
    address: IpAddr,
    /// Whether it is a login, of which an address may have so many.
    is_login: bool,
    leave: Arc<Notify>,
}

/// A connection that waits, until it is dropped.
pub(crate) struct Pending {
    everybody: Arc<PendingConnections>,
    number: u64,
    leave: Arc<Notify>,
}

impl PendingConnections {
    /// Nobody, and so many at most from one address.
    pub(crate) fn new(per_address: usize) -> Arc<Self> {
        Arc::new(Self { per_address: per_address.max(1), table: Mutex::default() })
    }

    /// One more login, for which the oldest from there may have to leave.
    pub(crate) fn enter(self: &Arc<Self>, address: IpAddr) -> Pending {
        let address = network(address);
        let mut table = self.table();
        let is_one = |waiting: &Waiting| waiting.is_login && waiting.address == address;
        if table.waiting.values().filter(|waiting| is_one(waiting)).count() >= self.per_address {
            table.evict(is_one);
        }
        let leave = Arc::new(Notify::new());
        let number = table.add(Waiting { address, is_login: true, leave: Arc::clone(&leave) });
        Pending { everybody: Arc::clone(self), number, leave }
    }

    /// One more that asks for nothing now, and is told so when it has to leave.
    pub(crate) fn idle(self: &Arc<Self>, address: IpAddr, leave: Arc<Notify>) -> Pending {
        let waiting = Waiting { address: network(address), is_login: false, leave: Arc::clone(&leave) };
        let number = self.table().add(waiting);
        Pending { everybody: Arc::clone(self), number, leave }
    }

    /// Makes room: the oldest from the address that has most leaves. `false` where everybody is let in.
    pub(crate) fn evict_one(&self) -> bool {
        let mut table = self.table();
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for waiting in table.waiting.values() {
            *counts.entry(waiting.address).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.is_some_and(|(address, _)| table.evict(|waiting| waiting.address == address))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn add(&mut self, waiting: Waiting) -> u64 {
        let number = self.next;
        self.next += 1;
        self.waiting.insert(number, waiting);
        number
    }

    fn evict(&mut self, is_one: impl Fn(&Waiting) -> bool) -> bool {
        let oldest = self.waiting.iter().find(|(_, waiting)| is_one(waiting));
        let Some(oldest) = oldest.map(|(number, _)| *number) else { return false };
        if let Some(waiting) = self.waiting.remove(&oldest) {
            waiting.leave.notify_one();
        }
        true
    }
}

impl Pending {
    /// Whether this one has to leave.
    pub(crate) fn has_to_leave(&self) -> bool {
        !self.everybody.table().waiting.contains_key(&self.number)
    }

    /// Waits until this one has to leave.
    pub(crate) async fn evicted(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.everybody.table().waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn has_to_leave(pending: &Pending) -> bool {
        pin!(pending.evicted()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn the_oldest_of_the_same_address_makes_room() {
        let everybody = PendingConnections::new(2);
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let elsewhere = everybody.enter(other);
        let places: Vec<Pending> = (0..4).map(|_| everybody.enter(one)).collect();
        assert_eq!(places.iter().map(has_to_leave).collect::<Vec<_>>(), [true, true, false, false]);
        assert!(!has_to_leave(&elsewhere));
        drop((elsewhere, places));
        assert!(everybody.table().waiting.is_empty());
        assert!(!everybody.evict_one());
    }

    #[test]
    fn when_everything_is_full_the_address_with_most_makes_room() {
        let everybody = PendingConnections::new(10);
        let quiet = everybody.enter("10.0.0.2".parse().unwrap());
        let noisy: Vec<Pending> = (0..3).map(|_| everybody.enter("10.0.0.1".parse().unwrap())).collect();
        assert!(everybody.evict_one());
        assert_eq!(noisy.iter().map(has_to_leave).collect::<Vec<_>>(), [true, false, false]);
        assert!(!has_to_leave(&quiet));
    }
}
