//! Questions that are answered, with what their plans say.

use pointillist_catalog::Value;
use pointillist_numbers::Rational;
use pointillist_plan::{
    Comparison, Excess, Form, Formula, KeyColumn, Owner, PrivatePlan, Quantity, Relation, Role, Scalar, Type,
};

use super::fixture::{plan, try_plan};

/// Accepted statements and a line that their description must have.
pub(super) const ACCEPTED: &[(&str, &str)] = &[
    (
        "SELECT COUNT(*) FROM visits",
        "Release COUNT(*)  discrete_gaussian  sensitivity_l2=20  sigma=200  rho=0.005  error_95=±392",
    ),
    ("select count(1) from visits;", "Release COUNT(*)"),
    ("SELECT count(*) FROM public.visits AS v", "Scan visits"),
    ("SELECT COUNT(*) FROM \"Upper\"", "Scan Upper"),
    ("SELECT COUNT(cost) FROM visits", "Release COUNT(cost)"),
    ("SELECT COUNT(DISTINCT patient_id) FROM visits", "sensitivity_l2=1  sigma=10"),
    ("SELECT COUNT(DISTINCT v.patient_id) FROM visits v", "COUNT(people)"),
    ("SELECT COUNT(DISTINCT p) FROM (SELECT patient_id AS p FROM visits) x", "COUNT(people)"),
    ("SELECT COUNT(DISTINCT pupil) FROM marks WHERE pupil > 7", "Filter pupil > 7"),
    (
        "SELECT SUM(cost) FROM visits",
        "Release SUM(clamp(cost, 0, 10000))  discrete_gaussian  sensitivity_l2=200000",
    ),
    ("SELECT SUM(age) FROM events", "sensitivity_l2=120"),
    ("SELECT SUM(1) FROM events", "sensitivity_l2=1 "),
    ("SELECT SUM(-5) FROM events", "sensitivity_l2=5 "),
    ("SELECT SUM(0) FROM events", "sensitivity_l2=1 "),
    ("SELECT AVG(age) FROM visits", "Release SUM(clamp(age, 0, 120) - 60)"),
    ("SELECT STDDEV(age), VARIANCE(age), VAR_POP(age), AVG(age), COUNT(age) FROM visits", "rho=0.00166667"),
    ("SELECT AVG(temperature) FROM events", "rounded to steps of 0.0000001"),
    (
        "SELECT SUM(LEAST(GREATEST(weight, 0), 200)) FROM visits",
        "clamp(least(greatest(weight, 0), 200), 0, 200)",
    ),
    (
        "SELECT SUM(CASE WHEN smoker THEN cost ELSE 0 END) FROM visits",
        "clamp(CASE WHEN smoker THEN cost ELSE 0 END, 0, 10000)",
    ),
    ("SELECT SUM(cost) FILTER (WHERE smoker) FROM visits", "SUM(clamp(cost, 0, 10000)) FILTER (smoker)"),
    ("SELECT COUNT(*) FILTER (WHERE age >= 65) FROM visits", "COUNT(*) FILTER (age >= 65)"),
    ("SELECT SUM(cost) / COUNT(*) AS mean FROM visits", "Answer AVG(coalesce(cost, 0)) AS mean"),
    ("SELECT region, COUNT(*) FROM visits GROUP BY region", "[public keys: 4 groups]"),
    ("SELECT region, sex, COUNT(*) FROM visits GROUP BY region, sex", "[public keys: 8 groups]"),
    ("SELECT region FROM visits GROUP BY region HAVING COUNT(*) > 10", "having COUNT(*) > 10"),
    (
        "SELECT v.region, COUNT(*) n FROM visits v GROUP BY v.region HAVING n > 10 ORDER BY n DESC",
        "order by COUNT(*) desc",
    ),
    ("SELECT region AS r, COUNT(*) FROM visits GROUP BY r", "BY region"),
    ("SELECT floor(age/10)*10, COUNT(*) FROM visits GROUP BY 1", "[public keys: 13 groups]"),
    ("SELECT floor(age/10.0)*10, COUNT(*) FROM visits GROUP BY 1", "[public keys: 13 groups]"),
    ("SELECT CAST(ceil(age * 0.1) AS integer), COUNT(*) FROM visits GROUP BY 1", "[public keys: 13 groups]"),
    ("SELECT 100 - age % 4, COUNT(*) FROM visits GROUP BY 1", "[public keys: 4 groups]"),
    (
        "SELECT region, COUNT(*) n FROM visits GROUP BY region ORDER BY n DESC LIMIT 1",
        "each error bar is wide enough for all 4 groups at once",
    ),
    (
        "SELECT ward, COUNT(*) n FROM visits GROUP BY ward HAVING COUNT(*) > 5",
        "wide enough for all groups that earn their place at once",
    ),
    ("SELECT SUM(age) FROM visits WHERE age > 130", "conditions and keys see values as they are"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", "EarnKeys threshold="),
    ("SELECT DISTINCT ward FROM visits", "EarnKeys threshold="),
    ("SELECT DISTINCT region, COUNT(*) FROM visits GROUP BY region", "[public keys: 4 groups]"),
    ("SELECT lower(ward), COUNT(*) FROM visits GROUP BY lower(ward)", "BY lower(ward) [earned keys]"),
    ("SELECT smoker, COUNT(*) FROM visits GROUP BY smoker", "[public keys: 3 groups]"),
    ("SELECT age, COUNT(*) FROM visits GROUP BY age", "[public keys: 121 groups]"),
    ("SELECT age / 10 AS decade, COUNT(*) FROM visits GROUP BY decade", "[public keys: 13 groups]"),
    ("SELECT stay % 7, COUNT(*) FROM visits GROUP BY 1", "[public keys: 13 groups]"),
    ("SELECT stay, COUNT(*) FROM visits GROUP BY stay", "[earned keys]"),
    ("SELECT width_bucket(weight, 0, 200, 20), COUNT(*) FROM visits GROUP BY 1", "[public keys: 22 groups]"),
    ("SELECT date_trunc('month', day), COUNT(*) FROM visits GROUP BY 1", "[public keys: 84 groups]"),
    ("SELECT date_trunc('day', seen), COUNT(*) FROM visits GROUP BY 1", "[public keys: 9 groups]"),
    ("SELECT date_trunc('hour', seen), COUNT(*) FROM visits GROUP BY 1", "[public keys: 193 groups]"),
    ("SELECT extract(year FROM day), COUNT(*) FROM visits GROUP BY 1", "[public keys: 7 groups]"),
    ("SELECT date_part('dow', born), COUNT(*) FROM visits GROUP BY 1", "[public keys: 7 groups]"),
    ("SELECT day, COUNT(*) FROM visits GROUP BY day", "[public keys: 2557 groups]"),
    ("SELECT born, COUNT(*) FROM visits GROUP BY born", "[earned keys]"),
    (
        "SELECT CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'adult' ELSE 'old' END AS g, COUNT(*) FROM visits GROUP BY g",
        "[public keys: 3 groups]",
    ),
    (
        "SELECT CASE WHEN age < 18 THEN 'young' END, COUNT(*) FROM visits GROUP BY 1",
        "[public keys: 2 groups]",
    ),
    ("SELECT COALESCE(region, 'none'), COUNT(*) FROM visits GROUP BY 1", "[public keys: 5 groups]"),
    ("SELECT age > 18, COUNT(*) FROM visits GROUP BY 1", "[public keys: 3 groups]"),
    ("SELECT ward IS NULL, COUNT(*) FROM visits GROUP BY 1", "[public keys: 2 groups]"),
    (
        "SELECT COUNT(*) FROM visits WHERE day >= '2021-01-01' AND day < date '2021-01-01' + interval '1 month'",
        "Filter (day >= '2021-01-01') AND (day < add_months('2021-01-01', 1))",
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE seen BETWEEN '2020-01-02' AND '2020-01-03 12:00'",
        "seen <= '2020-01-03T12:00:00'",
    ),
    ("SELECT COUNT(*) FROM visits WHERE ward LIKE 'car%' OR ward ILIKE '%x_' ESCAPE '!'", "ILIKE '%x_'"),
    ("SELECT COUNT(*) FROM visits WHERE ward NOT IN ('a', 'b') AND NOT smoker", "NOT smoker"),
    ("SELECT COUNT(*) FROM visits WHERE age::text || ward = '7x'", "concat(CAST(age AS text), ward)"),
    ("SELECT COUNT(*) FROM visits WHERE TRY_CAST(ward AS int) = 7", "CAST(ward AS bigint) = 7"),
    (
        "SELECT COUNT(*) FROM visits WHERE smoker IS NOT TRUE AND ward IS DISTINCT FROM 'x'",
        "NOT (smoker IS NOT DISTINCT FROM true)",
    ),
    ("SELECT COUNT(*) FROM visits WHERE day - born > 6570", "days_between(day, born) > 6570"),
    (
        "SELECT COUNT(*) FROM visits WHERE round(cost, -2) = 100 AND sqrt(cost) > 2 AND abs(age - 40) < 5 AND mod(age, 2) = 1",
        "Filter",
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE substring(ward FROM 1 FOR 2) = 'ca' AND trim(upper(ward)) <> 'X' AND length(ward) > 3 AND starts_with(ward, 'c')",
        "Filter",
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE nullif(ward, 'x') IS NULL AND greatest(age, 3) > 2 AND concat(ward, 1, smoker) = ''",
        "Filter",
    ),
    (
        "WITH old AS (SELECT * FROM visits WHERE age > 65) SELECT region, AVG(cost) FROM old GROUP BY region",
        "Filter age > 65",
    ),
    (
        "WITH visits AS (SELECT cost * 2 AS twice FROM visits) SELECT SUM(twice) FROM visits",
        "clamp(cost * 2, 0, 20000)",
    ),
    (
        "SELECT SUM(b) FROM (SELECT a + 1 AS b FROM (SELECT age AS a FROM visits WHERE age > 1) x WHERE a < 9) y WHERE b <> 5",
        "Filter (age > 1) AND (age < 9) AND ((age + 1) <> 5)",
    ),
    ("(SELECT COUNT(*) FROM visits)", "Scan visits"),
    ("SELECT COUNT(*), COUNT(*) AS again, 1 + 1 AS two FROM visits OFFSET 0 LIMIT 5", "limit 5"),
    (
        "SELECT region, COUNT(*) FROM visits GROUP BY region ORDER BY 2 DESC, region FETCH FIRST 2 ROWS ONLY",
        "limit 2",
    ),
    ("SELECT COUNT(*) FROM visits WHERE \"Mixed Case\" = 2", "Filter Mixed Case = 2"),
    ("SELECT \"Mixed Case\", COUNT(*) FROM visits GROUP BY \"Mixed Case\"", "[public keys: 3 groups]"),
    ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) COUNT(*) FROM visits", "cost: rho = 0.0"),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1, noise = laplace) COUNT(*) FROM visits",
        "cost: rho = 0.5, delta = 0",
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) COUNT(*) FROM marks",
        "discrete_laplace  sensitivity_l1=5  scale=5  epsilon=1",
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups = 2, max_contributions = 3) region, COUNT(*) FROM loose GROUP BY region",
        "groups<=2  rows_per_group<=3",
    ),
    ("SELECT COUNT(DISTINCT patient_id) FROM loose", "rows_per_group<=1"),
    ("SELECT region, COUNT(*) FROM secrets GROUP BY region", "[public keys: 4 groups]"),
];

