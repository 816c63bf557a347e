//! Pairs of rows: of the same owner where both sides have owners.
//!
//! **Guarantee.** A row finds partners among its own owner's rows and public rows, never among another owner's: the owner is
//! part of what rows are looked up by. NULL equals nothing.
//! **Which side waits.** The right rows are looked up by the left ones. Public rows are always those that are looked up:
//! then people's rows can pass by in batches of any length.

mod limit;
mod partners;

pub(crate) use partners::Partners;
use pointillist_plan::{Join, JoinKind};

use super::{Context, Table};
use crate::EngineError;

/// The most pairs of public or released rows that one join looks at.
const OPEN_PAIRS_MAX: u64 = 200_000_000;

/// The join of people's rows with public ones that wait already: of at most so many pairs of one person.
pub(super) fn found(
    context: &Context,
    join: &Join,
    partners: &Partners,
    asking: Table,
) -> Result<Table, EngineError> {
    let asking = match context.pairs_max {
        Some(most) if pairs_up(join) => {
            let counts = partners.candidate_counts(&asking)?;
            limit::limited_asking(context, asking, &counts, most)?
        }
        _ => asking,
    };
    let asking = &asking;
    let mut parts = vec![Table::empty(asking.owner(), &joined_types(join))];
    partners.ask(asking, None, &mut |part| {
        parts.push(part);
        Ok(())
    })?;
    Table::concat(&parts)
}

/// The join of two tables.
pub(super) fn join(context: &Context, join: &Join, left: Table, right: Table) -> Result<Table, EngineError> {
    let same_owner = left.owner().is_some() && right.owner().is_some();
    let (left, right) = match context.pairs_max {
        Some(most) if same_owner && pairs_up(join) => limit::limited(context, join, left, right, most)?,
        _ => (left, right),
    };
    let swapped = left.owner().is_none() && right.owner().is_some();
    if lost_rows(join.kind, left.owner().is_some(), right.owner().is_some()) {
        return Err(EngineError::Plan { what: "public rows are kept beside people's" });
    }
    let empty = Table::empty(left.owner().or(right.owner()), &joined_types(join));
    let (asking, waiting) = if swapped { (right, left) } else { (left, right) };
    let partners = Partners::new(&context.hash_key, join, waiting, swapped, same_owner)?;
    if context.pairs_max.is_none() && pairs_up(join) {
        // Rows that are not shown take their time all the same.
        let pairs = partners.candidate_counts(&asking)?.into_iter().fold(0, u64::saturating_add);
        if pairs > OPEN_PAIRS_MAX {
            return Err(EngineError::TooManyRows { most: context.rows_max });
        }
    }
    let mut found = (join.kind == JoinKind::Full).then(|| vec![false; partners.rows().rows()]);
    let mut parts = vec![empty];
    let mut rows = 0;
    let mut take = |part: Table| {
        rows += part.rows();
        if rows > context.rows_max {
            return Err(EngineError::TooManyRows { most: context.rows_max });
        }
        parts.push(part);
        Ok(())
    };
    partners.ask(&asking, found.as_deref_mut(), &mut take)?;
    if let Some(found) = found {
        take(partners.alone(&found, &asking)?)?;
    }
    Table::concat(&parts)
}

/// Whether public rows would be kept, or left out, because of people's rows.
pub(super) fn lost_rows(kind: JoinKind, left_owned: bool, right_owned: bool) -> bool {
    match kind {
        JoinKind::Inner => false,
        JoinKind::Full => left_owned != right_owned,
        JoinKind::Left | JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn => !left_owned && right_owned,
    }
}

/// Whether pairs of rows are looked at, and not only whether there are some.
fn pairs_up(join: &Join) -> bool {
    match join.kind {
        JoinKind::Inner | JoinKind::Left | JoinKind::Full => true,
        JoinKind::Semi | JoinKind::Anti => join.condition.is_some(),
        JoinKind::NotIn => join.condition.is_some() || join.keys.len() != 1,
    }
}

fn joined_types(join: &Join) -> Vec<pointillist_plan::Type> {
    match join.kind {
        JoinKind::Inner | JoinKind::Left | JoinKind::Full => [join.left.types(), join.right.types()].concat(),
        JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn => join.left.types(),
    }
}
