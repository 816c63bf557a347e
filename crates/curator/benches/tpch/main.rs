//! The 22 questions of TPC-H, asked by an analyst nobody trusts: customers are the people.
//!
//! What can be asked as it stands, what with a rewrite that says why, and what not; and what privacy costs in processor time,
//! beside the same question in DataFusion without privacy, in one run. The private question goes the whole way: plan,
//! charge, read, find owners through orders, join, bound, noise, record. `--scale 0.1` for a tenth of the rows;
//! `--check` prints the plan or the refusal of every question, and reads nothing.

mod data;
mod questions;

use std::path::Path;
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use pointillist_catalog::Catalog;
use pointillist_curator::{Ask, Curator, OWNER, Settings};
use pointillist_numbers::Rational;
use pointillist_privacy::Rho;
use pointillist_query::Options;

use questions::{QUESTIONS, Way};

const TABLES: [&str; 8] =
    ["region", "nation", "supplier", "part", "partsupp", "customer", "orders", "lineitem"];
const ROUNDS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    if arguments.iter().any(|argument| argument == "--check") {
        return check();
    }
    let scale = arguments
        .iter()
        .skip_while(|argument| *argument != "--scale")
        .nth(1)
        .map_or(1.0, |text| text.parse().expect("a number after --scale"));
    let only: Option<usize> = arguments
        .iter()
        .skip_while(|argument| *argument != "--only")
        .nth(1)
        .map(|text| text.parse().expect("a number after --only"));
    let tables = data::folder(scale);
    println!("The tables are in {}.\n", tables.display());
    let ledger = tempfile::tempdir().expect("a temporary folder");
    let catalog =
        include_str!("catalog.toml").replace("source = \"", &format!("source = \"{}/", tables.display()));
    let catalog = Catalog::parse(&catalog).expect("a catalog");
    let curator = Curator::open(ledger.path(), catalog, Settings::beside(ledger.path())).expect("a curator");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let session = runtime.block_on(session(&tables));
    println!("| question | how | private CPU s | raw CPU s | ratio | private wall s | raw wall s | rows |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let (mut asked, mut ratios) = (0, Vec::new());
    for question in QUESTIONS.iter().filter(|question| only.is_none_or(|only| only == question.number)) {
        let (how, private) = match &question.way {
            Way::AsItStands(sql) => ("as it stands", sql),
            Way::Rewritten(sql, _) => ("rewritten", sql),
            Way::NotAsked(_) => {
                println!("| {}: {} | not asked | | | | | | |", question.number, question.title);
                continue;
            }
        };
        let mut best = [(Duration::MAX, Duration::MAX); 2];
        let (mut rows, mut failed) = (0, None);
        for round in 0..ROUNDS {
            let one = timed(|| ask(&curator, private, round));
            match &one.0 {
                Ok(count) => rows = *count,
                Err(message) => failed = Some(message.clone()),
            }
            let other = timed(|| runtime.block_on(raw(&session, question.raw)));
            for (known, now) in best.iter_mut().zip([(one.1, one.2), (other.1, other.2)]) {
                *known = (known.0.min(now.0), known.1.min(now.1));
            }
            if failed.is_some() {
                break;
            }
        }
        if let Some(message) = failed {
            println!("| {}: {} | FAILED: {message} | | | | | | |", question.number, question.title);
            continue;
        }
        asked += 1;
        let [(ours, our_wall), (theirs, their_wall)] =
            best.map(|(processor, wall)| (processor.as_secs_f64(), wall.as_secs_f64()));
        ratios.push(ours / theirs);
        println!(
            "| {}: {} | {how} | {ours:.2} | {theirs:.2} | {:.1}× | {our_wall:.2} | {their_wall:.2} | {rows} |",
            question.number,
            question.title,
            ours / theirs,
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "\n{asked} of {} were answered; the median ratio of processor time is {:.1}×.",
        QUESTIONS.len(),
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    );
    println!("\nWhat was changed, and what was not asked:\n");
    for question in &QUESTIONS {
        match &question.way {
            Way::AsItStands(_) => {}
            Way::Rewritten(_, why) => println!("- {} (rewritten): {why}", question.number),
            Way::NotAsked(why) => println!("- {} (not asked): {why}", question.number),
        }
    }
}

/// Plans every question, and says what comes of it.
fn check() {
    let catalog = Catalog::parse(include_str!("catalog.toml")).expect("a catalog");
    for question in &QUESTIONS {
        println!("== {}: {}", question.number, question.title);
        match &question.way {
            Way::AsItStands(sql) | Way::Rewritten(sql, _) => {
                match pointillist_query::statement(&catalog, sql, &Options::default()) {
                    Ok(_) => println!("planned"),
                    Err(refusal) => println!("REFUSED: {refusal}"),
                }
            }
            Way::NotAsked(why) => println!("not asked: {why}"),
        }
    }
}

async fn session(tables: &Path) -> SessionContext {
    let session = SessionContext::new();
    for table in TABLES {
        let path = tables.join(format!("{table}.parquet"));
        let path = path.to_str().expect("a path in UTF-8");
        session.register_parquet(table, path, ParquetReadOptions::default()).await.expect("a table");
    }
    session
}

/// Another price in every round, so that no answer is a repetition.
fn ask(curator: &Curator, sql: &str, round: usize) -> Result<usize, String> {
    let rho = Rho::new(Rational::from(10 + round as i64)).expect("a price");
    let options = Options { rho: Some(rho), ..Options::default() };
    let ask = Ask { options, ..Ask::new(sql, OWNER) };
    curator.ask(&ask).map(|reply| reply.answer.rows.len()).map_err(|error| error.to_string())
}

async fn raw(session: &SessionContext, sql: &str) -> usize {
    let batches = session.sql(sql).await.expect("SQL").collect().await.expect("an answer");
    batches.iter().map(RecordBatch::num_rows).sum()
}

/// What came out, and the processor and wall time that it took.
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration, Duration) {
    let (processor, start) = (processor_time(), Instant::now());
    let done = run();
    (done, processor_time().saturating_sub(processor), start.elapsed())
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
