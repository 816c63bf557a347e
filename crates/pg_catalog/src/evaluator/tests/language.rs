//! The language itself.

use super::*;

#[test]
fn values_are_computed_as_in_postgres() {
    for (sql, answer) in [
        ("SELECT 1", "1"),
        ("SELECT 1 + 2 * 3, 7 / 2, -7 / 2, 7 % 3, 2 ^ 3, 5 & 3", "7|3|-3|1|8|1"),
        ("SELECT 1.5 + 1, 10 / 4.0, 0.1 + 0.2", "2.5|2.5000000000000000|0.3"),
        ("SELECT 'a' || 'b' || 1, NULL || 'a'", "ab1|-"),
        ("SELECT NULL AND false, NULL OR true, NOT NULL::boolean", "f|t|-"),
        ("SELECT NULL AND true, true AND NULL, NULL OR false, false OR NULL", "-|-|-|-"),
        ("SELECT NULL = NULL, NULL IS DISTINCT FROM 1, 1 IS NOT DISTINCT FROM 1", "-|t|t"),
        ("SELECT 2 BETWEEN 1 AND 3, 2 NOT BETWEEN 1 AND 3, 2 IN (1, NULL), 1 NOT IN (2, 3)", "t|f|-|t"),
        ("SELECT CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN false THEN 1 END", "b|-"),
        ("SELECT CASE true WHEN true THEN 1 ELSE 2 END", "1"),
        (
            "SELECT COALESCE(NULL, 'x'), NULLIF(1, 1), NULLIF('a', ''), GREATEST(1, 3, 2), LEAST(2, NULL, 1)",
            "x|-|a|3|1",
        ),
        (
            "SELECT 'abc' LIKE 'a%', 'abc' LIKE 'a_', 'a%c' LIKE 'a/%c' ESCAPE '/', 'ABC' ILIKE 'abc'",
            "t|f|t|t",
        ),
        ("SELECT 'pg_x' ~ '^pg_', 'x' !~ '^pg_', 'ABC' ~* 'b', 'a' ~~ 'a'", "t|t|t|t"),
        ("SELECT 'visits' OPERATOR(pg_catalog.~) '^(visits)$' COLLATE pg_catalog.default", "t"),
        ("SELECT ARRAY[1,2,3], ARRAY[1,2] || 3, ARRAY['a'] || ARRAY['b']", "{1,2,3}|{1,2,3}|{a,b}"),
        ("SELECT ('{a,b}'::text[])[2], (ARRAY[1,2,3])[5], ('1 2'::int2vector)[0]", "b|-|1"),
        ("SELECT 'b' = ANY ('{a,b}'::text[]), 1 <> ALL (ARRAY[1,2]), 3 = ANY (ARRAY[1,NULL])", "t|f|-"),
        ("SELECT '16'::oid = '16', 't'::bool, 'x'::\"char\" = 'x', '12'::int2 + 1", "t|t|t|13"),
        ("SELECT 1::text, '7'::int, 1.5::int, 2.5::int, true::int, 0::bool, 1e3::float8", "1|7|2|3|1|f|1000"),
        ("SELECT (1, 2) = (1, 2), (1, 2) < (1, 3), ROW(1, NULL) = ROW(2, NULL)", "t|t|f"),
        (
            "SELECT true::text, 'x' || false, concat(true), pg_typeof(1.5), 'abc'::varchar(2), 'abc'::char",
            "true|xfalse|t|numeric|ab|a",
        ),
        ("SELECT 'x' LIKE ANY (ARRAY['y%', 'x%']), 1 << 4, 3 # 5, 3 | 4", "t|16|6|7"),
        ("SELECT relname FROM pg_class WHERE oid = 1259 GROUP BY oid HAVING count(*) = 1", "pg_class"),
        ("SELECT E'a\\nb' = 'a' || chr(10) || 'b'", "t"),
        (
            "SELECT 9223372036854775807, 123456789012345678901234567890",
            "9223372036854775807|123456789012345678901234567890",
        ),
        ("SELECT extract(year from date '2024-02-29'), date '2024-02-29' + 1", "2024|2024-03-01"),
    ] {
        assert_eq!(ask(sql), answer, "{sql}");
    }
}

