//! Random questions in SQL, planned as an analyst's are, over the tables of a world.

use std::sync::Arc;

use pointillist_catalog::Catalog;
use pointillist_engine::{Engine, EngineOptions};
use pointillist_query::{Options, plan};
use pointillist_testkit::postgres::PostgresServer;

use crate::chance::Chance;
use crate::differential::{Tally, wanted};
use crate::world::{Host, Place, World};

/// How many questions are tried unless the environment says otherwise.
const TRIED: usize = 700;
const EACH_WORLD: usize = 35;

const COLUMNS: &str = r#"
big = { type = "integer" }
mid = { type = "integer", lower = -1, upper = 100 }
tiny = { type = "integer", lower = -4, upper = 4 }
real = { type = "decimal", lower = -2, upper = 2, step = 0.25 }
short = { type = "decimal" }
money = { type = "decimal", lower = 0, upper = 1000, step = 0.01 }
word = { type = "text" }
ward = { type = "text", public_keys = ["a", "", "b", "'"] }
kind = { type = "text", public_keys = ["north", "south", "", "it's"] }
mark = { type = "text" }
fixed = { type = "text" }
flag = { type = "boolean" }
day = { type = "date", lower = "1969-12-31", upper = "2020-03-01" }
seen = { type = "timestamp" }
zoned = { type = "timestamp", lower = "1969-12-31 23:00:00", upper = "2020-03-01 00:00:00" }
"#;

const TABLES: [(&str, &str); 6] = [
    ("visits", "scope = 'people'\nprivacy_unit = 'person'\nmax_groups = 2\nmax_contributions = 2"),
    ("drugs", "scope = 'people'\nprivacy_unit = 'person'\nmax_groups = 3\nmax_contributions = 1"),
    (
        "lines",
        "scope = 'people'\nprivacy_unit = { column = 'visit', references = 'visits.id' }\nmax_groups = 1\nmax_contributions = 3",
    ),
    (
        "notes",
        "scope = 'people'\nprivacy_unit = { column = 'line', references = 'lines.number' }\nmax_groups = 2\nmax_contributions = 2",
    ),
    ("places", "public = true"),
    ("events", "scope = 'people'\nprivacy_unit = 'row'"),
];

