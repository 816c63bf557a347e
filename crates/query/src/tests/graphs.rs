//! Questions about graphs, as SQL: what is understood, what is refused, what it may cost.

use pointillist_catalog::{Catalog, GraphPrivacy};
use pointillist_graph::{Method, Privacy, Statistic};

use crate::{
    GraphQuestion, Options, Refusal, Statement, canonical_graph, graph_price, graph_statement, statement,
};

const CATALOG: &str = r#"
[scope.people]
budget = { rho = 0.5, delta = 1e-6 }
[scope.strict]
model = "pure"
budget = { epsilon = 2 }
[graph.contacts]
scope = "people"
source = "contacts.csv"
privacy = "node"
[graph.roads]
scope = "strict"
source = "roads.txt"
nodes = "towns.txt"
privacy = "edge"
"#;

fn ask(sql: &str) -> Result<GraphQuestion, Refusal> {
    let catalog = Catalog::parse(CATALOG).unwrap();
    match statement(&catalog, sql, &Options::default())? {
        Statement::Graph(question) => Ok(*question),
        Statement::Rows(_)
        | Statement::Training(_)
        | Statement::Evaluation(_)
        | Statement::Synthesis(_)
        | Statement::Public(_) => {
            panic!("{sql} is about a graph")
        }
    }
}

#[test]
fn functions_name_a_statistic_a_graph_and_perhaps_a_method() {
    let triangles = ask("SELECT * FROM graph_triangles('contacts')").unwrap();
    assert_eq!(
        (triangles.question.statistic, triangles.question.privacy),
        (Statistic::Triangles, Privacy::Node)
    );
    assert_eq!((triangles.graph.as_str(), triangles.scope.as_str()), ("contacts", "people"));
    assert_eq!(triangles.columns, None);
    let stars = ask("select value, Upper from graph_stars('roads', 3)").unwrap();
    assert_eq!((stars.question.statistic, stars.question.privacy), (Statistic::Stars(3), Privacy::Edge));
    assert_eq!(stars.columns, Some(vec!["value".to_owned(), "upper".to_owned()]));
    let ladder = ask("SELECT * FROM graph_triangles('roads', 'ladder');").unwrap();
    assert_eq!(ladder.question.method, Method::Ladder);
}

