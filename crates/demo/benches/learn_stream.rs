//! Models of a table that does not fit into memory: seconds and peak memory of the whole way, from catalog to model.
//!
//! Ten million made-up rows of 100 columns (99 numbers from 0 to 100 and a truth), each a person, in one Parquet file below
//! `target`, which is deleted afterwards. A curator with `--memory` MiB for its engine (1024) is asked for a logistic and a linear model: plan,
//! charge, read, train, record. Every step is a process of its own, so that its peak (VmHWM) is its own. Linear regression goes through
//! rows once, logistic regression as often as Newton's method needs to. Options: `--rows N`, `--memory MIB`, `--epsilon E` (1).
//!
//! It stands here rather than beside the curator, because the benchmarks there bring another query engine to compare with.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, BooleanArray, Int32Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use pointillist_catalog::Catalog;
use pointillist_curator::{Ask, Curator, OWNER, Settings};
use pointillist_learn::Label;
use pointillist_privacy::Epsilon;
use pointillist_query::{Options, training_statement};

const NUMBERS: usize = 99;
const AT_ONCE: usize = 50_000;
/// Fresh rows that a model is tried on.
const TRIED: usize = 100_000;

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let rows: usize = option("--rows").map_or(10_000_000, |text| text.parse().expect("a number of rows"));
    let memory: usize = option("--memory").map_or(1024, |text| text.parse().expect("MiB of memory"));
    let epsilon = option("--epsilon").unwrap_or_else(|| "1".to_owned());
    if let Some(step) = option("--step") {
        let file = PathBuf::from(option("--file").expect("a file"));
        match step.as_str() {
            "write" => write(&file, rows),
            family => train(&file, family, memory, &epsilon),
        }
        return;
    }
    let directory = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::Builder::new()
        .prefix("learn-stream")
        .tempdir_in(&directory)
        .expect("a folder below target");
    let file = folder.path().join("rows.parquet");
    println!("{rows} rows of {} columns, ε = {epsilon}, {memory} MiB for the engine\n", NUMBERS + 1);
    println!("| step | s | peak MiB | right, or R², on fresh rows |\n| --- | ---: | ---: | ---: |");
    for step in ["write", "linear", "logistic"] {
        let start = Instant::now();
        let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
        command.args(["--step", step, "--file", file.to_str().expect("a path in UTF-8")]);
        command.args(["--rows", &rows.to_string(), "--memory", &memory.to_string(), "--epsilon", &epsilon]);
        let output = command.stderr(Stdio::inherit()).output().expect("this program can be started");
        assert!(output.status.success(), "the step `{step}` failed; what it says is above");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        println!("| {step} | {:.1} | {} |", start.elapsed().as_secs_f64(), told.trim());
    }
    let bytes = std::fs::metadata(&file).map_or(0, |found| found.len());
    println!(
        "\nThe file had {} MiB; without compression the numbers are {} MiB.",
        bytes >> 20,
        (rows * NUMBERS * 8) >> 20
    );
}

/// Asks a curator for one model, and prints its peak memory and how well it does.
fn train(file: &Path, family: &str, memory: usize, epsilon: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut catalog = format!(
        "[scope.people]\nbudget = {{ rho = 1000000, delta = 0.000001 }}\n[table.t]\nscope = \"people\"\nsource = {:?}\n\
         privacy_unit = \"row\"\n[table.t.columns]\ny = {{ type = \"boolean\", nullable = false }}\n",
        file.to_str().expect("a path in UTF-8")
    );
    for number in 0..NUMBERS {
        catalog +=
            &format!("f{number} = {{ type = \"integer\", lower = 0, upper = 100, nullable = false }}\n");
    }
    let catalog = Catalog::parse(&catalog).expect("a catalog");
    let mut settings = Settings::beside(folder.path());
    settings.engine.memory_bytes = memory << 20;
    let curator = Curator::open(folder.path(), catalog, settings).expect("a curator");
    let names: Vec<String> = (0..NUMBERS).map(|number| format!("f{number}")).collect();
    // Linear regression says the first number from the others, which say little of it: it is about time and memory.
    let (items, target) = match family {
        "linear" => (names.join(", "), "f0"),
        _ => (format!("{}, y", names.join(", ")), "y"),
    };
    let sql = training_statement(family, &format!("SELECT {items} FROM t"), Some(target), None);
    let options = Options { epsilon: Some(Epsilon::parse(epsilon).expect("an ε")), ..Options::default() };
    let reply = curator.ask(&Ask { options, ..Ask::new(sql, OWNER.to_owned()) }).expect("a model");
    let model = reply.model.expect("a model was asked for");
    let theta: Vec<f64> = model.numbers().iter().map(|number| number.value).collect();
    let mut made = MadeUp::new(2);
    let (mut right, mut square, mut total) = (0, 0.0, 0.0);
    for _ in 0..TRIED {
        let (numbers, y) = made.row();
        let own = if family == "linear" { &numbers[1..] } else { &numbers[..] };
        let values: Vec<Option<Label>> =
            own.iter().map(|number| Some(Label::Integer(i64::from(*number)))).collect();
        let row = model.encoding().features_of(&values);
        let score: f64 = row.iter().zip(&theta).map(|(x, theta)| x * theta).sum();
        right += usize::from((score > 0.0) == y);
        let truth = f64::from(numbers[0]) / 50.0 - 1.0;
        square += (truth - score).powi(2);
        total += truth.powi(2);
    }
    let well = if family == "linear" { 1.0 - square / total } else { right as f64 / TRIED as f64 };
    println!("{} | {well:.4}", peak_mib());
}

/// Rows that a model can learn from: half of the numbers pull the truth up, the others down, and the first goes with the second.
struct MadeUp {
    state: u64,
}

impl MadeUp {
    fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn row(&mut self) -> ([i32; NUMBERS], bool) {
        let mut numbers = [0; NUMBERS];
        let mut score = 0;
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = (self.word() % 101) as i32;
            score += (*number - 50) * if at % 2 == 0 { 1 } else { -1 };
        }
        numbers[0] = (numbers[1] + numbers[2]) / 2;
        // As large a chance as the score's own spread: nobody says more than about three of four rightly.
        let chance = (0..12).map(|_| (self.word() % 101) as i32 - 50).sum::<i32>() * 3;
        (numbers, score + chance > 0)
    }
}

fn write(file: &Path, rows: usize) {
    let mut made = MadeUp::new(1);
    let mut writer: Option<ArrowWriter<File>> = None;
    let mut left = rows;
    while left > 0 {
        let count = left.min(AT_ONCE);
        left -= count;
        let mut columns = vec![Vec::new(); NUMBERS];
        let mut truths = Vec::with_capacity(count);
        for _ in 0..count {
            let (numbers, y) = made.row();
            columns.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
            truths.push(y);
        }
        let named = columns
            .into_iter()
            .enumerate()
            .map(|(at, column)| (format!("f{at}"), Arc::new(Int32Array::from(column)) as ArrayRef));
        let truths = ("y".to_owned(), Arc::new(BooleanArray::from(truths)) as ArrayRef);
        let batch = RecordBatch::try_from_iter(named.chain([truths])).expect("columns of one length");
        let writer = writer.get_or_insert_with(|| {
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1 << 20)).build();
            let file = File::create(file).expect("a file below target");
            ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer")
        });
        writer.write(&batch).expect("rows");
    }
    writer.expect("some rows").close().expect("a complete file");
    println!("{} | ", peak_mib());
}

/// The most memory that this process has had (Linux).
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}
