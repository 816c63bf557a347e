//! The report of a membership attack: whom it tells at which rate of false accusations.

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent};
use pointillist_render::page::{Block, Page, Tone};

use super::Membership;
use super::outcome::{ByStatistic, ONE_POPULATION, Outcome, RELEASES};
use crate::limits;

/// Steps of the bound's curve.
const STEPS: u32 = 200;

/// Whom an attack on membership finds, as a page.
pub(super) fn page(outcome: &Outcome) -> Page {
    let (exact, private) = (&outcome.chosen.exact, &outcome.chosen.private);
    let told = percent(exact.at_5_percent.true_positive);
    let told_private = percent(private.at_5_percent());
    let bound = percent(limits::true_positive_upper(&outcome.price, 0.05));
    let limit = match outcome.one_population {
        true => format!("; there no attack passes {bound}."),
        false => ". The two tables may differ in more than membership; what that tells is no secret of the \
                  study."
            .to_owned(),
    };
    let lead = format!(
        "Accusing at most one outsider in twenty, the attack finds {told} of the members from exact \
         frequencies, and {told_private} from frequencies at {} in total, in the mean over releases{limit}",
        outcome.price
    );
    let done = format!(
        "{}. {} frequencies are published about {} members. The attacker has the values of one person at a \
         time, the frequencies of the general population, and the published ones. Every member pulls every \
         published frequency a little towards themselves. At one position that is nothing; over {} positions \
         it adds up. The attacker adds it up (the {}) for members and for {} outsiders, and accuses whoever \
         scores above a threshold.\n\nThat matters when to be a member is itself a secret: a study of an \
         illness, a list of debtors (Homer et al. 2008; Sankararaman et al. 2009).",
        outcome.people,
        grouped_count(outcome.frequencies as u64),
        grouped_count(exact.members as u64),
        grouped_count(exact.positions as u64),
        exact.statistic,
        grouped_count(exact.outsiders as u64)
    );
    let one_population = if outcome.one_population { "" } else { ONE_POPULATION };
    let why = format!(
        "All frequencies together cost {}. One person is in all of them, so the noise of each has to grow \
         with their number, well beyond the pull of one member. Whatever an attacker adds up, at a rate of \
         false accusations α they find at most min(e^ε·α, 1 − e^−ε·(1 − α)) of the members in the mean: at \
         5 % no more than {bound}.{one_population}\n\nThe price is accuracy: with this many frequencies at \
         once, only a large group leaves more than noise. Publish fewer of them, or spend more on those \
         that matter.",
        outcome.price
    );
    Page::new("Who took part, from published averages", lead)
        .section("What was done", vec![Block::text(done)])
        .section(
            "What was learnt",
            vec![
                Block::side_by_side(
                    learnt(rates(exact)),
                    learnt((private.at_5_percent(), private.at_1_percent(), private.area()))
                        + &format!(" These are means over {RELEASES} releases.")
                        + &outcome.note(),
                ),
                Block::figure(
                    &chart(outcome),
                    format!(
                        "Members found against outsiders accused, for every threshold. The diagonal is \
                         guessing. The private curve is the mean over {RELEASES} releases, and its band three \
                         standard errors of that mean. The dashed curve is as far as any attack on \
                         membership gets in the mean at this price, whatever it computes."
                    ),
                ),
            ],
        )
        .section(
            "Why the private frequencies resist",
            vec![
                Block::text(why),
                Block::facts([
                    ("members", grouped_count(exact.members as u64)),
                    ("outsiders", grouped_count(exact.outsiders as u64)),
                    ("positions", grouped_count(exact.positions as u64)),
                    ("price of all frequencies", outcome.price.to_string()),
                ]),
                table(outcome),
                Block::verdict(
                    Tone::Plain,
                    "An average of many is about each of them, once there are many averages.",
                ),
            ],
        )
}

/// Members found at 5 % and at 1 % of the outsiders, and the area.
fn rates(side: &Membership) -> (f64, f64, f64) {
    (side.at_5_percent.true_positive, side.at_1_percent.true_positive, side.area)
}

fn learnt((at_5_percent, at_1_percent, area): (f64, f64, f64)) -> String {
    format!(
        "{} of the members are found where at most 5 % of the outsiders are accused, and {} where at most 1 \
         % are. A member scores above an outsider with probability {:.2}; one half is no information.",
        percent(at_5_percent),
        percent(at_1_percent),
        area
    )
}

fn chart(outcome: &Outcome) -> Chart {
    let curve = |side: &Membership| -> Vec<(f64, f64)> {
        let points =
            side.curve.iter().map(|point| (100.0 * point.false_positive, 100.0 * point.true_positive));
        std::iter::once((0.0, 0.0)).chain(points).collect()
    };
    let bound = |step: u32| {
        let alpha = f64::from(step) / f64::from(STEPS);
        (100.0 * alpha, 100.0 * limits::true_positive_upper(&outcome.price, alpha))
    };
    let points = &outcome.chosen.private.curve.points;
    let mean = points.iter().map(|(rate, mean, _)| (100.0 * rate, 100.0 * mean));
    let ends = |at: f64| std::iter::once((at, at));
    let band = points.iter().map(|(rate, mean, error)| {
        let (mean, around) = (100.0 * mean, 300.0 * error);
        (100.0 * rate, (mean - around).max(0.0), (mean + around).min(100.0))
    });
    let private = Series {
        band: band.collect(),
        ..Series::new(
            Mark::Line,
            format!("Pointillist, {}, mean over {RELEASES} releases", outcome.price),
            ends(0.0).chain(mean).chain(ends(100.0)).collect(),
        )
    };
    let mut series = vec![
        private,
        Series::new(Mark::Line, "exact frequencies", curve(&outcome.chosen.exact)),
        Series::new(Mark::Reference, "", vec![(0.0, 0.0), (70.0, 70.0), (100.0, 100.0)]),
        Series::new(
            Mark::Reference,
            "the most that any attack on membership reaches in the mean",
            (0..=STEPS).map(bound).collect(),
        ),
    ];
    series[2].labels = vec![String::new(), "guessing".to_owned()];
    Chart {
        title: format!(
            "Members found, outsiders accused: {} frequencies about {} members",
            grouped_count(outcome.frequencies as u64),
            grouped_count(outcome.members as u64)
        ),
        x_name: "% of outsiders accused".to_owned(),
        y_name: "% of members found".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series,
    }
}

fn table(outcome: &Outcome) -> Block {
    let row = |ByStatistic { exact, private, .. }: &ByStatistic| {
        vec![
            exact.statistic.to_string(),
            percent(exact.at_5_percent.true_positive),
            format!("{:.2}", exact.area),
            percent(private.at_5_percent()),
            format!("{:.2}", private.area()),
        ]
    };
    let head = ["statistic", "found at 5 %, exact", "area, exact", "found at 5 %, private", "area, private"];
    Block::Table {
        head: head.map(str::to_owned).to_vec(),
        rows: outcome.statistics.iter().map(row).collect(),
    }
}
