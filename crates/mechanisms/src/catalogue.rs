//! Every mechanism's card, in the order in which a newcomer would like to meet them.

use crate::*;

/// The cards of all mechanisms.
pub fn catalogue() -> &'static [Card] {
    &[
        response::randomized_response::CARD,
        response::kary_randomized_response::CARD,
        number::geometric::CARD,
        number::laplace::CARD,
        number::gaussian::CARD,
        number::discrete_gaussian::CARD,
        aggregate::count::CARD,
        aggregate::bounded_sum::CARD,
        aggregate::mean::CARD,
        aggregate::variance::CARD,
        aggregate::histogram::CARD,
        keys::stability_histogram::CARD,
        keys::partition_selection::CARD,
        keys::earned_keys::CARD,
        order_statistic::quantile::CARD,
        order_statistic::quantiles::CARD,
        order_statistic::quantile_histogram::CARD,
        order_statistic::weighted_quantile::CARD,
        choice::exponential::CARD,
        choice::exponential_on_line::CARD,
        choice::permute_and_flip::CARD,
        choice::noisy_max::CARD,
        choice::top_k::CARD,
        choice::tuning::CARD,
        choice::pricing::CARD,
        stream::above_threshold::CARD,
        stream::numeric_sparse::CARD,
        local_sensitivity::smooth_noise::POWER_TAILED_LAPLACE_CARD,
        local_sensitivity::smooth_noise::STUDENT_T_CARD,
        local_sensitivity::smooth_noise::TWO_SIDED_PARETO_CARD,
        local_sensitivity::smooth_noise::LAPLACE_LOG_NORMAL_CARD,
        local_sensitivity::smooth_noise::LAPLACE_CARD,
        local_sensitivity::smooth_median::CARD,
        local_sensitivity::propose_test_release::CARD,
        local_sensitivity::ptr_median::CARD,
        local_sensitivity::mode_stability::CARD,
        local_sensitivity::noisy_local_bound::CARD,
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
