//! To come: degrees.
