//! Tables of counts that are measured together, because they count the same rows.
//!
//! **One estimand.** Numbers of two tables may be reconciled only if they are about the same bounded rows. Where every row is
//! another person, or one row of each person counts, that is so for all tables of the same rows. Where people have more,
//! what counts of them is chosen at one table, the finest: tables that are sums of it share its choice, and all others are
//! cubes of their own.

use std::collections::BTreeMap;

use pointillist_catalog::{Catalog, Value};
use pointillist_plan::{Ownership, PrivatePlan};
use pointillist_query::Options;
use pointillist_workload::Axis;

use super::asked::{Asked, Count, Key, Level, Rows, What};
use super::{PublicationError, nominal_options};

/// Tables that are measured together.
#[derive(Clone, Debug)]
pub(crate) struct CubePlan {
    pub(crate) rows: Rows,
    pub(crate) axes: Vec<CubeAxis>,
    pub(crate) tables: Vec<CubeTable>,
    /// The conditions that make all of them count the same rows.
    pub(crate) conditions: Vec<String>,
    /// Whether at most one row of a person counts.
    pub(crate) is_one_row: bool,
}

/// A column of a cube.
#[derive(Clone, Debug)]
pub(crate) struct CubeAxis {
    pub(crate) key: Key,
    /// The values of its cells.
    pub(crate) values: Vec<Option<Value>>,
    /// For each level of a lookup, the values of its blocks and the parent of each.
    pub(crate) levels: Option<Levels>,
}

/// The levels of a lookup.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    pub(crate) columns: Vec<String>,
    /// For each depth from the coarsest, the values of the columns down to it, block by block.
    pub(crate) blocks: Vec<Vec<Vec<Option<Value>>>>,
    /// For each depth, the block above each block.
    pub(crate) parents: Vec<Vec<usize>>,
}

/// A table of a cube.
#[derive(Clone, Debug)]
pub(crate) struct CubeTable {
    /// Which of the tables that are asked for.
    pub(crate) asked: usize,
    /// For each key of the table, which axis it is.
    pub(crate) axes: Vec<usize>,
    /// One depth for each axis of the cube.
    pub(crate) depths: Vec<usize>,
    pub(crate) ranges: bool,
}

/// Reads the rows of a public table: the values of some columns.
pub(crate) type ReadPublic<'a> =
    dyn Fn(&str, &[String]) -> Result<Vec<Vec<Option<Value>>>, PublicationError> + 'a;

/// Puts the counts among what is asked into cubes.
pub(crate) fn cubes(
    catalog: &Catalog,
    asked: &[Asked],
    lookup: &ReadPublic<'_>,
) -> Result<Vec<CubePlan>, PublicationError> {
    let mut all = Vec::new();
    for members in groups(asked) {
        let together = cube(catalog, asked, &members, lookup)?;
        let maximal = maximal(asked, &members);
        if together.is_one_row || maximal.len() == 1 {
            all.push(together);
            continue;
        }
        let mut left = members.clone();
        for finest in maximal {
            let (own, others) = left.into_iter().partition(|member| is_within(asked, *member, finest));
            left = others;
            all.push(cube(catalog, asked, &own, lookup)?);
        }
    }
    Ok(all)
}

/// Counts of the same rows that overlap: through a common column, or as tables of one entry of the plan.
fn groups(asked: &[Asked]) -> Vec<Vec<usize>> {
    let overlap = |one: usize, other: usize| {
        let (left, right) = (count_of(asked, one), count_of(asked, other));
        let share = |key: &Key| right.keys.iter().any(|own| own.expression == key.expression);
        left.rows == right.rows && (asked[one].entry == asked[other].entry || left.keys.iter().any(share))
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, _) in asked.iter().enumerate().filter(|(_, table)| matches!(table.what, What::Count(_))) {
        let (mut meeting, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group: &Vec<usize>| group.iter().any(|member| overlap(*member, index)));
        meeting.push(vec![index]);
        let mut together: Vec<usize> = meeting.concat();
        together.sort_unstable();
        groups = apart;
        groups.push(together);
    }
    groups.sort();
    groups
}

fn count_of(asked: &[Asked], index: usize) -> &Count {
    match &asked[index].what {
        What::Count(count) => count,
        What::Statement(_) => unreachable!("only counts are members of cubes"),
    }
}

/// Whether every key of a table is one of another's.
fn is_within(asked: &[Asked], table: usize, other: usize) -> bool {
    let has = |key: &Key| count_of(asked, other).keys.iter().any(|own| own.expression == key.expression);
    count_of(asked, table).keys.iter().all(has)
}

