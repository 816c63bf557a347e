//! Findings on a terminal.

use pointillist_audit::words::{event_sentence, measured_text, one_run_sentence, summary};
use pointillist_audit::{Audited, Findings, Measured};

use crate::bar::bar;
use crate::ink::Ink;
use crate::table::{Cell, Side, Table, Tone};
use pointillist_render::decimals::{grouped_count, significant, significant_lower};
use pointillist_render::text::wrapped;

/// Columns that sentences are wrapped to.
const WIDTH: usize = 92;
/// Cells of a bar.
const BAR: usize = 30;
/// So many findings are told one by one; more are a table.
const ONE_BY_ONE: usize = 3;

/// Prints everything.
pub fn words(findings: &Findings) {
    let ink = Ink::for_stdout();
    if findings.audited.len() <= ONE_BY_ONE {
        for audited in &findings.audited {
            one(audited, findings, ink);
        }
    } else {
        table(findings, ink);
    }
    for run in &findings.one_runs {
        println!("{}", ink.strong(&format!("{}, one run", run.subject)));
        for line in wrapped(&one_run_sentence(run), WIDTH - 2) {
            println!("  {line}");
        }
    }
    for line in wrapped(&summary(findings), WIDTH) {
        println!("{line}");
    }
}

fn one(audited: &Audited, findings: &Findings, ink: Ink) {
    let finding = &audited.finding;
    let verdict = audited.verdict();
    let word = match verdict.is_as_it_should_be() {
        true => ink.accent(verdict.word()),
        false => ink.alarm(verdict.word()),
    };
    println!("{}  {word}", ink.strong(&finding.subject));
    if let Some(flaw) = &audited.flaw {
        for line in wrapped(flaw, WIDTH - 2) {
            println!("  {line}");
        }
    }
    let confidence = 100.0 * (1.0 - findings.rates.doubt);
    for measured in &finding.measured {
        let (claimed, lower) = (measured.measure.claimed(), measured.lower);
        let most = claimed.max(lower).max(f64::MIN_POSITIVE);
        println!("  {}", measured.measure.guarantee());
        println!("    claimed  {:>9}  {}", significant(claimed), bar(claimed / most, BAR));
        println!(
            "    measured {:>9}  {}  with {confidence} % confidence",
            significant_lower(lower),
            bar(lower / most, BAR)
        );
    }
    let event = finding.closest().and_then(|measured| measured.event.as_ref());
    let event = event.map_or_else(
        || "no event that was tried tells the two apart: this audit had no power".to_owned(),
        |event| event_sentence(finding, event),
    );
    let told = format!(
        "{event}; {} pairs tried, {} releases a side",
        finding.pairs,
        grouped_count(finding.releases as u64)
    );
    for line in wrapped(&told, WIDTH - 2) {
        println!("  {}", ink.faint(&line));
    }
}

fn table(findings: &Findings, ink: Ink) {
    let mut table = Table::new();
    let rows: Vec<(&Audited, Option<&Measured>)> =
        findings.audited.iter().map(|audited| (audited, audited.finding.closest())).collect();
    let cells = |text: &dyn Fn(&Audited, &Measured) -> String| -> Vec<Cell> {
        rows.iter()
            .map(|(audited, measured)| measured.map_or_else(String::new, |m| text(audited, m)).into())
            .collect()
    };
    let column = |table: &mut Table, heading: &str, side, tone, cells: Vec<Cell>| {
        table.filled_column(heading, side, tone, cells);
    };
    column(&mut table, "release", Side::Left, Tone::Plain, cells(&|a, _| a.finding.subject.clone()));
    let claimed = cells(&|_, m| format!("{} = {}", m.measure.symbol(), significant(m.measure.claimed())));
    column(&mut table, "claimed", Side::Left, Tone::Plain, claimed);
    column(&mut table, "measured", Side::Left, Tone::Plain, cells(&|_, m| measured_text(m)));
    let share = cells(&|_, m| format!("{:.0} %", 100.0 * m.tightness()));
    column(&mut table, "of claim", Side::Right, Tone::Plain, share);
    column(&mut table, "verdict", Side::Left, Tone::Accent, cells(&|a, _| a.verdict().word().to_owned()));
    column(&mut table, "neighbours", Side::Left, Tone::Faint, cells(&|a, _| cut(&a.finding.neighbours, 40)));
    for line in table.lines("", ink) {
        println!("{line}");
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}
