//! Rows: of one person, of public tables, or of numbers that were released.
//!
//! **Theorem (local).** Let a relation have people's tables among its leaves, and D_u be the rows of person u in them. Then
//! its value is a disjoint union over people: ⟦R⟧(D) = ⊎_u {u} × F(u, D_u, P), P the public tables. So when a person joins
//! or leaves, the rows of everybody else stay as they are, and what bounding does to one person is all that moves.
//! **Proof.** By structure; every operator distributes over owners *by what it means here*, not by how it was asked for:
//!
//! | relation | of people's rows it means |
//! | --- | --- |
//! | [`Relation::Table`] | the rows that u owns: by a column, or by a link to rows that u owns ([`Link`]); of those, the rows of a period |
//! | [`Relation::Map`] | one row at a time |
//! | [`Relation::Join`] of two people's relations | also that both owners are the same person |
//! | [`Relation::Join`] with public rows | for each row the public rows that fit it; public rows are never kept for themselves |
//! | [`Relation::Union`] | each row stays its owner's |
//! | [`Relation::Distinct`], [`Relation::Group`], [`Relation::Window`] | among the rows of one owner |
//! | [`Relation::Order`] | nothing: there is none of people's rows |
//!
//! A statement may be planned as a relation only if what its author wrote means the same; that is the planner's care. The
//! owner is a hidden column that no expression can read or make.
//! **Links.** The owners of a linked row are *all* owners of rows that it links to: the row is there once for each. To pick
//! one of them, or none when there are two, lets one person change whose rows others' are (a person who repeats twenty
//! ids would take, or erase, the rows of twenty others). A link to nobody belongs to nobody.
//! **Total.** Nothing can fail in a row. A sum of whole numbers saturates once, at the end; numbers are added exactly and
//! rounded once: both are functions of the set of rows, whatever the order in which they come. Orders are total: rows that
//! compare equal are ordered by all their columns.
//! **How many.** A person's rows may multiply in a join: c² of c. At most [`PAIRS_MAX`] pairs of one person are looked at in
//! one join; which, is a function of the person's rows and the secret hash key alone, so the theorem holds.

use crate::{Order, Scalar, ScanColumn, Type, type_of, type_of_column};

/// The most pairs of one person's rows that a join looks at.
pub const PAIRS_MAX: usize = 1 << 16;
/// The most relations inside each other.
pub const RELATION_DEPTH_MAX: usize = 64;

/// Rows with columns; [`Scalar::Column`] counts those of its input.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// The rows of a table.
    Table(Scan),
    /// The rows of a paid part of the statement, by its number: only above releases.
    Released {
        /// Which part.
        part: usize,
        /// The types of its answer's columns.
        types: Vec<Type>,
    },
    /// The rows for which `filter` is true, seen through expressions.
    Map {
        /// Where rows come from.
        input: Box<Relation>,
        /// Which are left.
        filter: Option<Scalar>,
        /// The columns that the rows have above, computed from one row each.
        columns: Vec<Scalar>,
    },
    /// Pairs of rows: the columns of the left, then those of the right.
    Join(Box<Join>),
    /// All rows of all inputs, which have the same types.
    Union(Vec<Relation>),
    /// Each row once.
    Distinct(Box<Relation>),
    /// One row for all rows of the same keys: the keys, then the aggregates. Without keys one row for each owner who has
    /// rows; where rows have no owner, one row in any case.
    Group {
        /// Where rows come from.
        input: Box<Relation>,
        /// What is the same in them.
        keys: Vec<Scalar>,
        /// What is computed from them.
        aggregates: Vec<ExactAggregate>,
    },
    /// The columns of the input, then one for each window.
    Window {
        /// Where rows come from.
        input: Box<Relation>,
        /// What is computed beside each row.
        windows: Vec<Window>,
    },
    /// Rows in an order, some of them: of released rows alone.
    Order {
        /// Where rows come from.
        input: Box<Relation>,
        /// The order; rows that compare equal are ordered by all their columns.
        by: Vec<Order>,
        /// How many are left out at the beginning.
        skip: u64,
        /// How many are shown at most.
        fetch: Option<u64>,
    },
}

