//! Other people's crates stay in the rooms that need them.
//!
//! Each foreign crate that production code links has a line in [`PLACES`]: the rooms that may depend on it. So "only the
//! ledger opens SQLite" and "the planner does not know the engine's streams" are facts of this table, and the rooms of the
//! heart (numbers to graph) have no dependency that nobody argued for; above all no second source of randomness. Tests
//! may use what they like: `docs/dependencies.md` lists that too.

use super::workspace::DependencyKind;
use super::{Finding, Workspace};

/// A foreign crate, and the rooms whose production code may depend on it.
const PLACES: [(&str, &[&str]); 57] = [
    // Numbers, noise and losses: nothing here may draw, read or write anything.
    ("dashu-int", &["numbers", "noise", "privacy", "mechanisms"]),
    ("libm", &["privacy", "audit", "synth"]),
    ("realfft", &["privacy", "study"]),
    // Randomness enters in one room; the ledger draws the key of a new file, doors draw salts and tokens.
    ("getrandom", &["noise", "ledger", "access", "spark", "server"]),
    ("chacha20", &["noise", "testkit"]),
    ("zeroize", &["noise", "postgres", "spark"]),
    // The ledger's own.
    ("rusqlite", &["ledger"]),
    ("chacha20poly1305", &["ledger"]),
    ("sha2", &["synth", "graph", "engine", "ledger", "publication", "access", "server"]),
    // What is signed is what is published.
    ("ed25519-dalek", &["publication"]),
    // Who comes in.
    ("base64", &["access", "server"]),
    ("hmac", &["access"]),
    ("pbkdf2", &["access"]),
    // Passwords as clients prepare them (RFC 4013).
    ("stringprep", &["access"]),
    ("subtle", &["access", "server"]),
    // The network, behind one room.
    ("pgwire", &["server"]),
    ("axum", &["server"]),
    ("hyper", &["server"]),
    ("hyper-util", &["server"]),
    ("rustls", &["postgres", "server"]),
    ("tokio-rustls", &["postgres", "server"]),
    // Databases of others, behind one room; the certificates of their tests.
    ("tokio-postgres", &["postgres"]),
    ("tonic", &["spark"]),
    ("tonic-prost", &["spark"]),
    ("prost", &["spark"]),
    ("rcgen", &["testkit"]),
    // Files that are no links, and no core dumps of a server.
    ("rustix", &["access", "cli"]),
    // What the owner writes.
    ("toml", &["catalog"]),
    ("toml_edit", &["access", "catalog"]),
    ("saphyr-parser", &["catalog"]),
    // SQL text: questions, and what clients ask about what is declared. The server cuts a message into statements with the
    // tokenizer that reads them afterwards, so that nobody smuggles one statement into another.
    ("sqlparser", &["query", "pg_catalog", "server"]),
    ("regex", &["pg_catalog"]),
    // Rows: columns, files and streams.
    (
        "arrow",
        &[
            "engine",
            "lowering",
            "remote",
            "curator",
            "publication",
            "render",
            "audit",
            "demo",
            "server",
            "python",
            "cli",
        ],
    ),
    ("parquet", &["engine", "publication"]),
    ("bytes", &["engine", "postgres", "server"]),
    ("flate2", &["engine", "graph", "study"]),
    ("glob", &["engine"]),
    ("tokio", &["engine", "postgres", "spark", "server"]),
    // Captures of networks: frames of files, headers of packets.
    ("pcap-parser", &["study"]),
    ("etherparse", &["study"]),
    // Counting and solving.
    ("rayon", &["learn", "synth", "graph", "attack", "audit", "study", "cli"]),
    ("clarabel", &["attack"]),
    ("faer", &["learn", "study"]),
    // Results as bytes.
    ("maud", &["render", "audit", "demo", "console", "server", "cli"]),
    (
        "serde",
        &[
            "learn",
            "synth",
            "catalog",
            "local",
            "render",
            "curator",
            "publication",
            "attack",
            "audit",
            "study",
            "server",
            "python",
            "cli",
        ],
    ),
    // Lists of answers travel with reports as JSON, so that the local model reads it.
    (
        "serde_json",
        &[
            "learn",
            "synth",
            "local",
            "render",
            "remote",
            "curator",
            "publication",
            "attack",
            "audit",
            "study",
            "demo",
            "console",
            "server",
            "python",
            "cli",
            "xtask",
        ],
    ),
    // Python, behind one room.
    ("pyo3", &["python"]),
    ("pyo3-arrow", &["python"]),
    ("numpy", &["python"]),
    ("unicode-width", &["render", "cli"]),
    // The terminal.
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["cli"]),
    ("rustyline", &["cli"]),
    // Folders of audits and demonstrations.
    ("tempfile", &["testkit", "curator", "publication", "attack", "audit", "demo", "cli"]),
    ("thiserror", EVERYWHERE),
];

/// For what writes no code of its own into a program.
const EVERYWHERE: &[&str] = &[];

pub fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.crates {
        for dependency in &member.dependencies {
            if dependency.kind == DependencyKind::Development || workspace.is_ours(&dependency.name) {
                continue;
            }
            let name = &dependency.name;
            let place = PLACES.iter().find(|(listed, _)| listed == name);
            let problem = match place {
                Some((_, rooms)) if rooms.is_empty() || rooms.contains(&member.room()) => continue,
                Some((_, rooms)) => format!("`{name}` belongs to {}", rooms.join(", ")),
                None => format!("`{name}` has no place: no room is said to need it"),
            };
            findings.push(Finding::in_file(
                &member.manifest_path(),
                problem,
                "use what that room offers instead, or argue for the dependency in the commit and add the room to PLACES, in \
                 xtask/src/tidy/foreign_crates.rs",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use DependencyKind::{Build, Development, Normal};

    fn problems(workspace: &Workspace) -> Vec<String> {
        check(workspace).into_iter().map(|finding| format!("{}: {}", finding.path, finding.problem)).collect()
    }

    #[test]
    fn a_crate_in_its_room_is_fine() {
        let workspace = Workspace::default()
            .and_room("ledger", [("rusqlite", Normal), ("thiserror", Normal)])
            .and_room("noise", [("pointillist-ledger", Normal), ("datafusion", Development)]);
        assert_eq!(problems(&workspace), [""; 0]);
    }

    #[test]
    fn only_the_ledger_opens_sqlite() {
        for kind in [Normal, Build] {
            let found = problems(&Workspace::default().and_room("curator", [("rusqlite", kind)]));
            assert_eq!(found, ["crates/curator/Cargo.toml: `rusqlite` belongs to ledger"]);
        }
    }

    #[test]
    fn the_planner_and_the_engine_do_not_share_their_foreign_crates() {
        let found = problems(
            &Workspace::default()
                .and_room("plan", [("sqlparser", Normal)])
                .and_room("query", [("parquet", Normal), ("arrow", Normal)]),
        );
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn an_unknown_generator_is_found() {
        let found = problems(&Workspace::default().and_room("noise", [("fastrand", Normal)]));
        assert_eq!(found, ["crates/noise/Cargo.toml: `fastrand` has no place: no room is said to need it"]);
    }
}
