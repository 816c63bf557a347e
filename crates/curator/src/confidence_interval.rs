//! Error bars of expressions on released numbers.
//!
//! **Guarantee.** If every part that has noise lies in its bar, the result lies in the bar of the result; with each of j
//! such parts failing with probability at most β/j, it does so with probability at least 1 − β. The parts are the largest
//! subexpressions that are linear forms or quotients of two in the released measures (`shape.rs`), or variances, or statistics of
//! two values (`pair.rs`), each once: `SUM(a) - SUM(b)`, a share, `100 * AVG(x) + 32` are one part, and keep the whole β. Around them functions that
//! rise with their argument map both ends, by the evaluator that also maps the value; all other arithmetic is that of
//! intervals. Bounds are rounded outward.
//! **No bar** have CASE, comparisons and texts (they are decided on noisy values), and quotients whose divisor may be
//! zero and which have no range of their own; and quantiles, whose error is known in ranks.

pub(crate) mod fieller;
pub(crate) mod pair;
pub(crate) mod shape;
pub(crate) mod shape_interval;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Float64Type, Int64Type};
use pointillist_catalog::Value;
use pointillist_engine::evaluate;
use pointillist_numbers::Rational;
use pointillist_plan::{Arithmetic, Formula, Function, PrivatePlan, Scalar, Type, type_of, visit};

use self::shape::Shape;
use self::shape_interval::{Bars, Ends, VarianceParts};
use crate::release::Released;

/// An expression, taken apart.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    /// A part with noise, by its number.
    Part(usize),
    /// A number that is known.
    Known(Ends),
    /// A function that rises with its first argument; the others are constants.
    Rising(Box<Tree>, Scalar),
    Absolute(Box<Tree>),
    /// The greatest of some, or the least.
    Extreme(bool, Vec<Tree>),
    /// Arithmetic, of whole numbers or of others.
    Arithmetic(Arithmetic, bool, Box<Tree>, Box<Tree>),
}

/// A part with noise.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Shape(Shape),
    /// A quotient of whole numbers, cut towards zero.
    Cut(Shape),
    /// An aggregate that is a variance or a deviation.
    Variance(usize),
    /// An aggregate that is a statistic of two values.
    Pair(usize),
}

/// Between which numbers an expression over keys and aggregates lies, group by group; `None` for expressions without
/// noise. With `alone` it may fail with β in all.
pub(crate) fn intervals(
    bars: &Bars<'_>,
    plan: &PrivatePlan,
    released: &Released,
    scalar: &Scalar,
    types: &[Type],
    beta: &Rational,
) -> Option<Vec<Option<Ends>>> {
    let keys = plan.aggregation.keys.len();
    let used = || visit::columns(scalar);
    if used().all(|column| column < keys) {
        return None;
    }
    let groups = 0..released.keys.len();
    let measured = |group: usize| move |measure: usize| released.measures[measure][group];
    if used().all(|column| column >= keys) {
        let taken = Expression::of(scalar, plan, types);
        return Some(groups.map(|group| taken.as_ref()?.interval(bars, &measured(group), beta)).collect());
    }
    let of_group = |group: usize| {
        let known = with_keys(scalar, &released.keys[group]);
        Expression::of(&known, plan, types)?.interval(bars, &measured(group), beta)
    };
    Some(groups.map(of_group).collect())
}

/// Whether an expression over keys and aggregates may have intervals at all: a function of the plan. Where keys stand in
/// it, some numbers are tried in their places.
pub(crate) fn has_interval(plan: &PrivatePlan, scalar: &Scalar, types: &[Type]) -> bool {
    let keys = plan.aggregation.keys.len();
    if visit::columns(scalar).all(|column| column < keys) {
        return false;
    }
    let sample = |kind: &Type| match kind {
        Type::Integer => Some(Value::Integer(2)),
        Type::Number => Some(Value::Number(2.0)),
        _ => None,
    };
    let sample: Vec<Option<Value>> = types.iter().take(keys).map(sample).collect();
    Expression::of(&with_keys(scalar, &sample), plan, types).is_some()
}

struct Expression<'a> {
    plan: &'a PrivatePlan,
    tree: Tree,
    parts: Vec<Part>,
    kind: Option<Type>,
}

impl<'a> Expression<'a> {
    fn of(scalar: &Scalar, plan: &'a PrivatePlan, types: &[Type]) -> Option<Self> {
        let mut taken = Self { plan, tree: Tree::Known((0.0, 0.0)), parts: Vec::new(), kind: None };
        taken.tree = taken.tree(scalar, types)?;
        taken.kind = type_of(scalar, types);
        Some(taken)
    }

