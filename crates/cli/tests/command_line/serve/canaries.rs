//! Words that must not leave: planted where people, tokens and literals are, and looked for in everything that was said.

use std::path::Path;

use super::{Folder, block_on};

/// In rows: an undeclared column and its name, a note of one person, a region that nobody declared, a number outside of its bounds,
/// who the person is. No statement has them in it.
const IN_ROWS: [&str; 6] =
    ["CANARYNAME", "CANARYCOLUMN", "CANARYNOTE", "CANARYREGION", "987654321", "CANARYUNIT"];
/// In statements: literals, names that do not exist, comments.
const IN_STATEMENTS: [&str; 4] = ["CANARYLITERAL", "canarytable", "CANARYCOMMENT", "CANARYPARAMETER"];

/// Security test 31, with twelve canaries (six of rows, four of statements, a token, a password): none of a row leaves in any answer,
/// error, notice, page or metric; none of a row, a literal, a token or a password is in the log, the ledger's folder or the metrics.
#[test]
fn no_canary_is_found_in_anything_that_was_said_or_written() {
    let folder = planted();
    let server = folder.serve();
    let mut said = String::new();
    for sql in statements() {
        for path in ["/v1/query", "/v1/explain", "/v1/rehearse"] {
            let body = serde_json::json!({ "sql": sql, "rho": "0.001" }).to_string();
            said += &server.request("POST", path, "application/json", &body).unwrap_or_default();
        }
        said += &server
            .request("POST", "/v1/query", "text/csv", &format!("{{\"sql\": 1, \"{sql}\""))
            .unwrap_or_default();
    }
    let pages = [
        "/metrics",
        "/v1/catalog",
        "/v1/budget",
        "/v1/history",
        "/v1/releases",
        "/openapi.json",
        "/healthz",
        "/nowhere",
    ];
    let metrics = server.request("GET", "/metrics", "*/*", "").unwrap_or_default();
    for page in pages {
        said += &server.request("GET", page, "*/*", "").unwrap_or_default();
    }
    let wire = block_on(over_the_wire(&server));
    assert!(
        said.contains("\"receipt\"") && wire.contains("Row("),
        "nobody was answered, so nothing is shown"
    );
    said += &wire;
    for canary in IN_ROWS {
        assert!(!said.contains(canary), "{canary} was said");
    }
    let (token, password) = (server.token.clone(), server.password.clone());
    drop(server);
    let written = written(folder.path());
    for (name, text) in &written {
        let secret = token.rsplit('_').next().expect("a secret");
        let secrets = [secret, password.as_str()];
        for canary in IN_ROWS.iter().chain(&secrets) {
            assert!(!text.contains(canary), "{canary} is in {name}");
        }
        // What was asked is the owner's to know, in the one file that is for it.
        if !name.ends_with("questions.log") {
            for canary in IN_STATEMENTS {
                assert!(!text.contains(canary), "{canary} is in {name}");
            }
        }
    }
    assert!(IN_STATEMENTS.iter().all(|canary| !metrics.contains(canary)));
    assert!(
        written.iter().any(|(name, text)| name.ends_with("server.log") && !text.is_empty()),
        "there is a log"
    );
}

fn planted() -> Folder {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = String::from("id,CANARYCOLUMN,region,cost,note\n");
    for row in 0..200 {
        rows += &format!("{row},somebody,north,10,nothing\n");
    }
    rows += "CANARYUNIT,CANARYNAME,CANARYREGION,987654321,CANARYNOTE\n";
    let catalog = "[scope.people]\nbudget = { rho = 10, delta = 1e-9 }\n[service]\ndatabase = \"hospital\"\nquantum_ms = 5\n\
        [table.visits]\nscope = \"people\"\nsource = \"visits.csv\"\nprivacy_unit = \"id\"\nmax_groups = 1\nmax_contributions = 1\n\
        [table.visits.columns]\nregion = { type = \"text\" }\ncost = { type = \"integer\", lower = 0, upper = 100 }\nnote = { type = \"text\" }\n\
        [analyst.ana]\nshares = { people = { rho = 10, delta = 1e-9 } }\n";
    Folder::of(folder, catalog, &rows)
}

fn statements() -> Vec<String> {
    [
        "SELECT region, count(*) FROM visits GROUP BY region",
        "SELECT note, count(*) FROM visits GROUP BY note",
        "SELECT sum(cost), avg(cost), max(cost) FROM visits",
        "SELECT max(cost) FROM visits",
        "SELECT * FROM visits",
        "SELECT name FROM visits",
        "SELECT count(DISTINCT id) FROM visits",
        "SELECT count(*) FROM visits WHERE CAST(note AS integer) > 1",
        "SELECT count(*) FROM visits WHERE 1 / (cost - 987654320 - 1) > 0",
        "SELECT count(*) FROM visits WHERE note = 'CANARYLITERAL' -- CANARYCOMMENT",
        "SELECT count(*) FROM canarytable",
        "SELECT canarytable FROM visits WHERE 'CANARYLITERAL",
        "COPY (SELECT 'CANARYLITERAL') TO '/tmp/CANARYLITERAL'",
    ]
    .map(str::to_owned)
    .to_vec()
}

async fn over_the_wire(server: &super::Server) -> String {
    let client = server.connect().await.expect("ana comes in");
    let mut said = String::new();
    for sql in statements() {
        said += &format!("{:?}", client.simple_query(&sql).await);
        said += &format!("{:?}", client.simple_query(&format!("EXPLAIN {sql}")).await);
    }
    let parameter = "SELECT count(*) FROM visits WHERE note = $1";
    said += &format!("{:?}", client.query(parameter, &[&"CANARYPARAMETER"]).await);
    for sql in ["SELECT * FROM pg_catalog.pg_stat_activity", "SELECT * FROM pg_settings", "SHOW ALL"] {
        said += &format!("{:?}", client.simple_query(sql).await);
    }
    said
}

/// Everything that the server wrote: its log and its folder, not the data.
fn written(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.join(".pointillist")];
    let mut files = vec![folder.join("server.log")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file).expect("bytes")).into_owned();
        found.push((file.display().to_string(), text));
    }
    found
}
