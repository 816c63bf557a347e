//! Sanitized tables at the command line: paid for once, then rows, counts, pages and SQL for nothing.

use std::collections::BTreeMap;
use std::fs;

use super::folder::Folder;
use super::{stderr, stdout};

const CATALOG: &str = r#"
[scope.town]
budget = { epsilon = 4.0, delta = 1e-9 }

[scope.made_up]
budget = { rho = 1e6, delta = 1e-9 }

[scope.pure]
model = "pure"
budget = { epsilon = 10 }

[table.people]
scope = "town"
source = "people.csv"
privacy_unit = "person"
max_contributions = 1

[table.people.columns]
age    = { type = "integer", lower = 0, upper = 99, nullable = false }
region = { type = "text", public_keys = ["north", "south"] }
name   = { type = "text" }
income = { type = "decimal", lower = 0, upper = 100, step = 0.01 }
since  = { type = "date", lower = "2020-01-01", upper = "2020-12-31" }
ill    = { type = "boolean" }

[table.copies]
scope = "made_up"
source = "people_copy.csv"
privacy_unit = "person"
max_contributions = 1

[table.copies.columns]
age    = { type = "integer", lower = 0, upper = 99, nullable = false }
region = { type = "text", public_keys = ["north", "south"] }
income = { type = "decimal", lower = 0, upper = 100, step = 0.01 }
since  = { type = "date", lower = "2020-01-01", upper = "2020-12-31" }
ill    = { type = "boolean" }

[table.pure]
scope = "pure"
source = "people_pure.csv"
privacy_unit = "person"
max_contributions = 1

[table.pure.columns]
region = { type = "text", public_keys = ["north", "south"] }
ill    = { type = "boolean" }
"#;

const PEOPLE: usize = 3000;

/// The people: the old are ill more often, a third lives in the south, and somebody there has no income.
fn people() -> impl Iterator<Item = (usize, usize, &'static str, String, bool)> {
    (0..PEOPLE).map(|person| {
        let age = person * 37 % 100;
        let region = if person % 3 == 0 { "south" } else { "north" };
        let income = if person % 10 == 7 { String::new() } else { format!("{}.25", age / 2) };
        let ill = (person * 7919 % 100) < if age >= 60 { 80 } else { 15 };
        (person, age, region, income, ill)
    })
}

fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("person,age,region,name,income,since,ill\n");
    for (person, age, region, income, ill) in people() {
        text += &format!("{person},{age},{region},n{person},{income},2020-0{}-15,{ill}\n", person % 9 + 1);
    }
    for name in ["people.csv", "people_copy.csv", "people_pure.csv"] {
        fs::write(folder.join(name), &text).expect("a file");
    }
    fs::write(folder.join("pointillist.toml"), CATALOG).expect("a file");
    folder
}

fn fit<'a>(table: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["synth", "fit", "--table", table], more].concat()
}

/// Specification: a table is paid for once. Asked for again it is free, and its file has the same bytes, signed or not.
#[test]
fn a_sanitized_table_is_paid_for_once_and_has_the_same_bytes_again() {
    let folder = folder();
    let first = folder.run(&fit("people", &["--epsilon", "1", "--output", "table.json"]));
    assert!(first.status.success(), "{}", stderr(&first));
    let (words, told) = (stdout(&first), stderr(&first));
    assert!(words.contains("made-up rows: age, region, income, since, ill"), "{words}");
    assert!(told.contains("ε = 1") && told.contains("nobody has signed it"), "{told}");
    let file = fs::read(folder.join("table.json")).expect("a file");
    let left = |folder: &Folder| folder.json(&["budget"])["scopes"].clone();
    let before = left(&folder);
    folder.json(&fit("people", &["--epsilon", "1", "--output", "again.json"]));
    assert_eq!(fs::read(folder.join("again.json")).expect("a file"), file);
    assert_eq!(left(&folder), before, "the second time is free");
    folder.words(&["release", "key"]);
    folder.json(&fit("people", &["--epsilon", "1", "--output", "again.json"]));
    let signed = fs::read_to_string(folder.join("again.json")).expect("a file");
    let unsigned = String::from_utf8(file).expect("text");
    assert!(signed.starts_with(unsigned.trim_end_matches("\n}\n")), "nothing but the signature is new");
    // A file that somebody has changed is refused.
    let changed = signed.replacen("\"rows_per_person\":1", "\"rows_per_person\":2", 1);
    assert_ne!(changed, signed);
    fs::write(folder.join("changed.json"), changed).expect("a file");
    let refused = folder.run(&["synth", "inspect", "changed.json"]);
    assert!(stderr(&refused).contains("changed after it was signed"), "{}", stderr(&refused));
}

