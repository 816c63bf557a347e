//! Who is let in, and what they are told.

use super::*;

#[tokio::test]
async fn whoever_knows_the_password_is_let_in_and_told_what_clients_wait_for() {
    let site = Site::open(impatient()).await;
    let said = site.connect().await.enter("ana", "pencil").await;
    assert!(is_let_in(&said), "{said:?}");
    assert_eq!(said[0].1, b"\0\0\0\x0aSCRAM-SHA-256\0\0", "nothing to bind to, nothing to bind offered");
    let reported = |name: &[u8]| said.iter().any(|(kind, body)| *kind == b'S' && body.starts_with(name));
    assert!(reported(b"server_version\0") && reported(b"client_encoding\0UTF8\0"));
    assert_eq!(said.last().unwrap().1.len(), 8, "a number, and a key of four bytes");
    site.stops().await;
}

/// Specification: of an unknown name, of one without a password and of a wrong password the server says the same, byte for
/// byte but for the name, its nonce and the salt.
#[tokio::test]
async fn somebody_unknown_is_told_what_a_wrong_password_is_told() {
    let site = Site::open(impatient()).await;
    let mut told = Vec::new();
    for user in ["ana", "bob", "tokens_only"] {
        let said = site.connect().await.enter(user, "wrong").await;
        let words = format!("password authentication failed for user \"{user}\"");
        assert_eq!(refusal(&said), ("28P01".to_owned(), words));
        let challenge = String::from_utf8(said[1].1[4..].to_vec()).unwrap();
        let shape: Vec<(String, usize)> =
            challenge.split(',').map(|part| (part[..2].to_owned(), part.len())).collect();
        let error = String::from_utf8(said[2].1.clone()).unwrap().replace(user, "…");
        told.push((said[0].clone(), shape, challenge.ends_with(",i=4096"), error, said.len()));
    }
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0], told[2]);
    site.stops().await;
}

/// Specification: which databases exist is told to whoever is known, and to nobody else.
#[tokio::test]
async fn another_database_is_refused_after_the_password_alone() {
    let site = Site::open(impatient()).await;
    for (password, code) in [("pencil", "3D000"), ("wrong", "28P01")] {
        let mut client = site.connect().await;
        client.start((3, 0), &[("user", "ana"), ("database", "other")]).await;
        let said = client.log_in("SCRAM-SHA-256", password, ChannelBinding::unsupported()).await;
        assert_eq!(refusal(&said).0, code);
    }
    site.stops().await;
}

#[tokio::test]
async fn settings_of_the_startup_message_are_set_or_refused() {
    let site = Site::open(impatient()).await;
    let start = async |name: &'static str, value: &'static str| {
        let mut client = site.connect().await;
        client.start((3, 0), &[("user", "ana"), ("database", "clinic"), (name, value)]).await;
        client.log_in("SCRAM-SHA-256", "pencil", ChannelBinding::unsupported()).await
    };
    let said = start("application_name", "a test").await;
    assert!(said.contains(&(b'S', b"application_name\0a test\0".to_vec())), "{said:?}");
    assert!(is_let_in(&start("nobody_knows_this", "1").await));
    assert!(is_let_in(&start("options", "-c search_path=public -c pointillist.epsilon=0.1").await));
    assert_eq!(refusal(&start("client_encoding", "LATIN1").await).0, "22023");
    site.stops().await;
}

#[tokio::test]
async fn newer_protocols_are_negotiated_down_and_keys_are_as_long_as_they_may() {
    let site = Site::open(impatient()).await;
    let mut client = site.connect().await;
    let parameters = [("user", "ana"), ("database", "clinic"), ("_pq_.test", "1")];
    client.start((3, 9_999), &parameters).await;
    let said = client.log_in("SCRAM-SHA-256", "pencil", ChannelBinding::unsupported()).await;
    assert_eq!(said[0], (b'v', b"\0\x03\0\x02\0\0\0\x01_pq_.test\0".to_vec()));
    assert_eq!(said.last().unwrap().1.len(), 36);
    site.stops().await;
}

#[tokio::test]
async fn with_a_certificate_everybody_is_encrypted_and_whoever_can_is_bound_to_it() {
    let site = Site::encrypted().await;
    let said = site.connect().await.enter("ana", "pencil").await;
    assert_eq!(refusal(&said).0, "28000", "not in the open");
    assert_eq!(said.len(), 1);

    let mut client = site.connect_encrypted().await;
    client.start((3, 0), &[("user", "ana"), ("database", "clinic")]).await;
    let bound = ChannelBinding::tls_server_end_point(site.bound());
    let said = client.log_in("SCRAM-SHA-256-PLUS", "pencil", bound).await;
    assert_eq!(said[0].1, b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0");
    assert!(is_let_in(&said), "{said:?}");

    assert!(is_let_in(&site.connect_encrypted().await.enter("ana", "pencil").await), "who cannot bind");
    site.stops().await;
}

#[tokio::test]
async fn connections_may_begin_with_tls_where_they_name_the_protocol() {
    let site = Site::encrypted().await;
    let stream = TcpStream::connect(site.address).await.unwrap();
    let mut client = Client(Box::new(site.handshake(stream, Some(b"postgresql")).await.unwrap()));
    assert!(is_let_in(&client.enter("ana", "pencil").await));

    let stream = TcpStream::connect(site.address).await.unwrap();
    let mut nameless = Client(Box::new(site.handshake(stream, None).await.unwrap()));
    assert!(nameless.enter("ana", "pencil").await.is_empty());
    let stream = TcpStream::connect(site.address).await.unwrap();
    assert!(site.handshake(stream, Some(b"http/1.1")).await.is_err(), "another protocol");
    site.stops().await;
}

#[tokio::test]
async fn encryption_that_is_not_to_be_had_is_declined() {
    let site = Site::open(impatient()).await;
    let mut client = site.connect().await;
    for request in [GSS_REQUEST, SSL_REQUEST] {
        client.send(&request).await;
        assert_eq!(client.0.read_u8().await.unwrap(), b'N');
    }
    assert!(is_let_in(&client.enter("ana", "pencil").await));
    site.stops().await;
}

/// Specification: a certificate that is replaced between handshake and proof changes nothing for that connection, and the
/// next one is bound to the new certificate.
#[tokio::test]
async fn a_certificate_that_is_replaced_meanwhile_is_not_what_a_proof_is_checked_against() {
    let mut site = Site::encrypted().await;
    let mut before = site.connect_encrypted().await;
    let old = site.bound();
    let (_, certificate) = write_certificate(site.folder.path());
    site.tls.as_ref().unwrap().reload().unwrap();
    site.certificate = Some(certificate);
    let mut after = site.connect_encrypted().await;
    for (client, bound) in [(&mut before, old.clone()), (&mut after, site.bound())] {
        client.start((3, 0), &[("user", "ana"), ("database", "clinic")]).await;
        let bound = ChannelBinding::tls_server_end_point(bound);
        assert!(is_let_in(&client.log_in("SCRAM-SHA-256-PLUS", "pencil", bound).await));
    }
    let mut mixed = site.connect_encrypted().await;
    mixed.start((3, 0), &[("user", "ana"), ("database", "clinic")]).await;
    let said = mixed.log_in("SCRAM-SHA-256-PLUS", "pencil", ChannelBinding::tls_server_end_point(old)).await;
    assert_eq!(refusal(&said).0, "28000");
    site.stops().await;
}
