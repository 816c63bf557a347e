use super::*;

fn problem(text: &str) -> AddressError {
    Address::parse(text).expect_err(text)
}

#[test]
fn an_address_is_read_and_written_back() {
    for text in [
        "postgres://curator@localhost:5432/hospital",
        "postgres://curator@127.0.0.1:6000/hospital",
        "postgres://curator@[::1]:5432/hospital",
        "postgres://curator@db.example:5432/hospital?sslmode=disable",
        "postgres://curator@db.example:5432/hospital?sslmode=verify-full&sslrootcert=/etc/root.pem",
        "postgres://curator@:5432/hospital?host=/run/postgresql",
        "postgres://a%40b%3Ac@localhost:5432/ein%20Haus",
    ] {
        let address = Address::parse(text).expect(text);
        assert_eq!(address.to_string(), text);
        assert_eq!(Address::parse(&address.to_string()), Ok(address));
    }
}

#[test]
fn what_is_left_out_has_its_usual_value() {
    let address = Address::parse("postgresql://curator@localhost/hospital").unwrap();
    assert_eq!((address.user(), address.database(), address.port()), ("curator", "hospital", 5432));
    let socket = Address::parse("postgres://curator@/hospital?host=/run/postgresql&port=6000").unwrap();
    assert_eq!((socket.host(), socket.port()), (&Host::Socket("/run/postgresql".into()), 6000));
}

/// Specification: a secret is neither kept nor repeated.
#[test]
fn a_password_is_refused_and_not_repeated() {
    for text in [
        "postgres://curator:hunter2@localhost/hospital",
        "postgres://curator@localhost/hospital?password=hunter2",
        "postgres://curator:hunter2@db.example/hospital?sslmode=nonsense",
    ] {
        let error = problem(text);
        assert_eq!(error, AddressError::Password);
        assert!(!format!("{error} {error:?} {:?}", error.hint()).contains("hunter2"));
    }
}

/// Specification: rows go over a network to a verified server, or because somebody wrote otherwise.
#[test]
fn a_network_is_verified_or_written_out() {
    for host in ["db.example", "192.0.2.1", "localhost.example", "[2001:db8::1]"] {
        assert!(matches!(
            problem(&format!("postgres://curator@{host}/hospital")),
            AddressError::Unverified { .. }
        ));
        let open = Address::parse(&format!("postgres://curator@{host}/hospital?sslmode=disable")).unwrap();
        assert!(open.is_open_network());
    }
    for mode in ["allow", "prefer", "require", "verify-ca", "VERIFY-FULL"] {
        let text = format!("postgres://curator@localhost/hospital?sslmode={mode}&sslrootcert=/root.pem");
        assert_eq!(problem(&text), AddressError::Mode { mode: mode.to_owned() });
    }
    assert_eq!(problem("postgres://a@db.example/b?sslmode=verify-full"), AddressError::Roots);
    assert_eq!(problem("postgres://a@/b?host=/run&sslmode=verify-full"), AddressError::SocketTls);
    assert!(!Address::parse("postgres://a@localhost/b?sslmode=disable").unwrap().is_open_network());
}

#[test]
fn what_is_not_understood_names_itself() {
    assert_eq!(
        problem("postgres://a@localhost/b?options=-c"),
        AddressError::UnknownParameter { name: "options".to_owned() }
    );
    assert_eq!(
        problem("postgres://a@localhost/b?sslmode=disable&sslmode=verify-full"),
        AddressError::Twice { name: "sslmode" }
    );
    assert_eq!(problem("mysql://a@localhost/b"), AddressError::Scheme);
    for (text, part) in [
        ("postgres://localhost/b", "user"),
        ("postgres://@localhost/b", "user"),
        ("postgres://a@localhost", "database"),
        ("postgres://a@localhost/", "database"),
        ("postgres://a@/b", "host"),
        ("postgres://a@one,two/b", "host"),
        ("postgres://a@[::1/b", "host"),
        ("postgres://a@localhost:0/b", "port"),
        ("postgres://a@localhost:65536/b", "port"),
        ("postgres://a%0@localhost/b", "user"),
        ("postgres://a%+1@localhost/b", "user"),
        ("postgres://a@localhost/b%00", "database"),
        ("postgres://a@localhost/b%FF", "database"),
        ("postgres://a@/b?host=run", ""),
    ] {
        if part.is_empty() {
            assert!(Address::parse(text).is_err(), "{text}");
        } else {
            assert_eq!(problem(text), AddressError::Part { part }, "{text}");
        }
    }
}
