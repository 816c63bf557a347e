//! Errors of sanitized tables beside what the authors' code was measured at, seconds and memory.
//!
//! The mean over all pairs and all triples of columns of ‖M(D) − M(S)‖₁/N, δ = 1e-9, one row a person; the k-marginal score of NIST's excerpts; and a
//! logistic classifier trained on sanitized Adult beside one trained on the rows themselves. The tables are read from the folder
//! `shared/data/tables` beside the repository or from `--tables FOLDER`. `--only TEXT` keeps the runs whose name (`adult aim 1`) has it, `--settings TEXT`
//! changes the recipe, `--seeds N` (1) averages, and `--csv FILE` writes the rows of the last run.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::read::GzDecoder;
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Rho, Spend};
use pointillist_synth::{Domain, MemoryCodes, Method, Model, PublicCoins, Recipe};
use pointillist_testkit::seeded;

const DELTA: &str = "1e-9";
const EPSILONS: [&str; 3] = ["0.1", "1", "10"];
/// Table, method, ε, errors of pairs and triples that the authors' code reached with one seed; for residuals those of answers that
/// were projected one by one, not of rows.
const REFERENCE: [(&str, Method, &str, f64, f64); 19] = [
    ("adult", Method::Mst, "0.1", 0.184, 0.330),
    ("adult", Method::Mst, "1", 0.121, 0.236),
    ("adult", Method::Mst, "10", 0.069, 0.161),
    ("adult", Method::Residual, "0.1", 0.446, f64::NAN),
    ("adult", Method::Residual, "1", 0.092, f64::NAN),
    ("adult", Method::Residual, "10", 0.0155, f64::NAN),
    ("adult", Method::Aim, "0.1", 0.409, 0.612),
    ("adult", Method::Aim, "1", 0.079, 0.166),
    ("nltcs", Method::Mst, "1", 0.176, 0.286),
    ("nltcs", Method::Residual, "0.1", 0.0325, f64::NAN),
    ("nltcs", Method::Residual, "1", 0.0035, f64::NAN),
    ("nltcs", Method::Residual, "10", 0.0004, f64::NAN),
    ("titanic", Method::Mst, "1", 0.346, 0.576),
    ("titanic", Method::Aim, "0.1", 1.094, 1.405),
    ("titanic", Method::Aim, "1", 0.406, 0.650),
    ("titanic", Method::Aim, "10", 0.138, 0.316),
    ("nist", Method::Aim, "1", 976.0, f64::NAN),
    ("nist", Method::Mst, "1", 958.0, f64::NAN),
    ("nist", Method::Residual, "1", f64::NAN, f64::NAN),
];
/// The ten columns of NIST's demographic scores.
const DEMOGRAPHIC: [&str; 10] =
    ["AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "PINCP_DECILE", "DVET", "DEYE"];

struct Table {
    name: &'static str,
    sizes: Vec<u32>,
    /// Column by column.
    columns: Vec<Vec<u32>>,
}

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/tables");
    let beside = if beside.exists() {
        beside
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/tables")
    };
    let folder = option("--tables").map_or(beside, PathBuf::from);
    if !folder.join("adult_binned.csv.gz").exists() {
        println!("SKIPPED: there are no tables in {}.", folder.display());
        return;
    }
    println!(
        "| table | method | ε | pairs | triples | reference | seconds to measure | seconds to fit | seconds to draw | model MiB | peak MiB | 95 % bars that hold, of estimates, of made-up counts |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut adult = Vec::new();
    for name in ["adult", "nltcs", "titanic", "salary", "nist"] {
        let table = read(&folder, name);
        for method in [Method::Mst, Method::Aim, Method::Residual, Method::Mwem] {
            for epsilon in EPSILONS {
                let wanted =
                    option("--only").is_none_or(|only| format!("{name} {method} {epsilon} ").contains(&only));
                if wanted {
                    let rows = run(&table, method, epsilon);
                    if name == "adult" {
                        adult.push((method, epsilon, rows));
                    }
                }
            }
        }
        if name == "adult" && !adult.is_empty() {
            println!("\nA logistic classifier of income, trained on sanitized rows and tried on others:\n");
            classifiers(&table, &adult, &folder);
            println!();
        }
    }
    println!(
        "\nSKIPPED: private-pgm in the same run; the reference is what its authors' code was measured at elsewhere."
    );
}

fn run(table: &Table, method: Method, epsilon: &str) -> Vec<Vec<u32>> {
    let rho = rho_of(epsilon);
    let settings = option("--settings").unwrap_or_default();
    let recipe = Recipe::new(method).with_settings(&settings).expect("settings of a recipe");
    let d = table.sizes.len();
    let n = table.columns[0].len();
    let codes = (0..n).flat_map(|row| table.columns.iter().map(move |column| column[row])).collect();
    let rows = MemoryCodes::new(codes, d);
    let seeds: u64 = option("--seeds").map_or(1, |text| text.parse().expect("a number of seeds"));
    let start = Instant::now();
    let synthesizer = recipe
        .synthesizer(Domain::new(table.sizes.clone()).unwrap(), 1, &Spend::Concentrated(rho))
        .expect("a synthesizer");
    let (mut pairs, mut triples, mut last) = (0.0, 0.0, Vec::new());
    let (mut measuring, mut fitting, mut drawing) = (start.elapsed().as_secs_f64(), 0.0, 0.0);
    let mut megabytes = 0.0;
    let mut answers = 0.0;
    let mut bars = Bars::default();
    for seed in 0..seeds {
        let mut bits = seeded(seed);
        let start = Instant::now();
        let measured = synthesizer.fit(&rows, &mut bits, &mut |_| ()).expect("rows stay");
        measuring += start.elapsed().as_secs_f64();
        if std::env::args().any(|argument| argument == "--verbose") {
            for marginal in &measured.marginals {
                eprintln!(
                    "{:?} σ = {:.1}, {} cells",
                    marginal.attributes,
                    marginal.noise.variance().sqrt(),
                    marginal.cells.len()
                );
            }
        }
        let start = Instant::now();
        let model = synthesizer.model(measured).expect("numbers fit");
        fitting += start.elapsed().as_secs_f64();
        let start = Instant::now();
        last = model.sample(None, &mut PublicCoins::of(&[&seed.to_be_bytes()])).expect("rows");
        drawing += start.elapsed().as_secs_f64();
        pairs += error(table, &last, 2) / seeds as f64;
        triples += error(table, &last, 3) / seeds as f64;
        bars.count(table, &model, &last, seed);
        if method == Method::Residual {
            answers += answer_error(table, &model) / seeds as f64;
        }
        megabytes = model.bytes() as f64 / 1048576.0;
    }
    let each = seeds as f64;
    let known = REFERENCE.iter().find(|known| (known.0, known.1, known.2) == (table.name, method, epsilon));
    let reference = known.map_or("–".to_owned(), |known| match known.4.is_nan() {
        true => format!("{}", known.3),
        false => format!("{} / {}", known.3, known.4),
    });
    let score = if table.name == "nist" {
        format!(" (score {:.0})", 1000.0 * (1.0 - pairs / 2.0))
    } else {
        String::new()
    };
    let answers = if method == Method::Residual { format!(" (answers {answers:.4})") } else { String::new() };
    println!(
        "| {} | {method} | {epsilon} | {pairs:.4}{score}{answers} | {triples:.4} | {reference} | {:.2} | {:.2} | {:.2} | {megabytes:.1} | {:.0} | {bars} |",
        table.name,
        measuring / each,
        fitting / each,
        drawing / each,
        peak_mebibytes(),
    );
    last
}

/// How often 95 % bars hold: of one random set of cells for each measured set of up to two columns, half of the values of each column or half of the cells.
#[derive(Default)]
struct Bars {
    asked: u64,
    /// The estimate from noisy counts is as near to the truth as its bar says.
    of_estimates: u64,
    /// So is the made-up count, with the bar that reaches to both ends of the other.
    of_made_up: u64,
}

impl Bars {
    fn count(&mut self, table: &Table, model: &Model, made_up: &[Vec<u32>], seed: u64) {
        let mut coins = PublicCoins::of(&[b"bars", &seed.to_be_bytes()]);
        for set in model.measured_sets().iter().filter(|set| set.len() < 3) {
            let Some(known) = model.measured(set) else { continue };
            let halves: Vec<Vec<bool>> =
                known.shape.iter().map(|size| (0..*size).map(|_| coins.below(2) == 1).collect()).collect();
            let by_column = coins.below(2) == 1;
            let inside = |cell: usize, coins: &mut PublicCoins| {
                let mut rest = cell;
                let mut all = true;
                for (half, size) in halves.iter().zip(&known.shape).rev() {
                    all &= half[rest % size];
                    rest /= size;
                }
                if by_column { all } else { coins.below(2) == 1 }
            };
            let cells: Vec<bool> = (0..known.values.len()).map(|cell| inside(cell, &mut coins)).collect();
            let counted = |columns: &[Vec<u32>]| {
                let group = |place: usize, code: u32| match &known.groups[place] {
                    Some(groups) => groups[code as usize] as usize,
                    None => code as usize,
                };
                let cell = |row: usize| {
                    set.iter().enumerate().fold(0, |cell, (place, column)| {
                        cell * known.shape[place] + group(place, columns[*column][row])
                    })
                };
                (0..columns[0].len()).filter(|row| cells[cell(*row)]).count() as f64
            };
            let (truth, shown) = (counted(&table.columns), counted(made_up));
            let (estimate, bar) = (known.sum(&cells), known.error_95_of_sum(&cells));
            self.asked += 1;
            self.of_estimates += u64::from((estimate - truth).abs() <= bar);
            self.of_made_up += u64::from((shown - truth).abs() <= (shown - estimate).abs() + bar);
        }
    }
}

impl std::fmt::Display for Bars {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = |held: u64| 100.0 * held as f64 / self.asked.max(1) as f64;
        write!(out, "{:.1} %, {:.1} % of {}", share(self.of_estimates), share(self.of_made_up), self.asked)
    }
}

