//! Pages of the console: who sees which, what their headers allow, how large they are, and what the owner can change.

use crate::console_client::{Browser, between};
use crate::fixture::{CATALOG, Site};

/// Specification: the matrix of roles, page by page; a guest sees the way in and the playground.
#[test]
fn every_role_at_every_page() {
    let site = Site::start();
    let everybody = ["ana", "carla", "chief", "otto"];
    let pages: [(&str, &[&str]); 11] = [
        ("/ask", &["ana"]),
        ("/desk", &["carla", "chief"]),
        ("/catalog", &everybody),
        ("/catalog/edit", &["chief"]),
        ("/desk/audit", &["chief"]),
        ("/budget", &["ana", "chief", "otto"]),
        ("/graphs", &everybody),
        ("/releases", &everybody),
        ("/playground", &everybody),
        ("/playground/noise", &everybody),
        ("/releases/none/none", &[]),
    ];
    let forms: [(&str, &[&str]); 8] = [
        ("/ask/quote", &["ana", "carla", "chief"]),
        ("/ask/build", &["ana", "carla", "chief"]),
        ("/ask/rehearse", &["ana"]),
        ("/ask/answer", &["ana"]),
        ("/desk/approve", &["carla"]),
        ("/desk/audit", &["chief"]),
        ("/catalog/check", &["chief"]),
        ("/catalog/save", &["chief"]),
    ];
    for who in everybody {
        let browser = Browser::signed_in(&site, who);
        for (path, allowed) in pages {
            let expected = if allowed.contains(&who) {
                200
            } else if allowed.is_empty() {
                404
            } else {
                403
            };
            assert_eq!(browser.get(path).status, expected, "{who} at {path}");
        }
        for (path, allowed) in forms {
            let fields = [
                ("sql", "SELECT count(*) FROM visits WHERE nothing = 1"),
                ("epsilon", "0.1"),
                ("table", "visits"),
                ("plan", "x"),
                ("text", "x"),
                ("version", "x"),
                ("nonce", "n"),
            ];
            let expected = if allowed.contains(&who) { 200 } else { 403 };
            assert_eq!(browser.post(path, &fields).status, expected, "{who} at {path}");
        }
    }
    let guest = Browser::new(&site);
    for (path, _) in pages {
        let expected = if path.starts_with("/playground") { 200 } else { 303 };
        let reply = guest.get(path);
        assert_eq!(reply.status, expected, "a guest at {path}");
        assert!(expected == 200 || reply.headers["location"].starts_with("/sign-in"), "{path}");
    }
    for (path, _) in forms {
        assert_eq!(guest.post(path, &[("sql", "SELECT 1")]).status, 303, "a guest at {path}");
    }
}

/// Specification: the headers of every page, the refused ones too; assets may be kept, pages may not.
#[test]
fn pages_forbid_what_they_do_not_need() {
    let site = Site::start();
    let (ana, guest) = (Browser::signed_in(&site, "ana"), Browser::new(&site));
    let replies = [
        ana.get("/ask"),
        ana.get("/budget"),
        ana.get("/desk"),
        ana.get("/playground/none"),
        guest.get("/sign-in"),
        guest.get("/playground/trust"),
        guest.sign_in_wrong(),
    ];
    for reply in replies {
        let header = |name: &str| reply.headers.get(name).map(String::as_str).unwrap_or_default();
        let policy = header("content-security-policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.split("; ").any(|found| found == rule), "{rule}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("cache-control"), "no-store");
        assert!(header("content-type").starts_with("text/html"));
        let page = reply.text();
        for inline in [" style=\"", "<style", " onclick=", " onload=", "javascript:"] {
            assert!(!page.contains(inline), "{inline}: {page}");
        }
        assert_eq!(page.matches("<script").count(), 1, "one script, of ours: {page}");
    }
    let asset = guest.get("/console.css");
    assert!(asset.headers["cache-control"].contains("immutable") && asset.status == 200);
}

impl Browser<'_> {
    fn sign_in_wrong(&self) -> crate::fixture::HttpReply {
        self.send("/sign-in", &[("name", "x"), ("password", "y")], &[("sec-fetch-site", "same-origin")])
    }
}

/// Specification: a page with all that it loads is below 150 kB.
#[test]
fn pages_are_small() {
    let site = Site::start();
    let (ana, chief) = (Browser::signed_in(&site, "ana"), Browser::signed_in(&site, "chief"));
    let assets = ana.get("/console.css").body.len() + ana.get("/console.js").body.len();
    let lessons =
        ["noise", "differences", "averages", "graphs", "trust"].map(|lesson| format!("/playground/{lesson}"));
    let own = ["/ask", "/catalog", "/budget", "/graphs", "/releases", "/playground"].map(str::to_owned);
    for path in own.iter().chain(&lessons) {
        let bytes = ana.get(path).body.len() + assets;
        assert!(bytes < 150_000, "{path}: {bytes}");
    }
    for path in ["/desk", "/catalog/edit", "/budget"] {
        let bytes = chief.get(path).body.len() + assets;
        assert!(bytes < 150_000, "{path}: {bytes}");
    }
    let bytes = Browser::new(&site).get("/sign-in").body.len() + assets;
    assert!(bytes < 150_000, "{bytes}");
}

