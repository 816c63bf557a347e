//! Only what is used is read: columns that nobody looks at leave the relation, down to the tables.
//!
//! **Guarantee.** The rows stay the same, seen through the columns that are left. Rows that differ only in columns that
//! nobody uses are the same to everybody who looks at the others; where an order breaks ties by all columns, it breaks
//! them by those that are left.
//! **Declared never to be missing.** The declaration is not believed: rows of a table without a value in such a column
//! are left out where the column is used, at the table, so that whatever was concluded from the declaration holds for
//! all operators above. A filter looks at one row, so it keeps neighbours neighbours.

use pointillist_catalog::Catalog;
use pointillist_plan::{Join, JoinKind, Relation, Scalar, Scan, Window, visit};

/// A relation without the columns that nobody uses.
pub(crate) struct Pruned {
    pub(crate) relation: Relation,
    /// Which columns it still has, by their places before: rising.
    pub(crate) kept: Vec<usize>,
    /// The columns that rows must have a value in, by name: where a table leaves rows out.
    pub(crate) required: Vec<String>,
}

/// The relation with these columns, and what it needs for them. The table that *is* the relation leaves no rows out:
/// whoever asks about it does.
pub(crate) fn pruned(relation: &Relation, used: &[usize], catalog: &Catalog) -> Pruned {
    let mut pruning = Pruning { catalog, required: Vec::new() };
    let (relation, kept) = match relation {
        Relation::Table(scan) => table(scan, used),
        other => pruning.of(other, used),
    };
    Pruned { relation, kept, required: pruning.required }
}

/// An expression over columns that have moved.
pub(crate) fn moved(scalar: &Scalar, kept: &[usize]) -> Scalar {
    visit::with_replaced(scalar, &mut |part| match part {
        Scalar::Column(column) => {
            let position = kept.binary_search(column).expect("every used column is kept");
            Some(Scalar::Column(position))
        }
        _ => None,
    })
}

struct Pruning<'c> {
    catalog: &'c Catalog,
    required: Vec<String>,
}

fn sorted(columns: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut columns: Vec<usize> = columns.into_iter().collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn used_by<'s>(scalars: impl IntoIterator<Item = &'s Scalar>) -> Vec<usize> {
    sorted(scalars.into_iter().flat_map(visit::columns))
}

fn table(scan: &Scan, used: &[usize]) -> (Relation, Vec<usize>) {
    let used = used.iter().copied().chain(scan.filter.iter().flat_map(visit::columns));
    let kept = sorted(used.filter(|column| *column < scan.columns.len()));
    let columns = kept.iter().map(|column| scan.columns[*column].clone()).collect();
    let filter = scan.filter.as_ref().map(|filter| moved(filter, &kept));
    (Relation::Table(Scan { table: scan.table.clone(), columns, filter, owner: scan.owner.clone() }), kept)
}

