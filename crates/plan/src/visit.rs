//! Walking expressions: what is inside, how large it is, and parts put in the place of others.

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

/// How many parts an expression has, itself among them.
pub fn count(scalar: &Scalar) -> usize {
    1 + children(scalar).into_iter().map(count).sum::<usize>()
}

/// How many expressions lie inside each other, at most.
pub fn depth(scalar: &Scalar) -> usize {
    1 + children(scalar).into_iter().map(depth).max().unwrap_or(0)
}

/// Every column that is used.
pub fn columns(scalar: &Scalar, found: &mut Vec<usize>) {
    match scalar {
        Scalar::Column(column) => found.push(*column),
        other => children(other).into_iter().for_each(|child| columns(child, found)),
    }
}

/// The same expression with parts replaced: where `replace` has an answer, it stands for the whole part.
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
