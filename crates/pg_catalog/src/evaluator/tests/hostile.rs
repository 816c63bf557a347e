//! Statements that nobody would write, and stacks that are small.

use super::*;

/// Pieces of what clients send.
const STATEMENTS: &[&str] = &[
    "SELECT n.nspname as \"Schema\", c.relname, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' END as \"Type\", pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r','p','') AND n.nspname <> 'pg_catalog' AND n.nspname !~ '^pg_toast' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1,2",
    "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_get_expr(d.adbin, d.adrelid, true) FROM pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef) FROM pg_attribute a WHERE a.attrelid = '1259' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
    "SELECT conname, conrelid::pg_catalog.regclass AS ontable FROM pg_constraint c WHERE confrelid IN (SELECT pg_partition_ancestors('1259') UNION ALL VALUES ('1259'::pg_catalog.regclass)) AND contype = 'f'",
    "WITH RECURSIVE t(oid, depth) AS (SELECT t.oid, 0 FROM pg_type t WHERE t.oid = any($1::oid[]) UNION ALL SELECT p.typelem, tt.depth + 1 FROM pg_type p, t tt WHERE p.oid = tt.oid AND tt.depth < 3) SELECT DISTINCT *, oid::regtype::text AS name FROM t ORDER BY depth DESC",
    "SELECT attr.conrelid, array_agg(CAST(attr.attname AS TEXT) ORDER BY attr.ord) AS cols FROM (SELECT con.conrelid, con.ord, a.attname FROM pg_attribute a JOIN (SELECT k.conrelid, unnest(i.indkey) AS attnum, generate_subscripts(i.indkey, 1) AS ord FROM pg_constraint k JOIN pg_index i ON k.conindid = i.indexrelid) AS con ON a.attnum = con.attnum AND a.attrelid = con.conrelid) AS attr GROUP BY attr.conrelid",
    "SELECT * FROM (SELECT n.nspname, c.relname, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) AS attnotnull, row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') as attidentity FROM pg_namespace n JOIN pg_class c ON (c.relnamespace = n.oid) JOIN pg_attribute a ON (a.attrelid=c.oid) JOIN pg_type t ON (a.atttypid = t.oid) WHERE c.relkind in ('r','p','v','f','m') AND c.relname LIKE 'vis%') c WHERE true ORDER BY nspname, c.relname, attnum",
    "SELECT result.KEY_SEQ FROM (SELECT (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM FROM pg_class ct JOIN pg_attribute a ON (ct.oid = a.attrelid) JOIN pg_index i ON ( a.attrelid = i.indrelid)) result where result.A_ATTNUM = (result.KEYS).x",
    "select ns.oid, r.r from pg_namespace as ns join ( select s.r, (current_schemas(false))[s.r] as nspname from generate_series(1, array_upper(current_schemas(false), 1)) as s(r) ) as r using ( nspname ) FULL JOIN pg_am ON true LIMIT 3 OFFSET 1",
    "SELECT array_to_string(ARRAY(SELECT x || 'y' FROM unnest('{a,b}'::text[]) WITH ORDINALITY AS u(x, n) ORDER BY n DESC), ', '), trim(both '\"' from 'a'), substring('abc' from 2), -1 & 7, 1.5 / 3, count(*) FILTER (WHERE true) FROM pg_settings GROUP BY 1 HAVING count(*) > 1",
];

/// A small generator, so that a failure comes again.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

fn words(sql: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for sign in sql.chars() {
        let in_word = sign.is_alphanumeric() || sign == '_';
        match words.last_mut() {
            Some(last) if in_word && last.chars().all(|sign| sign.is_alphanumeric() || sign == '_') => {
                last.push(sign)
            }
            _ => words.push(sign.to_string()),
        }
    }
    words
}

fn mutated(draws: &mut Draws, pool: &[Vec<String>]) -> String {
    let mut words = pool[draws.below(pool.len())].clone();
    for _ in 0..=draws.below(3) {
        let at = draws.below(words.len());
        let other = &pool[draws.below(pool.len())];
        let from = draws.below(other.len());
        let to = (from + 1 + draws.below(8)).min(other.len());
        match draws.below(4) {
            0 => drop(words.remove(at)),
            1 => words[at] = other[from].clone(),
            2 => drop(words.splice(at..at, other[from..to].iter().cloned())),
            _ => {
                let with = draws.below(words.len());
                words.swap(at, with);
            }
        }
    }
    words.concat()
}

