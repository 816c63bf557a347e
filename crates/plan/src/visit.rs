//! Walking expressions: what is inside, how large it is, and parts put in the place of others.

use std::convert::Infallible;

use pointillist_catalog::Value;

use crate::Scalar;

/// The expressions directly inside.
pub fn children(scalar: &Scalar) -> Vec<&Scalar> {
    match scalar {
        Scalar::Column(_) | Scalar::Constant(_) | Scalar::Null(_) => Vec::new(),
        Scalar::Not(inner)
        | Scalar::IsNull(inner)
        | Scalar::Cast(inner, _)
        | Scalar::Like { value: inner, .. } => {
            vec![inner]
        }
        Scalar::Compare(_, left, right) | Scalar::Arithmetic(_, left, right) => vec![left, right],
        Scalar::All(all) | Scalar::Any(all) | Scalar::Call(_, all) => all.iter().collect(),
        Scalar::Case(branches, last) => {
            let branches = branches.iter().flat_map(|(condition, value)| [condition, value]);
            branches.chain([last.as_ref()]).collect()
        }
    }
}

/// An expression and everything inside it, each part before its own parts.
pub fn walk(scalar: &Scalar) -> impl Iterator<Item = &Scalar> {
    let mut waiting = vec![scalar];
    std::iter::from_fn(move || {
        let next = waiting.pop()?;
        waiting.extend(children(next).into_iter().rev());
        Some(next)
    })
}

/// How many parts an expression has, itself among them.
pub fn count(scalar: &Scalar) -> usize {
    walk(scalar).count()
}

/// How many expressions lie inside each other, at most.
pub fn depth(scalar: &Scalar) -> usize {
    let (mut depth, mut level) = (0, vec![scalar]);
    while !level.is_empty() {
        depth += 1;
        level = level.into_iter().flat_map(children).collect();
    }
    depth
}

/// The columns that an expression names, as often as it does.
pub fn columns(scalar: &Scalar) -> impl Iterator<Item = usize> {
    walk(scalar).filter_map(|part| match part {
        Scalar::Column(column) => Some(*column),
        _ => None,
    })
}

/// The constants that an expression holds, patterns among them, as often as it does.
pub fn constants(scalar: &Scalar) -> impl Iterator<Item = Value> {
    walk(scalar).filter_map(|part| match part {
        Scalar::Constant(value) => Some(value.clone()),
        Scalar::Like { pattern, .. } => Some(Value::Text(pattern.clone())),
        _ => None,
    })
}

/// The same expression with parts replaced: where `replace` has an answer, it stands for the whole part.
pub fn with_replaced(scalar: &Scalar, replace: &mut impl FnMut(&Scalar) -> Option<Scalar>) -> Scalar {
    let done: Result<Scalar, Infallible> = replaced(scalar, &mut |part| replace(part).map(Ok));
    done.unwrap_or_else(|never| match never {})
}

/// The same as [`with_replaced`], where a replacement may fail.
pub fn replaced<E>(
    scalar: &Scalar,
    replace: &mut impl FnMut(&Scalar) -> Option<Result<Scalar, E>>,
) -> Result<Scalar, E> {
    if let Some(answer) = replace(scalar) {
        return answer;
    }
    let boxed = |inner: &Scalar, replace: &mut _| replaced(inner, replace).map(Box::new);
    Ok(match scalar {
        Scalar::Column(_) | Scalar::Constant(_) | Scalar::Null(_) => scalar.clone(),
        Scalar::Not(inner) => Scalar::Not(boxed(inner, replace)?),
        Scalar::IsNull(inner) => Scalar::IsNull(boxed(inner, replace)?),
        Scalar::Cast(inner, kind) => Scalar::Cast(boxed(inner, replace)?, *kind),
        Scalar::Like { value, pattern, escape, ignore_case } => Scalar::Like {
            value: boxed(value, replace)?,
            pattern: pattern.clone(),
            escape: *escape,
            ignore_case: *ignore_case,
        },
        Scalar::Compare(how, left, right) => {
            Scalar::Compare(*how, boxed(left, replace)?, boxed(right, replace)?)
        }
        Scalar::Arithmetic(how, left, right) => {
            Scalar::Arithmetic(*how, boxed(left, replace)?, boxed(right, replace)?)
        }
        Scalar::All(all) => Scalar::All(each(all, replace)?),
        Scalar::Any(any) => Scalar::Any(each(any, replace)?),
        Scalar::Call(function, arguments) => Scalar::Call(*function, each(arguments, replace)?),
        Scalar::Case(branches, last) => {
            let mut renewed = Vec::with_capacity(branches.len());
            for (condition, value) in branches {
                renewed.push((replaced(condition, replace)?, replaced(value, replace)?));
            }
            Scalar::Case(renewed, boxed(last, replace)?)
        }
    })
}

