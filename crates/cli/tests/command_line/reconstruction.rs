//! The reconstruction attack through the curator: it ends where the budget ends.

use std::fs;

use serde_json::Value;

use super::folder::Folder;

const CURATOR: [&str; 3] = ["attack", "reconstruct", "--curator"];

/// An exact decimal of the ledger in its units of 10⁻²⁴.
fn units(value: &Value) -> u128 {
    let text = value.as_str().expect("a decimal");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{part:0<24}").parse().expect("digits")
}

/// Every campaign was answered as often as its price goes into the budget, and paid for all of it.
fn assert_the_budget_was_spent(found: &Value) {
    let campaigns = found["campaigns"].as_array().expect("campaigns");
    assert_eq!(campaigns.len(), 5, "{found}");
    for campaign in campaigns {
        let [price, granted, spent] = ["price", "granted", "spent"].map(|name| units(&campaign[name]));
        assert_eq!(campaign["answered"].as_u64().map(u128::from), Some(granted / price), "{campaign}");
        assert_eq!(spent, granted / price * price, "{campaign}");
        assert!(campaign["refused"].as_u64() >= Some(1), "{campaign}");
        let words = campaign["refusal"].as_str().expect("words");
        assert!(words.contains("this question costs") && words.contains("left"), "{words}");
    }
    let closed = &found["closed"];
    assert_eq!(closed["repeated_for_free"], 5);
    let (known, new) = (closed["recognised_for_free"].as_u64(), closed["reworded_refused"].as_u64());
    assert!(known >= Some(1) && new >= Some(1), "{closed}");
    // An accomplice hears that the population's budget is spent, and not how far.
    let heard = closed["accomplice"].as_str().expect("words");
    assert!(heard.contains("more than the budget of `people` still holds"), "{closed}");
}

/// Specification: ε = 0.1 goes ten times into ε = 1. With fair coins and a pure budget the number of right
/// guesses is stochastically at most binomial with the bound, whatever the attack; one question about
/// everybody is exactly that.
/// False alarm: 1e-9 (Hoeffding, six statements of at most 1.6e-10 each).
/// Power: without noise at least one of the campaigns would know every bit; with twice the budget "at once"
/// would be right for 88 %, and 84 % are allowed.
#[test]
fn the_attack_stops_at_the_filter_and_knows_no_more_than_the_bound() {
    let people = 1024.0f64;
    let found = Folder::new().json(&[&CURATOR[..], &["--people", "1024", "--epsilon", "0.1"]].concat());
    assert_the_budget_was_spent(&found);
    assert_eq!((&found["counted_in"], &found["people"]), (&"ε".into(), &1024.into()));
    let settings = &found["settings"];
    assert_eq!((&settings["epsilon"], &settings["budget"]), (&"0.1".into(), &"1".into()));
    assert_eq!((&settings["questions"], &settings["error"]), (&4.into(), &8.0.into()));
    let campaigns = found["campaigns"].as_array().expect("campaigns");
    let answered: Vec<u64> =
        campaigns.iter().map(|campaign| campaign["answered"].as_u64().expect("a count")).collect();
    assert_eq!(answered, [10, 40, 4, 1, 1]);
    assert!(campaigns.iter().all(|campaign| campaign["spent"] == "1"), "{found}");
    let radius = (1.6e-10f64.ln() / -2.0 / people).sqrt();
    let e = 1f64.exp();
    let (counting, any) = (e / (1.0 + e), e * e / (1.0 + e * e));
    assert!((found["bound_counting"].as_f64().expect("a bound") - counting).abs() < 1e-9, "{found}");
    assert!((found["bound_any"].as_f64().expect("a bound") - any).abs() < 1e-9, "{found}");
    let recovered: Vec<f64> =
        campaigns.iter().map(|campaign| campaign["recovered"].as_f64().expect("a share")).collect();
    assert!(recovered[..4].iter().all(|share| *share <= counting + radius), "{recovered:?}");
    assert!(recovered[4] <= any + radius, "{recovered:?}");
    assert!(recovered[3] >= counting - radius, "the bound is reached: {recovered:?}");
    for careless in found["careless"].as_array().expect("publishers") {
        assert_eq!(careless["answered"], 4096);
        assert!(careless["recovered"].as_f64() >= Some(0.95), "{careless}");
    }
}

/// Specification: a budget that is no multiple of the price keeps its rest; a budget of ρ is counted in ρ.
#[test]
fn what_is_left_over_stays_left_over() {
    let folder = Folder::new();
    let attack = |more: &[&str]| folder.json(&[&CURATOR[..], &["--people", "64"], more].concat());
    let pure = attack(&["--budget", "0.7", "--epsilon", "0.3"]);
    assert_the_budget_was_spent(&pure);
    assert_eq!(
        (&pure["campaigns"][0]["answered"], &pure["campaigns"][0]["spent"]),
        (&2.into(), &"0.6".into())
    );
    let zcdp = attack(&["--delta", "1e-6", "--epsilon", "0.3"]);
    assert_the_budget_was_spent(&zcdp);
    assert_eq!(zcdp["counted_in"], "ρ");
    assert!(zcdp["bound_any"].as_f64() < Some(0.7), "{zcdp}");
}

#[test]
fn a_column_of_a_file_is_attacked_and_reported() {
    let folder = Folder::new();
    let rows: String =
        (0..80).map(|row| format!("{row},{}\n", if row % 5 == 0 { "ill" } else { "well" })).collect();
    fs::write(folder.join("health.csv"), format!("name,health\n{rows}")).expect("a file");
    let file = ["health.csv", "--column", "health", "--value", "ill", "--epsilon", "0.5"];
    let output = folder.run(&[&CURATOR[..], &file, &["--report", "curator.html"]].concat());
    let words = super::stdout(&output);
    assert!(output.status.success(), "{}", super::stderr(&output));
    assert!(words.contains("80 people") && words.contains("right for 80.0 %"), "{words}");
    assert!(words.contains("`people` has ε = 0 left"), "{words}");
    let page = fs::read_to_string(folder.join("curator.html")).expect("a page");
    assert!(page.contains("<svg") && page.contains("its door closes") && page.contains("everybody at once"));
    let found = folder.json(&[&CURATOR[..], &file].concat());
    assert_eq!(found["secret"]["column"], "health");
    // Four in five are well: at ε = 1 a count changes no guess, and twice as much is worth e²/(1 + e²).
    let e = 1f64.exp();
    assert!((found["bound_counting"].as_f64().expect("a bound") - 0.8).abs() < 1e-9, "{found}");
    assert!((found["bound_any"].as_f64().expect("a bound") - e * e / (1.0 + e * e)).abs() < 1e-9, "{found}");
}

#[test]
fn an_attack_that_cannot_be_gets_a_hint() {
    let folder = Folder::new();
    for more in [
        &["--people", "5"][..],
        &["--people", "5000"],
        &["--epsilon", "2"],
        &["--epsilon", "0.00001"],
        &["--epsilon", "0"],
        &["--budget", "-1"],
        &["--budget", "1/3"],
        &["--delta", "2"],
        &["--delta", "0"],
        &["--questions", "0"],
        &["--error", "NaN"],
    ] {
        folder.refused(&[&CURATOR[..], more].concat(), 2);
    }
    assert_eq!(folder.run(&["attack", "reconstruct", "--budget", "1"]).status.code(), Some(2));
}
