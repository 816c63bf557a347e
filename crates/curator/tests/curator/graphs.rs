//! Graphs as analysts meet them: paid once, the same in SQL and outside it, closed to questions that would tell.

use pointillist_catalog::Value;
use pointillist_curator::{Ask, AskError, Mechanism, OWNER, Paid, ReplyClock, load_graph, load_nodes};
use pointillist_errors::Explained;
use pointillist_graph::read::FirstLine;
use pointillist_graph::{Method, Statistic};
use pointillist_query::Options;

use crate::clinic::{CATALOG, Clinic, ask, open};

const GRAPHS: &str = r#"
[graph.contacts]
scope = "patients"
source = "contacts.csv"
first_line = "names"
nodes = "people.txt"
privacy = "node"

[graph.unlisted]
scope = "patients"
source = "contacts.csv"
first_line = "names"
privacy = "node"

[scope.roads]
model = "pure"
budget = { epsilon = 10 }

[graph.roads]
scope = "roads"
source = "roads.txt"
nodes = "towns.txt"
privacy = "edge"

[graph.lost]
scope = "patients"
source = "lost.csv"
privacy = "node"
"#;

/// A ring of people with chords, and towns of which one has no road.
fn clinic(extra: &str) -> Clinic {
    let folder = tempfile::tempdir().unwrap();
    let newcomer = if extra.is_empty() { "" } else { "zoe\n" };
    let people: String = (0..500).map(|person| format!("p{person}\n")).collect();
    std::fs::write(folder.path().join("people.txt"), people + newcomer).unwrap();
    let ring: String = (0..500).map(|person| format!("p{person},p{}\n", (person + 1) % 500)).collect();
    std::fs::write(folder.path().join("contacts.csv"), format!("a,b\n{ring}{extra}")).unwrap();
    let towns: String = (0..40).map(|town| format!("{town}\n")).collect();
    std::fs::write(folder.path().join("towns.txt"), towns).unwrap();
    let roads: String = (0..38).map(|town| format!("{town} {}\n", town + 1)).collect();
    std::fs::write(folder.path().join("roads.txt"), format!("{roads}3 99\n")).unwrap();
    let curator = open(folder.path(), &format!("{CATALOG}{GRAPHS}"), ReplyClock::IMMEDIATE);
    Clinic { folder, curator }
}

fn graph(name: &str, statistic: Statistic, epsilon: &str, analyst: &str) -> Ask {
    let mut options = Options::default();
    options.set("epsilon", epsilon).unwrap();
    Ask::about_graph(name, statistic, Method::Auto, options, analyst)
}

fn spent(clinic: &Clinic, scope: &str) -> u128 {
    clinic.curator.ledger().balance(scope).unwrap().unwrap().spent.loss_units
}

/// False alarm: discrete Laplace noise of scale 1/4 leaves ±20 with probability below 1e-30.
#[test]
fn a_statistic_is_near_the_truth_and_the_same_in_sql_for_free() {
    let clinic = clinic("");
    let reply = clinic.curator.ask(&graph("contacts", Statistic::Nodes, "4", OWNER)).unwrap();
    let value = reply.answer.estimates()[0].value.as_f64();
    assert!((value - 500.0).abs() <= 20.0, "{value}");
    assert_eq!(
        (reply.paid, reply.answer.columns[0].release.as_ref().unwrap().mechanism),
        (Paid::InFull, Mechanism::Graph("geometric"))
    );
    let before = spent(&clinic, "patients");
    let mut sql = ask(OWNER, "SELECT * FROM graph_nodes('contacts')", None);
    sql.options.set("epsilon", "4").unwrap();
    let table = clinic.curator.ask(&sql).unwrap();
    assert_eq!((table.paid, spent(&clinic, "patients")), (Paid::Nothing, before));
    assert_eq!(table.answer.rows[0].values[0], Some(Value::Integer(value as i64)));
    let names: Vec<&str> = table.answer.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["value", "lower", "upper"]);
    sql.sql = "SELECT upper FROM graph_nodes('contacts')".to_owned();
    let upper = clinic.curator.ask(&sql).unwrap();
    assert_eq!(upper.answer.rows[0].values, [table.answer.rows[0].values[2].clone()]);
}

