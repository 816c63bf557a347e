//! What was bought is not sold again: orders, parts and smaller prices.

use std::collections::BTreeMap;

use pointillist_catalog::Value;
use pointillist_curator::{OWNER, Paid, Reply};

use crate::clinic::{Clinic, ask, visits};

/// A statement at a price.
fn at(rho: &str, rest: &str) -> String {
    format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS ({rho}) {rest}")
}

fn spent(clinic: &Clinic) -> u128 {
    clinic.curator.ledger().balance("patients").unwrap().unwrap().spent.loss_units
}

type Cell = (Option<Value>, Option<(String, String)>);

/// Every cell of an answer by the keys of its row and the name of its column, with its bar.
fn cells(reply: &Reply, keys: &[&str]) -> BTreeMap<(Vec<Option<Value>>, String), Cell> {
    let columns = &reply.answer.columns;
    let place = |name: &str| columns.iter().position(|column| column.name == name).unwrap();
    let mut cells = BTreeMap::new();
    for row in &reply.answer.rows {
        let key: Vec<_> = keys.iter().map(|key| row.values[place(key)].clone()).collect();
        for (index, column) in columns.iter().enumerate() {
            let bar = row.intervals[index].map(|(low, high)| (low.to_string(), high.to_string()));
            cells.insert((key.clone(), column.name.clone()), (row.values[index].clone(), bar));
        }
    }
    cells
}

/// Asks two questions, and says that the second one was free and shows the numbers and bars of the first.
fn free_after(first: &str, second: &str, keys: &[&str]) -> (Reply, Reply) {
    let clinic = Clinic::new(&visits(600));
    let bought = clinic.ask(first).unwrap();
    let after = spent(&clinic);
    let again = clinic.ask(second).unwrap();
    assert_eq!((bought.paid, again.paid), (Paid::InFull, Paid::Nothing), "{second}");
    assert_eq!(spent(&clinic), after, "{second}");
    let (known, shown) = (cells(&bought, keys), cells(&again, keys));
    for (place, cell) in &shown {
        assert_eq!(Some(cell), known.get(place), "{place:?}: {second}");
    }
    assert!(!shown.is_empty());
    (bought, again)
}

#[test]
fn swapped_aggregates_keys_and_conditions_are_the_same_question() {
    let first = "region, flag, count(*) AS n, sum(cost) AS s FROM visits WHERE age > 20 AND flag GROUP BY region, flag";
    for second in [
        "region, flag, sum(cost) AS s, count(*) AS n FROM visits WHERE age > 20 AND flag GROUP BY region, flag",
        "flag, region, count(*) AS n, sum(cost) AS s FROM visits WHERE flag AND 20 < age GROUP BY flag, region",
        "flag, sum(cost) AS s, region, count(*) AS n FROM visits WHERE flag AND age > 20 AND flag GROUP BY 1, 3",
    ] {
        let (bought, again) =
            free_after(&at("rho = 0.5", first), &at("rho = 0.5", second), &["region", "flag"]);
        assert_eq!(bought.answer.rows.len(), again.answer.rows.len());
        assert_eq!(bought.answer.notes.len(), again.answer.notes.len(), "{:?}", again.answer.notes);
    }
    // The rows are in the order of the question, not of the record.
    let (_, again) = free_after(
        &at("rho = 1", "region, flag, count(*) AS n FROM visits GROUP BY region, flag"),
        &at("rho = 1", "flag, region, count(*) AS n FROM visits GROUP BY flag, region"),
        &["region", "flag"],
    );
    let flags: Vec<_> = again.answer.rows.iter().map(|row| row.values[0].clone()).collect();
    assert!(flags[..4].iter().all(|flag| *flag == flags[0]) && flags[4] != flags[0], "{flags:?}");
}

