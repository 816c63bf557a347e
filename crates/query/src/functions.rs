//! The functions of one row: an allow-list. What is not in it is refused by name, with the nearest one that is.

use pointillist_catalog::Value;
use pointillist_plan::{Comparison, DatePart, Function, Scalar, Type, visit};
use sqlparser::ast::{
    CeilFloorKind, DateTimeField, Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments,
    Ident, TrimWhereField,
};

use crate::coercion::{Typed, cast, unify};
use crate::date_template;
use crate::expression::{Lowering, literal_value, lone_interval, numeric};
use crate::names;
use crate::refusal::{Refusal, did_you_mean, shown};

/// Every function of one row, by the names SQL has for it.
const NAMES: [&str; 41] = [
    "abs",
    "sign",
    "floor",
    "ceil",
    "ceiling",
    "round",
    "trunc",
    "sqrt",
    "exp",
    "ln",
    "log10",
    "log",
    "power",
    "pow",
    "mod",
    "least",
    "greatest",
    "coalesce",
    "nullif",
    "lower",
    "upper",
    "trim",
    "btrim",
    "length",
    "char_length",
    "character_length",
    "substr",
    "substring",
    "concat",
    "starts_with",
    "strpos",
    "date_part",
    "extract",
    "date_trunc",
    "to_date",
    "to_timestamp",
    "width_bucket",
    "date",
    "left",
    "if",
    "isnull",
];
/// Whether a function of one row has this name.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The most decimal places that `round` takes, either way.
const PLACES_MAX: i64 = 15;
/// The most buckets of a histogram.
const BUCKETS_MAX: i64 = 1_000_000;

