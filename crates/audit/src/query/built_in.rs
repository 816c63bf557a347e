//! Questions that are built in, on a made-up clinic: the curator audited as askers meet it, without a catalog at hand.

use pointillist_catalog::Catalog;
use pointillist_privacy::Epsilon;
use pointillist_query::Options;

use super::{PreparedQuestion, QuestionRequest, Rows};
use crate::{AuditError, Canaries, Subject};

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

/// Questions as subjects, and canaries for one run.
#[derive(Default)]
pub(crate) struct BuiltInQuestions {
    /// One a question.
    pub(crate) subjects: Vec<Box<dyn Subject>>,
    /// One for each whose groups are public and many.
    pub(crate) canaries: Vec<Box<dyn Canaries>>,
}

/// Every question at three times this price: a curator answers a hundred times a second, and so few answers show little
/// of a small price.
pub(crate) fn built_in(epsilon: &Epsilon) -> Result<BuiltInQuestions, AuditError> {
    let epsilon = epsilon.times(3)?;
    let catalog = Catalog::parse(CATALOG)?;
    let mut questions = BuiltInQuestions::default();
    for (sql, delta) in QUESTIONS {
        let mut options = Options::default();
        options.set("epsilon", &epsilon.to_string())?;
        if let Some(delta) = delta {
            options.set("delta", delta)?;
        }
        let request = QuestionRequest { sql, options, person: None, rows: Rows::MadeUp };
        let (subject, canaries) = PreparedQuestion::new(&catalog, &request)?.subjects()?;
        questions.subjects.push(Box::new(subject));
        questions.canaries.extend(canaries.map(|canaries| Box::new(canaries) as Box<dyn Canaries>));
    }
    Ok(questions)
}
