//! A question in words: table, measure, group and filter. It writes the SQL that its asker sees.
//!
//! **Guarantee.** Names are taken from what is declared, never from what a browser sends: a word that nobody declared is left out. Values
//! become quoted texts or plain numbers, so that whatever somebody types stays a value.

use pointillist_curator::{TableColumn, TableFacts, TableList};

use crate::form::Form;

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How many rows.
    Rows,
    /// The average of a column.
    Average(String),
    /// The sum of a column.
    Total(String),
    /// The middle of a column.
    Median(String),
}

/// Which rows count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The column.
    pub column: String,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what, as it was typed.
    pub value: String,
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `=`
    Is,
    /// `<>`
    IsNot,
}

impl Comparison {
    /// Every comparison, in the order of the form.
    pub const ALL: [Self; 4] = [Self::AtLeast, Self::Below, Self::Is, Self::IsNot];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::AtLeast => "is at least",
            Self::Below => "is below",
            Self::Is => "is",
            Self::IsNot => "is not",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::AtLeast => ">=",
            Self::Below => "<",
            Self::Is => "=",
            Self::IsNot => "<>",
        }
    }
}

/// A question in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The table.
    pub table: String,
    /// What is measured.
    pub measure: Measure,
    /// A group for each value of this column; one for all where there is none.
    pub group: Option<String>,
    /// Which rows count; all where there is none.
    pub filter: Option<Filter>,
}

impl Measure {
    /// Its name in a form.
    pub fn key(&self) -> String {
        match self {
            Self::Rows => "rows".to_owned(),
            Self::Average(column) => format!("average:{column}"),
            Self::Total(column) => format!("total:{column}"),
            Self::Median(column) => format!("median:{column}"),
        }
    }

    /// In words.
    pub fn words(&self, table: &str) -> String {
        match self {
            Self::Rows => format!("how many {table}"),
            Self::Average(column) => format!("the average {column}"),
            Self::Total(column) => format!("the total {column}"),
            Self::Median(column) => format!("the median {column}"),
        }
    }

    fn sql(&self) -> String {
        match self {
            Self::Rows => "COUNT(*)".to_owned(),
            Self::Average(column) => format!("AVG({})", name(column)),
            Self::Total(column) => format!("SUM({})", name(column)),
            Self::Median(column) => format!("MEDIAN({})", name(column)),
        }
    }
}

/// What can be measured in a table.
pub fn measures(table: &TableFacts) -> Vec<Measure> {
    let numbers = || table.columns.iter().filter(|column| is_number(column) && column.lower.is_some());
    let average = numbers().map(|column| Measure::Average(column.name.clone()));
    let total = numbers().map(|column| Measure::Total(column.name.clone()));
    let median = numbers().map(|column| Measure::Median(column.name.clone()));
    [Measure::Rows].into_iter().chain(average).chain(total).chain(median).collect()
}

/// What rows of a table can be grouped by: what is a word, a day or yes and no.
pub fn groups(table: &TableFacts) -> impl Iterator<Item = &TableColumn> {
    table.columns.iter().filter(|column| matches!(column.kind, "text" | "boolean" | "date"))
}

impl Sentence {
    /// The first that comes to mind about a table: how many, by the first column whose keys are declared.
    pub fn first(table: &TableFacts) -> Self {
        let declared = groups(table).find(|column| column.public_keys.is_some());
        let group = declared.or_else(|| groups(table).next()).map(|column| column.name.clone());
        Self { table: table.name.clone(), measure: Measure::Rows, group, filter: None }
    }

