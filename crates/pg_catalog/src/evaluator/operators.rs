//! Operators: which are known, and which types they are put between.

use sqlparser::ast;

use super::bind::Binder;
use super::plan::{Arithmetic, Comparison, Expr, Kind, Pattern, Test};
use super::scope::shown;
use super::types::{
    BOOL, Category, INT4, INT8, TEXT, UNKNOWN, category, common, element, is_integer, is_reg, rank,
};
use crate::{Base, PgError, PgType};

impl Binder<'_> {
    /// Two sides of a test, brought to types that are put beside each other.
    pub(super) fn compared(&self, test: Test, left: Expr, right: Expr) -> Result<Expr, PgError> {
        let (left, right) = match test {
            Test::Match(_) => (self.text(left)?, self.text(right)?),
            Test::Compare(op) => match (left, right) {
                (Expr { kind: Kind::Row(left), ty }, Expr { kind: Kind::Row(right), .. })
                    if left.len() == right.len() =>
                {
                    let pairs =
                        left.into_iter().zip(right).map(|(left, right)| self.pair(sign(op), left, right));
                    let (left, right) = pairs.collect::<Result<(Vec<_>, Vec<_>), _>>()?;
                    (Expr { kind: Kind::Row(left), ty: ty.clone() }, Expr { kind: Kind::Row(right), ty })
                }
                (left, right) => self.pair(sign(op), left, right)?,
            },
        };
        Ok(Expr::new(Kind::Test { test, left: left.boxed(), right: right.boxed() }, BOOL))
    }

    /// Two values that can be compared.
    pub(super) fn pair(&self, sign: &str, left: Expr, right: Expr) -> Result<(Expr, Expr), PgError> {
        let (one, other) = (left.ty.pg, right.ty.pg);
        match (one == UNKNOWN, other == UNKNOWN) {
            (true, true) => return Ok((self.coerced(left, TEXT)?, self.coerced(right, TEXT)?)),
            (true, false) => return Ok((self.coerced(left, other)?, right)),
            (false, true) => {
                let right = self.coerced(right, one)?;
                return Ok((left, right));
            }
            (false, false) => {}
        }
        let (kind, with) = (category(one), category(other));
        match (kind, with) {
            (Category::String, Category::Number) if is_reg(other.base) => {
                Ok((self.coerced(left, other)?, right))
            }
            (Category::Number, Category::String) if is_reg(one.base) => {
                let right = self.coerced(right, one)?;
                Ok((left, right))
            }
            _ if kind == with => Ok((left, right)),
            _ => Err(no_operator(sign, Some(one), other)),
        }
    }

    pub(super) fn text(&self, expr: Expr) -> Result<Expr, PgError> {
        match category(expr.ty.pg) {
            Category::String => self.coerced(expr, TEXT),
            _ => Err(no_operator("~~", Some(expr.ty.pg), UNKNOWN)),
        }
    }

    pub(super) fn arithmetic(&self, op: Arithmetic, left: Expr, right: Expr) -> Result<Expr, PgError> {
        let (one, other) = (left.ty.pg, right.ty.pg);
        let (left, right) = match (one == UNKNOWN, other == UNKNOWN) {
            (true, false) => (self.coerced(left, other)?, right),
            (false, true) => (self.coerced(left.clone(), one)?, self.coerced(right, one)?),
            _ => (left, right),
        };
        let (one, other) = (left.ty.pg, right.ty.pg);
        let wrong = || no_operator(arithmetic_sign(op), Some(one), other);
        if one.is_array || other.is_array {
            return Err(wrong());
        }
        let kind = match (one.base, other.base) {
            (Base::Date, days) if is_integer(days) && matches!(op, Arithmetic::Plus | Arithmetic::Minus) => {
                one
            }
            (Base::Date, Base::Date) if op == Arithmetic::Minus => INT4,
            (Base::Oid, with) | (with, Base::Oid) if is_integer(with) || with == Base::Oid => INT8,
            (one_base, other_base) => {
                let (Some(small), Some(large)) = (rank(one_base), rank(other_base)) else {
                    return Err(wrong());
                };
                let bits = !matches!(
                    op,
                    Arithmetic::Plus
                        | Arithmetic::Minus
                        | Arithmetic::Multiply
                        | Arithmetic::Divide
                        | Arithmetic::Modulo
                        | Arithmetic::Power
                );
                match op {
                    _ if bits && small.max(large) > 2 => return Err(wrong()),
                    Arithmetic::Power => PgType::of(Base::Float8),
                    _ if small >= large => one,
                    _ => other,
                }
            }
        };
        Ok(Expr::new(Kind::Arithmetic { op, left: left.boxed(), right: right.boxed() }, kind))
    }

    /// `||`, of texts and of arrays.
    pub(super) fn concat(&self, left: Expr, right: Expr) -> Result<Expr, PgError> {
        let (one, other) = (left.ty.pg, right.ty.pg);
        let (kind, left, right) = match (element(one), element(other)) {
            (Some(_), Some(_)) => {
                let kind = common([one, other], "ARRAY")?;
                (kind, self.coerced(left, kind)?, self.coerced(right, kind)?)
            }
            (Some(_), None) if other == UNKNOWN => (one, left, self.coerced(right, one)?),
            (None, Some(_)) if one == UNKNOWN => (other, self.coerced(left, other)?, right),
            (Some(of), None) => (one, left, self.coerced(right, of)?),
            (None, Some(of)) => (other, self.coerced(left, of)?, right),
            (None, None) => {
                if category(one) != Category::String && category(other) != Category::String {
                    return Err(no_operator("||", Some(one), other));
                }
                (TEXT, self.coerced(left, TEXT)?, self.coerced(right, TEXT)?)
            }
        };
        Ok(Expr::new(Kind::Concat(left.boxed(), right.boxed()), kind))
    }
}

