//! From files to graphs.