#[test]
fn these_questions_have_plans_that_say_so() {
    for (sql, expected) in ACCEPTED {
        let text = plan(sql).to_string();
        assert!(text.contains(expected), "{sql}\n{text}\nlacks {expected}");
    }
    assert!(ACCEPTED.len() >= 60);
}

#[test]
fn a_plan_reads_top_down() {
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.05) region, COUNT(*) AS n, SUM(cost) FROM visits \
               WHERE age > 18 GROUP BY region HAVING COUNT(*) > 10 ORDER BY n DESC LIMIT 3";
    let expected = "\
Answer region, COUNT(*) AS n, SUM(cost) AS sum  having COUNT(*) > 10  order by COUNT(*) desc  limit 3
  Release COUNT(*)  discrete_gaussian  sensitivity_l2=40  sigma=178.886  rho=0.025  error_95=±351
  Release SUM(clamp(cost, 0, 10000))  discrete_gaussian  sensitivity_l2=400000  sigma=1788860  rho=0.025  error_95=±3506100
    Aggregate COUNT(*), SUM(clamp(cost, 0, 10000)) BY region [public keys: 4 groups]
      BoundContributions unit=patient_id  groups<=4  rows_per_group<=20
        Filter age > 18
          Scan visits
cost: rho = 0.05, delta = 0
error of COUNT(*): ±447 with 95 %
error of SUM(cost): ±4468040 with 95 %
note: a person (patient_id) counts with at most 20 rows in at most 4 groups
note: values of cost are clamped to [0, 10000] as declared and rounded to steps of 0.01
note: conditions and keys see values as they are, outside of their bounds too
note: the keys are public: all 4 groups are shown, empty ones too, and rows with NULL or another key are left out
note: noisy numbers pick the groups that are shown, so each error bar is wide enough for all 4 groups at once
";
    assert_eq!(plan(sql).to_string(), expected);
}

