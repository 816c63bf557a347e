//! Error bars of arithmetic on released numbers: the same arithmetic on intervals.
//!
//! **Guarantee.** If every aggregate lies in its interval, the result lies in the interval of the result; with
//! each of j aggregates failing with probability at most β/j, it does so with probability at least 1 − β.
//! Bounds are rounded outward. What is not arithmetic has no interval.

use pointillist_catalog::Value;
use pointillist_engine::type_of;
use pointillist_query::scalar::{Arithmetic, Function, Scalar, Type};

/// Between which numbers an expression lies; columns' types and intervals are given, `None` where there is none.
pub(crate) fn interval(
    scalar: &Scalar,
    types: &[Type],
    column: &impl Fn(usize) -> Option<(f64, f64)>,
) -> Option<(f64, f64)> {
    let inner = |scalar: &Scalar| interval(scalar, types, column);
    let bounds = match scalar {
        Scalar::Column(position) => column(*position)?,
        Scalar::Constant(Value::Integer(value)) => whole(*value),
        Scalar::Constant(Value::Number(value)) => (*value, *value),
        Scalar::Cast(value, Type::Number) => inner(value)?,
        Scalar::Call(Function::Absolute, arguments) => match inner(arguments.first()?)? {
            (low, high) if low >= 0.0 => (low, high),
            (low, high) if high <= 0.0 => (-high, -low),
            (low, high) => (0.0, high.max(-low)),
        },
        Scalar::Call(Function::SquareRoot, arguments) => {
            let (low, high) = inner(arguments.first()?)?;
            (low >= 0.0).then(|| outward(&[low.sqrt(), high.sqrt()]))?
        }
        Scalar::Arithmetic(operation, left, right) => {
            let ((a, b), (c, d)) = (inner(left)?, inner(right)?);
            let real = match operation {
                Arithmetic::Add => outward(&[a + c, b + d]),
                Arithmetic::Subtract => outward(&[a - d, b - c]),
                Arithmetic::Multiply => outward(&[a * c, a * d, b * c, b * d]),
                Arithmetic::Divide if c > 0.0 || d < 0.0 => outward(&[a / c, a / d, b / c, b / d]),
                Arithmetic::Divide | Arithmetic::Remainder => return None,
            };
            if type_of(scalar, types)? != Type::Integer {
                real
            } else {
                // Whole numbers saturate, and their quotients are cut towards zero.
                let saturated = |end: f64| end.clamp(i64::MIN as f64, i64::MAX as f64);
                let cut = |end: f64| if *operation == Arithmetic::Divide { end.trunc() } else { end };
                (cut(saturated(real.0)), cut(saturated(real.1)))
            }
        }
        _ => return None,
    };
    (bounds.0.is_finite() && bounds.1.is_finite()).then_some(bounds)
}

/// A whole number between floats.
pub(crate) fn whole(value: i64) -> (f64, f64) {
    let near = value as f64;
    let exact = i128::from(value) == near as i128;
    if exact { (near, near) } else { (near.next_down(), near.next_up()) }
}

/// The range of these numbers, one float further on both sides: each was rounded once.
fn outward(ends: &[f64]) -> (f64, f64) {
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low.next_down(), high.next_up())
}

/// The columns that an expression names, each once.
pub(crate) fn columns(scalar: &Scalar) -> Vec<usize> {
    fn collect(scalar: &Scalar, found: &mut Vec<usize>) {
        match scalar {
            Scalar::Column(position) if !found.contains(position) => found.push(*position),
            Scalar::Column(_) | Scalar::Constant(_) | Scalar::Null(_) => {}
            Scalar::Not(value) | Scalar::IsNull(value) | Scalar::Cast(value, _) => collect(value, found),
            Scalar::Like { value, .. } => collect(value, found),
            Scalar::Compare(_, left, right) | Scalar::Arithmetic(_, left, right) => {
                collect(left, found);
                collect(right, found);
            }
            Scalar::All(parts) | Scalar::Any(parts) | Scalar::Call(_, parts) => {
                parts.iter().for_each(|part| collect(part, found));
            }
            Scalar::Case(branches, otherwise) => {
                branches.iter().flat_map(|(when, then)| [when, then]).for_each(|part| collect(part, found));
                collect(otherwise, found);
            }
        }
    }
    let mut found = Vec::new();
    collect(scalar, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [Type; 3] = [Type::Number; 3];

    fn column(position: usize) -> Option<(f64, f64)> {
        [Some((1.0, 2.0)), Some((-3.0, 5.0)), None].get(position).copied().flatten()
    }

    fn binary(operation: Arithmetic, left: usize, right: usize) -> Scalar {
        Scalar::Arithmetic(operation, Scalar::Column(left).into(), Scalar::Column(right).into())
    }

    #[test]
    fn arithmetic_keeps_every_point_of_the_box() {
        for operation in [Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply, Arithmetic::Divide] {
            for (left, right) in [(0, 1), (1, 0), (0, 0), (1, 1)] {
                let Some((low, high)) = interval(&binary(operation, left, right), &TYPES, &column) else {
                    assert!(operation == Arithmetic::Divide && right == 1, "only division by zero has none");
                    continue;
                };
                let (Some(a), Some(b)) = (column(left), column(right)) else { unreachable!() };
                for x in 0..=20 {
                    for y in 0..=20 {
                        let x = a.0 + (a.1 - a.0) * f64::from(x) / 20.0;
                        let y = b.0 + (b.1 - b.0) * f64::from(y) / 20.0;
                        let value = match operation {
                            Arithmetic::Add => x + y,
                            Arithmetic::Subtract => x - y,
                            Arithmetic::Multiply => x * y,
                            _ => x / y,
                        };
                        assert!(low <= value && value <= high, "{operation:?} {x} {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_has_no_error_bar_makes_none() {
        assert_eq!(interval(&binary(Arithmetic::Add, 0, 2), &TYPES, &column), None);
        assert_eq!(interval(&Scalar::Null(Type::Number), &TYPES, &column), None);
        let wide = |_| Some((-f64::MAX, f64::MAX));
        assert_eq!(interval(&binary(Arithmetic::Multiply, 0, 1), &TYPES, &wide), None);
        assert_eq!(columns(&binary(Arithmetic::Add, 4, 4)), [4]);
    }

    /// Whole numbers as the evaluator computes them: cut, saturated, and never outside of their interval.
    #[test]
    fn whole_numbers_stay_inside_too() {
        let types = [Type::Integer];
        let count = |_| Some((600.0, 600.0));
        let constant = |value: i64| Box::new(Scalar::Constant(Value::Integer(value)));
        let seventh = Scalar::Arithmetic(Arithmetic::Divide, Scalar::Column(0).into(), constant(7));
        let (low, high) = interval(&seventh, &types, &count).unwrap();
        assert!(low <= 85.0 && 85.0 <= high, "{low} {high}");
        let back = Scalar::Arithmetic(Arithmetic::Multiply, Box::new(seventh), constant(7));
        let (low, high) = interval(&back, &types, &count).unwrap();
        assert!(low <= 595.0 && 595.0 <= high, "{low} {high}");
        let huge = Scalar::Arithmetic(Arithmetic::Multiply, Scalar::Column(0).into(), constant(i64::MAX));
        let (low, high) = interval(&huge, &types, &count).unwrap();
        assert!(low <= i64::MAX as f64 && high >= i64::MAX as f64 && high < 1e19, "{low} {high}");
    }
}
