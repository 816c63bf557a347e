//! Where files are looked for, and what is refused there.

use std::os::unix::fs::symlink;
use std::process::Command;

use super::super::{Source, SourceError, header};
use super::*;

const CSV: &[u8] = b"x\n1\n";

#[test]
fn a_file_a_folder_and_a_pattern_are_found() {
    let folder = folder(&[
        ("b.csv", b"x\n2\n"),
        ("a.csv", b"x\n1\n"),
        ("readme.md", b""),
        (".c.csv", b""),
        ("_d.csv", b""),
    ]);
    std::fs::create_dir(folder.path().join("deep")).unwrap();
    std::fs::write(folder.path().join("deep/e.csv"), b"x\n3\n").unwrap();
    for (source, expected) in [
        ("a.csv", vec!["1"]),
        ("./a.csv", vec!["1"]),
        ("deep/../a.csv", vec!["1"]),
        (".", vec!["1", "2"]),
        ("*.csv", vec!["1", "2"]),
        ("[a]*.csv", vec!["1"]),
        ("?.csv", vec!["1", "2"]),
        ("deep", vec!["3"]),
        ("deep/*.csv", vec!["3"]),
        ("**/*.csv", vec!["1", "2", "3"]),
    ] {
        let opened = Source::open(folder.path(), source).unwrap();
        assert_eq!(rows(&scanned(&opened, &[integer("x")], None, 1)), expected, "{source}");
        assert_eq!(opened.paths().count(), expected.len());
    }
    let absolute = folder.path().join("a.csv");
    assert!(Source::open(Path::new("/nowhere"), absolute.to_str().unwrap()).is_ok());
}

#[test]
fn unusual_names_are_names() {
    for name in ["a b.csv", "[x].csv", "*.csv", "é\u{301}.csv", "a'\"b.csv", "-rf.csv", "a\nb.csv"] {
        let folder = folder(&[(name, CSV)]);
        let source = Source::open(folder.path(), name).unwrap();
        assert_eq!(rows(&scanned(&source, &[integer("x")], None, 1)), ["1"], "{name:?}");
    }
    let outer = TempDir::new().unwrap();
    let odd = outer.path().join("[odd] *folder");
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("a.csv"), CSV).unwrap();
    assert!(Source::open(&odd, "*.csv").is_ok());
}

#[test]
fn what_is_not_there_is_said_clearly() {
    let folder = folder(&[("a.csv", CSV), ("a.txt", CSV)]);
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let error = |source| error(folder.path(), source);
    assert!(matches!(error("b.csv"), SourceError::NotFound { .. }));
    assert!(matches!(error("b*.csv"), SourceError::NoMatch { .. }));
    assert!(matches!(error("***.csv"), SourceError::Pattern { .. }));
    assert!(matches!(error("[.csv"), SourceError::Pattern { .. }));
    assert!(matches!(error("empty"), SourceError::EmptyFolder { .. }));
    assert!(matches!(error("a.txt"), SourceError::UnknownFormat { .. }));
    assert!(matches!(error("a.*"), SourceError::UnknownFormat { .. }));
    assert!(matches!(error("s3://bucket/a.csv"), SourceError::Address { .. }));
    assert!(matches!(error("file:///a.csv"), SourceError::Address { .. }));
    assert!(matches!(error("a\0.csv"), SourceError::Unreadable { .. }));
    assert!(matches!(header(&folder.path().join("a.txt")), Err(SourceError::UnknownFormat { .. })));
    assert_eq!(
        error("b*.csv").to_string(),
        "no file matches `b*.csv`\nhint: it is relative to the catalog's folder"
    );
}

#[test]
fn one_table_has_one_format() {
    let folder = folder(&[("a.csv", CSV), ("a.csv.gz", &gzip(CSV))]);
    assert!(matches!(error(folder.path(), "."), SourceError::MixedFormats { .. }));
    assert!(matches!(error(folder.path(), "a.*"), SourceError::MixedFormats { .. }));
}

