//! A house to attack: a catalog, a table of people with a secret, a ledger and a curator, in a temporary
//! folder.

use std::fmt::Write as _;

use pointillist_catalog::Catalog;
use pointillist_curator::sandbox::Sandbox;
use pointillist_curator::{Ask, AskError, OWNER, Reply, ledger_price};
use pointillist_errors::Explained;
use pointillist_ledger::{Amount, ChargeError, Currency};
use pointillist_privacy::{Delta, Epsilon};
use pointillist_query::Options;

use crate::failure::Failure;
use pointillist_render::decimals::exact;

/// The population.
pub const SCOPE: &str = "people";
/// Who attacks.
pub const ATTACKER: &str = "eve";
/// Who helps.
pub const ACCOMPLICE: &str = "mallory";
/// Fewer people have too few subsets to ask about.
const PEOPLE_LEAST: usize = 32;
/// The keys of a group for everybody follow from declared bounds up to so many.
const PEOPLE_MOST: usize = 4096;

/// What all answers together may cost: ε alone, or ε at a δ.
#[derive(Clone)]
pub struct Total {
    /// ε.
    pub epsilon: Epsilon,
    /// δ, for a scope that counts ρ.
    pub delta: Option<Delta>,
}

impl Total {
    /// From what was typed.
    pub fn parse(epsilon: &str, delta: Option<&str>) -> Result<Self, Failure> {
        let epsilon = Epsilon::parse(epsilon).map_err(Failure::request)?;
        let delta = delta.map(Delta::parse).transpose().map_err(Failure::request)?;
        if delta.as_ref().is_some_and(Delta::is_zero) {
            return Err(Failure::Request(
                "a budget in ρ needs a δ above zero\nhint: write one such as 1e-9, or leave --delta out"
                    .to_owned(),
            ));
        }
        Ok(Self { epsilon, delta })
    }

    /// As the catalog has it: the scope's lines, and a share of everything.
    fn declared(&self) -> Result<(String, String), Failure> {
        let decimal = |text: String| match text.contains('/') {
            false => Ok(text),
            true => Err(Failure::Request(format!(
                "a budget of {text} is not declared in a catalog\nhint: write it as a decimal, such as 0.5"
            ))),
        };
        let epsilon = decimal(exact(self.epsilon.value()))?;
        let share = format!("{{ epsilon = {epsilon} }}");
        Ok(match &self.delta {
            None => (format!("model = \"pure\"\nbudget = {{ epsilon = {epsilon} }}"), share),
            Some(delta) => {
                let delta = decimal(exact(delta.value()))?;
                (format!("budget = {{ epsilon = {epsilon}, delta = {delta} }}"), share)
            }
        })
    }
}

/// A budget as the ledger has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// What is counted.
    pub currency: Currency,
    /// What may be spent in all.
    pub granted: Amount,
    /// What was spent.
    pub spent: Amount,
}

/// Refuses a crowd too small or too large, before any work.
pub fn check_crowd(people: usize) -> Result<(), Failure> {
    let fits = (PEOPLE_LEAST..=PEOPLE_MOST).contains(&people);
    fits.then_some(()).ok_or_else(|| {
        Failure::Request(format!(
            "a curator is attacked about {PEOPLE_LEAST} to {PEOPLE_MOST} people, not {people}\n\
             hint: give another number with --people, or a file with so many rows"
        ))
    })
}

/// What became of a question.
pub enum Outcome {
    /// It was answered.
    Answered(Box<Reply>),
    /// The budget does not hold it. The words are the curator's.
    Closed(String),
}

/// The house. It is removed with everything in it when it is dropped.
pub struct House {
    sandbox: Sandbox,
}

impl House {
    /// A house whose people have these bits. Both analysts may spend everything, but only once between them.
    pub fn build(secret: &[bool], total: &Total) -> Result<Self, Failure> {
        check_crowd(secret.len())?;
        let mut rows = String::from("person,seat,secret\n");
        for (seat, bit) in secret.iter().enumerate() {
            writeln!(rows, "{},{seat},{bit}", seat + 1).expect("a string grows");
        }
        let catalog = Catalog::parse(&catalog(secret.len(), total)?)?;
        Ok(Self { sandbox: Sandbox::of(catalog).file("answers.csv", rows).open()? })
    }

