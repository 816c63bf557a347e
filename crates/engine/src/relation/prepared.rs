//! A relation of people's rows, ready to be read: files open, public rows in memory.
//!
//! **Two parts.** Rows pass as they are read through everything that looks at one row at a time: maps, lookups of public rows,
//! unions of such ([`Path`]). What looks at several rows of a person (the *core*) sees them when all of the person's rows have
//! come together ([`people`](super::people)). If there is no core, nothing is put together at all.
//! **Before the debit.** All of this is done before a question is paid for: it reads public tables, and of people's tables
//! headers and footers only, so it may fail.
//! **Rows that are people.** If each row is a person, a row may become one row at most, and only on one way: then one person
//! is one row afterwards as well. Public tables in which a row would find several are refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::DataType;
use pointillist_plan::{
    Join, Link, Owner, Ownership, RELATION_DEPTH_MAX, Relation, Scalar, Scan, Type, type_of_column,
};

use super::join::{Partners, lost_rows};
use super::path::{Emit, Path, Step, through};
use super::scatter::Reader;
use super::{Context, OPEN_ROWS_MAX, Table, rows_of};
use crate::bound::HashKey;
use crate::read::OwnerForm;
use crate::rows::{Origin, RowScan};
use crate::{EngineError, SourceError};

/// The most rows that one row may become by finding public rows.
pub(crate) const FAN_OUT_MAX: usize = 100_000;
/// The most rows that one row becomes on its way to where a person's rows come together: all of them are in memory there.
const GATHERED_MAX: usize = 100;
/// The most bytes of a public table in memory.
const OPEN_BYTES_MAX: usize = 1 << 30;

/// Finds tables by name.
pub(crate) type Origins<'a> = dyn Fn(&str) -> Option<&'a dyn Origin> + 'a;

/// A relation, ready to be read.
pub(crate) struct Prepared {
    ownership: Ownership,
    /// How owners are known, if they are.
    owner: Option<DataType>,
    /// What is made of whole people; its leaves are inputs, by number.
    core: Relation,
    above: Vec<Step>,
    inputs: Vec<Input>,
    links: Vec<Path>,
    partners: BTreeMap<usize, Arc<Partners>>,
}

/// Rows that come together in the core.
pub(crate) struct Input {
    pub(crate) paths: Vec<Path>,
    types: Vec<Type>,
}

impl Prepared {
    /// Opens what a relation reads, for so many threads.
    pub(crate) async fn new(
        relation: &Relation,
        origins: &Origins<'_>,
        threads: usize,
    ) -> Result<Self, EngineError> {
        let hash_key = HashKey::from_system().map_err(EngineError::Entropy)?;
        let ownership = relation.ownership();
        let mut opening = Opening {
            origins,
            threads,
            hash_key,
            form: owner_form(relation, origins)?,
            public: Vec::new(),
            inputs: Vec::new(),
            links: Vec::new(),
            partners: BTreeMap::new(),
        };
        for scan in relation.scans().into_iter().filter(|scan| scan.owner == Owner::Nobody) {
            if !opening.public.iter().any(|(known, _)| known == scan) {
                opening.public.push((scan.clone(), read(scan, origins).await?));
            }
        }
        let (mut above, mut top) = (Vec::new(), relation);
        while !streams(top) {
            let (step, input) = match top {
                Relation::Map { input, filter, columns } => {
                    (Step::Map { filter: filter.clone(), columns: columns.clone() }, input.as_ref())
                }
                Relation::Join(join) if is_public(&join.left) != is_public(&join.right) => {
                    let (partners, input) = opening.partners(join)?;
                    (Step::Partners(partners), input)
                }
                _ => break,
            };
            above.push(step);
            top = input;
        }
        above.reverse();
        let core = opening.core(top)?;
        let Opening { form, inputs, links, partners, .. } = opening;
        let links = links.into_iter().map(|(_, _, path)| path).collect();
        let prepared =
            Self { owner: form.map(OwnerForm::data_type), ownership, core, above, inputs, links, partners };
        prepared.check()?;
        Ok(prepared)
    }

    /// One table, whose owner is the last column if rows have owners.
    #[cfg(test)]
    pub(crate) fn one(scan: Arc<dyn RowScan>, relation: &Relation) -> Self {
        let ownership = relation.ownership();
        let named = matches!(ownership, Ownership::People(_));
        let owner = scan.schema().fields().last().map(|field| field.data_type().clone());
        let types = Vec::new();
        let input = Input { paths: vec![Path { scan, named, link: None, steps: Vec::new() }], types };
        Self {
            ownership,
            owner: owner.filter(|_| named),
            core: Relation::Released { part: 0, types: Vec::new() },
            above: Vec::new(),
            inputs: vec![input],
            links: Vec::new(),
            partners: BTreeMap::new(),
        }
    }

