//! Files of every kind that people have, and of kinds that nobody should have.

use pointillist_errors::Explained as _;
use std::cell::RefCell;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use pointillist_noise::BitSource;
use pointillist_testkit::seeded;

use super::*;

fn load(text: impl AsRef<[u8]>, first_line: FirstLine) -> Loaded {
    load_as(Format::Blanks, text, first_line)
}

fn load_as(format: Format, text: impl AsRef<[u8]>, first_line: FirstLine) -> Loaded {
    let reading = Reading { first_line, nodes: None };
    read_graph(text.as_ref(), format, &reading, &|_| ()).expect("reading is total")
}

/// The labels of both ends of every tie, smaller first.
fn ties(graph: &Graph) -> Vec<(u128, u128)> {
    graph.pairs().map(|(u, v)| (graph.label(u), graph.label(v))).collect()
}

/// The ties of a text whose first line is a tie.
fn ties_of(text: impl AsRef<[u8]>) -> Vec<(u128, u128)> {
    ties(&load(text, FirstLine::Edge).graph)
}

fn label_of(id: &str) -> u128 {
    label(id.as_bytes()).expect("an id")
}

fn in_order(u: &str, v: &str) -> (u128, u128) {
    let (u, v) = (label_of(u), label_of(v));
    (u.min(v), u.max(v))
}

#[test]
fn every_common_format_is_the_same_graph() {
    let square = [(1, 2), (1, 4), (2, 3), (3, 4)];
    for text in [
        "1 2\n2 3\n3 4\n4 1\n",
        "1\t2\r\n2\t3\r\n3\t4\r\n4\t1\r\n",
        "# Nodes: 4 Edges: 4\r\n# FromNodeId\tToNodeId\r\n1\t2\n2\t1\n2\t3\n3\t4\n1\t4\n4\t1\n2\t2",
        "%%MatrixMarket matrix\n% another\n1 2 0,5\n2 3 1,5\n3 4 2.5\n4 1 {}\n",
        "\u{FEFF}1,2\n2,3,9\n3 , 4\n4,1,,,\n",
        "1;2;0,5\n2;3\n3;4\n\n   \n4;1\n",
        "  1  2  {'a': 1, 'b': 2}\n2 3 1082040961\n3 4 {}\n4 1 x,y;z\n",
        "\"1\",\"2\"\n\"2\",\"3\"\n\"3\" ,\"4\"\n4,\"1\"",
    ] {
        assert_eq!(ties_of(text), square, "{text:?}");
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text.as_bytes()).expect("memory");
        assert_eq!(ties_of(packed.finish().expect("memory")), square, "{text:?}");
    }
}

#[test]
fn texts_are_nodes_too() {
    for (line, u, v) in [
        ("alice bob", "alice", "bob"),
        ("alice,bob,3", "alice", "bob"),
        ("Jon Snow,Arya Stark,12", "Jon Snow", "Arya Stark"),
        ("Jon Snow\tStark, Arya\t3;4", "Jon Snow", "Stark, Arya"),
        ("Smith, John;Doe, Jane;0,5", "Smith, John", "Doe, Jane"),
        ("\"Smith, \"\"Jo\"\" John\",Doe", "Smith, \"Jo\" John", "Doe"),
        ("\"a ;\"\";\"\" b\", c", "a ;\";\" b", "c"),
        ("O\"Brien,Bob", "O\"Brien", "Bob"),
        ("alice bob {'weight': 3, 'since': 2001}", "alice", "bob"),
        ("1 Main St,2 Oak Ave", "1 Main St", "2 Oak Ave"),
        ("7 bob", "7", "bob"),
        ("-7,7.0", "-7", "7.0"),
        ("\"#alice\" \"%\"", "#alice", "%"),
        ("18446744073709551615,18446744073709551616", "18446744073709551615", "18446744073709551616"),
        ("99999999999999999999999 5 0,5", "99999999999999999999999", "5"),
        ("\u{e9}t\u{e9},\0", "\u{e9}t\u{e9}", "\0"),
    ] {
        assert_eq!(ties_of(line), [in_order(u, v)], "{line}");
    }
    assert_eq!(
        ties_of(b"\xFF\xFE \xC0"),
        [{
            let (u, v) = (label(b"\xFF\xFE").unwrap(), label(b"\xC0").unwrap());
            (u.min(v), u.max(v))
        }]
    );
}

