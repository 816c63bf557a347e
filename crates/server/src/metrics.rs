//! Counters for Prometheus.
//!
//! **Guarantee.** A series is a door, a verb and how requests ended, each out of a fixed list of words, or a number of connections:
//! the same questions about any two data sets are the same numbers, as long as both get answers. There is no size, no
//! time and nobody's name, and there are only counts of what was asked, which the ledger's readers see anyway; the page is for them alone.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::log::Door;

/// The counters of one server.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(Door, &'static str, &'static str), u64>>,
    postgres: Arc<Connections>,
    http: Arc<Connections>,
    reloads: AtomicU64,
}

#[derive(Default)]
struct Connections {
    opened: AtomicU64,
    open: AtomicU64,
    refused: AtomicU64,
}

/// A connection that is open as long as this is held.
pub(crate) struct OpenConnection(Arc<Connections>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// A request or a statement that is done with.
    pub(crate) fn request(&self, door: Door, verb: &'static str, outcome: &'static str) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((door, verb, outcome)).or_default() += 1;
    }

    /// A connection that was let in; it counts as open while what is returned is held.
    pub(crate) fn connected(&self, door: Door) -> OpenConnection {
        let connections = self.connections(door);
        connections.opened.fetch_add(1, Ordering::Relaxed);
        connections.open.fetch_add(1, Ordering::Relaxed);
        OpenConnection(Arc::clone(connections))
    }

    /// A connection that was turned away, because there are too many.
    pub(crate) fn turned_away(&self, door: Door) {
        self.connections(door).refused.fetch_add(1, Ordering::Relaxed);
    }

    /// The catalog was read again.
    pub(crate) fn reloaded(&self) {
        self.reloads.fetch_add(1, Ordering::Relaxed);
    }

    fn connections(&self, door: Door) -> &Arc<Connections> {
        match door {
            Door::Postgres => &self.postgres,
            Door::Http => &self.http,
        }
    }

    /// All of them, in the text format of Prometheus.
    pub(crate) fn text(&self, lost_lines: u64) -> String {
        let mut text = String::new();
        let mut series = |name: &str, kind: &str, help: &str, lines: &[(String, u64)]| {
            let _ = writeln!(text, "# HELP pointillist_{name} {help}\n# TYPE pointillist_{name} {kind}");
            for (labels, value) in lines {
                let _ = writeln!(text, "pointillist_{name}{labels} {value}");
            }
        };
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let label = |((door, verb, outcome), count): (&(Door, &str, &str), &u64)| {
            let door = door.word();
            (format!("{{door=\"{door}\",verb=\"{verb}\",outcome=\"{outcome}\"}}"), *count)
        };
        let requests: Vec<_> = requests.iter().map(label).collect();
        series("requests_total", "counter", "Requests and statements, by how they ended.", &requests);
        let of_doors = |count: fn(&Connections) -> &AtomicU64| {
            [Door::Postgres, Door::Http].map(|door| {
                let value = count(self.connections(door)).load(Ordering::Relaxed);
                (format!("{{door=\"{}\"}}", door.word()), value)
            })
        };
        series("connections_open", "gauge", "Connections that are open.", &of_doors(|all| &all.open));
        let opened = of_doors(|all| &all.opened);
        series("connections_total", "counter", "Connections that were let in.", &opened);
        let refused = of_doors(|all| &all.refused);
        series("connections_refused_total", "counter", "Connections that were turned away.", &refused);
        let reloads = [(String::new(), self.reloads.load(Ordering::Relaxed))];
        series("reloads_total", "counter", "Times that the catalog was read again.", &reloads);
        let lost = [(String::new(), lost_lines)];
        series("log_lines_lost_total", "counter", "Lines of the log that nobody was there to read.", &lost);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_text_that_prometheus_reads() {
        let metrics = Metrics::default();
        metrics.request(Door::Http, "ask", "ok");
        metrics.request(Door::Http, "ask", "ok");
        metrics.request(Door::Postgres, "ask", "budget");
        let open = metrics.connected(Door::Http);
        drop(metrics.connected(Door::Http));
        metrics.turned_away(Door::Postgres);
        let text = metrics.text(3);
        for line in [
            "pointillist_requests_total{door=\"http\",verb=\"ask\",outcome=\"ok\"} 2",
            "pointillist_requests_total{door=\"postgres\",verb=\"ask\",outcome=\"budget\"} 1",
            "pointillist_connections_open{door=\"http\"} 1",
            "pointillist_connections_total{door=\"http\"} 2",
            "pointillist_connections_refused_total{door=\"postgres\"} 1",
            "pointillist_log_lines_lost_total 3",
            "# TYPE pointillist_requests_total counter",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        drop(open);
        assert!(metrics.text(0).contains("pointillist_connections_open{door=\"http\"} 0"));
    }
}
