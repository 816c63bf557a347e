//! Rows in a SQLite file.
//!
//! **Guarantee.** When `append` returns, the rows are on disk: the write-ahead log is synced at every commit
//! (`synchronous = FULL`). A commit that was torn by a crash is dropped by SQLite as a whole, by the checksums
//! of its log.
//! **Not covered.** SQLite also drops, silently, whatever follows the first damaged frame of its log, and a
//! deleted log altogether. Those records were acknowledged, so the anchor is ahead and the ledger refuses to
//! start. Damage within the pages of the file is found by the hash chain, or by SQLite when it hits structure.
//! **Copies in the log are moved to the file by us**, not on SQLite's own initiative: its automatic checkpoint
//! ignores a failed sync and tries again later, and after a failed sync a second one proves nothing.

use std::fs::File;
use std::io;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Row as SqlRow};

use super::{PAGE_BYTES, Row, Store};
use crate::digest::hex;
use crate::record::StoreId;
use crate::{Digest, permission};

/// The version of the table below and of the records in it. Format 2 has records of datasets and format 3 those of
/// releases; what older formats have is the same in all, so that such a file is taken over when it is next written. Any
/// other is refused.
const FORMAT: i64 = 3;
const FORMATS_BEFORE: [i64; 2] = [1, 2];
const TABLE: &str =
    "CREATE TABLE record (seq INTEGER PRIMARY KEY, hash BLOB NOT NULL, body BLOB NOT NULL) STRICT";
/// Commits between two checkpoints. It bounds the length of the log and nothing else.
const COMMITS_PER_CHECKPOINT: u32 = 1000;

/// A [`Store`] in one SQLite file.
pub struct SqliteStore {
    connection: Connection,
    commits_since_checkpoint: u32,
}

impl SqliteStore {
    /// Opens the file for writing, and creates it if it does not exist.
    pub fn open(path: &Path) -> io::Result<Self> {
        // The file exists before SQLite opens it, so that the log and the index take its mode over.
        permission::open_file(path)?;
        for ending in ["-wal", "-shm"] {
            permission::tighten(&permission::with_ending(path, ending));
        }
        let connection = Connection::open(path).map_err(io::Error::other)?;
        prepare(&connection).map_err(io::Error::other)?;
        check_format(&connection)?;
        if let Some(directory) = path.parent() {
            sync_directory(directory)?;
        }
        Ok(Self { connection, commits_since_checkpoint: 0 })
    }

    /// Opens an existing file for reading, also while somebody else writes to it.
    pub fn open_read_only(path: &Path) -> io::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(io::Error::other)?;
        check_format(&connection)?;
        Ok(Self { connection, commits_since_checkpoint: 0 })
    }

    /// The name that this file has for ever. A file that has none gets one: only those that a ledger moves to need it.
    pub fn id(&mut self) -> io::Result<StoreId> {
        let id = hex(&super::new_id()?.0);
        let make = format!(
            "BEGIN IMMEDIATE;
             CREATE TABLE IF NOT EXISTS store (one INTEGER PRIMARY KEY CHECK (one = 1), id BLOB NOT NULL) STRICT;
             INSERT OR IGNORE INTO store (one, id) VALUES (1, x'{id}');
             COMMIT;"
        );
        self.connection.execute_batch(&make).map_err(io::Error::other)?;
        let id = self.connection.query_row("SELECT id FROM store", [], |row| row.get(0));
        id.map(StoreId).map_err(io::Error::other)
    }

    fn insert(&mut self, rows: &[Row]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert =
                transaction.prepare_cached("INSERT INTO record (seq, hash, body) VALUES (?1, ?2, ?3)")?;
            for row in rows {
                insert.execute((row.seq.cast_signed(), &row.hash.0[..], &row.body[..]))?;
            }
        }
        transaction.commit()
    }

    fn checkpoint(&mut self) -> rusqlite::Result<()> {
        self.commits_since_checkpoint = 0;
        self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
    }

    fn select(&self, from: u64, count: usize) -> rusqlite::Result<Vec<Row>> {
        let sql = "SELECT seq, hash, body FROM record WHERE seq >= ?1 ORDER BY seq LIMIT ?2";
        let mut select = self.connection.prepare_cached(sql)?;
        let limit = i64::try_from(count).unwrap_or(i64::MAX);
        let mut rows: Vec<Row> = Vec::new();
        let mut bytes = 0;
        for row in select.query_map((from.cast_signed(), limit), row_of)? {
            let row = row?;
            bytes += row.body.len();
            rows.push(row);
            if bytes >= PAGE_BYTES {
                break;
            }
        }
        Ok(rows)
    }

    /// The last row, if there is any.
    pub(crate) fn last(&self) -> io::Result<Option<Row>> {
        let sql = "SELECT seq, hash, body FROM record ORDER BY seq DESC LIMIT 1";
        let mut select = self.connection.prepare_cached(sql).map_err(io::Error::other)?;
        select.query_map([], row_of).and_then(|mut rows| rows.next().transpose()).map_err(io::Error::other)
    }
}

impl Store for SqliteStore {
    fn read(&mut self, from: u64, count: usize) -> io::Result<Vec<Row>> {
        self.select(from, count).map_err(io::Error::other)
    }

    fn append(&mut self, rows: &[Row]) -> io::Result<()> {
        self.insert(rows).map_err(io::Error::other)?;
        self.commits_since_checkpoint += 1;
        if self.commits_since_checkpoint >= COMMITS_PER_CHECKPOINT {
            self.checkpoint().map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn rehearse(&mut self) -> io::Result<()> {
        let insert =
            "INSERT INTO record (seq, hash, body) SELECT coalesce(max(seq), 0) + 1, x'', x'' FROM record";
        // Undone when it is dropped.
        let transaction = self.connection.transaction().map_err(io::Error::other)?;
        transaction.execute(insert, []).map(|_| ()).map_err(io::Error::other)
    }
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;
         PRAGMA cell_size_check = ON;",
    )?;
    connection.query_row("PRAGMA wal_autocheckpoint = 0", [], |_| Ok(()))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        connection.execute_batch(&format!("BEGIN; {TABLE}; PRAGMA user_version = {FORMAT}; COMMIT;"))?;
    }
    let format: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if FORMATS_BEFORE.contains(&format) {
        connection.execute_batch(&format!("PRAGMA user_version = {FORMAT}"))?;
    }
    Ok(())
}

/// The settings that durability rests on are read back: SQLite ignores a pragma it does not like.
fn check_format(connection: &Connection) -> io::Result<()> {
    let ask = |pragma: &str| {
        let sql = format!("PRAGMA {pragma}");
        connection
            .query_row(&sql, [], |row| row.get::<_, rusqlite::types::Value>(0))
            .map_err(io::Error::other)
    };
    let format = ask("user_version")?;
    let [before, earlier] = FORMATS_BEFORE;
    let is_sound = [FORMAT, before, earlier].map(Into::into).contains(&format)
        && ask("journal_mode")? == "wal".to_owned().into()
        && ask("synchronous")? == 2i64.into();
    let problem = "this is not a ledger of format 1, 2 or 3, or its disk does not allow a write-ahead log";
    if is_sound { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, problem)) }
}

fn row_of(row: &SqlRow) -> rusqlite::Result<Row> {
    let seq: i64 = row.get(0)?;
    Ok(Row { seq: seq.cast_unsigned(), hash: Digest(row.get(1)?), body: row.get(2)? })
}

/// A new file is durable once its directory is.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    // Windows opens no directories as files, and needs no such call.
    if cfg!(windows) {
        return Ok(());
    }
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    File::open(directory)?.sync_all()
}
