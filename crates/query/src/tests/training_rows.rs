//! Rows for training: what becomes of a SELECT, and what is refused.

use pointillist_catalog::Value;
use pointillist_errors::Explained;
use pointillist_mechanisms::Grid;
use pointillist_plan::{Code, Owner, Ownership, Relation, TrainingRows, Type, canonical_training};

use super::fixture::{catalog, options};
use crate::{Options, Refusal, training_rows};

fn rows(sql: &str, target: Option<&str>) -> Result<TrainingRows, Refusal> {
    training_rows(&catalog(), sql, target, &Options::default())
}

fn refused(sql: &str, target: Option<&str>) -> String {
    rows(sql, target).expect_err(sql).explanation().text()
}

#[test]
fn items_become_codes_by_what_is_public_of_them() {
    let sql = "SELECT age, region AS where_, cost > 100 AS dear, day, smoker, temperature FROM visits WHERE age > 18";
    let rows = rows(sql, Some("smoker")).unwrap();
    let names: Vec<&str> = rows.features.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["age", "where_", "dear", "day", "temperature"]);
    let target = rows.target.as_ref().unwrap();
    assert_eq!((target.name.as_str(), &target.code), ("smoker", &Code::Truth));
    assert_eq!(rows.features[0].code, Code::Number(Grid::integers(0, 120).unwrap()));
    let regions = ["north", "south", "east", "west"].map(|region| Some(Value::Text(region.to_owned())));
    assert_eq!(rows.features[1].code, Code::Category(regions.to_vec()));
    assert_eq!(rows.features[2].code, Code::Truth);
    assert_eq!(
        (rows.features[3].kind, &rows.features[3].code),
        (Type::Date, &Code::Number(Grid::integers(18_262, 20_818).unwrap()))
    );
    assert!(rows.columns().all(|column| u64::from(column.code.last()) < 1 << 32));
    assert_eq!((rows.rows_max, rows.scope.as_str()), (20, "patients"));
    assert_eq!(rows.ownership(), Ownership::People("patient_id".to_owned()));
    let scan = rows.relation.table().unwrap();
    let read: Vec<&str> = scan.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(read, ["cost", "temperature", "age", "region", "day", "smoker"], "only what is used is read");
    assert!(rows.filter.is_some());
}

#[test]
fn what_is_done_to_rows_is_said_in_words() {
    let words = rows("SELECT age, region, cost FROM visits WHERE age > 18", Some("cost")).unwrap().words();
    let expected = [
        "of a person (patient_id) at most 20 rows are used, chosen by chance from those that differ",
        "values of age are clamped to [0, 120] and rounded to steps of 1",
        "`region` is one of 4 public values; NULL or any other value counts as none of them",
        "values of cost are clamped to [0, 10000] and rounded to steps of 0.01",
        "rows without a value of `cost` are left out",
        "conditions see values as they are, outside of their bounds too",
    ];
    assert_eq!(words, expected);
    let one =
        training_rows(&catalog(), "SELECT age FROM visits", None, &options(&[("max_contributions", "1")]));
    let one = one.unwrap().words();
    assert_eq!(
        one[0],
        "of a person (patient_id) at most 1 row is used, chosen by chance from those that differ"
    );
}

#[test]
fn how_many_rows_of_a_person_count_is_declared_or_asked_for() {
    let catalog = catalog();
    let most = |sql: &str, options: &Options| {
        training_rows(&catalog, sql, None, options)
            .map(|rows| rows.rows_max)
            .map_err(|refusal| refusal.to_string())
    };
    let (none, three) = (Options::default(), options(&[("max_contributions", "3")]));
    assert_eq!(most("SELECT age FROM visits", &none), Ok(20));
    assert_eq!(most("SELECT age FROM visits", &three), Ok(3));
    assert_eq!(
        most("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_contributions = 2) age FROM visits", &three),
        Ok(2)
    );
    assert_eq!(most("SELECT age FROM events", &three), Ok(1), "every row is another person");
    assert_eq!(most("SELECT age FROM loose", &three), Ok(3));
    let nobody = "nobody said how many rows of `loose` one person may have in training";
    assert_eq!(most("SELECT age FROM loose", &none), Err(nobody.to_owned()));
    // One row a person, whatever is declared.
    let grouped =
        "SELECT oldest FROM (SELECT patient_id, MAX(age) AS oldest FROM visits GROUP BY patient_id) AS p";
    assert_eq!(most(grouped, &none), Ok(1));
    // What a join multiplies is bounded afterwards.
    let joined = "SELECT v.age, p.cost FROM visits v JOIN prescriptions p ON p.visit_id = v.id";
    assert_eq!(most(joined, &none), Ok(30));
}

#[test]
fn joins_and_subqueries_of_one_person_are_relations_as_in_every_question() {
    let joined =
        rows("SELECT v.age, p.sex FROM visits v JOIN persons p ON p.id = v.patient_id", None).unwrap();
    assert!(matches!(joined.relation, Relation::Join(_)), "{:?}", joined.relation);
    let linked = rows("SELECT grams FROM doses", None).unwrap();
    assert!(matches!(linked.relation.table().unwrap().owner, Owner::Link(_)));
    let refusal = refused("SELECT v.age, w.cost FROM visits v JOIN visits w ON w.region = v.region", None);
    assert!(refusal.contains("hint:"), "{refusal}");
}

