//! Answers as rows of PostgreSQL's types.
//!
//! **Guarantee.** Every value is the one that the curator gave, digit for digit: whole numbers are int8, other numbers are the
//! same float8 that JSON shows, days and moments are counted from another day. Which columns there are depends on the
//! statement and the catalog, never on rows: the ends of intervals have columns wherever the description says so.

use pointillist_catalog::Value;
use pointillist_curator::words::laid_out;
use pointillist_curator::{Answer, DescribedColumn, List, PublicQuote, QUERY_PLAN, Quote, QuoteSubject};
use pointillist_pg_catalog::{Base, Outcome, PgType, PgValue};
use pointillist_plan::Type;
use pointillist_render::terminal_style::TerminalStyle;

/// From 1970-01-01 to 2000-01-01, in days.
const DAYS_TO_2000: i32 = 10_957;
/// The same in microseconds.
const MICROSECONDS_TO_2000: i64 = DAYS_TO_2000 as i64 * 86_400_000_000;

/// A column as a client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: PgType,
}

impl Field {
    pub(crate) fn new(name: impl Into<String>, base: Base) -> Self {
        Self { name: name.into(), kind: PgType::of(base) }
    }

    pub(crate) fn text(name: impl Into<String>) -> Self {
        Self::new(name, Base::Text)
    }
}

/// Rows as a client reads them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows {
    pub(crate) fields: Vec<Field>,
    pub(crate) rows: Vec<Vec<PgValue>>,
}

impl Rows {
    /// Columns and no row.
    pub(crate) fn none(fields: Vec<Field>) -> Self {
        Self { fields, rows: Vec::new() }
    }

    /// One column of text, a line a row.
    pub(crate) fn lines(name: &str, lines: impl IntoIterator<Item = String>) -> Self {
        let rows = lines.into_iter().map(|line| vec![PgValue::Text(line)]).collect();
        Self { fields: vec![Field::text(name)], rows }
    }

    /// About how much room they take.
    pub(crate) fn bytes(&self) -> usize {
        let row = |row: &Vec<PgValue>| size_of::<Vec<PgValue>>() + row.iter().map(value_bytes).sum::<usize>();
        self.rows.iter().map(row).fold(0, usize::saturating_add)
    }

    /// What the curator answered; `described` says which columns have ends of intervals behind them, where those are wanted.
    pub(crate) fn of_answer(answer: &Answer, described: &[DescribedColumn], intervals: bool) -> Self {
        let columns: Vec<_> = (0..answer.columns.len())
            .map(|column| {
                let has = described.get(column).is_some_and(|column| column.has_interval);
                (column, answer.digits(column), intervals && has)
            })
            .collect();
        let rows = answer.rows.iter().map(|row| {
            let mut values = Vec::with_capacity(columns.len());
            for (column, digits, has_interval) in &columns {
                values.push(value(row.values[*column].as_ref()));
                if *has_interval {
                    // The digits that an interval is worth, as in JSON; an end that is nowhere is NULL.
                    let end = |text: String| text.parse().map_or(PgValue::Null, PgValue::Float);
                    let ends = row.intervals[*column]
                        .map(|(low, high)| [end(digits.low(low)), end(digits.high(high))]);
                    values.extend(ends.unwrap_or([PgValue::Null, PgValue::Null]));
                }
            }
            values
        });
        Self { fields: fields(described, intervals), rows: rows.collect() }
    }

    /// A list of tables or columns.
    pub(crate) fn of_list(list: &List) -> Self {
        let mut lines = list.lines();
        let fields = lines.next().unwrap_or_default().into_iter().map(Field::text).collect();
        let rows = lines.map(|line| line.into_iter().map(PgValue::Text).collect()).collect();
        Self { fields, rows }
    }

    /// What an answer would cost, in the words of every door.
    pub(crate) fn of_quote(quote: &Quote, plan: bool) -> Self {
        let mut lines = laid_out(&quote.lines(), TerminalStyle::plain());
        let tree = match &quote.subject {
            QuoteSubject::Rows(rows) => Some(&rows.plan),
            QuoteSubject::Statement(statement) => Some(&statement.plan),
            QuoteSubject::Graph(_)
            | QuoteSubject::Model(_)
            | QuoteSubject::Table(_)
            | QuoteSubject::Evaluation(_) => None,
        };
        lines.extend(tree.filter(|_| plan).into_iter().flat_map(|tree| tree.lines().map(str::to_owned)));
        Self::lines(QUERY_PLAN, lines)
    }

    /// That there is nothing to pay.
    pub(crate) fn of_public_quote(quote: &PublicQuote, plan: bool) -> Self {
        let mut lines = laid_out(&quote.lines(), TerminalStyle::plain());
        lines.extend(quote.plan.lines().filter(|_| plan).map(str::to_owned));
        Self::lines(QUERY_PLAN, lines)
    }
}

impl From<Outcome> for Rows {
    fn from(outcome: Outcome) -> Self {
        let fields = outcome.columns.into_iter().map(|(name, kind)| Field { name, kind }).collect();
        Self { fields, rows: outcome.rows }
    }
}

/// The columns of an answer, with those for the ends of intervals where they are wanted.
pub(crate) fn fields(described: &[DescribedColumn], intervals: bool) -> Vec<Field> {
    let mut fields = Vec::with_capacity(described.len());
    for column in described {
        fields.push(Field { name: column.name.clone(), kind: pg_type(column.kind) });
        if intervals && column.has_interval {
            fields.extend(
                ["low", "high"].map(|end| Field::new(format!("{}_{end}", column.name), Base::Float8)),
            );
        }
    }
    fields
}

/// The type by which clients know a type of ours.
pub(crate) fn pg_type(kind: Type) -> PgType {
    PgType::of(match kind {
        Type::Boolean => Base::Bool,
        Type::Integer => Base::Int8,
        Type::Number => Base::Float8,
        Type::Text => Base::Text,
        Type::Date => Base::Date,
        Type::Timestamp => Base::Timestamp,
    })
}

/// About how much room a value takes.
pub(crate) fn value_bytes(value: &PgValue) -> usize {
    size_of::<PgValue>()
        + match value {
            PgValue::Text(text) | PgValue::Numeric(text) => text.len(),
            PgValue::Reg { name, .. } => name.len(),
            PgValue::Array { elements, .. } => elements.iter().map(value_bytes).sum(),
            PgValue::Record(fields) => {
                fields.iter().map(|(name, value)| size_of::<String>() + name.len() + value_bytes(value)).sum()
            }
            _ => 0,
        }
}

fn value(value: Option<&Value>) -> PgValue {
    match value {
        None => PgValue::Null,
        Some(Value::Boolean(value)) => PgValue::Bool(*value),
        Some(Value::Integer(value)) => PgValue::Int(*value),
        Some(Value::Number(value)) => PgValue::Float(*value),
        Some(Value::Text(value)) => PgValue::Text(value.clone()),
        Some(Value::Date(days)) => PgValue::Date(days.saturating_sub(DAYS_TO_2000)),
        Some(Value::Timestamp(micros)) => PgValue::Timestamp(micros.saturating_sub(MICROSECONDS_TO_2000)),
    }
}
