//! Prices for scripts: exact decimals in strings, as they were given.

use pointillist_mechanisms::additive_noise::Price;
use pointillist_privacy::{Delta, Epsilon};
use pointillist_render::decimals::exact;
use serde::{Serialize, Serializer};

pub(crate) fn epsilon<S: Serializer>(epsilon: &Epsilon, serializer: S) -> Result<S::Ok, S::Error> {
    exact(epsilon.value()).serialize(serializer)
}

pub(crate) fn delta<S: Serializer>(delta: &Delta, serializer: S) -> Result<S::Ok, S::Error> {
    exact(delta.value()).serialize(serializer)
}

/// The ε of a price; a price in ρ has none.
pub(crate) fn epsilon_of<S: Serializer>(price: &Price, serializer: S) -> Result<S::Ok, S::Error> {
    match price {
        Price::Pure(epsilon) => self::epsilon(epsilon, serializer),
        Price::Concentrated(_) => serializer.serialize_none(),
    }
}
