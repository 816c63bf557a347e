//! The report of published counts: who is certain, and the same formulas on private counts.

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::percent;
use pointillist_render::page::{Block, Page, Tone};

use super::{NAMED_COLUMNS, NAMED_MAX, Outcome};
use crate::differencing::Inference;
use crate::{Comparison, limits};

/// People whose names fit into a drawing.
const LABELLED: usize = 8;

/// Who is certain from published counts, as a page.
pub(super) fn page(outcome: &Outcome) -> Page {
    let done = format!(
        "{} lists {} published counts of {} people: who was counted, and how many of them have it. The \
             attacker looks for people whose answer follows: counts that add up and cancel until one person \
             is left, counts of nobody, counts of everybody, and what these make certain in turn. No guess \
             is involved.",
        outcome.source.counts,
        outcome.questions,
        outcome.people.len()
    );
    let why = format!(
        "A formula that cancels everybody else's bits does not cancel noise: it adds it up. Our counts \
             carry exact noise for {} in total, calibrated to the largest number of counts that one person \
             is in. Whatever is combined, nobody's bit can be told from the answers with more certainty than \
             that price allows: a guess between two equally likely answers is right with probability at most \
             {}.",
        outcome.price,
        percent(limits::right_guess_upper(&outcome.price))
    );
    let mut learnt = vec![Block::side_by_side(outcome.without(), outcome.with())];
    if !outcome.determined.is_empty() {
        if !outcome.private.inferences.is_empty() {
            learnt.push(Block::figure(
                &chart(outcome),
                "Everybody whom a combination of the counts determines. From exact counts the formula \
                     gives zero or one; from private counts it gives the same and noise.",
            ));
        }
        learnt.push(Block::Table {
            head: NAMED_COLUMNS.map(str::to_owned).to_vec(),
            rows: outcome.named().into_iter().map(Vec::from).collect(),
        });
    }
    let tone = if outcome.determined.is_empty() { Tone::Calm } else { Tone::Alarm };
    learnt.push(Block::verdict(tone, outcome.without()));
    Page::new("Who is certain from published counts", outcome.without() + " " + &outcome.with())
        .section("What was done", vec![Block::text(done)])
        .section("What was learnt", learnt)
        .section("Why private counts resist", vec![Block::text(why)])
}

fn chart(outcome: &Outcome) -> Chart {
    let inferences = || outcome.private.inferences.iter().take(NAMED_MAX).zip(1..);
    let dots = |value: &dyn Fn(&Inference) -> f64| -> Vec<(f64, f64)> {
        inferences().map(|(found, place)| (f64::from(place), value(found))).collect()
    };
    let exact_value = |found: &Inference| found.exact.to_f64_upper();
    let mut exact = Series::new(Mark::Dots, "from exact counts", dots(&exact_value));
    if outcome.private.inferences.len() <= LABELLED {
        exact.labels = inferences().map(|(found, _)| outcome.people[found.found.person].clone()).collect();
    }
    let mut private =
        Series::new(Mark::Dots, "from private counts, and their deviation", dots(&|found| found.private));
    let around = |(found, place): (&Inference, i32)| {
        let (value, deviation) = (exact_value(found), found.private_deviation);
        (f64::from(place), value - deviation, value + deviation)
    };
    private.band = inferences().map(around).collect();
    // A little room on the right, and whole numbers below.
    let right = (inferences().count() as f64 + 1.0).max(6.0);
    let line = |name: &str, value| Series {
        labels: vec![name.to_owned()],
        ..Series::new(Mark::Reference, "", vec![(0.0, value), (right, value)])
    };
    Chart {
        title: "The same formula on exact and on private counts".to_owned(),
        x_name: "people whom the counts determine".to_owned(),
        y_name: "what the formula gives".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series: vec![private, exact, line("", 0.0), line("0: no, 1: yes", 1.0)],
    }
}
