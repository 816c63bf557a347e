//! Test accuracy of logistic regression by objective perturbation on two tables that no setting was chosen on.
//!
//! KDD Cup 1999, 10 %: attack or not, 70,000 connections to train on and 20,000 to test, 3 categories with a feature for each value, 38 numbers by
//! public bounds, a constant (d = 119). Breast cancer (WDBC): benign or not, 455 and 114 rows, 30 numbers by public bounds, a constant (d = 31). Rows are shortened to norm 1; δ =
//! 1e-6; rows are drawn and split anew for each seed. Penalties are those of the default rule with the number of rows declared, which was
//! fitted to Adult alone; beside it stands the best of four multiples of it, chosen on the test rows for each ε, as that of the reference was. The tables
//! are not part of the repository; without them the benchmark says so. Options: `--tables FOLDER`, `--runs N`, `--only kdd` or `wdbc`.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::read::GzDecoder;
use pointillist_learn::{
    GaussianObjective, MarginLoss, MarginModel, MarginProblem, MemoryRows, default_lambda, shorten,
};
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_testkit::seeded;

const DELTA: &str = "1e-6";
const LOSS: MarginLoss = MarginLoss::Logistic;
/// Multiples of the default penalty.
const FACTORS: [f64; 4] = [0.3, 1.0, 3.0, 10.0];
/// ε and what the reference measured: output and objective perturbation at a pure ε, and Gaussian objective perturbation.
type Reference = (&'static str, [f64; 3]);

const KDD: [Reference; 4] = [
    ("0.05", [0.9167, 0.9754, 0.9900]),
    ("0.1", [0.9497, 0.9791, 0.9898]),
    ("0.2", [0.9788, 0.9873, 0.9899]),
    ("1", [0.9897, 0.9899, 0.9925]),
];
const WDBC: [Reference; 4] = [
    ("0.5", [0.728, 0.819, 0.864]),
    ("1", [0.697, 0.866, 0.918]),
    ("3", [0.872, 0.941, 0.949]),
    ("10", [0.893, 0.955, 0.974]),
];
/// Of the numbers of a connection the public upper bounds, by column; the others are rates or truths, up to 1.
const KDD_UPPER: [(usize, f64); 15] = [
    (0, 60_000.0),
    (4, 7e8),
    (5, 6e6),
    (7, 3.0),
    (8, 3.0),
    (9, 100.0),
    (10, 5.0),
    (12, 1_000.0),
    (14, 2.0),
    (15, 1_000.0),
    (16, 100.0),
    (17, 5.0),
    (18, 10.0),
    (22, 511.0),
    (23, 511.0),
];
const KDD_COUNTS: [usize; 2] = [31, 32];
const KDD_CATEGORIES: [usize; 3] = [1, 2, 3];
/// Public bounds of the measurements of a cell: mean, standard error and worst of ten.
const WDBC_BOUNDS: [(f64, f64); 30] = [
    (5.0, 30.0),
    (5.0, 40.0),
    (40.0, 200.0),
    (100.0, 2_600.0),
    (0.05, 0.17),
    (0.0, 0.35),
    (0.0, 0.45),
    (0.0, 0.21),
    (0.1, 0.31),
    (0.04, 0.1),
    (0.0, 3.0),
    (0.0, 5.0),
    (0.0, 22.0),
    (0.0, 550.0),
    (0.0, 0.04),
    (0.0, 0.14),
    (0.0, 0.4),
    (0.0, 0.06),
    (0.0, 0.08),
    (0.0, 0.03),
    (5.0, 40.0),
    (10.0, 50.0),
    (50.0, 260.0),
    (100.0, 4_300.0),
    (0.05, 0.25),
    (0.0, 1.1),
    (0.0, 1.3),
    (0.0, 0.3),
    (0.1, 0.7),
    (0.05, 0.21),
];

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/tables");
    let tables = option("--tables").map_or(beside, PathBuf::from);
    let kdd = Protocol { name: "kddcup99_10pct", reference: &KDD, train: 70_000, test: 20_000, runs: 5 };
    let wdbc = Protocol { name: "breast_cancer_wdbc", reference: &WDBC, train: 455, test: 114, runs: 100 };
    run(&tables, "kdd", connections, kdd);
    run(&tables, "wdbc", cells, wdbc);
}

