//! What an asker should know about an answer before buying it, in words.

use pointillist_catalog::ColumnType;
use pointillist_privacy::FailureProbability;

use crate::plan::{Owner, PrivatePlan, Quantity, Relation};
use crate::text;

/// Everything that bounding, clamping and public keys change about the true answer.
pub(crate) fn of(plan: &PrivatePlan) -> Vec<String> {
    let aggregation = &plan.aggregation;
    let Relation::Table { name: table, columns } = &aggregation.relation;
    let column = |position: usize| columns.get(position).map(|column| column.name.clone());
    let mut notes = Vec::new();
    match &aggregation.owner {
        Owner::EachRow => notes.push(format!("every row of {table} counts as another person")),
        Owner::Column(unit) => {
            let (groups, rows) = (aggregation.bound.groups_max(), aggregation.bound.rows_max());
            let only_people = aggregation.measures.iter().all(|measure| measure.quantity == Quantity::People);
            let groups_text = if aggregation.keys.is_empty() {
                String::new()
            } else {
                format!(" in at most {groups} {}", if groups == 1 { "group" } else { "groups" })
            };
            let who = format!("a person ({unit})");
            notes.push(match (only_people, aggregation.keys.is_empty()) {
                (true, true) => format!("{who} counts once"),
                (true, false) => format!("{who} counts once{groups_text}"),
                (false, true) => format!("{who} counts with at most {rows} rows"),
                (false, false) => format!("{who} counts with at most {rows} rows{groups_text}"),
            });
        }
    }
    let mut clamped = Vec::new();
    for measure in &aggregation.measures {
        if let Quantity::Total { value, units, .. } = &measure.quantity {
            let declared = match value {
                crate::scalar::Scalar::Column(position) => columns.get(*position).is_some_and(|column| {
                    matches!(
                        column.kind,
                        ColumnType::Number { bounds: Some(_), .. } | ColumnType::Integer { bounds: Some(_) }
                    )
                }),
                _ => false,
            };
            let why = if declared { " as declared" } else { "" };
            let note = format!(
                "values of {} are clamped to [{}, {}]{why} and rounded to steps of {}",
                text::scalar(value, &column),
                units.grid.lower(),
                units.grid.upper(),
                units.grid.step(),
            );
            if !clamped.contains(&note) {
                clamped.push(note);
            }
        }
    }
    notes.extend(clamped);
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
    notes
}
