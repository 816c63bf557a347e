//! One answer in every format.

use std::collections::HashMap;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Float64Type, Int64Type};
use arrow::ipc::reader::StreamReader;
use pointillist_catalog::Value;
use pointillist_mechanisms::number::additive_noise::NoiseLaw;
use pointillist_numbers::Rational;
use pointillist_plan::{Role, Type};
use pointillist_render::terminal_style::TerminalStyle;
use serde_json::json;

use super::{Answer, Column, Disclosure, Mechanism, Row};

fn disclosure(error_95: Option<f64>, grid: &str) -> Option<Disclosure> {
    Some(Disclosure {
        mechanism: Mechanism::Noise(NoiseLaw::DiscreteGaussian),
        scale: Some(Rational::ratio(25, 2)),
        error_95,
        rank_error_95: None,
        grid: Some(Rational::parse(grid).unwrap()),
    })
}

/// Two years: a count, a total of cents, a mean; the second year has no mean.
fn answer() -> Answer {
    let column = |name: &str, kind, role, release| {
        let has_interval = !matches!(role, Role::Key(_));
        Column { name: name.into(), kind, role, release, has_interval }
    };
    let row = |year, count, total: f64, mean: Option<f64>| Row {
        values: vec![
            Some(Value::Integer(year)),
            Some(Value::Integer(count)),
            Value::number(total),
            mean.and_then(Value::number),
        ],
        intervals: vec![
            None,
            Some((count as f64 - 25.0, count as f64 + 25.0)),
            Some((total - 1250.5, total + 1250.5)),
            mean.map(|mean| (mean - 0.37, mean + 0.37)),
        ],
    };
    Answer {
        columns: vec![
            column("year", Type::Integer, Role::Key(0), None),
            column("n", Type::Integer, Role::Aggregate(0), disclosure(Some(25.0), "1")),
            column("total", Type::Number, Role::Aggregate(1), disclosure(Some(1250.5), "0.01")),
            column("mean", Type::Number, Role::Derived, None),
        ],
        rows: vec![
            row(2025, 10_432, 123_456.700_000_000_01, Some(11.834_567)),
            row(2026, -3, 0.1 + 0.2, None),
        ],
        notes: vec!["values are clamped".into()],
    }
}

#[test]
fn people_see_keys_left_amounts_in_groups_and_error_bars() {
    let expected = "
╭──────┬─────────────┬───────────────────────┬───────┬────────────────╮
│ year │           n │                 total │  mean │ 95 % interval  │
├──────┼─────────────┼───────────────────────┼───────┼────────────────┤
│ 2025 │ 10,432 ± 25 │ 123,456.70 ± 1,250.50 │ 11.83 │ [11.46, 12.21] │
│ 2026 │     -3 ± 25 │       0.30 ± 1,250.50 │  NULL │                │
╰──────┴─────────────┴───────────────────────┴───────┴────────────────╯";
    assert_eq!(format!("\n{}", answer().table().lines("", TerminalStyle::plain()).join("\n")), expected);
}

#[test]
fn spreadsheets_get_intervals_in_columns() {
    let mut out = Vec::new();
    answer().write_csv(&mut out, Some(("dummy", "true"))).expect("a vector grows");
    let expected = "\
year,n,n_low,n_high,total,total_low,total_high,mean,mean_low,mean_high,dummy
2025,10432,10407,10457,123456.70,122206.20,124707.20,11.83,11.46,12.21,true
2026,-3,-28,22,0.30,-1250.20,1250.80,,,,true
";
    assert_eq!(String::from_utf8(out).expect("text"), expected);
}

#[test]
fn scripts_get_numbers_and_nulls() {
    let object = serde_json::to_value(answer()).expect("JSON");
    assert_eq!(object["rows"][1], json!([2026, -3, 0.1 + 0.2, null]));
    assert_eq!(object["intervals"][0], json!([null, [10407, 10457], [122_206.2, 124_707.2], [11.46, 12.21]]));
    assert_eq!(object["columns"][0], json!({ "name": "year", "type": "int8", "role": "key" }));
    let count = json!({
        "name": "n", "type": "int8", "role": "aggregate",
        "mechanism": "discrete_gaussian", "scale": "12.5", "error_95": 25, "grid": "1",
    });
    assert_eq!(object["columns"][1], count);
    assert_eq!(object["notes"], json!(["values are clamped"]));
}

#[test]
fn arrow_reads_back() {
    let mut bytes = Vec::new();
    let facts = HashMap::from([("pointillist.dummy".to_owned(), "true".to_owned())]);
    answer().write_arrow(&mut bytes, facts, Some("dummy")).expect("a vector grows");
    let mut reader = StreamReader::try_new(bytes.as_slice(), None).expect("a stream");
    let batch = reader.next().expect("one batch").expect("a batch");
    assert!(reader.next().is_none());
    let schema = batch.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let expected = [
        "year",
        "n",
        "n_low",
        "n_high",
        "total",
        "total_low",
        "total_high",
        "mean",
        "mean_low",
        "mean_high",
        "dummy",
    ];
    assert_eq!(names, expected);
    assert_eq!(schema.metadata().get("pointillist.dummy").map(String::as_str), Some("true"));
    assert_eq!(batch.column(1).as_primitive::<Int64Type>().values(), &[10_432, -3]);
    assert!((batch.column(8).as_primitive::<Float64Type>().value(0) - 11.464_567).abs() < 1e-9);
    assert!(batch.column(7).is_null(1) && batch.column(9).is_null(1));
}
