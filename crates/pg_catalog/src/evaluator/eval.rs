//! The value of an expression for one row.

use std::borrow::Cow;

use super::arithmetic::calculated;
use super::cast::cast_value;
use super::compare::compare;
use super::pattern;
use super::plan::{Arithmetic, Comparison, Expr, Kind, Pattern, Subquery, Test};
use super::run::{Env, Run, VALUE_MAX, same, too_much, weight};
use crate::functions::Function;
use crate::{PgError, PgValue};

const NULL: PgValue = PgValue::Null;
type Value<'v> = Cow<'v, PgValue>;

impl Run<'_, '_> {
    pub(super) fn eval<'v>(&'v self, expr: &'v Expr, env: &'v Env<'_>) -> Result<Value<'v>, PgError> {
        self.spend(1)?;
        match &expr.kind {
            Kind::Constant(value) => Ok(Cow::Borrowed(value)),
            Kind::Parameter(at) => {
                self.parameters.get(*at).map(Cow::Borrowed).ok_or_else(|| {
                    PgError::new("08P01", format!("there is no value for parameter ${}", at + 1))
                })
            }
            Kind::Column { up, slot, index } => {
                let row = outwards(env, *up).and_then(|env| env.tuple.get(*slot));
                Ok(Cow::Borrowed(row.map_or(&NULL, |row| row.get(*index))))
            }
            Kind::Aggregate(at) => Ok(Cow::Borrowed(env.aggregates.get(*at).unwrap_or(&NULL))),
            Kind::Window(at) => Ok(Cow::Borrowed(env.windows.get(*at).unwrap_or(&NULL))),
            Kind::Set(at) => env.sets.get(*at).map(Cow::Borrowed).ok_or_else(|| {
                PgError::new("0A000", "set-returning functions inside each other are not answered")
            }),
            Kind::And(_) | Kind::Or(_) | Kind::Not(_) | Kind::IsNull(_) | Kind::Is(..) => {
                Ok(owned(self.logic(expr, env)?))
            }
            Kind::Test { .. } | Kind::DistinctFrom(..) | Kind::InList { .. } => {
                Ok(owned(self.tested(expr, env)?))
            }
            Kind::OfArray { .. } | Kind::OfQuery { .. } => Ok(owned(self.quantified(expr, env)?)),
            Kind::Exists(_) | Kind::Scalar(_) | Kind::ArrayOf(_) => self.of_query(expr, env),
            Kind::Case { operand, branches, otherwise } => {
                self.case(operand.as_deref(), branches, otherwise.as_deref(), env)
            }
            Kind::Cast { expr, to } => {
                let value = self.eval(expr, env)?.into_owned();
                let context = self.context.borrow();
                let value = cast_value(context.system, context.session, value, expr.ty.pg, *to)?;
                self.checked(value)
            }
            Kind::Call { function, arguments } => {
                let value = self.call(function, arguments, env)?;
                self.checked(value)
            }
            _ => self.computed(expr, env),
        }
    }

    /// Whether a condition is true, not false and not NULL.
    pub(super) fn holds(&self, expr: &Expr, env: &Env<'_>) -> Result<bool, PgError> {
        Ok(*self.eval(expr, env)? == PgValue::Bool(true))
    }

