//! Propose-test-release for triangles.