/// Specification: the owner's text is used at once or not at all, and never over somebody else's.
#[test]
fn a_catalog_is_saved_and_used_or_neither() {
    let site = Site::start();
    let chief = Browser::signed_in(&site, "chief");
    let on_disk = || std::fs::read_to_string(site.catalog()).unwrap();
    let version = |page: &str| between(page, "name=\"version\" value=\"", "\"").unwrap().to_owned();
    let page = chief.get("/catalog/edit").text();
    assert!(page.contains("Who is protected") && page.contains("[table.visits]"), "{page}");
    let seen = version(&page);
    let changed = CATALOG.replace("max_groups = 2", "max_groups = 1");
    let saved =
        chief.post("/catalog/save", &[("text", &changed.replace('\n', "\r\n")), ("version", &seen)]).text();
    assert!(saved.contains("Saved, and in use"), "{saved}");
    assert_eq!(on_disk(), changed);
    let catalog = site.get("ana", "/v1/catalog").json();
    assert_eq!(catalog["tables"][1]["max_groups"], 1, "{catalog}");
    let stale = chief.post("/catalog/save", &[("text", CATALOG), ("version", &seen)]).text();
    assert!(stale.contains("somebody else changed the catalog"), "{stale}");
    assert_eq!(on_disk(), changed);
    let now = version(&chief.get("/catalog/edit").text());
    for wrong in ["[table.visits\n", "[scope.patients]\nbudgett = { rho = 1 }\n"] {
        let page = chief.post("/catalog/save", &[("text", wrong), ("version", &now)]).text();
        assert!(page.contains("Nothing was saved") && on_disk() == changed, "{page}");
    }
    // A budget that the ledger was told otherwise is refused by the ledger, and the old text is back.
    assert_eq!(
        site.post(
            "ana",
            "/v1/query",
            &serde_json::json!({ "sql": "SELECT count(*) FROM visits", "rho": "0.01" })
        )
        .status,
        200
    );
    let richer = changed.replace("budget = { rho = 1,", "budget = { rho = 2,");
    let page = chief.post("/catalog/save", &[("text", &richer), ("version", &now)]).text();
    assert!(page.contains("the old text is back") && on_disk() == changed, "{page}");
}

/// Specification: the owner's desk says that the record is whole, who may come in and what happened; nobody's answer is on it.
#[test]
fn the_desk_shows_the_books_to_the_owner_alone() {
    let site = Site::start();
    let ana = Browser::signed_in(&site, "ana");
    let sql = "SELECT count(*) FROM visits WHERE region = 'north'";
    assert_eq!(ana.ask(&[("sql", sql), ("epsilon", "0.1"), ("nonce", "n")]).status, 200);
    let desk = Browser::signed_in(&site, "chief").get("/desk").text();
    assert!(desk.contains("The record is complete") && desk.contains("The anchor"), "{desk}");
    assert!(desk.contains("ana") && desk.contains("ben") && desk.contains("otto"), "{desk}");
    assert!(desk.contains("asked about patients"), "{desk}");
    let approver = Browser::signed_in(&site, "carla").get("/desk").text();
    assert!(
        approver.contains("Approve a plan") && !approver.contains("The record is complete"),
        "{approver}"
    );
    assert!(!approver.contains("asked about") && !approver.contains("otto"), "{approver}");
    let auditor = Browser::signed_in(&site, "otto").get("/budget").text();
    assert!(
        auditor.contains("asked about patients") && !auditor.contains("north"),
        "words are for the owner: {auditor}"
    );
    let owner = Browser::signed_in(&site, "chief").get("/budget").text();
    assert!(owner.contains("north"), "{owner}");
}

/// Specification: what is refused is not audited, and there is no report of what was not. The browser's walk audits a question.
#[test]
fn a_question_that_is_refused_is_not_audited() {
    let site = Site::start();
    let chief = Browser::signed_in(&site, "chief");
    for (sql, epsilon) in
        [("SELECT region FROM visits", "4"), ("SELECT count(*) FROM visits", "-1"), ("", "4")]
    {
        let refused = chief.post("/desk/audit", &[("sql", sql), ("epsilon", epsilon)]).text();
        assert!(refused.contains("Not audited"), "{sql} {epsilon}: {refused}");
    }
    assert_eq!(chief.get("/desk/audit/page").status, 404);
}
