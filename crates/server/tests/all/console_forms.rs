//! Forms of the console: whose they are, what they pay for, and that no text in them becomes anything else.

use std::thread;

use serde_json::Value;

use crate::console_client::{Browser, between};
use crate::fixture::{CATALOG, Site};
use pointillist_server::Limits;

const COUNT: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region";

/// Texts that would be something else where they are not escaped.
const CANARIES: [&str; 12] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"><svg onload=alert(3)>",
    "' onmouseover='alert(4)",
    "</textarea><script>alert(5)</script>",
    "</title><script>alert(6)</script>",
    "javascript:alert(7)",
    "&lt;b&gt;already escaped&lt;/b&gt;",
    "<!-- --><iframe src=//evil.example>",
    "\u{202e}turned around\u{2066}",
    "{{7*7}}${7*7}#{7*7}",
    "=HYPERLINK(\"http://evil.example\")",
];

/// What of a page is neither a text nor the value of an attribute, if it is nothing that we write: a tag that no page of ours has, or an
/// attribute that runs something.
fn infection(page: &str) -> Option<String> {
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let mut is_quoted = false;
        let end = rest.find(|sign: char| {
            is_quoted ^= sign == '"';
            sign == '>' && !is_quoted
        });
        let tag = &rest[..end.unwrap_or(rest.len())];
        let bare: String = tag.split('"').step_by(2).collect::<Vec<_>>().join("\"\"").to_lowercase();
        let name: String = bare.chars().take_while(|sign| sign.is_ascii_alphanumeric()).collect();
        let is_ours = !["img", "iframe", "b", "object", "embed", "base"].contains(&name.as_str())
            || bare.starts_with("b class");
        let runs =
            bare.contains(" on") || bare.contains("alert") || bare.starts_with("!--") || bare.contains('<');
        let is_script = name == "script" && !tag.starts_with("script src=\"/console.js?v=");
        rest = &rest[tag.len()..];
        if !is_ours || runs || is_script || (tag.contains("javascript:") && tag.contains("href")) {
            return Some(tag.to_owned());
        }
    }
    // What somebody types stays as they typed it, in the editor and in hidden fields; wherever it is read, it is spelled out.
    let mut read = page.to_owned();
    for (begin, end) in [("<textarea", "</textarea>"), ("<pre aria-hidden", "</pre>"), ("value=\"", "\"")] {
        while let Some(start) = read.find(begin) {
            let length = read[start + begin.len()..]
                .find(end)
                .map_or(read.len() - start, |end_at| begin.len() + end_at + end.len());
            read.replace_range(start..start + length, "");
        }
    }
    read.contains(['\u{202e}', '\u{2066}']).then(|| "signs that turn writing around".to_owned())
}

#[test]
fn an_infected_page_is_found() {
    for page in [
        "<p><script>alert(1)</script>",
        "<img src=x>",
        "<p class=\"a\" onclick='x'>",
        "<a href=\"javascript:x\">",
        "<input value=\"\"><svg onload=alert(3)>\">",
        "<script src=\"/evil.js\"></script>",
        "a\u{202e}b",
    ] {
        assert!(infection(page).is_some(), "{page}");
    }
    let fine = "<p title=\"<img> onload=alert(1)\">&lt;script&gt; ' onmouseover='x</p><script src=\"/console.js?v=1\" defer></script>";
    assert_eq!(infection(fine), None);
}

