//! One tie of a person stays one tie, whatever its fields hold.
//!
//! **Specification.** Ties with hostile ids and texts beside them (quotes, line breaks, separators, lines that look like ties,
//! lengths around every limit) are written by a faithful writer in every format, plain and in gzip. The graph that is
//! read is the definition's: the pairs of ids as they stand, without records that are too long. So one record more or
//! less is one tie more or less. Lists of nodes likewise.
//! **Power.** A reader of lines is caught by the same values.

use std::collections::BTreeSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use pointillist_noise::SecureBits;
use pointillist_records::RECORD_MAX;
use pointillist_testkit::seeded;

use super::*;

/// Two ids and a text.
type Tie = [Vec<u8>; 3];

const COMMAS: Format = Format::Csv { delimiter: b',' };
const TABS: Format = Format::Csv { delimiter: b'\t' };
/// The formats, each with a separator that a writer may use.
const FORMATS: [(Format, u8); 6] = [
    (COMMAS, b','),
    (TABS, b'\t'),
    (Format::Blanks, b' '),
    (Format::Blanks, b'\t'),
    (Format::Blanks, b','),
    (Format::Blanks, b';'),
];

fn below(bits: &mut impl SecureBits, bound: usize) -> usize {
    (bits.word() % bound as u64) as usize
}

fn value(bits: &mut impl SecureBits) -> Vec<u8> {
    let pieces: [&[u8]; 16] = [
        b"\"",
        b"\"\"",
        b"\n",
        b"\r\n",
        b",",
        b"\t",
        b";",
        b" ",
        b"#",
        b"%",
        b"x",
        b"7",
        b"0",
        b"1 2\n3 4\n",
        b"5,6\n",
        b"\xff",
    ];
    (0..1 + below(bits, 8)).flat_map(|_| pieces[below(bits, pieces.len())].to_vec()).collect()
}

fn id(bits: &mut impl SecureBits) -> Vec<u8> {
    match below(bits, 3) {
        0 => value(bits),
        1 => bits.word().to_string().into_bytes(),
        _ => ["7", "007", "7.0", "ann", "0", "a b"][below(bits, 6)].as_bytes().to_vec(),
    }
}

/// One record without its line feed. Quotes stand where a format gives bytes a meaning.
fn record(format: Format, separator: u8, fields: &[Vec<u8>]) -> Vec<u8> {
    let special = |byte: &u8| match format {
        Format::Csv { delimiter } => matches!(byte, b'"' | b'\n' | b'\r') || *byte == delimiter,
        Format::Blanks => matches!(byte, b'"' | b'\n' | b'\r' | b' ' | b'\t' | b',' | b';' | b'#' | b'%'),
    };
    let field = |value: &Vec<u8>| match value.iter().any(special) {
        false => value.clone(),
        true => {
            let doubled = value.split(|byte| *byte == b'"').collect::<Vec<_>>().join(&b"\"\""[..]);
            [b"\"", doubled.as_slice(), b"\""].concat()
        }
    };
    fields.iter().map(field).collect::<Vec<_>>().join(&separator)
}

/// Whether a record is short enough to be read.
fn fits(format: Format, record: &[u8]) -> bool {
    match format {
        Format::Csv { .. } => record.len() - usize::from(record.ends_with(b"\"")) <= RECORD_MAX,
        Format::Blanks => record.len() <= line::LINE_MAX,
    }
}

