//! What bounding people costs, beside the same question without privacy, in one run.
//!
//! Ten million rows, a million people, a thousand groups, `COUNT(*)` and `SUM(v)`, at most ten groups a person.
//! Every contestant is timed in every round, so that a busy machine slows all of them alike; the table shows the
//! least processor time of each and its ratio to DataFusion's own `GROUP BY` over the same file. Memory is the
//! peak of a process of its own.

use std::fs::File;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::{ParquetReadOptions, SessionContext, col};
use pointillist_engine::{EngineOptions, aggregate};
use pointillist_mechanisms::contribution_bound::ContributionBound;
use pointillist_mechanisms::grid::Grid;
use pointillist_numbers::Rational;
use pointillist_query::plan::{Aggregation, Excess, Form, Measure, Owner, Quantity, Relation, Units};
use pointillist_query::scalar::Scalar;

const ROWS: usize = 10_000_000;
const PEOPLE: u64 = 1_000_000;
const GROUPS: u64 = 1_000;
const ROUNDS: usize = 5;

/// Runs once, and says how many groups there are.
type Run = Box<dyn Fn(SessionContext) -> Pin<Box<dyn Future<Output = usize>>>>;

struct Contestant {
    name: &'static str,
    run: Run,
    processor: Duration,
    wall: Duration,
    groups: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    let file = data();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut contestants = contestants();
    if let Some(name) = arguments.iter().find_map(|argument| argument.strip_prefix("--memory-of=")) {
        let contestant = contestants.iter().find(|contestant| contestant.name == name).expect("a contestant");
        runtime.block_on(async { (contestant.run)(session(&file).await).await });
        println!("{}", status_kib("VmHWM:"));
        return;
    }
    for _ in 0..ROUNDS {
        for contestant in &mut contestants {
            let (processor, start) = (processor_time(), Instant::now());
            contestant.groups = runtime.block_on(async { (contestant.run)(session(&file).await).await });
            contestant.wall = contestant.wall.min(start.elapsed());
            contestant.processor = contestant.processor.min(processor_time() - processor);
        }
    }
    println!("| question | CPU s | ns a row | against raw | wall s | peak MiB | groups |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let raw = contestants[0].processor.as_secs_f64();
    for contestant in &contestants {
        let seconds = contestant.processor.as_secs_f64();
        println!(
            "| {} | {seconds:.3} | {:.1} | {:.2}× | {:.3} | {} | {} |",
            contestant.name,
            seconds * 1e9 / ROWS as f64,
            seconds / raw,
            contestant.wall.as_secs_f64(),
            peak_mib(contestant.name),
            contestant.groups,
        );
    }
}

fn contestants() -> Vec<Contestant> {
    let mib = 1 << 20;
    let ours = |owner: &'static str, value: &'static str, memory_bytes: usize| {
        move |session| ask(session, Some(owner), value, memory_bytes)
    };
    vec![
        contestant("raw: DataFusion, no privacy", raw),
        contestant("every row a person", |session| ask(session, None, "v", 1 << 30)),
        contestant("people, Zipf", ours("uid", "v", 1 << 30)),
        contestant("people, Zipf, sum of doubles", ours("uid", "x", 1 << 30)),
        contestant("people, all alike", ours("uid_even", "v", 1 << 30)),
        contestant("people, Zipf, text identifiers", ours("uid_text", "v", 1 << 30)),
        contestant("people, Zipf, 32 MiB and temporary files", ours("uid", "v", 32 * mib)),
        contestant("people, all alike, 32 MiB and temporary files", ours("uid_even", "v", 32 * mib)),
    ]
}

fn contestant<F: Future<Output = usize> + 'static>(
    name: &'static str,
    run: impl Fn(SessionContext) -> F + 'static,
) -> Contestant {
    let run: Run = Box::new(move |session| Box::pin(run(session)));
    Contestant { name, run, processor: Duration::MAX, wall: Duration::MAX, groups: 0 }
}

async fn raw(session: SessionContext) -> usize {
    let question = "SELECT g, count(*), sum(v) FROM t GROUP BY g";
    let batches = session.sql(question).await.expect("SQL").collect().await.expect("an answer");
    batches.iter().map(RecordBatch::num_rows).sum()
}

