//! Texts that try to make the planner slow, deep or dead. Tests run on a 2 MB stack, unoptimised.

use std::time::{Duration, Instant};

use super::fixture::{catalog, try_plan};
use super::sql;
use crate::Options;

fn refused_quickly(sql: &str) -> crate::Refusal {
    let start = Instant::now();
    let refusal = try_plan(sql).unwrap_err();
    // As rows for training it may be another matter, and no slower one.
    let _ = crate::training_rows(&catalog(), sql, None, &Options::default());
    let items = sql.replacen("COUNT(*) FROM visits WHERE", "", 1) + " AS x FROM visits";
    let _ = crate::training_rows(&catalog(), &items, Some("x"), &Options::default());
    // Generous: a loaded machine, no optimisation. What this catches takes minutes or for ever.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?} for {}…", start.elapsed(), &sql[..40]);
    refusal
}

fn count_where(condition: &str) -> String {
    format!("SELECT COUNT(*) FROM visits WHERE {condition}")
}

#[test]
fn deep_and_long_statements_are_refused_quickly() {
    let repeat = |text: &str, times: usize| text.repeat(times);
    for sql in [
        count_where(&format!("{}1 = 1{}", repeat("(", 5000), repeat(")", 5000))),
        count_where(&format!("{}1 = 1{}", repeat("(", 60), repeat(")", 60))),
        repeat("(", 5000),
        count_where(&format!("1{} = 1", repeat("+1", 20_000))),
        count_where(&format!("1{} = 1", repeat("+1", 999))),
        count_where(&format!("age{} = 1", repeat("::int::text", 2000))),
        count_where(&format!("{}smoker", repeat("NOT ", 5000))),
        count_where(&format!("{}smoker", repeat("NOT ", 900))),
        count_where(&format!("age = {}1", repeat("- ", 900))),
        count_where(&format!("smoker{}", repeat(" IS NULL", 5000))),
        count_where(&format!("age IN ({})", vec!["1"; 100_000].join(","))),
        count_where(&format!("age IN ({})", vec!["1"; 20_000].join(","))),
        count_where(&format!("age{}", repeat("[1]", 10_000))),
        count_where(&format!("CAST(age AS {}int", repeat("ARRAY<", 3000))),
        count_where(&format!("age::int{} = 1", repeat("[]", 450))),
        count_where("age::int[] = '{1}'"),
        count_where("age << 1 = 2"),
        "SELECT FROM visits WHERE age > 1 AND age < 3".to_owned(),
        "SELECT FROM visits GROUP BY smoker ORDER BY COUNT(*)".to_owned(),
        "SELECT COUNT(*) FROM (SELECT FROM visits) AS nothing WHERE 1 = 1".to_owned(),
        count_where(&repeat("CASE WHEN smoker THEN ", 3000)),
        count_where(&repeat("CASE ", 3000)),
        count_where(&format!("day > {}'1 day'", repeat("INTERVAL ", 7000))),
        format!("SELECT COUNT(*) FROM visits GROUP BY ROLLUP({})", vec!["day"; 7900].join(",")),
        count_where(&repeat("abs(", 3000)),
        count_where(&repeat("f(", 63)),
        // What fails in the middle is read again from every level: 2^40 times, if nobody counts.
        count_where(&format!("{}*{} = 1", repeat("CAST(", 40), repeat(" AS int)", 40))),
        count_where(&format!("{}*{} = 1", repeat("EXTRACT(YEAR FROM ", 40), repeat(")", 40))),
        count_where(&format!("{}*{} = 1", repeat("SUBSTRING(", 40), repeat(" FROM 1)", 40))),
        count_where(&format!("{}*{} = 1", repeat("CASE WHEN ", 40), repeat(" THEN 1 END", 40))),
        count_where(&format!("{}*{}", repeat("EXISTS (SELECT ", 20), repeat(")", 20))),
        format!("SELECT COUNT(*) FROM {}!{}", repeat("(SELECT * FROM ", 40), repeat(") x", 40)),
        format!("SELECT COUNT(*) FROM {}!{}", repeat("(", 60), repeat(")", 60)),
        format!("SELECT COUNT(*) FROM {}!{}", repeat("((SELECT * FROM ", 30), repeat(") x)", 30)),
        format!("SELECT COUNT(*) FROM {}visits{}", repeat("(", 60), repeat(")", 60)),
        format!("SELECT COUNT(*) FROM {}visits", repeat("(SELECT * FROM ", 60)),
        format!("SELECT COUNT(*) FROM visits{}", repeat(" UNION SELECT 1", 3000)),
        format!("SELECT COUNT(*) FROM visits{}", repeat(", visits", 5000)),
        format!("SELECT COUNT(*) FROM visits{}", repeat(" JOIN visits", 2000)),
        repeat("EXPLAIN ", 5000),
        repeat("WITH a AS (", 60),
        repeat("SELECT ", 5000),
        repeat("'", 60_001),
        repeat("/*", 30_000),
        repeat("$", 60_000),
        repeat("\u{0}", 1000),
        repeat(".", 60_000),
        repeat("a.", 30_000),
    ] {
        refused_quickly(&sql);
    }
    let ctes: Vec<String> = (0..10_000).map(|n| format!("a{n} AS (SELECT 1)")).collect();
    refused_quickly(&format!("WITH {} SELECT COUNT(*) FROM visits", ctes.join(", ")));
}

