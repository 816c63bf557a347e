//! Ratings that nobody gave: a long tail of items, tastes of five kinds, and people who rate a few or hundreds.
//!
//! The dice here make up *data*, and are no source of noise: they are a plain xorshift with a fixed start for each population, so that
//! everyone who runs the study meets the same people. Noise comes from the operating system, elsewhere.

use super::ratings::key_of;
use super::{Catalogue, Points, Ratings, RatingsBuilder};

/// A made-up population.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeUp {
    /// How many people.
    pub people: usize,
    /// How many items there are to rate.
    pub items: usize,
    /// Which population.
    pub number: u64,
}

/// How many kinds of taste there are.
const TASTES: usize = 5;
/// Each is so much weaker than the one before.
const FADING: f64 = 0.7;

impl MadeUp {
    /// So many people and two thousand items.
    pub fn new(people: usize) -> Self {
        Self { people, items: 2000, number: 0 }
    }

    /// The catalogue, without titles and genres.
    pub fn catalogue(&self) -> Catalogue {
        Catalogue::numbered(self.items)
    }

    /// Everybody's ratings. The item of rank i is rated in proportion to i^-0.9; a person rates e^N(2.3, 1) items or fewer, 500 at most;
    /// a rating is 7 + item (deviation 0.8) + person (0.7) + taste (1.0) + luck (1.3), rounded and within 0 to 10.
    pub fn ratings(&self) -> Ratings {
        let mut dice = Dice::new(self.number);
        let effects: Vec<f64> = (0..self.items).map(|_| 0.8 * dice.normal()).collect();
        let strengths: Vec<f64> = (0..TASTES).map(|taste| FADING.powi(taste as i32)).collect();
        let scale = strengths.iter().map(|strength| strength * strength).sum::<f64>().sqrt();
        let tastes: Vec<[f64; TASTES]> = (0..self.items)
            .map(|_| std::array::from_fn(|taste| dice.normal() * strengths[taste] / scale))
            .collect();
        let mut popularity = Vec::with_capacity(self.items);
        let mut total = 0.0;
        for rank in 1..=self.items {
            total += (rank as f64).powf(-0.9);
            popularity.push(total);
        }
        let mut builder = RatingsBuilder::default();
        for id in 0..self.people as u64 {
            let person = builder.person(key_of(&id.to_le_bytes()));
            let liking: [f64; TASTES] = std::array::from_fn(|_| dice.normal());
            let habit = 0.7 * dice.normal();
            let draws = (2.3 + dice.normal()).exp().floor().clamp(1.0, 500.0) as usize;
            let mut items: Vec<usize> = (0..draws)
                .map(|_| {
                    let at = dice.unit() * total;
                    popularity.partition_point(|end| *end <= at).min(self.items - 1)
                })
                .collect();
            items.sort_unstable();
            items.dedup();
            for item in items {
                let taste: f64 = liking.iter().zip(&tastes[item]).map(|(a, b)| a * b).sum();
                let value = 7.0 + effects[item] + habit + taste + 1.3 * dice.normal();
                builder.rate(person, item as u32, Points::from_f64(value.round().clamp(0.0, 10.0)), 0);
            }
        }
        builder.finish()
    }
}

/// Marsaglia's xorshift with a multiplication at the end: good enough to make people up, and for nothing else.
struct Dice {
    state: u64,
    spare: Option<f64>,
}

impl Dice {
    fn new(number: u64) -> Self {
        let start = 0x9e37_79b9_7f4a_7c15 ^ number.wrapping_mul(0xd134_2543_de82_ef95);
        let mut dice = Self { state: start.max(1), spare: None };
        (0..16).for_each(|_| _ = dice.next());
        dice
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Between 0 and 1, below 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal, two at a time (Box and Muller).
    fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * self.unit()).sin_cos();
        self.spare = Some(radius * sine);
        radius * cosine
    }
}
