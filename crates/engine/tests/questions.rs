//! Questions in SQL, from text to integers: what the planner and the engine make of them together is what SQL means.
//!
//! The expected numbers of all but the last eight questions are those that SQLite 3.40 gives for the same tables; nobody is
//! cut. The last eight follow links, which SQL does not know: a row that links to two people's rows is there once for each.

use std::collections::BTreeMap;
use std::fs;

use pointillist_catalog::Catalog;
use pointillist_engine::{Engine, EngineOptions, Source};
use pointillist_numbers::Rational;
use pointillist_plan::Formula;
use pointillist_query::{Options, plan};

const CATALOG: &str = r#"
[scope.people]
budget = { rho = 0.5, delta = 1e-9 }

[table.persons]
scope = "people"
source = "persons.csv"
privacy_unit = "id"
max_groups = 50
max_contributions = 500
[table.persons.columns]
id = { type = "integer" }
sex = { type = "text", public_keys = ["f", "m"] }
height = { type = "integer", lower = 0, upper = 250 }

[table.visits]
scope = "people"
source = "visits.csv"
privacy_unit = "person"
max_groups = 50
max_contributions = 500
[table.visits.columns]
vid = { type = "integer" }
ward = { type = "text" }
cost = { type = "integer", lower = 0, upper = 100 }
day = { type = "date" }

[table.stays]
scope = "people"
source = "stays.csv"
privacy_unit = "person"
max_groups = 50
max_contributions = 500
[table.stays.columns]
person = { type = "integer" }
ward = { type = "text" }
nights = { type = "integer", lower = 0, upper = 100 }

[table.prescriptions]
scope = "people"
source = "prescriptions.csv"
privacy_unit = { column = "visit", references = "visits.vid" }
max_groups = 50
max_contributions = 500
[table.prescriptions.columns]
grams = { type = "integer", lower = 0, upper = 100 }

[table.doses]
scope = "people"
source = "doses.csv"
privacy_unit = { column = "prescription", references = "prescriptions.number" }
max_groups = 50
max_contributions = 500
[table.doses.columns]
pills = { type = "integer", lower = 0, upper = 100 }

[table.wards]
public = true
source = "wards.csv"
[table.wards.columns]
ward = { type = "text" }
city = { type = "text" }
beds = { type = "integer", lower = 0, upper = 100 }
"#;

const FILES: [(&str, &str); 6] = [
    ("persons", "id,sex,height\n1,f,170\n2,m,180\n3,f,\n4,m,160\n"),
    (
        "visits",
        "vid,person,ward,cost,day\n10,1,A,5,2020-01-01\n11,1,B,7,2020-01-03\n12,2,A,1,2020-01-02\n\
         13,3,C,,2020-01-05\n14,3,A,2,2020-01-06\n15,5,A,9,2020-01-01\n10,6,B,4,2020-01-01\n\
         17,1,A,5,2020-01-01\n18,6,,3,2020-01-09\n",
    ),
    ("stays", "person,ward,nights\n1,A,2\n1,C,1\n3,A,4\n7,B,1\n2,,3\n1,A,6\n"),
    ("prescriptions", "number,visit,grams\nk,10,1\nl,10,2\nm,12,1\nn,99,5\no,14,3\n"),
    ("doses", "prescription,pills\nk,1\nk,2\nm,4\nn,8\nx,16\n"),
    ("wards", "ward,city,beds\nA,Rome,3\nB,Oslo,6\nC,Rome,1\nA,Oslo,8\n,Rome,2\n"),
];

