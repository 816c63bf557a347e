//! Serving from the command line: the line that scripts wait for, people who are let in, reloading, ending.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::folder::Folder;
use super::{stderr, stdout};

/// A server that ends with the test.
struct Server {
    child: Child,
    ready: Value,
}

impl Server {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pointillist"))
            .args(["serve", "--json", "--http", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let ready = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Self { child, ready }
    }

    fn ask(&self, token: &str, path: &str, body: &str) -> String {
        let address =
            self.ready["http"].as_str().and_then(|http| http.strip_prefix("http://")).expect("HTTP");
        let mut stream = TcpStream::connect(address).expect("a connection");
        let method = if body.is_empty() { "GET" } else { "POST" };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        reply
    }

    /// Tells it to end, and gives its exit code.
    fn end(mut self) -> Option<i32> {
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(told.is_ok_and(|told| told.success()));
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Specification: one line says where the doors are and how to come in, and it is true; a signal ends it in order.
#[test]
fn the_demo_is_served_until_it_is_told_to_end() {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--demo", "--postgres", "127.0.0.1:0"]);
    let postgres = server.ready["postgres"].as_str().expect("a door");
    assert!(postgres.starts_with("postgres://ana:") && postgres.ends_with("/hospital"), "{postgres}");
    let token = server.ready["token"].as_str().expect("a token").to_owned();
    let body = "{\"sql\": \"SELECT count(*) FROM visits\", \"epsilon\": \"0.1\"}";
    let reply = server.ask(&token, "/v1/query", body);
    assert!(reply.starts_with("HTTP/1.1 200") && reply.contains("\"receipt\""), "{reply}");
    assert_eq!(server.end(), Some(0));
}

/// Specification: somebody is let in, asks, gets a token taken back, and is let in no longer; each after a reload and not before.
#[test]
fn people_are_let_in_and_out_while_it_runs() {
    let folder = Folder::new();
    let before = std::fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    let server = Server::start(&folder, &["--postgres", "off"]);
    assert!(server.ready["postgres"].is_null() && server.ready["token"].is_null());
    let added = folder.json(&["analyst", "add", "zoe", "--share", "people=rho:0.01"]);
    assert!(added["password"].as_str().is_some_and(|password| password.len() > 20), "{added}");
    let catalog = std::fs::read_to_string(folder.join("pointillist.toml")).expect("a catalog");
    assert!(before.lines().all(|line| catalog.lines().any(|found| found == line)), "{catalog}");
    let made = folder.json(&["token", "create", "zoe", "--days", "7"]);
    let token = made["token"].as_str().expect("a token");
    assert!(server.ask(token, "/v1/budget", "").starts_with("HTTP/1.1 401"));
    assert!(folder.words(&["reload"]).contains("1 person"));
    assert!(server.ask(token, "/v1/budget", "").contains("\"rho\":\"0.01\""));
    folder.json(&["token", "revoke", made["id"].as_str().expect("an id")]);
    folder.json(&["reload"]);
    assert!(server.ask(token, "/v1/budget", "").starts_with("HTTP/1.1 401"));
    assert_eq!(folder.json(&["token", "list"])["tokens"][0]["state"], "revoked");
    // What the ledger was told differently is refused, and the server goes on.
    folder.edit("rho = 0.01", "rho = 0.02");
    assert!(folder.refused(&["reload"], 3).contains("nothing has changed"));
    assert!(server.ask(token, "/healthz", "").starts_with("HTTP/1.1 200"));
    assert_eq!(server.end(), Some(0));
    assert!(folder.refused(&["reload"], 1).contains("no server runs"));
}

#[test]
fn passwords_come_from_stdin_or_are_made_and_the_file_is_the_owners() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_pointillist");
    let output =
        folder.shell(&format!("echo 'a password of mine' | {program} analyst add zoe --stdin --json"));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stdout(&output).contains("a password of mine"));
    let path = folder.join(".pointillist/access.toml");
    let file = std::fs::read_to_string(&path).expect("a file");
    assert!(file.contains("SCRAM-SHA-256") && !file.contains("a password of mine"), "{file}");
    assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    folder.refused(&["analyst", "add", "zoe"], 2);
    folder.refused(&["analyst", "add", "owner"], 2);
    folder.refused(&["analyst", "add", "yan", "--role", "king"], 2);
    folder.refused(&["analyst", "add", "yan", "--share", "nobody=rho:0.1"], 2);
    let people = folder.json(&["analyst", "list"]);
    assert_eq!(people["people"].as_array().map(Vec::len), Some(1), "{people}");
    folder.json(&["analyst", "revoke", "zoe"]);
    assert_eq!(folder.json(&["analyst", "list"])["people"].as_array().map(Vec::len), Some(0));
}

#[test]
fn addresses_of_others_need_a_certificate() {
    let folder = Folder::new();
    let words = folder.refused(&["serve", "--http", "0.0.0.0:0", "--postgres", "off"], 3);
    assert!(words.contains("certificate"), "{words}");
    folder.refused(&["serve", "--http", "somewhere"], 2);
}
