//! Functions about the session: who asks, of which database, with which settings.

use super::system::text;
use super::{Context, Function, Returns, Takes};
use crate::{Base, PgError, PgType, PgValue};

const BOOL: PgType = PgType::of(Base::Bool);
const INT4: PgType = PgType::of(Base::Int4);
const NAME: PgType = PgType::of(Base::Name);
const TEXT: PgType = PgType::of(Base::Text);

type Run = fn(&mut Context<'_, '_>, &[PgValue]) -> Result<PgValue, PgError>;

const fn fact(name: &'static str, returns: PgType, run: Run) -> Function {
    Function { name, takes: &[], returns: Returns::Is(returns), strict: true, run }
}

const fn strict(name: &'static str, takes: &'static [Takes], returns: PgType, run: Run) -> Function {
    Function { name, takes, returns: Returns::Is(returns), strict: true, run }
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    fact("version", TEXT, version),
    fact("current_database", NAME, |context, _| Ok(context.session.database.into())),
    fact("current_catalog", NAME, |context, _| Ok(context.session.database.into())),
    fact("current_schema", NAME, |_, _| Ok("public".into())),
    fact("current_user", NAME, user),
    fact("current_role", NAME, user),
    fact("session_user", NAME, user),
    fact("user", NAME, user),
    strict("current_schemas", &[Takes::Is(BOOL)], PgType::array(Base::Name), schemas),
    strict("current_setting", &[Takes::Is(TEXT)], TEXT, setting),
    strict("current_setting", &[Takes::Is(TEXT), Takes::Is(BOOL)], TEXT, setting),
    Function {
        name: "set_config",
        takes: &[Takes::Is(TEXT), Takes::Is(TEXT), Takes::Is(BOOL)],
        returns: Returns::Is(TEXT),
        strict: false,
        run: set_config,
    },
    fact("pg_backend_pid", INT4, |context, _| Ok(context.session.backend_pid.into())),
    fact("pg_is_in_recovery", BOOL, |_, _| Ok(false.into())),
    fact("pg_my_temp_schema", PgType::of(Base::Oid), |_, _| Ok(0.into())),
    fact("pg_client_encoding", NAME, |_, _| Ok("UTF8".into())),
    fact("getdatabaseencoding", NAME, |_, _| Ok("UTF8".into())),
    fact("pg_advisory_unlock_all", PgType::of(Base::Void), |_, _| Ok("".into())),
    fact("inet_server_addr", TEXT, |_, _| Ok(PgValue::Null)),
    fact("inet_server_port", INT4, |_, _| Ok(PgValue::Null)),
    fact("inet_client_addr", TEXT, |_, _| Ok(PgValue::Null)),
    fact("inet_client_port", INT4, |_, _| Ok(PgValue::Null)),
    // Nobody's statement is ended from here: `pg_stat_activity` is empty, and a number that was guessed is not believed.
    strict("pg_cancel_backend", &[Takes::Is(INT4)], BOOL, |_, _| Ok(false.into())),
    strict("pg_terminate_backend", &[Takes::Is(INT4)], BOOL, |_, _| Ok(false.into())),
];

/// Clients look for `PostgreSQL` and a number.
fn version(context: &mut Context<'_, '_>, _: &[PgValue]) -> Result<PgValue, PgError> {
    let version = context.session.settings.get("server_version").unwrap_or_default();
    let (number, us) = version.split_once(" (").unwrap_or((version, "Pointillist)"));
    Ok(format!("PostgreSQL {number} on {}", us.trim_end_matches(')')).into())
}

fn user(context: &mut Context<'_, '_>, _: &[PgValue]) -> Result<PgValue, PgError> {
    Ok(context.session.user.into())
}

fn schemas(_: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let with_implicit = matches!(values.first(), Some(PgValue::Bool(true)));
    let names: &[&str] = if with_implicit { &["pg_catalog", "public"] } else { &["public"] };
    Ok(PgValue::array(names.iter().map(|name| (*name).into()).collect()))
}

/// The value; with `true` behind the name, NULL where there is none.
fn setting(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let name = text(values, 0);
    match (context.session.settings.get(name), values.get(1)) {
        (Some(value), _) => Ok(value.into()),
        (None, Some(PgValue::Bool(true))) => Ok(PgValue::Null),
        (None, _) => Err(PgError::new("42704", format!("unrecognized configuration parameter \"{name}\""))),
    }
}

/// Sets, and gives the value back as it is shown. NULL takes the setting back to where the session began.
fn set_config(context: &mut Context<'_, '_>, values: &[PgValue]) -> Result<PgValue, PgError> {
    let name = match values.first() {
        Some(PgValue::Text(name)) => name,
        _ => return Err(PgError::new("22004", "SET requires parameter name")),
    };
    let value = match values.get(1) {
        Some(PgValue::Text(value)) => Some(value.as_str()),
        _ => None,
    };
    let is_local = values.get(2) == Some(&PgValue::Bool(true));
    context.session.settings.set_by_call(name, value, is_local)?;
    Ok(context.session.settings.get(name).into())
}
