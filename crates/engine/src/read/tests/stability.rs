//! One person's row changes one person's row, whatever is in it.
//!
//! **Specification.** Tables of hostile values (quotes, line breaks, delimiters, lines that look like rows, bytes that are no
//! text, lengths around every limit) are written by a faithful writer in every format. What is read is the definition:
//! a row for a row, in order, texts cut at [`TEXT_MAX`], rows too long for a record left out. So when a person leaves,
//! their rows leave and no other row changes, which is checked once more, person by person.
//! **Power.** A reader of lines is caught by the same values.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, RecordBatch};
use parquet::file::properties::WriterProperties;
use pointillist_records::RECORD_MAX;

use super::super::{FileSource, IdFiles, Pair, TEXT_MAX};
use super::{folder, gzip, ipc, parquet, rows, scanned, text};

const FORMATS: [&str; 6] = ["t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz", "t.parquet", "t.arrow"];

/// Whose row it is, and what it says.
type Row = (Vec<u8>, Vec<u8>);

/// A generator with a fixed seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Up to twelve pieces that a grammar might stumble over.
    fn value(&mut self) -> Vec<u8> {
        let pieces: [&[u8]; 16] = [
            b"\"",
            b"\"\"",
            b"\n",
            b"\r\n",
            b"\r",
            b",",
            b"\t",
            b";",
            b" ",
            b"#",
            b"x",
            b"7,8\n",
            b"9\t9\n",
            b"\xff",
            b"\n\"\n",
            "é".as_bytes(),
        ];
        (0..self.below(12)).flat_map(|_| pieces[self.below(pieces.len())].to_vec()).collect()
    }

    fn table(&mut self) -> Vec<Row> {
        (0..1 + self.below(7)).map(|_| (self.person(), self.value())).collect()
    }

    fn person(&mut self) -> Vec<u8> {
        let people: [&[u8]; 6] = [b"1", b"01", b"1\n2,3", b"\"", b"o'hara, \"m\"\r\n", b"\xff\n"];
        people[self.below(people.len())].to_vec()
    }
}

/// RFC 4180, with quotes only where they are needed.
fn delimited(table: &[Row], delimiter: u8) -> Vec<u8> {
    let field = |value: &[u8]| match value
        .iter()
        .any(|byte| matches!(byte, b'"' | b'\n' | b'\r') || *byte == delimiter)
    {
        false => value.to_vec(),
        true => [
            b"\"",
            value.split(|byte| *byte == b'"').collect::<Vec<_>>().join(&b"\"\""[..]).as_slice(),
            b"\"",
        ]
        .concat(),
    };
    let mut bytes = [b"id".as_slice(), &[delimiter], b"note\n"].concat();
    for (id, note) in table {
        bytes.extend([field(id), vec![delimiter], field(note), b"\n".to_vec()].concat());
    }
    bytes
}

fn written(name: &str, table: &[Row]) -> Vec<u8> {
    let delimiter = if name.contains(".tsv") { b'\t' } else { b',' };
    let column =
        |of: fn(&Row) -> &[u8]| Arc::new(BinaryArray::from_iter_values(table.iter().map(of))) as ArrayRef;
    let batch = || {
        RecordBatch::try_from_iter([("id", column(|row| &row.0)), ("note", column(|row| &row.1))]).unwrap()
    };
    match name {
        "t.parquet" => parquet(&batch(), WriterProperties::default()),
        "t.arrow" => ipc(&[batch()]),
        _ if name.ends_with(".gz") => gzip(&delimited(table, delimiter)),
        _ => delimited(table, delimiter),
    }
}

fn read_back(name: &str, bytes: &[u8]) -> Vec<String> {
    let folder = folder(&[(name, bytes)]);
    rows(&scanned(&FileSource::open(folder.path(), name).unwrap(), &[text("note")], Some("id"), 1))
}

/// What a row is read as, by definition; `None` if it is left out.
fn defined(name: &str, (id, note): &Row) -> Option<String> {
    let is_text = !matches!(name, "t.parquet" | "t.arrow");
    if is_text && note.len() > RECORD_MAX / 2 {
        // Up to the end of the last field; notes of this length are in quotes.
        let file = delimited(&[(id.clone(), note.clone())], b',');
        if file.len() - b"id,note\n".len() - b"\"\n".len() > RECORD_MAX {
            return None;
        }
    }
    let owner = std::str::from_utf8(id).map_or("\\xff\\n".to_owned(), str::to_owned);
    let mut end = note.len().min(TEXT_MAX);
    let note = std::str::from_utf8(note).ok().map(|note| {
        while !note.is_char_boundary(end) {
            end -= 1;
        }
        &note[..end]
    });
    // An empty field of a file of text is no value.
    let note = note.filter(|note| !(is_text && note.is_empty())).unwrap_or("-");
    Some(format!("{note} {owner}"))
}