impl Lowering<'_> {
    /// Expressions with a syntax of their own, and everything that is refused.
    pub(crate) fn special(&self, expr: &Expr) -> Result<Typed, Refusal> {
        if let Some((_, typed)) = self.known.iter().find(|(known, _)| *known == expr) {
            self.nodes.take(visit::count(&typed.scalar))?;
            return Ok(typed.clone());
        }
        match expr {
            Expr::Function(call) => self.function(call),
            Expr::Extract { field, expr, syntax: _ } => {
                let value = self.part(expr)?;
                match field {
                    DateTimeField::Epoch => epoch(value),
                    field => date_part(part_of(field)?, value),
                }
            }
            Expr::Position { expr, r#in } => self.call("strpos", vec![self.part(r#in)?, self.part(expr)?]),
            Expr::Ceil { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
                self.call("ceil", vec![self.part(expr)?])
            }
            Expr::Floor { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
                self.call("floor", vec![self.part(expr)?])
            }
            Expr::Substring { expr, substring_from: Some(from), substring_for, .. } => {
                let mut arguments = vec![self.part(expr)?, self.part(from)?];
                if let Some(count) = substring_for {
                    arguments.push(self.part(count)?);
                }
                self.call("substring", arguments)
            }
            Expr::Trim {
                expr,
                trim_where: None | Some(TrimWhereField::Both),
                trim_what: None,
                trim_characters: None,
            } => self.call("trim", vec![self.part(expr)?]),
            Expr::Interval(_) => Err(lone_interval()),
            other => Err(refused(other)),
        }
    }

    fn function(&self, call: &Call) -> Result<Typed, Refusal> {
        let Some(parts) = names::parts(&call.name) else {
            return Err(unknown("this function"));
        };
        let [name] = parts.as_slice() else {
            return Err(unknown(&names::dotted(&parts)));
        };
        if call.over.is_some() {
            return Err(Refusal::not_provable(
                format!("{}() OVER is a window: it lets one row see others", shown(name)),
                "use GROUP BY and an aggregate",
            ));
        }
        if crate::aggregate::is_aggregate(name) {
            return self.aggregate(name, call);
        }
        if !NAMES.contains(&name.as_str()) {
            return Err(unknown(name));
        }
        let Call {
            parameters: FunctionArguments::None,
            filter: None,
            null_treatment: None,
            uses_odbc_syntax: false,
            args: FunctionArguments::List(list),
            within_group,
            ..
        } = call
        else {
            return Err(clauses(name));
        };
        if !within_group.is_empty() || list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
            return Err(clauses(name));
        }
        let mut arguments = Vec::with_capacity(list.args.len());
        for argument in &list.args {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = argument else {
                return Err(clauses(name));
            };
            arguments.push(self.part(expr)?);
        }
        self.call(name, arguments)
    }

    /// The whole part of a number.
    fn towards_zero(&self, value: Typed) -> Result<Typed, Refusal> {
        let value = numeric(value, "trunc")?;
        if value.known() == Type::Integer {
            return Ok(value);
        }
        let rounded = |function: Function| -> Result<Scalar, Refusal> {
            Ok(Scalar::Call(function, vec![self.nodes.copy(&value.scalar)?]))
        };
        let zero = Scalar::Constant(Value::Number(0.0));
        let below =
            Scalar::Compare(Comparison::Less, Box::new(self.nodes.copy(&value.scalar)?), Box::new(zero));
        let branch = (below, rounded(Function::Ceiling)?);
        Ok(Typed::new(Scalar::Case(vec![branch], Box::new(rounded(Function::Floor)?)), Type::Number))
    }

    fn call(&self, name: &str, arguments: Vec<Typed>) -> Result<Typed, Refusal> {
        let given = arguments.len();
        let mut arguments = arguments.into_iter();
        let mut next = || arguments.next().ok_or_else(|| arity(name));
        let wrong = match name {
            "coalesce" | "least" | "greatest" | "concat" => given == 0,
            "nullif" | "power" | "pow" | "mod" | "starts_with" | "strpos" | "date_part" | "date_trunc"
            | "to_date" | "left" => given != 2,
            "round" | "to_timestamp" => !(1..=2).contains(&given),
            "substr" | "substring" => !(2..=3).contains(&given),
            "if" => given != 3,
            "width_bucket" => given != 4,
            _ => given != 1,
        };
        if wrong {
            return Err(arity(name));
        }
        match name {
            "abs" => of_number(Function::Absolute, next()?, name),
            "sign" => of_number(Function::Sign, next()?, name),
            "floor" => whole(Function::Floor, next()?, name),
            "ceil" | "ceiling" => whole(Function::Ceiling, next()?, name),
            "round" => {
                let value = next()?;
                let places = arguments.next().map_or(Ok(0), |places| constant_integer(places, name))?;
                round(value, places)
            }
            "trunc" => self.towards_zero(next()?),
            "sqrt" => to_number(Function::SquareRoot, vec![next()?], name),
            "exp" => to_number(Function::Exponential, vec![next()?], name),
            "ln" => to_number(Function::NaturalLogarithm, vec![next()?], name),
            "log10" | "log" => to_number(Function::CommonLogarithm, vec![next()?], name),
            "power" | "pow" => to_number(Function::Power, arguments.collect(), name),
            "mod" => {
                let (scalars, kind) = unify(vec![numeric(next()?, name)?, numeric(next()?, name)?], name)?;
                let [left, right] = <[Scalar; 2]>::try_from(scalars).expect("two in, two out");
                let how = pointillist_plan::Arithmetic::Remainder;
                Ok(Typed::new(Scalar::Arithmetic(how, Box::new(left), Box::new(right)), kind))
            }
            "least" => alike(Function::Least, arguments.collect(), name),
            "greatest" => alike(Function::Greatest, arguments.collect(), name),
            "coalesce" => alike(Function::Coalesce, arguments.collect(), name),
            "nullif" => alike(Function::NullIf, arguments.collect(), name),
            "if" => {
                let condition = next()?.into_type(Type::Boolean, name)?;
                let (scalars, kind) = unify(arguments.collect(), name)?;
                let [yes, no] = <[Scalar; 2]>::try_from(scalars).expect("two in, two out");
                Ok(Typed::new(Scalar::Case(vec![(condition, yes)], Box::new(no)), kind))
            }
            "isnull" => Ok(Typed::boolean(Scalar::IsNull(Box::new(next()?.scalar)))),
            "lower" => of_text(Function::Lower, next()?, Type::Text, name),
            "upper" => of_text(Function::Upper, next()?, Type::Text, name),
            "trim" | "btrim" => of_text(Function::Trim, next()?, Type::Text, name),
            "length" | "char_length" | "character_length" => {
                of_text(Function::Length, next()?, Type::Integer, name)
            }
            "substr" | "substring" => {
                let mut scalars = vec![next()?.into_type(Type::Text, name)?];
                for argument in arguments {
                    scalars.push(argument.into_type(Type::Integer, name)?);
                }
                Ok(Typed::new(Scalar::Call(Function::Substring, scalars), Type::Text))
            }
            "left" => {
                let text = next()?.into_type(Type::Text, name)?;
                let count = constant_integer(next()?, name)?;
                if count < 0 {
                    return Err(Refusal::parameter(
                        "left() takes a count of characters from 0 on",
                        "write left(x, 3)",
                    ));
                }
                let scalars =
                    vec![text, Scalar::Constant(Value::Integer(1)), Scalar::Constant(Value::Integer(count))];
                Ok(Typed::new(Scalar::Call(Function::Substring, scalars), Type::Text))
            }
            "concat" => {
                let texts = arguments.map(|text| cast(text, Type::Text).map(|text| text.scalar));
                Ok(Typed::new(Scalar::Call(Function::Concat, texts.collect::<Result<_, _>>()?), Type::Text))
            }
            "starts_with" => {
                let texts =
                    arguments.map(|text| text.into_type(Type::Text, name)).collect::<Result<_, _>>()?;
                Ok(Typed::boolean(Scalar::Call(Function::StartsWith, texts)))
            }
            "strpos" => {
                let texts =
                    arguments.map(|text| text.into_type(Type::Text, name)).collect::<Result<_, _>>()?;
                Ok(Typed::new(Scalar::Call(Function::Position, texts), Type::Integer))
            }
            "date_part" => {
                let part = constant_text(next()?, name)?;
                match part.eq_ignore_ascii_case("epoch") {
                    true => epoch(next()?),
                    false => date_part(part_named(&part)?, next()?),
                }
            }
            "to_date" => {
                let text = next()?;
                date_template::to_date(text, &constant_text(next()?, name)?)
            }
            "to_timestamp" => {
                let value = next()?;
                match arguments.next() {
                    None => date_template::of_seconds(value),
                    Some(template) => date_template::to_timestamp(value, &constant_text(template, name)?),
                }
            }
            "date_trunc" => {
                let part = part_named(&constant_text(next()?, name)?)?;
                date_trunc(part, next()?)
            }
            "date" => cast(next()?, Type::Date),
            "width_bucket" => width_bucket(arguments.collect()),
            _ => Err(unknown(name)),
        }
    }
}

