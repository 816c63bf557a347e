//! Who may do what on the wire, and that nobody becomes somebody else, through any door.

use std::time::SystemTime;

use pointillist_access::{Access, Password, Role, TokenTerms};
use serde_json::json;

use crate::fixture::{PASSWORD, Site};
use crate::wire_client::{WireClient, bind, execute, parse};

const COUNT: &str = "SELECT count(*) AS n FROM visits";
const DENIED: &str = "E 42501 ";

/// Something that is done on the wire, and whether it was done.
type Act = fn(&mut WireClient) -> Vec<String>;

/// Specification: the matrix of roles, statement by statement and message by message; what is refused is refused for who asks,
/// and costs nobody anything.
#[test]
fn every_role_with_every_statement() {
    let site = Site::start();
    let everybody: &[&str] = &["ana", "carla", "chief", "otto"];
    let acts: [(&str, Act, &[&str]); 10] = [
        ("a question", |client| client.ask(COUNT), &["ana"]),
        (
            "a question in messages",
            |client| client.pipeline(&[parse("", COUNT), bind("", ""), execute("", 0)]),
            &["ana"],
        ),
        ("COPY", |client| client.ask(&format!("COPY ({COUNT}) TO STDOUT")), &["ana"]),
        ("PREPARE", |client| client.ask(&format!("PREPARE p AS {COUNT}; EXECUTE p")), &["ana"]),
        ("a cursor", in_a_cursor, &["ana"]),
        ("EXPLAIN", |client| client.ask(&format!("EXPLAIN {COUNT}")), &["ana", "carla", "chief"]),
        (
            "EXPLAIN as JSON",
            |client| client.ask(&format!("EXPLAIN (FORMAT JSON) {COUNT}")),
            &["ana", "carla", "chief"],
        ),
        ("SHOW TABLES", |client| client.ask("SHOW TABLES"), everybody),
        (
            "the catalog",
            |client| client.ask("SELECT relname FROM pg_catalog.pg_class WHERE relname = 'visits'"),
            everybody,
        ),
        ("SELECT 1", |client| client.ask("SELECT 1"), everybody),
    ];
    for who in everybody {
        for (what, act, allowed) in &acts {
            let replies = act(&mut site.wire(who));
            let is_denied = replies.iter().any(|reply| reply.starts_with(DENIED));
            let is_done = !replies.iter().any(|reply| reply.starts_with("E "));
            assert_eq!(
                (is_done, is_denied),
                (allowed.contains(who), !allowed.contains(who)),
                "{who}: {what}: {replies:?}"
            );
        }
    }
    assert_eq!(site.spent("ana"), "0.01", "one question, in five wrappers");
    let all = site.get("otto", "/v1/budget").json();
    assert_eq!(all["scopes"][0]["spent"]["rho"], "0.01", "{all}");
}

fn in_a_cursor(client: &mut WireClient) -> Vec<String> {
    let mut replies = client.ask("BEGIN");
    replies.extend(client.ask(&format!("DECLARE c CURSOR FOR {COUNT}")));
    replies.extend(client.ask("FETCH ALL FROM c"));
    replies
}

/// Specification: an auditor who names the analyst or the owner in every way that PostgreSQL has stays an auditor.
#[test]
fn nobody_becomes_somebody_else_on_the_wire() {
    let site = Site::start();
    for sql in [
        "SET ROLE ana",
        "SET SESSION AUTHORIZATION ana",
        "SET LOCAL ROLE 'ana'",
        "SET role TO ana",
        "SET session_authorization = 'ana'",
        "SELECT set_config('role', 'ana', false)",
        "SELECT set_config('session_authorization', 'ana', false)",
        "SET user_name = 'ana'",
        "RESET ROLE",
        "RESET SESSION AUTHORIZATION",
        "DISCARD ALL",
    ] {
        let mut otto = site.wire("otto");
        otto.ask(sql);
        assert_eq!(otto.ask("SELECT current_user, session_user")[1], "D otto|otto", "{sql}");
        assert!(otto.ask(COUNT)[0].starts_with(DENIED), "{sql}");
    }
    for more in [
        ("options", "-c role=ana"),
        ("options", "-c session_authorization=ana"),
        ("options", "--role=ana -c user=ana"),
        ("role", "ana"),
        ("session_authorization", "ana"),
        ("user_name", "ana"),
    ] {
        // Whether it is refused or does nothing, it does not make an analyst of an auditor.
        let Ok(mut otto) = site.wire_with("otto", PASSWORD, &[more]) else { continue };
        assert_eq!(otto.ask("SELECT current_user, session_user")[1], "D otto|otto", "{more:?}");
        assert!(otto.ask(COUNT)[0].starts_with(DENIED), "{more:?}");
    }
    let mut ben = site.wire("ben");
    ben.ask("SET ROLE ana");
    assert_eq!(ben.ask(COUNT)[2], "C SELECT 1");
    assert_eq!((site.spent("ana"), site.spent("ben")), ("0".to_owned(), "0.01".to_owned()));
}

