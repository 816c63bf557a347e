//! What a study publishes about its members: exactly, at a price, or as somebody else did.

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::Rational;
use pointillist_privacy::{SensitivityL1, SensitivityL2, Spend};

use super::Study;
use super::study::{Position, counts};
use crate::AttackError;

/// What a study published about its members.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// One frequency a cell; noise may carry it below zero or above one.
    frequencies: Vec<f64>,
    price: Option<Spend>,
}

impl Published {
    /// The frequencies, in the order of [`Study::cells`].
    pub fn frequencies(&self) -> &[f64] {
        &self.frequencies
    }

    /// What they cost, if they are ours.
    pub fn price(&self) -> Option<&Spend> {
        self.price.as_ref()
    }
}

impl Study {
    /// The exact frequencies among the members.
    pub fn publish(&self) -> Published {
        let counts: Vec<f64> =
            counts(&self.positions, &self.members).into_iter().map(|count| count as f64).collect();
        self.frequencies(&counts, None)
    }

    /// The frequencies among the members at this price in total, from counts with exact integer noise.
    ///
    /// Exchanging one member moves the count of an allele by at most its copies c, so c in L1 and c² in
    /// squared L2; and two cells of a category by one each, so 2 in both. Both are summed over positions.
    pub fn release(&self, price: &Spend, bits: &mut dyn SecureBits) -> Result<Published, AttackError> {
        let moved = |position: &Position| match position {
            Position::Alleles { copies } => (u64::from(*copies), u64::from(*copies).pow(2)),
            Position::Category { .. } => (2, 2),
        };
        let each = || self.positions.iter().map(moved);
        let sensitivity_l1 = SensitivityL1::new(Rational::from(each().map(|(l1, _)| l1).sum::<u64>()))?;
        let squared = Rational::from(each().map(|(_, squared)| squared).sum::<u64>());
        let sensitivity_l2 = SensitivityL2::from_squared(squared)?;
        let noise = AdditiveNoise::for_spend(&sensitivity_l1, &sensitivity_l2, price)?;
        let counts = counts(&self.positions, &self.members);
        let noisy = noise.sample_many(counts.len(), bits);
        let noisy: Vec<f64> = counts
            .into_iter()
            .zip(noisy)
            .map(|(count, noise)| noisy_sum(i128::from(count), noise) as f64)
            .collect();
        Ok(self.frequencies(&noisy, Some(price.clone())))
    }

    /// Counts that somebody else published about the members, one a cell; the price, where they are private.
    pub fn published_elsewhere(
        &self,
        counts: &[f64],
        price: Option<&Spend>,
    ) -> Result<Published, AttackError> {
        if counts.len() != self.population.len() {
            return Err(AttackError::new(
                format!("{} counts do not fit {} cells", counts.len(), self.population.len()),
                "give one count for every cell that the study lists, in the same order",
            ));
        }
        if let Some(cell) = counts.iter().position(|count| !count.is_finite() || count.abs() > 1e100) {
            return Err(AttackError::new(
                format!("the count of cell {} is not a number of people", cell + 1),
                "every count is a finite number",
            ));
        }
        Ok(self.frequencies(counts, price.cloned()))
    }

    fn frequencies(&self, counts: &[f64], price: Option<Spend>) -> Published {
        let people = self.members() as f64;
        let totals = self.positions.iter().flat_map(|position| {
            std::iter::repeat_n(people * f64::from(position.weight()), position.cells())
        });
        Published {
            frequencies: counts.iter().zip(totals).map(|(count, total)| count / total).collect(),
            price,
        }
    }
}
