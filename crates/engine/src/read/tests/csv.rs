//! CSV files as people have them.

use std::collections::BTreeSet;

use pointillist_catalog::ColumnType;
use pointillist_numbers::Rational;

use super::super::{FileSource, TEXT_MAX};
use super::*;

#[test]
fn fields_become_the_declared_types() {
    let bytes = b"id,age,cost,day,at,ok,note\n\
        7,41,1.50,2026-01-02,2026-01-02T03:04:05,yes,\"a, \"\"b\"\"\"\n\
        8,,,,,,\n\
        9,old,dear,soon,later,perhaps,z\n\
        10, 42.5 ,-0,2026-02-30,2026-01-02,F,\n";
    let columns = [
        integer("age"),
        number("cost"),
        column("day", ColumnType::Date { bounds: None }),
        column("at", ColumnType::Timestamp { bounds: None }),
        column("ok", ColumnType::Boolean),
        text("note"),
    ];
    let expected = [
        "41 1.5 2026-01-02 2026-01-02T03:04:05 true a, \"b\" 7",
        "- - - - - - 8",
        "- - - - - z 9",
        "43 0 - 2026-01-02T00:00:00 false - 10",
    ];
    assert_eq!(read("visits.csv", bytes, &columns, Some("id")), expected);
    let tabs = String::from_utf8(bytes.to_vec()).unwrap().replace("a, ", "a; ").replace(',', "\t");
    assert_eq!(read("visits.tsv", tabs.as_bytes(), &columns, Some("id"))[1..], expected[1..]);
    assert_eq!(read("visits.csv.gz", &gzip(bytes), &columns, Some("id")), expected);
}

/// Bounds are for sums: what is read is what the file says. Only what the type itself cannot hold is moved.
#[test]
fn values_outside_the_bounds_are_read_as_they_are() {
    let bytes = b"a,b,c,d\n-5,1e999,1999-01-01,1999-01-01\n500,-inf,2999-01-01,2999-01-01\n\
        99999999999999999999,nan,2001-01-01,2001-01-01\n50,0.3,2000-01-01,\n";
    let bounds = Some((Rational::ratio(0, 1), Rational::ratio(1, 2)));
    let columns = [
        column("a", ColumnType::Integer { bounds: Some((0, 100)) }),
        column("b", ColumnType::Number { bounds, step: None }),
        column("c", ColumnType::Date { bounds: Some((10_957, 10_958)) }),
        column("d", ColumnType::Timestamp { bounds: Some((0, 1_000_000)) }),
    ];
    let expected = [
        format!("-5 {} 1999-01-01 1999-01-01T00:00:00", f64::MAX),
        format!("500 {} 2999-01-01 2999-01-01T00:00:00", f64::MIN),
        format!("{} - 2001-01-01 2001-01-01T00:00:00", i64::MAX),
        "50 0.3 2000-01-01 -".to_owned(),
    ];
    assert_eq!(read("t.csv", bytes, &columns, None), expected);
}

#[test]
fn a_row_with_the_wrong_number_of_fields_is_left_out() {
    let bytes = b"id,x\n1,10\n2\n3,30,30\n4,40\n,\n5,5\"0\n6,60\n7\0,7\xff0\n8,\"8\"0\n9,90";
    let expected = ["10 1", "40 4", "- -", "60 6", "7\u{fffd}0 7\0", "90 9"];
    let shown = read("t.csv", bytes, &[text("x")], Some("id"));
    // A field that is not UTF-8 is NULL.
    let expected: Vec<_> = expected.iter().map(|row| row.replace("7\u{fffd}0", "-")).collect();
    assert_eq!(shown, expected);
}

/// Specification: a malformed record whose quotes are closed leaves all others as they are, wherever it stands and
/// whatever lines it holds.
#[test]
fn adding_a_malformed_record_changes_nothing_else() {
    let good = ["1,10", "2,\"a\"\"b\"", "3,\"x\ny\"", "4,", "5,\"\"", "6,é", "7,\",\""];
    let bad: [&[u8]; 9] = [
        b"9",
        b"9,9,9",
        b"9,9\"",
        b"9,\"9\"9",
        b"\"9\"\"\n1,2\n3,4\n\"5,6",
        b"9,\"\n8,8\n\",9",
        b"\0",
        b"\"\n\"\n",
        b"\xff\"\xfe",
    ];
    let file =
        |rows: &[&[u8]]| [b"id,x".as_slice()].iter().chain(rows).copied().collect::<Vec<_>>().join(&b'\n');
    let good: Vec<&[u8]> = good.iter().map(|row| row.as_bytes()).collect();
    let expected = read("t.csv", &file(&good), &[text("x")], Some("id"));
    for bad in bad {
        for place in 0..=good.len() {
            let mut rows = good.clone();
            rows.insert(place, bad);
            let shown = read("t.csv", &file(&rows), &[text("x")], Some("id"));
            assert_eq!(shown, expected, "{bad:?} at {place}");
        }
    }
}

