//! What the line editor knows: names that can be completed, and the price of what has been typed so far.

use pointillist_catalog::Catalog;
use pointillist_curator::words::price_words;
use pointillist_query::{Completion, Options, Statement, statement};
use pointillist_render::decimals::{glance_upper, grouped};
use rustyline::Context;
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::Validator;

/// What completes words and prices questions.
pub struct Words {
    catalog: Catalog,
    options: Options,
    completion: Completion,
}

impl Words {
    /// The names of a catalog, and the price of questions that name none.
    pub fn new(catalog: Catalog, options: Options) -> Self {
        Self { completion: Completion::new(&catalog), catalog, options }
    }

    /// The price and the error of a question that is complete as it stands.
    fn price(&self, sql: &str) -> Option<String> {
        let sql = sql.trim_end().trim_end_matches(';');
        let Statement::Rows(plan) = statement(&self.catalog, sql, &self.options).ok()? else { return None };
        let price = match self.catalog.epsilon_at_delta(plan.scope(), &plan.price()) {
            Some(at) => format!("ε = {}", glance_upper(at.epsilon.value())),
            None => price_words(&plan.price(), None),
        };
        let noise = plan.only().and_then(|only| only.aggregate_noises().into_iter().next());
        let error = noise.and_then(|noise| noise.error_95);
        let error = error.map_or_else(String::new, |error| format!(", ± {}", grouped(&glance_upper(&error))));
        Some(format!("   {price}{error}"))
    }
}

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.completion.complete(line, pos))
    }
}

/// A price behind what was typed: to be read, not to be taken over.
pub struct Price(String);

impl Hint for Price {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Words {
    type Hint = Price;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<Price> {
        (pos == line.len()).then(|| self.price(line)).flatten().map(Price)
    }
}

impl Highlighter for Words {
    fn highlight_hint<'h>(&self, hint: &'h str) -> std::borrow::Cow<'h, str> {
        format!("\u{1b}[2m{hint}\u{1b}[0m").into()
    }
}

impl Validator for Words {}
impl rustyline::Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        let text = "[scope.people]\nbudget = { epsilon = 1.0, delta = 1e-9 }\n\
                    [table.visits]\nscope = \"people\"\nsource = \"v.csv\"\nprivacy_unit = \"Person\"\nmax_contributions = 1\n\
                    [table.visits.columns]\nward = { type = \"text\" }\nwait = { type = \"integer\" }\n";
        Words::new(Catalog::parse(text).expect("a catalog"), Options::default())
    }

    #[test]
    fn a_whole_question_shows_its_price_and_half_of_one_does_not() {
        let words = words();
        let price = words.price("SELECT count(*) FROM visits;").expect("a price");
        assert!(price.contains("ε = ") && price.contains("± "), "{price}");
        assert_eq!(words.price("SELECT count(*) FROM vis"), None);
    }
}
