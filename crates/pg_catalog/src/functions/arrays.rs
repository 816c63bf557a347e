//! Functions of arrays, and those that give rows.

use super::{Bounded, Function, INT4, INT8, Returns, TEXT, Takes, array, int, lenient, shown, strict, text};
use crate::{Base, PgError, PgType, PgValue};

const NUMBER: Returns = Returns::Is(PgType::of(Base::Int4));
const GIVES: Returns = Returns::Is(PgType::of(Base::Text));
/// The most rows that a series has.
const SERIES_MAX: usize = 100_000;

pub(super) const FUNCTIONS: &[Function] = &[
    strict("array_length", &[Takes::AnyArray, INT4], NUMBER, |_, given| {
        let (elements, _) = array(given, 0);
        Ok(of_dimension(given, PgValue::Int(elements.len() as i64)))
    }),
    strict("array_lower", &[Takes::AnyArray, INT4], NUMBER, |_, given| {
        Ok(of_dimension(given, PgValue::Int(i64::from(array(given, 0).1))))
    }),
    strict("array_upper", &[Takes::AnyArray, INT4], NUMBER, |_, given| {
        let (elements, lower) = array(given, 0);
        Ok(of_dimension(given, PgValue::Int(i64::from(lower) + elements.len() as i64 - 1)))
    }),
    strict("array_ndims", &[Takes::AnyArray], NUMBER, |_, given| {
        Ok(if array(given, 0).0.is_empty() { PgValue::Null } else { PgValue::Int(1) })
    }),
    strict("cardinality", &[Takes::AnyArray], NUMBER, |_, given| {
        Ok(PgValue::Int(array(given, 0).0.len() as i64))
    }),
    lenient("array_position", &[Takes::AnyArray, Takes::Element], NUMBER, |_, given| {
        let (elements, lower) = array(given, 0);
        let place = given.get(1).and_then(|wanted| elements.iter().position(|element| element == wanted));
        Ok(place.map_or(PgValue::Null, |place| PgValue::Int(i64::from(lower) + place as i64)))
    }),
    lenient("array_append", &[Takes::AnyArray, Takes::Element], Returns::Same, |_, given| {
        let (elements, lower) = array(given, 0);
        let elements = elements.iter().chain(given.get(1)).cloned().collect();
        Ok(PgValue::Array { elements, lower })
    }),
    lenient("array_remove", &[Takes::AnyArray, Takes::Element], Returns::Same, |_, given| {
        let (elements, lower) = array(given, 0);
        let elements = elements.iter().filter(|element| Some(*element) != given.get(1)).cloned().collect();
        Ok(PgValue::Array { elements, lower })
    }),
    lenient("array_cat", &[Takes::AnyArray, Takes::AnyArray], Returns::Same, |_, given| {
        let ((left, lower), (right, _)) = (array(given, 0), array(given, 1));
        if given.iter().all(|value| *value == PgValue::Null) {
            return Ok(PgValue::Null);
        }
        Ok(PgValue::Array { elements: left.iter().chain(right).cloned().collect(), lower })
    }),
    strict("array_to_string", &[Takes::AnyArray, TEXT], GIVES, array_to_string),
    lenient("array_to_string", &[Takes::AnyArray, TEXT, TEXT], GIVES, array_to_string),
    strict("unnest", &[Takes::AnyArray], Returns::SetOfElement, |_, given| {
        Ok(rows(array(given, 0).0.to_vec()))
    }),
    strict("_pg_expandarray", &[Takes::AnyArray], Returns::SetOfNumbered, |_, given| {
        let numbered = array(given, 0).0.iter().zip(1i64..).map(|(element, number)| {
            PgValue::record(vec![("x".to_owned(), element.clone()), ("n".to_owned(), PgValue::Int(number))])
        });
        Ok(rows(numbered.collect::<Result<_, _>>()?))
    }),
    strict(
        "generate_subscripts",
        &[Takes::AnyArray, INT4],
        Returns::SetOf(PgType::of(Base::Int4)),
        |_, given| {
            let (elements, lower) = array(given, 0);
            if int(given, 1) != 1 {
                return Ok(rows(Vec::new()));
            }
            Ok(rows((0..elements.len() as i64).map(|at| PgValue::Int(i64::from(lower) + at)).collect()))
        },
    ),
    strict("generate_series", &[INT4, INT4], Returns::SetOfSame, series),
    strict("generate_series", &[INT4, INT4, INT4], Returns::SetOfSame, series),
    strict("generate_series", &[INT8, INT8], Returns::SetOfSame, series),
    strict("generate_series", &[INT8, INT8, INT8], Returns::SetOfSame, series),
];

fn rows(elements: Vec<PgValue>) -> PgValue {
    PgValue::Array { elements, lower: 1 }
}

/// The value, for the one dimension that an array has; an empty array has none.
fn of_dimension(given: &[PgValue], value: PgValue) -> PgValue {
    if int(given, 1) == 1 && !array(given, 0).0.is_empty() { value } else { PgValue::Null }
}

fn array_to_string(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    if given.iter().take(2).any(|value| *value == PgValue::Null) {
        return Ok(PgValue::Null);
    }
    let missing = match given.get(2) {
        Some(PgValue::Text(missing)) => Some(missing.clone()),
        _ => None,
    };
    let parts = array(given, 0).0.iter().filter_map(|element| shown(element).or_else(|| missing.clone()));
    let mut out = Bounded::default();
    for (at, part) in parts.enumerate() {
        if at > 0 {
            out.push(text(given, 1))?;
        }
        out.push(&part)?;
    }
    Ok(PgValue::Text(out.into()))
}

fn series(_: &mut super::Context<'_, '_>, given: &[PgValue]) -> Result<PgValue, PgError> {
    let (from, to) = (int(given, 0), int(given, 1));
    let step = if given.len() > 2 { int(given, 2) } else { 1 };
    if step == 0 {
        return Err(PgError::new("22023", "step size cannot equal zero"));
    }
    let mut elements = Vec::new();
    let mut at = Some(from);
    while let Some(now) = at.filter(|now| if step > 0 { *now <= to } else { *now >= to }) {
        if elements.len() >= SERIES_MAX {
            return Err(PgError::new("54001", format!("a series has at most {SERIES_MAX} rows here")));
        }
        elements.push(PgValue::Int(now));
        at = now.checked_add(step);
    }
    Ok(rows(elements))
}
