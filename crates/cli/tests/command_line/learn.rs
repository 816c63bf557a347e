//! Models at the command line: trained once, paid for once, used as often as anybody likes.

use std::fs;

use serde_json::Value;

use super::folder::Folder;
use super::{stderr, stdout};

const CATALOG: &str = r#"
[scope.town]
budget = { epsilon = 4.0, delta = 1e-9 }

[scope.made_up]
budget = { rho = 1e6, delta = 1e-9 }

[table.open]
public = true
source = "rows.csv"

[table.open.columns]
age    = { type = "integer" }
region = { type = "text" }

[table.people]
scope = "town"
source = "people.csv"
privacy_unit = "person"
max_contributions = 1

[table.people.columns]
age    = { type = "integer", lower = 0, upper = 100, nullable = false }
region = { type = "text", public_keys = ["north", "south"] }
name   = { type = "text" }
income = { type = "decimal", lower = 0, upper = 100, step = 0.01, nullable = false }
weight = { type = "decimal" }
ill    = { type = "boolean" }
always = { type = "text", public_keys = ["yes"] }

[table.copies]
scope = "made_up"
source = "copies.csv"
privacy_unit = "person"
max_contributions = 1

[table.copies.columns]
age    = { type = "integer", lower = 0, upper = 100, nullable = false }
region = { type = "text", public_keys = ["north", "south"] }
income = { type = "decimal", lower = 0, upper = 100, step = 0.01, nullable = false }
ill    = { type = "boolean" }
"#;

pub const PEOPLE: usize = 3000;

/// The people: the old are ill more often, the south earns more.
pub fn people() -> impl Iterator<Item = (usize, usize, &'static str, f64, bool)> {
    (0..PEOPLE).map(|person| {
        let age = person * 37 % 101;
        let south = person % 3 == 0;
        let income = 20.0 + 0.4 * age as f64 + if south { 20.0 } else { 0.0 };
        let ill = (person * 7919 % 100) < if age > 60 { 80 } else { 15 };
        (person, age, if south { "south" } else { "north" }, income, ill)
    })
}

pub fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("person,age,region,name,income,weight,ill,always\n");
    for (person, age, region, income, ill) in people() {
        text += &format!("{person},{age},{region},n{person},{income},{person},{ill},yes\n");
    }
    fs::write(folder.join("people.csv"), &text).expect("a file");
    fs::write(folder.join("copies.csv"), text).expect("a file");
    fs::write(folder.join("pointillist.toml"), CATALOG).expect("a file");
    folder
}

const ILL: [&str; 8] =
    ["--table", "people", "--target", "ill", "--features", "age,region", "--model", "logistic"];

fn fit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["learn", "fit"], &ILL[..], more].concat()
}

/// Coefficients by name.
fn numbers(file: &Value) -> Vec<(String, f64)> {
    let numbers = file["numbers"].as_array().expect("numbers");
    let number = |it: &Value| (it["feature"].as_str().unwrap().to_owned(), it["value"].as_f64().unwrap());
    numbers.iter().map(number).collect()
}

/// Specification: a model is paid for once. Asked for again it is free, and its file has the same bytes, signed or not.
#[test]
fn a_model_is_paid_for_once_and_has_the_same_bytes_again() {
    let folder = folder();
    let first = folder.run(&fit(&["--epsilon", "1", "--output", "model.json"]));
    assert!(first.status.success(), "{}", stderr(&first));
    let words = stdout(&first);
    assert!(
        words.contains("age") && words.contains("region = north") && words.contains("constant"),
        "{words}"
    );
    assert!(words.contains("asked for the first time") && words.contains("receipt"), "{words}");
    let told = stderr(&first);
    assert!(
        told.contains("logistic regression") && told.contains("ε = 1") && told.contains("features"),
        "{told}"
    );
    assert!(told.contains("wrote model.json") && told.contains("nobody has signed it"), "{told}");
    let file = fs::read(folder.join("model.json")).expect("a model");
    let second = folder.json(&fit(&["--epsilon", "1", "--output", "again.json"]));
    assert_eq!(second["paid"], "nothing");
    assert_eq!(second["output"], "again.json");
    assert_eq!(fs::read(folder.join("again.json")).expect("a model"), file);
    folder.words(&["release", "key"]);
    let third = folder.json(&fit(&["--epsilon", "1", "--output", "again.json"]));
    assert!(third["signed"].as_str().is_some_and(|key| key.starts_with("pointillist-ed25519:")), "{third}");
    let signed = fs::read_to_string(folder.join("again.json")).expect("a model");
    let unsigned = String::from_utf8(file).expect("text");
    assert!(signed.starts_with(unsigned.trim_end_matches("\n}\n")), "nothing but the signature is new");
    let other = folder.json(&fit(&["--epsilon", "0.5", "--output", "other.json"]));
    assert_eq!(other["paid"], "in_full");
}

