//! Floats in a file, bit by bit: a model that is read back is the model, whichever way decimals are read.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A finite float that is written as its bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exact(pub f64);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0.to_bits())
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::from_bits(u64::deserialize(deserializer)?);
        if value.is_finite() {
            Ok(Self(value))
        } else {
            Err(D::Error::custom("a number of a model is finite"))
        }
    }
}

/// Many of them.
pub(crate) fn exact(values: &[f64]) -> Vec<Exact> {
    values.iter().map(|value| Exact(*value)).collect()
}

/// The numbers themselves.
pub(crate) fn plain(values: &[Exact]) -> Vec<f64> {
    values.iter().map(|value| value.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_float_comes_back_and_no_other() {
        for value in [0.0, -0.0, 0.1, -1.214_141_928_694_379, f64::MIN_POSITIVE / 4.0, f64::MAX] {
            let text = serde_json::to_string(&Exact(value)).unwrap();
            assert_eq!(serde_json::from_str::<Exact>(&text).unwrap().0.to_bits(), value.to_bits());
        }
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(serde_json::from_str::<Exact>(&wrong.to_bits().to_string()).is_err());
        }
    }
}