fn text(value: &str) -> Scalar {
    Scalar::Constant(Value::Text(value.to_owned()))
}

#[test]
fn a_grouped_count_has_the_contract_of_the_engine() {
    let plan = plan("SELECT COUNT(*), region FROM visits WHERE age > 18 GROUP BY region ORDER BY region");
    let aggregation = &plan.aggregation;
    let Relation::Table { name, columns } = &aggregation.relation;
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((name.as_str(), names), ("visits", vec!["age", "region"]));
    assert_eq!(aggregation.owner, Owner::Column("patient_id".to_owned()));
    assert_eq!(aggregation.keys, [KeyColumn { value: Scalar::Column(1), kind: Type::Text }]);
    let greater = Scalar::Compare(
        Comparison::Greater,
        Box::new(Scalar::Column(0)),
        Box::new(Scalar::Constant(Value::Integer(18))),
    );
    assert_eq!(aggregation.filter, Some(greater));
    let domain = aggregation.domain.as_ref().unwrap();
    assert_eq!(domain[0], [Some(Value::Text("north".to_owned()))]);
    assert_eq!(plan.answer.columns[0].role, Role::Aggregate(0));
    assert_eq!(plan.answer.columns[0].value, Scalar::Column(1));
    assert_eq!(
        (plan.answer.columns[0].name.as_str(), plan.answer.columns[1].name.as_str()),
        ("count", "region")
    );
    assert_eq!(plan.answer.columns[1].role, Role::Key(0));
    assert_eq!(plan.answer.order[0].by, Scalar::Column(0));
    assert!(!plan.answer.order[0].nulls_first);
}