/// Specification: whatever can be asked of a graph has a statement, which asks for just that.
#[test]
fn every_question_about_a_graph_has_its_statement() {
    let statistics = "nodes edges max-degree degree-bound degeneracy components triangles 2-stars 3-stars 8-stars \
                      2-triangles 5-triangles four-cliques rectangles degrees global-clustering average-clustering";
    let methods = "auto smooth student-t noisy-max-degree noisy-common-neighbours ladder projection flow packing \
                   restricted propose-test-release:7";
    let catalog = Catalog::parse(CATALOG).unwrap();
    // Nobody's graph has such a name; whoever asks for one is told so, and nothing else.
    let hostile =
        graph_statement("x') UNION SELECT * FROM graph_edges('roads'); --", Statistic::Edges, Method::Auto);
    let refusal = statement(&catalog, &hostile, &Options::default()).map(|_| ()).unwrap_err();
    assert!(refusal.message().contains("there is no graph `x"), "{refusal}");
    for (name, graph) in &catalog.graphs {
        for statistic in statistics.split_whitespace().map(|word| word.parse::<Statistic>().unwrap()) {
            for method in methods.split_whitespace().map(|word| word.parse::<Method>().unwrap()) {
                let sql = graph_statement(name, statistic, method);
                match statement(&catalog, &sql, &Options::default()) {
                    Ok(Statement::Graph(read)) => {
                        assert_eq!(
                            (&read.graph, read.question.statistic, read.question.method),
                            (name, statistic, method)
                        );
                        assert_eq!(read.columns, None);
                    }
                    Ok(
                        Statement::Rows(_)
                        | Statement::Training(_)
                        | Statement::Evaluation(_)
                        | Statement::Synthesis(_)
                        | Statement::Public(_),
                    ) => panic!("{sql}"),
                    // Of persons, too many to hold in memory.
                    Err(refusal) => {
                        assert!(
                            graph.privacy == GraphPrivacy::Node && refusal.message().contains("memory"),
                            "{sql}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn everything_else_that_a_select_can_say_is_refused() {
    for sql in [
        "SELECT * FROM graph_triangles('contacts') WHERE value > 3",
        "SELECT * FROM graph_degrees('contacts') LIMIT 3",
        "SELECT * FROM graph_degrees('contacts') ORDER BY degree",
        "SELECT DISTINCT value FROM graph_degrees('contacts')",
        "SELECT value + 1 FROM graph_triangles('contacts')",
        "SELECT count(*) FROM graph_triangles('contacts')",
        "SELECT secret FROM graph_triangles('contacts')",
        "SELECT * FROM graph_triangles('contacts') AS t",
        "SELECT * FROM graph_triangles('contacts') CROSS JOIN graph_edges('contacts')",
        "SELECT * FROM graph_triangles('contacts'), graph_edges('contacts')",
        "WITH t AS (SELECT 1) SELECT * FROM graph_triangles('contacts')",
        "SELECT * FROM (SELECT * FROM graph_triangles('contacts')) AS t",
        "SELECT * FROM graph_triangles()",
        "SELECT * FROM graph_triangles('contacts', 2)",
        "SELECT * FROM graph_stars('contacts', 99)",
        "SELECT * FROM graph_triangles(contacts)",
        "SELECT * FROM graph_triangles('contacts' || 'x')",
        "SELECT * FROM graph_triangles('contacts', 'magic')",
        "SELECT * FROM graph_triangles('contact')",
        "SELECT * FROM graph_triangle('contacts')",
        "SELECT * FROM generate_series(1, 3)",
    ] {
        let catalog = Catalog::parse(CATALOG).unwrap();
        let refusal = statement(&catalog, sql, &Options::default()).map(|_| sql).unwrap_err();
        assert!(!refusal.hint().is_empty(), "{sql}");
    }
    let typo = ask("SELECT * FROM graph_triangles('contact')").unwrap_err();
    assert_eq!(typo.hint(), "did you mean `contacts`?");
    let typo = ask("SELECT * FROM graph_triangle('contacts')").unwrap_err();
    assert_eq!(typo.hint(), "did you mean `graph_triangles`?");
}

#[test]
fn prices_are_an_epsilon_and_the_delta_of_the_scope() {
    let catalog = Catalog::parse(CATALOG).unwrap();
    let priced = |sql: &str, options: &[(&str, &str)]| {
        let mut given = Options::default();
        options.iter().try_for_each(|(name, text)| given.set(name, text))?;
        match statement(&catalog, sql, &given)? {
            Statement::Graph(question) => Ok::<_, Refusal>(*question),
            Statement::Rows(_)
            | Statement::Training(_)
            | Statement::Evaluation(_)
            | Statement::Synthesis(_)
            | Statement::Public(_) => {
                unreachable!()
            }
        }
    };
    let sql = "SELECT * FROM graph_edges('contacts')";
    assert_eq!(priced(sql, &[("epsilon", "0.5")]).unwrap().question.epsilon.to_string(), "0.5");
    assert_eq!(priced(sql, &[("rho", "0.5")]).unwrap().question.epsilon.to_string(), "1");
    assert_eq!(priced(sql, &[("rho", "0.02")]).unwrap().question.epsilon.to_string(), "0.2");
    let default = priced(sql, &[]).unwrap();
    assert_eq!(default.question.epsilon.to_string(), "0.1");
    assert_eq!(default.question.delta.unwrap().to_string(), "0.000000005");
    assert!(default.notes[0].contains("1 % of the scope's budget"));
    let pure = "SELECT * FROM graph_edges('roads')";
    assert_eq!(priced(pure, &[]).unwrap().question.epsilon.to_string(), "0.02");
    for (sql, options) in [
        (pure, [("rho", "1")]),
        (pure, [("delta", "1e-9")]),
        (sql, [("error", "5")]),
        (sql, [("max_groups", "5")]),
        (sql, [("noise", "laplace")]),
    ] {
        assert_eq!(priced(sql, &options).unwrap_err().sqlstate(), "22023", "{options:?}");
    }
}

#[test]
fn the_same_numbers_are_the_same_question() {
    let catalog = Catalog::parse(CATALOG).unwrap();
    let bytes = |sql: &str| {
        let question = ask(sql).unwrap();
        canonical_graph(&question, &catalog.graphs[&question.graph])
    };
    let triangles = bytes("SELECT * FROM graph_triangles('roads')");
    assert_eq!(bytes("SELECT upper FROM GRAPH_TRIANGLES('roads')"), triangles);
    let others =
        ["graph_edges('roads')", "graph_triangles('contacts')", "graph_triangles('roads', 'ladder')"];
    for other in others {
        assert_ne!(bytes(&format!("SELECT * FROM {other}")), triangles, "{other}");
    }
}

#[test]
fn a_loss_costs_what_its_scope_counts() {
    use pointillist_privacy::{Currency, Delta, Epsilon, Loss};
    let catalog = Catalog::parse(CATALOG).unwrap();
    let (people, strict) = (&catalog.scopes["people"], &catalog.scopes["strict"]);
    let pure = Loss::pure(Epsilon::parse("0.5").unwrap());
    assert_eq!(graph_price(strict, &pure).unwrap().currency(), Currency::Pure);
    let in_rho = graph_price(people, &pure).unwrap();
    assert_eq!((in_rho.currency(), in_rho.amount().delta_units), (Currency::Zcdp, 0));
    let approximate = Loss::approximate(Epsilon::parse("0.5").unwrap(), Delta::parse("1e-9").unwrap());
    assert!(graph_price(people, &approximate).is_ok());
    assert!(graph_price(strict, &approximate).unwrap_err().to_string().contains("is not pure"));
}
