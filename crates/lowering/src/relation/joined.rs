//! Pairs of rows: of one owner where both sides have owners, or with public rows.

use pointillist_plan::{Join, JoinKind, Ownership, Type};

use super::{Relations, Rows, owner_column, pair_limit};
use crate::scalar;
use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::{Dialect, Refusal};

impl Relations<'_> {
    pub(super) fn join(&self, join: &Join, left: Rows, right: Rows) -> Result<Rows, Refusal> {
        let (left_public, right_public) =
            (left.ownership == Ownership::Nobody, right.ownership == Ownership::Nobody);
        let is_lost = match join.kind {
            JoinKind::Inner => false,
            JoinKind::Full => left_public != right_public,
            JoinKind::Left | JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn => {
                left_public && !right_public
            }
        };
        if is_lost {
            return Err(Refusal::new(
                "public rows are kept beside people's",
                "join people's rows to public ones",
            ));
        }
        let asks = matches!(join.kind, JoinKind::Semi | JoinKind::Anti | JoinKind::NotIn);
        let each_row = [&left, &right].iter().any(|side| side.ownership == Ownership::EachRow);
        if each_row && !(asks && right_public) {
            return Err(Refusal::new(
                format!("a row that is a person might become several in {}", self.dialect.word()),
                "declare a column as `privacy_unit`, or ask with IN or EXISTS",
            ));
        }
        let (left_keys, right_keys): (Vec<_>, Vec<_>) = join.keys.iter().cloned().unzip();
        let (left_query, right_query) = (self.keyed(&left, &left_keys)?, self.keyed(&right, &right_keys)?);
        let same_person = left.is_owned() && right.is_owned();
        let mut fits: Vec<Sql> = Vec::new();
        if same_person {
            fits.push(Sql::words("l.o = r.o"));
        }
        let keys = (0..join.keys.len()).map(|number| {
            let key = Sql::own("j", number);
            Sql::form("l.{0} = r.{0}", &[&key])
        });
        let keys: Vec<Sql> = keys.collect();
        match join.kind {
            JoinKind::NotIn if join.condition.is_some() => {
                return Err(Refusal::new(
                    "NOT IN with a further condition is not asked elsewhere",
                    "use NOT EXISTS",
                ));
            }
            // A comparison that is unknown keeps a row out as much as a true one.
            JoinKind::NotIn if keys.len() > 1 => {
                fits.push(Sql::form("({0}) IS NOT FALSE", &[&Sql::join(&keys, " AND ")]));
            }
            _ => fits.extend(keys),
        }
        let condition = join.condition.as_ref().map(|condition| self.condition(condition, &left, &right));
        fits.extend(condition.transpose()?);
        if fits.is_empty() {
            fits.push(Sql::words("TRUE"));
        }
        let fits = Sql::join(&fits, " AND ");
        let types = match asks {
            true => left.types.clone(),
            false => [left.types.clone(), right.types.clone()].concat(),
        };
        let shown = self.shown(join, &left, &right, asks);
        let body = match join.kind {
            JoinKind::Inner => Sql::form("SELECT {0} FROM l JOIN r ON {1}", &[&shown, &fits]),
            JoinKind::Left => Sql::form("SELECT {0} FROM l LEFT JOIN r ON {1}", &[&shown, &fits]),
            // PostgreSQL joins so by equal keys alone: what the right has more is added. Spark joins so by any condition, and
            // does not plan the other form where a condition looks at neither side.
            JoinKind::Full if join.condition.is_some() && self.dialect == Dialect::Postgres => {
                let alone = self.alone(&left, &right);
                Sql::form(
                    "SELECT {0} FROM l LEFT JOIN r ON {1} UNION ALL SELECT {2} FROM r WHERE NOT EXISTS (SELECT 1 FROM l WHERE {1})",
                    &[&shown, &fits, &alone],
                )
            }
            JoinKind::Full => Sql::form("SELECT {0} FROM l FULL JOIN r ON {1}", &[&shown, &fits]),
            // Spark takes `EXISTS (SELECT 1 FROM r WHERE FALSE)` for true; its joins of that kind are right.
            JoinKind::Semi if self.dialect == Dialect::Spark => {
                Sql::form("SELECT {0} FROM l LEFT SEMI JOIN r ON {1}", &[&shown, &fits])
            }
            JoinKind::Semi => {
                Sql::form("SELECT {0} FROM l WHERE EXISTS (SELECT 1 FROM r WHERE {1})", &[&shown, &fits])
            }
            JoinKind::NotIn if join.keys.len() == 1 => self.not_in(&shown, &fits, same_person),
            JoinKind::Anti | JoinKind::NotIn if self.dialect == Dialect::Spark => {
                Sql::form("SELECT {0} FROM l LEFT ANTI JOIN r ON {1}", &[&shown, &fits])
            }
            JoinKind::Anti | JoinKind::NotIn => {
                Sql::form("SELECT {0} FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE {1})", &[&shown, &fits])
            }
        };
        let pairs_up = match join.kind {
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => true,
            JoinKind::Semi | JoinKind::Anti => join.condition.is_some(),
            JoinKind::NotIn => join.keys.len() != 1,
        };
        let query = match pairs_up && (left.is_owned() || right.is_owned()) {
            false => Sql::form("WITH l AS ({0}), r AS ({1}) {2}", &[&left_query, &right_query, &body]),
            true => {
                // NULL may equal anything in `NOT IN`: all pairs count.
                let keys = if join.kind == JoinKind::NotIn { 0 } else { join.keys.len() };
                let sides = [(&left_query, left.is_owned()), (&right_query, right.is_owned())];
                Sql::form("{0} {1}", &[&pair_limit::limited(self.dialect, sides, keys), &body])
            }
        };
        let ownership = if left_public { right.ownership } else { left.ownership };
        Ok(Rows { query, types, ownership })
    }

    /// NOT IN by one key. Looked up by equal keys alone, so that a row costs one look however many rows are on the right: a row of
    /// which something is known, unless its equal or an unknown one is there; an unknown row where there is none at all.
    fn not_in(&self, shown: &Sql, fits: &Sql, same_person: bool) -> Sql {
        let whose = Sql::words(if same_person { "l.o = r.o" } else { "TRUE" });
        let form = match self.dialect {
            Dialect::Postgres => {
                "SELECT {0} FROM l WHERE l.j0 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM r WHERE {1}) \
AND NOT EXISTS (SELECT 1 FROM r WHERE {2} AND r.j0 IS NULL) \
UNION ALL SELECT {0} FROM l WHERE l.j0 IS NULL AND NOT EXISTS (SELECT 1 FROM r WHERE {2})"
            }
            Dialect::Spark => {
                "SELECT {0} FROM (SELECT l.* FROM l LEFT ANTI JOIN r ON {1} WHERE l.j0 IS NOT NULL) l \
LEFT ANTI JOIN (SELECT r.* FROM r WHERE r.j0 IS NULL) r ON {2} \
UNION ALL SELECT {0} FROM l LEFT ANTI JOIN r ON {2} WHERE l.j0 IS NULL"
            }
        };
        Sql::form(form, &[shown, fits, &whose])
    }

    /// Rows with what they are matched by beside them, as `j0`, `j1`, ….
    fn keyed(&self, rows: &Rows, keys: &[pointillist_plan::Scalar]) -> Result<Sql, Refusal> {
        let mut stage = Stage::over(self.dialect, &rows.types);
        let mut shown = owner_column(rows);
        for number in 0..rows.types.len() {
            shown.push((Sql::own("c", number), stage.column(number)?));
        }
        for (number, key) in keys.iter().enumerate() {
            shown.push((Sql::own("j", number), scalar::lower(&mut stage, key)?));
        }
        if shown.is_empty() {
            shown.push((Sql::words("z"), Expression::own(Sql::words("1"))));
        }
        Ok(stage.select(&rows.query, &shown, None))
    }

    /// What else must be true, over both rows.
    fn condition(
        &self,
        condition: &pointillist_plan::Scalar,
        left: &Rows,
        right: &Rows,
    ) -> Result<Sql, Refusal> {
        let side = |letter: &'static str, rows: &Rows| {
            let column = move |(number, kind): (usize, &Type)| {
                (Sql::form("{0}.{1}", &[&Sql::words(letter), &Sql::own("c", number)]), *kind)
            };
            rows.types.iter().enumerate().map(column).collect::<Vec<_>>()
        };
        let mut stage = Stage::new(self.dialect, [side("l", left), side("r", right)].concat());
        let condition = scalar::lower(&mut stage, condition)?;
        match stage.has_layers() {
            false => Ok(Sql::form("({0})", &[&condition.sql])),
            true => Err(Refusal::new(
                "a join's condition computes more than a comparison",
                "compute it in a subquery of each side, and compare in the join",
            )),
        }
    }

    /// The columns of a right row beside NULL, in PostgreSQL.
    fn alone(&self, left: &Rows, right: &Rows) -> Sql {
        let mut shown = Vec::new();
        if right.is_owned() {
            shown.push(Sql::words("r.o AS o"));
        }
        for (number, kind) in left.types.iter().enumerate() {
            let compared = if *kind == Type::Text { " COLLATE \"C\"" } else { "" };
            let pieces =
                [Sql::words(self.dialect.type_name(*kind)), Sql::words(compared), Sql::own("c", number)];
            shown.push(Sql::form("CAST(NULL AS {0}){1} AS {2}", &[&pieces[0], &pieces[1], &pieces[2]]));
        }
        for number in 0..right.types.len() {
            let name = Sql::own("c", left.types.len() + number);
            shown.push(Sql::form("r.{0} AS {1}", &[&Sql::own("c", number), &name]));
        }
        if shown.is_empty() {
            shown.push(Sql::words("1 AS z"));
        }
        Sql::join(&shown, ", ")
    }

    fn shown(&self, join: &Join, left: &Rows, right: &Rows, asks: bool) -> Sql {
        let mut shown = Vec::new();
        match (left.is_owned(), right.is_owned(), join.kind) {
            (true, true, JoinKind::Full) => shown.push(Sql::words("coalesce(l.o, r.o) AS o")),
            (true, _, _) => shown.push(Sql::words("l.o AS o")),
            (false, true, _) => shown.push(Sql::words("r.o AS o")),
            (false, false, _) => {}
        }
        for number in 0..left.types.len() {
            shown.push(Sql::form("l.{0} AS {0}", &[&Sql::own("c", number)]));
        }
        for number in 0..if asks { 0 } else { right.types.len() } {
            let name = Sql::own("c", left.types.len() + number);
            shown.push(Sql::form("r.{0} AS {1}", &[&Sql::own("c", number), &name]));
        }
        if shown.is_empty() {
            shown.push(Sql::words("1 AS z"));
        }
        Sql::join(&shown, ", ")
    }
}
