//! Prices for scripts: exact decimals in strings, as they were given.

use pointillist_privacy::{Delta, Epsilon, Spend};
use pointillist_render::decimals::exact;
use serde::{Serialize, Serializer};

pub(crate) fn epsilon<S: Serializer>(epsilon: &Epsilon, serializer: S) -> Result<S::Ok, S::Error> {
    exact(epsilon.value()).serialize(serializer)
}

pub(crate) fn delta<S: Serializer>(delta: &Delta, serializer: S) -> Result<S::Ok, S::Error> {
    exact(delta.value()).serialize(serializer)
}

#[cfg(feature = "curator")]
pub(crate) fn delta_if_any<S: Serializer>(delta: &Option<Delta>, serializer: S) -> Result<S::Ok, S::Error> {
    delta.as_ref().map(|delta| exact(delta.value())).serialize(serializer)
}

/// The ε of a price; a price in ρ has none.
pub(crate) fn epsilon_of<S: Serializer>(price: &Spend, serializer: S) -> Result<S::Ok, S::Error> {
    match price {
        Spend::Pure(epsilon) => self::epsilon(epsilon, serializer),
        Spend::Concentrated(_) => serializer.serialize_none(),
    }
}
