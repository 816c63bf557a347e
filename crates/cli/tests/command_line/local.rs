//! Surveys without a curator at the command line: answers to reports, reports to shares, plans.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::Value;

use super::{pointillist, stderr, stdout};

/// Runs `pointillist local` on an input.
fn fed(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pointillist"))
        .arg("local")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    // A command that refuses its arguments does not read its input to the end.
    let writer = thread::spawn(move || pipe.write_all(input.as_bytes()).is_ok());
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    output
}

/// What a command that succeeds prints.
fn printed(arguments: &[&str], input: &str) -> String {
    let output = fed(arguments, input);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// The one JSON object of a command that succeeds, with nothing else on either stream.
fn json(arguments: &[&str], input: &str) -> Value {
    let output = fed(&[arguments, &["--json"]].concat(), input);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    assert!(output.stderr.is_empty(), "{arguments:?}: {}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

/// The words of a command that ends with code two.
fn refused(arguments: &[&str], input: &str) -> String {
    let output = fed(arguments, input);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    let words = stderr(&output);
    assert!(words.contains("hint: "), "{arguments:?}: {words}");
    words
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are text")
}

/// How far an average of `n` independent numbers in an interval of this width strays, but with probability
/// 1e-11 (Hoeffding).
fn strays(width: f64, n: usize) -> f64 {
    width * ((2.0 / 1e-11f64).ln() / (2.0 * n as f64)).sqrt()
}

/// Three of ten people say yes.
fn survey(people: usize) -> String {
    (0..people).map(|person| if person % 10 < 3 { "yes\n" } else { "no\n" }).collect()
}

/// Specification: the survey of "Differential Privacy" (Shanghai Jiao Tong, EE359, lecture 11). Everyone tosses a coin; on tails they tell the truth, on heads
/// a second coin answers for them. So the truth is told with probability 3/4, γ = 1/4, which is ln
/// 3-differentially private, and `(average − 1/2 + γ)/2γ` is unbiased for the share of those who did it.
/// False alarm: 1e-11 per run; Hoeffding for n numbers that are −1/2 or 3/2.
/// Power: if the truth were told with probability 0.7 in place of 0.75, the share would be off by 0.04 on
/// average, against a radius of 0.023 and a standard error of 0.003.
#[test]
fn the_survey_of_the_lectures_recovers_its_share() {
    let people = 100_000;
    let coins = ["--setting", "randomized-response gamma=1/4", "--answers", "no,yes"];
    let reports = printed(&[&["randomize"], &coins[..]].concat(), &survey(people));
    let lines: Vec<&str> = reports.lines().collect();
    assert_eq!(lines[0], "# randomized-response gamma=0.25");
    assert_eq!((lines[1], lines.len()), ("# answers [\"no\",\"yes\"]", people + 2));
    assert!(lines[2..].iter().all(|line| matches!(*line, "0" | "1")));
    let found = json(&["estimate"], &reports);
    assert_eq!((&found["reports"], &found["bad_lines"]), (&people.into(), &0.into()));
    assert_eq!(found["cost"]["epsilon"], "1.0986122886681097", "ln 3, rounded up");
    let yes = &found["estimates"][1];
    let share = yes["share"].as_f64().expect("a share");
    assert_eq!(yes["answer"], "yes");
    assert!((share - 0.3).abs() <= strays(2.0, people), "{share}");
    // The interval that holds in 95 of 100 surveys is about as wide as Hoeffding's, and never wider.
    let [lower, upper] = [0, 1].map(|end| yes["guaranteed"][end].as_f64().expect("an end"));
    let hoeffding = 2.0 * ((2.0 / 0.05f64).ln() / (2.0 * people as f64)).sqrt();
    assert!(lower < share && share < upper && upper - lower <= 2.0 * hoeffding * 1.000_001, "{yes}");
    let [low, high] = [0, 1].map(|end| yes["normal"][end].as_f64().expect("an end"));
    assert!(lower < low && high < upper, "a guarantee is wider: {yes}");
}

/// False alarm: 1e-9 per run, 1e-11 for each method and answer; Hoeffding for trials worth two numbers that
/// are 1/(p − q) apart, with p − q of each method at ε = 2 and three values, rounded down.
#[test]
fn every_method_finds_the_shares() {
    let people = 4000;
    let answers: String = survey(people).replace("no", "none of your business");
    for (method, gap) in [
        ("auto", 0.61),
        ("k-ary-response", 0.61),
        ("unary-encoding", 0.38),
        ("symmetric-unary-encoding", 0.46),
        ("local-hashing", 0.38),
        ("hadamard-response", 0.38),
        ("subset-selection", 0.61),
    ] {
        let list = "yes,none of your business,perhaps";
        let arguments = ["randomize", "--answers", list, "--epsilon", "2", "--method", method];
        let reports = printed(&arguments, &answers);
        let found = json(&["estimate"], &reports);
        for (row, truth) in found["estimates"].as_array().expect("rows").iter().zip([0.3, 0.7, 0.0]) {
            let share = row["share"].as_f64().expect("a share");
            assert!((share - truth).abs() <= strays(1.0 / gap, people), "{method}: {row}");
        }
        let sum: f64 = found["estimates"].as_array().expect("rows").iter().fold(0.0, |sum, row| {
            let nearest = row["normalised"].as_f64().expect("a share");
            assert!(nearest >= 0.0, "{row}");
            sum + nearest
        });
        assert!((sum - 1.0).abs() < 1e-9, "{method}: {sum}");
    }
}

#[test]
fn shares_are_a_table_and_a_picture() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let (file, plot) = (folder.path().join("reports.txt"), folder.path().join("shares.svg"));
    let reports = printed(&["randomize", "--answers", "yes,no", "--epsilon", "3"], &survey(3000));
    // Two files that were made in the same way are one.
    fs::write(&file, format!("{reports}\n{reports}")).expect("a file");
    let words = printed(&["estimate", text(&file), "--normalise", "--plot", text(&plot)], "");
    for part in ["yes", "share in %", "normalised", "95 %, normal", "95 %, guaranteed", "6,000", "ε = 3"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let svg = fs::read_to_string(&plot).expect("a plot");
    assert!(svg.starts_with("<!-- made by Pointillist -->\n<svg") && svg.contains(">yes</text>"), "{svg}");
    let words = printed(&["estimate", text(&file), "--answers", "ja,nein"], "");
    assert!(words.contains("nein") && !words.contains("yes"), "{words}");
}

#[test]
fn an_answer_that_is_not_listed_is_refused_or_other_and_never_repeated() {
    let arguments = ["randomize", "--answers", "red, green", "--epsilon", "1"];
    let words = refused(&arguments, "red\ngreen\nultraviolet\n");
    assert!(words.contains("line 3") && words.contains("--other"), "{words}");
    for (arguments, input) in [
        (&arguments[..], "ultraviolet\n"),
        (&["randomize", "--values", "10", "--epsilon", "1"], "987654321\n"),
        (&["randomize", "--mean", "0", "10", "--epsilon", "1"], "ultraviolet\n"),
        (&["randomize", "--words", "abc", "--length", "3", "--epsilon", "1"], "ultraviolet\n"),
    ] {
        let words = refused(arguments, input);
        assert!(words.contains("line 1: ") && !words.contains(input.trim()), "{words}");
    }
    let other = printed(&[&arguments[..], &["--other"]].concat(), "red\nultraviolet\n\nblue\n");
    assert!(!other.contains("ultraviolet") && other.lines().count() == 6, "{other}");
    assert!(printed(&["estimate"], &other).contains("(other)"));
}

#[test]
fn reports_stream_while_answers_are_still_coming() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pointillist"))
        .args(["local", "randomize", "--values", "3", "--epsilon", "3", "--no-header"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut answers = child.stdin.take().expect("a pipe");
    let mut reports = child.stdout.take().expect("a pipe");
    for _ in 0..3 {
        answers.write_all(b"2\n").expect("somebody reads");
        let mut report = [0; 2];
        reports.read_exact(&mut report).expect("a report before the next answer");
        assert!(report[0].is_ascii_digit() && report[1] == b'\n');
    }
    drop(answers);
    assert!(child.wait_with_output().expect("the binary ends").status.success());
}

#[test]
fn a_reader_who_leaves_in_the_middle_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pointillist"))
        .args(["local", "randomize", "--answers", "yes,no", "--epsilon", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let writer = thread::spawn(move || pipe.write_all(survey(1_000_000).as_bytes()).is_ok());
    let mut start = [0; 64];
    child.stdout.take().expect("a pipe").read_exact(&mut start).expect("reports");
    let output = child.wait_with_output().expect("the binary ends");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
    writer.join().expect("the writer ends");
}

#[test]
fn reports_for_scripts_are_json() {
    let made = json(&["randomize", "--values", "4", "--epsilon", "0.5"], "0\n1\n3\n");
    assert_eq!(made["setting"], "k-ary-response values=4 epsilon=0.5");
    assert_eq!(made["cost"]["epsilon"], "0.5");
    let reports = made["reports"].as_array().expect("a list");
    assert!(reports.len() == 3 && reports.iter().all(Value::is_string), "{made}");
    assert_eq!(
        json(&["randomize", "--values", "4", "--epsilon", "0.5"], "")["reports"],
        Value::Array(vec![])
    );
}

/// False alarm: 1e-10 per run. A sign's unbiased value is one of two numbers 120·(e^ε + 1)/(e^ε − 1) apart,
/// 120·2.17 at most for ε = 1; a window's lie in an interval of 120·1.7 for ε = 4. Rounding to steps moves a
/// mean by 0.06 at most.
#[test]
fn a_mean_of_numbers_comes_back() {
    let people = 20_000;
    let ages: String = (0..people).map(|person| format!("{}.5\n", person % 100)).collect();
    for (method, epsilon, width) in [("sign-mean", "1", 2.17), ("window-mean", "4", 1.7), ("auto", "1", 2.17)]
    {
        let arguments = ["randomize", "--mean", "0", "120", "--epsilon", epsilon, "--method", method];
        let reports = printed(&arguments, &ages);
        let found = json(&["estimate"], &reports);
        let mean = found["mean"].as_f64().expect("a mean");
        assert!((mean - 50.0).abs() <= strays(120.0 * width, people) + 0.06, "{method}: {mean}");
        assert!(found["guaranteed"][0].as_f64() < found["normal"][0].as_f64(), "{found}");
        assert!(printed(&["estimate"], &reports).contains("mean"));
    }
    let wrong = printed(&["randomize", "--mean", "-5", "-1/2", "--epsilon", "1"], "-7\n1e3\n-2.25\n");
    assert!(wrong.starts_with("# sign-mean lower=-5 upper=-0.5 steps=1000 epsilon=1\n"), "{wrong}");
    for option in ["--normalise", "--plot=none.svg", "--at-least=0.1", "--answers=a,b"] {
        refused(&["estimate", option], &wrong);
    }
}

/// Specification: words of many are found, those of nobody are not.
/// False alarm: below 1e-9. At a threshold of 20 % a word of a third is missed, or one of nobody's found,
/// only if its count is off by more than a tenth of 30,000·(p − q), p − q > 0.4: Hoeffding gives e^−96 for
/// each of at most 64 words.
#[test]
fn frequent_words_are_found_without_a_list() {
    let words: String = (0..30_000).map(|person| ["ab\n", "cab\n", "b\n"][person % 3]).collect();
    let reports = printed(&["randomize", "--words", "abc", "--length", "3", "--epsilon", "4"], &words);
    assert!(reports.starts_with("# prefix-tree alphabet=abc length=3 "), "{}", &reports[..80]);
    let found = json(&["estimate", "--at-least", "0.2"], &reports);
    let mut texts: Vec<&str> = found["words"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["word"].as_str().expect("a word"))
        .collect();
    texts.sort_unstable();
    assert_eq!(texts, ["ab", "b", "cab"], "{found}");
    assert!(printed(&["estimate"], &reports).contains("cab"));
    let drowned = refused(&["estimate", "--at-least", "0.0001"], &reports);
    assert!(drowned.contains("drown"), "{drowned}");
}

#[test]
fn lines_that_are_no_reports_are_counted_and_the_first_is_named() {
    let reports = "# k-ary-response values=4 epsilon=1\n3\n1\nseven\n\n4\n2\n\u{fffd}\n";
    let words = refused(&["estimate"], reports);
    assert!(
        words.contains("3 of 6 lines") && words.contains("line 4 ") && words.contains("--skip-bad"),
        "{words}"
    );
    assert!(!words.contains("seven"), "{words}");
    let output = fed(&["estimate", "--skip-bad"], reports);
    assert!(
        output.status.success() && stderr(&output).contains("line 4 is the first"),
        "{}",
        stderr(&output)
    );
    let found = json(&["estimate", "--skip-bad"], reports);
    assert_eq!((&found["reports"], &found["bad_lines"]), (&3.into(), &3.into()));
    for (input, says) in [
        ("", "nothing says how"),
        ("1\n2\n", "nothing says how"),
        ("# k-ary-response values=4 epsilon=1\n", "no reports"),
        (
            "# k-ary-response values=4 epsilon=1\n1\n# k-ary-response values=5 epsilon=1\n1\n",
            "line 3: these reports",
        ),
        ("# k-ary-response values=4 epsilon=1\n# answers [\"a\"]\n1\n", "line 2: "),
        ("# k-ary-response values=4 epsilon=1\n# answers [\"a\",\"b\"]\n1\n", "4 values and the list 2"),
        ("# k-ary-response values=4 epsilon=-1\n1\n", "line 1: "),
        ("# k-ary-response values=99999999999 epsilon=1\n1\n", "line 1: "),
        ("# \n1\n", "line 1: "),
        ("# magic values=4 epsilon=1\n1\n", "no such method"),
        ("#\u{1}\u{fffd}= =\n1\n", "line 1: "),
    ] {
        let words = refused(&["estimate", "--skip-bad"], input);
        assert!(words.contains(says), "{input}: {words}");
    }
    refused(&["estimate", "no-such-file.txt"], "");
    let set = printed(&["estimate", "--setting", "k-ary-response values=4 epsilon=1"], "1\n2\n");
    assert!(set.contains("k-ary-response"), "{set}");
}

#[test]
fn wrong_questions_get_a_hint() {
    for arguments in [
        &["randomize", "--epsilon", "1"][..],
        &["randomize", "--epsilon", "1", "--values", "1"],
        &["randomize", "--epsilon", "1", "--values", "18446744073709551615"],
        &["randomize", "--epsilon", "0", "--values", "4"],
        &["randomize", "--epsilon", "1", "--answers", "a,a"],
        &["randomize", "--epsilon", "1", "--answers", "a,,b"],
        &["randomize", "--epsilon", "1", "--other"],
        &["randomize", "--epsilon", "1", "--answers-file", "none.txt"],
        &["randomize", "--epsilon", "1", "--values", "4", "--method", "magic"],
        &["randomize", "--epsilon", "1", "--values", "4", "--method", "randomized-response"],
        &["randomize", "--epsilon", "1", "--mean", "1", "0"],
        &["randomize", "--epsilon", "1", "--mean", "0", "1", "--steps", "0"],
        &["randomize", "--epsilon", "1", "--mean", "0", "1", "--method", "k-ary-response"],
        &["randomize", "--epsilon", "1", "--words", "aa", "--length", "3"],
        &["randomize", "--epsilon", "1", "--words", "ab", "--length", "3", "--method", "sign-mean"],
        &["randomize", "--setting", "k-ary-response values=4"],
        &["randomize", "--setting", "k-ary-response values=4 epsilon=1", "--answers", "a,b"],
        &["plan", "--epsilon", "1", "--values", "4", "--people", "0"],
        &["plan", "--epsilon", "1", "--values", "4", "--error", "NaN"],
        &["plan", "--epsilon", "1", "--values", "4", "--error", "-1"],
        &["plan", "--epsilon", "1", "--values", "4", "--people", "10", "--shuffle", "--delta", "0"],
        &["plan", "--epsilon", "1", "--values", "4", "--people", "10", "--plot", "no/such/folder.svg"],
        &["plan", "--epsilon", "1", "--words", "ab", "--length", "3", "--error", "0.1"],
        &["plan", "--epsilon", "1", "--words", "ab", "--length", "3", "--people", "9", "--plot", "none.svg"],
    ] {
        refused(arguments, "0\n");
    }
    for arguments in [
        &["local"][..],
        &["local", "randomize"],
        &["local", "plan", "--epsilon", "1", "--values", "4"],
        &["local", "plan", "--epsilon", "1", "--values", "4", "--people", "9", "--shuffle"],
        &["local", "randomize", "--epsilon", "1", "--values", "4", "--answers", "a,b"],
    ] {
        assert_eq!(pointillist(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// Local against central, both exactly: √(e^ε)/((e^ε − 1)√n) against √(2t)/((1 − t)n), t = e^−ε.
#[test]
fn a_plan_compares_with_a_curator() {
    let plan = json(&["plan", "--answers", "yes,no", "--epsilon", "1", "--people", "10000"], "");
    let e = std::f64::consts::E;
    let near = |value: &Value, want: f64| {
        let got = value.as_f64().expect("a number");
        assert!((got / want - 1.0).abs() < 1e-9, "{got} is not {want}");
    };
    near(&plan["local"]["standard_error"], e.sqrt() / (e - 1.0) / 100.0);
    near(&plan["central"]["standard_error"], (2.0 / e).sqrt() / (1.0 - 1.0 / e) / 10_000.0);
    near(&plan["people_for_central_error"], 5e7);
    assert_eq!(plan["method"], "randomized-response");
    let four_times = json(&["plan", "--answers", "yes,no", "--epsilon", "1", "--people", "40000"], "");
    near(&four_times["local"]["error_95"], plan["local"]["error_95"].as_f64().unwrap() / 2.0);
    near(&four_times["central"]["error_95"], plan["central"]["error_95"].as_f64().unwrap() / 4.0);

    let wanted = json(&["plan", "--answers", "yes,no", "--epsilon", "1", "--error", "0.01"], "");
    let error = wanted["local"]["error_95"].as_f64().unwrap();
    assert!((0.00999..=0.01).contains(&error), "{wanted}");

    let many = json(&["plan", "--values", "1024", "--epsilon", "1", "--people", "1000000"], "");
    assert_eq!(many["method"], "local-hashing");
    let errors: Vec<f64> = many["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|candidate| candidate["standard_error"].as_f64().expect("a number"))
        .collect();
    assert!(errors.len() == 5 && errors.is_sorted(), "{many}");
    let fixed = ["plan", "--values", "1024", "--epsilon", "1", "--people", "1000000", "--method", "krr"];
    assert!(printed(&fixed, "").contains("as you asked"));

    let mean = json(&["plan", "--mean", "0", "120", "--epsilon", "1", "--people", "50000"], "");
    assert!(mean["ratio"].as_f64().unwrap() > 100.0, "{mean}");
    let words = json(&["plan", "--words", "abc", "--length", "3", "--epsilon", "4", "--people", "30000"], "");
    assert!(words["least_share"].as_f64().unwrap() < 0.1, "{words}");
}

#[test]
fn a_plan_says_what_a_shuffler_adds() {
    let arguments =
        ["plan", "--values", "4", "--epsilon", "1", "--people", "10000", "--shuffle", "--delta", "1e-6"];
    let plan = json(&arguments, "");
    let decimal = |value: &Value| value.as_str().expect("a decimal").parse::<f64>().expect("a number");
    let (together, local) =
        (decimal(&plan["shuffle"]["epsilon"]), decimal(&plan["shuffle"]["epsilon_local"]));
    assert!(together < 0.2 && local > 3.0, "{plan}");
    assert!(plan["shuffle"]["local"]["error_95"].as_f64() < plan["local"]["error_95"].as_f64(), "{plan}");
    let words: Vec<String> = printed(&arguments, "").split_whitespace().map(str::to_owned).collect();
    assert!(words.join(" ").contains("together, at δ = 1e-6"), "{words:?}");
    let fixed = ["plan", "--setting", "randomized-response gamma=1/4", "--people", "1000"];
    assert!(
        json(&[&fixed[..], &["--shuffle", "--delta", "1e-6"]].concat(), "")["shuffle"]["local"].is_null()
    );
}

#[test]
fn a_plan_can_be_looked_at() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let plot = folder.path().join("errors.svg");
    let arguments = ["plan", "--values", "16", "--epsilon", "1", "--people", "10000", "--plot", text(&plot)];
    let words = printed(&arguments, "");
    for part in ["k-ary-response", "standard error", "local", "curator", "floor", "sampling"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let svg = fs::read_to_string(&plot).expect("a plot");
    assert!(
        svg.starts_with("<!-- made by Pointillist -->\n<svg") && svg.contains(">curator</text>"),
        "{svg}"
    );
}

/// A respondent's report from the memory in a file.
fn remembered(asked: &[&str], memory: &Path, answer: &str) -> String {
    printed(&[&["randomize", "--no-header"], asked, &["--memory", text(memory)]].concat(), answer)
}

/// Specification: the answer is asked for once, and all later reports come from what was remembered then.
/// False alarm: with p = 1e-12 and q = 1 − 1e-12 a report differs from the memory with probability below
/// 1e-10. A memory drawn anew agrees with an old one of 64 bits, each flipped with probability 1/4, with
/// probability below 1e-12.
#[test]
fn a_memory_is_drawn_once_and_reported_from_ever_after() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let mine = folder.path().join("mine.txt");
    let asked = ["--setting", "rappor values=64 f=0.5 p=1e-12 q=0.999999999999"];
    let first = remembered(&asked, &mine, "17\n");
    assert_eq!(first.lines().count(), 1);
    let kept = fs::read_to_string(&mine).expect("a memory");
    assert_eq!(kept.lines().last(), Some(first.trim_end()));
    assert!(kept.contains("\n# rappor values=64 f=0.5"), "{kept}");
    for answer in ["", "17\n", "3\n"] {
        assert_eq!(remembered(&asked, &mine, answer), first);
    }
    assert_eq!(fs::read_to_string(&mine).expect("a memory"), kept);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left beside it");
    assert_ne!(remembered(&asked, &folder.path().join("yours.txt"), "17\n"), first);
    let found = json(&[&["randomize"], &asked[..], &["--memory", text(&mine)]].concat(), "");
    assert_eq!(found["reports"], serde_json::json!([first.trim_end()]));
}

#[cfg(unix)]
#[test]
fn a_memory_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let mine = folder.path().join("mine.txt");
    let asked = ["--method", "rappor", "--answers", "no,yes", "--epsilon", "2"];
    remembered(&asked, &mine, "yes\n");
    let mode = fs::metadata(&mine).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o644)).expect("permissions");
    let words = refused(&[&["randomize"], &asked[..], &["--memory", text(&mine)]].concat(), "");
    assert!(words.contains("others can read") && words.contains("chmod 600"), "{words}");
}

#[test]
fn a_memory_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let mine = folder.path().join("mine.txt");
    let rappor = ["--method", "rappor", "--answers", "no,yes", "--epsilon", "2"];
    let words = |asked: &[&str], path: &Path, answer: &str| {
        refused(&[&["randomize"], asked, &["--memory", text(path)]].concat(), answer)
    };
    assert!(words(&rappor, &mine, "").contains("no answer to remember"));
    assert!(words(&rappor, &mine, "maybe\n").contains("line 1"));
    assert!(words(&rappor, &mine, "yes\nno\n").contains("one person's"));
    assert!(words(&["--answers", "no,yes", "--epsilon", "2"], &mine, "yes\n").contains("only rappor"));
    assert!(!mine.exists(), "nothing was remembered");
    remembered(&rappor, &mine, "yes\n");
    for other in [
        ["--method", "rappor", "--answers", "no,yes", "--epsilon", "3"],
        ["--method", "rappor", "--answers", "yes,no", "--epsilon", "2"],
    ] {
        assert!(words(&other, &mine, "yes\n").contains("another survey"));
    }
    let kept = fs::read_to_string(&mine).expect("a memory");
    fs::write(&mine, kept.trim_end().to_owned() + "ff\n").expect("a file");
    assert!(words(&rappor, &mine, "").contains("no permanent response"));
    fs::write(&mine, "no,yes\n").expect("a file");
    assert!(words(&rappor, &mine, "").contains("is not a memory"));
    assert!(words(&rappor, &folder.path().join("no/mine.txt"), "yes\n").contains("cannot be written"));
}

/// Specification: reports of RAPPOR are decoded, and the price is told for one report and for all of a
/// memory.
/// False alarm: 1e-11 (Hoeffding) for bits that are one with probabilities 0.158 apart.
#[test]
fn reports_of_rappor_are_planned_and_decoded() {
    let people = 20_000;
    let asked = ["--method", "rappor", "--answers", "no,yes", "--epsilon", "3"];
    let output = fed(&[&["randomize"], &asked[..]].concat(), &survey(people));
    assert!(output.status.success() && stderr(&output).contains("--memory"), "{}", stderr(&output));
    let found = json(&["estimate"], &stdout(&output));
    let share = found["estimates"][1]["share"].as_f64().expect("a share");
    assert!((share - 0.3).abs() <= strays(1.0 / 0.158, people), "{share}");
    let price = |name: &str| found["cost"][name].as_str().expect("a price").parse::<f64>().expect("a number");
    let (one, all) = (price("epsilon"), price("epsilon_of_one_memory"));
    assert!(one < 1.0 && 2.99 < all && all <= 3.0, "{found}");
    let plan = printed(&[&["plan", "--people", "100000"], &asked[..]].concat(), "");
    assert!(plan.contains("however often they are asked") && plan.contains("methods that forget"), "{plan}");
    let line = json(&[&["plan", "--people", "100000"], &asked[..]].concat(), "")["setting"].clone();
    assert!(line.as_str().expect("a line").starts_with("rappor values=2 f=0.36"), "{line}");
}
