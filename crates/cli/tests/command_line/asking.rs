//! Explaining, asking and rehearsing, end to end.

use std::fs;

use serde_json::{Value, json};

use super::folder::{COUNT, Folder};
use super::{stderr, stdout};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

/// A decimal string.
fn decimal(value: &Value) -> f64 {
    value.as_str().unwrap_or_else(|| panic!("{value} is a string")).parse().expect("a decimal")
}

/// Specification: a quote needs the catalog alone, and asking without the data is nobody's mistake in the question.
#[test]
fn explaining_works_where_the_data_is_not() {
    let folder = Folder::new();
    fs::remove_file(folder.join("visits.csv")).expect("the data goes");
    let words = folder.words(&["explain", COUNT, "--epsilon", "0.5"]);
    for part in ["reads", "visits", "price", "ρ = ", "ε = 0.5", "error", "±", "budget", "such questions"] {
        assert!(words.contains(part), "{part} is missing from\n{words}");
    }
    let quote = folder.json(&["explain", COUNT, "--epsilon", "0.5", "--as", "ana"]);
    assert_eq!(quote["keys"], "public");
    assert_eq!(quote["groups"], 2);
    assert_eq!(quote["max_groups"], 2);
    assert_eq!(quote["reads"]["privacy_unit"], "person");
    assert!(decimal(&quote["cost"]["rho"]) > 0.0);
    assert!(quote["budget"]["more"].as_u64().expect("a number") > 1);
    assert!(quote["plan"].as_str().expect("a tree").contains("Scan visits"));
    let earned = folder.json(&["explain", "SELECT ward, count(*) FROM visits GROUP BY ward"]);
    assert_eq!(earned["keys"], "earned");
    assert!(decimal(&earned["earned"]["threshold"]) > 2.0);
    assert!(!folder.join(".pointillist").exists(), "a quote leaves nothing behind");
    let unavailable = folder.refused(&["query", COUNT, "--epsilon", "0.5"], 1);
    assert!(unavailable.contains("cannot be opened"), "{unavailable}");
}

