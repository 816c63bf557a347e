//! What a first question about a table would meet: a refusal, or an answer that is nothing but noise.
//!
//! What is found here depends on how many rows there are. It is for the owner at the machine and goes nowhere else.

use pointillist_catalog::{Catalog, ColumnType, Finding, Protection, Severity, Table, Unit};
use pointillist_numbers::Rational;
use pointillist_query::{Options, plan};

use super::finding;
use pointillist_render::decimals::{glance_upper, grouped, grouped_count};

/// An error that is at least this part of what it stands beside hides it.
const NOISE_FROM: (i128, u128) = (1, 4);

/// What the owner should hear before anybody pays.
pub(super) fn findings(catalog: &Catalog, table: &Table, rows: u64) -> Vec<Finding> {
    let Protection::Private { unit, max_contributions, .. } = &table.protection else {
        return Vec::new();
    };
    let place = format!("table.{}", table.name);
    let name = table.name.replace('"', "\"\"");
    let count = match error_95(catalog, table, &format!("SELECT COUNT(*) FROM \"{name}\"")) {
        Ok(error) => error,
        Err((words, hint)) => {
            let followed = !matches!(unit, Unit::Linked { .. });
            let severity = if followed { Severity::Error } else { Severity::Note };
            return vec![finding(severity, &place, format!("COUNT(*) is refused: {words}"), hint)];
        }
    };
    let mut list = Vec::new();
    let advice = match (unit, max_contributions) {
        (Unit::Row, _) | (_, None) => {
            "raise the budget, or ask at a higher price than one that is not named".to_owned()
        }
        (_, Some(most)) => format!(
            "lower max_contributions, which is {most}, if most people have fewer rows; raise the budget; or ask at a \
             higher price than one that is not named"
        ),
    };
    let rows_there = Rational::from(rows);
    let part = Rational::ratio(NOISE_FROM.0, NOISE_FROM.1);
    if rows > 0 && count >= &rows_there * &part {
        let words = format!(
            "at 1 % of the budget, which a question without a price costs, COUNT(*) is ± {}, and there are {} rows: \
             such an answer is mostly noise",
            grouped(&glance_upper(&count)),
            grouped_count(rows)
        );
        list.push(finding(Severity::Note, &place, words, advice.clone()));
    }
    for column in &table.columns {
        let Some(width) = width(&column.kind).filter(|_| rows > 0) else { continue };
        let sql = format!("SELECT SUM(\"{}\") FROM \"{name}\"", column.name.replace('"', "\"\""));
        let Ok(error) = error_95(catalog, table, &sql) else { continue };
        let each = error / rows_there.clone();
        if each >= &width * &part {
            let words = format!(
                "at 1 % of the budget, a total spread over the {} rows is off by ± {} a row, where the bounds are {} apart: \
                 such an answer is mostly noise",
                grouped_count(rows),
                grouped(&glance_upper(&each)),
                grouped(&glance_upper(&width))
            );
            let advice = format!("narrow the bounds to what is plausible; {advice}");
            list.push(finding(Severity::Note, &format!("{place}.columns.{}", column.name), words, advice));
        }
    }
    list
}

/// How wrong the one aggregate of a question would be at the price of a question that names none; or the refusal.
fn error_95(catalog: &Catalog, table: &Table, sql: &str) -> Result<Rational, (String, String)> {
    // Every period has the same budget: what holds for one holds for all.
    let period = table.period_list().and_then(|periods| periods.first().map(ToString::to_string));
    let plan = plan(catalog, sql, &Options { period, ..Options::default() })
        .map_err(|refusal| (refusal.message().to_owned(), refusal.hint().to_owned()))?;
    let error = plan.aggregate_noises().into_iter().next().and_then(|noise| noise.error_95);
    Ok(error.unwrap_or_else(Rational::zero))
}

/// How far the bounds of a column that can be added up are apart.
fn width(kind: &ColumnType) -> Option<Rational> {
    match kind {
        ColumnType::Integer { bounds: Some((lower, upper)) } => {
            Some(Rational::from(*upper) - Rational::from(*lower))
        }
        ColumnType::Number { bounds: Some((lower, upper)), .. } => Some(upper - lower),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog(more: &str, cost: &str) -> Catalog {
        let text = format!(
            "[scope.people]\nbudget = {{ epsilon = 1.0, delta = 1e-9 }}\n\
             [table.visits]\nscope = \"people\"\nsource = \"v.csv\"\nprivacy_unit = \"person\"\n{more}\n\
             [table.visits.columns]\ncost = {{ type = \"integer\", {cost} }}\n"
        );
        Catalog::parse(&text).expect("a catalog")
    }

    fn found(more: &str, cost: &str, rows: u64) -> Vec<(Severity, String)> {
        let catalog = catalog(more, cost);
        let list = findings(&catalog, &catalog.tables["visits"], rows);
        list.into_iter().map(|finding| (finding.severity, finding.place)).collect()
    }

    /// Specification: what a count would meet is said before anybody asks.
    #[test]
    fn a_table_that_cannot_be_counted_is_an_error_and_noise_is_a_note() {
        let table = || "table.visits".to_owned();
        let column = || "table.visits.columns.cost".to_owned();
        let bounds = "lower = 0, upper = 100";
        assert_eq!(found("max_groups = 8", bounds, 1_000_000), [(Severity::Error, table())]);
        let wide = "max_groups = 8\nmax_contributions = 20";
        assert_eq!(found(wide, bounds, 1648), [(Severity::Note, table()), (Severity::Note, column())]);
        assert_eq!(found(wide, bounds, 10_000_000), []);
        assert_eq!(found("max_groups = 1\nmax_contributions = 1", bounds, 20_000), []);
        assert_eq!(found(wide, bounds, 0), [], "an empty table says nothing");
    }
}
