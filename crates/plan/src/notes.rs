//! What an asker should know about an answer before buying it, in words.

use pointillist_catalog::{ColumnType, Value};
use pointillist_mechanisms::Rank;
use pointillist_numbers::Rational;
use pointillist_privacy::FailureProbability;

use crate::describe::aggregation_columns;
use crate::{Aggregate, Formula, Ownership, PrivatePlan, Quantity, Type, text, type_of, visit};

/// Everything that bounding, clamping and public keys change about the true answer.
pub fn notes(plan: &PrivatePlan) -> Vec<String> {
    let aggregation = &plan.aggregation;
    let column = aggregation_columns(plan);
    let mut notes = Vec::new();
    match aggregation.ownership() {
        Ownership::EachRow | Ownership::Nobody => {
            let tables = aggregation.relation.scans();
            let owned = tables.iter().find(|scan| scan.owner.ownership() == Ownership::EachRow);
            let table = owned.map_or("the table", |scan| scan.table.as_str());
            notes.push(format!("every row of {table} counts as another person"));
        }
        Ownership::People(unit) => {
            let (groups, rows) = (aggregation.bound.groups_max(), aggregation.bound.rows_max());
            let only_people = aggregation.measures.iter().all(|measure| measure.quantity == Quantity::People);
            let row_word = if rows == 1 { "row" } else { "rows" };
            let groups_text = if aggregation.keys.is_empty() {
                String::new()
            } else {
                format!(" in at most {groups} {}", if groups == 1 { "group" } else { "groups" })
            };
            let who = format!("a person ({unit})");
            notes.push(match (only_people, aggregation.keys.is_empty()) {
                (true, true) => format!("{who} counts once"),
                (true, false) => format!("{who} counts once{groups_text}"),
                (false, true) => format!("{who} counts with at most {rows} {row_word}"),
                (false, false) => format!("{who} counts with at most {rows} {row_word}{groups_text}"),
            });
        }
    }
    let mut clamped = Vec::new();
    for measure in &aggregation.measures {
        for (value, grid) in measure.quantity.grids() {
            let declared = match value {
                crate::Scalar::Column(position) => {
                    aggregation.relation.column(*position).is_some_and(|column| {
                        matches!(
                            column.kind,
                            ColumnType::Number { bounds: Some(_), .. }
                                | ColumnType::Integer { bounds: Some(_) }
                                | ColumnType::Date { bounds: Some(_) }
                                | ColumnType::Timestamp { bounds: Some(_) }
                        )
                    })
                }
                _ => false,
            };
            let why = if declared { " as declared" } else { "" };
            let kind = type_of(value, &aggregation.relation.types());
            let note = format!(
                "values of {} are clamped to [{}, {}]{why} and rounded to steps of {}",
                text::scalar(value, &column),
                end_text(grid.lower(), kind),
                end_text(&grid.upper(), kind),
                step_text(grid.step(), kind),
            );
            if !clamped.contains(&note) {
                clamped.push(note);
            }
        }
    }
    if !clamped.is_empty() && conditions_use_bounds(plan) {
        clamped.push("conditions and keys see values as they are, outside of their bounds too".to_owned());
    }
    notes.extend(clamped);
    notes.extend(plan.answer.aggregates.iter().filter_map(|aggregate| rows_needed(plan, aggregate)));
    if aggregation.measures.iter().any(|measure| measure.quantity == Quantity::PeopleCut) {
        notes.push("a twentieth of the price tells how many people have more rows than count".to_owned());
    }
    notes.extend(plan.answer.aggregates.iter().filter_map(|aggregate| about_choice(plan, aggregate)));
    notes.extend(plan.answer.aggregates.iter().filter_map(|aggregate| about_distinct(plan, aggregate)));
    match (&aggregation.domain, &plan.selection) {
        (Some(_), _) if aggregation.keys.is_empty() => {}
        (Some(domain), _) => {
            let null_is_a_key = domain.iter().flatten().any(Option::is_none);
            let others = if null_is_a_key { "any other key" } else { "NULL or another key" };
            notes.push(format!(
                "the keys are public: all {} groups are shown, empty ones too, and rows with {others} are left out",
                domain.len()
            ));
        }
        (None, Some(selection)) => {
            let beta = FailureProbability::parse("0.05").expect("a constant probability is valid");
            notes.push(format!(
                "keys are earned: a group is shown when its noisy number of people reaches {}; with {} people it is shown with 95 %",
                selection.threshold(),
                selection.people_needed(&beta),
            ));
        }
        (None, None) => {}
    }
    if plan.answer.picks_by_noise(aggregation) && !aggregation.keys.is_empty() {
        let groups = match &aggregation.domain {
            Some(domain) => format!("all {} groups", domain.len()),
            None => "all groups that earn their place".to_owned(),
        };
        notes.push(format!(
            "noisy numbers pick the groups that are shown, so each error bar is wide enough for {groups} at once"
        ));
    }
    notes
}