#[test]
fn an_answer_without_keys_is_one_group() {
    let plan = plan("SELECT COUNT(*) FROM visits");
    assert_eq!(plan.aggregation.domain, Some(vec![vec![]]));
    assert_eq!(plan.aggregation.bound.groups_max(), 1);
}

#[test]
fn aggregates_share_their_measures() {
    let plan = plan("SELECT AVG(cost), COUNT(cost), STDDEV(cost), VAR_POP(cost), avg(cost) FROM visits");
    assert_eq!(plan.answer.aggregates.len(), 4);
    assert_eq!(plan.aggregation.measures.len(), 3);
    assert_eq!(plan.releases.len(), 3);
}

fn total(plan: &PrivatePlan) -> (&pointillist_plan::Units, Excess) {
    plan.aggregation
        .measures
        .iter()
        .find_map(|measure| match &measure.quantity {
            Quantity::Total { units, excess, .. } => Some((units, *excess)),
            _ => None,
        })
        .unwrap()
}

#[test]
fn sums_count_from_zero_and_means_from_the_middle() {
    let sum = plan("SELECT SUM(cost) FROM visits");
    let (units, excess) = total(&sum);
    assert_eq!((units.form, excess), (Form::Linear { offset: 0, factor: 1 }, Excess::Clamp));
    let Formula::Sum { unit, .. } = &sum.answer.aggregates[0].formula else { panic!("a sum") };
    assert_eq!(*unit, Rational::ratio(1, 100));
    let mean = plan("SELECT AVG(cost) FROM visits");
    let (units, excess) = total(&mean);
    assert_eq!(
        (units.form, excess),
        (Form::Linear { offset: -1_000_000, factor: 2 }, Excess::Thin { refinement: 1 })
    );
}

