//! What strangers send to be let in, and the file that says who may.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, SystemTime};

use pointillist_access::scram::{Binding, Exchange};
use pointillist_access::{Access, Password, Role, TokenTerms, Verifier};

use super::driver::{Target, fuzz};

/// Specification: nobody is let in by any bytes that do not prove the password over this very exchange; and whatever was sent
/// before, an exchange that is over stays over. An input is mechanism, client-first and client-final, a line each.
#[test]
fn scram() {
    let password = Password::new("pencil").expect("a password");
    let verifier = Verifier::new(&password).expect("random bytes");
    let seeds = [
        "SCRAM-SHA-256\nn,,n=user,r=rOprNGfwEbeRWgbNEkqO\nc=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        "SCRAM-SHA-256-PLUS\np=tls-server-end-point,,n=,r=abc\nc=cD10bHMtc2VydmVyLWVuZC1wb2ludCwsBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=,r=abc,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "SCRAM-SHA-256\ny,,n=*,r=abc,x=y\nc=eSws,r=abc,x=y,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ];
    let words = [
        "n,,",
        "y,,",
        "p=tls-server-end-point,,",
        "p=tls-unique,,",
        "a=",
        "m=",
        "r=",
        "n=",
        "c=",
        ",p=",
        "=2C",
        ",",
        "\0",
    ];
    let read = |bytes: &[u8]| {
        let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
        let mechanism = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
        let (first, last) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        for binding in [Binding::None, Binding::EndPoint(vec![7; 32])] {
            let mut exchange = Exchange::new(verifier.clone(), binding).expect("random bytes");
            let challenge = exchange.first(&mechanism, first);
            // With this server's nonce in place, what is left is the proof.
            let last = match &challenge {
                Ok(challenge) => with_nonce(last, challenge),
                Err(_) => last.to_vec(),
            };
            assert!(exchange.last(&last).is_err());
            assert!(exchange.first(&mechanism, first).is_err());
        }
    };
    let seeds = seeds.map(Vec::from).to_vec();
    fuzz(&Target { name: "scram", seeds, words: &words, inputs: 4_000, read: &read });
}

/// client-final with `r=` as the server wants it, so that mutations reach what is behind it.
fn with_nonce(last: &[u8], challenge: &[u8]) -> Vec<u8> {
    let end = challenge.iter().position(|byte| *byte == b',').unwrap_or(challenge.len());
    let mut parts = last.splitn(3, |byte| *byte == b',');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(binding), Some(_), Some(rest)) => [binding, b",", &challenge[..end], b",", rest].concat(),
        _ => last.to_vec(),
    }
}

/// Specification: a verifier is read or refused; one that is read says itself again.
#[test]
fn verifier() {
    let seeds = [
        "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=",
    ];
    let read = |bytes: &[u8]| {
        if let Some(verifier) = Verifier::from_text(&String::from_utf8_lossy(bytes)) {
            assert_eq!(Verifier::from_text(&verifier.text()), Some(verifier));
        }
    };
    let seeds = seeds.map(Vec::from).to_vec();
    let words = ["$", ":", "=", "SCRAM-SHA-256", "99999999999", "-1", "+4096"];
    fuzz(&Target { name: "verifier", seeds, words: &words, inputs: 4_000, read: &read });
}

fn everybody() -> Access {
    let mut access = Access::new().expect("random bytes");
    let password = Password::new("pencil").expect("a password");
    access.add("ana@example.org", Role::Analyst, Some(&password)).expect("a name");
    access.add("owner", Role::Owner, None).expect("a name");
    access
}

/// Specification: no text but a whole token is one.
#[test]
fn token() {
    let mut access = everybody();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let token = access.create_token("owner", TokenTerms::default(), now).expect("a token");
    let read = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(access.person_of_token(&text, now).is_ok(), text == token.text);
    };
    let seeds = vec![token.text.clone().into_bytes()];
    fuzz(&Target { name: "token", seeds, words: &["ptl_", "_", "0", "\0"], inputs: 4_000, read: &read });
}

/// Specification: an access file is read or refused as a whole; one that is read is written as what it says.
#[test]
fn access_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("access.toml");
    let mut access = everybody();
    let terms = TokenTerms { expires: Some(SystemTime::now()), verbs: Some(vec![]) };
    access.create_token("owner", terms, SystemTime::now()).expect("a token");
    access.save(&path).expect("a file");
    let seeds = vec![fs::read(&path).expect("a file")];
    let read = |bytes: &[u8]| {
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).open(&path).expect("a file");
        file.write_all(bytes).expect("a disk");
        if let Ok(access) = Access::load(&path) {
            access.save(&path).expect("a disk");
            assert_eq!(Access::load(&path).expect("our own file"), access);
        }
    };
    let words = [
        "[people.ana]",
        "[tokens.",
        "role = \"analyst\"",
        "verbs = []",
        "expires = ",
        "9223372036854775807",
        "revoked",
        "\n",
    ];
    fuzz(&Target { name: "access-file", seeds, words: &words, inputs: 500, read: &read });
}
