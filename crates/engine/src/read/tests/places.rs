//! Where files are looked for, and what is refused there.

use pointillist_errors::Explained;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::super::{FileSource, SourceError, header};
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
        let opened = FileSource::open(folder.path(), source).unwrap();
        assert_eq!(rows(&scanned(&opened, &[integer("x")], None, 1)), expected, "{source}");
        assert_eq!(opened.paths().count(), expected.len());
    }
    let absolute = folder.path().join("a.csv");
    assert!(FileSource::open(Path::new("/nowhere"), absolute.to_str().unwrap()).is_ok());
}

#[test]
fn unusual_names_are_names() {
    for name in ["a b.csv", "[x].csv", "*.csv", "é\u{301}.csv", "a'\"b.csv", "-rf.csv", "a\nb.csv"] {
        let folder = folder(&[(name, CSV)]);
        let source = FileSource::open(folder.path(), name).unwrap();
        assert_eq!(rows(&scanned(&source, &[integer("x")], None, 1)), ["1"], "{name:?}");
    }
    let outer = TempDir::new().unwrap();
    let odd = outer.path().join("[odd] *folder");
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("a.csv"), CSV).unwrap();
    assert!(FileSource::open(&odd, "*.csv").is_ok());
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
        error("b*.csv").explanation().text(),
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
        rows(&scanned(&FileSource::open(folder.path(), "links/b.csv").unwrap(), &[integer("x")], None, 1)),
        ["1"]
    );
    assert!(header(&path("links/b.csv")).is_ok());
    std::fs::write(path("stored"), CSV).unwrap();
    symlink(path("stored"), path("links/named.csv")).unwrap();
    assert!(FileSource::open(folder.path(), "links/named.csv").is_ok());
    std::fs::remove_file(path("links/named.csv")).unwrap();
    std::fs::write(path("links/c.csv"), CSV).unwrap();
    std::fs::remove_file(path("links/b.csv")).unwrap();
    // A link that a pattern comes across is not followed; one that the owner wrote down is.
    let error = error(folder.path(), "o*/c.csv");
    assert!(matches!(error, SourceError::NotRegular { .. }), "{error}");
    assert!(FileSource::open(folder.path(), "other/c.csv").is_ok());
    assert!(FileSource::open(folder.path(), "other/*.csv").is_ok());
    assert!(FileSource::open(folder.path(), "other").is_ok());
}

/// The error of a scan.
fn failure(source: &FileSource) -> String {
    let scan = source.scan(&[integer("x")], None, 2).unwrap();
    collected(&scan).expect_err("the scan fails").to_string()
}

/// Specification: what is scanned are the files that were found, whatever has their names now.
#[test]
fn a_file_that_is_removed_or_replaced_after_opening_is_read_as_it_was() {
    let folder = folder(&[("a.csv", b"x\n1\n"), ("b.csv", b"x\n2\n"), ("c.csv", b"x\n3\n")]);
    let source = FileSource::open(folder.path(), ".").unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::remove_file(path("a.csv")).unwrap();
    std::fs::write(path("new"), b"x\n9\n").unwrap();
    std::fs::rename(path("new"), path("b.csv")).unwrap();
    let mut shown = rows(&scanned(&source, &[integer("x")], None, 2));
    shown.sort();
    assert_eq!(shown, ["1", "2", "3"]);
    assert_eq!(source.damage().parts(), 0);
}

/// Specification: a file that is written to, cut or lengthened in place fails the scan, in every format; so does one that
/// was put back to its old time.
#[test]
fn a_file_that_is_changed_after_opening_fails_the_scan() {
    let numbers = batch(vec![("x", array(arrow::array::Int64Array::from_iter_values(0..500)))]);
    let files: [(&str, Vec<u8>); 4] = [
        ("t.csv", b"x\n1\n2\n3\n".to_vec()),
        ("t.csv.gz", gzip(b"x\n1\n2\n3\n")),
        ("t.parquet", parquet(&numbers, WriterProperties::default())),
        ("t.arrow", ipc(&[numbers])),
    ];
    for (name, bytes) in &files {
        type Change = fn(&Path, &[u8]);
        let changes: [(&str, Change); 6] = [
            ("emptied", |path, _| std::fs::write(path, b"").unwrap()),
            ("cut", |path, bytes| std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap()),
            ("lengthened", |path, bytes| std::fs::write(path, [bytes, b"4\n"].concat()).unwrap()),
            ("overwritten", |path, bytes| std::fs::write(path, vec![b' '; bytes.len()]).unwrap()),
            ("written again", |path, bytes| std::fs::write(path, bytes).unwrap()),
            ("put back to its time", |path, bytes| {
                let time = std::fs::metadata(path).unwrap().modified().unwrap();
                std::fs::write(path, vec![b' '; bytes.len()]).unwrap();
                std::fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
            }),
        ];
        for (what, change) in changes {
            let folder = folder(&[(name, bytes)]);
            let path = folder.path().join(name);
            let source = FileSource::open(folder.path(), name).unwrap();
            // Longer than the tick of a file system's clock.
            std::thread::sleep(std::time::Duration::from_millis(20));
            change(&path, bytes);
            let error = failure(&source);
            assert!(error.contains("was changed while it was being read"), "{name} {what}: {error}");
        }
    }
}

/// Specification: files too many to hold open must be the same when they are opened again.
#[test]
fn a_file_that_was_not_held_open_must_be_the_same_one() {
    let names: Vec<String> = (0..300).map(|number| format!("{number:03}.csv")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), CSV)).collect();
    let folder = folder(&files);
    let source = FileSource::open(folder.path(), ".").unwrap();
    assert_eq!(scanned(&source, &[integer("x")], None, 2).num_rows(), 300);
    std::fs::remove_file(folder.path().join("000.csv")).unwrap();
    assert_eq!(scanned(&source, &[integer("x")], None, 2).num_rows(), 300, "held open");
    std::fs::remove_file(folder.path().join("299.csv")).unwrap();
    assert!(failure(&source).contains("299.csv"));
    std::fs::write(folder.path().join("299.csv"), CSV).unwrap();
    assert!(failure(&source).contains("299.csv"), "another file of the same name and contents");
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
    let source = FileSource::open(folder.path(), ".").unwrap();
    assert_eq!(rows(&scanned(&source, &[integer("x")], None, 2)), ["1"]);
    let source = FileSource::open(folder.path(), "a.csv").unwrap();
    assert!(matches!(source.scan(&[integer("x")], None, 1), Err(SourceError::NoColumn { .. })));
}
