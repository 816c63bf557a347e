//! `pointillist attack anonymize`.

mod page;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use pointillist_attack::anonymity::fewest_for_two::rows_to_match;
use pointillist_attack::anonymity::still_works::{Disclosed, homogeneity};
use pointillist_attack::anonymity::{
    Anonymity, fewest_stars, fewest_stars_for_two, information_lost, measure, mondrian, publish,
};
use pointillist_attack::linkage::from_counts::{self, Guesses};
use pointillist_attack::records::Records;
use serde_json::json;

use super::release::{self, PriceArguments, ReleasePrice};
use super::shown;
use super::town::TableArguments;
use crate::failure::Failure;
use crate::message::say;
use crate::report_arguments::ReportArguments;

/// Tables of at most this many rows are tried in every way.
const EXACT_MAX: usize = 16;
/// Tables of at most this many rows are matched without being asked to: about three seconds.
const MATCHING_MAX: usize = 500;
/// Rows that are shown.
const ROWS: usize = 8;

/// A table, what outsiders know of it and what they want.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack anonymize --k 2
  pointillist attack anonymize --town 300 --k 2 --report anonymous.html
  pointillist attack anonymize people.csv --known age,zip --sensitive illness --k 5 --output safe.csv

Methods: exact tries every way to hide cells behind stars (20 rows at most), matching finds the
fewest stars for k = 2 (2,000 rows at most), mondrian cuts any table into ranges and sets; auto
takes the first that is quick. Columns that are neither known nor sensitive are left out.")]
pub struct Arguments {
    #[command(flatten)]
    table: TableArguments,
    /// The columns that outsiders know
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "born,sex,zip")]
    known: Vec<String>,
    /// The column that they want
    #[arg(long, value_name = "COLUMN", default_value = "illness")]
    sensitive: String,
    /// How many rows must look alike
    #[arg(long, value_name = "K", default_value_t = 2)]
    k: usize,
    /// How rows are made alike
    #[arg(long, value_name = "METHOD", value_enum, default_value = "auto")]
    method: Method,
    /// Write the anonymized table into this file
    #[arg(long, value_name = "FILE.csv")]
    output: Option<PathBuf>,
    #[command(flatten)]
    price: PriceArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// How rows are made alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Whichever is quick: exact, else matching, else mondrian
    Auto,
    /// Stars, as few as there can be: tries everything
    Exact,
    /// Stars, as few as there can be, for k = 2
    Matching,
    /// Ranges and sets
    Mondrian,
}

/// What was found.
struct Found<'a> {
    arguments: &'a Arguments,
    price: ReleasePrice,
    original: Records,
    published: Records,
    method: Method,
    stars: Option<usize>,
    measured: Anonymity,
    disclosed: Disclosed,
    lost: f64,
    guesses: Guesses,
}

/// Anonymizes, measures, attacks.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    arguments.check_output()?;
    let found = arguments.found()?;
    if let Some(path) = &arguments.output {
        let unwritable = |error: std::io::Error| {
            Failure::Request(format!(
                "{} cannot be written: {error}\nhint: give a new file in a folder that exists",
                path.display()
            ))
        };
        let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(unwritable)?;
        file.write_all(found.published.to_csv().as_bytes()).map_err(unwritable)?;
        say(format!("table written to {}", path.display()));
    }
    arguments.report.write(|| found.page())?;
    if arguments.json {
        found.print_json();
    } else {
        found.print();
    }
    Ok(())
}

impl Arguments {
    fn known(&self) -> Vec<&str> {
        self.known.iter().map(String::as_str).collect()
    }

    /// A table is not written over: it may be the only copy of the original.
    fn check_output(&self) -> Result<(), Failure> {
        match &self.output {
            Some(path) if path.exists() => Err(Failure::Request(format!(
                "{} exists already\nhint: choose another file for the anonymized table",
                path.display()
            ))),
            _ => Ok(()),
        }
    }

    fn found(&self) -> Result<Found<'_>, Failure> {
        if self.k < 2 {
            return Err(Failure::Request(format!(
                "k = {} hides nobody\nhint: write k = 2 or more, so that every row looks like another",
                self.k
            )));
        }
        let price = self.price.read()?;
        let known = self.known();
        let sensitive = self.sensitive.as_str();
        if known.contains(&sensitive) {
            return Err(Failure::Request(format!(
                "`{sensitive}` is both known and wanted\n\
                 hint: leave it out of --known or name another --sensitive"
            )));
        }
        let original = self.table.read()?.only(&[&known[..], &[sensitive]].concat())?;
        let progress = shown::working(format!("making every row look like {} others", self.k - 1));
        let (published, method, stars) = anonymized(&original, &known, self.k, self.method)?;
        let measured = measure(&published, &known, Some(sensitive))?;
        let disclosed = homogeneity(&published, &known, sensitive)?;
        let lost = information_lost(&original, &published, &known)?;
        let releases = release::releases(original.rows().len());
        let guesses = shown::drawn(|bits| {
            let what = (&known[..], sensitive);
            from_counts::everybody(
                &original,
                &published,
                what,
                (&price.epsilon, &price.delta),
                releases,
                bits,
            )
        })?;
        progress.finish_and_clear();
        let arguments = self;
        Ok(Found { arguments, price, original, published, method, stars, measured, disclosed, lost, guesses })
    }
}

