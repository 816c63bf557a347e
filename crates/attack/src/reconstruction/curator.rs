//! The reconstruction attack on Pointillist itself, through its own front door: SQL, a ledger, and a budget
//! that ends.
//!
//! What any such attack can reach is statement 4 of [`limits`](crate::limits); this one spends a budget in five ways and is compared with
//! it. Every answer that the curator should not have given is an error, not a finding.
//!
//! | file | its idea |
//! | --- | --- |
//! | `target` | a curator over made-up rows, with a budget and two analysts |
//! | `campaign` | ways to spend the budget: many questions or few, and one that asks about everybody |
//! | `after_exhaustion` | what still happens when the budget is spent |
//! | `page` | the report |

mod after_exhaustion;
mod campaign;
mod page;
mod target;

use std::collections::BTreeSet;

use pointillist_noise::SecureBits;
use pointillist_privacy::{Amount, Currency, Delta, Epsilon};
use pointillist_render::decimals::{glance_upper, grouped_count, percent};
use pointillist_render::page::Page;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::{Answers, Oracle, Queries, Recovery, Secret, SecretOracle, careless_error, decode};
use crate::limits::{Indistinguishability, right_guess_from_upper};
use crate::{AttackError, Comparison};

pub use after_exhaustion::AfterExhaustion;
pub use campaign::Campaign;
use campaign::{METHOD, Worth};
use target::check_people;
pub use target::{Balance, Total};

/// A group for everybody, with a number that tells the bit.
const AT_ONCE: &str = "SELECT seat, COUNT(*) FILTER (WHERE secret) FROM answers GROUP BY seat";
const PLUS_OR_MINUS: &str =
    "SELECT seat, SUM(CASE WHEN secret THEN 1 ELSE -1 END) FROM answers GROUP BY seat";
/// Into how many questions the budget goes when it buys few dear ones.
const FEW: u128 = 4;
/// How many times as many answers it buys when they are cheaper.
const CHEAPER: u128 = 4;
/// Points of a curve; each is an attack of its own.
const CURVE_POINTS: usize = 40;

/// A secret and what may be spent on it.
#[derive(Clone, Debug)]
pub struct CuratorAttack {
    /// Everybody's bit. Where it is not made up, who attacks is taken to know how common each bit is.
    pub secret: Secret,
    /// What all answers together may cost.
    pub budget: Total,
    /// The ε of each question.
    pub epsilon: Epsilon,
    /// Questions a person that careless publishers answer.
    pub questions_each: usize,
    /// The largest error of a careless publisher: a quarter of the root of the people, unless it is said.
    pub error: Option<f64>,
    /// Whether curves are computed, which a page shows: forty attacks each.
    pub with_curves: bool,
}

/// How far an attack is: answers so far, of as many as the budget holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Answers so far.
    pub answered: usize,
    /// As many as the budget holds.
    pub allowed: usize,
}

/// What publishers without a budget gave away, what the curator did, and what happened at its closed door.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Where the secret comes from, and what a one means.
    pub secret: Secret,
    /// What was asked for.
    pub settings: Asked,
    /// The share that giving everybody the more common bit gets.
    pub recovered_blindly: f64,
    /// Publishers without a budget: exact, and slightly wrong.
    pub careless: [Careless; 2],
    /// Ways to spend the budget, random subsets first.
    pub campaigns: Vec<Campaign>,
    /// The share of the secret after so many answers to random subsets.
    pub curve: Vec<(usize, f64)>,
    /// What still happened when the budget was spent.
    pub closed: AfterExhaustion,
    /// The probability with which counting people with the bit tells it, at most.
    pub bound_counting: f64,
    /// The probability with which anything tells it, at most.
    pub bound_any: f64,
}

/// What was asked for, for scripts.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    /// The ε of each question.
    #[serde(serialize_with = "crate::serialized::epsilon")]
    pub epsilon: Epsilon,
    /// The ε of all answers together.
    #[serde(serialize_with = "crate::serialized::epsilon")]
    pub budget: Epsilon,
    /// The δ of a budget that is counted in ρ.
    #[serde(serialize_with = "crate::serialized::delta_if_any")]
    pub delta: Option<Delta>,
    /// Questions a person that careless publishers answer.
    pub questions: usize,
    /// The largest error of a careless publisher.
    pub error: f64,
}

/// A publisher who answers everything.
#[derive(Clone, Debug)]
pub struct Careless {
    /// How wrong their answers are, in words.
    pub name: String,
    /// How many questions they answered.
    pub answered: usize,
    /// How much of the secret the attacker has.
    pub recovery: Recovery,
    /// The share of the secret after so many answers.
    pub curve: Vec<(usize, f64)>,
}

