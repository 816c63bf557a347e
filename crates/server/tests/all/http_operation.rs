//! Running a server: what it describes, counts and logs; that it stops when it should and not before.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use pointillist_access::Access;
use pointillist_curator::Home;
use pointillist_server::{
    Limits, LogTarget, Running, ServeError, ServerOptions, SourceFiles, TlsFiles, tell_to_reload,
};
use serde_json::json;

use crate::fixture::{Site, write_visits};

const COUNT: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region";

/// Specification: the description names every path, with the method that it is used with and no other.
#[test]
fn the_description_is_of_every_path() {
    let site = Site::start();
    let document = site.call("GET", "/openapi.json", &[], "").json();
    assert_eq!(document["openapi"], "3.1.0");
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let place = path.replace("{graph}", "contacts").replace("{statistic}", "edges");
        let place = place.replace("{release}", "none").replace("{file}", "none");
        for (method, other) in [("GET", "POST"), ("POST", "GET")] {
            if operations[method.to_lowercase()].is_object() {
                let found = site.call(method, &place, &[("content-type", "application/json")], "{}");
                let is_open = operations[method.to_lowercase()]["security"].is_null();
                assert_eq!(
                    found.status,
                    if is_open { 200 } else { 401 },
                    "{method} {path}: {}",
                    found.text()
                );
                assert_eq!(site.call(other, &place, &[], "").status, 405, "{other} {path}");
            }
        }
    }
    let page = site.call("GET", "/docs", &[], "");
    assert!(page.headers["content-security-policy"].starts_with("default-src 'none'"));
    assert!(!page.text().contains("<script") && !page.text().contains("style="));
    for path in document["paths"].as_object().expect("paths").keys() {
        assert!(page.text().contains(path.as_str()), "{path}");
    }
}

/// Specification: two hospitals that differ by a patient are counted alike, whatever they were answered.
#[test]
fn counters_do_not_depend_on_data() {
    let counted = |patients: u32| {
        let site = Site::with(patients, Limits::default());
        for (who, sql) in
            [("ana", COUNT), ("ana", "SELECT avg(cost) FROM visits"), ("ben", "SELECT cost FROM visits")]
        {
            site.post(who, "/v1/query", &json!({ "sql": sql, "rho": "0.05" }));
        }
        site.get("expired", "/v1/budget");
        // Connections are counted as open until both sides have closed them.
        std::thread::sleep(Duration::from_millis(200));
        site.get("otto", "/metrics").text()
    };
    let counted = [counted(1_000), counted(1_001)];
    assert_eq!(counted[0], counted[1]);
    assert!(
        counted[0].contains("pointillist_requests_total{door=\"http\",verb=\"ask\",outcome=\"ok\"} 2"),
        "{}",
        counted[0]
    );
    assert!(counted[0].contains("verb=\"ask\",outcome=\"privacy\"} 1"), "{}", counted[0]);
    assert!(!counted[0].contains("ana"));
}

/// Specification: a line says who did what and how it ended; no word of a statement, no number of an answer, no token.
#[test]
fn the_log_says_what_happened_and_no_more() {
    let mut site = Site::start();
    let sql = "SELECT count(*) AS n FROM visits WHERE region = 'north' AND cost < 987654321012345";
    assert!(site.post("ana", "/v1/query", &json!({ "sql": sql, "rho": "0.05" })).json()["rows"].is_array());
    site.running.take().expect("it runs").stop();
    let lines: Vec<String> = site.log.lock().expect("nobody else").try_iter().collect();
    let asked = lines.iter().find(|line| line.contains("\"verb\":\"ask\"")).expect("a line");
    let line: serde_json::Value = serde_json::from_str(asked).expect("an object");
    assert_eq!((line["person"].as_str(), line["outcome"].as_str()), (Some("ana"), Some("ok")), "{line}");
    assert!(line["quanta"].as_u64().is_some_and(|quanta| quanta >= 1), "{line}");
    let all = lines.join("\n");
    for secret in ["north", "987654321012345", "SELECT", site.tokens["ana"].as_str()] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
    // A field for the answer would be another one than these.
    let names: BTreeSet<&str> = line.as_object().expect("an object").keys().map(String::as_str).collect();
    let known = "bytes_in bytes_out door event outcome person quanta request_id statement time verb";
    assert_eq!(names, known.split(' ').collect(), "{line}");
    assert!(lines.last().is_some_and(|line| line.contains("stopped")), "{all}");
}