#[test]
fn an_answer_comes_with_error_bars_a_price_and_a_receipt() {
    let folder = Folder::new();
    let sql =
        "SELECT region, count(*) AS n, sum(cost) AS total, avg(cost) AS mean FROM visits GROUP BY region";
    let output = folder.run(&["query", sql, "--epsilon", "2"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let table = stdout(&output);
    for part in [
        "│ region │",
        "│ north ",
        "│ south ",
        " ± ",
        "95 % interval",
        "price  ε = 2 at δ = 1e-9  (ρ = ",
        "asked for the first time",
    ] {
        assert!(table.contains(part), "{part} is missing from\n{table}");
    }
    assert!(
        table.contains("left  ε = ") && table.contains("receipt  ") && table.contains("more like this"),
        "{table}"
    );
    let widths: Vec<usize> =
        table.lines().filter(|line| line.starts_with('│')).map(|line| line.chars().count()).collect();
    assert!(widths.len() == 3 && widths.iter().all(|width| *width == widths[0]), "{table}");
    assert!(stderr(&output).contains("note: "), "what clamping does is said: {}", stderr(&output));
    // A total of cents is shown in cents, in groups of three.
    let north = table.lines().find(|line| line.contains("north")).expect("a row");
    let total = north.split('│').nth(3).expect("the third column");
    let (value, error) = total.split_once('±').expect("an error bar");
    assert!(
        [value, error]
            .iter()
            .all(|part| part.trim().rsplit_once('.').is_some_and(|(_, cents)| cents.len() == 2)),
        "{total}"
    );
}

/// Specification: the shape that scripts rely on.
#[test]
fn an_answer_for_scripts_has_the_documented_shape() {
    let folder = Folder::new();
    let reply = folder.json(&["query", COUNT, "--rho", "0.01", "--as", "ana"]);
    assert_eq!(reply["columns"][0], json!({ "name": "region", "type": "text", "role": "key" }));
    let n = &reply["columns"][1];
    assert_eq!((&n["name"], &n["type"], &n["role"]), (&json!("n"), &json!("int8"), &json!("aggregate")));
    assert_eq!((&n["mechanism"], &n["grid"]), (&json!("discrete_gaussian"), &json!("1")));
    assert!(decimal(&n["scale"]) > 0.0 && number(&n["error_95"]) > decimal(&n["scale"]));
    let rows = reply["rows"].as_array().expect("rows");
    assert_eq!((&rows[0][0], &rows[1][0]), (&json!("north"), &json!("south")));
    for (row, intervals) in rows.iter().zip(reply["intervals"].as_array().expect("an interval a row")) {
        assert!(row[1].is_i64());
        assert!(intervals[0].is_null());
        let (low, high) = (number(&intervals[1][0]), number(&intervals[1][1]));
        assert!(low < number(&row[1]) && number(&row[1]) < high);
        // False alarm: 95 % bars are widened to eight times their width, beyond 15 σ.
        assert!((number(&row[1]) - 1000.0).abs() < 8.0 * (high - low));
    }
    assert_eq!(reply["cost"]["rho"], "0.01");
    assert_eq!(reply["cost"]["delta"], "0");
    assert!(number(&reply["cost"]["epsilon_at_delta"]["epsilon"]) > 0.1);
    assert_eq!(reply["cost"]["epsilon_at_delta"]["delta"], json!(5e-10));
    assert_eq!(reply["paid"], "in_full");
    assert_eq!((&reply["receipt"]["scope"], &reply["receipt"]["analyst"]), (&json!("people"), &json!("ana")));
    assert_eq!(reply["receipt"]["hash"].as_str().expect("a hash").len(), 64);
    assert_eq!(reply["budget"]["remaining_rho"], "0.04");
    assert_eq!(reply["budget"]["remaining_delta"], "1e-10");
    assert_eq!(reply["budget"]["more"], 4);
}

/// Specification: the same question has one answer; whoever has paid for it never pays again.
#[test]
fn asking_again_is_free_and_gives_the_same_answer() {
    let folder = Folder::new();
    let ask = |analyst: &str| folder.json(&["query", COUNT, "--rho", "0.01", "--as", analyst]);
    let [first, again, other] = [ask("ana"), ask("ana"), ask("ben")];
    assert_eq!(
        (&first["paid"], &again["paid"], &other["paid"]),
        (&json!("in_full"), &json!("nothing"), &json!("in_full")),
        "that ana has asked is not for ben to know"
    );
    assert_eq!((&first["receipt"]["seq"], &other["receipt"]["seq"]), (&json!(null), &json!(null)));
    assert_eq!(other["receipt"]["hash"].as_str().expect("a hash").len(), 64);
    assert!(first["rows"] == again["rows"] && first["rows"] == other["rows"]);
    assert_eq!(first["budget"], again["budget"]);
    let spent = folder.json(&["budget"])["scopes"][0]["spent"]["rho"].clone();
    assert_eq!(spent, "0.01", "the scope has paid once");
    let words = folder.words(&["query", COUNT, "--rho", "0.01", "--as", "ana"]);
    assert!(words.contains("free: asked before"), "{words}");
}

#[test]
fn a_request_id_belongs_to_one_request() {
    let folder = Folder::new();
    let ask = |sql: &str| folder.run(&["query", sql, "--rho", "0.001", "--request-id", "monday", "--json"]);
    let first = ask(COUNT);
    assert!(first.status.success(), "{}", stderr(&first));
    assert_eq!(ask(COUNT).status.code(), Some(0));
    let conflict = ask("SELECT count(*) FROM visits");
    assert_eq!(conflict.status.code(), Some(2));
    assert!(stderr(&conflict).contains("monday"), "{}", stderr(&conflict));
}

#[test]
fn csv_has_intervals_in_columns_of_their_own() {
    let folder = Folder::new();
    let output = folder.run(&["query", COUNT, "--rho", "0.01", "--format", "csv"]);
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "region,n,n_low,n_high"));
    let fields: Vec<&str> = lines[1].split(',').collect();
    assert_eq!((fields.len(), fields[0]), (4, "north"));
    let [n, low, high] = [1, 2, 3].map(|field| fields[field].parse::<i64>().expect("a whole number"));
    assert!(low < n && n < high);
    assert!(stderr(&output).contains("price"), "people's words are on stderr: {}", stderr(&output));
}

