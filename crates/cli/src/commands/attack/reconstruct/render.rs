//! The attack on the curator in words: two tables and two paragraphs.

use pointillist_attack::reconstruction::curator::{CAMPAIGN_COLUMNS, CARELESS_COLUMNS, Outcome};
use pointillist_render::text::wrapped;

use crate::commands::attack::output::{WIDTH, paragraph};
use crate::ink::Ink;
use crate::table::{Side, Table, Tone};

/// Prints what publishers without a budget gave away, and what the curator did.
pub fn print(outcome: &Outcome) {
    let ink = Ink::for_stdout();
    for line in wrapped(&outcome.opening(), WIDTH) {
        println!("{line}");
    }
    println!();
    println!("{}", ink.alarm("publishers without a budget"));
    print_table(&CARELESS_COLUMNS, &outcome.careless_rows(), ink);
    println!();
    println!("{}", ink.accent("Pointillist, asked in SQL by an analyst"));
    print_table(&CAMPAIGN_COLUMNS, &outcome.campaign_rows(), ink);
    println!();
    paragraph(&ink.strong("the door"), &outcome.door());
    println!();
    paragraph(&ink.strong("the bound"), &outcome.bound());
}

/// A table whose first column are words and whose others are numbers.
fn print_table(head: &[&str], rows: &[Vec<String>], ink: Ink) {
    let mut table = Table::new();
    for (index, name) in head.iter().enumerate() {
        let side = if index == 0 { Side::Left } else { Side::Right };
        let tone = if index + 1 == head.len() { Tone::Accent } else { Tone::Plain };
        table.filled_column(*name, side, tone, rows.iter().map(|row| row[index].clone().into()));
    }
    for line in table.lines("  ", ink) {
        println!("{line}");
    }
}
