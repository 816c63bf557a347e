//! Quotes: what an answer would cost, for rows and graphs alike, with and without the ledger in hand.

use pointillist_catalog::Catalog;
use pointillist_curator::{AskError, Clock, Executed, Home, OWNER, Paid, Quote, QuoteSubject};

use crate::clinic::{CATALOG, Clinic, ask, visits};

const MEAN: &str = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1) region, avg(cost), count(*) FROM visits GROUP BY region";
const ROADS: &str = "\n[scope.roads]\nmodel = \"pure\"\nbudget = { epsilon = 10 }\n[graph.roads]\nscope = \"roads\"\nsource = \"roads.txt\"\nnodes = \"towns.txt\"\n\
                     privacy = \"edge\"\n";

/// A home on disk, with a graph.
fn home(folder: &std::path::Path) -> Home {
    std::fs::write(folder.join("visits.csv"), visits(60)).unwrap();
    std::fs::write(folder.join("towns.txt"), "1\n2\n3\n").unwrap();
    std::fs::write(folder.join("roads.txt"), "1 2\n2 3\n").unwrap();
    let share = "shares = { patients = { rho = 20, delta = 5e-7 }";
    let catalog = CATALOG.replacen(share, &format!("{share}, roads = {{ epsilon = 5 }}"), 1);
    Home::new(folder.to_owned(), Catalog::parse(&format!("{catalog}{ROADS}")).unwrap())
}

fn json(value: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

/// Specification: a quote costs nothing, says what an answer then costs, and from then on that it is free for whoever
/// paid, and for nobody else.
#[test]
fn an_answer_that_was_paid_for_is_quoted_as_free() {
    let clinic = Clinic::new(&visits(60));
    let quote = |analyst: &str, sql: &str| clinic.curator.quote(&ask(analyst, sql, None)).unwrap();
    let before = quote("ana", MEAN);
    assert!(!before.is_free && before.fits() && before.more == Some(20), "{before:?}");
    let spent = || clinic.curator.ledger().balance("patients").unwrap().unwrap().spent;
    assert_eq!(spent().loss_units, 0);
    let reply = clinic.ask_as("ana", MEAN).unwrap();
    assert_eq!((reply.price, reply.more), (before.price, 19));
    let after = quote("ana", MEAN);
    assert!(after.is_free && after.more == Some(19));
    // Numbers that the answer is made of are hers too; Ben has none of them.
    let part =
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.1) region, count(*) FROM visits GROUP BY region";
    assert!(quote("ana", part).is_free && !quote("ben", MEAN).is_free && !quote("ben", part).is_free);
    assert_eq!(clinic.ask_as("ana", part).unwrap().paid, Paid::Nothing);
    // What does not fit any more is free all the same.
    let all = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 19) count(*) FROM visits";
    clinic.ask_as("ana", all).unwrap();
    let spent_up = quote("ana", MEAN);
    assert!(spent_up.is_free && spent_up.fits() && spent_up.more == Some(0));
}

/// Specification: whoever only reads the ledger is told the same as whoever writes it, also where there is none yet.
#[test]
fn a_reader_and_a_writer_quote_alike() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(folder.path());
    let mut asks =
        vec![ask("ana", MEAN, None), ask(OWNER, "SELECT ward, count(*) FROM visits GROUP BY ward", None)];
    asks.push(ask("ana", "SELECT * FROM graph_triangles('roads')", None));
    let quoted = |of: &dyn Fn(&pointillist_curator::Ask) -> Result<Quote, AskError>| {
        asks.iter().map(|ask| json(&of(ask).unwrap())).collect::<Vec<_>>()
    };
    let at_first = quoted(&|ask| home.quote(ask));
    assert!(!folder.path().join(".pointillist").exists(), "a quote leaves nothing behind");
    let curator = home.curator(Clock::Immediate).unwrap();
    assert_eq!(at_first, quoted(&|ask| curator.quote(ask)));
    for ask in &asks {
        curator.ask(ask).unwrap();
    }
    let later = quoted(&|ask| curator.quote(ask));
    assert_eq!(later, quoted(&|ask| home.quote(ask)));
    assert!(later.iter().all(|quote| quote["free"] == true) && later != at_first);
}