#[test]
fn long_flat_lists_are_answered() {
    for sql in [
        count_where(&format!("age IN ({})", vec!["1"; 2000].join(","))),
        count_where(&format!("age = 1{}", " OR age = 2".repeat(300))),
        count_where(&format!("smoker{}", " AND smoker".repeat(999))),
        count_where(&format!("ward = 'x'{}", " || 'x'".repeat(900))),
        count_where(&format!("1{} = 1", "+1".repeat(200))),
    ] {
        assert!(try_plan(&sql).is_ok(), "{}…", &sql[..60]);
    }
    let ctes: Vec<String> = (0..500).map(|n| format!("a{n} AS (SELECT * FROM visits)")).collect();
    assert!(try_plan(&format!("WITH {} SELECT COUNT(*) FROM a7", ctes.join(", "))).is_ok());
}

/// A subquery that doubles an expression, thirty times over, would have a billion parts.
#[test]
fn expressions_that_double_are_refused() {
    let mut inner = "visits".to_owned();
    for level in 0..25 {
        inner = format!("(SELECT age + age AS age FROM {inner}) x{level}");
    }
    let refusal = refused_quickly(&format!("SELECT SUM(age) FROM {inner}"));
    assert_eq!(refusal.sqlstate(), "42601");
    let mut with = Vec::new();
    for level in 1..25 {
        let before = if level == 1 { "visits".to_owned() } else { format!("a{}", level - 1) };
        with.push(format!("a{level} AS (SELECT ward || ward || ward AS ward FROM {before})"));
    }
    refused_quickly(&format!("WITH {} SELECT COUNT(*) FROM a24 WHERE ward = 'x'", with.join(", ")));
}

/// A small generator of its own: the same inputs in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut dice = Dice(1);
    let (catalog, options) = (catalog(), Options::default());
    for _ in 0..10_000 {
        let bytes: Vec<u8> = (0..dice.roll(60)).map(|_| dice.roll(256) as u8).collect();
        let _ = crate::plan(&catalog, &String::from_utf8_lossy(&bytes), &options);
        let _ = crate::strip_explain(&String::from_utf8_lossy(&bytes));
    }
}

