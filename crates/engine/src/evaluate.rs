//! The evaluator: what a [`Scalar`] is worth, for every row of a batch.
//!
//! **Guarantee.** Nothing can fail on a row. For arrays of the six types below, whatever they hold, [`evaluate`]
//! returns an array of the promised length; it has no error to return, does not panic, and takes time and memory
//! bounded by the expression and the sizes of its arguments. What other languages make an error is NULL, whole
//! numbers saturate, and numbers that come out are finite, with one zero. The value of a row depends on that row
//! alone, so an expression is a row-wise map of stability 1: neighbours stay neighbours.
//! **One path.** Conditions, branches and arguments are computed for every row and chosen between afterwards;
//! nothing is skipped because of what a row holds.
//! **Why it holds.** Every function below is total on its types (tables and random expressions in `tests`, held
//! against a second interpreter that sees one row at a time). Recursion stops at `DEPTH_MAX`; expressions that
//! copy text run over few enough rows at a time to stay within `COPIES_BYTES_MAX`.
//! **Types.** Boolean is `Boolean`, integer `Int64`, number `Float64`, text `Utf8View`, date `Date32`, timestamp
//! `Timestamp(Microsecond, None)`. A column of any other type, of another length or that does not exist is NULL
//! throughout, and so is an operation on types it does not take: [`type_of`](pointillist_plan::type_of) finds these before a plan is paid for.
//! **Not covered.** Time within a batch: a long text takes longer than a short one, in proportion to its length.

mod arithmetic;
mod cast;
mod choice;
mod comparison;
mod dates;
mod like;
mod number;
mod operand;
#[cfg(test)]
mod tests;
mod text;
mod units;

use arrow::array::{Array, ArrayRef, new_null_array};
use arrow::compute::concat;

use operand::Operand;
pub(crate) use operand::{data_type, kind_of};
use pointillist_plan::{DEPTH_MAX, Function, Scalar, Type, visit};
#[cfg(test)]
pub(crate) use tests::interpret;
pub use units::{Integers, integers};

/// The longest text that a function makes, in bytes.
const TEXT_BYTES_MAX: usize = 10_000;
/// About how many bytes all texts that an expression makes may take at a time.
const COPIES_BYTES_MAX: usize = 256 << 20;

/// The value of an expression in each of `rows` rows.
pub fn evaluate(scalar: &Scalar, columns: &[ArrayRef], rows: usize) -> ArrayRef {
    let at_once = COPIES_BYTES_MAX / TEXT_BYTES_MAX / copies(scalar).max(1);
    let at_once = at_once.max(1);
    if rows <= at_once {
        return Batch { columns, rows }.value(scalar, DEPTH_MAX).expand(rows);
    }
    let mut pieces: Vec<ArrayRef> = Vec::with_capacity(rows / at_once + 1);
    for start in (0..rows).step_by(at_once) {
        let length = at_once.min(rows - start);
        let columns: Vec<ArrayRef> = columns
            .iter()
            .map(|column| match column.len() == rows {
                true => column.slice(start, length),
                false => new_null_array(column.data_type(), length),
            })
            .collect();
        pieces.push(Batch { columns: &columns, rows: length }.value(scalar, DEPTH_MAX).expand(length));
    }
    let borrowed: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
    // The pieces have one type, which is a function of the expression and the columns' types; were it not so,
    // NULL would be the answer for every row alike.
    concat(&borrowed).unwrap_or_else(|_| new_null_array(pieces[0].data_type(), rows))
}

/// How many parts of an expression make new text. Branches and choices share the text they choose.
fn copies(scalar: &Scalar) -> usize {
    use Function::{Concat, Lower, Substring, Trim, Upper};
    let makes_text =
        |part: &&Scalar| matches!(part, Scalar::Call(Lower | Upper | Trim | Substring | Concat, _));
    visit::walk(scalar).filter(makes_text).count()
}

/// Rows, as columns.
struct Batch<'a> {
    columns: &'a [ArrayRef],
    rows: usize,
}

