use super::*;
use crate::{Access, Password, Role};

/// The client's side, as RFC 5802 has it.
struct Client {
    header: &'static str,
    bound: Vec<u8>,
    bare: String,
    password: &'static str,
}

impl Client {
    fn new(header: &'static str, bound: &[u8]) -> Self {
        Self {
            header,
            bound: bound.to_vec(),
            bare: "n=,r=rOprNGfwEbeRWgbNEkqO".to_owned(),
            password: "pencil",
        }
    }

    fn first(&self) -> Vec<u8> {
        format!("{}{}", self.header, self.bare).into_bytes()
    }

    /// client-final for this server-first, and the signature that the server must give.
    fn last(&self, server_first: &[u8]) -> (String, String) {
        let challenge = std::str::from_utf8(server_first).unwrap();
        let mut parts = challenge.split(',');
        let mut part = |prefix| parts.next().unwrap().strip_prefix(prefix).unwrap();
        let (nonce, salt, rounds) = (part("r="), part("s="), part("i="));
        let (salt, rounds) = (STANDARD.decode(salt).unwrap(), rounds.parse().unwrap());
        let mut salted = [0; 32];
        pbkdf2::pbkdf2::<hmac::Hmac<Sha256>>(self.password.as_bytes(), &salt, rounds, &mut salted).unwrap();
        let binding = STANDARD.encode([self.header.as_bytes(), &self.bound].concat());
        let unproved = format!("c={binding},r={nonce}");
        let signed = format!("{},{challenge},{unproved}", self.bare);
        let mut proof = hmac(&salted, &[b"Client Key"]);
        let signature = hmac(&Sha256::digest(proof), &[signed.as_bytes()]);
        proof.iter_mut().zip(signature).for_each(|(byte, other)| *byte ^= other);
        let server = hmac(&hmac(&salted, &[b"Server Key"]), &[signed.as_bytes()]);
        (format!("{unproved},p={}", STANDARD.encode(proof)), format!("v={}", STANDARD.encode(server)))
    }
}

fn pencil() -> Verifier {
    let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
    Verifier::with_salt(&Password::new("pencil").unwrap(), &salt, 4_096)
}

fn bound() -> Binding {
    Binding::EndPoint(vec![7; 32])
}

