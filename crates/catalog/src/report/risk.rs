//! What to look at again before anyone asks.

use std::collections::BTreeMap;

use pointillist_numbers::Rational;
use pointillist_privacy::Currency;

use super::words::{budget, epsilon_upper, upper};
use super::{Finding, Severity};
use crate::{
    Catalog, Column, ColumnType, DeclaredBudget, GraphPrivacy, Protection, Scope, Table, Unit, name,
};

/// An ε above this lets one answer be `e^5`, 148 times, likelier because of one person.
const EPSILON_MUCH: u32 = 5;
/// Bounds at least this far apart are usually "any number".
const WIDTH_MUCH: u64 = 1_000_000_000;
/// Steps beyond this are finer than the digits of a float between the bounds.
const STEPS_MUCH: u64 = 1 << 53;

pub(super) fn findings(catalog: &Catalog, people: &BTreeMap<String, u64>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for scope in catalog.scopes.values() {
        of_scope(scope, people.get(&scope.name).copied(), &mut findings);
        of_periods(catalog, scope, &mut findings);
        unused_scope(catalog, scope, &mut findings);
    }
    for table in catalog.tables.values() {
        match &table.protection {
            Protection::Public => of_public_table(catalog, table, &mut findings),
            Protection::Private { .. } => of_private_table(catalog, table, &mut findings),
        }
        if table.columns.is_empty() {
            findings.push(note(
                format!("table.{}", table.name),
                "no column is declared, so analysts can name none",
                "declare the columns they need under [table.NAME.columns]",
            ));
        }
    }
    for graph in catalog.graphs.values().filter(|graph| graph.privacy == GraphPrivacy::Edge) {
        findings.push(risk(
            format!("graph.{}", graph.name),
            "edge privacy hides one tie, not a person: someone with many ties stays visible",
            "write privacy = \"node\" if people are the nodes",
        ));
    }
    of_analysts(catalog, &mut findings);
    findings
}

fn of_scope(scope: &Scope, people: Option<u64>, findings: &mut Vec<Finding>) {
    let place = || format!("scope.{}.budget", scope.name);
    let (epsilon, delta) = match &scope.budget {
        DeclaredBudget::Pure { epsilon } => (Some(epsilon.value().clone()), Rational::zero()),
        DeclaredBudget::Zcdp { rho, delta, conversion_delta } => {
            (epsilon_upper(rho, conversion_delta), delta.value() + conversion_delta.value())
        }
    };
    if epsilon.is_none_or(|epsilon| epsilon > Rational::from(EPSILON_MUCH)) {
        findings.push(risk(
            place(),
            &format!(
                "the budget is {}: an ε over {EPSILON_MUCH} lets answers depend on one person by a factor of e^ε, \
                 over 148",
                budget(scope)
            ),
            "lower epsilon; 1 is strong, 3 is common",
        ));
    }
    if delta > Rational::ratio(1, 1_000_000) {
        findings.push(risk(
            place(),
            &format!("δ = {} is the chance that the promise fails altogether", upper(&delta)),
            "lower delta to 1e-9 or below; it costs little noise",
        ));
    }
    if let Some(people) = people.filter(|people| *people > 0) {
        let most = Rational::ratio(1, u128::from(people).pow(2));
        if delta > most {
            findings.push(risk(
                place(),
                &format!("δ = {} is more than one over the square of the number of people", upper(&delta)),
                "lower delta: with δ near one over the number of people, publishing someone's row would be allowed",
            ));
        }
    }
}

/// One period may promise much, and all of them little: the same people come back.
fn of_periods(catalog: &Catalog, scope: &Scope, findings: &mut Vec<Finding>) {
    let Some(promise) = catalog.period_promise(&scope.name).filter(|promise| promise.count > 1) else {
        return;
    };
    if promise.epsilon_upper.as_ref().is_none_or(|epsilon| *epsilon > Rational::from(EPSILON_MUCH)) {
        let all = promise
            .epsilon_upper
            .map_or_else(|| "no ε at all".to_owned(), |all| format!("ε = {}", upper(&all)));
        let (count, word) = (promise.count, promise.every.word());
        findings.push(risk(
            format!("scope.{}.budget", scope.name),
            &format!("somebody who has rows in all {count} {word}s is promised {all} only"),
            "lower epsilon, take longer periods, or be sure that people rarely come back",
        ));
    }
}

