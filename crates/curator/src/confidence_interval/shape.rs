//! Arithmetic on released measures as what it is: linear forms, and quotients of two.
//!
//! A count, a sum and whatever adds, subtracts and scales them is Σ aᵢyᵢ + c over the released measures yᵢ, terms
//! collected: X − X is nothing, X + X is 2X. A mean, a share, a difference of means over one count is a quotient of two
//! such forms. Bars of both are exact for the noise there is (`fieller.rs`), where boxes around every part are not.

use pointillist_catalog::Value;
use pointillist_mechanisms::Grid;
use pointillist_numbers::Rational;
use pointillist_plan::{Arithmetic, Formula, Function, PrivatePlan, Scalar, Type, type_of};

/// Σ aᵢyᵢ + c. The measures are in rising order, no coefficient is zero.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linear {
    pub(crate) constant: Rational,
    pub(crate) terms: Vec<(usize, Rational)>,
}

/// A linear form, or a quotient of two, between numbers that it cannot leave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Linear(Linear),
    Quotient { over: Linear, under: Linear, range: (f64, f64) },
}

impl Linear {
    pub(crate) fn constant(constant: Rational) -> Self {
        Self { constant, terms: Vec::new() }
    }

    pub(crate) fn measure(measure: usize, coefficient: Rational) -> Self {
        Self::constant(Rational::zero())
            .plus(&Self { constant: Rational::zero(), terms: vec![(measure, coefficient)] })
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut terms = self.terms.clone();
        for (measure, coefficient) in &other.terms {
            match terms.binary_search_by_key(measure, |(measure, _)| *measure) {
                Ok(at) => terms[at].1 = &terms[at].1 + coefficient,
                Err(at) => terms.insert(at, (*measure, coefficient.clone())),
            }
        }
        terms.retain(|(_, coefficient)| !coefficient.is_zero());
        Self { constant: &self.constant + &other.constant, terms }
    }

    pub(crate) fn times(&self, factor: &Rational) -> Self {
        if factor.is_zero() {
            return Self::constant(Rational::zero());
        }
        let terms = self.terms.iter().map(|(measure, coefficient)| (*measure, coefficient * factor));
        Self { constant: &self.constant * factor, terms: terms.collect() }
    }

    /// The value where the measures are these.
    pub(crate) fn value(&self, measured: &impl Fn(usize) -> i128) -> Rational {
        self.terms.iter().fold(self.constant.clone(), |sum, (measure, coefficient)| {
            sum + coefficient * &Rational::from(measured(*measure))
        })
    }

    fn known(&self) -> Option<&Rational> {
        self.terms.is_empty().then_some(&self.constant)
    }
}

impl Shape {
    /// Whether there is any noise in it.
    pub(crate) fn is_noisy(&self) -> bool {
        match self {
            Self::Linear(linear) => !linear.terms.is_empty(),
            Self::Quotient { .. } => true,
        }
    }

    /// The shape of an aggregate; variances, quantiles and statistics of two values have none.
    pub(crate) fn of_aggregate(plan: &PrivatePlan, aggregate: usize) -> Option<Self> {
        let measures = &plan.aggregation.measures;
        let centred = |total: usize, rows: usize, grid: &Grid| {
            let middle = Linear::measure(rows, grid.midpoint());
            Linear::measure(total, measures[total].unit()).plus(&middle)
        };
        Some(match &plan.answer.aggregates[aggregate].formula {
            Formula::Sum { measure, unit } => Self::Linear(Linear::measure(*measure, unit.clone())),
            Formula::CentredSum { total, rows, grid } => Self::Linear(centred(*total, *rows, grid)),
            Formula::Mean { total, rows, grid } => Self::Quotient {
                over: centred(*total, *rows, grid),
                under: Linear::measure(*rows, Rational::one()),
                range: (grid.lower().to_f64_lower(), grid.upper().to_f64_upper()),
            },
            Formula::Variance { .. } | Formula::Quantile { .. } | Formula::Pair(_) => return None,
        })
    }

