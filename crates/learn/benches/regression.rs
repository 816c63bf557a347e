//! How well linear regression predicts two real tables, beside least squares without privacy and the figures of a
//! reference.
//!
//! California housing (14 features) and hourly bicycle rentals (39 features): 80 % of rows train and 20 % test,
//! split anew for each seed; numbers are scaled by public bounds to [0, 1] or [−1, 1], categories have a feature
//! each, rows are shortened to norm 1, targets lie in [−1, 1]. ρ is the most that keeps (ε, 10^-6). The tables are
//! not part of the repository; without them the benchmark says so. Options: `--tables FOLDER`, `--runs N`.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::read::GzDecoder;
use pointillist_learn::{AdaSsp, Gram, LinearModel, MemoryRows, Penalty};
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_testkit::seeded;

const RUNS: u64 = 30;
const EPSILONS: [&str; 3] = ["0.1", "1", "10"];
const DELTA: &str = "1e-6";

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/tables");
    let tables = option("--tables").map_or(beside, PathBuf::from);
    if !tables.exists() {
        println!("SKIPPED: the real tables are not beside the repository (shared/data/tables).");
        return;
    }
    report("california_housing", &housing(&tables), [0.436, 0.614, 0.649]);
    report("bike_hour", &bicycles(&tables), [0.115, 0.536, 0.650]);
}

/// Features row by row and a target.
struct Table {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
}

fn report(name: &str, table: &Table, reference: [f64; 3]) {
    let (n, d) = (table.y.len(), table.x[0].len());
    let started = Instant::now();
    let mut plain = 0.0;
    let mut scores = [[0.0; 3]; 3];
    for seed in 0..runs() {
        let (train, test) = split(table, seed);
        // A ρ so large that there is next to no noise.
        let exact =
            Gram::new(d, 1.0, 1, Some(0.5), Rho::parse("100000").expect("a ρ")).expect("a Gram matrix");
        let exact = exact.fit(&train, &mut seeded(seed)).expect("rows in memory");
        plain += determination(&exact.regression(Penalty::Fixed(0.0)).expect("a target"), &test);
        for (at, epsilon) in EPSILONS.iter().enumerate() {
            let rho = rho(epsilon);
            let mut bits = seeded(1000 + seed);
            let adaptive = AdaSsp::new(d, 1.0, 1, rho.clone()).expect("a trainer");
            let adaptive = adaptive.fit(&train, &mut bits).expect("rows in memory");
            scores[0][at] += determination(&adaptive.adaptive(), &test);
            scores[1][at] += determination(&adaptive.regression(Penalty::Automatic), &test);
            let gram = Gram::new(d, 1.0, 1, Some(0.5), rho).expect("a Gram matrix");
            let gram = gram.fit(&train, &mut bits).expect("rows in memory");
            scores[2][at] += determination(&gram.regression(Penalty::Automatic).expect("a target"), &test);
        }
    }
    let count = runs() as f64;
    println!(
        "\n{name}: {n} rows, {d} features, R² at ε = {} (δ = {DELTA}), {} runs",
        EPSILONS.join(" / "),
        runs()
    );
    println!("  least squares, no privacy      {:.4}", plain / count);
    let shown = |row: [f64; 3]| row.map(|score| format!("{score:.3}")).join(" / ");
    println!("  reference, zCDP AdaSSP         {}", shown(reference));
    let names = [
        "AdaSSP, published penalty     ",
        "AdaSSP, automatic penalty     ",
        "Gram release, automatic       ",
    ];
    for (name, row) in names.iter().zip(scores) {
        println!("  {name} {}", shown(row.map(|score| score / count)));
    }
    println!("  {:.1} s", started.elapsed().as_secs_f64());
}

