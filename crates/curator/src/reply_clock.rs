//! When an answer leaves: on a coarse clock, so that time tells little.
//!
//! **Claim.** With a quantum Q every reply to a charged question (answer or failure) leaves a whole number of
//! quanta after the question arrived. An observer outside the process learns how many quanta it took and
//! nothing finer; the same question from elsewhere waits for that moment too (`single_flight.rs`). With `quanta` set, that
//! number is fixed: a question that takes longer fails with the constant failure, charged, at the same moment an
//! answer would have left. What then remains is one bit a question, whether it was in time: choose `quanta` so that
//! every question is.
//! **Not covered.** Scheduling by the operating system after the reply was handed over, and other processes on
//! the machine that watch the processor or the disk.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// The clock on which replies leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplyClock {
    /// The quantum; `None` is for an owner at the machine, who sees everything anyway.
    pub quantum: Option<Duration>,
    /// Exactly this many quanta for every answer, where the owner knows how long answers take at most.
    pub quanta: Option<NonZeroU32>,
}

impl ReplyClock {
    /// Replies leave as soon as they are ready.
    pub const IMMEDIATE: Self = Self { quantum: None, quanta: None };
    /// What a server uses unless the owner says otherwise.
    pub const SERVER: Self = Self { quantum: Some(Duration::from_millis(100)), quanta: None };

    /// The moment at which every answer leaves, counted from the question's arrival, where that is fixed.
    pub fn due(&self) -> Option<Duration> {
        Some(self.quantum?.saturating_mul(self.quanta?.get()))
    }

    /// How long to wait when a reply is ready `taken` after the question came. A reply that comes after
    /// [`ReplyClock::due`] is never sent: the failure left in its place.
    pub fn wait(&self, taken: Duration) -> Duration {
        let Some(quantum) = self.quantum.filter(|quantum| !quantum.is_zero()) else {
            return Duration::ZERO;
        };
        let taken_quanta = u32::try_from(taken.as_nanos().div_ceil(quantum.as_nanos())).unwrap_or(u32::MAX);
        let due = self.quanta.map_or(taken_quanta.max(1), NonZeroU32::get);
        quantum.saturating_mul(due).saturating_sub(taken)
    }

    /// How many whole quanta something took, as time, where it was more than one. Without a quantum those of
    /// [`ReplyClock::SERVER`] are counted: what the owner asks at the machine others may ask of a server.
    pub fn beyond_one_quantum(&self, taken: Duration) -> Duration {
        let Some(quantum) = self.quantum.or(Self::SERVER.quantum).filter(|quantum| !quantum.is_zero()) else {
            return Duration::ZERO;
        };
        if taken <= quantum {
            return Duration::ZERO;
        }
        let quanta = u32::try_from(taken.as_nanos().div_ceil(quantum.as_nanos())).unwrap_or(u32::MAX);
        quantum.saturating_mul(quanta)
    }

    /// The moment at which a reply leaves that is ready `taken` after the question came.
    pub fn leaves_at(&self, arrived: Instant, taken: Duration) -> Instant {
        // A clock that no instant can show is one on which nothing leaves while anybody lives.
        let far = || arrived + Duration::from_secs(100 * 365 * 86_400);
        arrived.checked_add(taken.saturating_add(self.wait(taken))).unwrap_or_else(far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUANTUM: Duration = Duration::from_millis(100);

    #[test]
    fn replies_leave_on_whole_quanta() {
        for (taken, leaves) in [(0, 100), (1, 100), (99, 100), (100, 100), (101, 200), (250, 300)] {
            let taken = Duration::from_millis(taken);
            assert_eq!(taken + ReplyClock::SERVER.wait(taken), Duration::from_millis(leaves));
        }
        assert_eq!(ReplyClock::IMMEDIATE.wait(Duration::from_secs(5)), Duration::ZERO);
    }

    #[test]
    fn with_a_fixed_number_of_quanta_time_is_constant() {
        let clock = ReplyClock { quantum: Some(QUANTUM), quanta: NonZeroU32::new(5) };
        assert_eq!(clock.due(), Some(Duration::from_millis(500)));
        for taken in [0, 1, 250, 499, 500] {
            let taken = Duration::from_millis(taken);
            assert_eq!(taken + clock.wait(taken), Duration::from_millis(500));
        }
        assert_eq!(ReplyClock::SERVER.due(), None);
    }

    #[test]
    fn extreme_clocks_do_not_overflow() {
        let nanosecond = ReplyClock { quantum: Some(Duration::from_nanos(1)), quanta: None };
        assert!(nanosecond.wait(Duration::MAX) < Duration::MAX);
        let zero = ReplyClock { quantum: Some(Duration::ZERO), quanta: NonZeroU32::new(1) };
        assert_eq!(zero.wait(Duration::MAX), Duration::ZERO);
        let never = ReplyClock { quantum: Some(Duration::MAX), quanta: NonZeroU32::new(u32::MAX) };
        let now = Instant::now();
        assert!(never.leaves_at(now, Duration::ZERO) > now);
    }
}
