//! The report of two counts: what the attacker sees if the person has it, and if not.

use pointillist_noise::SecureBits;
use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent, significant};
use pointillist_render::page::{Block, Page, Tone};

use super::{Counts, Differencing, Outcome, attack};
use crate::{AttackError, Comparison};

/// Pairs for each of the two curves.
const PAIRS: usize = 200_000;
/// About so many points on a curve.
const POINTS: i128 = 40;

/// What the attacker sees in two counts, as a page; the bits draw the two distributions.
pub(super) fn page(outcome: &Outcome, bits: &mut dyn SecureBits) -> Result<Page, AttackError> {
    let Outcome { question, found } = outcome;
    let (with, without) = (question.counts.with(), question.counts.without());
    let bound = percent(found.right_upper);
    let right = percent(found.right_fraction);
    let lead = format!(
        "Two harmless counts tell for certain about one person; at {} a count, a guess from the same two is \
         right {right} of the time, and no guess can pass {bound}.",
        found.price_each
    );
    let done = format!(
        "Somebody asks how many {}. Somebody asks for the same number without {}. Each count hides everybody \
         among many others, and both look harmless. The attacker subtracts.",
        question.what, question.whom
    );
    let why = format!(
        "Each of our counts carries noise of its own, whole numbers from an exact sampler, at {}. The \
         difference is the person and the noise of both. Subtracting does not remove it, and adding more \
         questions about others does not either: only counts with the person in them depend on the \
         person.\n\nThe price is an error of a few people in every count, however many are counted. The \
         promise in return holds against everybody: whoever thought both answers equally likely guesses \
         right with probability at most e^ε/(1 + e^ε) = {bound}.",
        found.price_each
    );
    let (chart, width) = chart(&question.counts, found, bits)?;
    let grouped =
        if width > 1 { format!(" Differences are taken together by {width}.") } else { String::new() };
    let factor = match found.right_upper / (1.0 - found.right_upper) {
        factor if factor < 1e6 => format!("e^ε = {}", significant(factor)),
        _ => "e^ε".to_owned(),
    };
    let caption = format!(
        "How often each difference comes up at {} a count, in {} pairs for each of the two worlds. \
         Exact counts give the dashed line, and with it the answer. No private difference is more than {} \
         times as likely in one world as in the other, but for the luck of the draw.{grouped}",
        found.price_each,
        grouped_count(PAIRS as u64),
        factor
    );
    let pairs: Vec<String> =
        found.released.iter().map(|(with, without)| format!("{with} and {without}")).collect();
    Ok(Page::new("Two counts that differ by one person", lead)
        .section("What was done", vec![Block::text(done)])
        .section(
            "What was learnt",
            vec![Block::side_by_side(outcome.without(), outcome.with()), Block::figure(&chart, caption)],
        )
        .section(
            "Why the private answer resists",
            vec![
                Block::text(why),
                Block::facts([
                    ("exact counts", format!("{with} and {without}")),
                    ("private pairs", pairs.join(", ")),
                    ("price of each count", found.price_each.to_string()),
                    ("right guesses, measured", format!("{right} of {} pairs", found.trials)),
                    ("right guesses, at most", bound),
                ]),
                Block::verdict(
                    Tone::Plain,
                    "No rule about small groups stops this attack, because both groups are large. Noise at a \
                     price does.",
                ),
            ],
        ))
}

/// The two distributions, and how many neighbouring differences make a point.
fn chart(
    counts: &Counts,
    found: &Differencing,
    bits: &mut dyn SecureBits,
) -> Result<(Chart, i128), AttackError> {
    // What the difference looks like depends on the person only, not on how many others there are.
    let mut world = |with: i128| -> Result<Vec<(i128, usize)>, AttackError> {
        Ok(attack(&Counts::new(with, 70)?, &found.price_each, PAIRS, bits)?.differences)
    };
    let worlds = [world(70)?, world(71)?];
    let (low, high) = (tail(worlds[0].iter()), tail(worlds[1].iter().rev()));
    let width = ((high - low) / POINTS).max(1);
    let name = ["the person does not have it", "the person has it"];
    let mut series: Vec<Series> = worlds
        .iter()
        .zip(name)
        .map(|(world, name)| {
            let points = grouped(world, low, high, width);
            let mark = if points.len() < 60 { Mark::DottedLine } else { Mark::Line };
            Series::new(mark, name, points)
        })
        .collect();
    let top = series.iter().flat_map(|series| &series.points).map(|point| point.1).fold(0.0, f64::max);
    let exact = f64::from(u8::from(counts.reveal()));
    let ends = vec![(exact, 0.0), (exact, top)];
    series.push(Series::new(Mark::Reference, "the difference of exact counts", ends));
    let chart = Chart {
        title: format!("What the attacker sees: the difference of two counts at {} each", found.price_each),
        x_name: "difference of the two counts".to_owned(),
        y_name: "how often, in %".to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series,
    };
    Ok((chart, width))
}

/// Where one difference in two hundred lies beyond.
fn tail<'a>(mut differences: impl Iterator<Item = &'a (i128, usize)>) -> i128 {
    let mut seen = 0;
    let beyond = |(_, times): &&(i128, usize)| {
        seen += times;
        seen > PAIRS / 200
    };
    differences.find(beyond).map_or(0, |(difference, _)| *difference)
}

/// The share of every group of neighbouring differences, in percent, at its middle.
fn grouped(world: &[(i128, usize)], low: i128, high: i128, width: i128) -> Vec<(f64, f64)> {
    let groups = ((high - low) / width + 1).max(1) as usize;
    let mut shares = vec![0.0; groups];
    for (difference, times) in world.iter().filter(|(difference, _)| (low..=high).contains(difference)) {
        shares[((difference - low) / width) as usize] += 100.0 * *times as f64 / PAIRS as f64;
    }
    // The last group may reach beyond the end: it would look rarer than it is.
    let whole = ((high - low + 1) / width).max(1) as usize;
    let middle = |group: usize| low as f64 + group as f64 * width as f64 + (width - 1) as f64 / 2.0;
    shares.into_iter().take(whole).enumerate().map(|(group, share)| (middle(group), share)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_grouped_at_their_middles() {
        let world = [(-3, PAIRS / 10), (-1, PAIRS / 5), (0, PAIRS / 2), (5, PAIRS / 5)];
        let near = |got: Vec<(f64, f64)>, want: &[(f64, f64)]| {
            got.len() == want.len()
                && got.iter().zip(want).all(|(got, want)| got.0 == want.0 && (got.1 - want.1).abs() < 1e-9)
        };
        assert!(near(grouped(&world, -1, 1, 1), &[(-1.0, 20.0), (0.0, 50.0), (1.0, 0.0)]));
        assert!(near(grouped(&world, -4, 1, 2), &[(-3.5, 10.0), (-1.5, 20.0), (0.5, 50.0)]));
        assert!(near(grouped(&world, -4, 2, 3), &[(-3.0, 10.0), (0.0, 70.0)]));
        assert_eq!((tail(world.iter()), tail(world.iter().rev())), (-3, 5));
    }
}
