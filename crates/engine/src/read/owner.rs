//! Whose row it is: the names of owners, made comparable.
//!
//! **Guarantee.** Two rows of a source have equal owners here if and only if their files say the same: no two
//! names are merged, none is split. Rows without a name, with NaN for a name, or with a name longer than
//! [`TEXT_MAX`] bytes have no owner (NULL).
//! **Why exactly.** A person under two names could count twice; two people under one name would be bounded as
//! one, and the other's leaving could then move more than one person's share.
//! **How.** If all files store whole numbers of one kind, days, or moments of one unit, the names are those
//! integers. Otherwise they are the bytes of a text: integers in decimal, numbers by their shortest decimal, days and
//! moments as ISO 8601, so that `5`, `5.0` as a double and the text `5` are one name. Texts are compared byte by byte: `5`,
//! `05` and the *text* `5.0` are three names. Whether bytes are UTF-8 is not asked: nobody reads them.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::types::{
    Date32Type, Date64Type, Int8Type, Int16Type, Int32Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryViewArray, BinaryViewBuilder, Int64Array,
    StringViewArray,
};
use arrow::datatypes::{DataType, Int64Type, TimeUnit};

use super::TEXT_MAX;
use super::canonical::has_long_values;
use super::cell::{Cell, cells};

/// How names are represented: of owners, for all files of all people's tables of a question; of rows that are linked to, for
/// all files of both tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnerForm {
    /// As `Int64`.
    Integer,
    /// As `BinaryView`.
    Text,
}

/// Types whose integers mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Fits i64.
    Whole,
    /// Above i64::MAX, the bits are taken as a negative number.
    Unsigned,
    Boolean,
    Day,
    Millisecond,
    Moment(TimeUnit),
}

impl OwnerForm {
    /// The form for columns of these types.
    pub(crate) fn of<'a>(kinds: impl Iterator<Item = &'a DataType>) -> Self {
        let families: Vec<_> = kinds.map(family).collect();
        match families.first() {
            Some(Some(first)) if families.iter().all(|family| family.as_ref() == Some(first)) => {
                Self::Integer
            }
            _ => Self::Text,
        }
    }

    /// The Arrow type.
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Self::Integer => DataType::Int64,
            Self::Text => DataType::BinaryView,
        }
    }

    /// The owners of rows.
    pub(crate) fn owners(self, array: &ArrayRef) -> ArrayRef {
        match self {
            Self::Integer => integers(array),
            Self::Text => texts(array),
        }
    }
}

fn family(kind: &DataType) -> Option<Family> {
    Some(match kind {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Family::Whole,
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => Family::Whole,
        DataType::UInt64 => Family::Unsigned,
        DataType::Boolean => Family::Boolean,
        DataType::Date32 => Family::Day,
        DataType::Date64 => Family::Millisecond,
        DataType::Timestamp(unit, _) => Family::Moment(*unit),
        _ => return None,
    })
}

fn integers(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Int64 => Arc::clone(array),
        DataType::Int8 => wide::<Int8Type>(array, i64::from),
        DataType::Int16 => wide::<Int16Type>(array, i64::from),
        DataType::Int32 => wide::<Int32Type>(array, i64::from),
        DataType::UInt8 => wide::<UInt8Type>(array, i64::from),
        DataType::UInt16 => wide::<UInt16Type>(array, i64::from),
        DataType::UInt32 => wide::<UInt32Type>(array, i64::from),
        DataType::UInt64 => wide::<UInt64Type>(array, u64::cast_signed),
        DataType::Date32 => wide::<Date32Type>(array, i64::from),
        DataType::Date64 => wide::<Date64Type>(array, |value| value),
        DataType::Timestamp(TimeUnit::Second, _) => wide::<TimestampSecondType>(array, |value| value),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            wide::<TimestampMillisecondType>(array, |value| value)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            wide::<TimestampMicrosecondType>(array, |value| value)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => wide::<TimestampNanosecondType>(array, |value| value),
        _ => {
            let cell = cells(array.as_ref());
            Arc::new(Int64Array::from_iter((0..array.len()).map(|row| cell(row).integer(false))))
        }
    }
}

fn wide<T: ArrowPrimitiveType>(array: &ArrayRef, value: impl Fn(T::Native) -> i64) -> ArrayRef {
    Arc::new(array.as_primitive::<T>().unary::<_, Int64Type>(value))
}

fn texts(array: &ArrayRef) -> ArrayRef {
    if let Some(texts) = ready(array) {
        return Arc::new(texts);
    }
    let cell = cells(array.as_ref());
    let mut builder = BinaryViewBuilder::with_capacity(array.len());
    (0..array.len()).for_each(|row| builder.append_option(name(cell(row))));
    Arc::new(builder.finish())
}

