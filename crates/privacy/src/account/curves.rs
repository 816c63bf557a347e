//! A list of releases as curves: δ against ε, and ε against how often the list runs.

use super::{Account, Statement};
use crate::{Delta, ParameterError};

/// Points of a profile.
const POINTS: i32 = 33;
/// The list runs up to two to this power of times.
const DOUBLINGS: u32 = 10;
/// A curve whose ε is so many times the smallest one would press the others against the axis.
const NEAR: f64 = 3.0;

/// What one accountant says, at many places.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountCurve {
    /// The accountant's name.
    pub accountant: &'static str,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
}

impl Statement {
    /// δ against ε around this δ, by every accountant whose ε there is not far above the smallest.
    ///
    /// # Errors
    /// When the list is empty.
    pub fn profile(&self, delta: &Delta) -> Result<Vec<AccountCurve>, ParameterError> {
        let here = self.accounts(delta)?;
        let least = delta.to_f64_upper().clamp(1e-15, 1e-2) * 1e-3;
        let delta_at = |point: i32| least * (0.5 / least).powf(f64::from(point) / f64::from(POINTS - 1));
        let mut rows: Vec<(f64, Vec<Account>)> = Vec::new();
        for value in (0..POINTS).map(delta_at) {
            rows.push((value, self.accounts(&Delta::from_f64(value)?)?));
        }
        let epsilon = |account: &Account| account.epsilon.as_ref().map_or(f64::INFINITY, |found| found.upper);
        let smallest = here.iter().map(epsilon).fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
        let near = here.iter().enumerate().filter(|(_, account)| epsilon(account) <= NEAR * smallest);
        let curve = |(index, account): (usize, &Account)| AccountCurve {
            accountant: account.accountant,
            points: rows
                .iter()
                .filter_map(|(delta, accounts)| Some((accounts[index].epsilon.as_ref().ok()?.upper, *delta)))
                .collect(),
        };
        Ok(near.map(curve).collect())
    }

    /// ε at this δ against the number of times that the whole list runs: 1, 2, 4, …
    ///
    /// # Errors
    /// When the list is empty, or a count would pass what can be counted.
    pub fn repeated_use(&self, delta: &Delta) -> Result<Vec<AccountCurve>, ParameterError> {
        let mut curves: Vec<AccountCurve> = Vec::new();
        for power in 0..=DOUBLINGS {
            let times = 1u64 << power;
            for account in self.repeated(times)?.accounts(delta)? {
                let Ok(epsilon) = &account.epsilon else { continue };
                let point = (times as f64, epsilon.upper);
                match curves.iter_mut().find(|curve| curve.accountant == account.accountant) {
                    Some(curve) => curve.points.push(point),
                    None => {
                        curves.push(AccountCurve { accountant: account.accountant, points: vec![point] });
                    }
                }
            }
        }
        Ok(curves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Release;
    use crate::{Epsilon, Scale, SensitivityL1};

    fn pure() -> Statement {
        let mut statement = Statement::new();
        statement.add(Release::Pure { epsilon: Epsilon::parse("0.1").unwrap() }, 1);
        statement
    }

    /// Specification: more uses never cost less, and the sum of ε doubles with the uses.
    #[test]
    fn epsilon_grows_with_the_uses() {
        let curves = pure().repeated_use(&Delta::parse("1e-6").unwrap()).unwrap();
        for curve in &curves {
            assert!(curve.points.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{curve:?}");
        }
        let basic = curves.iter().find(|curve| curve.accountant == "basic").unwrap();
        assert_eq!(basic.points.len(), 11);
        let last = basic.points[10];
        assert!(last.0 == 1024.0 && (last.1 / 102.4 - 1.0).abs() < 1e-12, "{last:?}");
    }

    /// Specification: a smaller δ never has a smaller ε, and every curve drawn is near the best.
    #[test]
    fn profiles_fall() {
        let mut statement = Statement::new();
        let (scale, sensitivity) = (Scale::parse("10").unwrap(), SensitivityL1::parse("1").unwrap());
        statement.add(Release::Laplace { scale, sensitivity, sampling_rate: None }, 20);
        let curves = statement.profile(&Delta::parse("1e-6").unwrap()).unwrap();
        assert!(curves.iter().any(|curve| curve.accountant == "pld"));
        for curve in &curves {
            assert!(curve.points.is_sorted_by(|a, b| a.0 >= b.0 && a.1 < b.1), "{curve:?}");
        }
        assert!(Statement::new().profile(&Delta::zero()).is_err());
    }
}