#[rustfmt::skip]
const QUESTIONS: &[(&str, &[i64])] = &[
    (
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.person = b.person",
        &[19],
    ),
    (
        "SELECT SUM(a.cost) FROM visits a JOIN stays b ON a.person = b.person AND a.ward = b.ward",
        &[22],
    ),
    (
        "SELECT COUNT(*) FROM persons p JOIN visits v ON v.person = p.id",
        &[6],
    ),
    (
        "SELECT COUNT(*) FROM persons p, visits v, stays s WHERE p.id = v.person AND s.person = p.id AND v.ward = s.ward",
        &[5],
    ),
    (
        "SELECT COUNT(*) FROM persons p LEFT JOIN visits v ON v.person = p.id",
        &[7],
    ),
    (
        "SELECT COUNT(*) FROM persons p LEFT JOIN visits v ON v.person = p.id AND v.cost > 4",
        &[6],
    ),
    (
        "SELECT COUNT(*) FROM persons p LEFT JOIN visits v ON v.person = p.id WHERE v.person IS NULL",
        &[1],
    ),
    (
        "SELECT COUNT(*), COUNT(s.person), COUNT(s.ward) FROM persons p LEFT JOIN stays s ON p.id = s.person",
        &[6, 5, 4],
    ),
    (
        "SELECT COUNT(DISTINCT s.person), COUNT(DISTINCT p.id) FROM persons p LEFT JOIN stays s ON p.id = s.person",
        &[3, 4],
    ),
    (
        "SELECT COUNT(*) FROM visits v RIGHT JOIN persons p ON v.person = p.id AND v.ward = 'A'",
        &[5],
    ),
    (
        "SELECT COUNT(*) FROM persons p FULL JOIN stays s ON p.id = s.person AND s.nights > 1",
        &[7],
    ),
    (
        "SELECT COUNT(p.id), COUNT(s.person) FROM persons p FULL JOIN stays s ON p.id = s.person AND s.nights > 1",
        &[5, 6],
    ),
    (
        "SELECT COUNT(*) FROM persons p LEFT JOIN stays s ON p.id = s.person JOIN visits v ON v.person = s.person",
        &[12],
    ),
    (
        "SELECT COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward",
        &[13],
    ),
    (
        "SELECT COUNT(*) FROM wards w JOIN visits v ON v.ward = w.ward AND w.beds > v.cost",
        &[7],
    ),
    (
        "SELECT COUNT(*), COUNT(w.city) FROM visits v LEFT JOIN wards w ON v.ward = w.ward AND w.beds > 5",
        &[9, 7],
    ),
    (
        "SELECT COUNT(*) FROM visits v JOIN wards w ON v.cost < w.beds",
        &[16],
    ),
    (
        "SELECT COUNT(*) FROM visits v CROSS JOIN wards w",
        &[45],
    ),
    (
        "SELECT COUNT(*) FROM visits v JOIN (SELECT city, ward, SUM(beds) AS b FROM wards GROUP BY city, ward) w ON v.ward = w.ward WHERE w.b > 3",
        &[7],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM stays s WHERE s.person = v.person AND s.ward = v.ward)",
        &[3],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE NOT EXISTS (SELECT 1 FROM stays s WHERE s.person = v.person AND s.ward = v.ward)",
        &[6],
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE person IN (SELECT person FROM stays WHERE nights > 1)",
        &[6],
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE person NOT IN (SELECT person FROM stays)",
        &[3],
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE person IN (SELECT person FROM stays GROUP BY person HAVING COUNT(*) > 1)",
        &[3],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE v.ward IN (SELECT s.ward FROM stays s WHERE s.person = v.person)",
        &[3],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE v.ward NOT IN (SELECT s.ward FROM stays s WHERE s.person = v.person)",
        &[5],
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM wards WHERE city = 'Oslo')",
        &[7],
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE ward NOT IN (SELECT ward FROM wards)",
        &[0],
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE ward NOT IN (SELECT ward FROM wards WHERE city = 'Oslo')",
        &[1],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE v.cost > 6 OR EXISTS (SELECT 1 FROM stays s WHERE s.person = v.person AND s.ward = v.ward)",
        &[5],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE v.cost > 6 OR NOT EXISTS (SELECT 1 FROM stays s WHERE s.person = v.person)",
        &[4],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE v.cost > (SELECT AVG(w.cost) FROM visits w WHERE w.person = v.person)",
        &[2],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE v.cost > (SELECT MIN(beds) FROM wards)",
        &[7],
    ),
    (
        "SELECT SUM(n) FROM (SELECT p.id, (SELECT COUNT(*) FROM stays s WHERE s.person = p.id AND s.nights > 1) AS n FROM persons p) x",
        &[4],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT p.id, (SELECT COUNT(*) FROM stays s WHERE s.person = p.id) AS n FROM persons p) x WHERE n = 0",
        &[1],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT person FROM visits GROUP BY person) x",
        &[5],
    ),
    (
        "SELECT SUM(n), COUNT(*) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person HAVING COUNT(*) > 1) x",
        &[7, 3],
    ),
    (
        "SELECT SUM(s), COUNT(s), COUNT(*) FROM (SELECT person, ward, SUM(cost) AS s FROM visits GROUP BY person, ward) x",
        &[36, 7, 8],
    ),
    (
        "SELECT SUM(m) FROM (SELECT person, MAX(s) AS m FROM (SELECT person, ward, SUM(cost) AS s FROM visits GROUP BY person, ward) x GROUP BY person) y",
        &[26],
    ),
    (
        "SELECT SUM(d) FROM (SELECT person, COUNT(DISTINCT ward) AS d FROM visits GROUP BY person) x",
        &[7],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT id, COUNT(*) AS n FROM persons GROUP BY id) x WHERE id > 2",
        &[2],
    ),
    (
        "SELECT SUM(cost) FROM (SELECT person, cost, ROW_NUMBER() OVER (PARTITION BY person ORDER BY day DESC) AS n FROM visits) x WHERE n = 1",
        &[22],
    ),
    (
        "SELECT SUM(cost) FROM (SELECT cost, ROW_NUMBER() OVER (PARTITION BY person ORDER BY cost DESC, day) AS n FROM visits) x WHERE n <= 2",
        &[31],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT cost - LAG(cost) OVER (PARTITION BY person ORDER BY day, vid) AS d FROM visits) x WHERE d >= 0",
        &[2],
    ),
    (
        "SELECT SUM(r) FROM (SELECT SUM(nights) OVER (PARTITION BY person ORDER BY nights ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS r FROM stays) x",
        &[20],
    ),
    (
        "SELECT SUM(r) FROM (SELECT RANK() OVER (PARTITION BY person ORDER BY cost) AS r FROM visits) x",
        &[13],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT DISTINCT person, ward FROM visits) x",
        &[8],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT DISTINCT id, sex FROM persons) x WHERE id > 1",
        &[3],
    ),
    (
        "SELECT SUM(c), COUNT(*) FROM (SELECT person, cost AS c FROM visits UNION ALL SELECT person, nights FROM stays) x",
        &[53, 15],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT person, ward FROM visits UNION SELECT person, ward FROM stays) x",
        &[11],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT person, ward FROM visits INTERSECT SELECT person, ward FROM stays) x",
        &[2],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT person, ward FROM visits EXCEPT SELECT person, ward FROM stays) x",
        &[6],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT person, ward FROM stays EXCEPT SELECT person, ward FROM visits) x",
        &[3],
    ),
    (
        "SELECT COUNT(*), SUM(t) FROM (SELECT v.person, SUM(v.cost) AS t FROM visits v LEFT JOIN stays s ON s.person = v.person GROUP BY v.person) x",
        &[5, 70],
    ),
    (
        "SELECT COUNT(*) FROM (SELECT person, ward FROM visits) v JOIN (SELECT person, MAX(nights) AS m FROM stays GROUP BY person) s ON v.person = s.person WHERE m > 3",
        &[5],
    ),
    (
        "SELECT COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward JOIN persons p ON p.id = v.person WHERE p.sex = 'f' AND w.city = 'Rome'",
        &[4],
    ),
    (
        "SELECT COUNT(*) FROM visits v LEFT JOIN (SELECT person, COALESCE(ward, 'none') AS wd FROM stays) s ON s.person = v.person WHERE s.wd IS NULL",
        &[3],
    ),
    (
        "SELECT COUNT(*) FROM visits v WHERE v.cost > 6 OR v.ward IN (SELECT s.ward FROM stays s WHERE s.person = v.person)",
        &[5],
    ),
    (
        "SELECT COUNT(v.person) FROM persons p LEFT JOIN visits v ON v.person = p.id",
        &[6],
    ),
    (
        "SELECT COUNT(*) FROM visits WHERE cost IN (SELECT MAX(beds) - 1 FROM wards)",
        &[1],
    ),
    ("SELECT COUNT(*), SUM(grams) FROM prescriptions", &[6, 10]),
    ("SELECT COUNT(*), SUM(pills) FROM doses", &[5, 10]),
    ("SELECT SUM(pills), SUM(grams) FROM doses d JOIN prescriptions p ON d.prescription = p.number", &[10, 5]),
    ("SELECT COUNT(*) FROM prescriptions p JOIN visits v ON p.visit = v.vid", &[6]),
    ("SELECT COUNT(*) FROM visits v LEFT JOIN prescriptions p ON p.visit = v.vid", &[11]),
    ("SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM prescriptions p WHERE p.visit = v.vid)", &[4]),
    ("SELECT COUNT(DISTINCT person) FROM prescriptions", &[4]),
    ("SELECT COUNT(*) FROM (SELECT person, SUM(grams) AS g FROM prescriptions GROUP BY person) x WHERE g = 3", &[3]),
];

