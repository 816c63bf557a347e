//! Prepared statements: read once, described, and kept under a name.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointillist_pg_catalog::PgType;

use super::answer_rows::Field;
use super::refusal::Failure;
use super::statement::Command;

/// The most prepared statements of one session.
const STATEMENTS_MAX: usize = 2_048;
/// The most bytes of their texts and columns.
const BYTES_MAX: usize = 8 << 20;

/// A statement that is read, and perhaps described.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) sql: String,
    /// `None` where there is none: a comment, or nothing.
    pub(crate) command: Option<Command>,
    /// The query in it, where it has one.
    pub(crate) query: Option<Query>,
    pub(crate) shape: Shape,
}

/// A query, and who answers it.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) sql: String,
    /// How many characters of the statement stand before it.
    pub(crate) offset: usize,
    pub(crate) answerer: Answerer,
    /// The types that the client gave its parameters, where it did.
    pub(crate) declared: Vec<Option<PgType>>,
    /// Whether the ends of intervals are columns: as it was set when the statement was prepared.
    pub(crate) intervals: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Answerer {
    /// The system catalog. It is parsed when it is answered: what a parser makes of a text takes hundreds of times its room.
    System,
    /// The curator.
    Curator,
    /// Nobody: it asks for the columns alone.
    Probe,
}

/// What a statement takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) parameters: Vec<PgType>,
    /// `None` for a command, which gives no rows.
    pub(crate) fields: Option<Vec<Field>>,
}

impl Prepared {
    /// Nothing.
    pub(crate) fn empty() -> Self {
        Self { sql: String::new(), command: None, query: None, shape: Shape::default() }
    }

    /// About how much room it takes: its text is in the statement, in the command and in the query.
    pub(crate) fn bytes(&self) -> usize {
        let fields = self.shape.fields.iter().flatten();
        let columns: usize = fields.map(|field| size_of::<Field>() + field.name.len()).sum();
        3 * self.sql.len() + columns + size_of::<PgType>() * self.shape.parameters.len()
    }
}

/// All of one session.
#[derive(Default)]
pub(crate) struct PreparedStatements {
    by_name: BTreeMap<String, Arc<Prepared>>,
}

impl PreparedStatements {
    /// Keeps one; the one without a name is replaced.
    ///
    /// # Errors
    /// 42P05 when there is one of this name, 54000 when there are too many or too long ones.
    pub(crate) fn insert(&mut self, name: String, prepared: Prepared) -> Result<(), Failure> {
        if name.is_empty() {
            self.by_name.remove("");
        }
        if self.by_name.contains_key(&name) {
            return Err(Failure::new("42P05", format!("prepared statement \"{name}\" already exists")));
        }
        let bytes: usize = self.by_name.iter().map(|(name, prepared)| name.len() + prepared.bytes()).sum();
        if self.by_name.len() >= STATEMENTS_MAX || bytes + name.len() + prepared.bytes() > BYTES_MAX {
            let hint = "use DEALLOCATE for statements that are not executed any more";
            return Err(
                Failure::new("54000", "this session holds too many prepared statements").with_hint(hint)
            );
        }
        self.by_name.insert(name, Arc::new(prepared));
        Ok(())
    }

    /// # Errors
    /// 26000 when there is none.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<Prepared>, Failure> {
        self.by_name.get(name).cloned().ok_or_else(|| {
            Failure::new(
                "26000",
                match name {
                    "" => "unnamed prepared statement does not exist".to_owned(),
                    name => format!("prepared statement \"{name}\" does not exist"),
                },
            )
        })
    }

    pub(crate) fn remove(&mut self, name: &str) -> bool {
        self.by_name.remove(name).is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.by_name.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_so_many_statements_and_no_more() {
        let mut statements = PreparedStatements::default();
        let long = || Prepared { sql: "x".repeat(BYTES_MAX / 6 + 1), ..Prepared::empty() };
        statements.insert("a".to_owned(), long()).unwrap();
        assert_eq!(statements.insert("a".to_owned(), Prepared::empty()).unwrap_err().sqlstate, "42P05");
        assert_eq!(statements.insert("b".to_owned(), long()).unwrap_err().sqlstate, "54000");
        let field = Field::text("n");
        let wide =
            Shape { parameters: Vec::new(), fields: Some(vec![field; BYTES_MAX / size_of::<Field>()]) };
        let wide = Prepared { shape: wide, ..Prepared::empty() };
        assert_eq!(statements.insert("b".to_owned(), wide).unwrap_err().sqlstate, "54000");
        assert!(statements.remove("a"));
        for number in 0..STATEMENTS_MAX {
            statements.insert(number.to_string(), Prepared::empty()).unwrap();
        }
        assert_eq!(statements.insert("more".to_owned(), Prepared::empty()).unwrap_err().sqlstate, "54000");
        assert_eq!(statements.get("none").unwrap_err().sqlstate, "26000");
    }
}