/// The limit of the above, known and kept: a field that begins with a quote is a field in quotes, and what follows
/// belongs to it until the quotes are closed. No reader can tell a quote that was left open from a file that was cut.
#[test]
fn an_open_quote_costs_the_rows_up_to_one_that_closes_it() {
    let bytes = b"id,x\n1,\"9\n2,b\n3,\"\nc\"\n4,d\n";
    assert_eq!(read("t.csv", bytes, &[text("x")], Some("id")), ["9\n2,b\n3, 1", "d 4"]);
    let bytes = b"id,x\n0,a\n1,\"9\n2,b\n3,c\n";
    assert_eq!(read("t.csv", bytes, &[text("x")], Some("id")), ["a 0"]);
}

/// Specification: a file that ends inside of quotes does not yield what stands in them as rows, and says so to its owner.
#[test]
fn lines_of_a_field_that_is_cut_off_are_no_rows() {
    let bytes = format!("id,x\n0,a\n1,\"{}", "7,7\n".repeat(300_000));
    let packed = gzip(bytes.as_bytes());
    for (name, bytes) in [
        ("t.csv", bytes.as_bytes()),
        ("t.csv.gz", &packed),
        ("t.csv.gz", &packed[..packed.len() - 20]),
        ("t.csv.gz", &packed[..packed.len() / 2]),
    ] {
        let folder = folder(&[(name, bytes)]);
        let source = FileSource::open(folder.path(), name).unwrap();
        assert_eq!(rows(&scanned(&source, &[text("x")], Some("id"), 1)), ["a 0"], "{name} {}", bytes.len());
        assert_eq!((source.damage().malformed_rows(), source.damage().parts()), (1, 1));
    }
}

#[test]
fn odd_beginnings_and_ends_are_read() {
    let columns = [integer("x")];
    assert_eq!(read("t.csv", b"\xef\xbb\xbfx\r\n1\r\n2", &columns, None), ["1", "2"]);
    assert_eq!(read("t.csv", b"x", &columns, None), Vec::<String>::new());
    assert_eq!(read("t.csv", b"x\n\n\n", &columns, None), Vec::<String>::new());
    assert_eq!(read("t.csv", b"x,y\n1,\n", &columns, None), ["1"]);
    assert_eq!(read("t.csv", b"x\n1\n\"", &columns, None), ["1"]);
    assert_eq!(read("T.CSV", b"x\n1\n", &columns, None), ["1"]);
}

#[test]
fn rows_can_be_counted_without_a_column() {
    let folder = folder(&[("t.csv", b"x\n1\n2\n\n3,3\n4\n")]);
    let source = FileSource::open(folder.path(), "t.csv").unwrap();
    assert_eq!(scanned(&source, &[], None, 2).num_rows(), 3);
    assert_eq!(source.damage().malformed_rows(), 1);
}

#[test]
fn a_huge_field_is_cut_and_a_huge_name_is_none() {
    let long = "é".repeat(2_500_000);
    let bytes = format!("id,x\n1,a\n2,{long}\n{long},b\n3,c\n");
    let folder = folder(&[("t.csv", bytes.as_bytes())]);
    let batch = scanned(&FileSource::open(folder.path(), "t.csv").unwrap(), &[text("x")], Some("id"), 1);
    let shown = rows(&batch);
    assert_eq!([&shown[0], &shown[2], &shown[3]], ["a 1", "b -", "c 3"]);
    assert_eq!(shown[1], format!("{} 2", "é".repeat(TEXT_MAX / 2)));
}

#[test]
fn a_gzip_file_that_breaks_off_ends_there() {
    let text: String = (0..50_000).map(|row| format!("{row},{}\n", row * 7)).collect();
    let whole = gzip(format!("id,x\n{text}").as_bytes());
    for length in [whole.len() - 1, whole.len() / 2, whole.len() / 3] {
        let folder = folder(&[("t.csv.gz", &whole[..length])]);
        let source = FileSource::open(folder.path(), "t.csv.gz").unwrap();
        // Two partitions take batches as they come, so rows have no order.
        let shown: BTreeSet<String> =
            rows(&scanned(&source, &[integer("x")], Some("id"), 2)).into_iter().collect();
        assert!(shown.len() > 1000 && shown.len() <= 50_000);
        for row in 0..shown.len() {
            assert!(shown.contains(&format!("{} {row}", row * 7)), "{row}");
        }
        assert_eq!(source.damage().parts(), 1);
    }
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    read("t.csv.gz", &flipped, &[integer("x")], Some("id"));
    // Several members, one after the other, are one file.
    let mut two = gzip(b"id,x\n1,2\n");
    two.extend(gzip(b"3,4\n"));
    assert_eq!(read("t.csv.gz", &two, &[integer("x")], Some("id")), ["2 1", "4 3"]);
}

/// Specification: no bytes make a scan fail, and a row that was read is a row of the file.
#[test]
fn random_bytes_are_read_to_their_end() {
    let alphabet = b"\",\n\r1a\xff\0,\n\"";
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..300 {
        let mut bytes = b"id,x\n".to_vec();
        for _ in 0..40 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes.push(alphabet[usize::try_from(state % alphabet.len() as u64).unwrap()]);
        }
        let folder = folder(&[("t.csv", &bytes)]);
        let source = FileSource::open(folder.path(), "t.csv").unwrap();
        let inspection = super::super::inspect(&source, &[integer("x")], Some("id")).unwrap();
        assert!(inspection.damaged_parts <= 1, "only quotes that are left open");
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        assert!(inspection.rows + inspection.malformed_rows <= lines + 1);
    }
}