#[test]
fn a_smaller_price_after_a_larger_one_gets_the_better_number() {
    let count = "region, count(*) AS n FROM visits GROUP BY region";
    for second in ["rho = 0.5", "rho = 0.1", "epsilon = 0.01", "error = 100"] {
        let (_, again) = free_after(&at("rho = 0.5", count), &at(second, count), &["region"]);
        let says_so = again.answer.notes.iter().any(|note| note.contains("released to you before"));
        assert_eq!(says_so, second != "rho = 0.5", "{:?}", again.answer.notes);
    }
    // A larger price, a smaller error and another law of noise are other numbers.
    let clinic = Clinic::new(&visits(600));
    for price in
        ["rho = 0.5", "rho = 0.6", "error = 1", "rho = 0.1, noise = laplace", "rho = 0.5, max_groups = 1"]
    {
        assert_eq!(clinic.ask(&at(price, count)).unwrap().paid, Paid::InFull, "{price}");
    }
}

#[test]
fn parts_of_what_was_bought_are_free() {
    let first = "region, count(*) AS n, sum(cost) AS s, avg(age) AS a, count(DISTINCT patient) AS p FROM visits GROUP BY region";
    for second in [
        "region, sum(cost) AS s FROM visits GROUP BY region",
        "region, count(DISTINCT patient) AS p FROM visits GROUP BY region",
        "region, avg(age) AS a, count(*) AS n FROM visits GROUP BY region",
    ] {
        free_after(&at("rho = 0.5", first), &at("rho = 0.5", second), &["region"]);
    }
    // Who asks for an error gets that error: the part that was bought does not have it.
    let clinic = Clinic::new(&visits(600));
    clinic.ask(&at("rho = 0.5", first)).unwrap();
    let exact = clinic.ask(&at("error = 15", "region, count(*) AS n FROM visits GROUP BY region")).unwrap();
    assert_eq!(exact.paid, Paid::InFull);
    assert!(exact.answer.columns[1].release.as_ref().unwrap().error_95.unwrap() <= 15.0);
}

#[test]
fn what_was_bought_in_two_releases_is_free_in_one() {
    let clinic = Clinic::new(&visits(600));
    let group = "FROM visits GROUP BY region";
    let count = clinic.ask(&at("rho = 0.4", &format!("region, count(*) AS n {group}"))).unwrap();
    let sum = clinic.ask(&at("rho = 0.3", &format!("region, sum(cost) AS s {group}"))).unwrap();
    let after = spent(&clinic);
    let both =
        clinic.ask(&at("rho = 0.6", &format!("region, sum(cost) AS s, count(*) AS n {group}"))).unwrap();
    assert_eq!((both.paid, spent(&clinic)), (Paid::Nothing, after));
    let known: BTreeMap<_, _> =
        cells(&count, &["region"]).into_iter().chain(cells(&sum, &["region"])).collect();
    assert_eq!(cells(&both, &["region"]), known);
    // One of the two would be less exact than what is offered for it.
    let more =
        clinic.ask(&at("rho = 0.7", &format!("region, sum(cost) AS s, count(*) AS n {group}"))).unwrap();
    assert_eq!(more.paid, Paid::InFull);
}

#[test]
fn earned_keys_come_back_with_their_numbers() {
    let first = "ward, flag, count(*) AS n, sum(cost) AS s FROM visits GROUP BY ward, flag";
    let second = "flag, ward, count(*) AS n FROM visits GROUP BY flag, ward ORDER BY ward, flag";
    let (bought, again) = free_after(&at("rho = 2", first), &at("rho = 1", second), &["ward", "flag"]);
    assert_eq!(bought.answer.rows.len(), again.answer.rows.len());
    let (_, keys) = free_after(
        &at("rho = 2", "ward, count(*) AS n FROM visits GROUP BY ward"),
        &at("rho = 1", "DISTINCT ward FROM visits"),
        &["ward"],
    );
    assert_eq!(keys.answer.columns.len(), 1);
}