#[test]
fn functions_of_texts_and_arrays() {
    for (sql, answer) in [
        (
            "SELECT lower('AB'), upper('ab'), length('äb'), substring('abcd' from 2 for 2), substring('abc', 0, 2)",
            "ab|AB|2|bc|a",
        ),
        (
            "SELECT trim(both '\"' from '\"a\"'), trim('  a '), btrim('xax', 'x'), replace('aba', 'a', 'cc')",
            "a|a|a|ccbcc",
        ),
        (
            "SELECT left('abc', 2), right('abc', -1), strpos('abc', 'c'), position('b' in 'abc'), split_part('a,b', ',', 2)",
            "ab|bc|3|2|b",
        ),
        (
            "SELECT quote_ident('a b'), quote_ident('select'), quote_ident('a'), quote_literal('o''k')",
            "\"a b\"|\"select\"|a|'o''k'",
        ),
        (
            "SELECT quote_literal(5::int8::text), format('%I.%s = %L %%', 'A', 1, NULL), format('%2$s', 1, 2)",
            "'5'|\"A\".1 = NULL %|2",
        ),
        (
            "SELECT parse_ident('\"A b\".Visits'), array_length(parse_ident('visits'), 1)",
            "{\"A b\",visits}|1",
        ),
        ("SELECT concat('a', NULL, 1), concat_ws(',', 'a', NULL, 'b')", "a1|a,b"),
        (
            "SELECT array_to_string(ARRAY[1,NULL,3], ','), array_to_string(ARRAY[1,NULL], ',', 'x'), string_to_array('a,b', ',')",
            "1,3|1,x|{a,b}",
        ),
        (
            "SELECT array_lower('1 2'::int2vector, 1), array_upper(ARRAY[5,6], 1), cardinality(ARRAY[1]), array_length('{}'::int[], 1)",
            "0|2|1|-",
        ),
        (
            "SELECT json_build_object('a', 1, 'b', NULL, 'c', true), to_json('x\"'::text)",
            "{\"a\" : 1, \"b\" : null, \"c\" : true}|\"x\\\"\"",
        ),
        (
            "SELECT abs(-3), floor(1.5), ceil(-1.5), round(2.345, 2), round(2.5), floor(2.5::float8)",
            "3|1|-1|2.35|3|2",
        ),
        (
            "SELECT current_user, session_user, user, current_database(), current_schema(), (current_schemas(true))[1], pg_backend_pid()",
            "ana|ana|ana|shop|public|pg_catalog|7",
        ),
        (
            "SELECT now(), current_timestamp, CURRENT_DATE, localtimestamp, now() = current_timestamp, extract(year from now())",
            "2026-11-16 12:34:56.5+00|2026-11-16 12:34:56.5+00|2026-11-16|2026-11-16 12:34:56.5|t|2026",
        ),
        ("SELECT current_setting('jit') AS cur, set_config('jit', 'off', false) AS new", "off|off"),
        ("SELECT current_setting('server_version_num')::int/100 as version", "1500"),
    ] {
        assert_eq!(ask(sql), answer, "{sql}");
    }
}

