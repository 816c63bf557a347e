//! Functions about what is declared: `format_type`, `pg_get_*`, `obj_description`, `has_*_privilege`, `to_reg*`, ….
//!
//! **Guarantee.** They look at the declared catalog and at who asks. Sizes are 0 and definitions of what does not exist are
//! NULL; nothing here measures anything.

use super::keywords;
use super::{Context, Function, Returns, Takes};
use crate::evaluator::Session;
use crate::relations::lookup::{self, Class};
use crate::{Base, PgError, PgType, PgValue, SystemCatalog};

const BOOL: PgType = PgType::of(Base::Bool);
const INT4: PgType = PgType::of(Base::Int4);
const INT8: PgType = PgType::of(Base::Int8);
const NAME: PgType = PgType::of(Base::Name);
const OID: PgType = PgType::of(Base::Oid);
const TEXT: PgType = PgType::of(Base::Text);

const ONE_OID: &[Takes] = &[Takes::Is(OID)];
const OID_AND_FLAG: &[Takes] = &[Takes::Is(OID), Takes::Is(BOOL)];
const ONE_TEXT: &[Takes] = &[Takes::Is(TEXT)];
/// A table by its name or its oid.
const A_TABLE: &[Takes] = &[Takes::Any];

type Run = fn(&mut Context<'_, '_>, &[PgValue]) -> Result<PgValue, PgError>;