    fn check(&self) -> Result<(), EngineError> {
        let paths = || self.inputs.iter().flat_map(|input| &input.paths);
        if self.ownership == Ownership::EachRow {
            let [Input { paths, .. }] = self.inputs.as_slice() else {
                return Err(EngineError::Plan { what: "rows that are people are put together" });
            };
            let [path] = paths.as_slice() else {
                return Err(EngineError::Plan { what: "rows that are people come on two ways" });
            };
            if !self.is_one_way() {
                return Err(EngineError::Plan { what: "rows that are people are put together" });
            }
            if path.most() > 1 {
                return Err(EngineError::ManyPartners);
            }
        }
        // Public rows multiply: on the way to the core, in it, and above it. All of them are known before the debit.
        let looked_at = |partners: &Arc<Partners>| partners.looked_at();
        let steps = paths().flat_map(|path| &path.steps).chain(&self.above);
        let on_the_way = steps.filter_map(|step| match step {
            Step::Partners(partners) => Some(partners),
            Step::Map { .. } => None,
        });
        let widest = on_the_way.chain(self.partners.values()).map(looked_at).max().unwrap_or(0);
        let paths_most = paths().map(Path::most).max().unwrap_or(1);
        let inside = self.partners.values().map(|partners| partners.most().max(1));
        let above = self.above.iter().map(|step| match step {
            Step::Partners(partners) => partners.most().max(1),
            Step::Map { .. } => 1,
        });
        let all = inside.chain(above).fold(paths_most, usize::saturating_mul);
        if all > FAN_OUT_MAX || widest > OPEN_ROWS_MAX {
            return Err(EngineError::FanOut { most: FAN_OUT_MAX });
        }
        if !self.is_one_way() && paths_most > GATHERED_MAX {
            return Err(EngineError::FanOut { most: GATHERED_MAX });
        }
        Ok(())
    }

    /// Whose rows they are.
    pub(crate) fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    /// How owners are known.
    pub(crate) fn owner(&self) -> Option<&DataType> {
        self.owner.as_ref()
    }

    /// Whether no person's rows have to come together before they are bounded.
    pub(crate) fn is_one_way(&self) -> bool {
        matches!(self.core, Relation::Released { .. }) && self.above.is_empty()
    }

    /// The inputs of the core.
    pub(crate) fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The ways through which owners of linked rows are found; each needs earlier ones only.
    pub(crate) fn links(&self) -> &[Path] {
        &self.links
    }

    /// What is made of whole people.
    pub(crate) fn core(&self) -> &Relation {
        &self.core
    }

    /// What the core is evaluated with.
    pub(crate) fn context(&self, hash_key: HashKey) -> Context {
        Context { partners: self.partners.clone(), ..Context::people(hash_key) }
    }

    /// From the core to the end.
    pub(super) fn above(&self, rows: Table, emit: &mut Emit) -> Result<(), EngineError> {
        through(&self.above, rows, emit)
    }

    /// For every input, from bytes to rows.
    pub(super) fn readers(&self) -> Result<Vec<Reader>, EngineError> {
        let owner = self.owner.as_ref().ok_or(EngineError::Plan { what: "rows have no owner" })?;
        self.inputs.iter().map(|input| Reader::new(&input.types, owner)).collect()
    }
}

/// A relation that is being opened.
struct Opening<'o, 'a> {
    origins: &'o Origins<'a>,
    threads: usize,
    hash_key: HashKey,
    /// Of all owners of the question.
    form: Option<OwnerForm>,
    /// The rows of public tables.
    public: Vec<(Scan, Table)>,
    inputs: Vec<Input>,
    /// With the tables whose rows are linked.
    links: Vec<(String, Link, Path)>,
    partners: BTreeMap<usize, Arc<Partners>>,
}

/// A column that says who owns a row, or links to who does, and how its names are written.
type NamingColumn = (String, OwnerForm);