fn catalog() -> Catalog {
    let mut text = "[scope.people]\nbudget = { rho = 0.5, delta = 1e-9 }\n".to_owned();
    for (name, owned) in TABLES {
        text += &format!("[table.{name}]\nsource = '{name}.csv'\n{owned}\n[table.{name}.columns]{COLUMNS}\n");
    }
    Catalog::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

const SOURCES: [&str; 24] = [
    "visits",
    "visits",
    "drugs",
    "lines",
    "notes",
    "events",
    "(SELECT v.ward, v.kind, v.mid, v.tiny, d.real, d.money, v.flag, v.day, d.word, v.seen FROM visits v JOIN drugs d ON v.person = d.person) x",
    "(SELECT v.ward, v.kind, d.mid, d.tiny, v.real, v.money, v.flag, v.day, d.word, v.seen FROM visits v LEFT JOIN drugs d ON v.person = d.person AND v.ward = d.ward) x",
    "(SELECT v.ward, d.kind, d.mid, v.tiny, v.real, v.money, v.flag, v.day, d.word, v.seen FROM visits v FULL JOIN drugs d ON v.person = d.person AND v.mid = d.mid) x",
    "(SELECT v.ward, p.kind, p.mid, v.tiny, v.real, p.money, v.flag, v.day, v.word, p.seen FROM visits v JOIN places p ON v.ward = p.ward) x",
    "(SELECT v.ward, p.kind, p.mid, v.tiny, v.real, p.money, v.flag, v.day, v.word, p.seen FROM visits v LEFT JOIN places p ON v.flag = p.flag AND p.tiny > v.tiny) x",
    "(SELECT p.ward, v.kind, p.mid, v.tiny, v.real, p.money, v.flag, v.day, v.word, p.seen FROM places p JOIN notes v ON v.kind = p.kind) x",
    "(SELECT person, MAX(ward) AS ward, MIN(kind) AS kind, COUNT(*) AS mid, SUM(tiny) AS tiny, MAX(real) AS real, MIN(money) AS money, bool_or(flag) AS flag, MAX(day) AS day, MIN(word) AS word, MAX(seen) AS seen FROM visits GROUP BY person) x",
    "(SELECT person, ward, kind, COUNT(word) AS mid, COUNT(DISTINCT tiny) AS tiny, MAX(real) AS real, MIN(money) AS money, bool_and(flag) AS flag, MAX(day) AS day, MIN(word) AS word, MAX(seen) AS seen FROM drugs GROUP BY person, ward, kind HAVING COUNT(*) > 1) x",
    "(SELECT DISTINCT person, ward, kind, mid, tiny, real, money, flag, day, word, seen FROM visits) x",
    "(SELECT person, ward, kind, mid, tiny, real, money, flag, day, word, seen FROM visits UNION ALL SELECT person, ward, kind, mid, tiny, real, money, flag, day, word, seen FROM drugs) x",
    "(SELECT person, ward, kind, mid, tiny, real, money, flag, day, word, seen FROM visits UNION SELECT person, ward, kind, mid, tiny, real, money, flag, day, word, seen FROM drugs) x",
    "(SELECT person, ward, kind, mid FROM visits EXCEPT SELECT person, ward, kind, mid FROM drugs) x",
    "(SELECT person, ward, kind, mid FROM visits INTERSECT SELECT person, ward, kind, mid FROM drugs) x",
    "(SELECT * FROM (SELECT ward, kind, mid, tiny, real, money, flag, day, word, seen, ROW_NUMBER() OVER (PARTITION BY person ORDER BY day DESC, mid) AS n FROM visits) y WHERE n <= 2) x",
    "(SELECT ward, kind, mid - LAG(mid) OVER (PARTITION BY person ORDER BY seen) AS mid, tiny, real, money, flag, day, word, seen FROM drugs) x",
    "(SELECT ward, kind, RANK() OVER (PARTITION BY person ORDER BY ward) AS mid, tiny, real, money, flag, day, word, seen FROM visits) x",
    "(SELECT l.ward, v.kind, l.mid, v.tiny, l.real, v.money, l.flag, v.day, l.word, v.seen FROM lines l JOIN visits v ON l.visit = v.id) x",
    "(SELECT ward, kind, mid, tiny, real, money, flag, day, word, seen FROM visits WHERE person IN (SELECT person FROM drugs WHERE tiny > 0)) x",
];

const CONDITIONS: [&str; 20] = [
    "mid > 0",
    "ward IN ('a', '', 'z')",
    "ward IN (SELECT ward FROM places)",
    "ward NOT IN (SELECT ward FROM places WHERE tiny > 0)",
    "kind NOT IN (SELECT kind FROM places WHERE kind IS NOT NULL)",
    "EXISTS (SELECT 1 FROM places p WHERE p.mid = x.mid)",
    "day < DATE '2020-02-29'",
    "real IS NOT NULL",
    "word LIKE 'a%'",
    "word ILIKE '%A'",
    "word <> 'it''s \\ $$ U&'",
    "length(word) > 1",
    "flag OR mid = 1",
    "NOT flag",
    "real * 2 >= money",
    "mid / tiny > 0",
    "mid % 3 = 1",
    "extract(year FROM seen) < 2000",
    "COALESCE(ward, 'none') <> 'a'",
    "abs(mid) < 9223372036854775807",
];

const KEYS: [&str; 16] = [
    "ward",
    "kind",
    "kind",
    "flag",
    "tiny",
    "mid",
    "day",
    "word",
    "date_trunc('month', day)",
    "date_trunc('day', seen)",
    "CASE WHEN mid > 1 THEN 'many' WHEN mid = 1 THEN 'one' END",
    "COALESCE(ward, 'none')",
    "lower(word)",
    "tiny % 2",
    "real",
    "width_bucket(real, 0, 10, 3)",
];

const AGGREGATES: [&str; 18] = [
    "COUNT(*)",
    "COUNT(*)",
    "COUNT(word)",
    "COUNT(mid)",
    "COUNT(DISTINCT person)",
    "SUM(LEAST(GREATEST(mid, 0), 5))",
    "SUM(CASE WHEN flag THEN 1 ELSE -2 END)",
    "AVG(LEAST(GREATEST(tiny, -3), 3))",
    "SUM(LEAST(GREATEST(real, -1), 2.5))",
    "AVG(LEAST(GREATEST(money, 0), 10))",
    "VAR_POP(LEAST(GREATEST(real, -1), 1))",
    "STDDEV(LEAST(GREATEST(mid, 0), 10))",
    "CORR(LEAST(GREATEST(mid, 0), 5), LEAST(GREATEST(real, 0), 1))",
    "SUM(LEAST(GREATEST(mid * tiny, -10), 10))",
    "SUM(length(ward))",
    "MEDIAN(tiny)",
    "SUM(LEAST(GREATEST(mid + 9223372036854775807, 0), 7))",
    "AVG(LEAST(GREATEST(1.0 / tiny, -1), 1))",
];

fn question(chance: &mut Chance) -> String {
    let source = *chance.pick(&SOURCES);
    let source = if source.ends_with('x') { source.to_owned() } else { format!("{source} x") };
    let conditions: Vec<&str> =
        (0..[0, 0, 1, 1, 2][chance.below(5)]).map(|_| *chance.pick(&CONDITIONS)).collect();
    let keys: Vec<&str> = (0..[0, 1, 1, 2][chance.below(4)]).map(|_| *chance.pick(&KEYS)).collect();
    let mut items: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    for _ in 0..1 + chance.below(3) {
        let call = *chance.pick(&AGGREGATES);
        items.push(match chance.one_in(4) {
            true => format!("{call} FILTER (WHERE {})", *chance.pick(&["mid > 0", "flag", "ward = 'a'"])),
            false => call.to_owned(),
        });
    }
    let options = match chance.below(3) {
        0 => format!(
            " WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups = {}, max_contributions = {}, bias = true)",
            1 + chance.below(3),
            1 + chance.below(4)
        ),
        _ => String::new(),
    };
    let filter =
        if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
    let places: Vec<String> = (1..=keys.len()).map(|place| place.to_string()).collect();
    let group_by = if keys.is_empty() { String::new() } else { format!(" GROUP BY {}", places.join(", ")) };
    format!("SELECT{options} {} FROM {source}{filter}{group_by}", items.join(", "))
}

/// Specification: as `differential.rs`, for whatever the planner makes of questions.
#[test]
fn questions_in_sql_have_the_same_integers() {
    let Some(server) = PostgresServer::shared() else { return };
    let mut place = Place::new(&server.new_database("questions"));
    let tally = ask_in_sql(&mut place, wanted(TRIED));
    tally.print("questions in SQL");
    tally.assert_power(usize::MAX, 0);
}

/// So many questions that the planner takes, each of a server and of the embedded engine.
pub(crate) fn ask_in_sql(host: &mut dyn Host, wanted: usize) -> Tally {
    let engine = Arc::new(Engine::new(EngineOptions { memory_bytes: 1 << 24, threads: 1 }).unwrap());
    let (catalog, mut tally, mut unplanned) = (catalog(), Tally::default(), 0);
    for seed in 0.. {
        if tally.tried >= wanted {
            break;
        }
        let mut chance = Chance(0xD1FF_0003 + (seed << 32));
        let people = *chance.pick(&[3, 5, 13]);
        let world = World::random(&mut chance, 40, people);
        let world = host.fit(&mut chance, world);
        let place = host.put(&world);
        let mut session = host.session(&place);
        for _ in 0..EACH_WORLD {
            let sql = question(&mut chance);
            match plan(&catalog, &sql, &Options::default()) {
                Err(_) => unplanned += 1,
                Ok(plan) => {
                    let question = (sql.as_str(), &plan.aggregation);
                    if tally.ask(&mut chance, &engine, (&world, &*session), question).is_err() {
                        session = host.session(&place);
                    }
                }
            }
        }
        drop(session);
        host.remove(&place);
    }
    println!("{unplanned} questions were not planned");
    assert!(unplanned < tally.tried, "{unplanned} were not planned: that tests nothing");
    tally
}
