//! A schema in a PostgreSQL database, and a session there whose commits survive a loss of power.
//!
//! **Guarantee.** A session that writes is refused, in words, where the server does not sync what it commits (`fsync`), may
//! tear its pages (`full_page_writes`) or does not wait for the sync (`synchronous_commit` below `on`). The third is set by us
//! and read back; the others are the server's, and can be changed while it runs, so they are read again with every write
//! ([`check_durability`]). Once, when it is opened, are looked at: whether the server follows another, its version, its
//! letters (an anchor names analysts, whose names may hold any), and whether the table survives a crash ([`check_table`]).
//! **Not covered.** A server that lies about its settings, a disk that lies about a sync, a standby that is promoted
//! without the last commits: the anchor notices the loss of whatever it has seen. A pooler that gives every transaction
//! another session is noticed and refused.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use pointillist_postgres::{Address, Cell, Connection, Limits, Parameter, Password};

use crate::Digest;

/// For everybody's turn together: longer, and one of the servers hangs.
const LOCK_TIMEOUT_SECONDS: u32 = 20;
/// Longer than any statement waits for a lock.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// A session that says nothing in the middle of a turn for so long is ended by the server.
const SILENCE_SECONDS: u32 = 60;
/// The longest name that PostgreSQL does not cut.
const NAME_BYTES_MAX: usize = 63;

/// What durability rests on, as a list of columns for [`check_durability`].
pub(crate) const DURABILITY: &str = "current_setting('fsync'), current_setting('full_page_writes'), \
                                     current_setting('synchronous_commit'), pg_backend_pid()";

/// A schema behind a connection, which holds a ledger's records or its anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresPlace {
    /// The connection as the owner calls it. Its password may be in the environment under that name.
    pub name: String,
    /// Where the server is, without a secret; read when it is connected to.
    pub url: String,
    /// The file that holds the password.
    pub password_file: Option<PathBuf>,
    /// The schema, which is made where there is none, and holds nothing else.
    pub schema: String,
}

impl PostgresPlace {
    /// The schema of records where the owner names none.
    pub const RECORDS: &str = "pointillist_ledger";
    /// The schema of anchors where the owner names none.
    pub const ANCHOR: &str = "pointillist_anchor";

    /// As it stands in a catalog: `postgres:main`, with the schema where it is another than the usual one.
    pub fn words(&self) -> String {
        match self.schema.as_str() {
            Self::RECORDS | Self::ANCHOR => format!("postgres:{}", self.name),
            schema => format!("postgres:{}/{schema}", self.name),
        }
    }

    /// The machine and the port, the same however the address is written: everything but the role and the database. Two names
    /// of one machine are two.
    pub fn server(&self) -> String {
        // What is no address is refused when it is connected to; compared it is as it stands.
        let Ok(address) = Address::parse(&self.url) else { return self.url.clone() };
        let place = address.place();
        let server = place.strip_suffix(&format!("/{}", address.database())).unwrap_or(&place);
        server.to_owned()
    }

    /// The schema as an identifier.
    pub(crate) fn quoted_schema(&self) -> io::Result<String> {
        let is_sound = !self.schema.is_empty()
            && self.schema.len() <= NAME_BYTES_MAX
            && !self.schema.chars().any(char::is_control);
        match is_sound {
            true => Ok(format!("\"{}\"", self.schema.replace('"', "\"\""))),
            false => {
                Err(refused("the name of its schema is empty, too long, or has a control character in it"))
            }
        }
    }

    /// A session, and the server's number for it.
    pub(crate) fn connect(&self) -> io::Result<(Connection, i64)> {
        let address = Address::parse(&self.url).map_err(io::Error::other)?;
        let password = match &self.password_file {
            Some(path) => Some(Password::from_file(path).map_err(io::Error::other)?),
            None => Password::from_environment(&self.name).map_err(io::Error::other)?,
        };
        let limits = Limits { answer_timeout: ANSWER_TIMEOUT, ..Limits::default() };
        let connection = Connection::open(&address, password.as_ref(), &limits).map_err(io::Error::other)?;
        // A server on another machine that is gone must not hold its turn for hours.
        let settings = format!(
            "SET search_path = pg_catalog; SET lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'; SET statement_timeout = 0; \
             SET idle_in_transaction_session_timeout = '{SILENCE_SECONDS}s'; SET tcp_keepalives_idle = 10; \
             SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
        );
        connection.batch(&settings).map_err(io::Error::other)?;
        let rows = query(&connection, "SELECT pg_backend_pid()", &[])?;
        let pid = rows.first().and_then(|row| row.first()?.integer()).ok_or_else(unexpected)?;
        Ok((connection, pid))
    }

