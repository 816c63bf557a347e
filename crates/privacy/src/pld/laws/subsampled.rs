//! A mechanism run on a Poisson sample.
//!
//! **Guarantee.** If (P, Q) is the worst pair of the base with and without the unit, the worst pairs of the sampled mechanism
//! are ((1 − q)Q + qP, Q) for removing the unit and (Q, (1 − q)Q + qP) for adding it (Zhu, Dong, Wang 2022, Theorem 11).
//! The loss becomes L' = ln(1 − q + q·e^L), which grows with L, so intervals go over to intervals.

use super::Direction;
use crate::pld::law::{Atom, FUNCTION_ERROR, LossLaw, Masses};

pub(crate) struct Subsampled {
    pub base: Box<dyn LossLaw>,
    pub rate: f64,
    pub direction: Direction,
}

impl Subsampled {
    /// ln(1 − q + q·e^L).
    fn diluted(&self, loss: f64) -> f64 {
        if loss > 1.0 {
            // e^L may overflow: L + ln(q + (1 − q)·e^(−L)).
            loss + (self.rate + (1.0 - self.rate) * (-loss).exp()).ln()
        } else {
            (self.rate * loss.exp_m1()).ln_1p()
        }
    }

    /// The base loss that dilutes to this one; −∞ at or below ln(1 − q).
    fn undiluted(&self, loss: f64) -> f64 {
        if loss > 1.0 {
            return loss + (-(1.0 - self.rate) * (-loss).exp()).ln_1p() - self.rate.ln();
        }
        let ratio = loss.exp_m1() / self.rate;
        if ratio <= -1.0 { f64::NEG_INFINITY } else { ratio.ln_1p() }
    }

    /// The probability under (1 − q)Q + qP, from those under P and Q.
    fn mixed(&self, p: f64, q: f64) -> f64 {
        (1.0 - self.rate) * q + self.rate * p
    }
}

impl LossLaw for Subsampled {
    fn atoms(&self) -> Vec<Atom> {
        let each = |atom: Atom| {
            let q = atom.probability * (-atom.loss).exp();
            let loss = self.diluted(atom.loss);
            match self.direction {
                Direction::Remove => Atom { loss, probability: self.mixed(atom.probability, q) },
                Direction::Add => Atom { loss: -loss, probability: q },
            }
        };
        self.base.atoms().into_iter().map(each).collect()
    }

    fn between(&self, lower: f64, upper: f64) -> Masses {
        self.cells(&[lower, upper])[0]
    }

    fn cells(&self, points: &[f64]) -> Vec<Masses> {
        let mixture = |masses: &Masses| {
            (
                self.mixed(masses.p, masses.q),
                self.mixed(masses.p_error, masses.q_error) + FUNCTION_ERROR * masses.q,
            )
        };
        match self.direction {
            Direction::Remove => {
                let points: Vec<f64> = points.iter().map(|point| self.undiluted(*point)).collect();
                let diluted = |masses: Masses| {
                    let (p, p_error) = mixture(&masses);
                    Masses { p, p_error, ..masses }
                };
                self.base.cells(&points).into_iter().map(diluted).collect()
            }
            Direction::Add => {
                let points: Vec<f64> = points.iter().rev().map(|point| self.undiluted(-point)).collect();
                let diluted = |masses: Masses| {
                    let (q, q_error) = mixture(&masses);
                    Masses { p: masses.q, p_error: masses.q_error, q, q_error }
                };
                self.base.cells(&points).into_iter().rev().map(diluted).collect()
            }
        }
    }

    fn continuous_range(&self) -> Option<(f64, f64)> {
        let (lower, upper) = self.base.continuous_range()?;
        let (lower, upper) = (self.diluted(lower), self.diluted(upper));
        Some(match self.direction {
            Direction::Remove => (lower, upper),
            Direction::Add => (-upper, -lower),
        })
    }

    /// ln(1 − q + q·e^L) adds numbers of the size of one that may leave as little as 1 − q.
    fn loss_error(&self) -> f64 {
        8.0 * f64::EPSILON / (1.0 - self.rate)
    }

    fn atom_unit(&self) -> Option<f64> {
        None
    }
}
