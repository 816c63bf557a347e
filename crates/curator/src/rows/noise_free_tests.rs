//! Whole answers, readable: statements about a small hospital, with what comes out of a curator that adds no noise and shows
//! every key. There is no such curator but here.
//!
//! Beside each answer stands that of DataFusion to the same statement, which must be the same: bounds are wide here, so
//! nothing is cut, and every public group has rows. Statements of which an ordinary engine says something else, or nothing, are
//! in a file of their own, with the reason. The files hold `statement;`, then the answer as rows, or the refusal and its
//! hint. `POINTILLIST_UPDATE=1` writes them anew; what changed is then for a person to read.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Schema};
use datafusion::prelude::{CsvReadOptions, SessionContext};
use pointillist_catalog::{Catalog, Value};
use pointillist_engine::Groups;
use pointillist_errors::Explained;
use pointillist_mechanisms::Rank;
use pointillist_plan::Quantity;
use pointillist_query::{Options, Statement, statement};

use super::{Alone, Choice, Prepared, Recorded, Released, RowWork, Work};
use crate::answer::{Answer, Row};
use crate::{Ask, AskError, Curator, OWNER, Settings};

const CATALOG: &str = include_str!("answers/hospital.toml");
/// Its name, its rows, and the types of its columns.
type HospitalTable = (&'static str, &'static str, &'static [(&'static str, DataType)]);

/// The tables, with the types that DataFusion reads them as.
const TABLES: [HospitalTable; 5] = [
    (
        "patients",
        include_str!("answers/patients.csv"),
        &[
            ("patient_id", DataType::Int64),
            ("sex", DataType::Utf8),
            ("born", DataType::Int64),
            ("region", DataType::Utf8),
        ],
    ),
    (
        "visits",
        include_str!("answers/visits.csv"),
        &[
            ("id", DataType::Int64),
            ("patient_id", DataType::Int64),
            ("day", DataType::Date32),
            ("ward", DataType::Utf8),
            ("hospital", DataType::Utf8),
            ("cost", DataType::Float64),
            ("age", DataType::Int64),
        ],
    ),
    (
        "prescriptions",
        include_str!("answers/prescriptions.csv"),
        &[("visit_id", DataType::Int64), ("drug", DataType::Utf8), ("dose", DataType::Int64)],
    ),
    (
        "hospitals",
        include_str!("answers/hospitals.csv"),
        &[("hospital", DataType::Utf8), ("city", DataType::Utf8), ("beds", DataType::Int64)],
    ),
    (
        "floors",
        include_str!("answers/floors.csv"),
        &[("ward", DataType::Utf8), ("hospital", DataType::Utf8), ("floor", DataType::Int64)],
    ),
];

struct Hospital {
    _folder: tempfile::TempDir,
    curator: Curator,
    session: SessionContext,
    runtime: tokio::runtime::Runtime,
}

