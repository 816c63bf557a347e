//! Which keys can occur at all, where that is public.
//!
//! **Guarantee.** A domain is a function of the expression and the catalog. Groups outside it are left out whatever
//! the data, and groups inside appear whatever the data, so the set of keys in the answer tells nothing. A row whose
//! value lies outside declared bounds keeps that value: where it makes a key outside the domain, the row is in no group.

use pointillist_catalog::calendar::{self, DAY, moment};
use pointillist_catalog::{Column, PUBLIC_KEYS_MAX, Value};
use pointillist_plan::{Arithmetic, Comparison, DatePart, Function, Scalar, Type, date_units, visit};

use crate::bounds::{self, Range};

/// The most groups of a domain that we derive ourselves.
const DERIVED_MAX: usize = 4_096;
/// The most groups of a domain that the owner listed.
const LISTED_MAX: usize = PUBLIC_KEYS_MAX;

/// The keys of one expression, each once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Domain {
    pub(crate) values: Vec<Option<Value>>,
    /// Whether the owner wrote the list.
    pub(crate) listed: bool,
}

/// The groups of a question, as far as they are public.
pub(crate) enum Groups {
    /// Every group, known before any row is read.
    Public(Vec<Vec<Option<Value>>>),
    /// Public, but more than may be shown: so many, of at most so many.
    TooMany(usize, usize),
    /// Nobody said which there are.
    Unknown,
}

/// All groups, if they are public and few enough: the cross product, the last key fastest.
pub(crate) fn groups(keys: &[Scalar], columns: &[Column]) -> Groups {
    let Some(domains) = keys.iter().map(|key| of(key, columns)).collect::<Option<Vec<_>>>() else {
        return Groups::Unknown;
    };
    let most = if domains.iter().all(|domain| domain.listed) { LISTED_MAX } else { DERIVED_MAX };
    let size = domains.iter().fold(1usize, |size, domain| size.saturating_mul(domain.values.len()));
    if size > most {
        return Groups::TooMany(size, most);
    }
    let mut groups = vec![Vec::new()];
    for domain in &domains {
        let longer = |group: Vec<Option<Value>>| {
            domain
                .values
                .iter()
                .map(move |value| [group.clone(), vec![value.clone()]].concat())
                .collect::<Vec<_>>()
        };
        groups = groups.into_iter().flat_map(longer).collect();
    }
    Groups::Public(groups)
}

/// The groups that a condition on rows leaves, as far as it sees keys and constants alone: in the others there is no row.
///
/// What is left out is a function of the question and the catalog. Without it a question about two regions would show noisy
/// zeros for all others.
pub(crate) fn satisfying(
    groups: Vec<Vec<Option<Value>>>,
    keys: &[Scalar],
    filter: Option<&Scalar>,
) -> Vec<Vec<Option<Value>>> {
    let conditions: Vec<Scalar> = match filter {
        Some(Scalar::All(all)) => all.iter().filter_map(|part| over_keys(part, keys)).collect(),
        Some(one) => over_keys(one, keys).into_iter().collect(),
        None => Vec::new(),
    };
    let decidable: Vec<Scalar> = conditions.into_iter().filter(is_decidable).collect();
    let stays = |group: &Vec<Option<Value>>| decidable.iter().all(|part| truth(part, group) == Some(true));
    // Where none is left the question is about nothing; its groups are then shown as if it had not said so.
    if groups.iter().any(stays) { groups.into_iter().filter(stays).collect() } else { groups }
}

/// A condition over the keys of a group, if it sees nothing else.
pub(crate) fn over_keys(condition: &Scalar, keys: &[Scalar]) -> Option<Scalar> {
    let replaced = visit::replaced(condition, &mut |part| match keys.iter().position(|key| key == part) {
        Some(position) => Some(Ok(Scalar::Column(position))),
        None if matches!(part, Scalar::Column(_)) => Some(Err(())),
        None => None,
    });
    replaced.ok()
}