/// Specification: a form is taken from a page of ours alone, with its session's own token in it; nothing else pays.
#[test]
fn forms_of_others_are_not_taken() {
    let site = Site::start();
    let (ana, ben) = (Browser::signed_in(&site, "ana"), Browser::signed_in(&site, "ben"));
    let here = [("sec-fetch-site", "same-origin")];
    let question = [("sql", COUNT), ("epsilon", "0.1"), ("nonce", "n")];
    let offered = ana.offered(&question);
    let question = [&question[..], &[("offered", offered.as_str())]].concat();
    let with = |token: &str| {
        [&[("form_token", token)], &question[..]]
            .concat()
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect::<Vec<_>>()
    };
    let send = |fields: &[(String, String)], headers: &[(&str, &str)]| {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        ana.send("/ask/answer", &fields, headers).status
    };
    let own = with(&ana.form_token);
    for (fields, headers) in [
        (with(""), &here[..]),
        (with(&ben.form_token), &here),
        (with(&ana.form_token[1..]), &here),
        (own.clone(), &[("sec-fetch-site", "cross-site")]),
        (own.clone(), &[("sec-fetch-site", "same-site")]),
        (own.clone(), &[("sec-fetch-site", "none")]),
        (own.clone(), &[("origin", "https://evil.example")]),
        (own.clone(), &[("origin", "null")]),
    ] {
        assert_eq!(send(&fields, headers), 403, "{headers:?}");
    }
    assert_eq!(site.spent("ana"), "0");
    // A token in the address is no token, and a body of another kind is no form.
    let path = format!("/ask/answer?form_token={}", ana.form_token);
    assert_eq!(ana.send(&path, &question, &here).status, 403);
    let cookie = ana.cookie.clone().unwrap();
    let json = [("cookie", cookie.as_str()), ("content-type", "application/json")];
    assert_eq!(site.call("POST", "/ask/answer", &json, "{\"sql\": \"SELECT 1\"}").status, 400);
    // A token of the programs' door opens no page, and a session none of the programs' paths.
    assert_eq!(site.get("ana", "/budget").status, 303);
    assert_eq!(site.call("GET", "/v1/budget", &[("cookie", &cookie)], "").status, 401);
    assert_eq!(site.spent("ana"), "0");
    assert_eq!(send(&own, &here), 200);
    assert_ne!(site.spent("ana"), "0");
    for path in ["/sign-in", "/sign-out"] {
        assert_eq!(
            ana.send(path, &own_fields(&own), &[("sec-fetch-site", "cross-site")]).status,
            403,
            "{path}"
        );
    }
    assert_eq!(ana.get("/ask").status, 200, "nobody else signed her out");
}

fn own_fields(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

/// Specification: the same form, sent again or many times at once, is paid once and answered alike; another one is another.
#[test]
fn a_question_is_paid_once_however_often_it_is_pressed() {
    let site = Site::start();
    let ana = Browser::signed_in(&site, "ana");
    let ask = |nonce: &str, epsilon: &str| {
        let reply = ana.ask(&[("sql", COUNT), ("epsilon", epsilon), ("nonce", nonce)]);
        assert_eq!(reply.status, 200, "{}", reply.text());
        let text = reply.text();
        between(&text, "<tbody>", "</tbody>").unwrap_or_else(|| panic!("no answer: {text}")).to_owned()
    };
    let first = thread::scope(|scope| {
        let presses: Vec<_> = (0..6).map(|_| scope.spawn(|| ask("n1", "0.1"))).collect();
        let answers: Vec<String> = presses.into_iter().map(|press| press.join().unwrap()).collect();
        assert!(answers.windows(2).all(|two| two[0] == two[1]), "{answers:?}");
        answers[0].clone()
    });
    let once = site.spent("ana");
    assert_ne!(once, "0");
    assert_eq!(ask("n1", "0.1"), first);
    assert_eq!(ask("n2", "0.1"), first, "the same question is free, in another form too");
    assert_eq!(site.spent("ana"), once);
    assert_ne!(ask("n1", "0.2"), first, "a dearer answer is another one");
    assert_ne!(site.spent("ana"), once);
    let page = ana.get("/budget").text();
    assert!(page.contains("count(*)"), "the history has it: {page}");
}

/// Specification: what is paid is what the button said. Where the form or the statement says another price, that is shown, and
/// nothing is paid.
#[test]
fn nobody_pays_another_price_than_the_button_says() {
    let site = Site::start();
    let ana = Browser::signed_in(&site, "ana");
    let offered = ana.offered(&[("sql", COUNT), ("epsilon", "0.25")]);
    assert!(offered.contains("0.25"), "{offered}");
    let dearer = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.9) count(*) FROM visits";
    for (sql, epsilon, offered) in
        [(COUNT, "0.5", offered.as_str()), (dearer, "0.25", offered.as_str()), (COUNT, "0.25", "")]
    {
        let fields = [("sql", sql), ("epsilon", epsilon), ("nonce", "n"), ("offered", offered)];
        let page = ana.post("/ask/answer", &fields).text();
        assert!(page.contains("Ask for") && !page.contains("Receipt"), "{sql} {epsilon}: {page}");
    }
    assert_eq!(site.spent("ana"), "0");
    let paid = ana.post(
        "/ask/answer",
        &[("sql", COUNT), ("epsilon", "0.25"), ("nonce", "n"), ("offered", offered.as_str())],
    );
    assert!(paid.text().contains("Receipt"));
    assert_ne!(site.spent("ana"), "0");
}