#[test]
fn tables_are_joined_in_every_way() {
    let two = "(VALUES (1, 'a'), (2, 'b'), (3, NULL)) l(x, s)";
    let other = "(VALUES (2, 'B'), (3, 'C'), (4, 'D')) r(x, t)";
    for (sql, answer) in [
        (format!("SELECT l.x, t FROM {two} JOIN {other} ON l.x = r.x ORDER BY 1"), "2|B/3|C"),
        (format!("SELECT l.x, t FROM {two} LEFT JOIN {other} ON l.x = r.x ORDER BY 1"), "1|-/2|B/3|C"),
        (format!("SELECT r.x, s FROM {two} RIGHT JOIN {other} ON l.x = r.x ORDER BY 1"), "2|b/3|-/4|-"),
        (
            format!("SELECT x, s, t FROM {two} FULL JOIN {other} USING (x) ORDER BY 1"),
            "1|a|-/2|b|B/3|-|C/4|-|D",
        ),
        (format!("SELECT * FROM {two} JOIN {other} USING (x) ORDER BY x"), "2|b|B/3|-|C"),
        (format!("SELECT * FROM {two} NATURAL JOIN {other} ORDER BY x"), "2|b|B/3|-|C"),
        (format!("SELECT count(*) FROM {two}, {other}"), "9"),
        (format!("SELECT count(*) FROM {two} CROSS JOIN {other} WHERE l.x < r.x"), "6"),
        (
            format!(
                "SELECT l.x FROM {two} LEFT JOIN {other} ON l.x = r.x AND t = 'B' WHERE t IS NULL ORDER BY 1"
            ),
            "1/3",
        ),
        (
            format!(
                "SELECT l.x FROM {two} LEFT JOIN {other} ON l.x = r.x AND l.s = 'b' WHERE r.x IS NOT NULL"
            ),
            "2",
        ),
        (
            format!("SELECT x, y FROM {two}, LATERAL (SELECT l.x * 10 AS y) m ORDER BY 1 DESC LIMIT 2"),
            "3|30/2|20",
        ),
        (
            format!("SELECT l.x, g FROM {two}, generate_series(1, l.x) g WHERE l.x < 3 ORDER BY 1, 2"),
            "1|1/2|1/2|2",
        ),
        (
            format!("SELECT l.x, u FROM {two} LEFT JOIN LATERAL unnest(ARRAY[l.x]) u ON u > 1 ORDER BY 1"),
            "1|-/2|2/3|3",
        ),
    ] {
        assert_eq!(ask(&sql), answer, "{sql}");
    }
}

#[test]
fn queries_inside_queries() {
    for (sql, answer) in [
        ("SELECT (SELECT max(x) FROM (VALUES (1), (2)) v(x))", "2"),
        (
            "SELECT x FROM (VALUES (1), (2)) v(x) WHERE EXISTS (SELECT 1 FROM (VALUES (2)) w(y) WHERE y = x)",
            "2",
        ),
        (
            "SELECT x FROM (VALUES (1), (2)) v(x) WHERE NOT EXISTS (SELECT 1 FROM (VALUES (2)) w(y) WHERE y = v.x)",
            "1",
        ),
        (
            "SELECT x IN (SELECT y FROM (VALUES (2), (NULL)) w(y)) FROM (VALUES (1), (2)) v(x) ORDER BY x",
            "-/t",
        ),
        (
            "SELECT 3 NOT IN (SELECT y FROM (VALUES (2)) w(y)), 2 = ANY (SELECT 2), 1 < ALL (SELECT 2 UNION SELECT 0)",
            "t|t|f",
        ),
        ("SELECT ARRAY(SELECT x FROM (VALUES (2), (1)) v(x) ORDER BY x)", "{1,2}"),
        ("WITH a AS (SELECT 1 AS x), b(y) AS (SELECT x + 1 FROM a) SELECT x, y FROM a, b", "1|2"),
        (
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n), count(*) FROM t",
            "15|5",
        ),
        (
            "WITH RECURSIVE t(n) AS (VALUES (1) UNION SELECT n % 3 + 1 FROM t) SELECT n FROM t ORDER BY 1",
            "1/2/3",
        ),
        (
            "SELECT x, (WITH RECURSIVE t(n) AS (SELECT x UNION ALL SELECT n - 1 FROM t WHERE n > 1) SELECT count(*) FROM t) FROM (VALUES (1), (3)) v(x)",
            "1|1/3|3",
        ),
        (
            "SELECT x, (WITH c AS (SELECT v.x * 10 AS y) SELECT (SELECT max(y) FROM c) + (SELECT 1)) FROM (VALUES (1), (2)) v(x) ORDER BY 1",
            "1|11/2|21",
        ),
        (
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT (SELECT max(n) FROM t) + 1 FROM t WHERE n < 3) SELECT sum(n) FROM t",
            "6",
        ),
        (
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT m FROM (WITH w AS (SELECT n + 1 AS m FROM t) SELECT m FROM w WHERE m IN (SELECT m FROM w)) q WHERE m < 4) SELECT sum(n) FROM t",
            "6",
        ),
        ("SELECT 1 UNION SELECT 1 UNION ALL SELECT 2 ORDER BY 1 DESC", "2/1"),
        ("SELECT 1 EXCEPT SELECT 2", "1"),
        ("(SELECT 1 AS a UNION ALL SELECT 2) INTERSECT SELECT 2", "2"),
        ("SELECT '7' UNION SELECT 8::int8 ORDER BY 1", "7/8"),
        ("SELECT * FROM (VALUES (1, NULL), (2, 'x')) v ORDER BY column1 DESC", "2|x/1|-"),
        ("(SELECT 2 AS a ORDER BY a LIMIT 1) UNION ALL SELECT 1", "2/1"),
    ] {
        assert_eq!(ask(sql), answer, "{sql}");
    }
}

