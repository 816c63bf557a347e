//! The private side of attacks on tables: counts with noise at a price, and how the guesses from them are
//! told.

use pointillist_attack::linkage::from_counts::Guesses;
use pointillist_privacy::{Delta, Epsilon};
use serde_json::{Value, json};

use crate::bar::percent;
use crate::failure::Failure;
use pointillist_render::chart::{Bar, BarChart};
use pointillist_render::decimals::exact;
use pointillist_render::page::Block;
use pointillist_render::svg::Colour;

/// Counts that may be drawn for one attack: about a second.
const DRAWS: usize = 2_000_000;
/// More releases than this make no figure better.
const RELEASES_MAX: usize = 200;

/// What one release of counts costs.
#[derive(clap::Args)]
pub struct PriceArguments {
    /// The price of our release, for one more or one fewer person
    #[arg(long, value_name = "E", default_value = "1")]
    epsilon: String,
    /// The probability with which a rare combination may show, where combinations are not public
    #[arg(long, value_name = "D", default_value = "1e-6")]
    delta: String,
}

/// A price that was read.
pub struct ReleasePrice {
    /// ε.
    pub epsilon: Epsilon,
    /// δ, for thresholds only.
    pub delta: Delta,
}

impl PriceArguments {
    /// Reads the price.
    pub fn read(&self) -> Result<ReleasePrice, Failure> {
        let epsilon = Epsilon::parse(&self.epsilon).map_err(Failure::request)?;
        Ok(ReleasePrice { epsilon, delta: Delta::parse(&self.delta).map_err(Failure::request)? })
    }
}

impl ReleasePrice {
    /// In words, with δ.
    pub fn with_threshold(&self) -> String {
        format!("ε = {}, δ = {}", exact(self.epsilon.value()), exact(self.delta.value()))
    }

    /// In words, without.
    pub fn pure(&self) -> String {
        format!("ε = {}", exact(self.epsilon.value()))
    }

    /// For scripts.
    pub fn epsilon_json(&self) -> Value {
        exact(self.epsilon.value()).into()
    }

    /// For scripts.
    pub fn delta_json(&self) -> Value {
        exact(self.delta.value()).into()
    }
}

/// How many releases of so many counts are simulated.
pub fn releases(cells: usize) -> usize {
    (DRAWS / cells.max(1)).clamp(1, RELEASES_MAX)
}

/// How the guesses from our counts compare.
pub fn in_words(guesses: &Guesses, sensitive: &str) -> String {
    format!(
        "The likeliest guess of {sensitive} from them is right for {} of the people, over {} releases; \
         always saying the most common value, {}. At this price no guess of anybody who knew no more than \
         how common values are is right with a probability above {}.",
        percent(guesses.from_counts),
        guesses.releases,
        percent(guesses.from_nothing),
        percent(guesses.right_upper)
    )
}

/// Guesses for scripts.
pub fn guesses_json(guesses: &Guesses) -> Value {
    json!({
        "people": guesses.people,
        "from_rows": guesses.from_rows,
        "from_counts": guesses.from_counts,
        "from_nothing": guesses.from_nothing,
        "right_upper": guesses.right_upper,
        "releases": guesses.releases,
    })
}

/// Guesses as bars: from rows, from our counts, from nothing.
pub fn guesses_figure(guesses: &Guesses, sensitive: &str, rows: &str, price: &str) -> Block {
    let bar = |name: &str, share: f64, colour| Bar::plain(name, 100.0 * share, percent(share), colour);
    let chart = BarChart {
        title: format!("Guesses of {sensitive} that are right, from rows and from counts at {price}"),
        axis: format!("% of {} people", guesses.people),
        bars: vec![
            bar(rows, guesses.from_rows, Colour::ORANGE),
            bar(&format!("our counts, {price}"), guesses.from_counts, Colour::BLUE),
            bar("the most common value", guesses.from_nothing, Colour::BLUE),
        ],
        compared: Some(100.0 * guesses.right_upper),
        ..BarChart::default()
    };
    Block::figure(
        &chart,
        format!(
            "How often a guess is right. The dashed line, at {}, is how likely a right guess is at most from \
             our counts, whatever is computed, for somebody who knew no more than how common each value \
             is.",
            percent(guesses.right_upper)
        ),
    )
}
