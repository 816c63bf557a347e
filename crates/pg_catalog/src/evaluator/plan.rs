//! A statement with its names resolved: what is computed from which column of which table.
//!
//! Columns are places, not names: how many SELECTs outwards, which table of its FROM, which column. Types are settled, and
//! casts that PostgreSQL makes without words are written out, so that whoever runs a plan looks nothing up.

use std::sync::Arc;

use crate::functions::Function;
use crate::{PgType, PgValue};

/// The tables of one FROM, as bits.
pub(super) type Slots = u128;

/// A type, and the fields where it is a row whose fields are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Type {
    pub pg: PgType,
    pub fields: Option<Arc<[(String, PgType)]>>,
}

impl From<PgType> for Type {
    fn from(pg: PgType) -> Self {
        Self { pg, fields: None }
    }
}

/// An expression and its type.
#[derive(Clone)]
pub(super) struct Expr {
    pub kind: Kind,
    pub ty: Type,
}

impl Expr {
    pub fn new(kind: Kind, ty: impl Into<Type>) -> Self {
        Self { kind, ty: ty.into() }
    }

    pub fn boxed(self) -> Box<Self> {
        Box::new(self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Plus,
    Minus,
    Multiply,
    Divide,
    Modulo,
    Power,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

/// How a text is matched with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// A regular expression, or the pattern of LIKE.
    pub regex: bool,
    pub ignore_case: bool,
    pub negated: bool,
    /// The sign of LIKE that takes the meaning from the next.
    pub escape: Option<char>,
}

/// What two values are put to: `= ANY`, `~ ALL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Compare(Comparison),
    Match(Pattern),
}

#[derive(Clone)]
pub(super) enum Kind {
    Constant(PgValue),
    Parameter(usize),
    Column {
        up: usize,
        slot: usize,
        index: usize,
    },
    WholeRow {
        up: usize,
        slot: usize,
        names: Arc<[String]>,
    },
    /// The value of an aggregate of this SELECT.
    Aggregate(usize),
    /// The value of a window function of this SELECT.
    Window(usize),
    /// The current value of a function in the list of this SELECT that gives rows.
    Set(usize),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    IsNull(Box<Expr>),
    /// `IS TRUE`, `IS FALSE`.
    Is(Box<Expr>, bool),
    Test {
        test: Test,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    DistinctFrom(Box<Expr>, Box<Expr>),
    InList {
        expr: Box<Expr>,
        list: Vec<Expr>,
    },
    OfArray {
        test: Test,
        left: Box<Expr>,
        array: Box<Expr>,
        all: bool,
    },
    OfQuery {
        test: Test,
        left: Box<Expr>,
        query: Subquery,
        all: bool,
    },
    Exists(Subquery),
    Scalar(Subquery),
    ArrayOf(Subquery),
    Arithmetic {
        op: Arithmetic,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Negative(Box<Expr>),
    Concat(Box<Expr>, Box<Expr>),
    Case {
        operand: Option<Box<Expr>>,
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Coalesce(Vec<Expr>),
    NullIf(Box<Expr>, Box<Expr>),
    /// GREATEST and LEAST.
    Extreme {
        greatest: bool,
        list: Vec<Expr>,
    },
    Call {
        function: &'static Function,
        arguments: Vec<Expr>,
    },
    Array(Vec<Expr>),
    Row(Vec<Expr>),
    Subscript {
        array: Box<Expr>,
        index: Box<Expr>,
    },
    Slice {
        array: Box<Expr>,
        lower: Option<Box<Expr>>,
        upper: Option<Box<Expr>>,
    },
    Field {
        record: Box<Expr>,
        name: String,
    },
    Cast {
        expr: Box<Expr>,
        to: PgType,
    },
}

impl Expr {
    /// The expressions directly inside; queries are not entered.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::And(list)
            | Kind::Or(list)
            | Kind::Coalesce(list)
            | Kind::Array(list)
            | Kind::Row(list)
            | Kind::Extreme { list, .. }
            | Kind::Call { arguments: list, .. } => list.iter().collect(),
            Kind::InList { expr, list } => std::iter::once(expr.as_ref()).chain(list).collect(),
            Kind::Not(inner)
            | Kind::IsNull(inner)
            | Kind::Is(inner, _)
            | Kind::Negative(inner)
            | Kind::OfQuery { left: inner, .. }
            | Kind::Field { record: inner, .. }
            | Kind::Cast { expr: inner, .. } => vec![inner],
            Kind::Test { left, right, .. }
            | Kind::DistinctFrom(left, right)
            | Kind::OfArray { left, array: right, .. }
            | Kind::Arithmetic { left, right, .. }
            | Kind::Concat(left, right)
            | Kind::NullIf(left, right)
            | Kind::Subscript { array: left, index: right } => vec![left, right],
            Kind::Slice { array, lower, upper } => {
                [Some(array), lower.as_ref(), upper.as_ref()].into_iter().flatten().map(Box::as_ref).collect()
            }
            Kind::Case { operand, branches, otherwise } => {
                let ends = [operand, otherwise].into_iter().flatten().map(Box::as_ref);
                ends.chain(branches.iter().flat_map(|(when, then)| [when, then])).collect()
            }
            Kind::Constant(_)
            | Kind::Parameter(_)
            | Kind::Column { .. }
            | Kind::WholeRow { .. }
            | Kind::Aggregate(_)
            | Kind::Window(_)
            | Kind::Set(_)
            | Kind::Exists(_)
            | Kind::Scalar(_)
            | Kind::ArrayOf(_) => Vec::new(),
        }
    }
}

/// A query inside an expression or a FROM.
#[derive(Clone)]
pub(super) struct Subquery {
    pub plan: Arc<QueryPlan>,
    /// Where its rows are kept, when it gives the same ones whoever asks.
    pub cache: Option<usize>,
}

pub(super) struct QueryPlan {
    pub ctes: Vec<CtePlan>,
    pub body: Body,
    /// By which columns of the body rows are sorted; those behind `columns` are then dropped.
    pub order: Vec<SortKey>,
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
    pub columns: Vec<(String, Type)>,
}

pub(super) struct CtePlan {
    pub id: usize,
    pub plan: CteBody,
    /// Whether the same rows come out at every place of the outer query.
    pub constant: bool,
}

pub(super) enum CteBody {
    Once(QueryPlan),
    /// The second query runs on what it gave last, until it gives nothing.
    Recursive {
        first: Box<QueryPlan>,
        again: Box<QueryPlan>,
        all: bool,
        casts: Vec<Cast>,
    },
}

pub(super) enum Body {
    Select(Box<SelectPlan>),
    Values(Vec<Vec<Expr>>),
    /// A query in brackets.
    Query(Box<QueryPlan>),
    Set {
        op: SetOp,
        all: bool,
        sides: Box<[(QueryPlan, Vec<Cast>); 2]>,
    },
}

/// From which type a column of one side of a UNION is brought to which, if at all.
pub(super) type Cast = Option<(PgType, PgType)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetOp {
    Union,
    Except,
    Intersect,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SortKey {
    pub column: usize,
    pub way: Way,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub descending: bool,
    pub nulls_first: bool,
}

pub(super) struct SelectPlan {
    pub slots: usize,
    pub from: Group,
    pub grouped: bool,
    pub keys: Vec<Expr>,
    pub aggregates: Vec<Aggregate>,
    pub having: Option<Expr>,
    pub windows: Vec<Window>,
    /// Functions of the list that give rows.
    pub sets: Vec<Expr>,
    /// The columns, then what rows are sorted by.
    pub list: Vec<Expr>,
    pub distinct: Distinct,
}

pub(super) enum Distinct {
    No,
    /// By the first columns.
    Columns(usize),
    /// By these columns; the first row of each kind is kept after sorting.
    On(Vec<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AggregateKind {
    Count,
    Min,
    Max,
    Sum,
    Avg,
    BoolAnd,
    BoolOr,
    ArrayAgg,
    StringAgg,
    JsonAgg,
}

pub(super) struct Aggregate {
    pub kind: AggregateKind,
    pub arguments: Vec<Expr>,
    pub distinct: bool,
    pub order: Vec<(Expr, Way)>,
    pub filter: Option<Expr>,
    pub returns: PgType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowKind {
    RowNumber,
    Rank,
    DenseRank,
    /// An aggregate over the whole partition.
    Count,
}

pub(super) struct Window {
    pub kind: WindowKind,
    pub partition: Vec<Expr>,
    pub order: Vec<(Expr, Way)>,
}

/// Tables that are joined by conditions alone, so that their order is free.
#[derive(Default)]
pub(super) struct Group {
    pub factors: Vec<Factor>,
    pub conjuncts: Vec<Conjunct>,
}

impl Group {
    pub fn slots(&self) -> Slots {
        self.factors.iter().fold(0, |all, factor| all | factor.slots)
    }

    /// The tables beside it that it looks at.
    pub fn needs(&self) -> Slots {
        let inside = self.slots();
        self.factors.iter().fold(0, |all, factor| all | factor.needs) & !inside
    }
}

pub(super) struct Conjunct {
    pub expr: Expr,
    pub slots: Slots,
    /// The tables of both sides, where it is an equality.
    pub equality: Option<(Slots, Slots)>,
}

pub(super) struct Factor {
    pub source: Source,
    pub slots: Slots,
    /// The tables beside it that it looks at (LATERAL).
    pub needs: Slots,
    pub filters: Vec<Expr>,
}

pub(super) enum Source {
    Relation { slot: usize, rows: Arc<[Vec<PgValue>]> },
    Cte { slot: usize, id: usize },
    Query { slot: usize, query: Subquery, lateral: bool },
    Call { slot: usize, calls: Vec<Expr>, shape: Shape, ordinality: bool },
    Outer { full: bool, left: Box<Group>, right: Box<Group>, on: Vec<Conjunct> },
}

/// What a function in FROM gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One row of one column.
    Scalar,
    /// A row for each element.
    Elements,
    /// A row for each record.
    Records,
}
