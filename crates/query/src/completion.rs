//! What a word that has been begun may become: declared names, and words of the SQL that is understood here.

use pointillist_catalog::{Catalog, Protection, Unit};

const KEYWORDS: [&str; 46] = [
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
    "MEDIAN(",
    "NOT",
    "NULL",
    "OR",
    "ORDER BY",
    "QUANTILE(",
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
#[derive(Clone, Debug)]
pub struct Completion {
    names: Vec<String>,
}

impl Completion {
    /// The names of a catalog.
    pub fn new(catalog: &Catalog) -> Self {
        let mut names: Vec<String> = catalog
            .tables
            .keys()
            .chain(catalog.released.keys())
            .chain(catalog.graphs.keys())
            .cloned()
            .collect();
        for table in catalog.tables.values().chain(catalog.released.values()) {
            names.extend(table.columns.iter().map(|column| column.name.clone()));
            if let Protection::Private { unit: Unit::Column(unit), .. } = &table.protection {
                names.push(unit.clone());
            }
        }
        names.sort();
        names.dedup();
        Self { names }
    }

    /// Where the word begins that ends at a place of a line, and what it may become.
    pub fn complete(&self, line: &str, end: usize) -> (usize, Vec<String>) {
        let start = word_start(line, end);
        (start, self.candidates(&line[start..end]))
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_names_and_words_of_sql_are_completed() {
        let text = "[scope.people]\nbudget = { epsilon = 1.0, delta = 1e-9 }\n\
                    [table.visits]\nscope = \"people\"\nsource = \"v.csv\"\nprivacy_unit = \"Person\"\nmax_contributions = 1\n\
                    [table.visits.columns]\nward = { type = \"text\" }\nwait = { type = \"integer\" }\n";
        let words = Completion::new(&Catalog::parse(text).expect("a catalog"));
        assert_eq!(words.candidates("wa"), ["wait", "ward"]);
        assert_eq!(words.candidates("VIS"), ["visits"]);
        assert_eq!(words.candidates("per"), ["\"Person\""], "a name that SQL would fold is quoted");
        assert_eq!(words.candidates("GRO"), ["GROUP BY"]);
        assert_eq!(words.candidates("sel"), ["select"]);
        assert!(words.candidates("").is_empty());
        assert_eq!(word_start("SELECT count(wa", 15), 13);
        assert_eq!(word_start("é wa", 5), 3);
        assert_eq!(words.complete("SELECT count(wai", 16), (13, vec!["wait".to_owned()]));
    }
}
