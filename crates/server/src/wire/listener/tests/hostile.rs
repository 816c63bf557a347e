//! Clients that break the protocol, before anybody is let in.

use super::*;

/// Specification: a request for encryption with a login in the open behind it, in one piece, gets nothing: neither are the bytes
/// read as if they had been encrypted, nor is the handshake begun over them.
#[tokio::test]
async fn plaintext_behind_a_request_for_encryption_ends_the_connection() {
    let site = Site::encrypted().await;
    let startup = b"\0\0\0\x21\0\x03\0\0user\0ana\0database\0clinic\0\0";
    let mut client = site.connect().await;
    client.send(&[&SSL_REQUEST, startup.as_slice()].concat()).await;
    let mut said = Vec::new();
    // Closed or reset: both are no answer.
    let _ = client.0.read_to_end(&mut said).await;
    assert!(said.is_empty(), "{said:?}");

    let mut client = site.connect().await;
    client.send(&SSL_REQUEST).await;
    assert_eq!(client.0.read_u8().await.unwrap(), b'S');
    client.send(startup).await;
    let _ = client.0.read_to_end(&mut said).await;
    assert!(!said.starts_with(b"R"), "no login in the open after all: {said:?}");
    site.stops().await;
}

#[tokio::test]
async fn a_client_that_was_talked_out_of_binding_is_told_so() {
    let site = Site::encrypted().await;
    let mut client = site.connect_encrypted().await;
    client.start((3, 0), &[("user", "ana"), ("database", "clinic")]).await;
    let said = client.log_in("SCRAM-SHA-256", "pencil", ChannelBinding::unrequested()).await;
    assert_eq!(refusal(&said), ("28000".to_owned(), "SCRAM channel binding negotiation error".to_owned()));

    let open = Site::open(impatient()).await;
    let mut client = open.connect().await;
    client.start((3, 0), &[("user", "ana"), ("database", "clinic")]).await;
    let said = client.log_in("SCRAM-SHA-256", "pencil", ChannelBinding::unrequested()).await;
    assert!(is_let_in(&said), "nothing was offered, nothing was taken away");
    site.stops().await;
    open.stops().await;
}

#[tokio::test]
async fn messages_out_of_turn_are_refused_before_login() {
    let site = Site::open(impatient()).await;
    let first = b"n,,n=,r=abcdefgh";
    let cases = [
        ("query", "08P01"),
        ("twice", "08P01"),
        ("another", "08P01"),
        ("password", "08P01"),
        ("long", "54000"),
    ];
    for (what, code) in cases {
        let mut client = site.connect().await;
        client.start((3, 0), &[("user", "ana"), ("database", "clinic")]).await;
        match what {
            "query" => client.frame(b'Q', b"SELECT 1\0").await,
            "twice" => {
                client.sasl_first("SCRAM-SHA-256", first).await;
                client.sasl_first("SCRAM-SHA-256", first).await;
            }
            "another" => client.sasl_first("PLAIN", first).await,
            "password" => client.frame(b'p', b"pencil\0").await,
            // More than the server reads: it is told all the same.
            _ => client.frame(b'p', &vec![b'a'; 1 << 20]).await,
        }
        assert_eq!(refusal(&client.read_until_let_in().await).0, code, "{what}");
    }
    site.stops().await;
}

/// Specification: client-final of one exchange, sent in another with the same client nonce, lets nobody in.
#[tokio::test]
async fn an_overheard_exchange_cannot_be_repeated() {
    let site = Site::open(impatient()).await;
    let mut scram = ScramSha256::new(b"pencil", ChannelBinding::unsupported());
    let first = scram.message().to_vec();
    let mut last = None;
    for _ in 0..2 {
        let mut client = site.connect().await;
        client.start((3, 0), &[("user", "ana"), ("database", "clinic")]).await;
        client.read().await;
        client.sasl_first("SCRAM-SHA-256", &first).await;
        let (_, challenge) = client.read().await.unwrap();
        match &last {
            None => {
                scram.update(&challenge[4..]).unwrap();
                let proof = scram.message().to_vec();
                client.frame(b'p', &proof).await;
                assert!(is_let_in(&client.read_until_let_in().await));
                last = Some(proof);
            }
            Some(last) => {
                client.frame(b'p', last).await;
                assert_eq!(refusal(&client.read_until_let_in().await).0, "08P01");
            }
        }
    }
    site.stops().await;
}

/// A version, parameters, and the SQLSTATE with which they are refused.
type Case<'c> = ((u16, u16), &'c [(&'c str, &'c str)], &'c str);

#[tokio::test]
async fn startups_that_ask_for_what_is_not_done_are_told_so() {
    let site = Site::open(impatient()).await;
    let cases: [Case<'_>; 4] = [
        ((3, 0), &[("user", "ana"), ("replication", "database")], "0A000"),
        ((2, 0), &[("user", "ana")], "0A000"),
        ((3, 0), &[("database", "clinic")], "28000"),
        ((3, 0), &[("user", "ana"), ("options", "-X")], "42601"),
    ];
    for (version, parameters, code) in cases {
        let mut client = site.connect().await;
        client.start(version, parameters).await;
        assert_eq!(refusal(&client.read_until_let_in().await).0, code);
    }
    site.stops().await;
}

/// Specification: whatever bytes begin a connection, the server closes it or refuses, and serves the next one.
#[tokio::test]
async fn random_beginnings_stop_nobody() {
    let site = Site::encrypted().await;
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let beginnings: [&[u8]; 6] = [
        &SSL_REQUEST,
        &GSS_REQUEST,
        b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x01\0\0\0\x02",
        b"\0\0\0\x13\0\x03\0\0user\0ana\0\0",
        b"\x16\x03\x01\0\x05\x01\0\0\x01\0",
        b"GET / HTTP/1.1\r\n\r\n",
    ];
    for _ in 0..300 {
        let mut bytes = beginnings[draw() as usize % 6].to_vec();
        bytes.extend(beginnings[draw() as usize % 6]);
        for _ in 0..draw() % 4 {
            let place = draw() as usize % bytes.len();
            bytes[place] = draw() as u8;
        }
        let mut client = site.connect().await;
        client.send(&bytes).await;
        let _ = client.0.shutdown().await;
        let ended = timeout(Duration::from_secs(6), client.0.read_to_end(&mut Vec::new())).await;
        assert!(ended.is_ok(), "{bytes:?}");
    }
    assert!(is_let_in(&site.connect_encrypted().await.enter("ana", "pencil").await));
    site.stops().await;
}
