//! Who is protected against what, and what is said about people nevertheless.

use pointillist_privacy::{Currency, EpsilonDelta};
use pointillist_render::decimals::short_upper;
use pointillist_render::page::{Block, Tone};

use super::numbers::sentence;
use crate::ReleaseFacts;

const NOT_PROTECTED: &str = "What is true of many people at once is published on purpose, and may be used to guess at \
    anybody, also at people who are not in the data. If a disease is frequent in a region, everybody from there may be \
    suspected of it; no noise changes that, and it would be so without their row.\n\nWhich tables, columns and lists of \
    keys there are is public, and so is this page's plan. Groups of people who act alike, such as a family, are \
    protected less than one person: how much less stands below. The promise covers this release and those named below; \
    data that somebody else publishes about the same people comes on top.";

pub(super) fn blocks(facts: &ReleaseFacts) -> Vec<Block> {
    let mut blocks = vec![Block::facts([
        ("who is protected", sentence(&facts.unit)),
        ("from what", "that anybody can be sure whether they are in the data at all".to_owned()),
        ("what is compared", sentence(&facts.neighbours)),
        ("who paid", format!("the budget of `{}`", facts.scope)),
    ])];
    if let Some(said) = said(facts) {
        blocks.push(Block::verdict(Tone::Calm, guess_sentence(&said)));
    }
    blocks.push(Block::text(NOT_PROTECTED));
    blocks
}

/// The promise as ε and δ: the tight account, or a pure price.
pub(super) fn said(facts: &ReleaseFacts) -> Option<EpsilonDelta> {
    let charged = &facts.accounting.charged;
    let pure = || {
        let epsilon = pointillist_privacy::Epsilon::new(charged.amount().loss()).ok()?;
        (charged.currency() == Currency::Pure).then(|| EpsilonDelta::pure(epsilon))
    };
    facts.accounting.tight.clone().or_else(pure).or_else(|| facts.accounting.by_filter.clone())
}

/// What ε means for somebody who guesses: right with probability (e^ε + δ)/(e^ε + 1) at most, where 1/2 is a coin.
///
/// Source: of all tests between two neighbours the best one errs on both sides at the corner of the region of (ε, δ)
/// (Kairouz, Oh, Viswanath 2015, Theorem 2.1).
fn guess_sentence(said: &EpsilonDelta) -> String {
    let (epsilon, delta) = (said.epsilon.to_f64_upper(), said.delta.value().to_f64_upper());
    let odds = epsilon.min(700.0).exp();
    let right = (100.0 * (odds + delta) / (odds + 1.0)).min(100.0);
    let right = (10.0 * right).ceil() / 10.0;
    let at = if said.delta.is_zero() {
        String::new()
    } else {
        format!(" and δ = {}", short_upper(said.delta.value()))
    };
    format!(
        "Somebody who knows everything about everybody else, sees all of these tables, and has to guess whether one given \
         person is in the data, is right in at most {right:.1} % of cases. A coin is right in 50 %. (ε = {}{at}.)",
        short_upper(said.epsilon.value())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_privacy::{Delta, Epsilon};

    #[test]
    fn the_best_guess_is_never_understated() {
        for (epsilon, delta, right) in
            [("1", "0", "73.2 %"), ("0.1", "1e-9", "52.5 %"), ("50", "1e-6", "100.0 %")]
        {
            let said = EpsilonDelta {
                epsilon: Epsilon::parse(epsilon).unwrap(),
                delta: Delta::parse(delta).unwrap(),
            };
            assert!(guess_sentence(&said).contains(right), "{}", guess_sentence(&said));
        }
    }
}
