//! Parameters are literals that travel beside the text.

use pointillist_errors::{Explained, Kind};
use pointillist_plan::Type;

use super::fixture::catalog;
use crate::{
    Options, Parameter, ParameterType, Refusal, Statement, parameter_types, statement, statement_with,
};

fn text(text: &str) -> Parameter {
    Parameter::Text(text.to_owned())
}

fn untyped(text: &str) -> Parameter {
    Parameter::Untyped(text.to_owned())
}

fn number(text: &str) -> Parameter {
    Parameter::Number(text.to_owned())
}

fn bytes(statement: Result<Statement, Refusal>) -> Vec<u8> {
    match statement.unwrap_or_else(|refusal| panic!("{refusal}")) {
        Statement::Rows(plan) => plan.canonical(),
        Statement::Public(public) => public.to_string().into_bytes(),
        Statement::Graph(question) => format!("{question:?}").into_bytes(),
        Statement::Training(question) => format!("{question:?}").into_bytes(),
        Statement::Evaluation(question) => format!("{question:?}").into_bytes(),
        Statement::Synthesis(question) => format!("{question:?}").into_bytes(),
    }
}

fn refused(sql: &str, parameters: &[Parameter]) -> Refusal {
    match statement_with(&catalog(), sql, parameters, &Options::default()) {
        Ok(_) => panic!("{sql} is answered"),
        Err(refusal) => refusal,
    }
}

/// Specification: with values in the places of its parameters a statement is the statement with these literals in it,
/// byte for byte, whatever type the value came with.
#[test]
fn a_statement_with_parameters_is_the_statement_with_literals() {
    let date = |text: &str| Parameter::Date(text.to_owned());
    let moment = |text: &str| Parameter::Timestamp(text.to_owned());
    let cases: Vec<(&str, Vec<Parameter>, &str)> = vec![
        (
            "count(*) FROM visits WHERE region = $1",
            vec![text("north")],
            "count(*) FROM visits WHERE region = 'north'",
        ),
        (
            "count(*) FROM visits WHERE region = $1",
            vec![untyped("north")],
            "count(*) FROM visits WHERE region = 'north'",
        ),
        (
            "count(*) FROM visits WHERE region = $1::VARCHAR",
            vec![text("north")],
            "count(*) FROM visits WHERE region = 'north'",
        ),
        ("count(*) FROM visits WHERE age > $1", vec![untyped("30")], "count(*) FROM visits WHERE age > 30"),
        (
            "count(*) FROM visits WHERE age > $1::int",
            vec![untyped("30")],
            "count(*) FROM visits WHERE age > 30",
        ),
        ("count(*) FROM visits WHERE age > $1", vec![number("-3")], "count(*) FROM visits WHERE age > -3"),
        (
            "count(*) FROM visits WHERE age BETWEEN $1 AND $2",
            vec![number("3"), untyped("7")],
            "count(*) FROM visits WHERE age BETWEEN 3 AND 7",
        ),
        (
            "count(*) FROM visits WHERE ward IN ($1, $2)",
            vec![text("a"), text("b")],
            "count(*) FROM visits WHERE ward IN ('a', 'b')",
        ),
        (
            "count(*) FROM visits WHERE ward LIKE $1",
            vec![text("a%")],
            "count(*) FROM visits WHERE ward LIKE 'a%'",
        ),
        (
            "count(*) FROM visits WHERE day >= $1",
            vec![date("2024-02-01")],
            "count(*) FROM visits WHERE day >= DATE '2024-02-01'",
        ),
        (
            "count(*) FROM visits WHERE day >= $1",
            vec![untyped("2024-02-01 00:00:00+00")],
            "count(*) FROM visits WHERE day >= '2024-02-01'",
        ),
        (
            "count(*) FROM visits WHERE day >= CAST($1 AS date)",
            vec![untyped("2024-02-01")],
            "count(*) FROM visits WHERE day >= '2024-02-01'",
        ),
        (
            "count(*) FROM visits WHERE seen >= $1",
            vec![moment("2020-01-02 01:00:00+01:00")],
            "count(*) FROM visits WHERE seen >= '2020-01-02'",
        ),
        (
            "count(*) FROM visits WHERE smoker = $1",
            vec![Parameter::Boolean(true)],
            "count(*) FROM visits WHERE smoker = true",
        ),
        (
            "region, count(*) FROM visits GROUP BY region ORDER BY 2 LIMIT $1::INTEGER OFFSET ($2)",
            vec![untyped("2"), number("1")],
            "region, count(*) FROM visits GROUP BY region ORDER BY 2 LIMIT 2 OFFSET 1",
        ),
        (
            "date_trunc($1, day), count(*) FROM visits GROUP BY date_trunc($1, day)",
            vec![text("month")],
            "date_trunc('month', day), count(*) FROM visits GROUP BY date_trunc('month', day)",
        ),
        (
            "region, count(*) FROM visits GROUP BY region HAVING count(*) > $1",
            vec![number("100")],
            "region, count(*) FROM visits GROUP BY region HAVING count(*) > 100",
        ),
        (
            "count(*) FROM visits WHERE region = $2 AND sex = $1",
            vec![text("f"), text("north")],
            "count(*) FROM visits WHERE region = 'north' AND sex = 'f'",
        ),
        (
            "count(*) FROM visits WHERE region = ANY($1)",
            vec![Parameter::List(vec![text("north"), text("south")])],
            "count(*) FROM visits WHERE region IN ('north', 'south')",
        ),
        (
            "count(*) FROM visits WHERE age <> ALL($1::int[]) AND sex = $2",
            vec![Parameter::List(vec![untyped("1"), number("2"), Parameter::Null]), text("f")],
            "count(*) FROM visits WHERE age NOT IN (1, 2, NULL) AND sex = 'f'",
        ),
        (
            "count(*) FROM visits WHERE region = ANY($1)",
            vec![Parameter::List(Vec::new())],
            "count(*) FROM visits WHERE false",
        ),
        (
            "count(*) FROM visits WHERE region = ANY($1)",
            vec![untyped("{\"no' OR 1=1 --\",south}")],
            "count(*) FROM visits WHERE region IN ('no'' OR 1=1 --', 'south')",
        ),
    ];
    for (sql, parameters, literal) in cases {
        let [sql, literal] = [sql, literal].map(|sql| format!("SELECT {sql}"));
        let bound = statement_with(&catalog(), &sql, &parameters, &Options::default());
        assert_eq!(bytes(bound), bytes(statement(&catalog(), &literal, &Options::default())), "{sql}");
    }
}

