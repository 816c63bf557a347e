//! The composition experiment, played out exactly.
//!
//! An adversary plays several rounds. In each it chooses, from everything it saw, a mechanism and two
//! neighbouring data sets, and gets the mechanism's answer on one of the two, always the same one. For few
//! rounds and answers the law of its view can be written down: every probability here is a rational number,
//! because every mechanism has rational odds `e^ε`. What the adversary gains at ε is the hockey-stick
//! divergence of the two laws, `Σ max(V⁰(v) − e^ε·V¹(v), 0)`, and the other way round; it is computed
//! exactly up to `e^ε` itself, which is a certified bound *in the adversary's favour*, so a theorem that
//! survives was tested without any tolerance.

use std::cell::RefCell;

use pointillist_numbers::{Enclosure, Rational};

use super::{Batch, OptimalComposition, advanced_mixed_upper, basic_upper};
use crate::conversion::{zcdp_delta_upper, zcdp_epsilon_upper};
use crate::filter::{AdvancedFilter, BasicFilter, BudgetFilter, Filter, PureFilter};
use crate::{Budget, Currency, Delta, Epsilon, EpsilonDelta, Loss, Price, Rho};

/// What the adversary may run, named by the odds `e^ε > 1`.
#[derive(Clone, Debug, PartialEq)]
enum Mechanism {
    /// Asks about one bit, 0 in one data set and 1 in the other.
    RandomizedResponse { odds: Rational },
    /// A count with two-sided geometric noise, 0 in one data set and 1 in the other (which way round:
    /// `rises`), the answer cut off to -1, 0, 1, 2 so that there are finitely many.
    Geometric { odds: Rational, rises: bool },
    /// A bit that is told outright with probability δ, and by randomized response otherwise.
    Leaky { odds: Rational, delta: Rational },
}

impl Mechanism {
    /// The probability of each answer in the world with secret bit `world`.
    fn law(&self, world: bool) -> Vec<Rational> {
        let one = Rational::one;
        match self {
            Self::RandomizedResponse { odds } => {
                let keep = odds / &(odds + &one());
                let [kept, flipped] = [keep.clone(), one() - keep];
                if world { vec![flipped, kept] } else { vec![kept, flipped] }
            }
            Self::Geometric { odds, rises } => {
                let value = i64::from(world == *rises);
                // P[Z = z] = (1 − a)/(1 + a)·a^|z| with a = 1/odds, and P[Z ≥ z] = a^z/(1 + a) for z ≥ 1.
                let decay = one() / odds.clone();
                let power = |exponent: i64| (0..exponent).fold(one(), |product, _| product * decay.clone());
                let at = |z: i64| (one() - decay.clone()) / (one() + decay.clone()) * power(z.abs());
                let beyond = |z: i64| power(z) / (one() + decay.clone());
                // The tails: at most −1, and at least 2, seen from `value`.
                vec![beyond(value + 1), at(-value), at(1 - value), beyond(2 - value)]
            }
            Self::Leaky { odds, delta } => {
                let rest = one() - delta.clone();
                let response = Self::RandomizedResponse { odds: odds.clone() }.law(world);
                let mut law: Vec<_> = response.into_iter().map(|p| p * rest.clone()).collect();
                let told = [delta.clone(), Rational::zero()];
                law.extend(if world { told.into_iter().rev().collect::<Vec<_>>() } else { told.to_vec() });
                law
            }
        }
    }

    fn odds(&self) -> &Rational {
        match self {
            Self::RandomizedResponse { odds } | Self::Geometric { odds, .. } | Self::Leaky { odds, .. } => {
                odds
            }
        }
    }

