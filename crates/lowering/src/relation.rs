//! Relations as subqueries: people's rows with their owner in the column `o`, columns `c0`, `c1`, ….
//!
//! **Guarantee.** A subquery has the rows that the relation has by its definition (`plan/src/relation.rs`): every operator
//! works within one owner, because `o` is part of whatever rows are matched, grouped or numbered by. So the theorem of
//! relations holds here as it does for the embedded engine: rows of others stay when a person's leave.
//! **How many pairs.** In a join of people's rows a person of more than [`PAIRS_MAX`] pairs has no rows: a function of that
//! person's rows alone. The embedded engine keeps some of such a person's pairs instead; it is the one difference.
//! **Refused by name.** What a dialect does not do faithfully: sums and means of numbers with fractions (servers add floats
//! one after the other), modes and quantiles of a person's rows, windows with frames; and whatever would let a row that is a
//! person become several.

mod grouped;
mod joined;
mod pair_limit;
mod windowed;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use pointillist_plan::{
    Link, Owner, Ownership, RELATION_DEPTH_MAX, Relation, Scalar, Scan, Type, type_of_column,
};

use crate::reading::{self, OwnerForm};
use crate::scalar;
use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::{Dialect, Refusal, Stored, StoredTable, StoredTables};

/// The subqueries that `joined.rs` names.
const OWN_NAMES: [&str; 5] = ["l", "r", "l0", "r0", "h"];

/// Which columns of which tables a statement reads, by the tables' names in the catalog.
pub(crate) type Uses = BTreeMap<String, BTreeSet<String>>;

/// Makes subqueries of relations.
pub(crate) struct Relations<'a> {
    pub(crate) dialect: Dialect,
    tables: &'a StoredTables,
    /// How people are known in all tables of the question; `None` where rows are people.
    pub(crate) owner: Option<OwnerForm>,
    uses: RefCell<Uses>,
}

/// A subquery and what is known of its rows.
pub(crate) struct Rows {
    pub(crate) query: Sql,
    pub(crate) types: Vec<Type>,
    pub(crate) ownership: Ownership,
}

impl Rows {
    /// Whether rows have an owner in a column.
    pub(crate) fn is_owned(&self) -> bool {
        matches!(self.ownership, Ownership::People(_))
    }
}

impl<'a> Relations<'a> {
    /// For the tables of one question.
    pub(crate) fn new(
        dialect: Dialect,
        tables: &'a StoredTables,
        relation: &Relation,
    ) -> Result<Self, Refusal> {
        let mut relations = Self { dialect, tables, owner: None, uses: RefCell::default() };
        for scan in relation.scans() {
            if let Some(form) = relations.form_of(&scan.table, &scan.owner)? {
                relations.owner = Some(relations.owner.map_or(form, |known| known.with(form)));
            }
        }
        Ok(relations)
    }

    /// What was read.
    pub(crate) fn into_uses(self) -> Uses {
        self.uses.into_inner()
    }

    /// How the owners of a table are stored, at the end of its links.
    fn form_of(&self, table: &str, owner: &Owner) -> Result<Option<OwnerForm>, Refusal> {
        match owner {
            Owner::Nobody | Owner::EachRow => Ok(None),
            Owner::Column(column) => self.name_form(table, column).map(Some),
            Owner::Link(link) => self.form_of(&link.table, &link.owner),
        }
    }

    fn name_form(&self, table: &str, column: &str) -> Result<OwnerForm, Refusal> {
        reading::named_by(column, self.stored(table, column)?)
    }