/// Attacks; `progress` hears of every answer.
pub fn run(
    attack: CuratorAttack,
    bits: &mut dyn SecureBits,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, AttackError> {
    let CuratorAttack { secret, budget, epsilon, questions_each, error, with_curves } = attack;
    check_people(secret.people())?;
    if questions_each == 0 {
        return Err(AttackError::new(
            "0 questions a person cannot be asked",
            "ask one or more; four a person are plenty",
        ));
    }
    let points = if with_curves { CURVE_POINTS } else { 0 };
    let error = error.unwrap_or_else(|| careless_error(secret.people()));
    let asked = Queries::random(secret.people(), secret.people().saturating_mul(questions_each), bits)?;
    let mut careless = |answers: Answers| Careless::new(&secret, &asked, &answers, points, bits);
    let careless = [careless(Answers::Exact)?, careless(Answers::ErrorUpTo(error))?];
    let mut subsets = |name: &'static str, worth: &Worth| {
        campaign::subsets(name, secret.bits(), &budget, worth, &asked, bits, progress)
    };
    let worth = Worth::Epsilon(epsilon.clone());
    let main = subsets("random subsets", &worth)?;
    let first = main.queries.subsets().next().zip(main.answers.first());
    let (first, recorded) = first.ok_or_else(|| {
        AttackError::new(
            "the budget does not hold one question at this price",
            "lower the ε of each question, or raise the budget",
        )
    })?;
    let options = worth.options(&main.campaign.balance)?;
    let closed = after_exhaustion::ask_again(&main.target, &first, *recorded, &options)?;
    let others = [
        subsets("many, cheap", &Worth::Part(CHEAPER * main.answers.len() as u128))?.campaign,
        subsets("few, dear", &Worth::Part(FEW))?.campaign,
        campaign::everybody("everybody at once", secret.bits(), &budget, AT_ONCE)?,
        campaign::everybody("plus or minus one", secret.bits(), &budget, PLUS_OR_MINUS)?,
    ];
    let curve = curve(&main.queries, &main.answers, Some(main.deviation), secret.bits(), points)?;
    let recovered_blindly = main.campaign.recovery.fraction_blindly();
    let prior = if secret.is_made_up() { 0.5 } else { recovered_blindly };
    let Balance { currency, granted, .. } = main.campaign.balance;
    let alike = Indistinguishability::of_amount(currency, granted);
    Ok(Outcome {
        secret,
        settings: Asked {
            epsilon,
            budget: budget.epsilon,
            delta: budget.delta,
            questions: questions_each,
            error,
        },
        recovered_blindly,
        careless,
        campaigns: std::iter::once(main.campaign).chain(others).collect(),
        curve,
        closed,
        bound_counting: right_guess_from_upper(&alike, prior),
        bound_any: right_guess_from_upper(&alike.of_two_steps(), prior),
    })
}

impl Careless {
    /// The same questions, answered without a budget.
    fn new(
        secret: &Secret,
        queries: &Queries,
        answers: &Answers,
        points: usize,
        bits: &mut dyn SecureBits,
    ) -> Result<Self, AttackError> {
        let mut oracle = SecretOracle::new(secret.bits(), answers, queries.count(), bits)?;
        let given: Vec<f64> = queries.subsets().map_while(|subset| oracle.answer(&subset)).collect();
        let deviation = oracle.error_deviation();
        let recovery = learnt(queries, &given, deviation, secret.bits())?;
        let curve = curve(queries, &given, deviation, secret.bits(), points)?;
        Ok(Self { name: answers.to_string(), answered: given.len(), recovery, curve })
    }
}

/// What these answers tell of the secret.
fn learnt(
    queries: &Queries,
    answers: &[f64],
    deviation: Option<f64>,
    secret: &[bool],
) -> Result<Recovery, AttackError> {
    if answers.is_empty() {
        return Recovery::of(&vec![false; secret.len()], secret);
    }
    let (estimates, _) = decode(&queries.first(answers.len()), answers, METHOD, deviation)?;
    let guess: Vec<bool> = estimates.iter().map(|estimate| *estimate > 0.5).collect();
    Recovery::of(&guess, secret)
}

/// The share of the secret after more and more answers, at so many points.
fn curve(
    queries: &Queries,
    answers: &[f64],
    deviation: Option<f64>,
    secret: &[bool],
    points: usize,
) -> Result<Vec<(usize, f64)>, AttackError> {
    let counts: BTreeSet<usize> = (1..=points).map(|point| point * answers.len() / points).collect();
    let point = |count| Ok((count, learnt(queries, &answers[..count], deviation, secret)?.fraction()));
    counts.into_iter().map(point).collect()
}

