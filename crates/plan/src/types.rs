//! The types of expressions: what an engine takes, decided before a plan is paid for.
//!
//! **Guarantee.** If an expression has a type over columns of given types, evaluating it over arrays of these types
//! gives an array of that type. One that has none is a mistake of the planner: too deep, too large, a column that
//! does not exist, or an operation on types it does not take.

use pointillist_catalog::{ColumnType, Value};

use crate::{DEPTH_MAX, Function, NODES_MAX, PATTERN_BYTES_MAX, Scalar, Type};

/// The type of an expression over columns of these types; `None` if it has none.
pub fn type_of(scalar: &Scalar, columns: &[Type]) -> Option<Type> {
    Typing { columns, nodes_left: NODES_MAX }.of(scalar, DEPTH_MAX)
}

/// The type of a value.
pub fn type_of_value(value: &Value) -> Type {
    match value {
        Value::Boolean(_) => Type::Boolean,
        Value::Integer(_) => Type::Integer,
        Value::Number(_) => Type::Number,
        Value::Text(_) => Type::Text,
        Value::Date(_) => Type::Date,
        Value::Timestamp(_) => Type::Timestamp,
    }
}

/// The type that a column's values have in expressions.
pub fn type_of_column(kind: &ColumnType) -> Type {
    match kind {
        ColumnType::Boolean => Type::Boolean,
        ColumnType::Integer { .. } => Type::Integer,
        ColumnType::Number { .. } => Type::Number,
        ColumnType::Text => Type::Text,
        ColumnType::Date { .. } => Type::Date,
        ColumnType::Timestamp { .. } => Type::Timestamp,
    }
}

struct Typing<'a> {
    columns: &'a [Type],
    nodes_left: usize,
}

impl Typing<'_> {
    fn of(&mut self, scalar: &Scalar, depth: usize) -> Option<Type> {
        let depth = depth.checked_sub(1)?;
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        match scalar {
            Scalar::Column(position) => self.columns.get(*position).copied(),
            Scalar::Constant(value) => constant(value),
            Scalar::Null(kind) => Some(*kind),
            Scalar::Not(inner) => self.takes(inner, Type::Boolean, Type::Boolean, depth),
            Scalar::All(parts) | Scalar::Any(parts) => {
                let mut parts = parts.iter();
                parts.all(|part| self.of(part, depth) == Some(Type::Boolean)).then_some(Type::Boolean)
            }
            Scalar::Compare(_, left, right) => self.alike(left, right, depth).map(|_| Type::Boolean),
            Scalar::IsNull(inner) => self.of(inner, depth).map(|_| Type::Boolean),
            Scalar::Arithmetic(_, left, right) => self.alike(left, right, depth).filter(is_numeric),
            Scalar::Case(branches, last) => {
                let kind = self.of(last, depth)?;
                let mut branches = branches.iter();
                let fits = branches.all(|(condition, value)| {
                    self.of(condition, depth) == Some(Type::Boolean) && self.of(value, depth) == Some(kind)
                });
                fits.then_some(kind)
            }
            Scalar::Like { value, pattern, .. } if pattern.len() <= PATTERN_BYTES_MAX => {
                self.takes(value, Type::Text, Type::Boolean, depth)
            }
            Scalar::Like { .. } => None,
            Scalar::Cast(inner, kind) => self.of(inner, depth).map(|_| *kind),
            Scalar::Call(function, arguments) => {
                let kinds = arguments
                    .iter()
                    .map(|argument| self.of(argument, depth))
                    .collect::<Option<Vec<Type>>>()?;
                call(*function, arguments, &kinds)
            }
        }
    }

    fn takes(&mut self, scalar: &Scalar, kind: Type, result: Type, depth: usize) -> Option<Type> {
        (self.of(scalar, depth)? == kind).then_some(result)
    }

    fn alike(&mut self, left: &Scalar, right: &Scalar, depth: usize) -> Option<Type> {
        let kind = self.of(left, depth)?;
        (self.of(right, depth)? == kind).then_some(kind)
    }
}

fn constant(value: &Value) -> Option<Type> {
    match value {
        Value::Number(number) if !number.is_finite() => None,
        value => Some(type_of_value(value)),
    }
}

/// The type of a call with arguments of these types.
fn call(function: Function, arguments: &[Scalar], kinds: &[Type]) -> Option<Type> {
    use Function::*;
    use Type::{Boolean, Date, Integer, Number, Text, Timestamp};
    match (function, kinds) {
        (Absolute | Sign, [kind]) => Some(*kind).filter(is_numeric),
        (Floor | Ceiling | SquareRoot | Exponential | NaturalLogarithm | CommonLogarithm, [Number]) => {
            Some(Number)
        }
        (Round, [Number]) => Some(Number),
        (Round, [Number, Integer]) => is_constant(arguments, 1).then_some(Number),
        (Power, [Number, Number]) => Some(Number),
        (Least | Greatest, [first, ..]) => {
            (*first != Boolean && kinds.iter().all(|kind| kind == first)).then_some(*first)
        }
        (Coalesce, [first, ..]) => kinds.iter().all(|kind| kind == first).then_some(*first),
        (NullIf, [first, second]) => (first == second).then_some(*first),
        (Lower | Upper | Trim, [Text]) => Some(Text),
        (Length, [Text]) => Some(Integer),
        (Substring, [Text, Integer] | [Text, Integer, Integer]) => Some(Text),
        (Concat, kinds) => kinds.iter().all(|kind| *kind == Text).then_some(Text),
        (StartsWith, [Text, Text]) => Some(Boolean),
        (Position, [Text, Text]) => Some(Integer),
        (DatePart(_), [Date | Timestamp]) => Some(Integer),
        (Epoch, [Date | Timestamp]) => Some(Number),
        (DateTruncate(_), [kind @ (Date | Timestamp)]) => Some(*kind),
        (WidthBucket, [Number, Number, Number, Integer]) => is_constant(arguments, 1).then_some(Integer),
        (AddDays | AddMonths, [kind @ (Date | Timestamp), Integer]) => Some(*kind),
        (DaysBetween, [Date, Date]) => Some(Integer),
        (Absolute | Sign | Floor | Ceiling | SquareRoot | Exponential | NaturalLogarithm, _) => None,
        (CommonLogarithm | Round | Power | Least | Greatest | Coalesce | NullIf | WidthBucket, _) => None,
        (Lower | Upper | Trim | Length | Substring | StartsWith | Position, _) => None,
        (DatePart(_) | DateTruncate(_) | Epoch | AddDays | AddMonths | DaysBetween, _) => None,
    }
}

fn is_numeric(kind: &Type) -> bool {
    matches!(kind, Type::Integer | Type::Number)
}

/// Whether the arguments from here on are written out: constants or NULL.
fn is_constant(arguments: &[Scalar], from: usize) -> bool {
    arguments.iter().skip(from).all(|argument| matches!(argument, Scalar::Constant(_) | Scalar::Null(_)))
}
