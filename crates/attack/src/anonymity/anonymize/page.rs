//! The report of an anonymized table: what it still tells, for every k, and what it has lost.

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent};
use pointillist_render::page::{Block, Page, Tone};

use super::{EXACT_MAX, Method, Outcome, ROWS_SHOWN, anonymized};
use crate::anonymity::still_works::homogeneity;
use crate::anonymity::{information_lost, measure};
use crate::{AttackError, Comparison};

/// The largest k that the plots show.
const SWEEP_MAX: usize = 20;

/// What is left to learn at one k, as shares of all rows.
struct Point {
    k: usize,
    certain: f64,
    one_guess_away: f64,
    lost: f64,
    l_distinct: usize,
    t: f64,
}

/// What an anonymous table still tells, as a page.
pub(super) fn page(outcome: &Outcome) -> Result<Page, AttackError> {
    let (k, sensitive) = (outcome.k, &outcome.sensitive);
    let lead = format!(
        "A table in which every row looks like {} still gives the {sensitive} of {} of {} people away \
             for certain, and saying the most common value of somebody's class is right for {} of them. From \
             counts with noise at {} a guess is right for {}; without any data, for {}.",
        outcome.others(),
        outcome.disclosed.certain,
        grouped_count(outcome.disclosed.rows as u64),
        percent(outcome.guesses.from_rows),
        outcome.price,
        percent(outcome.guesses.from_counts),
        percent(outcome.guesses.from_nothing)
    );
    let done = format!(
        "The table is {}. Outsiders know {} of everybody and want to know {sensitive}. For them the \
             table was made {k}-anonymous: {}. Then they were let loose on it.",
        outcome.table_name,
        outcome.known.join(", "),
        outcome.how()
    );
    let points = sweep(outcome)?;
    let rows = outcome.published.rows().iter().take(ROWS_SHOWN).cloned().collect();
    let sample = Block::Table { head: outcome.published.columns().to_vec(), rows };
    let why = format!(
        "k-anonymity hides which row is whose. It does not hide what all rows of a class have in common, \
             and a large k only makes such classes rarer while it takes the table's use away. It is a \
             property of a table, not of how the table was made, so it promises nothing when a second table \
             comes out.\n\nPointillist publishes counts with noise instead, at {}. The promise is about the \
             release: whatever anybody knew before, one person's row changes no outcome's probability by \
             more than a factor of e^ε (but for δ). It holds for every later release too, and prices add \
             up.",
        outcome.price
    );
    Ok(Page::new("A table in which everybody looks like others", lead)
        .section("What was done", vec![Block::text(done), sample])
        .section(
            "What was learnt",
            vec![
                Block::side_by_side(outcome.without(), outcome.with()),
                outcome.guesses.figure(
                    sensitive,
                    &format!("the {k}-anonymous rows"),
                    &outcome.price.of_public_keys(),
                ),
                Block::figure(
                    &sweep_chart(outcome, &points),
                    "What the classes give away, for every k: the value itself, or two of which an \
                         outsider has to rule out one. The rest is safe from this attack, and from this one \
                         only.",
                ),
                Block::figure(
                    &lost_chart(outcome, &points),
                    "What the columns no longer tell: ranges and sets lose the share of their column \
                         that they cover, stars everything.",
                ),
            ],
        )
        .section(
            "Why counts with noise resist",
            vec![
                Block::text(why),
                Block::text(outcome.measures()),
                table(&points),
                Block::verdict(Tone::Plain, "A crowd that agrees keeps nobody's secret."),
            ],
        ))
}

fn sweep_chart(outcome: &Outcome, points: &[Point]) -> Chart {
    let series = vec![
        line(Mark::DottedLine, "safe", points, |point| 1.0 - point.certain - point.one_guess_away),
        line(Mark::DottedLine, "certain", points, |point| point.certain),
        line(Mark::DottedLine, "one guess away", points, |point| point.one_guess_away),
    ];
    chart(format!("What is given away by {}, made k-anonymous", outcome.table_name), "% of people", series)
}

fn lost_chart(outcome: &Outcome, points: &[Point]) -> Chart {
    let series = vec![line(Mark::DottedLine, "information lost", points, |point| point.lost)];
    let title = format!("What is lost of {}, made k-anonymous", outcome.table_name);
    chart(title, "% of what the known columns told", series)
}

/// Every k that makes sense, by one method, so that points compare.
fn sweep(outcome: &Outcome) -> Result<Vec<Point>, AttackError> {
    let known: Vec<&str> = outcome.known.iter().map(String::as_str).collect();
    let sensitive = outcome.sensitive.as_str();
    let rows = outcome.original.rows().len();
    let method = if rows <= EXACT_MAX { Method::Exact } else { Method::Mondrian };
    (2..=SWEEP_MAX.min(rows))
        .map(|k| {
            let (published, ..) = anonymized(&outcome.original, &known, k, Some(method))?;
            let found = homogeneity(&published, &known, sensitive)?;
            let measured = measure(&published, &known, Some(sensitive))?;
            let share = |part: usize| part as f64 / rows.max(1) as f64;
            Ok(Point {
                k,
                certain: share(found.certain),
                one_guess_away: share(found.one_guess_away),
                lost: information_lost(&outcome.original, &published, &known)?,
                l_distinct: measured.l_distinct.unwrap_or(0),
                t: measured.t.unwrap_or(0.0),
            })
        })
        .collect()
}

fn line(mark: Mark, name: &str, points: &[Point], value: impl Fn(&Point) -> f64) -> Series {
    Series::new(mark, name, points.iter().map(|point| (point.k as f64, 100.0 * value(point))).collect())
}

fn chart(title: String, y_name: &str, series: Vec<Series>) -> Chart {
    Chart {
        title,
        x_name: "rows that look alike, k".to_owned(),
        y_name: y_name.to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series,
    }
}

fn table(points: &[Point]) -> Block {
    let row = |point: &Point| {
        vec![
            point.k.to_string(),
            percent(point.certain),
            percent(point.one_guess_away),
            percent(point.lost),
            point.l_distinct.to_string(),
            format!("{:.2}", point.t),
        ]
    };
    let head = ["k", "certain", "one guess away", "information lost", "l", "t"];
    Block::Table { head: head.map(str::to_owned).to_vec(), rows: points.iter().map(row).collect() }
}