/// The bounded aggregation over DataFusion's own scan of the same file.
async fn ask(session: SessionContext, owner: Option<&str>, value: &str, memory_bytes: usize) -> usize {
    let columns = [Some("g"), Some(value), owner].into_iter().flatten().map(col).collect::<Vec<_>>();
    let table = session.table("t").await.expect("the table").select(columns).expect("its columns");
    let scan = table.create_physical_plan().await.expect("a scan");
    let grid = match value {
        "v" => Grid::integers(0, 100),
        _ => Grid::new(Rational::zero(), Rational::from(100), Rational::ratio(1, 100)),
    };
    let units = Units { grid: grid.expect("a grid"), form: Form::Linear { offset: 0, factor: 1 } };
    let total = Quantity::Total { value: Scalar::Column(1), units, excess: Excess::Clamp };
    let aggregation = Aggregation {
        relation: Relation::Table { name: "t".to_owned(), columns: Vec::new() },
        filter: None,
        owner: owner.map_or(Owner::EachRow, |owner| Owner::Column(owner.to_owned())),
        bound: match owner {
            Some(_) => ContributionBound::new(10, 10).expect("a bound"),
            None => ContributionBound::one_row(),
        },
        keys: vec![Scalar::Column(0)],
        domain: None,
        measures: vec![
            Measure { counted: None, quantity: Quantity::Rows },
            Measure { counted: None, quantity: total },
        ],
    };
    let options = EngineOptions { memory_bytes, ..EngineOptions::default() };
    let groups = aggregate(scan, &aggregation, &options, session.task_ctx()).await.expect("groups");
    groups.keys().len()
}

async fn session(file: &Path) -> SessionContext {
    let session = SessionContext::new();
    let path = file.to_str().expect("a path in UTF-8");
    session.register_parquet("t", path, ParquetReadOptions::default()).await.expect("the file");
    session
}

/// The file of the benchmark, made once: the same bytes on every machine.
fn data() -> PathBuf {
    let directory = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let path = directory.join("query-10m-v1.parquet");
    if !path.exists() {
        std::fs::create_dir_all(&directory).expect("a directory under target");
        let unfinished = path.with_extension("unfinished");
        write(&unfinished);
        std::fs::rename(&unfinished, &path).expect("a finished file");
    }
    path
}

fn write(path: &Path) {
    const AT_ONCE: usize = 100_000;
    let mut state = 1u64;
    let mut word = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let mut writer: Option<ArrowWriter<File>> = None;
    for _ in 0..ROWS / AT_ONCE {
        // exp(u·ln n) is r with probability about 1/(r·ln n): Zipf. Multiplying by an odd number modulo 2^40
        // gives every rank another name, so that popular people do not have small numbers.
        let person = |word: u64| {
            let u = (word >> 11) as f64 * 2f64.powi(-53);
            ((u * (PEOPLE as f64).ln()).exp() as u64).wrapping_mul(0x9E_3779_B97F) % (1 << 40)
        };
        let uid: Vec<i64> = (0..AT_ONCE).map(|_| person(word()) as i64).collect();
        let text = uid.iter().map(|uid| format!("user-{uid:013}")).collect::<Vec<_>>();
        let mut below = |end: u64| (0..AT_ONCE).map(|_| (word() % end) as i64).collect::<Vec<_>>();
        let (even, g, v, x) = (below(PEOPLE), below(GROUPS), below(101), below(10_001));
        let x = x.iter().map(|cents| *cents as f64 / 100.0);
        let columns: [(&str, ArrayRef); 6] = [
            ("uid", Arc::new(Int64Array::from(uid))),
            ("uid_even", Arc::new(Int64Array::from(even))),
            ("uid_text", Arc::new(StringArray::from(text))),
            ("g", Arc::new(Int64Array::from(g))),
            ("v", Arc::new(Int64Array::from(v))),
            ("x", Arc::new(Float64Array::from_iter_values(x))),
        ];
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        let writer = writer.get_or_insert_with(|| {
            let file = File::create(path).expect("a file under target");
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1 << 20)).build();
            ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer")
        });
        writer.write(&batch).expect("rows");
    }
    writer.expect("some rows").close().expect("a complete file");
}

/// What all threads of this process have used, in nanoseconds (Linux).
fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux");
    let of = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
    };
    Duration::from_nanos(tasks.flatten().map(of).sum())
}

fn status_kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("0");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn peak_mib(name: &str) -> u64 {
    let program = std::env::current_exe().expect("this program has a path");
    let output = std::process::Command::new(program).arg(format!("--memory-of={name}")).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.trim().parse().unwrap_or(0) / 1024
}
