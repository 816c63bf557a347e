//! What the line editor knows: names that can be completed, and the price of what has been typed so far.

use pointillist_catalog::{Catalog, Protection, Unit};
use pointillist_curator::words::price_words;
use pointillist_query::{Options, plan};
use rustyline::Context;
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::Validator;

use pointillist_render::decimals::{glance_upper, grouped};

const KEYWORDS: [&str; 44] = [
    "AND",
    "AS",
    "ASC",
    "AVG(",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST(",
    "COALESCE(",
    "COUNT(",
    "COUNT(*)",
    "DESC",
    "DESCRIBE",
    "DISTINCT",
    "ELSE",
    "END",
    "EXPLAIN",
    "FILTER (WHERE",
    "FROM",
    "GROUP BY",
    "HAVING",
    "IN (",
    "IS NOT NULL",
    "IS NULL",
    "LIKE",
    "LIMIT",
    "NOT",
    "NULL",
    "OR",
    "ORDER BY",
    "RESET",
    "SELECT",
    "SET",
    "SHOW TABLES",
    "STDDEV_SAMP(",
    "SUM(",
    "THEN",
    "VAR_SAMP(",
    "WHEN",
    "WHERE",
    "WITH",
    "date_trunc(",
    "epsilon",
    "max_groups",
];

/// Declared names and words of SQL.
pub struct Words {
    catalog: Catalog,
    options: Options,
    names: Vec<String>,
}

impl Words {
    /// The names of a catalog.
    pub fn new(catalog: Catalog, options: Options) -> Self {
        let mut names: Vec<String> = catalog.tables.keys().chain(catalog.graphs.keys()).cloned().collect();
        for table in catalog.tables.values() {
            names.extend(table.columns.iter().map(|column| column.name.clone()));
            if let Protection::Private { unit: Unit::Column(unit), .. } = &table.protection {
                names.push(unit.clone());
            }
        }
        names.sort();
        names.dedup();
        Self { catalog, options, names }
    }

    /// What a word that has been begun may become.
    fn candidates(&self, begun: &str) -> Vec<String> {
        if begun.is_empty() {
            return Vec::new();
        }
        let folded = begun.to_lowercase();
        let starts = |word: &&str| word.to_lowercase().starts_with(&folded);
        let is_lower = begun == folded;
        let names = self.names.iter().map(String::as_str).filter(starts).map(quoted);
        let keywords = KEYWORDS.iter().copied().filter(starts);
        let keywords = keywords.map(|word| if is_lower { word.to_lowercase() } else { word.to_owned() });
        names.chain(keywords).collect()
    }

    /// The price and the error of a question that is complete as it stands.
    fn price(&self, sql: &str) -> Option<String> {
        let plan = plan(&self.catalog, sql.trim_end().trim_end_matches(';'), &self.options).ok()?;
        let price = match self.catalog.epsilon_at_delta(&plan.scope, &plan.price) {
            Some(at) => format!("ε = {}", glance_upper(at.epsilon.value())),
            None => price_words(&plan.price, None),
        };
        let noise = plan.aggregate_noises().into_iter().next();
        let error = noise.and_then(|noise| noise.error_95);
        let error = error.map_or_else(String::new, |error| format!(", ± {}", grouped(&glance_upper(&error))));
        Some(format!("   {price}{error}"))
    }
}

/// A name as SQL takes it.
fn quoted(name: &str) -> String {
    let plain = name.chars().all(|sign| sign == '_' || sign.is_ascii_digit() || sign.is_lowercase());
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Where the word begins that ends at a place.
fn word_start(line: &str, end: usize) -> usize {
    let before = &line[..end];
    before
        .rfind(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))
}

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let start = word_start(line, pos);
        Ok((start, self.candidates(&line[start..pos])))
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
    fn declared_names_and_words_of_sql_are_completed() {
        let words = words();
        assert_eq!(words.candidates("wa"), ["wait", "ward"]);
        assert_eq!(words.candidates("VIS"), ["visits"]);
        assert_eq!(words.candidates("per"), ["\"Person\""], "a name that SQL would fold is quoted");
        assert_eq!(words.candidates("GRO"), ["GROUP BY"]);
        assert_eq!(words.candidates("sel"), ["select"]);
        assert!(words.candidates("").is_empty());
        assert_eq!(word_start("SELECT count(wa", 15), 13);
        assert_eq!(word_start("é wa", 5), 3);
    }

    #[test]
    fn a_whole_question_shows_its_price_and_half_of_one_does_not() {
        let words = words();
        let price = words.price("SELECT count(*) FROM visits;").expect("a price");
        assert!(price.contains("ε = ") && price.contains("± "), "{price}");
        assert_eq!(words.price("SELECT count(*) FROM vis"), None);
    }
}
