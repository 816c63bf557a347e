//! The report of an average: the error falls where every answer gets fresh noise, and not where one is kept.

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent, significant};
use pointillist_render::page::{Block, Page, Tone};

use super::{Accuracy, Averaging, Outcome, Point};
use crate::Comparison;

/// What averages tell, as a page.
pub(super) fn page(outcome: &Outcome) -> Page {
    let Outcome { question, found } = outcome;
    let last = found.last();
    let lead = format!(
        "Asked {} times, a publisher with fresh noise and no account gives the true count away {} of the \
         time; one that repeats its recorded answer tells nothing more than the first time.",
        grouped_count(last.repetitions as u64),
        percent(last.fresh.exact_fraction)
    );
    let done = format!(
        "The same question is asked again and again: how many {}? Each answer carries noise at {}, about {} \
         people up or down. The attacker takes the average of the answers, where noise cancels, and rounds \
         it. Every figure is the root of the mean squared error over {} tries.",
        question.what,
        found.price,
        significant(found.deviation),
        found.trials
    );
    let why = format!(
        "Noise protects one answer. A second answer with fresh noise is a second look, and costs as much as \
         the first: {} looks really cost {} times the price, whether anybody keeps an account or \
         not.\n\nPointillist keeps it. The same question gets the answer that was recorded the first time, \
         free of charge, and its average is itself. Questions that are worded anew are paid for from a \
         budget; where they share the price of one answer, each gets so much more noise that the average is \
         no better than asking once. When the budget is spent, nothing more is answered.",
        grouped_count(last.repetitions as u64),
        grouped_count(last.fresh_price_factor as u64)
    );
    Page::new("The same question, asked again and again", lead)
        .section("What was done", vec![Block::text(done)])
        .section(
            "What was learnt",
            vec![
                Block::side_by_side(outcome.without(), outcome.with()),
                Block::figure(
                    &chart(found),
                    "The error of the average against the number of answers. With fresh noise it falls with \
                     the square root of their number, as theory says (dashed); below one half of a person \
                     the average rounds to the truth more often than not. The recorded answer stays where it \
                     is, and a shared price makes repetitions worse.",
                ),
            ],
        )
        .section(
            "Why the recorded answer resists",
            vec![
                Block::text(why),
                Block::facts([
                    ("true count", found.truth.to_string()),
                    ("price of one answer", found.price.to_string()),
                    ("deviation of one answer", significant(found.deviation)),
                    ("answers, at most", grouped_count(last.repetitions as u64)),
                ]),
                table(&found.points),
                Block::verdict(Tone::Plain, "Asking again costs nothing and teaches nothing."),
            ],
        )
}

fn chart(found: &Averaging) -> Chart {
    let points = &found.points;
    let line = |error: &dyn Fn(&Point) -> f64| -> Vec<(f64, f64)> {
        points.iter().map(|point| (point.repetitions as f64, error(point))).collect()
    };
    let series = vec![
        Series::new(Mark::DottedLine, "recorded answer", line(&|point| point.recorded.error)),
        Series::new(Mark::DottedLine, "fresh noise, no account", line(&|point| point.fresh.error)),
        Series::new(Mark::DottedLine, "fresh noise, shared price", line(&|point| point.shared.error)),
        Series::new(Mark::Reference, "theory: σ/√r", line(&|point| point.fresh_expected)),
    ];
    Chart {
        title: format!("Error of the average of r counts at {} each", found.price),
        x_name: "answers that are averaged, r".to_owned(),
        y_name: "error (people)".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        series,
    }
}

fn table(points: &[Point]) -> Block {
    let cell = |accuracy: &Accuracy| format!("{:.2}", accuracy.error);
    let row = |point: &Point| {
        vec![
            grouped_count(point.repetitions as u64),
            cell(&point.fresh),
            percent(point.fresh.exact_fraction),
            cell(&point.recorded),
            cell(&point.shared),
        ]
    };
    let head =
        ["answers", "error, fresh noise", "rounds to the truth", "error, recorded", "error, shared price"];
    Block::Table { head: head.map(str::to_owned).to_vec(), rows: points.iter().map(row).collect() }
}
