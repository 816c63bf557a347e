//! How well classifiers predict incomes.

fn main() {}
