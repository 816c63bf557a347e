//! What the owner is told about their own files.

use pointillist_catalog::ColumnType;

use super::super::{ColumnInspection, FileSource, Inspection, inspect};
use super::*;

#[test]
fn an_inspection_counts_what_reading_does() {
    let folder = folder(&[
        ("a.csv", b"id,age,note\n1,41,x\n2,old,y\n3,500,\n,-1,z\n5\n6,,\"\n"),
        ("b.csv", b"id,note\n7,x\n"),
        ("c.csv", b"age\n20\n"),
    ]);
    let source = FileSource::open(folder.path(), "*.csv").unwrap();
    let columns = [column("age", ColumnType::Integer { bounds: Some((0, 120)) }), text("note")];
    let expected = Inspection {
        files: 3,
        rows: 6,
        malformed_rows: 2,
        damaged_parts: 1,
        rows_without_owner: 2,
        files_without_owner: 1,
        columns: vec![
            ColumnInspection { name: "age".into(), files_without: 1, unreadable: 1, moved: 2 },
            ColumnInspection { name: "note".into(), files_without: 1, unreadable: 0, moved: 0 },
        ],
    };
    assert_eq!(inspect(&source, &columns, Some("id")).unwrap(), expected);
    let without = inspect(&source, &columns, None).unwrap();
    assert_eq!((without.rows_without_owner, without.files_without_owner), (0, 0));
    // The source's own count is about scans for answers.
    assert_eq!(source.damage().malformed_rows(), 0);
}