/// Specification: at a price beyond all reason the coefficients are those of the penalised regression without noise, to two digits.
/// False alarm: below 1e-9: noise of deviation sqrt(1/(2·1e5)) in the gradient at λ = 100 moves them by less than 0.001.
#[test]
fn at_a_huge_price_a_model_is_nearly_the_plain_one() {
    let folder = folder();
    let arguments =
        ["--table", "copies", "--target", "ill", "--features", "age,region", "--model", "logistic"];
    let more = ["--settings", "lambda = 100", "--rho", "1e5", "--output", "model.json"];
    folder.words(&[&["learn", "fit"], &arguments[..], &more].concat());
    let found = numbers(&folder.json(&["learn", "inspect", "model.json"]));
    let rows: Vec<([f64; 4], f64)> = people()
        .map(|(_, age, region, _, ill)| {
            let south = f64::from(u8::from(region == "south"));
            let row = [age as f64 / 100.0, 1.0 - south, south, 1.0];
            let length = row.iter().map(|value| value * value).sum::<f64>().sqrt();
            (row.map(|value| value / length), if ill { 1.0 } else { -1.0 })
        })
        .collect();
    // Descent with steps of 1/(n/4 + λ), which converges like (1 − λ/(n/4 + λ))^t.
    let (lambda, mut theta) = (100.0, [0.0; 4]);
    for _ in 0..400 {
        let mut gradient = theta.map(|theta| lambda * theta);
        for (row, target) in &rows {
            let score: f64 = row.iter().zip(&theta).map(|(x, theta)| x * theta).sum();
            let weight = -target / (1.0 + (target * score).exp());
            gradient.iter_mut().zip(row).for_each(|(gradient, x)| *gradient += weight * x);
        }
        let step = 1.0 / (rows.len() as f64 / 4.0 + lambda);
        theta.iter_mut().zip(gradient).for_each(|(theta, gradient)| *theta -= step * gradient);
    }
    for ((name, value), expected) in found.iter().zip(theta) {
        assert!((value - expected).abs() < 0.01, "{name}: {value}, not {expected}");
    }
    assert_eq!(found.len(), 4);
}

#[test]
fn an_explanation_is_free_and_says_what_to_expect() {
    let folder = folder();
    let quote = folder.json(&[&["learn", "explain"], &ILL[..], &["--epsilon", "1"]].concat());
    assert_eq!(quote["model"], "logistic");
    assert!(quote["outlook"].as_array().is_some_and(|words| !words.is_empty()), "{quote}");
    let words = folder.words(&[&["learn", "explain"], &ILL[..], &["--epsilon", "1"]].concat());
    assert!(words.contains("price") && words.contains("method") && words.contains("expect"), "{words}");
    assert!(!folder.join(".pointillist").exists(), "nothing is recorded");
    // Without features: all that have public bounds or values.
    let all =
        folder.json(&["learn", "explain", "--table", "people", "--target", "ill", "--model", "logistic"]);
    assert_eq!(all["features"], 6, "age, two regions, income, always, constant: {all}");
}