/// The ρ whose (ε, δ) is the given one.
fn rho_of(epsilon: &str) -> Rho {
    zcdp_rho_lower(&Epsilon::parse(epsilon).unwrap(), &Delta::parse(DELTA).unwrap()).unwrap()
}

/// The mean over all sets of so many columns of the distance of marginals, over the number of rows.
fn error(table: &Table, sanitized: &[Vec<u32>], count: usize) -> f64 {
    use std::collections::HashMap;
    let n = table.columns[0].len() as f64;
    let m = sanitized[0].len() as f64;
    let sets = subsets(table.sizes.len(), count);
    let distance = |set: &Vec<usize>| {
        let cells: u64 = set.iter().map(|column| u64::from(table.sizes[*column])).product();
        let key = |columns: &[Vec<u32>], row: usize| {
            set.iter().fold(0u64, |key, column| {
                key * u64::from(table.sizes[*column]) + u64::from(columns[*column][row])
            })
        };
        // As in the reference, counts are compared as they are: a wrong number of rows is an error.
        if cells < 1 << 22 {
            let mut counts = vec![0.0f64; cells as usize];
            (0..n as usize).for_each(|row| counts[key(&table.columns, row) as usize] += 1.0);
            (0..m as usize).for_each(|row| counts[key(sanitized, row) as usize] -= 1.0);
            return counts.iter().map(|count| count.abs()).sum::<f64>() / n;
        }
        let mut counts: HashMap<u64, f64> = HashMap::new();
        (0..n as usize).for_each(|row| *counts.entry(key(&table.columns, row)).or_default() += 1.0);
        (0..m as usize).for_each(|row| *counts.entry(key(sanitized, row)).or_default() -= 1.0);
        counts.values().map(|count| count.abs()).sum::<f64>() / n
    };
    sets.iter().map(distance).sum::<f64>() / sets.len() as f64
}