#[test]
fn groups_windows_and_order() {
    let from = "FROM (VALUES ('a', 1), ('b', 2), ('a', 3), ('b', NULL)) v(k, n)";
    for (list, answer) in [
        ("k, count(*), count(n), sum(n), min(n), max(n) @ GROUP BY k ORDER BY k", "a|2|2|4|1|3/b|2|1|2|2|2"),
        ("k AS key, count(*) @ GROUP BY key ORDER BY 2 DESC, key LIMIT 1", "a|2"),
        ("k, count(*) @ GROUP BY 1 HAVING sum(n) > 3", "a|2"),
        (
            "array_agg(n ORDER BY n DESC NULLS LAST), string_agg(k, ',' ORDER BY k), bool_and(n > 0), bool_or(n > 2) @",
            "{3,2,1,-}|a,a,b,b|t|t",
        ),
        ("count(DISTINCT k), count(*) FILTER (WHERE n > 1), avg(n) @", "2|2|2.0000000000000000"),
        ("DISTINCT k @ ORDER BY k DESC", "b/a"),
        ("DISTINCT ON (k) k, n @ ORDER BY k, n DESC NULLS LAST", "a|3/b|2"),
        ("k, row_number() OVER (PARTITION BY k ORDER BY n) AS i @ ORDER BY k, i", "a|1/a|2/b|1/b|2"),
        ("n @ ORDER BY n", "1/2/3/-"),
        ("n @ ORDER BY n DESC", "-/3/2/1"),
        ("n @ ORDER BY n NULLS FIRST OFFSET 1 LIMIT 2", "1/2"),
        ("n @ ORDER BY -n LIMIT 1", "3"),
        ("count(*) @ WHERE false", "0"),
        ("max(n) @ WHERE false", "-"),
        ("count(*) @ WHERE false GROUP BY k", ""),
        ("sum(n) + 1 AS s, k @ GROUP BY k ORDER BY s", "3|b/5|a"),
    ] {
        let sql = format!("SELECT {}", list.replace('@', from));
        assert_eq!(ask(&sql).replace("NULL", "-"), answer, "{sql}");
    }
}

