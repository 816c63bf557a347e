//! `pointillist local estimate`: what reports say about everybody, with intervals.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_local::{EstimatedFigures, Interval, LocalError, Protocol, ReportsFile, SurveyEstimates};
use pointillist_render::decimals::{grouped, grouped_count};
use pointillist_render::places::Places;
use pointillist_render::survey::{
    NoteWays, estimate_notes, estimate_rows, interval_words, price_words, share_chart,
};
use pointillist_render::svg::Drawing;

use super::arguments::AnswerArguments;
use super::input;
use super::words::{named, of_stream, with_flags};
use crate::commands::query::print_notes;
use crate::failure::Failure;
use crate::output_file::write_output;
use crate::progress::{self, ProgressBar};
use crate::table::{Cell, Side, Table, Tone};
use crate::terminal::json_line;
use pointillist_render::terminal_style::TerminalStyle;

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
    let input = match &arguments.file {
        Some(path) => input::file(path)?,
        None => input::standard_input(false),
    };
    let setting = arguments.setting.as_deref();
    let file = ReportsFile::read(input, setting, arguments.answers.list()?).map_err(of_stream)?;
    let file = if arguments.skip_bad { file } else { file.without_bad_lines().map_err(with_flags)? };
    if file.reports() == 0 {
        return Err(with_flags(LocalError::NoReports));
    }
    refuse_misplaced(arguments, file.survey.protocol())?;
    let waiting = match file.survey.protocol() {
        Protocol::Strings(_) => progress::spinner("searching …"),
        _ => ProgressBar::hidden(),
    };
    let estimates = file.estimates(arguments.at_least);
    waiting.finish_and_clear();
    let estimates = estimates.map_err(with_flags)?;
    if let Some(path) = &arguments.plot {
        let Some(chart) = share_chart(&estimates) else {
            return Err(Failure::wrong("a mean is one number and has no picture", "leave --plot out"));
        };
        write_output(path, &chart.to_svg())?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", json_line(&estimates))?;
        return Ok(out.flush()?);
    }
    let style = TerminalStyle::for_stdout();
    let mut lines = figure_lines(&estimates, file.survey.protocol(), arguments.normalise, style);
    lines.extend(named("intervals", &interval_words(&estimates), style));
    lines.extend(named("method", &estimates.setting, style));
    lines.extend(named("reports", &grouped_count(estimates.reports), style));
    lines.extend(named("price", &price_words(&estimates.cost), style));
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    let ways = NoteWays { larger_share: " with --at-least", all_rows: "; --json has all" };
    let mut notes = estimate_notes(&estimates, ways);
    if let Some((number, _)) = &file.first_bad {
        let count = grouped_count(file.bad_lines);
        notes.push(format!("{count} lines are no reports and were left out; line {number} is the first"));
    }
    print_notes(&notes);
    Ok(())
}

fn refuse_misplaced(arguments: &Arguments, protocol: &Protocol) -> Result<(), Failure> {
    let at_least = arguments.at_least.is_some().then_some("--at-least");
    let normalise = arguments.normalise.then_some("--normalise");
    let misplaced = match protocol {
        Protocol::Frequency(_) => at_least,
        Protocol::Mean(_) => at_least.or(normalise),
        Protocol::Strings(_) => normalise,
    };
    misplaced.map_or(Ok(()), |option| {
        Err(Failure::wrong(format!("{option} means nothing for these reports"), "leave it out"))
    })
}

fn figure_lines(
    estimates: &SurveyEstimates,
    protocol: &Protocol,
    normalise: bool,
    style: TerminalStyle,
) -> Vec<String> {
    if let (EstimatedFigures::Mean(mean), Protocol::Mean(oracle)) = (&estimates.figures, protocol) {
        let width = (oracle.range().upper() - oracle.range().lower()).to_f64_upper();
        let places = Places::of_errors([mean.normal.radius().max(width * 1e-9)]);
        let ends = |interval: Interval| format!("95 %: {}", interval_text(places, interval));
        return [
            named("mean", &style.strong(&grouped(&places.nearest(mean.mean))), style),
            named("normal", &ends(mean.normal), style),
            named("guarantee", &ends(mean.guaranteed), style),
        ]
        .concat();
    }
    let rows = estimate_rows(&estimates.figures);
    let places = Places::of_errors(rows.iter().map(|row| 100.0 * row.share.standard_error));
    let percent = |share: f64| Cell::from(grouped(&places.nearest(100.0 * share)));
    let ends = |interval: Interval| {
        let percent = Interval { lower: 100.0 * interval.lower, upper: 100.0 * interval.upper };
        Cell::from(interval_text(places, percent))
    };
    let heading = if matches!(estimates.figures, EstimatedFigures::Words { .. }) { "word" } else { "answer" };
    let mut table = Table::new();
    let names = rows.iter().map(|row| Cell::from(row.name.clone()));
    table.filled_column(heading, Side::Left, Tone::Plain, names);
    let shares = rows.iter().map(|row| percent(row.share.share));
    table.filled_column("share in %", Side::Right, Tone::Plain, shares);
    if normalise {
        let nearest = rows.iter().filter_map(|row| row.normalised.map(percent));
        table.filled_column("normalised", Side::Right, Tone::Plain, nearest);
    }
    let normal = rows.iter().map(|row| ends(row.share.normal));
    table.filled_column("95 %, normal", Side::Left, Tone::Faint, normal);
    let guaranteed = rows.iter().map(|row| ends(row.share.guaranteed));
    table.filled_column("95 %, guaranteed", Side::Left, Tone::Faint, guaranteed);
    table.lines("", style)
}

/// Both ends, rounded outwards.
fn interval_text(places: Places, interval: Interval) -> String {
    format!("{} to {}", grouped(&places.low(interval.lower)), grouped(&places.high(interval.upper)))
}
