//! To come: edges.
