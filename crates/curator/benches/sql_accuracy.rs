//! How wrong private answers about real tables are, and how often their 95 % bars hold.
//!
//! Each question is asked many times, of a fresh ledger, at ε = 0.1, 1 and 10. The truth without privacy is computed here, by
//! plain loops over the file. The truth that bars are about is that of the bounded rows: the same question at a price
//! at which noise is nothing. So three numbers say all: how far the answer is from the truth, how much of that is bounding, and
//! the share of bars that hold. The tables are not part of the repository; without them the benchmark says so.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use pointillist_catalog::{Catalog, Value};
use pointillist_curator::{Answer, Ask, Curator, OWNER, Settings};
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Rho};
use pointillist_query::Options;

/// How often each question is asked at each price, unless `--runs` says otherwise.
const RUNS: usize = 100;
const PRICES: [&str; 3] = ["0.1", "1", "10"];

/// Numbers of every group: the columns of an answer that are not keys, by the keys' texts.
type Numbers = BTreeMap<Vec<String>, Vec<f64>>;
/// The rows of a file, by column.
type Rows = Vec<BTreeMap<String, String>>;

struct Question {
    title: &'static str,
    file: &'static str,
    table: &'static str,
    sql: &'static str,
    keys: usize,
    truth: fn(&Rows) -> Numbers,
    /// Whether an answer's bar is about values; else about ranks, and the column holds quantiles in this order.
    ranks: Option<(&'static str, &'static [f64])>,
}

const ADULT: &str = r#"
[table.adult]
scope = "people"
source = "adult_raw.csv.gz"
privacy_unit = "row"
[table.adult.columns]
education = { type = "text", public_keys = ["Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"] }
sex = { type = "text", public_keys = ["Female", "Male"] }
hours_per_week = { type = "integer", lower = 1, upper = 99 }
age = { type = "integer", lower = 17, upper = 90 }
"#;
const PUMS: &str = r#"
[table.pums]
scope = "people"
source = "pums_ca_1000.csv.gz"
privacy_unit = "row"
[table.pums.columns]
income = { type = "decimal", lower = 0, upper = 500000, step = 100 }
"#;
const FLIGHTS_TIGHT: &str = r#"
[table.flights]
scope = "people"
source = "nycflights13_flights.csv.gz"
privacy_unit = "tailnum"
max_groups = 12
max_contributions = 20
[table.flights.columns]
carrier = { type = "text", public_keys = ["9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV"] }
month = { type = "integer", lower = 1, upper = 12 }
dep_delay = { type = "integer", lower = -30, upper = 240 }
"#;

fn questions() -> Vec<(Question, String)> {
    let flights =
        "SELECT carrier, month, COUNT(*) AS n, AVG(dep_delay) AS delay FROM flights GROUP BY carrier, month";
    let question = |title, max: &str| {
        let question = Question {
            title,
            file: "nycflights13_flights.csv.gz",
            table: "flights",
            sql: flights,
            keys: 2,
            truth: |rows| by_keys(rows, &["carrier", "month"], "dep_delay", "tailnum"),
            ranks: None,
        };
        (question, FLIGHTS_TIGHT.replace("max_contributions = 20", max))
    };
    vec![
        (
            Question {
                title: "Adult by education and sex",
                file: "adult_raw.csv.gz",
                table: "adult",
                sql: "SELECT education, sex, COUNT(*) AS n, AVG(hours_per_week) AS hours FROM adult GROUP BY education, sex",
                keys: 2,
                truth: |rows| by_keys(rows, &["education", "sex"], "hours_per_week", "sex"),
                ranks: None,
            },
            ADULT.to_owned(),
        ),
        question("flights by carrier and month, planes as people, 20 rows each", "max_contributions = 20"),
        question("the same with loose bounds, 80 rows each", "max_contributions = 80"),
        (
            Question {
                title: "PUMS income quantiles (errors in ranks of 1,000)",
                file: "pums_ca_1000.csv.gz",
                table: "pums",
                sql: "SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY income) AS q25, \
                      MEDIAN(income) AS q50, PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY income) AS q75 FROM pums",
                keys: 0,
                truth: |_| Numbers::new(),
                ranks: Some(("income", &[0.25, 0.5, 0.75])),
            },
            PUMS.to_owned(),
        ),
    ]
}

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/tables");
    if !tables.exists() {
        println!("SKIPPED: the real tables are not beside the repository (shared/data/tables).");
        return;
    }
    let only = std::env::args().skip_while(|argument| argument != "--only").nth(1).unwrap_or_default();
    for (question, table) in questions().into_iter().filter(|(question, _)| question.title.contains(&only)) {
        let rows = read(&tables.join(question.file));
        println!("\n## {} ({} rows of {})\n", question.title, rows.len(), question.table);
        match question.ranks {
            None => values(&question, &table, &tables, &rows),
            Some((column, shares)) => ranks(&question, &table, &tables, &rows, column, shares),
        }
    }
}

fn runs() -> usize {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--runs");
    arguments.nth(1).map_or(RUNS, |text| text.parse().expect("a number after --runs"))
}