    fn truth(&self, expr: &Expr, env: &Env<'_>) -> Result<Option<bool>, PgError> {
        match *self.eval(expr, env)? {
            PgValue::Bool(value) => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// AND, OR, NOT of three values.
    fn logic(&self, expr: &Expr, env: &Env<'_>) -> Result<Option<bool>, PgError> {
        match &expr.kind {
            Kind::And(parts) => self.decided(parts, false, env),
            Kind::Or(parts) => self.decided(parts, true, env),
            Kind::Not(inner) => Ok(self.truth(inner, env)?.map(|value| !value)),
            Kind::IsNull(inner) => Ok(Some(is_null(&*self.eval(inner, env)?))),
            Kind::Is(inner, wanted) => Ok(Some(self.truth(inner, env)? == Some(*wanted))),
            _ => Ok(None),
        }
    }

    /// The value that decides, if one part has it; NULL, if one part is NULL; otherwise the other value.
    fn decided(&self, parts: &[Expr], decides: bool, env: &Env<'_>) -> Result<Option<bool>, PgError> {
        let mut value = Some(!decides);
        for part in parts {
            match self.truth(part, env)? {
                Some(found) if found == decides => return Ok(Some(decides)),
                Some(_) => {}
                None => value = None,
            }
        }
        Ok(value)
    }

    fn tested(&self, expr: &Expr, env: &Env<'_>) -> Result<Option<bool>, PgError> {
        match &expr.kind {
            Kind::Test { test, left, right } => {
                let left = self.eval(left, env)?;
                let right = self.eval(right, env)?;
                self.test(*test, &left, &right)
            }
            Kind::DistinctFrom(left, right) => {
                Ok(Some(!same(&*self.eval(left, env)?, &*self.eval(right, env)?)))
            }
            Kind::InList { expr, list } => {
                let value = self.eval(expr, env)?;
                let mut found = Some(false);
                for item in list {
                    let item = self.eval(item, env)?;
                    match self.test(Test::Compare(Comparison::Eq), &value, &item)? {
                        Some(true) => return Ok(Some(true)),
                        Some(false) => {}
                        None => found = None,
                    }
                }
                Ok(found)
            }
            _ => Ok(None),
        }
    }

    pub(super) fn test(&self, test: Test, left: &PgValue, right: &PgValue) -> Result<Option<bool>, PgError> {
        if let (Test::Compare(op), PgValue::Record(one), PgValue::Record(other)) = (test, left, right) {
            return Ok(records(op, one, other));
        }
        if *left == NULL || *right == NULL {
            return Ok(None);
        }
        match test {
            Test::Compare(op) => {
                if let (PgValue::Text(_) | PgValue::Array { .. }, _) = (left, right) {
                    self.spend(weight(left).min(weight(right)) / 64)?;
                }
                Ok(compare(left, right).map(|order| ordered(op, order)))
            }
            Test::Match(pattern) => self.matches(pattern, left, right).map(Some),
        }
    }

    fn matches(&self, how: Pattern, left: &PgValue, right: &PgValue) -> Result<bool, PgError> {
        let (PgValue::Text(text), PgValue::Text(pattern)) = (left, right) else {
            return Err(PgError::new("42883", "only text is matched with patterns"));
        };
        self.spend(text.len() as u64 / 8)?;
        let found = if how.regex {
            self.pattern(pattern, how.ignore_case)?.is_match(text)
        } else {
            if text.len() > 64 && pattern.len() > 8 {
                self.spend((text.len() as u64).saturating_mul(pattern.len() as u64) / 64)?;
            }
            pattern::like(text, pattern, how.escape, how.ignore_case)?
        };
        Ok(found != how.negated)
    }

    fn quantified(&self, expr: &Expr, env: &Env<'_>) -> Result<Option<bool>, PgError> {
        match &expr.kind {
            Kind::OfArray { test, left, array, all } => {
                let left = self.eval(left, env)?;
                let array = self.eval(array, env)?;
                let PgValue::Array { elements, .. } = &*array else { return Ok(None) };
                self.spend(elements.len() as u64)?;
                self.any_or_all(*test, &left, elements.iter(), *all)
            }
            Kind::OfQuery { test, left, query, all } => {
                let left = self.eval(left, env)?;
                let rows = self.subquery(query, Some(env))?;
                if let PgValue::Record(fields) = &*left {
                    let width = fields.len();
                    let records = rows.iter().map(|row| {
                        let named = row.iter().take(width).map(|value| (String::new(), value.clone()));
                        PgValue::Record(named.collect())
                    });
                    let records: Vec<PgValue> = records.collect();
                    self.spend(records.len() as u64)?;
                    return self.any_or_all(*test, &left, records.iter(), *all);
                }
                let equal = *test == Test::Compare(Comparison::Eq) && !all;
                if equal && *left != NULL && self.may_have(query, &left, &rows) == Some(false) {
                    return Ok(Some(false));
                }
                self.spend(rows.len() as u64)?;
                self.any_or_all(*test, &left, rows.iter().filter_map(|row| row.first()), *all)
            }
            _ => Ok(None),
        }
    }

    fn any_or_all<'i>(
        &self,
        test: Test,
        left: &PgValue,
        items: impl Iterator<Item = &'i PgValue>,
        all: bool,
    ) -> Result<Option<bool>, PgError> {
        let mut value = Some(all);
        for item in items {
            match self.test(test, left, item)? {
                Some(found) if found != all => return Ok(Some(found)),
                Some(_) => {}
                None => value = None,
            }
        }
        Ok(value)
    }

    fn of_query<'v>(&'v self, expr: &'v Expr, env: &'v Env<'_>) -> Result<Value<'v>, PgError> {
        let rows = |query: &Subquery| self.subquery(query, Some(env));
        let value = match &expr.kind {
            Kind::Exists(query) => PgValue::Bool(!rows(query)?.is_empty()),
            Kind::Scalar(query) => {
                let rows = rows(query)?;
                if rows.len() > 1 {
                    let message = "more than one row returned by a subquery used as an expression";
                    return Err(PgError::new("21000", message));
                }
                rows.first().and_then(|row| row.first()).cloned().unwrap_or(NULL)
            }
            Kind::ArrayOf(query) => {
                let rows = rows(query)?;
                self.spend(rows.len() as u64)?;
                let elements = rows.iter().filter_map(|row| row.first().cloned()).collect();
                PgValue::Array { elements, lower: 1 }
            }
            _ => NULL,
        };
        Ok(Cow::Owned(value))
    }

    fn case<'v>(
        &'v self,
        operand: Option<&'v Expr>,
        branches: &'v [(Expr, Expr)],
        otherwise: Option<&'v Expr>,
        env: &'v Env<'_>,
    ) -> Result<Value<'v>, PgError> {
        let operand = operand.map(|operand| self.eval(operand, env)).transpose()?;
        for (condition, result) in branches {
            let found = match &operand {
                None => self.holds(condition, env)?,
                Some(operand) => {
                    let condition = self.eval(condition, env)?;
                    self.test(Test::Compare(Comparison::Eq), operand, &condition)? == Some(true)
                }
            };
            if found {
                return self.eval(result, env);
            }
        }
        otherwise.map_or(Ok(Cow::Owned(NULL)), |otherwise| self.eval(otherwise, env))
    }

    fn computed<'v>(&'v self, expr: &'v Expr, env: &'v Env<'_>) -> Result<Value<'v>, PgError> {
        let values = |list: &'v [Expr]| {
            list.iter()
                .map(|item| Ok(self.eval(item, env)?.into_owned()))
                .collect::<Result<Vec<_>, PgError>>()
        };
        let value = match &expr.kind {
            Kind::Coalesce(list) => {
                for item in list {
                    let value = self.eval(item, env)?;
                    if *value != NULL {
                        return Ok(value);
                    }
                }
                NULL
            }
            Kind::NullIf(left, right) => {
                let value = self.eval(left, env)?;
                let other = self.eval(right, env)?;
                let equal = self.test(Test::Compare(Comparison::Eq), &value, &other)? == Some(true);
                if equal { NULL } else { value.into_owned() }
            }
            Kind::Extreme { greatest, list } => extreme(*greatest, values(list)?),
            Kind::Array(list) => PgValue::Array { elements: values(list)?, lower: 1 },
            Kind::Row(list) => {
                let named = values(list)?.into_iter().enumerate();
                PgValue::record(named.map(|(at, value)| (format!("f{}", at + 1), value)).collect())?
            }
            Kind::WholeRow { up, slot, names } => {
                let row = outwards(env, *up).and_then(|env| env.tuple.get(*slot));
                let field = |(at, name): (usize, &String)| {
                    (name.clone(), row.map_or(NULL, |row| row.get(at).clone()))
                };
                self.spend(names.len() as u64)?;
                PgValue::record(names.iter().enumerate().map(field).collect())?
            }
            Kind::Field { record, name } => match &*self.eval(record, env)? {
                PgValue::Record(fields) => {
                    fields.iter().find(|field| field.0 == *name).map_or(NULL, |field| field.1.clone())
                }
                _ => NULL,
            },
            Kind::Subscript { array, index } => {
                let array = self.eval(array, env)?;
                subscripted(&array, &*self.eval(index, env)?)
            }
            Kind::Slice { array, lower, upper } => {
                let array = self.eval(array, env)?;
                let bound = |bound: &'v Option<Box<Expr>>| {
                    bound.as_ref().map(|bound| Ok(self.eval(bound, env)?.into_owned())).transpose()
                };
                let (lower, upper): (Option<PgValue>, Option<PgValue>) =
                    (bound(lower)?, (bound(upper) as Result<_, PgError>)?);
                sliced(&array, lower, upper)
            }
            Kind::Negative(inner) => {
                let value = self.eval(inner, env)?;
                calculated(Arithmetic::Minus, &PgValue::Int(0), &value, expr.ty.pg.base)?
            }
            Kind::Arithmetic { op, left, right } => {
                let left = self.eval(left, env)?;
                let right = self.eval(right, env)?;
                calculated(*op, &left, &right, expr.ty.pg.base)?
            }
            Kind::Concat(left, right) => {
                let left = self.eval(left, env)?.into_owned();
                let right = self.eval(right, env)?.into_owned();
                joined(left, right)
            }
            _ => return Err(PgError::new("0A000", "this expression is not answered about system tables")),
        };
        self.checked(value)
    }

    /// A computed value, if it is not too large; large ones take steps.
    fn checked<'v>(&self, value: PgValue) -> Result<Value<'v>, PgError> {
        let size = weight(&value);
        if size > VALUE_MAX as u64 {
            return Err(too_much());
        }
        self.spend(size / 64)?;
        Ok(Cow::Owned(value))
    }

    fn call(&self, function: &Function, arguments: &[Expr], env: &Env<'_>) -> Result<PgValue, PgError> {
        let values = arguments.iter().map(|argument| Ok(self.eval(argument, env)?.into_owned()));
        let values = values.collect::<Result<Vec<_>, PgError>>()?;
        self.spend(values.iter().map(weight).sum::<u64>() / 64)?;
        if function.strict && values.contains(&NULL) {
            return Ok(NULL);
        }
        (function.run)(&mut self.context.borrow_mut(), &values)
    }

    /// The rows of a function that gives rows.
    pub(super) fn set_values(&self, call: &Expr, env: &Env<'_>) -> Result<Vec<PgValue>, PgError> {
        let Kind::Call { function, arguments } = &call.kind else { return Ok(Vec::new()) };
        match self.call(function, arguments, env)? {
            PgValue::Array { elements, .. } => {
                self.spend(elements.len() as u64)?;
                self.keep(&elements)?;
                Ok(elements)
            }
            _ => Ok(Vec::new()),
        }
    }
}