/// Specification: without a price that somebody named nothing is paid before it is agreed to.
#[test]
fn a_price_that_nobody_named_is_shown_first() {
    let folder = folder();
    let output = folder.run(&fit(&["--output", "model.json"]));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stdout(&output).contains("1 % of the scope's budget"), "{}", stdout(&output));
    assert!(stderr(&output).contains("--yes"), "{}", stderr(&output));
    assert!(!folder.join("model.json").exists() && !folder.join(".pointillist").exists());
    folder.words(&fit(&["--output", "model.json", "--yes"]));
    assert!(folder.join("model.json").exists());
}

#[test]
fn predictions_are_one_line_a_record() {
    let folder = folder();
    let arguments =
        ["--table", "copies", "--target", "ill", "--features", "age,region", "--model", "logistic"];
    let more = ["--settings", "lambda = 1", "--rho", "1e4", "--output", "model.json"];
    folder.words(&[&["learn", "fit"], &arguments[..], &more].concat());
    let rows = "region,other,AGE\nnorth,x,95\nsouth,,5\n,,\nwest,\"a\nb\",NaN\nnorth,x,old\nnorth,x,1e400\n\"no\"rth,1,2\n";
    fs::write(folder.join("rows.csv"), rows).expect("a file");
    let output = folder.run(&["learn", "predict", "model.json", "--file", "rows.csv"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 8, "{text}");
    assert_eq!(lines[0], "prediction,probability");
    assert!(lines[1].starts_with("true,0.") && lines[2].starts_with("false,0."), "{text}");
    assert_eq!(
        lines[3], lines[4],
        "a region that is not listed and no region are the same, and so is no age"
    );
    assert_eq!(lines[7], ",", "a record that is none");
    assert!(stderr(&output).contains("1 of 7 records"), "{}", stderr(&output));
    folder.words(&["learn", "predict", "model.json", "--file", "rows.csv", "--output", "out.csv"]);
    assert_eq!(fs::read_to_string(folder.join("out.csv")).expect("a file"), text);
    folder.refused(&["learn", "predict", "model.json", "--file", "rows.csv", "--output", "out.csv"], 2);
    fs::write(folder.join("few.csv"), "region,height\nnorth,2\n").expect("a file");
    let missing = folder.refused(&["learn", "predict", "model.json", "--file", "few.csv"], 2);
    assert!(missing.contains("`age`") && missing.contains("`height`"), "{missing}");
    fs::write(folder.join("none.csv"), "").expect("a file");
    folder.refused(&["learn", "predict", "model.json", "--file", "none.csv"], 2);
    folder.refused(&["learn", "predict", "model.json", "--file", "nowhere.csv"], 2);
}

#[test]
fn every_kind_of_model_is_trained_and_used() {
    let folder = folder();
    let list = folder.json(&["learn", "list"]);
    let kinds = list["models"].as_array().expect("models");
    assert_eq!(kinds.len(), 8);
    fs::write(folder.join("rows.csv"), "age,region,income,ill\n95,south,70,true\n5,north,20,false\n")
        .expect("a file");
    for kind in kinds {
        let kind = kind["model"].as_str().expect("a name");
        let target = match kind {
            "linear" => &["--target", "income"][..],
            "clusters" | "moments" => &[],
            _ => &["--target", "ill"],
        };
        let rest = ["--table", "copies", "--model", kind, "--rho", "1e4", "--output", "model.json"];
        folder.words(&[&["learn", "fit"], target, &rest].concat());
        let words = folder.words(&["learn", "inspect", "model.json"]);
        assert!(words.contains("ρ") && words.contains("signed"), "{words}");
        let predict = ["learn", "predict", "model.json", "--file", "rows.csv"];
        match kind {
            "moments" => drop(folder.refused(&predict, 2)),
            "clusters" => assert!(folder.words(&predict).starts_with("cluster\n")),
            "linear" => {
                let predicted = folder.words(&predict);
                let numbers: Vec<f64> = predicted.lines().skip(1).map(|line| line.parse().unwrap()).collect();
                assert!(numbers[0] > 60.0 && numbers[1] < 40.0, "{predicted}");
            }
            _ => {
                let predicted = folder.words(&predict);
                let lines: Vec<&str> = predicted.lines().skip(1).collect();
                assert!(
                    lines[0].starts_with("true,") && lines[1].starts_with("false,"),
                    "{kind}: {predicted}"
                );
            }
        }
    }
}

#[test]
fn what_cannot_be_trained_is_refused_with_a_way_out_and_free() {
    let folder = folder();
    let fit = |arguments: &[&str], code: i32| {
        let rest = ["--epsilon", "1", "--output", "model.json"];
        folder.refused(&[&["learn", "fit"], arguments, &rest].concat(), code)
    };
    let people = |target: &'static str, features: &'static str, model: &'static str| {
        ["--table", "people", "--target", target, "--features", features, "--model", model]
    };
    let unknown = fit(&people("ill", "agee", "logistic"), 2);
    assert!(unknown.contains("agee") && unknown.contains("age"), "{unknown}");
    fit(&people("sick", "age", "logistic"), 2);
    fit(&["--table", "peple", "--target", "ill", "--model", "logistic"], 2);
    let unbounded = fit(&people("ill", "age,weight", "logistic"), 3);
    assert!(unbounded.contains("weight"), "{unbounded}");
    let unlisted = fit(&people("ill", "name", "logistic"), 3);
    assert!(unlisted.contains("public_keys"), "{unlisted}");
    let one = fit(&people("always", "age", "logistic"), 2);
    assert!(one.contains("fewer than two values"), "{one}");
    let number = fit(&people("income", "age", "logistic"), 2);
    assert!(number.contains("two classes"), "{number}");
    fit(&people("ill", "age", "forest"), 2);
    fit(&people("ill", "person", "logistic"), 3);
    fit(&[&people("ill", "age", "logistic")[..], &["--settings", "depth = 3"]].concat(), 2);
    fit(&[&people("ill", "age", "logistic")[..], &["--where", "age >"]].concat(), 2);
    fit(&["--table", "people", "--model", "logistic"], 2);
    fs::write(folder.join("notes.txt"), "mine").expect("a file");
    let foreign = folder.refused(&super::learn::fit(&["--epsilon", "1", "--output", "notes.txt"]), 2);
    assert!(foreign.contains("no model"), "{foreign}");
    folder.refused(&super::learn::fit(&["--epsilon", "1", "--output", "no/model.json"]), 2);
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).expect("a file"), "mine");
    folder.refused(&super::learn::fit(&["--epsilon", "100", "--output", "model.json"]), 3);
    assert!(!folder.join("model.json").exists());
}

