//! How much of one person is used: the asker's choice, else the owner's, else what is known of the rows.
//!
//! What is chosen here is enforced by bounding, which runs last; so the choice decides accuracy and never privacy.
//! **Joined tables.** What is declared for one table is no bound of joined rows. An aggregate takes what is declared for
//! the table that its column comes from, a count of rows the largest of all; the largest of these counts for the question.

use std::num::NonZeroU64;

use pointillist_mechanisms::ContributionBound;
use pointillist_plan::{Scalar, visit};

use crate::aggregate::{Asked, What};
use crate::options::Options;
use crate::refusal::{Refusal, shown};
use crate::source::{Limits, People, Source};

/// How much is used, and why, where that needs words.
pub(crate) struct Contribution {
    pub(crate) bound: ContributionBound,
    pub(crate) notes: Vec<String>,
}

/// How many groups, and how many rows in each.
pub(crate) fn bound(
    source: &Source,
    people: &People,
    options: &Options,
    keys: &[Scalar],
    public_groups: Option<usize>,
    asked: &[Asked],
) -> Result<Contribution, Refusal> {
    if people.unit.is_none() {
        return Ok(Contribution { bound: ContributionBound::one_row(), notes: Vec::new() });
    }
    let mut notes = Vec::new();
    let (groups, rows) = (
        groups_max(people, options, keys, public_groups)?,
        rows_max(source, people, options, keys, asked, &mut notes)?,
    );
    Ok(Contribution { bound: ContributionBound::new(groups, rows)?, notes })
}

/// How many rows of a person a model is trained on.
pub(crate) fn rows_of_training(
    people: &People,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<u32, Refusal> {
    let known = if people.unit.is_none() { Some(1) } else { known_rows(people) };
    let declared = people.limits.iter().map(|limits| limits.max_contributions.map(NonZeroU64::get));
    let wanted = match options.max_contributions {
        Some(rows) => Some(rows.get()),
        None => declared.collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().max()),
    };
    let rows = match (known, wanted) {
        (Some(known), Some(wanted)) => known.min(wanted),
        (Some(rows), None) | (None, Some(rows)) => rows,
        (None, None) => {
            return Err(Refusal::parameter(
                format!(
                    "nobody said how many rows of `{}` one person may have in training",
                    tables(&people.limits)
                ),
                "write OPTIONS (max_contributions = 10), or ask the owner to declare max_contributions for the table",
            ));
        }
    };
    if people.unit.is_some()
        && options.max_contributions.is_none()
        && people.limits.len() > 1
        && known.is_none()
    {
        notes.push("rows are of several tables: the largest max_contributions of them counts".to_owned());
    }
    u32::try_from(rows.max(1)).map_err(|_| {
        Refusal::parameter("a person cannot have so many rows in training", "use a smaller max_contributions")
    })
}

/// How many rows a person has at most, as far as that is known.
fn known_rows(people: &People) -> Option<u64> {
    match &people.unique {
        Some(columns) if columns.is_empty() => Some(1),
        _ => people.rows_max,
    }
}

fn groups_max(
    people: &People,
    options: &Options,
    keys: &[Scalar],
    public_groups: Option<usize>,
) -> Result<u64, Refusal> {
    if keys.is_empty() {
        return Ok(1);
    }
    let declared = people.limits.iter().filter_map(|limits| limits.max_groups).max();
    let chosen = match (options.max_groups, known_rows(people)) {
        (Some(groups), _) => Some(groups.get()),
        // Every row is in one group.
        (None, Some(rows)) => Some(declared.map_or(rows, |declared| declared.get().min(rows)).max(1)),
        (None, None) => declared.map(NonZeroU64::get),
    };
    // More groups than there are cannot be touched.
    let public = public_groups.map(|groups| (groups as u64).max(1));
    chosen.into_iter().chain(public).min().ok_or_else(|| {
        Refusal::parameter(
            format!("nobody said how many groups of `{}` one person may touch", tables(&people.limits)),
            "write OPTIONS (max_groups = 3), or ask the owner to declare max_groups for the table",
        )
    })
}

fn rows_max(
    source: &Source,
    people: &People,
    options: &Options,
    keys: &[Scalar],
    asked: &[Asked],
    notes: &mut Vec<String>,
) -> Result<u64, Refusal> {
    if asked.iter().all(|asked| asked.what == What::People) {
        return Ok(1);
    }
    let known = known_rows(people);
    let once = people
        .unique
        .as_ref()
        .is_some_and(|columns| columns.iter().all(|column| keys.contains(&Scalar::Column(*column))));
    if let Some(rows) = options.max_contributions {
        let most = if once { Some(1) } else { known };
        return Ok(most.map_or(rows.get(), |most| most.max(1).min(rows.get())));
    }
    if once || known == Some(1) {
        let where_ = if known == Some(1) { "" } else { " in a group" };
        notes.push(match people.as_declared {
            true => format!("every person has one row{where_} here, as the tables are declared"),
            false => format!("every person has one row{where_} here, so nobody is cut"),
        });
        return Ok(1);
    }
    let mut most: Option<(NonZeroU64, &str)> = None;
    for one in asked.iter().filter(|one| one.what != What::People) {
        for limits in tables_of(one, source, people) {
            match limits.max_contributions {
                Some(rows) if most.is_none_or(|(most, _)| rows > most) => most = Some((rows, &limits.table)),
                Some(_) => {}
                None if known.is_some() => {}
                None => return Err(nobody_said(&limits.table)),
            }
        }
    }
    match (most, known) {
        (Some((rows, table)), known) => {
            if people.limits.len() > 1 {
                notes.push(format!(
                    "rows are of several tables: a person's rows in a group count up to the max_contributions of `{}`",
                    shown(table)
                ));
            }
            Ok(known.map_or(rows.get(), |known| known.min(rows.get())).max(1))
        }
        (None, Some(known)) => Ok(known.max(1)),
        (None, None) => Err(nobody_said(&tables(&people.limits))),
    }
}

/// The tables whose declarations count for an aggregate: those of its columns, or all.
fn tables_of<'p>(asked: &Asked, source: &Source, people: &'p People) -> Vec<&'p Limits> {
    let named: Vec<&str> = asked
        .what
        .values()
        .into_iter()
        .flat_map(visit::columns)
        .filter_map(|column| source.roles.get(column)?.table.as_deref())
        .collect();
    let of_columns: Vec<&Limits> =
        people.limits.iter().filter(|limits| named.contains(&limits.table.as_str())).collect();
    match of_columns.is_empty() {
        true => people.limits.iter().collect(),
        false => of_columns,
    }
}

fn tables(limits: &[Limits]) -> String {
    limits.iter().map(|limits| shown(&limits.table)).collect::<Vec<_>>().join("` and `")
}

fn nobody_said(table: &str) -> Refusal {
    Refusal::parameter(
        format!("nobody said how many rows of `{table}` one person may add to a group"),
        "write OPTIONS (max_contributions = 10), or ask the owner to declare max_contributions for the table",
    )
}