#[test]
fn arrow_is_a_stream() {
    let folder = Folder::new();
    let output = folder.run(&["query", COUNT, "--rho", "0.01", "--format", "arrow"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(output.stdout[..4], [0xff; 4], "an IPC stream starts with a continuation mark");
}

#[test]
fn rare_keys_are_not_shown() {
    let folder = Folder::new();
    let reply = folder.json(&["query", "SELECT ward, count(*) FROM visits GROUP BY ward", "--epsilon", "2"]);
    let shown: Vec<&Value> = reply["rows"].as_array().expect("rows").iter().map(|row| &row[0]).collect();
    assert_eq!(shown, [&json!("general")], "three people do not earn a key");
}

#[test]
fn a_question_may_come_from_stdin_and_explain_is_a_word_of_sql() {
    let folder = Folder::new();
    let explained = folder.words(&["query", &format!("EXPLAIN {COUNT}")]);
    assert!(explained.contains("reads") && !folder.join(".pointillist").exists(), "{explained}");
    let file = folder.join("question.sql");
    fs::write(&file, COUNT).expect("a file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_pointillist"))
        .args(["explain", "-", "--json"])
        .current_dir(folder.path())
        .stdin(fs::File::open(file).expect("a file"))
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Specification: 2 for what the asker can fix, 3 for what is refused for privacy or budget, 1 for the rest.
#[test]
fn exit_codes_say_whose_turn_it_is() {
    let folder = Folder::new();
    for (arguments, says) in [
        (&["query", "SELECT count(* FROM visits"][..], "hint"),
        (&["query", "SELECT count(*) FROM patients"], "patients"),
        (&["query", "SELECT sum(price) FROM visits"], "price"),
        (&["query", COUNT, "--epsilon", "-1"], "epsilon"),
        (&["query", COUNT, "--epsilon", ""], "--epsilon"),
        (&["query", COUNT, "--epsilon", "1", "--rho", "1"], "rho"),
        (&["query", COUNT, "--noise", "gausian"], "gaussian"),
        (&["query", COUNT, "--as", "mallory"], "mallory"),
        (&["explain", COUNT, "--as", "mallory"], "mallory"),
        (&["query", COUNT, "--catalog", "elsewhere.toml"], "elsewhere.toml"),
    ] {
        let words = folder.refused(arguments, 2);
        assert!(words.contains(says), "{arguments:?}: {words}");
    }
    for (arguments, says) in [
        (&["query", "SELECT * FROM visits"][..], "hint"),
        (&["explain", "SELECT cost FROM visits"], "hint"),
        (&["rehearse", "SELECT cost FROM visits"], "hint"),
        (&["query", COUNT, "--rho", "5"], "left"),
        (&["query", COUNT, "--rho", "0.06", "--as", "ana"], "share"),
        (&["query", COUNT, "--as", "eve"], "eve"),
    ] {
        let words = folder.refused(arguments, 3);
        assert!(words.contains(says), "{arguments:?}: {words}");
    }
    let spent = folder.json(&["budget"])["scopes"][0]["spent"]["rho"].clone();
    assert_eq!(spent, "0", "refusals are free");
}

/// Specification: whoever sees a rehearsal, in whatever format, sees that it is one; it needs no data and no budget.
#[test]
fn rehearsals_are_marked_and_free() {
    let folder = Folder::new();
    fs::remove_file(folder.join("visits.csv")).expect("the data goes");
    let table = folder.words(&["rehearse", COUNT]);
    assert!(table.starts_with("DUMMY DATA") && table.contains("would cost"), "{table}");
    let json = folder.json(&["rehearse", COUNT]);
    assert_eq!(json["dummy"], true);
    assert_eq!(json["rows"].as_array().expect("rows").len(), 2);
    assert!(json.get("receipt").is_none());
    let csv = folder.run(&["rehearse", COUNT, "--format", "csv"]);
    assert!(stdout(&csv).lines().skip(1).all(|line| line.ends_with(",true")), "{}", stdout(&csv));
    assert!(stdout(&csv).lines().next().is_some_and(|header| header.ends_with(",dummy")));
    assert!(stderr(&csv).contains("DUMMY"));
    let arrow = folder.run(&["rehearse", COUNT, "--format", "arrow"]);
    let contains = |needle: &[u8]| arrow.stdout.windows(needle.len()).any(|window| window == needle);
    assert!(contains(b"pointillist.dummy"));
    assert!(!folder.join(".pointillist").exists());
}

/// Specification: the examples in the help can be asked of a catalog that has the tables they name.
#[test]
fn examples_in_the_help_run() {
    let folder = Folder::new();
    let mut examples = 0;
    for command in ["explain", "query", "rehearse"] {
        let help = folder.words(&[command, "--help"]);
        let lines = help.lines().filter_map(|line| line.trim().strip_prefix("pointillist "));
        for line in lines.filter(|line| line.contains('"')) {
            // Words outside of quotes are split at blanks, the quoted question is one argument.
            let arguments: Vec<&str> = line
                .split('"')
                .enumerate()
                .flat_map(
                    |(index, part)| {
                        if index % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }
                    },
                )
                .collect();
            folder.words(&arguments);
            examples += 1;
        }
    }
    assert!(examples >= 7, "{examples}");
}

/// Specification: a picture of an answer shows its groups and intervals, costs nothing more, and is refused before
/// anything is paid where it cannot be written.
#[test]
fn an_answer_is_drawn_with_its_intervals() {
    let folder = Folder::new();
    let sql = "SELECT region, avg(cost) AS mean FROM visits GROUP BY region";
    let output = folder.run(&["query", sql, "--epsilon", "2", "--plot", "mean.svg"]);
    assert!(output.status.success() && stderr(&output).contains("plot written to mean.svg"));
    let picture = fs::read_to_string(folder.join("mean.svg")).expect("a picture");
    for part in ["mean by region, at ", ">north</text>", ">south</text>", "95 % interval"] {
        assert!(picture.contains(part), "{part} is missing from\n{picture}");
    }
    let foreign = folder.refused(&["query", sql, "--epsilon", "2", "--plot", "visits.csv"], 2);
    assert!(foreign.contains("was not made by this program"), "{foreign}");
}
