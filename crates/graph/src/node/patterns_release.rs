//! To come: patterns release.
