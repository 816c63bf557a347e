//! To come: reduction.
