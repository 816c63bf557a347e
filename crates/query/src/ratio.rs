//! Ratios of sums and counts, answered as the means that they are.
//!
//! A person with more rows than count has a sum that is clamped to what so many rows can reach and a count that is cut:
//! 100 rows, 20 of them late, count as 20 late ones of 20. Each is the best of its kind, and their ratio is not a mean.
//! `SUM(e)/COUNT(e)` is written for one, so it becomes `AVG(e)`: one weight a row, above and below (`measure.rs`). The
//! same goes for every ratio whose upper rows are rows of the lower ones:
//!
//! | asked | answered |
//! | --- | --- |
//! | `SUM(e) / COUNT(e)` | `AVG(e)` |
//! | `SUM(e) / COUNT(*)` | `AVG(e)`, or `AVG(COALESCE(e, 0))` where e may be NULL |
//! | `COUNT(*) FILTER (WHERE p) / COUNT(*)` | `AVG(CASE WHEN p THEN 1 ELSE 0 END)` |
//! | `COUNT(x) / COUNT(*)` | `AVG(CASE WHEN x IS NOT NULL THEN 1 ELSE 0 END)` |
//!
//! with constant factors, casts, `NULLIF(…, 0)` and `GREATEST(…, 1)` around the parts, and one FILTER more above than
//! below. A ratio of whole numbers is cut towards zero, as it is in SQL.
//! **Guarantee.** This only chooses which aggregates a question names; what they cost and how they are bounded is decided
//! afterwards, from those. Without noise and with nobody cut, value for value, a ratio and its mean are equal.

use pointillist_catalog::{Column, Value};
use pointillist_plan::{Arithmetic, Function, Scalar, Type, text, visit};

use crate::aggregate::{AGGREGATES, Asked, What};
use crate::bounds::{self, Range};

/// Rewrites expressions of an answer, and collects the aggregates that they name then.
pub(crate) struct Ratios<'a> {
    asked: Vec<Asked>,
    columns: &'a [Column],
    /// What was rewritten, and which ratios mix two ways of bounding, in words.
    recognised: Vec<String>,
    mixed: Vec<String>,
}

/// One side of a ratio: a factor times an aggregate.
struct Side {
    aggregate: usize,
    factor: f64,
    whole: bool,
}

impl<'a> Ratios<'a> {
    pub(crate) fn new(asked: Vec<Asked>, columns: &'a [Column]) -> Self {
        Self { asked, columns, recognised: Vec::new(), mixed: Vec::new() }
    }

    /// The same expression with means in the place of ratios.
    pub(crate) fn rewritten(&mut self, scalar: &Scalar) -> Scalar {
        let done = visit::with_replaced(scalar, &mut |part| match part {
            Scalar::Arithmetic(Arithmetic::Divide, over, under) => self.mean(over, under),
            _ => None,
        });
        self.find_mixed(&done);
        done
    }

    /// The aggregates that these expressions use, which are renumbered to fit, and notes about ratios; those about mixed
    /// ones only matter where people have several rows.
    pub(crate) fn finish(
        mut self,
        scalars: &mut [&mut Scalar],
        several_rows: bool,
    ) -> (Vec<Asked>, Vec<String>) {
        let mut used: Vec<usize> = scalars
            .iter()
            .flat_map(|scalar| visit::columns(scalar))
            .filter(|used| *used >= AGGREGATES)
            .collect();
        used.sort_unstable();
        used.dedup();
        for scalar in scalars {
            **scalar = visit::with_replaced(scalar, &mut |part| match part {
                Scalar::Column(column) => {
                    used.binary_search(column).ok().map(|position| Scalar::Column(AGGREGATES + position))
                }
                _ => None,
            });
        }
        let asked = used.iter().map(|column| self.asked[column - AGGREGATES].clone()).collect();
        if several_rows {
            self.recognised.append(&mut self.mixed);
        }
        (asked, self.recognised)
    }

