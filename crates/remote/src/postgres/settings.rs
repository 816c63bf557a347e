//! What a session is set to, and read back before anybody pays.
//!
//! **Guarantee.** Whatever the server, the database and the role have as their defaults, a statement runs under these values:
//! names mean what PostgreSQL ships, texts are UTF-8, moments are in UTC, floats are printed with all their digits,
//! parameters are planned as the values they are, and times are functions of the plan and never of rows. Each is read back;
//! one that did not stay refuses the question.
//!
//! All of it is `SET LOCAL`, for poolers that hand a connection on after a transaction. What only a superuser may set (what
//! the server's own log says of a failing statement) is set where the role may; it is the owner's log.

use std::time::Duration;

use pointillist_postgres::{Cell, Connection, Parameter};

use super::{Refusal, Times};

/// The oldest version in which every setting exists.
const VERSION_MIN: i64 = 130_000;

/// The first version that notices while a statement runs that its client is gone.
const VERSION_OF_CONNECTION_CHECKS: i64 = 140_000;

/// The first version in which roles can be given the right to a setting.
const VERSION_OF_PARAMETER_RIGHTS: i64 = 150_000;

/// The first version that ends transactions by their length.
const VERSION_OF_TRANSACTION_TIMEOUT: i64 = 170_000;

/// A ledger may be slow; a session that nobody comes back to is ended by the server after this.
const IDLE: Duration = Duration::from_secs(600);

/// Names, as `SET` takes them and `pg_settings` gives them back.
const FIXED: [(&str, &str); 17] = [
    // Nobody's function, operator or table can stand in the place of PostgreSQL's.
    ("search_path", "pg_catalog, pg_temp"),
    ("standard_conforming_strings", "on"),
    ("client_encoding", "UTF8"),
    ("TimeZone", "UTC"),
    ("DateStyle", "ISO, YMD"),
    ("IntervalStyle", "postgres"),
    ("extra_float_digits", "1"),
    // `x = NULL` is NULL.
    ("transform_null_equals", "off"),
    ("jit", "off"),
    // A parameter is planned as the value it is, as `EXPLAIN` did before the payment.
    ("plan_cache_mode", "force_custom_plan"),
    // In kilobytes. One sort by person and key is faster than a hash of hashes.
    ("work_mem", "65536"),
    ("hash_mem_multiplier", "2"),
    ("enable_hashagg", "off"),
    ("client_min_messages", "error"),
    ("log_parameter_max_length_on_error", "0"),
    ("default_transaction_read_only", "on"),
    ("xmlbinary", "base64"),
];

/// What keeps statements and values out of the server's log and out of its list of sessions, where the role may.
const QUIET: [(&str, &str); 6] = [
    ("log_min_error_statement", "panic"),
    ("log_statement", "none"),
    ("log_duration", "off"),
    ("log_min_duration_statement", "-1"),
    ("log_parameter_max_length", "0"),
    ("track_activities", "off"),
];

/// The statements that begin a question: a transaction of one snapshot that writes nothing, and its settings. None of them
/// takes the snapshot yet.
pub(super) fn opening(times: &Times, trust_views: bool) -> String {
    let mut statements = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_owned();
    for (name, value) in all(times, trust_views) {
        statements.push_str("; SET LOCAL ");
        statements.push_str(name);
        statements.push_str(" = ");
        // A list is written without quotes around all of it.
        match name {
            "search_path" | "DateStyle" => statements.push_str(&value),
            _ => statements.push_str(&format!("'{value}'")),
        }
    }
    statements
}

/// Reads everything back, and sets what the role may set beyond it.
pub(super) fn confirm(connection: &Connection, times: &Times, trust_views: bool) -> Result<(), Refusal> {
    let version = one(connection, "server_version_num")?.parse().unwrap_or(0);
    if version < VERSION_MIN {
        return Err(Refusal::Version { version: version / 10_000 });
    }
    let encoding = one(connection, "server_encoding")?;
    if encoding != "UTF8" {
        return Err(Refusal::Encoding { encoding });
    }
    for (since, statement) in [
        // A statement that nobody waits for any more ends soon, even if no request to cancel came through.
        (
            VERSION_OF_CONNECTION_CHECKS,
            "SELECT pg_catalog.set_config('client_connection_check_interval', '5s', true)",
        ),
        (VERSION_OF_TRANSACTION_TIMEOUT, "SELECT pg_catalog.set_config('transaction_timeout', '0', true)"),
    ] {
        if version >= since {
            connection.query(statement, &[]).map_err(Refusal::of_call)?;
        }
    }
    quieten(connection, version)?;
    let mut expected = all(times, trust_views);
    expected.push(("transaction_isolation", "repeatable read".to_owned()));
    expected.push(("transaction_read_only", "on".to_owned()));
    let names = expected.iter().map(|(name, _)| Some((*name).to_owned())).collect();
    let statement = "SELECT name, setting FROM pg_catalog.pg_settings WHERE name = ANY ($1::text[])";
    let found = connection.query(statement, &[Parameter::Texts(names)]).map_err(Refusal::of_call)?;
    for (name, value) in expected {
        let row = found.iter().find(|row| row[0].text() == Some(name));
        if row.and_then(|row| row[1].text()) != Some(value.as_str()) {
            return Err(Refusal::Setting { name });
        }
    }
    Ok(())
}