fn unused_scope(catalog: &Catalog, scope: &Scope, findings: &mut Vec<Finding>) {
    let used =
        catalog.tables.values().any(|table| private(table).is_some_and(|(name, _)| *name == scope.name))
            || catalog.graphs.values().any(|graph| graph.scope == scope.name);
    if !used {
        let place = format!("scope.{}", scope.name);
        findings.push(note(
            place,
            "no table or graph belongs to this scope",
            "declare one, or remove the scope",
        ));
    }
}

fn of_public_table(catalog: &Catalog, table: &Table, findings: &mut Vec<Finding>) {
    for column in &table.columns {
        let same = |other: &&Table| {
            linking_column(other).is_some_and(|link| name::folded(link) == name::folded(&column.name))
        };
        if let Some(private) = catalog.tables.values().find(same) {
            findings.push(risk(
                format!("table.{}.columns.{}", table.name, column.name),
                &format!("a public table has `{}`, which leads to people in `{}`", column.name, private.name),
                "make sure that no row of it is about a person; if one is, give the table a scope and a privacy_unit",
            ));
        }
    }
}

fn of_private_table(catalog: &Catalog, table: &Table, findings: &mut Vec<Finding>) {
    let Protection::Private { scope, unit, max_groups, max_contributions } = &table.protection else {
        return;
    };
    let place = format!("table.{}", table.name);
    if *unit == Unit::Row {
        let other = catalog.tables.values().find(|other| {
            private(other).is_some_and(|(other_scope, unit)| other_scope == scope && *unit != Unit::Row)
        });
        if let Some(other) = other {
            findings.push(risk(
                place.clone(),
                &format!(
                    "every row counts as another person here, but `{}` of the same scope names people",
                    other.name
                ),
                "name the person's column if this table has one; joins with the other table are refused",
            ));
        } else {
            findings.push(note(
                place.clone(),
                "event level: someone with several rows is protected only row by row",
                "name the person's column as privacy_unit if people can have several rows",
            ));
        }
    } else {
        if max_groups.is_none() {
            findings.push(note(
                place.clone(),
                "nothing says how many groups one person may touch: each GROUP BY has to say it",
                "write how many groups one person may touch in one answer, such as max_groups = 8",
            ));
        }
        if max_contributions.is_none() {
            findings.push(note(
                place.clone(),
                "nothing says how many rows one person may add to a group: each count and sum has to say it",
                "write how many rows one person may add to one group, such as max_contributions = 20",
            ));
        }
    }
    if let Some(column) = unit_column(table).and_then(|unit| table.column(unit)) {
        let place = format!("{place}.columns.{}", column.name);
        if column.public_keys.is_some() {
            findings.push(risk(
                place,
                "the public keys of this column name people, and analysts can read the catalog",
                "remove the public keys, or the column",
            ));
        } else {
            findings.push(note(
                place,
                "this column names people, and is declared for analysts like any other",
                "leave it undeclared: joins on it and COUNT(DISTINCT) work without",
            ));
        }
    }
    let pure = catalog.scopes.get(scope).is_some_and(|scope| scope.budget.currency() == Currency::Pure);
    for column in &table.columns {
        if unit_column(table) != Some(&column.name) {
            of_column(table, column, pure, findings);
        }
    }
}