/// A function that gives NULL for NULL.
const fn strict(name: &'static str, takes: &'static [Takes], returns: PgType, run: Run) -> Function {
    Function { name, takes, returns: Returns::Is(returns), strict: true, run }
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function {
        name: "format_type",
        takes: &[Takes::Is(OID), Takes::Is(INT4)],
        returns: Returns::Is(TEXT),
        strict: false,
        run: format_type,
    },
    Function {
        name: "pg_get_keywords",
        takes: &[],
        returns: Returns::Table(&[
            ("word", TEXT),
            ("catcode", PgType::of(Base::Char)),
            ("barelabel", BOOL),
            ("catdesc", TEXT),
            ("baredesc", TEXT),
        ]),
        strict: true,
        run: |_, _| Ok(PgValue::array(keywords::all().iter().map(keyword).collect())),
    },
    Function {
        name: "pg_partition_ancestors",
        takes: A_TABLE,
        returns: Returns::SetOf(PgType::of(Base::Regclass)),
        strict: true,
        run: |_, _| Ok(PgValue::array(Vec::new())),
    },
    Function {
        name: "pg_options_to_table",
        takes: &[Takes::AnyArray],
        returns: Returns::Table(&[("option_name", TEXT), ("option_value", TEXT)]),
        strict: true,
        run: |_, _| Ok(PgValue::array(Vec::new())),
    },
    Function {
        name: "aclexplode",
        takes: &[Takes::AnyArray],
        returns: Returns::Table(&[
            ("grantor", OID),
            ("grantee", OID),
            ("privilege_type", TEXT),
            ("is_grantable", BOOL),
        ]),
        strict: true,
        run: |_, _| Ok(PgValue::array(Vec::new())),
    },
    strict("pg_get_expr", &[Takes::Any, Takes::Is(OID)], TEXT, null),
    strict("pg_get_expr", &[Takes::Any, Takes::Is(OID), Takes::Is(BOOL)], TEXT, null),
    strict("pg_get_indexdef", ONE_OID, TEXT, null),
    strict("pg_get_indexdef", &[Takes::Is(OID), Takes::Is(INT4), Takes::Is(BOOL)], TEXT, null),
    strict("pg_get_constraintdef", ONE_OID, TEXT, constraint_definition),
    strict("pg_get_constraintdef", OID_AND_FLAG, TEXT, constraint_definition),
    strict("pg_get_viewdef", A_TABLE, TEXT, null),
    strict("pg_get_viewdef", &[Takes::Any, Takes::Any], TEXT, null),
    strict("pg_get_triggerdef", ONE_OID, TEXT, null),
    strict("pg_get_triggerdef", OID_AND_FLAG, TEXT, null),
    strict("pg_get_ruledef", ONE_OID, TEXT, null),
    strict("pg_get_ruledef", OID_AND_FLAG, TEXT, null),
    strict("pg_get_partkeydef", ONE_OID, TEXT, null),
    strict("pg_get_partition_constraintdef", ONE_OID, TEXT, null),
    strict("pg_get_statisticsobjdef", ONE_OID, TEXT, null),
    strict("pg_get_statisticsobjdef_columns", ONE_OID, TEXT, null),
    strict("pg_get_serial_sequence", &[Takes::Is(TEXT), Takes::Is(TEXT)], TEXT, null),
    strict("pg_get_function_arg_default", &[Takes::Is(OID), Takes::Is(INT4)], TEXT, null),
    strict("pg_get_function_sqlbody", ONE_OID, TEXT, null),
    strict("pg_get_functiondef", ONE_OID, TEXT, null),
    strict("pg_get_function_result", ONE_OID, TEXT, |_, values| {
        Ok(lookup::procedure_types(oid(values, 0)).map(|(_, result)| result).into())
    }),
    strict("pg_get_function_arguments", ONE_OID, TEXT, procedure_arguments),
    strict("pg_get_function_identity_arguments", ONE_OID, TEXT, procedure_arguments),
    strict("pg_get_userbyid", ONE_OID, NAME, user_by_id),
    strict("pg_encoding_to_char", &[Takes::Is(INT4)], NAME, encoding_name),
    strict("pg_char_to_encoding", &[Takes::Is(NAME)], INT4, |_, values| {
        let is_utf8 = text(values, 0).replace('-', "").eq_ignore_ascii_case("utf8");
        Ok(if is_utf8 { 6 } else { -1 }.into())
    }),
    strict("obj_description", &[Takes::Is(OID), Takes::Is(NAME)], TEXT, object_description),
    strict("obj_description", ONE_OID, TEXT, object_description),
    strict("col_description", &[Takes::Is(OID), Takes::Is(INT4)], TEXT, column_description),
    strict("shobj_description", &[Takes::Is(OID), Takes::Is(NAME)], TEXT, null),
    strict("pg_table_is_visible", ONE_OID, BOOL, |context, values| {
        Ok(context.system.class(oid(values, 0)).map(|class| class.is_visible()).into())
    }),
    strict("pg_type_is_visible", ONE_OID, BOOL, |_, values| {
        Ok(lookup::type_name(oid(values, 0)).map(|_| true).into())
    }),
    strict("pg_function_is_visible", ONE_OID, BOOL, |_, values| {
        Ok(lookup::procedure_name(oid(values, 0)).map(|_| true).into())
    }),
    strict("pg_collation_is_visible", ONE_OID, BOOL, |_, values| {
        Ok(matches!(oid(values, 0), 100 | 950).into())
    }),
    strict("pg_operator_is_visible", ONE_OID, BOOL, never),
    strict("pg_opclass_is_visible", ONE_OID, BOOL, never),
    strict("pg_opfamily_is_visible", ONE_OID, BOOL, never),
    strict("pg_conversion_is_visible", ONE_OID, BOOL, never),
    strict("pg_statistics_obj_is_visible", ONE_OID, BOOL, never),
    strict("pg_ts_config_is_visible", ONE_OID, BOOL, never),
    strict("pg_ts_dict_is_visible", ONE_OID, BOOL, never),
    strict("pg_ts_parser_is_visible", ONE_OID, BOOL, never),
    strict("pg_ts_template_is_visible", ONE_OID, BOOL, never),
    strict("pg_relation_is_publishable", A_TABLE, BOOL, never),
    strict("pg_is_other_temp_schema", ONE_OID, BOOL, never),
    strict("pg_partition_root", A_TABLE, PgType::of(Base::Regclass), null),
    strict("pg_table_size", A_TABLE, INT8, zero),
    strict("pg_total_relation_size", A_TABLE, INT8, zero),
    strict("pg_relation_size", A_TABLE, INT8, zero),
    strict("pg_relation_size", &[Takes::Any, Takes::Is(TEXT)], INT8, zero),
    strict("pg_indexes_size", A_TABLE, INT8, zero),
    strict("pg_database_size", A_TABLE, INT8, zero),
    strict("pg_tablespace_size", A_TABLE, INT8, zero),
    strict("pg_relation_filepath", A_TABLE, TEXT, null),
    strict("pg_relation_filenode", A_TABLE, OID, null),
    strict("pg_tablespace_location", ONE_OID, TEXT, |_, _| Ok("".into())),
    strict("pg_size_pretty", &[Takes::Is(INT8)], TEXT, |_, values| Ok(size_words(number(values, 0)).into())),
    strict("to_regclass", ONE_TEXT, PgType::of(Base::Regclass), |context, values| {
        Ok(reg(context.system, context.session, Base::Regclass, &values[0]).unwrap_or(PgValue::Null))
    }),
    strict("to_regtype", ONE_TEXT, PgType::of(Base::Regtype), |context, values| {
        Ok(reg(context.system, context.session, Base::Regtype, &values[0]).unwrap_or(PgValue::Null))
    }),
    strict("to_regproc", ONE_TEXT, PgType::of(Base::Regproc), |context, values| {
        Ok(reg(context.system, context.session, Base::Regproc, &values[0]).unwrap_or(PgValue::Null))
    }),
    strict("to_regnamespace", ONE_TEXT, PgType::of(Base::Regnamespace), |context, values| {
        Ok(reg(context.system, context.session, Base::Regnamespace, &values[0]).unwrap_or(PgValue::Null))
    }),
    strict("to_regrole", ONE_TEXT, PgType::of(Base::Regrole), |context, values| {
        Ok(reg(context.system, context.session, Base::Regrole, &values[0]).unwrap_or(PgValue::Null))
    }),
];

