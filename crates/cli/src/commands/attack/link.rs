//! `pointillist attack link`.

mod page;

use std::collections::BTreeSet;
use std::path::PathBuf;

use pointillist_attack::linkage::examples::{hospital_and_voters, town};
use pointillist_attack::linkage::from_counts::{self, Guesses};
use pointillist_attack::linkage::{Linked, link};
use pointillist_attack::records::Records;
use serde_json::json;

use super::release::{self, PriceArguments, ReleasePrice};
use super::shown;
use crate::bar::percent;
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;
use pointillist_render::text::shown as spelled;

/// People that are named in the output.
const NAMED: usize = 10;

/// Two tables.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack link
  pointillist attack link --town 1000 --epsilon 0.5 --report link.html
  pointillist attack link --secret patients.csv --public voters.csv --on born,sex,zip --json")]
pub struct Arguments {
    /// The table without names [default: a made-up hospital]
    #[arg(long, value_name = "PATH", requires = "public")]
    secret: Option<PathBuf>,
    /// The public list with names [default: made-up voters]
    #[arg(long, value_name = "PATH", requires = "secret")]
    public: Option<PathBuf>,
    /// A made-up town of so many people, all voters, two thirds of whom were in hospital
    #[arg(long, value_name = "PEOPLE", conflicts_with_all = ["secret", "public"])]
    town: Option<usize>,
    /// The columns that both have
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    on: Vec<String>,
    /// The column that the attacker wants [default: the first of the table without names that is not joined
    /// on]
    #[arg(long, value_name = "COLUMN")]
    sensitive: Option<String>,
    #[command(flatten)]
    price: PriceArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// What was found.
struct Found<'a> {
    arguments: &'a Arguments,
    price: ReleasePrice,
    secret: Records,
    public: Records,
    linked: Linked,
    sensitive: String,
    guesses: Guesses,
}

/// Joins, and tries the same on counts.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    let found = arguments.found()?;
    arguments.report.write(|| Ok(found.page()))?;
    if arguments.json {
        found.print_json();
    } else {
        shown::side_by_side(&found.without(), &found.with());
    }
    Ok(())
}

impl Arguments {
    fn tables(&self) -> Result<(Records, Records), Failure> {
        match (&self.secret, &self.public, self.town) {
            (Some(secret), Some(public), _) => Ok((shown::records(secret)?, shown::records(public)?)),
            (_, _, Some(people)) => {
                let town = town(people);
                let patients = town.rows().iter().enumerate().filter(|(person, _)| person % 3 != 0);
                let patients = patients.map(|(_, row)| row.clone()).collect();
                let patients = Records::new(town.columns().to_vec(), patients)?;
                Ok((
                    patients.only(&["born", "sex", "zip", "illness"])?,
                    town.only(&["name", "born", "sex", "zip"])?,
                ))
            }
            _ => Ok(hospital_and_voters()),
        }
    }

    fn found(&self) -> Result<Found<'_>, Failure> {
        let price = self.price.read()?;
        let (secret, public) = self.tables()?;
        let on: Vec<&str> = self.on.iter().map(String::as_str).collect();
        let linked = link(&secret, &public, &on)?;
        let not_joined = || secret.columns().iter().find(|column| !self.on.contains(column)).cloned();
        let sensitive = self.sensitive.clone().or_else(not_joined).ok_or_else(|| {
            Failure::Request(
                "every column is joined on, so there is nothing to learn\n\
                 hint: leave the sensitive column out of --on"
                    .to_owned(),
            )
        })?;
        let progress = shown::working("guessing from counts with noise");
        // A list of voters has no more classes than voters; each has a count for every value.
        let column = secret.column(&sensitive)?;
        let values: BTreeSet<&str> = secret.rows().iter().map(|row| row[column].as_str()).collect();
        let releases = release::releases(public.rows().len() * values.len());
        let guesses = shown::drawn(|bits| {
            let what = (&on[..], sensitive.as_str());
            from_counts::identified(&secret, &public, what, &linked, &price.epsilon, releases, bits)
        })?;
        progress.finish_and_clear();
        Ok(Found { arguments: self, price, secret, public, linked, sensitive, guesses })
    }
}

impl Found<'_> {
    fn share(&self) -> f64 {
        self.linked.identified.len() as f64 / self.linked.rows.max(1) as f64
    }

    fn without(&self) -> String {
        let found = &self.linked;
        let mut text = format!(
            "{} of {} rows ({}) belong to exactly one person of the list; {} to several, {} to nobody.",
            found.identified.len(),
            found.rows,
            percent(self.share()),
            found.ambiguous,
            found.unmatched
        );
        for known in found.identified.iter().take(NAMED) {
            let (person, row) = (&self.public.rows()[known.person], &self.secret.rows()[known.row]);
            text.push('\n');
            text += &spelled(&format!("{} → {}", person.join(", "), row.join(", ")));
        }
        text
    }

    fn with(&self) -> String {
        let counts = format!(
            "There are no rows to join. Published are {} counts, one for every {} of the list and every {} \
             (whose values are taken as public), with noise at {} for one more or one fewer person.",
            self.guesses.cells,
            self.arguments.on.join(", "),
            self.sensitive,
            self.price.pure()
        );
        if self.guesses.people == 0 {
            return counts + " Nobody was identified before, so there is nobody to compare with.";
        }
        format!("{counts} {}", release::in_words(&self.guesses, &self.sensitive))
    }

    fn print_json(&self) {
        shown::json([
            ("attack", json!("link")),
            ("rows", json!(self.linked.rows)),
            ("identified", json!(self.linked.identified.len())),
            ("ambiguous", json!(self.linked.ambiguous)),
            ("unmatched", json!(self.linked.unmatched)),
            ("sensitive", json!(self.sensitive)),
            ("epsilon", self.price.epsilon_json()),
            ("counts", json!(self.guesses.cells)),
            ("guesses", release::guesses_json(&self.guesses)),
        ]);
    }
}