/// What is read of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// Its name in the catalog.
    pub table: String,
    /// The columns that are read.
    pub columns: Vec<ScanColumn>,
    /// Which rows there are at all, over these columns: those of one period. Whatever looks at rows looks at what is left,
    /// and links look at none of it: a linked table has no periods.
    pub filter: Option<Scalar>,
    /// Whose rows they are.
    pub owner: Owner,
}

/// How the owner of a row is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The table is public.
    Nobody,
    /// Every row is another person.
    EachRow,
    /// A column of the file, read as it is; rows where it is NULL are left out.
    Column(String),
    /// Everybody who owns a row that this one links to.
    Link(Box<Link>),
}

/// From a row to those who own it, through another table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The linking column of this table's file.
    pub column: String,
    /// The other table.
    pub table: String,
    /// The column of the other table's file that the link equals, compared as names of owners are: exactly.
    pub key: String,
    /// Who owns the rows of the other table.
    pub owner: Owner,
}

/// Pairs of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// The first rows.
    pub left: Relation,
    /// The second rows.
    pub right: Relation,
    /// What becomes of rows without a partner.
    pub kind: JoinKind,
    /// Equal in both: expressions of the left row and of the right one, of the same type. NULL equals nothing.
    pub keys: Vec<(Scalar, Scalar)>,
    /// What else must be true, over the columns of the left and then those of the right.
    pub condition: Option<Scalar>,
}

/// What becomes of rows without a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// They are left out.
    Inner,
    /// Those of the left are kept, with NULL for the right. Not if the left is public and the right people's.
    Left,
    /// Those of both sides are kept. Not if one side is public and the other people's.
    Full,
    /// Rows of the left that have a partner, once, without its columns. Not if the left is public and the right people's.
    Semi,
    /// Rows of the left that have none. Likewise.
    Anti,
    /// `x NOT IN (…)`: rows of the left for which no comparison with a right row is true or unknown: NULL on either side
    /// compares as unknown. Likewise.
    NotIn,
}

/// An aggregate without noise: of one person's rows, of public rows, or of released ones.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactAggregate {
    /// How the values become one.
    pub function: ExactFunction,
    /// Of what; rows where it is NULL do not count. `true` counts rows.
    pub value: Scalar,
    /// Rows count only where this is true.
    pub counted: Option<Scalar>,
    /// Each value once.
    pub distinct: bool,
}

/// The aggregates without noise. Without a counted row, `Count` is zero and the others are NULL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExactFunction {
    /// How many.
    Count,
    /// Whole numbers or numbers added up.
    Sum,
    /// Their mean, a number.
    Average,
    /// The least, of any type.
    Minimum,
    /// The greatest, of any type.
    Maximum,
    /// The most frequent, the least of those that tie.
    Mode,
    /// A number between neighbours in order, at this share of the way; of numbers.
    QuantileContinuous(f64),
    /// The first value whose share of those not above it is at least this; of any type.
    QuantileDiscrete(f64),
    /// The variance, divided by n, or by n − 1 for a sample; NULL for a sample of one.
    Variance {
        /// By n − 1.
        sample: bool,
        /// Its root: a standard deviation.
        root: bool,
    },
    /// Whether all are true.
    Every,
    /// Whether one is true.
    Some,
}

/// A value beside each row, from the rows of its partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// What is computed beside a row.
    pub function: WindowFunction,
    /// Rows of the same values are one partition.
    pub partition: Vec<Scalar>,
    /// Their order.
    pub order: Vec<Order>,
    /// Which rows around one an aggregate is about.
    pub frame: Frame,
}

/// The functions of windows.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowFunction {
    /// 1, 2, 3, …
    RowNumber,
    /// One more than the rows before all peers.
    Rank,
    /// One more than the different rows before.
    DenseRank,
    /// (rank − 1)/(rows − 1), zero for one row.
    PercentRank,
    /// The share of rows that are not after the peers.
    CumulativeDistribution,
    /// The rows in so many parts of about equal length.
    Tiles(u64),
    /// The value of the row so many before (of the one after, if negative), or a value that is of this row.
    Shifted {
        /// The value.
        value: Scalar,
        /// How far before.
        back: i64,
        /// Where there is no such row; NULL unless given.
        otherwise: Option<Scalar>,
    },
    /// The value of the first row of the frame.
    First(Scalar),
    /// The value of the last row of the frame.
    Last(Scalar),
    /// The value of the row of the frame with this number, from one.
    Nth(Scalar, u64),
    /// An aggregate of the frame.
    Aggregate(ExactAggregate),
}