fn checked(name: &str, table: &[Row]) -> Vec<String> {
    let read = read_back(name, &written(name, table));
    let expected: Vec<String> = table.iter().filter_map(|row| defined(name, row)).collect();
    assert!(read == expected, "{name}: {} rows of {}", read.len(), expected.len());
    read
}

/// Specification: a file of many pieces has the rows of its parts, read by one thread or by several. Values hold line breaks,
/// quotes and lines that look like rows, so that whoever cut at a line feed of a value would show other rows.
#[test]
fn a_text_in_many_pieces_has_its_rows_and_no_others() {
    let mut chance = Chance(0xC07);
    for name in ["t.csv", "t.tsv.gz"] {
        let mut table: Vec<Row> = (0..60_000).map(|_| (chance.person(), chance.value())).collect();
        // One value is as large as several pieces.
        table[777].1 = b"7,8\n\"9\t9\n".repeat(100_000);
        let expected: Vec<String> = table.iter().filter_map(|row| defined(name, row)).collect();
        let bytes = written(name, &table);
        assert!(read_back(name, &bytes) == expected, "{name}");
        let folder = folder(&[(name, &bytes)]);
        let source = FileSource::open(folder.path(), name).unwrap();
        let mut shared = rows(&scanned(&source, &[text("note")], Some("id"), 3));
        let mut sorted = expected;
        shared.sort_unstable();
        sorted.sort_unstable();
        assert!(shared == sorted, "{name}, by three partitions");
        assert_eq!((source.damage().parts(), source.damage().malformed_rows()), (0, 0));
    }
}

#[test]
fn what_one_row_holds_changes_no_other_row() {
    let mut chance = Chance(0x5EED_0001);
    for _ in 0..25 {
        let table = chance.table();
        for name in FORMATS {
            let all = checked(name, &table);
            let person = table[chance.below(table.len())].0.clone();
            let (left, stay): (Vec<Row>, Vec<Row>) = table.iter().cloned().partition(|row| row.0 == person);
            let gone: Vec<String> = left.iter().filter_map(|row| defined(name, row)).collect();
            let mut rest = all;
            rest.retain(|row| !gone.contains(row));
            let without: Vec<String> =
                checked(name, &stay).into_iter().filter(|row| !gone.contains(row)).collect();
            assert!(rest == without, "{name}");
        }
    }
}

/// Around the limits of a text, of a line and of a record, with a field full of lines that look like rows.
#[test]
fn how_long_a_value_is_changes_no_other_row() {
    let person = |note: Vec<u8>| (b"5".to_vec(), note);
    let others = |at: u8| (vec![b'6' + at], b"a\n1,2\n\"".to_vec());
    for limit in [TEXT_MAX, 1 << 20, RECORD_MAX - 3] {
        for length in [limit - 1, limit, limit + 1] {
            // Before the note stand three bytes. Large files take long: three formats stand for the others.
            let formats = if limit > 1 << 20 { &["t.csv", "t.tsv.gz", "t.parquet"][..] } else { &FORMATS };
            for name in formats {
                let lines: Vec<u8> = b"7,8\n9\t9\n".iter().copied().cycle().take(length).collect();
                let table = [others(0), person(lines), others(1)];
                let read = checked(name, &table);
                assert!(read.len() >= 2 && read[0].ends_with('6') && read[read.len() - 1].ends_with('7'));
            }
        }
    }
}

/// Ids of ties in files with columns: exact, whatever they hold.
#[test]
fn ties_in_columns_are_what_was_written() {
    let mut chance = Chance(0x5EED_0002);
    let long = |last: u8, length: usize| [vec![b'x'; length - 1], vec![last]].concat();
    for round in 0..20 {
        let mut table = chance.table();
        for length in [TEXT_MAX - 1, TEXT_MAX, TEXT_MAX + 1].into_iter().filter(|_| round == 0) {
            table.push((long(b'a', length), long(b'b', length)));
        }
        let readable = |id: &[u8]| id.len() <= TEXT_MAX;
        let expected: Vec<Row> =
            table.iter().filter(|row| readable(&row.0) && readable(&row.1)).cloned().collect();
        for name in ["t.parquet", "t.arrow"] {
            let folder = folder(&[(name, &written(name, &table))]);
            let mut seen: Vec<Row> = Vec::new();
            let read = IdFiles::open(folder.path(), name, 2).unwrap().visit(&mut |pair| match pair {
                Pair::Texts(u, v) => seen.push((u.to_vec(), v.to_vec())),
                Pair::Numbers(..) => panic!("bytes are not numbers"),
            });
            read.unwrap();
            assert!(seen == expected, "{name}");
        }
    }
}

/// The values above are hostile enough: whoever reads lines reads other rows.
#[test]
fn a_reader_of_lines_would_be_caught() {
    let mut chance = Chance(0x5EED_0001);
    let lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').filter(|line| line.contains(&b',')).count();
    let wrong = (0..25).filter(|_| {
        let table = chance.table();
        lines(&delimited(&table, b',')) != table.len() + 1
    });
    assert!(wrong.count() >= 10);
}
