//! What differs from session to session: the one who asks, and what they have set.

use crate::PgValue;
use crate::evaluator::Session;

use super::row::{row, standard_row};
use super::shapes::Shape;

/// Whoever asks has this oid, so that it says nothing about how many others there are.
pub(crate) const USER_OID: u32 = 16_384;

/// The rows of a table that differs; `None` for those that are the same for everybody.
pub(super) fn rows(shape: &Shape, session: &Session<'_>) -> Option<Vec<Vec<PgValue>>> {
    match (shape.schema, shape.name) {
        ("pg_catalog", "pg_roles") => Some(vec![role(session.user)]),
        ("pg_catalog", "pg_user") => Some(vec![user(session.user)]),
        ("pg_catalog", "pg_settings") => Some(settings(session)),
        ("information_schema", name @ ("enabled_roles" | "applicable_roles")) => {
            Some(own_role(name, session))
        }
        _ => None,
    }
}

fn role(name: &str) -> Vec<PgValue> {
    row(
        "pg_roles",
        vec![
            ("oid", USER_OID.into()),
            ("rolname", name.into()),
            ("rolinherit", true.into()),
            ("rolcanlogin", true.into()),
            ("rolconnlimit", (-1).into()),
            ("rolpassword", "********".into()),
        ],
    )
}

fn user(name: &str) -> Vec<PgValue> {
    row(
        "pg_user",
        vec![("usename", name.into()), ("usesysid", USER_OID.into()), ("passwd", "********".into())],
    )
}

fn own_role(view: &str, session: &Session<'_>) -> Vec<Vec<PgValue>> {
    match view {
        "enabled_roles" => vec![standard_row(view, vec![("role_name", session.user.into())])],
        _ => Vec::new(),
    }
}

fn settings(session: &Session<'_>) -> Vec<Vec<PgValue>> {
    let setting = |(name, value, about): (String, String, &'static str)| {
        let (context, start) = session.settings.context(&name);
        row(
            "pg_settings",
            vec![
                ("setting", value.into()),
                ("category", "Pointillist".into()),
                ("short_desc", about.into()),
                ("context", context.into()),
                ("vartype", "string".into()),
                ("source", "default".into()),
                ("boot_val", start.into()),
                ("reset_val", start.into()),
                ("sourceline", PgValue::Null),
                ("name", name.into()),
            ],
        )
    };
    session.settings.all().into_iter().map(setting).collect()
}
