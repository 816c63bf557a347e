//! Two k-anonymous tables that share people: what both tell that neither tells; beside it, guesses from two releases of
//! counts.

mod page;

use pointillist_noise::SecureBits;
use pointillist_render::decimals::percent;
use pointillist_render::page::Page;
use serde::Serialize;

use super::anonymize::check_k;
use super::mondrian;
use super::still_works::{Intersected, in_both, intersection};
use crate::linkage::release_price::releases;
use crate::linkage::{Guesses, ReleasePrice, from_counts};
use crate::records::Records;
use crate::{AttackError, Comparison};

/// Two tables, and what outsiders know of them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The first table.
    pub first: Records,
    /// The second table.
    pub second: Records,
    /// The columns that outsiders know of the first.
    pub known: Vec<String>,
    /// The columns that outsiders know of the second.
    pub known_second: Vec<String>,
    /// The column that they want, which both tables have.
    pub sensitive: String,
    /// The column that says who is who, which both tables have; else people are rows that alone have the same known
    /// columns in both.
    pub person: Option<String>,
    /// How many rows must look alike in each table; `None` where both are published as they are.
    pub k: Option<usize>,
    /// The price of each publisher's counts.
    pub price: ReleasePrice,
}

/// What two tables give away about the people who are in both, and what two releases of counts do.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "intersect")]
pub struct Outcome {
    /// How many rows look alike in each table, where we made them so.
    pub k: Option<usize>,
    /// Rows of the two tables.
    pub rows: [usize; 2],
    /// What the tables give away.
    #[serde(flatten)]
    pub intersected: Intersected,
    /// The price of each publisher's counts.
    #[serde(flatten)]
    pub price: ReleasePrice,
    /// Right guesses about the people who are in both.
    pub guesses: Guesses,
    #[serde(skip)]
    sensitive: String,
    #[serde(skip)]
    tables: Tables,
}

/// Two tables, what is known of each, and who is in both.
#[derive(Clone, Debug)]
struct Tables {
    sides: [(Records, Vec<String>); 2],
    people: Vec<(usize, usize)>,
}

/// Publishes twice, and intersects.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { first, second, known, known_second, sensitive, person, k, price } = settings;
    k.map_or(Ok(()), check_k)?;
    let tables = Tables::new([(first, known), (second, known_second)], person.as_deref())?;
    let intersected = tables.intersected(&sensitive, k)?;
    let known = tables.known();
    let sides = [(&tables.sides[0].0, &known[0][..]), (&tables.sides[1].0, &known[1][..])];
    let rows = sides.map(|(table, _)| table.rows().len());
    let (at, releases) = ((&price.epsilon, &price.delta), releases(rows[0] + rows[1]));
    let guesses = from_counts::both(&sides, &tables.people, &sensitive, at, releases, bits)?;
    let right = intersected.left.iter().map(|(_, left)| 1.0 / (*left).max(1) as f64).sum::<f64>();
    let guesses = Guesses { from_rows: right / intersected.people as f64, ..guesses };
    Ok(Outcome { k, rows, intersected, price, guesses, sensitive, tables })
}

impl Tables {
    fn new(sides: [(Records, Vec<String>); 2], person: Option<&str>) -> Result<Self, AttackError> {
        let [(first, known), (second, known_second)] = &sides;
        let shared = known.iter().filter(|name| known_second.contains(name)).map(String::as_str);
        let by: Vec<&str> = person.map_or_else(|| shared.collect(), |person| vec![person]);
        let people = in_both(first, second, &by)?;
        if people.is_empty() {
            return Err(AttackError::new(
                format!("nobody is in both tables, to judge by {}", by.join(", ")),
                "name the column that says who is who",
            ));
        }
        Ok(Self { sides, people })
    }

    fn known(&self) -> [Vec<&str>; 2] {
        self.sides.each_ref().map(|(_, known)| known.iter().map(String::as_str).collect())
    }

    /// The attack on two tables that are k-anonymous, each on its own, or published as they are.
    fn intersected(&self, sensitive: &str, k: Option<usize>) -> Result<Intersected, AttackError> {
        let publish = |table: &Records, known: &[&str]| match k {
            None => Ok(table.clone()),
            Some(k) => mondrian(table, known, k),
        };
        let [known, known_second] = self.known();
        let first = publish(&self.sides[0].0, &known)?;
        let second = publish(&self.sides[1].0, &known_second)?;
        intersection((&first, &known), (&second, &known_second), sensitive, &self.people)
    }
}

impl Outcome {
    fn share(&self, part: usize) -> f64 {
        part as f64 / self.intersected.people.max(1) as f64
    }

    fn how(&self) -> String {
        match self.k {
            None => "Two published tables".to_owned(),
            Some(k) => format!("Two {k}-anonymous tables, each made on its own,"),
        }
    }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        let (found, sensitive) = (&self.intersected, &self.sensitive);
        let mean = |part: fn(&(usize, usize)) -> usize| {
            found.left.iter().map(part).sum::<usize>() as f64 / found.people.max(1) as f64
        };
        format!(
            "{} share {} people. One of the tables alone gives the {sensitive} of {} of them away ({}); both \
             together that of {} ({}), and {} more are one guess away. Of {:.1} values that were possible on \
             average, {:.1} are left.",
            self.how(),
            found.people,
            found.certain_alone,
            percent(self.share(found.certain_alone)),
            found.certain,
            percent(self.share(found.certain)),
            found.one_guess_away,
            mean(|left| left.0),
            mean(|left| left.1)
        )
    }

    fn with(&self) -> String {
        format!(
            "Both publish counts with noise, each at {}; whoever is in both pays twice, and no more. {}",
            self.price,
            self.guesses.summary(&self.sensitive)
        )
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        page::page(self)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;
    use crate::linkage::examples::two_hospitals;

    fn settings(k: Option<usize>, person: Option<&str>) -> Settings {
        let (first, second) = two_hospitals();
        let known = ["born", "sex", "zip"].map(str::to_owned).to_vec();
        Settings {
            first,
            second,
            known_second: known.clone(),
            known,
            sensitive: "illness".to_owned(),
            person: person.map(str::to_owned),
            k,
            price: ReleasePrice::parse("1", "1e-6").unwrap(),
        }
    }

    /// Specification: scripts get these members, and no others.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let found = run(settings(Some(5), Some("name")), &mut seeded(1)).unwrap();
        let found = serde_json::to_value(&found).unwrap();
        let names: Vec<&String> = found.as_object().unwrap().keys().collect();
        let expected = [
            "attack",
            "certain",
            "certain_alone",
            "delta",
            "epsilon",
            "guesses",
            "k",
            "one_guess_away",
            "one_guess_away_alone",
            "people",
            "rows",
        ];
        assert_eq!(names, expected);
        assert_eq!((&found["people"], &found["rows"]), (&150.into(), &serde_json::json!([450, 450])));
        assert!(found["certain"].as_u64() > found["certain_alone"].as_u64(), "{found}");
    }

    #[test]
    fn crowds_of_one_and_tables_without_shared_people_are_refused() {
        assert!(run(settings(Some(1), Some("name")), &mut seeded(1)).is_err());
        let strangers =
            Settings { person: None, known_second: vec!["zip".to_owned()], ..settings(Some(5), None) };
        let error = run(strangers, &mut seeded(1)).unwrap_err();
        assert!(error.to_string().starts_with("nobody is in both tables, to judge by zip"), "{error}");
    }
}
