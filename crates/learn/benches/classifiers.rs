//! How well classifiers predict the incomes of Adult, beside the figures of a reference.
//!
//! The official split (32,561 rows train, 16,281 test): 8 categories with a feature for each value, `?` among them,
//! 6 numbers scaled by public bounds, a constant, rows shortened to norm 1 (109 features). Additive models and
//! naive Bayes see the same columns before they are shortened. ρ is the most that keeps (ε, 10^-6); settings are
//! the same at every ε. The tables are not part of the repository; without them the benchmark says so. Options:
//! `--tables FOLDER`, `--runs N`, `--only WORD`.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::read::GzDecoder;
use pointillist_learn::{
    Additive, AdditiveTarget, Boosting, Descent, Feature, GradientDescent, GradientLoss, MemoryRows,
    NaiveBayes, Number, shorten,
};
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_testkit::seeded;

const RUNS: u64 = 5;
const EPSILONS: [&str; 6] = ["0.05", "0.1", "0.2", "0.5", "1", "2"];
const DELTA: &str = "1e-6";
/// Columns of numbers, with their public bounds.
const NUMBERS: [(usize, f64, f64); 6] = [
    (0, 17.0, 90.0),
    (2, 0.0, 1_500_000.0),
    (4, 1.0, 16.0),
    (10, 0.0, 99_999.0),
    (11, 0.0, 5_000.0),
    (12, 1.0, 99.0),
];
const CATEGORIES: [usize; 8] = [1, 3, 5, 6, 7, 8, 9, 13];

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
    let only = option("--only").unwrap_or_default();
    if "digits".contains(&only) {
        digits(&tables);
    }
    let adult = adult(&tables);
    let d = adult.train_x[0].len();
    let majority = adult.test_y.iter().filter(|y| **y < 0.0).count() as f64 / adult.test_y.len() as f64;
    println!(
        "adult: {} rows, {d} features, majority {majority:.4}; accuracy at ε (δ = {DELTA}), {} runs",
        adult.train_y.len(),
        runs()
    );
    println!("  {:<34} {}", "ε", EPSILONS.map(|epsilon| format!("{epsilon:>6}")).join(" "));
    println!("  reference, DP-GD tuned on the test  .8126  .8264  .8314  .8341  .8347  .8350");
    let short = adult.rows(true);
    let long = adult.rows(false);
    let descent = Descent::default();
    if "descent".contains(&only) {
        adult.report("gradient descent, logistic", true, |rho, seed| {
            let trainer =
                GradientDescent::new(GradientLoss::Logistic, descent, d, 1.0, 1, rho).expect("a trainer");
            let model = trainer.fit(&short, &mut seeded(seed)).expect("rows in memory");
            Box::new(move |row| model.predict(row))
        });
    }
    if "softmax".contains(&only) {
        let classes = adult.classes();
        adult.report("gradient descent, softmax", true, |rho, seed| {
            let loss = GradientLoss::Softmax { classes: 2 };
            let trainer = GradientDescent::new(loss, descent, d, 1.0, 1, rho).expect("a trainer");
            let model = trainer.fit(&classes, &mut seeded(seed)).expect("rows in memory");
            Box::new(move |row| 2.0 * model.predict(row) - 1.0)
        });
    }
    if "additive".contains(&only) {
        adult.report("additive model", false, |rho, seed| {
            let (target, boosting) = (AdditiveTarget::Classes, Boosting::default());
            let trainer = Additive::new(target, adult.features(), boosting, d, 1, rho).expect("a trainer");
            let model = trainer.fit(&long, &mut seeded(seed)).expect("rows in memory");
            Box::new(move |row| model.predict(row))
        });
    }
    if "bayes".contains(&only) {
        adult.report("naive Bayes, normal numbers", false, |rho, seed| {
            let numbers = (0..6).map(|column| Number { column, low: 0.0, high: 1.0 }).collect();
            let categories = adult.features().split_off(6);
            let trainer = NaiveBayes::new(numbers, categories, 2, d, 1, rho).expect("a trainer");
            let model = trainer.fit(&long, &mut seeded(seed)).expect("rows in memory");
            Box::new(move |row| 2.0 * model.predict(row) as f64 - 1.0)
        });
        adult.report("naive Bayes, binned numbers", false, |rho, seed| {
            let trainer = NaiveBayes::new(vec![], adult.features(), 2, d, 1, rho).expect("a trainer");
            let model = trainer.fit(&long, &mut seeded(seed)).expect("rows in memory");
            Box::new(move |row| 2.0 * model.predict(row) as f64 - 1.0)
        });
    }
}

/// Ten handwritten digits: 64 pixels and a constant, rows shortened to norm 1, 80 % of them to train.
fn digits(tables: &Path) {
    let rows = table(tables, "digits_8x8");
    let numbers: Vec<Vec<f64>> = rows
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect())
        .collect();
    println!(
        "digits: {} rows, 65 features, 10 classes; accuracy of gradient descent, softmax",
        numbers.len()
    );
    for epsilon in ["1", "3", "10"] {
        let mut sum = 0.0;
        for seed in 0..runs() {
            let mut words = seeded(70 + seed);
            let (mut x, mut y, mut test) = (Vec::new(), Vec::new(), Vec::new());
            for row in &numbers {
                let mut features: Vec<f64> =
                    row[..64].iter().map(|pixel| pixel / 16.0).chain([1.0]).collect();
                shorten(&mut features, 1.0);
                if words().is_multiple_of(5) {
                    test.push((features, row[64]));
                } else {
                    x.extend(features);
                    y.push(row[64]);
                }
            }
            let loss = GradientLoss::Softmax { classes: 10 };
            let trainer =
                GradientDescent::new(loss, Descent::default(), 65, 1.0, 1, rho(epsilon)).expect("a trainer");
            let model =
                trainer.fit(&MemoryRows::new(x, y, 65, 1.0, 1), &mut seeded(seed)).expect("rows in memory");
            let right = test.iter().filter(|(row, y)| model.predict(row) == *y).count();
            sum += right as f64 / test.len() as f64;
        }
        println!("  ε = {epsilon:<4} {:.4}", sum / runs() as f64);
    }
}