fn outwards<'e>(env: &'e Env<'e>, up: usize) -> Option<&'e Env<'e>> {
    (0..up).try_fold(env, |env, _| env.parent)
}

fn owned<'v>(value: Option<bool>) -> Value<'v> {
    Cow::Owned(value.map_or(NULL, PgValue::Bool))
}

/// A row is NULL where all its fields are.
fn is_null(value: &PgValue) -> bool {
    match value {
        PgValue::Null => true,
        PgValue::Record(fields) => fields.iter().all(|field| field.1 == NULL),
        _ => false,
    }
}

fn ordered(op: Comparison, order: std::cmp::Ordering) -> bool {
    match op {
        Comparison::Eq => order.is_eq(),
        Comparison::NotEq => order.is_ne(),
        Comparison::Lt => order.is_lt(),
        Comparison::LtEq => order.is_le(),
        Comparison::Gt => order.is_gt(),
        Comparison::GtEq => order.is_ge(),
    }
}

/// Rows are compared field by field; a NULL before the decision leaves it open.
fn records(op: Comparison, left: &[(String, PgValue)], right: &[(String, PgValue)]) -> Option<bool> {
    let mut unknown = false;
    for (left, right) in left.iter().zip(right) {
        if left.1 == NULL || right.1 == NULL {
            unknown = true;
            if !matches!(op, Comparison::Eq | Comparison::NotEq) {
                return None;
            }
            continue;
        }
        let order = compare(&left.1, &right.1)?;
        if order.is_ne() {
            return Some(ordered(op, order));
        }
    }
    (!unknown).then(|| ordered(op, left.len().cmp(&right.len())))
}