/// Specification: what the editor says of a catalog follows from its text: it counts nobody's values, whatever bounds are written.
#[test]
fn a_check_through_the_door_counts_no_value() {
    let site = Site::start();
    let chief = Browser::signed_in(&site, "chief");
    let declared = std::fs::read_to_string(site.folder.path().join("pointillist.toml")).unwrap();
    // Bounds of the poster's own choice, which many values lie outside of.
    let text = declared.replacen("upper = 100", "upper = 1", 1);
    assert_ne!(text, declared);
    let checked = |text: &str| chief.post("/catalog/check", &[("text", text), ("version", "")]).text();
    let before = checked(&text);
    assert!(before.contains("Who is protected"), "{before}");
    let visits = site.folder.path().join("visits.csv");
    let rows = std::fs::read_to_string(&visits).unwrap();
    let first = rows.lines().next().unwrap();
    std::fs::write(&visits, format!("{first}\n")).unwrap();
    let token = |page: &str| page.replace(&chief.form_token, "");
    assert_eq!(token(&checked(&text)), token(&before), "without any row the page is the same");
    assert!(!before.contains("outside"), "{before}");
}

/// Specification: a quote and a rehearsal cost nothing, change with the question, and refusals say what to do.
#[test]
fn quotes_and_rehearsals_are_free_and_refusals_help() {
    let site = Site::start();
    let ana = Browser::signed_in(&site, "ana");
    let quote =
        |sql: &str, epsilon: &str| ana.post("/ask/quote", &[("sql", sql), ("epsilon", epsilon)]).text();
    let (blurry, sharp) = (quote(COUNT, "0.1"), quote(COUNT, "1"));
    let error = |page: &str| between(page, "data-error>", "<").unwrap_or_else(|| panic!("{page}")).to_owned();
    assert!(error(&blurry).starts_with('±') && error(&blurry) != error(&sharp));
    assert!(blurry.contains("Ask for") && blurry.contains("data-ladder="), "{blurry}");
    let refused = quote("SELECT patient_id FROM visits", "0.1");
    assert!(refused.contains("Not asked") && refused.contains("nothing was paid"), "{refused}");
    assert!(refused.contains("What would work"), "{refused}");
    for wrong in ["0", "-1", "NaN", "1e400", "0x1", "<b>", "１"] {
        assert!(quote(COUNT, wrong).contains("Not asked"), "{wrong}");
    }
    let public = quote("SELECT hospital FROM hospitals", "0.1");
    assert!(public.contains("Public, and free"), "{public}");
    let rehearsed = ana.post("/ask/rehearse", &[("sql", COUNT), ("epsilon", "0.1")]).text();
    assert!(rehearsed.contains("Made-up rows") && rehearsed.contains("made-up"), "{rehearsed}");
    let built = ana
        .post("/ask/build", &[("table", "visits"), ("measure", "average:cost"), ("group", "region")])
        .text();
    assert!(built.contains("AVG(cost)") && built.contains("GROUP BY region"), "{built}");
    assert_eq!(site.spent("ana"), "0");
    let too_much = quote(COUNT, "20");
    assert!(too_much.contains("More than you have left"), "{too_much}");
}

/// Specification: the script gets the same pieces, and is told apart when it is signed out.
#[test]
fn pieces_are_the_same_as_pages() {
    let site = Site::start();
    let ana = Browser::signed_in(&site, "ana");
    let offered = ana.offered(&[("sql", COUNT), ("epsilon", "0.1")]);
    let token = ana.form_token.as_str();
    let fields = [
        ("form_token", token),
        ("sql", COUNT),
        ("epsilon", "0.1"),
        ("nonce", "n"),
        ("offered", offered.as_str()),
    ];
    let script = [("accept", "application/json"), ("sec-fetch-site", "same-origin")];
    let said: Value = ana.send("/ask/quote", &fields, &script).json();
    assert!(said["quote"].as_str().is_some_and(|piece| piece.contains("Ask for")), "{said}");
    assert!(said["preview"].as_str().is_some_and(|piece| piece.contains("data-ladder")), "{said}");
    let paid: Value = ana.send("/ask/answer", &fields, &script).json();
    assert!(paid["answer"].as_str().is_some_and(|piece| piece.contains("Receipt")), "{paid}");
    assert_ne!(paid["nonce"], "n", "the next question is another one");
    assert_eq!(ana.post("/sign-out", &[]).status, 303);
    let after = ana.send("/ask/answer", &fields, &script);
    assert_eq!((after.status, after.json()["signed_out"].as_bool()), (401, Some(true)));
}

