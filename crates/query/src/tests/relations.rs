//! What every accepted relation is: well typed, of one scope, and built of nothing that would not be local.

use pointillist_catalog::Protection;
use pointillist_plan::{Join, JoinKind, Ownership, RELATION_DEPTH_MAX, Relation, Scalar, Type, type_of};

use super::fixture::{catalog, plan, try_plan};
use super::sql::answered;

/// Checks a relation of a question about people, which the engine would run.
pub(super) fn check(relation: &Relation, sql: &str) {
    assert!(depth(relation) <= RELATION_DEPTH_MAX, "{sql}");
    let catalog = catalog();
    let mut scopes: Vec<String> = Vec::new();
    for table in relation.tables() {
        if let Protection::Private { scope, .. } = &catalog.tables[table].protection {
            scopes.push(scope.clone());
        }
    }
    scopes.dedup();
    assert_eq!(scopes.len(), 1, "{sql} is about people of one scope");
    assert_ne!(relation.ownership(), Ownership::Nobody, "{sql}");
    walk(relation, sql);
}

fn depth(relation: &Relation) -> usize {
    1 + relation.inputs().into_iter().map(depth).max().unwrap_or(0)
}

fn walk(relation: &Relation, sql: &str) {
    let each_row = relation.ownership() == Ownership::EachRow;
    let is = |scalar: &Scalar, kind: Type, types: &[Type]| {
        assert_eq!(type_of(scalar, types), Some(kind), "{scalar:?} in {sql}");
    };
    match relation {
        Relation::Table(_) => {}
        Relation::Released { .. } => panic!("{sql} asks people about released numbers"),
        Relation::Order { .. } => panic!("{sql} orders rows below an aggregate"),
        Relation::Map { input, filter, columns } => {
            let types = input.types();
            filter.iter().for_each(|filter| is(filter, Type::Boolean, &types));
            assert!(columns.iter().all(|column| type_of(column, &types).is_some()), "{sql}");
        }
        Relation::Join(join) => pairs(join, sql),
        Relation::Union(inputs) => {
            assert!(!each_row && inputs.len() > 1, "{sql}");
            let public = |input: &Relation| input.ownership() == Ownership::Nobody;
            assert!(inputs.iter().all(|input| public(input) == public(&inputs[0])), "{sql}");
            assert!(inputs.iter().all(|input| input.types() == inputs[0].types()), "{sql}");
        }
        Relation::Distinct(_) => assert!(!each_row, "{sql}"),
        Relation::Group { input, keys, aggregates } => {
            assert!(!each_row, "{sql}");
            let types = input.types();
            assert!(keys.iter().all(|key| type_of(key, &types).is_some()), "{sql}");
            for one in aggregates {
                assert!(type_of(&one.value, &types).and_then(|kind| one.kind(kind)).is_some(), "{sql}");
                one.counted.iter().for_each(|counted| is(counted, Type::Boolean, &types));
            }
        }
        Relation::Window { input, windows } => {
            assert!(!each_row && !windows.is_empty(), "{sql}");
            let types = input.types();
            for window in windows {
                assert!(window.kind(&types).is_some(), "{sql}");
                assert!(window.expressions().iter().all(|part| type_of(part, &types).is_some()), "{sql}");
                window.order.iter().for_each(|order| is(&order.by, order.kind, &types));
            }
        }
    }
    relation.inputs().into_iter().for_each(|input| walk(input, sql));
}

fn pairs(join: &Join, sql: &str) {
    let (left, right) = (join.left.ownership(), join.right.ownership());
    if left == Ownership::Nobody && right != Ownership::Nobody {
        panic!("{sql} looks at people from public rows");
    }
    if join.kind == JoinKind::Full {
        assert_eq!(left == Ownership::Nobody, right == Ownership::Nobody, "{sql} keeps public rows");
    }
    if left == Ownership::EachRow {
        assert_eq!(right, Ownership::Nobody, "{sql} joins rows that are people");
    }
    assert_ne!(right, Ownership::EachRow, "{sql} joins rows that are people");
    let (ours, theirs) = (join.left.types(), join.right.types());
    for (one, other) in &join.keys {
        let kind = type_of(one, &ours);
        assert!(kind.is_some() && kind == type_of(other, &theirs), "{one:?} = {other:?} in {sql}");
    }
    if let Some(condition) = &join.condition {
        assert_eq!(type_of(condition, &[ours, theirs].concat()), Some(Type::Boolean), "{sql}");
    }
}

#[test]
fn accepted_relations_are_local_by_structure() {
    for example in answered() {
        check(&plan(&example.sql).aggregation.relation, &example.sql);
    }
}

/// Each of these doubles what the one before it is; a billion rows of a plan would be nobody's to read.
#[test]
fn relations_that_double_are_refused() {
    let doubled = |step: &dyn Fn(&str) -> String| {
        let mut with = vec!["a0 AS (SELECT patient_id, cost AS c FROM visits)".to_owned()];
        for level in 1..24 {
            with.push(format!("a{level} AS ({})", step(&format!("a{}", level - 1))));
        }
        format!("WITH {} SELECT COUNT(*) FROM a23", with.join(", "))
    };
    for sql in [
        doubled(&|a| {
            format!("SELECT x.patient_id, x.c FROM {a} x JOIN {a} y ON x.patient_id = y.patient_id")
        }),
        doubled(&|a| format!("SELECT patient_id, c FROM {a} UNION ALL SELECT patient_id, c FROM {a}")),
        doubled(&|a| {
            format!("SELECT patient_id, c FROM {a} WHERE patient_id IN (SELECT patient_id FROM {a})")
        }),
        doubled(&|a| {
            format!(
                "SELECT x.patient_id, (SELECT MAX(y.c) FROM {a} y WHERE y.patient_id = x.patient_id) AS c FROM {a} x"
            )
        }),
    ] {
        let start = std::time::Instant::now();
        let refusal = try_plan(&sql).unwrap_err();
        assert_eq!(refusal.sqlstate(), "42601", "{refusal}");
        assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?} for {sql}", start.elapsed());
    }
}

/// Names of columns are expressions of those below: printed, they would double at each level.
#[test]
fn deep_questions_are_printed_in_few_words() {
    let mut inner = "visits".to_owned();
    for level in 0..20 {
        inner = format!(
            "(SELECT patient_id, MAX(cost) + MIN(cost) AS cost FROM {inner} GROUP BY patient_id) x{level}"
        );
    }
    let text = plan(&format!("SELECT SUM(LEAST(cost, 10)) FROM {inner}")).to_string();
    assert!(text.len() < 200_000, "{} bytes", text.len());
}

/// Over 40 tables, one join each: deep relations are refused, long lists of tables too, and neither takes long.
#[test]
fn many_tables_are_planned_or_refused_quickly() {
    let start = std::time::Instant::now();
    for count in [2, 10, 40, 60, 500] {
        let list: Vec<String> = (0..count).map(|number| format!("wards w{number}")).collect();
        let on: Vec<String> = (1..count).map(|number| format!("w{number}.ward = w0.ward")).collect();
        let _ = try_plan(&format!(
            "SELECT COUNT(*) FROM visits v, {} WHERE {}",
            list.join(", "),
            on.join(" AND ")
        ));
        let chain: Vec<String> =
            (1..count).map(|number| format!("JOIN visits v{number} USING (patient_id)")).collect();
        let _ = try_plan(&format!("SELECT COUNT(*) FROM visits v0 {}", chain.join(" ")));
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}