/// The bytes of a name, all of them: what is too long is no name. Names of rows' owners and of graphs' nodes are these.
pub(super) fn name(cell: Cell<'_>) -> Option<Cow<'_, [u8]>> {
    let text = match cell {
        Cell::Bytes(bytes) => return (bytes.len() <= TEXT_MAX).then_some(Cow::Borrowed(bytes)),
        // Infinite, unlike NaN, is a name like others: it equals itself.
        Cell::Double(value) if value.is_infinite() => Cow::Owned(value.to_string()),
        Cell::Single(value) if value.is_infinite() => Cow::Owned(value.to_string()),
        cell => cell.text()?,
    };
    Some(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    })
}

/// Texts that are their own names, without a copy.
fn ready(array: &ArrayRef) -> Option<BinaryViewArray> {
    if has_long_values(array) {
        return None;
    }
    let texts = match array.data_type() {
        DataType::Utf8View => array.as_string_view().clone().to_binary_view(),
        DataType::Utf8 => StringViewArray::from(array.as_string::<i32>()).to_binary_view(),
        DataType::LargeUtf8 => StringViewArray::from(array.as_string::<i64>()).to_binary_view(),
        DataType::BinaryView => array.as_binary_view().clone(),
        DataType::Binary => array.as_binary::<i32>().into(),
        DataType::LargeBinary => array.as_binary::<i64>().into(),
        _ => return None,
    };
    let plain = texts.lengths().all(|length| length as usize <= TEXT_MAX);
    plain.then_some(texts)
}

#[cfg(test)]
mod tests {
    use arrow::array::{BinaryArray, Decimal128Array, Float64Array, Int32Array, StringArray, UInt64Array};

    use super::*;

    fn named(form: OwnerForm, array: impl Array + 'static) -> Vec<Option<String>> {
        let owners = form.owners(&(Arc::new(array) as ArrayRef));
        assert_eq!(owners.data_type(), &form.data_type());
        let cell = cells(owners.as_ref());
        let words = |bytes: Cow<'_, [u8]>| bytes.escape_ascii().to_string();
        (0..owners.len()).map(|row| name(cell(row)).map(words)).collect()
    }

    fn some(names: &[&str]) -> Vec<Option<String>> {
        names.iter().map(|name| Some((*name).to_string())).collect()
    }

    #[test]
    fn one_person_has_one_name_in_files_of_different_types() {
        let five = some(&["5"]);
        assert_eq!(named(OwnerForm::Text, Int32Array::from(vec![5])), five);
        assert_eq!(named(OwnerForm::Text, Float64Array::from(vec![5.0])), five);
        assert_eq!(named(OwnerForm::Text, StringArray::from(vec!["5"])), five);
        assert_eq!(named(OwnerForm::Text, BinaryArray::from(vec![b"5".as_ref()])), five);
        let decimal = Decimal128Array::from(vec![500]).with_precision_and_scale(10, 2).unwrap();
        assert_eq!(named(OwnerForm::Text, decimal), five);
    }

    #[test]
    fn different_people_keep_different_names() {
        let bytes: Vec<&[u8]> = vec![b"\xff", b"\xfe", b"\0xff", b"\xffa", b"ff", b""];
        let names = named(OwnerForm::Text, BinaryArray::from(bytes));
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        let names = named(OwnerForm::Integer, UInt64Array::from(vec![0, 1 << 63, u64::MAX]));
        assert_eq!(names, some(&["0", "-9223372036854775808", "-1"]));
    }

    #[test]
    fn a_name_that_is_too_long_or_not_a_number_is_none() {
        let long = "x".repeat(TEXT_MAX + 1);
        let names = named(OwnerForm::Text, StringArray::from(vec![long.as_str(), "y"]));
        assert_eq!(names, [None, Some("y".to_string())]);
        let names = named(OwnerForm::Text, Float64Array::from(vec![f64::NAN, -0.0, f64::INFINITY]));
        assert_eq!(names, [None, Some("0".to_string()), Some("inf".to_string())]);
    }

    #[test]
    fn integers_are_kept_only_where_all_files_mean_the_same() {
        use DataType::{Date32, Int8, Int64, UInt32, UInt64, Utf8};
        assert_eq!(OwnerForm::of([Int8, Int64, UInt32].iter()), OwnerForm::Integer);
        assert_eq!(OwnerForm::of([UInt64].iter()), OwnerForm::Integer);
        assert_eq!(OwnerForm::of([UInt64, Int64].iter()), OwnerForm::Text);
        assert_eq!(OwnerForm::of([Date32, Int64].iter()), OwnerForm::Text);
        assert_eq!(OwnerForm::of([Int64, Utf8].iter()), OwnerForm::Text);
        assert_eq!(OwnerForm::of([].iter()), OwnerForm::Text);
    }
}
