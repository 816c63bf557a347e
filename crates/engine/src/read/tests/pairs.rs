//! Ties of graphs in files with columns.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use parquet::file::properties::WriterProperties;

use super::super::{IdFiles, Pair, TEXT_MAX};
use super::{folder, ipc, parquet};

fn seen(folder: &Path, source: &str, columns: usize) -> Vec<String> {
    let mut seen = Vec::new();
    let read = IdFiles::open(folder, source, columns).unwrap().visit(&mut |pair| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        seen.push(match pair {
            Pair::Numbers(u, v) => format!("{u}-{v}"),
            Pair::Texts(u, v) => format!("{}~{}", text(u), text(v)),
        });
    });
    read.unwrap();
    seen
}

#[test]
fn the_first_two_columns_are_ids_and_rows_without_one_are_left_out() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(2), None, Some(-4)]));
    let small: ArrayRef = Arc::new(Int32Array::from(vec![2, 3, 4, 5]));
    let names: ArrayRef = Arc::new(StringArray::from(vec![Some("ann"), None, Some("bob"), Some("7")]));
    let whole =
        RecordBatch::try_from_iter([("a", numbers), ("b", Arc::clone(&small)), ("c", Arc::clone(&names))]);
    let texts = RecordBatch::try_from_iter([("a", names), ("b", small)]);
    let (whole, texts) = (whole.unwrap(), texts.unwrap());
    let folder = folder(&[
        ("whole.parquet", &parquet(&whole, WriterProperties::default())),
        ("texts.arrow", &ipc(&[texts])),
    ]);
    let seen = |name, columns| seen(folder.path(), name, columns);
    assert_eq!(seen("whole.parquet", 2), ["1-2", "2-3", "-4~5"]);
    assert_eq!(seen("whole.parquet", 1), ["1-1", "2-2", "-4~-4"]);
    assert_eq!(seen("texts.arrow", 2), ["ann~2", "bob~4", "7~5"]);
}

/// Specification: two ids that differ anywhere are two ids, and one that is too long is none.
#[test]
fn ids_are_not_cut() {
    let alike = |last: &str, length: usize| format!("{}{last}", "x".repeat(length - 1));
    let ids =
        [alike("a", TEXT_MAX), alike("b", TEXT_MAX), alike("a", TEXT_MAX + 1), alike("b", TEXT_MAX + 1)];
    let left: ArrayRef = Arc::new(StringArray::from(ids.to_vec()));
    let right: ArrayRef = Arc::new(StringArray::from(vec!["z"; 4]));
    let batch = RecordBatch::try_from_iter([("a", left), ("b", right)]).unwrap();
    let folder = folder(&[
        ("long.parquet", &parquet(&batch, WriterProperties::default())),
        ("long.arrow", &ipc(&[batch])),
    ]);
    for name in ["long.parquet", "long.arrow"] {
        assert_eq!(seen(folder.path(), name, 2), [format!("{}~z", ids[0]), format!("{}~z", ids[1])]);
    }
}

/// Specification: an id means the same whatever files stand beside it, and in which order.
#[test]
fn no_file_decides_about_the_ids_of_another() {
    let of = |array: ArrayRef| {
        let batch = RecordBatch::try_from_iter([("u", Arc::clone(&array)), ("v", array)]).unwrap();
        parquet(&batch, WriterProperties::default())
    };
    let files = [
        of(Arc::new(Int64Array::from(vec![7, i64::MAX]))),
        of(Arc::new(Float64Array::from(vec![6.6, 7.0]))),
        of(Arc::new(UInt64Array::from(vec![u64::MAX]))),
        of(Arc::new(StringArray::from(vec!["007", "7", "7.0"]))),
    ];
    let expected: BTreeSet<String> = [
        "7-7",
        "9223372036854775807-9223372036854775807",
        "6.6~6.6",
        "7~7",
        "18446744073709551615-18446744073709551615",
        "007~007",
        "7.0~7.0",
    ]
    .map(String::from)
    .into();
    for order in [[0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1]] {
        let names: Vec<String> = (0..4).map(|place| format!("{place}.parquet")).collect();
        let placed: Vec<(&str, &[u8])> =
            order.iter().zip(&names).map(|(file, name)| (name.as_str(), files[*file].as_slice())).collect();
        let folder = folder(&placed);
        let seen = seen(folder.path(), "*.parquet", 2);
        assert_eq!(seen.len(), 8);
        assert_eq!(BTreeSet::from_iter(seen), expected, "{order:?}");
    }
}

#[test]
fn one_column_is_no_tie() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("a", numbers)]).unwrap();
    let folder = folder(&[("one.parquet", &parquet(&batch, WriterProperties::default()))]);
    let error = IdFiles::open(folder.path(), "one.parquet", 2).err().unwrap();
    assert!(error.to_string().contains("second"), "{error}");
    assert!(IdFiles::open(folder.path(), "one.parquet", 1).is_ok());
}