    /// A session that may write.
    pub(crate) fn connect_to_write(&self) -> io::Result<(Connection, i64)> {
        let (connection, pid) = self.connect()?;
        // Whatever the role or the database prefer; but a server that waits for more than `on` goes on doing so.
        let raise = "SELECT set_config('synchronous_commit', 'on', false) \
                     WHERE current_setting('synchronous_commit') <> 'remote_apply'";
        query(&connection, raise, &[])?;
        let asked = format!(
            "SELECT {DURABILITY}, pg_is_in_recovery(), current_setting('server_version_num')::int8, \
             current_setting('server_encoding')"
        );
        let rows = query(&connection, &asked, &[])?;
        let [settings @ .., is_follower, version, letters] = &rows.first().ok_or_else(unexpected)?[..] else {
            return Err(unexpected());
        };
        check_durability(settings, pid)?;
        if is_follower.boolean() != Some(false) {
            return Err(refused("it follows another server and takes no writes"));
        }
        if version.integer().is_none_or(|version| version < 120_000) {
            return Err(refused("it is older than PostgreSQL 12"));
        }
        if letters.text() != Some("UTF8") {
            return Err(refused("its database is not in UTF8, and holds not every letter of a name"));
        }
        Ok((connection, pid))
    }
}

/// Whether [`DURABILITY`] is what it must be, in the session of this number.
pub(crate) fn check_durability(settings: &[Cell], pid: i64) -> io::Result<()> {
    let [fsync, full_page_writes, synchronous_commit, session] = settings else { return Err(unexpected()) };
    let power = "a payment would not survive a loss of power";
    if fsync.text() != Some("on") {
        return Err(refused(&format!("its setting `fsync` is off: {power}")));
    }
    if full_page_writes.text() != Some("on") {
        return Err(refused(&format!("its setting `full_page_writes` is off: {power}")));
    }
    if !matches!(synchronous_commit.text(), Some("on" | "remote_apply")) {
        return Err(refused(&format!("its setting `synchronous_commit` is below `on`: {power}")));
    }
    if session.integer() != Some(pid) {
        return Err(refused("a pooler is in between that gives every transaction another session"));
    }
    Ok(())
}

pub(crate) fn query(
    connection: &Connection,
    statement: &str,
    parameters: &[Parameter],
) -> io::Result<Vec<Vec<Cell>>> {
    connection.query(statement, parameters).map_err(io::Error::other)
}

/// Whether a table exists.
pub(crate) fn has_table(connection: &Connection, name: &str) -> io::Result<bool> {
    let name = Parameter::Text(Some(name.to_owned()));
    let rows = query(connection, "SELECT to_regclass($1::text) IS NOT NULL", &[name])?;
    rows.first().and_then(|row| row.first()?.boolean()).ok_or_else(unexpected)
}

/// The number of a table, which must be an ordinary one: what is not logged is empty after a crash.
pub(crate) fn check_table(connection: &Connection, name: &str) -> io::Result<i64> {
    let asked =
        "SELECT oid::int8, relpersistence::text, relkind::text FROM pg_class WHERE oid = $1::text::regclass";
    let rows = query(connection, asked, &[Parameter::Text(Some(name.to_owned()))])?;
    let [table, persistence, kind] = &rows.first().ok_or_else(unexpected)?[..] else {
        return Err(unexpected());
    };
    match (persistence.text(), kind.text()) {
        (Some("p"), Some("r")) => table.integer().ok_or_else(unexpected),
        _ => Err(refused(&format!("its table {name} is not one that survives a crash"))),
    }
}

/// Makes a schema with tables, once: of two servers that start at the same moment the second waits and finds them.
pub(crate) fn create(connection: &Connection, schema: &str, tables: &str) -> io::Result<()> {
    let key = Digest::of("pointillist schema", &[schema.as_bytes()]).0;
    let key = i64::from_be_bytes([key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7]]);
    let statements = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({key}); CREATE SCHEMA IF NOT EXISTS {schema}; {tables}; COMMIT"
    );
    connection.batch(&statements).map_err(|error| {
        // Nothing else works in a transaction that has failed.
        let _ = connection.batch("ROLLBACK");
        io::Error::other(error)
    })
}

pub(crate) fn refused(words: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, words.to_owned())
}

pub(crate) fn unexpected() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the server answers with something else than was asked for")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: one server is one server, however its address is written, whoever asks and for which database.
    #[test]
    fn a_server_is_known_however_it_is_written() {
        let of = |url: &str| {
            let (name, schema) = ("main".to_owned(), "ledger".to_owned());
            PostgresPlace { name, url: url.to_owned(), password_file: None, schema }.server()
        };
        let plain = of("postgres://a@db.example/one?sslmode=disable");
        for same in [
            "postgres://b@db.example:5432/two?sslmode=disable",
            "postgresql://a@DB.example/one?sslmode=disable&port=5432",
            "postgres://a@db.example/one?sslmode=verify-full&sslrootcert=/etc/root.pem",
        ] {
            assert_eq!(of(same), plain, "{same}");
        }
        for other in [
            "postgres://a@db.example:5433/one?sslmode=disable",
            "postgres://a@other.example/one?sslmode=disable",
            "postgres://a@/one?host=/run/nowhere",
        ] {
            assert_ne!(of(other), plain, "{other}");
        }
        assert_eq!(of("postgres://a@/one?host=/run/nowhere"), of("postgres://b@:5432/two?host=/run/nowhere"));
        assert_ne!(of("postgres://a@/one?host=/run/nowhere"), of("postgres://a@/one?host=/run/other"));
    }
}
