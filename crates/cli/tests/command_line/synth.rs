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

[table.visits]
scope = "made_up"
source = "visits.csv"
privacy_unit = "person"
max_contributions = 4
max_groups = 4

[table.visits.columns]
cost = { type = "integer", lower = 0, upper = 9, nullable = false }
ward = { type = "text" }

[table.elsewhere]
public = true
source = "elsewhere.csv"

[table.elsewhere.columns]
region = { type = "text" }
ill    = { type = "boolean" }
age    = { type = "integer" }

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
    // A person has as many visits as the last digit of their age, divided by three, and pays a digit of their number for each.
    let mut visits = String::from("person,cost,ward\n");
    for (person, age, ..) in people() {
        for visit in 0..age % 10 / 3 {
            let ward = ["o'neill ward", "second", "third"][visit];
            visits += &format!("{person},{},{ward}\n", if age >= 60 { 9 } else { 1 });
        }
    }
    visits += "0,1,nobody else has been here\n";
    fs::write(folder.join("visits.csv"), visits).expect("a file");
    // Nobody elsewhere is ill, and everybody lives in the south.
    fs::write(folder.join("elsewhere.csv"), "region,ill,age\n".to_owned() + &"south,false,30\n".repeat(40))
        .expect("a file");
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
    let ten = fs::read_to_string(folder.join("ten.csv")).unwrap();
    for output in [&[][..], &["--output", "-"]] {
        assert_eq!(
            folder.words(&[&["synth", "sample", "table.json", "--rows", "10"][..], output].concat()),
            ten
        );
    }
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
    // At this price nearly all bins of the age, of 150 people each, are merged: a bin is kept with probability below 0.03 (ones have noise
    // of deviation 173, and 520 keep a bin), and all bins on one side of 60 with probability below 1e-12.
    let merged =
        ["--rho", "1e-4", "--output", "merged.json", "--columns", "age,ill", "--settings", "bins = 20"];
    folder.words(&fit("copies", &merged));
    assert!(folder.json(&["synth", "count", "merged.json", "age >= 60"])["error_95"].is_number());
    let unknown = |condition: &str| {
        let counted = folder.json(&["synth", "count", "merged.json", condition]);
        counted["unknown"].as_str().expect("a reason").to_owned()
    };
    assert!(unknown("age >= 60 AND ill").contains("merged"), "{}", unknown("age >= 60 AND ill"));
    assert!(unknown("age >= 61 AND ill").contains("cuts a bin"), "{}", unknown("age >= 61 AND ill"));
    let three = folder.json(&["synth", "count", "table.json", "age >= 60 AND ill AND region = 'north'"]);
    assert!(three["unknown"].as_str().unwrap().contains("not counted together"), "{three}");
    // Five columns of hundreds of values have more cells together than any memory; nothing is made of them.
    folder.words(&fit("copies", &["--rho", "1", "--output", "wide.json", "--settings", "bins = 1000"]));
    let wide = "age > 0 AND income > 0 AND since > DATE '2020-02-02' AND ill AND region = 'north'";
    let wide = folder.json(&["synth", "count", "wide.json", wide]);
    assert!(wide["unknown"].as_str().unwrap().contains("not counted together"), "{wide}");
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

fn evaluated(folder: &Folder, arguments: &[&str]) -> (serde_json::Value, BTreeMap<String, [f64; 3]>) {
    let reply = folder.json(&[&["synth", "evaluate"], arguments].concat());
    let rows = reply["rows"].as_array().expect("rows").iter();
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let distances = rows.map(|row| {
        let part = row[1].as_str().expect("a part").to_owned();
        (part, [number(&row[2]), number(&row[3]), number(&row[4])])
    });
    let distances = distances.collect();
    (reply, distances)
}