    /// What a form says, as far as the catalog has it; nothing where it has no such table.
    pub fn of_form(form: &Form, list: &TableList) -> Option<Self> {
        let table = askable(list).find(|table| table.name == form.text("table"))?;
        let measure = measures(table).into_iter().find(|measure| measure.key() == form.text("measure"));
        let group = groups(table).find(|column| column.name == form.text("group"));
        let column = table.columns.iter().find(|column| column.name == form.text("column"));
        let comparison = Comparison::ALL.into_iter().find(|one| one.sign() == form.text("comparison"));
        let value = form.text("value");
        let filter = column.zip(comparison).filter(|_| !value.is_empty()).map(|(column, comparison)| {
            Filter { column: column.name.clone(), comparison, value: value.to_owned() }
        });
        Some(Self {
            table: table.name.clone(),
            measure: measure.unwrap_or(Measure::Rows),
            group: group.map(|column| column.name.clone()),
            filter,
        })
    }

    /// The statement.
    pub fn sql(&self, list: &TableList) -> String {
        let column = |wanted: &str| {
            let table = list.tables.iter().find(|table| table.name == self.table)?;
            table.columns.iter().find(|column| column.name == wanted)
        };
        let group = self.group.as_deref().map(|group| match column(group).map(|column| column.kind) {
            Some("date") => (format!("date_trunc('month', {}) AS month", name(group)), "month".to_owned()),
            _ => (name(group), name(group)),
        });
        let measure = self.measure.sql();
        let label = match &self.measure {
            Measure::Rows => name(&self.table),
            Measure::Average(column) => name(&format!("average_{column}")),
            Measure::Total(column) => name(&format!("total_{column}")),
            Measure::Median(column) => name(&format!("median_{column}")),
        };
        let mut sql = match &group {
            Some((group, _)) => format!("SELECT {group}, {measure} AS {label}"),
            None => format!("SELECT {measure} AS {label}"),
        };
        sql.push_str(&format!("\nFROM {}", name(&self.table)));
        if let Some(filter) = &self.filter {
            let kind = column(&filter.column).map_or("text", |column| column.kind);
            let (column, sign) = (name(&filter.column), filter.comparison.sign());
            sql.push_str(&format!("\nWHERE {column} {sign} {}", literal(kind, &filter.value)));
        }
        if let Some((_, group)) = group {
            sql.push_str(&format!("\nGROUP BY {group}"));
            // Days come in their order.
            if group == "month" {
                sql.push_str("\nORDER BY month");
            }
        }
        sql
    }
}

/// The tables that a sentence can be about: those with people in them.
pub fn askable(list: &TableList) -> impl Iterator<Item = &TableFacts> {
    list.tables.iter().filter(|table| !table.public)
}

/// Up to three questions to begin with, each with its words.
pub fn examples(list: &TableList) -> Vec<(String, Sentence)> {
    let mut examples = Vec::new();
    for table in askable(list) {
        let first = Sentence::first(table);
        let numbers = measures(table);
        let average = numbers.iter().find(|measure| matches!(measure, Measure::Average(_)));
        let months = table.columns.iter().find(|column| column.kind == "date");
        examples.push(first.clone());
        examples.extend(average.map(|average| Sentence { measure: average.clone(), ..first.clone() }));
        examples.extend(months.map(|day| Sentence { group: Some(day.name.clone()), ..first.clone() }));
    }
    // Tables with days tell most.
    examples.sort_by_key(|example| {
        let table = list.tables.iter().find(|table| table.name == example.table);
        !table.is_some_and(|table| table.columns.iter().any(|column| column.kind == "date"))
    });
    examples.truncate(3);
    examples.into_iter().map(|sentence| (sentence.words(list), sentence)).collect()
}

impl Sentence {
    /// In words, for a link.
    pub fn words(&self, list: &TableList) -> String {
        let table = list.tables.iter().find(|table| table.name == self.table);
        let is_day = |group: &str| {
            table.is_some_and(|table| {
                table.columns.iter().any(|column| column.name == group && column.kind == "date")
            })
        };
        let measure = self.measure.words(&self.table);
        let measure = measure
            .chars()
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(measure.chars().skip(1)).collect());
        match &self.group {
            Some(group) if is_day(group) => format!("{measure}, by month"),
            Some(group) => format!("{measure}, by {group}"),
            None => measure,
        }
    }
}

