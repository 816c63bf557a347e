//! The hash of a person, by which passes take people.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Int64Type};

use super::names;
use super::{BoundError, HashKey};

/// The hash of every owner, none of which is NULL.
pub(crate) fn owner_hashes(hash_key: &HashKey, owner: &ArrayRef) -> Result<Vec<u64>, BoundError> {
    let mut words = Vec::new();
    let mut named = |name: &[u8]| {
        words.clear();
        names::push_words(name, &mut words);
        names::head(hash_key, name, &words)
    };
    Ok(match owner.data_type() {
        DataType::Int64 => {
            let owners = owner.as_primitive::<Int64Type>().values();
            owners.iter().map(|owner| hash_key.owner_word(owner.cast_unsigned())).collect()
        }
        DataType::BinaryView => {
            let owners = owner.as_binary_view();
            (0..owners.len()).map(|row| named(owners.value(row))).collect()
        }
        _ => return Err(BoundError::Owner),
    })
}
