//! The server as a process, among people whom nobody trusts.

#[path = "serve/canaries.rs"]
mod canaries;
#[path = "serve/doors.rs"]
mod doors;
#[path = "serve/kill.rs"]
mod kill;
#[path = "serve/restore.rs"]
mod restore;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use pointillist_access::{Access, Password, Role, TokenTerms};
use serde_json::Value;

/// A folder with a catalog, people and their analysts.
struct Folder {
    folder: tempfile::TempDir,
    password: String,
    token: String,
}

impl Folder {
    /// A table of so many visits, with this budget of ρ for ana, who is the only analyst.
    fn new(budget: &str, rows: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut text = String::from("id,region,cost,note\n");
        for row in 0..rows {
            let region = ["north", "south"][row % 2];
            writeln!(text, "{row},{region},{},nothing", row % 100).expect("a string grows");
        }
        let catalog = format!(
            "[scope.people]\nbudget = {{ rho = {budget}, delta = 1e-9 }}\n[service]\ndatabase = \"hospital\"\nquantum_ms = 20\n\
             [table.visits]\nscope = \"people\"\nsource = \"visits.csv\"\nprivacy_unit = \"id\"\nmax_groups = 1\nmax_contributions = 1\n\
             [table.visits.columns]\nregion = {{ type = \"text\", public_keys = [\"north\", \"south\"] }}\n\
             cost = {{ type = \"integer\", lower = 0, upper = 100 }}\nnote = {{ type = \"text\" }}\n\
             [analyst.ana]\nshares = {{ people = {{ rho = {budget}, delta = 1e-9 }} }}\n"
        );
        Self::of(folder, &catalog, &text)
    }

    fn of(folder: tempfile::TempDir, catalog: &str, rows: &str) -> Self {
        std::fs::write(folder.path().join("visits.csv"), rows).expect("a file");
        std::fs::write(folder.path().join("pointillist.toml"), catalog).expect("a file");
        std::fs::create_dir(folder.path().join(".pointillist")).expect("a folder");
        let (mut access, password) = (Access::new().expect("bits"), Password::made().expect("bits"));
        access.add("ana", Role::Analyst, Some(&password)).expect("a new person");
        let token = access.create_token("ana", TokenTerms::default(), SystemTime::now()).expect("bits").text;
        access.save(&folder.path().join(".pointillist/access.toml")).expect("a file");
        Self { password: password.text().to_owned(), folder, token }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn catalog(&self) -> PathBuf {
        self.path().join("pointillist.toml")
    }

    fn serve(&self) -> Server {
        let catalog = self.catalog();
        let catalog = catalog.to_str().expect("a path of letters");
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.path().join("server.log"))
            .expect("a log");
        let mut process = Command::new(env!("CARGO_BIN_EXE_pointillist"))
            .args([
                "serve",
                "--catalog",
                catalog,
                "--postgres",
                "127.0.0.1:0",
                "--http",
                "127.0.0.1:0",
                "--json",
            ])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        let out = process.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("the server says: {line}"));
        let port = |key: &str| {
            let address = ready[key].as_str().expect("an address").rsplit_once(':').expect("a port").1;
            address.split('/').next().and_then(|port| port.parse().ok()).expect("a port")
        };
        Server {
            postgres: port("postgres"),
            http: port("http"),
            process,
            token: self.token.clone(),
            password: self.password.clone(),
        }
    }

    /// What the owner sees, as JSON.
    fn budget(&self) -> Value {
        let catalog = self.catalog();
        let output =
            super::pointillist(&["budget", "--json", "--catalog", catalog.to_str().expect("a path")]);
        serde_json::from_str(&super::stdout(&output)).expect("JSON")
    }
}

/// A server that ends with us.
struct Server {
    process: Child,
    postgres: u16,
    http: u16,
    token: String,
    password: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    async fn connect(&self) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
        let mut config = tokio_postgres::Config::new();
        config.host("127.0.0.1").port(self.postgres).user("ana").password(&self.password).dbname("hospital");
        let (client, connection) = config.connect(tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// Sends a request and reads until the server has said everything; `None` where it does not answer.
    fn request(&self, method: &str, path: &str, accept: &str, body: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.http)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {}\r\nAccept: {accept}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        )
        .ok()?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply).ok()?;
        (!reply.is_empty()).then_some(reply)
    }

    /// The body of an answer over HTTP, as JSON.
    fn ask(&self, sql: &str, rho: &str) -> Option<Value> {
        let body = serde_json::json!({ "sql": sql, "rho": rho }).to_string();
        let reply = self.request("POST", "/v1/query", "application/json", &body)?;
        let (head, body) = reply.split_once("\r\n\r\n")?;
        head.starts_with("HTTP/1.1 200").then(|| serde_json::from_str(body).expect("JSON"))
    }
}

/// Runs what waits.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime").block_on(future)
}
