//! Questions that are built in, on a made-up clinic: the curator audited through its door, without a catalog at hand.

use pointillist_audit::{Canaries, Subject};
use pointillist_catalog::Catalog;
use pointillist_privacy::Epsilon;
use pointillist_query::Options;

use super::query::Prepared;
use crate::failure::Failure;
use crate::home::Home;

const CATALOG: &str = r#"
[scope.patients]
model = "pure"
budget = { epsilon = 1 }

[scope.members]
budget = { rho = 1, delta = 1e-2 }

[table.visits]
scope = "patients"
source = "visits.csv"
privacy_unit = "patient"
max_groups = 2
max_contributions = 2

[table.visits.columns]
region = { type = "text", public_keys = ["north", "south", "west"] }
age = { type = "integer", lower = 0, upper = 120 }
cost = { type = "decimal", lower = 0, upper = 100, step = 0.01 }

[table.orders]
scope = "members"
source = "orders.csv"
privacy_unit = "member"
max_groups = 2
max_contributions = 3

[table.orders.columns]
shop = { type = "text" }
price = { type = "decimal", lower = 0, upper = 50, step = 0.01 }
"#;

/// What is asked, and the δ for keys that must be earned.
const QUESTIONS: [(&str, Option<&str>); 5] = [
    ("SELECT region, count(*) FROM visits GROUP BY region", None),
    ("SELECT sum(cost) FROM visits WHERE age > 40", None),
    ("SELECT region, avg(cost) FROM visits GROUP BY region", None),
    ("SELECT count(*), sum(price) FROM orders", None),
    ("SELECT shop, count(*) FROM orders GROUP BY shop", Some("0.005")),
];

/// Subjects, and crowds of canaries for one run.
#[derive(Default)]
pub struct Questions {
    /// One a question.
    pub subjects: Vec<Box<dyn Subject>>,
    /// One for each that counts groups.
    pub crowds: Vec<Box<dyn Canaries>>,
}

/// Every question at three times this price: a curator answers a hundred times a second, and so few answers show little
/// of a small price.
pub fn questions(epsilon: &Epsilon) -> Result<Questions, Failure> {
    let epsilon = epsilon.times(3).map_err(Failure::request)?;
    let home = Home::new(".".into(), Catalog::parse(CATALOG)?);
    let mut questions = Questions::default();
    for (sql, delta) in QUESTIONS {
        let mut options = Options::default();
        options.set("epsilon", &epsilon.to_string())?;
        if let Some(delta) = delta {
            options.set("delta", delta)?;
        }
        let (subject, crowd) = Prepared::of(&home, sql, options, None, false)?.audited()?;
        questions.subjects.push(Box::new(subject));
        questions.crowds.extend(crowd.map(|crowd| Box::new(crowd) as Box<dyn Canaries>));
    }
    Ok(questions)
}
