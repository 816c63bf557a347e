//! Rows that wait to be found, by their keys.

use arrow::array::{Array, ArrayRef, new_null_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use pointillist_plan::{Comparison, Join, JoinKind, Scalar};

use super::super::Table;
use super::super::lookup::Lookup;
use super::super::map::truths;
use super::super::row_bytes::RowBytes;
use super::pairs_up;
use crate::EngineError;
use crate::bound::HashKey;
use crate::evaluate::evaluate;

/// The most pairs that are made at a time.
const AT_ONCE: usize = 8_192;

/// One side of a join, looked up by the rows of the other.
pub(crate) struct Partners {
    rows: Table,
    kind: JoinKind,
    /// Whether the columns of these rows come before those of the rows that ask.
    first: bool,
    same_owner: bool,
    /// Whether pairs are looked at, and not only whether there are some.
    looks_at_pairs: bool,
    asking_keys: Vec<Scalar>,
    waiting_keys: Vec<ArrayRef>,
    condition: Option<Scalar>,
    /// By all keys, none of them NULL.
    exact: Lookup,
    /// For `NOT IN` alone: all rows, and those of which a key is NULL.
    all: Option<(Lookup, Lookup)>,
}

/// Rows that ask, what they are looked up by, and whether they have all keys.
struct Asking<'a> {
    table: &'a Table,
    keys: Vec<ArrayRef>,
    bytes: RowBytes,
    owners: RowBytes,
    known: Option<NullBuffer>,
}

type Emit<'a> = dyn FnMut(Table) -> Result<(), EngineError> + 'a;

impl Partners {
    /// `rows` are those of the join's left side if they come first, else of its right side.
    pub(crate) fn new(
        hash_key: &HashKey,
        join: &Join,
        rows: Table,
        first: bool,
        same_owner: bool,
    ) -> Result<Self, EngineError> {
        let (left, right): (Vec<Scalar>, Vec<Scalar>) = join.keys.iter().cloned().unzip();
        let (asking_keys, waiting_keys) = if first { (right, left) } else { (left, right) };
        let keys: Vec<ArrayRef> =
            waiting_keys.iter().map(|key| evaluate(key, rows.columns(), rows.rows())).collect();
        let owner = rows.owner().filter(|_| same_owner);
        let bytes = RowBytes::new(owner.into_iter().chain(&keys))?;
        let known = known(&keys);
        let is_known = |row: usize| known.as_ref().is_none_or(|known| known.is_valid(row));
        let every = 0..rows.rows();
        let exact = every.clone().map(|row| is_known(row).then(|| bytes.row(row)));
        let exact = Lookup::new(hash_key, exact);
        let all = match join.kind {
            JoinKind::NotIn => {
                let owners = RowBytes::new(owner)?;
                let all = Lookup::new(hash_key, every.clone().map(|row| Some(owners.row(row))));
                let loose = every.map(|row| (!is_known(row)).then(|| owners.row(row)));
                Some((all, Lookup::new(hash_key, loose)))
            }
            _ => None,
        };
        Ok(Self {
            kind: join.kind,
            first,
            same_owner,
            looks_at_pairs: pairs_up(join),
            asking_keys,
            waiting_keys: keys,
            condition: join.condition.clone(),
            exact,
            all,
            rows,
        })
    }

    /// The rows that wait.
    pub(crate) fn rows(&self) -> &Table {
        &self.rows
    }

    /// The most rows that one row becomes.
    pub(crate) fn most(&self) -> usize {
        match self.kind {
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => self.exact.most(),
            JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn => 1,
        }
    }

    /// The most rows that one row is compared with.
    pub(crate) fn looked_at(&self) -> usize {
        let all = self.all.as_ref().map_or(0, |(all, _)| all.most());
        if self.looks_at_pairs { self.exact.most().max(all) } else { 1 }
    }

