//! Where rows and columns of a computed answer come from.
//!
//! A traced relation has the columns of the relation and, hidden behind them, what names each row whatever the noise: the
//! places of the released rows that it is made of, or the keys that it was grouped by. So bars of released numbers that are
//! only handed on are found again, and a row can be recognised when the same relation is computed from other numbers.
//! Nothing else changes: hidden columns decide nothing but the order of rows that are equal in everything shown.

use pointillist_catalog::Value;
use pointillist_plan::{
    ExactAggregate, ExactFunction, Join, JoinKind, PrivatePlan, Relation, Scalar, Type, Window,
    WindowFunction, visit,
};

/// A relation whose rows know where they come from.
#[derive(Clone, Debug)]
pub(super) struct Traced {
    /// The columns that are shown, then the hidden ones.
    pub(super) relation: Relation,
    pub(super) columns: Vec<Provenance>,
    /// Whether the hidden columns name a row whatever the noise.
    pub(super) is_named: bool,
    /// Whether noisy numbers decided which rows are there.
    pub(super) is_picked: bool,
}

/// What a column is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Provenance {
    /// Whether it depends on a noisy number.
    pub(super) is_noisy: bool,
    /// Whether, in some row, it is computed from noisy numbers and not one of them as it is.
    pub(super) is_computed: bool,
    /// The released columns that it only hands on: in a row, the one whose place is not NULL.
    pub(super) handed: Vec<Handed>,
    /// Between which numbers it lies, whatever the noise.
    pub(super) range: Option<(f64, f64)>,
}

/// A column of a part, handed on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Handed {
    pub(super) part: usize,
    pub(super) column: usize,
    /// Which hidden column holds the place of the part's row.
    pub(super) place: usize,
}

impl Traced {
    /// Traces a relation over these parts.
    pub(super) fn of(relation: &Relation, parts: &[PrivatePlan]) -> Option<Self> {
        match relation {
            Relation::Table(_) => {
                let types = relation.types();
                let named = Self {
                    relation: relation.clone(),
                    columns: vec![Provenance::default(); types.len()],
                    is_named: true,
                    is_picked: false,
                };
                Some(named.naming((0..types.len()).collect()))
            }
            Relation::Released { part, types } => released(*part, types, parts.get(*part)?),
            Relation::Map { input, filter, columns } => {
                Some(Self::of(input, parts)?.mapped(filter.as_ref(), columns))
            }
            Relation::Join(join) => joined(join, parts),
            Relation::Union(inputs) => {
                let inputs = inputs.iter().map(|input| Self::of(input, parts));
                united(inputs.collect::<Option<Vec<_>>>()?)
            }
            Relation::Distinct(input) => Some(Self::of(input, parts)?.distinct()),
            Relation::Group { input, keys, aggregates } => {
                Some(Self::of(input, parts)?.grouped(keys, aggregates))
            }
            Relation::Window { input, windows } => Some(Self::of(input, parts)?.windowed(windows)),
            Relation::Order { input, by, skip, fetch } => {
                let mut traced = Self::of(input, parts)?;
                let cuts = *skip > 0 || fetch.is_some();
                traced.is_picked |= cuts && by.iter().any(|order| traced.is_noisy(&order.by));
                let input = Box::new(traced.relation);
                traced.relation = Relation::Order { input, by: by.clone(), skip: *skip, fetch: *fetch };
                Some(traced)
            }
        }
    }

    /// How many hidden columns there are.
    pub(super) fn hidden(&self) -> usize {
        self.relation.types().len() - self.columns.len()
    }

    fn is_noisy(&self, scalar: &Scalar) -> bool {
        visit::columns(scalar).any(|column| self.columns.get(column).is_some_and(|column| column.is_noisy))
    }

    /// The same rows, named by copies of these columns alone.
    fn naming(mut self, names: Vec<usize>) -> Self {
        let shown = (0..self.columns.len()).chain(names).map(Scalar::Column).collect();
        self.relation = Relation::Map { input: Box::new(self.relation), filter: None, columns: shown };
        self
    }

    fn mapped(self, filter: Option<&Scalar>, columns: &[Scalar]) -> Self {
        let (shown, hidden) = (self.columns.len(), self.hidden());
        let provenance = |scalar: &Scalar| match scalar {
            Scalar::Column(column) => self.columns.get(*column).cloned().unwrap_or_default(),
            other => Provenance::computed(self.is_noisy(other)),
        };
        let is_picked = self.is_picked || filter.is_some_and(|filter| self.is_noisy(filter));
        let hidden = (shown..shown + hidden).map(Scalar::Column);
        Self {
            columns: columns.iter().map(provenance).collect(),
            is_named: self.is_named,
            is_picked,
            relation: Relation::Map {
                input: Box::new(self.relation),
                filter: filter.cloned(),
                columns: columns.iter().cloned().chain(hidden).collect(),
            },
        }
    }