/// What is done with a table.
struct Protocol {
    name: &'static str,
    reference: &'static [Reference],
    train: usize,
    test: usize,
    runs: u64,
}

fn run(tables: &Path, word: &str, read: fn(&str) -> Table, protocol: Protocol) {
    let file = tables.join(format!("{}.csv.gz", protocol.name));
    if !file.exists() {
        println!("SKIPPED: {} is not there.", file.display());
    } else if word.contains(&option("--only").unwrap_or_default()) {
        let runs = option("--runs").map(|text| text.parse().expect("a number after --runs"));
        report(&read(&text(&file)), &Protocol { runs: runs.unwrap_or(protocol.runs), ..protocol });
    }
}

/// Features row by row, and a class of −1 or 1.
struct Table {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
}

fn report(table: &Table, protocol: &Protocol) {
    let Protocol { name, reference, train: n, test: tested, runs } = *protocol;
    let d = table.x[0].len();
    let (mut plain, mut majority, mut seconds) = (0.0, 0.0, 0.0);
    // For each ε and factor the accuracies of all runs.
    let mut found = vec![[const { Vec::new() }; FACTORS.len()]; reference.len()];
    for seed in 0..runs {
        let (train, test) = split(table, n, tested, seed);
        let positive = test.y.iter().filter(|y| **y > 0.0).count() as f64 / tested as f64;
        majority += positive.max(1.0 - positive);
        // A ρ so large that there is next to no noise.
        let exact = MarginProblem::new(LOSS, d, 1.0, 1, 0.01).expect("a problem");
        let exact =
            GaussianObjective::for_rho(exact, &Rho::parse("1000000").expect("a ρ")).expect("a trainer");
        plain += accuracy(&exact.fit(&train, &mut seeded(seed)).expect("rows in memory"), &test);
        for ((epsilon, _), found) in reference.iter().zip(&mut found) {
            let (epsilon, delta) =
                (Epsilon::parse(epsilon).expect("an ε"), Delta::parse(DELTA).expect("a δ"));
            let lambda =
                default_lambda(LOSS, d, 1.0, 1, &epsilon, &delta, Some(n as u64)).expect("a penalty");
            for (factor, found) in FACTORS.iter().zip(found) {
                let problem = MarginProblem::new(LOSS, d, 1.0, 1, lambda * factor).expect("a problem");
                let Ok(trainer) = GaussianObjective::for_epsilon_delta(problem, &epsilon, &delta) else {
                    // A penalty that is too small for this price.
                    continue;
                };
                let start = Instant::now();
                let model = trainer.fit(&train, &mut seeded(seed)).expect("rows in memory");
                seconds += start.elapsed().as_secs_f64();
                found.push(accuracy(&model, &test));
            }
        }
    }
    let fits: usize = found.iter().flatten().map(Vec::len).sum();
    println!(
        "\n{name}: {n} rows to train, {tested} to test, {d} features, δ = {DELTA}, {runs} runs, {:.2} s a fit",
        seconds / fits as f64
    );
    println!("majority {:.4}, without privacy {:.4}\n", majority / runs as f64, plain / runs as f64);
    println!(
        "| ε | default penalty | standard error | best of four penalties | reference, best of four | output, pure ε | objective, pure ε |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    for ((epsilon, [output, objective, gaussian]), found) in reference.iter().zip(&found) {
        let default = &found[1];
        let spread = default.iter().map(|at| (at - mean(default)).powi(2)).sum::<f64>();
        let error = (spread / (runs as f64 - 1.0) / runs as f64).sqrt();
        // A multiple that no run could take has no mean.
        let means = found.iter().map(|values| if values.is_empty() { 0.0 } else { mean(values) });
        let (best, factor) = means.zip(FACTORS).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        println!(
            "| {epsilon} | {:.4} | {error:.4} | {best:.4} (×{factor}) | {gaussian:.4} | {output:.4} | {objective:.4} |",
            mean(default)
        );
    }
}

