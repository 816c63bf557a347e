//! At most so many pairs of one person's rows are made.
//!
//! **Guarantee.** A person who would have more than [`PAIRS_MAX`] pairs in a join, with rows of their own or with public ones, has no rows
//! in it. How many they would have is counted from how many rows have which key, before any pair is made, so that whoever has
//! rows that fit very many others costs no more time than anybody else, and does not decide between an answer and a server's patience.
//! **Whose.** The number is a function of one person's rows and of public ones; nobody else's rows leave with theirs.
//! **In files** such a person keeps some of the rows (`engine/src/relation/join/limit.rs`): the one difference between engines.

use pointillist_plan::PAIRS_MAX;

use crate::sql::Sql;
use crate::{Dialect, Parameter};

/// The rows of both sides as `l` and `r`: each side's query, with keys `j0`, … and, where it has owners, `o`.
pub(super) fn limited(dialect: Dialect, sides: [(&Sql, bool); 2], keys: usize) -> Sql {
    let [(left, left_owned), (right, right_owned)] = sides;
    let keys: Vec<Sql> = (0..keys).map(|number| Sql::own("j", number)).collect();
    let counts = |rows: &'static str, is_owned: bool| {
        let by: Vec<Sql> =
            is_owned.then(|| Sql::words("o")).into_iter().chain(keys.iter().cloned()).collect();
        let rows = Sql::words(rows);
        match by.is_empty() {
            true => Sql::form("SELECT count(*) AS n FROM {0}", &[&rows]),
            false => {
                Sql::form("SELECT {1}, count(*) AS n FROM {0} GROUP BY {1}", &[&rows, &Sql::join(&by, ", ")])
            }
        }
    };
    let mut fits: Vec<Sql> = keys.iter().map(|key| Sql::form("a.{0} = b.{0}", &[key])).collect();
    if left_owned && right_owned {
        fits.push(Sql::words("a.o = b.o"));
    }
    if fits.is_empty() {
        fits.push(Sql::words("TRUE"));
    }
    let owner = Sql::words(if left_owned { "a.o" } else { "b.o" });
    let product = match dialect {
        Dialect::Postgres => "a.n::numeric * b.n::numeric",
        Dialect::Spark => "CAST(a.n AS DECIMAL(19,0)) * CAST(b.n AS DECIMAL(19,0))",
    };
    let stored = match dialect {
        Dialect::Postgres => Sql::words(" AS MATERIALIZED "),
        Dialect::Spark => Sql::words(" AS "),
    };
    let few = |rows: &'static str, is_owned: bool| {
        let form = match is_owned {
            true => "SELECT s.* FROM {0} s WHERE NOT EXISTS (SELECT 1 FROM h WHERE h.o = s.o)",
            false => "SELECT s.* FROM {0} s",
        };
        Sql::form(form, &[&Sql::words(rows)])
    };
    let most = Sql::parameter(Parameter::Integer(Some(PAIRS_MAX as i64)));
    Sql::form(
        "WITH l0{9}({0}), r0{9}({1}), h AS (SELECT {2} AS o FROM ({3}) a JOIN ({4}) b ON {5} GROUP BY {2} \
HAVING sum({6}) > {10}), l AS ({7}), r AS ({8})",
        &[
            left,
            right,
            &owner,
            &counts("l0", left_owned),
            &counts("r0", right_owned),
            &Sql::join(&fits, " AND "),
            &Sql::words(product),
            &few("l0", left_owned),
            &few("r0", right_owned),
            &stored,
            &most,
        ],
    )
}
