//! `pointillist attack difference`.

mod page;
mod published;

use std::path::{Path, PathBuf};

use pointillist_attack::differencing::{Counts, attack};
use serde_json::{Value, json};

use super::selection::{Condition, all_of, rows_where};
use super::shown;
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;

/// Pairs that are drawn.
const TRIALS: usize = 10_000;
/// The pair of the lectures.
const PAIR: (i128, i128) = (71, 70);

/// Two counts.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack difference --with 71 --without 70 --epsilon 0.5 --json
  pointillist attack difference people.csv --where illness=flu --except name=Ana --report d.html
  pointillist attack difference --counts counts.csv

FILE has one row a person. --except may be given several times and has to leave exactly one row.
COUNTS has one column a person, with 1 for those whom a row counts and 0 for the others, and a
last column `count`.")]
pub struct Arguments {
    /// A CSV file with a header, one row a person
    #[arg(value_name = "FILE", requires = "conditions", requires = "except", conflicts_with = "counts")]
    file: Option<PathBuf>,
    /// Which rows of FILE are counted; several conditions have to hold together
    #[arg(long = "where", id = "conditions", value_name = "COLUMN=VALUE", requires = "file")]
    conditions: Vec<Condition>,
    /// The person whom the second count leaves out
    #[arg(long, value_name = "COLUMN=VALUE", requires = "file")]
    except: Vec<Condition>,
    /// The count of everybody [default: 71]
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with_all = ["file", "counts"])]
    with: Option<i128>,
    /// The count of everybody but one person [default: 70]
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with_all = ["file", "counts"])]
    without: Option<i128>,
    /// A CSV file of published counts: who is certain from them?
    #[arg(long, value_name = "COUNTS")]
    counts: Option<PathBuf>,
    /// The price of each private count; with --counts, of all of them together
    #[arg(long, value_name = "E", default_value = "0.5", allow_hyphen_values = true)]
    epsilon: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// What is counted, whom it is about, and the two counts.
struct Question {
    counts: Counts,
    /// Such as "rows of people.csv have illness = flu".
    what: String,
    /// Such as "the row with name = Ana".
    whom: String,
    /// For scripts.
    origin: Value,
}

/// Subtracts.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    let price = shown::price(&arguments.epsilon)?;
    if let Some(path) = &arguments.counts {
        return published::run(path, &price, arguments.json, &arguments.report);
    }
    let question = match &arguments.file {
        Some(path) => of_file(path, &arguments.conditions, &arguments.except)?,
        None => of_numbers(arguments.with.unwrap_or(PAIR.0), arguments.without.unwrap_or(PAIR.1))?,
    };
    let found = shown::drawn(|bits| attack(&question.counts, &price, TRIALS, bits))?;
    arguments.report.write(|| page::page(&question, &found))?;
    if arguments.json {
        shown::json([
            ("attack", json!("difference")),
            ("source", question.origin),
            ("with", json!(found.counts.with())),
            ("without", json!(found.counts.without())),
            ("epsilon", shown::epsilon_json(&price)),
            ("revealed", json!(found.counts.reveal())),
            (
                "released",
                found.released.iter().map(|(with, without)| json!([*with as f64, *without as f64])).collect(),
            ),
            ("trials", json!(found.trials)),
            ("right", json!(found.right_fraction())),
            ("right_upper", json!(found.right_upper)),
        ]);
    } else {
        shown::side_by_side(&question.exactly(), &found.private_summary());
    }
    Ok(())
}

fn of_numbers(with: i128, without: i128) -> Result<Question, Failure> {
    let counts = Counts::new(with, without)?;
    let (what, whom) = ("people have it".to_owned(), "the person".to_owned());
    Ok(Question { counts, what, whom, origin: json!("numbers") })
}

fn of_file(path: &Path, conditions: &[Condition], except: &[Condition]) -> Result<Question, Failure> {
    let table = shown::records(path)?;
    let counted = rows_where(&table, path, conditions)?;
    let left_out = rows_where(&table, path, except)?;
    let whom = all_of(except);
    match left_out.iter().filter(|row| **row).count() {
        1 => {}
        rows => {
            return Err(Failure::Request(format!(
                "{rows} rows of {} have {whom}, and the attack is about one person\n\
                 hint: add another --except until one row is left",
                path.display()
            )));
        }
    }
    let count = |with: bool| {
        let rows = counted.iter().zip(&left_out).filter(|(counted, out)| **counted && (with || !**out));
        rows.count() as i128
    };
    let what = format!("rows of {} have {}", path.display(), all_of(conditions));
    let origin = json!({
        "file": path.display().to_string(),
        "where": conditions.iter().map(Condition::to_string).collect::<Vec<_>>(),
        "except": except.iter().map(Condition::to_string).collect::<Vec<_>>(),
    });
    Ok(Question {
        counts: Counts::new(count(true), count(false))?,
        what,
        whom: format!("the row with {whom}"),
        origin,
    })
}

impl Question {
    /// What exact counts tell.
    fn exactly(&self) -> String {
        let (with, without) = (self.counts.with(), self.counts.without());
        let verdict = if self.counts.reveal() { "is one of them" } else { "is none of them" };
        format!(
            "How many {}? {with}. And without {}? {without}. The difference is {}, so {} {verdict}, for \
             certain.",
            self.what,
            self.whom,
            with - without,
            self.whom
        )
    }
}