    /// Asks. Only a budget that is used up is an outcome; whatever else goes wrong ends the attack.
    pub fn ask(&self, analyst: &str, sql: &str, options: &Options) -> Result<Outcome, Failure> {
        let ask = Ask {
            sql: sql.to_owned(),
            options: options.clone(),
            analyst: analyst.to_owned(),
            request_id: None,
        };
        match self.sandbox.ask(&ask) {
            Ok(reply) => Ok(Outcome::Answered(Box::new(reply))),
            Err(AskError::NotCharged(
                error @ (ChargeError::Exhausted { .. } | ChargeError::ScopeExhausted { .. }),
            )) => Ok(Outcome::Closed(error.explanation().text())),
            Err(error) => Err(error.into()),
        }
    }

    /// The price of a question, and how many fresh answers at this price the budget still holds.
    pub fn quote(&self, sql: &str, options: &Options) -> Result<(Amount, usize), Failure> {
        let plan = pointillist_query::plan(self.sandbox.curator().catalog(), sql, options)?;
        let price = ledger_price(&plan.cost);
        let many = self.sandbox.curator().ledger().how_many_more(SCOPE, OWNER, &price)?;
        Ok((price.amount(), many.map_or(0, |many| usize::try_from(many).unwrap_or(usize::MAX))))
    }

    /// What may be spent in all and what was, as the ledger has it.
    pub fn balance(&self) -> Result<Granted, Failure> {
        let balance = self.sandbox.curator().ledger().balance(SCOPE)?;
        let granted = balance.and_then(|balance| {
            Some(Granted { currency: balance.currency, granted: balance.granted?, spent: balance.spent })
        });
        granted.ok_or_else(|| {
            Failure::Environment("the ledger of the attacked house holds no budget".to_owned())
        })
    }
}

/// The owner's declarations: where people sit is public, what they answered is not.
fn catalog(people: usize, total: &Total) -> Result<String, Failure> {
    let (budget, everything) = total.declared()?;
    Ok(format!(
        "[scope.{SCOPE}]
{budget}

[table.answers]
scope = \"{SCOPE}\"
source = \"answers.csv\"
privacy_unit = \"person\"
max_groups = 1
max_contributions = 1

[table.answers.columns]
seat = {{ type = \"integer\", lower = 0, upper = {} }}
secret = {{ type = \"boolean\" }}

[analyst.{ATTACKER}]
shares = {{ {SCOPE} = {everything} }}

[analyst.{ACCOMPLICE}]
shares = {{ {SCOPE} = {everything} }}
",
        people - 1
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: only a budget that is used up closes the door. Mistakes of the attacker, and of ours,
    /// are not counted as a defence.
    #[test]
    fn only_an_exhausted_budget_is_a_closed_door() {
        let house = House::build(&[true; 40], &Total::parse("1", None).unwrap()).unwrap();
        let mut options = Options::default();
        options.set("epsilon", "0.6").unwrap();
        let count = "SELECT COUNT(*) FROM answers WHERE secret";
        for (analyst, sql) in [
            ("nobody", count),
            (ATTACKER, "SELECT secret FROM answers"),
            (ATTACKER, "SELECT COUNT(*) FROM answers WHERE secrets"),
            (ATTACKER, "how many?"),
        ] {
            assert!(house.ask(analyst, sql, &options).is_err(), "{analyst}: {sql}");
        }
        assert_eq!(house.balance().unwrap().spent, Amount::ZERO);
        assert_eq!(house.quote(count, &options).unwrap().1, 1);
        assert!(matches!(house.ask(ATTACKER, count, &options), Ok(Outcome::Answered(_))));
        let another = "SELECT COUNT(*) FROM answers WHERE NOT secret";
        assert!(matches!(house.ask(ATTACKER, another, &options), Ok(Outcome::Closed(_))));
        assert_eq!(house.balance().unwrap().spent.loss().to_string(), "0.6");
    }

    #[test]
    fn budgets_that_no_catalog_holds_and_crowds_that_do_not_fit_are_refused() {
        let total = |epsilon: &str| Total::parse(epsilon, None);
        assert!(total("0").is_err() && total("many").is_err() && Total::parse("1", Some("2")).is_err());
        assert!(House::build(&[true; 40], &total("1/3").unwrap()).is_err());
        assert!(House::build(&[true; 5], &total("1").unwrap()).is_err());
        assert!(House::build(&[true; 5000], &total("1").unwrap()).is_err());
    }
}
