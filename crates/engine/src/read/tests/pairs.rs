//! Ties of graphs in files with columns.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use parquet::file::properties::WriterProperties;

use super::super::{Pair, pairs};
use super::{Source, folder, ipc, parquet};

fn seen(source: &Source, columns: usize) -> Vec<String> {
    let mut seen = Vec::new();
    pairs(source, columns, &mut |pair| {
        seen.push(match pair {
            Pair::Numbers(u, v) => format!("{u}-{v}"),
            Pair::Texts(u, v) => format!("{u}~{v}"),
        });
    })
    .unwrap();
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
    let open = |name: &str| Source::open(folder.path(), name).unwrap();
    assert_eq!(seen(&open("whole.parquet"), 2), ["1-2", "2-3", "-4~5"]);
    assert_eq!(seen(&open("whole.parquet"), 1), ["1-1", "2-2", "-4~-4"]);
    assert_eq!(seen(&open("texts.arrow"), 2), ["ann~2", "bob~4", "7~5"]);
}

#[test]
fn one_column_is_no_tie() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("a", numbers)]).unwrap();
    let folder = folder(&[("one.parquet", &parquet(&batch, WriterProperties::default()))]);
    let source = Source::open(folder.path(), "one.parquet").unwrap();
    let error = pairs(&source, 2, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("second"), "{error}");
}
