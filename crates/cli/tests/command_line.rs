//! The binary as people and scripts meet it: output, hints, exit codes.

#[path = "command_line/account.rs"]
mod account;
#[path = "command_line/anonymity.rs"]
mod anonymity;
#[path = "command_line/asking.rs"]
mod asking;
#[path = "command_line/attack.rs"]
mod attack;
#[path = "command_line/attack_files.rs"]
mod attack_files;
#[path = "command_line/audit.rs"]
mod audit;
#[path = "command_line/audit_query.rs"]
mod audit_query;
#[path = "command_line/bounds.rs"]
mod bounds;
#[path = "command_line/budget.rs"]
mod budget;
#[path = "command_line/demo.rs"]
mod demo;
#[path = "command_line/document_lines.rs"]
mod document_lines;
#[path = "command_line/documents.rs"]
mod documents;
#[path = "command_line/evaluation.rs"]
mod evaluation;
#[path = "command_line/first_hour.rs"]
mod first_hour;
#[path = "command_line/folder.rs"]
mod folder;
#[path = "command_line/graph.rs"]
mod graph;
#[path = "command_line/learn.rs"]
mod learn;
#[path = "command_line/ledger.rs"]
mod ledger;
#[path = "command_line/local.rs"]
mod local;
#[path = "command_line/manners.rs"]
mod manners;
#[path = "command_line/people.rs"]
mod people;
#[path = "command_line/periods.rs"]
mod periods;
#[path = "command_line/reconstruction.rs"]
mod reconstruction;
#[path = "command_line/release_verification.rs"]
mod release_verification;
#[path = "command_line/safeguards.rs"]
mod safeguards;
#[path = "command_line/serve.rs"]
mod serve;
#[path = "command_line/serving.rs"]
mod serving;
#[path = "command_line/snapshots.rs"]
mod snapshots;
#[path = "command_line/study_recommendations.rs"]
mod study_recommendations;
#[path = "command_line/synth.rs"]
mod synth;
#[path = "command_line/wording.rs"]
mod wording;

use std::io::Read;
use std::process::{Command, Output, Stdio};

