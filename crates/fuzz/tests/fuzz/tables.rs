//! Files that people bring: tables as text, Parquet and Arrow, and graphs.

use std::fs;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow::ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use pointillist_catalog::Catalog;
use pointillist_engine::{Engine, EngineOptions, Source};
use pointillist_graph::read::{Format, Reading, read_graph};
use pointillist_query::Options;

use super::driver::{Target, fuzz};
use super::questions::CATALOG;

/// Reads a file as the table `t`: refused before anything is read, or read to its end, with the same sums each time.
fn table(name: &str, seeds: Vec<Vec<u8>>, inputs: u64) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let catalog = Catalog::parse(CATALOG).expect("the catalog is well formed");
    let sql = "SELECT key, count(*), sum(n), avg(x) FROM t WHERE w IS NULL OR w <> 'z' GROUP BY key";
    let plan = pointillist_query::plan(&catalog, sql, &Options::default()).expect("the question is answered");
    let engine = Engine::new(EngineOptions { memory_bytes: 1 << 24, threads: 1 }).expect("an engine starts");
    let file = format!("t.{name}");
    let read = |bytes: &[u8]| {
        fs::write(folder.path().join(&file), bytes).expect("the folder is writable");
        let sums = || {
            let source = Source::open(folder.path(), &file).ok()?;
            let sources = std::collections::BTreeMap::from([("t".to_owned(), source)]);
            let scan = engine.scan(&sources, &plan.aggregation).ok()?;
            let groups = engine.aggregate(scan, &plan.aggregation);
            let groups = groups.expect("nothing in a file fails a question after it was opened");
            let totals: Vec<Vec<i128>> =
                (0..groups.measures()).map(|measure| groups.totals(measure).to_vec()).collect();
            Some((format!("{:?}", groups.keys()), groups.people().to_vec(), totals))
        };
        assert_eq!(sums(), sums());
    };
    let words = [
        "\"",
        "\"\"",
        ",",
        "\n",
        "\r\n",
        "\r",
        ";",
        "\t",
        "id,x,n,key,w\n",
        "1,2.5,3,a,z\n",
        "PAR1",
        "ARROW1",
    ];
    fuzz(&Target { name, seeds, words: &words, inputs, read: &read });
}

fn rows() -> RecordBatch {
    let column = |name: &str, array: ArrayRef| (name.to_owned(), array);
    let text = |values: [&str; 3]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
    RecordBatch::try_from_iter([
        column("id", Arc::new(Int64Array::from(vec![1, 1, 2]))),
        column("x", text(["2.5", "-30", "nothing"])),
        column("n", Arc::new(Int64Array::from(vec![Some(4), None, Some(900)]))),
        column("key", text(["a", "b", "c"])),
        column("w", text(["z", "", "\u{202e}"])),
    ])
    .expect("columns of one length")
}

#[test]
fn csv() {
    let plain = "id,x,n,key,w\n1,2.5,3,a,hello\n1,-4,7,b,\"a, \"\"b\"\"\n\"\n2,1e3,,a,\n3,x,9,,z\n";
    table(
        "csv",
        vec![plain.into(), plain.replace(',', ";").into_bytes(), plain.replace('\n', "\r\n").into_bytes()],
        150,
    );
}

#[test]
fn parquet() {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, rows().schema(), None).expect("a writer");
    writer.write(&rows()).expect("rows are written");
    writer.close().expect("the file is finished");
    table("parquet", vec![bytes], 1_000);
}

#[test]
fn arrow_ipc() {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &rows().schema()).expect("a writer");
    writer.write(&rows()).expect("rows are written");
    writer.finish().expect("the file is finished");
    drop(writer);
    table("arrow", vec![bytes], 1_000);
}

/// Specification: any bytes are a graph, the same one each time.
#[test]
fn graph() {
    let read = |bytes: &[u8]| {
        for format in [Format::Blanks, Format::Csv { delimiter: b',' }] {
            let ties = || {
                let loaded = read_graph(bytes, format, &Reading::default(), &|_| ()).ok()?;
                Some((loaded.graph.nodes(), loaded.graph.edges()))
            };
            assert_eq!(ties(), ties());
        }
    };
    let seeds = ["1 2\n2 3\n", "# c\na b\nb c\nc a\n", "u,v\n1,2\n\"x\ny\",3\n", "%%Matrix\n3 3\n1 2\n"];
    let words = ["\"", "\t", " ", ",", "\n", "\r\n", "#", "18446744073709551616", "007"];
    fuzz(&Target {
        name: "graph",
        seeds: seeds.map(Vec::from).to_vec(),
        words: &words,
        inputs: 300,
        read: &read,
    });
}
