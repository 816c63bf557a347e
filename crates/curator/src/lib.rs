//! The trusted party: plan, charge, aggregate, release, record.
