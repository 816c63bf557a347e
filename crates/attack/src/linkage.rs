//! To come: linkage.
