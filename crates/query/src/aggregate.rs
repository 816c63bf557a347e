//! The aggregates that a question names: an allow-list, each with what it is about.
//!
//! An aggregate stands in the expressions of the answer as a column from [`AGGREGATES`] on, until the keys are
//! known and columns can be numbered.

use pointillist_catalog::Column;
use pointillist_mechanisms::Rank;
use pointillist_numbers::Rational;
use pointillist_plan::{PairStatistic, Scalar, Type, text, visit};
use sqlparser::ast::{
    DuplicateTreatment, Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments, OrderByExpr,
    Value as Literal, ValueWithSpan,
};

use crate::bounds::{self, Range};
use crate::coercion::Typed;
use crate::expression::{Lowering, numeric};
use crate::names::{self, Meaning};
use crate::refusal::Refusal;

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

impl Asked {
    /// The expressions of a row that it uses.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Scalar> {
        self.filter.iter().chain(self.what.values())
    }
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
    /// COUNT(DISTINCT x) of what is not the unit.
    Distinct(Scalar),
    /// MEDIAN and other quantiles, MIN and MAX. `shown` is the type of the answer.
    Quantile { value: Scalar, kind: Type, rank: Rank, shown: Type },
    /// COVAR, CORR and most of REGR, of the rows that have both values.
    Pair { x: (Scalar, Type), y: (Scalar, Type), statistic: PairStatistic },
    /// REGR_COUNT.
    PairRows { x: Scalar, y: Scalar },
    /// REGR_AVGX and REGR_AVGY: the mean of `x` where `y` is there too.
    PairMean { x: (Scalar, Type), y: Scalar },
}

impl What {
    /// The values that it is about.
    pub(crate) fn values(&self) -> Vec<&Scalar> {
        match self {
            Self::Rows | Self::People => Vec::new(),
            Self::Values(value)
            | Self::Sum(value, _)
            | Self::Average(value, _)
            | Self::Variance { value, .. }
            | Self::Distinct(value)
            | Self::Quantile { value, .. } => vec![value],
            Self::Pair { x, y, .. } => vec![&x.0, &y.0],
            Self::PairRows { x, y } => vec![x, y],
            Self::PairMean { x, y } => vec![&x.0, y],
        }
    }

    /// The type of its answer.
    pub(crate) fn kind(&self, columns: &[Column]) -> Type {
        match self {
            Self::Rows | Self::Values(_) | Self::People | Self::Distinct(_) | Self::PairRows { .. } => {
                Type::Integer
            }
            Self::Sum(value, kind) => sum_kind(value, *kind, columns),
            Self::Average(..) | Self::Variance { .. } | Self::Pair { .. } | Self::PairMean { .. } => {
                Type::Number
            }
            Self::Quantile { shown, .. } => *shown,
        }
    }
}