fn file(format: Format, separator: u8, records: &[Tie], end: &[u8]) -> Vec<u8> {
    records.iter().flat_map(|fields| [&record(format, separator, fields), end].concat()).collect()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Reads what was written, and compares with the definition.
fn check(format: Format, separator: u8, ties: &[Tie], end: &[u8]) {
    let mut expected = BTreeSet::new();
    let mut nodes = BTreeSet::new();
    for tie in ties.iter().filter(|tie| fits(format, &record(format, separator, &tie[..]))) {
        nodes.extend(label(&tie[0]));
        if let (Some(u), Some(v)) = (label(&tie[0]), label(&tie[1])) {
            expected.insert((u.min(v), u.max(v)));
        }
    }
    let bytes = file(format, separator, ties, end);
    // Packing is slow in development: long records are packed in the tests of tables, which have the same reader.
    let in_gzip = (bytes.len() < 4 << 20).then(|| packed(&bytes));
    for bytes in in_gzip.into_iter().chain([bytes]) {
        let graph = read_graph(bytes.as_slice(), format, &Reading::default(), &|_| ()).expect("total").graph;
        let read: BTreeSet<(u128, u128)> =
            graph.pairs().map(|(u, v)| (graph.label(u), graph.label(v))).collect();
        let loops = expected.iter().filter(|(u, v)| u == v).count();
        assert!(
            read.len() + loops == expected.len() && read.is_subset(&expected),
            "{format:?} {separator}: {} ties of {}",
            read.len(),
            expected.len() - loops
        );
        let ids: BTreeSet<u128> = expected.iter().flat_map(|(u, v)| [*u, *v]).collect();
        assert_eq!(graph.nodes() as usize, ids.len(), "{format:?} {separator}");
        let list = read_node_list(bytes.as_slice(), format, FirstLine::Edge, &|_| ()).expect("total");
        assert_eq!(list.nodes() as usize, nodes.len(), "{format:?} {separator}");
    }
}

#[test]
fn what_one_record_holds_makes_no_other_tie() {
    let mut bits = seeded(31);
    for round in 0..400 {
        let ties: Vec<Tie> =
            (0..1 + below(&mut bits, 6)).map(|_| [id(&mut bits), id(&mut bits), value(&mut bits)]).collect();
        let end: &[u8] = if round % 2 == 0 { b"\n" } else { b"\r\n" };
        FORMATS.iter().for_each(|(format, separator)| check(*format, *separator, &ties, end));
    }
}

#[test]
fn how_long_a_field_is_makes_no_other_tie() {
    let others = |place: u64| [place.to_string().into_bytes(), b"ann".to_vec(), b"\n\"8 9\n".to_vec()];
    let long = |length: usize, last: u8| {
        let mut value: Vec<u8> = b"7 8\n8,9\n9\t7\n".iter().copied().cycle().take(length).collect();
        *value.last_mut().expect("not empty") = last;
        value
    };
    let check_around = |limit: usize, format: Format, separator: u8| {
        for length in [limit - 1, limit, limit + 1] {
            let tied = [b"1".to_vec(), b"2".to_vec(), long(length, b'x')];
            check(format, separator, &[others(10), tied, others(11), others(12)], b"\n");
        }
    };
    // Before the text stand five bytes, and a quote behind it.
    for limit in [ID_MAX, line::LINE_MAX - 6, line::LINE_MAX - 1, 8 << 20] {
        check_around(limit, Format::Blanks, b' ');
    }
    check_around(line::LINE_MAX, COMMAS, b',');
    check_around(RECORD_MAX - 5, COMMAS, b',');
    for (format, separator) in FORMATS {
        for length in [ID_MAX - 1, ID_MAX, ID_MAX + 1] {
            let named = [long(length, b'a'), long(length, b'b'), b"x".to_vec()];
            check(format, separator, &[others(10), named, others(11)], b"\n");
        }
    }
}

/// Specification: a file that is cut off anywhere has the ties of its whole records, and perhaps the one that was cut.
#[test]
fn a_file_that_is_cut_off_has_no_ties_that_nobody_wrote() {
    let ties: Vec<Tie> = vec![
        [b"1".to_vec(), b"2".to_vec(), b"\n5 6\n7,8\n9\t9\n".to_vec()],
        [b"a\n5 6\n".to_vec(), b"\"\n7,8\n\"".to_vec(), b"x".to_vec()],
        [b"3".to_vec(), b"4".to_vec(), b"\n5 6\n7,8\n".to_vec()],
    ];
    for (format, separator) in FORMATS {
        let bytes = file(format, separator, &ties, b"\n");
        let allowed =
            read_graph(bytes.as_slice(), format, &Reading::default(), &|_| ()).expect("total").graph;
        assert_eq!(allowed.edges(), 3);
        for length in 0..bytes.len() {
            let cut =
                read_graph(&bytes[..length], format, &Reading::default(), &|_| ()).expect("total").graph;
            let ends = |graph: &Graph| -> BTreeSet<(u128, u128)> {
                graph.pairs().map(|(u, v)| (graph.label(u), graph.label(v))).collect()
            };
            let (whole, read) = (ends(&allowed), ends(&cut));
            // The last id of the record that was cut may be cut as well.
            assert!(read.difference(&whole).count() <= 1, "{format:?} {separator} cut at {length}");
            assert!(
                read.iter().all(|(u, v)| !(5..10).contains(u) && !(5..10).contains(v)),
                "{format:?} {length}"
            );
        }
    }
}

/// The values above are hostile enough: whoever reads lines reads other ties.
#[test]
fn a_reader_of_lines_would_be_caught() {
    let mut bits = seeded(31);
    let wrong = (0..400).filter(|_| {
        let ties: Vec<Tie> =
            (0..1 + below(&mut bits, 6)).map(|_| [id(&mut bits), id(&mut bits), value(&mut bits)]).collect();
        file(COMMAS, b',', &ties, b"\n").split(|byte| *byte == b'\n').count() != ties.len() + 1
    });
    assert!(wrong.count() >= 200);
}