#[test]
fn functions_that_give_rows() {
    for (sql, answer) in [
        ("SELECT unnest(ARRAY[1,2]), unnest(ARRAY['a','b','c'])", "1|a/2|b/-|c"),
        ("SELECT generate_series(1, 3)", "1/2/3"),
        ("SELECT generate_series(3, 1, -2) AS i ORDER BY i", "1/3"),
        ("SELECT unnest('{}'::int[])", ""),
        (
            "SELECT unnest('5 7'::int2vector) AS attnum, generate_subscripts('5 7'::int2vector, 1) AS ord",
            "5|0/7|1",
        ),
        (
            "SELECT (information_schema._pg_expandarray('5 7'::int2vector)).n, (information_schema._pg_expandarray('5 7'::int2vector)).x",
            "1|5/2|7",
        ),
        (
            "SELECT n, (k).x, (k).n FROM (SELECT 1 AS n, information_schema._pg_expandarray('5 7'::int2vector) AS k) r WHERE (k).n = 2",
            "1|7|2",
        ),
        ("SELECT * FROM unnest(ARRAY['a','b']) WITH ORDINALITY AS t(x, n)", "a|1/b|2"),
        ("SELECT * FROM generate_series(1, 2) AS s(r), string_to_array('a,b', ',') z", "1|{a,b}/2|{a,b}"),
        (
            "SELECT trim(s[i]) FROM generate_series(array_lower(string_to_array('a, b', ','),1), array_upper(string_to_array('a, b', ','),1)) as i, string_to_array('a, b', ',') s",
            "a/b",
        ),
        ("SELECT count(*) > 400 FROM pg_get_keywords()", "t"),
        (
            "SELECT string_agg(word, ',') FROM pg_catalog.pg_get_keywords() WHERE word <> ALL ('{a,abs}'::text[]) AND word IN ('abs', 'all')",
            "all",
        ),
    ] {
        assert_eq!(ask(sql), answer, "{sql}");
    }
}

#[test]
fn columns_have_the_names_and_types_that_postgres_gives() {
    for (sql, answer) in [
        (
            "SELECT 1, 'a', 1 + 1, true, NULL",
            "?column? integer, ?column? text, ?column? integer, bool boolean, ?column? text",
        ),
        (
            "SELECT lower('A'), count(*), 1::int8, '1'::text, relname::text FROM pg_class GROUP BY relname",
            "lower text, count bigint, int8 bigint, text text, relname text",
        ),
        (
            "SELECT CASE WHEN true THEN 1 END, ARRAY[1], EXISTS (SELECT 1), ARRAY(SELECT 'a'::name), COALESCE(1, 2)",
            "case integer, array integer[], exists boolean, array name[], coalesce integer",
        ),
        (
            "SELECT c.relname, c.oid, relkind, (SELECT nspname FROM pg_namespace LIMIT 1) FROM pg_class c",
            "relname name, oid oid, relkind \"char\", nspname name",
        ),
        ("SELECT CASE WHEN true THEN '' ELSE relname END FROM pg_class", "relname name"),
        (
            "SELECT a.b, (a.b).x FROM (SELECT information_schema._pg_expandarray('1'::int2vector) AS b) a",
            "b record, x smallint",
        ),
        (
            "SELECT now(), current_timestamp, current_date, localtimestamp, transaction_timestamp()",
            "now timestamp with time zone, current_timestamp timestamp with time zone, current_date date, localtimestamp timestamp without time zone, transaction_timestamp timestamp with time zone",
        ),
        (
            "SELECT current_user, CURRENT_SCHEMA, current_schemas(false)",
            "current_user name, current_schema name, current_schemas name[]",
        ),
        (
            "SELECT sum(1), sum(1::int8), avg(1), min('a'::name), max(1::int2), sum(1.5::float8)",
            "sum bigint, sum numeric, avg numeric, min text, max smallint, sum double precision",
        ),
        (
            "SELECT 'visits'::regclass, '1'::pg_catalog.oid, CAST('x' AS VARCHAR), 'a'::char",
            "regclass regclass, oid oid, varchar character varying, bpchar character",
        ),
    ] {
        assert_eq!(columns(sql), answer, "{sql}");
    }
}