/// Whose rows are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Person {
    /// Every row is another person.
    EachRow,
    /// The privacy unit's name, the columns that are it, and those that may be NULL in its place: where a join had no row.
    Column { name: String, units: Vec<usize>, or_null: Vec<usize> },
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
const REFUSED: [(&str, &str); 24] = [
    ("mode", COUNTS),
    ("approx_quantiles", QUANTILES),
    ("quantiles", QUANTILES),
    ("approx_top_k", COUNTS),
    ("kurtosis", MOMENTS),
    ("skewness", MOMENTS),
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
const QUANTILES: &str = "ask for each: MEDIAN(x), QUANTILE(x, 0.9)";
const MOMENTS: &str = "ask for VAR_POP, STDDEV, or quantiles";
const ROWS: &str = "it would show the values of single rows; use COUNT, SUM or AVG";
const COUNTS: &str = "count instead: COUNT(*) FILTER (WHERE …)";

/// Whether a name is that of an aggregate, answered or not.
pub(crate) fn is_aggregate(name: &str) -> bool {
    answered(name).is_some() || REFUSED.iter().any(|(refused, _)| *refused == name)
}

#[derive(Clone, Copy)]
enum Kind {
    Count,
    CountIf,
    DistinctCount,
    Sum,
    Average,
    Variance {
        sample: bool,
        root: bool,
    },
    /// Half of the rows, shown as a number.
    Median,
    /// A part of the rows that is an argument; `continuous` is shown as a number.
    Quantile {
        continuous: bool,
    },
    Least,
    Greatest,
    Pair(PairStatistic),
    PairRows,
    /// The mean of the second of two, or the first.
    PairMean {
        second: bool,
    },
}

fn answered(name: &str) -> Option<Kind> {
    Some(match name {
        "count" => Kind::Count,
        "count_if" | "countif" => Kind::CountIf,
        "approx_distinct" | "approx_count_distinct" => Kind::DistinctCount,
        "median" | "approx_median" => Kind::Median,
        "percentile_cont" | "quantile_cont" | "approx_percentile_cont" => Kind::Quantile { continuous: true },
        "percentile_disc" | "quantile_disc" | "quantile" | "percentile" | "approx_quantile"
        | "approx_percentile" => Kind::Quantile { continuous: false },
        "min" => Kind::Least,
        "max" => Kind::Greatest,
        "covar_pop" => Kind::Pair(PairStatistic::CovariancePop),
        "covar_samp" | "covar" => Kind::Pair(PairStatistic::CovarianceSamp),
        "corr" => Kind::Pair(PairStatistic::Correlation),
        "regr_slope" => Kind::Pair(PairStatistic::Slope),
        "regr_intercept" => Kind::Pair(PairStatistic::Intercept),
        "regr_r2" => Kind::Pair(PairStatistic::Determination),
        "regr_sxx" => Kind::Pair(PairStatistic::SumSquaresX),
        "regr_syy" => Kind::Pair(PairStatistic::SumSquaresY),
        "regr_sxy" => Kind::Pair(PairStatistic::SumProducts),
        "regr_count" => Kind::PairRows,
        "regr_avgx" => Kind::PairMean { second: true },
        "regr_avgy" => Kind::PairMean { second: false },
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
        if !list.clauses.is_empty() {
            return Err(clause(&upper));
        }
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let row = Lowering { aggregates: None, aliases: &[], ..*self };
        let mut filter = filter.as_ref().map(|filter| row.condition(filter, "FILTER")).transpose()?;
        let (person, columns) = {
            let collector = collector.borrow();
            (collector.person.clone(), collector.columns.clone())
        };
        let arguments = Arguments::of(&list.args, within_group, &upper)?;
        if let (true, Arguments::Values(values)) = (distinct, &arguments)
            && let [value] = values[..]
            && let Some(present) = row.absent_unit(value, &person)
        {
            let there = Scalar::Not(Box::new(Scalar::IsNull(Box::new(Scalar::Column(present)))));
            filter = visit::both(filter, Some(there));
            let name = format!(
                "{upper}(DISTINCT {})",
                names::named(value).map_or_else(String::new, |name| names::dotted(&name))
            );
            let scalar = collector.borrow_mut().add(Asked { what: What::People, filter, name });
            return Ok(Typed::new(scalar, Type::Integer));
        }
        let column_name = |column: usize| columns.get(column).map(|column| column.name.clone());
        let shown_value = |value: &Scalar| text::scalar(value, &column_name);
        let (what, argument) = match (kind, &arguments) {
            (Kind::Count, Arguments::Star) if !distinct => (What::Rows, "*".to_owned()),
            (_, Arguments::Star) => return Err(clause(&upper)),
            (Kind::CountIf, Arguments::Values(values)) => {
                let [condition] = values[..] else { return Err(one_argument(&upper)) };
                let condition = row.condition(condition, &upper)?;
                let argument = shown_value(&condition);
                filter = visit::both(filter, Some(condition));
                (What::Rows, argument)
            }
            (kind, arguments) => {
                let what = match arguments.quantile(kind, &upper)? {
                    Some((value, rank, continuous)) if !distinct => {
                        row.quantile(value, rank, continuous, &upper)?
                    }
                    Some(_) => return Err(distinct_of(&upper)),
                    None => row.values(kind, arguments, distinct, &person, &upper)?,
                };
                let argument = match &what {
                    What::People => match &person {
                        Person::EachRow => "*".to_owned(),
                        Person::Column { name, .. } => format!("DISTINCT {name}"),
                    },
                    What::Distinct(value) if matches!(kind, Kind::Count) => {
                        format!("DISTINCT {}", shown_value(value))
                    }
                    What::Rows => "*".to_owned(),
                    what => {
                        let mut values: Vec<String> = what.values().into_iter().map(&shown_value).collect();
                        // The second of a pair is x, as in SQL; of a mean of two the one that is meant comes first.
                        if !matches!(kind, Kind::PairMean { second: false }) {
                            values.reverse();
                        }
                        values.join(", ")
                    }
                };
                (what, argument)
            }
        };
        let mut name = match (&what, &arguments) {
            (What::Quantile { rank: Rank::Part(part), .. }, Arguments::Within(..)) => {
                format!("{upper}({part}) WITHIN GROUP (ORDER BY {argument})")
            }
            (What::Quantile { rank: Rank::Part(part), .. }, _) if !matches!(kind, Kind::Median) => {
                format!("{upper}({argument}, {part})")
            }
            _ => format!("{upper}({argument})"),
        };
        let mentioned = if matches!(kind, Kind::CountIf) { &None } else { &filter };
        if let Some(filter) = mentioned {
            name.push_str(&format!(" FILTER (WHERE {})", shown_value(filter)));
        }
        let kind = what.kind(&columns);
        let scalar = collector.borrow_mut().add(Asked { what, filter, name });
        Ok(Typed::new(scalar, kind))
    }

    /// A quantile, or an extreme.
    fn quantile(&self, value: &Expr, rank: Rank, continuous: bool, upper: &str) -> Result<What, Refusal> {
        let value = self.expression(value)?;
        let kind = value.known();
        if !matches!(kind, Type::Integer | Type::Number | Type::Date | Type::Timestamp) {
            return Err(Refusal::mismatch(
                format!("{upper} takes numbers, dates and timestamps, but this is {}", kind.words()),
                "count instead: COUNT(*) with GROUP BY",
            ));
        }
        let shown = if continuous && kind == Type::Integer { Type::Number } else { kind };
        Ok(What::Quantile { value: value.into_type(kind, upper)?, kind, rank, shown })
    }

    /// What one or two values are asked for.
    fn values(
        &self,
        kind: Kind,
        arguments: &Arguments<'_>,
        distinct: bool,
        person: &Person,
        upper: &str,
    ) -> Result<What, Refusal> {
        let values = match arguments {
            Arguments::Values(values) => values.as_slice(),
            Arguments::Star | Arguments::Within(..) => return Err(clause(upper)),
        };
        let number = |expr: &Expr| -> Result<(Scalar, Type), Refusal> {
            let value = self.expression(expr)?;
            let kind = value.known();
            if !matches!(value.kind, Some(Type::Integer | Type::Number)) {
                return Err(Refusal::mismatch(
                    format!("{upper} takes numbers, but this is {}", kind.words()),
                    "cast to a number",
                ));
            }
            Ok((numeric(value, upper)?.scalar, kind))
        };
        let pair = || match values {
            [first, second] if !distinct => Ok((number(first)?, number(second)?)),
            [_, _] => Err(distinct_of(upper)),
            _ => Err(Refusal::mismatch(
                format!("{upper} takes two arguments"),
                format!("write {upper}(y, x), the explained value first"),
            )),
        };
        match kind {
            Kind::Pair(statistic) => pair().map(|(y, x)| What::Pair { x, y, statistic }),
            Kind::PairRows => pair().map(|((y, _), (x, _))| What::PairRows { x, y }),
            Kind::PairMean { second } => pair().map(|(y, x)| match second {
                true => What::PairMean { x, y: y.0 },
                false => What::PairMean { x: y, y: x.0 },
            }),
            kind => {
                let [value] = values else { return Err(one_argument(upper)) };
                self.about(kind, value, distinct, person, upper)
            }
        }
    }

    fn about(
        &self,
        kind: Kind,
        expr: &Expr,
        distinct: bool,
        person: &Person,
        upper: &str,
    ) -> Result<What, Refusal> {
        if distinct || matches!(kind, Kind::DistinctCount) {
            return self.distinct_values(kind, expr, person, upper);
        }
        match names::owner(self.visible, expr) {
            Some(None) if matches!(kind, Kind::Count) => return Ok(What::Rows),
            Some(Some(present)) if matches!(kind, Kind::Count) => {
                return Ok(What::Values(Scalar::Column(present)));
            }
            _ => {}
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
            _ => return Err(clause(upper)),
        })
    }

    /// The column that says whether a side of a join is there, for the unit of that side.
    fn absent_unit(&self, expr: &Expr, person: &Person) -> Option<usize> {
        let Person::Column { or_null, .. } = person else { return None };
        match &names::find(self.visible, &names::named(expr)?).ok()?.meaning {
            Meaning::Owner(present) => *present,
            Meaning::Value(Typed { scalar: Scalar::Column(column), .. }) => {
                or_null.contains(column).then_some(*column)
            }
            Meaning::Value(_) | Meaning::Link(_) => None,
        }
    }

    /// COUNT(DISTINCT x): people, if x is the unit, and values that people bring else.
    fn distinct_values(
        &self,
        kind: Kind,
        expr: &Expr,
        person: &Person,
        upper: &str,
    ) -> Result<What, Refusal> {
        if !matches!(kind, Kind::Count | Kind::DistinctCount) {
            return Err(distinct_of(upper));
        }
        if names::owner(self.visible, expr) == Some(None) {
            return Ok(What::People);
        }
        let value = self.expression(expr)?;
        let units = match person {
            Person::EachRow => [].as_slice(),
            Person::Column { units, .. } => units,
        };
        match &value.scalar {
            Scalar::Column(column) if units.contains(column) => Ok(What::People),
            _ => {
                let kind = value.known();
                Ok(What::Distinct(value.into_type(kind, upper)?))
            }
        }
    }
}

/// The arguments of an aggregate.
enum Arguments<'a> {
    Star,
    Values(Vec<&'a Expr>),
    /// One argument, and the order of WITHIN GROUP: its value, and whether it falls.
    Within(&'a Expr, &'a Expr, bool),
}

impl<'a> Arguments<'a> {
    fn of(args: &'a [FunctionArg], within: &'a [OrderByExpr], upper: &str) -> Result<Self, Refusal> {
        if let [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] = args {
            return if within.is_empty() { Ok(Self::Star) } else { Err(clause(upper)) };
        }
        let value = |arg: &'a FunctionArg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Ok(expr),
            _ => Err(clause(upper)),
        };
        let values = args.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        match (values.as_slice(), within) {
            (_, []) => Ok(Self::Values(values)),
            ([part], [OrderByExpr { expr, options, with_fill: None }]) if options.nulls_first.is_none() => {
                Ok(Self::Within(part, expr, options.asc == Some(false)))
            }
            _ => Err(clause(upper)),
        }
    }

    /// The value and the rank of a quantile or an extreme, and whether it is shown as a number; `None` for others.
    fn quantile(&self, kind: Kind, upper: &str) -> Result<Option<(&'a Expr, Rank, bool)>, Refusal> {
        let (continuous, rank) = match kind {
            Kind::Median => (true, Some(Rank::Part(Rational::ratio(1, 2)))),
            Kind::Least => (false, Some(Rank::Least)),
            Kind::Greatest => (false, Some(Rank::Greatest)),
            Kind::Quantile { continuous } => (continuous, None),
            _ => return Ok(None),
        };
        Ok(Some(match (self, rank) {
            (Self::Values(values), Some(rank)) => match values.as_slice() {
                [value] => (*value, rank, continuous),
                _ => return Err(one_argument(upper)),
            },
            (Self::Values(values), None) => match values.as_slice() {
                [value, part] => (*value, rank_of(part, false, upper)?, continuous),
                _ => return Err(part_missing(upper)),
            },
            (Self::Within(part, value, falls), None) => (*value, rank_of(part, *falls, upper)?, continuous),
            (Self::Star | Self::Within(..), _) => return Err(clause(upper)),
        }))
    }
}

