//! Optimal composition: the smallest loss that holds for all releases with given ε and δ.
//!
//! **Guarantee.** Releases that are (ε₁, δ₁), (ε₂, δ₂), … differentially private, chosen one after the
//! other with the list of losses fixed in advance, are together (ε, δ)-differentially private with
//! `δ = 1 − ∏(1 − δᵢ)·(1 − h(ε))`, where `h(ε) = Σ max(P(y) − e^ε·Q(y), 0)` is the hockey-stick divergence
//! between the answers of independent randomized responses with odds `e^{εᵢ}`. Some releases reach it, so
//! nothing smaller is true of all.
//! **Neighbours.** Any relation, the same for all.
//! **Source.** Kairouz, Oh, Viswanath (2015), Theorem 3.3, arXiv:1311.0776 (equal losses; their statement
//! lists the values at `ε = (k − 2i)ε₁`, here the curve between them is exact too); Murtagh, Vadhan (2016),
//! arXiv:1507.03113 (any losses). Every (εᵢ, δᵢ) release is a function of a randomized response that in
//! addition gives its bit away with probability δᵢ.
//! **Exactness.** Up to 8192 outcomes (12 different releases, or 4096 equal ones): certified, see
//! `enumeration.rs`. One release repeated more often: floats with a certified start and a counted error,
//! see `repetition.rs`; 1e-9 at most above the truth. Others: a grid, see `loss_grid.rs`; usually within a
//! thousandth. Never below the truth.
//! **Not covered.** Losses chosen in the light of earlier answers. The list of losses is an argument here,
//! and using this bound to decide whether to go on is wrong: see [`crate::filter`].

use pointillist_numbers::Rational;

use super::batch::{Batch, some};
use super::enumeration::Enumeration;
use super::loss_grid::LossGrid;
use super::repetition::Repetition;
use crate::conversion::claim::{
    any_failure_upper, delta_from_upper, epsilon_from_upper, rational_from_upper,
};
use crate::conversion::least_epsilon::least_epsilon_upper;
use crate::guarantee::short;
use crate::{Delta, Epsilon, ParameterError};

/// The privacy curve of a list of releases.
#[derive(Clone, Debug)]
pub struct OptimalComposition {
    /// `1 − ∏(1 − δᵢ)`, rounded up.
    failure: Rational,
    /// `Σ εᵢ`.
    total: Rational,
    curve: Curve,
}

#[derive(Clone, Debug)]
enum Curve {
    Enumerated(Enumeration),
    Repeated(Repetition),
    OnGrid(LossGrid),
}

impl OptimalComposition {
    /// The curve of all releases of all batches together.
    ///
    /// # Errors
    /// When the list is empty, or holds too many different losses.
    pub fn new(batches: &[Batch]) -> Result<Self, ParameterError> {
        let batches = some(batches)?;
        let failures = batches.iter().map(|batch| (batch.delta(), batch.count()));
        let failure = any_failure_upper(failures);
        let total = batches.iter().fold(Rational::zero(), |sum, batch| sum + batch.epsilon_total());

        let mut groups: Vec<(Rational, u64)> = Vec::new();
        let mut sorted: Vec<&Batch> = batches.iter().collect();
        sorted.sort_by(|a, b| a.epsilon().cmp(b.epsilon()));
        for batch in sorted {
            match groups.last_mut() {
                Some((epsilon, count)) if epsilon == batch.epsilon().value() => *count += batch.count(),
                _ => groups.push((batch.epsilon().value().clone(), batch.count())),
            }
        }
        let curve = match (Enumeration::of(&groups), groups.as_slice()) {
            (Some(enumeration), _) => Curve::Enumerated(enumeration),
            (None, [(epsilon, count)]) => Curve::Repeated(Repetition::of(epsilon, *count)),
            (None, _) => Curve::OnGrid(LossGrid::of(&groups)?),
        };
        Ok(Self { failure, total, curve })
    }

    /// The δ at a given ε, rounded up. Refused where it would reach one.
    pub fn delta_upper(&self, epsilon: &Epsilon) -> Result<Delta, ParameterError> {
        let pure = self.pure_delta_upper(epsilon.value());
        let survival = Rational::one() - self.failure.clone();
        delta_from_upper(&self.failure + &(survival * pure))
    }

    /// The ε at a given δ, rounded up. At δ = 0, if no release has a δ of its own, it is the sum of the ε.
    pub fn epsilon_upper(&self, delta: &Delta) -> Result<Epsilon, ParameterError> {
        let remaining = delta.value() - &self.failure;
        if remaining.is_negative() {
            return Err(ParameterError::DeltaUsedUp {
                asked: short(delta.value()),
                spent: short(&self.failure),
            });
        }
        if remaining.is_zero() {
            return epsilon_from_upper(self.total.clone());
        }
        let target = remaining / (Rational::one() - self.failure.clone());
        let found = least_epsilon_upper(&target, &self.total, |epsilon| self.pure_delta_upper(epsilon));
        epsilon_from_upper(found)
    }

