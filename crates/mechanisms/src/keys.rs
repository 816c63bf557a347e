//! Groups whose names are private too: which of them may be shown.

pub mod earned_keys;
pub mod partition_selection;
pub mod stability_histogram;