/// The tables that are no sums of others, the first of equal ones.
fn maximal(asked: &[Asked], members: &[usize]) -> Vec<usize> {
    let is_below = |table: usize| {
        members.iter().any(|other| {
            let equal = is_within(asked, *other, table);
            *other != table && is_within(asked, table, *other) && (!equal || *other < table)
        })
    };
    members.iter().copied().filter(|table| !is_below(*table)).collect()
}

/// One cube of these tables.
fn cube(
    catalog: &Catalog,
    asked: &[Asked],
    members: &[usize],
    lookup: &ReadPublic<'_>,
) -> Result<CubePlan, PublicationError> {
    let rows = count_of(asked, members[0]).rows.clone();
    let mut keys: Vec<Key> = Vec::new();
    for key in members.iter().flat_map(|member| &count_of(asked, *member).keys) {
        match keys.iter_mut().find(|known| known.expression == key.expression) {
            None => keys.push(key.clone()),
            Some(known) => merge(known, key, &asked[members[0]].name)?,
        }
    }
    let conditions: Vec<String> = keys.iter().map(|key| key.condition.clone()).collect();
    let mut axes = Vec::new();
    for key in keys {
        let entry = entry_of(asked, members, &key);
        let values = values_of(catalog, entry, &rows, &key, &conditions)?;
        let levels = key.level.as_ref().map(|level| levels(entry, level, &values, lookup)).transpose()?;
        axes.push(CubeAxis { key, values, levels });
    }
    let tables: Vec<CubeTable> = members.iter().map(|member| table(&axes, asked, *member)).collect();
    let mut plan = CubePlan { rows, axes, tables, conditions, is_one_row: false };
    let finest: Vec<usize> = maximal(asked, members);
    let mut is_one_row = true;
    for member in finest {
        let table = plan.tables.iter().find(|table| table.asked == member);
        let axes = table.map(|table| table.axes.clone()).unwrap_or_default();
        let source =
            plan.source(catalog, &asked[member].name, &axes, &nominal_options(catalog, &plan.rows))?;
        let bound = &source.aggregation.bound;
        is_one_row &= source.aggregation.ownership() == Ownership::EachRow
            || (bound.groups_max() == 1 && bound.rows_max() == 1);
    }
    plan.is_one_row = is_one_row;
    Ok(plan)
}