/// Specification: a statement that begins with EXPLAIN is explained, about rows and about graphs, and nothing is paid;
/// who may not ask is told so in the same words.
#[test]
fn explain_is_a_statement_about_rows_and_graphs() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(folder.path());
    let curator = home.curator(Clock::Immediate).unwrap();
    for sql in [MEAN, "SELECT * FROM graph_triangles('roads')"] {
        let explain = ask("ana", &format!("EXPLAIN {sql}"), None);
        let Executed::Quote(quote) = curator.execute(&explain).unwrap() else { panic!("{sql}") };
        assert_eq!(json(&quote), json(&curator.quote(&ask("ana", sql, None)).unwrap()));
        let Executed::Quote(unlocked) = home.execute(&explain, Clock::Immediate).unwrap() else {
            panic!("{sql}")
        };
        assert_eq!(json(&quote), json(&unlocked), "no lock is needed while the curator holds it");
        assert!(quote.lines().iter().any(|line| line.name == "price"));
        for (stranger, sql) in [("eve", sql), ("ana", "SELECT count(*) FROM nowhere")] {
            let told = |error: AskError| error.to_string();
            let asked = curator.ask(&ask(stranger, sql, None)).map(|_| ()).unwrap_err();
            let quoted = curator.quote(&ask(stranger, sql, None)).map(|_| ()).unwrap_err();
            assert_eq!(told(asked), told(quoted));
        }
    }
    assert_eq!(curator.ledger().balance("patients").unwrap().unwrap().spent.loss_units, 0);
    let Executed::Answer(reply) = curator.execute(&ask("ana", MEAN, None)).unwrap() else {
        panic!("an answer")
    };
    assert_eq!(reply.paid, Paid::InFull);
}

/// Specification: what a quote says about the noise of an aggregate, its answer says too, in the same numbers; `grid` is
/// the step that values are rounded to, for sums, means and counts.
#[test]
fn quotes_and_answers_describe_the_same_noise() {
    let clinic = Clinic::new(&visits(60));
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1) sum(cost), avg(cost), count(*), stddev(age) FROM visits";
    let quote = clinic.curator.quote(&ask("ana", sql, None)).unwrap();
    let QuoteSubject::Rows(rows) = &quote.subject else { panic!("rows") };
    let reply = clinic.ask_as("ana", sql).unwrap();
    let (quoted, answered) = (json(&quote), json(&reply));
    assert_eq!(rows.aggregates.len(), reply.answer.columns.len());
    for (index, grid) in ["0.01", "0.01", "1", "1"].iter().enumerate() {
        let (before, after) = (&quoted["aggregates"][index], &answered["columns"][index]);
        assert_eq!((&before["grid"], &after["grid"]), (&json(grid), &json(grid)), "{index}");
        assert_eq!(before["mechanism"], after["mechanism"]);
        let error = |value: &serde_json::Value| value["error_95"].as_f64();
        assert_eq!(error(before), error(after), "{index}");
        if !before["scale"].is_null() {
            assert_eq!(before["scale"], after["scale"]);
        }
    }
    assert_eq!(quoted["cost"], answered["cost"]);
}

/// Specification: of a question that is too expensive the library says what would fit, by the option that the asker used;
/// what it says fits.
#[test]
fn what_would_fit_fits() {
    let catalog = CATALOG.replace("shares = { patients = { rho = 20", "shares = { patients = { rho = 1.5");
    for (option, value) in [("epsilon", "40"), ("rho", "2"), ("error", "0.5")] {
        let clinic = Clinic::with_catalog(&catalog, &visits(60));
        let mut asked = ask("ana", "SELECT count(*) FROM visits", None);
        asked.options.set(option, value).unwrap();
        let refused = clinic.curator.ask(&asked).map(|_| ()).unwrap_err();
        assert!(matches!(refused, AskError::NotCharged(_)), "{option}: {refused}");
        let too_expensive = clinic.curator.too_expensive(&asked).expect("a question about rows");
        let words = too_expensive.words("the share of `ana` in `patients`");
        assert!(words.starts_with("this question costs ") && words.ends_with(" left"), "{words}");
        let fits = too_expensive.affordable.expect("something smaller fits");
        assert_eq!(fits.option, option);
        asked.options.set(fits.option, &fits.value).unwrap();
        assert_eq!(clinic.curator.ask(&asked).unwrap().paid, Paid::InFull, "{option} = {}", fits.value);
    }
    // A δ that is missing is named, and no smaller price is proposed: none would do.
    let without = catalog.replace(", delta = 5e-7 } }", " } }");
    assert_ne!(without, catalog);
    let clinic = Clinic::with_catalog(&without, &visits(60));
    let mut asked = ask("ana", "SELECT ward, count(*) FROM visits GROUP BY ward", None);
    asked.options.set("rho", "0.1").unwrap();
    assert!(clinic.curator.ask(&asked).is_err());
    let too_expensive = clinic.curator.too_expensive(&asked).expect("a question about rows");
    assert!(too_expensive.lacks_all_delta() && too_expensive.affordable.is_none());
    let said = too_expensive.explanation("the share", |_| String::new());
    assert!(said.message().ends_with(" left, and no δ to spend"), "{}", said.message());
    assert!(said.hint_text().is_some_and(|hint| hint.contains("a δ")), "{:?}", said.hint_text());
    let graph = ask("ana", "SELECT * FROM graph_triangles('roads')", None);
    assert!(Clinic::new(&visits(3)).curator.too_expensive(&graph).is_none());
}