/// The rows around one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Counted by rows; else the current row stands for all its peers, and there are no distances.
    pub by_rows: bool,
    /// The first.
    pub start: FrameEnd,
    /// The last.
    pub end: FrameEnd,
}

/// Where a frame begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameEnd {
    /// At the beginning of the partition.
    First,
    /// So many rows before.
    Before(u64),
    /// At the row itself.
    Current,
    /// So many rows after.
    After(u64),
    /// At the end of the partition.
    Last,
}

/// Whose rows a relation has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// Nobody's: public or released.
    Nobody,
    /// Every row is another person.
    EachRow,
    /// People's, who are named by this column.
    People(String),
}

impl Owner {
    /// Whose rows these are.
    pub fn ownership(&self) -> Ownership {
        match self {
            Self::Nobody => Ownership::Nobody,
            Self::EachRow => Ownership::EachRow,
            Self::Column(unit) => Ownership::People(unit.clone()),
            Self::Link(link) => link.owner.ownership(),
        }
    }

    /// The tables through which owners are found, the nearest first.
    pub fn tables(&self) -> Vec<&str> {
        match self {
            Self::Link(link) => [vec![link.table.as_str()], link.owner.tables()].concat(),
            Self::Nobody | Self::EachRow | Self::Column(_) => Vec::new(),
        }
    }
}

impl ExactAggregate {
    /// The type of the result, for a value of this type.
    pub fn kind(&self, value: Type) -> Option<Type> {
        let numeric = matches!(value, Type::Integer | Type::Number);
        match self.function {
            ExactFunction::Count => Some(Type::Integer),
            ExactFunction::Sum => numeric.then_some(value),
            ExactFunction::Average
            | ExactFunction::QuantileContinuous(_)
            | ExactFunction::Variance { .. } => numeric.then_some(Type::Number),
            ExactFunction::Minimum
            | ExactFunction::Maximum
            | ExactFunction::Mode
            | ExactFunction::QuantileDiscrete(_) => Some(value),
            ExactFunction::Every | ExactFunction::Some => (value == Type::Boolean).then_some(value),
        }
    }
}

impl Window {
    /// The type of the column, over rows of these types.
    pub fn kind(&self, types: &[Type]) -> Option<Type> {
        match &self.function {
            WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::Tiles(_) => Some(Type::Integer),
            WindowFunction::PercentRank | WindowFunction::CumulativeDistribution => Some(Type::Number),
            WindowFunction::Shifted { value, .. }
            | WindowFunction::First(value)
            | WindowFunction::Last(value)
            | WindowFunction::Nth(value, _) => type_of(value, types),
            WindowFunction::Aggregate(aggregate) => aggregate.kind(type_of(&aggregate.value, types)?),
        }
    }

    /// The expressions of a row that it uses.
    pub fn expressions(&self) -> Vec<&Scalar> {
        let mut used: Vec<&Scalar> = self.partition.iter().collect();
        used.extend(self.order.iter().map(|order| &order.by));
        match &self.function {
            WindowFunction::Shifted { value, otherwise, .. } => {
                used.push(value);
                used.extend(otherwise);
            }
            WindowFunction::First(value) | WindowFunction::Last(value) | WindowFunction::Nth(value, _) => {
                used.push(value);
            }
            WindowFunction::Aggregate(aggregate) => {
                used.push(&aggregate.value);
                used.extend(&aggregate.counted);
            }
            WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumulativeDistribution
            | WindowFunction::Tiles(_) => {}
        }
        used
    }
}

impl Window {
    /// The expressions of a row that it uses, to be changed.
    pub fn expressions_mut(&mut self) -> Vec<&mut Scalar> {
        let mut used: Vec<&mut Scalar> = self.partition.iter_mut().collect();
        used.extend(self.order.iter_mut().map(|order| &mut order.by));
        match &mut self.function {
            WindowFunction::Shifted { value, otherwise, .. } => {
                used.push(value);
                used.extend(otherwise);
            }
            WindowFunction::First(value) | WindowFunction::Last(value) | WindowFunction::Nth(value, _) => {
                used.push(value);
            }
            WindowFunction::Aggregate(aggregate) => {
                used.push(&mut aggregate.value);
                used.extend(&mut aggregate.counted);
            }
            WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumulativeDistribution
            | WindowFunction::Tiles(_) => {}
        }
        used
    }
}