impl Hospital {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let session = SessionContext::new();
        for (name, rows, columns) in TABLES {
            let path = folder.path().join(format!("{name}.csv"));
            std::fs::write(&path, rows).unwrap();
            let fields = columns.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true));
            let schema = Schema::new(fields.collect::<Vec<_>>());
            let options = CsvReadOptions::new().schema(&schema);
            runtime.block_on(session.register_csv(name, path.to_str().unwrap(), options)).unwrap();
        }
        let catalog = Catalog::parse(CATALOG).unwrap();
        let curator = Curator::open(folder.path(), catalog, Settings::beside(folder.path())).unwrap();
        Self { _folder: folder, curator, session, runtime }
    }

    /// Other tables, of which DataFusion knows nothing.
    fn of(folder: tempfile::TempDir, curator: Curator) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { _folder: folder, curator, session: SessionContext::new(), runtime }
    }

    /// The answer from the engine's own numbers. It has the shape that was described.
    fn ask(&self, sql: &str) -> Result<Answer, AskError> {
        let answer = self.answer(sql)?;
        let described = self.curator.describe(&Ask::new(sql, OWNER))?;
        assert_eq!(answer.described(), described.columns, "{sql}");
        let is_barred = |row: &Row| {
            let mut bars = row.intervals.iter().zip(&described.columns);
            bars.all(|(bar, column)| bar.is_none() || column.has_interval)
        };
        assert!(answer.rows.iter().all(is_barred), "{sql}");
        Ok(answer)
    }

    fn answer(&self, sql: &str) -> Result<Answer, AskError> {
        let state = &self.curator.state;
        let Statement::Rows(plan) = statement(&state.catalog, sql, &Options::default())? else {
            panic!("not about rows: {sql}")
        };
        let work = RowWork::open(state, *plan)?;
        let exact = |(alone, prepared): (&Alone, &dyn Prepared)| {
            let groups = prepared.aggregate(&alone.plan.aggregation, &Choice::Fresh).expect("rows are read");
            let measures = alone.plan.aggregation.measures.iter().enumerate();
            let measures = measures.map(|(place, measure)| exact_numbers(&groups, place, &measure.quantity));
            let measures = measures.collect();
            let released = Released { keys: groups.keys().to_vec(), measures };
            Recorded { terms: Some(alone.plan.terms()), released }
        };
        let prepared = work.prepared.iter().map(|prepared| &**prepared);
        let recorded: Vec<Recorded> = work.question.alone.iter().zip(prepared).map(exact).collect();
        work.present(&recorded)
    }

    /// What DataFusion says, row by row.
    fn ordinary(&self, sql: &str) -> Result<Vec<Vec<String>>, String> {
        let batches = self.runtime.block_on(async { self.session.sql(sql).await?.collect().await });
        let batches = batches.map_err(|error| error.to_string())?;
        Ok(batches.iter().flat_map(rows_of_batch).collect())
    }
}

/// What a measure is before noise: a total, or the point at which a quantile lies.
fn exact_numbers(groups: &Groups, place: usize, quantity: &Quantity) -> Vec<i128> {
    let Quantity::Quantile { rank, .. } = quantity else { return groups.totals(place).to_vec() };
    let point = |group: usize| {
        let weights = groups.weights(place, group);
        let all: u128 = weights.iter().map(|(_, weight)| u128::from(*weight)).sum();
        let wanted = match rank {
            Rank::Least => 0.0,
            Rank::Greatest => all as f64,
            Rank::Part(part) => part.to_f64_nearest() * all as f64,
        };
        let mut below = 0u128;
        let found = weights.iter().find(|(_, weight)| {
            below += u128::from(*weight);
            below as f64 >= wanted
        });
        found.or(weights.last()).map_or(0, |(index, _)| i128::from(*index))
    };
    (0..groups.keys().len()).map(point).collect()
}

/// The statements of a file, without what follows each.
fn statements(text: &str) -> Vec<&str> {
    let cases = text.split("\n\n").map(str::trim).filter(|case| !case.is_empty() && !case.starts_with('#'));
    cases.map(|case| case.split_once(";\n").map_or(case.trim_end_matches(';'), |(sql, _)| sql)).collect()
}

