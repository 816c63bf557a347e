//! A first catalog for files that have none yet, from names and types alone.
//!
//! **Guarantee.** A draft is made of headers, so that it can be public as catalogs are: no value, count or bound in
//! it comes from a row. It is TOML, but it is refused as a catalog until the owner has said whose rows they are.

use std::collections::BTreeSet;
use std::path::Path;

use crate::name;
use crate::write::{key, quoted};

/// The column at which comments start, where lines are short enough.
const COMMENT_COLUMN: usize = 44;

/// What a file says about a column's type before any row is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessedType {
    /// True or false.
    Boolean,
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Number,
    /// Text.
    Text,
    /// Days.
    Date,
    /// Moments.
    Timestamp,
    /// Nothing, as in CSV: the owner says.
    Unknown,
}

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftColumn {
    /// The name in the header.
    pub name: String,
    /// The type, as far as the file tells.
    pub guessed: GuessedType,
}

/// A file that is to become a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftTable {
    /// The name in SQL.
    pub name: String,
    /// The path in the catalog.
    pub source: String,
    /// The columns, in the file's order.
    pub columns: Vec<DraftColumn>,
}

impl DraftTable {
    /// A table named after its file.
    pub fn new(source: &str, columns: impl IntoIterator<Item = (String, GuessedType)>) -> Self {
        let file = Path::new(source).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = file.split('.').find(|part| !part.is_empty() && *part != "*").unwrap_or("table");
        let columns = columns.into_iter().map(|(name, guessed)| DraftColumn { name, guessed }).collect();
        Self { name: name::made_valid(stem), source: source.to_owned(), columns }
    }
}

/// A commented catalog for the owner to fill in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    tables: Vec<DraftTable>,
}

impl Draft {
    /// A draft without tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a table; a name that is taken gets a number.
    pub fn add(&mut self, mut table: DraftTable) {
        let taken =
            |name: &str| self.tables.iter().any(|other| name::folded(&other.name) == name::folded(name));
        if taken(&table.name) {
            let free = (2..).map(|number| format!("{}_{number}", table.name)).find(|name| !taken(name));
            table.name = free.expect("one of infinitely many names is free");
        }
        self.tables.push(table);
    }

    /// The text of the catalog.
    pub fn to_toml(&self) -> String {
        let mut text = String::from(
            "# A Pointillist catalog, drafted from headers and types alone: no row was read.\n\
             # Analysts may read all of this file. Choose every number from what is possible, never from the data.\n\
             # Fill in what is marked FILL_IN, then run `pointillist check`.\n\n",
        );
        line(&mut text, "[scope.people]", "the population: name it after whom the rows are about");
        line(
            &mut text,
            "budget = { epsilon = 1.0, delta = 1e-9 }",
            "all that may ever be learnt about one person: decide before the first question",
        );
        line(&mut text, "# model = \"pure\"", "a guarantee without δ, then budget = { epsilon = 1.0 }");
        for table in &self.tables {
            write_table(&mut text, table);
        }
        text.push_str(
            "\n# [analyst.ana]\n\
             # shares = { people = { rho = 0.001, delta = 1e-10 } }   # who may ask, and how much of the budget they may spend\n",
        );
        text
    }
}

/// Whether a column's name suggests that its values name people. Names only: values are never looked at.
pub(crate) fn looks_like_a_person(name: &str) -> bool {
    const PEOPLE: [&str; 14] = [
        "patient",
        "person",
        "user",
        "customer",
        "client",
        "member",
        "visitor",
        "student",
        "employee",
        "household",
        "subject",
        "respondent",
        "citizen",
        "account",
    ];
    const HANDLES: [&str; 14] = [
        "id", "ids", "uid", "pid", "uuid", "guid", "ssn", "email", "mail", "phone", "passport", "iban",
        "username", "login",
    ];
    const NAMED: [&str; 7] = ["first", "last", "full", "family", "given", "sur", "middle"];
    let words = words(name);
    let Some(last) = words.last().map(String::as_str) else {
        return false;
    };
    let first = words[0].as_str();
    HANDLES.contains(&last)
        || (words.len() == 1 && (PEOPLE.contains(&last) || ["name", "surname"].contains(&last)))
        || (last == "name" && (NAMED.contains(&first) || PEOPLE.contains(&first)))
        || (words.len() == 1 && PEOPLE.iter().any(|person| last == format!("{person}id")))
}

/// `patient_id`, `patientId` and `Patient ID` are all `patient`, `id`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for letter in name.chars() {
        let starts = !letter.is_alphanumeric() || (lower_before && letter.is_uppercase());
        if starts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().expect("there is a first word").extend(letter.to_lowercase());
        }
        lower_before = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn write_table(text: &mut String, table: &DraftTable) {
    let likely: Vec<String> = table
        .columns
        .iter()
        .filter(|column| name::complaint(&column.name).is_none() && looks_like_a_person(&column.name))
        .take(5)
        .map(|column| column.name.clone())
        .collect();
    let guess = if likely.is_empty() {
        "the column that says it".to_owned()
    } else {
        format!("{}, by its name", likely.join(" or "))
    };
    let table_key = key(&table.name);
    text.push_str(&format!(
        "\n[table.{table_key}]\nscope = \"people\"\nsource = {}\n",
        quoted(&table.source)
    ));
    line(
        text,
        &format!("privacy_unit = \"{}\"", name::PLACEHOLDER),
        &format!("whose row is it? {guess}; or \"row\" if every row is another person"),
    );
    line(text, "# max_groups = 8", "groups one person may touch in one answer");
    line(text, "# max_contributions = 20", "rows one person may add to one group");
    text.push_str(&format!("\n[table.{table_key}.columns]\n"));
    let mut seen = BTreeSet::new();
    for column in &table.columns {
        write_column(text, column, seen.insert(name::folded(&column.name)));
    }
}

fn write_column(text: &mut String, column: &DraftColumn, first: bool) {
    let (kind, advice) = match column.guessed {
        GuessedType::Boolean => ("boolean", ""),
        GuessedType::Integer => ("integer", "for sums add for example: lower = 0, upper = 120"),
        GuessedType::Number => ("decimal", "for sums add for example: lower = 0, upper = 10000, step = 0.01"),
        GuessedType::Text => ("text", "for keys that need not be earned add: public_keys = [\"a\", \"b\"]"),
        GuessedType::Date => ("date", "add for example: lower = \"2020-01-01\", upper = \"2029-12-31\""),
        GuessedType::Timestamp => {
            ("timestamp", "add for example: lower = \"2020-01-01T00:00:00\", upper = \"2029-12-31T23:59:59\"")
        }
        GuessedType::Unknown => {
            ("text", "the header has no types: text, integer, decimal, boolean, date or timestamp?")
        }
    };
    let declared = format!("{} = {{ type = \"{kind}\" }}", key(&column.name));
    if let Some(complaint) = name::complaint(&column.name) {
        line(text, &format!("# {declared}"), &format!("the name {complaint}: rename it in the file first"));
    } else if !first {
        line(text, &format!("# {declared}"), "a second column of this name: rename it in the file first");
    } else if looks_like_a_person(&column.name) {
        line(text, &format!("# {declared}"), "left out, as its name suggests that it names people");
    } else {
        line(text, &declared, advice);
    }
}

fn line(text: &mut String, content: &str, comment: &str) {
    text.push_str(content);
    if !comment.is_empty() {
        let gap = COMMENT_COLUMN.saturating_sub(content.chars().count()).max(2);
        text.push_str(&format!("{:gap$}# {comment}", ""));
    }
    text.push('\n');
}

#[cfg(test)]
mod tests;