#[test]
fn parameters_have_the_types_of_what_they_are_put_beside() {
    for (sql, answer) in [
        (
            "SELECT 1 FROM pg_class WHERE relname = $1 AND oid = $2 AND relkind = ANY($3)",
            "name, oid, \"char\"[]",
        ),
        ("SELECT $1::oid[], $2::int8, $3", "oid[], bigint, text"),
        ("SELECT 1 FROM pg_type t WHERE t.oid = to_regtype($1)", "text"),
        (
            "SELECT pg_get_constraintdef(oid, $1) FROM pg_constraint WHERE conrelid IN ($2, $3)",
            "boolean, oid, oid",
        ),
        (
            "SELECT relname FROM pg_class WHERE relname LIKE $1 || '%' LIMIT $2 OFFSET $3",
            "text, bigint, bigint",
        ),
        (
            "SELECT CASE WHEN attnum > $1 THEN $2 ELSE 1.5 END FROM pg_attribute WHERE attnum = $1",
            "smallint, numeric",
        ),
        ("SELECT $2", "text, text"),
    ] {
        let types: Vec<String> = described(sql).parameters.into_iter().map(|kind| kind.sql_name()).collect();
        assert_eq!(types.join(", "), answer, "{sql}");
    }
    let question = Question::parse("SELECT $1::int4 + 1, $1", &[Some(PgType::of(Base::Int2))]).unwrap();
    let mut settings = Settings::new("ana");
    let mut session =
        Session { user: "ana", database: "shop", backend_pid: 7, now: NOW, settings: &mut settings };
    assert_eq!(question.describe(system(), &session).unwrap().parameters, [PgType::of(Base::Int2)]);
    let rows = question.execute(system(), &mut session, &[PgValue::Int(4)]).unwrap().rows;
    assert_eq!(rows, [[PgValue::Int(5), PgValue::Int(4)]]);
    assert_eq!(question.execute(system(), &mut session, &[]).unwrap_err().sqlstate, "08P01");
    assert_eq!(ask_with("SELECT $1 || 'b', $1", &[PgValue::Text("a".to_owned())]), "ab|a");
}

#[test]
fn what_is_wrong_is_said_as_postgres_says_it() {
    for (sql, expected) in [
        ("SELECT nope FROM pg_class", "42703"),
        ("SELECT c.nope FROM pg_class c", "42703"),
        ("SELECT x.relname FROM pg_class c", "42P01"),
        ("SELECT pg_class.relname FROM pg_class c", "42P01"),
        ("SELECT 1 FROM pg_nothing", "42P01"),
        ("SELECT oid FROM pg_class, pg_type", "42702"),
        ("SELECT nope(1)", "42883"),
        ("SELECT lower(1)", "42883"),
        ("SELECT pg_sleep(1)", "42883"),
        ("SELECT pg_read_file('/etc/passwd')", "42883"),
        ("SELECT random()", "42883"),
        ("SELECT clock_timestamp()", "42883"),
        ("SELECT nextval('x')", "42883"),
        ("SELECT public.lower('A')", "42883"),
        ("SELECT 1 = 'a'::text", "42883"),
        ("SELECT 'x'::int", "22P02"),
        ("SELECT 1 / 0", "22012"),
        ("SELECT 2147483647 + 1", "22003"),
        ("SELECT 1 WHERE 1", "42804"),
        ("SELECT CASE WHEN true THEN 1 ELSE 'a'::text END", "42804"),
        ("SELECT (SELECT 1 UNION ALL SELECT 2)", "21000"),
        ("SELECT (SELECT 1, 2)", "42601"),
        ("SELECT 1 UNION SELECT 1, 2", "42601"),
        ("SELECT relname FROM pg_class WHERE count(*) > 1", "42803"),
        ("SELECT 1 FROM pg_class c, pg_class c", "42712"),
        ("SELECT ARRAY[ARRAY[1], ARRAY[2]]", "0A000"),
        ("SELECT relname, count(*) FROM pg_class", "42803"),
        ("SELECT relkind FROM pg_class GROUP BY relname", "42803"),
        ("SELECT 1 FROM pg_class HAVING relname = 'x'", "42803"),
        ("SELECT 1 ORDER BY 2", "42P10"),
        ("SELECT 1 LIMIT -1", "2201W"),
        ("SELECT 'a' ~ '('", "2201B"),
        ("SELECT '1'::nope", "42704"),
        ("SELECT * ", "42601"),
        ("SELECT 1::text[]", "42846"),
    ] {
        assert_eq!(state(sql), expected, "{sql}");
    }
    let error = outcome("SELECT nope(1, 'a')", &[]).unwrap_err();
    assert_eq!(error.message, "function nope(integer, unknown) does not exist");
    let error = outcome("SELECT 1 FROM nope.x", &[]).unwrap_err();
    assert_eq!(error.message, "relation \"nope.x\" does not exist");
}

