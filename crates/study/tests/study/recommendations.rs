//! Recommendations, from a file of ratings to a report.
