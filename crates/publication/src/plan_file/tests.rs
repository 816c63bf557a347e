//! A plan with everything in it, refusals as people meet them, and inputs nobody means well with.

use pointillist_errors::{Explained, Kind};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, Rho};

use super::*;

const WHOLE: &str = r#"name = "hospital_2026"
title = "Visits to hospitals, 2026"
description = "What it is."
licence = "CC-BY-4.0"
citation = "Someone (2026)."
contact = "data@example.org"
keywords = ["health", "visits"]
budget = { epsilon = 0.1, delta = 1e-9 }

[[table]]
name = "by_region"
title = "Visits"
sql = "SELECT region, count(*) AS n FROM visits GROUP BY region"
weight = 2.5

[[table]]
name = "pairs"
from = "adult"
where = "age >= 18"
marginals = ["sex", "Race", "income"]
ways = 2
lower = true

[[table]]
name = "places"
from = "people"
hierarchy = ["country", "region"]
lookup = "geography"
error = 50

[[table]]
name = "ages"
from = "people"
histogram = "age"
width = 0.1
ranges = true

[columns]
region = "Where the hospital is"
"#;
const START: &str = "name = \"r\"\ntitle = \"T\"\nbudget = { rho = 0.1 }\n";

fn refusal(text: &str) -> String {
    let error = PlanFile::parse(text).expect_err("this plan is wrong");
    assert_eq!(error.kind(), Kind::Request);
    error.explanation().text()
}

/// The refusal of a plan with one table of these lines.
fn table_refusal(lines: &str) -> String {
    refusal(&format!("{START}[[table]]\n{lines}"))
}

#[track_caller]
fn assert_text(found: &str, expected: &[&str]) {
    assert_eq!(found, expected.join("\n"), "\n{found}");
}

#[test]
fn numbers_are_what_was_typed() {
    let plan = PlanFile::parse(WHOLE).unwrap();
    let (epsilon, delta) = (Epsilon::parse("1/10").unwrap(), Delta::parse("1e-9").unwrap());
    assert_eq!(plan.budget, Some(PlanBudget::Epsilon { epsilon, delta: Some(delta) }));
    assert_eq!(plan.entries[0].goal, Goal::Weight(Rational::ratio(5, 2)));
    assert_eq!(plan.entries[1].goal, Goal::Weight(Rational::one()));
    assert_eq!(plan.entries[2].goal, Goal::Error(Rational::from(50)));
    let Asks::Histogram { bins, ranges: true, .. } = &plan.entries[3].asks else {
        panic!("{:?}", plan.entries[3])
    };
    assert_eq!(*bins, Bins::Width(Rational::ratio(1, 10)));
    assert_eq!(plan.columns["region"], "Where the hospital is");
    assert_eq!(plan.keywords, ["health", "visits"]);
    assert_eq!(plan.text, WHOLE);
    let rho = PlanFile::parse(&format!("{START}[[table]]\nname = \"t\"\nsql = \"SELECT 1\"")).unwrap();
    assert_eq!(rho.budget, Some(PlanBudget::Rho { rho: Rho::parse("0.1").unwrap(), delta: None }));
}