/// Specification: what stands in a value is never read as SQL.
#[test]
fn a_value_is_data_whatever_stands_in_it() {
    for hostile in ["' OR 1 = 1 --", "x'; DROP TABLE visits; --", "$2", "\u{1}0", "\\", "a\0b", "\" $$ /*"] {
        let sql = "SELECT count(*) FROM visits WHERE ward = $1";
        let literal = format!("SELECT count(*) FROM visits WHERE ward = '{}'", hostile.replace('\'', "''"));
        let bound = statement_with(&catalog(), sql, &[text(hostile)], &Options::default());
        assert_eq!(bytes(bound), bytes(statement(&catalog(), &literal, &Options::default())), "{hostile:?}");
    }
}

#[test]
fn a_parameter_without_a_value_and_a_value_without_a_parameter_are_refused() {
    let one = "SELECT count(*) FROM visits WHERE region = $1";
    for (sql, parameters) in [
        (one, vec![]),
        (one, vec![text("north"), text("south")]),
        ("SELECT count(*) FROM visits", vec![text("north")]),
        ("SELECT count(*) FROM visits WHERE region = $2", vec![text("a"), text("b")]),
        ("SELECT count(*) FROM visits WHERE region = $0", vec![text("a")]),
        ("SELECT count(*) FROM visits WHERE region = $99999999999999999999", vec![text("a")]),
        ("SELECT count(*) FROM visits WHERE age > $1", vec![number("NaN")]),
        ("SELECT count(*) FROM visits WHERE age > $1", vec![number("1; DROP")]),
        ("SELECT count(*) FROM visits WHERE age > $1", vec![number("--3")]),
        ("SELECT count(*) FROM visits WHERE age > $1", vec![untyped("many")]),
        ("SELECT region, count(*) FROM visits GROUP BY $1", vec![number("1")]),
        ("SELECT region, count(*) FROM visits GROUP BY region ORDER BY $1", vec![number("1")]),
    ] {
        assert_eq!(refused(sql, &parameters).kind(), Kind::Parameter, "{sql} {parameters:?}");
    }
    let long = refused(one, &[text(&"x".repeat(70_000))]);
    assert_eq!(long.kind(), Kind::Syntax);
}