    /// With how many rows each row that asks is compared.
    pub(super) fn candidate_counts(&self, table: &Table) -> Result<Vec<u64>, EngineError> {
        let keys: Vec<ArrayRef> =
            self.asking_keys.iter().map(|key| evaluate(key, table.columns(), table.rows())).collect();
        let owner = table.owner().filter(|_| self.same_owner);
        let bytes = RowBytes::new(owner.into_iter().chain(&keys))?;
        let asking = Asking { table, bytes, owners: RowBytes::new(owner)?, known: known(&keys), keys };
        let count = |row: usize| self.candidates(&asking, row).iter().map(|rows| rows.len() as u64).sum();
        Ok((0..table.rows()).map(count).collect())
    }

    /// What becomes of rows that ask, some at a time. `found` notes which of those that wait have partners.
    pub(crate) fn ask(
        &self,
        table: &Table,
        found: Option<&mut [bool]>,
        emit: &mut Emit,
    ) -> Result<(), EngineError> {
        let keys: Vec<ArrayRef> =
            self.asking_keys.iter().map(|key| evaluate(key, table.columns(), table.rows())).collect();
        let pairs = keys.iter().zip(&self.waiting_keys);
        if pairs.clone().any(|(left, right)| left.data_type() != right.data_type()) {
            return Err(EngineError::Plan { what: "keys of a join are of two types" });
        }
        let owner = table.owner().filter(|_| self.same_owner);
        let bytes = RowBytes::new(owner.into_iter().chain(&keys))?;
        let asking = Asking { table, bytes, owners: RowBytes::new(owner)?, known: known(&keys), keys };
        let paired = match self.looks_at_pairs {
            true => self.pairs(&asking, found, emit)?,
            false => self.is_there(&asking),
        };
        match self.kind {
            JoinKind::Inner => Ok(()),
            JoinKind::Semi => sent(table.only(&paired)?, emit),
            JoinKind::Anti | JoinKind::NotIn => sent(table.only(&!&paired)?, emit),
            JoinKind::Left | JoinKind::Full => {
                let alone = table.only(&!&paired)?;
                let columns = [alone.columns(), &nulls(&self.rows, alone.rows())].concat();
                sent(Table::made(alone.owner().cloned(), columns, alone.rows()), emit)
            }
        }
    }

    /// The rows that nobody found, beside NULL: for full joins.
    pub(super) fn alone(&self, found: &[bool], asking: &Table) -> Result<Table, EngineError> {
        let alone = self.rows.only(&BooleanBuffer::collect_bool(found.len(), |row| !found[row]))?;
        let columns = [&nulls(asking, alone.rows()), alone.columns()].concat();
        Ok(Table::made(alone.owner().cloned(), columns, alone.rows()))
    }

    /// The rows that a row may be paired with.
    fn candidates(&self, asking: &Asking, row: usize) -> [&[u32]; 2] {
        let known = asking.known.as_ref().is_none_or(|known| known.is_valid(row));
        let owner = asking.owners.row(row);
        let exact = |row| self.exact.find(asking.bytes.row(row));
        match (&self.all, known) {
            (None, true) => [exact(row), &[]],
            (None, false) => [&[], &[]],
            (Some((_, loose)), true) => [exact(row), loose.find(owner)],
            (Some((all, _)), false) => [all.find(owner), &[]],
        }
    }

    /// Which rows have partners, where the keys alone say so. One comparison with NULL is enough for `NOT IN`.
    fn is_there(&self, asking: &Asking) -> BooleanBuffer {
        BooleanBuffer::collect_bool(asking.table.rows(), |row| {
            self.candidates(asking, row).iter().any(|rows| !rows.is_empty())
        })
    }