    fn part(&mut self, part: Part) -> Tree {
        let known = self.parts.iter().position(|other| *other == part);
        Tree::Part(known.unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        }))
    }

    fn tree(&mut self, scalar: &Scalar, types: &[Type]) -> Option<Tree> {
        match Shape::of(scalar, self.plan, types) {
            Some(shape) if shape.is_noisy() => return Some(self.part(Part::Shape(shape))),
            Some(Shape::Linear(known)) => {
                let (low, high) = (known.constant.to_f64_lower(), known.constant.to_f64_upper());
                return Some(Tree::Known((low, high)));
            }
            _ => {}
        }
        let keys = self.plan.aggregation.keys.len();
        match scalar {
            Scalar::Column(position) => {
                let aggregate = position.checked_sub(keys)?;
                let formula = &self.plan.answer.aggregates[aggregate].formula;
                match formula {
                    Formula::Variance { .. } => Some(self.part(Part::Variance(aggregate))),
                    Formula::Pair(_) => Some(self.part(Part::Pair(aggregate))),
                    _ => None,
                }
            }
            Scalar::Cast(inner, Type::Number) => self.tree(inner, types),
            Scalar::Cast(inner, Type::Integer) if is_number(inner, types) => {
                Some(Tree::Rising(Box::new(self.tree(inner, types)?), scalar.clone()))
            }
            Scalar::Arithmetic(how, left, right) => {
                let whole = type_of(scalar, types)? == Type::Integer;
                if *how == Arithmetic::Divide && whole {
                    let sides = Shape::of(left, self.plan, types).zip(Shape::of(right, self.plan, types));
                    let quotient = sides.and_then(|(over, under)| Shape::combined(*how, over, under));
                    if let Some(quotient) = quotient.filter(Shape::is_noisy) {
                        return Some(self.part(Part::Cut(quotient)));
                    }
                }
                let (left, right) = (self.tree(left, types)?, self.tree(right, types)?);
                Some(Tree::Arithmetic(*how, whole, Box::new(left), Box::new(right)))
            }
            Scalar::Call(function, arguments) => match function {
                Function::Absolute => Some(Tree::Absolute(Box::new(self.tree(arguments.first()?, types)?))),
                Function::Least | Function::Greatest => {
                    let all: Option<Vec<Tree>> =
                        arguments.iter().map(|argument| self.tree(argument, types)).collect();
                    Some(Tree::Extreme(*function == Function::Greatest, all?))
                }
                Function::Coalesce | Function::NullIf => self.tree(arguments.first()?, types),
                Function::Floor
                | Function::Ceiling
                | Function::Round
                | Function::Sign
                | Function::SquareRoot
                | Function::Exponential
                | Function::NaturalLogarithm
                | Function::CommonLogarithm => {
                    let constant = |argument: &Scalar| matches!(argument, Scalar::Constant(_));
                    let (first, others) = arguments.split_first()?;
                    others
                        .iter()
                        .all(constant)
                        .then(|| Some(Tree::Rising(Box::new(self.tree(first, types)?), scalar.clone())))?
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn interval(&self, bars: &Bars<'_>, measured: &impl Fn(usize) -> i128, beta: &Rational) -> Option<Ends> {
        let share = beta / &Rational::from(self.parts.len().max(1));
        let ends: Vec<Option<Ends>> = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Shape(shape) => bars.shape(shape, measured, &share),
                Part::Cut(shape) => {
                    bars.shape(shape, measured, &share).map(|(low, high)| (low.trunc(), high.trunc()))
                }
                Part::Variance(aggregate) => {
                    let parts = variance_parts(&self.plan.answer.aggregates[*aggregate].formula)?;
                    Some(bars.variance(&parts, measured, &share))
                }
                Part::Pair(aggregate) => match &self.plan.answer.aggregates[*aggregate].formula {
                    Formula::Pair(pair) => bars.pair(pair, measured, &share).bar,
                    _ => None,
                },
            })
            .collect();
        let (low, high) = bounds(&self.tree, &ends)?;
        // Whole numbers end at the range of 64 bits.
        let within = |end: f64| match self.kind {
            Some(Type::Integer) => end.clamp(i64::MIN as f64, i64::MAX as f64),
            _ => end,
        };
        (low.is_finite() && high.is_finite()).then(|| (within(low), within(high)))
    }
}

/// The measures of a variance.
pub(crate) fn variance_parts(formula: &Formula) -> Option<VarianceParts<'_>> {
    match formula {
        Formula::Variance { squares, total, rows, grid, sample, root } => Some(VarianceParts {
            squares: *squares,
            total: *total,
            rows: *rows,
            grid,
            sample: *sample,
            root: *root,
        }),
        _ => None,
    }
}