    /// The hockey-stick divergence of the randomized responses.
    fn pure_delta_upper(&self, epsilon: &Rational) -> Rational {
        if *epsilon >= self.total {
            return Rational::zero();
        }
        match &self.curve {
            Curve::Enumerated(enumeration) => enumeration.delta_upper(epsilon),
            Curve::Repeated(repetition) => rational_from_upper(repetition.delta_upper(epsilon)),
            Curve::OnGrid(grid) => rational_from_upper(grid.delta_upper(epsilon)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::{advanced_mixed_upper, advanced_upper};
    use pointillist_errors::Explained as _;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    fn batch(e: &str, d: &str, count: u64) -> Batch {
        Batch::new(epsilon(e), delta(d), count).unwrap()
    }

    fn composed(batches: &[Batch]) -> OptimalComposition {
        OptimalComposition::new(batches).unwrap()
    }

    /// The printed value rounded down by its last digit ≤ result ≤ that with a margin.
    fn assert_upper(result: &Rational, printed: &str, margin: &str) {
        let floor = rational(printed) * (Rational::one() - rational("1e-28"));
        assert!(*result >= floor, "{} is below {printed}", result.to_f64_upper());
        let most = floor * (Rational::one() + rational(margin));
        assert!(*result <= most, "{} is far above {printed}", result.to_f64_upper());
    }

    /// The frozen reference values `comp-kov-opt-delta-*` and `comp-kov33-*`: ε, δ, k, then the total ε and
    /// its δ.
    #[test]
    fn deltas_of_equal_losses_match_the_reference() {
        let cases = [
            (("0.1", "0", 10), "0.4", "0.016080131993212995478942870773"),
            (("0.1", "0", 100), "2", "0.0201401784281915318428452236507"),
            (("0.1", "1e-8", 100), "3", "0.0013623973329386168157889997826"),
            (("1", "0", 5), "2.5", "0.342802892027392290232386954595"),
            (("0.01", "0", 10_000), "4", "0.0000469825300986204490221682905289"),
            (("1e-6", "0", 1000), "1e-5", "0.00000823818268654644403696321878018"),
            (("50", "0", 3), "60", "0.999999999999999999999421375046"),
            (("0.5", "1e-15", 20), "9.5", "0.000030000640920829096559784973591"),
            (("0.2", "1e-6", 8), "0.8", "0.0226451826244135778207975398654"),
            (("1", "0", 30), "12", "0.557361379314606448307571073841"),
            (("0.05", "1e-10", 500), "4", "0.000295193194614567112813668312078"),
            (("0.2", "0", 50), "1", "0.288097646936866281954615476236"),
        ];
        for ((e, d, count), at, reference) in cases {
            let found = composed(&[batch(e, d, count)]).delta_upper(&epsilon(at)).unwrap();
            assert_upper(found.value(), reference, "1e-10");
        }
    }

    /// The frozen reference values `comp-kov-opt-eps-*`, `pld-rr-eps-*`: ε, δ, k, then the total δ and its ε.
    #[test]
    fn epsilons_of_equal_losses_match_the_reference() {
        let cases = [
            (("0.1", "0", 100), "1e-6", "4.77456758810798615328594816747"),
            (("0.1", "1e-9", 100), "1e-6", "4.78772376081163177077292657783"),
            (("1", "0", 10), "1e-15", "9.99999999999997706608371889763"),
            (("0.01", "0", 10_000), "1e-9", "6.17191501648007783985915998308"),
            (("0.5", "0", 7), "0.01", "3.17676031247117451508059452575"),
            (("1e-6", "0", 1000), "1e-15", "0.000196987899789408553656231169584"),
            (("1", "0", 30), "1e-8", "29.9998793684625435182326105506"),
            (("1e-6", "0", 100), "1e-15", "0.0000588315683972787425455253562706"),
            (("1e-6", "1e-15", 50), "5.09999999999987250000000000208e-14", "3.97556400145e-5"),
        ];
        for ((e, d, count), total, reference) in cases {
            let found = composed(&[batch(e, d, count)]).epsilon_upper(&delta(total)).unwrap();
            // The last reference is printed to twelve digits.
            let floor = rational(reference) * rational("0.99999999999");
            assert!(*found.value() >= floor, "{} is below {reference}", found.to_f64_upper());
            assert!(*found.value() <= floor * rational("1.0000001"), "{} is far above", found.to_f64_upper());
            if count != 50 {
                assert_upper(found.value(), reference, "1e-9");
            }
        }
    }

    /// The frozen reference values `comp-mv-opt-*`.
    #[test]
    fn different_losses_match_the_reference() {
        let steps = [
            "0.05",
            "0.1",
            "0.15000000000000002",
            "0.2",
            "0.25",
            "0.30000000000000004",
            "0.35000000000000003",
            "0.4",
            "0.45",
            "0.5",
            "0.55",
            "0.6000000000000001",
        ];
        let cases = [
            (
                vec![
                    batch("0.1", "0", 1),
                    batch("0.2", "1e-7", 1),
                    batch("0.4", "0", 1),
                    batch("0.8", "1e-6", 1),
                ],
                ("0.7", "0.162534924530465437342794729923"),
                ("0.0001", "1.49917020668192632540739973353"),
            ),
            (
                steps.map(|e| batch(e, "0", 1)).to_vec(),
                ("2", "0.0665995083667820371828574657851"),
                ("1e-6", "3.89928712429656956581907442175"),
            ),
            (
                vec![batch("1", "0", 1), batch("1e-6", "0", 1)],
                ("0.5", "0.28764913664496792492171034293"),
                ("0.001", "0.99863118415772581350784186854"),
            ),
        ];
        for (batches, (at, d), (total, e)) in cases {
            let composition = composed(&batches);
            assert_upper(composition.delta_upper(&epsilon(at)).unwrap().value(), d, "1e-10");
            assert_upper(composition.epsilon_upper(&delta(total)).unwrap().value(), e, "1e-9");
        }
    }

    /// Losses too different to enumerate go to the grid; it never beats the truth about fewer of them, nor
    /// loses to the bounds it is meant to beat.
    #[test]
    fn many_different_losses_fall_between_known_bounds() {
        let batches: Vec<Batch> = (1..=200).map(|i| batch(&format!("{i}/2000"), "0", 1 + i % 3)).collect();
        let composition = composed(&batches);
        assert!(matches!(composition.curve, Curve::OnGrid(_)));
        let found = composition.epsilon_upper(&delta("1e-6")).unwrap();
        let (advanced, _) = advanced_mixed_upper(&batches, &delta("1e-6")).unwrap();
        assert!(found < advanced, "{} {}", found.to_f64_upper(), advanced.to_f64_upper());
        // All losses at their quadratic mean compose to nearly the same.
        let squares: f64 =
            batches.iter().map(|b| b.epsilon().to_f64_upper().powi(2) * b.count() as f64).sum();
        let count: u64 = batches.iter().map(Batch::count).sum();
        let mean = Epsilon::from_f64((squares / count as f64).sqrt()).unwrap();
        let like = composed(&[Batch::new(mean, Delta::zero(), count).unwrap()]);
        let near = like.epsilon_upper(&delta("1e-6")).unwrap().to_f64_upper();
        assert!((found.to_f64_upper() / near - 1.0).abs() < 0.01, "{} {near}", found.to_f64_upper());
        assert!(composition.delta_upper(&found).unwrap() <= delta("1e-6"));
    }

    #[test]
    fn no_delta_leaves_basic_composition() {
        let composition = composed(&[batch("0.1", "0", 10), batch("0.5", "0", 1)]);
        assert_eq!(composition.epsilon_upper(&Delta::zero()).unwrap(), epsilon("1.5"));
        assert_eq!(composition.delta_upper(&epsilon("1.5")).unwrap(), Delta::zero());
    }

    #[test]
    fn a_delta_the_releases_have_used_up_is_refused() {
        let composition = composed(&[batch("0.1", "1e-6", 10)]);
        let message = composition.epsilon_upper(&delta("1e-6")).unwrap_err().explanation().text();
        assert!(message.contains("hint: ask for a δ above"), "{message}");
        assert!(composition.epsilon_upper(&Delta::zero()).is_err());
    }

    /// ε from 1e-6 to 50, δ down to 1e-15, k up to ten million: below the advanced theorem, above nothing.
    #[test]
    fn extreme_values_stay_in_bounds() {
        for (e, count) in [("1e-6", 10_000_000), ("0.001", 10_000_000), ("50", 1000), ("3", 100_000)] {
            let batch = batch(e, "0", count);
            let composition = composed(std::slice::from_ref(&batch));
            let found = composition.epsilon_upper(&delta("1e-15")).unwrap();
            let (advanced, _) = advanced_upper(&batch, &delta("1e-15")).unwrap();
            assert!(found <= advanced, "{e} {count}: {}", found.to_f64_upper());
            assert!(composition.delta_upper(&found).unwrap() <= delta("1.000001e-15"));
        }
        let message = composed(&[batch("50", "0", 10_000_000)]).epsilon_upper(&delta("1e-15")).unwrap_err();
        assert!(message.explanation().text().contains("\nhint: "), "{message}");
    }
}