/// Seconds from 1970; of a date those of its midnight.
fn epoch(value: Typed) -> Result<Typed, Refusal> {
    let value = dated(DatePart::Day, value)?;
    Ok(Typed::new(Scalar::Call(Function::Epoch, vec![value.scalar]), Type::Number))
}

fn of_number(function: Function, value: Typed, name: &str) -> Result<Typed, Refusal> {
    let value = numeric(value, name)?;
    let kind = value.known();
    Ok(Typed::new(Scalar::Call(function, vec![value.scalar]), kind))
}

/// A whole number is its own floor and ceiling.
fn whole(function: Function, value: Typed, name: &str) -> Result<Typed, Refusal> {
    let value = numeric(value, name)?;
    match value.known() {
        Type::Integer => Ok(value),
        _ => Ok(Typed::new(Scalar::Call(function, vec![value.scalar]), Type::Number)),
    }
}

fn round(value: Typed, places: i64) -> Result<Typed, Refusal> {
    if places.abs() > PLACES_MAX {
        return Err(Refusal::parameter(
            format!("round() takes at most {PLACES_MAX} decimal places"),
            "write round(x, 2), for example",
        ));
    }
    let value = numeric(value, "round")?;
    if value.known() == Type::Integer && places >= 0 {
        return Ok(value);
    }
    let scalars = vec![value.into_type(Type::Number, "round")?, Scalar::Constant(Value::Integer(places))];
    Ok(Typed::new(Scalar::Call(Function::Round, scalars), Type::Number))
}

fn to_number(function: Function, values: Vec<Typed>, name: &str) -> Result<Typed, Refusal> {
    let scalars =
        values.into_iter().map(|value| value.into_type(Type::Number, name)).collect::<Result<_, _>>()?;
    Ok(Typed::new(Scalar::Call(function, scalars), Type::Number))
}

fn of_text(function: Function, value: Typed, kind: Type, name: &str) -> Result<Typed, Refusal> {
    Ok(Typed::new(Scalar::Call(function, vec![value.into_type(Type::Text, name)?]), kind))
}

fn alike(function: Function, values: Vec<Typed>, name: &str) -> Result<Typed, Refusal> {
    let (scalars, kind) = unify(values, name)?;
    if kind == Type::Boolean && matches!(function, Function::Least | Function::Greatest) {
        return Err(Refusal::mismatch(format!("{name}() does not take truth values"), "use AND or OR"));
    }
    Ok(Typed::new(Scalar::Call(function, scalars), kind))
}

fn date_part(part: DatePart, value: Typed) -> Result<Typed, Refusal> {
    let value = dated(part, value)?;
    Ok(Typed::new(Scalar::Call(Function::DatePart(part), vec![value.scalar]), Type::Integer))
}

