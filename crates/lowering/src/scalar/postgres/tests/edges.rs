//! Arithmetic of numbers where PostgreSQL raises: at the ends of the range of floats, to the bit.

use pointillist_catalog::Value;
use pointillist_plan::{Arithmetic, Function, Scalar, Type};

use super::Rows;
use super::hostile::{Dice, NUMBERS};

const OPERATIONS: [Arithmetic; 4] =
    [Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply, Arithmetic::Divide];

fn number(value: f64) -> Scalar {
    Scalar::Constant(Value::Number(value))
}

fn boxed(column: usize) -> Box<Scalar> {
    Box::new(Scalar::Column(column))
}

/// Pairs whose sum, product or quotient is within some ulps of where it leaves the floats.
fn aimed(dice: &mut Dice, count: usize) -> Vec<(f64, f64)> {
    let near = |x: f64, dice: &mut Dice| {
        let ulps = dice.below(7) as i64 - 3;
        f64::from_bits((x.abs().to_bits() as i64 + ulps).max(0) as u64)
    };
    let mut pairs: Vec<(f64, f64)> = NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (*a, b))).collect();
    while pairs.len() < count {
        let a = f64::from_bits(dice.word() & (u64::MAX >> 1));
        let half_least = 2.0_f64.powi(-538);
        let b = match dice.below(6) {
            0 => near(f64::MAX - a, dice),
            1 => near(f64::MAX / a, dice),
            // 2^-1075 / a, the two halves one after the other.
            2 | 3 => near(half_least / a * (half_least * 2.0), dice),
            4 => near(a / f64::MAX, dice),
            _ => near(a / half_least / (half_least * 2.0), dice),
        };
        let signed = |x: f64, dice: &mut Dice| if dice.below(4) == 0 { 0.0 - x } else { x };
        if a.is_finite() && b.is_finite() {
            pairs.push((signed(a, dice) + 0.0, signed(b, dice) + 0.0));
        }
    }
    pairs
}

/// Specification: sums, products and quotients next to the ends of the floats are the evaluator's, also with constants.
#[test]
fn arithmetic_agrees_at_the_ends_of_the_floats() {
    let mut dice = Dice(7);
    let pairs = aimed(&mut dice, 20_000);
    let column = |side: fn(&(f64, f64)) -> f64| {
        pairs.iter().map(|pair| Some(Value::Number(side(pair)))).collect::<Vec<_>>()
    };
    let columns = vec![column(|pair| pair.0), column(|pair| pair.1)];
    let Some(rows) = Rows::new(&[Type::Number; 2], columns) else { return };
    let of_columns = |how| Scalar::Arithmetic(how, boxed(0), boxed(1));
    rows.compare(&OPERATIONS.map(of_columns));

    // With constants over fewer rows: those of the pool, and as many that are near some border with the constant.
    let mut compared = OPERATIONS.len();
    for constants in NUMBERS.chunks(8) {
        let mut near: Vec<f64> = NUMBERS.to_vec();
        for c in constants {
            let half_least = 2.0_f64.powi(-538);
            for border in [
                f64::MAX - c.abs(),
                f64::MAX / c.abs(),
                half_least / c.abs() * (half_least * 2.0),
                f64::MAX * c.abs(),
                c.abs() / f64::MAX,
                c.abs() / half_least / (half_least * 2.0),
                c.abs() * half_least * (half_least * 2.0),
            ] {
                for ulps in -4..=4_i64 {
                    let x = f64::from_bits((border.abs().to_bits() as i64 + ulps).max(0) as u64);
                    near.extend([x, 0.0 - x].into_iter().filter(|x| x.is_finite()));
                }
            }
        }
        let column = near.iter().map(|x| Some(Value::Number(*x + 0.0))).chain([None]).collect();
        let Some(rows) = Rows::new(&[Type::Number], vec![column]) else { return };
        for c in constants {
            let with = |how| {
                [
                    Scalar::Arithmetic(how, boxed(0), Box::new(number(*c))),
                    Scalar::Arithmetic(how, Box::new(number(*c)), boxed(0)),
                ]
            };
            let some = OPERATIONS.map(with).concat();
            rows.compare(&some);
            compared += some.len();
        }
    }
    println!("compared {compared} expressions, {} pairs of columns", rows.count());
}

/// Specification: rounding to any number of places, and parts of any range, are the evaluator's for every number.
#[test]
fn rounding_and_parts_of_ranges_agree() {
    let mut dice = Dice(11);
    let mut numbers: Vec<Option<Value>> = NUMBERS.iter().map(|x| Some(Value::Number(*x))).collect();
    for _ in 0..1_000 {
        numbers.push(dice.cell(Type::Number));
        // Halves after scaling, and their neighbours.
        let half = (dice.below(20_000) as f64 + 0.5) / 10f64.powi(dice.below(8) as i32 - 2);
        let ulps = dice.below(3) as i64 - 1;
        numbers.push(Some(Value::Number(f64::from_bits((half.to_bits() as i64 + ulps) as u64))));
    }
    let Some(rows) = Rows::new(&[Type::Number], vec![numbers]) else { return };
    let places =
        (-310..=310).step_by(7).chain([-308, -307, -3, -2, -1, 0, 1, 2, 3, 15, 16, 22, 23, 307, 308, 309]);
    let round = |places: i64| {
        let places = Scalar::Constant(Value::Integer(places));
        Scalar::Call(Function::Round, vec![Scalar::Column(0), places])
    };
    let mut all: Vec<Scalar> = places.map(round).collect();
    let counts =
        [1, 2, 3, 7, 1 << 53, (1 << 53) + 1, (1 << 62) + 255, 1 << 62, i64::MAX - 1, i64::MAX, 0, -1];
    for (lower, upper) in [
        (0.0, 1.0),
        (-1.0, 1.0),
        (0.0, 1e300),
        (-1e308, 1.7e308),
        (f64::MIN, f64::MAX),
        (-1e292, f64::MAX),
        (5e-324, 1e-323),
        (0.0, 5e-324),
        (0.1, 0.3),
        (1e15, 1e15 + 1.0),
        (1.0, 1.0),
        (2.0, 1.0),
    ] {
        for count in counts {
            let arguments = vec![
                Scalar::Column(0),
                number(lower),
                number(upper),
                Scalar::Constant(Value::Integer(count)),
            ];
            all.push(Scalar::Call(Function::WidthBucket, arguments));
        }
    }
    all.chunks(16).for_each(|some| rows.compare(some));
    println!("compared {} expressions over {} rows", all.len(), rows.count());
}
