//! The report of a join: who has a name now, and what counts with noise tell about the same people.

use pointillist_render::chart::{Bar, BarChart};
use pointillist_render::decimals::{grouped_count, percent};
use pointillist_render::page::{Block, Page, Tone};
use pointillist_render::svg::Colour;

use super::Outcome;
use crate::Comparison;

/// What a join finds, as a page.
pub(super) fn page(outcome: &Outcome) -> Page {
    let on = outcome.on.join(", ");
    let lead = format!(
        "{} of {} rows without names get one from a public list that shares {on} with them. From counts \
             with noise at {}, the {} of these people is guessed right in {} of cases; without any data, in \
             {}.",
        grouped_count(outcome.linked.identified.len() as u64),
        grouped_count(outcome.linked.rows as u64),
        outcome.price(),
        outcome.sensitive,
        percent(outcome.guesses.from_counts),
        percent(outcome.guesses.from_nothing)
    );
    let done = format!(
        "A table of {} rows was published without names. A public list of {} people has names, and both \
             have {on}. A row is identified when exactly one person of the list has its values, and no other \
             row does.",
        grouped_count(outcome.linked.rows as u64),
        grouped_count(outcome.public.rows().len() as u64)
    );
    let why = format!(
        "{on} are no names, and together they are one for most people: there are more combinations than \
             people. Leaving names out hides nobody whose combination is on a list somewhere.\n\nPointillist \
             publishes no rows. Here it publishes what an attacker would like best, a count for every \
             combination and every {}, with noise at {}. A count of a single person drowns in noise of about \
             the same size, and the price bounds what anybody can make of it.",
        outcome.sensitive,
        outcome.price()
    );
    Page::new("Rows without names, and a list with names", lead)
        .section("What was done", vec![Block::text(done)])
        .section(
            "What was learnt",
            vec![
                Block::side_by_side(outcome.without(), outcome.with()),
                Block::figure(
                    &rows_chart(outcome),
                    "What became of the rows: identified rows belong to one person of the list and no \
                         other; ambiguous ones to several, or share their values with another row.",
                ),
                outcome.guesses.figure(&outcome.sensitive, "the rows themselves", &outcome.price()),
            ],
        )
        .section(
            "Why counts with noise resist",
            vec![
                Block::text(why),
                Block::facts([
                    ("rows", grouped_count(outcome.linked.rows as u64)),
                    ("people on the list", grouped_count(outcome.public.rows().len() as u64)),
                    ("counts we release", grouped_count(outcome.guesses.cells as u64)),
                    ("price", outcome.price()),
                    ("releases that were attacked", outcome.guesses.releases.to_string()),
                    ("right at most, by anybody", percent(outcome.guesses.right_upper)),
                ]),
                Block::verdict(Tone::Plain, "A row without a name is a row with a name that is elsewhere."),
            ],
        )
}

fn rows_chart(outcome: &Outcome) -> BarChart {
    let bar = |name: &str, rows: usize, colour| {
        let share = rows as f64 / outcome.linked.rows.max(1) as f64;
        Bar::plain(
            name,
            100.0 * share,
            format!("{} ({})", grouped_count(rows as u64), percent(share)),
            colour,
        )
    };
    BarChart {
        title: "What a join finds".to_owned(),
        axis: "% of rows".to_owned(),
        bars: vec![
            bar("identified", outcome.linked.identified.len(), Colour::ORANGE),
            bar("ambiguous", outcome.linked.ambiguous, Colour::BLUE),
            bar("on no list", outcome.linked.unmatched, Colour::BLUE),
        ],
        ..BarChart::default()
    }
}
