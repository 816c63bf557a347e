//! The wire through TLS, from the handshake to an answer.

use std::process::Command;

use crate::fixture::{PASSWORD, Site};
use crate::wire_client::socket;

const COUNT: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region ORDER BY region";

/// Specification: whoever is encrypted comes in and asks, and the digits are those of every other door; in the open nobody comes in.
#[test]
fn an_encrypted_session_asks() {
    let site = Site::encrypted();
    let refused = site.wire_with("ana", PASSWORD, &[]).err().expect("nobody comes in in the open");
    assert!(refused.starts_with("28000 "), "{refused}");
    let mut ana = site.enter("ana");
    let first = ana.ask(COUNT);
    assert_eq!(first[3], "C SELECT 2", "{first:?}");
    assert_eq!(site.enter("ana").ask(COUNT), first);
    assert_eq!(
        ana.ask("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").last().map(String::as_str),
        Some("Z I")
    );
}

/// Specification: a handshake behind which nothing comes, or a certificate that the client does not know, is the end of that connection
/// and of nothing else.
#[test]
fn a_handshake_that_fails_is_one_connections_end() {
    let site = Site::encrypted();
    let other = Site::encrypted();
    let trusted = other.certificate.as_ref().expect("a certificate");
    assert!(Site::handshake(socket(site.postgres()), trusted).is_none(), "another server's certificate");
    drop(socket(site.postgres()));
    assert_eq!(site.enter("ana").ask(COUNT)[3], "C SELECT 2");
}

/// Specification: PostgreSQL's own client comes in where it verifies the server and is bound to its certificate, asks, and does not come in
/// where it is told to trust another.
#[test]
fn psql_verifies_the_server_is_bound_to_it_and_asks() {
    let (site, other) = (Site::encrypted(), Site::encrypted());
    let port = site.postgres().port();
    let psql = |trusted: &Site| {
        let root = trusted.folder.path().join("server.pem");
        let address = format!(
            "host=localhost hostaddr=127.0.0.1 port={port} user=ana dbname=hospital sslmode=verify-full sslrootcert={} \
             channel_binding=require",
            root.display()
        );
        let mut command = Command::new("psql");
        command.args([
            &address,
            "-X",
            "-q",
            "-At",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            "SET pointillist.rho = 0.01",
            "-c",
            COUNT,
        ]);
        command.env("PGPASSWORD", PASSWORD).env("PGCONNECT_TIMEOUT", "30").output()
    };
    let Ok(output) = psql(&site) else {
        eprintln!("!!! psql over TLS: SKIPPED, psql is not installed (Debian: postgresql-client)");
        return;
    };
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words}");
    let rows = site.enter("ana").ask(COUNT);
    let rows: Vec<&str> = rows.iter().filter_map(|reply| reply.strip_prefix("D ")).collect();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().collect::<Vec<_>>(), rows);
    assert!(psql(&other).is_ok_and(|output| !output.status.success()), "a certificate that it does not know");
}
