//! `pointillist local estimate`: what reports say about everybody, with intervals.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use indicatif::ProgressBar;
use pointillist_local::{Estimate, Found, Interval, MISS, MeanEstimate, normalised};
use serde_json::{Map, Value, json};

use super::answers::{AnswerArguments, Answers};
use super::collected::{Collected, Tally};
use super::lines::Lines;
use super::presentation::{Rounding, cost_json, interval_json, named, price_words, significant};
use super::survey::{MISS_OF_A_WORD, Survey};
use crate::commands::query::print_notes;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::output_file::write_output;
use crate::table::{Cell, Side, Table, Tone};
use crate::terminal::Json;
use pointillist_render::chart::{Bar, BarChart};
use pointillist_render::decimals::{grouped_count, short_upper};
use pointillist_render::svg::{Colour, Drawing};
use pointillist_render::text::shown;

/// Rows that a screen shows.
const ROWS: usize = 24;
/// Which reports.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist local estimate reports.txt
  pointillist local estimate reports.txt --normalise --plot shares.svg
  cat phones/*.txt | pointillist local estimate --skip-bad --json
  pointillist local estimate reports.txt --setting \"randomized-response gamma=1/4\" --answers no,yes

Reports come one a line, below the line `# …` that says how they were made. Files with the same line may be
put together. Estimates are unbiased, and so they may lie a little outside of 0 to 100 %.")]
pub struct Arguments {
    /// The reports [default: standard input]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// How the reports were made, where no line on top says so
    #[arg(long, value_name = "LINE")]
    setting: Option<String>,
    #[command(flatten)]
    answers: AnswerArguments,
    /// Leave out lines that are no reports, and say how many
    #[arg(long)]
    skip_bad: bool,
    /// Show the nearest shares that are not negative and sum to one too: closer as a whole, no longer
    /// unbiased
    #[arg(long)]
    normalise: bool,
    /// Of words: the least share to search for [default: the least that noise allows]
    #[arg(long, value_name = "SHARE")]
    at_least: Option<f64>,
    /// Draw the shares with their intervals into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Reads, estimates, prints and draws.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let lines = match &arguments.file {
        Some(path) => Lines::of_file(path)?,
        None => Lines::of_stdin(),
    };
    let collected = Collected::read(lines, arguments.setting.as_deref(), arguments.answers.list()?)?;
    let collected = if arguments.skip_bad { collected } else { collected.without_bad_lines()? };
    if collected.tally.reports() == 0 {
        return Err(Failure::Request(
            "there are no reports\nhint: `pointillist local randomize` makes them, one a line".to_owned(),
        ));
    }
    let findings = Findings::of(&collected, arguments)?;
    if let Some(path) = &arguments.plot {
        write_output(path, &findings.chart(&collected.survey)?.to_svg())?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        let mut object = Map::new();
        object.insert("setting".to_owned(), collected.survey.line().into());
        object.insert("reports".to_owned(), collected.tally.reports().into());
        object.insert("bad_lines".to_owned(), collected.bad_lines.into());
        object.insert("cost".to_owned(), cost_json(&collected.survey));
        findings.insert_into(&mut object);
        writeln!(out, "{}", Json(&Value::Object(object)))?;
        return Ok(out.flush()?);
    }
    let ink = Ink::for_stdout();
    let mut footer = findings.lines(arguments.normalise, ink);
    footer.extend(named("intervals", &findings.intervals(), ink));
    footer.extend(named("method", &collected.survey.line(), ink));
    footer.extend(named("reports", &grouped_count(collected.tally.reports()), ink));
    footer.extend(named("price", &price_words(&collected.survey), ink));
    for line in footer {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    let mut notes = findings.notes();
    if let Some((number, _)) = &collected.first_bad {
        let count = grouped_count(collected.bad_lines);
        notes.push(format!("{count} lines are no reports and were left out; line {number} is the first"));
    }
    print_notes(&notes);
    Ok(())
}

/// What was found out.
enum Findings<'a> {
    Shares { estimates: Vec<Estimate>, answers: &'a Answers },
    Mean { estimate: MeanEstimate, width: f64 },
    Words { found: Found, least_share: f64 },
}

impl<'a> Findings<'a> {
    fn of(collected: &'a Collected, arguments: &Arguments) -> Result<Self, Failure> {
        let misplaced = match &collected.survey {
            Survey::Shares { .. } => [("--at-least", arguments.at_least.is_some()), ("", false)],
            Survey::Mean(_) => {
                [("--at-least", arguments.at_least.is_some()), ("--normalise", arguments.normalise)]
            }
            Survey::Words(_) => [("--normalise", arguments.normalise), ("", false)],
        };
        if let Some((option, _)) = misplaced.iter().find(|(_, given)| *given) {
            return Err(Failure::Request(format!(
                "{option} means nothing for these reports\nhint: leave it out"
            )));
        }
        Ok(match (&collected.tally, &collected.survey) {
            (Tally::Shares(collector), Survey::Shares { answers, .. }) => {
                Self::Shares { estimates: collector.estimates(), answers }
            }
            (Tally::Mean(collector), Survey::Mean(oracle)) => {
                let range = oracle.range();
                let width = (range.upper() - range.lower()).to_f64_upper();
                let estimate = collector.estimate().expect("there are reports");
                Self::Mean { estimate, width }
            }
            (Tally::Words(collector), _) => {
                let least_share = arguments.at_least.unwrap_or_else(|| collector.least_share(MISS_OF_A_WORD));
                let waiting = spinner();
                let found = collector.search(least_share, MISS_OF_A_WORD);
                waiting.finish_and_clear();
                Self::Words { found: found?, least_share }
            }
            _ => unreachable!("a tally is made for its survey"),
        })
    }

    fn insert_into(&self, object: &mut Map<String, Value>) {
        match self {
            Self::Shares { estimates, answers } => {
                let nearest = normalised(estimates);
                let rows = estimates.iter().zip(nearest).map(|(estimate, nearest)| {
                    let mut row = share_json(estimate);
                    row.insert("answer".to_owned(), answers.label(estimate.value).into());
                    row.insert("value".to_owned(), estimate.value.into());
                    row.insert("normalised".to_owned(), nearest.into());
                    Value::Object(row)
                });
                object.insert("estimates".to_owned(), rows.collect());
            }
            Self::Mean { estimate, .. } => {
                object.insert("mean".to_owned(), estimate.mean.into());
                object.insert("standard_error_max".to_owned(), estimate.variance_max.sqrt().into());
                object.insert("normal".to_owned(), interval_json(estimate.normal));
                object.insert("guaranteed".to_owned(), interval_json(estimate.guaranteed));
            }
            Self::Words { found, least_share } => {
                let rows = found.strings.iter().map(|string| {
                    let mut row = share_json(&string.estimate);
                    row.insert("word".to_owned(), string.text.clone().into());
                    Value::Object(row)
                });
                object.insert("words".to_owned(), rows.collect());
                object.insert("least_share".to_owned(), (*least_share).into());
                object.insert("cut".to_owned(), found.cut.into());
            }
        }
        object.insert("confidence".to_owned(), json!(1.0 - MISS));
    }

    /// The names and their estimates: in the order of the answers, or the largest first where there are too
    /// many.
    fn rows(&self) -> Vec<(String, &Estimate)> {
        let mut rows: Vec<(String, &Estimate)> = match self {
            Self::Shares { estimates, answers } => {
                estimates.iter().map(|estimate| (shown(&answers.label(estimate.value)), estimate)).collect()
            }
            Self::Mean { .. } => Vec::new(),
            Self::Words { found, .. } => {
                found.strings.iter().map(|string| (string.text.clone(), &string.estimate)).collect()
            }
        };
        if rows.len() > ROWS {
            rows.sort_by(|(_, a), (_, b)| b.share.total_cmp(&a.share));
            rows.truncate(ROWS);
        }
        rows
    }

    fn lines(&self, with_normalised: bool, ink: Ink) -> Vec<String> {
        if let Self::Mean { estimate, width } = self {
            let rounding = Rounding::for_error(estimate.normal.radius().max(width * 1e-9));
            let interval = |interval| format!("95 %: {}", rounding.interval(interval));
            return [
                named("mean", &ink.strong(&rounding.number(estimate.mean)), ink),
                named("normal", &interval(estimate.normal), ink),
                named("guarantee", &interval(estimate.guaranteed), ink),
            ]
            .concat();
        }
        let rows = self.rows();
        let radius = rows.iter().map(|(_, estimate)| 100.0 * estimate.variance_share.sqrt());
        let rounding = Rounding::for_error(radius.fold(f64::INFINITY, f64::min));
        let percent =
            |interval: Interval| Interval { lower: 100.0 * interval.lower, upper: 100.0 * interval.upper };
        let mut table = Table::new();
        let heading = if matches!(self, Self::Words { .. }) { "word" } else { "answer" };
        let name = |(name, _): &(String, &Estimate)| Cell::from(name.clone());
        table.filled_column(heading, Side::Left, Tone::Plain, rows.iter().map(name));
        let share = |(_, estimate): &(String, &Estimate)| Cell::from(rounding.number(100.0 * estimate.share));
        table.filled_column("share in %", Side::Right, Tone::Plain, rows.iter().map(share));
        if let (true, Self::Shares { estimates, .. }) = (with_normalised, self) {
            let nearest = normalised(estimates);
            let cell = |(_, estimate): &(String, &Estimate)| {
                Cell::from(rounding.number(100.0 * nearest[estimate.value as usize]))
            };
            table.filled_column("normalised", Side::Right, Tone::Plain, rows.iter().map(cell));
        }
        let normal =
            |(_, estimate): &(String, &Estimate)| Cell::from(rounding.interval(percent(estimate.normal)));
        table.filled_column("95 %, normal", Side::Left, Tone::Faint, rows.iter().map(normal));
        let guaranteed =
            |(_, estimate): &(String, &Estimate)| Cell::from(rounding.interval(percent(estimate.guaranteed)));
        table.filled_column("95 %, guaranteed", Side::Left, Tone::Faint, rows.iter().map(guaranteed));
        table.lines("", ink)
    }

    /// What the two kinds of intervals are worth.
    fn intervals(&self) -> String {
        let which = match self {
            Self::Shares { .. } => ", for one answer fixed in advance",
            Self::Mean { .. } => "",
            Self::Words { .. } => ", for one word fixed in advance",
        };
        format!(
            "about the people who reported{which}: the normal one is the usual approximation, good for many \
             reports and no guarantee; the guaranteed one holds in at least 95 of 100 surveys"
        )
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let all = match self {
            Self::Shares { estimates, .. } => estimates.len(),
            Self::Mean { .. } => 0,
            Self::Words { found, least_share } => {
                notes.push(format!(
                    "in at least 95 of 100 surveys all words that {} % or more hold are found, and none that \
                     nobody holds; those between may be found or not",
                    significant(100.0 * least_share)
                ));
                if found.cut {
                    notes.push(
                        "there was no room to follow all branches, so that some words may be missing: \
                         search for a larger share with --at-least"
                            .to_owned(),
                    );
                }
                found.strings.len()
            }
        };
        if all > ROWS {
            notes.push(format!(
                "the {ROWS} largest of {all} are shown, and the largest of many look larger than they are; \
                 --json has all"
            ));
        }
        notes
    }

    fn chart(&self, survey: &Survey) -> Result<BarChart, Failure> {
        if matches!(self, Self::Mean { .. }) {
            return Err(Failure::Request(
                "a mean is one number and has no picture\nhint: leave --plot out".to_owned(),
            ));
        }
        let percent = |interval: Interval| (100.0 * interval.lower, 100.0 * interval.upper);
        let bar = |(name, estimate): (String, &Estimate)| Bar {
            name,
            value: 100.0 * estimate.share,
            likely: percent(estimate.normal),
            sure: percent(estimate.guaranteed),
            label: String::new(),
            colour: Colour::BLUE,
        };
        Ok(BarChart {
            title: format!("Estimated shares, reports at ε = {}", short_upper(survey.epsilon().value())),
            axis: "% of those who reported".to_owned(),
            likely_name: "95 %, normal".to_owned(),
            sure_name: "95 %, guaranteed".to_owned(),
            bars: self.rows().into_iter().map(bar).collect(),
            ..BarChart::default()
        })
    }
}

fn share_json(estimate: &Estimate) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("count".to_owned(), estimate.count.into());
    row.insert("share".to_owned(), estimate.share.into());
    row.insert("standard_error".to_owned(), estimate.variance_share.sqrt().into());
    row.insert("normal".to_owned(), interval_json(estimate.normal));
    row.insert("guaranteed".to_owned(), interval_json(estimate.guaranteed));
    row
}

fn spinner() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner().with_message("searching …");
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