/// Specification: whoever stops the server waits for what was asked, and who asked is answered.
#[test]
fn what_was_asked_is_answered_before_the_server_stops() {
    let mut site = Site::start();
    let running = site.running.take().expect("it runs");
    let address = running.addresses().http.expect("HTTP is open");
    let body = json!({ "sql": COUNT, "rho": "0.05" }).to_string();
    let bearer = format!("Bearer {}", site.tokens["ana"]);
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let request = crate::fixture::request("POST", "/v1/query", &headers, &body);
    let mut stream = std::net::TcpStream::connect(address).expect("a connection");
    std::io::Write::write_all(&mut stream, &request).expect("sent");
    // An answer leaves after a hundred milliseconds; the question is on its way by then.
    std::thread::sleep(Duration::from_millis(40));
    let begin = Instant::now();
    running.stop();
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let mut reply = Vec::new();
    std::io::Read::read_to_end(&mut stream, &mut reply).expect("a reply");
    assert_eq!(crate::fixture::parsed(&reply).status, 200);
    assert!(std::net::TcpStream::connect(address).is_err(), "nobody listens any more");
    let home = Home::open(&site.catalog()).expect("a catalog");
    let kinds: Vec<&str> =
        home.history(false).expect("a ledger").iter().map(|entry| entry.entry.record.kind()).collect();
    assert_eq!(kinds.last(), Some(&"release"), "{kinds:?}");
    home.ledger().expect("the lock is free");
}

/// Specification: what is declared after a reload is what the files say; what was cached under a name is not.
#[test]
fn a_reload_takes_the_files_as_they_are() {
    let site = Site::start();
    let body = json!({ "sql": "SELECT count(*) AS n FROM visits", "rho": "0.05" });
    let before = site.post("ana", "/v1/query", &body).json()["rows"][0][0].as_i64().expect("a count");
    let edges = json!({ "epsilon": "0.5" });
    assert_eq!(site.post("ana", "/v1/graph/contacts/edges", &edges).status, 200);
    let catalog = std::fs::read_to_string(site.catalog()).expect("a catalog");
    write_visits(site.folder.path(), 5_000);
    let newer = catalog.replace("source = \"visits.csv\"", "source = \"visits.csv\"\nversion = \"2\"");
    let newer = newer.replace("cost = {", "price = { name = \"cost\",");
    std::fs::write(site.catalog(), &newer).expect("written");
    assert!(site.get("ana", "/v1/catalog").text().contains("\"cost\""), "nobody has reloaded yet");
    let words = site.running().reload().unwrap_or_else(|error| panic!("{error}")).words;
    assert!(words[0].starts_with("2 tables, 1 graph, "), "{words:?}");
    assert!(site.get("ana", "/v1/catalog").text().contains("\"price\""));
    let after = site.post("ana", "/v1/query", &body).json();
    let now = after["rows"][0][0].as_i64().expect("a count");
    assert!((now - before).abs() > 2_000, "{before} and {now}: answered from before the reload");
    assert_eq!(after["paid"], "in_full", "another version is another question");
}

/// Specification: budgets that changed are refused, in the words of the start, and everything stays as it was.
#[test]
fn a_reload_that_is_not_agreed_to_changes_nothing() {
    let site = Site::start();
    let catalog = std::fs::read_to_string(site.catalog()).expect("a catalog");
    let before = site.get("ana", "/v1/catalog");
    for changed in [
        catalog.replace("budget = { rho = 1,", "budget = { rho = 2,"),
        catalog.replace("shares = { patients = { rho = 0.4,", "shares = { patients = { rho = 0.9,"),
        catalog.replace("[table.hospitals]", "[table.hospitals"),
        format!("{catalog}\n[ledger]\nfolder = \"elsewhere\"\n"),
    ] {
        std::fs::write(site.catalog(), &changed).expect("written");
        let error = site.running().reload().map(|_| ()).expect_err("refused");
        if changed.contains("rho = 2") {
            assert!(error.to_string().contains("but the ledger was told"), "{error}");
        }
        assert_eq!(site.get("ana", "/v1/catalog").body, before.body);
        let question = json!({ "sql": "SELECT count(*) FROM visits", "rho": "0.01" });
        assert_eq!(site.post("ana", "/v1/query", &question).status, 200);
    }
}

