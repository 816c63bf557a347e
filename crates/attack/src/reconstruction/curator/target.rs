//! A curator to attack: a catalog, a table of people with a secret, and a ledger, in a sandbox.

use std::fmt::Write as _;

use pointillist_catalog::{Catalog, OWNER};
use pointillist_curator::sandbox::Sandbox;
use pointillist_curator::{Ask, AskError, Reply};
use pointillist_errors::Explained;
use pointillist_ledger::ChargeError;
use pointillist_privacy::{Amount, Currency, Delta, Epsilon};
use pointillist_query::Options;
use pointillist_render::decimals::exact;

use crate::AttackError;
use crate::deviation::deviation;

/// The population whose budget is spent.
const SCOPE: &str = "people";
/// The analyst who attacks.
pub(super) const ATTACKER: &str = "eve";
/// An analyst with a share of their own, who helps.
pub(super) const ACCOMPLICE: &str = "mallory";
/// Fewer people have too few subsets to ask about.
const PEOPLE_LEAST: usize = 32;
/// The keys of a group for everybody follow from declared bounds up to so many.
const PEOPLE_MOST: usize = 4096;

/// What all answers together may cost: ε alone, or ε at a δ.
#[derive(Clone, Debug)]
pub struct Total {
    pub(super) epsilon: Epsilon,
    pub(super) delta: Option<Delta>,
}

impl Total {
    /// From what somebody wrote; with a δ the ledger counts ρ in place of ε.
    pub fn parse(epsilon: &str, delta: Option<&str>) -> Result<Self, AttackError> {
        let epsilon = Epsilon::parse(epsilon)?;
        let delta = delta.map(Delta::parse).transpose()?;
        if delta.as_ref().is_some_and(Delta::is_zero) {
            return Err(AttackError::new(
                "a budget in ρ needs a δ above zero",
                "write one such as 1e-9, or leave it out",
            ));
        }
        Ok(Self { epsilon, delta })
    }