/// Specification: how far a public table is from private rows is what a plain loop says, within its interval; it is paid for once.
#[test]
fn distances_from_private_rows_are_those_of_a_plain_loop_and_paid_for_once() {
    let folder = folder();
    let rows = "SELECT region, ill FROM copies";
    let asked = ["elsewhere", "--rows", rows, "--rho", "1000"];
    let (reply, distances) = evaluated(&folder, &asked);
    // Of two tables, one of which has a single cell, the distance is the share of the other that is elsewhere.
    let same = people().filter(|(_, _, region, _, ill)| *region == "south" && !ill).count();
    let truth = 1.0 - same as f64 / PEOPLE as f64;
    let [share, lower, upper] = distances["region × ill"];
    assert!((share - truth).abs() < 2e-3 && lower <= truth && truth <= upper, "{share} for {truth}");
    assert_eq!(distances["mean"][0], share, "of one pair");
    assert_eq!(reply["paid"], "in_full", "{reply}");
    let (again, same_numbers) = evaluated(&folder, &asked);
    assert_eq!(again["paid"], "nothing", "{again}");
    assert_eq!(same_numbers, distances);
    // By columns there are two, and another price is another question.
    let (_, columns) = evaluated(&folder, &["elsewhere", "--rows", rows, "--by", "columns", "--rho", "1000"]);
    let ill = people().filter(|(.., ill)| *ill).count() as f64 / PEOPLE as f64;
    assert!((columns["ill"][0] - ill).abs() < 2e-3, "{columns:?} for {ill}");
    assert!((columns["region"][0] - 2.0 / 3.0).abs() < 2e-3, "{columns:?}");
}

/// Specification: a file is compared with the rows that it was made of, before it is published; made-up rows are near real ones, and a table
/// of other rows is not. The page shows the comparison without a warning.
#[test]
fn a_file_is_compared_with_its_own_rows() {
    let folder = folder();
    folder.json(&fit("copies", &["--rho", "1000", "--method", "residual", "--output", "table.json"]));
    let (reply, distances) = evaluated(&folder, &["table.json", "--rho", "100"]);
    assert_eq!(distances.len(), 11, "ten pairs and their mean: {distances:?}");
    let [mean, lower, upper] = distances["mean"];
    assert!(lower <= mean && mean <= upper && mean < 0.1, "{distances:?}");
    assert!(distances["age × ill"][0] < 0.1, "{distances:?}");
    let again = ["synth", "evaluate", "table.json", "--rho", "100", "--report", "page.html"];
    assert!(folder.run(&again).status.success());
    let page = fs::read_to_string(folder.join("page.html")).expect("a page");
    assert!(page.contains("How far it is from the real rows") && !page.contains("NOT FOR PUBLICATION"));
    let again = folder.json(&["synth", "evaluate", "table.json", "--rho", "100"]);
    assert_eq!(again["rows"], reply["rows"]);
    assert_eq!(again["paid"], "nothing", "made-up rows of the same file are the same rows");
    // Other made-up rows under the same name are another question.
    folder.json(&fit("copies", &["--rho", "999", "--method", "residual", "--output", "table.json"]));
    let other = folder.json(&["synth", "evaluate", "table.json", "--rho", "100"]);
    assert_eq!(other["paid"], "in_full");
}

#[test]
fn what_is_private_or_of_other_columns_is_not_compared() {
    let folder = folder();
    let refused = |arguments: &[&str]| {
        let output = folder.run(&[&["synth", "evaluate"], arguments].concat());
        assert!(!output.status.success(), "{}", stdout(&output));
        stderr(&output)
    };
    let rows = "SELECT region, ill FROM copies";
    assert!(refused(&["people", "--rows", rows, "--rho", "1"]).contains("`people` is not public"));
    assert!(refused(&["nowhere", "--rows", rows, "--rho", "1"]).contains("no model `nowhere`"));
    assert!(refused(&["elsewhere", "--rho", "1"]).contains("--rows SELECT"));
    let without = "SELECT income FROM copies";
    assert!(refused(&["elsewhere", "--rows", without, "--rho", "1"]).contains("has no column `income`"));
    let otherwise = "SELECT age > 3 AS age FROM copies";
    assert!(refused(&["elsewhere", "--rows", otherwise, "--rho", "1"]).contains("of another type"));
    assert!(
        refused(&["elsewhere", "--rows", rows, "--by", "threes", "--rho", "1"])
            .contains("`pairs` or by `columns`")
    );
    assert!(refused(&["elsewhere", "--rows", rows]).contains("nothing was evaluated"));
    assert!(
        refused(&["elsewhere", "--rows", rows, "--rho", "1", "--report", "p.html"])
            .contains("file of `synth fit`")
    );
    assert!(!folder.join("p.html").exists());
}

