//! Parquet and Arrow IPC files, their types, and folders of files that differ.

use arrow::array::types::Int8Type;
use arrow::array::{
    BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
    FixedSizeBinaryArray, Float32Array, Float64Array, Int16Array, Int32Array, Int64Array, LargeStringArray,
    ListArray, NullArray, StringArray, StringViewArray, TimestampMicrosecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt64Array,
};
use arrow::datatypes::{DataType, Int32Type};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::IpcWriteOptions;
use parquet::basic::Compression;
use pointillist_catalog::ColumnType;

use super::super::{FileSource, OWNER_COLUMN, header};
use super::*;

/// A row of values and a row of NULLs, in every type.
pub(super) fn everything() -> Vec<(&'static str, ArrayRef)> {
    let decimal = Decimal128Array::from(vec![Some(250), None]).with_precision_and_scale(10, 2).unwrap();
    let dictionary: DictionaryArray<Int8Type> = vec![Some("41"), None].into_iter().collect();
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)]), None]);
    let noon = 1_767_355_200;
    vec![
        ("boolean", array(BooleanArray::from(vec![Some(true), None]))),
        ("int16", array(Int16Array::from(vec![Some(41), None]))),
        ("int64", array(Int64Array::from(vec![Some(41), None]))),
        ("uint64", array(UInt64Array::from(vec![Some(u64::MAX), None]))),
        ("float32", array(Float32Array::from(vec![Some(2.5), None]))),
        ("float64", array(Float64Array::from(vec![Some(f64::INFINITY), None]))),
        ("decimal", array(decimal)),
        ("utf8", array(StringArray::from(vec![Some("2026-01-02"), None]))),
        ("large", array(LargeStringArray::from(vec![Some("41"), None]))),
        ("view", array(StringViewArray::from(vec![Some("41"), None]))),
        ("binary", array(BinaryArray::from(vec![Some(b"\xff".as_ref()), None]))),
        ("dictionary", array(dictionary)),
        ("date32", array(Date32Array::from(vec![Some(20_455), None]))),
        ("date64", array(Date64Array::from(vec![Some(20_455 * 86_400_000), None]))),
        ("seconds", array(TimestampSecondArray::from(vec![Some(noon), None]))),
        (
            "micros",
            array(
                TimestampMicrosecondArray::from(vec![Some(noon * 1_000_000), None]).with_timezone("+02:00"),
            ),
        ),
        ("nanos", array(TimestampNanosecondArray::from(vec![Some(noon * 1_000_000_000 + 999), None]))),
        ("list", array(list)),
    ]
}

const DATE: ColumnType = ColumnType::Date { bounds: None };
const MOMENT: ColumnType = ColumnType::Timestamp { bounds: None };

#[test]
fn every_stored_type_becomes_every_declared_type() {
    // boolean, integer, number, text, date, timestamp
    let expected = [
        ("boolean", "true 1 1 true - -"),
        ("int16", "- 41 41 41 - -"),
        ("int64", "- 41 41 41 - -"),
        ("uint64", "- - 18446744073709552000 18446744073709551615 - -"),
        ("float32", "- 3 2.5 2.5 - -"),
        ("float64", "- - - - - -"),
        ("decimal", "- 3 2.5 2.5 - -"),
        ("utf8", "- - - 2026-01-02 2026-01-02 2026-01-02T00:00:00"),
        ("large", "- 41 41 41 - -"),
        ("view", "- 41 41 41 - -"),
        ("binary", "- - - - - -"),
        ("dictionary", "- 41 41 41 - -"),
        ("date32", "- - - 2026-01-02 2026-01-02 2026-01-02T00:00:00"),
        ("date64", "- - - 2026-01-02 2026-01-02 2026-01-02T00:00:00"),
        ("seconds", "- - - 2026-01-02T12:00:00 2026-01-02 2026-01-02T12:00:00"),
        ("micros", "- - - 2026-01-02T12:00:00 2026-01-02 2026-01-02T12:00:00"),
        ("nanos", "- - - 2026-01-02T12:00:00.000000999 2026-01-02 2026-01-02T12:00:00"),
        ("list", "- - - - - -"),
    ];
    let batch = batch(everything());
    let files = [("t.parquet", parquet(&batch, WriterProperties::default())), ("t.arrow", ipc(&[batch]))];
    for (file, bytes) in &files {
        let folder = folder(&[(file, bytes)]);
        let source = FileSource::open(folder.path(), file).unwrap();
        for (name, row) in expected {
            let columns = [
                column(name, ColumnType::Boolean),
                integer(name),
                number(name),
                text(name),
                column(name, DATE),
                column(name, MOMENT),
            ];
            let shown = rows(&scanned(&source, &columns, None, 2));
            assert_eq!(shown, [row, "- - - - - -"], "{name} in {file}");
        }
        assert_eq!(source.damage().parts(), 0);
    }
}

