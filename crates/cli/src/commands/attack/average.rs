//! `pointillist attack average`.

mod page;

use std::path::PathBuf;

use pointillist_attack::averaging::{Averaging, Outcome, attack};
use serde_json::{Value, json};

use super::selection::{Condition, all_of, rows_where};
use super::shown;
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;

/// Surveys that are simulated.
const TRIALS: usize = 200;
/// The count of the lectures.
const TRUTH: i128 = 71;

/// A count that is asked for again and again.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack average --truth 71 --epsilon 0.1 --repetitions 4096 --json
  pointillist attack average people.csv --where illness=flu --report average.html")]
pub struct Arguments {
    /// A CSV file with a header, one row a person
    #[arg(value_name = "FILE", requires = "conditions")]
    file: Option<PathBuf>,
    /// Which rows of FILE are counted; several conditions have to hold together
    #[arg(long = "where", id = "conditions", value_name = "COLUMN=VALUE", requires = "file")]
    conditions: Vec<Condition>,
    /// The true count [default: 71]
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = "file")]
    truth: Option<i128>,
    /// The price of one answer
    #[arg(long, value_name = "E", default_value = "0.1", allow_hyphen_values = true)]
    epsilon: String,
    /// How often it is asked at most
    #[arg(long, value_name = "N", default_value_t = 1024)]
    repetitions: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// What is counted, and how many there are.
struct Question {
    truth: i128,
    /// Such as "rows of people.csv have illness = flu".
    what: String,
    /// For scripts.
    origin: Value,
}

/// Averages.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    let price = shown::price(&arguments.epsilon)?;
    let question = arguments.question()?;
    let progress =
        shown::working(format!("asking up to {} times, {TRIALS} times over", arguments.repetitions));
    let found = shown::drawn(|bits| attack(question.truth, &price, arguments.repetitions, TRIALS, bits))?;
    progress.finish_and_clear();
    arguments.report.write(|| Ok(page::page(&question, &found)))?;
    if arguments.json {
        print_json(&question, &found);
    } else {
        shown::side_by_side(&question.without(&found), &with(&found));
    }
    Ok(())
}

impl Arguments {
    fn question(&self) -> Result<Question, Failure> {
        let Some(path) = &self.file else {
            let truth = self.truth.unwrap_or(TRUTH);
            return Ok(Question { truth, what: "people have it".to_owned(), origin: json!("a number") });
        };
        let rows = rows_where(&shown::records(path)?, path, &self.conditions)?;
        let truth = rows.iter().filter(|row| **row).count() as i128;
        let what = format!("rows of {} have {}", path.display(), all_of(&self.conditions));
        let conditions: Vec<String> = self.conditions.iter().map(Condition::to_string).collect();
        Ok(Question {
            truth,
            what,
            origin: json!({ "file": path.display().to_string(), "where": conditions }),
        })
    }
}

impl Question {
    fn without(&self, found: &Averaging) -> String {
        let last = found.points.last().expect("a question is asked at least once");
        format!(
            "How many {}? {}. One answer at {} is off by {:.2}. With fresh noise and no account, the average \
             of {} answers is off by {:.2} and rounds to the truth {:.0} % of the time; that really costs {} \
             times the price.",
            self.what,
            self.truth,
            found.price,
            found.deviation,
            last.repetitions,
            last.fresh.error,
            100.0 * last.fresh.exact_fraction,
            last.fresh_price_factor
        )
    }
}

fn with(found: &Averaging) -> String {
    let last = found.points.last().expect("a question is asked at least once");
    format!(
        "The same question gets the recorded answer: after {} times the error is still {:.2}, and nothing \
         more was paid. Repetitions worded anew, which share the price of one answer, leave it at {:.2}.",
        last.repetitions, last.recorded.error, last.shared.error
    )
}

fn print_json(question: &Question, found: &Averaging) {
    let outcome =
        |outcome: &Outcome| json!({ "error": outcome.error, "exact_fraction": outcome.exact_fraction });
    let points = found.points.iter().map(|point| {
        json!({
            "repetitions": point.repetitions,
            "fresh": point.fresh.error,
            "recorded": point.recorded.error,
            "shared": point.shared.error,
            "fresh_expected": point.fresh_expected,
            "fresh_price_factor": point.fresh_price_factor,
            "without": outcome(&point.fresh),
            "with_record": outcome(&point.recorded),
            "with_budget": outcome(&point.shared),
        })
    });
    shown::json([
        ("attack", json!("average")),
        ("source", question.origin.clone()),
        ("truth", json!(question.truth as u64)),
        ("epsilon", shown::epsilon_json(&found.price)),
        ("deviation", json!(found.deviation)),
        ("trials", json!(TRIALS)),
        ("points", points.collect()),
    ]);
}