/// Specification: neither a token, nor a name in another spelling, nor two names let anybody in on the wire.
#[test]
fn a_password_is_of_one_name() {
    let site = Site::start();
    let token = site.tokens["ana"].clone();
    for (who, password) in [("ana", token.as_str()), ("ANA", PASSWORD), ("ana ", PASSWORD), ("", PASSWORD)] {
        let refusal = site.wire_with(who, password, &[]).err();
        let refusal = refusal.unwrap_or_else(|| panic!("\"{who}\" came in"));
        assert!(refusal.starts_with("28"), "{who}: {refusal}");
    }
    if let Ok(mut twice) = site.wire_with("otto", PASSWORD, &[("user", "ana")]) {
        let who = twice.ask("SELECT current_user")[1].clone();
        assert_eq!(who == "D ana", twice.ask(COUNT)[0] == "T", "one name decides everything: {who}");
    }
}

/// Specification: a header, a cookie, a field of a request: none says who somebody is.
#[test]
fn a_header_says_nothing_about_who_asks() {
    let site = Site::start();
    let headers = [
        ("x-user", "ana"),
        ("user_name", "ana"),
        ("x-forwarded-user", "ana"),
        ("x-remote-user", "ana"),
        ("cookie", "user=ana; session=ana"),
    ];
    let body = json!({ "sql": COUNT, "rho": "0.01" });
    assert_eq!(site.post_with("ben", "/v1/query", &headers, &body).status, 200);
    assert_eq!((site.spent("ana"), site.spent("ben")), ("0".to_owned(), "0.01".to_owned()));
    assert_eq!(site.post_with("otto", "/v1/query", &headers, &body).status, 403);
    for field in ["user", "analyst", "as", "user_name"] {
        let body = json!({ "sql": COUNT, "rho": "0.01", field: "ana" });
        assert_eq!(site.post("ben", "/v1/query", &body).status, 400, "{field}");
    }
    assert_eq!(site.spent("ana"), "0");
}

/// Specification: from a reload on, a token that was revoked and a person who was removed, has another role or another password are what they are
/// now, also in sessions that were open before.
#[test]
fn whoever_is_put_out_asks_no_more() {
    let site = Site::start();
    let path = site.folder.path().join(".pointillist/access.toml");
    let second =
        Access::edit(&path, |access| access.create_token("ana", TokenTerms::default(), SystemTime::now()));
    let second = second.expect("a token");
    site.running().reload().unwrap_or_else(|error| panic!("{error}"));
    let budget = |token: &str| {
        let bearer = format!("Bearer {token}");
        site.call("GET", "/v1/budget", &[("authorization", &bearer)], "").status
    };
    assert_eq!(budget(&second.text), 200);
    let (mut ana, mut ben, mut carla) = (site.wire("ana"), site.wire("ben"), site.wire("carla"));
    assert_eq!(ana.ask(COUNT)[0], "T");
    assert_eq!(carla.ask("SHOW TABLES")[0], "T");
    Access::edit(&path, |access| {
        access.revoke_token(&second.id)?;
        access.remove("ana")?;
        access.set_password("carla", &Password::new("another horse, another staple")?)?;
        access.set_role("ben", Role::Auditor)
    })
    .expect("edited");
    site.running().reload().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((budget(&second.text), budget(&site.tokens["ana"])), (401, 401));
    let refusal = site.wire_with("ana", PASSWORD, &[]).err();
    assert!(refusal.is_some_and(|refusal| refusal.starts_with("28P01 ")));
    for (who, session) in [("ana", &mut ana), ("ben", &mut ben), ("carla", &mut carla)] {
        let replies = session.ask(COUNT);
        assert_eq!(replies, ["E 28000 terminating connection: who may come in has changed"], "{who}");
    }
    let mut ben = site.wire("ben");
    assert!(ben.ask(COUNT)[0].starts_with(DENIED), "an auditor now");
    assert_eq!(ben.ask("SHOW TABLES")[0], "T");
}
