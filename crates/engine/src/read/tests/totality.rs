//! Every stored type as every declared type, for values at the edges: the fast ways and the general way agree.

use arrow::array::types::{Int8Type, UInt64Type};
use arrow::array::{
    AsArray, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal32Array, Decimal64Array,
    Decimal128Array, Decimal256Array, DictionaryArray, FixedSizeBinaryArray, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, LargeBinaryArray, LargeStringArray, ListArray, NullArray,
    StringArray, StringViewArray, Time64NanosecondArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow::datatypes::{Int32Type, i256};
use pointillist_catalog::calendar;
use pointillist_numbers::Rational;

use super::super::TEXT_MAX;
use super::super::bounds::Target;
use super::super::canonical::{canonical, converted, one_by_one};
use super::super::owner::OwnerForm;
use super::*;

/// Specification: however long one text is, what is kept of a batch is bounded by its rows, and no other row is lost. Views count
/// bytes in 32 bits: what is longer than a text may be does not become one before it is cut.
#[test]
fn a_long_text_is_cut_before_it_is_copied() {
    let long = "é".repeat(300_000);
    let keys = Int8Array::from(vec![0_i8; 1000]);
    let dictionary = DictionaryArray::<Int8Type>::new(keys, array(StringArray::from(vec![long.as_str()])));
    let texts = canonical(&array(dictionary), &Target::Text);
    assert!(texts.get_array_memory_size() < 1000 * (TEXT_MAX + 64) * 2, "{}", texts.get_array_memory_size());
    assert_eq!(texts.as_string_view().value(999).len(), TEXT_MAX);
    for large in [
        array(LargeStringArray::from(vec!["a", &long])),
        array(LargeBinaryArray::from(vec![b"a".as_ref(), long.as_bytes()])),
    ] {
        let texts = canonical(&large, &Target::Text);
        let lengths: Vec<u32> = texts.as_string_view().lengths().collect();
        assert_eq!(lengths, [1, TEXT_MAX as u32]);
        assert!(super::super::canonical::has_long_values(&large));
        let owners = OwnerForm::Text.owners(&large);
        assert!(owners.is_valid(0) && owners.is_null(1));
    }
}

fn edges() -> Vec<ArrayRef> {
    let words = [
        "",
        " ",
        "0",
        "-0",
        "1",
        "-1.5",
        "1e308",
        "-1e999",
        "nan",
        "inf",
        "9223372036854775807",
        "true",
        "NO",
        "2024-02-29",
        "0001-01-01",
        "9999-12-31T23:59:59.999999",
        "2024-02-29T12:00+14:00",
        "0001-01-01T00:00+01:00",
        "é",
        "\0",
        "\0xff",
        "🦀",
    ];
    let long = "é".repeat(TEXT_MAX);
    let words: Vec<Option<&str>> = words.into_iter().chain([long.as_str()]).map(Some).chain([None]).collect();
    let bytes: Vec<Option<&[u8]>> =
        words.iter().map(|word| word.map(str::as_bytes)).chain([Some(b"\xff\xfe".as_ref())]).collect();
    let wide = [i64::MIN, i64::MIN + 1, -86_400_001, -1, 0, 1, 86_399_999, i64::MAX - 1, i64::MAX];
    let wide: Vec<Option<i64>> = wide.into_iter().map(Some).chain([None]).collect();
    let narrow = [i32::MIN, -719_163, -719_162, -1, 0, 1, 2_932_896, 2_932_897, i32::MAX];
    let narrow: Vec<Option<i32>> = narrow.into_iter().map(Some).chain([None]).collect();
    let floats = [
        f64::NAN,
        f64::NEG_INFINITY,
        f64::MIN,
        -9.3e18,
        -0.5,
        -0.0,
        0.0,
        5e-324,
        0.5,
        1.5,
        9.223_372_036_854_775e18,
        9.3e18,
        f64::MAX,
        f64::INFINITY,
    ];
    let singles: Vec<f32> = floats.iter().map(|value| *value as f32).collect();
    let fixed = FixedSizeBinaryArray::try_from_iter([b"12", b"\xff\xff"].iter()).unwrap();
    let dictionary: DictionaryArray<Int8Type> = words.iter().copied().collect();
    let keys = arrow::array::PrimitiveArray::<UInt64Type>::from(vec![Some(1), None, Some(0)]);
    let nested = DictionaryArray::new(keys, array(Int64Array::from(vec![None, Some(5)])));
    vec![
        array(BooleanArray::from(vec![Some(true), Some(false), None])),
        array(Int8Array::from(vec![i8::MIN, 0, i8::MAX])),
        array(Int16Array::from(vec![i16::MIN, 0, i16::MAX])),
        array(Int32Array::from(narrow.clone())),
        array(Int64Array::from(wide.clone())),
        array(UInt8Array::from(vec![0, 1, u8::MAX])),
        array(UInt16Array::from(vec![0, u16::MAX])),
        array(UInt32Array::from(vec![0, u32::MAX])),
        array(UInt64Array::from(vec![0, 1, 1 << 63, u64::MAX])),
        array(Float32Array::from(singles)),
        array(Float64Array::from(floats.to_vec())),
        array(
            Decimal32Array::from(vec![Some(i32::MAX), None, Some(-5)])
                .with_precision_and_scale(9, 1)
                .unwrap(),
        ),
        array(
            Decimal64Array::from(vec![Some(i64::MIN), None, Some(-5)])
                .with_precision_and_scale(18, 18)
                .unwrap(),
        ),
        array(
            Decimal128Array::from(vec![i128::MIN, -15, 25, i128::MAX])
                .with_precision_and_scale(38, 1)
                .unwrap(),
        ),
        array(
            Decimal128Array::from(vec![i128::MIN, -15, 25, i128::MAX])
                .with_precision_and_scale(38, -38)
                .unwrap(),
        ),
        array(
            Decimal256Array::from(vec![i256::MIN, i256::ZERO, i256::MAX])
                .with_precision_and_scale(76, 76)
                .unwrap(),
        ),
        array(Date32Array::from(narrow)),
        array(Date64Array::from(wide.clone())),
        array(TimestampSecondArray::from(wide.clone())),
        array(TimestampMillisecondArray::from(wide.clone()).with_timezone("Europe/Paris")),
        array(TimestampMicrosecondArray::from(wide.clone()).with_timezone("-05:00")),
        array(TimestampMicrosecondArray::from(wide.clone())),
        array(TimestampNanosecondArray::from(wide.clone())),
        array(Time64NanosecondArray::from(wide)),
        array(StringArray::from(words.clone())),
        array(LargeStringArray::from(words.clone())),
        array(StringViewArray::from(words)),
        array(BinaryArray::from(bytes.clone())),
        array(LargeBinaryArray::from(bytes)),
        array(fixed),
        array(dictionary),
        array(nested),
        array(NullArray::new(3)),
        array(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)]), None])),
    ]
}

