//! How often somebody failed to log in, by address and name, at either door.
//!
//! Whoever fails a few times waits longer and longer for the next verdict; after [`LIMIT`] failures within a minute nothing is
//! verified until the minute is over. By address **and** name, so that nobody is kept out by somebody who guesses at other
//! names, or from elsewhere. Names that nobody has count alike.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Failures that cost nothing.
const FREE: u32 = 3;

/// Failures within a [`WINDOW`] after which nothing is verified.
const LIMIT: u32 = 60;

const WINDOW: Duration = Duration::from_secs(60);
const DELAY_FIRST: Duration = Duration::from_millis(100);
const DELAY_MAX: Duration = Duration::from_secs(2);

/// Entries at most. When it is full the one that failed least goes.
const ENTRIES_MAX: usize = 10_000;

/// Failures of everybody.
#[derive(Default)]
pub(crate) struct LoginFailures(Mutex<HashMap<(IpAddr, String), Failures>>);

#[derive(Clone, Copy)]
struct Failures {
    count: u32,
    began: Instant,
}

/// Too many failures: nothing is verified for a while.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

impl LoginFailures {
    /// How long to wait before the next proof is looked at.
    pub(crate) fn delay(&self, address: IpAddr, user: &str, now: Instant) -> Result<Duration, TooMany> {
        let entries = self.entries();
        let failures = entries.get(&key(address, user)).filter(|failures| !failures.over(now));
        match failures.map_or(0, |failures| failures.count) {
            0..=FREE => Ok(Duration::ZERO),
            LIMIT.. => Err(TooMany),
            count => Ok(DELAY_FIRST.saturating_mul(1 << (count - FREE - 1).min(16)).min(DELAY_MAX)),
        }
    }

    /// Counts a failure.
    pub(crate) fn failed(&self, address: IpAddr, user: &str, now: Instant) {
        let mut entries = self.entries();
        let key = key(address, user);
        if !entries.contains_key(&key) && entries.len() >= ENTRIES_MAX {
            entries.retain(|_, failures| !failures.over(now));
            let least = entries.iter().min_by_key(|(_, failures)| (failures.count, failures.began));
            if let Some(least) = least.map(|(key, _)| key.clone()).filter(|_| entries.len() >= ENTRIES_MAX) {
                entries.remove(&least);
            }
        }
        let failures = entries.entry(key).or_insert(Failures { count: 0, began: now });
        if failures.over(now) {
            *failures = Failures { count: 0, began: now };
        }
        failures.count = failures.count.saturating_add(1);
    }

    /// Forgets the failures of somebody who knew the password after all.
    pub(crate) fn succeeded(&self, address: IpAddr, user: &str) {
        self.entries().remove(&key(address, user));
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<(IpAddr, String), Failures>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Failures {
    fn over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.began) >= WINDOW
    }
}

/// Longer names are nobody's; what is kept of them is short.
fn key(address: IpAddr, user: &str) -> (IpAddr, String) {
    (network(address), user.chars().take(64).collect())
}

/// Whom an address belongs to: of IPv6 everybody has a /64 at least.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => {
            let mut segments = six.segments();
            segments[4..].fill(0);
            IpAddr::V6(segments.into())
        }
        four => four,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn failures_slow_down_and_then_stop_the_same_name_from_the_same_place_alone() {
        let (failures, now, here) = (LoginFailures::default(), Instant::now(), address("10.0.0.1"));
        let mut delays = Vec::new();
        for _ in 0..LIMIT {
            delays.push(failures.delay(here, "ana", now).unwrap());
            failures.failed(here, "ana", now);
        }
        assert_eq!(delays[..5], [0, 0, 0, 0, 100].map(Duration::from_millis));
        assert!(delays.is_sorted());
        assert_eq!(delays[59], DELAY_MAX);
        assert_eq!(failures.delay(here, "ana", now), Err(TooMany));
        assert_eq!(failures.delay(here, "bob", now), Ok(Duration::ZERO));
        assert_eq!(failures.delay(address("10.0.0.2"), "ana", now), Ok(Duration::ZERO));
        assert_eq!(failures.delay(here, "ana", now + WINDOW), Ok(Duration::ZERO));
        failures.failed(here, "ana", now + WINDOW);
        assert_eq!(failures.delay(here, "ana", now + WINDOW), Ok(Duration::ZERO));
    }

    #[test]
    fn the_right_password_forgets_the_wrong_ones() {
        let (failures, now, here) = (LoginFailures::default(), Instant::now(), address("10.0.0.1"));
        for _ in 0..10 {
            failures.failed(here, "ana", now);
        }
        assert!(failures.delay(here, "ana", now).unwrap() > Duration::ZERO);
        failures.succeeded(here, "ana");
        assert_eq!(failures.delay(here, "ana", now), Ok(Duration::ZERO));
    }

    #[test]
    fn addresses_of_one_network_count_together() {
        assert_eq!(network(address("2001:db8::1")), network(address("2001:db8::ffff:1")));
        assert_ne!(network(address("2001:db8::1")), network(address("2001:db8:0:1::1")));
        assert_eq!(network(address("::ffff:10.0.0.1")), address("10.0.0.1"));
    }

    /// Specification: failures of many names do not wash out those of one that is guessed at.
    #[test]
    fn memory_is_bounded_and_keeps_whoever_failed_most() {
        let (failures, now, here) = (LoginFailures::default(), Instant::now(), address("10.0.0.1"));
        for _ in 0..LIMIT {
            failures.failed(here, "ana", now);
        }
        for name in 0..ENTRIES_MAX + 50 {
            failures.failed(here, &name.to_string(), now);
        }
        assert_eq!(failures.entries().len(), ENTRIES_MAX);
        assert_eq!(failures.delay(here, "ana", now), Err(TooMany));
    }
}