impl Opening<'_, '_> {
    /// The relation with numbers for what it gets: rows that have passed all that looks at one row, and public rows.
    fn core(&mut self, relation: &Relation) -> Result<Relation, EngineError> {
        if streams(relation) {
            let paths = self.paths(relation)?;
            return Ok(self.input(paths, relation.types()));
        }
        Ok(match relation {
            Relation::Map { input, filter, columns } => Relation::Map {
                input: Box::new(self.core(input)?),
                filter: filter.clone(),
                columns: columns.clone(),
            },
            Relation::Join(join) => {
                let mut sides = Vec::new();
                for side in [&join.left, &join.right] {
                    sides.push(match is_public(side) {
                        true => {
                            let (partners, _) = self.partners(join)?;
                            let part = self.inputs.len();
                            self.partners.insert(part, partners);
                            self.input(Vec::new(), side.types())
                        }
                        false => self.core(side)?,
                    });
                }
                let [left, right] = <[Relation; 2]>::try_from(sides).map_err(|_| MISFIT)?;
                let (kind, keys, condition) = (join.kind, join.keys.clone(), join.condition.clone());
                Relation::Join(Box::new(Join { left, right, kind, keys, condition }))
            }
            Relation::Union(inputs) => {
                Relation::Union(inputs.iter().map(|input| self.core(input)).collect::<Result<_, _>>()?)
            }
            Relation::Distinct(input) => Relation::Distinct(Box::new(self.core(input)?)),
            Relation::Group { input, keys, aggregates } => Relation::Group {
                input: Box::new(self.core(input)?),
                keys: keys.clone(),
                aggregates: aggregates.clone(),
            },
            Relation::Window { input, windows } => {
                Relation::Window { input: Box::new(self.core(input)?), windows: windows.clone() }
            }
            Relation::Table(_) | Relation::Released { .. } | Relation::Order { .. } => return Err(MISFIT),
        })
    }

    fn input(&mut self, paths: Vec<Path>, types: Vec<Type>) -> Relation {
        let leaf = Relation::Released { part: self.inputs.len(), types: types.clone() };
        self.inputs.push(Input { paths, types });
        leaf
    }

    /// The ways of rows through a relation that looks at one at a time.
    fn paths(&mut self, relation: &Relation) -> Result<Vec<Path>, EngineError> {
        let (input, step) = match relation {
            Relation::Table(scan) => return Ok(vec![self.path(scan)?]),
            Relation::Union(inputs) => {
                let mut paths = Vec::new();
                for input in inputs {
                    paths.extend(self.paths(input)?);
                }
                return Ok(paths);
            }
            Relation::Map { input, filter, columns } => {
                let (filter, columns) = (filter.clone(), columns.clone());
                (input.as_ref(), Step::Map { filter, columns })
            }
            Relation::Join(join) => {
                let (partners, input) = self.partners(join)?;
                (input, Step::Partners(partners))
            }
            _ => return Err(MISFIT),
        };
        let mut paths = self.paths(input)?;
        paths.iter_mut().for_each(|path| path.steps.push(step.clone()));
        Ok(paths)
    }

    /// A table's rows with their owners, or with the names that lead to them.
    fn path(&mut self, scan: &Scan) -> Result<Path, EngineError> {
        let (link, names) = self.names(&scan.table, &scan.owner)?;
        let names: Vec<(&str, OwnerForm)> = names.iter().map(|(name, form)| (name.as_str(), *form)).collect();
        let named = !names.is_empty();
        // The first thing that happens to a row: what is outside of the period is seen by nothing else.
        let period = scan.filter.iter().map(|filter| Step::Map {
            filter: Some(filter.clone()),
            columns: (0..scan.columns.len()).map(Scalar::Column).collect(),
        });
        let steps = period.collect();
        let scan = self.scan(&scan.table, |origin| origin.scan(&scan.columns, &names, self.threads))?;
        Ok(Path { scan, named, link, steps })
    }

    /// By which link the owners of a table's rows are found, and which column says more about them.
    fn names(
        &mut self,
        table: &str,
        owner: &Owner,
    ) -> Result<(Option<usize>, Option<NamingColumn>), EngineError> {
        Ok(match owner {
            Owner::Nobody => return Err(MISFIT),
            Owner::EachRow if self.form.is_none() => (None, None),
            Owner::EachRow => {
                return Err(EngineError::Plan { what: "rows are people's and people themselves" });
            }
            Owner::Column(unit) => (None, Some((unit.clone(), self.form.ok_or(MISFIT)?))),
            Owner::Link(link) => {
                let number = self.link(table, link)?;
                let form = self.link_form(table, link)?;
                (Some(number), Some((link.column.clone(), form)))
            }
        })
    }

    /// The number of a link from a table, opened before or now.
    fn link(&mut self, from: &str, link: &Link) -> Result<usize, EngineError> {
        let known = |(table, other, _): &(String, Link, Path)| table == from && other == link;
        if let Some(known) = self.links.iter().position(known) {
            return Ok(known);
        }
        let (next, name) = self.names(&link.table, &link.owner)?;
        let (owner, owner_form) =
            name.ok_or(EngineError::Plan { what: "a link leads to rows without owners" })?;
        let names = [(link.key.as_str(), self.link_form(from, link)?), (owner.as_str(), owner_form)];
        let scan = self.scan(&link.table, |origin| origin.scan(&[], &names, self.threads))?;
        let path = Path { scan, named: true, link: next, steps: Vec::new() };
        self.links.push((from.to_owned(), link.clone(), path));
        Ok(self.links.len() - 1)
    }