fn rows(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join(name)).expect("rows");
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Specification: at a price beyond all reason made-up rows have the marginals of the real ones, NULL among them, and values lie within
/// their bounds. No randomness is left: noise of deviation sqrt(15/(2·1e5)) below one hundredth rounds to nothing with
/// probability above 1 − 1e-9 each.
#[test]
fn at_a_huge_price_made_up_rows_are_like_the_real_ones() {
    let folder = folder();
    folder.words(&fit("copies", &["--rho", "1e5", "--output", "table.json", "--settings", "bins = 50"]));
    folder.words(&["synth", "sample", "table.json", "--output", "rows.csv"]);
    let rows = rows(&folder, "rows.csv");
    assert!((rows.len() as i64 - PEOPLE as i64).abs() <= 5, "{}", rows.len());
    let mut found: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut without = 0;
    for row in &rows {
        let [age, region, income, since, ill] = row.as_slice() else { panic!("{row:?}") };
        assert!((0..100).contains(&age.parse::<i64>().expect("an age")));
        assert!(since.starts_with("2020-"), "{since}");
        without += i64::from(income.is_empty());
        let old = (age.parse::<i64>().expect("an age") >= 60).to_string();
        *found.entry((old, ill.clone())).or_default() += 1;
        assert!(region == "north" || region == "south", "{region}");
    }
    let real = |old: bool, is_ill: bool| {
        people().filter(|(_, age, _, _, ill)| (*age >= 60) == old && *ill == is_ill).count() as i64
    };
    assert!((without - 300).abs() <= 10, "{without} have no income");
    for (old, ill) in [(true, true), (true, false), (false, true), (false, false)] {
        let made_up = found[&(old.to_string(), ill.to_string())];
        assert!((made_up - real(old, ill)).abs() <= 60, "{old} {ill}: {made_up} for {}", real(old, ill));
    }
    // The same file gives the same rows, and any number of them.
    folder.words(&["synth", "sample", "table.json", "--output", "again.csv"]);
    assert_eq!(fs::read(folder.join("rows.csv")).unwrap(), fs::read(folder.join("again.csv")).unwrap());
    folder.words(&["synth", "sample", "table.json", "--rows", "10", "--output", "ten.csv"]);
    assert_eq!(self::rows(&folder, "ten.csv").len(), 10);
    let refused = folder.run(&["synth", "sample", "table.json", "--output", "rows.csv"]);
    assert!(!refused.status.success(), "what is there stays");
}

