//! Rows in a table of a PostgreSQL database, which several servers share.
//!
//! **Guarantee.** When `append` returns, the rows are on the server's disk. Rows are added one server at a time, and only
//! if the first of them follows, by its hash, from the last row that the table holds: whoever has another history, or an
//! older one, adds nothing. Nothing is ever updated or deleted.
//! **How.** A turn is an advisory lock of the session, taken before its transaction begins, so that the transaction sees
//! everything that the turn before has committed, and let go after the anchor is written. Within it one serializable
//! transaction reads, inserts and commits. The insert says which row was last before it, and what durability rests on; if
//! either is wrong nothing is committed. The lock orders servers; what keeps two histories apart is the check of the
//! last row together with the primary key, which hold without any lock.
//! **A lost session** loses its lock, and its transaction with it unless that was committed. Whoever was told of no commit
//! does not know; see `ledger/turn.rs`.
//! **A silent session** is ended by the server after a minute: the lock and the transaction come in one message, and the time
//! between commit and anchor is a transaction too.

use std::io;

use pointillist_postgres::{Cell, Connection, Parameter};

use super::{PAGE_BYTES, Row, Store};
use crate::chain;
use crate::postgres_place::{
    DURABILITY, check_durability, check_table, create, has_table, query, refused, unexpected,
};
use crate::record::StoreId;
use crate::{Digest, PostgresPlace};

/// The version of the tables. Any other is refused.
const FORMAT: i64 = 1;
/// Bytes of bodies that are sent at a time.
const BYTES_AT_A_TIME: usize = 32 << 20;
/// The high half of the advisory lock's key; the low half is the table's own number.
const LOCK: i64 = 0x504f_494e;
/// SQLSTATE: a lock was not to be had in time.
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// A [`Store`] in one schema of a PostgreSQL database.
pub struct PostgresStore {
    connection: Connection,
    pid: i64,
    schema: String,
    id: StoreId,
    /// The key of the turn; nothing for one that only reads.
    lock: Option<i64>,
}

impl PostgresStore {
    /// Opens the schema for writing, and makes it where there is none.
    ///
    /// # Errors
    /// When the server cannot be reached, is not safe to keep a budget in, or holds something else under that name.
    pub fn open(place: &PostgresPlace) -> io::Result<Self> {
        let (connection, pid) = place.connect_to_write()?;
        let schema = place.quoted_schema()?;
        if !has_table(&connection, &format!("{schema}.record"))? {
            let id = crate::digest::hex(&super::new_id()?.0);
            let tables = format!(
                "CREATE TABLE IF NOT EXISTS {schema}.store (one boolean PRIMARY KEY DEFAULT true CHECK (one), \
                 format integer NOT NULL, id bytea NOT NULL);
                 INSERT INTO {schema}.store (format, id) VALUES ({FORMAT}, decode('{id}', 'hex')) \
                 ON CONFLICT DO NOTHING;
                 CREATE TABLE IF NOT EXISTS {schema}.record (seq bigint PRIMARY KEY CHECK (seq > 0), \
                 hash bytea NOT NULL, body bytea NOT NULL)"
            );
            create(&connection, &schema, &tables)?;
        }
        let mut store = Self::of_tables(connection, pid, schema)?;
        let table = check_table(&store.connection, &format!("{}.record", store.schema))?;
        store.lock = Some(LOCK << 32 | table);
        Ok(store)
    }

    /// Opens the schema for reading; nothing where there is none.
    ///
    /// # Errors
    /// When the server cannot be reached, or holds something else under that name.
    pub fn open_read_only(place: &PostgresPlace) -> io::Result<Option<Self>> {
        let (connection, pid) = place.connect()?;
        let schema = place.quoted_schema()?;
        match has_table(&connection, &format!("{schema}.record"))? {
            true => Self::of_tables(connection, pid, schema).map(Some),
            false => Ok(None),
        }
    }

    fn of_tables(connection: Connection, pid: i64, schema: String) -> io::Result<Self> {
        let rows = query(&connection, &format!("SELECT format, id FROM {schema}.store"), &[])?;
        let [format, id] = &rows.first().ok_or_else(unexpected)?[..] else { return Err(unexpected()) };
        if format.integer() != Some(FORMAT) {
            return Err(refused("it holds a ledger of another format"));
        }
        let id = id.bytes().and_then(|id| id.try_into().ok()).map(StoreId).ok_or_else(unexpected)?;
        Ok(Self { connection, pid, schema, id, lock: None })
    }

    /// The name that this store has for ever.
    pub fn id(&self) -> StoreId {
        self.id
    }

    fn batch(&self, statements: &str) -> io::Result<()> {
        self.connection.batch(statements).map_err(|error| match error.sqlstate() {
            Some(LOCK_NOT_AVAILABLE) => io::Error::new(io::ErrorKind::TimedOut, error),
            _ => io::Error::other(error),
        })
    }

