//! Stars at smooth sensitivity.