fn of_column(table: &Table, column: &Column, pure: bool, findings: &mut Vec<Finding>) {
    let place = || format!("table.{}.columns.{}", table.name, column.name);
    match &column.kind {
        ColumnType::Boolean => {}
        ColumnType::Integer { bounds: None } | ColumnType::Number { bounds: None, .. } => {
            findings.push(note(
                place(),
                "without bounds, SUM and AVG of this column are refused",
                "write lower and upper, from what is possible and not from the data",
            ))
        }
        ColumnType::Date { bounds: None } | ColumnType::Timestamp { bounds: None } => findings.push(note(
            place(),
            "without bounds, MIN, MAX and MEDIAN of this column are refused",
            "write lower and upper, from what is possible and not from the data",
        )),
        ColumnType::Integer { bounds: Some((lower, upper)) } => {
            wide(&place, &(Rational::from(*upper) - Rational::from(*lower)), findings);
        }
        ColumnType::Number { bounds: Some((lower, upper)), step } => {
            let width = upper - lower;
            wide(&place, &width, findings);
            let fine = step.as_ref().is_some_and(|step| &width / step > Rational::from(STEPS_MUCH));
            if fine {
                findings.push(note(
                    place(),
                    "the step is finer than a 64-bit float can tell apart between these bounds",
                    "write a longer step; noise hides fine steps anyway",
                ));
            }
        }
        ColumnType::Text | ColumnType::Date { .. } | ColumnType::Timestamp { .. } => {}
    }
    if column.kind == ColumnType::Text && column.public_keys.is_none() {
        findings.push(if pure {
            note(
                place(),
                "keys of this column must be earned, which takes δ; the pure model has none, so GROUP BY it is \
                 refused",
                "list public_keys, or write model = \"zcdp\" for the scope",
            )
        } else {
            note(
                place(),
                "keys of this column must be earned: rare ones stay hidden, and each GROUP BY spends δ",
                "list public_keys if the possible values are public",
            )
        });
    }
}

fn wide(place: &impl Fn() -> String, width: &Rational, findings: &mut Vec<Finding>) {
    if *width >= Rational::from(WIDTH_MUCH) {
        findings.push(note(
            place(),
            &format!("the bounds are {} apart, and the noise of a sum grows with them", upper(width)),
            "narrow them to what is plausible; values outside are moved to the nearest bound",
        ));
    }
}

fn of_analysts(catalog: &Catalog, findings: &mut Vec<Finding>) {
    for analyst in catalog.analysts.values() {
        for (scope, share) in &analyst.shares {
            let cap = catalog.scopes.get(scope).map(|scope| scope.budget.granted());
            let above = cap.is_some_and(|cap| !share.amount.is_within(cap.amount));
            if above {
                findings.push(risk(
                    format!("analyst.{}.shares.{scope}", analyst.name),
                    &format!("the share is above the budget of `{scope}`, which ends it first"),
                    "lower the share: one analyst could spend everything",
                ));
            }
        }
    }
    if catalog.analysts.is_empty() {
        findings.push(note(
            "analyst".to_owned(),
            "no analyst is declared, so only the owner can ask",
            "write an [analyst.NAME] with shares",
        ));
    }
}

fn private(table: &Table) -> Option<(&String, &Unit)> {
    match &table.protection {
        Protection::Public => None,
        Protection::Private { scope, unit, .. } => Some((scope, unit)),
    }
}

/// The column that leads to people, where there is one.
fn linking_column(table: &Table) -> Option<&str> {
    match private(table)?.1 {
        Unit::Row => None,
        Unit::Column(column) | Unit::Linked { column, .. } => Some(column),
    }
}

/// The column that names people, where there is one.
fn unit_column(table: &Table) -> Option<&str> {
    match private(table)?.1 {
        Unit::Row | Unit::Linked { .. } => None,
        Unit::Column(column) => Some(column),
    }
}

fn risk(place: String, words: &str, advice: &str) -> Finding {
    Finding { severity: Severity::Risk, place, words: words.to_owned(), advice: advice.to_owned() }
}

fn note(place: String, words: &str, advice: &str) -> Finding {
    Finding { severity: Severity::Note, place, words: words.to_owned(), advice: advice.to_owned() }
}
