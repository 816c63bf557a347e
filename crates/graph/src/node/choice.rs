//! To come: choice.
