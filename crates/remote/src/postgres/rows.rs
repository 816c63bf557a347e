//! Rows of a lowered statement as groups of whole numbers.
//!
//! **Guarantee.** A row has one key of each type, the people and one total a measure, or there is no answer: nothing is
//! rounded, cut or left out. Whole numbers come as decimal text, because no integer of PostgreSQL holds 128 bits.

use pointillist_catalog::Value;
use pointillist_plan::Type;
use pointillist_postgres::Cell;

/// A key, then the people of its group and one total a measure: what `pointillist_engine::Groups::from_rows` takes.
pub type GroupRow = (Vec<Option<Value>>, Vec<i128>);

/// Every row, or nothing where one of them is not such a row.
pub(super) fn read(rows: Vec<Vec<Cell>>, keys: &[Type], measures: usize) -> Option<Vec<GroupRow>> {
    rows.into_iter().map(|row| one(row, keys, measures)).collect()
}

fn one(mut row: Vec<Cell>, keys: &[Type], measures: usize) -> Option<GroupRow> {
    if row.len() != keys.len() + 1 + measures {
        return None;
    }
    let numbers = row.split_off(keys.len());
    let key = row.into_iter().zip(keys).map(|(cell, kind)| value(cell, *kind)).collect::<Option<_>>()?;
    let numbers = numbers.iter().map(|cell| cell.text()?.parse().ok()).collect::<Option<Vec<i128>>>()?;
    // People are counted; nobody is fewer than none.
    (numbers[0] >= 0).then_some((key, numbers))
}

/// A value of the type, or NULL; nothing where it is of another type.
fn value(cell: Cell, kind: Type) -> Option<Option<Value>> {
    Some(match (cell, kind) {
        (Cell::Null, _) => None,
        (Cell::Boolean(value), Type::Boolean) => Some(Value::Boolean(value)),
        (Cell::Integer(value), Type::Integer) => Some(Value::Integer(value)),
        (Cell::Number(value), Type::Number) => Some(Value::number(value)?),
        (Cell::Text(value), Type::Text) => Some(Value::Text(value)),
        (Cell::Date(value), Type::Date) => Some(Value::Date(value)),
        (Cell::Timestamp(value), Type::Timestamp) => Some(Value::Timestamp(value)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }

    #[test]
    fn a_row_is_its_key_its_people_and_its_totals() {
        let most = i128::MAX.to_string();
        let row = vec![Cell::Null, text("é"), text("3"), text(&most), text("-7")];
        let read = read(vec![row], &[Type::Integer, Type::Text], 2).unwrap();
        let expected = (vec![None, Some(Value::Text("é".to_owned()))], vec![3, i128::MAX, -7]);
        assert!(read == [expected]);
    }

    /// Specification: whatever is not a row of the statement is no answer, not another answer.
    #[test]
    fn anything_else_is_no_row() {
        let keys = [Type::Number];
        for row in [
            vec![Cell::Number(1.0), text("3")],
            vec![Cell::Number(1.0), text("3"), text("4"), text("5")],
            vec![Cell::Integer(1), text("3"), text("4")],
            vec![Cell::Number(f64::NAN), text("3"), text("4")],
            vec![Cell::Number(1.0), text("3.0"), text("4")],
            vec![Cell::Number(1.0), text("3"), Cell::Integer(4)],
            vec![Cell::Number(1.0), text("3"), Cell::Null],
            vec![Cell::Number(1.0), text("-3"), text("4")],
            vec![Cell::Number(1.0), text("3"), text("170141183460469231731687303715884105728")],
        ] {
            assert!(read(vec![row.clone()], &keys, 1).is_none(), "{row:?}");
        }
        assert!(read(vec![vec![Cell::Number(-0.0), text("3"), text("4")]], &keys, 1).is_some());
    }
}
