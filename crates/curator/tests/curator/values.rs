//! Quantiles, counts of different values and statistics of two values of people with many rows, the whole way.

use std::collections::BTreeSet;
use std::fmt::Write;

use pointillist_catalog::Value;
use pointillist_curator::{OWNER, Paid, QuoteSubject};

use super::clinic::{Clinic, ask as question};

const CATALOG: &str = r#"
[scope.patients]
budget = { rho = 1e6, delta = 1e-6 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "person"
max_groups = 2
max_contributions = 5

[table.visits.columns]
person = { type = "integer" }
region = { type = "text", public_keys = ["north", "south", "nowhere"] }
cost = { type = "integer", lower = 0, upper = 1000 }
age = { type = "integer", lower = 0, upper = 120, nullable = false }
day = { type = "date", lower = "2020-01-01", upper = "2020-12-31" }
word = { type = "text" }

[table.people]
scope = "patients"
source = "people.csv"
privacy_unit = "row"
[table.people.columns]
age = { type = "integer", lower = 0, upper = 120, nullable = false }
"#;

/// The same numbers for the same seeds.
fn chance(seed: u64) -> u64 {
    (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed >> 7).wrapping_mul(0xD1B5_4A32_D192_ED03) >> 40
}

#[derive(Clone)]
struct Row {
    north: bool,
    cost: Option<i64>,
    age: i64,
    word: u64,
}

/// Rows of two thousand people, one to thirty each; cost follows age.
fn people() -> Vec<Vec<Row>> {
    let row = |person: u64, at: u64| {
        let dice = chance(person * 1000 + at + 7);
        let age = (dice % 70) as i64 + 20;
        Row {
            north: !dice.is_multiple_of(3),
            cost: (!dice.is_multiple_of(11)).then_some(5 * age + (dice / 70 % 400) as i64),
            age,
            word: dice % 900,
        }
    };
    (1..=2000).map(|person| (0..1 + chance(person) % 30).map(|at| row(person, at)).collect()).collect()
}

fn clinic() -> Clinic {
    let mut text = String::from("person,region,cost,age,day,word\n");
    for (person, rows) in people().iter().enumerate() {
        for Row { north, cost, age, word } in rows {
            let region = if *north { "north" } else { "south" };
            let cost = cost.map(|cost| cost.to_string()).unwrap_or_default();
            let day = 1 + word % 28;
            writeln!(text, "{person},{region},{cost},{age},2020-06-{day:02},w{word}").unwrap();
        }
    }
    Clinic::with_catalog(CATALOG, &text)
}

fn values(clinic: &Clinic, rest: &str) -> Vec<Vec<Option<f64>>> {
    let sql = format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 4000, max_contributions = {rest}");
    let answer = clinic.ask(&sql).unwrap_or_else(|error| panic!("{sql}: {error}")).answer;
    let number = |value: &Option<Value>| match value {
        Some(Value::Number(value)) => Some(*value),
        Some(Value::Integer(value)) => Some(*value as f64),
        Some(Value::Date(days)) => Some(f64::from(*days)),
        _ => None,
    };
    answer.rows.iter().map(|row| row.values.iter().map(number).collect()).collect()
}

/// Of weighted values, the weight below a number and up to it, as parts of all.
fn ranks(rows: &[(f64, f64)], at: f64) -> (f64, f64) {
    let all: f64 = rows.iter().map(|(_, weight)| weight).sum();
    let part = |holds: &dyn Fn(f64) -> bool| {
        rows.iter().filter(|(value, _)| holds(*value)).map(|(_, weight)| weight).sum::<f64>() / all
    };
    (part(&|value| value < at), part(&|value| value <= at))
}

/// The values of rows that count, each with the weight min(1, m/c) of its person.
fn weighted(rows_max: usize, of: impl Fn(&Row) -> Option<f64>) -> Vec<(f64, f64)> {
    let person = |rows: Vec<Row>| {
        let values: Vec<f64> = rows.iter().filter_map(&of).collect();
        let weight = (rows_max as f64 / values.len().max(1) as f64).min(1.0);
        values.into_iter().map(move |value| (value, weight)).collect::<Vec<_>>()
    };
    people().into_iter().flat_map(person).collect()
}

/// Specification: at a high price quantiles are those of rows that weigh min(1, m/c), in all groups, with FILTER, and of
/// days; an empty group has none; extremes lie near the ends and inside the data.
/// False alarm: ranks are off by fewer than ten rows of thousands but with probability e^-30.
#[test]
fn quantiles_are_those_of_weighted_rows() {
    let clinic = clinic();
    for rows_max in [1, 5] {
        let cost = |row: &Row| row.cost.map(|cost| cost as f64);
        let shown = values(
            &clinic,
            &format!(
                "{rows_max}) MEDIAN(cost), QUANTILE(cost, 0.9), PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY cost), \
                 PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY cost DESC), MEDIAN(cost) FILTER (WHERE age > 60) FROM visits"
            ),
        );
        let older = |row: &Row| cost(row).filter(|_| row.age > 60);
        let all = weighted(rows_max, cost);
        for ((part, rows), value) in
            [(0.5, &all), (0.9, &all), (0.25, &all), (0.75, &all), (0.5, &weighted(rows_max, older))]
                .into_iter()
                .zip(&shown[0])
        {
            let (below, up_to) = ranks(rows, value.unwrap());
            let off = 40.0 * rows_max as f64 / rows.len() as f64;
            assert!(
                below <= part + off && part <= up_to + off,
                "{value:?} is not the {part} quantile: {below} {up_to}"
            );
        }
        let groups = values(
            &clinic,
            &format!("{rows_max}) region, MEDIAN(cost), COUNT(*) FROM visits GROUP BY region"),
        );
        for (north, group) in [(true, &groups[0]), (false, &groups[1])] {
            let rows = weighted(rows_max, |row| cost(row).filter(|_| row.north == north));
            let (below, up_to) = ranks(&rows, group[1].unwrap());
            assert!(below <= 0.55 && 0.45 <= up_to, "{below} {up_to}");
        }
        assert_eq!(groups[2][1], None, "an empty group has no median");
    }
    let ends = values(&clinic, "1) MIN(age), MAX(age), MEDIAN(day), MIN(day) FROM visits");
    let [least, most, middle, first] = [0, 1, 2, 3].map(|at| ends[0][at].unwrap());
    assert!((20.0..=21.0).contains(&least) && (88.0..=89.0).contains(&most), "{least} {most}");
    // The first of June 2020 is day 18,414.
    assert!(
        (18_414.0..18_442.0).contains(&middle) && (18_414.0..=18_415.0).contains(&first),
        "{middle} {first}"
    );
}

/// Specification: a count of different values is exact where everybody may bring all that they have, a lower bound where
/// not, of at least half of what people can bring; and exact where rows are people.
/// False alarm: noise has a standard deviation of half a value at most, and five are allowed.
#[test]
fn different_values_are_those_that_people_bring() {
    let clinic = clinic();
    let truth = people().iter().flatten().map(|row| row.word).collect::<BTreeSet<_>>().len() as f64;
    let older =
        people().iter().flatten().filter(|row| row.age > 85).map(|row| row.word).collect::<BTreeSet<_>>();
    let shown =
        values(&clinic, "30) COUNT(DISTINCT word), COUNT(DISTINCT word) FILTER (WHERE age > 85) FROM visits");
    for (value, truth) in shown[0].iter().zip([truth, older.len() as f64]) {
        assert!((value.unwrap() - truth).abs() <= 5.0, "{value:?}, not {truth}");
    }
    let few = values(&clinic, "1) COUNT(DISTINCT word), COUNT(DISTINCT person) FROM visits");
    let (brought, people) = (few[0][0].unwrap(), few[0][1].unwrap());
    assert!((people - 2000.0).abs() <= 1.0);
    assert!(brought <= truth + 1.0 && brought >= 0.8 * truth, "{brought} of {truth}");
    let rows = values(&clinic, "1) COUNT(DISTINCT age) FROM people");
    assert!((rows[0][0].unwrap() - 90.0).abs() <= 1.0, "{rows:?}");
}

/// Specification: at a high price statistics of two values are those of the rows that have both, weighed by min(1, m/c).
/// False alarm: below 1e-9; noise is a thousandth of what is compared.
#[test]
fn statistics_of_two_values_are_those_of_rows_that_have_both() {
    let clinic = clinic();
    for rows_max in [1, 5] {
        let rows: Vec<((f64, f64), f64)> = {
            let with_both = |rows: &Vec<Row>| {
                rows.iter().filter_map(|row| Some((row.age as f64, row.cost? as f64))).collect::<Vec<_>>()
            };
            people()
                .iter()
                .map(with_both)
                .flat_map(|pairs| {
                    let weight = (rows_max as f64 / pairs.len().max(1) as f64).min(1.0);
                    pairs.into_iter().map(move |pair| (pair, weight))
                })
                .collect()
        };
        let n: f64 = rows.iter().map(|(_, weight)| weight).sum();
        let mean = |of: &dyn Fn(f64, f64) -> f64| {
            rows.iter().map(|((x, y), weight)| weight * of(*x, *y)).sum::<f64>() / n
        };
        let (x, y) = (mean(&|x, _| x), mean(&|_, y| y));
        let (xx, yy) = (mean(&|a, _| (a - x).powi(2)), mean(&|_, b| (b - y).powi(2)));
        let xy = mean(&|a, b| (a - x) * (b - y));
        let r = xy / (xx * yy).sqrt();
        let shown = values(
            &clinic,
            &format!(
                "{rows_max}) CORR(cost, age), COVAR_POP(cost, age), COVAR_SAMP(cost, age), REGR_SLOPE(cost, age), \
                 REGR_INTERCEPT(cost, age), REGR_R2(cost, age), REGR_COUNT(cost, age), REGR_AVGX(cost, age), \
                 REGR_AVGY(cost, age), REGR_SXX(cost, age), REGR_SYY(cost, age), REGR_SXY(cost, age) FROM visits"
            ),
        );
        let truths =
            [r, xy, xy * n / (n - 1.0), xy / xx, y - xy / xx * x, r * r, n, x, y, n * xx, n * yy, n * xy];
        for (at, (truth, value)) in truths.into_iter().zip(&shown[0]).enumerate() {
            let value = value.unwrap();
            assert!((value - truth).abs() <= 0.01 * truth.abs().max(0.5), "{at}: {value}, not {truth}");
        }
    }
}

/// Specification: how many people are cut is told in the notes, for a twentieth of the price, per group, and only if asked.
/// False alarm: noise of 0.1 at most.
#[test]
fn how_many_people_are_cut_is_told_for_a_twentieth_of_the_price() {
    let clinic = clinic();
    let cut = people().iter().filter(|rows| rows.len() > 5).count();
    let at = |options: &str, rest: &str| {
        format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 4000{options}) {rest}")
    };
    let told = |sql: &str| clinic.ask(sql).unwrap().answer.notes;
    let notes = told(&at(", bias = true", "COUNT(*), AVG(age) FROM visits"));
    assert!(notes.contains(&format!("{cut} ± 0 people have more than 5 rows and count with 5")), "{notes:?}");
    let north = people().iter().filter(|rows| rows.iter().filter(|row| row.north).count() > 5).count();
    let notes = told(&at(", bias = true", "region, COUNT(*) FROM visits GROUP BY region"));
    let expected = format!("in 'north', {north} ± 0 people have more than 5 rows and count with 5");
    assert!(notes.contains(&expected), "{notes:?}");
    let notes = told(&at("", "COUNT(*), SUM(age) FROM visits"));
    assert!(!notes.iter().any(|note| note.contains("people have more than")), "{notes:?}");
    let sql = at(", bias = true", "COUNT(*), COUNT(cost), COUNT(DISTINCT word) FROM visits");
    let quote = clinic.curator.quote(&question(OWNER, &sql, None)).unwrap();
    let QuoteSubject::Rows(rows) = &quote.subject else { panic!("rows") };
    let spends: Vec<f64> =
        rows.measures.iter().map(|part| part.spend.rho().unwrap().value().to_f64_upper()).collect();
    assert_eq!(spends.len(), 4);
    assert!(
        (spends[3] - 200.0).abs() < 1e-6 && (spends.iter().sum::<f64>() - 4000.0).abs() < 1e-6,
        "{spends:?}"
    );
}