fn extreme(greatest: bool, values: Vec<PgValue>) -> PgValue {
    let there = values.into_iter().filter(|value| *value != NULL);
    let best = there.reduce(|best, other| {
        let better =
            compare(&other, &best).is_some_and(|order| if greatest { order.is_gt() } else { order.is_lt() });
        if better { other } else { best }
    });
    best.unwrap_or(NULL)
}

fn subscripted(array: &PgValue, index: &PgValue) -> PgValue {
    let (PgValue::Array { elements, lower }, PgValue::Int(index)) = (array, index) else { return NULL };
    let place = usize::try_from(index.saturating_sub(i64::from(*lower))).ok();
    place.and_then(|place| elements.get(place)).cloned().unwrap_or(NULL)
}

fn sliced(array: &PgValue, from: Option<PgValue>, to: Option<PgValue>) -> PgValue {
    let PgValue::Array { elements, lower } = array else { return NULL };
    let bound = |bound: Option<PgValue>, otherwise: i64| match bound {
        None => Some(otherwise),
        Some(PgValue::Int(value)) => Some(value),
        Some(_) => None,
    };
    let lower = i64::from(*lower);
    let last = lower + elements.len() as i64 - 1;
    let (Some(from), Some(to)) = (bound(from, lower), bound(to, last)) else { return NULL };
    let (from, to) = (from.max(lower), to.min(last));
    let kept = elements.iter().zip(lower..).filter(|(_, at)| (from..=to).contains(at));
    PgValue::Array { elements: kept.map(|(value, _)| value.clone()).collect(), lower: 1 }
}

/// `||`. NULL beside a text is NULL; beside an array it is an element, or nothing where it stands for an array.
fn joined(left: PgValue, right: PgValue) -> PgValue {
    match (left, right) {
        (PgValue::Text(left), PgValue::Text(right)) => PgValue::Text(left + &right),
        (PgValue::Array { mut elements, lower }, PgValue::Array { elements: more, .. }) => {
            elements.extend(more);
            PgValue::Array { elements, lower }
        }
        (PgValue::Array { elements, lower }, PgValue::Null)
        | (PgValue::Null, PgValue::Array { elements, lower }) => PgValue::Array { elements, lower },
        (PgValue::Array { mut elements, lower }, item) => {
            elements.push(item);
            PgValue::Array { elements, lower }
        }
        (item, PgValue::Array { mut elements, lower }) => {
            elements.insert(0, item);
            PgValue::Array { elements, lower }
        }
        _ => NULL,
    }
}
