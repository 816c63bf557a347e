//! k-anonymity and its kin: the method that anonymizing starts from, and what still works against its result.
//!
//! A table is k-anonymous when every row agrees with at least k − 1 others on the columns that outsiders
//! know. That hides which row is whose. It hides nothing that all rows of a class have in common, promises
//! nothing about two tables published one after the other, and speaks about a table, not about how it was
//! made: [`still_works`] shows the three.
//!
//! | file | its idea |
//! | --- | --- |
//! | [`classes`] | rows that look alike, and the measures k, l-diversity, t-closeness |
//! | [`suppression`] | the fewest stars, exactly, for small tables and any k |
//! | [`fewest_for_two`] | the fewest stars for k = 2, for hundreds of rows |
//! | `pairs_and_triples`, `matching` | how: simplex matching, and matching |
//! | [`mondrian`](mod@mondrian) | ranges and sets for large tables |
//! | [`lost`] | how much of a table is lost |
//! | [`still_works`] | the attacks that the result does not stop |
//! | [`anonymize`], [`intersect`] | these attacks on a table and on two, beside counts with noise |

pub mod anonymize;
pub mod classes;
pub mod fewest_for_two;
pub mod intersect;
pub mod lost;
mod matching;
pub mod mondrian;
mod pairs_and_triples;
pub mod still_works;
pub mod suppression;

pub use classes::{Anonymity, measure};
pub use fewest_for_two::fewest_stars_for_two;
pub use lost::information_lost;
pub use mondrian::mondrian;
pub use suppression::{STAR, Suppressed, fewest_stars, publish};
