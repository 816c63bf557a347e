//! One measurement of a cube: the integers of a residual or of a table, with noise, for a price.
//!
//! **Guarantee.** Let [`Moved`] bound how far one person moves the table at which rows are bounded. Releasing a measurement
//! of price ε is ε-differentially private; of price ρ it is ρ-zCDP.
//! **Neighbours.** Add or remove everything one privacy unit contributed, its rows bounded once.
//! **Proof.** With its rows divided by their scales K, a measurement moves by at most L1 and L2 ([`Norms`], where the
//! proof is). Row c has independent integer noise of K(c) times the scale: discrete Laplace of scale K·L1/ε, or discrete
//! Gaussian of parameter K²·L2²/(2ρ). The ratio of densities is at most exp(Σ|move of row|·ε/(K·L1)) ≤ e^ε; divergences
//! of order α add up to α·Σ(move of row)²·2ρ/(2·K²·L2²) ≤ α·ρ (`mechanisms/src/number/additive_noise.rs` has both for one
//! scale; nothing there needs the scales to be equal).
//! **Exactness.** Integers and rationals up to the noisy integers, which are all that is released; [`Measurement::variance`]
//! is a float that describes the noise.
//! **Not covered.** Timing.

use std::collections::BTreeMap;
use std::fmt;

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::{SecureBits, noisy_sum};
use pointillist_numbers::{Rational, decimal_upper};
use pointillist_privacy::{Loss, SensitivityL1, SensitivityL2, Spend};

use crate::residual::{integer_rows, project, row_scales};
use crate::{Cube, Moved, Norms, What, WorkloadError};

/// What is measured, how far people move it, and the price of its noise.
#[derive(Clone, Debug)]
pub struct Measurement {
    cube: Cube,
    what: What,
    moved: Moved,
    norms: Norms,
    spend: Spend,
    /// What each row's noise is multiplied by.
    scales: Vec<u128>,
    /// The noise of each scale that occurs.
    noise: BTreeMap<u128, AdditiveNoise>,
}

/// Some rows that one person moves by the same distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The parameter σ² of the rows' discrete Gaussian noise.
    pub variance: Rational,
    /// How far each of the rows moves.
    pub distance: u128,
    /// How many rows.
    pub rows: u128,
}

impl Measurement {
    /// A measurement that may lose `spend`.
    pub fn new(cube: &Cube, what: What, moved: Moved, spend: &Spend) -> Result<Self, WorkloadError> {
        let norms = Norms::new(cube, &what, &moved)?;
        if matches!(what, What::Residual(_)) && !cube.has_residual(what.depths()) {
            return Err(WorkloadError::AlwaysZero { depths: what.depths().to_vec() });
        }
        let scales = row_scales(cube, &what)?;
        let mut noise = BTreeMap::new();
        for scale in &scales {
            if !noise.contains_key(scale) {
                let factor = Rational::from(*scale);
                let l1 = SensitivityL1::new(&norms.l1 * &factor)?;
                let l2 = SensitivityL2::from_squared(&norms.l2_squared * &factor.squared())?;
                noise.insert(*scale, AdditiveNoise::for_spend(&l1, &l2, spend)?);
            }
        }
        Ok(Self { cube: cube.clone(), what, moved, norms, spend: spend.clone(), scales, noise })
    }

    /// What is measured.
    pub fn what(&self) -> &What {
        &self.what
    }

    /// The cube that is measured.
    pub fn cube(&self) -> &Cube {
        &self.cube
    }

    /// The price.
    pub fn spend(&self) -> &Spend {
        &self.spend
    }

    /// What one release loses.
    pub fn loss(&self) -> Loss {
        self.spend.loss()
    }

    /// The smallest parameter σ² of the rows' Gaussian noise, exactly; none for Laplace noise.
    pub fn variance_least(&self) -> Option<Rational> {
        self.noise.values().filter_map(|noise| noise.variance_parameter().cloned()).min()
    }