    /// The shape of an expression over aggregates (columns from `keys` on) and constants.
    pub(crate) fn of(scalar: &Scalar, plan: &PrivatePlan, types: &[Type]) -> Option<Self> {
        let keys = plan.aggregation.keys.len();
        match scalar {
            Scalar::Column(position) => Self::of_aggregate(plan, position.checked_sub(keys)?),
            Scalar::Constant(Value::Integer(value)) => {
                Some(Self::Linear(Linear::constant(Rational::from(*value))))
            }
            Scalar::Constant(Value::Number(value)) => {
                Some(Self::Linear(Linear::constant(Rational::from_f64(*value).ok()?)))
            }
            Scalar::Cast(inner, Type::Number) => Self::of(inner, plan, types),
            // Aggregates are never NULL, so what follows the first is not used.
            Scalar::Call(Function::Coalesce | Function::NullIf, arguments) => {
                Self::of(arguments.first()?, plan, types)
            }
            Scalar::Arithmetic(how, left, right) => {
                if *how == Arithmetic::Divide && type_of(scalar, types)? == Type::Integer {
                    return None;
                }
                Self::combined(*how, Self::of(left, plan, types)?, Self::of(right, plan, types)?)
            }
            _ => None,
        }
    }

    /// Two shapes added, subtracted, multiplied or divided, where that is a shape again.
    pub(crate) fn combined(how: Arithmetic, left: Self, right: Self) -> Option<Self> {
        match how {
            Arithmetic::Add => left.added(right),
            Arithmetic::Subtract => left.added(right.scaled(&Rational::from(-1))),
            Arithmetic::Multiply => match (&left, &right) {
                (Self::Linear(factor), _) if factor.known().is_some() => Some(right.scaled(factor.known()?)),
                (_, Self::Linear(factor)) if factor.known().is_some() => Some(left.scaled(factor.known()?)),
                _ => None,
            },
            Arithmetic::Divide => left.divided(right),
            Arithmetic::Remainder => None,
        }
    }

    fn scaled(self, factor: &Rational) -> Self {
        match self {
            Self::Linear(linear) => Self::Linear(linear.times(factor)),
            Self::Quotient { .. } if factor.is_zero() => Self::Linear(Linear::constant(Rational::zero())),
            Self::Quotient { over, under, range } => {
                let ends = [range.0, range.1].map(|end| end * factor.to_f64_upper());
                let range = (ends[0].min(ends[1]).next_down(), ends[0].max(ends[1]).next_up());
                Self::Quotient { over: over.times(factor), under, range }
            }
        }
    }

    fn added(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Linear(left), Self::Linear(right)) => Some(Self::Linear(left.plus(&right))),
            (Self::Quotient { over, under, range }, Self::Linear(shift))
            | (Self::Linear(shift), Self::Quotient { over, under, range }) => {
                let by = shift.known()?;
                let range =
                    ((range.0 + by.to_f64_lower()).next_down(), (range.1 + by.to_f64_upper()).next_up());
                Some(Self::Quotient { over: over.plus(&under.times(by)), under, range })
            }
            (
                Self::Quotient { over, under, range },
                Self::Quotient { over: other_over, under: other_under, range: other_range },
            ) => (under == other_under).then(|| Self::Quotient {
                over: over.plus(&other_over),
                under,
                range: ((range.0 + other_range.0).next_down(), (range.1 + other_range.1).next_up()),
            }),
        }
    }

    fn divided(self, by: Self) -> Option<Self> {
        const ANYWHERE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
        match (self, by) {
            (shape, Self::Linear(divisor)) if divisor.known().is_some() => {
                Some(shape.scaled(&divisor.known()?.reciprocal()?))
            }
            (Self::Linear(over), Self::Linear(under)) => {
                Some(Self::Quotient { over, under, range: ANYWHERE })
            }
            (
                Self::Quotient { over, under, .. },
                Self::Quotient { over: other_over, under: other_under, .. },
            ) => {
                (under == other_under).then_some(Self::Quotient { over, under: other_over, range: ANYWHERE })
            }
            _ => None,
        }
    }
}
