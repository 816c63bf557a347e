//! The rows that a model is trained on: what an engine chooses, and all that it is told.
//!
//! **Guarantee.** [`TrainingRows`] is a function of the SQL, the catalog and the options alone. What it makes of data is a
//! multiset of rows of codes, small integers with public ranges. Between two data sets that differ in everything of one
//! person, the chosen rows differ by at most [`rows_max`](TrainingRows::rows_max) rows, all on one side.
//! **Proof.** The relation is local ([`Relation`]); the filter, the codes and the rule that a row without a target is left
//! out look at one row each; and of every person at most `rows_max` rows are kept, by a rule that looks at that person's
//! codes and a hash key alone. So the chosen rows are a disjoint union over people of a function of each one's rows, of
//! at most `rows_max` rows. Bounding comes last: whatever a join multiplies is multiplied before.
//! **Codes.** Zero says nothing: NULL, or a value that is not listed. Otherwise the code is one more than the index of a
//! grid point, of a listed value, or of false and true.

use pointillist_catalog::{ColumnType, Value};
use pointillist_mechanisms::Grid;

use crate::notes::{end_text, step_text};
use crate::relation_text::column_names;
use crate::{Ownership, Relation, Scalar, Type, text, visit};

/// Rows of features and a target, with a bound on how many of them are one person's.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingRows {
    /// The population whose budget pays.
    pub scope: String,
    /// Where rows come from. [`Scalar::Column`] counts its columns.
    pub relation: Relation,
    /// Rows for which this is not true are left out.
    pub filter: Option<Scalar>,
    /// How many rows of one person are kept: k.
    pub rows_max: u32,
    /// What a model may use of a row, in the order of its weights.
    pub features: Vec<TrainingColumn>,
    /// What it should say. Rows without it are left out.
    pub target: Option<TrainingColumn>,
    /// What the planner has to say, in words; nothing in them comes from data.
    pub notes: Vec<String>,
}

/// A column of codes.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingColumn {
    /// Its name.
    pub name: String,
    /// The value of a row.
    pub value: Scalar,
    /// The type of the value.
    pub kind: Type,
    /// How a value becomes a code.
    pub code: Code,
    /// Whether the value may be NULL in a row that is looked at.
    pub nullable: bool,
}

/// How a value becomes a code, from public things alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Code {
    /// The nearest point of a grid of fewer than 2^32 − 2 points; a value outside goes to the nearest end. Days are
    /// counted from 1970-01-01, moments in microseconds.
    Number(Grid),
    /// The place in a list. Where NULL is in the list, it is a value like the others.
    Category(Vec<Option<Value>>),
    /// False and true.
    Truth,
}

impl Code {
    /// The largest code: codes are 0 to this.
    pub fn last(&self) -> u32 {
        match self {
            Self::Number(grid) => {
                u32::try_from(grid.last_index()).unwrap_or(u32::MAX).saturating_add(1).min(u32::MAX - 1)
            }
            Self::Category(values) => u32::try_from(values.len()).unwrap_or(u32::MAX),
            Self::Truth => 2,
        }
    }
}

impl TrainingRows {
    /// Whose rows are chosen.
    pub fn ownership(&self) -> Ownership {
        self.relation.ownership()
    }

    /// The columns of codes: features, then the target.
    pub fn columns(&self) -> impl Iterator<Item = &TrainingColumn> {
        self.features.iter().chain(&self.target)
    }

    /// Everything that is computed from a row.
    pub fn expressions(&self) -> impl Iterator<Item = &Scalar> {
        self.filter.iter().chain(self.columns().map(|column| &column.value))
    }

    /// Everything that is computed from a row, to be changed.
    pub fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Scalar> {
        let columns = self.features.iter_mut().chain(&mut self.target).map(|column| &mut column.value);
        self.filter.iter_mut().chain(columns)
    }

    /// What bounding, clamping and lists change about the rows, in words.
    pub fn words(&self) -> Vec<String> {
        let names = column_names(&self.relation);
        let names = |column: usize| names.get(column).cloned();
        let mut words = self.notes.clone();
        words.push(match self.ownership() {
            Ownership::EachRow | Ownership::Nobody => "every row counts as another person".to_owned(),
            Ownership::People(unit) => {
                let rows = if self.rows_max == 1 { "row is" } else { "rows are" };
                format!(
                    "of a person ({unit}) at most {} {rows} used, chosen by chance from those that differ",
                    self.rows_max
                )
            }
        });
        for column in self.columns() {
            let (name, value) = (&column.name, text::scalar(&column.value, &names));
            match &column.code {
                Code::Number(grid) => words.push(format!(
                    "values of {value} are clamped to [{}, {}] and rounded to steps of {}",
                    end_text(grid.lower(), Some(column.kind)),
                    end_text(&grid.upper(), Some(column.kind)),
                    step_text(grid.step(), Some(column.kind)),
                )),
                Code::Category(values) => {
                    let others = match values.contains(&None) {
                        true => "any other value",
                        false => "NULL or any other value",
                    };
                    words.push(format!(
                        "`{name}` is one of {} public values; {others} counts as none of them",
                        values.len()
                    ));
                }
                Code::Truth => {}
            }
        }
        if let Some(target) = &self.target {
            let what = match target.code {
                Code::Category(_) => "a public value",
                Code::Number(_) | Code::Truth => "a value",
            };
            words.push(format!("rows without {what} of `{}` are left out", target.name));
        }
        if self.filter.iter().flat_map(visit::columns).any(|column| self.is_bounded(column)) {
            words.push("conditions see values as they are, outside of their bounds too".to_owned());
        }
        words
    }

    fn is_bounded(&self, column: usize) -> bool {
        self.relation.column(column).is_some_and(|column| {
            matches!(
                column.kind,
                ColumnType::Integer { bounds: Some(_) }
                    | ColumnType::Number { bounds: Some(_), .. }
                    | ColumnType::Date { bounds: Some(_) }
                    | ColumnType::Timestamp { bounds: Some(_) }
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use pointillist_numbers::Rational;

    use super::*;

    #[test]
    fn codes_end_where_their_values_do() {
        let grid = |upper: i64| Code::Number(Grid::integers(0, upper).unwrap());
        assert_eq!((grid(1).last(), grid(100).last()), (2, 101));
        assert_eq!(grid(1 << 40).last(), u32::MAX - 1, "whatever the grid, a code fits 32 bits");
        assert_eq!(Code::Category(vec![None, Some(Value::Boolean(true))]).last(), 2);
        assert_eq!(Code::Truth.last(), 2);
        let fine = Grid::new(Rational::zero(), Rational::one(), Rational::ratio(1, 4)).unwrap();
        assert_eq!(Code::Number(fine).last(), 5);
    }
}
