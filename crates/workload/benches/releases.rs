//! How wrong tables are that are published together, beside single methods of the same price.
//!
//! Three workloads about real tables, one row a person: all pairs of columns of Adult, 1,000 random ranges over histograms of
//! 4,096 cells, and a hierarchy of flights. Each method spends the same ρ, which is the most that keeps (ε, 10^-9) by the
//! conversion of zCDP (`zcdp_rho_lower`), for ε = 0.1, 1 and 10. Noise is exact and integer; it is drawn from seeds, so that
//! the figures are the same each time. Errors are about signed estimates; a last column has the whole numbers that people are
//! given. The tables are not part of the repository; without them the benchmark says so. Options: `--tables FOLDER`,
//! `--runs N`, `--only WORD`.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Rho, Spend};
use pointillist_testkit::seeded;
use pointillist_workload::{
    Attribute, Axis, Budget, Cube, Depths, Goal, Measurement, Moved, Reconstruction, Wanted, What, choose,
    whole_numbers,
};

const RUNS: usize = 50;
/// The flights have few cells, and so are released this many times as often.
const FLIGHTS: usize = 20;
const EPSILONS: [&str; 3] = ["0.1", "1", "10"];
const DELTA: &str = "1e-9";
const RANGES: usize = 1000;

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
    println!(
        "Errors: mean absolute / root mean square, means over {} runs, of flights over {}. The price of every method:",
        runs(),
        FLIGHTS * runs()
    );
    for epsilon in EPSILONS {
        println!("- ε = {epsilon}, δ = {DELTA}: {}", Spend::Concentrated(rho(epsilon)));
    }
    let only = option("--only").unwrap_or_default();
    let mut verdict = Verdict::default();
    if "adult".contains(&only) {
        adult(&tables, &mut verdict);
    }
    if "flights".contains(&only) {
        flights(&tables, &mut verdict);
    }
    if "histograms".contains(&only) {
        histograms(&tables, &mut verdict);
    }
    println!(
        "\nOurs against the best single method: root mean square at most equal in {} of {} cells; above it by more than three \
         standard errors of the runs in {}; largest ratio {:.4}.",
        verdict.not_above, verdict.cells, verdict.above, verdict.largest
    );
}

fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn runs() -> usize {
    option("--runs").map_or(RUNS, |text| text.parse().expect("a number after --runs"))
}

fn rho(epsilon: &str) -> Rho {
    let (epsilon, delta) = (Epsilon::parse(epsilon).expect("an ε"), Delta::parse(DELTA).expect("a δ"));
    zcdp_rho_lower(&epsilon, &delta).expect("a ρ")
}

/// What is bought, and how answers follow.
struct Method {
    name: String,
    cube: Cube,
    /// The depths of the asked tables in this cube.
    tables: Vec<Depths>,
    measurements: Vec<Measurement>,
    /// Whether tables are put together from all measurements; else each is the measurement of its own.
    combined: bool,
    /// Whether the answers are made whole.
    whole: bool,
}

impl Method {
    fn new(name: &str, cube: &Cube, tables: &[Depths], parts: Vec<(What, Spend)>, combined: bool) -> Self {
        let measure = |(what, spend)| {
            Measurement::new(cube, what, Moved::one_row(cube), &spend).expect("a measurement")
        };
        Self {
            name: name.to_owned(),
            cube: cube.clone(),
            tables: tables.to_vec(),
            measurements: parts.into_iter().map(measure).collect(),
            combined,
            whole: false,
        }
    }

    /// The same price for each part.
    fn even(name: &str, cube: &Cube, tables: &[Depths], whats: Vec<What>, rho: &Rho, combined: bool) -> Self {
        let spends = Spend::Concentrated(rho.clone()).split(&vec![1; whats.len()]).expect("shares");
        Self::new(name, cube, tables, whats.into_iter().zip(spends).collect(), combined)
    }

    /// What the crate chooses, signed and whole.
    fn ours(axes: &[Axis], wanted: &[Wanted], rho: &Rho) -> [Self; 2] {
        let depths = axes.iter().map(|axis| match axis {
            Axis::Levels(parents) => parents.len(),
            _ => 1,
        });
        let moved = Moved { bounded_at: depths.collect(), groups: 1, each: 1 };
        let budget = Budget::Given(Spend::Concentrated(rho.clone()));
        let choice = choose(axes, wanted, &moved, &budget).expect("a strategy");
        let strategy = choice.chosen();
        let method = |name: &str, whole| {
            let name = format!("{name} ({})", strategy.name);
            let parts = strategy.measurements.clone();
            Self { whole, ..Self::new(&name, &strategy.cube, &strategy.tables, parts, true) }
        };
        [method("ours", false), method("ours, whole", true)]
    }

