//! The built-in example: people with independent alleles, whose frequencies in the population are known.

use pointillist_noise::SecureBits;

use super::Study;
use super::study::{Position, check_group};
use crate::AttackError;

/// Everybody has two copies of each chromosome.
const COPIES: u8 = 2;
/// Allele frequencies are uniform between these.
const FREQUENCY_LEAST: f64 = 0.05;
const FREQUENCY_MOST: f64 = 0.95;

impl Study {
    /// Members and outsiders drawn from one population; only membership tells them apart. Alleles are
    /// independent, and the adversary knows the population's true frequencies.
    pub fn simulated(
        members: usize,
        outsiders: usize,
        positions: usize,
        bits: &mut dyn SecureBits,
    ) -> Result<Self, AttackError> {
        check_group("members", members, positions)?;
        check_group("outsiders", outsiders, positions)?;
        let span = FREQUENCY_MOST - FREQUENCY_LEAST;
        let population: Vec<f64> =
            (0..positions).map(|_| FREQUENCY_LEAST + span * half_word(bits.word() >> 32)).collect();
        let mut person = || -> Vec<u8> {
            let alleles = |frequency: &f64| {
                let word = bits.word();
                [word >> 32, word & u64::from(u32::MAX)]
                    .map(|half| u8::from(half_word(half) < *frequency))
                    .iter()
                    .sum()
            };
            population.iter().map(alleles).collect()
        };
        let mut group = |people: usize| (0..people).flat_map(|_| person()).collect();
        let (members, outsiders) = (group(members), group(outsiders));
        Ok(Self {
            positions: vec![Position::Alleles { copies: COPIES }; positions],
            members,
            outsiders,
            population,
        })
    }
}

/// Thirty-two bits as a number from zero to below one.
fn half_word(bits: u64) -> f64 {
    bits as f64 / 2f64.powi(32)
}
