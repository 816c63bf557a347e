//! `has_table_privilege` and its kin: everybody may ask about everything that is declared, and change nothing.

use super::system::{class_of, text};
use super::{Context, Function, Returns, Takes};
use crate::relations::lookup;
use crate::{Base, PgError, PgType, PgValue};

const BOOL: PgType = PgType::of(Base::Bool);
const TEXT: Takes = Takes::Is(PgType::of(Base::Text));

type Run = fn(&mut Context<'_, '_>, &[PgValue]) -> Result<PgValue, PgError>;

const fn privilege(name: &'static str, takes: &'static [Takes], run: Run) -> Function {
    Function { name, takes, returns: Returns::Is(BOOL), strict: true, run }
}

/// An object and a privilege.
const OBJECT: &[Takes] = &[Takes::Any, TEXT];
/// Who, an object and a privilege; or an object, a part of it and a privilege.
const WHO_AND_OBJECT: &[Takes] = &[Takes::Any, Takes::Any, TEXT];
/// Who, a table, a column and a privilege.
const WHO_AND_COLUMN: &[Takes] = &[Takes::Any, Takes::Any, Takes::Any, TEXT];

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    privilege("has_table_privilege", OBJECT, on_table),
    privilege("has_table_privilege", WHO_AND_OBJECT, on_table),
    privilege("has_any_column_privilege", OBJECT, on_table),
    privilege("has_any_column_privilege", WHO_AND_OBJECT, on_table),
    privilege("has_column_privilege", WHO_AND_OBJECT, on_column),
    privilege("has_column_privilege", WHO_AND_COLUMN, on_column),
    privilege("has_schema_privilege", OBJECT, on_schema),
    privilege("has_schema_privilege", WHO_AND_OBJECT, on_schema),
    privilege("has_database_privilege", OBJECT, on_database),
    privilege("has_database_privilege", WHO_AND_OBJECT, on_database),
    privilege("has_function_privilege", OBJECT, to_execute),
    privilege("has_function_privilege", WHO_AND_OBJECT, to_execute),
    privilege("has_type_privilege", OBJECT, to_use),
    privilege("has_type_privilege", WHO_AND_OBJECT, to_use),
    privilege("has_language_privilege", OBJECT, to_use),
    privilege("has_language_privilege", WHO_AND_OBJECT, to_use),
    privilege("has_sequence_privilege", OBJECT, none),
    privilege("has_sequence_privilege", WHO_AND_OBJECT, none),
    privilege("has_tablespace_privilege", OBJECT, none),
    privilege("has_tablespace_privilege", WHO_AND_OBJECT, none),
    privilege("has_server_privilege", OBJECT, none),
    privilege("has_server_privilege", WHO_AND_OBJECT, none),
    privilege("has_foreign_data_wrapper_privilege", OBJECT, none),
    privilege("has_foreign_data_wrapper_privilege", WHO_AND_OBJECT, none),
    privilege("pg_has_role", OBJECT, in_role),
    privilege("pg_has_role", WHO_AND_OBJECT, in_role),
];

/// Whether one of several privileges, `'select, update'`, is this one.
fn includes(values: &[PgValue], privilege: &str) -> bool {
    let words = text(values, values.len().saturating_sub(1));
    words.split(',').any(|word| word.trim().eq_ignore_ascii_case(privilege))
}

fn on_table(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let Some(table) = values.len().checked_sub(2).and_then(|place| values.get(place)) else {
        return Ok(PgValue::Null);
    };
    Ok(class_of(context.system, table)?.map(|_| includes(values, "select")).into())
}

fn on_column(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let Some(place) = values.len().checked_sub(3) else { return Ok(PgValue::Null) };
    let Some(class) = class_of(context.system, &values[place])? else { return Ok(PgValue::Null) };
    if let PgValue::Text(column) = &values[place + 1]
        && !context.system.has_column(&class, column)
    {
        let message = format!("column \"{column}\" of relation \"{}\" does not exist", class.name());
        return Err(PgError::new("42703", message));
    }
    Ok(includes(values, "select").into())
}

fn on_schema(_: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let place = values.len().saturating_sub(2);
    let is_known = match values.get(place) {
        Some(PgValue::Text(name)) => {
            let is_known = lookup::schema_named(name).is_some();
            if !is_known {
                return Err(PgError::new("3F000", format!("schema \"{name}\" does not exist")));
            }
            true
        }
        Some(PgValue::Int(oid)) => u32::try_from(*oid).is_ok_and(|oid| lookup::schema_name(oid).is_some()),
        Some(PgValue::Reg { oid, .. }) => lookup::schema_name(*oid).is_some(),
        _ => false,
    };
    Ok(is_known.then(|| includes(values, "usage")).into())
}

fn on_database(_: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(includes(values, "connect").into())
}

fn to_execute(_: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(includes(values, "execute").into())
}

fn to_use(_: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(includes(values, "usage").into())
}

fn none(_: &mut Context<'_, '_>, _: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(PgValue::Bool(false))
}

/// Everybody is themselves.
fn in_role(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let role = values.get(values.len().saturating_sub(2));
    let own = crate::relations::USER_OID;
    let is_own = match role {
        Some(PgValue::Text(name)) => name == context.session.user,
        Some(PgValue::Int(oid)) => *oid == i64::from(own),
        Some(PgValue::Reg { oid, .. }) => *oid == own,
        _ => false,
    };
    Ok(is_own.into())
}
