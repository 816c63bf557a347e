//! Which rows a declared table is, however its server and its name are written.
//!
//! **Guarantee.** Two spellings of one address (a port that is written out, capitals of a host, a slash more, another role) are one
//! server, and two spellings of one name (a catalog or a database that is Spark's own default, files with a slash more) are one
//! table. Where names cannot tell, two tables count as the same rows: on Spark a table and files, of which one may be where the other
//! is stored, and files below files.
//! **Not covered.** One server under two names, a view of a table, copies: those are for the owner to know.

use std::fmt;

use pointillist_catalog::{Connection, RemoteTable, System};

/// A server, and which of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsPlace {
    server: String,
    rows: Rows,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Rows {
    Table(Vec<String>),
    /// The folders on the way to them.
    Files(Vec<String>),
}

impl RowsPlace {
    /// Where a table behind a connection is. Asks nobody.
    pub fn of(connection: &Connection, table: &RemoteTable) -> Self {
        // An address that is not understood is only itself; nothing is asked there.
        let as_written = || connection.url.clone();
        match connection.system {
            System::Postgres => {
                let address = pointillist_postgres::Address::parse(&connection.url);
                let server = address.map_or_else(|_| as_written(), |address| address.place());
                Self { server, rows: Rows::Table(table.path.clone()) }
            }
            System::Spark => {
                let address = pointillist_spark::Address::parse(&connection.url);
                let server = address.map_or_else(|_| as_written(), |address| address.place());
                Self { server, rows: spark_rows(&table.path) }
            }
        }
    }

    /// The server, as it is recorded.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Whether both may be the same rows, or some of them.
    pub fn overlaps(&self, other: &Self) -> bool {
        let is_same = match (&self.rows, &other.rows) {
            (Rows::Table(one), Rows::Table(another)) => one == another,
            (Rows::Files(one), Rows::Files(another)) => one.starts_with(another) || another.starts_with(one),
            (Rows::Table(_), Rows::Files(_)) | (Rows::Files(_), Rows::Table(_)) => true,
        };
        is_same && self.server == other.server
    }
}

/// For messages.
impl fmt::Display for RowsPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rows {
            Rows::Table(path) => write!(out, "{} at {}", path.join("."), self.server),
            Rows::Files(path) => write!(out, "/{} at {}", path.join("/"), self.server),
        }
    }
}

/// Spark looks names up without their capitals, and completes them by its own catalog and its own database.
fn spark_rows(path: &[String]) -> Rows {
    if let [format, files] = path
        && crate::spark::is_files(format, files)
    {
        // The same files may be reached by several schemes and hosts; what is behind them is compared.
        let files = files.split_once("://").map_or(files.as_str(), |(_, rest)| match rest.starts_with('/') {
            true => rest,
            false => rest.split_once('/').map_or("", |(_, path)| path),
        });
        let files = files.strip_prefix("file:").unwrap_or(files);
        return Rows::Files(
            files.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect(),
        );
    }
    let missing = ["spark_catalog", "default"].into_iter().take(3usize.saturating_sub(path.len()));
    Rows::Table(missing.map(str::to_owned).chain(path.iter().map(|part| part.to_lowercase())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str, source: &str) -> RowsPlace {
        let system = System::of_url(url).unwrap();
        let connection = Connection {
            name: "there".to_owned(),
            system,
            url: url.to_owned(),
            password_file: None,
            trust_views: false,
        };
        let table = RemoteTable::of_source(&format!("{}:there/{source}", system.word()));
        RowsPlace::of(&connection, &table.unwrap().unwrap())
    }

    /// Specification: spellings of one table of one server are the same rows, and nothing else is.
    #[test]
    fn spellings_of_one_table_are_the_same_rows() {
        let stays = place("postgres://reader@Db.example/clinic?sslmode=disable", "public.stays");
        for (url, table) in [
            ("postgres://other@db.example:5432/clinic?sslmode=disable", "public.stays"),
            ("postgresql://reader@db.EXAMPLE/clini%63?sslmode=disable&port=5432", "public.stays"),
            ("postgres://r@db.example/clinic?sslmode=verify-full&sslrootcert=/a.pem", "public.\"stays\""),
        ] {
            assert!(stays.overlaps(&place(url, table)), "{url}");
        }
        for (url, table) in [
            ("postgres://reader@db.example/Clinic?sslmode=disable", "public.stays"),
            ("postgres://reader@db.example:5433/clinic?sslmode=disable", "public.stays"),
            ("postgres://reader@db2.example/clinic?sslmode=disable", "public.stays"),
            ("postgres://reader@db.example/clinic?sslmode=disable", "public.Stays"),
        ] {
            assert!(!stays.overlaps(&place(url, table)), "{url}");
        }
        let socket = place("postgres://r@/clinic?host=/tmp", "public.stays");
        for url in [
            "postgres://r@/clinic?host=%2Ftmp",
            "postgres://r@:5432/clinic?host=/tmp/",
            "postgres://r@/clinic?host=/tmp/../tmp",
        ] {
            assert!(socket.overlaps(&place(url, "public.stays")), "{url}");
        }
        assert!(!socket.overlaps(&place("postgres://r@/clinic?host=/tmp&port=5433", "public.stays")));
        for url in ["postgres://r@127.0.0.1/clinic", "postgres://r@[::1]/clinic"] {
            assert!(
                place("postgres://r@localhost/clinic", "public.stays").overlaps(&place(url, "public.stays"))
            );
        }
    }

    #[test]
    fn names_and_files_of_spark_are_told_apart_only_where_they_can_be() {
        let stays = place("sc://127.0.0.1:15002/", "default.stays");
        for (url, table) in [
            ("sc://127.0.0.1", "stays"),
            ("sc://localhost:15002/;user_id=ada", "spark_catalog.default.STAYS"),
            ("sc://127.0.0.1", "parquet.\"/lake/anything\""),
        ] {
            assert!(stays.overlaps(&place(url, table)), "{url} {table}");
        }
        for (url, table) in [("sc://127.0.0.1", "clinic.stays"), ("sc://127.0.0.1:15003", "default.stays")] {
            assert!(!stays.overlaps(&place(url, table)), "{url} {table}");
        }
        let files = place("sc://127.0.0.1", "parquet.\"/lake/stays\"");
        assert!(files.overlaps(&place("sc://127.0.0.1", "orc.\"file:///lake//stays/day=1/\"")));
        assert!(!files.overlaps(&place("sc://127.0.0.1", "parquet.\"/lake/stays2\"")));
    }
}