/// The same for the answers of measured pairs, each brought to the nearest numbers that are not negative and add up to the total.
fn answer_error(table: &Table, model: &Model) -> f64 {
    let n = table.columns[0].len() as f64;
    let sets = subsets(table.sizes.len(), 2);
    let mut sum = 0.0;
    for set in &sets {
        let Some(measured) = model.measured(set) else { continue };
        let values = nearest(&measured.values, model.total());
        let mut counts = vec![0.0; values.len()];
        for row in 0..n as usize {
            let cell = set
                .iter()
                .fold(0, |cell, c| cell * table.sizes[*c] as usize + table.columns[*c][row] as usize);
            counts[cell] += 1.0;
        }
        sum += counts.iter().zip(&values).map(|(a, b): (&f64, &f64)| (a - b).abs()).sum::<f64>() / n;
    }
    sum / sets.len() as f64
}

fn nearest(values: &[f64], sum: f64) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let (mut total, mut lambda) = (0.0, 0.0);
    for (index, value) in sorted.iter().enumerate() {
        total += value;
        let next = (total - sum) / (index + 1) as f64;
        if *value <= next {
            break;
        }
        lambda = next;
    }
    values.iter().map(|value| (value - lambda).max(0.0)).collect()
}

fn subsets(d: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .iter()
            .flat_map(|start| {
                let from = start.last().map_or(0, |last| last + 1);
                let start = start.clone();
                (from..d).map(move |next| start.iter().copied().chain([next]).collect())
            })
            .collect();
    }
    all
}

