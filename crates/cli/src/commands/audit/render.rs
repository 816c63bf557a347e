//! Findings on a terminal.

use pointillist_audit::words::{evidence, measured_text, one_run_sentence, summary};
use pointillist_audit::{Audited, Findings, Measured};

use crate::table::{Side, Tone, print_table};
use pointillist_render::decimals::{significant, significant_lower};
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text::{cut, wrapped};
use pointillist_render::text_bar::bar;

/// Columns that sentences are wrapped to.
const WIDTH: usize = 92;
/// Cells of a bar.
const BAR: usize = 30;
/// So many findings are told one by one; more are a table.
const ONE_BY_ONE: usize = 3;

/// Prints everything.
pub fn words(findings: &Findings) {
    let style = TerminalStyle::for_stdout();
    if findings.audited.len() <= ONE_BY_ONE {
        for audited in &findings.audited {
            one(audited, findings, style);
        }
    } else {
        table(findings);
    }
    for run in &findings.one_runs {
        println!("{}", style.strong(&format!("{}, one run", run.subject)));
        for line in wrapped(&one_run_sentence(run), WIDTH - 2) {
            println!("  {line}");
        }
    }
    for line in wrapped(&summary(findings), WIDTH) {
        println!("{line}");
    }
}

fn one(audited: &Audited, findings: &Findings, style: TerminalStyle) {
    let finding = &audited.finding;
    let verdict = audited.verdict();
    let word = match verdict.is_as_it_should_be() {
        true => style.accent(verdict.word()),
        false => style.alarm(verdict.word()),
    };
    println!("{}  {word}", style.strong(&finding.subject));
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
    for line in wrapped(&evidence(finding), WIDTH - 2) {
        println!("  {}", style.faint(&line));
    }
}

fn table(findings: &Findings) {
    let rows = findings.audited.iter().filter_map(|audited| {
        let (finding, measured) = (&audited.finding, audited.finding.closest()?);
        let Measured { measure, .. } = measured;
        Some(vec![
            finding.subject.clone(),
            format!("{} = {}", measure.symbol(), significant(measure.claimed())),
            measured_text(measured),
            format!("{:.0} %", 100.0 * measured.tightness()),
            audited.verdict().word().to_owned(),
            cut(&finding.neighbours, 40),
        ])
    });
    let columns = [
        ("release", Side::Left, Tone::Plain),
        ("claimed", Side::Left, Tone::Plain),
        ("measured", Side::Left, Tone::Plain),
        ("of claim", Side::Right, Tone::Plain),
        ("verdict", Side::Left, Tone::Accent),
        ("neighbours", Side::Left, Tone::Faint),
    ];
    print_table("", &columns, &rows.collect::<Vec<_>>());
}