    /// Its loss as the accountants see it: ε = ln(odds), rounded up.
    fn cost(&self) -> EpsilonDelta {
        let epsilon = Enclosure::ln_of(self.odds(), 200).unwrap().upper();
        let delta = match self {
            Self::Leaky { delta, .. } => delta.clone(),
            _ => Rational::zero(),
        };
        EpsilonDelta { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
    }

    fn batch(&self) -> Batch {
        let EpsilonDelta { epsilon, delta } = self.cost();
        Batch::once(epsilon, delta)
    }
}

/// The law of the view in both worlds: one entry a view.
type Views = Vec<[Rational; 2]>;

/// Plays every branch of an adversary that maps the answers so far to its next mechanism, or stops.
fn play(adversary: &mut dyn FnMut(&[usize]) -> Option<Mechanism>) -> Views {
    fn descend(
        adversary: &mut dyn FnMut(&[usize]) -> Option<Mechanism>,
        seen: &mut Vec<usize>,
        chance: &[Rational; 2],
        views: &mut Views,
    ) {
        let Some(mechanism) = adversary(seen) else {
            views.push(chance.clone());
            return;
        };
        let [left, right] = [false, true].map(|world| mechanism.law(world));
        for (answer, (p, q)) in left.iter().zip(&right).enumerate() {
            seen.push(answer);
            descend(adversary, seen, &[&chance[0] * p, &chance[1] * q], views);
            seen.pop();
        }
    }
    let mut views = Vec::new();
    descend(adversary, &mut Vec::new(), &[Rational::one(), Rational::one()], &mut views);
    for world in [0, 1] {
        let total = views.iter().fold(Rational::zero(), |sum, view| sum + view[world].clone());
        assert_eq!(total, Rational::one(), "the views of a world are a distribution");
    }
    views
}

/// The adversary's gain at ε in the better direction, rounded up.
fn gain_upper(views: &Views, epsilon: &Rational) -> Rational {
    gain(views, &Enclosure::of(epsilon, 300).exp().lower())
}

/// The same at a rational `e^ε`, exactly.
fn gain(views: &Views, exp_epsilon: &Rational) -> Rational {
    let direction = |from: usize, to: usize| {
        views.iter().fold(Rational::zero(), |sum, view| {
            sum + (view[from].clone() - exp_epsilon * &view[to]).max(Rational::zero())
        })
    };
    direction(0, 1).max(direction(1, 0))
}

fn odds(over: i128, under: u128) -> Rational {
    Rational::ratio(over, under)
}

fn response(over: i128, under: u128) -> Mechanism {
    Mechanism::RandomizedResponse { odds: odds(over, under) }
}

fn geometric(over: i128, under: u128, rises: bool) -> Mechanism {
    Mechanism::Geometric { odds: odds(over, under), rises }
}

/// How an adversary of fixed losses uses its answers.
type Style = fn(round: usize, odds: Rational, seen: &[usize]) -> Mechanism;

/// Always the same mechanism.
fn stubborn(_: usize, odds: Rational, _: &[usize]) -> Mechanism {
    Mechanism::RandomizedResponse { odds }
}

/// Alternates between mechanisms, and turns the data sets around when the last answer was high.
fn turncoat(round: usize, odds: Rational, seen: &[usize]) -> Mechanism {
    let rises = seen.last().is_none_or(|answer| *answer < 2);
    match round % 2 {
        0 => Mechanism::Geometric { odds, rises },
        _ => Mechanism::RandomizedResponse { odds },
    }
}

/// Follows the evidence: more of the mechanism that told more so far.
fn follower(_: usize, odds: Rational, seen: &[usize]) -> Mechanism {
    let evidence = seen.iter().filter(|answer| **answer >= 1).count() * 2 > seen.len();
    if evidence { Mechanism::Geometric { odds, rises: true } } else { Mechanism::RandomizedResponse { odds } }
}

/// Adaptive mechanisms and data sets, losses fixed in advance: every theorem holds, at every ε of a grid.
#[test]
fn fixed_losses_stay_within_every_theorem() {
    let lists = [
        vec![odds(3, 2); 5],
        vec![odds(5, 4), odds(2, 1), odds(3, 2), odds(9, 8)],
        vec![odds(10, 1), odds(10, 1), odds(11, 10)],
    ];
    let styles: [Style; 3] = [stubborn, turncoat, follower];
    for list in lists {
        let batches: Vec<Batch> =
            list.iter().map(|odds| Mechanism::RandomizedResponse { odds: odds.clone() }.batch()).collect();
        let optimal = OptimalComposition::new(&batches).unwrap();
        let (total, _) = basic_upper(&batches).unwrap();
        let rho = batches
            .iter()
            .map(|batch| Rho::from_pure(batch.epsilon()).unwrap())
            .reduce(|a, b| a.plus(&b).unwrap())
            .unwrap();
        for style in styles {
            let views = play(&mut |seen| {
                let odds = list.get(seen.len())?.clone();
                Some(style(seen.len(), odds, seen))
            });
            assert_eq!(gain_upper(&views, total.value()), Rational::zero(), "basic composition");
            for share in 1..20 {
                let at = Epsilon::new(total.value() * &Rational::ratio(share, 20)).unwrap();
                let gained = gain_upper(&views, at.value());
                let claimed = optimal.delta_upper(&at).unwrap();
                assert!(
                    gained <= *claimed.value(),
                    "optimal at {}: {}",
                    at.to_f64_upper(),
                    gained.to_f64_upper()
                );
                if let Ok(claimed) = zcdp_delta_upper(&rho, &at) {
                    assert!(gained <= *claimed.value(), "zCDP at {}", at.to_f64_upper());
                }
            }
            for slack in ["0.5", "0.1", "0.01", "1e-6"] {
                let slack = Delta::parse(slack).unwrap();
                let (at, claimed) = advanced_mixed_upper(&batches, &slack).unwrap();
                assert!(gain_upper(&views, at.value()) <= *claimed.value(), "advanced");
                let at = optimal.epsilon_upper(&slack).unwrap();
                assert!(gain_upper(&views, at.value()) <= *slack.value(), "optimal ε");
            }
        }
    }
}

/// The optimum is reached: against randomized responses nothing smaller could have been claimed.
#[test]
fn the_optimal_theorem_is_attained_by_randomized_response() {
    let list = [odds(5, 4), odds(2, 1), odds(3, 2), odds(2, 1)];
    let batches: Vec<Batch> =
        list.iter().map(|o| Mechanism::RandomizedResponse { odds: o.clone() }.batch()).collect();
    let optimal = OptimalComposition::new(&batches).unwrap();
    let views = play(&mut |seen| Some(stubborn(0, list.get(seen.len())?.clone(), seen)));
    for at in ["0.1", "0.5", "1", "1.5"] {
        let at = Epsilon::parse(at).unwrap();
        let claimed = optimal.delta_upper(&at).unwrap().to_f64_upper();
        let gained = gain_upper(&views, at.value()).to_f64_upper();
        assert!((claimed - gained).abs() < 1e-15, "{claimed} {gained}");
    }
}

/// Mechanisms that fail with probability δ: the optimum for (ε, δ) holds and is reached.
#[test]
fn failures_stay_within_the_optimal_theorem() {
    let leaky = Mechanism::Leaky { odds: odds(3, 2), delta: Rational::ratio(1, 50) };
    let EpsilonDelta { epsilon, delta } = leaky.cost();
    let batch = Batch::new(epsilon, delta, 4).unwrap();
    let optimal = OptimalComposition::new(std::slice::from_ref(&batch)).unwrap();
    let views = play(&mut |seen| (seen.len() < 4).then(|| leaky.clone()));
    for at in ["0.1", "0.5", "1", "1.5"] {
        let at = Epsilon::parse(at).unwrap();
        let gained = gain_upper(&views, at.value());
        let claimed = optimal.delta_upper(&at).unwrap();
        assert!(gained <= *claimed.value());
        assert!(claimed.to_f64_upper() - gained.to_f64_upper() < 1e-15, "reached");
    }
    let (at, claimed) = basic_upper(&[batch]).unwrap();
    assert!(gain_upper(&views, at.value()) <= *claimed.value());
}

/// The losses an adaptive adversary wishes for, from what it saw: whatever a filter refuses, it tries
/// something smaller.
fn wishes(style: usize, seen: &[usize]) -> Vec<Mechanism> {
    let high = seen.iter().filter(|answer| **answer >= 1).count();
    let lucky = high * 2 > seen.len();
    match style {
        // Raises the stakes when ahead, saves when behind.
        0 if lucky => vec![response(3, 1), geometric(2, 1, true), response(5, 4), response(9, 8)],
        0 => vec![response(9, 8), response(33, 32)],
        // The other way round: gambles when behind.
        1 if lucky => vec![response(17, 16)],
        1 => vec![geometric(4, 1, false), response(3, 2), response(17, 16)],
        // Spends as much as it can at once, on a question that depends on the last answer.
        _ => vec![response(6, 1), geometric(3, 1, lucky), response(3, 2), response(5, 4), response(17, 16)],
    }
}

/// Plays the adversary of a style against a filter; a branch ends when every wish is refused, or after six
/// rounds.
fn play_filtered<F>(filter: &F, cost: impl Fn(&Mechanism) -> F::Cost, style: usize) -> Views
where
    F: Filter + Clone,
    F::Cost: Clone,
{
    // The same few mechanisms are priced over and over.
    let known = RefCell::new(Vec::<(Mechanism, F::Cost)>::new());
    let cost = |mechanism: &Mechanism| {
        let mut known = known.borrow_mut();
        if let Some((_, price)) = known.iter().find(|(other, _)| other == mechanism) {
            return price.clone();
        }
        let price = cost(mechanism);
        known.push((mechanism.clone(), price.clone()));
        price
    };
    play(&mut |seen| {
        // The filter's state is a function of the answers so far: replay them.
        let mut state = filter.clone();
        for round in 0..=seen.len() {
            if round == 6 {
                return None;
            }
            let chosen = wishes(style, &seen[..round]).into_iter().find(|wish| state.admits(&cost(wish)))?;
            state.try_charge(&cost(&chosen)).unwrap();
            if round == seen.len() {
                return Some(chosen);
            }
        }
        None
    })
}

/// Adaptive losses: whatever an adversary does with them, it stays within the budget of every filter.
#[test]
fn adaptive_losses_stay_within_every_filter() {
    let epsilon = |text| Epsilon::parse(text).unwrap();
    let delta = |text| Delta::parse(text).unwrap();
    let pure = |mechanism: &Mechanism| mechanism.cost().epsilon;
    for style in 0..3 {
        for budget in ["0.7", "1.5", "2.5"] {
            let basic = BasicFilter::new(epsilon(budget), Delta::zero());
            let views = play_filtered(&basic, Mechanism::cost, style);
            assert!(views.len() > 1, "somebody was admitted");
            assert_eq!(gain_upper(&views, epsilon(budget).value()), Rational::zero());

            for slack in ["0.4", "0.1"] {
                let advanced = AdvancedFilter::new(epsilon(budget), &delta(slack), &Delta::zero()).unwrap();
                let views = play_filtered(&advanced, Mechanism::cost, style);
                assert!(gain_upper(&views, epsilon(budget).value()) <= *delta(slack).value());

                let either = PureFilter::new(epsilon(budget), delta(slack)).unwrap();
                let views = play_filtered(&either, pure, style);
                assert!(gain_upper(&views, epsilon(budget).value()) <= *delta(slack).value());
            }
        }
        for budget in ["0.1", "0.5", "1"] {
            let rho = Rho::parse(budget).unwrap();
            let zcdp = BudgetFilter::new(Budget::zcdp(&rho, &Delta::zero()));
            let cost =
                |mechanism: &Mechanism| Price::of_loss(Currency::Zcdp, &Loss::pure(pure(mechanism))).unwrap();
            let views = play_filtered(&zcdp, cost, style);
            for slack in ["0.3", "0.1", "0.01", "1e-6"] {
                let at = zcdp_epsilon_upper(&rho, &delta(slack)).unwrap().epsilon;
                assert!(gain_upper(&views, at.value()) <= *delta(slack).value(), "ρ = {budget}, δ = {slack}");
            }
        }
    }
}

/// An accountant that forgets to add up, and charges the largest loss instead, is refuted.
#[test]
fn an_accountant_that_takes_the_largest_loss_is_refuted() {
    let list = [odds(3, 2), odds(2, 1), odds(3, 2)];
    let views = play(&mut |seen| Some(stubborn(0, list.get(seen.len())?.clone(), seen)));
    // The claim "2 bounds all odds" is false with probability 2/15. The truth, 3/2·2·3/2 = 9/2, is exact.
    assert_eq!(gain(&views, &odds(2, 1)), Rational::ratio(2, 15));
    assert_eq!(gain(&views, &odds(9, 2)), Rational::zero());
    assert!(gain(&views, &odds(449, 100)).is_positive());
}

/// An accountant that adds up half of every loss is refuted, and so is one that forgets the δ of a release.
#[test]
fn an_accountant_that_charges_too_little_is_refuted() {
    let views = play(&mut |seen| (seen.len() < 4).then(|| response(9, 4)));
    // Odds 9/4 charged as 3/2.
    assert!(gain(&views, &odds(81, 16)).is_positive());
    let views = play(&mut |seen| {
        (seen.len() < 2).then(|| Mechanism::Leaky { odds: odds(3, 2), delta: Rational::ratio(1, 100) })
    });
    assert!(gain(&views, &odds(9, 4)) > Rational::ratio(1, 100), "two failures, not one");
}

/// Threat L11: going on while the optimal bound of the losses so far fits. The first question has odds 5/4.
/// After an answer in favour of its guess the adversary asks once with odds 5, otherwise three times with
/// odds 2. Both lists fit into (ln 4, 1/6), step by step; the adversary's gain is 35/162 = 0.216.
#[test]
fn a_tight_accountant_used_as_a_filter_is_refuted() {
    let budget = Rational::ratio(1, 6);
    let exp_epsilon = odds(4, 1);
    // The "filter" is even given the exact law of the best attack with fixed losses, not a bound on it.
    let admits = |list: &[Mechanism]| {
        let views = play(&mut |seen| list.get(seen.len()).cloned());
        gain(&views, &exp_epsilon) <= budget
    };
    let favourable = [response(5, 4), response(5, 1)];
    let unfavourable = [response(5, 4), response(2, 1), response(2, 1), response(2, 1)];
    for list in [&favourable[..], &unfavourable] {
        for rounds in 1..=list.len() {
            assert!(admits(&list[..rounds]), "every step is admitted");
        }
    }
    let views = play(&mut |seen| {
        let list = if seen.first() == Some(&1) { &unfavourable[..] } else { &favourable };
        list.get(seen.len()).cloned()
    });
    let gained = gain(&views, &exp_epsilon);
    assert_eq!(gained, Rational::ratio(35, 162));
    assert!(gained > budget);
}
