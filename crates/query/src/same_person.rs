//! Whether a condition says that two rows are one person's.
//!
//! **Detection.** Of the conditions that must all hold, an equality of two plain names says so where both are the untouched
//! unit of their side, or one is a declared link and the other the key that it links to. Nothing else does: no expression
//! of a unit, nothing under OR or NOT, and no chain of equal values through public columns.

use pointillist_catalog::Value;
use pointillist_plan::{Comparison, Scalar, Type, visit};
use sqlparser::ast::{BinaryOperator, Expr};

use crate::coercion::Typed;
use crate::names::{self, Meaning, Visible};
use crate::refusal::Refusal;
use crate::source::{IsUnit, Role};

/// What a condition of a join says.
pub(crate) struct On {
    /// Equal in both: over the first columns, and over the second from zero on.
    pub(crate) keys: Vec<(Scalar, Scalar)>,
    /// What else holds, over both.
    pub(crate) condition: Option<Scalar>,
    /// Whether owners are equal.
    pub(crate) same_person: bool,
}

/// A place where two names are compared.
pub(crate) enum Compared {
    /// Two units: owners are equal, if these have values.
    Units(Vec<Scalar>),
    /// A link and its key, over both.
    Link(Scalar, Scalar),
}

impl On {
    pub(crate) fn new() -> Self {
        Self { keys: Vec::new(), condition: None, same_person: false }
    }

    /// Adds a condition over both, whose second columns begin at `width`.
    pub(crate) fn add(&mut self, condition: Scalar, width: usize) {
        if condition == Scalar::Constant(Value::Boolean(true)) {
            return;
        }
        if let Scalar::Compare(Comparison::Equal, left, right) = &condition {
            let side = |scalar: &Scalar| {
                let mut columns = visit::columns(scalar).peekable();
                columns.peek()?;
                let (mut first, mut second) = (true, true);
                columns.for_each(|column| {
                    first &= column < width;
                    second &= column >= width;
                });
                (first || second).then_some(first)
            };
            match (side(left), side(right)) {
                (Some(true), Some(false)) => {
                    return self.keys.push((left.as_ref().clone(), lowered(right, width)));
                }
                (Some(false), Some(true)) => {
                    return self.keys.push((right.as_ref().clone(), lowered(left, width)));
                }
                _ => {}
            }
        }
        self.condition = visit::both(self.condition.take(), Some(condition));
    }
}

/// An expression whose columns are counted from `width` on.
fn lowered(scalar: &Scalar, width: usize) -> Scalar {
    visit::with_replaced(scalar, &mut |part| match part {
        Scalar::Column(column) => Some(Scalar::Column(column - width)),
        _ => None,
    })
}

/// The same name, its columns counted from `by` on.
pub(crate) fn shifted(visible: &Visible, by: usize) -> Visible {
    let mut visible = visible.clone();
    match &mut visible.meaning {
        Meaning::Value(typed) | Meaning::Link(typed) => {
            typed.scalar = visit::with_replaced(&typed.scalar, &mut |part| match part {
                Scalar::Column(column) => Some(Scalar::Column(column + by)),
                _ => None,
            });
        }
        Meaning::Owner(Some(column)) => *column += by,
        Meaning::Owner(None) => {}
    }
    visible
}

/// What is known of columns while two sides meet: those of the first, then those of the second.
pub(crate) struct Sides<'s> {
    pub(crate) first: &'s [Role],
    pub(crate) second: &'s [Role],
    /// Where the second begin.
    pub(crate) offset: usize,
}

impl Sides<'_> {
    fn role(&self, column: usize) -> Option<(&Role, bool)> {
        match column.checked_sub(self.offset) {
            None => self.first.get(column).map(|role| (role, true)),
            Some(column) => self.second.get(column).map(|role| (role, false)),
        }
    }

    /// Which side a name is of, whether it is the unit there, and where its value is.
    fn unit(&self, found: &Visible, hidden_first: bool) -> Option<(bool, IsUnit, Option<usize>)> {
        match &found.meaning {
            Meaning::Owner(present) => {
                let unit = if present.is_some() { IsUnit::OrNull } else { IsUnit::Yes };
                let first = present.map_or(hidden_first, |column| column < self.offset);
                Some((first, unit, *present))
            }
            Meaning::Value(Typed { scalar: Scalar::Column(column), .. }) => {
                let (role, first) = self.role(*column)?;
                (role.unit != IsUnit::No).then_some((first, role.unit, Some(*column)))
            }
            Meaning::Value(_) | Meaning::Link(_) => None,
        }
    }

    /// What it says that two names are equal, one of each side; `first` and `second` say of which side a hidden owner is.
    pub(crate) fn compared(
        &self,
        (left, left_first): (&Visible, bool),
        (right, right_first): (&Visible, bool),
    ) -> Result<Option<Compared>, Refusal> {
        if let (Some((a, unit_a, column_a)), Some((b, unit_b, column_b))) =
            (self.unit(left, left_first), self.unit(right, right_first))
            && a != b
        {
            if let (Meaning::Value(one), Meaning::Value(other)) = (&left.meaning, &right.meaning)
                && one.kind != other.kind
            {
                return Err(units_differ(one.known(), other.known()));
            }
            let sides = [(unit_a, column_a), (unit_b, column_b)];
            let absent = sides.into_iter().filter(|(unit, _)| *unit == IsUnit::OrNull);
            return Ok(Some(Compared::Units(absent.filter_map(|(_, column)| column).map(present).collect())));
        }
        let column = |found: &Visible| match &found.meaning {
            Meaning::Value(typed) | Meaning::Link(typed) => match typed.scalar {
                Scalar::Column(column) => Some((column, typed.known())),
                _ => None,
            },
            Meaning::Owner(_) => None,
        };
        let (Some((one, kind)), Some((other, other_kind))) = (column(left), column(right)) else {
            return Ok(None);
        };
        let (Some((a, a_first)), Some((b, b_first))) = (self.role(one), self.role(other)) else {
            return Ok(None);
        };
        let linked = (a.link.is_some() && a.link == b.key) || (b.link.is_some() && b.link == a.key);
        if !linked || a_first == b_first {
            return Ok(None);
        }
        match kind == other_kind {
            true => Ok(Some(Compared::Link(Scalar::Column(one), Scalar::Column(other)))),
            false => Err(units_differ(kind, other_kind)),
        }
    }
}

/// That a column has a value.
pub(crate) fn present(column: usize) -> Scalar {
    Scalar::Not(Box::new(Scalar::IsNull(Box::new(Scalar::Column(column)))))
}

/// The two sides of an equality between names.
pub(crate) fn equality(expr: &Expr) -> Option<(Vec<String>, Vec<String>, bool)> {
    match expr {
        Expr::Nested(inner) => equality(inner),
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            Some((names::named(left)?, names::named(right)?, false))
        }
        Expr::IsNotDistinctFrom(left, right) => Some((names::named(left)?, names::named(right)?, true)),
        _ => None,
    }
}

fn units_differ(one: Type, other: Type) -> Refusal {
    Refusal::mismatch(
        format!(
            "the privacy units are {} and {}: they do not name the same people",
            one.words(),
            other.words()
        ),
        "ask the owner to declare both with one type",
    )
}