#[test]
fn grids_for_squares_stay_small_enough() {
    let plan = plan("SELECT VAR_POP(LEAST(GREATEST(stay, 0), 1000000000000)) FROM visits");
    let (units, _) = total(&plan);
    assert!(units.grid.last_index() < 1 << 31);
    assert_eq!(units.form, Form::CentredSquare);
}

/// Q16: what the parser read is what the engine compares with, byte for byte.
#[test]
fn literals_keep_their_exact_value() {
    for (literal, value) in [
        ("'it''s'", "it's"),
        (r"'\'", r"\"),
        (r"'\'' OR 1=1 --'", r"\' OR 1=1 --"),
        (r"E'a\'b\n'", "a'b\n"),
        ("$$a'b$$", "a'b"),
        ("$x$a$$b$x$", "a$$b"),
        ("'-- no comment'", "-- no comment"),
        ("'/* none */'", "/* none */"),
        ("'\"; DROP TABLE visits; --'", "\"; DROP TABLE visits; --"),
        ("''", ""),
        ("'  é\u{202e}'", "  é\u{202e}"),
    ] {
        let plan = try_plan(&format!("SELECT COUNT(*) FROM visits WHERE ward = {literal} /* a */ -- b"));
        let filter =
            plan.unwrap_or_else(|refusal| panic!("{literal}: {refusal}")).aggregation.filter.unwrap();
        let Scalar::Compare(Comparison::Equal, _, right) = filter else { panic!("a comparison") };
        assert_eq!(*right, text(value), "{literal}");
    }
}

#[test]
fn names_fold_to_lower_case_unless_quoted() {
    for sql in
        ["SELECT COUNT(*) FROM VISITS WHERE AGE > 1", "SELECT COUNT(*) FROM \"visits\" WHERE \"age\" > 1"]
    {
        plan(sql);
    }
    for (sql, hint) in [
        ("SELECT COUNT(*) FROM \"VISITS\"", "did you mean `visits`?"),
        ("SELECT COUNT(*) FROM upper", "write it in quotes: \"Upper\""),
        ("SELECT COUNT(*) FROM visits WHERE \"AGE\" > 1", "write it in quotes: \"age\""),
    ] {
        let refusal = try_plan(sql).unwrap_err();
        assert!(refusal.hint().contains(hint) || refusal.hint().contains("visits"), "{sql}: {refusal}");
    }
}

#[test]
fn the_quote_has_numbers_for_programs() {
    let plan = plan("SELECT region, SUM(cost), AVG(age) FROM visits GROUP BY region");
    let quote = pointillist_plan::quote(&plan);
    assert_eq!(quote.aggregates[0].mechanism, "discrete_gaussian");
    assert_eq!(quote.aggregates[0].grid, Rational::ratio(1, 100));
    assert!(quote.aggregates[0].error_95.is_some() && quote.aggregates[0].scale.is_some());
    assert!(quote.aggregates[1].error_95.is_none());
    assert_eq!(quote.aggregates[1].parts.len(), 2);
    assert_eq!(quote.parts.len(), 3);
}