/// Whether a condition or a key uses a column with declared bounds.
fn conditions_use_bounds(plan: &PrivatePlan) -> bool {
    let aggregation = &plan.aggregation;
    let keys = aggregation.keys.iter().map(|key| &key.value);
    let counted = aggregation.measures.iter().filter_map(|measure| measure.counted.as_ref());
    let mut used = aggregation.filter.iter().chain(keys).chain(counted).flat_map(visit::columns);
    used.any(|column| {
        aggregation.relation.column(column).is_some_and(|column| {
            matches!(
                column.kind,
                ColumnType::Integer { bounds: Some(_) }
                    | ColumnType::Number { bounds: Some(_), .. }
                    | ColumnType::Date { bounds: Some(_) }
                    | ColumnType::Timestamp { bounds: Some(_) }
            )
        })
    })
}

/// Below how many rows a mean says nothing: its bar is then all that the bounds allow.
///
/// With n rows around the middle of the range, the bar reaches both ends when n half ranges are no more than the error of
/// total − end · rows, which is √(r_T² + r_N²) with r the 95 % errors of total and rows, in half ranges and in rows.
fn rows_needed(plan: &PrivatePlan, aggregate: &Aggregate) -> Option<String> {
    let Formula::Mean { total, rows, grid } = &aggregate.formula else { return None };
    let beta = FailureProbability::parse("0.05").expect("a constant probability is valid");
    let error = |measure: usize| {
        let steps = Rational::from(plan.releases[measure].noise().error_bound(&beta));
        steps * plan.aggregation.measures[measure].unit()
    };
    let half = (&grid.upper() - grid.lower()) * Rational::ratio(1, 2);
    let rows = error(*rows).to_f64_upper().hypot((error(*total) / half).to_f64_upper());
    Some(format!(
        "{}: in a group of fewer than about {} rows the answer is noise, and its interval all of [{}, {}]",
        aggregate.name,
        rows.ceil(),
        grid.lower(),
        grid.upper(),
    ))
}

/// What a quantile is off by, and where it is NULL.
fn about_choice(plan: &PrivatePlan, aggregate: &Aggregate) -> Option<String> {
    let Formula::Quantile { measure, .. } = &aggregate.formula else { return None };
    let choice = plan.releases[*measure].choice()?;
    let beta = FailureProbability::parse("0.05").expect("a constant probability is valid");
    let (name, off) = (&aggregate.name, choice.rank_error(&beta).ceil().to_string());
    let row_word = if off == "1" { "row" } else { "rows" };
    let Quantity::Quantile { rank, .. } = &plan.aggregation.measures[*measure].quantity else { return None };
    Some(match (choice.from_end(), rank) {
        (Some(from_end), rank) => {
            let which = if *rank == Rank::Greatest { "largest" } else { "smallest" };
            format!(
                "{name}: about the {from_end}-th {which} value, for the last one of all would be one person's; its rank is off \
                 by at most {off} {row_word} with 95 %, and with fewer than about {} rows it is NULL",
                2 * from_end
            )
        }
        (None, _) => format!(
            "{name}: its rank is off by at most {off} {row_word} with 95 %, whatever the values; there is no interval in values, \
             and where there may be no rows it is NULL"
        ),
    })
}

/// That a count of values is one of those that people can bring.
fn about_distinct(plan: &PrivatePlan, aggregate: &Aggregate) -> Option<String> {
    let Formula::Sum { measure, .. } = &aggregate.formula else { return None };
    let Quantity::Distinct { .. } = plan.aggregation.measures[*measure].quantity else { return None };
    let rows = plan.aggregation.bound.rows_max();
    let values = if rows == 1 { "value" } else { "values" };
    match plan.aggregation.ownership() {
        Ownership::People(_) => Some(format!(
            "{}: a person brings at most {rows} {values} to a group, so it counts the values that people can bring: no more \
             than there are, and fewer where few people have many",
            aggregate.name
        )),
        Ownership::EachRow | Ownership::Nobody => None,
    }
}

/// The end of a range as its column writes it.
pub(crate) fn end_text(value: &Rational, kind: Option<Type>) -> String {
    let whole = || i64::try_from(value.floor()).ok();
    match kind {
        Some(Type::Date) => {
            let day = whole().and_then(|days| i32::try_from(days).ok());
            day.map_or_else(|| value.to_string(), |day| text::value(&Value::Date(day)))
        }
        Some(Type::Timestamp) => {
            whole().map_or_else(|| value.to_string(), |micros| text::value(&Value::Timestamp(micros)))
        }
        _ => value.to_string(),
    }
}

/// The step of a grid as its column writes it.
pub(crate) fn step_text(step: &Rational, kind: Option<Type>) -> String {
    match kind {
        Some(Type::Date) if *step == Rational::one() => "a day".to_owned(),
        Some(Type::Date) => format!("{step} days"),
        Some(Type::Timestamp) => format!("{} seconds", step / &Rational::from(1_000_000)),
        _ => step.to_string(),
    }
}
