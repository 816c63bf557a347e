use super::*;

fn survivor(code: &str) -> Survivor {
    Survivor {
        file: "crates/noise/src/bits.rs".to_owned(),
        code: code.to_owned(),
        change: "replace + with - in take".to_owned(),
        reason: String::new(),
    }
}

#[test]
fn a_survivor_must_be_listed_and_a_caught_one_must_not() {
    let (one, other) = (survivor("a ▸+ b + c"), survivor("a + b ▸+ c"));
    let listed = Survivor { reason: "b is zero".to_owned(), ..one.clone() };
    assert_eq!(compare(std::slice::from_ref(&one), &[], std::slice::from_ref(&listed)), [""; 0]);
    let unknown = compare(&[one.clone(), other], &[], std::slice::from_ref(&listed));
    assert_eq!(unknown.len(), 1);
    assert!(unknown[0].contains("no test notices") && unknown[0].contains("a + b ▸+ c"), "{unknown:?}");
    let stale = compare(&[], &[one], &[listed]);
    assert!(stale.len() == 1 && stale[0].contains("a test notices by now"), "{stale:?}");
}

#[test]
fn requests_are_understood_or_refused() {
    let request =
        parse(&["noise", "--minutes", "30", "--shard", "0/8", "--iterate", "--", "--list"]).unwrap();
    assert_eq!((request.room, request.time_limit), (Some("noise"), Some(Duration::from_secs(1800))));
    assert_eq!(request.options, ["--shard", "0/8", "--iterate", "--list"]);
    assert_eq!(parse(&[]).unwrap(), Request { room: None, time_limit: None, options: vec![] });
    for words in [&["nosie"][..], &["--minutes"], &["--minutes", "0"], &["--shard"], &["noise", "local"]] {
        assert!(parse(words).unwrap_err().contains("hint:"), "{words:?}");
    }
}

/// A subject whose files were renamed would be tested no more, in silence.
#[test]
fn every_subject_has_its_files() {
    let root = cargo::workspace_root().unwrap();
    for Subject { room, files } in SUBJECTS {
        let source = root.join("crates").join(room).join("src");
        assert!(source.join("lib.rs").is_file(), "{room}");
        // A file may have become a folder, or be both.
        for stem in files.iter().map(|file| file.trim_end_matches("/**/*.rs").trim_end_matches(".rs")) {
            let file = source.join(format!("{stem}.rs"));
            assert!(file.is_file() || source.join(stem).is_dir(), "{room}: {stem}");
        }
    }
}

#[test]
fn a_line_of_the_report_becomes_its_code() {
    let root = cargo::workspace_root().unwrap();
    let text = std::fs::read_to_string(root.join("xtask/src/mutants/tests.rs")).unwrap();
    let needle = "let sum = 1 + 2;";
    let _ = "let sum = 1 + 2;";
    let (line, code) = text.lines().enumerate().find(|(_, line)| line.contains("let _ =")).unwrap();
    let column = code.chars().position(|c| c == '+').unwrap() + 1;
    let report = format!("xtask/src/mutants/tests.rs:{}:{column}: replace + with - in sum", line + 1);
    let found = survivors::from_report_line(&root, &report).unwrap();
    assert_eq!(found.code, format!("let _ = \"{}\";", needle.replace('+', "▸+")));
    assert_eq!(
        (found.file.as_str(), found.change.as_str()),
        ("xtask/src/mutants/tests.rs", "replace + with - in sum")
    );
    for report in ["", "xtask/src/main.rs", "xtask/src/main.rs:0:1: x", "xtask/src/main.rs:999999:1: x"] {
        assert!(survivors::from_report_line(&root, report).is_err(), "{report}");
    }
}
