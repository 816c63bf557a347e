//! Coming in to the console and leaving: sessions, cookies, guesses, and where a sign-in leads.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;

use pointillist_access::{Access, Password, Role};

use crate::console_client::{Browser, encoded};
use crate::fixture::{HttpReply, PASSWORD, Site, parsed, request};

/// Specification: a session begins at a sign-in and ends at a sign-out, at once.
#[test]
fn a_session_lasts_from_sign_in_to_sign_out() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    let turned = browser.get("/ask");
    assert_eq!((turned.status, turned.headers["location"].as_str()), (303, "/sign-in?next=/ask"));
    let reply = browser.sign_in("ana", PASSWORD, &[]);
    assert_eq!((reply.status, reply.headers["location"].as_str()), (303, "/ask"));
    let flags = reply.headers["set-cookie"].split_once(';').map(|(_, flags)| flags.to_owned());
    assert_eq!(flags.as_deref(), Some(" Path=/; HttpOnly; SameSite=Strict"));
    assert_eq!(browser.cookie.as_ref().map(|cookie| cookie.len()), Some("pointillist=".len() + 64));
    let browser = Browser::signed_in(&site, "ana");
    let page = browser.get("/ask");
    assert_eq!((page.status, page.headers["cache-control"].as_str()), (200, "no-store"));
    assert!(page.text().contains("Sign out"));
    let out = browser.post("/sign-out", &[]);
    assert_eq!((out.status, out.headers["location"].as_str()), (303, "/sign-in"));
    assert!(out.headers["set-cookie"].contains("Max-Age=0"));
    for path in ["/ask", "/budget", "/catalog", "/releases", "/graphs", "/desk"] {
        let after = browser.get(path);
        assert_eq!(after.status, 303, "{path}");
        assert!(after.body.is_empty(), "{path}: nothing private is left");
    }
    assert_eq!(browser.post("/ask/answer", &[("sql", "SELECT count(*) FROM visits")]).status, 303);
    assert_eq!(site.spent("ana"), "0");
}

/// Specification: whoever brings a cookie to a sign-in gets another one, and the one they brought opens nothing.
#[test]
fn a_session_that_somebody_else_chose_is_never_used() {
    let site = Site::start();
    let planted = format!("pointillist={}", "a".repeat(64));
    let mut victim = Browser::new(&site);
    victim.cookie = Some(planted.clone());
    assert_eq!(victim.sign_in("ana", PASSWORD, &[]).status, 303);
    assert_ne!(victim.cookie.as_deref(), Some(planted.as_str()));
    let mut attacker = Browser::new(&site);
    attacker.cookie = Some(planted);
    assert_eq!(attacker.get("/ask").status, 303);
    // A second sign-in ends the session that the browser had.
    let first = victim.cookie.clone();
    assert_eq!(victim.sign_in("ana", PASSWORD, &[]).status, 303);
    assert_ne!(victim.cookie, first);
    attacker.cookie = first;
    assert_eq!(attacker.get("/ask").status, 303);
    assert_eq!(victim.get("/ask").status, 200);
    // Of two cookies, nobody knows which is ours.
    let twice = format!("{}; {}", victim.cookie.clone().unwrap(), victim.cookie.clone().unwrap());
    attacker.cookie = Some(twice);
    assert_eq!(attacker.get("/ask").status, 303);
}

/// Specification: a name that nobody has and a password that is wrong are told in the same bytes.
#[test]
fn nobody_learns_who_is_known() {
    let site = Site::start();
    let told = |name: &str, password: &str| -> HttpReply {
        let mut reply = Browser::new(&site).sign_in(name, password, &[]);
        assert!(reply.headers.remove("date").is_some() && reply.headers.remove("x-request-id").is_some());
        reply.body = reply.text().replace(name, "NAME").into_bytes();
        reply
    };
    let first = told("ana", "wrong");
    assert_eq!(first.status, 401);
    assert!(!first.headers.contains_key("set-cookie"));
    for (name, password) in
        [("bob", "wrong"), ("bob", ""), ("ana", ""), ("bob", PASSWORD), ("ben", &"x".repeat(2_000))]
    {
        assert_eq!(told(name, password), first, "{name}");
    }
}

