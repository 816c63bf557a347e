//! Triangles after a noisy bound on their local sensitivity.
