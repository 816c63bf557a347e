//! `SHOW TABLES`, `DESCRIBE visits`: statements of SQL that list what can be asked about. Free, from the catalog alone.

use pointillist_catalog::Catalog;
use pointillist_query::{Refusal, skip_blank};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::tables::{PeriodFacts, TableColumn, TableList};

/// What is to be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Tables and graphs.
    Tables,
    /// The columns of one table.
    Columns(String),
}

/// A list: headings, and rows of as many texts. Serialised in the shape of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// What stands above the columns, for people.
    pub headings: &'static [&'static str],
    /// The texts.
    pub rows: Vec<Vec<String>>,
}

impl Listing {
    /// `SHOW TABLES`, `DESCRIBE t`, `DESC t` or `SHOW COLUMNS FROM t`; `None` for any other statement.
    pub fn of_statement(sql: &str) -> Option<Self> {
        let sql = skip_blank(sql).trim_end().trim_end_matches(';').trim_end();
        let (words, name) = match sql.rsplit_once(char::is_whitespace) {
            Some((words, name)) => {
                (words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(), name)
            }
            None => return None,
        };
        match words.as_str() {
            "show" if name.eq_ignore_ascii_case("tables") => Some(Self::Tables),
            "describe" | "desc" | "describe table" | "show columns from" | "show columns in" => {
                Some(Self::Columns(as_name(name)))
            }
            _ => None,
        }
    }

    /// The list.
    ///
    /// # Errors
    /// When there is no table of this name.
    pub fn list(&self, catalog: &Catalog) -> Result<List, Refusal> {
        match self {
            Self::Tables => Ok(List {
                headings: &["name", "kind", "scope", "privacy unit", "columns"],
                rows: tables(&TableList::of(catalog)),
            }),
            Self::Columns(name) => Ok(List {
                headings: &["column", "type", "from", "to", "keys"],
                rows: columns(&TableList::columns_of(catalog, name)?, &TableList::links_of(catalog, name)?),
            }),
        }
    }
}

impl List {
    /// The headings as names, and the rows: for CSV.
    pub fn lines(&self) -> impl Iterator<Item = Vec<String>> {
        std::iter::once(self.names().collect()).chain(self.rows.iter().cloned())
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.headings.iter().map(|heading| heading.replace(' ', "_"))
    }
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Column {
            name: String,
            r#type: &'static str,
            role: &'static str,
        }
        let column = |name| Column { name, r#type: "text", role: "public" };
        let mut list = serializer.serialize_struct("List", 2)?;
        list.serialize_field("columns", &self.names().map(column).collect::<Vec<_>>())?;
        list.serialize_field("rows", &self.rows)?;
        list.end()
    }
}

/// A name as SQL folds it: quotes keep its case, a schema is left off.
fn as_name(text: &str) -> String {
    let text = text.strip_prefix("public.").unwrap_or(text);
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => text.to_lowercase(),
    }
}

fn tables(list: &TableList) -> Vec<Vec<String>> {
    let table = |table: &crate::tables::TableFacts| {
        let (kind, scope, unit) = match &table.protection {
            None if table.release => ("release", "", ""),
            None => ("public", "", ""),
            Some(facts) => ("private", facts.scope.as_str(), facts.privacy_unit.as_str()),
        };
        let periods = table.protection.as_ref().and_then(|facts| facts.periods.as_ref());
        let scope = match periods {
            Some(PeriodFacts { every, first: Some(first), last: Some(last), .. }) => {
                format!("{scope}, each {} from {first} to {last}", every.word())
            }
            _ => scope.to_owned(),
        };
        let columns = table.columns.len().to_string();
        vec![table.name.clone(), kind.to_owned(), scope, unit.to_owned(), columns]
    };
    let graph = |graph: &crate::tables::GraphFacts| {
        let unit = match graph.privacy {
            "node" => "a node with its ties",
            _ => "one tie",
        };
        vec![graph.name.clone(), "graph".to_owned(), graph.scope.clone(), unit.to_owned(), String::new()]
    };
    list.tables.iter().map(table).chain(list.graphs.iter().map(graph)).collect()
}

fn columns(
    (columns, unit): &(Vec<TableColumn>, Option<String>),
    links: &[(String, String)],
) -> Vec<Vec<String>> {
    let column = |column: &TableColumn| {
        let [lower, upper] = [&column.lower, &column.upper].map(|bound| bound.clone().unwrap_or_default());
        vec![column.name.clone(), column.kind.to_owned(), lower, upper, column.keys_words()]
    };
    // The unit may be counted and joined on, though it is no column for analysts.
    let named_only = |name: &str, kind: &str, words: String| {
        vec![name.to_owned(), kind.to_owned(), String::new(), String::new(), words]
    };
    let counted = unit
        .iter()
        .map(|unit| named_only(unit, "privacy unit", "only COUNT(DISTINCT …) and joins".to_owned()));
    let linked = links.iter().filter(|(name, _)| Some(name) != unit.as_ref());
    let linked =
        linked.map(|(name, equals)| named_only(name, "link", format!("only the join with {equals}")));
    columns.iter().map(column).chain(counted).chain(linked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_list_are_told_from_questions() {
        let columns = |name: &str| Some(Listing::Columns(name.to_owned()));
        for (sql, listing) in [
            ("SHOW TABLES", Some(Listing::Tables)),
            (" show\ttables ;", Some(Listing::Tables)),
            ("-- what is there?\nSHOW TABLES", Some(Listing::Tables)),
            ("DESCRIBE Visits;", columns("visits")),
            ("desc \"Visits\"", columns("Visits")),
            ("describe public.visits", columns("visits")),
            ("SHOW COLUMNS FROM visits", columns("visits")),
            ("SELECT count(*) FROM visits", None),
            ("DESCRIBE", None),
            ("SHOW server_version", None),
            ("", None),
        ] {
            assert_eq!(Listing::of_statement(sql), listing, "{sql}");
        }
    }
}
