//! How the program behaves towards pipes, scripts, other processes and people who want less of it.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::folder::{COUNT, Folder};
use super::{pointillist, stderr, stdout};

fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pointillist"));
    command.args(arguments).current_dir(folder.path());
    command
}

/// Specification: a closed stderr changes neither what is done nor how it ends.
#[test]
fn a_closed_stderr_is_no_reason_to_abort() {
    let folder = Folder::new();
    for (arguments, code) in [
        (&["query", "SELECT avg(cost) FROM visits", "--rho", "0.001"][..], 0),
        (&["query", "SELECT sum(price) FROM visits"], 2),
        (&["query", "SELECT * FROM visits"], 3),
        (&["init", "visits.csv", "-o", "new.toml"], 0),
    ] {
        // The other end of the pipe is dropped before the program can write to it.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let status =
            command(&folder, arguments).stdout(Stdio::null()).stderr(writer).status().expect("it runs");
        assert_eq!(status.code(), Some(code), "{arguments:?}: {status}");
    }
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let other = writer.try_clone().expect("the same pipe");
    let status = command(&folder, &["query", COUNT, "--rho", "0.001"])
        .stdout(other)
        .stderr(writer)
        .status()
        .expect("it runs");
    assert_eq!(status.code(), Some(0), "{status}");
}

/// Specification: a script that asked for JSON gets one object whatever happens, and its kind says what.
#[test]
fn failures_are_objects_with_a_kind() {
    let folder = Folder::new();
    for (arguments, kind, code) in [
        (&["query", COUNT, "--rho", "5"][..], "budget", 3),
        (&["query", COUNT, "--rho", "0.06", "--as", "ana"], "budget", 3),
        (&["query", COUNT, "--as", "eve"], "no_share", 3),
        (&["query", COUNT, "--as", "mallory"], "unknown_analyst", 2),
        (&["query", "SELECT * FROM visits"], "privacy", 3),
        (&["query", "SELECT rank() OVER (ORDER BY cost) FROM visits"], "unsupported", 2),
        (&["query", "SELECT count(* FROM visits"], "syntax", 2),
        (&["query", "SELECT count(*) FROM patients"], "unknown_table", 2),
        (&["explain", "SELECT sum(price) FROM visits"], "unknown_column", 2),
        (&["query", COUNT, "--epsilon", "-1"], "parameter", 2),
        (&["check", "--catalog", "elsewhere.toml"], "catalog", 2),
        (&["query", COUNT, "--no-such-flag"], "usage", 2),
    ] {
        let output = folder.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        let object: Value = serde_json::from_str(&stdout(&output)).expect("one object");
        let error = &object["error"];
        assert_eq!(
            (error["kind"].as_str(), error["exit_code"].as_i64()),
            (Some(kind), Some(code.into())),
            "{object}"
        );
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{object}");
        assert!(stderr(&output).starts_with("error: "), "people's words stay on stderr");
    }
    fs::remove_file(folder.join("visits.csv")).expect("the data goes");
    let output = folder.run(&["query", COUNT, "--format", "json"]);
    let object: Value = serde_json::from_str(&stdout(&output)).expect("one object");
    assert_eq!((object["error"]["kind"].as_str(), output.status.code()), (Some("data_unavailable"), Some(1)));
}

/// Specification: a refusal names a price that fits, in the asker's word, and that price is then paid.
#[test]
fn a_refusal_names_the_price_that_fits() {
    for (flag, much, more) in
        [("--epsilon", "3.9", "3.9"), ("--rho", "0.14", "0.14"), ("--error", "8", "8.1")]
    {
        let folder = Folder::new();
        folder.json(&["query", "SELECT count(*) FROM visits", flag, much]);
        let words = folder.refused(&["query", COUNT, flag, more], 3);
        let digits = words
            .split('ρ')
            .nth(1)
            .expect("the price")
            .chars()
            .skip(3)
            .take_while(|c| !" ,)".contains(*c))
            .count();
        assert!(digits <= 8, "few digits: {words}");
        let fits = words.split(&format!("hint: {flag} ")).nth(1).and_then(|rest| rest.split(' ').next());
        let fits = fits.unwrap_or_else(|| panic!("{flag} is missing from {words}"));
        folder.json(&["query", COUNT, flag, fits]);
    }
}

/// Specification: an answer that was paid for before says that it is free, before it says what it cost then.
#[test]
fn a_repeated_answer_is_free() {
    let folder = Folder::new();
    folder.words(&["query", COUNT, "--epsilon", "0.5"]);
    let again = folder.words(&["query", COUNT, "--epsilon", "0.5"]);
    let price = again.lines().find(|line| line.trim_start().starts_with("price")).expect("a price");
    assert!(price.trim_start().starts_with("price  free") && !price.contains("paid"), "{price}");
}