    /// The mean that a ratio is, if it is one.
    fn mean(&mut self, over: &Scalar, under: &Scalar) -> Option<Scalar> {
        let (over, mut under) = (self.side(over)?, self.side(under)?);
        let (numerator, mut denominator) =
            (self.asked[over.aggregate].clone(), self.asked[under.aggregate].clone());
        // A sum of a constant is a count.
        if let What::Sum(Scalar::Constant(constant), _) = &denominator.what {
            under.factor *= number(constant)?;
            denominator.what = What::Rows;
        }
        let factor = over.factor / under.factor;
        if !factor.is_finite() || factor == 0.0 {
            return None;
        }
        let asked = self.average(&numerator, &denominator)?;
        let What::Average(value, _) = &asked.what else { return None };
        let cut = self.cut(value, factor);
        let note = format!(
            "{} / {} is answered as {}: a person's rows weigh the same above and below{}",
            numerator.name,
            self.asked[under.aggregate].name,
            asked.name,
            if over.whole && under.whole {
                "; whole numbers are divided, so what is behind the point is cut off: write 1.0 * … to keep it"
            } else {
                ""
            }
        );
        if !self.recognised.contains(&note) {
            self.recognised.push(note);
        }
        let known =
            self.asked.iter().position(|other| other.what == asked.what && other.filter == asked.filter);
        let position = known.unwrap_or_else(|| {
            self.asked.push(asked);
            self.asked.len() - 1
        });
        let mut mean = Scalar::Column(AGGREGATES + position);
        if factor != 1.0 {
            let factor = Scalar::Constant(Value::number(factor)?);
            mean = Scalar::Arithmetic(Arithmetic::Multiply, Box::new(factor), Box::new(mean));
        }
        Some(if over.whole && under.whole { Scalar::Cast(Box::new(cut(mean)), Type::Integer) } else { mean })
    }

    /// How a number between these bounds is cut towards zero.
    fn cut(&self, value: &Scalar, factor: f64) -> fn(Scalar) -> Scalar {
        let sign = match bounds::range(value, self.columns) {
            Range::Whole(Some(low), _) if low >= 0 => 1.0,
            Range::Whole(_, Some(high)) if high <= 0 => -1.0,
            _ => 0.0,
        };
        let down = |mean: Scalar| Scalar::Call(Function::Floor, vec![mean]);
        let up = |mean: Scalar| Scalar::Call(Function::Ceiling, vec![mean]);
        match sign * factor {
            sign if sign > 0.0 => down,
            sign if sign < 0.0 => up,
            _ => |mean: Scalar| {
                let zero = Box::new(Scalar::Constant(Value::Number(0.0)));
                let negative =
                    Scalar::Compare(pointillist_plan::Comparison::Less, Box::new(mean.clone()), zero);
                let up = Scalar::Call(Function::Ceiling, vec![mean.clone()]);
                Scalar::Case(vec![(negative, up)], Box::new(Scalar::Call(Function::Floor, vec![mean])))
            },
        }
    }

    /// AVG of what the numerator adds up, over the rows that the denominator counts.
    fn average(&self, numerator: &Asked, denominator: &Asked) -> Option<Asked> {
        let not_null = |value: &Scalar| Scalar::Not(Box::new(Scalar::IsNull(Box::new(value.clone()))));
        let nullable = |value: &Scalar| !bounds::never_null(value, self.columns);
        let (value, kind) = match &numerator.what {
            What::Sum(value, kind) => (value.clone(), *kind),
            What::Rows | What::Values(_) => (Scalar::Constant(Value::Integer(1)), Type::Integer),
            _ => return None,
        };
        let (mut above, mut below) =
            (conditions(numerator.filter.as_ref()), conditions(denominator.filter.as_ref()));
        let one_value = matches!((&numerator.what, &denominator.what),
            (What::Sum(summed, _), What::Values(counted)) if summed == counted);
        let value = if one_value && above == below {
            // AVG leaves rows without a value out by itself.
            value
        } else {
            let mut implied = None;
            match &numerator.what {
                What::Values(counted) if nullable(counted) => above.push(not_null(counted)),
                What::Sum(summed, _) if nullable(summed) => implied = Some(not_null(summed)),
                _ => {}
            }
            match &denominator.what {
                What::Rows => {}
                What::Values(counted) if nullable(counted) => below.push(not_null(counted)),
                What::Values(_) => {}
                _ => return None,
            }
            let holds = |condition: &Scalar| above.contains(condition) || implied.as_ref() == Some(condition);
            if !below.iter().all(holds) {
                return None;
            }
            let zero = match kind {
                Type::Integer => Scalar::Constant(Value::Integer(0)),
                _ => Scalar::Constant(Value::Number(0.0)),
            };
            // What a row without a value adds to a sum: nothing.
            let value = match implied {
                Some(_) => Scalar::Call(Function::Coalesce, vec![value, zero.clone()]),
                None => value,
            };
            above.retain(|condition| !below.contains(condition));
            match above.len() {
                0 => value,
                1 => Scalar::Case(vec![(above.remove(0), value)], Box::new(zero)),
                _ => Scalar::Case(vec![(Scalar::All(above), value)], Box::new(zero)),
            }
        };
        let filter = below.into_iter().fold(None, |all, condition| visit::both(all, Some(condition)));
        let shown = |scalar: &Scalar| {
            text::scalar(scalar, &|column| self.columns.get(column).map(|column| column.name.clone()))
        };
        let mut name = format!("AVG({})", shown(&value));
        if let Some(filter) = &filter {
            name.push_str(&format!(" FILTER (WHERE {})", shown(filter)));
        }
        Some(Asked { what: What::Average(value, kind), filter, name })
    }