#[test]
fn what_has_no_public_bounds_or_values_is_refused_with_a_way_out() {
    let cases = [
        (
            "SELECT weight FROM visits",
            "`weight` has no public bounds",
            "declare lower and upper for `weight`",
        ),
        (
            "SELECT age, ward FROM visits",
            "the values of `ward` are not public",
            "public_keys for `ward`; or CASE WHEN ward",
        ),
        ("SELECT age, UPPER(ward) AS w FROM visits", "the values of `w` are not public", "CASE WHEN"),
        ("SELECT age, born FROM visits", "`born` has no public bounds", "declare lower and upper for `born`"),
        ("SELECT COUNT(*) FROM visits", "an aggregate puts rows together", "a subquery in FROM"),
        (
            "SELECT age FROM visits GROUP BY age",
            "GROUP BY and HAVING put rows together",
            "a subquery in FROM",
        ),
        ("SELECT DISTINCT age FROM visits", "DISTINCT puts rows together", "a subquery in FROM"),
        ("SELECT age FROM visits ORDER BY age", "push out", "leave them out"),
        ("SELECT age FROM visits LIMIT 10", "push out", "max_contributions"),
        (
            "SELECT RANK() OVER (ORDER BY age) AS r FROM visits",
            "a window lets one row see others",
            "a subquery",
        ),
        ("SELECT * FROM visits", "not named", "name each one"),
        ("SELECT age + 1 FROM visits", "item 1 of SELECT has no name", "write AS"),
        ("SELECT age, cost AS age FROM visits", "two items of SELECT are called `age`", "another name"),
        ("SELECT pupil, age FROM marks", "says who somebody is", "leave it out"),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1) age FROM visits",
            "names a price",
            "beside the statement",
        ),
        ("SELECT age FROM visits UNION ALL SELECT age FROM visits", "UNION", "statement"),
        ("SELECT age FROM nowhere", "nowhere", ""),
        ("SELECT age; DROP TABLE visits", "ends before", "one statement"),
    ];
    for (sql, message, hint) in cases {
        let text = refused(sql, None);
        assert!(text.contains(message) && text.contains(hint), "{sql}: {text}");
    }
    let text = refused("SELECT age, cost FROM visits", Some("costs"));
    assert!(text.contains("no item of SELECT is called `costs`") && text.contains("cost"), "{text}");
    assert!(refused("SELECT age FROM visits", Some("age")).contains("there are no features"));
    // The way out is one.
    assert!(rows("SELECT LEAST(GREATEST(weight, 0), 300) AS weight FROM visits", None).is_ok());
    let cases =
        rows("SELECT CASE WHEN ward = 'a' THEN 'a' ELSE 'other' END AS ward FROM visits", None).unwrap();
    assert!(matches!(&cases.features[0].code, Code::Category(values) if values.len() == 2));
}

#[test]
fn the_same_rows_have_the_same_bytes_and_others_have_others() {
    let bytes = |sql: &str, target: Option<&str>, most: &str| {
        let options = options(&[("max_contributions", most)]);
        canonical_training(&training_rows(&catalog(), sql, target, &options).unwrap())
    };
    let base = bytes("SELECT age, cost, smoker FROM visits WHERE age > 18 AND cost > 1", Some("smoker"), "3");
    let same =
        bytes("select AGE, cost, smoker from visits v where cost > 1 and v.age > 18", Some("smoker"), "3");
    assert_eq!(base, same);
    let others = [
        bytes("SELECT age, cost, smoker FROM visits WHERE age > 18 AND cost > 1", Some("smoker"), "4"),
        bytes("SELECT age, cost, smoker FROM visits WHERE age > 18 AND cost > 1", Some("cost"), "3"),
        bytes("SELECT age, cost, smoker FROM visits WHERE age > 18 AND cost > 1", None, "3"),
        bytes("SELECT age, cost, smoker FROM visits WHERE age > 19 AND cost > 1", Some("smoker"), "3"),
        bytes("SELECT cost, age, smoker FROM visits WHERE age > 18 AND cost > 1", Some("smoker"), "3"),
        bytes("SELECT age, smoker FROM visits WHERE age > 18 AND cost > 1", Some("smoker"), "3"),
        bytes("SELECT age, cost, smoker FROM secrets WHERE age > 18 AND cost > 1", Some("smoker"), "3"),
        bytes(
            "SELECT age + 1 AS age, cost, smoker FROM visits WHERE age > 18 AND cost > 1",
            Some("smoker"),
            "3",
        ),
    ];
    let mut all = others.to_vec();
    all.push(base);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), others.len() + 1);
}

/// Specification: every statement of the examples, answered or refused as a question, is rows or a refusal with a hint.
#[test]
fn every_statement_is_rows_or_a_refusal_that_helps() {
    let examples = super::sql::answered().into_iter().chain(super::sql::refused());
    let (mut accepted, mut refusals) = (0, 0);
    for example in examples {
        match rows(&example.sql, None) {
            Ok(rows) => {
                accepted += 1;
                assert!(!rows.features.is_empty() && rows.rows_max > 0, "{}", example.sql);
                assert_ne!(rows.ownership(), Ownership::Nobody, "{}", example.sql);
            }
            Err(refusal) => {
                refusals += 1;
                assert!(!refusal.message().is_empty() && !refusal.hint().is_empty(), "{}", example.sql);
            }
        }
    }
    assert!(accepted > 0 && refusals > 100, "{accepted} {refusals}");
}