impl Pruning<'_> {
    fn of(&mut self, relation: &Relation, used: &[usize]) -> (Relation, Vec<usize>) {
        match relation {
            Relation::Table(scan) => {
                let (relation, kept) = table(scan, used);
                match self.present(&relation) {
                    None => (relation, kept),
                    filter => {
                        let columns = (0..kept.len()).map(Scalar::Column).collect();
                        (Relation::Map { input: Box::new(relation), filter, columns }, kept)
                    }
                }
            }
            Relation::Released { types, .. } => (relation.clone(), (0..types.len()).collect()),
            Relation::Map { input, filter, columns } => self.map(input, filter.as_ref(), columns, used),
            Relation::Join(join) => self.join(join, used),
            Relation::Union(inputs) => {
                let used = sorted(used.iter().copied());
                let inputs = inputs.iter().map(|input| self.exactly(input, &used)).collect();
                (Relation::Union(inputs), used)
            }
            Relation::Distinct(input) => {
                let all: Vec<usize> = (0..input.types().len()).collect();
                (Relation::Distinct(Box::new(self.exactly(input, &all))), all)
            }
            Relation::Group { input, keys, aggregates } => {
                let kept = sorted((0..keys.len()).chain(used.iter().copied()));
                let mut aggregates: Vec<_> =
                    kept[keys.len()..].iter().map(|column| aggregates[column - keys.len()].clone()).collect();
                let inside = aggregates.iter().flat_map(|one| one.counted.iter().chain([&one.value]));
                let (input, below) = self.of(input, &used_by(keys.iter().chain(inside)));
                for one in &mut aggregates {
                    one.value = moved(&one.value, &below);
                    one.counted = one.counted.as_ref().map(|counted| moved(counted, &below));
                }
                let keys = keys.iter().map(|key| moved(key, &below)).collect();
                (Relation::Group { input: Box::new(input), keys, aggregates }, kept)
            }
            Relation::Window { input, windows } => self.window(input, windows, used),
            Relation::Order { input, by, skip, fetch } => {
                let needed = sorted(used.iter().copied().chain(used_by(by.iter().map(|order| &order.by))));
                let (input, kept) = self.of(input, &needed);
                let mut by = by.clone();
                for order in &mut by {
                    order.by = moved(&order.by, &kept);
                }
                (Relation::Order { input: Box::new(input), by, skip: *skip, fetch: *fetch }, kept)
            }
        }
    }

    fn map(
        &mut self,
        input: &Relation,
        filter: Option<&Scalar>,
        columns: &[Scalar],
        used: &[usize],
    ) -> (Relation, Vec<usize>) {
        let kept = sorted(used.iter().copied());
        let shown = || kept.iter().map(|column| &columns[*column]);
        let needed = used_by(shown().chain(filter));
        // What a table requires joins the condition that stands on it anyway.
        let (input, below, present) = match input {
            Relation::Table(scan) => {
                let (relation, below) = table(scan, &needed);
                let present = self.present(&relation);
                (relation, below, present)
            }
            other => {
                let (relation, below) = self.of(other, &needed);
                (relation, below, None)
            }
        };
        let filter = visit::both(filter.map(|filter| moved(filter, &below)), present);
        let columns: Vec<Scalar> = shown().map(|column| moved(column, &below)).collect();
        let nothing = filter.is_none()
            && columns.len() == below.len()
            && columns.iter().enumerate().all(|(place, column)| *column == Scalar::Column(place));
        match nothing {
            true => (input, kept),
            false => (Relation::Map { input: Box::new(input), filter, columns }, kept),
        }
    }

    fn join(&mut self, join: &Join, used: &[usize]) -> (Relation, Vec<usize>) {
        let Join { left, right, kind, keys, condition } = join;
        let width = left.types().len();
        let inside: Vec<usize> = condition.iter().flat_map(visit::columns).collect();
        let all = || used.iter().chain(&inside).copied();
        let needed_left = sorted(
            all().filter(|column| *column < width).chain(used_by(keys.iter().map(|(first, _)| first))),
        );
        let needed_right = sorted(
            all()
                .filter_map(|column| column.checked_sub(width))
                .chain(used_by(keys.iter().map(|(_, second)| second))),
        );
        let (left, kept_left) = self.of(left, &needed_left);
        let (right, kept_right) = self.of(right, &needed_right);
        let both: Vec<usize> =
            kept_left.iter().copied().chain(kept_right.iter().map(|column| column + width)).collect();
        let keys = keys.iter().map(|(first, second)| (moved(first, &kept_left), moved(second, &kept_right)));
        let join = Join {
            keys: keys.collect(),
            condition: condition.as_ref().map(|condition| moved(condition, &both)),
            left,
            right,
            kind: *kind,
        };
        let kept = match kind {
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => both,
            JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn => kept_left,
        };
        (Relation::Join(Box::new(join)), kept)
    }

    fn window(&mut self, input: &Relation, windows: &[Window], used: &[usize]) -> (Relation, Vec<usize>) {
        let width = input.types().len();
        let shown = sorted(used.iter().filter_map(|column| column.checked_sub(width)));
        let mut windows: Vec<Window> = shown.iter().map(|window| windows[*window].clone()).collect();
        let inside = windows.iter().flat_map(Window::expressions).flat_map(visit::columns);
        let needed = sorted(used.iter().copied().filter(|column| *column < width).chain(inside));
        let (input, below) = self.of(input, &needed);
        if windows.is_empty() {
            return (input, below);
        }
        for window in &mut windows {
            for scalar in window.expressions_mut() {
                *scalar = moved(scalar, &below);
            }
        }
        let kept = below.iter().copied().chain(shown.iter().map(|window| window + width)).collect();
        (Relation::Window { input: Box::new(input), windows }, kept)
    }

    /// The relation with exactly these columns.
    fn exactly(&mut self, relation: &Relation, used: &[usize]) -> Relation {
        let (relation, kept) = self.of(relation, used);
        if kept == used {
            return relation;
        }
        let columns = used.iter().map(|column| moved(&Scalar::Column(*column), &kept)).collect();
        Relation::Map { input: Box::new(relation), filter: None, columns }
    }

    /// That the columns of a table that are declared never to be missing are not.
    fn present(&mut self, relation: &Relation) -> Option<Scalar> {
        let Relation::Table(scan) = relation else { return None };
        let declared = self.catalog.table(&scan.table)?;
        let mut filter = None;
        for (place, column) in scan.columns.iter().enumerate() {
            if let Some(column) = declared.column_in_file(&column.name).filter(|column| !column.nullable) {
                if !self.required.contains(&column.name) {
                    self.required.push(column.name.clone());
                }
                let missing = Scalar::IsNull(Box::new(Scalar::Column(place)));
                filter = visit::both(filter, Some(Scalar::Not(Box::new(missing))));
            }
        }
        filter
    }
}
