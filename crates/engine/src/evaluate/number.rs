//! Functions of numbers. A result that is not finite is NULL: √−1, ln 0, e^1000, 0 to the power of −1.

use arrow::array::Float64Array;
use arrow::datatypes::{Float64Type, Int64Type};
use pointillist_plan::{Function, Type};

use super::operand::{self, Operand};

/// Functions of one number; the distance from zero and the sign of integers are integers.
pub(super) fn unary(function: Function, value: &Operand) -> Operand {
    if let Some(lane) = value.lane::<Int64Type>() {
        let values = match function {
            Function::Absolute => operand::map(lane, i64::saturating_abs),
            Function::Sign => operand::map(lane, i64::signum),
            _ => return Operand::null(Type::Number),
        };
        return operand::whole::<Int64Type>(values, &[value]);
    }
    let Some(lane) = value.lane::<Float64Type>() else { return Operand::null(Type::Number) };
    let values = match function {
        Function::Absolute => operand::map(lane, f64::abs),
        // The sign of zero is zero here, and one for floats.
        Function::Sign => operand::map(lane, |x| f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))),
        Function::Floor => operand::map(lane, f64::floor),
        Function::Ceiling => operand::map(lane, f64::ceil),
        Function::SquareRoot => operand::map(lane, f64::sqrt),
        Function::Exponential => operand::map(lane, f64::exp),
        Function::NaturalLogarithm => operand::map(lane, f64::ln),
        Function::CommonLogarithm => operand::map(lane, f64::log10),
        _ => return Operand::null(Type::Number),
    };
    operand::finite(values, &[value])
}

pub(super) fn power(base: &Operand, exponent: &Operand) -> Operand {
    let (Some(a), Some(b)) = (base.lane::<Float64Type>(), exponent.lane::<Float64Type>()) else {
        return Operand::null(Type::Number);
    };
    operand::finite(operand::zip(a, b, f64::powf), &[base, exponent])
}

/// Half away from zero, to constant decimal places: the nearest float to round(x·10ᵖ)/10ᵖ, computed in floats.
/// A number with no digits behind that place stays as it is.
pub(super) fn round(value: &Operand, places: &Operand) -> Operand {
    let (Some(lane), Some(places)) = (value.lane::<Float64Type>(), places.only::<Int64Type>()) else {
        return Operand::null(Type::Number);
    };
    let values = match places {
        309.. => operand::map(lane, |x| x),
        ..=-309 => operand::map(lane, |_| 0.0),
        0 => operand::map(lane, f64::round),
        places => {
            let scale = power_of_ten(places.unsigned_abs());
            match places > 0 {
                true => operand::map(lane, |x| rounded_behind_the_point(x, scale)),
                false => operand::map(lane, |x| (x / scale).round() * scale),
            }
        }
    };
    operand::finite(values, &[value])
}

/// From 2^52 on all floats are whole, so what is larger after scaling has nothing to round.
fn rounded_behind_the_point(x: f64, scale: f64) -> f64 {
    let scaled = x * scale;
    if scaled.abs() < 4_503_599_627_370_496.0 { scaled.round() / scale } else { x }
}

/// The float nearest to a power of ten, which repeated multiplication would miss.
fn power_of_ten(places: u64) -> f64 {
    format!("1e{places}").parse().unwrap_or(f64::INFINITY)
}

/// 0 below `lower`, 1..=count in equal parts of the range, count + 1 from `upper` on. NULL unless the ends and
/// the count are constants, the lower end is below the upper one and the count is positive.
pub(super) fn width_bucket(value: &Operand, lower: &Operand, upper: &Operand, count: &Operand) -> Operand {
    let ends = (lower.only::<Float64Type>(), upper.only::<Float64Type>(), count.only::<Int64Type>());
    let (Some(lane), (Some(lower), Some(upper), Some(count))) = (value.lane::<Float64Type>(), ends) else {
        return Operand::null(Type::Integer);
    };
    if lower >= upper || count < 1 {
        return Operand::null(Type::Integer);
    }
    // A range that is not finite is measured in halves, which are exact for numbers of that size.
    let half = if (upper - lower).is_finite() { 1.0 } else { 0.5 };
    let width = upper * half - lower * half;
    let values = operand::map(lane, |x| {
        if x < lower {
            0
        } else if x >= upper {
            count.saturating_add(1)
        } else {
            // Rounding may reach the upper end, which belongs to the next bucket; the cast saturates.
            let part = (x * half - lower * half) / width * count as f64;
            (part as i64).clamp(0, count - 1) + 1
        }
    });
    operand::whole::<Int64Type>(values, &[value])
}

/// A whole number as the nearest number.
pub(super) fn from_integers(value: &Operand) -> Operand {
    let Some(lane) = value.lane::<Int64Type>() else { return Operand::null(Type::Number) };
    let values: Vec<f64> = operand::map(lane, |x| x as f64);
    Operand::of(Float64Array::new(values.into(), operand::strict(&[value])), &[value])
}
