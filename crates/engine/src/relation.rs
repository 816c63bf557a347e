//! Relations over rows in memory: joins, unions, groups, windows.
//!
//! **Guarantee.** Every operator works within one owner: where rows have owners, what it makes of them is the disjoint union
//! over owners of what it makes of each one's rows ([`Relation`], local). Rows without owners are public or released, and
//! beside people's rows they are only ever looked up.
//! **Total.** Values cannot make an operator fail: only a plan that does not fit its rows does, or, of rows that nobody owns,
//! too many of them.
//! **Order.** What comes out is a multiset; its order is a function of the input's order and nothing else.

mod exact;
mod exact_sum;
mod group;
mod join;
mod lookup;
mod map;
mod order;
mod owner_sets;
mod path;
mod people;
mod prepared;
mod row_bytes;
mod scatter;
mod sliding;
mod table;
#[cfg(test)]
mod tests;
mod window;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use map::truths;
pub(crate) use owner_sets::{OwnerSets, Pairs};
pub(crate) use path::Path;
pub(crate) use people::People;
use pointillist_plan::{PAIRS_MAX, RELATION_DEPTH_MAX, Relation};
pub(crate) use prepared::{Origins, Prepared, read as read_public};
pub(crate) use scatter::Scatter;
pub use table::Table;

use self::join::Partners;
use crate::EngineError;
use crate::bound::HashKey;

/// The most rows that a relation of public or released rows may have anywhere inside.
pub(crate) const OPEN_ROWS_MAX: usize = 10_000_000;

/// What operators share.
pub(crate) struct Context {
    hash_key: HashKey,
    /// The most pairs of one owner's rows in a join.
    pairs_max: Option<usize>,
    /// The most rows of a result.
    rows_max: usize,
    /// Public rows that people's rows look for, by the number that stands for them in a join.
    partners: BTreeMap<usize, Arc<Partners>>,
}

impl Context {
    /// For rows that may be counted and shown: they may also be too many.
    pub(crate) fn open(hash_key: HashKey) -> Self {
        Self { hash_key, pairs_max: None, rows_max: OPEN_ROWS_MAX, partners: BTreeMap::new() }
    }

    /// For people's rows: a person who has too many pairs of them loses some, and nothing fails.
    pub(crate) fn people(hash_key: HashKey) -> Self {
        Self { hash_key, pairs_max: Some(PAIRS_MAX), rows_max: usize::MAX, partners: BTreeMap::new() }
    }
}

impl Context {
    fn partners(&self, side: &Relation) -> Option<&Partners> {
        match side {
            Relation::Released { part, .. } => self.partners.get(part).map(AsRef::as_ref),
            _ => None,
        }
    }
}

/// The rows of a relation over public or released rows. `leaves` gives the rows of tables and released parts, or of any
/// relation inside.
///
/// If rows of leaves have owners, every operator works within one owner, and the result has them too: an owner may as well
/// be the number of one of many copies of the same question.
///
/// # Errors
/// When a leaf is missing, the relation does not fit its rows, or there are more than ten million rows somewhere.
pub fn evaluate_relation(
    relation: &Relation,
    leaves: &dyn Fn(&Relation) -> Option<Table>,
) -> Result<Table, EngineError> {
    let hash_key = HashKey::from_system().map_err(EngineError::Entropy)?;
    rows_of(&Context::open(hash_key), relation, leaves, RELATION_DEPTH_MAX)
}

/// The rows of a relation.
pub(crate) fn rows_of(
    context: &Context,
    relation: &Relation,
    leaves: &dyn Fn(&Relation) -> Option<Table>,
    depth: usize,
) -> Result<Table, EngineError> {
    if let Some(table) = leaves(relation) {
        return Ok(table);
    }
    let depth = depth.checked_sub(1).ok_or(EngineError::Plan { what: "relations are too deep" })?;
    let rows = |relation: &Relation| rows_of(context, relation, leaves, depth);
    match relation {
        Relation::Table(_) | Relation::Released { .. } => {
            Err(EngineError::Plan { what: "rows of a relation are missing" })
        }
        Relation::Map { input, filter, columns } => map::map(&rows(input)?, filter.as_ref(), columns),
        Relation::Join(join) => match (context.partners(&join.left), context.partners(&join.right)) {
            (None, None) => join::join(context, join, rows(&join.left)?, rows(&join.right)?),
            (Some(partners), _) => join::found(context, join, partners, rows(&join.right)?),
            (None, Some(partners)) => join::found(context, join, partners, rows(&join.left)?),
        },
        Relation::Union(inputs) => {
            let inputs: Vec<Table> = inputs.iter().map(rows).collect::<Result<_, _>>()?;
            let count: usize = inputs.iter().map(Table::rows).sum();
            if count > context.rows_max {
                return Err(EngineError::TooManyRows { most: context.rows_max });
            }
            Table::concat(&inputs)
        }
        Relation::Distinct(input) => order::distinct(&rows(input)?),
        Relation::Group { input, keys, aggregates } => group::group(&rows(input)?, keys, aggregates),
        Relation::Window { input, windows } => window::window(&rows(input)?, windows),
        Relation::Order { input, by, skip, fetch } => order::order(&rows(input)?, by, *skip, *fetch),
    }
}
