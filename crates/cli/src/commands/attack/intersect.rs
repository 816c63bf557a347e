//! `pointillist attack intersect`.

mod page;

use std::path::PathBuf;

use pointillist_attack::anonymity::mondrian;
use pointillist_attack::anonymity::still_works::{Intersected, in_both, intersection};
use pointillist_attack::linkage::examples::town;
use pointillist_attack::linkage::from_counts::{self, Guesses};
use pointillist_attack::records::Records;
use serde_json::json;

use super::release::{self, PriceArguments, ReleasePrice};
use super::shown;
use crate::bar::percent;
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;

/// The people of the example: the first hospital has those up to the second number, the second from the first
/// on.
const TOWN: (usize, usize, usize) = (300, 450, 750);

/// Two tables that share people.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack intersect
  pointillist attack intersect west.csv east.csv --person name --known born,sex,zip --sensitive illness --k 5
  pointillist attack intersect west.csv east.csv --person id --published --report intersect.html

Each table is made k-anonymous on its own (Mondrian), as two hospitals would that do not know of
each other; with --published they are taken as they are. The attacker knows in which class of each
table a person is, which is what the known columns tell, and not which row is theirs. The column
--person is for finding who is in both, and the attacker does not see it; without it, people are
those rows that alone have the same known columns in both tables.")]
pub struct Arguments {
    /// The first table, a CSV file with a header [default: a made-up hospital of a made-up town]
    #[arg(value_name = "A.csv", requires = "second")]
    first: Option<PathBuf>,
    /// The second table [default: another hospital of the town]
    #[arg(value_name = "B.csv")]
    second: Option<PathBuf>,
    /// The columns that outsiders know
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    known: Vec<String>,
    /// The columns that outsiders know of the second table [default: the same]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    known_second: Option<Vec<String>>,
    /// The column that they want, which both tables have
    #[arg(long, value_name = "COLUMN", default_value = "illness")]
    sensitive: String,
    /// The column that says who is who, which both tables have
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,
    /// How many rows must look alike in each table
    #[arg(long, value_name = "K", default_value_t = 5)]
    k: usize,
    /// The tables are k-anonymous as they are
    #[arg(long, requires_all = ["first", "person"], conflicts_with = "k")]
    published: bool,
    #[command(flatten)]
    price: PriceArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// Two tables, and who is in both.
struct Tables {
    first: Records,
    second: Records,
    people: Vec<(usize, usize)>,
}

/// What was found.
struct Found<'a> {
    arguments: &'a Arguments,
    price: ReleasePrice,
    tables: Tables,
    intersected: Intersected,
    guesses: Guesses,
}

/// Publishes twice, and intersects.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    let found = arguments.found()?;
    arguments.report.write(|| found.page())?;
    if arguments.json {
        found.print_json();
    } else {
        shown::side_by_side(&found.without(), &found.with());
    }
    Ok(())
}

impl Arguments {
    fn known(&self) -> (Vec<&str>, Vec<&str>) {
        let first: Vec<&str> = self.known.iter().map(String::as_str).collect();
        let second = self.known_second.as_ref().unwrap_or(&self.known);
        (first, second.iter().map(String::as_str).collect())
    }

    fn tables(&self) -> Result<Tables, Failure> {
        let (first, second, person) = match (&self.first, &self.second) {
            (Some(first), Some(second)) => {
                (shown::records(first)?, shown::records(second)?, self.person.as_deref())
            }
            _ => {
                let town = town(TOWN.2);
                let part = |rows: &[Vec<String>]| Records::new(town.columns().to_vec(), rows.to_vec());
                (part(&town.rows()[..TOWN.1])?, part(&town.rows()[TOWN.0..])?, Some("name"))
            }
        };
        let (known, known_second) = self.known();
        let shared: Vec<&str> = known.iter().copied().filter(|name| known_second.contains(name)).collect();
        let people = match person {
            Some(person) => in_both(&first, &second, &[person])?,
            None => in_both(&first, &second, &shared)?,
        };
        if people.is_empty() {
            let by = person.map_or_else(|| shared.join(", "), str::to_owned);
            return Err(Failure::Request(format!(
                "nobody is in both tables, to judge by {by}\n\
                 hint: name the column that says who is who with --person"
            )));
        }
        Ok(Tables { first, second, people })
    }

    fn found(&self) -> Result<Found<'_>, Failure> {
        if self.k < 2 {
            return Err(Failure::Request(format!(
                "k = {} hides nobody\nhint: write k = 2 or more, so that every row looks like another",
                self.k
            )));
        }
        let price = self.price.read()?;
        let tables = self.tables()?;
        let intersected = self.intersected(&tables, self.k)?;
        let (known, known_second) = self.known();
        let sides = [(&tables.first, &known[..]), (&tables.second, &known_second[..])];
        let releases = release::releases(tables.first.rows().len() + tables.second.rows().len());
        let guesses = shown::drawn(|bits| {
            let price = (&price.epsilon, &price.delta);
            from_counts::both(&sides, &tables.people, &self.sensitive, price, releases, bits)
        })?;
        let right = intersected.left.iter().map(|(_, left)| 1.0 / (*left).max(1) as f64).sum::<f64>();
        let guesses = Guesses { from_rows: right / intersected.people as f64, ..guesses };
        Ok(Found { arguments: self, price, tables, intersected, guesses })
    }

    /// The attack on two tables that are k-anonymous, each on its own.
    fn intersected(&self, tables: &Tables, k: usize) -> Result<Intersected, Failure> {
        let (known, known_second) = self.known();
        let publish = |table: &Records, known: &[&str]| {
            if self.published { Ok(table.clone()) } else { mondrian(table, known, k) }
        };
        let (first, second) = (publish(&tables.first, &known)?, publish(&tables.second, &known_second)?);
        Ok(intersection((&first, &known), (&second, &known_second), &self.sensitive, &tables.people)?)
    }
}

impl Found<'_> {
    fn share(&self, part: usize) -> f64 {
        part as f64 / self.intersected.people.max(1) as f64
    }

    fn how(&self) -> String {
        if self.arguments.published {
            "Two published tables".to_owned()
        } else {
            format!("Two {0}-anonymous tables, each made on its own,", self.arguments.k)
        }
    }

    fn without(&self) -> String {
        let (found, sensitive) = (&self.intersected, &self.arguments.sensitive);
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
            self.price.with_threshold(),
            release::in_words(&self.guesses, &self.arguments.sensitive)
        )
    }

    fn print_json(&self) {
        let found = &self.intersected;
        shown::json([
            ("attack", json!("intersect")),
            ("k", if self.arguments.published { json!(null) } else { json!(self.arguments.k) }),
            ("rows", json!([self.tables.first.rows().len(), self.tables.second.rows().len()])),
            ("people", json!(found.people)),
            ("certain", json!(found.certain)),
            ("certain_alone", json!(found.certain_alone)),
            ("one_guess_away", json!(found.one_guess_away)),
            ("one_guess_away_alone", json!(found.one_guess_away_alone)),
            ("epsilon", self.price.epsilon_json()),
            ("delta", self.price.delta_json()),
            ("guesses", release::guesses_json(&self.guesses)),
        ]);
    }
}
