//! What every attack hands to a door: theirs beside ours, in words, as data and as a page.

use pointillist_noise::SecureBits;
use pointillist_render::page::Page;
use serde::Serialize;

use crate::AttackError;

/// The outcome of an attack on answers as others publish them, and of the same attack on ours. Serialized, it is the
/// object that scripts get.
pub trait Comparison: Serialize {
    /// What was learnt without differential privacy.
    fn without(&self) -> String;

    /// What was learnt from our answers to the same questions.
    fn with(&self) -> String;

    /// The finding with plots and explanations. The bits are for figures that need draws of their own.
    fn page(&self, bits: &mut dyn SecureBits) -> Result<Page, AttackError>;
}