/// The rank that a constant says; from above, where the order falls.
fn rank_of(part: &Expr, falls: bool, upper: &str) -> Result<Rank, Refusal> {
    let Expr::Value(ValueWithSpan { value: Literal::Number(digits, _), .. }) = part else {
        return Err(part_missing(upper));
    };
    let part = Rational::parse(digits).map_err(|_| part_missing(upper))?;
    if part > Rational::one() {
        return Err(part_missing(upper));
    }
    let part = if falls { Rational::one() - part } else { part };
    Ok(match part {
        part if part.is_zero() => Rank::Least,
        part if part == Rational::one() => Rank::Greatest,
        part => Rank::Part(part),
    })
}

fn part_missing(upper: &str) -> Refusal {
    Refusal::mismatch(
        format!("{upper} needs to know which part of the rows lies below, a constant from 0 to 1"),
        "write QUANTILE(x, 0.9), or PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)",
    )
}

fn one_argument(upper: &str) -> Refusal {
    Refusal::mismatch(format!("{upper} takes one argument"), format!("write {upper}(x)"))
}

fn distinct_of(upper: &str) -> Refusal {
    Refusal::not_provable(
        format!("{upper}(DISTINCT …) is not answered"),
        format!("write {upper}(x); COUNT(DISTINCT x) counts different values"),
    )
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

fn clause(upper: &str) -> Refusal {
    Refusal::not_provable(
        format!("{upper} with this clause is not answered"),
        format!("write {upper}(x) or {upper}(x) FILTER (WHERE …)"),
    )
}
