//! The choice among models, in three ways. The choice is a release of its own.
//!
//! | what is at hand | by | what it loses |
//! |---|---|---|
//! | models that are public already, and private rows | [`ModelChoice`] | ε for the rows of the choice |
//! | recipes, and rows enough to cut them in parts | [`PartsTuning`] | the most of what one recipe or the choice loses |
//! | one recipe with random settings, tried as often as chance says | [`RandomStopping`] | about two or three times one try |
//!
//! Training with every setting, looking at all results and keeping the best costs the sum of all tries. Picking a setting
//! by its accuracy on private rows without noise has no guarantee at all.

mod model_choice;
mod parts;
mod random_stopping;
mod stopping_law;
mod stopping_loss;

pub use model_choice::{Classifier, ModelChoice};
pub use parts::{Candidate, MemoryParts, Parts, PartsTuning};
pub use random_stopping::RandomStopping;
pub use stopping_law::StoppingLaw;