    /// The scale of a row's noise divided by the row's own: that of a Laplace law, or the σ of a Gaussian one, rounded up.
    pub fn scale_upper(&self) -> Rational {
        match &self.spend {
            Spend::Pure(epsilon) => &self.norms.l1 / epsilon.value(),
            Spend::Concentrated(rho) => {
                let squared = &self.norms.l2_squared / &(rho.value() * &Rational::from(2));
                SensitivityL2::from_squared(squared)
                    .map_or_else(|_| self.norms.l1.clone(), |norm| norm.value_upper())
            }
        }
    }

    /// How many integers are released.
    pub fn rows(&self) -> usize {
        self.scales.len()
    }

    /// The noisy integers of a table at the depths that are measured.
    pub fn release<B: SecureBits + ?Sized>(
        &self,
        table: &[i128],
        bits: &mut B,
    ) -> Result<Vec<i128>, WorkloadError> {
        let expected = self.cube.cells(self.what.depths())?;
        if table.len() != expected {
            return Err(WorkloadError::CellCount { expected, got: table.len() });
        }
        let noise = self.sample(bits);
        let rows = match &self.what {
            What::Residual(depths) => integer_rows(&self.cube, depths, table),
            What::Flat(_) => table.to_vec(),
        };
        Ok(rows.into_iter().zip(noise).map(|(row, noise)| noisy_sum(row, noise)).collect())
    }

    /// Noise for every row: the rows of each scale together, so that a prepared table serves many.
    fn sample<B: SecureBits + ?Sized>(&self, bits: &mut B) -> Vec<i128> {
        let mut rows_of: BTreeMap<u128, Vec<usize>> = BTreeMap::new();
        for (row, scale) in self.scales.iter().enumerate() {
            rows_of.entry(*scale).or_default().push(row);
        }
        let mut noise = vec![0; self.scales.len()];
        for (scale, rows) in rows_of {
            let values = self.noise[&scale].sample_many(rows.len(), bits);
            rows.into_iter().zip(values).for_each(|(row, value)| noise[row] = value);
        }
        noise
    }

    /// The noisy integers as numbers: rows divided by their scales, and for a residual put where it lies.
    pub(crate) fn numbers(&self, noisy: &[i128]) -> Result<Vec<f64>, WorkloadError> {
        if noisy.len() != self.rows() {
            return Err(WorkloadError::CellCount { expected: self.rows(), got: noisy.len() });
        }
        let unscaled = noisy.iter().zip(&self.scales).map(|(row, scale)| *row as f64 / *scale as f64);
        let mut values: Vec<f64> = unscaled.collect();
        if let What::Residual(depths) = &self.what {
            project(&self.cube, depths, &mut values);
        }
        Ok(values)
    }

    /// The variance of a row's noise after division by the row's scale, at most: exact where all rows have one scale.
    pub fn variance(&self) -> f64 {
        // The variance of integer noise of K times a scale, over K², grows with K to that of the continuous law.
        let scale = self.scales.iter().max().map_or(1.0, |scale| *scale as f64);
        variance_of_unit(&self.norms, &self.spend, scale)
    }

    /// How one person moves the noisy integers, where every person moves them alike: one row a person, families of one
    /// size, Gaussian noise. An accountant can compose these laws one by one.
    pub fn shifts(&self) -> Option<Vec<Shift>> {
        let Spend::Concentrated(rho) = &self.spend else { return None };
        if (self.moved.groups, self.moved.each) != (1, 1) {
            return None;
        }
        let mut moves = BTreeMap::from([(1u128, 1u128)]);
        let mut scale = 1u128;
        if let What::Residual(depths) = &self.what {
            for (attribute, depth) in
                self.cube.attributes().iter().zip(depths).filter(|(_, depth)| **depth > 0)
            {
                let others = attribute.equal_family(*depth)? as u128 - 1;
                let mut next = BTreeMap::new();
                for (distance, rows) in moves {
                    *next.entry(distance * others).or_default() += rows;
                    *next.entry(distance).or_default() += rows * others;
                }
                moves = next;
                scale *= others + 1;
            }
        }
        let unit = &self.norms.l2_squared / &(rho.value() * &Rational::from(2));
        let variance = unit * Rational::from(scale).squared();
        let shift = |(distance, rows)| Shift { variance: variance.clone(), distance, rows };
        Some(moves.into_iter().map(shift).collect())
    }

