//! As `elsewhere.rs`, with the visits in Parquet files that Spark reads. `cargo xtask test-spark` runs it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::parquet::arrow::ArrowWriter;
use pointillist_catalog::calendar;
use pointillist_testkit::spark::{SparkOptions, SparkServer};

use crate::elsewhere::{
    Elsewhere, Put, Visit, a_name_of_an_owner_stays_a_name, a_text_of_an_analyst_stays_a_text, catalog,
    no_statement_fails_on_one_row,
};

/// Everything in one process, and code that is compiled once: each statement runs but once.
pub fn options() -> SparkOptions {
    let settings = vec![
        ("spark.sql.shuffle.partitions", "2".to_owned()),
        ("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1".to_owned()),
    ];
    SparkOptions { executors: 0, settings, ..SparkOptions::default() }
}

fn server() -> Option<&'static SparkServer> {
    static SERVER: OnceLock<Option<SparkServer>> = OnceLock::new();
    SERVER.get_or_init(|| SparkServer::start_with(options())).as_ref()
}

/// A folder that nobody else uses.
fn folder(server: &SparkServer, word: &str) -> PathBuf {
    static FOLDERS: AtomicUsize = AtomicUsize::new(0);
    let folder = server.folder().join(format!("{word}{}", FOLDERS.fetch_add(1, Ordering::Relaxed)));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name.to_owned(), array, true)),
    );
    let batch = batch.unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Visits in a file of a folder of their own, and the folder as a source.
pub fn visits_in(server: &SparkServer, word: &str, rows: &[Visit]) -> (PathBuf, String) {
    let file = folder(server, word).join("visits.parquet");
    write_visits(&file, rows);
    let source = format!("spark:clinic/parquet.\"{}\"", file.parent().unwrap().display());
    (file, source)
}

fn write_visits(file: &Path, rows: &[Visit]) {
    macro_rules! column {
        ($array:ty, $at:expr, $read:expr) => {
            Arc::new(rows.iter().map(|row| row[$at].as_deref().map($read)).collect::<$array>()) as ArrayRef
        };
    }
    let day = |text: &str| calendar::parse_date(text).unwrap();
    let columns = vec![
        ("patient", column!(Int64Array, 0, |text| text.parse::<i64>().unwrap())),
        ("name", column!(StringArray, 1, str::to_owned)),
        ("region", column!(StringArray, 2, str::to_owned)),
        ("ward", column!(StringArray, 3, str::to_owned)),
        ("age", column!(Int64Array, 4, |text| text.parse::<i64>().unwrap())),
        ("cost", column!(Float64Array, 5, |text| text.parse::<f64>().unwrap())),
        ("ratio", column!(Float64Array, 6, |text| text.parse::<f64>().unwrap())),
        ("day", column!(Date32Array, 7, day)),
        ("code", column!(StringArray, 8, str::to_owned)),
        ("flag", column!(BooleanArray, 9, |text| text == "true")),
    ];
    write(file, columns);
}

impl Elsewhere for SparkServer {
    fn name(&self) -> &'static str {
        "Spark"
    }

    fn put(&self, word: &str, rows: &[Visit]) -> Put {
        let (file, source) = visits_in(self, word, rows);
        let (old, new) = (file.clone(), file.with_file_name("others.parquet"));
        Put {
            catalog: catalog(&self.url(), &source),
            state: Box::new(move || format!("{:?}", std::fs::read(&file))),
            refill: Box::new(move |rows| {
                write_visits(&new, rows);
                std::fs::remove_file(&old).unwrap();
            }),
        }
    }
}

#[test]
fn no_statement_fails_on_one_row_of_spark() {
    let Some(server) = server() else { return };
    no_statement_fails_on_one_row(server);
}

#[test]
fn a_text_of_an_analyst_stays_a_text_in_spark() {
    let Some(server) = server() else { return };
    a_text_of_an_analyst_stays_a_text(server);
}

/// Tables are folders of files here, which may have any name that the file system has.
#[test]
fn a_name_of_an_owner_stays_a_name_in_spark() {
    let Some(server) = server() else { return };
    a_name_of_an_owner_stays_a_name(&server.url(), |_, text| {
        // Not `join`: a name that begins with a slash would be a place of its own. Some names are none of a folder.
        let path = PathBuf::from(format!("{}/{text}", folder(server, "names").display()));
        if std::fs::create_dir_all(&path).is_ok() {
            let texts = |first: &str, second: Option<&str>| {
                Arc::new(StringArray::from(vec![Some(first), second])) as ArrayRef
            };
            let columns = vec![
                ("patient", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
                (text, texts(text, None)),
                ("k", texts(text, Some("b"))),
            ];
            write(&path.join("rows.parquet"), columns);
        }
        let path = path.display().to_string().replace('"', "\"\"");
        (format!("spark:clinic/parquet.\"{path}\""), text.to_owned())
    });
}
