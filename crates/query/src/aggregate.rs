//! The aggregates that a question names: an allow-list, each with what it is about.
//!
//! An aggregate stands in the expressions of the answer as a column from [`AGGREGATES`] on, until the keys are
//! known and columns can be numbered.

use pointillist_catalog::Column;
use pointillist_plan::{Scalar, Type, text};
use sqlparser::ast::{
    DuplicateTreatment, Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments,
};

use crate::bounds::{self, Range};
use crate::coercion::Typed;
use crate::expression::{Lowering, numeric};
use crate::names::{self, Meaning};
use crate::refusal::{Refusal, shown};

/// Columns from here on are aggregates.
pub(crate) const AGGREGATES: usize = 1 << 40;

/// One aggregate, as asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) what: What,
    /// FILTER (WHERE …).
    pub(crate) filter: Option<Scalar>,
    pub(crate) name: String,
}

/// What an aggregate is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// COUNT(*).
    Rows,
    /// COUNT(x).
    Values(Scalar),
    /// COUNT(DISTINCT unit).
    People,
    /// SUM(x), of whole numbers or of numbers.
    Sum(Scalar, Type),
    /// AVG(x).
    Average(Scalar, Type),
    /// The variances and standard deviations.
    Variance { value: Scalar, kind: Type, sample: bool, root: bool },
}

/// Whose rows are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Person {
    /// Every row is another person.
    EachRow,
    /// The privacy unit's name, and the columns that are it.
    Column { name: String, units: Vec<usize> },
}

/// The aggregates of a statement, each once.
pub(crate) struct Collector {
    pub(crate) asked: Vec<Asked>,
    person: Person,
    columns: Vec<Column>,
}

impl Collector {
    /// Takes the columns of the table, for their names and bounds.
    pub(crate) fn new(person: Person, columns: &[Column]) -> Self {
        let columns = columns.iter().map(|column| Column {
            name: column.name.clone(),
            stored_as: None,
            kind: column.kind.clone(),
            public_keys: None,
            nullable: column.nullable,
        });
        Self { asked: Vec::new(), person, columns: columns.collect() }
    }

    fn add(&mut self, asked: Asked) -> Scalar {
        let known =
            self.asked.iter().position(|other| other.what == asked.what && other.filter == asked.filter);
        let position = known.unwrap_or_else(|| {
            self.asked.push(asked);
            self.asked.len() - 1
        });
        Scalar::Column(AGGREGATES + position)
    }
}

/// Aggregates that are not answered, with what can be asked instead.
const REFUSED: [(&str, &str); 39] = [
    ("min", EXTREMES),
    ("max", EXTREMES),
    ("median", QUANTILES),
    ("quantile", QUANTILES),
    ("mode", COUNTS),
    ("percentile_cont", QUANTILES),
    ("percentile_disc", QUANTILES),
    ("approx_percentile_cont", QUANTILES),
    ("approx_median", QUANTILES),
    ("approx_distinct", DISTINCT),
    ("approx_count_distinct", DISTINCT),
    ("approx_quantiles", QUANTILES),
    ("percentile", QUANTILES),
    ("corr", MOMENTS),
    ("covar", MOMENTS),
    ("covar_pop", MOMENTS),
    ("covar_samp", MOMENTS),
    ("regr_slope", MOMENTS),
    ("regr_intercept", MOMENTS),
    ("regr_r2", MOMENTS),
    ("regr_count", MOMENTS),
    ("string_agg", ROWS),
    ("listagg", ROWS),
    ("array_agg", ROWS),
    ("json_agg", ROWS),
    ("jsonb_agg", ROWS),
    ("json_object_agg", ROWS),
    ("xmlagg", ROWS),
    ("group_concat", ROWS),
    ("any_value", ROWS),
    ("first_value", ROWS),
    ("last_value", ROWS),
    ("row_to_json", ROWS),
    ("bool_and", COUNTS),
    ("bool_or", COUNTS),
    ("every", COUNTS),
    ("bit_and", COUNTS),
    ("bit_or", COUNTS),
    ("grouping", COUNTS),
];
const EXTREMES: &str =
    "one person decides it; count how many lie beyond a value: COUNT(*) FILTER (WHERE x > 100)";
