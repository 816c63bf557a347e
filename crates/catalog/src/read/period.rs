//! Periods of tables: `periods = { column = "day", every = "month" }`.
//!
//! **Guarantee.** What `crate::period` asks for: a period column has days or moments between public bounds, a scope has
//! periods of one length in all of its private tables or in none, and no graph beside them. Rows of a table without
//! periods could be read again in every period, and a linked row could find its owner in another.

use toml::de::DeValue;

use super::entry::Entry;
use super::section::Section;
use crate::error::Fault;
use crate::{
    Catalog, Column, ColumnType, Every, PERIODS_MAX, Periods, Protection, Table, Unit, name, suggestion,
};

/// Reads the periods of a table with these columns.
pub(super) fn periods(entry: &Entry<'_>, columns: &[Column]) -> Result<Periods, Fault> {
    let example = "write `periods = { column = \"day\", every = \"month\" }`";
    if !matches!(entry.value, DeValue::Table(_)) {
        return Err(entry.fault("periods have a column and a length", example));
    }
    let section = Section::of(entry, "periods", &["column", "every"])?;
    let place = section.required("column", example)?;
    let column = place.text("a column's name")?;
    let Some(declared) = columns.iter().find(|declared| declared.name == column) else {
        return Err(place.fault(
            format!("there is no declared column `{}`", name::shown(column)),
            suggestion::hint(column, columns.iter().map(|column| column.name.as_str())),
        ));
    };
    match &declared.kind {
        ColumnType::Date { bounds: Some(_) } | ColumnType::Timestamp { bounds: Some(_) } => {}
        ColumnType::Date { .. } | ColumnType::Timestamp { .. } => {
            return Err(place.fault(
                format!("`{column}` has no bounds, so nothing says which periods there are"),
                "give the column `lower` and `upper`: the first and the last day, which are public",
            ));
        }
        _ => {
            return Err(place.fault(
                format!("`{column}` is no column of days or moments"),
                "name a column of type date or timestamp",
            ));
        }
    }
    let place = section.required("every", example)?;
    let word = place.text("a length")?;
    let every = Every::ALL.into_iter().find(|every| every.word() == word).ok_or_else(|| {
        let words = Every::ALL.map(Every::word);
        place.fault(format!("there is no period `{}`", name::shown(word)), suggestion::hint(word, words))
    })?;
    Ok(Periods { column: column.to_owned(), every })
}

