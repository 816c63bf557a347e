//! The rows of one period: what a question about a table with periods reads, and which budget pays.
//!
//! **Guarantee.** Where a question names a period, every private table that it reads has periods, and the scan of each
//! lets through the rows of that period alone: a condition on one row, at the table itself, below every join, window and
//! step about a person (`Scan::filter`). Where it names none, it reads no table with periods. So a question about a
//! period is a function of the rows of that period, which is what `catalog/src/period.rs` proves its theorem from.
//! **Rows of no period.** A row without a value in the period column satisfies no comparison; one outside of all periods
//! that the bounds touch is asked for by no name. Nobody's question ever reads them.

use pointillist_catalog::{Column, ColumnType, Period, Periods, Protection, Scope, Table, Unit, Value};
use pointillist_plan::{Comparison, Scalar};

use crate::refusal::{Refusal, shown};

/// The budget that pays for rows of a table, and which rows of it there are, over its columns. What is known of the period
/// column becomes what is known of it in the period.
///
/// # Errors
/// When the table has periods and none is named, or the other way round, or there is no such period.
pub(crate) fn of_table(
    table: &Table,
    scope: &str,
    named: Option<&str>,
    columns: &mut [Column],
) -> Result<(String, Option<Scalar>), Refusal> {
    let (periods, list, name) = match (&table.periods, table.period_list(), named) {
        (None, _, None) => return Ok((scope.to_owned(), None)),
        (None, _, Some(name)) => {
            return Err(Refusal::not_provable(
                format!(
                    "`{}` has no periods: its rows would be read again for {}, and again for the next period",
                    shown(&table.name),
                    shown(name)
                ),
                "leave the period out, or ask about tables with periods alone",
            ));
        }
        (Some(periods), Some(list), Some(name)) => (periods, list, name),
        (Some(periods), list, _) => {
            let list = list.unwrap_or_default();
            let example = list.last().map(|last| format!("period = '{last}'; ")).unwrap_or_default();
            return Err(Refusal::not_provable(
                format!(
                    "each {} of `{}` has a budget of its own, and the question does not say which",
                    periods.every.word(),
                    shown(&table.name)
                ),
                format!("say {example}{}", known(periods, &list)),
            ));
        }
    };
    if let Protection::Private { unit: Unit::Linked { table: other, .. }, .. } = &table.protection {
        return Err(Refusal::not_provable(
            format!(
                "the owners of `{}` are found in `{}`, in rows of every period",
                shown(&table.name),
                shown(other)
            ),
            "ask the owner for a privacy unit that is a column of the table itself",
        ));
    }
    let found = list.iter().find(|period| period.to_string().eq_ignore_ascii_case(name));
    let place = columns.iter().position(|column| column.name == periods.column);
    let (Some(period), Some(place)) = (found, place) else {
        return Err(Refusal::parameter(
            format!("`{}` has no period `{}`", shown(&table.name), shown(name)),
            known(periods, &list),
        ));
    };
    let filter = within(period, place, &mut columns[place].kind);
    let filter =
        filter.ok_or_else(|| Refusal::parameter("a period is made of days", known(periods, &list)))?;
    Ok((period.scope(scope), Some(filter)))
}

/// What whoever asks about a period should know.
pub(crate) fn notes(payer: &str, scope: &Scope) -> Vec<String> {
    let note = format!("the budget of this period alone pays, `{payer}`, and only its rows are read");
    Some(note).filter(|_| payer != scope.name).into_iter().collect()
}

/// That a column lies in a period; its bounds become those inside of the period.
fn within(period: &Period, column: usize, kind: &mut ColumnType) -> Option<Scalar> {
    let (first, last) = match kind {
        ColumnType::Date { bounds } => {
            let (first, last) = period.days();
            *bounds = bounds.map(|(lower, upper)| (lower.max(first), upper.min(last)));
            (Value::Date(first), Value::Date(last))
        }
        ColumnType::Timestamp { bounds } => {
            let (first, last) = period.moments();
            *bounds = bounds.map(|(lower, upper)| (lower.max(first), upper.min(last)));
            (Value::Timestamp(first), Value::Timestamp(last))
        }
        _ => return None,
    };
    let compare = |how: Comparison, end: Value| {
        Scalar::Compare(how, Box::new(Scalar::Column(column)), Box::new(Scalar::Constant(end)))
    };
    Some(Scalar::All(vec![
        compare(Comparison::GreaterOrEqual, first),
        compare(Comparison::LessOrEqual, last),
    ]))
}

fn known(periods: &Periods, list: &[Period]) -> String {
    let word = periods.every.word();
    match list {
        [] => format!("there is no {word} between the column's bounds"),
        [only] => format!("the only {word} is {only}"),
        [first, .., last] => format!("the {word}s are {first} to {last}"),
    }
}
