//! `+ - * / %`: integers saturate, a number that is not finite is NULL, and so is everything divided by zero.
//!
//! Loops run over all values, also those that NULL hides, without a branch that depends on them, and the bitmaps
//! are put together once.

use arrow::datatypes::{Float64Type, Int64Type};
use pointillist_plan::{Arithmetic, Type};

use super::operand::{self, Lane, Operand};

pub(super) fn arithmetic(how: Arithmetic, left: &Operand, right: &Operand) -> Operand {
    let both = [left, right];
    if let (Some(a), Some(b)) = (left.lane::<Int64Type>(), right.lane::<Int64Type>()) {
        return integers(how, a, b, &both);
    }
    let (Some(a), Some(b)) = (left.lane::<Float64Type>(), right.lane::<Float64Type>()) else {
        return Operand::null(Type::Number);
    };
    let values = match how {
        Arithmetic::Add => operand::zip(a, b, |a, b| a + b),
        Arithmetic::Subtract => operand::zip(a, b, |a, b| a - b),
        Arithmetic::Multiply => operand::zip(a, b, |a, b| a * b),
        // By zero it is infinite or not a number, and so NULL.
        Arithmetic::Divide => operand::zip(a, b, |a, b| a / b),
        Arithmetic::Remainder => operand::zip(a, b, |a, b| a % b),
    };
    operand::finite(values, &both)
}

fn integers(how: Arithmetic, a: Lane<i64>, b: Lane<i64>, both: &[&Operand]) -> Operand {
    let whole = |values| operand::whole::<Int64Type>(values, both);
    let partial = |values| operand::partial::<Int64Type>(values, both);
    match how {
        Arithmetic::Add => whole(operand::zip(a, b, i64::saturating_add)),
        Arithmetic::Subtract => whole(operand::zip(a, b, i64::saturating_sub)),
        Arithmetic::Multiply => whole(operand::zip(a, b, i64::saturating_mul)),
        // The only quotient that does not fit is that of the least integer by −1.
        Arithmetic::Divide => partial(operand::zip(a, b, |a, b| (b != 0).then(|| a.saturating_div(b)))),
        Arithmetic::Remainder => partial(operand::zip(a, b, |a, b| (b != 0).then(|| a.wrapping_rem(b)))),
    }
}