#[test]
fn the_schema_of_a_scan_is_canonical() {
    let folder = folder(&[("t.parquet", &parquet(&batch(everything()), WriterProperties::default()))]);
    let source = FileSource::open(folder.path(), "t.parquet").unwrap();
    let columns = [integer("int16"), text("utf8"), column("boolean", ColumnType::Boolean)];
    let scan = source.scan(&columns, Some("int64"), 2).unwrap();
    let schema = scan.schema();
    let kinds: Vec<_> =
        schema.fields().iter().map(|field| (field.name().as_str(), field.data_type())).collect();
    let expected = [
        ("int16", &DataType::Int64),
        ("utf8", &DataType::Utf8View),
        ("boolean", &DataType::Boolean),
        (OWNER_COLUMN, &DataType::Int64),
    ];
    assert_eq!(kinds, expected);
    let scan = source.scan(&[], Some("utf8"), 2).unwrap();
    let schema = scan.schema();
    assert_eq!(schema.field(0).data_type(), &DataType::BinaryView);
    let refused = source.scan(&[], Some("list"), 2).unwrap_err();
    assert!(matches!(refused, SourceError::OwnerType { .. }), "{refused}");
}

#[test]
fn all_compressions_are_read() {
    let batch = batch(vec![("x", array(Int64Array::from_iter_values(0..5000)))]);
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
        Compression::BROTLI(Default::default()),
    ] {
        let properties = WriterProperties::builder().set_compression(compression).build();
        let shown = read("t.parquet", &parquet(&batch, properties), &[integer("x")], None);
        assert_eq!(shown.len(), 5000, "{compression}");
    }
}

/// Feather files are compressed unless their writer is told otherwise.
#[test]
fn all_compressions_of_blocks_are_read() {
    let batch = batch(vec![("x", array(Int64Array::from_iter_values(0..5000)))]);
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let options = IpcWriteOptions::default().try_with_compression(Some(compression)).unwrap();
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        assert_eq!(read("t.feather", &bytes, &[integer("x")], None).len(), 5000, "{compression:?}");
    }
}

#[test]
fn row_groups_and_blocks_are_shared_out_and_each_is_read_once() {
    let batches: Vec<_> = (0..10)
        .map(|block| {
            batch(vec![("x", array(Int64Array::from_iter_values(block * 1000..(block + 1) * 1000)))])
        })
        .collect();
    let whole = concat_batches(&batches[0].schema(), &batches).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1000)).build();
    for (name, bytes) in [("t.parquet", parquet(&whole, properties)), ("t.feather", ipc(&batches))] {
        let folder = folder(&[(name, &bytes)]);
        let source = FileSource::open(folder.path(), name).unwrap();
        for partitions in [1, 2, 3, 100] {
            let scan = source.scan(&[integer("x")], None, partitions).unwrap();
            assert_eq!(scan.partitions(), partitions, "{name}");
            let mut shown = rows(&scanned(&source, &[integer("x")], None, partitions));
            shown.sort_by_key(|row| row.parse::<i64>().unwrap());
            assert_eq!(shown, (0..10_000).map(|row| row.to_string()).collect::<Vec<_>>());
        }
    }
}

/// Specification: one text is turned into values by every partition, each row by one of them; and a scan that is read
/// again begins again.
#[test]
fn the_batches_of_one_text_are_shared_out_and_each_is_taken_once() {
    let text: String = (0..50_000).map(|row| format!("{row}\n")).collect();
    let whole = format!("x\n{text}").into_bytes();
    for (name, bytes) in [("t.csv", whole.clone()), ("t.csv.gz", gzip(&whole))] {
        let folder = folder(&[(name, &bytes)]);
        let source = FileSource::open(folder.path(), name).unwrap();
        let scan = source.scan(&[integer("x")], None, 3).unwrap();
        for _ in 0..3 {
            let batches = collected(&scan).unwrap();
            let mut shown = rows(&concat_batches(scan.schema(), &batches).unwrap());
            shown.sort_by_key(|row| row.parse::<i64>().unwrap());
            assert_eq!(shown, (0..50_000).map(|row| row.to_string()).collect::<Vec<_>>(), "{name}");
        }
        // A partition that comes alone gets everything: the others have nothing to wait for.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let taken = runtime.block_on(async {
            let partitions = [0, 1, 2].map(|partition| scan.batches(partition));
            let mut taken = Vec::new();
            for mut batches in partitions {
                let mut rows = 0;
                while let Some(batch) = batches.next().await {
                    rows += batch.unwrap().num_rows();
                }
                taken.push(rows);
            }
            taken
        });
        assert_eq!(taken, [50_000, 0, 0], "{name}");
    }
}

#[test]
fn rows_are_counted_by_reading_them() {
    let batch = batch(vec![("n", array(NullArray::new(3))), ("x", array(Int64Array::from(vec![1, 2, 3])))]);
    for (name, bytes) in [
        ("t.parquet", parquet(&batch, WriterProperties::default())),
        ("t.ipc", ipc(std::slice::from_ref(&batch))),
    ] {
        assert_eq!(read(name, &bytes, &[], None).len(), 3, "{name}");
        assert_eq!(read(name, &bytes, &[integer("n")], None), ["-", "-", "-"], "{name}");
    }
}

