//! Medians and other quantiles of a bounded column.

pub(crate) mod ranked_choice;

pub mod quantile;
pub mod quantile_histogram;
pub mod quantiles;
pub mod weighted_quantile;
