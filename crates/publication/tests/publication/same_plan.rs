//! What is the same release, and what is not; and what a plan must not do silently.

use pointillist_catalog::{Catalog, Value};
use pointillist_curator::Home;
use pointillist_publication::{
    Figure, PlanFile, PublicationError, PublishOptions, Published, explain, publish,
};

use super::people::{CATALOG, Place, people, place};

fn options() -> PublishOptions {
    PublishOptions { released_on: "2026-11-16".to_owned(), not_before: None }
}

fn plan(tables: &str) -> PlanFile {
    let text = format!("name = \"people\"\ntitle = \"People\"\nbudget = {{ rho = 90000 }}\n{tables}");
    PlanFile::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn number(release: &Published, table: &str, key: &str) -> i128 {
    let table = release.tables.iter().find(|own| own.name == table).unwrap();
    let row = table.rows.iter().find(|row| row.keys[0] == Some(Value::Text(key.to_owned()))).unwrap();
    match row.cells[0].value {
        Some(Figure::Whole(whole)) => whole,
        other => panic!("{other:?}"),
    }
}

/// Specification: numbers are recorded for the columns and the cells that they belong to. Columns in another order, and
/// public lists in another order, are another question: nobody's numbers are given to others.
#[test]
fn the_order_of_columns_and_of_keys_is_part_of_the_question() {
    const OTHER: &str = r#"
[scope.people]
budget = { rho = 1000000, delta = 1e-6 }
[table.people]
scope = "people"
source = "people.csv"
privacy_unit = "row"
[table.people.columns]
sex = { type = "text", public_keys = KEYS }
smoker = { type = "text", public_keys = ["no", "yes"] }
"#;
    let mut text = "sex,smoker\n".to_owned();
    for person in 0..1000 {
        text.push_str(if person % 10 == 0 { "m," } else { "f," });
        text.push_str(if person % 3 == 0 { "yes\n" } else { "no\n" });
    }
    let place = Place::new(&OTHER.replace("KEYS", "[\"f\", \"m\"]"), &[("people.csv", text)]);
    let curator = place.curator();
    let marginals = |columns: &str| {
        plan(&format!(
            "[[table]]\nname = \"t\"\nfrom = \"people\"\nmarginals = {columns}\nways = 2\nlower = true\n"
        ))
    };
    for columns in ["[\"sex\", \"smoker\"]", "[\"smoker\", \"sex\"]"] {
        let release = publish(&place.home, &curator, &marginals(columns), &options()).unwrap();
        assert_eq!(number(&release, "t_sex", "f"), 900, "{columns}");
        assert_eq!(number(&release, "t_smoker", "yes"), 334, "{columns}");
    }
    let turned = Catalog::parse(&OTHER.replace("KEYS", "[\"m\", \"f\"]")).unwrap();
    let curator = curator.redeclared(turned.clone()).unwrap();
    let home = Home::new(place.home.folder.clone(), turned);
    let release = publish(&home, &curator, &marginals("[\"sex\", \"smoker\"]"), &options()).unwrap();
    assert_eq!(number(&release, "t_sex", "f"), 900, "the list in another order");
}

/// Specification: a statement with a condition that no key implies is answered as it is, and not counted without it.
#[test]
fn a_condition_of_a_statement_is_kept() {
    let place = place(2000);
    let file = plan(
        "[[table]]\nname = \"t\"\nsql = \"SELECT sex, count(*) AS n FROM people WHERE age IS NOT NULL AND age < 10 GROUP BY sex\"\n",
    );
    let release = publish(&place.home, &place.curator(), &file, &options()).unwrap();
    let truth = |line: &&str| {
        let fields: Vec<&str> = line.split(',').collect();
        fields[0] == "f" && fields[2].parse::<i64>().unwrap() < 10
    };
    assert_eq!(number(&release, "t", "f"), people(2000).lines().skip(1).filter(truth).count() as i128);
    let options =
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 1) sex, count(*) AS n FROM people GROUP BY sex";
    let file = plan(&format!("[[table]]\nname = \"t\"\nsql = \"{options}\"\n"));
    assert!(matches!(explain(&place.home, &file), Err(PublicationError::Options { .. })));
}

/// Specification: whatever is explained can be published, also where noise is paid for in ε and ranges are asked.
#[test]
fn what_can_be_explained_can_be_published() {
    let pure = CATALOG
        .replace("budget = { rho = 1000000, delta = 1e-6 }", "budget = { epsilon = 1000 }\nmodel = \"pure\"");
    let place = Place::new(&pure, &[("people.csv", people(500)), ("places.csv", String::new())]);
    for width in [1, 3, 7, 16] {
        let text = format!(
            "name = \"p\"\ntitle = \"P\"\nbudget = {{ epsilon = 1 }}\n[[table]]\nname = \"ages\"\nfrom = \"people\"\n\
             histogram = \"age\"\nwidth = {width}\nranges = true\n"
        );
        let file = PlanFile::parse(&text).unwrap();
        explain(&place.home, &file).unwrap_or_else(|error| panic!("{width}: {error}"));
        publish(&place.home, &place.curator(), &file, &options())
            .unwrap_or_else(|error| panic!("{width}: {error}"));
    }
}

/// Specification: a lookup is public in truth: neither a private file under a public name nor anything else is read for it.
#[test]
fn a_lookup_is_never_somebodys_file() {
    let catalog = CATALOG
        .replace("source = \"places.csv\"", "source = \"people.csv\"")
        .replace("country = { type = \"text\" }\n", "");
    let place = Place::new(&catalog, &[("people.csv", people(50))]);
    let file = plan(
        "[[table]]\nname = \"t\"\nfrom = \"people\"\nhierarchy = [\"region\", \"district\"]\nlookup = \"places\"\n",
    );
    let error = explain(&place.home, &file).map(drop).expect_err("the file is people's");
    assert!(error.to_string().contains("people.csv") || error.to_string().contains("twice"), "{error}");
}

/// Specification: where keys are earned, every ε that is told leaves their δ out of the δ that it is told at.
#[test]
fn the_delta_of_earned_keys_is_counted() {
    let place = place(2000);
    let text = "name = \"p\"\ntitle = \"P\"\nbudget = { rho = 1, delta = 1e-6 }\n[[table]]\nname = \"t\"\n\
                sql = \"SELECT age * 2 + 1 AS odd, count(*) AS n FROM people GROUP BY age * 2 + 1\"\n[[table]]\nname = \"d\"\n\
                sql = \"SELECT upper(district) AS d, count(*) AS n FROM people GROUP BY upper(district)\"\n";
    let expected =
        explain(&place.home, &PlanFile::parse(text).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    assert!(expected.charged.amount().delta_units > 0, "keys are earned");
    let delta = pointillist_privacy::Delta::parse("1e-6").unwrap();
    let careless = expected.charged.epsilon_at(&delta).unwrap();
    let told = expected.by_filter.unwrap();
    assert!(told.delta == delta && told.epsilon > careless.epsilon);
    assert!(
        expected.tight.unwrap().epsilon <= told.epsilon,
        "the tight account is never above the ledger's rule"
    );
}