/// Specification: a count has a bar where its columns were counted together, the bar covers the truth, and where they were not that is
/// said.
#[test]
fn a_count_has_a_bar_where_something_is_known_of_it() {
    let folder = folder();
    let settings = ["--settings", "bins = 20", "--method", "residual"];
    folder.words(&fit("copies", &[&["--rho", "50", "--output", "table.json"], &settings[..]].concat()));
    for (condition, truth) in [
        ("age >= 60 AND ill", people().filter(|(_, age, _, _, ill)| *age >= 60 && *ill).count()),
        ("region = 'south'", 1000),
        ("income IS NULL", 300),
    ] {
        let counted = folder.json(&["synth", "count", "table.json", condition]);
        let (count, error) =
            (counted["count"].as_f64().unwrap(), counted["error_95"].as_f64().expect("a bar"));
        // At ρ = 50 a bar is a few dozen rows; the truth outside of twice the bar is off by four standard deviations.
        assert!(
            (count - truth as f64).abs() <= 2.0 * error + 20.0,
            "{condition}: {count} ± {error} for {truth}"
        );
        assert!(error < 400.0, "{condition}: {error}");
    }
    let cut = folder.json(&["synth", "count", "table.json", "age >= 61 AND ill"]);
    assert!(cut["error_95"].is_null() && cut["unknown"].as_str().unwrap().contains("cuts a bin"), "{cut}");
    let three = folder.json(&["synth", "count", "table.json", "age >= 60 AND ill AND region = 'north'"]);
    assert!(three["unknown"].as_str().unwrap().contains("not counted together"), "{three}");
    let refused = folder.run(&["synth", "count", "table.json", "heigth > 3"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
}

/// Specification: a published table is a public table of SQL, free, and its release verifies.
#[test]
fn a_published_table_is_asked_for_nothing_and_verifies() {
    let folder = folder();
    folder.words(&["release", "key"]);
    folder.words(&fit("people", &["--epsilon", "1", "--output", "table.json"]));
    let told = folder.run(&["synth", "publish", "table.json", "--name", "town"]);
    assert!(told.status.success(), "{}", stderr(&told));
    let before = folder.json(&["budget"])["scopes"].clone();
    let answer = folder
        .json(&["query", "SELECT region, count(*) AS n FROM town_rows GROUP BY region ORDER BY n DESC"]);
    let first = answer["rows"][0].as_array().expect("rows");
    assert_eq!(first[0], "north");
    assert!((first[1].as_i64().expect("a count") - 2000).abs() < 300, "{answer}");
    assert_eq!(folder.json(&["budget"])["scopes"], before, "nothing was paid");
    let verified = folder.run(&["release", "verify", "releases/town"]);
    assert!(verified.status.success(), "{}", stderr(&verified));
    let said = stdout(&verified);
    assert!(
        said.contains("signed by the key of this home") && said.contains("published in record"),
        "{said}"
    );
    let page = fs::read_to_string(folder.join("releases/town/report.html")).expect("a page");
    assert!(page.contains("nobody in them exists") && !page.contains("n17"), "a name is no part of it");
    // Rows that somebody has changed do not verify.
    let path = folder.join("releases/town/rows.csv");
    let rows = fs::read_to_string(&path).expect("rows");
    fs::write(&path, rows.replacen("north", "south", 1)).expect("a file");
    assert!(!folder.run(&["release", "verify", "releases/town"]).status.success());
    // A file that this home did not sign is not published.
    fs::write(
        folder.join("foreign.json"),
        fs::read_to_string(folder.join("table.json")).unwrap().replacen("\"signature\"", "\"signatur\"", 1),
    )
    .expect("a file");
    assert!(!folder.run(&["synth", "publish", "foreign.json", "--name", "other"]).status.success());
}

/// Specification: every made-up row keeps what was said of it, whatever the counts say, and there are as many rows as without.
#[test]
fn every_made_up_row_keeps_its_constraints() {
    let folder = folder();
    let keep = "age >= 50 OR NOT ill";
    folder.words(&fit("people", &["--epsilon", "0.1", "--keep", keep, "--output", "table.json"]));
    folder.words(&["synth", "sample", "table.json", "--rows", "2000", "--output", "rows.csv"]);
    let rows = rows(&folder, "rows.csv");
    assert_eq!(rows.len(), 2000);
    let breaks = |row: &&Vec<String>| row[0].parse::<i64>().unwrap() < 50 && row[4] == "true";
    assert_eq!(rows.iter().filter(breaks).count(), 0);
    folder.words(&fit("people", &["--epsilon", "0.1", "--output", "free.json"]));
    folder.words(&["synth", "sample", "free.json", "--rows", "2000", "--output", "free.csv"]);
    assert!(self::rows(&folder, "free.csv").iter().filter(breaks).count() > 0, "the test would see it");
    let refused =
        folder.run(&fit("people", &["--epsilon", "0.2", "--keep", "heigth > 1", "--output", "t.json"]));
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(!folder.join("t.json").exists());
}

#[test]
fn what_has_no_public_values_is_refused_before_anything_is_paid() {
    let folder = folder();
    for (arguments, words) in [
        (fit("people", &["--columns", "name,age", "--epsilon", "1", "--output", "t.json"]), "name"),
        (
            fit("people", &["--epsilon", "1", "--output", "t.json", "--settings", "bin = 3"]),
            "there is no setting `bin`",
        ),
        (
            fit("people", &["--epsilon", "1", "--output", "t.json", "--method", "mstt"]),
            "perhaps you mean `mst`",
        ),
        (fit("pure", &["--epsilon", "1", "--output", "t.json", "--method", "aim"]), "pure"),
        (fit("people", &["--epsilon", "1", "--output", "pointillist.toml"]), "exists and is no model"),
    ] {
        let refused = folder.run(&arguments);
        assert!(!refused.status.success(), "{arguments:?}");
        assert!(stderr(&refused).contains(words), "{arguments:?}: {}", stderr(&refused));
    }
    let unpriced = folder.run(&fit("people", &["--output", "t.json"]));
    assert_eq!(unpriced.status.code(), Some(2), "{}", stderr(&unpriced));
    assert!(!folder.join("t.json").exists(), "nothing was paid, and nothing written");
    let pure = folder.json(&fit("pure", &["--epsilon", "2", "--output", "t.json"]));
    assert!(pure["rows"].as_u64().is_some_and(|rows| (2800..3200).contains(&rows)), "{pure}");
}

/// Specification: an exact comparison says that it is not for publication, and a page without one says nothing of real rows.
#[test]
fn a_page_with_exact_numbers_is_not_for_publication() {
    let folder = folder();
    folder.words(&fit("copies", &["--rho", "1e4", "--output", "table.json"]));
    folder.words(&["synth", "report", "table.json", "--report", "page.html"]);
    folder.words(&["synth", "report", "table.json", "--exact", "people.csv", "--report", "mine.html"]);
    let (page, mine) =
        (fs::read_to_string(folder.join("page.html")), fs::read_to_string(folder.join("mine.html")));
    assert!(!page.expect("a page").contains("NOT FOR PUBLICATION"));
    let mine = mine.expect("a page");
    assert!(mine.contains("NOT FOR PUBLICATION") && mine.contains("(really 1,000)"), "exact counts");
}

/// Specification: through SQL the answer is made-up rows, as many as wanted, and the same ones as in a file.
#[test]
fn sql_answers_with_made_up_rows() {
    let folder = folder();
    let sql =
        "SELECT region, ill FROM synth('mst', 'SELECT region, ill, age FROM people', 'rows = 7, bins = 4')";
    let answer = folder.json(&["query", sql, "--epsilon", "1"]);
    assert_eq!(answer["rows"].as_array().map(Vec::len), Some(7));
    assert_eq!(answer["columns"][0]["name"], "region");
    assert_eq!(
        folder.json(&["query", sql, "--epsilon", "1"])["rows"],
        answer["rows"],
        "the same again, free"
    );
    let explained = folder.words(&["explain", sql, "--epsilon", "1"]);
    assert!(explained.contains("made-up rows") && explained.contains("ε = 1"), "{explained}");
    let around = folder.run(&["query", "SELECT count(*) FROM synth('mst', 'SELECT region FROM people')"]);
    assert_eq!(around.status.code(), Some(2), "{}", stderr(&around));
}