    /// Which rows have partners, pair by pair; the pairs are sent, where they are wanted.
    fn pairs(
        &self,
        asking: &Asking,
        mut found: Option<&mut [bool]>,
        emit: &mut Emit,
    ) -> Result<BooleanBuffer, EngineError> {
        let mut paired = vec![false; asking.table.rows()];
        let (mut ours, mut theirs) = (Vec::with_capacity(AT_ONCE), Vec::with_capacity(AT_ONCE));
        let mut flush = |ours: &mut Vec<u32>, theirs: &mut Vec<u32>| {
            let pairs = self.true_pairs(asking, ours, theirs)?;
            for (row, partner) in ours.iter().zip(theirs.iter()) {
                paired[*row as usize] = true;
                if let Some(found) = found.as_deref_mut() {
                    found[*partner as usize] = true;
                }
            }
            ours.clear();
            theirs.clear();
            match pairs {
                Some(pairs) => sent(pairs, emit),
                None => Ok(()),
            }
        };
        for row in 0..asking.table.rows() {
            for partner in self.candidates(asking, row).into_iter().flatten() {
                ours.push(row as u32);
                theirs.push(*partner);
                if ours.len() == AT_ONCE {
                    flush(&mut ours, &mut theirs)?;
                }
            }
        }
        flush(&mut ours, &mut theirs)?;
        Ok(BooleanBuffer::from(paired))
    }

    /// Leaves those pairs for which the condition is true; their columns, if they are wanted.
    fn true_pairs(
        &self,
        asking: &Asking,
        ours: &mut Vec<u32>,
        theirs: &mut Vec<u32>,
    ) -> Result<Option<Table>, EngineError> {
        let wanted = matches!(self.kind, JoinKind::Inner | JoinKind::Left | JoinKind::Full);
        let mut chosen = BooleanBuffer::new_set(ours.len());
        if self.kind == JoinKind::NotIn {
            chosen = &chosen & &self.perhaps_equal(asking, ours, theirs)?;
        }
        if !wanted && self.condition.is_none() {
            retain(ours, theirs, &chosen);
            return Ok(None);
        }
        let (own, other) = (asking.table.take(ours)?, self.rows.take(theirs)?);
        let columns = match self.first {
            true => [other.columns(), own.columns()].concat(),
            false => [own.columns(), other.columns()].concat(),
        };
        if let Some(condition) = &self.condition {
            chosen = &chosen & &truths(condition, &columns, ours.len())?;
        }
        let pairs = Table::made(own.owner().cloned(), columns, ours.len());
        retain(ours, theirs, &chosen);
        if wanted { pairs.only(&chosen).map(Some) } else { Ok(None) }
    }

    /// Where no key of a pair is different for sure.
    fn perhaps_equal(
        &self,
        asking: &Asking,
        ours: &[u32],
        theirs: &[u32],
    ) -> Result<BooleanBuffer, EngineError> {
        let keys =
            |keys: &[ArrayRef], table: &Table, rows: &[u32]| table.with_columns(keys.to_vec()).take(rows);
        let own = keys(&asking.keys, asking.table, ours)?;
        let other = keys(&self.waiting_keys, &self.rows, theirs)?;
        let columns = [own.columns(), other.columns()].concat();
        let equal = |key: usize| {
            let (left, right) = (Scalar::Column(key), Scalar::Column(key + asking.keys.len()));
            Scalar::Compare(Comparison::Equal, Box::new(left), Box::new(right))
        };
        let perhaps = (0..asking.keys.len())
            .map(|key| Scalar::Any(vec![equal(key), Scalar::IsNull(Box::new(equal(key)))]));
        truths(&Scalar::All(perhaps.collect()), &columns, ours.len())
    }
}

fn sent(table: Table, emit: &mut Emit) -> Result<(), EngineError> {
    if table.rows() == 0 { Ok(()) } else { emit(table) }
}

/// Rows of NULL, as many.
fn nulls(like: &Table, rows: usize) -> Vec<ArrayRef> {
    like.columns().iter().map(|column| new_null_array(column.data_type(), rows)).collect()
}

/// Where no key is NULL.
fn known(keys: &[ArrayRef]) -> Option<NullBuffer> {
    keys.iter().fold(None, |known, key| NullBuffer::union(known.as_ref(), key.logical_nulls().as_ref()))
}

fn retain(ours: &mut Vec<u32>, theirs: &mut Vec<u32>, chosen: &BooleanBuffer) {
    for rows in [ours, theirs] {
        let mut at = 0;
        rows.retain(|_| {
            at += 1;
            chosen.value(at - 1)
        });
    }
}