    fn table(&self, name: &str) -> Result<&'a StoredTable, Refusal> {
        self.tables.get(name).ok_or_else(|| {
            Refusal::new(
                format!("table `{name}` does not live where the other tables of the question do"),
                "ask about tables behind one connection, or copy the public ones there",
            )
        })
    }

    fn stored(&self, table: &str, column: &str) -> Result<&'a Stored, Refusal> {
        let stored = self.table(table)?.columns.get(column).ok_or_else(|| {
            Refusal::new(
                format!("`{table}` has no column `{column}` on its server"),
                "name the column as the server does, with `name = \"…\"`",
            )
        })?;
        self.uses.borrow_mut().entry(table.to_owned()).or_default().insert(column.to_owned());
        Ok(stored)
    }

    /// The rows of a relation.
    pub(crate) fn rows(&self, relation: &Relation) -> Result<Rows, Refusal> {
        self.rows_within(relation, RELATION_DEPTH_MAX)
    }

    fn rows_within(&self, relation: &Relation, depth: usize) -> Result<Rows, Refusal> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| Refusal::new("the question is nested too deeply", "ask for less at once"))?;
        let rows = match relation {
            Relation::Table(scan) => return self.scan(scan),
            Relation::Map { input, filter, columns } => {
                return self.map(self.rows_within(input, depth)?, filter.as_ref(), columns);
            }
            Relation::Join(join) => {
                let (left, right) =
                    (self.rows_within(&join.left, depth)?, self.rows_within(&join.right, depth)?);
                return self.join(join, left, right);
            }
            Relation::Union(inputs) => {
                let inputs = inputs.iter().map(|input| self.rows_within(input, depth));
                self.union(inputs.collect::<Result<_, _>>()?)?
            }
            Relation::Distinct(input) => {
                let input = self.rows_within(input, depth)?;
                Rows { query: Sql::form("SELECT DISTINCT s.* FROM ({0}) s", &[&input.query]), ..input }
            }
            Relation::Group { input, keys, aggregates } => {
                self.group(self.rows_within(input, depth)?, keys, aggregates)?
            }
            Relation::Window { input, windows } => self.windows(self.rows_within(input, depth)?, windows)?,
            Relation::Order { .. } | Relation::Released { .. } => {
                return Err(Refusal::new(
                    "released rows are not computed elsewhere",
                    "this is a mistake of ours: please report it",
                ));
            }
        };
        match rows.ownership {
            Ownership::EachRow => Err(Refusal::new(
                format!(
                    "rows that are people are put together, which {} is not asked to do",
                    self.dialect.word()
                ),
                "declare a column as `privacy_unit`, or ask about single rows",
            )),
            _ => Ok(rows),
        }
    }

    /// The rows of a table, as declared.
    fn scan(&self, scan: &Scan) -> Result<Rows, Refusal> {
        let types: Vec<Type> = scan.columns.iter().map(|column| type_of_column(&column.kind)).collect();
        let mut columns = Vec::new();
        for (number, column) in scan.columns.iter().enumerate() {
            let stored = self.stored(&scan.table, &column.name)?;
            let place = Sql::form("t.{0}", &[&Sql::name(&column.name)?]);
            let value = reading::read(self.dialect, &column.name, &place, stored, &column.kind)?;
            columns.push(Sql::form("{0} AS {1}", &[&value, &Sql::own("c", number)]));
        }
        let from = Sql::form("{0} t", &[&self.path(&scan.table)?]);
        let (owner, from) = match &scan.owner {
            Owner::Nobody | Owner::EachRow => (None, from),
            Owner::Column(column) => {
                let form = self.owner.unwrap_or(OwnerForm::Text);
                (Some(self.name(&scan.table, column, form)?), from)
            }
            Owner::Link(link) => {
                let (owners, form) = self.owners(&scan.table, link)?;
                let link = self.name(&scan.table, &link.column, form)?;
                let from = Sql::form("{0} JOIN ({1}) w ON {2} = w.l", &[&from, &owners, &link]);
                (Some(Sql::words("w.o")), from)
            }
        };
        let fence = Sql::words(self.dialect.fence());
        // A subquery needs a column, and a table of which nothing is read has none.
        let mut shown: Vec<Sql> = owner.iter().map(|owner| Sql::form("{0} AS o", &[owner])).collect();
        shown.extend(columns);
        if shown.is_empty() {
            shown.push(Sql::words("1 AS z"));
        }
        let shown = Sql::join(&shown, ", ");
        let query = match &owner {
            // NULL names nobody; and so does what is too long, which reads as NULL.
            Some(owner) => {
                Sql::form("SELECT {0} FROM {1} WHERE {2} IS NOT NULL{3}", &[&shown, &from, owner, &fence])
            }
            None => Sql::form("SELECT {0} FROM {1}{2}", &[&shown, &from, &fence]),
        };
        let rows = Rows { query, types, ownership: scan.owner.ownership() };
        match &scan.filter {
            None => Ok(rows),
            Some(filter) => {
                let columns: Vec<Scalar> = (0..rows.types.len()).map(Scalar::Column).collect();
                self.map(rows, Some(filter), &columns)
            }
        }
    }

    /// A column of names.
    fn name(&self, table: &str, column: &str, form: OwnerForm) -> Result<Sql, Refusal> {
        let place = Sql::form("t.{0}", &[&Sql::name(column)?]);
        self.name_form(table, column)?;
        Ok(reading::owner(self.dialect, &place, self.stored(table, column)?, form))
    }

    /// Pairs of a key `l` that rows link to and everybody `o` who owns a row of that key, each once; and how keys are known.
    fn owners(&self, table: &str, link: &Link) -> Result<(Sql, OwnerForm), Refusal> {
        let form = self.name_form(table, &link.column)?.with(self.name_form(&link.table, &link.key)?);
        let from = Sql::form("{0} t", &[&self.path(&link.table)?]);
        let key = self.name(&link.table, &link.key, form)?;
        let (owner, from) = match &link.owner {
            Owner::Column(column) => {
                (self.name(&link.table, column, self.owner.unwrap_or(OwnerForm::Text))?, from)
            }
            Owner::Link(next) => {
                let (owners, form) = self.owners(&link.table, next)?;
                let column = self.name(&link.table, &next.column, form)?;
                (Sql::words("w.o"), Sql::form("{0} JOIN ({1}) w ON {2} = w.l", &[&from, &owners, &column]))
            }
            Owner::Nobody | Owner::EachRow => {
                return Err(Refusal::new(
                    "a link ends at rows without a named owner",
                    "link to a table that names them",
                ));
            }
        };
        let query = Sql::form(
            "SELECT DISTINCT {0} AS l, {1} AS o FROM {2} WHERE {0} IS NOT NULL AND {1} IS NOT NULL",
            &[&key, &owner, &from],
        );
        Ok((query, form))
    }

    fn path(&self, table: &str) -> Result<Sql, Refusal> {
        let path = &self.table(table)?.path;
        // Spark would read the subquery of that name in the table's place.
        let is_ours = |part: &String| OWN_NAMES.iter().any(|own| own.eq_ignore_ascii_case(part));
        if path.len() == 1 && path.iter().any(is_ours) {
            return Err(Refusal::new(
                format!("the table `{}` has a name that statements use for themselves", path.join(".")),
                "write the schema before its name: `default.…`",
            ));
        }
        let parts = path.iter().map(|part| Sql::name(part));
        Ok(Sql::join(&parts.collect::<Result<Vec<_>, _>>()?, "."))
    }

    fn map(&self, input: Rows, filter: Option<&Scalar>, columns: &[Scalar]) -> Result<Rows, Refusal> {
        let mut stage = Stage::over(self.dialect, &input.types);
        let filter = filter.map(|filter| scalar::lower(&mut stage, filter)).transpose()?;
        let mut shown = owner_column(&input);
        let mut types = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            // What is computed here may become a key above.
            if scalar::is_inexact(column) {
                return Err(scalar::inexact_key());
            }
            let value = scalar::lower(&mut stage, column)?;
            types.push(value.kind);
            shown.push((Sql::own("c", number), value));
        }
        let query = stage.select(&input.query, &shown, filter.as_ref());
        Ok(Rows { query, types, ownership: input.ownership })
    }

    fn union(&self, inputs: Vec<Rows>) -> Result<Rows, Refusal> {
        let queries: Vec<Sql> =
            inputs.iter().map(|rows| Sql::form("SELECT s.* FROM ({0}) s", &[&rows.query])).collect();
        let first = inputs.into_iter().next().ok_or_else(|| {
            Refusal::new("a union of nothing", "this is a mistake of ours: please report it")
        })?;
        Ok(Rows { query: Sql::join(&queries, " UNION ALL "), ..first })
    }
}

/// The owner, handed on.
pub(crate) fn owner_column(rows: &Rows) -> Vec<(Sql, Expression)> {
    let owner = Sql::words("o");
    match rows.is_owned() {
        true => vec![(owner.clone(), Expression::own(owner))],
        false => Vec::new(),
    }
}
