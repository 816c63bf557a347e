//! The report of floating point: which share of outputs proves the answer, and how soon one is seen.

use pointillist_render::chart::{Bar, BarChart, Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent, significant};
use pointillist_render::page::{Block, Page, Tone};
use pointillist_render::svg::Colour;

use super::Outcome;
use crate::{Comparison, limits};

/// Outputs on the curve at most.
const OUTPUTS: u32 = 1000;

/// What last digits tell, as a page.
pub(super) fn page(outcome: &Outcome) -> Page {
    let share = percent(outcome.textbook.identified_fraction());
    let lead = match outcome.textbook.identified {
        0 => "None of these outputs proved the answer behind it, neither of textbook noise nor of ours."
            .to_owned(),
        _ => format!(
            "{share} of the outputs of textbook noise prove the answer behind them by their last digits, \
             whatever ε was paid; of ours, {}.",
            match outcome.exact.identified {
                0 => "none".to_owned(),
                _ => percent(outcome.exact.identified_fraction()),
            }
        ),
    };
    let done = format!(
        "The true answer is {} with one person and {} without, and Laplace noise of scale {} is to hide \
         which. Textbooks draw that noise as the logarithm of a random number, in floating point. A computer \
         has only so many of those: some outputs can come from one answer and never from the other. The \
         attacker runs the sampler backwards and asks of each of {} outputs whether the other answer could \
         be behind it (Mironov 2012).",
        outcome.truth,
        outcome.other,
        significant(outcome.scale),
        grouped_count(outcome.textbook.outputs as u64)
    );
    let why = format!(
        "Our answers and our noise are whole numbers, and the sampler gives every whole number exactly the \
         probability that the theorem is about. Whatever comes out could come from either answer, with a \
         probability that differs by a factor of at most e^ε; nobody who held both for equally likely is \
         right more often than {}. That is what was paid for: {}.\n\nThe price of exactness is a slower \
         sampler and answers on a grid. Outputs that prove an answer would make ε a number without a \
         meaning.",
        percent(limits::right_guess_upper(&outcome.price)),
        outcome.price
    );
    let mut learnt = vec![
        Block::side_by_side(outcome.without(), outcome.with()),
        Block::figure(
            &bars(outcome),
            "Outputs that prove which answer is behind them, with certainty. Any at all is a broken promise.",
        ),
    ];
    if outcome.textbook.identified > 0 {
        let caption = "How likely it is that at least one output seen so far proves the answer, if the share \
                       above stays what it is.";
        learnt.push(Block::figure(&curve(outcome), caption));
    }
    Page::new("What the last digits of textbook noise tell", lead)
        .section("What was done", vec![Block::text(done)])
        .section("What was learnt", learnt)
        .section(
            "Why exact noise resists",
            vec![
                Block::text(why),
                Block::verdict(
                    Tone::Plain,
                    "A proof about real numbers protects nobody from a sampler in floats.",
                ),
            ],
        )
}

fn bars(outcome: &Outcome) -> BarChart {
    let bar = |name: &str, share: f64, colour| Bar::plain(name, 100.0 * share, percent(share), colour);
    BarChart {
        title: format!("Outputs that prove a bit, at {}", outcome.price),
        axis: "% of outputs".to_owned(),
        bars: vec![
            bar("textbook noise in floats", outcome.textbook.identified_fraction(), Colour::ORANGE),
            bar("Pointillist, exact integers", outcome.exact.identified_fraction(), Colour::BLUE),
        ],
        ..BarChart::default()
    }
}

fn curve(outcome: &Outcome) -> Chart {
    let needed = outcome.textbook.outputs_needed().unwrap_or(1);
    let most = OUTPUTS.min(u32::try_from(2 * needed).unwrap_or(OUTPUTS)).max(10);
    let caught = |share: f64| -> Vec<(f64, f64)> {
        (0..=most)
            .map(|seen| (f64::from(seen), 100.0 * (1.0 - (1.0 - share).powf(f64::from(seen)))))
            .collect()
    };
    Chart {
        title: format!("How soon the bit is certain, at {} an output", outcome.price),
        x_name: "outputs seen".to_owned(),
        y_name: "certain by then, in %".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series: vec![
            Series::new(Mark::Line, "Pointillist", caught(outcome.exact.identified_fraction())),
            Series::new(Mark::Line, "textbook noise", caught(outcome.textbook.identified_fraction())),
        ],
    }
}