fn targets() -> Vec<Target> {
    let rational = |numerator| Rational::ratio(numerator, 10);
    [
        ColumnType::Boolean,
        ColumnType::Integer { bounds: None },
        ColumnType::Integer { bounds: Some((-10, 10)) },
        ColumnType::Integer { bounds: Some((3, 3)) },
        ColumnType::Number { bounds: None, step: None },
        ColumnType::Number { bounds: Some((rational(-1), rational(1))), step: None },
        ColumnType::Number { bounds: Some((rational(0), rational(11))), step: None },
        ColumnType::Text,
        ColumnType::Date { bounds: None },
        ColumnType::Date { bounds: Some((-1, 1)) },
        ColumnType::Timestamp { bounds: None },
        ColumnType::Timestamp { bounds: Some((-1, 1)) },
    ]
    .iter()
    .map(Target::from)
    .collect()
}

#[test]
fn every_value_lands_inside_its_type() {
    for array in edges() {
        for target in targets() {
            let values = canonical(&array, &target);
            assert_eq!(values.data_type(), &target.data_type());
            assert_eq!(values.len(), array.len());
            let cell = cells(values.as_ref());
            for row in 0..values.len() {
                let inside = match (cell(row), &target) {
                    (Cell::Null, _) | (Cell::Boolean(_), Target::Boolean) => true,
                    (Cell::Integer(value), Target::Integer(bounds)) => bounds.is_none_or(|(lower, upper)| {
                        (i128::from(lower)..=i128::from(upper)).contains(&value)
                    }),
                    (Cell::Double(value), Target::Number(bounds)) => {
                        let sound = value.is_finite() && value.to_bits() != 1 << 63;
                        sound && bounds.is_none_or(|(lower, upper)| (lower..=upper).contains(&value))
                    }
                    (Cell::Bytes(bytes), Target::Text) => {
                        bytes.len() <= TEXT_MAX && std::str::from_utf8(bytes).is_ok()
                    }
                    (Cell::Day(value), Target::Date(bounds)) => {
                        let (lower, upper) = bounds.unwrap_or(calendar::DAYS);
                        (i64::from(lower)..=i64::from(upper)).contains(&value)
                    }
                    (Cell::Moment(value, _), Target::Timestamp(bounds)) => {
                        let (lower, upper) = bounds.unwrap_or(calendar::MOMENTS);
                        (lower..=upper).contains(&value)
                    }
                    _ => false,
                };
                assert!(inside, "row {row} of {:?} as {target:?}", array.data_type());
            }
        }
    }
}