/// Specification: the public list decides which nodes there are; a road to a town that is not listed does not exist.
/// False alarm: scale 1/5 leaves ±15 with probability below 1e-30.
#[test]
fn under_edge_privacy_the_listed_nodes_exist_and_no_others() {
    let clinic = clinic("");
    let count = |statistic| {
        let reply = clinic.curator.ask(&graph("roads", statistic, "4", OWNER)).unwrap();
        reply.answer.estimates()[0].value.as_f64()
    };
    assert!((count(Statistic::Components) - 2.0).abs() <= 15.0);
    assert!((count(Statistic::Edges) - 38.0).abs() <= 15.0);
    assert!(spent(&clinic, "roads") > 0 && spent(&clinic, "patients") == 0);
}

#[test]
fn what_cannot_be_answered_is_refused_before_anything_is_paid() {
    let clinic = clinic("");
    let refusal = |ask: &Ask| clinic.curator.ask(ask).map(|_| ()).unwrap_err();
    let lost = refusal(&graph("lost", Statistic::Edges, "1", OWNER));
    assert!(matches!(lost, AskError::Unavailable { .. }) && lost.to_string().contains("`lost`"), "{lost}");
    let unknown = refusal(&graph("contact", Statistic::Nodes, "1", OWNER));
    assert!(unknown.explanation().text().contains("did you mean `contacts`?"), "{unknown}");
    assert!(matches!(refusal(&graph("roads", Statistic::Edges, "1", "ana")), AskError::Closed { .. }));
    assert!(matches!(refusal(&graph("roads", Statistic::Edges, "1", "eve")), AskError::Unknown { .. }));
    assert!(matches!(refusal(&graph("roads", Statistic::Edges, "11", OWNER)), AskError::NotCharged(_)));
    let node = refusal(&graph("contacts", Statistic::MaxDegree, "1", OWNER));
    assert!(matches!(node, AskError::Refused(_)), "{node}");
    for statistic in [Statistic::Nodes, Statistic::Degrees, Statistic::Components, Statistic::DegreeBound] {
        let unlisted = refusal(&graph("unlisted", statistic, "1", OWNER));
        assert!(unlisted.to_string().contains("vanish"), "{unlisted}");
    }
    for statistic in [Statistic::Rectangles, Statistic::FourCliques] {
        assert!(refusal(&graph("contacts", statistic, "1", OWNER)).to_string().contains("memory"));
    }
    std::fs::remove_file(clinic.folder.path().join("people.txt")).unwrap();
    let missing = refusal(&graph("contacts", Statistic::Nodes, "1", OWNER));
    assert!(matches!(missing, AskError::Unavailable { .. }), "{missing}");
    assert_eq!((spent(&clinic, "patients"), spent(&clinic, "roads")), (0, 0));
    assert!(clinic.curator.ask(&graph("unlisted", Statistic::Edges, "0.5", OWNER)).is_ok());
}

/// Specification: with one person more, tied to everybody, the ledger says the same byte by byte, answers have the same
/// shape, and every refusal has the same words.
#[test]
fn one_person_more_shows_nowhere_but_in_noise() {
    let hub: String = (0..500).map(|person| format!("zoe,p{person}\n")).collect();
    let twins = [clinic(""), clinic(&hub)];
    let told = twins.map(|clinic| {
        let mut told = Vec::new();
        for statistic in [
            Statistic::Nodes,
            Statistic::Edges,
            Statistic::Triangles,
            Statistic::Components,
            Statistic::Degeneracy,
            Statistic::Stars(2),
            Statistic::MaxDegree,
            Statistic::KTriangles(2),
        ] {
            let outcome = clinic.curator.ask(&graph("contacts", statistic, "0.5", "ana"));
            told.push(match outcome {
                Ok(reply) => format!(
                    "{} {:?} {:?} {} {:?}",
                    reply.answer.rows.len(),
                    reply.left.remaining,
                    reply.receipt.seq,
                    reply.more,
                    reply.price
                ),
                Err(refusal) => refusal.explanation().text(),
            });
        }
        (told, clinic.curator.ledger().public_bytes().unwrap())
    });
    assert_eq!(told[0], told[1]);
    assert!(told[0].0.iter().filter(|text| text.contains("hint:")).count() == 2);
}