/// Specification: two files make people and rows of theirs. Everybody has as many rows as their number says, rows are with people who agree with
/// them, and the number was counted like every column.
#[test]
fn people_and_their_rows_are_linked() {
    let folder = folder();
    let people = "SELECT c.age, least(coalesce(v.n, 0), 4) AS visits FROM copies c LEFT JOIN \
                  (SELECT person, count(*) AS n FROM visits GROUP BY person) v ON v.person = c.person";
    let rows = "SELECT c.age, v.cost FROM visits v JOIN copies c ON c.person = v.person";
    let settings = ["--settings", "bins = 100", "--rho", "1e5"];
    folder.words(&[&["synth", "fit", "--rows", people, "--output", "people.json"], &settings[..]].concat());
    folder.words(&[&["synth", "fit", "--rows", rows, "--output", "rows.json"], &settings[..]].concat());
    let told = folder.run(&[
        "synth",
        "link",
        "people.json",
        "rows.json",
        "--number",
        "visits",
        "--output",
        "people_made_up.csv",
        "--linked",
        "visits_made_up.csv",
    ]);
    assert!(
        told.status.success() && stderr(&told).contains("agree with their person in age"),
        "{}",
        stderr(&told)
    );
    let (made_up, visits) =
        (self::rows(&folder, "people_made_up.csv"), self::rows(&folder, "visits_made_up.csv"));
    assert!((made_up.len() as i64 - PEOPLE as i64).abs() <= 20, "{}", made_up.len());
    let wanted: u64 = self::people().map(|(_, age, ..)| (age % 10 / 3) as u64).sum();
    assert!((visits.len() as i64 - wanted as i64).abs() <= 60, "{} for {wanted}", visits.len());
    let mut costs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    visits.iter().for_each(|visit| costs.entry(&visit[0]).or_default().push(&visit[1]));
    let (mut right, mut all) = (0, 0);
    for person in &made_up {
        let [key, age, number] = person.as_slice() else { panic!("{person:?}") };
        let own = costs.get(key.as_str()).map_or(&[][..], Vec::as_slice);
        assert_eq!(own.len().to_string(), *number, "person {key}");
        let dear = if age.parse::<i64>().expect("an age") >= 60 { "9" } else { "1" };
        right += own.iter().filter(|cost| **cost == dear).count();
        all += own.len();
    }
    assert!(right * 100 >= all * 95, "{right} of {all} visits cost what they should at that age");
    let refused = |number: &str, key: &str| {
        let arguments = ["--number", number, "--key", key, "--output", "a.csv", "--linked", "b.csv"];
        stderr(&folder.run(&[&["synth", "link", "people.json", "rows.json"], &arguments[..]].concat()))
    };
    assert!(refused("vists", "person").contains("no column `vists`"));
    assert!(refused("visits", "age").contains("called `age` already"));
}