/// Specification: what others have bought changes nothing for an analyst, unless they ask for exactly that and pay.
#[test]
fn what_others_have_bought_is_not_free() {
    let clinic = Clinic::new(&visits(600));
    let first = at("rho = 0.5", "region, count(*) AS n, sum(cost) AS s FROM visits GROUP BY region");
    clinic.ask_as("ana", &first).unwrap();
    let after = spent(&clinic);
    let part =
        clinic.ask_as("ben", &at("rho = 0.1", "region, count(*) AS n FROM visits GROUP BY region")).unwrap();
    assert_eq!(part.paid, Paid::InFull);
    assert!(spent(&clinic) > after, "another question");
    let after = spent(&clinic);
    // The same question in another order is the same question: the scope pays once.
    let same = at("rho = 0.5", "region, sum(cost) AS s, count(*) AS n FROM visits GROUP BY region");
    let same = clinic.ask_as("ben", &same).unwrap();
    assert!(same.left.spent.loss_units > 0 && same.paid != Paid::Nothing);
    assert_eq!(spent(&clinic), after);
    // Now it is theirs, and so are its parts.
    let part = at("rho = 0.25", "region, sum(cost) AS s FROM visits GROUP BY region");
    assert_eq!(clinic.ask_as("ben", &part).unwrap().paid, Paid::Nothing);
}

#[test]
fn a_request_that_was_answered_from_before_can_be_repeated() {
    let clinic = Clinic::new(&visits(600));
    clinic.ask(&at("rho = 0.5", "count(*) AS n, sum(cost) AS s FROM visits")).unwrap();
    let sql = at("rho = 0.1", "count(*) AS n FROM visits");
    let [first, again] = [0, 1].map(|_| clinic.curator.ask(&ask(OWNER, &sql, Some("r1"))).unwrap());
    assert_eq!((first.paid, again.paid), (Paid::Nothing, Paid::Nothing));
    assert_eq!(first.answer, again.answer);
    let other = at("rho = 0.1", "sum(cost) AS s FROM visits");
    assert!(clinic.curator.ask(&ask(OWNER, &other, Some("r1"))).is_err(), "one id, one request");
}

/// Specification: a question that was bought has its own answer when it is asked again, although parts of it stand in
/// earlier releases and all of it in later ones.
#[test]
fn asked_again_a_question_has_the_same_answer_whatever_else_was_bought() {
    let clinic = Clinic::new(&visits(600));
    clinic.ask(&at("rho = 1", "count(*), sum(cost) FROM visits")).unwrap();
    let deviation = at("rho = 1", "var_pop(age) AS v FROM visits");
    let bought = clinic.ask(&deviation).unwrap();
    assert_eq!(bought.paid, Paid::InFull);
    let again = |sql: &str| {
        let reply = clinic.ask(sql).unwrap();
        assert_eq!(reply.paid, Paid::Nothing, "{sql}");
        reply.answer.rows
    };
    assert_eq!(again(&deviation), bought.answer.rows);
    // In other words, too.
    assert_eq!(again(&at("rho = 0.5", "var_pop(age) AS v FROM visits")), bought.answer.rows);
    clinic.ask(&at("rho = 1", "var_pop(age), avg(cost) FROM visits")).unwrap();
    assert_eq!(again(&deviation), bought.answer.rows);
}

/// Specification: which of two recorded numbers an analyst gets follows from the order in which they themselves paid.
#[test]
fn who_asked_before_shows_in_no_number() {
    let both = ["count(*), sum(age)", "count(*), sum(cost)"]
        .map(|what| at("rho = 1", &format!("{what} FROM visits")));
    for others_first in [false, true] {
        let clinic = Clinic::new(&visits(600));
        if others_first {
            clinic.ask_as("ben", &both[1]).unwrap();
        }
        let first = clinic.ask_as("ana", &both[0]).unwrap();
        clinic.ask_as("ana", &both[1]).unwrap();
        let count = clinic.ask_as("ana", &at("rho = 0.1", "count(*) FROM visits")).unwrap();
        assert_eq!(count.paid, Paid::Nothing);
        assert_eq!(count.answer.rows[0].values[0], first.answer.rows[0].values[0], "{others_first}");
        // What is free says what it cost then.
        assert_eq!(count.price, first.price);
    }
}

