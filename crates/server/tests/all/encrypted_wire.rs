//! The wire through TLS, from the handshake to an answer.

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
