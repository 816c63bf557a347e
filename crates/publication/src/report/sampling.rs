//! The noise that was added for privacy beside the play of chance that every count has anyway.
//!
//! If the people are a sample, or if the year could have gone otherwise, then a count of c would differ by about √c from one
//! draw to the next (Poisson). Where the privacy noise is smaller than that, it changes hardly any conclusion.

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped, grouped_count};
use pointillist_render::page::Block;
use pointillist_render::text::shown;

use super::{figure, uncertainty};
use crate::Published;

/// Counts that the two are compared at.
const COUNTS: [u64; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
/// What a normal draw stays within with 95 %, in standard deviations.
const NORMAL_95: f64 = 1.96;

const WHY: &str = "Is this much noise a lot? If the people in the data are a sample of more people, or if the same year \
    could have gone a little differently, then every count would come out differently by chance alone: a count of c by \
    about the root of c. That is so with or without privacy. Where the noise for privacy is smaller than the play of \
    chance, it hardly changes what can be concluded; where it is larger, the number says more about noise than about \
    people.";

pub(super) fn blocks(published: &Published) -> Vec<Block> {
    let errors = middle_errors(published);
    let Some(((_, least), (_, most))) = errors.first().zip(errors.last()) else {
        return vec![Block::text(
            "This release has no counts, so there is no play of chance to compare with.",
        )];
    };
    let (least, most) = (*least, *most);
    let mut blocks = vec![Block::text(WHY), Block::figure(&chart(&errors), CAPTION)];
    blocks.push(table(least, most));
    let crossing = |error: f64| figure::error((error / NORMAL_95).powi(2).max(1.0).ceil());
    blocks.push(Block::text(if least < most {
        format!(
            "In the most exact table chance moves counts more than the privacy noise does from about {} on, in the least \
             exact one from about {} on.",
            crossing(least),
            crossing(most)
        )
    } else {
        format!("Chance moves counts more than the privacy noise does from about {} on.", crossing(least))
    }));
    blocks
}

const CAPTION: &str = "How far a count strays, with 95 %: by chance, which grows with the root of the count, and by the noise \
    for privacy, which does not depend on the count. Both axes are logarithmic.";

/// The middle error of every count, by its table, from the smallest.
fn middle_errors(published: &Published) -> Vec<(String, f64)> {
    let mut middles: Vec<(String, f64)> = published
        .tables
        .iter()
        .filter_map(|table| {
            let measure = table.measures.iter().position(|measure| measure.is_count)?;
            let errors = uncertainty::errors(table, measure);
            let middle = *errors.get(errors.len() / 2)?;
            (middle > 0.0).then(|| (shown(&table.name), middle))
        })
        .collect();
    middles.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    middles
}

fn chart(errors: &[(String, f64)]) -> Chart {
    let ends = [COUNTS[0] as f64, COUNTS[COUNTS.len() - 1] as f64];
    let chance = ends.map(|count| (count, NORMAL_95 * count.sqrt())).to_vec();
    let mut series = vec![Series::new(Mark::Line, "play of chance", chance)];
    let flat =
        |name: String, error: f64| Series::new(Mark::Line, name, ends.map(|count| (count, error)).to_vec());
    match errors {
        [] => {}
        [(name, error)] => series.push(flat(format!("noise for privacy, {name}"), *error)),
        [(least, error), .., (most, worst)] => {
            series.push(flat(format!("noise for privacy, most exact table ({least})"), *error));
            series.push(flat(format!("least exact table ({most})"), *worst));
        }
    }
    Chart {
        title: "How far a count strays".to_owned(),
        x_name: "count".to_owned(),
        y_name: "strays by (95 %)".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        series,
    }
}

fn table(least: f64, most: f64) -> Block {
    let rows = COUNTS.iter().map(|count| {
        let chance = NORMAL_95 * (*count as f64).sqrt();
        // Independent sources of error add in squares.
        let longer = |error: f64| 100.0 * ((chance * chance + error * error).sqrt() / chance - 1.0);
        let percent = |error: f64| match longer(error) {
            below if below < 0.1 => "< 0.1 %".to_owned(),
            wide if wide < 10.0 => format!("{wide:.1} %"),
            wide => format!("{} %", grouped(&format!("{wide:.0}"))),
        };
        let mut row = vec![
            grouped_count(*count),
            format!("± {}", figure::error(chance)),
            format!("± {}", figure::error(least)),
            percent(least),
        ];
        if most > least {
            row.extend([format!("± {}", figure::error(most)), percent(most)]);
        }
        row
    });
    let mut head = vec!["count", "by chance", "for privacy", "intervals grow by"];
    if most > least {
        head = vec![
            "count",
            "by chance",
            "most exact table",
            "intervals grow by",
            "least exact table",
            "intervals grow by",
        ];
    }
    Block::Table { head: head.into_iter().map(str::to_owned).collect(), rows: rows.collect() }
}
