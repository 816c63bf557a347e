//! The list of mechanisms: one line each, in full, or for programs.

use pointillist_mechanisms::Card;
use serde_json::{Value, json};

/// Name and guarantee of each, in a line.
pub fn card_lines(cards: &[&Card]) -> Vec<String> {
    let width = cards.iter().map(|card| card.name.chars().count()).max().unwrap_or(0);
    cards.iter().map(|card| format!("{:width$}  {}", card.name, card.guarantee)).collect()
}

/// All that is said of each, with an empty line between two.
pub fn card_details(cards: &[&Card]) -> Vec<String> {
    let details = |card: &&Card| {
        let Card { name, releases, guarantee, error, source } = card;
        format!("{name}: {releases}\n  guarantee  {guarantee}\n  error      {error}\n  source     {source}")
    };
    cards.iter().map(details).collect::<Vec<_>>().join("\n\n").lines().map(str::to_owned).collect()
}

/// The same for programs.
pub fn cards_json(cards: &[&Card]) -> Value {
    let object = |card: &&Card| {
        json!({
            "name": card.name,
            "releases": card.releases,
            "guarantee": card.guarantee,
            "error": card.error,
            "source": card.source,
        })
    };
    json!({ "mechanisms": cards.iter().map(object).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use pointillist_mechanisms::cards_about;

    use super::*;

    #[test]
    fn names_stand_above_or_before_what_is_said_of_them() {
        let cards = cards_about("");
        let lines = card_lines(&cards);
        assert_eq!(lines.len(), cards.len());
        assert!(lines[0].starts_with(cards[0].name) && lines[0].ends_with(cards[0].guarantee));
        let details = card_details(&cards[..2]);
        assert_eq!(details.len(), 9);
        assert_eq!(details[4], "");
        assert!(details[3].ends_with(cards[0].source) && details[5].starts_with(cards[1].name));
        assert_eq!(cards_json(&cards)["mechanisms"][1]["name"], cards[1].name);
    }
}