    /// All tables, from the finest one.
    fn answers(&self, finest: &Depths, table: &[i128], seed: u64) -> Vec<Vec<f64>> {
        let mut bits = seeded(seed);
        let mut released = Vec::new();
        for measurement in &self.measurements {
            let sums = self.cube.sum_to(finest, table, measurement.what().depths()).expect("sums");
            released.push(measurement.release(&sums, &mut bits).expect("a release"));
        }
        self.after(released)
    }

    /// All tables, from what was released.
    fn after(&self, released: Vec<Vec<i128>>) -> Vec<Vec<f64>> {
        if !self.combined {
            return released
                .into_iter()
                .map(|rows| rows.into_iter().map(|row| row as f64).collect())
                .collect();
        }
        let measured: Vec<_> = self.measurements.iter().cloned().zip(released).collect();
        let reconstruction = Reconstruction::new(&self.cube, &measured).expect("a reconstruction");
        let values = |depths: &Depths| reconstruction.values(depths).expect("a table");
        let signed: Vec<Vec<f64>> = self.tables.iter().map(values).collect();
        if !self.whole {
            return signed;
        }
        let estimates: Vec<_> = self.tables.iter().cloned().zip(signed).collect();
        let whole = whole_numbers(&self.cube, &estimates).expect("whole numbers");
        whole.into_iter().map(|table| table.into_iter().map(|value| value as f64).collect()).collect()
    }
}

/// The errors of one method: mean absolute, root mean square, and the standard error of the mean square.
struct Errors {
    absolute: f64,
    square: f64,
    of_square: f64,
}

