//! What privacy costs in processor time and memory, beside the same question without privacy, in one run.
//!
//! Ten million rows in Parquet, a million people, a thousand groups whose keys must be earned, `COUNT(*)` and `SUM(v)`, at
//! most ten groups a person. The private question goes the whole way: plan, charge, read, bound, noise, record. Every
//! contestant is timed in every round, so that a busy machine slows all of them alike; the table shows the least
//! processor time of each and its ratio to DataFusion's own `GROUP BY` over the same file. Memory is the peak of a
//! process of its own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use pointillist_catalog::Catalog;
use pointillist_curator::{Ask, Curator, OWNER, Settings};
use pointillist_query::Options;

const ROWS: usize = 10_000_000;
const PEOPLE: u64 = 1_000_000;
const GROUPS: u64 = 1_000;
const ROUNDS: usize = 5;

/// Answers once, in this round, and says how many groups there are.
type Run = Box<dyn Fn(usize) -> usize>;

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
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut contestants = contestants(&file, folder.path());
    if let Some(name) = arguments.iter().find_map(|argument| argument.strip_prefix("--memory-of=")) {
        let contestant = contestants.iter().find(|contestant| contestant.name == name).expect("a contestant");
        (contestant.run)(0);
        println!("{}", status_kib("VmHWM:"));
        return;
    }
    for round in 0..ROUNDS {
        for contestant in &mut contestants {
            let (processor, start) = (processor_time(), Instant::now());
            contestant.groups = (contestant.run)(round);
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

fn contestants(file: &Path, folder: &Path) -> Vec<Contestant> {
    let roomy = curator(file, &folder.join("roomy"), 1 << 30);
    let narrow = curator(file, &folder.join("narrow"), 32 << 20);
    let ours = |curator: &Arc<Curator>, table: &'static str, value: &'static str| -> Run {
        let curator = Arc::clone(curator);
        Box::new(move |round| ask(&curator, table, value, round))
    };
    let contestant =
        |name, run| Contestant { name, run, processor: Duration::MAX, wall: Duration::MAX, groups: 0 };
    vec![
        contestant("raw: DataFusion, no privacy", raw(file)),
        contestant("every row a person", ours(&roomy, "rows", "v")),
        contestant("people, Zipf", ours(&roomy, "zipf", "v")),
        contestant("people, Zipf, sum of doubles", ours(&roomy, "zipf", "x")),
        contestant("people, all alike", ours(&roomy, "even", "v")),
        contestant("people, Zipf, text identifiers", ours(&roomy, "texts", "v")),
        contestant("people, Zipf, 32 MiB of memory", ours(&narrow, "zipf", "v")),
        contestant("people, all alike, 32 MiB of memory", ours(&narrow, "even", "v")),
    ]
}

fn raw(file: &Path) -> Run {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let path = file.to_str().expect("a path in UTF-8").to_owned();
    Box::new(move |_| {
        runtime.block_on(async {
            let session = SessionContext::new();
            session.register_parquet("t", &path, ParquetReadOptions::default()).await.expect("the file");
            let question = "SELECT g, count(*), sum(v) FROM t GROUP BY g";
            let batches = session.sql(question).await.expect("SQL").collect().await.expect("an answer");
            batches.iter().map(RecordBatch::num_rows).sum()
        })
    })
}

/// A curator of one file, seen as several tables.
fn curator(file: &Path, folder: &Path, memory_bytes: usize) -> Arc<Curator> {
    std::fs::create_dir_all(folder).expect("a temporary folder");
    let mut catalog = "[scope.people]\nbudget = { rho = 1000000, delta = 0.001 }\n".to_owned();
    for (table, unit) in [("rows", "row"), ("zipf", "uid"), ("even", "uid_even"), ("texts", "uid_text")] {
        catalog += &format!(
            "[table.{table}]\nscope = \"people\"\nsource = {:?}\nprivacy_unit = \"{unit}\"\nmax_groups = 10\n\
             max_contributions = 10\n[table.{table}.columns]\ng = {{ type = \"integer\" }}\n\
             v = {{ type = \"integer\", lower = 0, upper = 100 }}\n\
             x = {{ type = \"decimal\", lower = 0, upper = 100, step = 0.01 }}\n",
            file.to_str().expect("a path in UTF-8"),
        );
    }
    let catalog = Catalog::parse(&catalog).expect("a catalog");
    let mut settings = Settings::beside(folder);
    settings.engine.memory_bytes = memory_bytes;
    Arc::new(Curator::open(folder, catalog, settings).expect("a curator"))
}

/// Another price in every round, so that no answer is a repetition.
fn ask(curator: &Curator, table: &str, value: &str, round: usize) -> usize {
    let sql = format!(
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = {}, delta = 1e-6) g, count(*), sum({value}) FROM {table} GROUP BY g",
        10 + round
    );
    let (options, analyst) = (Options::default(), OWNER.to_owned());
    let reply = curator.ask(&Ask { options, ..Ask::new(sql, analyst) }).expect("an answer");
    reply.answer.rows.len()
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