/// The comments at the head of a file.
fn head(text: &str) -> String {
    text.lines().take_while(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

fn number_text(number: f64) -> String {
    // Seven digits: ours are on grids of a hundred millionth of the range.
    let text = format!("{number:.6e}");
    text.parse::<f64>()
        .map_or(text, |rounded| if rounded == 0.0 { "0".to_owned() } else { rounded.to_string() })
}

fn value_text(value: &Option<Value>) -> String {
    match value {
        None => "NULL".to_owned(),
        Some(Value::Number(number)) => number_text(*number),
        Some(Value::Integer(number)) => number.to_string(),
        Some(Value::Boolean(truth)) => truth.to_string(),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Date(days)) => pointillist_catalog::calendar::date_text(*days),
        Some(Value::Timestamp(micros)) => pointillist_catalog::calendar::timestamp_text(*micros),
    }
}

fn rows_of_answer(answer: &Answer) -> Vec<Vec<String>> {
    answer.rows.iter().map(|row| row.values.iter().map(value_text).collect()).collect()
}

fn rows_of_batch(batch: &RecordBatch) -> Vec<Vec<String>> {
    let columns: Vec<Vec<String>> = batch
        .columns()
        .iter()
        .map(|column| {
            let cell = |row: usize| match column.data_type() {
                _ if column.is_null(row) => "NULL".to_owned(),
                DataType::Float64 | DataType::Float32 | DataType::Decimal128(..) => {
                    let numbers = cast(column, &DataType::Float64).unwrap();
                    number_text(numbers.as_primitive::<Float64Type>().value(row))
                }
                DataType::Timestamp(..) => {
                    let text = cast(column, &DataType::Utf8).unwrap();
                    text.as_string::<i32>().value(row).replace('T', " ")
                }
                _ => {
                    let text = cast(column, &DataType::Utf8).unwrap();
                    text.as_string::<i32>().value(row).to_owned()
                }
            };
            (0..batch.num_rows()).map(cell).collect()
        })
        .collect();
    (0..batch.num_rows()).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect()
}

fn shown(hospital: &Hospital, sql: &str) -> String {
    match hospital.ask(sql) {
        Ok(answer) => {
            let names: Vec<&str> = answer.columns.iter().map(|column| column.name.as_str()).collect();
            let mut text = names.join(" | ");
            for row in rows_of_answer(&answer) {
                write!(text, "\n{}", row.join(" | ")).unwrap();
            }
            text
        }
        Err(error) => {
            let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            format!("refused: {error}{hint}")
        }
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rows/answers").join(name)
}

/// Writes the file anew, or compares it with what comes out now.
fn compare(name: &str, hospital: &Hospital) -> usize {
    let path = file(name);
    let known = std::fs::read_to_string(&path).unwrap();
    let mut now = head(&known);
    let statements = statements(&known);
    for sql in &statements {
        write!(now, "\n{sql};\n{}\n", shown(hospital, sql)).unwrap();
    }
    if std::env::var_os("POINTILLIST_UPDATE").is_some() {
        std::fs::write(&path, now).unwrap();
    } else {
        for (old, new) in known.split("\n\n").zip(now.split("\n\n")) {
            assert_eq!(new.trim(), old.trim(), "in {name}");
        }
        assert_eq!(now.trim(), known.trim(), "in {name}");
    }
    statements.len()
}

#[test]
fn answers_without_noise_are_those_of_an_ordinary_engine() {
    let hospital = Hospital::new();
    let count = compare("ordinary.txt", &hospital);
    assert!(count >= 100, "{count} statements");
    let text = std::fs::read_to_string(file("ordinary.txt")).unwrap();
    let mut wrong = String::new();
    for sql in statements(&text) {
        let (ours, theirs) = match (hospital.ask(sql), hospital.ordinary(sql)) {
            (Ok(ours), Ok(theirs)) => (rows_of_answer(&ours), theirs),
            (ours, theirs) => {
                let ours = ours.map(|_| "answered").map_err(|error| error.to_string());
                writeln!(wrong, "{sql}\n  ours: {ours:?}\n  theirs: {theirs:?}").unwrap();
                continue;
            }
        };
        let in_order = |mut rows: Vec<Vec<String>>| {
            // Without ORDER BY an engine may show rows in any order.
            let outermost = sql.rsplit(')').next().unwrap_or(sql);
            if !outermost.contains("ORDER BY") {
                rows.sort();
            }
            rows
        };
        let (ours, theirs) = (in_order(ours), in_order(theirs));
        if ours != theirs {
            writeln!(wrong, "{sql}\n  ours: {ours:?}\n  theirs: {theirs:?}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn answers_that_an_ordinary_engine_does_not_give() {
    compare("ours.txt", &Hospital::new());
}

#[test]
fn refusals_say_what_to_write_instead() {
    let hospital = Hospital::new();
    let count = compare("refused.txt", &hospital);
    assert!(count >= 40, "{count} statements");
    let text = std::fs::read_to_string(file("refused.txt")).unwrap();
    for sql in statements(&text) {
        let error = hospital.ask(sql).err().unwrap_or_else(|| panic!("answered: {sql}"));
        assert!(error.hint().is_some_and(|hint| !hint.is_empty()), "{sql}: {error}");
    }
}

/// Specification: people of two tables are the same if and only if their names are, whatever the files store: a whole number
/// is its decimal text, and `05` is somebody else. The visits name their people in texts, the patients in whole numbers;
/// prescriptions find their visit by a whole number, visits store theirs as text.
#[test]
fn names_of_people_are_compared_exactly_across_tables() {
    use datafusion::arrow::array::{ArrayRef, Int64Array, StringArray};
    use datafusion::parquet::arrow::ArrowWriter;
    use std::sync::Arc;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, columns: Vec<(&str, ArrayRef)>| {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let file = std::fs::File::create(folder.path().join(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    };
    let integers = |values: &[i64]| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
    let texts = |values: &[&str]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
    write(
        "patients.parquet",
        vec![("patient_id", integers(&[5, 6, 7])), ("born", integers(&[1950, 1960, 1970]))],
    );
    let people = texts(&["5", "05", "5.0", " 5", "6"]);
    write("visits.parquet", vec![("patient_id", people), ("id", texts(&["1", "01", "3", "4", "2"]))]);
    write(
        "prescriptions.parquet",
        vec![("visit_id", integers(&[1, 1, 2, 3])), ("dose", integers(&[10, 20, 40, 80]))],
    );
    let table = |name: &str, unit: &str, column: &str| {
        format!(
            "[table.{name}]\nscope = \"people\"\nsource = \"{name}.parquet\"\nprivacy_unit = {unit}\nmax_groups = 1\n\
             max_contributions = 9\n[table.{name}.columns]\n{column} = {{ type = \"integer\", lower = 0, upper = 2000 }}\n"
        )
    };
    let catalog = [
        "[scope.people]\nbudget = { rho = 1000, delta = 0.001 }\n".to_owned(),
        table("patients", "\"patient_id\"", "born"),
        table("visits", "\"patient_id\"", "unused"),
        table("prescriptions", "{ column = \"visit_id\", references = \"visits.id\" }", "dose"),
    ];
    let catalog = Catalog::parse(
        &catalog
            .concat()
            .replace("unused = { type = \"integer\", lower = 0, upper = 2000 }", "id = { type = \"text\" }"),
    )
    .unwrap();
    let curator = Curator::open(folder.path(), catalog, Settings::beside(folder.path())).unwrap();
    let hospital = Hospital::of(folder, curator);
    let shown = |sql: &str| rows_of_answer(&hospital.ask(sql).unwrap());
    let both = "FROM patients p JOIN visits v ON p.patient_id = v.patient_id";
    assert_eq!(
        shown(&format!("SELECT COUNT(*), SUM(p.born) {both}")),
        [["2", "3910"]],
        "5 and 6 are in both"
    );
    assert_eq!(shown("SELECT COUNT(*), SUM(dose) FROM prescriptions"), [["4", "150"]]);
    let linked = "FROM prescriptions r JOIN visits v ON r.visit_id = v.id JOIN patients p ON p.patient_id = v.patient_id";
    assert_eq!(shown(&format!("SELECT COUNT(*), SUM(r.dose) {linked}")), [["3", "70"]]);
}

/// Specification: public rows that multiply a person's are counted before the debit, wherever they stand; so are pairs of public
/// rows that nobody sees, and rows that released numbers would become.
#[test]
fn rows_that_multiply_without_end_are_refused_before_anything_is_paid() {
    let hospital = Hospital::new();
    let many = "(SELECT a.beds FROM hospitals a, hospitals b, hospitals c, hospitals d, hospitals e, hospitals f, \
                hospitals g, hospitals h, hospitals i)";
    let one_person = "(SELECT a.patient_id FROM patients a JOIN patients b ON a.patient_id = b.patient_id) x";
    for sql in [
        format!(
            "SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM {one_person} CROSS JOIN {many} p CROSS JOIN {many} q \
             GROUP BY patient_id) t"
        ),
        format!(
            "SELECT COUNT(*) FROM (SELECT patient_id FROM patients GROUP BY patient_id) x CROSS JOIN {many} p CROSS JOIN {many} q"
        ),
        format!("SELECT COUNT(*) FROM visits v CROSS JOIN {many} p CROSS JOIN {many} q"),
        format!("SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM {many} a JOIN {many} b ON a.beds < b.beds - 100000)"),
        "WITH t AS (SELECT age, COUNT(*) AS n FROM visits GROUP BY age) SELECT COUNT(*) AS x FROM t a, t b, t c, t d"
            .to_owned(),
    ] {
        let error = hospital.ask(&sql).err().unwrap_or_else(|| panic!("answered: {sql}"));
        assert!(matches!(error, AskError::Refused(_)), "{error}: {sql}");
    }
}
