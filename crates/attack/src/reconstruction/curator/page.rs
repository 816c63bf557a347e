//! The report of an attack on the curator: what is known after more and more answers, and where they end.

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent};
use pointillist_render::page::{Block, Page, Tone};

use super::{CAMPAIGN_COLUMNS, CARELESS_COLUMNS, Outcome};

/// What an attack on the curator itself finds, as a page.
pub(super) fn page(outcome: &Outcome) -> Page {
    let main = outcome.main();
    let lead = format!(
        "Publishers without a budget gave away {} and {} of the secret bits. Pointillist closed its door after {} \
             answers, with {} known.",
        percent(outcome.careless[0].recovery.fraction()),
        percent(outcome.careless[1].recovery.fraction()),
        grouped_count(main.answered as u64),
        percent(main.recovery.fraction()),
    );
    let table = |head: &[&str], rows| Block::Table {
        head: head.iter().map(|name| (*name).to_owned()).collect(),
        rows,
    };
    Page::new("A reconstruction attack on Pointillist, through its own front door", lead)
            .section(
                "Everybody's bit from counts",
                vec![
                    Block::text(outcome.opening()),
                    Block::figure(
                        &chart(outcome),
                        "Every point is the attack on the answers so far. At the dashed line the ledger refused the next \
                         question: there are no more answers, and the attacker knows what they knew.",
                    ),
                    table(&CARELESS_COLUMNS, outcome.careless_rows()),
                ],
            )
            .section(
                "Other ways to spend the same budget",
                vec![table(&CAMPAIGN_COLUMNS, outcome.campaign_rows()), Block::verdict(Tone::Calm, outcome.bound())],
            )
            .section("At the closed door", vec![Block::text(outcome.door())])
}

fn chart(outcome: &Outcome) -> Chart {
    let points = |curve: &[(usize, f64)]| -> Vec<(f64, f64)> {
        curve.iter().map(|(answers, share)| (*answers as f64, 100.0 * share)).collect()
    };
    let mut series: Vec<Series> = outcome
        .careless
        .iter()
        .map(|careless| Series::new(Mark::Line, careless.name.clone(), points(&careless.curve)))
        .collect();
    let closed = outcome.main().answered as f64;
    let farthest = outcome.careless.iter().map(|careless| careless.answered as f64).fold(closed, f64::max);
    let mut ours = points(&outcome.curve);
    // Without further answers the attacker knows what they knew.
    ours.extend(ours.last().map(|(_, share)| (farthest, *share)));
    series.push(Series::new(Mark::Line, "Pointillist", ours));
    series.push(Series::new(Mark::Reference, "its door closes", vec![(closed, 0.0), (closed, 100.0)]));
    let bound = 100.0 * outcome.bound_any;
    series.push(Series::new(
        Mark::Line,
        "what any attack on its budget gets, at most",
        vec![(0.0, bound), (farthest, bound)],
    ));
    Chart {
        title: "Bits of the secret that the attacker has".to_owned(),
        x_name: "questions answered".to_owned(),
        y_name: "bits guessed right, in percent".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series,
    }
}