/// Specification: a value is read the same way whatever stands next to it, and whichever way is taken.
#[test]
fn reading_is_row_by_row() {
    for array in edges() {
        for target in targets() {
            let together = canonical(&array, &target);
            let general = target.settle(one_by_one(&array, &target));
            assert_eq!(&together, &general, "{:?} as {target:?}", array.data_type());
            for row in 0..array.len() {
                let alone = canonical(&array.slice(row, 1), &target);
                assert_eq!(
                    &together.slice(row, 1),
                    &alone,
                    "row {row} of {:?} as {target:?}",
                    array.data_type()
                );
            }
        }
        let together = OwnerForm::Text.owners(&array);
        for row in 0..array.len() {
            assert_eq!(&together.slice(row, 1), &OwnerForm::Text.owners(&array.slice(row, 1)));
        }
    }
}

#[test]
fn what_is_canonical_already_is_not_copied() {
    let integers = array(Int64Array::from(vec![1, 2, 3]));
    let target = Target::Integer(Some((1, 3)));
    assert!(Arc::ptr_eq(&integers, &canonical(&integers, &target)));
    let numbers = array(Float64Array::from(vec![0.0, 0.5]));
    assert!(Arc::ptr_eq(&numbers, &canonical(&numbers, &Target::Number(Some((0.0, 1.0))))));
    let texts = array(StringViewArray::from(vec!["a", "b"]));
    assert!(Arc::ptr_eq(&texts, &canonical(&texts, &Target::Text)));
    assert!(Arc::ptr_eq(&integers, &converted(&integers, &target)));
}

/// Specification: declared bounds leave every value that the type can hold as it is, and keep those that it cannot.
#[test]
fn bounds_do_not_change_what_is_read() {
    let bounded = [
        (ColumnType::Integer { bounds: None }, ColumnType::Integer { bounds: Some((3, 4)) }),
        (ColumnType::Date { bounds: None }, ColumnType::Date { bounds: Some((-1, 1)) }),
        (ColumnType::Timestamp { bounds: None }, ColumnType::Timestamp { bounds: Some((-1, 1)) }),
        (
            ColumnType::Number { bounds: None, step: None },
            ColumnType::Number { bounds: Some((Rational::zero(), Rational::one())), step: None },
        ),
    ];
    for array in edges() {
        for (free, bounded) in &bounded {
            let (free, bounded) = (Target::from(free), Target::from(bounded));
            let [free, bounded] = [free, bounded].map(|target| canonical(&array, &target));
            let (free, bounded) = (cells(free.as_ref()), cells(bounded.as_ref()));
            for row in 0..array.len() {
                assert!(matches!(free(row), Cell::Null) || free(row) == bounded(row), "row {row}");
            }
        }
    }
}