/// Errors in values, and how many bars hold.
fn values(question: &Question, table: &str, tables: &Path, rows: &Rows) {
    let truth = (question.truth)(rows);
    let bounded = numbers(&ask(table, tables, question.sql, None), question.keys);
    println!("| ε | column | mean error | of it bounding | bars that hold | mean half bar |");
    println!("| ---: | --- | ---: | ---: | ---: | ---: |");
    for price in PRICES {
        let columns = bounded.values().next().map_or(0, Vec::len);
        let mut sums = vec![[0.0f64; 5]; columns];
        let mut names = vec![String::new(); columns];
        for _ in 0..runs() {
            let answer = ask(table, tables, question.sql, Some(price));
            for row in &answer.rows {
                let key: Vec<String> = row.values[..question.keys].iter().map(text).collect();
                for column in 0..columns {
                    let place = question.keys + column;
                    names[column].clone_from(&answer.columns[place].name);
                    let Some(value) = row.values[place].as_ref().and_then(number) else { continue };
                    let at = bounded.get(&key).map_or(0.0, |numbers| numbers[column]);
                    // Empty groups have no mean to be wrong about.
                    let Some(exact) =
                        truth.get(&key).map(|numbers| numbers[column]).filter(|exact| exact.is_finite())
                    else {
                        continue;
                    };
                    let Some((low, high)) = row.intervals[place] else { continue };
                    let sum = &mut sums[column];
                    sum[0] += 1.0;
                    sum[1] += (value - exact).abs();
                    sum[2] += (at - exact).abs();
                    sum[3] += f64::from(u8::from(low - 1e-6 <= at && at <= high + 1e-6));
                    sum[4] += (high - low) / 2.0;
                }
            }
        }
        for (name, [count, error, bias, held, half]) in names.iter().zip(sums) {
            println!(
                "| {price} | {name} | {:.3} | {:.3} | {:.1} % | {:.3} |",
                error / count,
                bias / count,
                100.0 * held / count,
                half / count
            );
        }
    }
}

/// Errors in ranks of released quantiles.
fn ranks(question: &Question, table: &str, tables: &Path, rows: &Rows, column: &str, shares: &[f64]) {
    let mut sorted: Vec<f64> = rows.iter().filter_map(|row| row[column].parse().ok()).collect();
    sorted.sort_by(f64::total_cmp);
    println!("| ε | quantile | truth | mean answer | mean rank error |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for price in PRICES {
        let mut sums = vec![[0.0f64; 3]; shares.len()];
        for _ in 0..runs() {
            let answer = ask(table, tables, question.sql, Some(price));
            let row = &answer.rows[0];
            for (place, (share, sum)) in shares.iter().zip(&mut sums).enumerate() {
                let Some(value) = row.values[place].as_ref().and_then(number) else { continue };
                // The ranks that a value has: from those below to those not above; the nearest of them counts.
                let below = sorted.iter().filter(|known| **known < value).count() as f64;
                let not_above = sorted.iter().filter(|known| **known <= value).count() as f64;
                let wanted = share * sorted.len() as f64;
                let off = (below - wanted).max(wanted - not_above).max(0.0);
                sum[0] += 1.0;
                sum[1] += value;
                sum[2] += off;
            }
        }
        for (share, [count, value, off]) in shares.iter().zip(sums) {
            let exact = sorted[((sorted.len() as f64 * share) as usize).min(sorted.len() - 1)];
            println!("| {price} | {share} | {exact:.0} | {:.0} | {:.1} |", value / count, off / count);
        }
    }
}

/// The answer at this ε, of a fresh ledger; without one, at a price at which noise is nothing.
fn ask(table: &str, tables: &Path, sql: &str, epsilon: Option<&str>) -> Answer {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = table.replace("source = \"", &format!("source = \"{}/", tables.display()));
    let catalog = format!("[scope.people]\nbudget = {{ rho = 1000000, delta = 0.001 }}\n{sources}");
    let catalog = Catalog::parse(&catalog).expect("a catalog");
    let curator = Curator::open(folder.path(), catalog, Settings::beside(folder.path())).expect("a curator");
    let options = match epsilon {
        Some(epsilon) => {
            Options { epsilon: Some(Epsilon::parse(epsilon).expect("a price")), ..Options::default() }
        }
        None => {
            let rho = Rho::new(Rational::from(900_000)).expect("a price");
            Options { rho: Some(rho), ..Options::default() }
        }
    };
    let ask = Ask { options, ..Ask::new(sql, OWNER) };
    curator.ask(&ask).expect("an answer").answer
}

fn numbers(answer: &Answer, keys: usize) -> Numbers {
    let row = |row: &pointillist_curator::Row| {
        let key = row.values[..keys].iter().map(text).collect();
        let numbers =
            row.values[keys..].iter().map(|value| value.as_ref().and_then(number).unwrap_or(f64::NAN));
        (key, numbers.collect())
    };
    answer.rows.iter().map(row).collect()
}

fn text(value: &Option<Value>) -> String {
    match value {
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Integer(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

/// How many rows of every group name an owner, and the mean of a column over those that have it.
fn by_keys(rows: &Rows, keys: &[&str], column: &str, owner: &str) -> Numbers {
    let mut sums: BTreeMap<Vec<String>, [f64; 3]> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row[owner].is_empty()) {
        let sum = sums.entry(keys.iter().map(|key| row[*key].clone()).collect()).or_default();
        sum[0] += 1.0;
        if let Ok(value) = row[column].parse::<f64>() {
            sum[1] += 1.0;
            sum[2] += value;
        }
    }
    sums.into_iter().map(|(key, [rows, values, total])| (key, vec![rows, total / values])).collect()
}

/// A file without quotes, as these tables are.
fn read(path: &PathBuf) -> Rows {
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("a table");
    GzDecoder::new(file).read_to_string(&mut text).expect("text");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    lines
        .map(|line| {
            names
                .iter()
                .zip(line.split(','))
                .map(|(name, cell)| (name.to_string(), cell.to_owned()))
                .collect()
        })
        .collect()
}
