//! Counters for Prometheus; none depends on data.