fn date_trunc(part: DatePart, value: Typed) -> Result<Typed, Refusal> {
    if matches!(part, DatePart::DayOfWeek | DatePart::DayOfYear) {
        return Err(Refusal::parameter(
            "date_trunc() cuts to year, quarter, month, week, day, hour, minute or second",
            "write date_trunc('month', day), for example",
        ));
    }
    let value = dated(part, value)?;
    let kind = value.known();
    Ok(Typed::new(Scalar::Call(Function::DateTruncate(part), vec![value.scalar]), kind))
}

fn dated(part: DatePart, value: Typed) -> Result<Typed, Refusal> {
    match value.kind {
        Some(Type::Timestamp) => Ok(value),
        Some(Type::Date) if !matches!(part, DatePart::Hour | DatePart::Minute | DatePart::Second) => {
            Ok(value)
        }
        Some(Type::Date) => {
            Err(Refusal::mismatch("a date has no hours", "ask for year, quarter, month, week or day"))
        }
        _ => value.into_type(Type::Date, "a part of a date").map(|scalar| Typed::new(scalar, Type::Date)),
    }
}

fn width_bucket(values: Vec<Typed>) -> Result<Typed, Refusal> {
    let [value, low, high, count] = <[Typed; 4]>::try_from(values).map_err(|_| arity("width_bucket"))?;
    let value = value.into_type(Type::Number, "width_bucket")?;
    let ends = [low, high].map(|end| end.into_type(Type::Number, "width_bucket"));
    let [Ok(low), Ok(high)] = ends else { return Err(bucket_ends()) };
    let (Scalar::Constant(Value::Number(from)), Scalar::Constant(Value::Number(to))) = (&low, &high) else {
        return Err(bucket_ends());
    };
    let count = constant_integer(count, "width_bucket")?;
    if from >= to || !(1..=BUCKETS_MAX).contains(&count) {
        return Err(bucket_ends());
    }
    let scalars = vec![value, low, high, Scalar::Constant(Value::Integer(count))];
    Ok(Typed::new(Scalar::Call(Function::WidthBucket, scalars), Type::Integer))
}

fn bucket_ends() -> Refusal {
    Refusal::parameter(
        "width_bucket() takes two constant ends, the lower first, and a constant number of buckets",
        "write width_bucket(age, 0, 100, 10), for example",
    )
}

fn constant_integer(value: Typed, name: &str) -> Result<i64, Refusal> {
    match value.scalar {
        Scalar::Constant(Value::Integer(number)) => Ok(number),
        _ => Err(Refusal::not_provable(
            format!("{name}() takes a constant whole number here"),
            "write the number into the statement",
        )),
    }
}

fn constant_text(value: Typed, name: &str) -> Result<String, Refusal> {
    match value.scalar {
        Scalar::Constant(Value::Text(text)) => Ok(text),
        _ => Err(Refusal::not_provable(
            format!("{name}() takes a constant text here"),
            "write it in quotes, as in date_trunc('month', day) or to_date('2026-12-31', 'YYYY-MM-DD')",
        )),
    }
}

fn part_of(field: &DateTimeField) -> Result<DatePart, Refusal> {
    match field {
        DateTimeField::Custom(Ident { value, .. }) => part_named(value),
        other => part_named(&other.to_string()),
    }
}

fn part_named(name: &str) -> Result<DatePart, Refusal> {
    const PARTS: [&str; 10] =
        ["year", "quarter", "month", "week", "day", "dow", "doy", "hour", "minute", "second"];
    Ok(match name.to_ascii_lowercase().as_str() {
        "year" | "years" => DatePart::Year,
        "quarter" => DatePart::Quarter,
        "month" | "months" => DatePart::Month,
        "week" | "weeks" | "isoweek" => DatePart::Week,
        "day" | "days" => DatePart::Day,
        "dow" | "dayofweek" => DatePart::DayOfWeek,
        "doy" | "dayofyear" => DatePart::DayOfYear,
        "hour" | "hours" => DatePart::Hour,
        "minute" | "minutes" => DatePart::Minute,
        "second" | "seconds" => DatePart::Second,
        other => {
            return Err(Refusal::not_provable(
                format!("dates have no part `{}` here", shown(other)),
                did_you_mean(other, PARTS, || format!("the parts are {}", PARTS.join(", "))),
            ));
        }
    })
}

fn arity(name: &str) -> Refusal {
    Refusal::mismatch(
        format!("{name}() got the wrong number of arguments"),
        "see PostgreSQL's manual for its arguments",
    )
}

fn clauses(name: &str) -> Refusal {
    Refusal::not_provable(
        format!("{}() with this clause is not answered", shown(name)),
        "write plain arguments in brackets",
    )
}

