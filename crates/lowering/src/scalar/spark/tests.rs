//! Lowered expressions against the evaluator: the same rows in a table of Spark's and in arrays, every value compared bit for
//! bit, with ANSI mode on and off, compiled and interpreted, computed and filtered by. Whatever raises is a failure.

mod cases;
mod inexact;
mod mentions;
mod random;
mod random_expressions;
mod rows;