const QUANTILES: &str =
    "ask for a histogram, COUNT(*) with GROUP BY width_bucket(x, 0, 100, 20), and read it off there";
const MOMENTS: &str = "ask for AVG(x), AVG(y), AVG(x * y) and the variances, and compute it from those";
const DISTINCT: &str =
    "COUNT(DISTINCT …) of the privacy unit counts people; for other values use GROUP BY and COUNT(*)";
const ROWS: &str = "it would show the values of single rows; use COUNT, SUM or AVG";
const COUNTS: &str = "count instead: COUNT(*) FILTER (WHERE …)";

/// Whether a name is that of an aggregate, answered or not.
pub(crate) fn is_aggregate(name: &str) -> bool {
    answered(name).is_some() || REFUSED.iter().any(|(refused, _)| *refused == name)
}

enum Kind {
    Count,
    Sum,
    Average,
    Variance { sample: bool, root: bool },
}

fn answered(name: &str) -> Option<Kind> {
    Some(match name {
        "count" => Kind::Count,
        "sum" => Kind::Sum,
        "avg" | "mean" => Kind::Average,
        "var_pop" => Kind::Variance { sample: false, root: false },
        "var_samp" | "variance" | "var" => Kind::Variance { sample: true, root: false },
        "stddev_pop" => Kind::Variance { sample: false, root: true },
        "stddev_samp" | "stddev" => Kind::Variance { sample: true, root: true },
        _ => return None,
    })
}