    fn side(&self, scalar: &Scalar) -> Option<Side> {
        let scaled = |inner: &Scalar, factor: &Scalar| {
            let factor = constant(factor)?;
            self.side(inner).map(|side| Side { factor: side.factor * factor, ..side })
        };
        match scalar {
            Scalar::Column(column) => {
                let aggregate = column.checked_sub(AGGREGATES)?;
                let whole = !matches!(
                    self.asked.get(aggregate)?.what,
                    What::Sum(_, Type::Number) | What::Average(..) | What::Variance { .. }
                );
                Some(Side { aggregate, factor: 1.0, whole })
            }
            Scalar::Cast(inner, Type::Number) => self.side(inner).map(|side| Side { whole: false, ..side }),
            Scalar::Arithmetic(Arithmetic::Multiply, left, right) => {
                scaled(left, right).or_else(|| scaled(right, left))
            }
            Scalar::Arithmetic(Arithmetic::Divide, inner, divisor) => {
                let (side, divisor) = (self.side(inner)?, constant(divisor)?);
                (!side.whole).then(|| Side { factor: side.factor / divisor, ..side })
            }
            // Aggregates are never NULL; against a divisor of zero a mean needs no guard.
            Scalar::Call(Function::Coalesce, arguments) => self.side(arguments.first()?),
            Scalar::Call(Function::NullIf, arguments) => match arguments.as_slice() {
                [inner, guard] if constant(guard) == Some(0.0) => self.side(inner),
                _ => None,
            },
            Scalar::Call(Function::Greatest, arguments) => match arguments.as_slice() {
                [inner, guard] | [guard, inner] if constant(guard).is_some_and(|least| least <= 1.0) => {
                    self.side(inner)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Remembers quotients of sums and counts that are left.
    fn find_mixed(&mut self, scalar: &Scalar) {
        for part in visit::walk(scalar) {
            let Scalar::Arithmetic(Arithmetic::Divide, over, under) = part else { continue };
            let bounded = |side: &Scalar| {
                let used = visit::columns(side);
                let asked = used.filter_map(|column| self.asked.get(column.checked_sub(AGGREGATES)?));
                asked
                    .filter(|asked| matches!(asked.what, What::Sum(..) | What::Rows | What::Values(_)))
                    .map(|asked| asked.name.clone())
                    .next()
            };
            if let (Some(over), Some(under)) = (bounded(over), bounded(under)) {
                let note = format!(
                    "the ratio of {over} and {under} is no mean: a person with many rows may count fully above and with \
                     fewer rows below; ask for AVG where you mean one"
                );
                if !self.mixed.contains(&note) {
                    self.mixed.push(note);
                }
            }
        }
    }
}

/// The conditions of a filter, one by one.
fn conditions(filter: Option<&Scalar>) -> Vec<Scalar> {
    match filter {
        None => Vec::new(),
        Some(Scalar::All(all)) => all.clone(),
        Some(one) => vec![one.clone()],
    }
}

fn constant(scalar: &Scalar) -> Option<f64> {
    match scalar {
        Scalar::Constant(value) => number(value),
        Scalar::Cast(inner, Type::Number) => constant(inner),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        // Larger ones are no floats, and no percentages either.
        Value::Integer(whole) if whole.unsigned_abs() <= 1 << 53 => Some(*whole as f64),
        Value::Number(number) => Some(*number),
        _ => None,
    }
}