    /// Each row once: of equal rows, hidden columns of one.
    fn distinct(self) -> Self {
        let (shown, hidden) = (self.columns.len(), self.hidden());
        let first = |column: usize| ExactAggregate {
            function: ExactFunction::Minimum,
            value: Scalar::Column(column),
            counted: None,
            distinct: false,
        };
        let relation = Relation::Group {
            input: Box::new(self.relation),
            keys: (0..shown).map(Scalar::Column).collect(),
            aggregates: (shown..shown + hidden).map(first).collect(),
        };
        Self { relation, ..self }
    }

    fn grouped(self, keys: &[Scalar], aggregates: &[ExactAggregate]) -> Self {
        let noisy_key = |key: &Scalar| self.is_noisy(key);
        let is_named = !keys.iter().any(noisy_key);
        let aggregated = |aggregate: &ExactAggregate| {
            Provenance::computed(self.is_picked || self.is_noisy_aggregate(aggregate))
        };
        let keyed = keys.iter().map(|key| Provenance::computed(noisy_key(key)));
        let columns = keyed.chain(aggregates.iter().map(aggregated)).collect();
        let grouped = Self {
            columns,
            is_named,
            is_picked: false,
            relation: Relation::Group {
                input: Box::new(self.relation),
                keys: keys.to_vec(),
                aggregates: aggregates.to_vec(),
            },
        };
        grouped.naming((0..keys.len()).collect())
    }

    fn is_noisy_aggregate(&self, aggregate: &ExactAggregate) -> bool {
        self.is_noisy(&aggregate.value)
            || aggregate.counted.as_ref().is_some_and(|counted| self.is_noisy(counted))
    }

    fn windowed(self, windows: &[Window]) -> Self {
        let (shown, hidden) = (self.columns.len(), self.hidden());
        let provenance = |window: &Window| {
            let uses_noise = window.expressions().into_iter().any(|used| self.is_noisy(used));
            Provenance {
                range: range(&window.function),
                ..Provenance::computed(self.is_picked || uses_noise)
            }
        };
        let columns: Vec<Provenance> =
            self.columns.iter().cloned().chain(windows.iter().map(provenance)).collect();
        let order =
            (0..shown).chain(shown + hidden..shown + hidden + windows.len()).chain(shown..shown + hidden);
        let window = Relation::Window { input: Box::new(self.relation), windows: windows.to_vec() };
        Self {
            columns,
            is_named: self.is_named,
            is_picked: self.is_picked,
            relation: Relation::Map {
                input: Box::new(window),
                filter: None,
                columns: order.map(Scalar::Column).collect(),
            },
        }
    }
}

/// A part's keys and aggregates, and the place of each of its rows.
fn released(part: usize, types: &[Type], plan: &PrivatePlan) -> Option<Traced> {
    let keys = plan.aggregation.keys.len();
    let column = |column: usize| Provenance {
        is_noisy: column >= keys,
        is_computed: false,
        handed: vec![Handed { part, column, place: 0 }],
        range: None,
    };
    let placed = types.iter().copied().chain([Type::Integer]).collect();
    Some(Traced {
        relation: Relation::Released { part, types: placed },
        columns: (0..types.len()).map(column).collect(),
        is_named: true,
        is_picked: false,
    })
}

