//! The report of an intersection: what two tables tell that neither tells.

use pointillist_render::chart::{Bar, BarChart, Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent};
use pointillist_render::page::{Block, Page, Tone};
use pointillist_render::svg::Colour;

use super::Outcome;
use crate::{AttackError, Comparison};

/// The largest k that the plot shows.
const SWEEP_MAX: usize = 20;

/// What two tables tell together, as a page.
pub(super) fn page(outcome: &Outcome) -> Result<Page, AttackError> {
    let (found, sensitive) = (&outcome.intersected, &outcome.sensitive);
    let lead = format!(
        "{} share {} people. Alone, they give the {sensitive} of {} of these away; together, that of {}.",
        outcome.how(),
        grouped_count(found.people as u64),
        percent(outcome.share(found.certain_alone)),
        percent(outcome.share(found.certain))
    );
    let done = format!(
        "The tables have {} and {} rows, and {} people are in both. The attacker knows in which class of \
             each table a person is, because {} say so, and takes the values of {sensitive} that stand in \
             both classes: the person's own is one of them.",
        grouped_count(outcome.rows[0] as u64),
        grouped_count(outcome.rows[1] as u64),
        grouped_count(found.people as u64),
        outcome.tables.sides[0].1.join(", ")
    );
    let why = format!(
        "Each publisher kept its promise, and the promise does not add up: being one of many in two \
             crowds is not being one of many when the crowds share only you. Nobody can keep it alone, for \
             nobody knows what others will publish.\n\nDifferential privacy adds up. Two releases at {} are \
             together a release at twice that price, whoever makes them and whether or not they know of each \
             other. At that price a guess is right with probability at most {}, for somebody who knew no \
             more than how common values are; what was reached is {}.",
        outcome.price,
        percent(outcome.guesses.right_upper),
        percent(outcome.guesses.from_counts)
    );
    let mut learnt = vec![
        Block::side_by_side(outcome.without(), outcome.with()),
        Block::figure(
            &people_chart(outcome),
            "People who are in both tables. Certain: one value is left. One guess away: two are.",
        ),
        Block::figure(
            &left_chart(outcome),
            "How many values are possible for a person: after the better table, and after both.",
        ),
        outcome.guesses.figure(sensitive, "both tables' rows", &outcome.price.of_public_keys()),
    ];
    if outcome.k.is_some() {
        learnt.push(Block::figure(
            &sweep_chart(outcome)?,
            "People whose value is certain, against k: from both tables, and from the better one alone.",
        ));
    }
    Ok(Page::new("Two anonymous tables that share people", lead)
        .section("What was done", vec![Block::text(done)])
        .section("What was learnt", learnt)
        .section(
            "Why counts with noise resist",
            vec![Block::text(why), Block::verdict(Tone::Plain, "Two crowds that share one face show it.")],
        ))
}

fn people_chart(outcome: &Outcome) -> BarChart {
    let found = &outcome.intersected;
    let bar = |name: &str, people: usize, colour| {
        let share = outcome.share(people);
        let label = format!("{} ({})", grouped_count(people as u64), percent(share));
        Bar::plain(name, 100.0 * share, label, colour)
    };
    BarChart {
        title: "What the tables give away".to_owned(),
        axis: format!("% of {} people", found.people),
        bars: vec![
            bar("certain from one table", found.certain_alone, Colour::BLUE),
            bar("certain from both", found.certain, Colour::ORANGE),
            bar("one guess away from one table", found.one_guess_away_alone, Colour::BLUE),
            bar("one guess away from both", found.one_guess_away, Colour::ORANGE),
        ],
        ..BarChart::default()
    }
}

fn left_chart(outcome: &Outcome) -> Chart {
    let left = &outcome.intersected.left;
    let most = left.iter().map(|(alone, _)| *alone).max().unwrap_or(1);
    let line = |mark, name: &str, part: &dyn Fn(&(usize, usize)) -> usize| {
        let people = |values: usize| left.iter().filter(|left| part(left) == values).count() as f64;
        Series::new(mark, name, (1..=most).map(|values| (values as f64, people(values))).collect())
    };
    Chart {
        title: "Values that are possible for a person".to_owned(),
        x_name: "values that are left".to_owned(),
        y_name: "people".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series: vec![
            line(Mark::DottedLine, "one table", &|left| left.0),
            line(Mark::DottedLine, "both tables", &|left| left.1),
        ],
    }
}

fn sweep_chart(outcome: &Outcome) -> Result<Chart, AttackError> {
    let rows = outcome.rows[0].min(outcome.rows[1]);
    let (mut alone, mut both) = (Vec::new(), Vec::new());
    for k in 2..=SWEEP_MAX.min(rows) {
        let found = outcome.tables.intersected(&outcome.sensitive, Some(k))?;
        alone.push((k as f64, 100.0 * outcome.share(found.certain_alone)));
        both.push((k as f64, 100.0 * outcome.share(found.certain)));
    }
    Ok(Chart {
        title: "Certain, for every k".to_owned(),
        x_name: "rows that look alike in each table, k".to_owned(),
        y_name: "% of people".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series: vec![
            Series::new(Mark::DottedLine, "one table", alone),
            Series::new(Mark::DottedLine, "both tables", both),
        ],
    })
}