    /// As the catalog has it: the scope's lines, and a share of everything.
    fn declared(&self) -> Result<(String, String), AttackError> {
        let decimal = |text: String| match text.contains('/') {
            false => Ok(text),
            true => Err(AttackError::new(
                format!("a budget of {text} is not declared in a catalog"),
                "write it as a decimal, such as 0.5",
            )),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Whether ε or ρ is counted.
    pub currency: Currency,
    /// What may be spent in all.
    pub granted: Amount,
    /// What was spent.
    pub spent: Amount,
}

/// What is known of a question before it is asked.
pub(super) struct Quote {
    /// What one answer costs.
    pub(super) price: Amount,
    /// How many fresh answers at this price the budget still holds.
    pub(super) allowed: usize,
    /// The standard deviation of the noise in its first number, which is public.
    pub(super) deviation: f64,
}

/// Refuses a crowd too small or too large, before any work.
pub(super) fn check_people(people: usize) -> Result<(), AttackError> {
    let fits = (PEOPLE_LEAST..=PEOPLE_MOST).contains(&people);
    fits.then_some(()).ok_or_else(|| {
        AttackError::new(
            format!("a curator is attacked about {PEOPLE_LEAST} to {PEOPLE_MOST} people, not {people}"),
            "give another number of people, or a table with so many rows",
        )
    })
}

/// What became of a question.
pub(super) enum Response {
    /// It was answered.
    Answered(Box<Reply>),
    /// The budget does not hold it. The words are the curator's.
    Closed(String),
}

/// A curator over people with a secret.
pub(super) struct Target {
    sandbox: Sandbox,
}

impl Target {
    /// People who have these bits. Both analysts may spend everything, but only once between them.
    pub(super) fn new(secret: &[bool], total: &Total) -> Result<Self, AttackError> {
        check_people(secret.len())?;
        let mut rows = String::from("person,seat,secret\n");
        for (seat, bit) in secret.iter().enumerate() {
            writeln!(rows, "{},{seat},{bit}", seat + 1).expect("a string grows");
        }
        let catalog = Catalog::parse(&catalog(secret.len(), total)?).map_err(AttackError::of)?;
        let sandbox = Sandbox::of(catalog).file("answers.csv", rows).open().map_err(AttackError::of)?;
        Ok(Self { sandbox })
    }

    /// Asks. Only a budget that is used up is a response; whatever else goes wrong ends the attack.
    pub(super) fn ask(&self, analyst: &str, sql: &str, options: &Options) -> Result<Response, AttackError> {
        let ask = Ask { options: options.clone(), ..Ask::new(sql, analyst) };
        match self.sandbox.ask(&ask) {
            Ok(reply) => Ok(Response::Answered(Box::new(reply))),
            Err(AskError::NotCharged(
                error @ (ChargeError::Exhausted { .. } | ChargeError::ScopeExhausted { .. }),
            )) => Ok(Response::Closed(error.explanation().text())),
            Err(error) => Err(AttackError::of(error)),
        }
    }

    /// What a question costs, how often the budget holds it, and how wide its noise is.
    pub(super) fn quote(&self, sql: &str, options: &Options) -> Result<Quote, AttackError> {
        let curator = self.sandbox.curator();
        let plan = pointillist_query::plan(curator.catalog(), sql, options).map_err(AttackError::of)?;
        let price = plan.price;
        let many = curator.ledger().how_many_more(SCOPE, OWNER, &price).map_err(AttackError::of)?;
        Ok(Quote {
            price: price.amount(),
            allowed: many.map_or(0, |many| usize::try_from(many).unwrap_or(usize::MAX)),
            deviation: plan.releases.first().map_or(0.0, |release| deviation(release.noise())),
        })
    }

    /// What may be spent in all and what was, as the ledger has it.
    pub(super) fn balance(&self) -> Result<Balance, AttackError> {
        let balance = self.sandbox.curator().ledger().balance(SCOPE).map_err(AttackError::of)?;
        let granted = balance.and_then(|balance| {
            Some(Balance { currency: balance.currency, granted: balance.granted?, spent: balance.spent })
        });
        granted
            .ok_or_else(|| AttackError::ours("the ledger of the attacked curator holds no budget".to_owned()))
    }
}

/// The owner's declarations: where people sit is public, what they answered is not.
fn catalog(people: usize, total: &Total) -> Result<String, AttackError> {
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
        let target = Target::new(&[true; 40], &Total::parse("1", None).unwrap()).unwrap();
        let options = Options { epsilon: Some(Epsilon::parse("0.6").unwrap()), ..Options::default() };
        let count = "SELECT COUNT(*) FROM answers WHERE secret";
        for (analyst, sql) in [
            ("nobody", count),
            (ATTACKER, "SELECT secret FROM answers"),
            (ATTACKER, "SELECT COUNT(*) FROM answers WHERE secrets"),
            (ATTACKER, "how many?"),
        ] {
            assert!(target.ask(analyst, sql, &options).is_err(), "{analyst}: {sql}");
        }
        assert_eq!(target.balance().unwrap().spent, Amount::ZERO);
        assert_eq!(target.quote(count, &options).unwrap().allowed, 1);
        assert!(matches!(target.ask(ATTACKER, count, &options), Ok(Response::Answered(_))));
        let another = "SELECT COUNT(*) FROM answers WHERE NOT secret";
        assert!(matches!(target.ask(ATTACKER, another, &options), Ok(Response::Closed(_))));
        assert_eq!(target.balance().unwrap().spent.loss().to_string(), "0.6");
    }

    /// Specification: the noise is as wide as discrete Laplace noise of scale 1/ε is.
    #[test]
    fn the_noise_of_a_count_is_stated() {
        let target = Target::new(&[true; 40], &Total::parse("1", None).unwrap()).unwrap();
        let options = Options { epsilon: Some(Epsilon::parse("0.01").unwrap()), ..Options::default() };
        let quote = target.quote("SELECT COUNT(*) FROM answers WHERE secret", &options).unwrap();
        assert!((quote.deviation - 100.0 * 2f64.sqrt()).abs() < 0.01, "{}", quote.deviation);
    }

    #[test]
    fn budgets_that_no_catalog_holds_and_crowds_that_do_not_fit_are_refused() {
        let total = |epsilon: &str| Total::parse(epsilon, None);
        assert!(total("0").is_err() && total("many").is_err() && Total::parse("1", Some("2")).is_err());
        assert!(Total::parse("1", Some("0")).is_err());
        assert!(Target::new(&[true; 40], &total("1/3").unwrap()).is_err());
        assert!(Target::new(&[true; 5], &total("1").unwrap()).is_err());
        assert!(Target::new(&[true; 5000], &total("1").unwrap()).is_err());
    }
}
