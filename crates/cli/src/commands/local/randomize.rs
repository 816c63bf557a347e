//! `pointillist local randomize`: from answers to reports, one a line, as they come.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use pointillist_local::{MemoryFile, ReportFrame, Survey};
use pointillist_noise::with_system_bits;
use pointillist_render::decimals::grouped_count;
use pointillist_render::survey::price_words;

use super::arguments::SurveyArguments;
use super::input::standard_input;
use super::words::{of_memory, of_stream};
use crate::commands::query::print_notes;
use crate::failure::Failure;

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
    let frame = match (arguments.json, arguments.no_header) {
        (true, _) => ReportFrame::json(&survey),
        (false, false) => ReportFrame::lines_with_header(&survey),
        (false, true) => ReportFrame::lines(),
    };
    let note = match &arguments.memory {
        Some(path) => {
            let (report, is_old) = remembered(path, &survey)?;
            let mut out = io::stdout().lock();
            out.write_all(frame.around(&report).as_bytes())?;
            out.flush()?;
            let from = if is_old { "reported from" } else { "remembered in" };
            format!("{from} {}; {}", path.display(), price_words(&survey.cost()))
        }
        None => {
            let input = standard_input(io::stdout().is_terminal());
            let mut out = io::stdout().lock();
            let randomized = with_system_bits(|bits| survey.randomize_stream(input, &mut out, &frame, bits))
                .map_err(|error| Failure::of(&error))?;
            let count = grouped_count(randomized.map_err(of_stream)?);
            let memory = survey.rappor().map_or("", |_| "; nothing was remembered, which takes --memory");
            format!("answers randomized: {count}; {}{memory}", price_words(&survey.cost()))
        }
    };
    if !arguments.json {
        print_notes(&[note]);
    }
    Ok(())
}

/// One report from the memory in a file, and whether it was there; otherwise of the answer on standard input, which
/// is remembered first.
fn remembered(path: &Path, survey: &Survey) -> Result<(String, bool), Failure> {
    let drawn = with_system_bits(|bits| {
        let file = MemoryFile::new(path, survey)?;
        let recalled = file.recall()?;
        let is_old = recalled.is_some();
        let memory = match recalled {
            Some(memory) => memory,
            None => file.remember_line(standard_input(false), bits)?,
        };
        Ok((file.report_line(&memory, bits), is_old))
    });
    drawn.map_err(|error| Failure::of(&error))?.map_err(of_memory)
}
