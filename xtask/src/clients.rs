//! `cargo xtask clients`: real clients of other people, against a real server of made-up people.
//!
//! The scripts are in `crates/server/tests/clients`. What a client needs is installed below `target/peers` where the machine lets
//! us, and a client that a machine cannot have is skipped with a loud line.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::{cargo, peer};

const SCRIPTS: &str = "crates/server/tests/clients";
/// What Debian calls pgjdbc.
const JDBC_PACKAGE: &str = "libpostgresql-jdbc-java";

/// Starts a server and lets every client at it. Good news names those that ran and shouts about those that did not.
///
/// # Errors
/// When the server does not start, or a client finds something wrong.
pub fn run(root: &Path) -> Result<String, String> {
    build(root)?;
    let server = Server::start(root)?;
    let mut news = Vec::new();
    for (name, client) in CLIENTS {
        news.push(match client(root, &server) {
            Ran::Passed => format!("{name}: passed"),
            Ran::Skipped(reason) => format!("!!! {name}: SKIPPED, {reason}"),
            Ran::Failed => return Err(format!("{name} found something wrong\nhint: its words are above, the server's in clients.log of the target folder")),
        });
    }
    Ok(news.join("\n"))
}

/// Builds the binary as the tests do: after them nothing is left to do, and no dependency has other features.
pub fn build(root: &Path) -> Result<(), String> {
    let mut build = cargo::command(root);
    build.args(["test", "--workspace", "--tests", "--no-run", "--quiet", "--locked"]);
    match build.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err("the server does not build".to_owned()),
    }
}

enum Ran {
    Passed,
    Skipped(String),
    Failed,
}

type Client = fn(&Path, &Server) -> Ran;

const CLIENTS: [(&str, Client); 4] = [
    ("psql", psql),
    ("psycopg, pandas, SQLAlchemy", |root, server| python(root, server, "psycopg_pandas_sqlalchemy.py")),
    ("asyncpg", |root, server| python(root, server, "asyncpg_client.py")),
    ("pgjdbc", jdbc),
];

/// A server that ends with us.
pub struct Server {
    process: Child,
    postgres: String,
    /// Where the console is.
    pub http: String,
    token: String,
    /// Names, passwords and tokens, as JSON.
    pub people: String,
}

impl Server {
    /// Starts one, and waits until its doors are open.
    pub fn start(root: &Path) -> Result<Self, String> {
        let target = cargo::target_directory(root)?;
        let binary = target.join("debug/pointillist");
        let log = std::fs::File::create(target.join("clients.log"))
            .map_err(|error| format!("the log of the server cannot be written: {error}"))?;
        let arguments = ["serve", "--demo", "--postgres", "127.0.0.1:0", "--http", "127.0.0.1:0", "--json"];
        let mut process = Command::new(binary)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("the server does not start: {error}"))?;
        let mut line = String::new();
        if let Some(out) = process.stdout.as_mut() {
            BufReader::new(out).read_line(&mut line).map_err(|error| error.to_string())?;
        }
        let ready: Value = serde_json::from_str(&line).map_err(|_| format!("the server says: {line}"))?;
        let text = |key: &str| ready[key].as_str().unwrap_or_default().to_owned();
        let (postgres, http, token) = (text("postgres"), text("http"), text("token"));
        Ok(Self { process, postgres, http, token, people: ready["people"].to_string() })
    }

    fn for_client(&self, mut command: Command) -> Ran {
        command.env("POINTILLIST_POSTGRES", &self.postgres);
        command.env("POINTILLIST_HTTP", &self.http);
        command.env("POINTILLIST_TOKEN", &self.token);
        command.env("POINTILLIST_JDBC", jdbc_address(&self.postgres).unwrap_or_default());
        match command.status() {
            Ok(status) if status.success() => Ran::Passed,
            Ok(_) => Ran::Failed,
            Err(error) => Ran::Skipped(error.to_string()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// `postgres://user:password@host/database` as pgjdbc wants it.
fn jdbc_address(postgres: &str) -> Option<String> {
    let (login, place) = postgres.strip_prefix("postgres://")?.split_once('@')?;
    let (user, password) = login.split_once(':')?;
    Some(format!("jdbc:postgresql://{place}?user={user}&password={password}"))
}

fn psql(root: &Path, server: &Server) -> Ran {
    if !has("psql") {
        return Ran::Skipped("psql is not installed (Debian: postgresql-client)".to_owned());
    }
    let mut command = Command::new("bash");
    command.arg(root.join(SCRIPTS).join("psql.sh"));
    server.for_client(command)
}

fn python(root: &Path, server: &Server, script: &str) -> Ran {
    let script = root.join(SCRIPTS).join(script);
    match peer::python_for(root, &script) {
        Ok(python) => {
            let mut command = Command::new(python);
            command.arg(script);
            server.for_client(command)
        }
        Err(reason) => Ran::Skipped(reason),
    }
}

fn jdbc(root: &Path, server: &Server) -> Ran {
    if !has("java") {
        return Ran::Skipped("java is not installed (Debian: default-jdk-headless)".to_owned());
    }
    match jdbc_jar(root) {
        Ok(jar) => {
            let mut command = Command::new("java");
            command.arg("-cp").arg(jar).arg(root.join(SCRIPTS).join("Jdbc.java"));
            server.for_client(command)
        }
        Err(reason) => Ran::Skipped(reason),
    }
}

/// pgjdbc as Debian packs it: where it is installed, or unpacked below `target/peers`.
fn jdbc_jar(root: &Path) -> Result<PathBuf, String> {
    let installed = PathBuf::from("/usr/share/java/postgresql.jar");
    if installed.exists() {
        return Ok(installed);
    }
    let folder = root.join("target/peers/pgjdbc");
    let jar = folder.join("usr/share/java/postgresql.jar");
    if !jar.exists() {
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("target/peers cannot be written: {error}"))?;
        let script = format!("apt-get download {JDBC_PACKAGE} && dpkg-deb -x {JDBC_PACKAGE}_*.deb .");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::null());
        if !command.status().is_ok_and(|status| status.success()) || !jar.exists() {
            return Err(format!("{JDBC_PACKAGE} could not be fetched from Debian's packages"));
        }
    }
    Ok(jar)
}

/// Whether a program is on this machine.
pub fn has(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_said_in_the_words_of_each_client() {
        let address = jdbc_address("postgres://ana:secret@127.0.0.1:5433/hospital");
        assert_eq!(
            address.as_deref(),
            Some("jdbc:postgresql://127.0.0.1:5433/hospital?user=ana&password=secret")
        );
        assert_eq!(jdbc_address("http://127.0.0.1"), None);
    }
}