/// Specification: no text of a catalog, of rows, of a question or of an address becomes anything but a text, on any page.
#[test]
fn canaries_stay_texts_on_every_page() {
    let keys: Vec<String> = CANARIES
        .iter()
        .map(|key| format!("{:?}", key).replace("\\u{202e}", "\\u202e").replace("\\u{2066}", "\\u2066"))
        .collect();
    let keys = keys.iter().map(|key| key.replace("\\'", "'")).collect::<Vec<_>>().join(", ");
    let catalog = CATALOG.replace(
        "cost = { type",
        &format!("note = {{ type = \"text\", public_keys = [{keys}] }}\n\"<img src=x onerror=alert(2)>\" = {{ type = \"text\", name = \"region\" }}\ncost = {{ type"),
    );
    let catalog = match pointillist_catalog::Catalog::parse(&catalog) {
        Ok(_) => catalog,
        // Where a column cannot have such a name, its values still can be such.
        Err(_) => catalog
            .lines()
            .filter(|line| !line.starts_with("\"<img"))
            .map(|line| format!("{line}\n"))
            .collect(),
    };
    let site = Site::of(&catalog, 400, Limits::default());
    let mut visits = "patient_id,region,cost,note\n".to_owned();
    for patient in 0..400_usize {
        let note = CANARIES[patient % CANARIES.len()].replace('"', "\"\"");
        visits.push_str(&format!("{patient},north,1,\"{note}\"\n"));
    }
    std::fs::write(site.folder.path().join("visits.csv"), visits).unwrap();
    let (ana, chief) = (Browser::signed_in(&site, "ana"), Browser::signed_in(&site, "chief"));
    let sql = "SELECT note, count(*) FROM visits GROUP BY note";
    let answer = ana.ask(&[("sql", sql), ("epsilon", "0.5"), ("nonce", "n")]);
    let text = answer.text();
    assert!(
        text.contains("&lt;script&gt;alert(1)") && text.contains("Receipt"),
        "the keys are shown: {text}"
    );
    assert_eq!(infection(&text), None, "{text}");
    for canary in CANARIES {
        let sql = format!("SELECT count(*) FROM visits WHERE region = '{}'", canary.replace('\'', "''"));
        for (path, fields) in [
            (
                "/ask/quote",
                vec![("sql", canary), ("epsilon", canary), ("max_groups", canary), ("nonce", canary)],
            ),
            ("/ask/answer", vec![("sql", sql.as_str()), ("epsilon", "0.01"), ("nonce", canary)]),
            (
                "/ask/build",
                vec![
                    ("table", "visits"),
                    ("measure", canary),
                    ("column", "region"),
                    ("comparison", "="),
                    ("value", canary),
                ],
            ),
            ("/ask/build", vec![("table", canary)]),
        ] {
            let page = ana.post(path, &fields).text();
            assert_eq!(infection(&page), None, "{path} {canary}: {page}");
        }
        let page = Browser::new(&site).sign_in(canary, canary, &[("next", canary)]).text();
        assert_eq!(infection(&page), None, "sign-in {canary}");
        let page = chief.post("/catalog/check", &[("text", canary), ("version", canary)]).text();
        assert_eq!(infection(&page), None, "editor {canary}: {page}");
        let path: String = canary.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for place in ["/playground/", "/releases/x/", "/graphs?graph=", "/sign-in?next=", "/"] {
            let page = ana.get(&format!("{place}{path}")).text();
            assert_eq!(infection(&page), None, "{place}{canary}: {page}");
        }
    }
    for (browser, paths) in [
        (&ana, &["/ask", "/catalog", "/budget", "/graphs", "/releases", "/playground"][..]),
        (&chief, &["/desk", "/catalog", "/catalog/edit", "/budget", "/graphs", "/releases"]),
    ] {
        for path in paths {
            let page = browser.get(path);
            assert_eq!((page.status, infection(&page.text())), (200, None), "{path}: {}", page.text());
        }
    }
}
