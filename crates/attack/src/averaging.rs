//! To come: averaging.
