//! Values beside rows: places in an order, and values of rows before and after, within one person.

use pointillist_plan::{Order, Window, WindowFunction};

use super::{Relations, Rows, owner_column};
use crate::scalar;
use crate::sql::Sql;
use crate::stage::Stage;
use crate::{Dialect, Parameter, Refusal};

impl Relations<'_> {
    pub(super) fn windows(&self, input: Rows, windows: &[Window]) -> Result<Rows, Refusal> {
        let mut stage = Stage::over(self.dialect, &input.types);
        let (width, mut types) = (input.types.len(), input.types.clone());
        let mut inner = owner_column(&input);
        for number in 0..width {
            inner.push((Sql::own("c", number), stage.column(number)?));
        }
        // In one order equal rows are one like the other. In two, which of them is where in both is decided once: a server would sort
        // them as other people's rows make it, and those would change what this person has.
        let has_places =
            |window: &&Window| !matches!(window.function, WindowFunction::Rank | WindowFunction::DenseRank);
        let is_numbered = windows.iter().filter(has_places).count() > 1;
        let mut outcomes = Vec::new();
        for window in windows {
            let mut operands = Vec::new();
            let mut operand = |stage: &mut Stage, scalar| -> Result<Sql, Refusal> {
                let name = Sql::own("w", inner.len());
                inner.push((name.clone(), scalar::lower(stage, scalar)?));
                operands.push(name.clone());
                Ok(name)
            };
            let mut partition = if input.is_owned() { vec![Sql::words("o")] } else { Vec::new() };
            for by in &window.partition {
                partition.push(operand(&mut stage, by)?);
            }
            let mut order = Vec::new();
            for Order { by, descending, nulls_first, .. } in &window.order {
                let by = operand(&mut stage, by)?;
                let form = match (descending, nulls_first) {
                    (false, true) => "{0} ASC NULLS FIRST",
                    (false, false) => "{0} ASC NULLS LAST",
                    (true, true) => "{0} DESC NULLS FIRST",
                    (true, false) => "{0} DESC NULLS LAST",
                };
                order.push(Sql::form(form, &[&by]));
            }
            // Rows that compare equal are ordered by all their columns, and equal rows by their number.
            let all = (0..width).map(|number| Sql::form("{0} ASC NULLS FIRST", &[&Sql::own("c", number)]));
            let number = is_numbered.then(|| Sql::words("i ASC"));
            let total: Vec<Sql> = order.iter().cloned().chain(all).chain(number).collect();
            let kind = window.kind(&input.types).ok_or_else(|| self.no_window())?;
            let (function, order) = match &window.function {
                WindowFunction::RowNumber => (Sql::words("row_number()"), total),
                WindowFunction::Rank if !order.is_empty() => (Sql::words("rank()"), order),
                WindowFunction::DenseRank if !order.is_empty() => (Sql::words("dense_rank()"), order),
                WindowFunction::Shifted { value, back, otherwise: None } => {
                    let value = operand(&mut stage, value)?;
                    let by = i32::try_from(back.unsigned_abs()).map_err(|_| self.no_window())?;
                    let by = Sql::parameter(Parameter::Integer(Some(i64::from(by))));
                    let form = match (self.dialect, *back >= 0) {
                        (Dialect::Postgres, true) => "lag({0}, {1}::int4)",
                        (Dialect::Postgres, false) => "lead({0}, {1}::int4)",
                        (Dialect::Spark, true) => "lag({0}, CAST({1} AS INT))",
                        (Dialect::Spark, false) => "lead({0}, CAST({1} AS INT))",
                    };
                    (Sql::form(form, &[&value, &by]), total)
                }
                _ => return Err(self.no_window()),
            };
            let partition = match partition.is_empty() {
                true => Sql::default(),
                false => Sql::form("PARTITION BY {0} ", &[&Sql::join(&partition, ", ")]),
            };
            let order = match (order.is_empty(), self.dialect) {
                (true, Dialect::Postgres) => Sql::default(),
                // Rows without a column are all alike, and Spark numbers rows in an order alone.
                (true, Dialect::Spark) => Sql::words("ORDER BY NULL"),
                (false, _) => Sql::form("ORDER BY {0}", &[&Sql::join(&order, ", ")]),
            };
            let name = Sql::own("c", width + outcomes.len());
            let is_place = !matches!(window.function, WindowFunction::Shifted { .. });
            let form = match (self.dialect, is_place) {
                // Places are of 32 bits there, and whole numbers of the language of 64: as a key they would be no answer
                // after the payment, and sums of two of them would end where 32 bits do.
                (Dialect::Spark, true) => "CAST({0} OVER ({1}{2}) AS BIGINT) AS {3}",
                _ => "{0} OVER ({1}{2}) AS {3}",
            };
            outcomes.push(Sql::form(form, &[&function, &partition, &order, &name]));
            types.push(kind);
        }
        let mut shown: Vec<Sql> = owner_column(&input).into_iter().map(|(name, _)| name).collect();
        shown.extend((0..width).map(|number| Sql::own("c", number)));
        shown.extend(outcomes);
        let mut inner = stage.select(&input.query, &inner, None);
        if is_numbered {
            inner = self.numbered(&input, &inner);
        }
        let query = Sql::form("SELECT {0} FROM ({1}) s", &[&Sql::join(&shown, ", "), &inner]);
        Ok(Rows { query, types, ownership: input.ownership })
    }

    /// Each row of a person beside a number `i` of its own, in the order of all columns.
    fn numbered(&self, input: &Rows, rows: &Sql) -> Sql {
        let columns =
            (0..input.types.len()).map(|number| Sql::form("{0} ASC NULLS FIRST", &[&Sql::own("c", number)]));
        let mut order: Vec<Sql> = columns.collect();
        if order.is_empty() {
            order.push(Sql::words("1"));
        }
        let order = Sql::join(&order, ", ");
        // Computed once: a number is another one when it is computed again.
        let form = match (self.dialect, input.is_owned()) {
            (Dialect::Postgres, true) => {
                "SELECT n.*, row_number() OVER (PARTITION BY o ORDER BY {1}) AS i FROM ({0}) n OFFSET 0"
            }
            (Dialect::Postgres, false) => {
                "SELECT n.*, row_number() OVER (ORDER BY {1}) AS i FROM ({0}) n OFFSET 0"
            }
            (Dialect::Spark, true) => {
                "SELECT n.*, row_number() OVER (PARTITION BY o ORDER BY {1}) AS i FROM ({0}) n"
            }
            (Dialect::Spark, false) => "SELECT n.*, row_number() OVER (ORDER BY {1}) AS i FROM ({0}) n",
        };
        Sql::form(form, &[rows, &order])
    }

    fn no_window(&self) -> Refusal {
        Refusal::new(
            format!("this window function is not computed in {}", self.dialect.word()),
            "ROW_NUMBER, RANK, DENSE_RANK, LAG and LEAD without a default are",
        )
    }
}