fn joined(join: &Join, parts: &[PrivatePlan]) -> Option<Traced> {
    let (left, right) = (Traced::of(&join.left, parts)?, Traced::of(&join.right, parts)?);
    let (shown, hidden) = (left.columns.len(), left.hidden());
    let (right_shown, right_hidden) = (right.columns.len(), right.hidden());
    let both: Vec<bool> = left.columns.iter().chain(&right.columns).map(|column| column.is_noisy).collect();
    let noisy_condition = join
        .condition
        .iter()
        .flat_map(visit::columns)
        .any(|column| both.get(column).copied().unwrap_or(false));
    let noisy_keys = join.keys.iter().any(|(first, second)| left.is_noisy(first) || right.is_noisy(second));
    let is_picked = left.is_picked || right.is_picked || noisy_condition || noisy_keys;
    let moved = |condition: &Scalar| {
        visit::with_replaced(condition, &mut |part| match part {
            Scalar::Column(column) if *column >= shown => Some(Scalar::Column(column + hidden)),
            _ => None,
        })
    };
    let relation = Relation::Join(Box::new(Join {
        left: left.relation,
        right: right.relation,
        kind: join.kind,
        keys: join.keys.clone(),
        condition: join.condition.as_ref().map(moved),
    }));
    if matches!(join.kind, JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn) {
        return Some(Traced { relation, columns: left.columns, is_named: left.is_named, is_picked });
    }
    let right_at = shown + hidden;
    let order = (0..shown)
        .chain(right_at..right_at + right_shown)
        .chain(shown..right_at)
        .chain(right_at + right_shown..right_at + right_shown + right_hidden);
    let columns =
        left.columns.into_iter().chain(right.columns.into_iter().map(|column| column.behind(hidden)));
    Some(Traced {
        columns: columns.collect(),
        is_named: left.is_named && right.is_named,
        is_picked,
        relation: Relation::Map {
            input: Box::new(relation),
            filter: None,
            columns: order.map(Scalar::Column).collect(),
        },
    })
}

/// All rows of all inputs: hidden is which input a row is of, and the hidden columns of all inputs, NULL for others.
fn united(inputs: Vec<Traced>) -> Option<Traced> {
    let shown = inputs.first()?.columns.len();
    let hidden: Vec<Vec<Type>> =
        inputs.iter().map(|input| input.relation.types().split_off(input.columns.len())).collect();
    let mut columns = vec![Provenance::default(); shown];
    let (mut branches, mut at) = (Vec::with_capacity(inputs.len()), 1);
    let is_named = inputs.iter().all(|input| input.is_named);
    let is_picked = inputs.iter().any(|input| input.is_picked);
    for (number, input) in inputs.into_iter().enumerate() {
        for (column, from) in columns.iter_mut().zip(input.columns) {
            column.is_noisy |= from.is_noisy;
            column.is_computed |= from.is_computed;
            column.handed.extend(from.behind(at).handed);
        }
        at += hidden[number].len();
        let own = |other: usize, position: usize, kind: Type| match other == number {
            true => Scalar::Column(shown + position),
            false => Scalar::Null(kind),
        };
        let places = hidden.iter().enumerate().flat_map(|(other, types)| {
            types.iter().enumerate().map(move |(position, kind)| own(other, position, *kind))
        });
        let number = Scalar::Constant(Value::Integer(i64::try_from(number).ok()?));
        let columns = (0..shown).map(Scalar::Column).chain([number]).chain(places).collect();
        branches.push(Relation::Map { input: Box::new(input.relation), filter: None, columns });
    }
    Some(Traced { relation: Relation::Union(branches), columns, is_named, is_picked })
}

impl Provenance {
    fn computed(is_noisy: bool) -> Self {
        Self { is_noisy, is_computed: is_noisy, ..Self::default() }
    }

    /// The same where so many hidden columns stand before its own.
    fn behind(mut self, before: usize) -> Self {
        self.handed.iter_mut().for_each(|handed| handed.place += before);
        self
    }
}

fn range(function: &WindowFunction) -> Option<(f64, f64)> {
    match function {
        WindowFunction::RowNumber
        | WindowFunction::Rank
        | WindowFunction::DenseRank
        | WindowFunction::Tiles(_) => Some((1.0, f64::INFINITY)),
        WindowFunction::PercentRank | WindowFunction::CumulativeDistribution => Some((0.0, 1.0)),
        WindowFunction::Shifted { .. }
        | WindowFunction::First(_)
        | WindowFunction::Last(_)
        | WindowFunction::Nth(..)
        | WindowFunction::Aggregate(_) => None,
    }
}

/// The relation without what picks among its rows by noisy numbers, at its top: the rows that were picked from.
pub(super) fn unpicked(relation: &Relation, parts: &[PrivatePlan]) -> Relation {
    match relation {
        Relation::Map { input, filter, columns } => {
            let traced = Traced::of(input, parts);
            let is_noisy = |filter: &Scalar| traced.as_ref().is_none_or(|traced| traced.is_noisy(filter));
            Relation::Map {
                input: Box::new(unpicked(input, parts)),
                filter: filter.clone().filter(|filter| !is_noisy(filter)),
                columns: columns.clone(),
            }
        }
        Relation::Order { input, .. } => unpicked(input, parts),
        other => other.clone(),
    }
}