/// Specification: what a private list says in its second line does not decide whether its first line is a person.
#[test]
fn a_private_list_is_read_line_by_line() {
    let clinic = clinic("");
    let people: String = (0..1000).map(|person| format!("{person}\n")).collect();
    std::fs::write(clinic.folder.path().join("people.txt"), format!("alice\n{people}")).unwrap();
    let text = std::fs::read_to_string(clinic.folder.path().join("people.txt")).unwrap();
    let list = load_nodes(
        clinic.folder.path(),
        "people.txt",
        pointillist_curator::declared_first_line(pointillist_catalog::FirstLine::default()),
    );
    assert_eq!(list.unwrap().nodes() as usize, text.lines().count());
}

/// Specification: one record of a person is one tie and names one node, in every text format, whatever its fields hold.
#[test]
fn a_quoted_record_is_one_tie_and_one_node_whatever_lines_it_holds() {
    let clinic = clinic("");
    let folder = clinic.folder.path();
    let (edge, inside) = (FirstLine::Edge, "1{s}2\n3{s}4\n5{s}6\n".repeat(5_000));
    for (name, separator) in [("g.csv", ","), ("g.tsv", "\t"), ("g.txt", " "), ("h.txt", ","), ("g", ";")] {
        let inside = inside.replace("{s}", separator);
        let ties: String = (0..200).map(|tie| format!("a{tie}{separator}b{tie}{separator}text\n")).collect();
        let read = |text: String| {
            std::fs::write(folder.join(name), text).unwrap();
            let graph = load_graph(folder, name, edge, None, &|_| {}).unwrap().graph;
            (graph.edges(), graph.nodes(), load_nodes(folder, name, edge).unwrap().nodes())
        };
        assert_eq!(read(ties.clone()), (200, 400, 200), "{name}");
        let as_text = format!("x{separator}y{separator}\"{inside}\"\n");
        assert_eq!(read(format!("{ties}{as_text}")), (201, 402, 201), "{name}");
        assert_eq!(read(format!("{as_text}{ties}")), (201, 402, 201), "{name}");
        // An id of 10,000 bytes or more is none; as a short one it is one node.
        for id in [&inside[..], "1,2\n3 4\n5\t6\n7;8\n"] {
            let (ties_read, nodes, listed) = read(format!("{ties}\"{id}\"{separator}y\n"));
            assert!(
                (200..=201).contains(&ties_read) && nodes <= 402 && (200..=201).contains(&listed),
                "{name}"
            );
        }
        let cut = format!("{ties}x{separator}y{separator}\"{inside}");
        assert_eq!(read(cut), (200, 400, 200), "{name}");
    }
}

/// Specification: the first line of a private list is a person unless the catalog says otherwise.
#[test]
fn a_list_that_begins_with_names_says_so() {
    let people: String = (0..60).map(|person| format!("p{person}\n")).collect();
    let catalog = format!("{CATALOG}{GRAPHS}").replacen("rho = 50,", "rho = 5000,", 1);
    let nodes = |first: &str, key: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("people.csv"), format!("{first}{people}")).unwrap();
        std::fs::write(folder.path().join("contacts.csv"), "a,b\np1,p2\n").unwrap();
        let list = format!("nodes = \"people.csv\"\n{key}");
        let catalog = catalog.replacen("nodes = \"people.txt\"", &list, 1);
        let curator = open(folder.path(), &catalog, ReplyClock::IMMEDIATE);
        // Noise of scale 1/50 is 0 but for a chance below 1e-20.
        let reply = curator.ask(&graph("contacts", Statistic::Nodes, "50", OWNER)).unwrap();
        reply.answer.estimates()[0].value.as_f64()
    };
    assert_eq!(nodes("", ""), 60.0);
    assert_eq!(nodes("id\n", ""), 61.0);
    assert_eq!(nodes("id\n", "nodes_first_line = \"names\""), 60.0);
}
