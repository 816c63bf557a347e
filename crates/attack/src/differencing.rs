//! To come: differencing.
