//! What a budget counts: ρ and δ of approximate zCDP, or ε and δ.

use crate::conversion::zcdp_epsilon_upper;
use crate::{Amount, Delta, EpsilonDelta, Rho};

/// What the first of the two sums of a budget adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Currency {
    /// ρ and δ of approximate zero-concentrated differential privacy.
    Zcdp,
    /// ε and δ, added up.
    Pure,
}

impl Currency {
    /// The letter of the loss: ρ or ε.
    pub fn symbol(self) -> char {
        match self {
            Self::Zcdp => 'ρ',
            Self::Pure => 'ε',
        }
    }

    /// An amount for people to read, exactly.
    pub fn text(self, amount: Amount) -> String {
        match (self, amount.delta_units) {
            (Self::Pure, 0) => format!("ε = {}", amount.loss()),
            _ => format!("{} = {} and δ = {}", self.symbol(), amount.loss(), amount.delta()),
        }
    }

    /// The ε of an amount of ρ at a δ of somebody's choice, rounded up. The amount's own δ comes on top of that one.
    ///
    /// `None` where there is nothing to translate: amounts of ε, and amounts of ρ outside the range of [`Rho`].
    pub fn epsilon_at(self, amount: Amount, delta: &Delta) -> Option<EpsilonDelta> {
        if self == Self::Pure {
            return None;
        }
        let epsilon = zcdp_epsilon_upper(&Rho::new(amount.loss()).ok()?, delta).ok()?.epsilon;
        Some(EpsilonDelta { epsilon, delta: delta.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::UNITS_IN_ONE;

    #[test]
    fn amounts_read_as_people_write_them() {
        let amount = Amount { loss_units: UNITS_IN_ONE / 4, delta_units: 0 };
        assert_eq!(Currency::Pure.text(amount), "ε = 0.25");
        assert_eq!(Currency::Zcdp.text(amount), "ρ = 0.25 and δ = 0");
    }

    #[test]
    fn only_rho_is_translated() {
        let delta = Delta::parse("1e-6").unwrap();
        let tenth = Amount { loss_units: UNITS_IN_ONE / 10, delta_units: 7 };
        let exact = zcdp_epsilon_upper(&Rho::parse("0.1").unwrap(), &delta).unwrap().epsilon;
        let at = EpsilonDelta { epsilon: exact, delta: delta.clone() };
        assert_eq!(Currency::Zcdp.epsilon_at(tenth, &delta), Some(at));
        assert_eq!(Currency::Pure.epsilon_at(tenth, &delta), None);
        assert_eq!(Currency::Zcdp.epsilon_at(Amount::ZERO, &delta), None);
    }
}