#[test]
fn labels_follow_from_ids_alone() {
    assert_eq!((label_of("0"), label_of("7"), label_of("18446744073709551615")), (0, 7, u64::MAX.into()));
    // The first 127 bits of SHA-256 of `abc`, whose digest begins with ba7816bf 8f01cfea 414140de 5dae2223.
    let digest: u128 = 0xba78_16bf_8f01_cfea_4141_40de_5dae_2223;
    assert_eq!(label_of("abc"), 1 << 127 | digest >> 1);
    for text in ["18446744073709551616", "-1", "+1", "1.0", "1e3", "a", " 1", "007", "00"] {
        assert!(label_of(text) >= 1 << 127, "{text}");
    }
}

/// Everything about such lines is counted, and nothing fails.
#[test]
fn lines_that_are_no_tie_are_skipped_and_counted() {
    let text = "1 2\nlonely\n,5\n5,\n1,,2\n\"op\"en,3\n\"a\"b,c\n\"\",x\n;\n\n# fine\n % fine\n7 8\n";
    let loaded = load(text, FirstLine::Edge);
    assert_eq!((loaded.lines, loaded.skipped, loaded.outside), (13, 8, 0));
    assert_eq!(ties(&loaded.graph), [(1, 2), (7, 8)]);
    for nothing in ["", "\n", "# only\n# comments", "\u{FEFF}", "\r\n\r\n", "\0"] {
        for first_line in [FirstLine::Detect, FirstLine::Edge, FirstLine::Names, FirstLine::Counts] {
            let loaded = load(nothing, first_line);
            assert_eq!((loaded.graph.nodes(), loaded.graph.edges()), (0, 0), "{nothing:?}");
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_no_tie_wherever_it_stands() {
    for (length, is_tie) in [
        (line::LINE_MAX, true),
        (line::LINE_MAX + 1, false),
        (line::LINE_MAX + 4, false),
        (line::LINE_MAX + 5, false),
        (line::LINE_MAX + 6, false),
        (5 * line::LINE_MAX, false),
    ] {
        for start in ["3 4 ", "alice bob "] {
            for before in 0..3 {
                let mut text = "1 2\n".repeat(before);
                text.push_str(start);
                text.extend(std::iter::repeat_n('x', length - start.len()));
                text.push_str("\n5 6");
                let loaded = load(&text, FirstLine::Edge);
                assert_eq!(loaded.lines, before as u64 + 2);
                assert_eq!(loaded.skipped, u64::from(!is_tie), "{length} {start}");
                assert_eq!(loaded.graph.edges(), 1 + u64::from(before > 0) + u64::from(is_tie));
            }
        }
        let mut comment = "#".repeat(length);
        comment.push_str("\nnames,here\n1 2");
        let loaded = load(&comment, FirstLine::Names);
        assert_eq!((loaded.lines, loaded.skipped, loaded.graph.edges()), (3, 0, 1), "{length}");
    }
    // One line without an end, of zeros, of digits, of separators and of quotes.
    for byte in [b'\0', b'7', b' ', b',', b'"', b'\t'] {
        let loaded = load(vec![byte; 3 * line::LINE_MAX], FirstLine::Edge);
        assert_eq!((loaded.graph.nodes(), loaded.lines), (0, 1));
    }
}

/// Specification: how the bytes come in, and how many threads there are, makes no difference.
#[test]
fn blocks_and_threads_make_no_difference() {
    let mut bits = seeded(21);
    let mut text = String::from("# a file of several blocks\n");
    let mut expected = GraphBuilder::new(None);
    while text.len() < 5 << 20 {
        let (u, v) = (bits.word() % 5_000, bits.word() % 5_000);
        match bits.word() % 4 {
            0 => text.push_str(&format!("{u}\t{v}\r\n")),
            1 => text.push_str(&format!("{u},{v},trailing words\n")),
            2 => text.push_str(&format!("\"{u}\" {v}\n")),
            _ => {
                text.push_str(&format!("name {u};{v}\n"));
                expected.add_texts(format!("name {u}").as_bytes(), v.to_string().as_bytes());
                continue;
            }
        }
        expected.add_numbers(u, v);
    }
    let expected = expected.finish().expect("few nodes");
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let loaded = pool.install(|| load(&text, FirstLine::Edge));
        assert!(loaded.graph == expected, "{threads} threads");
        assert_eq!((loaded.lines as usize, loaded.skipped), (text.lines().count(), 0));
    }
    let reading = Reading { first_line: FirstLine::Edge, nodes: None };
    let heard = RefCell::new(Vec::new());
    let slow = read_graph(ByBytes(text.as_bytes()), Format::Blanks, &reading, &|bytes| {
        heard.borrow_mut().push(bytes)
    });
    assert!(slow.expect("reading is total").graph == expected);
    assert!(heard.borrow().is_sorted() && heard.borrow().last() == Some(&(text.len() as u64)));
}

/// Gives a few bytes at a time.
struct ByBytes<'a>(&'a [u8]);

impl Read for ByBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(977);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn the_first_line_is_what_is_declared() {
    for first_line in [FirstLine::Names, FirstLine::Counts] {
        let loaded = load("# comment\n\n1 2\n3 4\n5 6", first_line);
        assert_eq!((ties(&loaded.graph), loaded.first_line), (vec![(3, 4), (5, 6)], first_line));
        assert_eq!((loaded.lines, loaded.skipped), (5, 0));
    }
    assert_eq!(ties_of("from,to\n1,2").len(), 2);
}

#[test]
fn the_first_line_is_detected() {
    for (text, expected) in [
        ("node_1,node_2\n1,2\n", FirstLine::Names),
        ("Person A;Person B\n1;2\n", FirstLine::Names),
        ("Source,Target\nalice,bob\n", FirstLine::Names),
        ("lonely\n1 2\n", FirstLine::Names),
        ("carol,dave\nalice,bob\n", FirstLine::Edge),
        ("1 2\n2 3\n3 4\n", FirstLine::Edge),
        ("1 alice\n2 3\n", FirstLine::Edge),
        ("3 2\n1 2\n2 3\n", FirstLine::Counts),
        ("2 2\n1 2\n2 3\n", FirstLine::Edge),
        ("3 1\n1 2\n2 1\n", FirstLine::Counts),
        ("9 2\n1 2\n2 3\n", FirstLine::Counts),
        ("3 2 7\n1 2\n2 3\n", FirstLine::Edge),
        ("%%MatrixMarket\n3 3 2\n1 2 0.5\n2 3 0.5\n", FirstLine::Counts),
        ("", FirstLine::Edge),
    ] {
        let loaded = load(text, FirstLine::Detect);
        assert_eq!(loaded.first_line, expected, "{text:?}");
        let declared = load(text, expected);
        assert!(loaded.graph == declared.graph, "{text:?}");
        assert_eq!(loaded.lines, declared.lines, "{text:?}");
    }
}

#[test]
fn a_list_of_nodes_decides_who_is_there() {
    let nodes = NodeList::from_texts(["3", "1", "alice", "", "1", "9"]).expect("a short list");
    assert_eq!(nodes.nodes(), 4);
    let reading = Reading { first_line: FirstLine::Edge, nodes: Some(nodes) };
    let text = "1 3\n1 2\nalice,3\nalice,bob\n2 2\nnobody\n";
    let loaded = read_graph(text.as_bytes(), Format::Blanks, &reading, &|_| ()).expect("reading is total");
    assert_eq!((loaded.graph.nodes(), loaded.outside, loaded.skipped), (4, 3, 1));
    assert_eq!(ties(&loaded.graph), [(1, 3), in_order("3", "alice")]);
    let labels: Vec<u128> = (0..4).map(|node| loaded.graph.label(node)).collect();
    assert_eq!(labels, [1, 3, 9, label_of("alice")]);
    // Without a list, whoever occurs is there, in loops too.
    assert_eq!(load("1 2\n5 5", FirstLine::Edge).graph.nodes(), 3);

    let numbers = NodeList::from_numbers([9, 1, 3, 1]).expect("a short list");
    for (text, first_line) in [
        ("1\n3\n# comment\n9\n", FirstLine::Edge),
        ("id,name\n1,a\n9,b\n3,\"c, d\"\n", FirstLine::Names),
        ("id\n1\n9\n3\n", FirstLine::Detect),
        ("1 2\n9 9\n3 1\n\"\"\n", FirstLine::Detect),
        ("3\n1\n3\n9", FirstLine::Counts),
    ] {
        let read =
            read_node_list(text.as_bytes(), Format::Blanks, first_line, &|_| ()).expect("a short list");
        assert_eq!(read, numbers, "{text}");
    }
}

#[test]
fn sparse_numbers_are_numbered_like_dense_ones() {
    let mut bits = seeded(22);
    let pairs: Vec<(u64, u64)> = (0..20_000).map(|_| (bits.word() % 900, bits.word() % 900)).collect();
    let build = |rename: fn(u64) -> u64| {
        let mut builder = GraphBuilder::new(None);
        pairs.iter().for_each(|(u, v)| builder.add_numbers(rename(*u), rename(*v)));
        builder.finish().expect("few nodes")
    };
    let dense = build(|id| id);
    for rename in [|id: u64| id << 50 | 5, |id: u64| u64::MAX - 900 + id] as [fn(u64) -> u64; 2] {
        let sparse = build(rename);
        assert_eq!(sparse.pairs().collect::<Vec<_>>(), dense.pairs().collect::<Vec<_>>());
        assert_eq!(u64::try_from(sparse.label(7)), dense.label(7).try_into().map(rename));
    }
}

#[test]
fn a_file_that_cannot_be_read_says_so_and_no_more() {
    let missing = read_graph_file("/there/is/no/such/file", &Reading::default(), &|_| ()).unwrap_err();
    assert!(
        missing.explanation().text().contains("cannot be opened")
            && missing.explanation().text().contains("hint:")
    );
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all("1 2\n".repeat(100_000).as_bytes()).expect("memory");
    let packed = packed.finish().expect("memory");
    let formats = [Format::Blanks, Format::Csv { delimiter: b',' }];
    let cut = [&packed[..packed.len() / 2], &packed[..2], &[&packed[..], b"tail"].concat()];
    for (damaged, format) in cut.into_iter().flat_map(|cut| formats.map(|format| (cut, format))) {
        let damage =
            read_graph(damaged, format, &Reading::default(), &|_| ()).unwrap_err().explanation().text();
        assert_eq!(
            damage,
            "the gzip file is damaged or ends too early\nhint: copy the file again, or check it with `gzip --test`"
        );
    }
    // Several gzip members one after the other are one file.
    let twice = load([&packed[..], &packed[..]].concat(), FirstLine::Edge);
    assert_eq!((twice.lines, twice.graph.edges()), (200_000, 1));
}

/// Specification: any bytes are read, the quick way for numbers as the slow one, and a line that is read twice alike.
#[test]
fn any_bytes_make_a_graph() {
    let mut bits = seeded(23);
    let alphabet = b"0123456789 \t,;\"\n\r#%{x\0\xFF";
    for _ in 0..2_000 {
        let length = bits.word() % 60;
        let text: Vec<u8> =
            (0..length).map(|_| alphabet[(bits.word() % alphabet.len() as u64) as usize]).collect();
        let once = load(&text, FirstLine::Edge);
        load(&text, FirstLine::Detect);
        let mut slowly = GraphBuilder::new(None);
        line::records(&text)
            .filter_map(|(record, _)| line::tie(record))
            .for_each(|(u, v)| slowly.add_labels(u, v));
        assert!(once.graph == slowly.finish().expect("few nodes"), "{text:?}");
        let mut boundary = line::boundary();
        let mut rest = text.as_slice();
        while let Some(length) = boundary.end(rest) {
            rest = &rest[length..];
        }
        if boundary.in_quotes() {
            continue;
        }
        let twice = load([&text[..], b"\n", &text[..]].concat(), FirstLine::Edge);
        assert!(once.graph == twice.graph, "{text:?}");
        assert_eq!(2 * once.skipped, twice.skipped, "{text:?}");
    }
}