/// Whether [`truth`] knows a condition over keys: comparisons of keys with constants, and what is put together from them.
pub(crate) fn is_decidable(condition: &Scalar) -> bool {
    match condition {
        Scalar::Compare(_, left, right) => matches!(
            (left.as_ref(), right.as_ref()),
            (Scalar::Column(_), Scalar::Constant(_)) | (Scalar::Constant(_), Scalar::Column(_))
        ),
        Scalar::All(parts) | Scalar::Any(parts) => !parts.is_empty() && parts.iter().all(is_decidable),
        Scalar::Not(inner) => is_decidable(inner),
        Scalar::IsNull(inner) => matches!(inner.as_ref(), Scalar::Column(_)),
        _ => false,
    }
}

/// What a decidable condition is for a group, NULL as `None`: as the evaluator of rows has it.
fn truth(condition: &Scalar, group: &[Option<Value>]) -> Option<bool> {
    let value = |scalar: &Scalar| match scalar {
        Scalar::Column(key) => group.get(*key).cloned().flatten(),
        Scalar::Constant(value) => Some(value.clone()),
        _ => None,
    };
    match condition {
        Scalar::Compare(Comparison::NotDistinct, left, right) => Some(value(left) == value(right)),
        Scalar::Compare(how, left, right) => {
            let order = value(left)?.cmp(&value(right)?);
            Some(match how {
                Comparison::Equal | Comparison::NotDistinct => order.is_eq(),
                Comparison::NotEqual => order.is_ne(),
                Comparison::Less => order.is_lt(),
                Comparison::LessOrEqual => order.is_le(),
                Comparison::Greater => order.is_gt(),
                Comparison::GreaterOrEqual => order.is_ge(),
            })
        }
        Scalar::All(parts) => {
            let truths: Vec<Option<bool>> = parts.iter().map(|part| truth(part, group)).collect();
            match truths.contains(&Some(false)) {
                true => Some(false),
                false => truths.iter().all(Option::is_some).then_some(true),
            }
        }
        Scalar::Any(parts) => {
            let truths: Vec<Option<bool>> = parts.iter().map(|part| truth(part, group)).collect();
            match truths.contains(&Some(true)) {
                true => Some(true),
                false => truths.iter().all(Option::is_some).then_some(false),
            }
        }
        Scalar::Not(inner) => truth(inner, group).map(|truth| !truth),
        Scalar::IsNull(inner) => Some(value(inner).is_none()),
        _ => None,
    }
}

/// The public domain of one key.
pub(crate) fn of(key: &Scalar, columns: &[Column]) -> Option<Domain> {
    let mut domain = match key {
        Scalar::Column(column) => match columns.get(*column).and_then(|column| column.public_keys.as_ref()) {
            Some(keys) => Domain { values: keys.iter().cloned().map(Some).collect(), listed: true },
            None => derived(key, columns)?,
        },
        _ => derived(key, columns)?,
    };
    // Equal values would be one group shown twice.
    let mut seen = std::collections::BTreeSet::new();
    domain.values.retain(|value| seen.insert(value.clone()));
    Some(domain)
}

fn derived(key: &Scalar, columns: &[Column]) -> Option<Domain> {
    let values = match key {
        Scalar::Constant(value) => vec![Some(value.clone())],
        Scalar::Null(_) => vec![None],
        Scalar::Case(branches, last) => {
            let results = branches.iter().map(|(_, value)| value).chain([last.as_ref()]);
            joined(results, columns)?
        }
        Scalar::Call(Function::Coalesce, arguments) => {
            let mut values = joined(arguments.iter(), columns)?;
            if arguments.iter().any(|argument| bounds::never_null(argument, columns)) {
                values.retain(Option::is_some);
            }
            values
        }
        Scalar::Call(Function::NullIf, arguments) => {
            let mut values = of(arguments.first()?, columns)?.values;
            if let Some(Scalar::Constant(never)) = arguments.get(1) {
                values.retain(|value| value.as_ref() != Some(never));
            }
            values.push(None);
            values
        }
        Scalar::Call(Function::DateTruncate(part), arguments) => {
            truncated(*part, arguments.first()?, columns)?
        }
        other if bounds::value_type(other, columns) == Some(Type::Boolean) => {
            let mut values = vec![Some(Value::Boolean(true)), Some(Value::Boolean(false))];
            if !bounds::never_null(other, columns) {
                values.push(None);
            }
            values
        }
        other => match image(other, columns) {
            Some(values) => values,
            None => whole(other, columns)?,
        },
    };
    Some(Domain { values, listed: false })
}