/// The mean over runs; `error` has the mean absolute and the mean square error of one run.
fn measure(runs: usize, error: impl Fn(u64) -> (f64, f64)) -> Errors {
    let errors: Vec<(f64, f64)> = (0..runs as u64).map(error).collect();
    let count = errors.len() as f64;
    let absolute = errors.iter().map(|(absolute, _)| absolute).sum::<f64>() / count;
    let square = errors.iter().map(|(_, square)| square).sum::<f64>() / count;
    let spread = errors.iter().map(|(_, own)| (own - square).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    Errors { absolute, square, of_square: (spread / count).sqrt() }
}

/// Means over tables of the means over cells.
fn of_tables(answers: &[Vec<f64>], truth: &[Vec<i128>]) -> (f64, f64) {
    let tables = answers.iter().zip(truth).map(|(answer, truth)| of_cells(answer, truth));
    let (absolute, square) = tables.fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    (absolute / truth.len() as f64, square / truth.len() as f64)
}

fn of_cells(answer: &[f64], truth: &[i128]) -> (f64, f64) {
    let off = answer.iter().zip(truth).map(|(answer, truth)| (answer - *truth as f64).abs());
    let (absolute, square) = off.fold((0.0, 0.0), |sum, off| (sum.0 + off, sum.1 + off * off));
    (absolute / truth.len() as f64, square / truth.len() as f64)
}

#[derive(Default)]
struct Verdict {
    cells: usize,
    not_above: usize,
    above: usize,
    largest: f64,
}

impl Verdict {
    /// Prints one line of the table; the last two methods are ours.
    fn line(&mut self, start: &str, errors: &[Errors]) {
        let cells: Vec<String> = errors
            .iter()
            .map(|errors| format!("{:.2} / {:.2}", errors.absolute, errors.square.sqrt()))
            .collect();
        println!("| {start} | {} |", cells.join(" | "));
        let (single, ours) = errors.split_at(errors.len() - 2);
        let best = single.iter().min_by(|one, other| one.square.total_cmp(&other.square)).expect("a method");
        let noise = best.of_square.hypot(ours[0].of_square);
        self.cells += 1;
        self.not_above += usize::from(ours[0].square <= best.square);
        self.above += usize::from(ours[0].square > best.square + 3.0 * noise);
        self.largest = self.largest.max((ours[0].square / best.square).sqrt());
    }
}

fn header(start: &str, methods: &[Method]) {
    let names: Vec<&str> = methods.iter().map(|method| method.name.as_str()).collect();
    println!("\n| {start} | {} |", names.join(" | "));
    println!("| --- | {}", "---: | ".repeat(1 + names.len()).trim_end());
}

/// All pairs of columns of Adult.
fn adult(tables: &Path, verdict: &mut Verdict) {
    let (names, rows) = read(&tables.join("adult_binned.csv.gz"));
    let domain = std::fs::read_to_string(tables.join("adult_binned.domain.json")).expect("a domain");
    let size = |name: &String| -> usize {
        let after = domain.split(&format!("\"{name}\":")).nth(1).expect("a size");
        after
            .trim_start()
            .split(|sign: char| !sign.is_ascii_digit())
            .next()
            .and_then(|text| text.parse().ok())
            .expect("a number")
    };
    let sizes: Vec<usize> = names.iter().map(size).collect();
    let codes: Vec<Vec<usize>> =
        rows.iter().map(|row| row.iter().map(|cell| cell.parse().expect("a code")).collect()).collect();
    let cube =
        Cube::new(sizes.iter().map(|size| Attribute::categories(*size).expect("categories")).collect());
    let mut pairs = Vec::new();
    for one in 0..sizes.len() {
        for other in one + 1..sizes.len() {
            let depths: Depths =
                (0..sizes.len()).map(|axis| usize::from(axis == one || axis == other)).collect();
            pairs.push((one, other, depths));
        }
    }
    println!("\n## Adult: all {} pairs of {} columns, {} rows", pairs.len(), sizes.len(), codes.len());
    // The joint table has 10^16 cells: each pair is counted on its own, in a cube of its own columns.
    let count = |axes: &[usize]| {
        let mut table = vec![0i128; axes.iter().map(|axis| sizes[*axis]).product()];
        for row in &codes {
            table[axes.iter().fold(0, |cell, axis| cell * sizes[*axis] + row[*axis])] += 1;
        }
        table
    };
    let truth: Vec<Vec<i128>> = pairs.iter().map(|(one, other, _)| count(&[*one, *other])).collect();
    let depths: Vec<Depths> = pairs.iter().map(|(_, _, depths)| depths.clone()).collect();
    let counted = |what: &[usize]| {
        let axes: Vec<usize> = (0..what.len()).filter(|axis| what[*axis] > 0).collect();
        count(&axes)
    };
    let axes: Vec<Axis> = sizes.iter().map(|size| Axis::Categories(*size)).collect();
    let wanted: Vec<Wanted> = depths
        .iter()
        .map(|depths| Wanted { depths: depths.clone(), goal: Goal::Weight(1.0), ranges: false })
        .collect();
    for (index, epsilon) in EPSILONS.into_iter().enumerate() {
        let rho = rho(epsilon);
        let flat = || depths.iter().cloned().map(What::Flat).collect::<Vec<_>>();
        let mut methods = vec![
            Method::even("flat, each table alone", &cube, &depths, flat(), &rho, false),
            Method::even("flat, by least squares", &cube, &depths, flat(), &rho, true),
        ];
        methods.extend(Method::ours(&axes, &wanted, &rho));
        if index == 0 {
            header("data | ε", &methods);
        }
        let of_method = |method: &Method| {
            let counts: Vec<Vec<i128>> =
                method.measurements.iter().map(|measurement| counted(measurement.what().depths())).collect();
            measure(runs(), |run| of_tables(&pair_answers(method, &counts, run), &truth))
        };
        verdict.line(&format!("Adult | {epsilon}"), &methods.iter().map(of_method).collect::<Vec<_>>());
    }
}

/// Like [`Method::answers`], for measurements whose tables have been counted one by one.
fn pair_answers(method: &Method, counts: &[Vec<i128>], run: u64) -> Vec<Vec<f64>> {
    let mut bits = seeded(run);
    let parts = method.measurements.iter().zip(counts);
    let released: Vec<Vec<i128>> = parts
        .map(|(measurement, counts)| measurement.release(counts, &mut bits).expect("a release"))
        .collect();
    method.after(released)
}

/// Carriers, their airports, and months.
fn flights(tables: &Path, verdict: &mut Verdict) {
    let (names, rows) = read(&tables.join("nycflights13_flights.csv.gz"));
    let columns = ["carrier", "origin", "month"]
        .map(|name| names.iter().position(|own| own == name).expect("a column"));
    let mut values: [BTreeMap<&str, usize>; 3] = Default::default();
    for row in &rows {
        columns.iter().zip(&mut values).for_each(|(column, values)| {
            values.insert(&row[*column], 0);
        });
    }
    for values in &mut values {
        values.values_mut().enumerate().for_each(|(code, value)| *value = code);
    }
    let sizes: Vec<usize> = values.iter().map(BTreeMap::len).collect();
    let mut table = vec![0i128; sizes.iter().product()];
    for row in &rows {
        let codes = columns.iter().zip(&values).map(|(column, values)| values[row[*column].as_str()]);
        table[codes.zip(&sizes).fold(0, |cell, (code, size)| cell * size + code)] += 1;
    }
    println!("\n## Flights by carrier > origin > month, {} rows, {sizes:?} values, four tables", rows.len());
    let cube =
        Cube::new(sizes.iter().map(|size| Attribute::categories(*size).expect("categories")).collect());
    let depths: Vec<Depths> = vec![vec![0, 0, 0], vec![1, 0, 0], vec![1, 1, 0], vec![1, 1, 1]];
    let axes: Vec<Axis> = sizes.iter().map(|size| Axis::Categories(*size)).collect();
    let want = |depths: &Depths| Wanted { depths: depths.clone(), goal: Goal::Weight(1.0), ranges: false };
    let wanted: Vec<Wanted> = depths.iter().map(want).collect();
    let truth: Vec<Vec<i128>> =
        depths.iter().map(|depths| cube.sum_to(&cube.finest(), &table, depths).expect("sums")).collect();
    for (index, epsilon) in EPSILONS.into_iter().enumerate() {
        let rho = rho(epsilon);
        let flat = || depths.iter().cloned().map(What::Flat).collect::<Vec<_>>();
        let finest = vec![What::Flat(cube.finest())];
        let mut methods = vec![
            Method::even("flat, finest table", &cube, &depths, finest, &rho, true),
            Method::even("flat, each table alone", &cube, &depths, flat(), &rho, false),
            Method::even("hierarchical, by least squares", &cube, &depths, flat(), &rho, true),
        ];
        methods.extend(Method::ours(&axes, &wanted, &rho));
        if index == 0 {
            header("data | ε", &methods);
        }
        let of_method = |method: &Method| {
            measure(FLIGHTS * runs(), |run| of_tables(&method.answers(&cube.finest(), &table, run), &truth))
        };
        verdict.line(&format!("flights | {epsilon}"), &methods.iter().map(of_method).collect::<Vec<_>>());
    }
}

/// Ranges over histograms.
fn histograms(tables: &Path, verdict: &mut Verdict) {
    let (names, rows) = read(&tables.join("dpbench_1d_4096.csv.gz"));
    let cells = rows.len();
    println!("\n## Histograms of {cells} cells, {RANGES} random ranges");
    let mut words = seeded(4096);
    let mut point = || (words() % (cells as u64 + 1)) as usize;
    let mut ranges = Vec::new();
    while ranges.len() < RANGES {
        let (one, other) = (point(), point());
        if one != other {
            ranges.push((one.min(other), one.max(other)));
        }
    }
    let mut first = true;
    for (column, name) in names.iter().enumerate() {
        let table: Vec<i128> = rows.iter().map(|row| row[column].parse().expect("a count")).collect();
        let truth = sums(&table.iter().map(|value| *value as f64).collect::<Vec<_>>(), &ranges);
        let truth: Vec<i128> = truth.into_iter().map(|sum| sum as i128).collect();
        for epsilon in EPSILONS {
            let methods = of_histogram(cells, &rho(epsilon));
            if std::mem::take(&mut first) {
                header("data | ε", &methods);
            }
            let of_method = |method: &Method| {
                measure(runs(), |run| {
                    let answers = method.answers(&method.tables[0], &table, run * 100 + column as u64);
                    of_cells(&sums(&answers[0], &ranges), &truth)
                })
            };
            verdict.line(&format!("{name} | {epsilon}"), &methods.iter().map(of_method).collect::<Vec<_>>());
        }
    }
}

fn of_histogram(cells: usize, rho: &Rho) -> Vec<Method> {
    let tree = |branching: usize| Cube::new(vec![Attribute::tree(cells, branching).expect("a tree")]);
    let levels = |name: &str, branching: usize| {
        let cube = tree(branching);
        let whats = (1..=cube.finest()[0]).map(|depth| What::Flat(vec![depth])).collect();
        Method::even(name, &cube, &[cube.finest()], whats, rho, true)
    };
    let (flat, haar) = (tree(cells), tree(2));
    let coefficients = (0..=haar.finest()[0]).map(|depth| What::Residual(vec![depth])).collect();
    let wanted = [Wanted { depths: vec![1], goal: Goal::Weight(1.0), ranges: true }];
    let mut methods = vec![
        Method::even("flat", &flat, &[flat.finest()], vec![What::Flat(flat.finest())], rho, true),
        levels("hierarchical (4)", 4),
        levels("hierarchical (16)", 16),
        Method::even("wavelet", &haar, &[haar.finest()], coefficients, rho, true),
    ];
    methods.extend(Method::ours(&[Axis::Ordered(cells)], &wanted, rho));
    methods
}

fn sums(table: &[f64], ranges: &[(usize, usize)]) -> Vec<f64> {
    let mut beginnings = vec![0.0];
    for value in table {
        beginnings.push(beginnings[beginnings.len() - 1] + value);
    }
    ranges.iter().map(|(start, end)| beginnings[*end] - beginnings[*start]).collect()
}

/// The names and the rows of a file without quotes, as these tables are.
fn read(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("a table");
    GzDecoder::new(file).read_to_string(&mut text).expect("text");
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<String>>();
    let mut lines = text.lines();
    let names = cells(lines.next().expect("a header"));
    (names, lines.map(cells).collect())
}