fn is_number(column: &TableColumn) -> bool {
    matches!(column.kind, "integer" | "decimal")
}

/// A name in SQL: bare where it is plain, quoted where it is not.
fn name(name: &str) -> String {
    let plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    let starts = name.chars().next().is_some_and(|first| first.is_ascii_lowercase() || first == '_');
    if starts && name.chars().all(plain) && !RESERVED.contains(&name) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// Plain names that SQL would take for something else.
const RESERVED: [&str; 16] = [
    "all", "and", "as", "case", "desc", "end", "from", "group", "having", "limit", "not", "order", "select",
    "table", "user", "where",
];

/// A value as its column wants it. Whatever is no plain number is a text, and the planner says what is wrong with that.
fn literal(kind: &str, value: &str) -> String {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain_number = || {
        let bare = value.strip_prefix('-').unwrap_or(value);
        let (whole, part) = bare.split_once('.').unwrap_or((bare, "0"));
        is_digits(whole) && is_digits(part)
    };
    match kind {
        "integer" | "decimal" if is_plain_number() => value.to_owned(),
        "boolean" if value == "true" || value == "false" => value.to_owned(),
        "date" => format!("DATE '{}'", value.replace('\'', "''")),
        _ => format!("'{}'", value.replace('\'', "''")),
    }
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Catalog;

    use super::*;

    const CATALOG: &str = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n[table.visits]\nscope = \"people\"\nsource = \"v.csv\"\n\
        privacy_unit = \"id\"\nmax_groups = 1\nmax_contributions = 1\n[table.visits.columns]\n\
        region = { type = \"text\", public_keys = [\"north\"] }\nage = { type = \"integer\", lower = 0, upper = 120 }\n\
        day = { type = \"date\", lower = \"2025-01-01\", upper = \"2025-12-31\" }\n";

    fn list() -> TableList {
        TableList::of(&Catalog::parse(CATALOG).unwrap_or_else(|error| panic!("{error}")))
    }

    fn sql(form: &str) -> Option<String> {
        let list = list();
        Some(Sentence::of_form(&Form::parse(form.as_bytes()).unwrap(), &list)?.sql(&list))
    }

    #[test]
    fn words_become_sql() {
        assert_eq!(
            sql("table=visits&measure=average:age&group=region&column=age&comparison=>%3D&value=65").unwrap(),
            "SELECT region, AVG(age) AS average_age\nFROM visits\nWHERE age >= 65\nGROUP BY region"
        );
        assert_eq!(
            sql("table=visits&measure=rows&group=day").unwrap(),
            "SELECT date_trunc('month', day) AS month, COUNT(*) AS visits\nFROM visits\nGROUP BY month\nORDER BY month"
        );
        assert_eq!(sql("table=nobody"), None);
    }

    /// Specification: what is typed stays a value, and names come from the catalog.
    #[test]
    fn nothing_typed_becomes_sql() {
        let typed =
            sql("table=visits&measure=sum(cost);--&group=x&column=region&comparison==&value=n'%3B DROP")
                .unwrap();
        assert_eq!(typed, "SELECT COUNT(*) AS visits\nFROM visits\nWHERE region = 'n''; DROP'");
        let number = sql("table=visits&column=age&comparison=<&value=1 OR 1=1").unwrap();
        assert!(number.ends_with("WHERE age < '1 OR 1=1'"), "{number}");
        assert_eq!(name("Age \"x\""), "\"Age \"\"x\"\"\"");
        assert_eq!(name("order"), "\"order\"");
    }

    #[test]
    fn there_is_something_to_begin_with() {
        let examples = examples(&list());
        let words: Vec<&str> = examples.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(
            words,
            ["How many visits, by region", "The average age, by region", "How many visits, by month"]
        );
    }
}