fn all(times: &Times, trust_views: bool) -> Vec<(&'static str, String)> {
    let milliseconds = |time: Duration| time.as_millis().clamp(1, i32::MAX as u128).to_string();
    let mut settings: Vec<_> = FIXED.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    settings.push(("statement_timeout", milliseconds(times.statement)));
    settings.push(("lock_timeout", milliseconds(times.lock)));
    settings.push(("idle_in_transaction_session_timeout", milliseconds(IDLE)));
    // Off, a statement that policies would filter is refused by the server; on, policies filter, as the owner wants it.
    settings.push(("row_security", if trust_views { "on" } else { "off" }.to_owned()));
    settings
}

/// Sets what the role may. Asked for first, because every refusal would be a line in the owner's log.
fn quieten(connection: &Connection, version: i64) -> Result<(), Refusal> {
    let names: Vec<_> = QUIET.iter().map(|(name, _)| Some((*name).to_owned())).collect();
    let values: Vec<_> = QUIET.iter().map(|(_, value)| Some((*value).to_owned())).collect();
    let may = match version >= VERSION_OF_PARAMETER_RIGHTS {
        true => "pg_catalog.has_parameter_privilege(s.name, 'SET')",
        false => "(SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = current_user)",
    };
    let statement = format!(
        "SELECT pg_catalog.set_config(s.name, s.value, true) \
         FROM ROWS FROM (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) AS s (name, value) WHERE {may}"
    );
    let parameters = [Parameter::Texts(names), Parameter::Texts(values)];
    connection.query(&statement, &parameters).map(|_| ()).map_err(Refusal::of_call)
}

fn one(connection: &Connection, name: &str) -> Result<String, Refusal> {
    let parameter = Parameter::Text(Some(name.to_owned()));
    let statement = "SELECT pg_catalog.current_setting($1::text)";
    let rows = connection.query(statement, &[parameter]).map_err(Refusal::of_call)?;
    let value = rows.first().and_then(|row| row.first()).and_then(Cell::text);
    Ok(value.unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_postgres::{Address, Limits};
    use pointillist_testkit::postgres::PostgresServer;

    /// Specification: a setting that does not stay, whoever set it again, refuses the question by its name.
    #[test]
    fn a_setting_that_does_not_stay_refuses_the_question() {
        let Some(server) = PostgresServer::shared() else { return };
        let address = Address::parse(&server.url("postgres")).unwrap();
        let times = Times::default();
        for (statement, name) in [
            ("SET LOCAL search_path = public", "search_path"),
            ("SET LOCAL TimeZone = 'Asia/Tokyo'", "TimeZone"),
            ("SET LOCAL statement_timeout = 0", "statement_timeout"),
            ("SET LOCAL row_security = on", "row_security"),
            ("SET LOCAL plan_cache_mode = auto", "plan_cache_mode"),
            ("COMMIT; BEGIN", "search_path"),
        ] {
            let connection = Connection::open(&address, None, &Limits::default()).unwrap();
            connection.batch(&opening(&times, false)).unwrap();
            assert_eq!(confirm(&connection, &times, false), Ok(()));
            connection.batch(statement).unwrap();
            assert_eq!(confirm(&connection, &times, false), Err(Refusal::Setting { name }), "{statement}");
        }
        // All settings, and a transaction that may write.
        let connection = Connection::open(&address, None, &Limits::default()).unwrap();
        let writing = opening(&times, false).replace("READ ONLY", "READ WRITE");
        connection.batch(&writing).unwrap();
        let refused = confirm(&connection, &times, false);
        assert_eq!(refused, Err(Refusal::Setting { name: "transaction_read_only" }));
    }
}
