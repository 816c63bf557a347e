//! Answers that are randomized one by one, so that nobody ever sees a true one.

pub mod kary_randomized_response;
pub mod logistic_coin;
pub mod randomized_response;
