//! To come: patterns.
