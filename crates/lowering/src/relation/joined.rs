//! Pairs of rows: of one owner where both sides have owners, or with public rows.

use pointillist_plan::{Join, JoinKind, Ownership, PAIRS_MAX, Type};

use super::{Relations, Rows, owner_column};
use crate::scalar;
use crate::sql::Sql;
use crate::stage::{Expression, Stage};
use crate::{Dialect, Parameter, Refusal};

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
            JoinKind::NotIn if !keys.is_empty() => {
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
            // PostgreSQL joins so by equal keys alone: what the right has more is added.
            JoinKind::Full if join.condition.is_some() => {
                let alone = self.alone(&left, &right);
                Sql::form(
                    "SELECT {0} FROM l LEFT JOIN r ON {1} UNION ALL SELECT {2} FROM r WHERE NOT EXISTS (SELECT 1 FROM l WHERE {1})",
                    &[&shown, &fits, &alone],
                )
            }
            JoinKind::Full => Sql::form("SELECT {0} FROM l FULL JOIN r ON {1}", &[&shown, &fits]),
            JoinKind::Semi => {
                Sql::form("SELECT {0} FROM l WHERE EXISTS (SELECT 1 FROM r WHERE {1})", &[&shown, &fits])
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
        let stored = match self.dialect {
            Dialect::Postgres => Sql::words(" AS MATERIALIZED "),
            Dialect::Spark => Sql::words(" AS "),
        };
        let query = match same_person && pairs_up {
            false => Sql::form("WITH l AS ({0}), r AS ({1}) {2}", &[&left_query, &right_query, &body]),
            true => {
                let numbers: Vec<Sql> = match join.kind {
                    JoinKind::NotIn => Vec::new(),
                    _ => (0..join.keys.len()).map(|number| Sql::own("j", number)).collect(),
                };
                let by: Vec<Sql> = std::iter::once(Sql::words("o")).chain(numbers.clone()).collect();
                let equal: Vec<Sql> = by.iter().map(|by| Sql::form("a.{0} = b.{0}", &[by])).collect();
                let product = match self.dialect {
                    Dialect::Postgres => "a.n::numeric * b.n::numeric",
                    Dialect::Spark => "CAST(a.n AS DECIMAL(19,0)) * CAST(b.n AS DECIMAL(19,0))",
                };
                let most = Sql::parameter(Parameter::Integer(Some(PAIRS_MAX as i64)));
                Sql::form(
                    "WITH l0{7}({0}), r0{7}({1}), h AS (SELECT a.o FROM (SELECT {2}, count(*) AS n FROM l0 GROUP BY {2}) a \
JOIN (SELECT {2}, count(*) AS n FROM r0 GROUP BY {2}) b ON {3} GROUP BY a.o HAVING sum({4}) > {5}), \
l AS (SELECT s.* FROM l0 s WHERE NOT EXISTS (SELECT 1 FROM h WHERE h.o = s.o)), \
r AS (SELECT s.* FROM r0 s WHERE NOT EXISTS (SELECT 1 FROM h WHERE h.o = s.o)) {6}",
                    &[
                        &left_query,
                        &right_query,
                        &Sql::join(&by, ", "),
                        &Sql::join(&equal, " AND "),
                        &Sql::words(product),
                        &most,
                        &body,
                        &stored,
                    ],
                )
            }
        };
        let ownership = if left_public { right.ownership } else { left.ownership };
        Ok(Rows { query, types, ownership })
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

    /// The columns of a right row beside NULL.
    fn alone(&self, left: &Rows, right: &Rows) -> Sql {
        let mut shown = Vec::new();
        if right.is_owned() {
            shown.push(Sql::words("r.o AS o"));
        }
        for (number, kind) in left.types.iter().enumerate() {
            let compared = match (self.dialect, kind) {
                (Dialect::Postgres, Type::Text) => " COLLATE \"C\"",
                _ => "",
            };
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