impl Outcome {
    /// The attack on random subsets, which decodes.
    pub fn main(&self) -> &Campaign {
        &self.campaigns[0]
    }

    /// Who has a secret, and what a blind guess gets.
    pub fn opening(&self) -> String {
        format!(
            "{} people have a secret bit: {}. Giving everybody the more common one is right for {}.",
            grouped_count(self.secret.people() as u64),
            self.secret.meaning(),
            percent(self.recovered_blindly)
        )
    }

    /// What the curator said when its budget was spent.
    pub fn door(&self) -> String {
        let (main, closed) = (self.main(), &self.closed);
        let first_line = |words: &str| words.lines().next().unwrap_or_default().to_owned();
        format!(
            "After {} answers the curator said: “{}.” The first question, asked {} times again, got its recorded \
             answer each time, for nothing. Put in {} other ways, it was recognised {} times and got the same answer; \
             {} times it was a new question, and refused. An accomplice with a share of their own heard: “{}.”",
            grouped_count(main.answered as u64),
            first_line(&main.refusal),
            closed.repeated,
            closed.recognised + closed.refused,
            closed.recognised,
            closed.refused,
            first_line(&closed.accomplice),
        )
    }

    /// What any attack reaches at most, and how far these got.
    pub fn bound(&self) -> String {
        let balance = &self.main().balance;
        let share = |campaign: &Campaign| campaign.recovery.fraction();
        let best = self.campaigns.iter().max_by(|a, b| share(a).total_cmp(&share(b)));
        format!(
            "For {} in all, whatever is asked, a bit is guessed right with probability at most {} by who \
             counts the people that have it, and at most {} by anyone. Here “{}” got furthest, with {}; \
             luck with so many people easily moves that by {:.0} points.",
            amount_upper(balance.currency, balance.granted),
            percent(self.bound_counting),
            percent(self.bound_any),
            best.map_or("", |best| best.strategy),
            percent(best.map_or(0.0, share)),
            // Two standard deviations of the share of heads.
            100.0 / (self.secret.people() as f64).sqrt(),
        )
    }

    /// The publishers without a budget, as a table: answers, answered, bits known.
    pub fn careless_rows(&self) -> Vec<Vec<String>> {
        let row = |careless: &Careless| {
            let answered = grouped_count(careless.answered as u64);
            vec![careless.name.clone(), answered, percent(careless.recovery.fraction())]
        };
        self.careless.iter().map(row).collect()
    }

    /// The ways to spend the budget, as a table: attack, price each, answered, refused, spent, bits known.
    pub fn campaign_rows(&self) -> Vec<Vec<String>> {
        let row = |campaign: &Campaign| {
            let currency = campaign.balance.currency;
            vec![
                campaign.strategy.to_owned(),
                amount_upper(currency, campaign.price),
                grouped_count(campaign.answered as u64),
                grouped_count(campaign.refused as u64),
                amount_upper(currency, campaign.balance.spent),
                percent(campaign.recovery.fraction()),
            ]
        };
        self.campaigns.iter().map(row).collect()
    }
}

/// The columns of [`Outcome::careless_rows`].
pub const CARELESS_COLUMNS: [&str; 3] = ["answers", "answered", "bits known"];
/// The columns of [`Outcome::campaign_rows`].
pub const CAMPAIGN_COLUMNS: [&str; 6] =
    ["attack", "price each", "answered", "refused", "spent", "bits known"];

/// An amount at a glance, rounded up.
fn amount_upper(currency: Currency, amount: Amount) -> String {
    let loss = format!("{} = {}", currency.symbol(), glance_upper(&amount.loss()));
    match amount.delta_units {
        0 => loss,
        _ => format!("{loss}, δ = {}", glance_upper(&amount.delta())),
    }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        let [exact, wrong] = self.careless.each_ref().map(|careless| percent(careless.recovery.fraction()));
        format!(
            "{} Publishers without a budget gave away {exact} of the bits by exact answers, and {wrong} by answers \
             with {}.",
            self.opening(),
            self.careless[1].name
        )
    }

    fn with(&self) -> String {
        format!("{}\n{}", self.door(), self.bound())
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        Ok(page::page(self))
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Outcome", 12)?;
        members.serialize_field("attack", "reconstruct")?;
        members.serialize_field("curator", &true)?;
        members.serialize_field("settings", &self.settings)?;
        members.serialize_field("secret", &self.secret)?;
        members.serialize_field("people", &self.secret.people())?;
        members.serialize_field("recovered_blindly", &self.recovered_blindly)?;
        members.serialize_field("careless", &self.careless)?;
        members.serialize_field("counted_in", &self.main().balance.currency.symbol())?;
        members.serialize_field("campaigns", &self.campaigns)?;
        members.serialize_field("closed", &self.closed)?;
        members.serialize_field("bound_counting", &self.bound_counting)?;
        members.serialize_field("bound_any", &self.bound_any)?;
        members.end()
    }
}

