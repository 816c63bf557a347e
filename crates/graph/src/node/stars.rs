//! To come: stars.