impl Relation {
    /// The relations directly inside.
    pub fn inputs(&self) -> Vec<&Self> {
        match self {
            Self::Table(_) | Self::Released { .. } => Vec::new(),
            Self::Map { input, .. }
            | Self::Distinct(input)
            | Self::Group { input, .. }
            | Self::Window { input, .. }
            | Self::Order { input, .. } => vec![input],
            Self::Join(join) => vec![&join.left, &join.right],
            Self::Union(inputs) => inputs.iter().collect(),
        }
    }

    /// What is read of tables, from left to right.
    pub fn scans(&self) -> Vec<&Scan> {
        match self {
            Self::Table(scan) => vec![scan],
            other => other.inputs().into_iter().flat_map(Self::scans).collect(),
        }
    }

    /// Every table that is read, those that owners are found through included, each once.
    pub fn tables(&self) -> Vec<&str> {
        let mut tables: Vec<&str> = Vec::new();
        for scan in self.scans() {
            for table in [vec![scan.table.as_str()], scan.owner.tables()].concat() {
                if !tables.contains(&table) {
                    tables.push(table);
                }
            }
        }
        tables
    }

    /// The one table that is read, where there are no others.
    pub fn table(&self) -> Option<&Scan> {
        match self {
            Self::Table(scan) => Some(scan),
            _ => None,
        }
    }

    /// Whose rows these are.
    pub fn ownership(&self) -> Ownership {
        let owners = self.scans().into_iter().map(|scan| scan.owner.ownership());
        owners.fold(Ownership::Nobody, |known, next| if known == Ownership::Nobody { next } else { known })
    }

    /// The types of its columns. A plan whose expressions have no types is a mistake of the planner; theirs is then text.
    pub fn types(&self) -> Vec<Type> {
        let of = |scalar: &Scalar, types: &[Type]| type_of(scalar, types).unwrap_or(Type::Text);
        match self {
            Self::Table(scan) => scan.columns.iter().map(|column| type_of_column(&column.kind)).collect(),
            Self::Released { types, .. } => types.clone(),
            Self::Map { input, columns, .. } => {
                let types = input.types();
                columns.iter().map(|column| of(column, &types)).collect()
            }
            Self::Join(join) => match join.kind {
                JoinKind::Inner | JoinKind::Left | JoinKind::Full => {
                    [join.left.types(), join.right.types()].concat()
                }
                JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn => join.left.types(),
            },
            Self::Union(inputs) => inputs.first().map(Self::types).unwrap_or_default(),
            Self::Distinct(input) | Self::Order { input, .. } => input.types(),
            Self::Group { input, keys, aggregates } => {
                let types = input.types();
                let keys = keys.iter().map(|key| of(key, &types));
                let aggregates = aggregates
                    .iter()
                    .map(|aggregate| aggregate.kind(of(&aggregate.value, &types)).unwrap_or(Type::Text));
                keys.chain(aggregates).collect()
            }
            Self::Window { input, windows } => {
                let mut types = input.types();
                let added: Vec<Type> =
                    windows.iter().map(|window| window.kind(&types).unwrap_or(Type::Text)).collect();
                types.extend(added);
                types
            }
        }
    }

    /// What a column is called where it comes from, if it is a table's column that is only handed on.
    pub fn column(&self, position: usize) -> Option<&ScanColumn> {
        match self {
            Self::Table(scan) => scan.columns.get(position),
            Self::Released { .. } => None,
            Self::Map { input, columns, .. } => match columns.get(position)? {
                Scalar::Column(column) => input.column(*column),
                _ => None,
            },
            Self::Join(join) => {
                let left = join.left.types().len();
                match position.checked_sub(left) {
                    None => join.left.column(position),
                    Some(right) => join.right.column(right),
                }
            }
            Self::Union(inputs) => inputs.first()?.column(position),
            Self::Distinct(input) | Self::Order { input, .. } | Self::Window { input, .. } => {
                input.column(position)
            }
            Self::Group { input, keys, .. } => match keys.get(position)? {
                Scalar::Column(column) => input.column(*column),
                _ => None,
            },
        }
    }
}