impl Serialize for Careless {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Careless", 3)?;
        members.serialize_field("answers", &self.name)?;
        members.serialize_field("answered", &self.answered)?;
        members.serialize_field("recovered", &self.recovery.fraction())?;
        members.end()
    }
}

/// What must not happen: the attack says so instead of calling it a success of either side.
fn wrong(what: &str) -> AttackError {
    AttackError::ours(format!("the attack did not go as the curator promises: {what}"))
}

#[cfg(test)]
mod tests {
    use pointillist_errors::{Explained, Kind};
    use pointillist_testkit::seeded;

    use super::*;

    fn attack(budget: Total, epsilon: &str) -> CuratorAttack {
        CuratorAttack {
            secret: Secret::made_up(40, &mut seeded(1)).unwrap(),
            budget,
            epsilon: Epsilon::parse(epsilon).unwrap(),
            questions_each: 4,
            error: None,
            with_curves: false,
        }
    }

    fn total(epsilon: &str) -> Total {
        Total::parse(epsilon, None).unwrap()
    }

    /// Specification: scripts get these members, and no others; every campaign is answered as often as its price goes
    /// into the budget.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let mut last = Progress { answered: 0, allowed: 0 };
        let outcome =
            run(attack(total("1"), "0.25"), &mut seeded(2), &mut |progress| last = progress).unwrap();
        let answered: Vec<usize> = outcome.campaigns.iter().map(|campaign| campaign.answered).collect();
        assert_eq!((answered, last), (vec![4, 16, 4, 1, 1], Progress { answered: 4, allowed: 4 }));
        let found = serde_json::to_value(&outcome).unwrap();
        let names = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let expected = [
            "attack",
            "bound_any",
            "bound_counting",
            "campaigns",
            "careless",
            "closed",
            "counted_in",
            "curator",
            "people",
            "recovered_blindly",
            "secret",
            "settings",
        ];
        assert_eq!(names(&found), expected);
        assert_eq!(names(&found["settings"]), ["budget", "delta", "epsilon", "error", "questions"]);
        assert_eq!((&found["settings"]["budget"], &found["counted_in"]), (&"1".into(), &"ε".into()));
        assert!(found["settings"]["delta"].is_null() && found["secret"] == "made up", "{found}");
        let campaign =
            ["answered", "granted", "price", "recovered", "refusal", "refused", "spent", "strategy"];
        assert_eq!(names(&found["campaigns"][0]), campaign);
        assert_eq!(
            (&found["campaigns"][0]["price"], &found["campaigns"][0]["spent"]),
            (&"0.25".into(), &"1".into())
        );
        assert_eq!(names(&found["careless"][1]), ["answered", "answers", "recovered"]);
        let closed = ["accomplice", "recognised_for_free", "repeated_for_free", "reworded_refused"];
        assert_eq!(names(&found["closed"]), closed);
        assert_eq!(outcome.campaign_rows()[0][1..5], ["ε = 0.25", "4", "10", "ε = 1"]);
    }

    #[test]
    fn an_attack_that_cannot_be_is_refused() {
        let run = |attack| run(attack, &mut seeded(1), &mut |_| {}).unwrap_err();
        let few = Secret::made_up(5, &mut seeded(1)).unwrap();
        for refused in [
            run(attack(total("1"), "2")),
            run(attack(total("1"), "0.00001")),
            run(attack(total("1/3"), "0.1")),
            run(CuratorAttack { questions_each: 0, ..attack(total("1"), "0.1") }),
            run(CuratorAttack { error: Some(f64::NAN), ..attack(total("1"), "0.1") }),
            run(CuratorAttack { secret: few, ..attack(total("1"), "0.1") }),
        ] {
            assert_eq!(refused.kind().exit_code(), 2, "{refused}");
            assert!(refused.hint().is_some(), "{refused}");
        }
        assert_eq!(wrong("x").kind(), Kind::Environment);
    }
}