/// The table made k-anonymous, how, and with how many stars.
fn anonymized(
    original: &Records,
    known: &[&str],
    k: usize,
    method: Method,
) -> Result<(Records, Method, Option<usize>), Failure> {
    let columns = known.iter().map(|name| original.column(name)).collect::<Result<Vec<_>, _>>()?;
    let rows = original.rows().len();
    let method = match method {
        Method::Auto if rows <= EXACT_MAX => Method::Exact,
        Method::Auto if k == 2 && rows_to_match(original, &columns) <= MATCHING_MAX => Method::Matching,
        Method::Auto => Method::Mondrian,
        Method::Matching if k != 2 => {
            return Err(Failure::Request(format!(
                "matching makes pairs and triples, which is for k = 2, not {k}\n\
                 hint: write --method mondrian, or --k 2"
            )));
        }
        chosen => chosen,
    };
    let found = match method {
        Method::Exact => fewest_stars(original, &columns, k)?,
        Method::Matching => fewest_stars_for_two(original, &columns)?,
        Method::Mondrian | Method::Auto => {
            return Ok((mondrian(original, known, k)?, Method::Mondrian, None));
        }
    };
    Ok((publish(original, &columns, &found.classes), method, Some(found.stars)))
}

impl Found<'_> {
    fn how(&self) -> String {
        match (self.method, self.stars) {
            (Method::Exact, Some(stars)) => {
                format!("{stars} cells behind stars, the fewest there are (every way was tried)")
            }
            (_, Some(stars)) => format!("{stars} cells behind stars, the fewest there are (by matching)"),
            _ => "ranges and sets, by Mondrian".to_owned(),
        }
    }

    /// How many rows each looks like, at least.
    fn others(&self) -> String {
        match self.measured.k.saturating_sub(1) {
            1 => "one other".to_owned(),
            others => format!("{others} others"),
        }
    }

    /// k, l and t in words.
    fn measures(&self) -> String {
        let (measured, sensitive) = (&self.measured, &self.arguments.sensitive);
        let classes = match measured.classes {
            1 => "one class".to_owned(),
            classes => format!("{classes} classes"),
        };
        let mut text = format!(
            "k-anonymity: every row looks like at least {}: k = {}, in {classes}. {:.0} % of what the \
             columns told is lost.",
            self.others(),
            measured.k,
            100.0 * self.lost
        );
        if let (Some(l), Some(entropy)) = (measured.l_distinct, measured.l_entropy) {
            text += &format!(
                "\nl-diversity: the least diverse class has {}, l = {l} (and {entropy:.2} by entropy).{}",
                if l == 1 { format!("a single {sensitive}") } else { format!("{l} values of {sensitive}") },
                if l == 1 { " Who is in it has no secret." } else { "" }
            );
        }
        if let Some(t) = measured.t {
            text += &format!(
                "\nt-closeness: in the class farthest from the whole table, {:.0} % of the {sensitive} \
                 values would have to be others to look like everybody's: t = {t:.2}.",
                100.0 * t
            );
        }
        text
    }

    fn still_works(&self) -> String {
        let (found, sensitive) = (&self.disclosed, &self.arguments.sensitive);
        let certain = match found.certain {
            0 => format!("Nobody of {} people is", found.rows),
            1 => format!("1 of {} people is", found.rows),
            certain => format!("{certain} of {} people are", found.rows),
        };
        format!(
            "{certain} in a class where everybody has the same {sensitive}, so that it is known without \
             finding their row. {} are one guess away. Saying the most common {sensitive} of somebody's \
             class is right for {:.0} % of the people.",
            found.one_guess_away,
            100.0 * self.guesses.from_rows
        )
    }

    fn with(&self) -> String {
        format!(
            "In place of rows, counts with noise of everybody in a combination of {} and {}, at {}; \
             combinations that few share do not appear. {}",
            self.arguments.known.join(", "),
            self.arguments.sensitive,
            self.price.with_threshold(),
            release::in_words(&self.guesses, &self.arguments.sensitive)
        )
    }

    fn print(&self) {
        let rows = self.published.rows().iter().take(ROWS).map(|row| row.join(", "));
        let mut lines: Vec<String> =
            std::iter::once(self.published.columns().join(", ")).chain(rows).collect();
        if let Some(more) = self.published.rows().len().checked_sub(ROWS + 1) {
            lines.push(format!("… and {} more", more + 1));
        }
        let head: String = lines.iter().map(|line| pointillist_render::text::shown(line) + "\n").collect();
        shown::paragraph(&format!("published: {}", self.how()), &head);
        shown::paragraph("measured", &self.measures());
        shown::side_by_side(&self.still_works(), &self.with());
    }

    fn print_json(&self) {
        shown::json([
            ("attack", json!("anonymize")),
            ("method", json!(format!("{:?}", self.method).to_lowercase())),
            ("stars", json!(self.stars)),
            ("k", json!(self.measured.k)),
            ("classes", json!(self.measured.classes)),
            ("l_distinct", json!(self.measured.l_distinct)),
            ("l_entropy", json!(self.measured.l_entropy)),
            ("t", json!(self.measured.t)),
            ("information_lost", json!(self.lost)),
            ("rows", json!(self.disclosed.rows)),
            ("certain", json!(self.disclosed.certain)),
            ("one_guess_away", json!(self.disclosed.one_guess_away)),
            ("epsilon", self.price.epsilon_json()),
            ("delta", self.price.delta_json()),
            ("guesses", release::guesses_json(&self.guesses)),
        ]);
    }
}
