//! To come: components.