/// Specification: a question waits for whoever uses the ledger, and says so; its patience ends.
#[test]
fn a_ledger_in_use_is_waited_for() {
    let folder = Folder::new();
    folder.json(&["query", COUNT, "--rho", "0.001"]);
    let path = folder.join(".pointillist/ledger/ledger.lock");
    let lock = fs::File::options().write(true).open(path).expect("the lock");
    lock.lock().expect("nobody holds it");
    let since = Instant::now();
    let words = folder.refused(&["query", COUNT, "--rho", "0.002", "--wait", "0"], 1);
    assert!(words.contains("another process"), "{words}");
    let output = folder.run(&["query", COUNT, "--rho", "0.002", "--wait", "1", "--json"]);
    assert!(since.elapsed() >= Duration::from_secs(1));
    assert!(
        stderr(&output).contains("waiting for another process") && stderr(&output).contains("--wait"),
        "{}",
        stderr(&output)
    );
    let object: Value = serde_json::from_str(&stdout(&output)).expect("one object");
    assert_eq!(object["error"]["kind"], "ledger_in_use");
    let mut child = command(&folder, &["query", COUNT, "--rho", "0.002", "--wait", "60"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    // Released once the other one has said that it waits.
    let mut said = [0; 7];
    child.stderr.as_mut().expect("a pipe").read_exact(&mut said).expect("words");
    drop(lock);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn quiet_leaves_the_answer_alone() {
    let folder = Folder::new();
    let output = folder.run(&["query", "SELECT avg(cost) FROM visits", "--rho", "0.01", "--quiet"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
    assert!(
        stdout(&output).lines().all(|line| line.starts_with(['╭', '│', '├', '╰'])),
        "{}",
        stdout(&output)
    );
    let refused = folder.run(&["-q", "query", "SELECT * FROM visits"]);
    assert!(stderr(&refused).starts_with("error: "), "errors are said in any case");
}

/// Specification: a link that the owner wrote down is a source; a pipe as a catalog is refused and not waited for.
#[test]
fn links_are_followed_and_pipes_are_not_waited_for() {
    let folder = Folder::new();
    fs::rename(folder.join("visits.csv"), folder.join("stored.csv")).expect("the data moves");
    symlink(folder.join("stored.csv"), folder.join("visits.csv")).expect("a link");
    folder.json(&["query", COUNT, "--rho", "0.01"]);
    folder.words(&["init", "visits.csv", "-o", "other.toml"]);
    let pipe = folder.join("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let words = folder.refused(&["check", "--catalog", "pipe.toml"], 2);
    assert!(words.contains("no regular file"), "{words}");
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&pointillist(&["completions", shell]));
        assert!(script.contains("rehearse") && script.contains("epsilon"), "{shell}");
    }
    let page = stdout(&pointillist(&["man"]));
    assert!(page.contains(".TH pointillist") && page.contains("rehearse"), "{page}");
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("man1");
    let output = pointillist(&["man", "--output", to.to_str().expect("a path")]);
    assert!(output.status.success(), "{}", stderr(&output));
    // Every command is in the list of the first page, and every name in a list is a page that can be opened.
    let pages = fs::read_dir(&to).expect("a folder").map(|entry| entry.expect("an entry").path());
    for path in pages {
        let page = fs::read_to_string(&path).expect("a page");
        assert!(page.contains("\n.nh\n") && !page.contains(".SH EXTRA"), "{}", path.display());
        for line in page.lines().filter_map(|line| line.strip_suffix("(1)")) {
            let name = line.replace('\\', "") + ".1";
            assert!(to.join(&name).exists(), "{}: {name}", path.display());
        }
    }
    for name in ["pointillist-query.1", "pointillist-study-traces.1", "pointillist-graph-extension.1"] {
        let page = fs::read_to_string(to.join(name)).expect("a page");
        assert!(
            page.contains("\n.SH EXAMPLES\n  pointillist ") && page.contains("\"pointillist 0."),
            "{name}"
        );
    }
}

/// Specification: a shell that reads from a pipe answers what it is asked, in order, and stops at the first failure.
#[test]
fn a_shell_works_in_a_pipe() {
    let folder = Folder::new();
    let ask = |arguments: &[&str], words: &str| {
        let mut child = command(&folder, arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        child.stdin.take().expect("a pipe").write_all(words.as_bytes()).expect("words");
        child.wait_with_output().expect("it ends")
    };
    let words = "\\dt\nSET epsilon = 0.5;\nSELECT count(*)\n  AS n FROM visits; -- done;\nDESCRIBE visits;\n";
    let output = ask(&["shell", "--format", "csv"], words);
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = stdout(&output);
    let at = |part: &str| lines.find(part).unwrap_or_else(|| panic!("{part} is missing from\n{lines}"));
    assert!(
        at("name,kind,scope") < at("n,n_low,n_high") && at("n,n_low,n_high") < at("column,type"),
        "{lines}"
    );
    assert!(stderr(&output).contains("ε = 0.5"), "{}", stderr(&output));
    let failed = ask(&["shell"], "SELECT * FROM visits; SELECT count(*) FROM visits");
    assert_eq!(failed.status.code(), Some(3));
    assert!(failed.stdout.is_empty(), "{}", stdout(&failed));
    let left = ask(&["shell"], "\\q\nSELECT count(*) FROM visits;\n");
    assert!(left.status.success() && left.stdout.is_empty());
}