    /// How the names of a link are compared: as all files of both tables have them.
    fn link_form(&self, from: &str, link: &Link) -> Result<OwnerForm, EngineError> {
        let mut kinds = stored(self.origins, from, &link.column)?;
        kinds.extend(stored(self.origins, &link.table, &link.key)?);
        Ok(OwnerForm::of(kinds.iter()))
    }

    fn scan(
        &self,
        table: &str,
        open: impl FnOnce(&dyn Origin) -> Result<Arc<dyn RowScan>, SourceError>,
    ) -> Result<Arc<dyn RowScan>, EngineError> {
        open(origin(self.origins, table)?).map_err(|source| unavailable(table, source))
    }

    /// The public rows of a join with people's, and the other side.
    fn partners<'r>(&self, join: &'r Join) -> Result<(Arc<Partners>, &'r Relation), EngineError> {
        let (left, right) = (!is_public(&join.left), !is_public(&join.right));
        if left == right || lost_rows(join.kind, left, right) {
            return Err(MISFIT);
        }
        let (people, public) = if left { (&join.left, &join.right) } else { (&join.right, &join.left) };
        let leaves = |leaf: &Relation| match leaf {
            Relation::Table(scan) => {
                self.public.iter().find(|(known, _)| known == scan).map(|(_, rows)| rows.clone())
            }
            _ => None,
        };
        let context = Context::open(self.hash_key.clone());
        let rows = rows_of(&context, public, &leaves, RELATION_DEPTH_MAX)?;
        Ok((Arc::new(Partners::new(&self.hash_key, join, rows, right, false)?), people))
    }
}

const MISFIT: EngineError = EngineError::Plan { what: "a relation that cannot be opened" };

/// Whether nobody owns the rows.
fn is_public(relation: &Relation) -> bool {
    relation.ownership() == Ownership::Nobody
}

/// Whether people's rows can pass one at a time.
pub(super) fn streams(relation: &Relation) -> bool {
    match relation {
        Relation::Table(scan) => scan.owner != Owner::Nobody,
        Relation::Map { input, .. } => streams(input),
        Relation::Union(inputs) => inputs.iter().all(streams),
        Relation::Join(join) => match (is_public(&join.left), is_public(&join.right)) {
            (false, true) => streams(&join.left),
            (true, false) => streams(&join.right),
            _ => false,
        },
        _ => false,
    }
}

/// How owners are compared: as all files of all people's tables of the question have them.
fn owner_form(relation: &Relation, origins: &Origins<'_>) -> Result<Option<OwnerForm>, EngineError> {
    let mut kinds = Vec::new();
    for scan in relation.scans() {
        let (mut table, mut owner) = (&scan.table, &scan.owner);
        while let Owner::Link(link) = owner {
            (table, owner) = (&link.table, &link.owner);
        }
        if let Owner::Column(unit) = owner {
            kinds.extend(stored(origins, table, unit)?);
        }
    }
    let people = matches!(relation.ownership(), Ownership::People(_));
    Ok(people.then(|| OwnerForm::of(kinds.iter())))
}

fn stored(origins: &Origins<'_>, table: &str, column: &str) -> Result<Vec<DataType>, EngineError> {
    origin(origins, table)?.stored_types(column).map_err(|source| unavailable(table, source))
}

fn origin<'a>(origins: &Origins<'a>, table: &str) -> Result<&'a dyn Origin, EngineError> {
    origins(table).ok_or(EngineError::Plan { what: "a table was not opened" })
}

fn unavailable(table: &str, source: SourceError) -> EngineError {
    EngineError::Open { table: table.to_owned(), source }
}

/// All rows of a public table.
pub(crate) async fn read(scan: &Scan, origins: &Origins<'_>) -> Result<Table, EngineError> {
    if scan.filter.is_some() {
        return Err(EngineError::Plan { what: "a public table has periods" });
    }
    let unavailable = |source| unavailable(&scan.table, source);
    let opened = origin(origins, &scan.table)?.scan(&scan.columns, &[], 1).map_err(unavailable)?;
    let kinds: Vec<Type> = scan.columns.iter().map(|column| type_of_column(&column.kind)).collect();
    let (mut parts, mut rows, mut bytes) = (vec![Table::empty(None, &kinds)], 0, 0);
    for partition in 0..opened.partitions() {
        let mut batches = opened.batches(partition);
        while let Some(batch) = batches.next().await {
            let batch: RecordBatch = batch.map_err(unavailable)?;
            rows += batch.num_rows();
            bytes += batch.get_array_memory_size();
            if rows > OPEN_ROWS_MAX || bytes > OPEN_BYTES_MAX {
                return Err(EngineError::TooManyRows { most: OPEN_ROWS_MAX });
            }
            parts.push(Table::from_batch(&batch, false)?);
        }
    }
    Table::concat(&parts)
}