/// Specification: a deep chain of parameters is walked or refused, and never overflows a stack.
#[test]
fn many_parameters_are_bounded() {
    let many = |count: usize, between: &str| {
        let list: Vec<String> = (1..=count).map(|number| format!("${number}")).collect();
        list.join(between)
    };
    let sql = format!("SELECT count(*) FROM visits WHERE age IN ({})", many(1_200, ", "));
    let values: Vec<Parameter> = (0..1_200).map(|value| number(&value.to_string())).collect();
    assert!(statement_with(&catalog(), &sql, &values, &Options::default()).is_ok());
    let integer = ParameterType { kind: Type::Integer, is_list: false };
    assert_eq!(parameter_types(&catalog(), &sql).unwrap(), vec![integer; 1_200]);
    let sql = format!("SELECT count(*) FROM visits WHERE age > {}", many(990, " + "));
    assert!(statement_with(&catalog(), &sql, &values[..990], &Options::default()).is_err());
    assert_eq!(parameter_types(&catalog(), &sql).unwrap().len(), 990);
}

/// Specification: a parameter has the type of what it is compared with, cast to or given to, and else text.
#[test]
fn types_of_parameters_are_known_without_values() {
    use Type::{Boolean, Date, Integer, Number, Text, Timestamp};
    for (sql, types) in [
        ("count(*) FROM visits", vec![]),
        ("count(*) FROM visits WHERE region = $1", vec![Text]),
        ("count(*) FROM visits WHERE $1 = age", vec![Integer]),
        (
            "count(*) FROM visits WHERE cost > $1 AND day < $2 AND seen < $3 AND smoker = $4",
            vec![Number, Date, Timestamp, Boolean],
        ),
        (
            "count(*) FROM visits WHERE ward = $1::VARCHAR AND day = $2::date AND ward <> CAST($3 AS int)::text",
            vec![Text, Date, Integer],
        ),
        ("count(*) FROM visits WHERE day > $1::timestamp", vec![Timestamp]),
        ("count(*) FROM visits WHERE day > $1::timestamptz", vec![Timestamp]),
        ("count(*) FROM visits WHERE age IN ($1, $2)", vec![Integer, Integer]),
        ("count(*) FROM visits WHERE day BETWEEN $1 AND $2", vec![Date, Date]),
        ("count(*) FROM visits WHERE ward LIKE $1", vec![Text]),
        ("region, count(*) FROM visits GROUP BY region LIMIT $1 OFFSET $2", vec![Integer, Integer]),
        ("region, count(*) FROM visits GROUP BY region LIMIT $1::INTEGER", vec![Integer]),
        (
            "region, count(*) FROM visits GROUP BY region HAVING count(*) > $1 AND avg(cost) < $2",
            vec![Integer, Number],
        ),
        (
            "date_trunc($1, day), count(*) FROM visits WHERE age > $2 GROUP BY 1 HAVING count(*) > $3",
            vec![Text, Integer, Integer],
        ),
        ("count(*) FROM (SELECT day AS d FROM visits) v WHERE d > $1", vec![Date]),
        ("count(*) FROM visits WHERE age + $1 > $2", vec![Integer, Integer]),
        ("sum(CASE WHEN age > $1 THEN $2 ELSE 0 END) FROM visits", vec![Integer, Integer]),
        ("count(*) FROM nowhere WHERE x = $1", vec![Text]),
    ] {
        let known = parameter_types(&catalog(), &format!("SELECT {sql}")).unwrap();
        assert!(known.iter().all(|known| !known.is_list), "{sql}");
        assert_eq!(known.into_iter().map(|known| known.kind).collect::<Vec<_>>(), types, "{sql}");
    }
    for (sql, kind) in [
        ("count(*) FROM visits WHERE age = ANY($1)", Integer),
        ("count(*) FROM visits WHERE region <> ALL ($1)", Text),
        ("count(*) FROM visits WHERE day = ANY(($1)::date[])", Date),
    ] {
        let known = parameter_types(&catalog(), &format!("SELECT {sql}")).unwrap();
        assert_eq!(known, [ParameterType { kind, is_list: true }], "{sql}");
    }
    assert!(parameter_types(&catalog(), "DROP TABLE visits").is_err());
}