#[test]
fn one_entry_becomes_several_tables() {
    let plan = PlanFile::parse(WHOLE).unwrap();
    let names =
        |at: usize| plan.entries[at].tables().into_iter().map(|table| table.name).collect::<Vec<String>>();
    assert_eq!(names(0), ["by_region"]);
    assert_eq!(
        names(1),
        [
            "pairs",
            "pairs_sex",
            "pairs_race",
            "pairs_income",
            "pairs_sex_race",
            "pairs_sex_income",
            "pairs_race_income"
        ]
    );
    assert_eq!(names(2), ["places", "places_country", "places_country_region"]);
    let pair = &plan.entries[1].tables()[6];
    assert_eq!(pair.columns, ["Race", "income"]);
    assert_eq!(pair.title, "pairs: by Race and income");
    assert_eq!(plan.entries[0].tables()[0].title, "Visits");
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_word() {
    assert_text(
        &refusal(&WHOLE.replace("marginals =", "marginal =")),
        &[
            "line 20, table[1].marginal: a table has no key `marginal`",
            "  20 | marginal = [\"sex\", \"Race\", \"income\"]",
            "     | ^^^^^^^^",
            "hint: did you mean `marginals`?",
        ],
    );
    assert_text(
        &refusal("license = \"MIT\""),
        &[
            "line 1, license: the plan has no key `license`",
            "  1 | license = \"MIT\"",
            "    | ^^^^^^^",
            "hint: did you mean `licence`?",
        ],
    );
    assert!(refusal(&format!("{START}[[tables]]")).ends_with("did you mean `table`?"));
}

#[test]
fn names_become_files_and_sql() {
    assert_text(
        &table_refusal("name = \"By region\"\nsql = \"SELECT 1\""),
        &[
            "line 5, table[0].name: the name `By region` does not begin with a small letter",
            "  5 | name = \"By region\"",
            "    |        ^^^^^^^^^^^",
            "hint: write a small letter, then small letters, digits and `_`, such as by_region",
        ],
    );
    for (name, complaint) in [
        ("", "is empty"),
        ("a-b", "signs other than"),
        ("../../etc/passwd", "does not begin"),
        ("a/b", "signs other than"),
        ("a\\u0000b", "signs other than"),
        ("âge", "does not begin"),
        ("codebook", "another file"),
        ("nul", "is a device"),
        ("com1", "is a device"),
        (&"a".repeat(62), "longer than 63 bytes together"),
        (&"a".repeat(64), "longer than 63 bytes"),
    ] {
        let text = table_refusal(&format!("name = \"{name}\"\nsql = \"SELECT 1\""));
        assert!(text.contains(complaint), "{name}: {text}");
    }
    let long = table_refusal(&format!(
        "name = \"{}\"\nfrom = \"t\"\nmarginals = [\"abc\", \"def\"]\nways = 2",
        "a".repeat(60)
    ));
    assert!(long.contains("one of its tables would be called"), "{long}");
}

#[test]
fn two_tables_have_two_names_after_expansion() {
    let entry = |name: &str, rest: &str| format!("[[table]]\nname = \"{name}\"\n{rest}\n");
    let pairs = "from = \"t\"\nmarginals = [\"a\", \"b_c\"]\nways = 2";
    for (first, second) in [
        (entry("t", "sql = \"SELECT 1\""), entry("t", "sql = \"SELECT 1\"")),
        (entry("t_a_b_c", "sql = \"SELECT 1\""), entry("t", pairs)),
        (
            entry("t", "from = \"t\"\nhierarchy = [\"a_b\", \"c\"]"),
            entry("t_a", &pairs.replace("\"a\", \"b_c\"", "\"b\", \"c\"")),
        ),
    ] {
        let text = refusal(&format!("{START}{first}{second}"));
        assert!(text.contains("two tables would be called"), "{text}");
    }
    let twice = table_refusal("name = \"t\"\nfrom = \"t\"\nways = 1\nmarginals = [\"sex\", \"SEX\"]");
    assert!(twice.contains("`SEX` stands twice"), "{twice}");
}

#[test]
fn a_table_says_one_thing() {
    for (lines, complaint) in [
        ("name = \"t\"", "nothing says what this table shows"),
        ("name = \"t\"\nsql = \"x\"\nhistogram = \"age\"", "a `sql` or a `histogram`, not both"),
        ("name = \"t\"\nsql = \"x\"\nfrom = \"t\"", "`from` does not go with `sql`"),
        ("name = \"t\"\nfrom = \"t\"\nhierarchy = [\"a\"]\nways = 1", "`ways` does not go with `hierarchy`"),
        ("name = \"t\"\nhierarchy = [\"a\"]", "`from` is missing"),
        ("name = \"t\"\nfrom = \"t\"\nmarginals = [\"a\"]", "`ways` is missing"),
        ("name = \"t\"\nfrom = \"t\"\nmarginals = [\"a\"]\nways = 2", "this is out of range"),
        ("name = \"t\"\nfrom = \"t\"\nmarginals = []\nways = 1", "no list of columns"),
        ("name = \"t\"\nfrom = \"t; drop\"\nmarginals = [\"a\"]\nways = 1", "signs other than letters"),
        ("name = \"t\"\nfrom = \"t\"\nhistogram = \"age\"\nwidth = 5\nbins = 3", "not both"),
        ("name = \"t\"\nfrom = \"t\"\nhistogram = \"age\"\nwidth = 0", "out of range"),
        ("name = \"t\"\nfrom = \"t\"\nhistogram = \"age\"\nbins = 0", "out of range"),
        ("name = \"t\"\nfrom = \"t\"\nhistogram = \"age\"\nranges = 1", "true or false"),
        ("name = \"t\"\nsql = \"x\"\nweight = 1\nerror = 5", "not both"),
        ("name = \"t\"\nsql = \"x\"\nweight = -1", "out of range"),
        ("name = \"t\"\nsql = \"x\"\nerror = nan", "is not a finite number"),
        ("name = \"t\"\nsql = \"  \"", "a statement has from 1 to"),
        ("sql = \"x\"", "`name` is missing"),
    ] {
        let text = table_refusal(lines);
        assert!(text.contains(complaint) && text.contains("hint: "), "{lines}: {text}");
    }
}

#[test]
fn a_budget_may_be_missing_only_where_every_error_is_wanted() {
    let start = "name = \"r\"\ntitle = \"T\"\n";
    let table = "[[table]]\nname = \"t\"\nsql = \"SELECT 1\"\n";
    assert!(refusal(&format!("{start}{table}")).contains("`budget` is missing"));
    assert_eq!(PlanFile::parse(&format!("{start}{table}error = 50")).unwrap().budget, None);
    for (budget, complaint) in [
        ("{ epsilon = 0, delta = 1e-9 }", "epsilon = 0 is zero"),
        ("{ epsilon = 1, rho = 1 }", "both an epsilon and a rho"),
        ("{ delta = 1e-9 }", "neither an epsilon nor a rho"),
        ("{ epsilon = 1, delta = 0 }", "a delta of zero"),
        ("{ epsilon = 1, detla = 1e-9 }", "did you mean `delta`?"),
        ("1", "a budget is a table of keys"),
    ] {
        let text = refusal(&format!("{start}budget = {budget}\n{table}"));
        assert!(text.contains(complaint) && text.contains("line 3"), "{text}");
    }
}

#[test]
fn words_are_words() {
    let title = |title: &str| refusal(&format!("name = \"r\"\ntitle = \"{title}\"\n[[table]]\n"));
    assert!(title("").contains("a title is empty"));
    assert!(title("a\\nb").contains("a title is a line"));
    assert!(title("a\\u202Eb").contains("signs that cannot be shown"));
    assert!(title("a\\u0000b").contains("signs that cannot be shown"));
    assert!(title(&"a".repeat(301)).contains("at most 300 bytes"));
    assert!(refusal("").contains("`name` is missing"));
    assert!(refusal("name = \"r\"\ntitle = \"T\"").contains("`table` is missing"));
    assert!(refusal("name = \"r\"\ntitle = \"T\"\ntable = []").contains("the plan has no tables"));
    assert!(refusal("name = ").contains("line 1"));
}

/// Specification: no plan of a few lines takes more than a moment to refuse.
#[test]
fn combinations_beyond_counting_are_refused_before_they_are_made() {
    let columns: Vec<String> = (0..32).map(|at| format!("\"c{at}\"")).collect();
    for ways in [4, 16] {
        let text = table_refusal(&format!(
            "name = \"t\"\nfrom = \"t\"\nmarginals = [{}]\nways = {ways}\nlower = true",
            columns.join(", ")
        ));
        assert!(text.contains("a release has at most 1000 tables"), "{text}");
    }
}
