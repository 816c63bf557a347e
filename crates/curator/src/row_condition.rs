//! Conditions of SQL on rows that are public: made-up rows, and the cells of released counts.
//!
//! Whatever is evaluated here was released or is public; the condition is read by the planner of questions, over a table that has
//! nothing but the columns.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use pointillist_catalog::{Catalog, Column, ColumnType, Protection, Table, Unit};
use pointillist_engine::evaluate;
use pointillist_plan::{Relation, Scalar, Type};
use pointillist_query::{Options, Refusal, training_rows};

/// What the table is called, for whoever reads a refusal.
const TABLE: &str = "rows";

/// A condition on single rows, which can be true, false or NULL.
#[derive(Clone, Debug)]
pub struct RowCondition {
    condition: Scalar,
    columns: Vec<usize>,
}

impl RowCondition {
    /// The condition over columns of these names and types.
    ///
    /// # Errors
    /// When it is not understood, names another column, or is no condition.
    pub fn new(columns: &[(String, Type)], condition: &str) -> Result<Self, Refusal> {
        let no_condition = || {
            Refusal::parameter(
                "this is no condition on a row",
                "write one such as age >= 18 AND region = 'north'",
            )
        };
        let catalog = catalog(columns).ok_or_else(no_condition)?;
        let rows = format!("SELECT (({condition}) AND true) AS holds FROM {TABLE}");
        let rows = training_rows(&catalog, &rows, None, &Options::default())?;
        let ([only], None, Relation::Table(scan)) = (rows.features.as_slice(), &rows.filter, &rows.relation)
        else {
            return Err(no_condition());
        };
        if only.kind != Type::Boolean || scan.filter.is_some() {
            return Err(no_condition());
        }
        let place = |name: &str| columns.iter().position(|(known, _)| known == name);
        let used = scan.columns.iter().map(|column| place(&column.name)).collect::<Option<Vec<_>>>();
        Ok(Self { condition: only.value.clone(), columns: used.ok_or_else(no_condition)? })
    }

    /// The columns that it looks at, by their places.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Where it is true, over the columns that it looks at, in their order; NULL is not true.
    pub fn holds(&self, columns: &[ArrayRef], rows: usize) -> BooleanArray {
        let values = evaluate(&self.condition, columns, rows);
        let values = values.as_boolean_opt().cloned();
        let values = values.unwrap_or_else(|| BooleanArray::from(vec![false; rows]));
        (0..rows).map(|row| Some(!values.is_null(row) && values.value(row))).collect()
    }

    /// Where it is not false: a constraint is kept where it cannot be told.
    pub(crate) fn is_kept(&self, columns: &[ArrayRef], rows: usize) -> BooleanArray {
        let values = evaluate(&self.condition, columns, rows);
        let values = values.as_boolean_opt().cloned();
        let values = values.unwrap_or_else(|| BooleanArray::from(vec![true; rows]));
        (0..rows).map(|row| Some(values.is_null(row) || values.value(row))).collect()
    }
}

/// A catalog with one table of these columns. Nothing is ever read from it.
fn catalog(columns: &[(String, Type)]) -> Option<Catalog> {
    let mut catalog = Catalog::parse("[scope.all]\nbudget = { rho = 1, delta = 1e-6 }\n").ok()?;
    let column = |(name, kind): &(String, Type)| Column {
        name: name.clone(),
        stored_as: None,
        kind: match kind {
            Type::Boolean => ColumnType::Boolean,
            Type::Integer => ColumnType::Integer { bounds: None },
            Type::Number => ColumnType::Number { bounds: None, step: None },
            Type::Text => ColumnType::Text,
            Type::Date => ColumnType::Date { bounds: None },
            Type::Timestamp => ColumnType::Timestamp { bounds: None },
        },
        public_keys: None,
        nullable: true,
    };
    let unit = Unit::Row;
    let protection =
        Protection::Private { scope: "all".to_owned(), unit, max_groups: None, max_contributions: None };
    let table = Table {
        name: TABLE.to_owned(),
        source: String::new(),
        version: String::new(),
        protection,
        size: None,
        periods: None,
        columns: columns.iter().map(column).collect(),
    };
    catalog.tables.insert(TABLE.to_owned(), table);
    Some(catalog)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int64Array, StringViewArray};

    use super::*;

    fn columns() -> Vec<(String, Type)> {
        vec![
            ("region".to_owned(), Type::Text),
            ("age".to_owned(), Type::Integer),
            ("Pay".to_owned(), Type::Number),
        ]
    }

    #[test]
    fn a_condition_holds_where_it_is_true_and_a_constraint_is_kept_where_it_is_not_false() {
        let condition = RowCondition::new(&columns(), "age >= 18 AND region = 'north'").unwrap();
        let mut used = condition.columns().to_vec();
        used.sort_unstable();
        assert_eq!(used, [0, 1]);
        let age: ArrayRef = Arc::new(Int64Array::from(vec![Some(20), Some(3), None, Some(40)]));
        let region: ArrayRef =
            Arc::new(StringViewArray::from(vec![Some("north"), Some("north"), Some("north"), Some("south")]));
        let all = [region, age];
        let own: Vec<ArrayRef> = condition.columns().iter().map(|at| Arc::clone(&all[*at])).collect();
        let truths =
            |values: BooleanArray| values.iter().map(|value| value == Some(true)).collect::<Vec<_>>();
        assert_eq!(truths(condition.holds(&own, 4)), [true, false, false, false]);
        assert_eq!(truths(condition.is_kept(&own, 4)), [true, false, true, false]);
    }

    #[test]
    fn what_is_no_condition_is_refused_by_name() {
        let refused = |text: &str| RowCondition::new(&columns(), text).map(|_| ()).unwrap_err().to_string();
        assert!(refused("heigth > 3").contains("heigth"));
        for text in [
            "age + 1",
            "true) AS a, (false",
            "true) AND true) AS holds FROM rows WHERE ((false",
            "count(*) > 3",
            "",
        ] {
            assert!(!refused(text).is_empty(), "{text}");
        }
        assert!(RowCondition::new(&columns(), "\"Pay\" IS NULL OR age >= 16").is_ok());
    }
}
