//! `pointillist local randomize`: from answers to reports, one a line, as they come.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use pointillist_local::Report;
use pointillist_noise::{SystemBits, with_system_bits};
use serde_json::json;

use super::lines::Lines;
use super::memory::recall;
use super::presentation::{cost_json, price_words};
use super::survey::{Survey, SurveyArguments};
use crate::commands::query::print_notes;
use crate::failure::Failure;
use pointillist_render::decimals::grouped_count;

/// So many bytes of reports are written at once.
const BATCH: usize = 1 << 16;

/// What is asked.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist local randomize --answers yes,no --epsilon 1 < answers.txt > reports.txt
  pointillist local randomize --answers-file cities.txt --other --epsilon 2 < answers.txt > reports.txt
  pointillist local randomize --mean 0 120 --epsilon 1 < ages.txt > reports.txt
  pointillist local randomize --words abcdefghijklmnopqrstuvwxyz --length 8 --epsilon 3 < words.txt > reports.txt
  echo yes | pointillist local randomize --method rappor --answers no,yes --epsilon 2 --memory mine.txt >> reports.txt
  echo yes | pointillist local randomize --setting \"randomized-response gamma=1/4\" --answers no,yes --no-header

Answers come one a line; blanks around them do not count. Reports leave in the same order, so let somebody
shuffle them if that tells who sent which. Nothing is remembered: whoever answers twice pays twice. Except by
rappor with --memory, for one respondent who is asked the same again and again: the first run reads the answer
and keeps a noisy memory of it in the file, later runs report from the memory and read no answer. All these
reports together cost the --epsilon that was asked for, one of them less. An answer that changes needs a new
memory, and costs as much again; two memories of one answer cost twice.
An answer that is not in the list ends the command with its line number; --other spares people that.")]
pub struct Arguments {
    #[command(flatten)]
    survey: SurveyArguments,
    /// About how many people will answer, for the choice of a method
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    people: u64,
    /// Report from the memory in this file, which the first run makes; for rappor and one respondent
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// Leave out the lines on top, for one respondent among many
    #[arg(long, conflicts_with = "json")]
    no_header: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Streams reports to stdout.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let survey = arguments.survey.survey(arguments.people)?;
    let (before, between, after) = match (arguments.json, arguments.no_header) {
        (true, _) => (json_start(&survey), JSON, "]}\n"),
        (false, false) => (header(&survey), LINES, ""),
        (false, true) => (String::new(), LINES, ""),
    };
    if let Some(path) = &arguments.memory {
        return report_from(path, &survey, [&before, between[0], between[2], after], arguments.json);
    }
    let lines = Lines::of_stdin();
    let lines = if io::stdout().is_terminal() { lines.unwatched() } else { lines };
    let randomized = with_system_bits(|bits| stream(&survey, lines, bits, before, between, after))
        .map_err(|error| Failure::Environment(error.to_string()))??;
    if !arguments.json {
        let mut note = format!("answers randomized: {}; {}", grouped_count(randomized), price_words(&survey));
        if survey.rappor().is_some() {
            note += "; nothing was remembered, which takes --memory";
        }
        print_notes(&[note]);
    }
    Ok(())
}

/// One report of what is remembered: what stands before it, its frame, and what stands behind.
fn report_from(path: &Path, survey: &Survey, frame: [&str; 4], is_json: bool) -> Result<(), Failure> {
    let drawn = with_system_bits(|bits| {
        let recalled = recall(path, survey, &header(survey), bits)?;
        let report: Report = recalled.rappor.report(&recalled.memory, bits);
        Ok::<_, Failure>((report, recalled.is_old))
    });
    let (report, is_old) = drawn.map_err(|error| Failure::Environment(error.to_string()))??;
    let [before, first, behind, after] = frame;
    let mut text = format!("{before}{first}");
    report.write(&mut text);
    let mut out = io::stdout().lock();
    out.write_all((text + behind + after).as_bytes())?;
    out.flush()?;
    if !is_json {
        let from = if is_old { "reported from" } else { "remembered in" };
        print_notes(&[format!("{from} {}; {}", path.display(), price_words(survey))]);
    }
    Ok(())
}

/// What stands before the first report, before every other one, and behind each.
type Frame = [&'static str; 3];
const LINES: Frame = ["", "", "\n"];
const JSON: Frame = ["\"", ",\"", "\""];

/// The public lines on top of a file of reports.
fn header(survey: &Survey) -> String {
    let mut text = format!("# {}\n", survey.line());
    if let Survey::Shares { answers, .. } = survey {
        text.extend(answers.header().map(|list| format!("# {list}\n")));
    }
    text
}

/// The beginning of an object that ends with the list of reports.
fn json_start(survey: &Survey) -> String {
    let object = json!({ "setting": survey.line(), "cost": cost_json(survey) }).to_string();
    let open = object.strip_suffix('}').expect("an object ends with a brace");
    format!("{open},\"reports\":[")
}

fn stream(
    survey: &Survey,
    mut lines: Lines,
    bits: &mut SystemBits,
    mut text: String,
    [first, next, behind]: Frame,
    after: &str,
) -> Result<u64, Failure> {
    let mut out = io::stdout().lock();
    let mut before = first;
    while lines.advance()? {
        let written = text.len();
        text.push_str(before);
        before = next;
        // What is not text is in no list; it may still be one of all the others.
        let answer = lines.text().unwrap_or("\u{fffd}");
        if let Err(error) = survey.randomize(answer, bits, &mut text) {
            out.write_all(&text.as_bytes()[..written])?;
            out.flush()?;
            return Err(Failure::Request(format!("line {}: {error}", lines.number())));
        }
        text.push_str(behind);
        // Whoever waits for the next answer may have the last report.
        if text.len() >= BATCH || lines.must_wait() {
            out.write_all(text.as_bytes())?;
            out.flush()?;
            text.clear();
        }
    }
    text.push_str(after);
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(lines.number())
}