pub(super) enum Operator {
    Test(Test),
    Arithmetic(Arithmetic),
    Concat,
}

pub(super) fn operator(op: &ast::BinaryOperator) -> Result<Operator, PgError> {
    use ast::BinaryOperator as B;
    let compare = |op| Operator::Test(Test::Compare(op));
    let matches = |regex, ignore_case, negated| {
        Operator::Test(Test::Match(Pattern { regex, ignore_case, negated, escape: Some('\\') }))
    };
    Ok(match op {
        B::Eq => compare(Comparison::Eq),
        B::NotEq => compare(Comparison::NotEq),
        B::Lt => compare(Comparison::Lt),
        B::LtEq => compare(Comparison::LtEq),
        B::Gt => compare(Comparison::Gt),
        B::GtEq => compare(Comparison::GtEq),
        B::PGRegexMatch => matches(true, false, false),
        B::PGRegexIMatch => matches(true, true, false),
        B::PGRegexNotMatch => matches(true, false, true),
        B::PGRegexNotIMatch => matches(true, true, true),
        B::PGLikeMatch => matches(false, false, false),
        B::PGILikeMatch => matches(false, true, false),
        B::PGNotLikeMatch => matches(false, false, true),
        B::PGNotILikeMatch => matches(false, true, true),
        B::StringConcat => Operator::Concat,
        B::Plus => Operator::Arithmetic(Arithmetic::Plus),
        B::Minus => Operator::Arithmetic(Arithmetic::Minus),
        B::Multiply => Operator::Arithmetic(Arithmetic::Multiply),
        B::Divide => Operator::Arithmetic(Arithmetic::Divide),
        B::Modulo => Operator::Arithmetic(Arithmetic::Modulo),
        B::PGExp | B::BitwiseXor => Operator::Arithmetic(Arithmetic::Power),
        B::PGBitwiseXor => Operator::Arithmetic(Arithmetic::BitXor),
        B::BitwiseAnd => Operator::Arithmetic(Arithmetic::BitAnd),
        B::BitwiseOr => Operator::Arithmetic(Arithmetic::BitOr),
        B::PGBitwiseShiftLeft => Operator::Arithmetic(Arithmetic::ShiftLeft),
        B::PGBitwiseShiftRight => Operator::Arithmetic(Arithmetic::ShiftRight),
        B::PGCustomBinaryOperator(names) => named_operator(names)?,
        other => {
            return Err(PgError::new(
                "42883",
                format!("operator does not exist: {}", shown(&other.to_string())),
            ));
        }
    })
}

/// `OPERATOR(pg_catalog.~)`.
fn named_operator(names: &[String]) -> Result<Operator, PgError> {
    use ast::BinaryOperator as B;
    let sign = match names {
        [sign] => sign,
        [schema, sign] if schema.eq_ignore_ascii_case("pg_catalog") => sign,
        _ => return Err(PgError::new("42883", "operator does not exist")),
    };
    let known = [
        ("=", B::Eq),
        ("<>", B::NotEq),
        ("!=", B::NotEq),
        ("<", B::Lt),
        ("<=", B::LtEq),
        (">", B::Gt),
        (">=", B::GtEq),
        ("~", B::PGRegexMatch),
        ("~*", B::PGRegexIMatch),
        ("!~", B::PGRegexNotMatch),
        ("!~*", B::PGRegexNotIMatch),
        ("~~", B::PGLikeMatch),
        ("~~*", B::PGILikeMatch),
        ("!~~", B::PGNotLikeMatch),
        ("!~~*", B::PGNotILikeMatch),
        ("||", B::StringConcat),
        ("+", B::Plus),
        ("-", B::Minus),
        ("*", B::Multiply),
        ("/", B::Divide),
        ("%", B::Modulo),
        ("&", B::BitwiseAnd),
    ];
    match known.iter().find(|(known, _)| known == sign) {
        Some((_, op)) => operator(op),
        None => Err(PgError::new("42883", format!("operator does not exist: {}", shown(sign)))),
    }
}

fn sign(op: Comparison) -> &'static str {
    match op {
        Comparison::Eq => "=",
        Comparison::NotEq => "<>",
        Comparison::Lt => "<",
        Comparison::LtEq => "<=",
        Comparison::Gt => ">",
        Comparison::GtEq => ">=",
    }
}

fn arithmetic_sign(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Plus => "+",
        Arithmetic::Minus => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Modulo => "%",
        Arithmetic::Power => "^",
        Arithmetic::BitAnd => "&",
        Arithmetic::BitOr => "|",
        Arithmetic::BitXor => "#",
        Arithmetic::ShiftLeft => "<<",
        Arithmetic::ShiftRight => ">>",
    }
}

pub(super) fn no_operator(sign: &str, left: Option<PgType>, right: PgType) -> PgError {
    let left = left.map_or_else(String::new, |left| format!("{} ", left.sql_name()));
    let message = format!("operator does not exist: {left}{sign} {}", right.sql_name());
    PgError::new("42883", message).with_hint("You might need to add explicit type casts.")
}