fn unknown(name: &str) -> Refusal {
    let hint = match name {
        "now" | "current_timestamp" | "current_date" | "localtimestamp" | "clock_timestamp" => {
            "write the date into the statement: what is asked must not depend on when".to_owned()
        }
        "random" | "setseed" | "gen_random_uuid" => "leave it out; the noise is drawn by us".to_owned(),
        other => did_you_mean(other, NAMES, || format!("the functions are {}", NAMES.join(", "))),
    };
    Refusal::not_provable(format!("the function {}() is not answered", shown(name)), hint)
}

/// What an expression that is not answered is called, and what to do instead.
pub(crate) fn refused(expr: &Expr) -> Refusal {
    let subquery = "ask the inner question first and write its released answer into the outer one";
    let (what, hint) = match expr {
        Expr::InSubquery { .. } => ("IN (SELECT …)", subquery),
        Expr::Exists { .. } => ("EXISTS (SELECT …)", subquery),
        Expr::Subquery(_) => ("a scalar subquery", subquery),
        Expr::AnyOp { .. } => ("ANY", "use IN with a list"),
        Expr::AllOp { .. } => ("ALL", "use NOT IN with a list"),
        Expr::SimilarTo { .. } | Expr::RLike { .. } => ("a regular expression", "use LIKE"),
        Expr::Like { .. } | Expr::ILike { .. } => ("LIKE ANY", "use several LIKE with OR"),
        Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) => {
            ("GROUPING SETS, CUBE and ROLLUP", "ask one statement for each set of keys")
        }
        Expr::Tuple(_) => ("a row value", "compare column by column"),
        Expr::Array(_) | Expr::CompoundFieldAccess { .. } => ("an array", "use one column for each value"),
        Expr::JsonAccess { .. } => ("JSON", "declare a column for the value"),
        Expr::AtTimeZone { .. } => ("AT TIME ZONE", "timestamps have no time zone here"),
        Expr::Collate { .. } => {
            ("COLLATE", "text is compared byte by byte; use lower(x) where case should not matter")
        }
        Expr::Overlay { .. } => ("OVERLAY", "use substring() and ||"),
        Expr::Trim { .. } => {
            ("TRIM of other characters or one side", "use trim(x), which takes spaces off both ends")
        }
        Expr::Substring { .. } => ("SUBSTRING without FROM", "write substring(x from 1 for 3)"),
        Expr::Ceil { .. } | Expr::Floor { .. } => {
            ("CEIL or FLOOR to a unit", "use round(x, n) or date_trunc()")
        }
        Expr::Convert { .. } | Expr::Cast { .. } => ("this kind of cast", "write CAST(x AS bigint)"),
        Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => ("`*` in this place", "name the columns"),
        Expr::Prefixed { .. } | Expr::TypedString(_) => {
            ("this kind of literal", "write texts in single quotes")
        }
        Expr::IsNormalized { .. } => ("IS NORMALIZED", "compare with a literal"),
        _ => ("this expression", "use comparisons, arithmetic, CASE and the functions in the manual"),
    };
    Refusal::not_provable(format!("{what} is not answered"), hint)
}

/// The value of a constant that a clause needs, such as LIMIT. Clients write theirs as `$1::INTEGER`.
pub(crate) fn constant_count(expr: &Expr, place: &str) -> Result<u64, Refusal> {
    use sqlparser::ast::DataType;
    let is_whole = |kind: &DataType| {
        matches!(
            kind,
            DataType::SmallInt(None)
                | DataType::Int(None)
                | DataType::Integer(None)
                | DataType::BigInt(None)
                | DataType::Int2(None)
                | DataType::Int4(None)
                | DataType::Int8(None)
        )
    };
    let count = match expr {
        Expr::Nested(inner) => return constant_count(inner, place),
        Expr::Cast { expr: inner, data_type, .. } if is_whole(data_type) => match inner.as_ref() {
            Expr::Value(literal) => match literal_value(literal)?.scalar {
                Scalar::Constant(Value::Text(text)) => text.trim().parse().ok(),
                _ => return constant_count(inner, place),
            },
            _ => return constant_count(inner, place),
        },
        Expr::Value(literal) => match literal_value(literal)?.scalar {
            Scalar::Constant(Value::Integer(number)) => u64::try_from(number).ok(),
            _ => None,
        },
        _ => None,
    };
    count.ok_or_else(|| {
        Refusal::parameter(
            format!("{place} takes a whole number from 0 on"),
            format!("write {place} 10, for example"),
        )
    })
}
