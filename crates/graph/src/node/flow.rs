//! To come: flow.
