//! The first step of MST and AIM: every column by itself, and what follows from it.
//!
//! **Guarantee.** Releasing every column's marginal for its price loses the sum of the prices.
//! **Neighbours.** Add or remove everything of one person, who has at most k rows.
//! **Proof.** `noisy_marginal.rs`, once for each column; the merged codes are a function of what it released.

use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;

use crate::compression::{Maps, map_of, target};
use crate::histogram::{Renumbering, histograms};
use crate::measured::NoisyMarginal;
use crate::{CodeRows, Domain, Measured, SynthError, noisy_marginal};

/// The marginals of single columns, and the domain with rare codes merged.
pub(crate) fn release<B: SecureBits + ?Sized>(
    rows: &dyn CodeRows,
    domain: &Domain,
    rows_per_person: u32,
    each: &Spend,
    merge_deviations: f64,
    bits: &mut B,
) -> Result<(Measured, Domain), SynthError> {
    let sets: Vec<Vec<usize>> = (0..domain.attributes()).map(|attribute| vec![attribute]).collect();
    let counts = histograms(rows, Renumbering { domain, maps: &[], target: domain }, &sets)?;
    let mut measured = Measured::default();
    for (attributes, counts) in sets.into_iter().zip(&counts) {
        let (noise, cells) = noisy_marginal::release(counts, rows_per_person, each, bits)?;
        measured.marginals.push(NoisyMarginal { attributes, merged: false, noise, cells });
    }
    let map = |marginal: &NoisyMarginal| {
        let threshold = merge_deviations * marginal.noise.variance().sqrt();
        if merge_deviations > 0.0 { map_of(&marginal.cells, threshold) } else { None }
    };
    let maps: Maps = measured.marginals.iter().map(map).collect();
    let target = target(domain, &maps).unwrap_or_else(|| domain.clone());
    measured.maps = maps;
    Ok((measured, target))
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::Rho;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::MemoryCodes;

    #[test]
    fn rare_codes_are_merged_and_columns_stay_whole() {
        let domain = Domain::new(vec![4, 2]).unwrap();
        let codes = (0..10_000u32).flat_map(|row| [row % 2, u32::from(row % 3 == 0)]).collect();
        let rows = MemoryCodes::new(codes, 2);
        let each = Spend::Concentrated(Rho::parse("0.005").unwrap());
        let (measured, target) = release(&rows, &domain, 1, &each, 3.0, &mut seeded(1)).unwrap();
        assert_eq!(measured.maps, [Some(vec![0, 1, 2, 2]), None]);
        assert_eq!(target.sizes(), [3, 2]);
        assert_eq!(measured.marginals[0].cells.len(), 4, "what is released is over all codes");
        // Ten standard deviations of σ = 10: false alarm below 1e-20.
        assert!(measured.marginals[0].cells[..2].iter().all(|cell| (cell - 5000).abs() < 100));
    }
}
