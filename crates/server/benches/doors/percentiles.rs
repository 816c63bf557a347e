//! How long replies took.

use std::time::Duration;

pub struct Percentiles {
    pub count: usize,
    pub p50_ms: f64,
    pub p99_ms: f64,
}

impl Percentiles {
    pub fn of(mut taken: Vec<Duration>) -> Self {
        taken.sort_unstable();
        let at = |share: usize| {
            let place = (taken.len() * share / 100).min(taken.len().saturating_sub(1));
            taken.get(place).map_or(f64::NAN, |taken| taken.as_secs_f64() * 1e3)
        };
        Self { count: taken.len(), p50_ms: at(50), p99_ms: at(99) }
    }
}
