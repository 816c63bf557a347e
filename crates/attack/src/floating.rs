//! To come: floating.
