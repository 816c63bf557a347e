//! Files with damaged bytes: a scan that has begun ends quietly.

use arrow::array::{Float64Array, Int64Array, StringArray, TimestampMicrosecondArray};
use parquet::basic::Compression;

use super::super::FileSource;
use super::*;

fn people(rows: i64) -> RecordBatch {
    batch(vec![
        ("id", array(Int64Array::from_iter_values(0..rows))),
        (
            "x",
            array(Float64Array::from_iter((0..rows).map(|row| (row % 7 != 0).then_some(row as f64 / 3.0)))),
        ),
        (
            "s",
            array(StringArray::from_iter(
                (0..rows).map(|row| (row % 5 != 0).then(|| format!("name {}", row % 50))),
            )),
        ),
        ("t", array(TimestampMicrosecondArray::from_iter_values((0..rows).map(|row| row * 1_000_000)))),
    ])
}

fn columns() -> [ScanColumn; 3] {
    [number("x"), text("s"), column("t", ColumnType::Timestamp { bounds: None })]
}

/// The rows, if the file can be opened; a scan that fails fails the test.
fn survivors(name: &str, bytes: &[u8]) -> Option<usize> {
    let folder = folder(&[(name, bytes)]);
    let source = FileSource::open(folder.path(), name).ok()?;
    source.scan(&columns(), Some("id"), 2).ok()?;
    Some(scanned(&source, &columns(), Some("id"), 2).num_rows())
}

/// Flips one bit at about `count` places, spread over the file.
fn flip_everywhere(name: &str, bytes: &[u8], count: usize) {
    let mut opened = 0;
    for place in (0..bytes.len()).step_by((bytes.len() / count).max(1)) {
        let mut flipped = bytes.to_vec();
        flipped[place] ^= 1 << (place % 8);
        opened += usize::from(survivors(name, &flipped).is_some());
    }
    assert!(opened > count / 2, "most places are not in the footer: {opened}");
}

#[test]
fn a_flipped_bit_never_fails_a_scan_of_parquet() {
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(Default::default())]
    {
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_max_row_group_row_count(Some(400))
            .build();
        flip_everywhere("t.parquet", &parquet(&people(1200), properties), 200);
    }
}

#[test]
fn a_flipped_bit_never_fails_a_scan_of_arrow_ipc() {
    let batches: Vec<_> = (0..3).map(|_| people(200)).collect();
    flip_everywhere("t.arrow", &ipc(&batches), 200);
}

/// Specification: flips in the footer, where lengths and counts are, fail the opening or nothing.
#[test]
fn a_flipped_bit_in_the_footer_never_fails_a_scan() {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(40)).build();
    for (name, bytes) in [("t.parquet", parquet(&people(80), properties)), ("t.arrow", ipc(&[people(40)]))] {
        let trailer = if name == "t.parquet" { 8 } else { 10 };
        let at = bytes.len() - trailer;
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        for place in (at - length..bytes.len()).step_by(3) {
            for bit in [0, 6, 7] {
                let mut flipped = bytes.clone();
                flipped[place] ^= 1 << bit;
                survivors(name, &flipped);
            }
        }
    }
}

#[test]
fn a_truncated_file_is_refused_and_a_gap_costs_its_row_group() {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(400))
        .build();
    let whole = parquet(&people(1200), properties);
    for length in [0, 4, whole.len() / 2, whole.len() - 1] {
        assert_eq!(survivors("t.parquet", &whole[..length]), None);
    }
    let mut gap = whole.clone();
    gap[4..64].fill(0xff);
    let folder = folder(&[("t.parquet", &gap)]);
    let source = FileSource::open(folder.path(), "t.parquet").unwrap();
    let shown = rows(&scanned(&source, &[integer("id")], Some("id"), 2));
    assert!(shown.len() >= 800, "{}", shown.len());
    assert_eq!(source.damage().parts(), 1);
}

#[test]
fn a_damaged_block_leaves_the_others() {
    let batches: Vec<_> = (0..3).map(|_| people(200)).collect();
    let mut bytes = ipc(&batches);
    // The first block follows the schema; what its message says is overwritten.
    let place = bytes.windows(4).enumerate().filter(|(_, four)| *four == [0xff; 4]).nth(1).unwrap().0;
    bytes[place + 8..place + 40].fill(0xff);
    let folder = folder(&[("t.arrow", &bytes)]);
    let source = FileSource::open(folder.path(), "t.arrow").unwrap();
    assert_eq!(scanned(&source, &columns(), Some("id"), 2).num_rows(), 400);
    assert_eq!(source.damage().parts(), 1);
}
