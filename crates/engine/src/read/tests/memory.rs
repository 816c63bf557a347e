//! Rows in memory are read as the same rows in a file.

use arrow::array::{Int64Array, StringArray};
use pointillist_catalog::ColumnType;

use super::super::owner::OwnerForm;
use super::super::scan::BATCH_ROWS;
use super::super::{FileSource, MemoryRows};
use super::formats::everything;
use super::*;
use crate::rows::Origin;

fn memory(batches: &[RecordBatch]) -> MemoryRows {
    MemoryRows::new("frame", batches[0].schema(), batches.to_vec()).unwrap()
}

/// All rows, sorted: which partition a row is in is nobody's business.
fn read_rows(
    rows_in: &MemoryRows,
    columns: &[ScanColumn],
    owner: Option<&str>,
    partitions: usize,
) -> Vec<String> {
    let names: Vec<(&str, OwnerForm)> = owner
        .map(|name| (name, OwnerForm::of(rows_in.stored_types(name).unwrap().iter())))
        .into_iter()
        .collect();
    let scan = rows_in.scan(columns, &names, partitions).unwrap();
    assert_eq!(scan.partitions(), partitions);
    let batches = collected(&scan).unwrap();
    let mut shown = rows(&concat_batches(scan.schema(), &batches).unwrap());
    shown.sort();
    shown
}

/// Specification: whatever a column is stored as and declared as, memory and a file say the same, of owners too.
#[test]
fn every_type_is_read_as_it_is_read_from_a_file() {
    let batch = batch(everything());
    let folder = folder(&[("t.arrow", &ipc(std::slice::from_ref(&batch)))]);
    let file = FileSource::open(folder.path(), "t.arrow").unwrap();
    let rows_in = memory(std::slice::from_ref(&batch));
    let kinds = [
        ColumnType::Boolean,
        ColumnType::Integer { bounds: None },
        ColumnType::Number { bounds: None, step: None },
        ColumnType::Text,
        ColumnType::Date { bounds: None },
        ColumnType::Timestamp { bounds: None },
    ];
    for (name, _) in everything() {
        let columns: Vec<ScanColumn> = kinds.iter().map(|kind| column(name, kind.clone())).collect();
        let owner = (name != "list").then_some(name);
        let mut expected = rows(&scanned(&file, &columns, owner, 1));
        expected.sort();
        assert_eq!(read_rows(&rows_in, &columns, owner, 2), expected, "{name}");
    }
    assert!(rows_in.stored_types("list").is_err() && rows_in.check_column("list").is_err());
    assert!(rows_in.check_column("int64").is_ok() && rows_in.check_column("nowhere").is_err());
}

/// Specification: every row is read once, however rows are cut into batches and shared out, and one more row of a person is that
/// row more and no other change.
#[test]
fn rows_are_read_once_however_they_are_cut() {
    let count = 3 * BATCH_ROWS + 17;
    let people = |rows: std::ops::Range<usize>| {
        let owners = Int64Array::from_iter_values(rows.clone().map(|row| row as i64));
        let words = StringArray::from_iter_values(rows.map(|row| format!("w{row}")));
        batch(vec![("id", array(owners)), ("word", array(words))])
    };
    let whole = people(0..count);
    let columns = [text("word")];
    let expected = read_rows(&memory(std::slice::from_ref(&whole)), &columns, Some("id"), 1);
    assert_eq!(expected.len(), count);
    let cuts: [&[usize]; 4] = [
        &[0, 1, 2, count],
        &[0, BATCH_ROWS, BATCH_ROWS + 1, count],
        &[0, 0, 5, 5, BATCH_ROWS - 1, count],
        &[0, 2 * BATCH_ROWS, count],
    ];
    for cut in cuts {
        let batches: Vec<_> = cut.windows(2).map(|ends| whole.slice(ends[0], ends[1] - ends[0])).collect();
        for partitions in [1, 2, 3, 7] {
            assert_eq!(read_rows(&memory(&batches), &columns, Some("id"), partitions), expected, "{cut:?}");
        }
    }
    let mut neighbour = read_rows(&memory(&[whole, people(count..count + 1)]), &columns, Some("id"), 2);
    let added = neighbour.iter().position(|row| !expected.contains(row)).expect("one row more");
    neighbour.remove(added);
    assert_eq!(neighbour, expected);
}

#[test]
fn frames_that_contradict_themselves_are_refused() {
    let one = batch(vec![("a", array(Int64Array::from(vec![1])))]);
    let other = batch(vec![("a", array(StringArray::from(vec!["1"])))]);
    assert!(MemoryRows::new("t", one.schema(), vec![one.clone(), other]).is_err());
    let twice = batch(vec![("a", array(Int64Array::from(vec![1]))), ("a", array(Int64Array::from(vec![2])))]);
    let error = MemoryRows::new("t", twice.schema(), vec![twice]).unwrap_err();
    assert!(error.to_string().contains("several columns `a`"), "{error}");
    let nobody = memory(&[one]).scan(&[integer("b")], &[], 1);
    assert!(matches!(nobody, Err(SourceError::NoColumn { .. })));
}
