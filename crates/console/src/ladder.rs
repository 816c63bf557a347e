//! The prices of a slider, each with its quote: the script moves error bars along them and computes nothing.

use pointillist_curator::Quote;
use serde_json::{Value, json};

use crate::quote::QuoteFacts;

/// The prices, in equal ratios as far as round numbers allow.
pub const PRICES: [&str; 25] = [
    "0.02", "0.024", "0.03", "0.036", "0.043", "0.05", "0.06", "0.075", "0.09", "0.1", "0.12", "0.15", "0.2",
    "0.25", "0.3", "0.36", "0.43", "0.5", "0.6", "0.75", "0.9", "1", "1.2", "1.5", "2",
];

/// The price to begin with.
pub const FIRST_PRICE: &str = "0.25";

/// Prices in order, each with what it buys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ladder {
    steps: Vec<(String, QuoteFacts)>,
    at: usize,
}

impl Ladder {
    /// The prices to be quoted where somebody has chosen this one: it is among them.
    pub fn prices(chosen: &str) -> Vec<String> {
        let mut prices: Vec<String> = PRICES.iter().map(|price| (*price).to_owned()).collect();
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|price| price.is_finite());
        if let Some(wanted) = number(chosen)
            && !prices.iter().any(|price| number(price) == Some(wanted))
        {
            let place = prices.iter().position(|price| number(price) > Some(wanted)).unwrap_or(prices.len());
            prices.insert(place, chosen.trim().to_owned());
        }
        prices
    }

    /// Prices and what they buy; those that were refused are left out. Nothing where there is nothing to move.
    pub fn new(chosen: &str, steps: Vec<(String, QuoteFacts)>) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let at = steps.iter().position(|(price, _)| number(price) == number(chosen))?;
        let is_one_price = steps.windows(2).all(|two| two[0].1.price == two[1].1.price);
        (steps.len() > 1 && !is_one_price).then_some(Self { steps, at })
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Which step was chosen.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What was chosen.
    pub fn chosen(&self) -> Option<&QuoteFacts> {
        self.steps.get(self.at).map(|(_, facts)| facts)
    }

    /// The dearest step that still fits.
    pub fn dearest_that_fits(&self) -> Option<(&str, &QuoteFacts)> {
        let fitting = self.steps.iter().rev().find(|(_, facts)| facts.fits);
        fitting.map(|(price, facts)| (price.as_str(), facts))
    }

    /// By which factor the first error differs from the chosen one, step by step.
    fn factor(&self, step: usize) -> f64 {
        let size = |facts: &QuoteFacts| facts.errors.first().and_then(|error| error.size);
        let chosen = self.chosen().and_then(size).filter(|size| *size > 0.0);
        match (self.steps.get(step).and_then(|(_, facts)| size(facts)), chosen) {
            (Some(size), Some(chosen)) => size / chosen,
            _ => 1.0,
        }
    }

    /// For the script.
    pub fn json(&self) -> Value {
        let step = |(place, (price, facts)): (usize, &(String, QuoteFacts))| {
            json!({
                "epsilon": price,
                "price": facts.price,
                "errors": facts.errors.iter().map(|error| &error.text).collect::<Vec<_>>(),
                "factor": self.factor(place),
                "more": facts.more_words(),
                "part": facts.part_of_left,
                "now": facts.gauge.map(|(_, now)| 100.0 * now),
                "odds": facts.odds,
                "fits": facts.fits,
            })
        };
        self.steps.iter().enumerate().map(step).collect()
    }
}

/// What every price of a ladder buys, from quotes at these prices.
pub fn steps(
    prices: &[String],
    quotes: impl IntoIterator<Item = Option<Quote>>,
    facts: impl Fn(&Quote) -> QuoteFacts,
) -> Vec<(String, QuoteFacts)> {
    let quoted = prices.iter().zip(quotes);
    quoted.filter_map(|(price, quote)| Some((price.clone(), facts(&quote?)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_that_somebody_chose_stands_at_its_place() {
        let prices = Ladder::prices("0.55");
        let at = prices.iter().position(|price| price == "0.55").unwrap();
        assert_eq!((prices[at - 1].as_str(), prices[at + 1].as_str()), ("0.5", "0.6"));
        assert_eq!(Ladder::prices("7").last().map(String::as_str), Some("7"));
        for known in ["0.25", "0.250", "x", "NaN", "inf", ""] {
            assert_eq!(Ladder::prices(known).len(), PRICES.len(), "{known}");
        }
        assert!(PRICES.is_sorted_by_key(|price| price.parse::<f64>().unwrap()));
        assert!(PRICES.contains(&FIRST_PRICE));
    }
}