/// Specification: the command at the owner's machine reaches the server, and a token that was revoked lets nobody in.
#[test]
fn the_control_socket_reloads() {
    let site = Site::start();
    let path = site.folder.path().join(".pointillist/access.toml");
    Access::edit(&path, |access| access.remove("ben")).expect("edited");
    assert_eq!(site.get("ben", "/v1/budget").status, 200, "nobody has reloaded yet");
    let said = tell_to_reload(site.folder.path()).expect("an answer").expect("a server");
    assert!(said["reloaded"][0].as_str().is_some_and(|words| words.ends_with("4 people")), "{said}");
    assert_eq!(site.get("ben", "/v1/budget").status, 401);
    std::fs::write(site.catalog(), "[scope").expect("written");
    let said = tell_to_reload(site.folder.path()).expect("an answer").expect("a server");
    assert!(said["error"]["message"].is_string(), "{said}");
    let socket = site.folder.path().join(".pointillist/control.sock");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&socket).expect("a socket").permissions());
    assert_eq!(mode & 0o777, 0o600);
    drop(site.running);
    assert!(tell_to_reload(site.folder.path()).expect("no server").is_none());
}

#[test]
fn addresses_of_others_need_a_certificate() {
    let site = Site::start();
    let home = Home::open(&site.catalog()).expect("a catalog");
    let options = ServerOptions { http: Some(([0, 0, 0, 0], 0).into()), ..ServerOptions::default() };
    let refused = Running::start(home, Access::new().expect("randomness"), options);
    assert!(matches!(refused, Err(ServeError::InTheOpen { .. })));
}

/// Specification: with a certificate HTTP is encrypted and nothing else, and a renewed one is taken by a reload.
#[test]
fn https_is_served_under_the_certificate_as_it_stands() {
    let mut site = Site::start();
    drop(site.running.take());
    let folder = site.folder.path().to_owned();
    let files = TlsFiles { certificate: folder.join("server.pem"), key: folder.join("server.key") };
    let first = write_certificate(&files);
    let (home, access) =
        (Home::open(&site.catalog()).expect("a catalog"), folder.join(".pointillist/access.toml"));
    let options = ServerOptions {
        http: Some(([127, 0, 0, 1], 0).into()),
        tls: Some(files.clone()),
        sources: Some(SourceFiles { catalog: site.catalog(), access: access.clone() }),
        log: LogTarget::Nowhere,
        ..ServerOptions::default()
    };
    let access = Access::load(&access).expect("an access file");
    site.running = Some(Running::start(home, access, options).unwrap_or_else(|error| panic!("{error}")));
    assert!(https(&site, &first).is_some_and(|reply| reply.starts_with("HTTP/1.1 200")));
    let plain = site.raw(b"GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    assert!(!plain.starts_with(b"HTTP/"), "answered in the open");
    let second = write_certificate(&files);
    site.running().reload().unwrap_or_else(|error| panic!("{error}"));
    assert!(https(&site, &second).is_some_and(|reply| reply.starts_with("HTTP/1.1 200")));
    assert_eq!(https(&site, &first), None, "the old certificate is not shown any more");
}

/// A new certificate for `localhost`, which is returned.
fn write_certificate(files: &TlsFiles) -> rustls::pki_types::CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(&files.certificate, made.cert.pem()).expect("written");
    std::fs::write(&files.key, made.signing_key.serialize_pem()).expect("written");
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&files.key, private).expect("private");
    made.cert.der().clone()
}

/// What a client that trusts this certificate alone gets; nothing where it does not trust the server.
fn https(site: &Site, trusted: &rustls::pki_types::CertificateDer<'static>) -> Option<String> {
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
    let stream = std::net::TcpStream::connect(site.http()).expect("a connection");
    let mut stream = rustls::StreamOwned::new(session, stream);
    let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    std::io::Write::write_all(&mut stream, request).ok()?;
    let mut reply = Vec::new();
    // The end of the stream may come without a farewell.
    let _ = std::io::Read::read_to_end(&mut stream, &mut reply);
    Some(String::from_utf8_lossy(&reply).into_owned())
}