fn bounds(tree: &Tree, parts: &[Option<Ends>]) -> Option<Ends> {
    let bounds = match tree {
        Tree::Part(part) => parts[*part]?,
        Tree::Known(ends) => *ends,
        Tree::Rising(inner, function) => {
            let (low, high) = bounds(inner, parts)?;
            let low = match function {
                // Below zero there is no root; where there is one, it is not below zero.
                Scalar::Call(Function::SquareRoot, _) => low.max(0.0),
                _ => low,
            };
            let (low, high) = (mapped(function, low)?, mapped(function, high)?);
            match function {
                Scalar::Call(Function::Floor | Function::Ceiling | Function::Round | Function::Sign, _)
                | Scalar::Cast(..) => (low, high),
                _ => (low.next_down(), high.next_up()),
            }
        }
        Tree::Absolute(inner) => match bounds(inner, parts)? {
            (low, high) if low >= 0.0 => (low, high),
            (low, high) if high <= 0.0 => (-high, -low),
            (low, high) => (0.0, high.max(-low)),
        },
        Tree::Extreme(greatest, all) => {
            let all: Option<Vec<Ends>> = all.iter().map(|each| bounds(each, parts)).collect();
            all?.into_iter().reduce(|(a, b), (c, d)| match greatest {
                true => (a.max(c), b.max(d)),
                false => (a.min(c), b.min(d)),
            })?
        }
        Tree::Arithmetic(how, whole, left, right) => {
            let ((a, b), (c, d)) = (bounds(left, parts)?, bounds(right, parts)?);
            let real = match how {
                Arithmetic::Add => outward(&[a + c, b + d]),
                Arithmetic::Subtract => outward(&[a - d, b - c]),
                Arithmetic::Multiply => outward(&[a * c, a * d, b * c, b * d]),
                Arithmetic::Divide if c > 0.0 || d < 0.0 => outward(&[a / c, a / d, b / c, b / d]),
                Arithmetic::Divide | Arithmetic::Remainder => return None,
            };
            match (whole, how) {
                // Quotients of whole numbers are cut towards zero.
                (true, Arithmetic::Divide) => (real.0.trunc(), real.1.trunc()),
                _ => real,
            }
        }
    };
    (bounds.0.is_finite() && bounds.1.is_finite()).then_some(bounds)
}

/// One end through a function, by the evaluator that computes the values.
fn mapped(function: &Scalar, end: f64) -> Option<f64> {
    let end = Scalar::Constant(Value::number(end)?);
    let applied = match function {
        Scalar::Cast(_, kind) => Scalar::Cast(Box::new(end), *kind),
        Scalar::Call(function, arguments) => {
            let others = arguments.iter().skip(1).cloned();
            Scalar::Call(*function, std::iter::once(end).chain(others).collect())
        }
        _ => return None,
    };
    let value = evaluate(&applied, &[], 1);
    if value.is_null(0) {
        return None;
    }
    match value.as_primitive_opt::<Float64Type>() {
        Some(numbers) => Some(numbers.value(0)),
        None => value.as_primitive_opt::<Int64Type>().map(|whole| whole.value(0) as f64),
    }
}

fn is_number(scalar: &Scalar, types: &[Type]) -> bool {
    matches!(type_of(scalar, types), Some(Type::Number | Type::Integer))
}

/// The expression with a group's keys in their places; keys that are no numbers stay, and make no bar.
fn with_keys(scalar: &Scalar, keys: &[Option<Value>]) -> Scalar {
    visit::with_replaced(scalar, &mut |part| match part {
        Scalar::Column(position) => match keys.get(*position) {
            Some(Some(value @ (Value::Integer(_) | Value::Number(_)))) => {
                Some(Scalar::Constant(value.clone()))
            }
            _ => None,
        },
        _ => None,
    })
}

/// The range of these numbers, one float further on both sides: each was rounded once.
fn outward(ends: &[f64]) -> Ends {
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low.next_down(), high.next_up())
}

#[cfg(test)]
mod tests;