/// One axis for a key that several tables have.
fn merge(known: &mut Key, key: &Key, entry: &str) -> Result<(), PublicationError> {
    known.is_ordered |= key.is_ordered;
    match (&known.level, &key.level) {
        (Some(one), Some(other)) if (&one.lookup, &one.columns) != (&other.lookup, &other.columns) => {
            Err(PublicationError::Lookup {
                entry: entry.to_owned(),
                lookup: other.lookup.clone(),
                what: format!("is not the only one of `{}` in this release", key.name),
            })
        }
        (None, Some(_)) => {
            known.level.clone_from(&key.level);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The table of the plan that brings a key, for words.
fn entry_of<'a>(asked: &'a [Asked], members: &[usize], key: &Key) -> &'a str {
    let has =
        |member: &&usize| count_of(asked, **member).keys.iter().any(|own| own.expression == key.expression);
    members.iter().find(has).map_or("", |member| asked[*member].name.as_str())
}

/// The public values of a key, in the order that SQL lists them.
fn values_of(
    catalog: &Catalog,
    entry: &str,
    rows: &Rows,
    key: &Key,
    conditions: &[String],
) -> Result<Vec<Option<Value>>, PublicationError> {
    let sql = Count::statement(rows, std::slice::from_ref(key), conditions, "n");
    let plan = planned(catalog, entry, &sql, &nominal_options(catalog, rows))?;
    let not_public = || PublicationError::NotPublic { entry: entry.to_owned(), column: key.name.clone() };
    let domain = plan.aggregation.domain.ok_or_else(not_public)?;
    domain.into_iter().map(|group| group.into_iter().next().ok_or_else(not_public)).collect()
}

/// The only release of a statement of ours.
fn planned(
    catalog: &Catalog,
    entry: &str,
    sql: &str,
    options: &Options,
) -> Result<PrivatePlan, PublicationError> {
    pointillist_query::plan(catalog, sql, options)
        .map_err(|refusal| PublicationError::Refused { entry: entry.to_owned(), refusal })
}

fn table(axes: &[CubeAxis], asked: &[Asked], member: usize) -> CubeTable {
    let count = count_of(asked, member);
    let position =
        |key: &Key| axes.iter().position(|axis| axis.key.expression == key.expression).unwrap_or_default();
    let own: Vec<usize> = count.keys.iter().map(position).collect();
    let depth = |(axis, of): (usize, &CubeAxis)| match own.iter().position(|own| *own == axis) {
        None => 0,
        Some(key) => match (&count.keys[key].level, &of.levels) {
            (Some(level), _) => level.depth,
            (None, Some(levels)) => levels.blocks.len(),
            (None, None) => 1,
        },
    };
    let depths = axes.iter().enumerate().map(depth).collect();
    CubeTable { asked: member, axes: own, depths, ranges: count.ranges }
}

/// The levels of a lookup above the cells of an axis.
fn levels(
    entry: &str,
    level: &Level,
    values: &[Option<Value>],
    lookup: &ReadPublic<'_>,
) -> Result<Levels, PublicationError> {
    let wrong = |what: String| PublicationError::Lookup {
        entry: entry.to_owned(),
        lookup: level.lookup.clone(),
        what,
    };
    let mut places: BTreeMap<Option<Value>, Vec<Option<Value>>> = BTreeMap::new();
    for row in lookup(&level.lookup, &level.columns)? {
        let finest = row.last().cloned().flatten();
        match places.get(&finest) {
            Some(known) if *known != row => return Err(wrong("puts one value into two places".to_owned())),
            _ => _ = places.insert(finest, row),
        }
    }
    let mut blocks: Vec<Vec<Vec<Option<Value>>>> = vec![Vec::new(); level.columns.len()];
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); level.columns.len()];
    let missing =
        |_: &Option<Value>| wrong("does not say where every public value of the finest column is".to_owned());
    // Cells keep the order of the public list; the blocks above them are in the order of their first cells.
    for value in values {
        let path = places.get(value).ok_or_else(|| missing(value))?;
        let mut above = 0;
        for depth in 0..level.columns.len() {
            let block = &path[..=depth];
            above = match blocks[depth].iter().position(|known| known == block) {
                Some(known) => known,
                None => {
                    blocks[depth].push(block.to_vec());
                    parents[depth].push(above);
                    blocks[depth].len() - 1
                }
            };
        }
    }
    Ok(Levels { columns: level.columns.clone(), blocks, parents })
}

impl CubePlan {
    /// The plan that counts by these axes, in the order of the cube, among the cube's rows.
    pub(crate) fn source(
        &self,
        catalog: &Catalog,
        entry: &str,
        axes: &[usize],
        options: &Options,
    ) -> Result<PrivatePlan, PublicationError> {
        let mut axes = axes.to_vec();
        axes.sort_unstable();
        let keys: Vec<Key> = axes.iter().map(|axis| self.axes[*axis].key.clone()).collect();
        let sql = Count::statement(&self.rows, &keys, &self.conditions, "n");
        let plan = planned(catalog, entry, &sql, options)?;
        // Cells in row-major order, the last axis fastest: anything else would be another cube's.
        let cells = axes.iter().fold(vec![Vec::new()], |cells: Vec<Vec<Option<Value>>>, axis| {
            let longer = |cell: Vec<Option<Value>>| {
                self.axes[*axis].values.iter().map(move |value| [cell.clone(), vec![value.clone()]].concat())
            };
            cells.into_iter().flat_map(longer).collect()
        });
        match &plan.aggregation.domain {
            Some(domain) if *domain == cells => Ok(plan),
            _ => Err(PublicationError::Internal("groups are not the cells of their table")),
        }
    }

    /// The axes as the mathematics of tables sees them.
    pub(crate) fn shapes(&self) -> Vec<Axis> {
        let shape = |axis: &CubeAxis| match (&axis.levels, axis.key.is_ordered) {
            (Some(levels), _) => Axis::Levels(levels.parents.clone()),
            (None, true) => Axis::Ordered(axis.values.len()),
            (None, false) => Axis::Categories(axis.values.len()),
        };
        self.axes.iter().map(shape).collect()
    }

    /// The statement that asks for one of its tables.
    pub(crate) fn statement(&self, table: &CubeTable, number: &str) -> String {
        let keys: Vec<Key> = table.axes.iter().map(|axis| self.axes[*axis].key.clone()).collect();
        Count::statement(&self.rows, &keys, &self.conditions, number)
    }
}
