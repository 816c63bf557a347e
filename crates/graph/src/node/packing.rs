//! To come: packing.
