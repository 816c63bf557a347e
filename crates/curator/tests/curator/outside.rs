//! Values outside of declared bounds: conditions and keys see them, sums clamp them.

use pointillist_catalog::Value;

use crate::clinic::Clinic;

/// Sixty people of each kind: ages 10, 119, 120, 121 and 500, costs 10, 999, 1000, 1001 and 1e9, days before, inside and
/// after 2024–2025.
fn visits() -> String {
    let mut text = String::from("patient,name,region,ward,age,cost,ratio,day,code,flag\n");
    let kinds = [
        ("10", "10", "2023-12-31"),
        ("119", "999", "2024-01-01"),
        ("120", "1000", "2024-06-01"),
        ("121", "1001", "2026-01-01"),
        ("500", "1e9", "9999-12-31"),
    ];
    for person in 0..300 {
        let (age, cost, day) = kinds[person % 5];
        text += &format!("{person},p,north,w,{age},{cost},0,{day},c,true\n");
    }
    text
}

/// The one number of a question. With one row a person and ρ = 1000, σ is 1/45 of what a row can add: tests that allow
/// a seventh of that or more raise a false alarm below 1e-9 a question.
fn number(clinic: &Clinic, what: &str) -> f64 {
    let options = "OPTIONS (rho = 1000, max_contributions = 1)";
    let reply = clinic.ask(&format!("SELECT WITH DIFFERENTIAL_PRIVACY {options} {what}"));
    match reply.unwrap_or_else(|error| panic!("{what}: {error}")).answer.rows[0].values[0] {
        Some(Value::Integer(number)) => number as f64,
        Some(Value::Number(number)) => number,
        ref other => panic!("{other:?}"),
    }
}

fn clinic() -> Clinic {
    let catalog = crate::clinic::CATALOG.replace("rho = 50", "rho = 50000");
    Clinic::with_catalog(&catalog, &visits())
}

#[test]
fn conditions_see_the_values_of_the_file() {
    let clinic = clinic();
    for (condition, truth) in [
        ("age > 120", 120.0),
        ("age = 120", 60.0),
        ("age >= 500", 60.0),
        ("cost > 1000", 120.0),
        ("cost = 1000", 60.0),
        ("cost BETWEEN 1001 AND 2000", 60.0),
        ("day < DATE '2024-01-01'", 60.0),
        ("day > DATE '2025-12-31'", 120.0),
        ("extract(year FROM day) = 9999", 60.0),
        ("age + 1 = 122", 60.0),
        ("CASE WHEN age > 120 THEN true ELSE false END", 120.0),
    ] {
        let where_ = number(&clinic, &format!("count(*) FROM visits WHERE {condition}"));
        let filter = number(&clinic, &format!("count(*) FILTER (WHERE {condition}) FROM visits"));
        assert!((where_ - truth).abs() < 5.0, "{condition}: {where_}, not {truth}");
        assert!((filter - truth).abs() < 5.0, "{condition}: {filter}, not {truth}");
    }
}

#[test]
fn sums_clamp_their_argument_once() {
    let clinic = clinic();
    for (sum, truth, error) in [
        ("sum(age)", 60.0 * (10.0 + 119.0 + 3.0 * 120.0), 20.0),
        ("sum(cost)", 60.0 * (10.0 + 999.0 + 3.0 * 1000.0), 170.0),
        ("sum(CASE WHEN age > 120 THEN age ELSE 0 END)", 120.0 * 120.0, 20.0),
        ("sum(CASE WHEN age > 120 THEN 1 ELSE 0 END)", 120.0, 5.0),
        // The argument of the sum is clamped, not what it is computed from: 1001 − 8 · 121 is 33, not 1000 − 8 · 120.
        ("sum(CASE WHEN age = 121 THEN cost - 8 * age ELSE 0 END)", 60.0 * 33.0, 170.0),
    ] {
        let shown = number(&clinic, &format!("{sum} FROM visits"));
        assert!((shown - truth).abs() < error, "{sum}: {shown}, not {truth}");
    }
}

#[test]
fn keys_outside_of_a_public_domain_are_in_no_group() {
    let clinic = clinic();
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1000, max_contributions = 1, max_groups = 1) age, count(*) AS n FROM visits GROUP BY age";
    let reply = clinic.ask(sql).unwrap();
    assert_eq!(reply.answer.rows.len(), 121);
    let count =
        |age: i64| match &reply.answer.rows.iter().find(|row| row.values[0] == Some(Value::Integer(age))) {
            Some(row) => match row.values[1] {
                Some(Value::Integer(count)) => count,
                _ => panic!(),
            },
            None => panic!("no group {age}"),
        };
    for (age, truth) in [(10, 60), (119, 60), (120, 60), (0, 0)] {
        assert!((count(age) - truth).abs() < 5, "{age}: {}", count(age));
    }
    let notes = reply.answer.notes.join("\n");
    assert!(notes.contains("rows with NULL or another key are left out"), "{notes}");
}

#[test]
fn notes_say_what_is_clamped_and_what_is_not() {
    let clinic = clinic();
    let notes = |sql: &str| clinic.ask(sql).unwrap().answer.notes.join("\n");
    let summed = notes("SELECT sum(age) FROM visits WHERE age > 120");
    assert!(summed.contains("values of age are clamped to [0, 120] as declared"), "{summed}");
    assert!(summed.contains("conditions and keys see values as they are"), "{summed}");
    let counted = notes("SELECT count(*) FROM visits WHERE age > 120");
    assert!(!counted.contains("clamped"), "{counted}");
}
