//! To come: reconstruction.