/// Specification: work and memory of a statement end, whatever it asks for, and no statement takes the process with it.
#[test]
fn statements_that_never_end_are_stopped() {
    let long = |part: &str, with: &str, times: usize| vec![part; times].join(with);
    for sql in [
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT count(*) FROM t".to_owned(),
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t, generate_series(1, 100)) SELECT n FROM t".to_owned(),
        "WITH RECURSIVE t(n) AS (SELECT 'x' UNION ALL SELECT n || n FROM t) SELECT max(n) FROM t".to_owned(),
        "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b".to_owned(),
        "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c".to_owned(),
        "SELECT (SELECT count(*) FROM pg_attribute b WHERE b.attname < a.attname) FROM pg_attribute a, generate_series(1, 100) g".to_owned(),
        "SELECT * FROM generate_series(1, 1000000000)".to_owned(),
        format!("SELECT {}", long("'a'", " || ", 900)),
        format!("SELECT {}1", long("-(", " ", 40)),
        format!("SELECT 1{}", "::int".repeat(500)),
        format!("SELECT {}", long("SELECT 1", " UNION ", 400).trim_start_matches("SELECT ")),
        format!("SELECT 1 FROM {}", long("pg_class", ", ", 200).split(", ").enumerate().map(|(at, name)| format!("{name} t{at}")).collect::<Vec<_>>().join(", ")),
    ] {
        let error = outcome(&sql, &[]).unwrap_err();
        assert!(["54001", "54000", "42601"].contains(&error.sqlstate), "{error:?}: {}", &sql[..sql.len().min(100)]);
    }
    // Long conditions are not deep.
    assert_eq!(ask(&format!("SELECT {}", long("true", " AND ", 900))), "t");
    assert_eq!(ask(&format!("SELECT 1 WHERE {}", long("1 = 2", " OR ", 400))), "");
}

#[test]
fn each_query_goes_to_its_door() {
    let system = system();
    for (sql, door) in [
        ("SELECT 1", Route::System),
        ("SELECT version()", Route::System),
        ("SELECT relname FROM pg_class", Route::System),
        ("SELECT 1 FROM pg_catalog.pg_class c, information_schema.tables", Route::System),
        ("SELECT * FROM generate_series(1, 2), unnest(current_schemas(true))", Route::System),
        ("WITH visits AS (SELECT 1) SELECT * FROM visits", Route::System),
        ("SELECT count(*) FROM visits", Route::Curator),
        ("SELECT count(*) FROM public.visits", Route::Curator),
        ("SELECT count(*) FROM nobody_knows", Route::Curator),
        ("SELECT count(*) FROM public.pg_class", Route::Curator),
        ("TABLE pg_am", Route::System),
        ("TABLE visits", Route::Curator),
        ("SELECT * FROM visits LIMIT 0", Route::Probe),
        ("SELECT region FROM visits WHERE 1 = 0", Route::Probe),
        ("SELECT count(*) FROM visits WHERE 1 = 0", Route::Curator),
        ("SELECT relname FROM pg_class LIMIT 0", Route::System),
        ("SELECT (SELECT count(*) FROM visits)", Route::Curator),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) count(*) FROM visits", Route::Curator),
        ("SELECT * FROM graph_triangles('contacts')", Route::Curator),
        ("SELECT * FROM learn('linear', 'SELECT age, cost FROM visits', 'cost')", Route::Curator),
        ("SELECT * FROM evaluate('cost', 'SELECT age, cost FROM visits')", Route::Curator),
        ("SELECT count(*) FROM visits, pg_class", Route::Mixed),
        ("SELECT relname FROM pg_class WHERE EXISTS (SELECT 1 FROM visits)", Route::Mixed),
        ("WITH x AS (SELECT * FROM visits) SELECT * FROM x, pg_type", Route::Mixed),
    ] {
        assert_eq!(route(system, sql).unwrap(), door, "{sql}");
    }
    assert!(route(system, "DROP TABLE x").is_err());
}