fn determination(model: &LinearModel, test: &Table) -> f64 {
    let mean = test.y.iter().sum::<f64>() / test.y.len() as f64;
    let total: f64 = test.y.iter().map(|y| (y - mean).powi(2)).sum();
    let rest: f64 = test.x.iter().zip(&test.y).map(|(x, y)| (y - model.score(x)).powi(2)).sum();
    1.0 - rest / total
}

/// Four fifths of the rows to train, shortened to norm 1, and the rest, shortened likewise.
fn split(table: &Table, seed: u64) -> (MemoryRows, Table) {
    let mut words = seeded(7000 + seed);
    let mut order: Vec<(u64, usize)> = (0..table.y.len()).map(|row| (words(), row)).collect();
    order.sort_unstable();
    let cut = order.len() * 4 / 5;
    let d = table.x[0].len();
    let train: Vec<f64> = order[..cut].iter().flat_map(|(_, row)| table.x[*row].iter().copied()).collect();
    let train_y = order[..cut].iter().map(|(_, row)| table.y[*row]).collect();
    let shortened = |row: usize| {
        let mut x = table.x[row].clone();
        pointillist_learn::shorten(&mut x, 1.0);
        x
    };
    let test = Table {
        x: order[cut..].iter().map(|(_, row)| shortened(*row)).collect(),
        y: order[cut..].iter().map(|(_, row)| table.y[*row]).collect(),
    };
    (MemoryRows::new(train, train_y, d, 1.0, 1), test)
}

fn housing(tables: &Path) -> Table {
    let bounds = [
        (-125.0, -114.0),
        (32.0, 42.0),
        (0.0, 52.0),
        (0.0, 10_000.0),
        (0.0, 2_000.0),
        (0.0, 5_000.0),
        (0.0, 2_000.0),
        (0.0, 15.0),
    ];
    let places = ["<1H OCEAN", "INLAND", "ISLAND", "NEAR BAY", "NEAR OCEAN"];
    let mut table = Table { x: Vec::new(), y: Vec::new() };
    for line in lines(tables, "california_housing") {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[..9].iter().any(|cell| cell.is_empty()) {
            continue;
        }
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        let mut x: Vec<f64> = bounds
            .iter()
            .enumerate()
            .map(|(at, (low, high))| 2.0 * ((number(at) - low) / (high - low)).clamp(0.0, 1.0) - 1.0)
            .collect();
        x.extend(places.iter().map(|place| f64::from(u8::from(cells[9] == *place))));
        x.push(1.0);
        table.x.push(x);
        table.y.push(((number(8) / 250_000.0) - 1.0).clamp(-1.0, 1.0));
    }
    table
}

fn bicycles(tables: &Path) -> Table {
    let mut table = Table { x: Vec::new(), y: Vec::new() };
    for line in lines(tables, "bike_hour") {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        let mut x = Vec::new();
        let mut category = |value: f64, first: usize, count: usize| {
            x.extend((first..first + count).map(|code| f64::from(u8::from(value as usize == code))));
        };
        category(cells[4], 1, 4);
        category(cells[5], 0, 24);
        category(cells[9], 1, 4);
        x.extend([cells[1] - 2011.0, cells[6], cells[8], cells[10], cells[12], cells[13], 1.0]);
        table.x.push(x);
        table.y.push((cells[16] / 500.0 - 1.0).clamp(-1.0, 1.0));
    }
    table
}

fn lines(tables: &Path, name: &str) -> Vec<String> {
    let file = std::fs::File::open(tables.join(format!("{name}.csv.gz"))).expect("a table");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("text");
    text.lines().skip(1).map(str::to_owned).collect()
}

fn rho(epsilon: &str) -> Rho {
    let (epsilon, delta) = (Epsilon::parse(epsilon).expect("an ε"), Delta::parse(DELTA).expect("a δ"));
    zcdp_rho_lower(&epsilon, &delta).expect("a ρ")
}

fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn runs() -> u64 {
    option("--runs").map_or(RUNS, |text| text.parse().expect("a number after --runs"))
}
