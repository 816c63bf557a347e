//! Parameters through the curator: one question, whichever way its values came.

use pointillist_curator::{Ask, DescribedKind, Executed, OWNER, Paid, QUERY_PLAN, QuestionLog, Settings};
use pointillist_errors::{Explained, Kind};
use pointillist_plan::{Role, Type};
use pointillist_query::Parameter;

use crate::clinic::{Clinic, visits};

const OPTIONS: &str = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.01)";

fn with(analyst: &str, sql: &str, parameters: &[&str]) -> Ask {
    let parameters = parameters.iter().map(|text| Parameter::Untyped((*text).to_owned())).collect();
    Ask { parameters, ..Ask::new(format!("{OPTIONS} {sql}"), analyst) }
}

/// Specification: a question with a parameter and the question with the literal are one question: whoever has paid for one
/// holds the other.
#[test]
fn a_parameter_and_a_literal_are_one_question() {
    let clinic = Clinic::new(&visits(60));
    let literal = with("ana", "count(*) FROM visits WHERE region = 'north' AND age > 30", &[]);
    let bound = with("ana", "count(*) FROM visits WHERE region = $2 AND age > $1", &["30", "north"]);
    let other = with("ana", "count(*) FROM visits WHERE region = $2 AND age > $1", &["31", "north"]);
    let first = clinic.curator.ask(&literal).unwrap();
    let again = clinic.curator.ask(&bound).unwrap();
    assert_eq!((first.paid, again.paid), (Paid::InFull, Paid::Nothing));
    assert_eq!(first.answer.rows, again.answer.rows);
    assert_eq!(clinic.curator.ask(&other).unwrap().paid, Paid::InFull);
    let quote = clinic.curator.execute(&with("ana", "count(*) FROM visits", &[])).unwrap();
    assert!(matches!(quote, Executed::Answer(_)));
    let explained = Ask { sql: format!("EXPLAIN {}", bound.sql), ..bound.clone() };
    let Ok(Executed::Quote(quote)) = clinic.curator.execute(&explained) else { panic!("no quote") };
    assert!(quote.is_free);
}

/// Specification: a request may be repeated under its id with the same values, and not with others; the owner reads the
/// values beside the statement.
#[test]
fn a_request_is_its_statement_with_its_values() {
    let clinic = Clinic::new(&visits(60));
    let place = Settings::beside(clinic.folder.path()).place;
    std::fs::create_dir_all(place.directory()).unwrap();
    let sql = "count(*) FROM visits WHERE ward = $1";
    let ask = |value: &str| Ask { request_id: Some("r1".to_owned()), ..with(OWNER, sql, &[value]) };
    assert_eq!(clinic.curator.ask(&ask("heart'; --")).unwrap().paid, Paid::InFull);
    assert_eq!(clinic.curator.ask(&ask("heart'; --")).unwrap().paid, Paid::Nothing);
    assert!(clinic.curator.ask(&ask("lung")).is_err());
    let kept = QuestionLog::read(place.directory());
    assert!(kept.values().any(|words| words.ends_with("ward = $1\n-- $1 = 'heart\\'; --'")), "{kept:?}");
}

/// Specification: what a statement will give is known before it has values, and the same with them.
#[test]
fn a_statement_is_described_before_and_after_its_values_are_known() {
    let clinic = Clinic::new(&visits(60));
    let sql = "region, count(*) AS n, avg(age) + $3 AS a FROM visits WHERE day > $1 GROUP BY region LIMIT $2";
    let before = clinic.curator.describe(&with("ana", sql, &[])).unwrap();
    let bound = with("ana", sql, &["2024-03-01", "3", "1.5"]);
    let after = clinic.curator.describe(&bound).unwrap();
    assert_eq!(before, after);
    let kinds: Vec<Type> = before.parameters.iter().map(|parameter| parameter.kind).collect();
    assert_eq!(kinds, [Type::Date, Type::Integer, Type::Number]);
    assert_eq!(before.kind, DescribedKind::Question);
    let shape: Vec<_> = before.columns.iter().map(|c| (c.name.as_str(), c.kind, c.has_interval)).collect();
    assert_eq!(shape, [("region", Type::Text, false), ("n", Type::Integer, true), ("a", Type::Number, true)]);
    assert_eq!(before.columns[0].role, Role::Key(0));
    let answer = clinic.curator.ask(&bound).unwrap().answer;
    assert_eq!(answer.described(), after.columns);
    let explained = Ask { sql: format!("EXPLAIN {OPTIONS} {sql}"), ..bound };
    let explained = clinic.curator.describe(&explained).unwrap();
    assert_eq!(
        (explained.kind, explained.columns[0].name.as_str()),
        (DescribedKind::Explanation, QUERY_PLAN)
    );
    let list = clinic.curator.describe(&Ask::new("SHOW TABLES", "ana")).unwrap();
    assert_eq!((list.kind, list.columns.len()), (DescribedKind::List, 5));
    let spent = clinic.curator.ledger().share("patients", "ana").unwrap().unwrap().spent;
    for _ in 0..3 {
        clinic.curator.describe(&with("ana", sql, &[])).unwrap();
    }
    assert_eq!(clinic.curator.ledger().share("patients", "ana").unwrap().unwrap().spent, spent);
}

/// Specification: what would be refused is refused when it is described, and nobody else's share is needed to be told so.
#[test]
fn a_description_is_refused_as_the_question_is() {
    let clinic = Clinic::new(&visits(10));
    for (analyst, sql, kind) in [
        ("ana", "count(*) FROM nowhere", Kind::UnknownTable),
        ("ana", "nothing FROM visits", Kind::UnknownColumn),
        ("mallory", "count(*) FROM visits", Kind::UnknownAnalyst),
        ("ana", "name FROM visits", Kind::Privacy),
    ] {
        let ask = with(analyst, sql, &[]);
        let described = clinic.curator.describe(&ask).unwrap_err();
        let asked = clinic.curator.ask(&ask).unwrap_err();
        assert_eq!((described.kind(), described.to_string()), (asked.kind(), asked.to_string()), "{sql}");
        assert_eq!(described.kind(), kind, "{sql}");
    }
    let unbound = with("ana", "count(*) FROM visits WHERE region = $1", &[]);
    assert_eq!(clinic.curator.ask(&unbound).unwrap_err().kind(), Kind::Parameter);
}