#[test]
fn rows_may_be_a_statement_and_names_are_quoted() {
    let folder = folder();
    let rows = "SELECT age, income > 50 AS rich, CASE WHEN region = 'south' THEN 1 ELSE 0 END AS \"so\"\"uth\" FROM copies";
    let arguments =
        ["--rows", rows, "--target", "rich", "--model", "logistic", "--rho", "1e4", "--output", "m.json"];
    folder.words(&[&["learn", "fit"], &arguments[..]].concat());
    let file = folder.json(&["learn", "inspect", "m.json"]);
    assert!(numbers(&file).iter().any(|(name, _)| name == "so\"uth"), "{file}");
    assert!(file["sql"].as_str().is_some_and(|sql| sql.contains("learn('logistic'")), "{file}");
    let chosen = ["--where", "age > 50", "--table", "copies", "--target", "ill", "--model", "bayes"];
    let file = folder.json(&[&["learn", "fit"], &chosen[..], &["--rho", "1", "--output", "b.json"]].concat());
    assert_eq!(file["paid"], "in_full");
}

/// Specification: one changed byte of a signed file is told, wherever it is; a file that somebody else signed, or nobody, is not
/// taken for ours.
#[test]
fn a_changed_model_file_is_told_apart() {
    let folder = folder();
    folder.words(&["release", "key"]);
    folder.words(&fit(&["--epsilon", "1", "--output", "model.json"]));
    let words = folder.words(&["learn", "inspect", "model.json"]);
    assert!(words.contains("signed by the key of this home"), "{words}");
    let text = fs::read_to_string(folder.join("model.json")).expect("a model");
    let inspect = ["learn", "inspect", "changed.json"];
    for (from, to) in [
        ("\"max_contributions\":1", "\"max_contributions\":2"),
        ("\"values\":[", "\"values\":[ "),
        ("learn('logistic'", "learn('Logistic'"),
        ("\n\"receipt\"", "\n \"receipt\""),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        fs::write(folder.join("changed.json"), text.replacen(from, to, 1)).expect("a file");
        let told = folder.refused(&inspect, 1);
        assert!(told.contains("changed after it was signed"), "{told}");
        fs::write(folder.join("rows.csv"), "age,region\n1,north\n").expect("a file");
        folder.refused(&["learn", "predict", "changed.json", "--file", "rows.csv"], 1);
    }
    let unsigned = format!("{}\n}}\n", text.split(",\n\"signature\"").next().expect("a body"));
    fs::write(folder.join("changed.json"), unsigned).expect("a file");
    assert!(folder.words(&inspect).contains("by nobody"));
    let key = folder.words(&["release", "key"]);
    let told = folder.refused(&[&inspect[..], &["--key", key.trim()]].concat(), 1);
    assert!(told.contains("nobody has signed"), "{told}");
    folder.words(&["learn", "inspect", "model.json", "--key", key.trim()]);
    let values = text.find("\"values\":[").expect("coefficients") + "\"values\":[".len();
    let first = values + text[values..].find(',').expect("several") + 1;
    let fewer = format!("{}{}", &text[..values], &text[first..]);
    let fewer = format!("{}\n}}\n", fewer.split(",\n\"signature\"").next().expect("a body"));
    fs::write(folder.join("changed.json"), fewer).expect("a file");
    let told = folder.refused(&inspect, 2);
    assert!(told.contains("do not fit"), "{told}");
    for no_model in ["", "{}", "[1]", "{\"pointillist_model\": 1}", "{\"pointillist_model\": 2}"] {
        fs::write(folder.join("changed.json"), no_model).expect("a file");
        folder.refused(&inspect, 2);
    }
}

