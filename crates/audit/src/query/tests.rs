//! Questions are audited as the owner would be charged, what is right is cleared, and an exact number beside it is caught.

use pointillist_noise::SecureBits;
use pointillist_testkit::seeded;

use super::*;
use crate::{Finding, Observation, Part, Profile, Settings, Side, audit, one_run};

const CATALOG: &str = "
[scope.people]
model = \"pure\"
budget = { epsilon = 4.0 }
[table.visits]
scope = \"people\"
source = \"visits.csv\"
privacy_unit = \"row\"
[table.visits.columns]
cost = { type = \"integer\", lower = 0, upper = 100 }
";

fn prepared(sql: &str, epsilon: &str, person: Option<&str>) -> PreparedQuestion {
    let mut options = Options::default();
    options.set("epsilon", epsilon).unwrap();
    let request = QuestionRequest { sql, options, person, rows: Rows::MadeUp };
    PreparedQuestion::new(&Catalog::parse(CATALOG).unwrap(), &request).unwrap()
}

/// At the price that the statement or the catalog says.
fn unpriced(catalog: &Catalog, sql: &str) -> PreparedQuestion {
    let request = QuestionRequest { sql, options: Options::default(), person: None, rows: Rows::MadeUp };
    PreparedQuestion::new(catalog, &request).unwrap()
}

fn found(subject: &mut dyn Subject) -> Finding {
    audit(subject, &Settings::new(200), &mut seeded(1), &mut |_, _| {}).unwrap()
}

/// Specification: the audited question costs what the owner's ledger would be charged, also the δ that
/// nobody named, and so has the same noise and threshold.
#[test]
fn what_is_audited_costs_what_the_owner_would_pay() {
    let text = "[scope.people]\nbudget = { epsilon = 4.0, delta = 1e-6 }\n[table.visits]\nscope = \
                \"people\"\nsource = \"visits.csv\"\nprivacy_unit = \
                \"row\"\n[table.visits.columns]\nward = { type = \"text\" }\n";
    let catalog = Catalog::parse(text).unwrap();
    for sql in [
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
        "SELECT COUNT(*) FROM visits",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (delta = 1e-7) ward, COUNT(*) FROM visits GROUP BY ward",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (error = 5) COUNT(*) FROM visits",
    ] {
        let owners = pointillist_query::plan(&catalog, sql, &Options::default()).unwrap().price;
        assert_eq!(unpriced(&catalog, sql).plan.price, owners, "{sql}");
    }
}

/// Specification: the person who is added is nobody who is there already.
#[test]
fn a_stranger_has_a_name_of_their_own() {
    let base = prepared("SELECT COUNT(*) FROM visits", "1", Some("patient")).base;
    assert_eq!(base.stranger(ADDED), ADDED.to_string());
    let taken = base.with(&[], &[Vec::new()], &base.stranger(ADDED));
    assert_eq!(taken.stranger(ADDED), (ADDED + 1).to_string());
    assert_eq!(taken.stranger(1), "61");
}

/// The question with the exact number of rows beside its answer.
struct Leaky(QuestionSubject, [i64; 2]);

impl Subject for Leaky {
    fn profile(&self) -> &Profile {
        self.0.profile()
    }

    fn release(
        &mut self,
        pair: usize,
        side: Side,
        bits: &mut dyn SecureBits,
    ) -> Result<Observation, AuditError> {
        let exact = self.1[usize::from(side == Side::Right)];
        Ok(self.0.release(pair, side, bits)?.with("rows read", exact))
    }
}

/// False alarm of the first: 1e-9, the audit's own. Power of the second: about a hundred releases of
/// either side are counted, the leak is there in all of them and in none; at a rate of 1e-9 that bounds ε
/// from below by more than ¼.
#[test]
fn a_question_is_cleared_and_the_same_with_an_exact_number_is_caught() {
    let prepared = prepared("SELECT COUNT(*) FROM visits", "0.25", None);
    let (mut subject, _) = prepared.subjects().unwrap();
    assert_eq!(subject.neighbours().len(), 1);
    let cleared = found(&mut subject);
    assert!(!cleared.refuted(), "{:?}", cleared.measured);
    let mut leaky = Leaky(subject, [61, 60]);
    assert!(found(&mut leaky).refuted());
}

#[test]
fn every_answer_is_fresh_and_hostile_people_get_answers_too() {
    let prepared = prepared("SELECT SUM(cost) FROM visits WHERE cost > 10", "1", None);
    let (mut subject, canaries) = prepared.subjects().unwrap();
    assert!(canaries.is_none());
    for pair in 0..subject.neighbours().len() {
        for side in [Side::Left, Side::Right] {
            let seen: Vec<Observation> =
                (0..20).map(|_| subject.release(pair, side, &mut seeded(0)).unwrap()).collect();
            assert!(seen.iter().all(|seen| !seen.parts().contains_key("refusal")), "{}", seen[0]);
            assert!(seen.iter().all(|seen| seen.parts()["paid"] == Part::Word("InFull".to_owned())));
            // Twenty times the same with noise of scale 100: never.
            assert!(seen.iter().any(|other| *other != seen[0]), "{}", seen[0]);
        }
    }
}

/// False alarm: 1e-9, the audit's own. Power: at ε = 5 a guess is right with probability 0.99, at ε = 0.05
/// with 0.51; a hundred guesses tell them apart.
#[test]
fn a_canary_in_each_group_clears_what_is_true_and_refutes_what_is_not() {
    let prepared = prepared("SELECT cost, COUNT(*) FROM visits GROUP BY cost", "5", None);
    let run =
        |canaries: &mut GroupCanaries| one_run(canaries, Settings::new(300).rates, &mut seeded(2)).unwrap();
    let (_, canaries) = prepared.subjects().unwrap();
    let honest = run(&mut canaries.unwrap());
    assert_eq!(honest.canaries, 101);
    assert!(!honest.refuted() && honest.lower > 1.0, "{honest:?}");
    let people = worst_case_people(&prepared.plan, &prepared.table, false);
    let claim = Loss::pure(pointillist_privacy::Epsilon::parse("0.05").unwrap());
    let PreparedQuestion { plan, base, question, .. } = &prepared;
    let mut lying = GroupCanaries::new("a lie", &claim, question, plan, base, &people[0]).unwrap();
    assert!(run(&mut lying).refuted());
}

#[test]
fn a_question_without_a_price_claims_what_it_would_cost() {
    let catalog = Catalog::parse(CATALOG).unwrap();
    let sql = "SELECT COUNT(*) FROM visits";
    let prepared = unpriced(&catalog, sql);
    assert_eq!(prepared.claim().pure_epsilon().unwrap().to_string(), "0.04");
    let priced = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5) COUNT(*) FROM visits";
    let prepared = unpriced(&catalog, priced);
    assert_eq!(prepared.claim().pure_epsilon().unwrap().to_string(), "0.5");
}

#[test]
fn long_questions_are_shortened() {
    assert_eq!(shortened("SELECT\n  1"), "SELECT 1");
    assert_eq!(shortened(&"x".repeat(100)).chars().count(), TITLE_MAX);
}
