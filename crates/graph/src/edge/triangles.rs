//! Triangles at smooth sensitivity.
