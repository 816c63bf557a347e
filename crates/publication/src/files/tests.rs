//! Golden texts, the same numbers in CSV and Parquet, the same bytes twice, and texts that nobody means well with.

use std::fs;

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use arrow::array::{Array, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use pointillist_catalog::Value;
use pointillist_plan::Type;
use serde_json::Value as Json;

use super::*;
use crate::sample::{row, sample, table};
use crate::{Cell, Figure};

fn named(published: &Published, name: &str) -> Vec<u8> {
    let files = files_of(published).unwrap();
    files.into_iter().find(|file| file.name == name).unwrap_or_else(|| panic!("there is no {name}")).bytes
}

fn text(published: &Published, name: &str) -> String {
    String::from_utf8(named(published, name)).unwrap()
}

fn json(published: &Published, name: &str) -> Json {
    serde_json::from_slice(&named(published, name)).unwrap()
}

fn batch(bytes: Vec<u8>) -> RecordBatch {
    let bytes = bytes::Bytes::from(bytes);
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap().build().unwrap();
    reader.next().unwrap().unwrap()
}

#[test]
fn a_table_as_csv() {
    assert_eq!(
        text(&sample(), "by_region.csv"),
        "region,age,day,n,n_low,n_high,n_estimate,n_error_95,n_noisy\r\n\
         north,30,2024-10-04,1204,1190,1216,1203.25,13,false\r\n\
         \"south, \"\"far\"\"\",-1,,0,0,9,-3.5,13,false\r\n\
         \"\",,1970-01-01,12,0,52,12,40,true\r\n"
    );
    assert_eq!(
        text(&sample(), "total.csv"),
        "n,n_low,n_high,n_estimate,n_error_95,n_noisy\r\n1216,1195,1236,1215.5,20,false\r\n"
    );
}

#[test]
fn the_codebook_names_every_column_and_its_values() {
    let codebook = text(&sample(), "codebook.csv");
    let lines: Vec<&str> = codebook.split("\r\n").collect();
    assert_eq!(lines[0], "table,column,type,role,meaning,values");
    assert_eq!(lines[1], "by_region,region,text,key,Where the hospital is,\"north; south, \"\"far\"\"; \"");
    assert_eq!(lines[2], "by_region,age,integer,key,Key: age,30; -1; empty: no value");
    assert_eq!(
        lines[4],
        "by_region,n,integer,value,\"Visits, with noise, never below zero\",\
         whole numbers from 0; empty: undefined"
    );
    // A line of names, nine columns and six, and nothing after the last line.
    assert_eq!(lines.len(), 1 + 9 + 6 + 1);
    let mut many = sample();
    many.tables[1] = table("many", "Many", &[("age", Type::Integer, true)]);
    many.tables[1].rows = (0..50).map(|age| row(vec![Some(Value::Integer(age))], 1, 1.0, 1.0)).collect();
    assert!(text(&many, "codebook.csv").contains("many,age,integer,key,Key: age,50 values from 0 to 49\r\n"));
}

#[test]
fn the_metadata_is_csv_on_the_web() {
    let metadata = json(&sample(), "csv-metadata.json");
    assert_eq!(metadata["@context"], "http://www.w3.org/ns/csvw");
    assert_eq!(metadata["dc:title"], "Visits to hospitals, 2026");
    assert_eq!(metadata["dc:license"]["@id"], "https://spdx.org/licenses/CC-BY-4.0.html");
    assert_eq!(metadata["dc:available"], "2026-12-01");
    let table = &metadata["tables"][0];
    assert_eq!(table["url"], "by_region.csv");
    assert_eq!(table["notes"][0]["body"], "At most 2 visits of a patient count.");
    assert_eq!(table["tableSchema"]["primaryKey"], serde_json::json!(["region", "age", "day"]));
    let columns = table["tableSchema"]["columns"].as_array().unwrap();
    let kinds: Vec<&str> = columns.iter().map(|column| column["datatype"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["string", "integer", "date", "integer", "double", "double", "double", "double", "boolean"]
    );
    assert_eq!(columns[0]["dc:description"], "Where the hospital is");
    assert_eq!(metadata["dialect"]["lineTerminators"], serde_json::json!(["\r\n"]));
    assert!(metadata["tables"][1]["tableSchema"].get("primaryKey").is_none());
    let mut words = sample();
    words.facts.licence = Some("ask us".to_owned());
    assert_eq!(json(&words, "csv-metadata.json")["dc:license"], "ask us");
}

#[test]
fn the_statement_says_everything_and_names_every_other_file() {
    let published = sample();
    let statement = json(&published, "release.json");
    assert_eq!(statement["name"], "hospital_2026");
    assert_eq!(
        statement["charged"],
        serde_json::json!({
            "currency": "rho", "loss": "0.02", "delta": "0",
            "loss_units": "20000000000000000000000", "delta_units": "0"
        })
    );
    assert_eq!(statement["accounting"]["tight"], serde_json::json!({ "epsilon": "0.98", "delta": "1e-9" }));
    assert_eq!(statement["accounting"]["groups"][0]["delta"], "0.000000001");
    assert_eq!(statement["receipt"]["release_seq"], 18);
    assert_eq!(statement["not_before"], "2026-12-01");
    assert_eq!(statement["tables"][0]["strategies"][1]["is_chosen"], true);
    assert_eq!(statement["tables"][0]["files"][1], "by_region.parquet");
    let listed = statement["files"].as_array().unwrap();
    let files = files_of(&published).unwrap();
    let others: Vec<&FileBytes> = files.iter().filter(|file| file.name != STATEMENT).collect();
    assert_eq!(listed.len(), others.len());
    for (listed, file) in listed.iter().zip(others) {
        assert_eq!(listed["path"], file.name);
        assert_eq!(listed["bytes"], file.bytes.len());
        assert_eq!(listed["sha256"], file.sha256());
    }
    assert_eq!(
        FileBytes::new("x", "abc").sha256(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

#[test]
fn parquet_says_what_csv_says() {
    let published = sample();
    let rows = batch(named(&published, "by_region.parquet"));
    let names: Vec<String> = rows.schema().fields().iter().map(|field| field.name().clone()).collect();
    let csv = text(&published, "by_region.csv");
    assert_eq!(names.join(","), csv.lines().next().unwrap());
    let text = rows.column(0).as_any().downcast_ref::<StringArray>().unwrap();
    assert_eq!(text.iter().collect::<Vec<_>>(), [Some("north"), Some("south, \"far\""), Some("")]);
    let age = rows.column(1).as_any().downcast_ref::<Int64Array>().unwrap();
    assert_eq!(age.iter().collect::<Vec<_>>(), [Some(30), Some(-1), None]);
    let day = rows.column(2).as_any().downcast_ref::<Date32Array>().unwrap();
    assert_eq!(day.iter().collect::<Vec<_>>(), [Some(20_000), None, Some(0)]);
    let n = rows.column(3).as_any().downcast_ref::<Int64Array>().unwrap();
    assert_eq!(n.iter().collect::<Vec<_>>(), [Some(1204), Some(0), Some(12)]);
    for (column, expected) in [(4, [1190.0, 0.0, 0.0]), (5, [1216.0, 9.0, 52.0]), (6, [1203.25, -3.5, 12.0])]
    {
        let numbers = rows.column(column).as_any().downcast_ref::<Float64Array>().unwrap();
        assert_eq!(numbers.iter().flatten().collect::<Vec<_>>(), expected, "{column}");
    }
    let noisy = rows.column(8).as_any().downcast_ref::<BooleanArray>().unwrap();
    assert_eq!(noisy.iter().flatten().collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn parquet_names_no_machine_and_no_version() {
    let bytes = bytes::Bytes::from(named(&sample(), "by_region.parquet"));
    let reader = SerializedFileReader::new(bytes).unwrap();
    let facts = reader.metadata().file_metadata();
    assert_eq!(facts.created_by(), Some("Pointillist"));
    let pairs = facts.key_value_metadata().cloned().unwrap_or_default();
    assert_eq!(pairs.iter().map(|pair| pair.key.as_str()).collect::<Vec<_>>(), ["ARROW:schema"]);
}

/// Specification: the bytes are a function of what is published.
#[test]
fn two_writings_are_the_same_bytes() {
    assert_eq!(files_of(&sample()).unwrap(), files_of(&sample()).unwrap());
}

/// Specification: nothing of this machine, its user or the time is in any byte or name.
#[test]
fn no_file_says_where_or_when_it_was_written() {
    let home = tempfile::tempdir().unwrap();
    let place = home.path().join("release");
    let published = sample();
    Draft::open(&place)
        .unwrap()
        .finish(&files_of(&published).unwrap(), &published.facts.released_on)
        .unwrap();
    let here = std::env::current_dir().unwrap();
    let host = fs::read_to_string("/etc/hostname").unwrap_or_default();
    let canaries =
        [here.to_str().unwrap(), home.path().to_str().unwrap(), env!("CARGO_MANIFEST_DIR"), host.trim()];
    for canary in canaries.into_iter().filter(|canary| canary.len() > 3) {
        assert_eq!(
            search_folder_for(&place, canary.as_bytes()).unwrap(),
            Vec::<std::path::PathBuf>::new(),
            "{canary}"
        );
    }
    // The search finds what is there, also in what is compressed.
    let found = search_folder_for(&place, b"north").unwrap();
    let ends: Vec<String> =
        found.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(ends, ["by_region.csv", "by_region.parquet", "codebook.csv", "report.html"]);
}

const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "a\"b,c\r\nd",
    "\u{202e}turned",
    "nul\u{0}byte",
    "=HYPERLINK(\"http://evil\")",
    "</style><img src=x onerror=alert(1)>",
    "\u{1b}[31mred",
    "]]>&lt;%00{{7*7}}",
];

/// Specification: whatever stands in keys, titles and descriptions is the same text again when it is read, and no page
/// takes it for anything but text.
#[test]
fn hostile_texts_stay_texts_everywhere() {
    for bad in HOSTILE {
        let mut published = sample();
        let facts = &mut published.facts;
        for text in
            [&mut facts.title, &mut facts.unit, &mut facts.scope, &mut facts.plan_text, &mut facts.software]
        {
            *text = bad.to_owned();
        }
        for text in [&mut facts.description, &mut facts.licence, &mut facts.citation, &mut facts.contact] {
            *text = Some(bad.to_owned());
        }
        facts.keywords = vec![bad.to_owned()];
        facts.measured[0].what = bad.to_owned();
        let table = &mut published.tables[0];
        (table.title, table.method, table.sql) = (bad.to_owned(), bad.to_owned(), bad.to_owned());
        table.notes = vec![bad.to_owned()];
        table.strategies[1].name = bad.to_owned();
        table.keys[0].name = bad.to_owned();
        table.keys[0].description = Some(bad.to_owned());
        table.measures[0].name = bad.to_owned();
        table.rows[0].keys[0] = Some(Value::Text(bad.to_owned()));
        let rows = batch(named(&published, "by_region.parquet"));
        let keys = rows.column(0).as_any().downcast_ref::<StringArray>().unwrap();
        assert_eq!(keys.value(0), bad);
        let records = parsed(&text(&published, "by_region.csv"));
        assert_eq!((records[0][0].as_str(), records[1][0].as_str()), (bad, bad));
        assert!(records.iter().all(|record| record.len() == 9), "{records:?}");
        assert_eq!(json(&published, "release.json")["tables"][0]["title"], bad);
        assert_eq!(json(&published, "csv-metadata.json")["tables"][0]["dc:title"], bad);
        let page = text(&published, "report.html");
        for sign in ["<script", "<img", "\u{202e}", "\u{0}", "\u{1b}", "</style><img"] {
            assert!(!page.contains(sign), "{bad:?}: {sign:?}");
        }
    }
    let mut formula = sample();
    formula.tables[0].rows[0].keys[0] = Some(Value::Text(HOSTILE[4].to_owned()));
    assert!(text(&formula, "codebook.csv").contains("spreadsheets take for a formula"));
}

/// RFC 4180, read back: records of fields.
fn parsed(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match (quoted, sign) {
            (true, '"') if signs.peek() == Some(&'"') => field.extend(signs.next()),
            (_, '"') => quoted = !quoted,
            (false, ',') => record.push(std::mem::take(&mut field)),
            (false, '\r') if signs.peek() == Some(&'\n') => {
                signs.next();
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            (_, other) => field.push(other),
        }
    }
    assert!(field.is_empty() && record.is_empty() && !quoted, "the last line has an end");
    records
}

#[test]
fn names_of_columns_are_never_twice() {
    let mut published = sample();
    published.tables[0].keys[0].name = "N_low".to_owned();
    let csv = text(&published, "by_region.csv");
    assert!(csv.starts_with("N_low,age,day,n,n_low_2,n_high,"), "{csv}");
}

#[test]
fn what_is_undefined_is_empty_and_what_has_no_end_is_said() {
    let mut published = sample();
    let nothing = Cell { value: None, estimate: None, interval: None, error_95: None, is_noisy: true };
    let endless = Cell {
        value: Some(Figure::Whole(i128::from(i64::MAX) + 1)),
        estimate: Some(f64::NAN),
        interval: Some((f64::NEG_INFINITY, f64::INFINITY)),
        error_95: Some(f64::INFINITY),
        is_noisy: true,
    };
    published.tables[1].rows[0].cells = vec![nothing];
    assert!(text(&published, "total.csv").ends_with("\r\n,,,,,true\r\n"));
    published.tables[1].rows[0].cells = vec![endless];
    assert!(text(&published, "total.csv").ends_with("\r\n9223372036854775808,-INF,INF,,INF,true\r\n"));
    let rows = batch(named(&published, "total.parquet"));
    let value = rows.column(0).as_any().downcast_ref::<Float64Array>().unwrap();
    assert_eq!(value.value(0), 9_223_372_036_854_775_808.0);
    let page = text(&published, "report.html");
    assert!(!page.contains("NaN") && !page.contains("\"inf"), "{page}");
}