/// A value of one of the types that are oids with a name (`regclass`, `regtype`, `regproc`, `regnamespace`, `regrole`), from a
/// name, from digits or from an oid: `'visits'::regclass`, `'16393'::regclass`, `c.oid::regclass`. An oid that nobody has
/// keeps its digits for a name.
///
/// # Errors
/// 42P01, 42704 and the like for a name that is not known.
pub(crate) fn reg(
    system: &SystemCatalog,
    session: &Session<'_>,
    base: Base,
    given: &PgValue,
) -> Result<PgValue, PgError> {
    let oid = match given {
        PgValue::Null => return Ok(PgValue::Null),
        PgValue::Int(oid) => u32::try_from(*oid).map_err(|_| PgError::new("22003", "OID out of range"))?,
        PgValue::Reg { oid, .. } => *oid,
        PgValue::Text(text) if text.trim() == "-" => 0,
        PgValue::Text(text) => match text.trim().parse() {
            Ok(oid) => oid,
            Err(_) => oid_of_name(system, session, base, text)?,
        },
        _ => return Err(PgError::new("42846", "only a name or a number is an oid")),
    };
    let name = match oid {
        0 => "-".to_owned(),
        oid => name_of_oid(system, session, base, oid).unwrap_or_else(|| oid.to_string()),
    };
    Ok(PgValue::Reg { oid, name })
}

fn name_of_oid(system: &SystemCatalog, session: &Session<'_>, base: Base, oid: u32) -> Option<String> {
    match base {
        Base::Regclass => system.class(oid).map(|class| class.name()),
        Base::Regtype => lookup::type_name(oid),
        Base::Regproc => lookup::procedure_name(oid).map(str::to_owned),
        Base::Regnamespace => lookup::schema_name(oid).map(str::to_owned),
        _ => lookup::role_name(session, oid).map(crate::relations::quoted_name),
    }
}

fn oid_of_name(
    system: &SystemCatalog,
    session: &Session<'_>,
    base: Base,
    text: &str,
) -> Result<u32, PgError> {
    let parts = lookup::name_parts(text).unwrap_or_default();
    let (oid, sqlstate, kind) = match base {
        Base::Regclass => (system.class_named(&parts).map(|class| class.oid()), "42P01", "relation"),
        Base::Regtype => (lookup::type_named(text), "42704", "type"),
        Base::Regproc => (lookup::procedure_named(&parts), "42883", "function"),
        Base::Regnamespace => (parts.first().and_then(|name| lookup::schema_named(name)), "3F000", "schema"),
        _ => (parts.first().and_then(|name| lookup::role_named(session, name)), "42704", "role"),
    };
    oid.ok_or_else(|| {
        let shown = if parts.is_empty() { text.to_owned() } else { parts.join(".") };
        PgError::new(sqlstate, format!("{kind} \"{shown}\" does not exist"))
    })
}

/// The table that a name, an oid or a regclass means.
///
/// # Errors
/// 42P01 where a name means none. `Ok(None)` for an oid of none.
pub(super) fn class_of<'c>(system: &'c SystemCatalog, value: &PgValue) -> Result<Option<Class<'c>>, PgError> {
    let name = match value {
        PgValue::Int(oid) => return Ok(u32::try_from(*oid).ok().and_then(|oid| system.class(oid))),
        PgValue::Reg { oid, .. } => return Ok(system.class(*oid)),
        PgValue::Text(name) => name,
        _ => return Ok(None),
    };
    let parts = lookup::name_parts(name).unwrap_or_default();
    let class = system.class_named(&parts);
    match class {
        Some(class) => Ok(Some(class)),
        None => Err(PgError::new("42P01", format!("relation \"{name}\" does not exist"))),
    }
}