    fn insert(&self, rows: &[Row]) -> io::Result<()> {
        let schema = &self.schema;
        let sql = format!(
            "WITH last AS (SELECT seq, hash FROM {schema}.record ORDER BY seq DESC LIMIT 1), \
             added AS (INSERT INTO {schema}.record (seq, hash, body) \
             SELECT * FROM unnest($1::int8[], $2::bytea[], $3::bytea[]) RETURNING seq) \
             SELECT (SELECT seq FROM last), (SELECT hash FROM last), (SELECT count(*) FROM added), {DURABILITY}"
        );
        let parameters = [
            Parameter::Integers(rows.iter().map(|row| Some(row.seq.cast_signed())).collect()),
            Parameter::ByteStrings(rows.iter().map(|row| Some(row.hash.0.to_vec())).collect()),
            Parameter::ByteStrings(rows.iter().map(|row| Some(row.body.clone())).collect()),
        ];
        let answer = query(&self.connection, &sql, &parameters)?;
        let [last_seq, last_hash, count, settings @ ..] = &answer.first().ok_or_else(unexpected)?[..] else {
            return Err(unexpected());
        };
        check_durability(settings, self.pid)?;
        let last_hash = match last_hash {
            Cell::Null => None,
            hash => Some(digest(hash)?),
        };
        let first = rows.first().ok_or_else(unexpected)?;
        let follows = last_seq.integer().unwrap_or(0) + 1 == first.seq.cast_signed()
            && chain::follows(first, last_hash)
            && count.integer() == i64::try_from(rows.len()).ok();
        match follows {
            true => Ok(()),
            false => {
                Err(io::Error::other("the store holds another history than the one that is written to it"))
            }
        }
    }
}

impl Store for PostgresStore {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        // The lengths are known without the bodies, so that the server sends no more than a page of them.
        let sql = format!(
            "SELECT seq, hash, body FROM (SELECT seq, hash, body, sum(octet_length(body)) OVER (ORDER BY seq) \
             - octet_length(body) AS bytes_before FROM (SELECT seq, hash, body FROM {}.record WHERE seq >= $1::int8 \
             ORDER BY seq LIMIT $2::int8) AS rows_wanted) AS page WHERE bytes_before < {PAGE_BYTES} ORDER BY seq",
            self.schema
        );
        let limit = i64::try_from(count).unwrap_or(i64::MAX);
        let parameters = [from.cast_signed(), limit].map(|number| Parameter::Integer(Some(number)));
        query(&self.connection, &sql, &parameters)?.into_iter().map(row_of).collect()
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        let mut rest = rows;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|row| {
                bytes += row.body.len();
                bytes <= BYTES_AT_A_TIME
            });
            let (now, later) = rest.split_at(fits.count().max(1));
            self.insert(now)?;
            rest = later;
        }
        // In words that fail where no transaction is open, and that open the next: silence is bounded there.
        self.batch("COMMIT AND CHAIN")
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn begin(&mut self) -> io::Result<()> {
        let lock = self.lock.ok_or_else(|| refused("it was opened for reading"))?;
        // One message: whoever falls silent behind it does so in a transaction, and the server bounds that.
        self.batch(&format!("SELECT pg_advisory_lock({lock}); COMMIT; BEGIN ISOLATION LEVEL SERIALIZABLE"))
    }

    fn rehearse(&mut self) -> io::Result<()> {
        let sql = format!(
            "INSERT INTO {0}.record (seq, hash, body) SELECT coalesce(max(seq), 0) + 1, ''::bytea, ''::bytea \
             FROM {0}.record RETURNING {DURABILITY}",
            self.schema
        );
        let rows = query(&self.connection, &sql, &[])?;
        check_durability(rows.first().ok_or_else(unexpected)?, self.pid)
    }

    fn end(&mut self) -> io::Result<()> {
        let Some(lock) = self.lock else { return Ok(()) };
        self.batch(&format!("ROLLBACK; SELECT pg_advisory_unlock({lock})"))
    }
}

fn row_of(cells: Vec<Cell>) -> io::Result<Row> {
    let [seq, hash, body] = <[Cell; 3]>::try_from(cells).map_err(|_| unexpected())?;
    let (Some(seq), hash, Cell::Bytes(body)) = (seq.integer(), digest(&hash)?, body) else {
        return Err(unexpected());
    };
    Ok(Row { seq: seq.cast_unsigned(), hash, body })
}

fn digest(cell: &Cell) -> io::Result<Digest> {
    cell.bytes().and_then(|bytes| bytes.try_into().ok()).map(Digest).ok_or_else(unexpected)
}
