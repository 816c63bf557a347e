//! Who is protected and what analysts see, in sentences.

use pointillist_numbers::{Rational, decimal_lower, decimal_upper};
use pointillist_privacy::conversion::zcdp_epsilon_upper;
use pointillist_privacy::{Budget, Currency, Delta, Rho};

use super::Statement;
use crate::{
    Catalog, Column, ColumnType, DeclaredBudget, GraphPrivacy, Periods, Protection, Scope, Table, Unit,
    calendar, write,
};

/// Digits that people read.
pub(crate) const DIGITS: usize = 4;

pub(super) fn protected(catalog: &Catalog) -> Vec<Statement> {
    let tables = catalog.tables.values().map(|table| {
        let words = match &table.protection {
            Protection::Public => "public: nobody is protected, and anyone may read every row".to_owned(),
            Protection::Private { scope, unit, .. } => {
                let own = format!("{}; scope `{scope}` pays", owner(unit));
                match &table.periods {
                    None => own,
                    Some(Periods { column, every }) => format!(
                        "{own}, from the budget of the {} that `{column}` is in; rows outside of every {0} are never read",
                        every.word()
                    ),
                }
            }
        };
        Statement { place: format!("table.{}", table.name), words }
    });
    let graphs = catalog.graphs.values().map(|graph| {
        let who = match graph.privacy {
            GraphPrivacy::Node => "a person is a node: all their ties together are protected",
            GraphPrivacy::Edge => "one tie is protected, a person with many ties is not",
        };
        let words = format!("{who}; scope `{}` pays", graph.scope);
        Statement { place: format!("graph.{}", graph.name), words }
    });
    tables.chain(graphs).collect()
}

fn owner(unit: &Unit) -> String {
    match unit {
        Unit::Row => {
            "every row counts as another person (event level): someone with several rows is protected \
                      only row by row"
                .to_owned()
        }
        Unit::Column(column) => format!(
            "a person is one value of `{column}` (user level): all their rows together are protected; rows \
             without `{column}` have no owner and are never read"
        ),
        Unit::Linked { column, table, key } => format!(
            "a row belongs to whom `{table}` names where `{table}.{key}` equals `{column}` (user level); rows \
             whose link leads nowhere have no owner and are never read"
        ),
    }
}

pub(super) fn visible(catalog: &Catalog) -> Vec<Statement> {
    let scopes = catalog.scopes.values().map(|scope| Statement {
        place: format!("scope.{}", scope.name),
        words: match catalog.period_words(&scope.name) {
            Some(words) => words,
            None => format!("everything asked about one person costs at most {}", budget(scope)),
        },
    });
    let tables = catalog
        .tables
        .values()
        .map(|table| Statement { place: format!("table.{}", table.name), words: columns(table) });
    let analysts = catalog.analysts.values().map(|analyst| {
        let own = |(scope, amount): (&String, &Budget)| match catalog.period_promise(scope) {
            None => format!("{} of `{scope}`", share(amount)),
            Some(promise) => format!("{} of `{scope}` in each {}", share(amount), promise.every.word()),
        };
        let shares: Vec<String> = analyst.shares.iter().map(own).collect();
        let words = if shares.is_empty() {
            "may spend nothing yet".to_owned()
        } else {
            format!("may spend {}", shares.join(", and "))
        };
        Statement { place: format!("analyst.{}", analyst.name), words }
    });
    scopes.chain(tables).chain(analysts).collect()
}

/// A budget as people compare budgets: ε at δ.
pub(crate) fn budget(scope: &Scope) -> String {
    match &scope.budget {
        DeclaredBudget::Pure { epsilon } => format!("ε = {}", upper(epsilon.value())),
        DeclaredBudget::Zcdp { rho, delta, conversion_delta } => {
            let total = upper(&(delta.value() + conversion_delta.value()));
            match epsilon_upper(rho, conversion_delta) {
                Some(epsilon) => format!(
                    "ε = {} at δ = {total} (ρ = {}; δ = {} of it pays for keys that must be earned)",
                    upper(&epsilon),
                    lower(rho.value()),
                    lower(delta.value())
                ),
                None => format!("ρ = {} and δ = {total}", upper(rho.value())),
            }
        }
    }
}

/// The ε of a budget, rounded up; `None` where it is past any that promises something.
pub(super) fn epsilon_upper(rho: &Rho, conversion_delta: &Delta) -> Option<Rational> {
    zcdp_epsilon_upper(rho, conversion_delta).ok().map(|found| found.epsilon.value().clone())
}

fn share(Budget { currency, amount }: &Budget) -> String {
    let loss = format!("{} = {}", currency.symbol(), upper(&amount.loss()));
    match currency {
        Currency::Pure => loss,
        Currency::Zcdp => format!("{loss} and δ = {}", upper(&amount.delta())),
    }
}

fn columns(table: &Table) -> String {
    if table.columns.is_empty() {
        return "analysts can count rows; no column is declared".to_owned();
    }
    let list: Vec<String> = table.columns.iter().map(column).collect();
    format!("analysts can name {}", list.join("; "))
}

fn column(column: &Column) -> String {
    let kind = match &column.kind {
        ColumnType::Boolean => "boolean".to_owned(),
        ColumnType::Text => "text".to_owned(),
        ColumnType::Integer { bounds: None } => "integer without bounds".to_owned(),
        ColumnType::Integer { bounds: Some((lower, upper)) } => format!("integer from {lower} to {upper}"),
        ColumnType::Number { bounds: None, .. } => "decimal without bounds".to_owned(),
        ColumnType::Number { bounds: Some((lower, upper)), step } => {
            let step = step.as_ref().map(|step| format!(" in steps of {}", bare(step))).unwrap_or_default();
            format!("decimal from {} to {}{step}", bare(lower), bare(upper))
        }
        ColumnType::Date { bounds: None } => "date without bounds".to_owned(),
        ColumnType::Date { bounds: Some((first, last)) } => {
            format!("date from {} to {}", calendar::date_text(*first), calendar::date_text(*last))
        }
        ColumnType::Timestamp { bounds: None } => "timestamp without bounds".to_owned(),
        ColumnType::Timestamp { bounds: Some((first, last)) } => {
            format!(
                "timestamp from {} to {}",
                calendar::timestamp_text(*first),
                calendar::timestamp_text(*last)
            )
        }
    };
    let keys = match &column.public_keys {
        None => String::new(),
        Some(keys) if keys.len() == 1 => ", 1 public key".to_owned(),
        Some(keys) => format!(", {} public keys", keys.len()),
    };
    let absent = if column.nullable { "" } else { "; rows without it are left out where it is used" };
    format!("`{}` ({kind}{keys}{absent})", column.name)
}

fn bare(value: &Rational) -> String {
    write::number(value).trim_matches('"').to_owned()
}

pub(super) fn upper(value: &Rational) -> String {
    decimal_upper(value, DIGITS)
}

fn lower(value: &Rational) -> String {
    decimal_lower(value, DIGITS)
}