/// Refuses periods that are too many, or that other data of the same scope does not have.
pub(super) fn check(entry: &Entry<'_>, catalog: &Catalog) -> Result<(), Fault> {
    let Some(table) = catalog.tables.get(&entry.name) else { return Ok(()) };
    let (Some(periods), Protection::Private { scope, unit, .. }) = (&table.periods, &table.protection) else {
        return Ok(());
    };
    let named = entry.named().unwrap_or_default();
    let place = named.iter().find(|child| child.name == "periods").unwrap_or(entry);
    if let Unit::Linked { table: other, .. } = unit {
        return Err(place.fault(
            format!("the owners of these rows are found in `{other}`, perhaps in rows of another period"),
            "name a column of this table as privacy unit, or leave `periods` out and give the tables a scope of their own",
        ));
    }
    let shares_the_scope = |other: &&Table| {
        other.name != table.name
            && matches!(&other.protection, Protection::Private { scope: payer, .. } if payer == scope)
    };
    let without = "declare periods for it, too, or give it a [scope.NAME] of its own";
    for other in catalog.tables.values().filter(shares_the_scope) {
        match &other.periods {
            None => {
                return Err(place.fault(
                    format!(
                        "`{}` of the same scope `{scope}` has no periods: its rows would belong to none",
                        other.name
                    ),
                    without,
                ));
            }
            Some(others) if others.every != periods.every => {
                return Err(place.fault(
                    format!(
                        "`{}` of the same scope `{scope}` has another budget every {}, this table every {}",
                        other.name,
                        others.every.word(),
                        periods.every.word()
                    ),
                    "write the same `every` in all tables of one scope",
                ));
            }
            Some(_) => {}
        }
    }
    if let Some(graph) = catalog.graphs.values().find(|graph| graph.scope == *scope) {
        return Err(place.fault(
            format!(
                "the graph `{}` of the same scope `{scope}` has no periods: its ties would belong to none",
                graph.name
            ),
            "give the graph a [scope.NAME] of its own",
        ));
    }
    let count = catalog.periods(scope).len();
    if count > PERIODS_MAX {
        return Err(place.fault(
            format!("the bounds of `{}` and its like make more than {PERIODS_MAX} periods", periods.column),
            "write a longer `every`, or bounds that are closer: each period is a budget of its own",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;

    use crate::Catalog;

    const SCOPE: &str = "[scope.people]\nbudget = { rho = 0.01, delta = 1e-9 }\n";
    const PERIODS: &str = "{ column = \"day\", every = \"month\" }";

    fn table(name: &str, more: &str) -> String {
        format!(
            "[table.{name}]\nscope = \"people\"\nsource = \"{name}.csv\"\nprivacy_unit = \"id\"\n{more}\n\
             [table.{name}.columns]\nday = {{ type = \"date\", lower = \"2026-01-15\", upper = \"2026-04-01\" }}\n\
             at = {{ type = \"timestamp\" }}\nage = {{ type = \"integer\", lower = 0, upper = 9 }}\n"
        )
    }

    fn refusal(text: &str) -> String {
        Catalog::parse(&format!("{SCOPE}{text}")).expect_err("this catalog is wrong").explanation().text()
    }

    #[test]
    fn periods_come_back_from_the_text_that_is_written() {
        let text = format!("{SCOPE}{}", table("visits", &format!("periods = {PERIODS}")));
        let catalog = Catalog::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Catalog::parse(&catalog.to_toml()).unwrap(), catalog);
        let names = ["people@2026-01", "people@2026-02", "people@2026-03", "people@2026-04"];
        assert_eq!(catalog.budget_names("people"), names);
        assert_eq!(catalog.conversion_delta("people@2026-02"), catalog.conversion_delta("people"));
    }

    #[test]
    fn what_four_months_promise_is_said() {
        let text = format!("{SCOPE}{}", table("visits", &format!("periods = {PERIODS}")));
        let catalog = Catalog::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            catalog.period_words("people").unwrap(),
            "each month has its own budget, from 2026-01 to 2026-04: ε = 0.8269 at δ = 1e-9 (ρ = 0.01; δ = 5e-10 of it \
             pays for keys that must be earned); the same people come back: somebody who has rows in all 4 months is \
             promised no more than 4 times that, ρ = 0.04 (ε = 1.64 at δ = 4e-9)"
        );
        let more = text.replace("rho = 0.01", "rho = 0.3");
        let findings = Catalog::parse(&more).unwrap().report().findings;
        let words = "somebody who has rows in all 4 months is promised";
        assert!(findings.iter().any(|finding| finding.words.starts_with(words)), "{findings:#?}");
    }

    #[test]
    fn periods_without_public_ends_are_refused() {
        for (periods, what, hint) in [
            ("\"month\"", "periods have a column and a length", "every = \"month\""),
            ("{ column = \"day\" }", "`every` is missing", "every = \"month\""),
            ("{ column = \"dya\", every = \"month\" }", "no declared column `dya`", "did you mean `day`?"),
            ("{ column = \"at\", every = \"month\" }", "`at` has no bounds", "`lower` and `upper`"),
            ("{ column = \"age\", every = \"month\" }", "no column of days or moments", "date or timestamp"),
            ("{ column = \"day\", every = \"mont\" }", "there is no period `mont`", "did you mean `month`?"),
            ("{ column = \"day\", every = \"month\", each = 1 }", "periods has no key `each`", "every"),
        ] {
            let text = refusal(&table("visits", &format!("periods = {periods}")));
            assert!(text.contains(what) && text.contains(hint), "{text}");
        }
        let public = "[table.visits]\npublic = true\nsource = \"v.csv\"\nperiods = { column = \"d\", every = \"day\" }\n";
        assert!(refusal(public).contains("a public table has no `periods`"), "{}", refusal(public));
        let long = table("visits", &format!("periods = {}", PERIODS.replace("month", "day")));
        let text = refusal(&long.replace("2026-01-15", "2020-01-15"));
        assert!(text.contains("make more than 1000 periods"), "{text}");
    }

    #[test]
    fn a_scope_has_periods_of_one_length_everywhere_or_nowhere() {
        let visits = table("visits", &format!("periods = {PERIODS}"));
        let text = refusal(&format!("{visits}{}", table("labs", "")));
        assert!(text.contains("`labs` of the same scope `people` has no periods"), "{text}");
        let weeks = table("labs", &format!("periods = {}", PERIODS.replace("month", "week")));
        let text = refusal(&format!("{visits}{weeks}"));
        assert!(text.contains("another budget every"), "{text}");
        let graph = "[graph.contacts]\nscope = \"people\"\nsource = \"c.csv\"\nprivacy = \"node\"\n";
        let text = refusal(&format!("{visits}{graph}"));
        assert!(text.contains("the graph `contacts` of the same scope"), "{text}");
        let linked = table("labs", &format!("periods = {PERIODS}")).replace(
            "privacy_unit = \"id\"",
            "privacy_unit = { column = \"visit\", references = \"visits.key\" }",
        );
        let text = refusal(&format!("{visits}{linked}"));
        assert!(text.contains("the owners of these rows are found in `visits`"), "{text}");
        let other = "[scope.others]\nbudget = { rho = 1, delta = 1e-9 }\n";
        let elsewhere = table("labs", "").replace("scope = \"people\"", "scope = \"others\"");
        Catalog::parse(&format!("{SCOPE}{other}{visits}{elsewhere}"))
            .expect("another scope needs no periods");
    }

    /// Specification: no declared scope is named like the budget of a period.
    #[test]
    fn a_scope_is_never_named_like_a_period() {
        let text = refusal("[scope.\"people@2026-01\"]\nbudget = { rho = 1, delta = 1e-9 }\n");
        assert!(text.contains("has signs other than letters"), "{text}");
    }
}
