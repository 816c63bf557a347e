//! Expressions brought to a type.

use super::bind::Binder;
use super::cast::cast_value;
use super::plan::{Expr, Kind};
use super::types::{Category, UNKNOWN, array_of, category, element, goes_into, is_reg};
use crate::{Base, PgError, PgType, PgValue};

impl Binder<'_> {
    /// The expression where `to` is wanted: a parameter without a type gets it, a literal is read as one.
    pub(super) fn coerced(&self, expr: Expr, to: PgType) -> Result<Expr, PgError> {
        if expr.ty.pg == to {
            return Ok(expr);
        }
        if expr.ty.pg == UNKNOWN || goes_into(expr.ty.pg, to) || category(expr.ty.pg) == category(to) {
            return self.cast(expr, to);
        }
        // Everything becomes text where texts are put together.
        if to == super::types::TEXT {
            return self.cast(expr, to);
        }
        let message = if to == super::types::BOOL {
            format!("argument must be type boolean, not type {}", expr.ty.pg.sql_name())
        } else {
            format!("expression is of type {} where {} is wanted", expr.ty.pg.sql_name(), to.sql_name())
        };
        Err(PgError::new("42804", message))
    }

    /// The expression cast as the statement says.
    pub(super) fn cast(&self, expr: Expr, to: PgType) -> Result<Expr, PgError> {
        let from = match &expr.kind {
            Kind::Parameter(at) if expr.ty.pg == UNKNOWN => {
                let mut parameters = self.parameters.borrow_mut();
                match parameters.get_mut(*at) {
                    Some(Some(known)) => *known,
                    Some(free) => {
                        *free = Some(to);
                        to
                    }
                    None => UNKNOWN,
                }
            }
            _ => expr.ty.pg,
        };
        if from == to {
            return Ok(Expr { ty: to.into(), ..expr });
        }
        match expr.kind {
            Kind::Constant(PgValue::Null) => Ok(Expr::new(Kind::Constant(PgValue::Null), to)),
            Kind::Constant(value) => {
                let value = cast_value(self.view.system, self.view.session, value, from, to)?;
                Ok(Expr::new(Kind::Constant(value), to))
            }
            Kind::Array(list) if element(to).is_some() && from != to => {
                let of = element(to).unwrap_or(UNKNOWN);
                let list = list.into_iter().map(|item| self.cast(item, of)).collect::<Result<_, _>>()?;
                Ok(Expr::new(Kind::Array(list), array_of(of)))
            }
            kind => {
                check(from, to)?;
                let inner = Expr { kind, ty: if from == expr.ty.pg { expr.ty } else { from.into() } };
                Ok(Expr::new(Kind::Cast { expr: inner.boxed(), to }, to))
            }
        }
    }
}

/// Whether there is a cast at all.
fn check(from: PgType, to: PgType) -> Result<(), PgError> {
    let ok = match (element(from), element(to)) {
        (Some(from), Some(to)) => check(from, to).is_ok(),
        (None, None) => match (category(from), category(to)) {
            (one, other) if one == other => true,
            (_, Category::String) | (Category::String, _) => true,
            (Category::Number, Category::Bool) => from.base == Base::Int4,
            (Category::Bool, Category::Number) => to.base == Base::Int4,
            (Category::Number, Category::Number) => !is_reg(from.base) || !matches!(to.base, Base::Float8),
            (Category::Other(Base::Json), Category::Other(_)) => false,
            _ => false,
        },
        _ => category(from) == Category::String || category(to) == Category::String,
    };
    if ok {
        return Ok(());
    }
    Err(PgError::new("42846", format!("cannot cast type {} to {}", from.sql_name(), to.sql_name())))
}