fn pointillist(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pointillist")).args(arguments).output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

#[test]
fn noise_is_one_integer_a_line() {
    for distribution in ["discrete-laplace", "discrete-gaussian"] {
        for (scale, count) in [("10", "5"), ("10/3", "3000"), ("0.25", "1"), ("1e24", "2500"), ("2", "0")] {
            let output =
                pointillist(&["noise", "--distribution", distribution, "--scale", scale, "--count", count]);
            assert!(output.status.success(), "{}", stderr(&output));
            let values: Vec<i128> =
                stdout(&output).lines().map(|line| line.parse().expect("an integer")).collect();
            assert_eq!(values.len(), count.parse::<usize>().unwrap());
            assert!(output.stderr.is_empty(), "nothing but noise when piped");
        }
    }
}

#[test]
fn noise_for_scripts_is_json() {
    let arguments =
        ["noise", "--distribution", "discrete-laplace", "--scale", "10/3", "--count", "3", "--json"];
    let value: serde_json::Value = serde_json::from_str(&stdout(&pointillist(&arguments))).expect("JSON");
    assert_eq!(value["distribution"], "discrete-laplace");
    assert_eq!(value["scale"], "10/3");
    assert_eq!(value["values"].as_array().expect("an array").len(), 3);
    assert!(value["values"].as_array().unwrap().iter().all(serde_json::Value::is_i64));
}

/// Specification: two runs never agree, because no seed reaches the generator.
/// False alarm: 64 values of scale 2^40 agree with probability below 2^-2000.
#[test]
fn noise_never_repeats() {
    let draw = || {
        let arguments =
            ["noise", "--distribution", "discrete-laplace", "--scale", "1099511627776", "--count", "64"];
        stdout(&pointillist(&arguments))
    };
    assert_ne!(draw(), draw());
}

#[test]
fn a_wrong_request_gets_a_hint_and_code_two() {
    for scale in ["0", "-1", "NaN", "inf", "1e400", "5e-324", "ten", "", "1/0", "-0"] {
        for distribution in ["discrete-laplace", "discrete-gaussian"] {
            let output =
                pointillist(&["noise", "--distribution", distribution, "--scale", scale, "--count", "1"]);
            assert_eq!(output.status.code(), Some(2), "scale {scale}: {}", stderr(&output));
            assert!(stderr(&output).contains("hint:"), "scale {scale}: {}", stderr(&output));
            assert!(output.stdout.is_empty());
        }
    }
    for arguments in
        [&["noise"][..], &["noise", "--distribution", "cauchy", "--scale", "1"], &["nonsense"], &[]]
    {
        assert_eq!(pointillist(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pointillist"))
        .args(["noise", "--distribution", "discrete-laplace", "--scale", "10", "--count", "10000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut start = [0; 64];
    child.stdout.take().expect("a pipe").read_exact(&mut start).expect("noise");
    let output = child.wait_with_output().expect("the binary ends");
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
}

/// Specification: attacks and audits end quietly when nobody reads them, and with words when the disk is
/// full.
#[test]
fn an_output_that_cannot_be_written_is_no_mistake_of_ours() {
    let attack = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pointillist"));
        command.args(["attack", "float", "--outputs", "10"]);
        command
    };
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = attack().stdout(writer).output().expect("the binary runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
    if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
        let output = attack().stdout(full).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr(&output).starts_with("error: the output could not be written: "),
            "{}",
            stderr(&output)
        );
    }
}

/// Specification: examples can be copied from the help of attacks and audits: none is broken into two lines.
#[test]
fn examples_are_one_line_each() {
    for (group, verbs) in [
        ("attack", &["difference", "reconstruct", "membership", "average", "float"][..]),
        ("audit", &["mechanisms", "local", "graph", "query", "planted", "all"]),
    ] {
        for verb in verbs {
            let help = stdout(&pointillist(&[group, verb, "--help"]));
            let examples = help.split("Examples:\n").nth(1).expect("examples");
            for line in examples.lines().take_while(|line| !line.is_empty()) {
                assert!(line.starts_with(&format!("  pointillist {group} {verb}")), "{line}");
            }
        }
    }
}

#[test]
fn every_mechanism_is_listed_with_its_guarantee_in_one_line() {
    let list = stdout(&pointillist(&["mechanisms"]));
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&pointillist(&["mechanisms", "--json"]))).expect("JSON");
    let cards = json["mechanisms"].as_array().expect("an array");
    assert_eq!(list.lines().count(), cards.len());
    for (line, card) in list.lines().zip(cards) {
        assert!(line.starts_with(card["name"].as_str().unwrap()));
        assert!(line.ends_with(card["guarantee"].as_str().unwrap()));
        assert!(line.chars().count() <= 175, "too long for one line: {line}");
    }
    assert!(
        list.contains("Laplace") && list.contains("permute and flip") && list.contains("partition selection")
    );
}

#[test]
fn a_word_selects_mechanisms_in_full() {
    let median = stdout(&pointillist(&["mechanisms", "median"]));
    assert!(median.contains("error") && median.contains("source") && median.contains("median"));
    let nothing = pointillist(&["mechanisms", "quantum"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(stderr(&nothing).contains("hint:"));
}

#[test]
fn help_has_examples() {
    for arguments in [
        &["--help"][..],
        &["noise", "--help"],
        &["mechanisms", "--help"],
        &["demo", "--help"],
        &["explain", "--help"],
        &["query", "--help"],
        &["rehearse", "--help"],
        &["budget", "--help"],
        &["budget", "history", "--help"],
        &["budget", "verify", "--help"],
        &["budget", "grant", "--help"],
        &["budget", "recover", "--help"],
        &["graph", "count", "--help"],
        &["graph", "degrees", "--help"],
        &["graph", "clustering", "--help"],
        &["graph", "explain", "--help"],
        &["graph", "inspect", "--help"],
        &["attack", "reconstruct", "--help"],
        &["audit", "query", "--help"],
        &["local", "randomize", "--help"],
        &["local", "estimate", "--help"],
        &["local", "plan", "--help"],
        &["audit", "mechanisms", "--help"],
        &["audit", "local", "--help"],
        &["audit", "graph", "--help"],
        &["audit", "planted", "--help"],
        &["audit", "all", "--help"],
    ] {
        let output = pointillist(arguments);
        assert!(output.status.success());
        assert!(stdout(&output).contains("Examples:"), "{arguments:?}");
        assert!(arguments.len() == 1 || stdout(&output).contains("--json"), "{arguments:?}");
    }
}

#[test]
fn a_list_is_composed_by_every_accountant() {
    let folder = std::env::temp_dir().join(format!("pointillist-compose-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (spec, profile, uses) = (path("spec.json"), path("profile.svg"), path("uses.svg"));
    let list = r#"[{"mechanism": "gaussian", "sigma": "50", "sensitivity": "1", "count": 100},
        {"mechanism": "laplace", "scale": 100, "count": 1000},
        {"mechanism": "gaussian", "sigma": "1", "sampling_rate": "0.01", "count": 100},
        {"mechanism": "randomized_response", "epsilon": "0.1"}, {"mechanism": "pure", "epsilon": "0.5"},
        {"mechanism": "approximate", "epsilon": "0.5", "delta": "1e-9"}]"#;
    std::fs::write(&spec, list).expect("a file");
    let output = pointillist(&[
        "account",
        "compose",
        "--spec",
        &spec,
        "--delta",
        "1e-6",
        "--json",
        "--plot",
        &profile,
        "--plot-uses",
        &uses,
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((&answer["delta"], &answer["best"]), (&"1e-6".into(), &"pld".into()));
    let first = &answer["results"][0];
    assert_eq!(first["accountant"], "pld");
    let (upper, lower) = (first["epsilon"].as_f64().unwrap(), first["epsilon_lower"].as_f64().unwrap());
    assert!(lower <= upper && upper - lower < 0.01 * upper, "{first}");
    for file in [&profile, &uses] {
        let svg = std::fs::read_to_string(file).expect("a plot");
        assert!(
            svg.starts_with("<!-- made by Pointillist -->\n<svg")
                && svg.contains(">pld</text>")
                && svg.trim_end().ends_with("</svg>")
        );
    }
    std::fs::remove_dir_all(&folder).expect("the folder can go");
}

#[test]
fn a_list_that_cannot_be_composed_gets_a_hint() {
    let compose = |arguments: &[&str]| {
        let mut all = vec!["account", "compose"];
        all.extend(arguments);
        pointillist(&all)
    };
    for arguments in [
        &[][..],
        &["--gaussian", "0"],
        &["--gaussian", "NaN"],
        &["--laplace", "10", "--delta", "2"],
        &["--laplace", "10", "--sampling-rate", "1.5"],
        &["--gaussian", "5", "--delta", "0"],
        &["--pure", "0.1", "--count", "0"],
        &["--spec", "no-such-file.json"],
    ] {
        let output = compose(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains("hint:"), "{arguments:?}: {}", stderr(&output));
    }
}
