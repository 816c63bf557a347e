//! The functions that clients call.
