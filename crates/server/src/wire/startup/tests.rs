use super::*;

fn of(code: i32, body: &[u8]) -> Option<Packet> {
    packet(&[&code.to_be_bytes(), body].concat())
}

fn started(minor: u16, body: &[u8]) -> Result<Startup, PgError> {
    match of((3 << 16) | i32::from(minor), body) {
        Some(Packet::Startup(startup)) => startup,
        _ => panic!("no startup"),
    }
}

#[test]
fn a_startup_says_who_and_where_and_what_is_set() {
    let body = b"user\0ana\0database\0clinic\0options\0-c search_path=public -cstatement_timeout=5000 --extra-float-digits=3\0application_name\0psql\0\0";
    let startup = started(0, body).unwrap();
    assert_eq!((startup.user.as_str(), startup.database.as_str(), startup.minor), ("ana", "clinic", 0));
    assert_eq!(startup.negotiate, None);
    let settings: Vec<_> =
        startup.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let expected = [
        ("search_path", "public"),
        ("statement_timeout", "5000"),
        ("extra_float_digits", "3"),
        ("application_name", "psql"),
    ];
    assert_eq!(settings, expected);
    assert_eq!(started(0, b"user\0ana\0\0").unwrap().database, "ana");
}

#[test]
fn newer_minors_and_unknown_options_are_negotiated() {
    let negotiated = |minor, body| {
        let startup = started(minor, body).unwrap();
        (startup.minor, startup.negotiate)
    };
    assert_eq!(negotiated(0, b"user\0a\0\0"), (0, None));
    assert_eq!(negotiated(2, b"user\0a\0\0"), (2, None));
    assert_eq!(negotiated(9_999, b"user\0a\0\0"), (2, Some(vec![])));
    let grease = b"user\0a\0_pq_.test_protocol_grease\0\0_pq_.b\0x\0\0";
    let unknown = vec!["_pq_.b".to_owned(), "_pq_.test_protocol_grease".to_owned()];
    assert_eq!(negotiated(2, grease), (2, Some(unknown)));
    assert!(started(2, grease).unwrap().settings.is_empty());
}

#[test]
fn startups_that_ask_for_what_is_not_done_are_refused() {
    let refused = |body: &[u8]| started(0, body).unwrap_err().sqlstate;
    assert_eq!(refused(b"user\0a\0replication\0database\0\0"), "0A000");
    assert_eq!(refused(b"user\0a\0replication\0true\0\0"), "0A000");
    assert!(started(0, b"user\0a\0replication\0false\0\0").is_ok());
    assert_eq!(refused(b"database\0a\0\0"), "28000");
    assert_eq!(refused(b"user\0\0\0"), "28000");
    assert_eq!(refused(b"\0"), "28000");
    assert_eq!(refused(b"user\0a\0options\0-d 5\0\0"), "42601");
    assert_eq!(refused(b"user\0a\0options\0-c\0\0"), "42601");
    assert_eq!(refused(b"user\0a\0options\0-c =5\0\0"), "42601");
    assert!(
        matches!(of(2 << 16, b"user\0a\0\0"), Some(Packet::Startup(Err(error))) if error.sqlstate == "0A000")
    );
}

#[test]
fn layouts_that_are_none_are_refused() {
    for body in
        [b"".as_slice(), b"user", b"user\0a", b"user\0a\0", b"user\0\0", b"user\0a\0\0\0", b"\0a\0b\0\0"]
    {
        assert_eq!(started(0, body).unwrap_err().sqlstate, "08P01", "{body:?}");
    }
    assert_eq!(started(0, b"user\0\xff\0\0").unwrap_err().sqlstate, "22021");
    assert!(of(SSL, b"x").is_none());
    assert!(of(GSS, b"x").is_none());
    for length in [0, 4, 7, 261] {
        assert!(of(CANCEL, &vec![1; length]).is_none(), "{length}");
    }
    assert!(
        matches!(of(CANCEL, &[0, 0, 0, 5, 1, 2, 3, 4]), Some(Packet::Cancel { backend_pid: 5, key }) if key == [1, 2, 3, 4])
    );
}

#[test]
fn values_of_options_may_have_spaces() {
    let settings = settings_of_options(r"-c TimeZone=Europe/Zurich  -c a.b=x\ y\\z ").unwrap();
    let expected = [("TimeZone", "Europe/Zurich"), ("a.b", r"x y\z")];
    assert_eq!(settings, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

/// Specification: no bytes make this panic. Every prefix and every single changed byte of a real packet is tried.
#[test]
fn damaged_packets_never_panic() {
    let whole = b"\0\x03\0\0user\0ana\0database\0clinic\0options\0-c a=b\\\0_pq_.x\0y\0\0";
    for place in 0..whole.len() {
        let _ = packet(&whole[..place]);
        for byte in [0, 1, b'\\', b'-', 0x80, 0xff] {
            let mut other = whole.to_vec();
            other[place] = byte;
            let _ = packet(&other);
        }
    }
}
