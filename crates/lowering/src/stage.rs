//! Rows seen through expressions: a subquery whose columns are computed from another one's, each operand once.
//!
//! **Why names.** A guard mentions its operand several times; putting an operand's text there would double the statement with
//! every level. An operand that is needed more than once is given a name in a layer of its own ([`Stage::name`]), and the
//! statement grows with the expression.
//! **Totality.** Layers say what is computed once, not what is computed when. Every expression is total for every operand of
//! its type wherever an optimizer moves it (`scalar.rs`): nothing rests on a layer being computed before another.

use pointillist_plan::Type;

use crate::sql::Sql;
use crate::{Dialect, Refusal};

/// The most layers of one stage: deeper statements are refused before a planner sees them.
const LAYERS_MAX: usize = 250;
/// The most columns of a layer: PostgreSQL takes 1,664.
const COLUMNS_MAX: usize = 1_600;

/// An expression over the rows of a stage.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) sql: Sql,
    pub(crate) kind: Type,
    /// In which layer everything that it names is known.
    layer: usize,
    /// Whether it is a column or a parameter: to mention it twice costs nothing.
    is_plain: bool,
}

impl Expression {
    /// An expression of these operands, in a form of the dialect.
    pub(crate) fn of(kind: Type, form: &'static str, operands: &[&Self]) -> Self {
        let pieces: Vec<&Sql> = operands.iter().map(|operand| &operand.sql).collect();
        Self::new(kind, Sql::form(form, &pieces), operands)
    }

    /// The same with a text of its own.
    pub(crate) fn new(kind: Type, sql: Sql, operands: &[&Self]) -> Self {
        let layer = operands.iter().map(|operand| operand.layer).max().unwrap_or(0);
        Self { sql, kind, layer, is_plain: false }
    }

    /// A column that is there in every layer, or a number of our own.
    pub(crate) fn own(sql: Sql) -> Self {
        Self { sql, kind: Type::Integer, layer: 0, is_plain: true }
    }

    /// A value that is bound.
    pub(crate) fn parameter(kind: Type, parameter: crate::Parameter) -> Self {
        Self { sql: Sql::parameter(parameter), kind, layer: 0, is_plain: true }
    }
}

/// What is computed from the columns of a subquery.
pub(crate) struct Stage {
    pub(crate) dialect: Dialect,
    /// The columns below, by their names there.
    columns: Vec<(Sql, Type)>,
    /// What has a name: the layer in which it is computed, and its text.
    named: Vec<(usize, Sql)>,
}

impl Stage {
    /// Over rows with these columns.
    pub(crate) fn new(dialect: Dialect, columns: Vec<(Sql, Type)>) -> Self {
        Self { dialect, columns, named: Vec::new() }
    }

    /// The columns `c0`, `c1`, … of these types.
    pub(crate) fn over(dialect: Dialect, types: &[Type]) -> Self {
        let column = |(number, kind): (usize, &Type)| (Sql::own("c", number), *kind);
        Self::new(dialect, types.iter().enumerate().map(column).collect())
    }

    /// The types of the columns below.
    pub(crate) fn types(&self) -> Vec<Type> {
        self.columns.iter().map(|(_, kind)| *kind).collect()
    }

    /// A column below.
    pub(crate) fn column(&self, position: usize) -> Result<Expression, Refusal> {
        let (sql, kind) = self.columns.get(position).ok_or_else(|| {
            Refusal::new(
                "the plan names a column that is not there",
                "this is a mistake of ours: please report it",
            )
        })?;
        Ok(Expression { sql: sql.clone(), kind: *kind, layer: 0, is_plain: true })
    }

    /// The expression as something that can be mentioned again and again.
    pub(crate) fn name(&mut self, expression: Expression) -> Result<Expression, Refusal> {
        if expression.is_plain {
            return Ok(expression);
        }
        let layer = expression.layer + 1;
        if layer > LAYERS_MAX || self.columns.len() + self.named.len() >= COLUMNS_MAX {
            return Err(Refusal::new(
                format!("the question is too large for {}", self.dialect.word()),
                "ask for less in one expression",
            ));
        }
        let known = self.named.iter().position(|(_, sql)| *sql == expression.sql);
        let number = known.unwrap_or_else(|| {
            self.named.push((layer, expression.sql));
            self.named.len() - 1
        });
        let layer = self.named[number].0;
        Ok(Expression { sql: Sql::own("v", number), kind: expression.kind, layer, is_plain: true })
    }

    /// Whether anything has a name.
    pub(crate) fn has_layers(&self) -> bool {
        !self.named.is_empty()
    }

    /// The subquery of these columns, over the rows of a subquery, where `filter` is true.
    pub(crate) fn select(
        &self,
        input: &Sql,
        columns: &[(Sql, Expression)],
        filter: Option<&Expression>,
    ) -> Sql {
        let fence = Sql::words(self.dialect.fence());
        let mut from = Sql::form("({0}) s", &[input]);
        let layers = self.named.iter().map(|(layer, _)| *layer).max().unwrap_or(0);
        for layer in 1..=layers {
            let of_layer = |(number, (at, sql)): (usize, &(usize, Sql))| {
                (*at == layer).then(|| Sql::form(", {0} AS {1}", &[sql, &Sql::own("v", number)]))
            };
            let named: Vec<Sql> = self.named.iter().enumerate().filter_map(of_layer).collect();
            from = Sql::form("(SELECT s.*{0} FROM {1}{2}) s", &[&Sql::join(&named, ""), &from, &fence]);
        }
        let mut columns: Vec<Sql> =
            columns.iter().map(|(name, value)| Sql::form("{0} AS {1}", &[&value.sql, name])).collect();
        // Spark's subqueries have a column.
        if columns.is_empty() && self.dialect == Dialect::Spark {
            columns.push(Sql::words("1 AS z"));
        }
        let columns = Sql::join(&columns, ", ");
        match filter {
            None => Sql::form("SELECT {0} FROM {1}{2}", &[&columns, &from, &fence]),
            Some(filter) => {
                Sql::form("SELECT {0} FROM {1} WHERE {2}{3}", &[&columns, &from, &filter.sql, &fence])
            }
        }
    }
}