fn accuracy(model: &MarginModel, test: &Table) -> f64 {
    let theta = model.coefficients.to_f64();
    let right = test.x.iter().zip(&test.y).filter(|(x, y)| {
        let score: f64 = x.iter().zip(&theta).map(|(x, theta)| x * theta).sum();
        (score > 0.0) == (**y > 0.0)
    });
    right.count() as f64 / test.y.len() as f64
}

/// The first n rows of a random order to train on, and the next ones to test.
fn split(table: &Table, n: usize, tested: usize, seed: u64) -> (MemoryRows, Table) {
    let mut words = seeded(7000 + seed);
    let mut order: Vec<(u64, usize)> = (0..table.y.len()).map(|row| (words(), row)).collect();
    order.sort_unstable();
    let (train, rest) = order.split_at(n);
    let x = train.iter().flat_map(|(_, row)| table.x[*row].iter().copied()).collect();
    let y = train.iter().map(|(_, row)| table.y[*row]).collect();
    let rest = &rest[..tested];
    let test = Table {
        x: rest.iter().map(|(_, row)| table.x[*row].clone()).collect(),
        y: rest.iter().map(|(_, row)| table.y[*row]).collect(),
    };
    (MemoryRows::new(x, y, table.x[0].len(), 1.0, 1), test)
}

fn connections(text: &str) -> Table {
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    // The values of a category are the public domain of the table.
    let words: Vec<Vec<&str>> = KDD_CATEGORIES
        .iter()
        .map(|column| lines.iter().map(|line| line[*column]).collect::<BTreeSet<_>>().into_iter().collect())
        .collect();
    let mut upper = [1.0; 41];
    KDD_UPPER.iter().for_each(|(column, bound)| upper[*column] = *bound);
    KDD_COUNTS.iter().for_each(|column| upper[*column] = 255.0);
    let mut table = Table { x: Vec::new(), y: Vec::new() };
    for line in &lines {
        let mut x: Vec<f64> = (0..41)
            .filter(|column| !KDD_CATEGORIES.contains(column))
            .map(|column| (line[column].parse::<f64>().expect("a number") / upper[column]).clamp(0.0, 1.0))
            .collect();
        for (column, words) in KDD_CATEGORIES.iter().zip(&words) {
            x.extend(words.iter().map(|word| f64::from(u8::from(line[*column] == *word))));
        }
        x.push(1.0);
        shorten(&mut x, 1.0);
        table.x.push(x);
        table.y.push(if line[41] == "normal" { -1.0 } else { 1.0 });
    }
    table
}

fn cells(text: &str) -> Table {
    let mut table = Table { x: Vec::new(), y: Vec::new() };
    for line in text.lines().skip(1) {
        let numbers: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        let scaled =
            |(value, (low, high)): (&f64, &(f64, f64))| ((value - low) / (high - low)).clamp(0.0, 1.0);
        let mut x: Vec<f64> = numbers.iter().zip(&WDBC_BOUNDS).map(scaled).chain([1.0]).collect();
        shorten(&mut x, 1.0);
        table.x.push(x);
        table.y.push(2.0 * numbers[30] - 1.0);
    }
    table
}

fn text(file: &Path) -> String {
    let mut text = String::new();
    let opened = std::fs::File::open(file).expect("the table can be opened");
    GzDecoder::new(opened).read_to_string(&mut text).expect("the table is text");
    text
}

fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}