/// Specification: the same quantile, with others or alone, is free the second time, and another one is not; what is quoted
/// is what is charged, and says by how many rows the rank is off.
#[test]
fn quantiles_are_bought_once() {
    let clinic = clinic();
    let at = |rest: &str| format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1) {rest} FROM visits");
    let both = at("MEDIAN(cost), MAX(cost)");
    let quote = clinic.curator.quote(&question(OWNER, &both, None)).unwrap();
    let QuoteSubject::Rows(rows) = &quote.subject else { panic!("rows") };
    assert!(rows.aggregates.iter().all(|aggregate| aggregate.noise.rank_error_95.is_some()));
    let bought = clinic.ask(&both).unwrap();
    assert_eq!((bought.paid, bought.price), (Paid::InFull, quote.price));
    for free in ["MEDIAN(cost)", "MAX(cost), MEDIAN(cost)", "APPROX_MEDIAN(cost)", "QUANTILE(cost, 0.5)"] {
        let again = clinic.ask(&at(free)).unwrap();
        assert_eq!(again.paid, Paid::Nothing, "{free}");
        assert!(
            bought.answer.rows[0].values.contains(&again.answer.rows[0].values[0])
                || free.starts_with("QUANTILE")
        );
    }
    for other in ["QUANTILE(cost, 0.51)", "MIN(cost)", "MEDIAN(cost) FILTER (WHERE age > 30)"] {
        assert_eq!(clinic.ask(&at(other)).unwrap().paid, Paid::InFull, "{other}");
    }
}
