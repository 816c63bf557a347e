use tokio::io::DuplexStream;

use super::*;

fn limits() -> Limits {
    Limits {
        message_bytes: 1 << 16,
        idle: Duration::from_secs(5),
        request: Duration::from_millis(300),
        write: Duration::from_millis(300),
        ..Limits::default()
    }
}

fn connected() -> (Frames, DuplexStream) {
    let (server, client) = tokio::io::duplex(1 << 17);
    let mut frames = Frames::new(Box::new(server), &limits());
    frames.let_in(&limits());
    (frames, client)
}

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = i32::try_from(body.len() + 4).unwrap();
    [&[kind], length.to_be_bytes().as_slice(), body].concat()
}

/// What one read of these bytes, and then the end, gives.
async fn read_once(bytes: &[u8]) -> Result<Option<PgWireFrontendMessage>, FrameError> {
    let (mut frames, mut client) = connected();
    client.write_all(bytes).await.unwrap();
    drop(client);
    frames.read().await
}

/// The SQLSTATE with which a message is refused.
async fn refused(bytes: &[u8]) -> &'static str {
    match read_once(bytes).await {
        Err(FrameError::Refused { error, .. } | FrameError::Broken(error)) => error.sqlstate,
        other => panic!("{other:?} for {bytes:?}"),
    }
}

#[tokio::test]
async fn lengths_that_are_none_and_types_that_nobody_sends_end_the_connection() {
    for length in [0, 1, 3, -1, i32::MIN] {
        let bytes = [b"Q".as_slice(), &length.to_be_bytes(), b"SELECT 1\0"].concat();
        assert_eq!(refused(&bytes).await, "08P01", "{length}");
    }
    for length in [i32::MAX, (1 << 16) + 5] {
        let bytes = [b"Q".as_slice(), &length.to_be_bytes()].concat();
        assert_eq!(refused(&bytes).await, "54000", "{length}: refused before a byte of it is waited for");
    }
    for kind in (0..=255).filter(|kind| !b"QPBCDEFHSXdcfp".contains(kind)) {
        assert_eq!(refused(&[kind]).await, "08P01", "{kind}");
    }
    assert_eq!(refused(&frame(b'F', &[0; 12])).await, "42501", "no function calls");
    assert_eq!(refused(&frame(b'p', b"x\0")).await, "08P01", "no password after login");
}

#[tokio::test]
async fn short_messages_alone_are_read_before_login() {
    let (server, mut client) = tokio::io::duplex(1 << 17);
    let mut frames = Frames::new(Box::new(server), &limits());
    client.write_all(&frame(b'p', &vec![0; BEFORE_LOGIN + 1])).await.unwrap();
    assert!(matches!(frames.read_frame().await, Err(FrameError::Broken(_))));
}

/// Specification: bodies on which pgwire's decoders panic or reserve too much are refused, and the next message is read.
#[tokio::test]
async fn hostile_bodies_are_refused_and_the_next_message_is_read() {
    let bodies: [(u8, &[u8]); 24] = [
        (b'Q', b""),
        (b'Q', b"no end"),
        (b'Q', b"two\0ends\0"),
        (b'P', b""),
        (b'P', b"\0"),
        (b'P', b"\0SELECT 1\0"),
        (b'P', b"\0SELECT 1\0\0"),
        (b'P', b"\0SELECT 1\0\xff\xff"),
        (b'P', b"\0SELECT 1\0\0\x02\0\0\0\x17"),
        (b'B', b""),
        (b'B', b"\0\0"),
        (b'B', b"\0\0\xff\xff"),
        (b'B', b"\0\0\0\0\xff\xff"),
        (b'B', b"\0\0\0\0\0\x01\x7f\xff\xff\xff\0\0"),
        (b'B', b"\0\0\0\0\0\x01\xff\xff\xff\xfe\0\0"),
        (b'B', b"\0\0\0\0\0\0\xff\xff"),
        (b'B', b"\0\0\0\0\0\0\0\x05\0\0\0\0\0\0"),
        (b'B', b"\0\0\0\x02\0\0\0\0\0\x01\xff\xff\xff\xff\0\0"),
        (b'D', b""),
        (b'D', b"X\0"),
        (b'C', b"S"),
        (b'E', b"\0\0\0"),
        (b'S', b"more"),
        (b'f', b"no end"),
    ];
    for (kind, body) in bodies {
        let (mut frames, mut client) = connected();
        client.write_all(&frame(kind, body)).await.unwrap();
        client.write_all(&frame(b'S', b"")).await.unwrap();
        match frames.read().await {
            Err(FrameError::Refused { kind: told, error }) => {
                assert_eq!((told, error.sqlstate), (kind, "08P01"))
            }
            other => panic!("{other:?} for {kind} {body:?}"),
        }
        assert!(matches!(frames.read().await, Ok(Some(PgWireFrontendMessage::Sync(_)))));
    }
}