struct Adult {
    train_x: Vec<Vec<f64>>,
    train_y: Vec<f64>,
    test_x: Vec<Vec<f64>>,
    test_y: Vec<f64>,
    /// How many values each category has.
    sizes: Vec<usize>,
}

type Predict = Box<dyn Fn(&[f64]) -> f64>;

impl Adult {
    fn rows(&self, shortened: bool) -> MemoryRows {
        let bound = if shortened { 1.0 } else { 4.0 };
        let x = self.train_x.iter().flatten().copied().collect();
        MemoryRows::new(x, self.train_y.clone(), self.train_x[0].len(), bound, 1)
    }

    /// The same rows with classes 0 and 1.
    fn classes(&self) -> MemoryRows {
        let x = self.train_x.iter().flatten().copied().collect();
        let y = self.train_y.iter().map(|y| (y + 1.0) / 2.0).collect();
        MemoryRows::new(x, y, self.train_x[0].len(), 1.0, 1)
    }

    /// Bins of the six numbers, by cut points that anybody would choose, and the categories.
    fn features(&self) -> Vec<Feature> {
        let scaled = |at: usize, cuts: &[f64]| {
            let (_, low, high) = NUMBERS[at];
            Feature::Cuts { column: at, cuts: cuts.iter().map(|cut| (cut - low) / (high - low)).collect() }
        };
        let mut features = vec![
            scaled(0, &[20.0, 22.0, 25.0, 28.0, 31.0, 35.0, 40.0, 45.0, 50.0, 55.0, 60.0, 65.0, 70.0]),
            scaled(1, &[100_000.0, 200_000.0, 300_000.0]),
            scaled(2, &[5.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]),
            scaled(3, &[1.0, 2_500.0, 5_000.0, 7_500.0, 10_000.0, 20_000.0]),
            scaled(4, &[1.0, 1_500.0, 1_750.0, 2_000.0, 2_250.0, 2_500.0]),
            scaled(5, &[20.0, 30.0, 35.0, 40.0, 41.0, 45.0, 50.0, 60.0]),
        ];
        let mut first = 6;
        for size in &self.sizes {
            features.push(Feature::Category { first, count: *size });
            first += size;
        }
        features
    }

    fn report(&self, name: &str, shortened: bool, train: impl Fn(Rho, u64) -> Predict) {
        let started = Instant::now();
        let mut cells = Vec::new();
        for epsilon in EPSILONS {
            let mut sum = 0.0;
            for seed in 0..runs() {
                let predict = train(rho(epsilon), seed);
                let right = self.test_x.iter().zip(&self.test_y).filter(|(row, y)| {
                    let mut row = (*row).clone();
                    if shortened {
                        shorten(&mut row, 1.0);
                    }
                    predict(&row) == **y
                });
                sum += right.count() as f64 / self.test_y.len() as f64;
            }
            cells.push(format!("{:>6.4}", sum / runs() as f64));
        }
        let seconds = started.elapsed().as_secs_f64() / (runs() * EPSILONS.len() as u64) as f64;
        println!("  {name:<34} {}   {seconds:.2} s each", cells.join(" "));
    }
}

fn adult(tables: &Path) -> Adult {
    let text = table(tables, "adult_raw");
    let rows: Vec<Vec<&str>> =
        text.lines().skip(1).map(|line| line.split(',').map(str::trim).collect()).collect();
    // The values of a category are the public domain of the table.
    let domains: Vec<Vec<&str>> = CATEGORIES
        .iter()
        .map(|column| rows.iter().map(|row| row[*column]).collect::<BTreeSet<_>>().into_iter().collect())
        .collect();
    let sizes = domains.iter().map(Vec::len).collect();
    let mut adult = Adult { train_x: vec![], train_y: vec![], test_x: vec![], test_y: vec![], sizes };
    for row in &rows {
        let mut x: Vec<f64> = NUMBERS
            .iter()
            .map(|(column, low, high)| {
                ((row[*column].parse::<f64>().expect("a number") - low) / (high - low)).clamp(0.0, 1.0)
            })
            .collect();
        for (column, domain) in CATEGORIES.iter().zip(&domains) {
            x.extend(domain.iter().map(|value| f64::from(u8::from(row[*column] == *value))));
        }
        x.push(1.0);
        let y = if row[14].starts_with('>') { 1.0 } else { -1.0 };
        let (to_x, to_y) = if row[15] == "train" {
            (&mut adult.train_x, &mut adult.train_y)
        } else {
            (&mut adult.test_x, &mut adult.test_y)
        };
        to_x.push(x);
        to_y.push(y);
    }
    adult
}

fn table(tables: &Path, name: &str) -> String {
    let file = std::fs::File::open(tables.join(format!("{name}.csv.gz"))).expect("a table");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("text");
    text
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
