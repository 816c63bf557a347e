//! Comparisons of two values of one type, through Arrow's kernels: numbers by size (there is no NaN and one zero),
//! text byte by byte, false before true.

use arrow::compute::kernels::cmp;
use pointillist_plan::{Comparison, Type};

use super::operand::Operand;

pub(super) fn compare(how: Comparison, left: &Operand, right: &Operand) -> Operand {
    if left.kind() != right.kind() {
        return Operand::null(Type::Boolean);
    }
    let compared = match how {
        Comparison::Equal => cmp::eq(left, right),
        Comparison::NotEqual => cmp::neq(left, right),
        Comparison::Less => cmp::lt(left, right),
        Comparison::LessOrEqual => cmp::lt_eq(left, right),
        Comparison::Greater => cmp::gt(left, right),
        Comparison::GreaterOrEqual => cmp::gt_eq(left, right),
        Comparison::NotDistinct => cmp::not_distinct(left, right),
    };
    // The kernels refuse other types and lengths only, and these are the same.
    compared.map_or_else(|_| Operand::null(Type::Boolean), |array| Operand::of(array, &[left, right]))
}