/// Specification: the example of RFC 7677, section 3, byte for byte.
#[test]
fn the_example_of_rfc_7677_is_let_in() {
    let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
    exchange.server_nonce = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0".to_owned();
    let first = exchange.first(SCRAM, b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO").unwrap();
    let nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    assert_eq!(first, format!("r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096").as_bytes());
    let last = format!("c=biws,r={nonce},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
    let done = exchange.last(last.as_bytes()).unwrap();
    assert_eq!(done, b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
}

#[test]
fn each_way_to_bind_that_was_offered_is_let_in() {
    let ways: [(&str, Binding, &str, &'static str, &[u8]); 4] = [
        ("plain", Binding::None, SCRAM, "n,,", &[]),
        ("would have bound, and was not offered to", Binding::None, SCRAM, "y,,", &[]),
        ("does not bind", bound(), SCRAM, "n,,", &[]),
        ("binds", bound(), SCRAM_PLUS, "p=tls-server-end-point,,", &[7; 32]),
    ];
    for (way, binding, mechanism, header, data) in ways {
        let client = Client::new(header, data);
        let mut exchange = Exchange::new(pencil(), binding).unwrap();
        let (last, signature) = client.last(&exchange.first(mechanism, &client.first()).unwrap());
        assert_eq!(exchange.last(last.as_bytes()), Ok(signature.into_bytes()), "{way}");
    }
}

#[test]
fn binding_that_was_taken_out_of_the_offer_ends_the_exchange() {
    let refused = |binding, mechanism, header| {
        let message = [header, "n=,r=abc"].concat();
        Exchange::new(pencil(), binding).unwrap().first(mechanism, message.as_bytes()).unwrap_err()
    };
    assert_eq!(refused(bound(), SCRAM, "y,,"), ScramError::Downgrade);
    assert_eq!(refused(bound(), SCRAM_PLUS, "y,,"), ScramError::Downgrade);
    assert_eq!(refused(bound(), SCRAM_PLUS, "n,,"), ScramError::Downgrade);
    assert_eq!(refused(bound(), SCRAM, "p=tls-server-end-point,,"), ScramError::Downgrade);
    assert_eq!(refused(bound(), SCRAM_PLUS, "p=tls-unique,,"), ScramError::Unsupported);
    assert_eq!(refused(Binding::None, SCRAM_PLUS, "p=tls-server-end-point,,"), ScramError::Mechanism);
    assert_eq!(refused(Binding::None, "SCRAM-SHA-1", "n,,"), ScramError::Mechanism);
    assert_eq!(refused(Binding::None, "", "n,,"), ScramError::Mechanism);
}

/// Specification: somebody in between, with a certificate of their own, is not let in with what the client sent them.
#[test]
fn a_proof_over_another_certificate_is_refused() {
    let client = Client::new("p=tls-server-end-point,,", &[8; 32]);
    let mut exchange = Exchange::new(pencil(), bound()).unwrap();
    let (last, _) = client.last(&exchange.first(SCRAM_PLUS, &client.first()).unwrap());
    assert_eq!(exchange.last(last.as_bytes()), Err(ScramError::Binding));
}

#[test]
fn messages_are_taken_once_and_in_turn() {
    let client = Client::new("n,,", &[]);
    let out_of_turn = ScramError::Malformed("a message out of turn");
    let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
    assert_eq!(exchange.last(b"c=biws,r=abc,p=AAAA"), Err(out_of_turn));
    assert_eq!(exchange.first(SCRAM, &client.first()), Err(out_of_turn), "over after an error");

    let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
    let (last, _) = client.last(&exchange.first(SCRAM, &client.first()).unwrap());
    assert_eq!(exchange.first(SCRAM, &client.first()), Err(out_of_turn), "a second client-first");
    assert_eq!(exchange.last(last.as_bytes()), Err(out_of_turn), "ends it");

    let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
    let (last, _) = client.last(&exchange.first(SCRAM, &client.first()).unwrap());
    assert!(exchange.last(last.as_bytes()).is_ok());
    assert_eq!(exchange.last(last.as_bytes()), Err(out_of_turn), "a second client-final");
}

/// Specification: what was overheard of one exchange is worth nothing in another, though the client's nonce is the same.
#[test]
fn a_client_final_of_another_exchange_is_refused() {
    let client = Client::new("n,,", &[]);
    let mut one = Exchange::new(pencil(), Binding::None).unwrap();
    let mut other = Exchange::new(pencil(), Binding::None).unwrap();
    let (last, _) = client.last(&one.first(SCRAM, &client.first()).unwrap());
    let challenge = other.first(SCRAM, &client.first()).unwrap();
    assert_eq!(other.last(last.as_bytes()), Err(ScramError::Malformed("another nonce")));

    let mut again = Exchange::new(pencil(), Binding::None).unwrap();
    again.first(SCRAM, &client.first()).unwrap();
    let nonce = std::str::from_utf8(&challenge).unwrap().split(',').next().unwrap();
    let mixed = format!("c=biws,{nonce},p={}", last.rsplit_once(",p=").unwrap().1);
    assert_eq!(again.last(mixed.as_bytes()), Err(ScramError::Malformed("another nonce")));
}

#[test]
fn a_proof_of_another_password_or_other_rounds_is_refused() {
    let wrong = Client { password: "pencils", ..Client::new("n,,", &[]) };
    let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
    let (last, _) = wrong.last(&exchange.first(SCRAM, &wrong.first()).unwrap());
    assert_eq!(exchange.last(last.as_bytes()), Err(ScramError::Proof));

    let client = Client::new("n,,", &[]);
    let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
    let challenge = String::from_utf8(exchange.first(SCRAM, &client.first()).unwrap()).unwrap();
    let (last, _) = client.last(challenge.replace("i=4096", "i=1").as_bytes());
    assert_eq!(exchange.last(last.as_bytes()), Err(ScramError::Proof));
}

/// Specification: an unknown name is asked in the same form and told the same, with the right proof of anything.
#[test]
fn somebody_unknown_is_told_what_a_wrong_password_is_told() {
    let mut access = Access::new().unwrap();
    access.add("ana", Role::Analyst, Some(&Password::new("pencil").unwrap())).unwrap();
    let shape = |challenge: &[u8]| {
        let text = std::str::from_utf8(challenge).unwrap();
        text.split(',').map(|part| (part[..2].to_owned(), part.len())).collect::<Vec<_>>()
    };
    let wrong = Client { password: "pen", ..Client::new("n,,", &[]) };
    let asked = |name: &str| {
        let mut exchange = Exchange::new(access.verifier_of(name), Binding::None).unwrap();
        let challenge = exchange.first(SCRAM, &wrong.first()).unwrap();
        let (last, _) = wrong.last(&challenge);
        (shape(&challenge), exchange.last(last.as_bytes()))
    };
    assert_eq!(asked("ana"), asked("nobody"));
    assert_eq!(asked("nobody").1, Err(ScramError::Proof));
}

#[test]
fn a_made_up_verifier_lets_nobody_in_even_with_its_keys() {
    let mut mock = pencil();
    mock.mock = true;
    let client = Client::new("n,,", &[]);
    let mut exchange = Exchange::new(mock, Binding::None).unwrap();
    let (last, _) = client.last(&exchange.first(SCRAM, &client.first()).unwrap());
    assert_eq!(exchange.last(last.as_bytes()), Err(ScramError::Proof));
}

#[test]
fn whatever_name_the_client_writes_is_ignored() {
    for bare in ["n=*,r=abc", "n=alice,r=abc", "n=a=2Cb=3D,r=abc", "n=,r=abc,x=more"] {
        let client = Client { bare: bare.to_owned(), ..Client::new("n,,", &[]) };
        let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
        let (last, _) = client.last(&exchange.first(SCRAM, &client.first()).unwrap());
        assert!(exchange.last(last.as_bytes()).is_ok(), "{bare}");
    }
}

#[test]
fn malformed_first_messages_are_refused() {
    let long = format!("n,,n=,r={}", "a".repeat(5_000));
    for message in [
        "",
        "n",
        "n,",
        "n,,",
        "x,,n=,r=abc",
        "n,a=ana,n=,r=abc",
        "n,b,n=,r=abc",
        "n,,m=x,n=,r=abc",
        "n,,r=abc",
        "n,,n=,r=",
        "n,,n=",
        "n,,n=,r=a\u{7f}",
        "n,,n=,r=é",
        "n,,n=,r=abc,m=x",
        "n,,n=,r=abc,",
        "n,,n=,r=a\0b",
        "p=,,n=,r=abc",
        long.as_str(),
    ] {
        let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
        assert!(exchange.first(SCRAM, message.as_bytes()).is_err(), "{message:?}");
    }
    let refused = |message: &[u8]| {
        Exchange::new(pencil_kept(), Binding::None).unwrap().first(SCRAM, message).unwrap_err()
    };
    assert_eq!(refused(b"n,,n=\xff,r=abc"), ScramError::Malformed("not UTF-8"));
    assert_eq!(refused(b"n,,m=x,n=,r=abc"), ScramError::Unsupported, "what a server must understand");
    assert_eq!(refused(b"n,a=ana,n=,r=abc"), ScramError::Unsupported, "nobody acts as somebody else");
}

/// Specification: of a right client-final no single changed, added or missing byte lets anybody in.
#[test]
fn no_byte_of_client_final_can_be_changed() {
    let client = Client::new("n,,", &[]);
    let mut exchange = Exchange::new(pencil(), Binding::None).unwrap();
    let (right, _) = client.last(&exchange.first(SCRAM, &client.first()).unwrap());
    let State::Challenged(challenge) = exchange.state else { panic!() };
    let tried = |message: &[u8]| {
        let challenge = Challenge {
            binding: challenge.binding.clone(),
            nonce: challenge.nonce.clone(),
            transcript: challenge.transcript.clone(),
        };
        let (verifier, server_nonce) = (pencil_kept(), String::new());
        Exchange { verifier, binding: Binding::None, server_nonce, state: State::Challenged(challenge) }
            .last(message)
    };
    assert!(tried(right.as_bytes()).is_ok());
    for place in 0..right.len() {
        let bytes = right.as_bytes();
        for byte in [0, b',', b'=', b'A', b'm', 0xff, bytes[place] ^ 1] {
            let mut other = bytes.to_vec();
            other[place] = byte;
            assert!(other == bytes || tried(&other).is_err(), "{place} {byte}");
            let mut longer = bytes.to_vec();
            longer.insert(place, byte);
            assert!(longer == bytes || tried(&longer).is_err(), "{place} {byte}");
        }
        assert!(tried(&bytes[..place]).is_err());
        assert!(tried(&[&bytes[..place], &bytes[place + 1..]].concat()).is_err());
    }
}

/// [`pencil`], without hashing 4096 times for each byte.
fn pencil_kept() -> Verifier {
    static KEPT: std::sync::OnceLock<Verifier> = std::sync::OnceLock::new();
    KEPT.get_or_init(pencil).clone()
}
