//! The report of uniqueness: how many people are alone, for every set of columns.

use pointillist_render::chart::{Bar, BarChart, Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent};
use pointillist_render::page::{Block, Page, Tone};
use pointillist_render::svg::Colour;

use super::Outcome;
use crate::Comparison;

/// Bars that a page shows.
const BARS: usize = 31;

/// Who is alone, as a page.
pub(super) fn page(outcome: &Outcome) -> Page {
    let most = outcome.subsets.first().map_or(0.0, |subset| subset.share);
    let lead = format!(
        "Of {} people, {} are alone with what {} say about them.",
        grouped_count(outcome.rows as u64),
        percent(most),
        outcome.columns.join(", ")
    );
    let done = format!(
        "The table is {}. For every set of the columns {} it was counted how many people no other row \
             agrees with: whoever knows these columns of somebody finds their row, and everything else that \
             stands in it.",
        outcome.table_name,
        outcome.columns.join(", ")
    );
    let why = format!(
        "Every further column multiplies the number of combinations, and people do not multiply. So a \
             table that is harmless column by column has a row for each person when its columns stand \
             together, and exact counts of all combinations are such a table.\n\nPointillist shows a \
             combination only when its count with noise at {} reaches {}. That somebody exists who is alone \
             in theirs cannot be read off, nor that nobody does.",
        outcome.price, outcome.cells.threshold
    );
    Page::new("Who is alone in a table", lead)
        .section("What was done", vec![Block::text(done)])
        .section(
            "What was learnt",
            vec![
                Block::side_by_side(outcome.without(), outcome.with()),
                Block::figure(
                    &growth_chart(outcome),
                    "People who are alone, against the number of columns that are known: for the columns \
                         that tell most, and on average over all choices of so many columns.",
                ),
                Block::figure(&subsets_chart(outcome), "People who are alone, for each set of columns."),
                Block::figure(
                    &cells_chart(outcome),
                    "Combinations of all columns that appear: in exact counts, and in a release with \
                         noise and a threshold.",
                ),
            ],
        )
        .section(
            "Why counts with noise resist",
            vec![
                Block::text(why),
                Block::verdict(Tone::Plain, "Columns that are harmless one by one name people together."),
            ],
        )
}

fn growth_chart(outcome: &Outcome) -> Chart {
    let sizes = 1..=outcome.columns.len();
    let of_size = |size: usize| {
        let shares = outcome.subsets.iter().filter(move |subset| subset.columns.len() == size);
        shares.map(|subset| 100.0 * subset.share).collect::<Vec<_>>()
    };
    let most = sizes.clone().map(|size| (size as f64, of_size(size).into_iter().fold(0.0, f64::max)));
    let mean = sizes.clone().map(|size| {
        let shares = of_size(size);
        (size as f64, shares.iter().sum::<f64>() / shares.len().max(1) as f64)
    });
    Chart {
        title: "People who are alone".to_owned(),
        x_name: "columns that are known".to_owned(),
        y_name: "% of people".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series: vec![
            Series::new(Mark::DottedLine, "on average", mean.collect()),
            Series::new(Mark::DottedLine, "the columns that tell most", most.collect()),
        ],
    }
}

fn subsets_chart(outcome: &Outcome) -> BarChart {
    let bars = outcome.subsets.iter().take(BARS).map(|subset| {
        let label = format!("{} ({})", grouped_count(subset.unique as u64), percent(subset.share));
        Bar::plain(subset.columns.join(", "), 100.0 * subset.share, label, Colour::ORANGE)
    });
    BarChart {
        title: "People who are alone, by what is known".to_owned(),
        axis: "% of people".to_owned(),
        bars: bars.collect(),
        ..BarChart::default()
    }
}

fn cells_chart(outcome: &Outcome) -> BarChart {
    let bar = |name: &str, cells: usize, colour| {
        Bar::plain(name, cells as f64, grouped_count(cells as u64), colour)
    };
    let found = &outcome.cells;
    BarChart {
        title: "Combinations that appear".to_owned(),
        axis: "combinations".to_owned(),
        bars: vec![
            bar("exact, of one person", found.alone, Colour::ORANGE),
            bar("exact, of more", found.classes - found.alone, Colour::BLUE),
            bar("ours, of one person", found.released_alone, Colour::ORANGE),
            bar("ours, of more", found.released - found.released_alone, Colour::BLUE),
        ],
        ..BarChart::default()
    }
}
