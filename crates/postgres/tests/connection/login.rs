//! Who is let in, and by whom.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use pointillist_postgres::{Address, Cell, Connection, ConnectionError, Limits, Password};
use pointillist_testkit::postgres::{Certificate, PostgresServer};

fn open(url: &str, password: Option<&Password>) -> Result<Connection, ConnectionError> {
    Connection::open(&Address::parse(url).unwrap(), password, &Limits::default())
}

/// Specification: under `verify-full` nobody is answered but the server whose certificate is trusted and named.
#[test]
fn a_server_is_verified_and_a_password_comes_from_a_file() {
    let Some(server) = PostgresServer::start_with_tls() else { return };
    server.sql("postgres", "CREATE ROLE curator LOGIN PASSWORD 'geländer 7'");
    let folder = tempfile::tempdir().unwrap();
    let password = |text: &str| {
        let path = folder.path().join("password");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        Password::from_file(&path).unwrap()
    };
    let right = password("geländer 7\n");
    let url = server.tls_url_for("curator", "postgres");
    let connection = open(&url, Some(&right)).unwrap();
    let rows = connection.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", &[]).unwrap();
    assert!(rows == [[Cell::Boolean(true)]]);
    // A request to cancel is a connection of its own, and is verified too.
    connection.canceller().cancel().unwrap();

    assert_eq!(open(&url, Some(&password("gelander 7"))).err(), Some(ConnectionError::Authentication));
    assert_eq!(open(&url, None).err(), Some(ConnectionError::Authentication));

    let other = folder.path().join("other.pem");
    fs::write(&other, Certificate::of(&["localhost"]).pem).unwrap();
    let right_roots = server.socket_dir().join("server.pem").display().to_string();
    let wrong_roots = url.replace(&right_roots, &other.display().to_string());
    assert_ne!(wrong_roots, url);
    assert_eq!(open(&wrong_roots, Some(&right)).err(), Some(ConnectionError::Tls));

    fs::write(&other, "no certificate").unwrap();
    let no_roots = open(&wrong_roots, Some(&right)).err();
    assert_eq!(no_roots, Some(ConnectionError::Roots { path: other.display().to_string() }));

    // The same machine by a name that its certificate does not hold.
    let wrong_name = url.replace("localhost", "127.0.0.1");
    assert_eq!(open(&wrong_name, Some(&right)).err(), Some(ConnectionError::Tls));

    // Without TLS the server lets nobody in, and says so by a SQLSTATE of class 28.
    let plain = format!("postgres://curator@localhost:{}/postgres", server.port());
    assert_eq!(open(&plain, Some(&right)).err(), Some(ConnectionError::Authentication));
}

#[test]
fn a_server_without_tls_is_not_talked_to_where_tls_is_asked_for() {
    let roots = tempfile::NamedTempFile::new().unwrap();
    fs::write(roots.path(), Certificate::of(&["localhost"]).pem).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let refusing = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 8];
        stream.read_exact(&mut request).unwrap();
        stream.write_all(b"N").unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        rest
    });
    let roots = roots.path().display();
    let url = format!("postgres://a@127.0.0.1:{port}/b?sslmode=verify-full&sslrootcert={roots}");
    assert_eq!(open(&url, None).err(), Some(ConnectionError::Tls));
    assert_eq!(refusing.join().unwrap(), b"", "nothing is sent to a server that speaks no TLS");
}

#[test]
fn nobody_there_is_said_and_not_waited_for() {
    let refused = open("postgres://curator@127.0.0.1:1/hospital", None).err().unwrap();
    assert!(matches!(refused, ConnectionError::Unreachable { .. }), "{refused:?}");
    let missing = open("postgres://curator@/hospital?host=/nonexistent", None).err().unwrap();
    // Analysts see it, and have no need of hosts, sockets or roles.
    assert_eq!(missing.to_string(), "the PostgreSQL server cannot be reached (entity not found)");
    // Somebody who takes the call and says nothing.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://curator@127.0.0.1:{}/hospital", listener.local_addr().unwrap().port());
    let limits = Limits { connect_timeout: Duration::from_millis(200), ..Limits::default() };
    let silent = Connection::open(&Address::parse(&url).unwrap(), None, &limits).err();
    assert_eq!(silent, Some(ConnectionError::Timeout));
}

#[test]
fn a_database_that_is_not_there_has_its_sqlstate() {
    let Some(server) = PostgresServer::shared() else { return };
    let missing = open(&server.url("nowhere"), None).err();
    assert_eq!(missing, Some(ConnectionError::Server { sqlstate: "3D000".to_owned() }));
}