#[test]
fn a_linear_model_is_an_expression_that_sql_answers() {
    let folder = folder();
    let arguments =
        ["--table", "copies", "--target", "income", "--features", "age,region", "--model", "linear"];
    folder.words(&[&["learn", "fit"], &arguments[..], &["--rho", "1e4", "--output", "model.json"]].concat());
    let sql = folder.words(&["learn", "inspect", "model.json", "--sql"]);
    fs::write(folder.join("rows.csv"), "age,region\n95,south\n5,north\n200,north\n,south\n30,\n")
        .expect("a file");
    let predicted = folder.words(&["learn", "predict", "model.json", "--file", "rows.csv"]);
    let predicted: Vec<f64> = predicted.lines().skip(1).map(|line| line.parse().expect("a number")).collect();
    let answer = folder.json(&["query", &format!("SELECT {sql} AS p FROM open ORDER BY age, region")]);
    let mut values: Vec<f64> = answer["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row[0].as_f64().unwrap_or(f64::NAN))
        .collect();
    let mut expected = predicted.clone();
    values.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    assert_eq!(values.len(), 5, "{answer}");
    assert!(values.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{values:?} {expected:?}");
}

#[test]
fn drawings_show_the_largest_numbers() {
    let folder = folder();
    folder.words(&fit(&["--epsilon", "1", "--output", "model.json", "--plot", "model.svg"]));
    folder.words(&["learn", "inspect", "model.json", "--plot", "again.svg"]);
    for name in ["model.svg", "again.svg"] {
        let svg = fs::read_to_string(folder.join(name)).expect("a drawing");
        assert!(svg.contains("<svg") && svg.contains("region = north") && svg.contains("ε = 1"), "{svg}");
    }
}