/// Specification: guesses count, those at once too, at both doors together; and nobody else is kept out.
#[test]
fn guessing_is_slowed_and_then_stopped() {
    let site = Site::start();
    let statuses: Vec<u16> = thread::scope(|scope| {
        let guess = |number: usize| {
            let site = &site;
            scope.spawn(move || Browser::new(site).sign_in("ana", &format!("guess {number}"), &[]).status)
        };
        let guesses: Vec<_> = (0..70).map(guess).collect();
        guesses.into_iter().map(|guess| guess.join().unwrap()).collect()
    });
    let looked_at = statuses.iter().filter(|status| **status == 401).count();
    assert!(looked_at <= 60, "{looked_at} guesses were looked at");
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(Browser::new(&site).sign_in("ana", PASSWORD, &[]).status, 429, "not even the right one");
    let wire = site.wire_with("ana", PASSWORD, &[]).err().unwrap_or_default();
    assert!(wire.contains("too many failed logins"), "{wire}");
    assert_eq!(Browser::new(&site).sign_in("ben", PASSWORD, &[]).status, 303);
}

/// Specification: another password, another role, or nobody of that name: the next request is turned away.
#[test]
fn sessions_end_when_people_change() {
    type Change = fn(&mut Access);
    let changes: [Change; 3] = [
        |access| access.set_password("ana", &Password::new("another one").unwrap()).unwrap(),
        |access| access.set_role("ana", Role::Auditor).unwrap(),
        |access| access.remove("ana").unwrap(),
    ];
    for change in changes {
        let site = Site::start();
        let (ana, ben) = (Browser::signed_in(&site, "ana"), Browser::signed_in(&site, "ben"));
        Access::edit(&site.folder.path().join(".pointillist/access.toml"), |access| {
            change(access);
            Ok(())
        })
        .unwrap();
        site.running().reload().unwrap();
        assert_eq!((ana.get("/budget").status, ben.get("/budget").status), (303, 200));
    }
}

/// Specification: a sign-in leads to a section of ours that its role sees, whatever was asked for.
#[test]
fn a_sign_in_leads_nowhere_else() {
    let site = Site::start();
    for (next, leads_to) in [
        ("/budget", "/budget"),
        ("/desk", "/ask"),
        ("//evil.example", "/ask"),
        ("https://evil.example/budget", "/ask"),
        ("/\\evil.example", "/ask"),
        ("/budget?x=//evil.example", "/ask"),
        ("javascript:alert(1)", "/ask"),
        ("/budget\r\nx-evil: 1", "/ask"),
        ("", "/ask"),
    ] {
        let reply = Browser::new(&site).sign_in("ana", PASSWORD, &[("next", next)]);
        assert_eq!((reply.status, reply.headers["location"].as_str()), (303, leads_to), "{next}");
        assert!(!reply.headers.contains_key("x-evil"));
        let page = site.call("GET", &format!("/sign-in?{}", encoded(&[("next", next)])), &[], "").text();
        assert!(!page.contains("evil.example") && !page.contains("javascript:"), "{next}");
    }
}

/// Specification: on an encrypted door the cookie travels in no other way, and no other host can set it.
#[test]
fn an_encrypted_console_has_a_stricter_cookie() {
    let site = Site::encrypted();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(site.certificate.clone().unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let call = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| -> HttpReply {
        let session =
            rustls::ClientConnection::new(Arc::new(config.clone()), "localhost".try_into().unwrap()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, TcpStream::connect(site.http()).unwrap());
        stream.write_all(&request(method, path, headers, body)).unwrap();
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        parsed(&reply)
    };
    let kind = ("content-type", "application/x-www-form-urlencoded");
    let fields = encoded(&[("name", "ana"), ("password", PASSWORD)]);
    let reply = call("POST", "/sign-in", &[kind, ("origin", "https://localhost")], &fields);
    let cookie = reply.headers["set-cookie"].clone();
    assert!(cookie.starts_with("__Host-pointillist="), "{cookie}");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    let own = cookie.split(';').next().unwrap();
    assert_eq!(call("GET", "/ask", &[("cookie", own)], "").status, 200);
    let plain = own.replace("__Host-", "");
    assert_eq!(call("GET", "/ask", &[("cookie", &plain)], "").status, 303, "the plain name is nobody's");
}
