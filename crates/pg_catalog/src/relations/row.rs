//! A row from the few columns that say something; the others are what PostgreSQL has where there is nothing to say.

use crate::{Base, PgType, PgValue};

use super::shapes::Shape;

/// Values by the names of their columns.
pub(super) type Named = (&'static str, PgValue);

/// A row of a table in `pg_catalog`. Numbers that are not given are 0, switches are off, names are empty, the rest is NULL.
pub(super) fn row(table: &str, values: Vec<Named>) -> Vec<PgValue> {
    of(Shape::find(None, table), values, nothing)
}

/// A row of a view in `information_schema`. What is not given is NULL.
pub(super) fn standard_row(view: &str, values: Vec<Named>) -> Vec<PgValue> {
    of(Shape::find(Some("information_schema"), view), values, |_| PgValue::Null)
}

fn of(shape: Option<&Shape>, mut values: Vec<Named>, otherwise: fn(PgType) -> PgValue) -> Vec<PgValue> {
    let columns = shape.map(|shape| shape.columns.clone()).unwrap_or_default();
    let row = columns
        .iter()
        .map(|column| match values.iter().position(|(name, _)| *name == column.name) {
            Some(index) => values.swap_remove(index).1,
            None => otherwise(column.kind),
        })
        .collect();
    debug_assert!(values.is_empty(), "no such columns: {values:?}");
    row
}

/// What a column has where there is nothing to say; NULL only for those that can be NULL in PostgreSQL's tables.
pub(super) fn nothing(kind: PgType) -> PgValue {
    if kind.is_array {
        return PgValue::Null;
    }
    match kind.base {
        Base::Bool => PgValue::Bool(false),
        Base::Int2 | Base::Int4 | Base::Int8 | Base::Oid | Base::Xid => PgValue::Int(0),
        Base::Float4 | Base::Float8 => PgValue::Float(0.0),
        Base::Char | Base::Name => PgValue::text(""),
        Base::Regproc => PgValue::Reg { oid: 0, name: "-".to_owned() },
        Base::Int2Vector | Base::OidVector => PgValue::vector(Vec::new()),
        _ => PgValue::Null,
    }
}