/// The values of arithmetic with constants, of casts and of roundings, from the few that their argument can have: the
/// range alone would keep numbers between them that cannot occur. Computed by the rules of the engine's evaluator, on the
/// same floats, so that a key and its row meet.
fn image(scalar: &Scalar, columns: &[Column]) -> Option<Vec<Option<Value>>> {
    let mapped = |argument: &Scalar, map: &dyn Fn(&Value) -> Option<Option<Value>>| {
        let values = of(argument, columns)?.values;
        values.iter().map(|value| value.as_ref().map_or(Some(None), map)).collect()
    };
    match scalar {
        Scalar::Arithmetic(how, left, right) => match (left.as_ref(), right.as_ref()) {
            (left, Scalar::Constant(right)) => mapped(left, &|left| computed(*how, left, right)),
            (Scalar::Constant(left), right) => mapped(right, &|right| computed(*how, left, right)),
            _ => None,
        },
        Scalar::Cast(inner, Type::Number) => mapped(inner, &|value| match value {
            Value::Integer(whole) => Some(Value::number(*whole as f64)),
            _ => None,
        }),
        Scalar::Cast(inner, Type::Integer) => mapped(inner, &|value| match value {
            Value::Number(number) => Some(whole_number(number.round_ties_even())),
            _ => None,
        }),
        Scalar::Call(function @ (Function::Floor | Function::Ceiling), arguments) => {
            let round = if *function == Function::Floor { f64::floor } else { f64::ceil };
            let rounded = mapped(arguments.first()?, &|value| match value {
                Value::Number(number) => Some(Value::number(round(*number))),
                _ => None,
            });
            rounded.or_else(|| whole_steps(arguments.first()?, round, columns))
        }
        Scalar::Cast(inner, Type::Date) => mapped(inner, &|value| match value {
            Value::Timestamp(micros) => Some(calendar::split(*micros).map(|(day, _)| Value::Date(day))),
            _ => None,
        }),
        Scalar::Cast(inner, Type::Timestamp) => mapped(inner, &|value| match value {
            Value::Date(day) => {
                Some(calendar::in_calendar(i64::from(*day)).map(|day| Value::Timestamp(moment(day, 0))))
            }
            _ => None,
        }),
        Scalar::Cast(inner, Type::Text) => mapped(inner, &|value| match value {
            Value::Integer(whole) => Some(Some(Value::Text(whole.to_string()))),
            _ => None,
        }),
        Scalar::Call(function @ (Function::AddDays | Function::AddMonths), arguments) => {
            let Some(Scalar::Constant(Value::Integer(count))) = arguments.get(1) else { return None };
            let moved = |day: i32| match function {
                Function::AddDays => calendar::in_calendar(i64::from(day).checked_add(*count)?),
                _ => calendar::add_months(day, *count),
            };
            mapped(arguments.first()?, &|value| match value {
                Value::Date(day) => Some(moved(*day).map(Value::Date)),
                Value::Timestamp(micros) => Some(
                    calendar::split(*micros)
                        .and_then(|(day, rest)| Some(Value::Timestamp(moment(moved(day)?, rest)))),
                ),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Arithmetic on two values, NULL among the results; `None` for other types than two whole numbers or two numbers.
fn computed(how: Arithmetic, left: &Value, right: &Value) -> Option<Option<Value>> {
    Some(match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => match how {
            Arithmetic::Add => Some(left.saturating_add(*right)),
            Arithmetic::Subtract => Some(left.saturating_sub(*right)),
            Arithmetic::Multiply => Some(left.saturating_mul(*right)),
            Arithmetic::Divide => (*right != 0).then(|| left.saturating_div(*right)),
            Arithmetic::Remainder => (*right != 0).then(|| left.wrapping_rem(*right)),
        }
        .map(Value::Integer),
        (Value::Number(left), Value::Number(right)) => Value::number(match how {
            Arithmetic::Add => left + right,
            Arithmetic::Subtract => left - right,
            Arithmetic::Multiply => left * right,
            Arithmetic::Divide => left / right,
            Arithmetic::Remainder => left % right,
        }),
        _ => return None,
    })
}

/// A number without a fraction as a whole one, NULL beyond 64 bits.
fn whole_number(number: f64) -> Option<Value> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (-END..END).contains(&number).then_some(Value::Integer(number as i64))
}

fn joined<'s>(parts: impl Iterator<Item = &'s Scalar>, columns: &[Column]) -> Option<Vec<Option<Value>>> {
    let mut values = Vec::new();
    for part in parts {
        values.extend(of(part, columns)?.values);
        if values.len() > LISTED_MAX {
            return None;
        }
    }
    Some(values)
}

/// All whole numbers or days of a bounded expression.
fn whole(scalar: &Scalar, columns: &[Column]) -> Option<Vec<Option<Value>>> {
    let Range::Whole(Some(low), Some(high)) = bounds::range(scalar, columns) else { return None };
    let value: fn(i64) -> Option<Value> = match bounds::value_type(scalar, columns)? {
        Type::Integer => |number| Some(Value::Integer(number)),
        Type::Date => |day| i32::try_from(day).ok().map(Value::Date),
        _ => return None,
    };
    let length = usize::try_from(high.checked_sub(low)?.checked_add(1)?)
        .ok()
        .filter(|length| *length <= DERIVED_MAX)?;
    let values: Vec<Option<Value>> = (low..=high).map(value).collect();
    (values.len() == length && values.iter().all(Option::is_some)).then_some(values)
}

/// All whole numbers, as numbers, that rounding a bounded expression makes: rounding is monotone, so they lie between those
/// of the ends.
fn whole_steps(argument: &Scalar, round: fn(f64) -> f64, columns: &[Column]) -> Option<Vec<Option<Value>>> {
    /// Whole numbers up to here are floats, each of them.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let Range::Real(low, high) = bounds::range(argument, columns) else { return None };
    let (low, high) = (round(low), round(high));
    if !(low >= -EXACT && high <= EXACT && high - low < DERIVED_MAX as f64) {
        return None;
    }
    Some((low as i64..=high as i64).map(|whole| Value::number(whole as f64)).collect())
}

fn truncated(part: DatePart, inner: &Scalar, columns: &[Column]) -> Option<Vec<Option<Value>>> {
    let Range::Whole(Some(low), Some(high)) = bounds::range(inner, columns) else { return None };
    match bounds::value_type(inner, columns)? {
        Type::Date => {
            let days = date_units::units_of_days(low, high, part, DERIVED_MAX)?;
            Some(days.into_iter().map(|day| Some(Value::Date(day))).collect())
        }
        Type::Timestamp => match date_units::unit_micros(part) {
            None => {
                let (first, last) = (low.div_euclid(DAY), high.div_euclid(DAY));
                let days = date_units::units_of_days(first, last, part, DERIVED_MAX)?;
                Some(days.into_iter().map(|day| Some(Value::Timestamp(moment(day, 0)))).collect())
            }
            Some(unit) => {
                let (first, last) = (low.div_euclid(unit), high.div_euclid(unit));
                let few = last.checked_sub(first).is_some_and(|length| length < DERIVED_MAX as i64);
                few.then(|| (first..=last).map(|count| Some(Value::Timestamp(count * unit))).collect())
            }
        },
        _ => None,
    }
}
