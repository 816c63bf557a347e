//! The attack on the curator in words: two tables and two paragraphs.

use pointillist_attack::reconstruction::curator::{CAMPAIGN_COLUMNS, CARELESS_COLUMNS, Outcome};
use pointillist_render::text::wrapped;

use crate::commands::attack::output::{WIDTH, paragraph};
use crate::table::{Side, Tone, print_table};
use pointillist_render::terminal_style::TerminalStyle;

/// Prints what publishers without a budget gave away, and what the curator did.
pub fn print(outcome: &Outcome) {
    let style = TerminalStyle::for_stdout();
    for line in wrapped(&outcome.opening(), WIDTH) {
        println!("{line}");
    }
    println!();
    println!("{}", style.alarm("publishers without a budget"));
    print_table("  ", &columns(&CARELESS_COLUMNS), &outcome.careless_rows());
    println!();
    println!("{}", style.accent("Pointillist, asked in SQL by an analyst"));
    print_table("  ", &columns(&CAMPAIGN_COLUMNS), &outcome.campaign_rows());
    println!();
    paragraph(&style.strong("the door"), &outcome.door());
    println!();
    paragraph(&style.strong("the bound"), &outcome.bound());
}

/// Words in the first column, numbers in the others, and the finding in the last.
fn columns<'a>(names: &[&'a str]) -> Vec<(&'a str, Side, Tone)> {
    let column = |(place, name): (usize, &&'a str)| {
        let side = if place == 0 { Side::Left } else { Side::Right };
        (*name, side, if place + 1 == names.len() { Tone::Accent } else { Tone::Plain })
    };
    names.iter().enumerate().map(column).collect()
}
