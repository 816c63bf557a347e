//! To come: projection.