#[tokio::test]
async fn text_that_is_not_utf8_and_formats_that_are_none_are_refused() {
    assert_eq!(refused(&frame(b'Q', b"SELECT '\xff'\0")).await, "22021");
    assert_eq!(refused(&frame(b'B', b"\0\0\0\x01\0\x02\0\0\0\0")).await, "22023");
}

#[tokio::test]
async fn whole_messages_are_read_as_they_were_written() {
    let Ok(Some(PgWireFrontendMessage::Parse(parse))) =
        read_once(&frame(b'P', b"s\0SELECT $1\0\0\x01\0\0\0\x17")).await
    else {
        panic!()
    };
    assert_eq!(
        (parse.name.as_deref(), parse.query.as_str(), parse.type_oids),
        (Some("s"), "SELECT $1", vec![23])
    );
    let body = b"p\0s\0\0\x01\0\x01\0\x02\xff\xff\xff\xff\0\0\0\x02ab\0\x01\0\x01";
    let Ok(Some(PgWireFrontendMessage::Bind(bind))) = read_once(&frame(b'B', body)).await else { panic!() };
    assert_eq!((bind.portal_name.as_deref(), bind.statement_name.as_deref()), (Some("p"), Some("s")));
    assert_eq!(bind.parameters, [None, Some(Bytes::from_static(b"ab"))]);
    assert_eq!((bind.parameter_format_codes, bind.result_column_format_codes), (vec![1], vec![1]));
    let execute = read_once(&frame(b'E', b"\0\xff\xff\xff\xff")).await;
    assert!(matches!(execute, Ok(Some(PgWireFrontendMessage::Execute(execute))) if execute.max_rows == -1));
    assert!(matches!(read_once(b"").await, Ok(None)));
    assert!(matches!(read_once(b"Q\0\0").await, Err(FrameError::Lost(_))));
}

#[tokio::test]
async fn a_message_that_is_dripped_is_not_waited_for() {
    let (mut frames, mut client) = connected();
    let dripping = tokio::spawn(async move {
        for byte in frame(b'Q', &[b' '; 100]) {
            if client.write_all(&[byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    // Also where reading was dropped in between, as a session does that waits for several things.
    for _ in 0..2 {
        assert!(timeout(Duration::from_millis(100), frames.read()).await.is_err());
    }
    let read = timeout(Duration::from_secs(2), frames.read()).await;
    assert!(matches!(read, Ok(Err(FrameError::Silent))), "{read:?}");
    dripping.abort();
}

#[tokio::test]
async fn a_client_that_does_not_read_is_left() {
    let (server, _client) = tokio::io::duplex(64);
    let mut frames = Frames::new(Box::new(server), &limits());
    for _ in 0..100 {
        frames.put(&fatal(&PgError::new("08P01", "words"))).unwrap();
    }
    assert!(matches!(frames.send().await, Err(FrameError::NotRead)));
}

#[tokio::test]
async fn a_message_that_cannot_be_written_leaves_no_byte() {
    use pgwire::messages::response::CommandComplete;
    let (mut frames, _client) = connected();
    let long = PgWireBackendMessage::CommandComplete(CommandComplete::new("x".repeat(40_000)));
    assert!(frames.put(&long).is_err());
    assert!(frames.outgoing.is_empty());
}

/// Specification: whatever bytes come, in whatever pieces, reading ends with messages or an error, and never holds more than
/// the cap and a chunk. Mutations of real messages reach the bodies, plain noise the headers.
#[tokio::test]
async fn random_bytes_never_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let seeds: [Vec<u8>; 5] = [
        frame(b'Q', b"SELECT 1\0"),
        frame(b'P', b"s\0SELECT $1\0\0\x01\0\0\0\x17"),
        frame(b'B', b"p\0s\0\0\x01\0\x01\0\x02\xff\xff\xff\xff\0\0\0\x02ab\0\x01\0\x01"),
        frame(b'E', b"p\0\0\0\0\x05"),
        frame(b'D', b"Sname\0"),
    ];
    for _ in 0..5_000 {
        let mut bytes: Vec<u8> = (0..draw() % 4).flat_map(|_| seeds[(draw() % 5) as usize].clone()).collect();
        for _ in 0..draw() % 6 {
            let place = draw() as usize % (bytes.len() + 1);
            match draw() % 3 {
                0 => bytes.insert(place, draw() as u8),
                1 if place < bytes.len() => {
                    bytes[place] = [0, 1, 255, 127, draw() as u8][draw() as usize % 5]
                }
                _ => bytes.truncate(place.max(1)),
            }
        }
        let (mut frames, mut client) = connected();
        client.write_all(&bytes).await.unwrap();
        drop(client);
        while !matches!(
            frames.read().await,
            Ok(None) | Err(FrameError::Broken(_) | FrameError::Lost(_) | FrameError::Silent)
        ) {
            assert!(frames.incoming.len() <= (1 << 16) + CHUNK);
        }
    }
}