#[test]
fn links_that_are_come_across_pipes_and_devices_are_refused() {
    let folder = folder(&[("a.csv", CSV)]);
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("links")).unwrap();
    symlink(path("a.csv"), path("links/b.csv")).unwrap();
    symlink("/dev/zero", path("zero.csv")).unwrap();
    symlink(path("links"), path("other")).unwrap();
    assert!(Command::new("mkfifo").arg(path("pipe.csv")).status().unwrap().success());
    for source in ["links", "links/*.csv", "zero.csv", "pipe.csv", ".", "*.csv", "/dev/zero", "**/b.csv"] {
        let error = error(folder.path(), source);
        assert!(matches!(error, SourceError::NotRegular { .. }), "{source}: {error}");
    }
    // One that the owner wrote down is followed, and has the format that its name says.
    assert_eq!(
        rows(&scanned(&Source::open(folder.path(), "links/b.csv").unwrap(), &[integer("x")], None, 1)),
        ["1"]
    );
    assert!(header(&path("links/b.csv")).is_ok());
    std::fs::write(path("stored"), CSV).unwrap();
    symlink(path("stored"), path("links/named.csv")).unwrap();
    assert!(Source::open(folder.path(), "links/named.csv").is_ok());
    std::fs::remove_file(path("links/named.csv")).unwrap();
    std::fs::write(path("links/c.csv"), CSV).unwrap();
    std::fs::remove_file(path("links/b.csv")).unwrap();
    // A link that a pattern comes across is not followed; one that the owner wrote down is.
    let error = error(folder.path(), "o*/c.csv");
    assert!(matches!(error, SourceError::NotRegular { .. }), "{error}");
    assert!(Source::open(folder.path(), "other/c.csv").is_ok());
    assert!(Source::open(folder.path(), "other/*.csv").is_ok());
    assert!(Source::open(folder.path(), "other").is_ok());
}

#[test]
fn a_file_that_is_gone_or_replaced_after_opening_is_left_out() {
    let folder = folder(&[("a.csv", b"x\n1\n"), ("b.csv", b"x\n2\n"), ("c.csv", b"x\n3\n")]);
    let source = Source::open(folder.path(), ".").unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::remove_file(path("a.csv")).unwrap();
    std::fs::write(path("new"), b"x\n9\n").unwrap();
    std::fs::rename(path("new"), path("b.csv")).unwrap();
    // What is appended after opening is not read.
    std::fs::write(path("c.csv"), b"x\n3\n4\n").unwrap();
    assert_eq!(rows(&scanned(&source, &[integer("x")], None, 2)), ["3"]);
    assert_eq!(source.damage().parts(), 2);
}

#[test]
fn files_that_are_not_what_they_say_are_refused_before_anything_is_read() {
    for (name, bytes) in [
        ("t.parquet", b"".as_slice()),
        ("t.parquet", b"PAR1"),
        ("t.parquet", b"x,y\n1,2\n not a parquet file at all"),
        ("t.arrow", b""),
        ("t.arrow", b"ARROW1"),
        ("t.arrow", b"\xff\xff\xff\x7fARROW1"),
        ("t.csv.gz", b"x\n1\n"),
        ("t.csv", b"\"x\n1\n2\n"),
    ] {
        let folder = folder(&[(name, bytes)]);
        let error = error(folder.path(), name);
        assert!(matches!(error, SourceError::Damaged { .. }), "{name}: {error}");
    }
    // A file without a byte has no columns, and no rows that others would miss.
    let folder = folder(&[("a.csv", b""), ("b.csv", CSV)]);
    let source = Source::open(folder.path(), ".").unwrap();
    assert_eq!(rows(&scanned(&source, &[integer("x")], None, 2)), ["1"]);
    let source = Source::open(folder.path(), "a.csv").unwrap();
    assert!(matches!(source.scan(&[integer("x")], None, 1), Err(SourceError::NoColumn { .. })));
}