    /// What tells this measurement from every other: its chain, what is measured, how far people move it, and the price.
    pub fn canonical(&self) -> Vec<u8> {
        let chains: Vec<String> = self.cube.attributes().iter().map(crate::Attribute::canonical).collect();
        let kind = match &self.what {
            What::Residual(_) => "residual",
            What::Flat(_) => "flat",
        };
        let price = match &self.spend {
            Spend::Pure(epsilon) => format!("epsilon {}", epsilon.value()),
            Spend::Concentrated(rho) => format!("rho {}", rho.value()),
        };
        let Moved { bounded_at, groups, each } = &self.moved;
        format!(
            "{kind} {:?} of {} bounded at {bounded_at:?} {groups}x{each} for {price}",
            self.what.depths(),
            chains.join("|"),
        )
        .into_bytes()
    }
}

/// The variance of integer noise of `scale` times what a price buys, divided by the scale's square.
pub(crate) fn variance_of_unit(norms: &Norms, spend: &Spend, scale: f64) -> f64 {
    match spend {
        Spend::Pure(epsilon) => {
            let laplace = scale * (&norms.l1 / epsilon.value()).to_f64_nearest();
            // 2a/(1 − a)² with a = e^(−1/scale).
            let half = 0.5 / laplace;
            0.5 / (half.sinh() * scale).powi(2)
        }
        Spend::Concentrated(rho) => {
            let parameter = (&norms.l2_squared / rho.value()).to_f64_nearest() / 2.0;
            discrete_gaussian_variance(parameter * scale * scale) / (scale * scale)
        }
    }
}

/// The variance of the discrete Gaussian: its parameter, but for small ones.
fn discrete_gaussian_variance(parameter: f64) -> f64 {
    // By Poisson summation the two differ by less than 1e-15 of the parameter from here on.
    if parameter > 4.0 {
        return parameter;
    }
    let weights = (1..=40).map(|k| (f64::from(k * k), (-f64::from(k * k) / (2.0 * parameter)).exp()));
    let (squares, total) = weights.fold((0.0, 0.5), |(squares, total), (k, w)| (squares + k * w, total + w));
    // Noise that is hardly ever anything but zero still has a variance: nothing is ever weighed as certain.
    (squares / total).max(f64::MIN_POSITIVE.sqrt())
}

/// In words, with the noise of one row rounded up to six digits.
impl fmt::Display for Measurement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = self.what.depths().iter().enumerate().filter(|(_, depth)| **depth > 0);
        let names: Vec<String> = axes
            .map(|(axis, depth)| match self.cube.attributes()[axis].deepest() {
                1 => self.cube.name_of(axis),
                deepest => format!("{} (level {depth} of {deepest})", self.cube.name_of(axis)),
            })
            .collect();
        match (&self.what, names.is_empty()) {
            (_, true) => write!(out, "the total")?,
            (What::Flat(_), _) => write!(out, "the table by {}", names.join(" and "))?,
            (What::Residual(_), _) => {
                write!(out, "what the table by {} says beyond coarser ones", names.join(" and "))?;
            }
        }
        let (name, scale) = match &self.spend {
            Spend::Pure(epsilon) => ("discrete Laplace of scale", &self.norms.l1 / epsilon.value()),
            Spend::Concentrated(rho) => {
                let squared = &self.norms.l2_squared / &(rho.value() * &Rational::from(2));
                (
                    "discrete Gaussian of σ =",
                    SensitivityL2::from_squared(squared).map_err(|_| fmt::Error)?.value_upper(),
                )
            }
        };
        write!(out, ", {name} {}, {}", decimal_upper(&scale, 6), self.spend)
    }
}

#[cfg(test)]
mod tests;
