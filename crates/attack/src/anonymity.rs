//! To come: anonymity.
