//! Every mechanism's card, in the order in which a newcomer would like to meet them.

use crate::*;

/// The cards of all mechanisms.
pub fn catalogue() -> &'static [Card] {
    &[
        randomized_response::CARD,
        kary_randomized_response::CARD,
        geometric::CARD,
        laplace::CARD,
        gaussian::CARD,
        discrete_gaussian::CARD,
        count::CARD,
        bounded_sum::CARD,
        mean::CARD,
        variance::CARD,
        histogram::CARD,
        stability_histogram::CARD,
        partition_selection::CARD,
        earned_keys::CARD,
        quantile::CARD,
        quantiles::CARD,
        quantile_histogram::CARD,
        exponential::CARD,
        exponential_on_line::CARD,
        permute_and_flip::CARD,
        noisy_max::CARD,
        top_k::CARD,
        tuning::CARD,
        pricing::CARD,
        above_threshold::CARD,
        numeric_sparse::CARD,
        smooth_noise::POWER_TAILED_LAPLACE_CARD,
        smooth_noise::STUDENT_T_CARD,
        smooth_noise::TWO_SIDED_PARETO_CARD,
        smooth_noise::LAPLACE_LOG_NORMAL_CARD,
        smooth_noise::LAPLACE_CARD,
        smooth_median::CARD,
        propose_test_release::CARD,
        ptr_median::CARD,
        mode_stability::CARD,
        noisy_local_bound::CARD,
    ]
}

/// The cards whose name or description has this word, in any case of letters.
pub fn cards_about(word: &str) -> Vec<&'static Card> {
    let word = word.to_lowercase();
    let mentions = |text: &str| text.to_lowercase().contains(&word);
    catalogue().iter().filter(|card| mentions(card.name) || mentions(card.releases)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_find_their_mechanisms() {
        let names = |word: &str| cards_about(word).into_iter().map(|card| card.name).collect::<Vec<_>>();
        assert!(names("MEDIAN").len() > 1 && names("median") == names("MEDIAN"));
        assert_eq!(cards_about("").len(), catalogue().len());
        assert!(names("telepathy").is_empty());
    }

    #[test]
    fn names_are_distinct_and_every_field_says_something() {
        let cards = catalogue();
        for (index, card) in cards.iter().enumerate() {
            let fields = [card.name, card.releases, card.guarantee, card.error, card.source];
            assert!(fields.iter().all(|field| !field.trim().is_empty() && !field.contains('\n')), "{card:?}");
            assert!(
                cards[..index].iter().all(|other| other.name != card.name),
                "{} is listed twice",
                card.name
            );
        }
    }

    /// Specification: a file that declares a card is in the list.
    #[test]
    fn no_card_is_forgotten() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut declared = 0;
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else {
                    declared +=
                        std::fs::read_to_string(entry).unwrap().matches("CARD: Card = Card {").count();
                }
            }
        }
        // This very line has the needle once more.
        assert_eq!(declared - 1, catalogue().len());
    }
}
