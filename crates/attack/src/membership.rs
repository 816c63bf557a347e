//! To come: membership.