impl Batch<'_> {
    fn value(&self, scalar: &Scalar, depth: usize) -> Operand {
        let Some(depth) = depth.checked_sub(1) else { return Operand::null(Type::Boolean) };
        match scalar {
            Scalar::Column(position) => self.column(*position),
            Scalar::Constant(value) => Operand::constant(value),
            Scalar::Null(kind) => Operand::null(*kind),
            Scalar::Not(inner) => choice::not(&self.value(inner, depth)),
            Scalar::All(parts) => self.joined(parts, true, depth),
            Scalar::Any(parts) => self.joined(parts, false, depth),
            Scalar::Compare(how, left, right) => {
                comparison::compare(*how, &self.value(left, depth), &self.value(right, depth))
            }
            Scalar::IsNull(inner) => choice::is_null(&self.value(inner, depth)),
            Scalar::Arithmetic(how, left, right) => {
                arithmetic::arithmetic(*how, &self.value(left, depth), &self.value(right, depth))
            }
            Scalar::Case(branches, last) => self.case(branches, last, depth),
            Scalar::Like { value, pattern, escape, ignore_case } => {
                text::like(&self.value(value, depth), pattern, *escape, *ignore_case)
            }
            Scalar::Cast(inner, kind) => cast::cast(&self.value(inner, depth), *kind),
            Scalar::Call(function, arguments) => self.call(*function, arguments, depth),
        }
    }

    fn column(&self, position: usize) -> Operand {
        match self.columns.get(position) {
            Some(column) if column.len() == self.rows => Operand::column(column),
            Some(column) => Operand::null(kind_of(column).unwrap_or(Type::Boolean)),
            None => Operand::null(Type::Boolean),
        }
    }

    /// True (false) if all parts (none of them) are, in three-valued logic.
    fn joined(&self, parts: &[Scalar], all: bool, depth: usize) -> Operand {
        let mut parts = parts.iter().map(|part| self.value(part, depth));
        match parts.next() {
            None => Operand::boolean(all),
            Some(first) if first.kind() == Type::Boolean => {
                parts.fold(first, |sofar, part| choice::join(&sofar, &part, all))
            }
            // What is no truth value makes the whole NULL, however many follow.
            Some(first) => parts.fold(choice::not(&first), |_, _| Operand::null(Type::Boolean)),
        }
    }

    /// From the last branch to the first, so that an earlier one prevails.
    fn case(&self, branches: &[(Scalar, Scalar)], last: &Scalar, depth: usize) -> Operand {
        branches.iter().rev().fold(self.value(last, depth), |chosen, (condition, value)| {
            choice::select(&self.value(condition, depth), &self.value(value, depth), &chosen)
        })
    }

    fn call(&self, function: Function, arguments: &[Scalar], depth: usize) -> Operand {
        match function {
            // Folded one by one, so that a long list keeps two values at a time.
            Function::Coalesce | Function::Least | Function::Greatest => {
                let mut values = arguments.iter().map(|argument| self.value(argument, depth));
                let Some(first) = values.next() else { return Operand::null(Type::Boolean) };
                let first = choice::folded_alone(function, first);
                values.fold(first, |sofar, next| choice::fold(function, &sofar, &next))
            }
            _ => {
                let values: Vec<Operand> =
                    arguments.iter().map(|argument| self.value(argument, depth)).collect();
                called(function, &values)
            }
        }
    }
}

/// A function of values. A wrong number of them is NULL, of the type that the function has.
fn called(function: Function, values: &[Operand]) -> Operand {
    use Function::*;
    match (function, values) {
        (Absolute | Sign | Floor | Ceiling | SquareRoot | Exponential, [value]) => {
            number::unary(function, value)
        }
        (NaturalLogarithm | CommonLogarithm, [value]) => number::unary(function, value),
        (Round, [value]) => number::round(value, &Operand::constant(&pointillist_catalog::Value::Integer(0))),
        (Round, [value, places]) => number::round(value, places),
        (Power, [base, exponent]) => number::power(base, exponent),
        (WidthBucket, [value, lower, upper, count]) => number::width_bucket(value, lower, upper, count),
        (NullIf, [value, other]) => choice::null_if(value, other),
        (Lower | Upper, [value]) => text::change_case(value, function == Upper),
        (Trim, [value]) => text::trim(value),
        (Length, [value]) => text::length(value),
        (Substring, [value, start]) => text::substring(value, start, None),
        (Substring, [value, start, count]) => text::substring(value, start, Some(count)),
        (Concat, values) => text::concat(values),
        (StartsWith, [value, beginning]) => text::starts_with(value, beginning),
        (Position, [value, part]) => text::position(value, part),
        (Epoch, [value]) => dates::epoch(value),
        (DatePart(part), [value]) => dates::part(value, part),
        (DateTruncate(part), [value]) => dates::truncate(value, part),
        (AddDays, [date, days]) => dates::add_days(date, days),
        (AddMonths, [date, months]) => dates::add_months(date, months),
        (DaysBetween, [to, from]) => dates::days_between(to, from),
        (Coalesce | Least | Greatest, _) => Operand::null(Type::Boolean),
        (Absolute | Sign | Floor | Ceiling | Round | SquareRoot | Exponential, _) => {
            Operand::null(Type::Number)
        }
        (NaturalLogarithm | CommonLogarithm | Power | Epoch, _) => Operand::null(Type::Number),
        (Lower | Upper | Trim | Substring, _) => Operand::null(Type::Text),
        (Length | Position | DatePart(_) | WidthBucket | DaysBetween, _) => Operand::null(Type::Integer),
        (AddDays | AddMonths | DateTruncate(_), _) => Operand::null(Type::Date),
        (NullIf | StartsWith, _) => Operand::null(Type::Boolean),
    }
}