fn null(_: &mut Context<'_, '_>, _: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(PgValue::Null)
}

fn never(_: &mut Context<'_, '_>, _: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(PgValue::Bool(false))
}

fn zero(_: &mut Context<'_, '_>, _: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(PgValue::Int(0))
}

fn number(values: &[PgValue], place: usize) -> i64 {
    match values.get(place) {
        Some(PgValue::Int(value)) => *value,
        _ => 0,
    }
}

/// An oid; 0, which nobody has, for anything else.
pub(super) fn oid(values: &[PgValue], place: usize) -> u32 {
    match values.get(place) {
        Some(PgValue::Int(value)) => u32::try_from(*value).unwrap_or(0),
        Some(PgValue::Reg { oid, .. }) => *oid,
        _ => 0,
    }
}

pub(super) fn text(values: &[PgValue], place: usize) -> &str {
    match values.get(place) {
        Some(PgValue::Text(text)) => text,
        _ => "",
    }
}

fn format_type(_: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    if values.first().is_none_or(PgValue::is_null) {
        return Ok(PgValue::Null);
    }
    let oid = oid(values, 0);
    let typmod = match values.get(1) {
        Some(PgValue::Int(typmod)) => i32::try_from(*typmod).unwrap_or(-1),
        _ => -1,
    };
    Ok(match (oid, PgType::from_oid(oid)) {
        (0, _) => "-".into(),
        (_, Some(kind)) if typmod >= 0 => kind.sql_name_with(typmod).into(),
        (oid, _) => lookup::type_name(oid).unwrap_or_else(|| "???".to_owned()).into(),
    })
}

fn keyword(keyword: &keywords::Keyword) -> PgValue {
    let label = if keyword.is_bare_label { "can be bare label" } else { "requires AS" };
    let fields = [
        ("word", keyword.word.into()),
        ("catcode", keyword.kind.into()),
        ("barelabel", keyword.is_bare_label.into()),
        ("catdesc", keyword.kind_words().into()),
        ("baredesc", label.into()),
    ];
    PgValue::Record(fields.map(|(name, value): (&str, PgValue)| (name.to_owned(), value)).to_vec())
}

fn constraint_definition(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(context.system.constraint_definition(oid(values, 0)).into())
}

fn procedure_arguments(_: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(lookup::procedure_types(oid(values, 0)).map(|(arguments, _)| arguments).into())
}

fn user_by_id(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let oid = oid(values, 0);
    Ok(match lookup::role_name(context.session, oid) {
        Some(name) => name.into(),
        None => format!("unknown (OID={oid})").into(),
    })
}

fn encoding_name(_: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(match number(values, 0) {
        0 => "SQL_ASCII",
        6 => "UTF8",
        _ => "",
    }
    .into())
}

fn object_description(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let class = match values.get(1) {
        None => None,
        Some(_) => match context.system.class_named(&["pg_catalog".to_owned(), text(values, 1).to_owned()]) {
            Some(class) => Some(class.oid()),
            None => return Ok(PgValue::Null),
        },
    };
    Ok(context.system.description(oid(values, 0), class, 0).into())
}

fn column_description(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let part = number(values, 1);
    if part == 0 {
        return Ok(PgValue::Null);
    }
    Ok(context.system.description(oid(values, 0), Some(lookup::PG_CLASS), part).into())
}

/// Bytes in the largest unit that keeps four digits or so, as PostgreSQL writes them.
fn size_words(bytes: i64) -> String {
    const LIMIT: i128 = 10 * 1024;
    let mut size = i128::from(bytes);
    if size.abs() < LIMIT {
        return format!("{size} bytes");
    }
    // One binary digit more than shown, for rounding to the nearest.
    size /= 1 << 9;
    for unit in ["kB", "MB", "GB", "TB"] {
        if size.abs() < LIMIT * 2 - 1 {
            return format!("{} {unit}", half_rounded(size));
        }
        size /= 1 << 10;
    }
    format!("{} PB", half_rounded(size))
}

fn half_rounded(size: i128) -> i128 {
    (size + size.signum()) / 2
}