/// Specification: a request that is made again under its name is the same request, whatever was bought in between.
#[test]
fn a_request_can_be_repeated_after_other_purchases() {
    let clinic = Clinic::new(&visits(600));
    let later = at("rho = 1", "count(*), sum(cost) FROM visits");
    // Somebody else has asked before what is bought in between.
    clinic.ask_as("ben", &later).unwrap();
    clinic.ask_as("ana", &at("rho = 1", "count(*), sum(age) FROM visits")).unwrap();
    let request = || ask("ana", &at("rho = 0.1", "count(*) FROM visits"), Some("r1"));
    let first = clinic.curator.ask(&request()).unwrap();
    clinic.ask_as("ana", &later).unwrap();
    assert_eq!(clinic.curator.ask(&request()).unwrap().answer.rows, first.answer.rows);
}

/// Specification: a question about some groups of what the asker holds shows those numbers with their bars, for nothing;
/// where a person could lose a group, or where more was offered than the larger answer cost, it is bought.
#[test]
fn some_groups_of_an_answer_are_free() {
    let people = "region, count(*) AS n, avg(age) AS a FROM people GROUP BY region";
    let north = |clinic: &Clinic, sql: &str| {
        let reply = clinic.ask(sql).unwrap();
        let row = reply.answer.rows[0].clone();
        (reply.paid, row.values.last().cloned(), row.intervals.last().copied())
    };
    let clinic = Clinic::new(&visits(600));
    let all = clinic.ask(&at("rho = 0.5", people)).unwrap();
    let known =
        all.answer.rows.iter().find(|row| row.values[0] == Some(Value::Text("north".to_owned()))).unwrap();
    let (value, bar) = (known.values.last().cloned(), known.intervals.last().copied());
    let part = "avg(age) AS a FROM people WHERE region = 'north'";
    assert_eq!(north(&clinic, &at("rho = 0.2", part)), (Paid::Nothing, value.clone(), bar));
    let some = "region, avg(age) AS a FROM people WHERE region IN ('north', 'east') GROUP BY region";
    let reply = clinic.ask(&at("rho = 0.2", some)).unwrap();
    assert_eq!((reply.paid, reply.answer.rows.len()), (Paid::Nothing, 2));
    // A higher price buys a better number, and from then on that is the answer.
    let (paid, better, _) = north(&clinic, &at("rho = 5", part));
    assert_eq!(paid, Paid::InFull);
    assert_eq!(north(&clinic, &at("rho = 0.2", part)).1, better);
    // Three groups a person of four: somebody may have lost theirs.
    let visits = "region, count(*) AS n FROM visits GROUP BY region";
    assert_eq!(clinic.ask(&at("rho = 0.5", visits)).unwrap().paid, Paid::InFull);
    let part = at("rho = 0.01", "count(*) AS n FROM visits WHERE region = 'north'");
    assert_eq!(north(&clinic, &part).0, Paid::InFull);
    // All groups a person: the same numbers, but their noise is for that many groups, and worse than a count alone would buy.
    let flags = "flag, count(*) AS n FROM visits GROUP BY flag";
    assert_eq!(clinic.ask(&at("rho = 0.5", flags)).unwrap().paid, Paid::InFull);
    let part = "count(*) AS n FROM visits WHERE flag = true";
    assert_eq!(north(&clinic, &at("rho = 0.1", part)).0, Paid::Nothing);
    assert_eq!(north(&clinic, &at("rho = 0.4", part)).0, Paid::InFull);
}
