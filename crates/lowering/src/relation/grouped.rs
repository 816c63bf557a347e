//! One row for all rows of a person with the same keys, and what is computed from them exactly.

use pointillist_plan::{ExactAggregate, ExactFunction, Scalar, Type};

use super::{Relations, Rows, owner_column};
use crate::scalar;
use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::{Dialect, Refusal};

impl Relations<'_> {
    pub(super) fn group(
        &self,
        input: Rows,
        keys: &[Scalar],
        aggregates: &[ExactAggregate],
    ) -> Result<Rows, Refusal> {
        let mut stage = Stage::over(self.dialect, &input.types);
        let mut shown = owner_column(&input);
        let mut types = Vec::new();
        for (number, key) in keys.iter().enumerate() {
            let key = scalar::lower(&mut stage, key)?;
            types.push(key.kind);
            shown.push((Sql::own("c", number), key));
        }
        let mut outcomes = Vec::new();
        for (number, aggregate) in aggregates.iter().enumerate() {
            let value = scalar::lower(&mut stage, &aggregate.value)?;
            let kind = value.kind;
            let value = match &aggregate.counted {
                None => value,
                Some(counted) => {
                    let counted = scalar::lower(&mut stage, counted)?;
                    Expression::of(kind, "CASE WHEN {0} THEN {1} END", &[&counted, &value])
                }
            };
            shown.push((Sql::own("a", number), value));
            let (form, result) = self.exact(aggregate, kind)?;
            outcomes.push(Sql::form(form, &[&Sql::own("a", number)]));
            types.push(result);
        }
        if shown.is_empty() {
            shown.push((Sql::words("z"), Expression::own(Sql::words("1"))));
        }
        let inner = stage.select(&input.query, &shown, None);
        let mut by: Vec<Sql> = (0..keys.len()).map(|number| Sql::own("c", number)).collect();
        if input.is_owned() {
            by.insert(0, Sql::words("o"));
        }
        let mut columns = by.clone();
        for (number, outcome) in outcomes.iter().enumerate() {
            columns.push(Sql::form("{0} AS {1}", &[outcome, &Sql::own("c", keys.len() + number)]));
        }
        if columns.is_empty() {
            columns.push(Sql::words("1 AS z"));
        }
        let columns = Sql::join(&columns, ", ");
        let query = match by.is_empty() {
            true => Sql::form("SELECT {0} FROM ({1}) s", &[&columns, &inner]),
            false => {
                Sql::form("SELECT {0} FROM ({1}) s GROUP BY {2}", &[&columns, &inner, &Sql::join(&by, ", ")])
            }
        };
        Ok(Rows { query, types, ownership: input.ownership })
    }

    /// The form of an aggregate over values of this type, and the type of its result.
    fn exact(&self, aggregate: &ExactAggregate, kind: Type) -> Result<(&'static str, Type), Refusal> {
        let refused = |what: &str| {
            Err(Refusal::new(
                format!("{what} of one person's rows cannot be computed exactly in {}", self.dialect.word()),
                "use COUNT, MIN, MAX or a SUM of whole numbers for each person",
            ))
        };
        let postgres = self.dialect == Dialect::Postgres;
        Ok(match (aggregate.function, kind) {
            (ExactFunction::Count, _) if aggregate.distinct => ("count(DISTINCT {0})", Type::Integer),
            (ExactFunction::Count, _) => ("count({0})", Type::Integer),
            (ExactFunction::Sum, Type::Integer) => {
                let form = match (postgres, aggregate.distinct) {
                    (true, false) => {
                        "pg_catalog.numeric_larger(pg_catalog.numeric_smaller(sum({0}::numeric), 9223372036854775807), -9223372036854775808)::int8"
                    }
                    (true, true) => {
                        "pg_catalog.numeric_larger(pg_catalog.numeric_smaller(sum(DISTINCT {0}::numeric), 9223372036854775807), -9223372036854775808)::int8"
                    }
                    (false, false) => {
                        "CASE WHEN sum(CAST({0} AS DECIMAL(20,0))) > 9223372036854775807 THEN 9223372036854775807L WHEN sum(CAST({0} AS DECIMAL(20,0))) < -9223372036854775808 THEN -9223372036854775807L - 1L ELSE CAST(sum(CAST({0} AS DECIMAL(20,0))) AS BIGINT) END"
                    }
                    (false, true) => return refused("a sum of different values"),
                };
                (form, Type::Integer)
            }
            (ExactFunction::Minimum | ExactFunction::Maximum, Type::Boolean) => {
                return refused("the least truth value");
            }
            (ExactFunction::Minimum, kind) => ("min({0})", kind),
            (ExactFunction::Maximum, kind) => ("max({0})", kind),
            (ExactFunction::Every, _) => ("bool_and({0})", Type::Boolean),
            (ExactFunction::Some, _) => ("bool_or({0})", Type::Boolean),
            (ExactFunction::Sum, _) => return refused("a sum of numbers with fractions"),
            (ExactFunction::Average, _) => return refused("the average"),
            (ExactFunction::Variance { .. }, _) => return refused("the variance"),
            (ExactFunction::Mode, _) => return refused("the mode"),
            (ExactFunction::QuantileContinuous(_) | ExactFunction::QuantileDiscrete(_), _) => {
                return refused("a quantile");
            }
        })
    }
}