/// Specification: one text that is not UTF-8 is NULL, and its neighbours in the row group or block stay.
#[test]
fn a_text_that_is_not_utf8_costs_its_own_value() {
    let names = ["anna", "QQQQ", "zoë"];
    let batch = batch(vec![("x", array(StringArray::from(names.to_vec())))]);
    let plain = WriterProperties::builder().set_dictionary_enabled(false).build();
    let dictionary = WriterProperties::builder().build();
    for (name, mut bytes) in [
        ("t.parquet", parquet(&batch, plain)),
        ("t.parquet", parquet(&batch, dictionary)),
        ("t.arrow", ipc(std::slice::from_ref(&batch))),
    ] {
        let places: Vec<_> =
            (0..bytes.len() - 4).filter(|place| &bytes[*place..place + 4] == b"QQQQ").collect();
        places.into_iter().for_each(|place| bytes[place + 1] = 0xff);
        let shown = read(name, &bytes, &[text("x")], Some("x"));
        assert_eq!(shown, ["anna anna", "- Q\\xffQQ", "zoë zoë"], "{name}");
    }
}

#[test]
fn files_of_a_folder_may_differ_in_their_columns() {
    let first =
        batch(vec![("id", array(Int32Array::from(vec![1]))), ("x", array(Float64Array::from(vec![1.5])))]);
    let second =
        batch(vec![("x", array(StringArray::from(vec!["2"]))), ("id", array(Int64Array::from(vec![2])))]);
    let third = batch(vec![("id", array(Int64Array::from(vec![3])))]);
    let fourth = batch(vec![("x", array(Int64Array::from(vec![4])))]);
    let bytes: Vec<_> = [first, second, third, fourth]
        .iter()
        .map(|batch| parquet(batch, WriterProperties::default()))
        .collect();
    let folder = folder(&[
        ("a.parquet", &bytes[0]),
        ("b.parquet", &bytes[1]),
        ("c.parquet", &bytes[2]),
        ("d.parquet", &bytes[3]),
    ]);
    let source = FileSource::open(folder.path(), ".").unwrap();
    let batch = scanned(&source, &[number("x")], Some("id"), 1);
    assert_eq!(batch.schema().field(1).data_type(), &DataType::Int64);
    assert_eq!(rows(&batch), ["1.5 1", "2 2", "- 3", "4 -"]);
    let missing = source.scan(&[number("y")], None, 1).unwrap_err();
    assert!(matches!(missing, SourceError::NoColumn { .. }), "{missing}");
}

#[test]
fn owners_are_text_in_all_files_if_they_are_text_in_one() {
    let integers = batch(vec![("id", array(Int32Array::from(vec![7])))]);
    let texts = batch(vec![("id", array(StringArray::from(vec!["7"])))]);
    let bytes =
        [parquet(&integers, WriterProperties::default()), parquet(&texts, WriterProperties::default())];
    let folder = folder(&[("a.parquet", &bytes[0]), ("b.parquet", &bytes[1])]);
    let batch = scanned(&FileSource::open(folder.path(), "*.parquet").unwrap(), &[], Some("id"), 1);
    assert_eq!(batch.schema().field(0).data_type(), &DataType::BinaryView);
    assert_eq!(rows(&batch), ["7", "7"]);
}

#[test]
fn a_name_that_means_two_columns_is_refused_if_it_is_asked_for() {
    let folder = folder(&[("t.csv", b"x,y,x\n1,2,3\n")]);
    let source = FileSource::open(folder.path(), "t.csv").unwrap();
    assert_eq!(rows(&scanned(&source, &[integer("y")], None, 1)), ["2"]);
    let refused = source.scan(&[integer("x")], None, 1).unwrap_err();
    assert!(matches!(refused, SourceError::Ambiguous { .. }), "{refused}");
}

#[test]
fn headers_say_names_and_types_without_values() {
    let fixed = FixedSizeBinaryArray::try_from_iter([b"ab", b"cd"].iter()).unwrap();
    let mut columns = everything();
    columns.push(("fixed", array(fixed)));
    let batch = batch(columns);
    let bytes = [parquet(&batch, WriterProperties::default()), ipc(&[batch])];
    let folder = folder(&[("t.parquet", &bytes[0]), ("t.arrow", &bytes[1]), ("t.csv", b"a,\"b c\"\n1,2\n")]);
    use pointillist_catalog::GuessedType::{
        Boolean, Date, Integer, Number, Text, Timestamp, Unknown, Unsupported,
    };
    for file in ["t.parquet", "t.arrow"] {
        let header = header(&folder.path().join(file)).unwrap();
        let kinds: Vec<_> = header.iter().map(|(_, kind)| *kind).collect();
        let expected = [
            Boolean,
            Integer,
            Integer,
            Integer,
            Number,
            Number,
            Number,
            Text,
            Text,
            Text,
            Text,
            Text,
            Date,
            Date,
            Timestamp,
            Timestamp,
            Timestamp,
            Unsupported,
            Unsupported,
        ];
        assert_eq!(kinds, expected, "{file}");
    }
    let csv = header(&folder.path().join("t.csv")).unwrap();
    assert_eq!(csv, [("a".to_string(), Unknown), ("b c".to_string(), Unknown)]);
}
