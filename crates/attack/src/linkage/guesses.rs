//! How often guesses are right: from rows, from our counts, from nothing.

use pointillist_render::chart::{Bar, BarChart};
use pointillist_render::decimals::percent;
use pointillist_render::page::Block;
use pointillist_render::svg::Colour;
use serde::Serialize;

/// How often an attacker is right about people's sensitive value, as shares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guesses {
    /// People whose value is guessed.
    pub people: usize,
    /// Right from rows, as others publish them.
    pub from_rows: f64,
    /// Right from our counts: the mean over all releases.
    pub from_counts: f64,
    /// Right by always saying the most common value.
    pub from_nothing: f64,
    /// How likely a right guess is at most, for somebody who has our counts and knew the shares of values
    /// beforehand.
    pub right_upper: f64,
    /// Counts that are released, or that would be without a threshold.
    #[serde(skip)]
    pub cells: usize,
    /// Releases, each with fresh noise and attacked alone.
    pub releases: usize,
}

impl Guesses {
    /// How the guesses from our counts compare.
    pub fn summary(&self, sensitive: &str) -> String {
        format!(
            "The likeliest guess of {sensitive} from them is right for {} of the people, over {} releases; \
             always saying the most common value, {}. At this price no guess of anybody who knew no more than \
             how common values are is right with a probability above {}.",
            percent(self.from_counts),
            self.releases,
            percent(self.from_nothing),
            percent(self.right_upper)
        )
    }

    /// The three as bars; `rows` says what the others published.
    pub fn figure(&self, sensitive: &str, rows: &str, price: &str) -> Block {
        let bar = |name: &str, share: f64, colour| Bar::plain(name, 100.0 * share, percent(share), colour);
        let chart = BarChart {
            title: format!("Guesses of {sensitive} that are right, from rows and from counts at {price}"),
            axis: format!("% of {} people", self.people),
            bars: vec![
                bar(rows, self.from_rows, Colour::ORANGE),
                bar(&format!("our counts, {price}"), self.from_counts, Colour::BLUE),
                bar("the most common value", self.from_nothing, Colour::BLUE),
            ],
            compared: Some(100.0 * self.right_upper),
            ..BarChart::default()
        };
        Block::figure(
            &chart,
            format!(
                "How often a guess is right. The dashed line, at {}, is how likely a right guess is at most from \
                 our counts, whatever is computed, for somebody who knew no more than how common each value \
                 is.",
                percent(self.right_upper)
            ),
        )
    }
}