fn read(folder: &Path, name: &'static str) -> Table {
    let file = match name {
        "nist" => "nist_acs_national2019.csv.gz".to_owned(),
        "nltcs" => "nltcs.csv.gz".to_owned(),
        _ => format!("{name}_binned.csv.gz"),
    };
    let mut text = String::new();
    let opened = std::fs::File::open(folder.join(file)).expect("the table can be opened");
    GzDecoder::new(opened).read_to_string(&mut text).expect("the table is text");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let header = lines.next().expect("a header");
    let lines: Vec<Vec<&str>> = lines.collect();
    if name == "nist" {
        // The values that occur stand for a public list of codes: the dictionary of the excerpts has them.
        let columns: Vec<(u32, Vec<u32>)> = DEMOGRAPHIC
            .iter()
            .map(|wanted| {
                let at = header.iter().position(|column| column == wanted).expect("a column");
                let mut codes: BTreeMap<&str, u32> = lines.iter().map(|line| (line[at], 0)).collect();
                codes.values_mut().enumerate().for_each(|(code, place)| *place = code as u32);
                (codes.len() as u32, lines.iter().map(|line| codes[line[at]]).collect())
            })
            .collect();
        let (sizes, columns) = columns.into_iter().unzip();
        return Table { name, sizes, columns };
    }
    let sizes = match name {
        "adult" => vec![32, 9, 32, 16, 16, 7, 15, 6, 5, 2, 32, 32, 32, 42, 2],
        "nltcs" => vec![2; 16],
        "titanic" => vec![3, 2, 91, 9, 7, 32, 9, 3, 3],
        _ => vec![501, 76, 33, 3, 3, 33, 33, 33, 33],
    };
    let column = |at: usize| lines.iter().map(|line| line[at].parse().expect("a code")).collect();
    Table { name, columns: (0..sizes.len()).map(column).collect(), sizes }
}

/// Accuracy and area under the curve of a logistic classifier of the last column, by one-hot codes; every fifth row is held out.
fn classifiers(table: &Table, sanitized: &[(Method, &str, Vec<Vec<u32>>)], _folder: &Path) {
    let n = table.columns[0].len();
    let held: Vec<usize> = (0..n).filter(|row| row % 5 == 0).collect();
    let train: Vec<usize> = (0..n).filter(|row| row % 5 != 0).collect();
    println!("| trained on | accuracy | area under the curve |");
    println!("|---|---|---|");
    let real = logistic(&table.sizes, &table.columns, &train);
    let (accuracy, area) = judged(&table.sizes, &table.columns, &held, &real);
    println!("| the rows themselves (four fifths of them) | {accuracy:.4} | {area:.4} |");
    for (method, epsilon, rows) in sanitized {
        let all: Vec<usize> = (0..rows[0].len()).collect();
        let theta = logistic(&table.sizes, rows, &all);
        let (accuracy, area) = judged(&table.sizes, &table.columns, &held, &theta);
        println!("| {method}, ε = {epsilon} | {accuracy:.4} | {area:.4} |");
    }
}

fn score(sizes: &[u32], columns: &[Vec<u32>], row: usize, theta: &[f64]) -> f64 {
    let mut start = 0;
    let mut score = theta[theta.len() - 1];
    for (column, size) in columns[..sizes.len() - 1].iter().zip(sizes) {
        score += theta[start + column[row] as usize];
        start += *size as usize;
    }
    score
}

/// Full-batch gradient descent with momentum: plain, and the same for all.
fn logistic(sizes: &[u32], columns: &[Vec<u32>], rows: &[usize]) -> Vec<f64> {
    let target = &columns[sizes.len() - 1];
    let d: usize = sizes[..sizes.len() - 1].iter().map(|size| *size as usize).sum::<usize>() + 1;
    let (mut theta, mut speed) = (vec![0.0; d], vec![0.0; d]);
    for _ in 0..200 {
        let mut slope = vec![0.0; d];
        for row in rows {
            let z = score(sizes, columns, *row, &theta);
            let gap = 1.0 / (1.0 + (-z).exp()) - f64::from(target[*row]);
            let mut start = 0;
            for (column, size) in columns[..sizes.len() - 1].iter().zip(sizes) {
                slope[start + column[*row] as usize] += gap;
                start += *size as usize;
            }
            slope[d - 1] += gap;
        }
        for ((theta, speed), slope) in theta.iter_mut().zip(&mut speed).zip(&slope) {
            *speed = 0.9 * *speed - 0.3 * (slope / rows.len() as f64 + 1e-5 * *theta);
            *theta += *speed;
        }
    }
    theta
}

fn judged(sizes: &[u32], columns: &[Vec<u32>], rows: &[usize], theta: &[f64]) -> (f64, f64) {
    let target = &columns[sizes.len() - 1];
    let mut scores: Vec<(f64, u32)> =
        rows.iter().map(|row| (score(sizes, columns, *row, theta), target[*row])).collect();
    let right = scores.iter().filter(|(score, class)| (*score > 0.0) == (*class == 1)).count();
    scores.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut below, mut pairs) = (0.0, 0.0);
    for (_, class) in &scores {
        match class {
            0 => below += 1.0,
            _ => pairs += below,
        }
    }
    let ones = scores.len() as f64 - below;
    (right as f64 / rows.len() as f64, pairs / (below * ones))
}

/// The most memory that this process has had so far.
fn peak_mebibytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kibibytes| kibibytes.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn option(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
    arguments.next()
}