fn each<E>(
    all: &[Scalar],
    replace: &mut impl FnMut(&Scalar) -> Option<Result<Scalar, E>>,
) -> Result<Vec<Scalar>, E> {
    all.iter().map(|scalar| replaced(scalar, replace)).collect()
}

/// Two conditions that must both hold.
pub fn both(left: Option<Scalar>, right: Option<Scalar>) -> Option<Scalar> {
    match (left, right) {
        (Some(left), Some(right)) => Some(conjunction(left, right)),
        (left, right) => left.or(right),
    }
}

/// `left AND right`, in one list.
pub fn conjunction(left: Scalar, right: Scalar) -> Scalar {
    let mut all = match left {
        Scalar::All(all) => all,
        other => vec![other],
    };
    match right {
        Scalar::All(more) => all.extend(more),
        other => all.push(other),
    }
    Scalar::All(all)
}

/// `left OR right`, in one list.
pub fn disjunction(left: Scalar, right: Scalar) -> Scalar {
    let mut any = match left {
        Scalar::Any(any) => any,
        other => vec![other],
    };
    match right {
        Scalar::Any(more) => any.extend(more),
        other => any.push(other),
    }
    Scalar::Any(any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Comparison, Function, Type};

    fn constant(number: i64) -> Scalar {
        Scalar::Constant(Value::Integer(number))
    }

    /// CASE WHEN c0 LIKE 'a%' AND c1 > 5 THEN coalesce(c1, 6) ELSE CAST(c2 AS bigint) END
    fn example() -> Scalar {
        let like = Scalar::Like {
            value: Box::new(Scalar::Column(0)),
            pattern: "a%".to_owned(),
            escape: None,
            ignore_case: false,
        };
        let greater =
            Scalar::Compare(Comparison::Greater, Box::new(Scalar::Column(1)), Box::new(constant(5)));
        let coalesce = Scalar::Call(Function::Coalesce, vec![Scalar::Column(1), constant(6)]);
        let cast = Scalar::Cast(Box::new(Scalar::Column(2)), Type::Integer);
        Scalar::Case(vec![(Scalar::All(vec![like, greater]), coalesce)], Box::new(cast))
    }

    #[test]
    fn every_part_is_visited_once_and_in_order() {
        let scalar = example();
        assert_eq!((count(&scalar), depth(&scalar)), (12, 4));
        assert_eq!(columns(&scalar).collect::<Vec<_>>(), [0, 1, 1, 2]);
        let text = Value::Text("a%".to_owned());
        assert_eq!(constants(&scalar).collect::<Vec<_>>(), [text, Value::Integer(5), Value::Integer(6)]);
    }

    #[test]
    fn a_replacement_stands_for_its_whole_part() {
        let moved = with_replaced(&example(), &mut |part| match part {
            Scalar::Column(column) => Some(Scalar::Column(column + 10)),
            Scalar::Call(..) => Some(constant(7)),
            _ => None,
        });
        assert_eq!(columns(&moved).collect::<Vec<_>>(), [10, 11, 12]);
        assert_eq!(with_replaced(&example(), &mut |_| None), example());
    }
}