/// Specification: of a column without public values those of enough people are found, at a price of their own, and nothing else of it is in
/// the file.
#[test]
fn values_without_a_list_are_earned() {
    let folder = folder();
    // What is refused afterwards has earned nothing.
    let spent = |folder: &Folder| folder.json(&["budget"])["scopes"].clone();
    let before = spent(&folder);
    for wrong in [["--keep", "heigth > 1"], ["--method", "mstt"], ["--settings", "bin = 3"]] {
        let earn = ["--earn", "ward", "--earn-epsilon", "5", "--rho", "1", "--output", "few.json"];
        let refused = folder.run(&fit("visits", &[&earn[..], &wrong].concat()));
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}: {}", stderr(&refused));
    }
    assert_eq!(spent(&folder), before);
    let few = folder.run(&fit(
        "visits",
        &["--earn", "ward", "--earn-epsilon", "0.001", "--rho", "1", "--output", "few.json"],
    ));
    assert!(!few.status.success() && stderr(&few).contains("enough people"), "{}", stderr(&few));
    let fitted = folder.run(&fit(
        "visits",
        &["--earn", "ward", "--earn-epsilon", "20", "--rho", "1000", "--output", "table.json"],
    ));
    assert!(
        fitted.status.success() && stderr(&fitted).contains("earned 3 values of `ward`"),
        "{}",
        stderr(&fitted)
    );
    let file = fs::read_to_string(folder.join("table.json")).expect("a file");
    assert!(file.contains("o'neill ward") && file.contains("beside this price"), "{file}");
    assert!(!file.contains("nobody else"), "one person's text is nobody's business");
    folder.words(&["synth", "sample", "table.json", "--output", "rows.csv"]);
    let text = fs::read_to_string(folder.join("rows.csv")).expect("rows");
    let second = people().filter(|(_, age, ..)| age % 10 / 3 >= 2).count() as i64;
    let found = text.matches("second").count() as i64;
    assert!((found - second).abs() <= 30, "{found} for {second}");
    let unpriced =
        folder.run(&fit("visits", &["--earn", "ward", "--earn-epsilon", "1", "--output", "few.json"]));
    assert_eq!(unpriced.status.code(), Some(2), "{}", stderr(&unpriced));
    assert!(!folder.join("few.json").exists());
}

/// Specification: what a stranger wrote into a file is shown, and obeyed by no terminal.
#[test]
fn a_file_of_a_stranger_writes_nothing_over_the_screen() {
    let folder = folder();
    folder.words(&fit("people", &["--epsilon", "1", "--output", "table.json"]));
    let file = fs::read_to_string(folder.join("table.json")).expect("a file");
    let forged =
        file.replacen("\"tables\":\"people\"", "\"tables\":\"people\\u001b[2J\\nsigned by this home\"", 1);
    assert_ne!(forged, file);
    fs::write(folder.join("forged.json"), forged).expect("a file");
    let shown = folder.run(&["synth", "inspect", "forged.json"]);
    let words = stdout(&shown);
    assert!(shown.status.success() && words.contains("\\u{1b}"), "{words}");
    assert!(
        !words.contains('\u{1b}') && !words.lines().any(|line| line.trim_start().starts_with("signed by")),
        "{words}"
    );
}

/// Specification: rows that were held back until a day are not public earlier under another name.
#[test]
fn an_embargo_holds_for_the_same_rows_under_another_name() {
    let folder = folder();
    folder.words(&["release", "key"]);
    folder.words(&fit("people", &["--epsilon", "1", "--output", "table.json"]));
    folder.words(&["synth", "publish", "table.json", "--name", "later", "--not-before", "2099-01-01"]);
    folder.words(&["synth", "publish", "table.json", "--name", "now"]);
    let statement = fs::read_to_string(folder.join("releases/now/release.json")).expect("a statement");
    assert!(statement.contains("2099-01-01"), "{statement}");
}

/// Specification: where hardly any row keeps a condition, the commands say how many there are, and not how many were wanted.
#[test]
fn rows_that_could_not_be_made_up_are_not_counted() {
    let folder = folder();
    folder.words(&fit("people", &["--epsilon", "1", "--keep", "age > 200", "--output", "table.json"]));
    let sampled = folder.run(&["synth", "sample", "table.json", "--rows", "50", "--output", "rows.csv"]);
    assert!(
        stderr(&sampled).contains(": 0 made-up rows") && stderr(&sampled).contains("50 were wanted"),
        "{}",
        stderr(&sampled)
    );
    assert_eq!(folder.json(&["synth", "inspect", "table.json"])["rows"], 0);
}