/// Words of real questions in random order, and real questions with words swapped, dropped or doubled.
#[test]
fn random_words_never_panic() {
    let examples: Vec<sql::Example> = sql::answered().into_iter().chain(sql::refused()).collect();
    let texts: Vec<&str> = examples.iter().map(|example| example.sql.as_str()).collect();
    let words: Vec<&str> = texts.iter().flat_map(|sql| sql.split_inclusive([' ', '(', ')', ','])).collect();
    let mut dice = Dice(2);
    let (catalog, options) = (catalog(), Options::default());
    let mut answered = 0;
    for round in 0..14_000 {
        let sql: String = if round % 4 == 0 {
            let head =
                ["SELECT ", "SELECT COUNT(*) FROM visits WHERE ", "WITH a AS (SELECT ", "SELECT region, "];
            let rest = (0..dice.roll(25)).map(|_| words[dice.roll(words.len())]).collect::<String>();
            format!("{}{rest}", head[dice.roll(head.len())])
        } else {
            let mut parts: Vec<&str> =
                texts[dice.roll(texts.len())].split_inclusive([' ', '(', ')', ',']).collect();
            for _ in 0..=dice.roll(3) {
                let at = dice.roll(parts.len().max(1));
                match dice.roll(3) {
                    0 if at < parts.len() => drop(parts.remove(at)),
                    1 if at < parts.len() => parts[at] = words[dice.roll(words.len())],
                    _ => parts.insert(at.min(parts.len()), words[dice.roll(words.len())]),
                }
            }
            parts.concat()
        };
        if let Ok(plan) = crate::plan(&catalog, &sql, &options) {
            answered += 1;
            assert_eq!(plan.releases.len(), plan.aggregation.measures.len());
            super::relations::check(&plan.aggregation.relation, &sql);
            if answered % 50 == 0 {
                let _ = plan.to_string();
                let _ = pointillist_plan::canonical(&plan);
            }
        }
    }
    assert!(answered > 100, "{answered} of the inputs are questions");
}

/// Whatever depth the parser still takes, the planner takes as well: on both sides of every limit.
#[test]
fn nesting_up_to_the_limit_fits_the_stack() {
    let wraps = [
        ("(", ")"),
        ("abs(", ")"),
        ("(1 + ", ")"),
        ("CAST(", " AS int)"),
        ("CASE WHEN ", " > 1 THEN 1 ELSE 0 END"),
        ("CASE 1 WHEN ", " THEN 2 END"),
        ("coalesce(1, ", ")"),
        ("- ", ""),
        ("sign(CASE WHEN 1 IN (2, ", ") THEN 1 END)"),
        ("width_bucket(", ", 0, 10, 10)"),
    ];
    let mut answered = 0;
    for (open, close) in wraps {
        for depth in (1..64).step_by(3) {
            let nested = format!("{}age{}", open.repeat(depth), close.repeat(depth));
            for sql in [
                count_where(&format!("{nested} = 1")),
                format!("SELECT SUM({nested}) FROM visits"),
                format!(
                    "SELECT {nested}, COUNT(*) FROM visits GROUP BY 1 HAVING {nested} > 0 ORDER BY {nested}"
                ),
            ] {
                let start = Instant::now();
                if let Ok(plan) = try_plan(&sql) {
                    answered += 1;
                    let _ = plan.to_string();
                    let _ = pointillist_plan::canonical(&plan);
                }
                assert!(start.elapsed() < Duration::from_secs(5), "{depth} times {open}");
            }
        }
    }
    for depth in 1..64 {
        let inner = format!("{}visits{}", "(SELECT * FROM ".repeat(depth), ") x".repeat(depth));
        answered += usize::from(try_plan(&format!("SELECT COUNT(*) FROM {inner}")).is_ok());
        let inner = format!("{}smoker{}", "NOT (".repeat(depth), ")".repeat(depth));
        answered += usize::from(try_plan(&count_where(&inner)).is_ok());
        for (open, close) in [
            ("(SELECT patient_id, MAX(cost) AS cost FROM ", " GROUP BY patient_id) x"),
            ("(SELECT DISTINCT patient_id, cost FROM ", ") x"),
            ("(SELECT patient_id, LAG(cost) OVER (PARTITION BY patient_id) AS cost FROM ", ") x"),
            ("(SELECT patient_id, cost FROM visits UNION ALL SELECT patient_id, cost FROM ", ") x"),
            ("(SELECT patient_id, cost FROM visits WHERE patient_id IN (SELECT patient_id FROM ", ")) x"),
        ] {
            let inner = format!("{}visits{}", open.repeat(depth), close.repeat(depth));
            if let Ok(plan) = try_plan(&format!("SELECT COUNT(*) FROM {inner} WHERE cost > 1")) {
                answered += 1;
                let _ = (plan.to_string(), pointillist_plan::canonical(&plan));
            }
        }
    }
    assert!(answered > 100, "{answered} are answered");
}