impl Lowering<'_> {
    pub(crate) fn aggregate(&self, name: &str, call: &Call) -> Result<Typed, Refusal> {
        let upper = name.to_uppercase();
        let Some(kind) = answered(name) else {
            let hint = REFUSED.iter().find(|(refused, _)| *refused == name).map_or(ROWS, |(_, hint)| hint);
            return Err(Refusal::not_provable(format!("{upper} is not answered"), hint));
        };
        let Some(collector) = self.aggregates else {
            return Err(Refusal::not_provable(
                format!(
                    "{upper} cannot stand here: inside another aggregate, WHERE, GROUP BY or a FROM-subquery"
                ),
                "conditions on aggregates go into HAVING; aggregates of aggregates are not answered",
            ));
        };
        let Call {
            parameters: FunctionArguments::None,
            null_treatment: None,
            over: None,
            uses_odbc_syntax: false,
            args: FunctionArguments::List(list),
            filter,
            within_group,
            name: _,
        } = call
        else {
            return Err(clause(&upper));
        };
        if !within_group.is_empty() || !list.clauses.is_empty() {
            return Err(clause(&upper));
        }
        let [FunctionArg::Unnamed(argument)] = list.args.as_slice() else {
            return Err(Refusal::mismatch(
                format!("{upper} takes one argument"),
                format!("write {upper}(x)"),
            ));
        };
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let row = Lowering { aggregates: None, aliases: &[], ..*self };
        let filter = filter.as_ref().map(|filter| row.condition(filter, "FILTER")).transpose()?;
        let (person, columns) = {
            let collector = collector.borrow();
            (collector.person.clone(), collector.columns.clone())
        };
        let what = match (kind, argument) {
            (Kind::Count, FunctionArgExpr::Wildcard) if !distinct => What::Rows,
            (_, FunctionArgExpr::Expr(expr)) => {
                row.about(kind_or_count(name), expr, distinct, &person, &upper)?
            }
            _ => return Err(clause(&upper)),
        };
        let column_name = |column: usize| columns.get(column).map(|column| column.name.clone());
        let shown_value = |value: &Scalar| text::scalar(value, &column_name);
        let (argument, kind) = match &what {
            What::Rows => ("*".to_owned(), Type::Integer),
            What::Values(value) => (shown_value(value), Type::Integer),
            What::People => match &person {
                Person::EachRow => ("*".to_owned(), Type::Integer),
                Person::Column { name, .. } => (format!("DISTINCT {name}"), Type::Integer),
            },
            What::Sum(value, kind) => (shown_value(value), sum_kind(value, *kind, &columns)),
            What::Average(value, _) | What::Variance { value, .. } => (shown_value(value), Type::Number),
        };
        let mut name = format!("{upper}({argument})");
        if let Some(filter) = &filter {
            name.push_str(&format!(" FILTER (WHERE {})", shown_value(filter)));
        }
        let scalar = collector.borrow_mut().add(Asked { what, filter, name });
        Ok(Typed::new(scalar, kind))
    }

    fn about(
        &self,
        kind: Kind,
        expr: &Expr,
        distinct: bool,
        person: &Person,
        upper: &str,
    ) -> Result<What, Refusal> {
        if distinct {
            return self.people(&kind, expr, person, upper);
        }
        let value = self.expression(expr)?;
        let kind_of_value = value.known();
        let summed = |value: Typed| {
            if !matches!(value.kind, Some(Type::Integer | Type::Number)) {
                return Err(Refusal::mismatch(
                    format!("{upper} takes numbers, but this is {}", kind_of_value.words()),
                    "use COUNT(*) FILTER (WHERE …) for truth values, or cast to a number",
                ));
            }
            numeric(value, upper)
        };
        Ok(match kind {
            // A constant is there in every row.
            Kind::Count if matches!(value.scalar, Scalar::Constant(_)) => What::Rows,
            Kind::Count => What::Values(value.scalar),
            Kind::Sum => summed(value).map(|value| What::Sum(value.scalar, kind_of_value))?,
            Kind::Average => summed(value).map(|value| What::Average(value.scalar, kind_of_value))?,
            Kind::Variance { sample, root } => summed(value).map(|value| What::Variance {
                value: value.scalar,
                kind: kind_of_value,
                sample,
                root,
            })?,
        })
    }

    /// COUNT(DISTINCT x): people, if x is the unit.
    fn people(&self, kind: &Kind, expr: &Expr, person: &Person, upper: &str) -> Result<What, Refusal> {
        if !matches!(kind, Kind::Count) {
            return Err(Refusal::not_provable(
                format!("{upper}(DISTINCT …) is not answered"),
                format!("write {upper}(x)"),
            ));
        }
        let unit = match person {
            Person::EachRow => {
                return Err(Refusal::not_provable(
                    "COUNT(DISTINCT …) is not answered here: every row of this table is another person",
                    "use COUNT(*)",
                ));
            }
            Person::Column { name, units } => (name, units),
        };
        let refusal = || {
            Refusal::not_provable(
                format!("COUNT(DISTINCT …) counts people only: the privacy unit is `{}`", shown(unit.0)),
                format!("write COUNT(DISTINCT {}), or use GROUP BY and COUNT(*)", shown(unit.0)),
            )
        };
        if let Expr::Identifier(ident) = expr {
            let found = names::find(self.visible, &[names::folded(ident)])?;
            if matches!(found.meaning, Meaning::Owner) {
                return Ok(What::People);
            }
        }
        if let Expr::CompoundIdentifier(idents) = expr {
            let parts: Vec<String> = idents.iter().map(names::folded).collect();
            if matches!(names::find(self.visible, &parts)?.meaning, Meaning::Owner) {
                return Ok(What::People);
            }
        }
        match self.expression(expr)?.scalar {
            Scalar::Column(column) if unit.1.contains(&column) => Ok(What::People),
            _ => Err(refusal()),
        }
    }
}

/// The type of a sum: whole numbers within 32 bits add up to a whole number, as in PostgreSQL. Larger ones could pass 64
/// bits, where a whole number would end; their sum is a number, which goes on.
pub(crate) fn sum_kind(value: &Scalar, kind: Type, columns: &[Column]) -> Type {
    let narrow = |end: i64| i32::try_from(end).is_ok();
    match (kind, bounds::range(value, columns)) {
        (Type::Integer, Range::Whole(Some(low), Some(high))) if narrow(low) && narrow(high) => Type::Integer,
        (Type::Integer, Range::Empty) => Type::Integer,
        _ => Type::Number,
    }
}

fn kind_or_count(name: &str) -> Kind {
    answered(name).unwrap_or(Kind::Count)
}

fn clause(upper: &str) -> Refusal {
    Refusal::not_provable(
        format!("{upper} with this clause is not answered"),
        format!("write {upper}(x) or {upper}(x) FILTER (WHERE …)"),
    )
}
