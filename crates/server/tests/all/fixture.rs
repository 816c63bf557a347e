//! A small hospital behind a server, people with tokens, and a client of a few lines.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, SystemTime};

use pointillist_access::{Access, Password, Role, TokenTerms};
use pointillist_curator::Home;
use pointillist_publication::with_releases;
use pointillist_server::{Limits, LogTarget, Running, ServerOptions, SourceFiles, TlsFiles};
use rustls::pki_types::CertificateDer;
use serde_json::Value;
use tempfile::TempDir;

use crate::wire_client::{SSL_REQUEST, WireClient, socket};

/// Passwords are as long as the file wants them.
pub const PASSWORD: &str = "correct horse battery staple";

pub const CATALOG: &str = "\
[scope.patients]
budget = { rho = 1, delta = 1e-9 }

[table.visits]
scope = \"patients\"
source = \"visits.csv\"
privacy_unit = \"patient_id\"
max_groups = 2
max_contributions = 3

[table.visits.columns]
region = { type = \"text\", public_keys = [\"north\", \"south\"] }
cost = { type = \"integer\", lower = 0, upper = 100 }

[table.hospitals]
public = true
source = \"hospitals.csv\"

[table.hospitals.columns]
hospital = { type = \"text\" }

[graph.contacts]
scope = \"patients\"
source = \"contacts.csv\"
privacy = \"node\"

[analyst.ana]
shares = { patients = { rho = 0.4, delta = 2e-10 } }

[analyst.ben]
shares = { patients = { rho = 0.1, delta = 2e-10 } }

[service]
quantum_ms = 100
";

/// A server and what it was made from.
pub struct Site {
    pub folder: TempDir,
    pub running: Option<Running>,
    pub tokens: BTreeMap<&'static str, String>,
    pub log: Mutex<Receiver<String>>,
    /// What clients trust, where the doors are encrypted.
    pub certificate: Option<CertificateDer<'static>>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpReply {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl HttpReply {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// Visits of this many patients, half of them in the north.
pub fn write_visits(folder: &std::path::Path, patients: u32) {
    let mut visits = "patient_id,region,cost\n".to_owned();
    for patient in 0..patients {
        let region = if patient % 2 == 0 { "north" } else { "south" };
        visits.push_str(&format!("{patient},{region},{}\n", patient % 100));
    }
    fs::write(folder.join("visits.csv"), visits).expect("visits");
}

impl Site {
    /// A hospital with a thousand patients.
    pub fn start() -> Self {
        Self::with(1_000, Limits::default())
    }

    pub fn with(patients: u32, limits: Limits) -> Self {
        Self::of(CATALOG, patients, limits)
    }

    /// The same hospital under another catalog.
    pub fn of(catalog: &str, patients: u32, limits: Limits) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        write_visits(folder.path(), patients);
        fs::write(folder.path().join("hospitals.csv"), "hospital\nmercy\nhope\n").expect("hospitals");
        fs::write(folder.path().join("contacts.csv"), "1,2\n2,3\n1,3\n3,4\n").expect("contacts");
        fs::write(folder.path().join("pointillist.toml"), catalog).expect("a catalog");
        fs::create_dir(folder.path().join(".pointillist")).expect("a folder");
        let mut tokens = BTreeMap::new();
        let password = Password::new(PASSWORD).expect("a password");
        Access::edit(&folder.path().join(".pointillist/access.toml"), |access| {
            for (name, role) in [
                ("ana", Role::Analyst),
                ("ben", Role::Analyst),
                ("chief", Role::Owner),
                ("carla", Role::Curator),
                ("otto", Role::Auditor),
            ] {
                access.add(name, role, Some(&password))?;
                let token = access.create_token(name, TokenTerms::default(), SystemTime::now())?;
                tokens.insert(name, token.text);
            }
            let expires = Some(SystemTime::now() - Duration::from_secs(5));
            let expired =
                access.create_token("ana", TokenTerms { expires, verbs: None }, SystemTime::now())?;
            tokens.insert("expired", expired.text);
            Ok(())
        })
        .expect("an access file");
        let (sender, log) = mpsc::channel();
        let mut site = Self { folder, running: None, tokens, log: Mutex::new(log), certificate: None };
        site.open(limits, LogTarget::Lines(sender));
        site
    }

    pub fn catalog(&self) -> PathBuf {
        self.folder.path().join("pointillist.toml")
    }

    /// The same hospital behind a certificate for `localhost`, at both doors.
    pub fn encrypted() -> Self {
        let mut site = Self::with(200, Limits::default());
        drop(site.running.take());
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let folder = site.folder.path().to_owned();
        let files = TlsFiles { certificate: folder.join("server.pem"), key: folder.join("server.key") };
        fs::write(&files.certificate, made.cert.pem()).expect("written");
        fs::write(&files.key, made.signing_key.serialize_pem()).expect("written");
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(&files.key, private).expect("private");
        site.certificate = Some(made.cert.der().clone());
        site.open_with(Limits::default(), LogTarget::Nowhere, Some(files));
        site
    }

    /// A session of TLS on this socket, after a request for it; nothing where the server is not trusted.
    pub fn handshake(
        mut stream: TcpStream,
        trusted: &CertificateDer<'static>,
    ) -> Option<rustls::StreamOwned<rustls::ClientConnection, TcpStream>> {
        stream.write_all(&SSL_REQUEST).expect("sent");
        let mut said = [0];
        stream.read_exact(&mut said).expect("a byte");
        assert_eq!(said, *b"S");
        let mut roots = rustls::RootCertStore::empty();
        roots.add(trusted.clone()).expect("a root");
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = "localhost".try_into().expect("a name");
        let session = rustls::ClientConnection::new(std::sync::Arc::new(config), name).expect("a client");
        let mut stream = rustls::StreamOwned::new(session, stream);
        stream.flush().ok()?;
        (!stream.conn.is_handshaking()).then_some(stream)
    }

    /// Somebody who has come in on the wire, encrypted where that is wanted.
    pub fn enter(&self, who: &str) -> WireClient {
        let Some(trusted) = &self.certificate else { return self.wire(who) };
        let stream = Self::handshake(socket(self.postgres()), trusted).expect("a handshake");
        let parameters = [("user", who), ("database", "hospital"), ("options", "-c pointillist.rho=0.01")];
        WireClient::log_in(stream, PASSWORD, &parameters).unwrap_or_else(|refusal| panic!("{who}: {refusal}"))
    }

    /// Starts the server again, after it was stopped.
    pub fn open(&mut self, limits: Limits, log: LogTarget) {
        self.open_with(limits, log, None);
    }

    fn open_with(&mut self, limits: Limits, log: LogTarget, tls: Option<TlsFiles>) {
        let (home, _) = with_releases(Home::open(&self.catalog()).expect("a catalog"));
        let access = self.folder.path().join(".pointillist/access.toml");
        let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        let options = ServerOptions {
            http: any,
            postgres: any,
            limits,
            database: "hospital".to_owned(),
            sources: Some(SourceFiles { catalog: self.catalog(), access: access.clone() }),
            log,
            tls,
        };
        let access = Access::load(&access).expect("an access file");
        self.running = Some(Running::start(home, access, options).unwrap_or_else(|error| panic!("{error}")));
    }

    pub fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs")
    }

    pub fn http(&self) -> SocketAddr {
        self.running().addresses().http.expect("HTTP is open")
    }

    pub fn postgres(&self) -> SocketAddr {
        self.running().addresses().postgres.expect("the wire is open")
    }

    /// Somebody who has come in on the wire, where a question costs a hundredth of ρ.
    pub fn wire(&self, who: &str) -> WireClient {
        self.wire_with(who, PASSWORD, &[("options", "-c pointillist.rho=0.01")])
            .unwrap_or_else(|refusal| panic!("{who}: {refusal}"))
    }

    /// Comes in with this password and more of a startup message; the refusal in words where that fails.
    pub fn wire_with(&self, who: &str, password: &str, more: &[(&str, &str)]) -> Result<WireClient, String> {
        let parameters = [&[("user", who), ("database", "hospital")], more].concat();
        WireClient::log_in(socket(self.postgres()), password, &parameters)
    }

    /// What an analyst has spent, in digits.
    pub fn spent(&self, who: &str) -> String {
        let budget = self.get(who, "/v1/budget").json();
        budget["scopes"][0]["spent"]["rho"].as_str().unwrap_or_else(|| panic!("{budget}")).to_owned()
    }

    /// Bytes as they are; the reply as they come, until the server closes.
    pub fn raw(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.http()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        // A server that has seen enough may close before all is sent.
        let _ = stream.write_all(request);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        reply
    }

    /// One request on a connection of its own.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> HttpReply {
        parsed(&self.raw(&request(method, path, headers, body)))
    }

    fn bearer(&self, who: &str) -> String {
        format!("Bearer {}", self.tokens[who])
    }

    pub fn get(&self, who: &str, path: &str) -> HttpReply {
        self.call("GET", path, &[("authorization", &self.bearer(who))], "")
    }

    pub fn post(&self, who: &str, path: &str, body: &Value) -> HttpReply {
        self.post_with(who, path, &[], body)
    }

    pub fn post_with(&self, who: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> HttpReply {
        let bearer = self.bearer(who);
        let own = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        self.call("POST", path, &[&own[..], headers].concat(), &body.to_string())
    }
}

pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut request = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    request.into_bytes()
}

pub fn parsed(reply: &[u8]) -> HttpReply {
    let end = reply.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(reply)));
    let head = String::from_utf8_lossy(&reply[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let header =
        |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    HttpReply {
        status: status.expect("a status"),
        headers: lines.filter_map(header).collect(),
        body: reply[end + 4..].to_vec(),
    }
}