/// Specification: whatever the statement, nothing panics; what is executed has the columns that were described, and values
/// that their types can show.
#[test]
fn mutated_statements_of_clients_never_panic() {
    let work = || {
        let pool: Vec<Vec<String>> = STATEMENTS.iter().map(|sql| words(sql)).collect();
        let mut draws = Draws(20_240_229);
        let mut answered = 0;
        for _ in 0..4_000 {
            let sql = mutated(&mut draws, &pool);
            let _ = route(system(), &sql);
            let Ok(question) = Question::parse(&sql, &[]) else { continue };
            let mut settings = Settings::new("ana");
            let mut session =
                Session { user: "ana", database: "shop", backend_pid: 7, now: NOW, settings: &mut settings };
            let Ok(described) = question.describe(system(), &session) else { continue };
            let parameters = vec![PgValue::Null; described.parameters.len()];
            let Ok(outcome) = question.execute(system(), &mut session, &parameters) else { continue };
            assert_eq!(outcome.columns, described.columns, "{sql}");
            for (value, (name, kind)) in outcome.rows.iter().flat_map(|row| row.iter().zip(&outcome.columns))
            {
                let shown = *value == PgValue::Null || encode_text(value, *kind).is_some();
                assert!(shown, "{name} {kind:?} {value:?}: {sql}");
            }
            answered += 1;
        }
        assert!(answered > 150, "{answered}");
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.expect("a thread").join().expect("no panic");
}

/// Specification: the deepest statements that the parser lets through fit a stack of 2 MiB.
#[test]
fn deep_statements_fit_a_small_stack() {
    let work = || {
        let wrap = |open: &str, inside: &str, close: &str, times: usize| {
            format!("SELECT {}{inside}{}", open.repeat(times), close.repeat(times))
        };
        let mut answered = 0;
        for times in [1, 3, 10, 20, 30, 40, 44, 46, 48, 60, 110, 119, 200, 900] {
            for sql in [
                wrap("(", "1", ")", times),
                wrap("(SELECT ", "1", ")", times),
                wrap("1 + (SELECT ", "1", ")", times),
                wrap("abs(", "1", ")", times),
                wrap("CASE WHEN true THEN ", "1", " END", times),
                wrap("ARRAY(SELECT ", "1", ")", times),
                wrap("NOT ", "true", "", times),
                wrap("1 IN (SELECT ", "1", ")", times),
                wrap("* FROM (SELECT ", "1", ") x", times),
                wrap("1 FROM LATERAL (SELECT ", "1", ") x", times),
                wrap("", "1", " || 'a'", times),
                wrap("", "1", " IS NULL", times),
                wrap("", "1", " COLLATE \"C\"", times),
                wrap("", "1", " UNION SELECT 1", times),
                wrap("", "1", "::int", times),
                wrap("(WITH x AS (SELECT 1) SELECT ", "1", ")", times),
                // The parser itself needs more stack for joins in brackets than for anything else.
                format!(
                    "SELECT 1 FROM {}pg_am{}",
                    "(".repeat(times.min(30)),
                    " JOIN pg_am b ON false)".repeat(times.min(30))
                ),
                format!(
                    "SELECT 1 FROM pg_am{}",
                    (0..times).map(|at| format!(" JOIN pg_am t{at} USING (oid)")).collect::<String>()
                ),
                format!("SELECT '1'::int{}", "[]".repeat(times)),
            ] {
                let _ = route(system(), &sql);
                answered += usize::from(outcome(&sql, &[]).is_ok());
            }
        }
        assert!(answered > 100, "{answered}");
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.expect("a thread").join().expect("no overflow");
}

/// Specification: no statement makes a text that is longer by a power of its own length; rows have no rows inside, whichever
/// way they would come there.
#[test]
fn rows_inside_rows_are_refused() {
    assert_eq!(ask("SELECT ROW(1, 'a b'), ARRAY[ROW(1, 2)]"), "(1,\"a b\")|{\"(1,2)\"}");
    let deep = format!("SELECT {}1{}", "ROW(".repeat(38), ")".repeat(38));
    for sql in [
        deep.as_str(),
        "SELECT ROW(ROW(1))",
        "SELECT ROW(ROW(1))::text",
        "SELECT ROW(ARRAY[ROW(1)])",
        "SELECT t FROM (SELECT ROW(1) AS x) t",
        "SELECT information_schema._pg_expandarray(ARRAY[ROW(1)])",
    ] {
        assert_eq!(state(sql), "0A000", "{sql}");
    }
}

/// Specification: a statement ends soon after nobody waits for it any more.
#[test]
fn a_statement_that_nobody_waits_for_ends() {
    let mut settings = Settings::new("ana");
    let mut session =
        Session { user: "ana", database: "shop", backend_pid: 7, now: NOW, settings: &mut settings };
    let question = Question::parse("SELECT count(*) FROM generate_series(1, 100000) AS g(n)", &[]).unwrap();
    assert!(question.execute_unless(system(), &mut session, &[], &|| false).is_ok());
    let looks = std::cell::Cell::new(0);
    let on_the_third = || looks.replace(looks.get() + 1) == 2;
    let stopped = question.execute_unless(system(), &mut session, &[], &on_the_third).unwrap_err();
    assert_eq!((stopped.sqlstate, looks.get()), ("57014", 3));
}