#[test]
fn questions_mean_what_they_mean_in_sql() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources = BTreeMap::new();
    for (name, text) in FILES {
        fs::write(folder.path().join(format!("{name}.csv")), text).unwrap();
        let source = Source::open(folder.path(), &format!("{name}.csv")).unwrap();
        sources.insert(name.to_owned(), source);
    }
    let catalog = Catalog::parse(CATALOG).unwrap_or_else(|error| panic!("{error}"));
    let engine = Engine::new(EngineOptions { memory_bytes: 1 << 26, threads: 2 }).unwrap();
    let mut wrong = Vec::new();
    for (sql, expected) in QUESTIONS {
        let plan = match plan(&catalog, sql, &Options::default()) {
            Ok(plan) => plan,
            Err(refusal) => {
                wrong.push(format!("{sql}\n  refused: {refusal}"));
                continue;
            }
        };
        let scan = engine.scan(&sources, &plan.aggregation);
        let groups = match scan.and_then(|scan| engine.aggregate(scan, &plan.aggregation)) {
            Ok(groups) => groups,
            Err(error) => {
                wrong.push(format!("{sql}\n  failed: {error}"));
                continue;
            }
        };
        let numbers: Vec<Rational> = plan
            .answer
            .aggregates
            .iter()
            .map(|aggregate| match &aggregate.formula {
                Formula::Sum { measure, unit } => {
                    Rational::from(groups.totals(*measure).iter().sum::<i128>()) * unit.clone()
                }
                _ => panic!("{sql} is no sum"),
            })
            .collect();
        if numbers != expected.iter().map(|number| Rational::from(*number)).collect::<Vec<_>>() {
            wrong.push(format!("{sql}\n  {numbers:?}, not {expected:?}\n{plan}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), QUESTIONS.len(), wrong.join("\n"));
}
