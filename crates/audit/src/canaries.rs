//! Many people who are in or out by a coin each, and one run.
//!
//! **Statement.** Let m fair coins be thrown independently, and let a release be (ε, δ)-private when one coin falls the
//! other way. Whoever guesses r of the coins from the release alone, r fixed before, is right about at least v ≥ 1 of them
//! with probability at most β + δ·(m/v)·(1 − β)·β/P(B = v), where B is binomial with r trials of probability
//! q = e^ε/(1 + e^ε), and β = P(B ≥ v). Some release reaches it as long as δ·(m/v)·β/P(B = v) ≤ 1.
//! **Proof.** 1. *Symmetry.* Take the coins as input and the guesses (in, out or none for each coin) as output: a
//! function of the release, so it is (ε, δ)-private. Exchange the coins by a random permutation and turn each by a coin of
//! its own before the run, and undo both on the guesses: a mixture of private releases that does not depend on the data,
//! thus private; and as the coins are fair, v or more are right as often as before. Now the probability of a list of
//! guesses depends only on how many misses w it has: it is g(w)/C(m, r), with Σ_w C(r, w)·g(w) = 1.
//! 2. *Privacy.* Turn the first coin. Among the lists that guess it, right at first, with w misses elsewhere, the
//! probability goes from g(w)/C(m, r) to g(w + 1)/C(m, r), and there are C(m − 1, r − 1)·C(r − 1, w) of them. So
//! Σ_w (r/m)·C(r − 1, w)·(g(w) − e^ε·g(w + 1))₊ ≤ δ.
//! 3. *Weights.* Let b(w) = C(r, w)·q^(r−w)·(1 − q)^w be the probability of w misses under independent answers of
//! probability q, F its distribution function, and g(w) = q^(r−w)·(1 − q)^w·u(w); then E[u] = 1. As
//! C(r − 1, w) = C(r, w)·(r − w)/r, step 2 says Σ_j b(j)·((r − j)/m)·(d_j)₊ ≤ δ for the drops d_j = u(j) − u(j + 1).
//! With k = r − v, so that β = F(k), the probability in question is E[u·1{w ≤ k}] = β + Cov(u, 1{w ≤ k}). As u is a
//! constant and Σ_j d_j·1{w ≤ j}, the covariance is Σ_j d_j·c_j with c_j = F(min(j, k))·(1 − F(max(j, k))) ≥ 0. So it is
//! at most δ times the largest of c_j·m/(b(j)·(r − j)).
//! 4. *The largest is at j = k.* b is log-concave, so F(j)/b(j) grows with j, and so does 1/(r − j): this settles j ≤ k.
//! And (1 − F(j))/(b(j)·(r − j)) = ((1 − q)/q)/(j + 1) · Σ_{i>j} b(i)/b(j + 1), where both factors fall with j: this
//! settles j ≥ k. There c_k = β·(1 − β), r − k = v and b(k) = P(B = v). Equality holds for u with the one drop at k,
//! which is possible while u stays nonnegative. ∎
//!
//! For δ = 0 this is the theorem of Steinke, Nasr and Jagielski 2023 ("Privacy auditing with one (1) training run"), whose
//! term for δ is another one. The reached bound is built and checked below, and for up to three coins the bound is the
//! optimum of a linear program over all private releases, symmetric or not.
//! **What one run cannot show.** The probability is never below δ·(m/v)·(1 − β), so that an (ε, δ) with δ above the
//! rate of the verdict is never refuted: such a release may show everything, once in 1/δ runs.
//! **Exactness.** Floats, as in `binomial.rs`.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Delta, Epsilon, Loss};

use crate::AuditError;
use crate::binomial::tail;

/// The shares of canaries that are guessed, tried one beside the other.
const GUESSED: [f64; 4] = [1.0, 0.25, 0.0625, 0.015_625];
/// The grid of ε on which claims are rejected.
const STEP: f64 = 0.005;
/// Where it ends.
const EPSILON_MAX: f64 = 30.0;

/// A release over a world with many canaries: people made up for the audit, each of whom is in or out (or answers yes or
/// no) by a coin of their own.
pub trait Canaries {
    /// What is audited, in a few words.
    fn name(&self) -> String;

    /// What the release promises when one canary's coin falls the other way.
    fn claim(&self) -> Loss;

    /// How many canaries there are.
    fn count(&self) -> usize;

    /// One release of the world in which exactly the canaries marked are in; from it alone, a score a canary: the
    /// higher, the more it looks as if the canary was in.
    fn scores(&mut self, present: &[bool], bits: &mut dyn SecureBits) -> Result<Vec<f64>, AuditError>;
}

/// What one run tells.
#[derive(Clone, Debug, PartialEq)]
pub struct OneRun {
    /// What was audited.
    pub subject: String,
    /// How many coins were thrown.
    pub canaries: usize,
    /// How many were guessed where it told most.
    pub guessed: usize,
    /// How many of those were right.
    pub right: usize,
    /// The δ at which ε is stated: the claim's, or one for which it was converted.
    pub delta: f64,
    /// The claimed ε at this δ.
    pub claimed: f64,
    /// ε is at least this, at the rate of the verdict.
    pub lower_verdict: f64,
    /// ε is at least this, at the rate of what is shown.
    pub lower: f64,
}

impl OneRun {
    /// Whether the claim is refuted.
    pub fn refuted(&self) -> bool {
        self.lower_verdict > self.claimed
    }
}

/// Throws the coins, runs once, guesses.
pub fn one_run(
    subject: &mut dyn Canaries,
    rates: super::Rates,
    bits: &mut dyn SecureBits,
) -> Result<OneRun, AuditError> {
    rates.check()?;
    let count = subject.count();
    if count == 0 {
        return Err(AuditError::new("there are no canaries to guess", "make up at least a hundred"));
    }
    let (claimed, delta) = claimed(&subject.claim(), count)?;
    let present: Vec<bool> = (0..count).map(|_| bits.coin()).collect();
    let scores = subject.scores(&present, bits)?;
    if scores.len() != count {
        return Err(AuditError::new(
            format!("{} scores were given for {count} canaries", scores.len()),
            "give one score a canary",
        ));
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let mut found: Option<OneRun> = None;
    for share in GUESSED {
        // Half of the guesses are "in", half are "out".
        let half = ((share * count as f64 / 2.0) as usize).max(1).min(count.div_ceil(2));
        let (ins, outs) = (&order[..half], &order[count - half.min(count - half)..]);
        let guessed = ins.len() + outs.len();
        let right = ins.iter().filter(|place| present[**place]).count()
            + outs.iter().filter(|place| !present[**place]).count();
        let lower = |rate: f64| epsilon_lower(count, guessed, right, delta, rate / GUESSED.len() as f64);
        let (strict, lower) = (lower(rates.false_alarm), lower(rates.doubt));
        let better = found.as_ref().is_none_or(|best| (strict, lower) > (best.lower_verdict, best.lower));
        // All bounds of a rate hold together, so the largest holds, whichever guesses the verdict is from.
        let lower = found.as_ref().map_or(lower, |best| best.lower.max(lower));
        if better {
            let subject = subject.name();
            found = Some(OneRun {
                subject,
                canaries: count,
                guessed,
                right,
                delta,
                claimed,
                lower_verdict: strict,
                lower,
            });
        } else if let Some(best) = &mut found {
            best.lower = lower;
        }
    }
    found.ok_or_else(|| AuditError::new("nothing was guessed", "make up at least a hundred canaries"))
}

/// The claim as (ε, δ): pure, or at a δ that costs little for this many canaries, or at the δ that it needs.
fn claimed(claim: &Loss, count: usize) -> Result<(f64, f64), AuditError> {
    let floats = |(epsilon, delta): (Epsilon, Delta)| (epsilon.to_f64_upper(), delta.to_f64_upper());
    let small = Delta::parse(&format!("1e-{}", 11 + count.ilog10())).map_err(AuditError::from)?;
    let stated = claim.approximate_epsilon();
    if let Some(pure) = stated.clone().filter(|(_, delta)| delta.is_zero()) {
        return Ok(floats(pure));
    }
    match (claim.epsilon_upper(&small), stated, claim.approximate_rho()) {
        (Ok(epsilon), _, _) => Ok(floats((epsilon, small))),
        (_, Some(stated), _) => Ok(floats(stated)),
        (_, None, Some((_, own))) => {
            let delta = own.plus(&small).map_err(AuditError::from)?;
            let epsilon = claim.epsilon_upper(&delta).map_err(AuditError::from)?;
            Ok(floats((epsilon, delta)))
        }
        (Err(error), None, None) => Err(error.into()),
    }
}

/// The largest ε of the grid up to which every claim of (ε, δ) is rejected at this rate. If a release keeps (ε*, δ), the
/// result is above ε* only if the first point of the grid from ε* on is rejected, and there the claim is true.
fn epsilon_lower(canaries: usize, guessed: usize, right: usize, delta: f64, rate: f64) -> f64 {
    let points = (EPSILON_MAX / STEP) as u32;
    let rejected = |point: &u32| p_value(canaries, guessed, right, f64::from(*point) * STEP, delta) <= rate;
    (0..=points).take_while(rejected).last().map_or(0.0, |point| f64::from(point) * STEP)
}

/// The probability with which a release that keeps (ε, δ) lets at least `right` of `guessed` guesses be right, at most.
fn p_value(canaries: usize, guessed: usize, right: usize, epsilon: f64, delta: f64) -> f64 {
    if right == 0 {
        return 1.0;
    }
    let (r, v) = (guessed as u64, right as u64);
    let q = 1.0 / (1.0 + (-epsilon).exp());
    let beta = tail(v, r, q);
    // β/P(B = v), term by term: neither is small here, however small both are.
    let (mut ratio, mut term) = (1.0, 1.0);
    for successes in v..r {
        term *= (r - successes) as f64 / (successes + 1) as f64 * epsilon.exp();
        ratio += term;
        if term < ratio * 1e-17 {
            break;
        }
    }
    (beta + delta * canaries as f64 / v as f64 * (1.0 - beta) * ratio).min(1.0)
}

#[cfg(test)]
mod tests {
    use clarabel::algebra::CscMatrix;
    use clarabel::solver::{
        DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT,
    };
    use pointillist_noise::BitSource;
    use pointillist_privacy::{Guarantee, Rho};
    use pointillist_testkit::seeded;

    use super::*;

    fn misses(a: usize, b: usize) -> usize {
        (a ^ b).count_ones() as usize
    }

    /// The law of the extremal release of the proof: the probability of a list of guesses with w misses.
    fn extremal(m: usize, v: usize, epsilon: f64, delta: f64) -> Option<Vec<f64>> {
        let q = 1.0 / (1.0 + (-epsilon).exp());
        let beta = tail(v as u64, m as u64, q);
        let exactly = crate::binomial::probability(v as u64, m as u64, q);
        let drop = delta * m as f64 / (v as f64 * exactly);
        let base = 1.0 - drop * beta;
        let weight = |w: usize| q.powi((m - w) as i32) * (1.0 - q).powi(w as i32);
        let law = |w: usize| weight(w) * (base + if w <= m - v { drop } else { 0.0 });
        (base >= 0.0).then(|| (0..=m).map(law).collect())
    }

    /// Specification: among all m coins and guesses, a release exists that keeps (ε, δ) exactly and reaches the bound:
    /// all inputs, all outputs, the hockey stick of every pair of neighbours.
    #[test]
    fn the_bound_is_reached_by_a_private_release() {
        let mut reached = 0;
        for m in 1..=6 {
            for v in 1..=m {
                for epsilon in [0.1, 1.0, 2.5] {
                    for delta in [0.0, 1e-3, 0.02, 0.1] {
                        let Some(law) = extremal(m, v, epsilon, delta) else { continue };
                        let all = 1usize << m;
                        let total: f64 = (0..all).map(|guess| law[misses(guess, 0)]).sum();
                        assert!((total - 1.0).abs() < 1e-12);
                        for coin in 0..m {
                            let stick: f64 = (0..all)
                                .map(|guess| {
                                    let (p, q) = (law[misses(guess, 0)], law[misses(guess, 1 << coin)]);
                                    (p - epsilon.exp() * q).max(0.0)
                                })
                                .sum();
                            assert!(stick <= delta + 1e-12, "{m} {v} {epsilon} {delta}: {stick}");
                        }
                        let often: f64 = (0..all)
                            .filter(|guess| misses(*guess, 0) <= m - v)
                            .map(|guess| law[misses(guess, 0)])
                            .sum();
                        let bound = p_value(m, m, v, epsilon, delta);
                        assert!((often - bound).abs() < 1e-12, "{m} {v} {epsilon} {delta}: {often} {bound}");
                        reached += 1;
                    }
                }
            }
        }
        assert!(reached > 100, "{reached}");
    }

    /// Specification: random symmetric releases, scaled to keep (ε, δ), never pass the bound, with abstentions too.
    #[test]
    fn no_symmetric_release_passes_the_bound() {
        let mut bits = seeded(5);
        let (mut near, mut tried) = (0f64, 0);
        for _ in 0..20_000 {
            let m = 1 + bits.take(3) as usize;
            let r = 1 + bits.take(8) as usize % m;
            let epsilon = bits.take(8) as f64 / 100.0;
            let q = 1.0 / (1.0 + (-epsilon).exp());
            let b: Vec<f64> =
                (0..=r).map(|w| crate::binomial::probability((r - w) as u64, r as u64, q)).collect();
            // Random drops, mostly none.
            let mut u = vec![1.0];
            for _ in 0..r {
                let step = if bits.take(2) == 0 { bits.take(16) as f64 / 6553.6 - 5.0 } else { 0.0 };
                u.insert(0, (u[0] + step).max(0.0));
            }
            let mean: f64 = u.iter().zip(&b).map(|(u, b)| u * b).sum();
            let delta: f64 =
                (0..r).map(|j| b[j] * (r - j) as f64 / m as f64 * ((u[j] - u[j + 1]) / mean).max(0.0)).sum();
            for v in 1..=r {
                let often: f64 = (0..=r - v).map(|w| b[w] * u[w] / mean).sum();
                let bound = p_value(m, r, v, epsilon, delta);
                assert!(often <= bound + 1e-12, "{m} {r} {v} {epsilon} {delta}: {often} > {bound}");
                near = near.max(often / bound);
                tried += 1;
            }
        }
        assert!(near > 0.999_999 && tried > 20_000, "{near} {tried}");
    }

    /// All lists of guesses about m coins that guess r of them: which are guessed, and as what.
    fn guesses(m: usize, r: usize) -> Vec<(usize, usize)> {
        let of_size = (0..1usize << m).filter(|guessed| guessed.count_ones() as usize == r);
        of_size
            .flat_map(|guessed| {
                (0..1 << m).filter(move |as_in| as_in & !guessed == 0).map(move |as_in| (guessed, as_in))
            })
            .collect()
    }

    /// The most often that v of r guesses are right, over every release from coins to lists of guesses that keeps
    /// (ε, δ): a linear program in the probabilities of each list for each fall of the coins and in what each exceeds.
    fn most_often(m: usize, r: usize, v: usize, epsilon: f64, delta: f64) -> f64 {
        let (lists, falls) = (guesses(m, r), 1usize << m);
        let often = |coins: usize, list: usize| coins * lists.len() + list;
        let pairs: Vec<(usize, usize)> =
            (0..falls).flat_map(|coins| (0..m).map(move |coin| (coins, coins ^ 1 << coin))).collect();
        let excess = |pair: usize, list: usize| (falls + pair) * lists.len() + list;
        let variables = (falls + pairs.len()) * lists.len();
        let (mut rows, mut columns, mut values, mut bounds) = (vec![], vec![], vec![], vec![]);
        let mut row = |entries: &mut dyn Iterator<Item = (usize, f64)>, bound: f64| {
            for (column, value) in entries {
                rows.push(bounds.len());
                columns.push(column);
                values.push(value);
            }
            bounds.push(bound);
        };
        let every = 0..lists.len();
        for coins in 0..falls {
            row(&mut every.clone().map(|list| (often(coins, list), 1.0)), 1.0);
        }
        for (pair, (here, there)) in pairs.iter().enumerate() {
            for list in every.clone() {
                let entries = [
                    (often(*here, list), 1.0),
                    (often(*there, list), -epsilon.exp()),
                    (excess(pair, list), -1.0),
                ];
                row(&mut entries.into_iter(), 0.0);
            }
            row(&mut every.clone().map(|list| (excess(pair, list), 1.0)), delta);
        }
        (0..variables).for_each(|variable| row(&mut [(variable, -1.0)].into_iter(), 0.0));
        let mut cost = vec![0.0; variables];
        for coins in 0..falls {
            for (list, (guessed, as_in)) in lists.iter().enumerate() {
                let right = (guessed & !(as_in ^ coins)).count_ones() as usize;
                cost[often(coins, list)] = if right >= v { -1.0 / falls as f64 } else { 0.0 };
            }
        }
        let height = bounds.len();
        let constraints = CscMatrix::new_from_triplets(height, variables, rows, columns, values);
        let cones = [ZeroConeT(falls), NonnegativeConeT(height - falls)];
        let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
        let none = CscMatrix::zeros((variables, variables));
        let mut solver = DefaultSolver::new(&none, &cost, &constraints, &bounds, &cones, settings).unwrap();
        solver.solve();
        assert_eq!(solver.solution.status, SolverStatus::Solved);
        -solver.solution.obj_val
    }

    /// Specification: the bound is the optimum over all private releases of up to three coins, of any shape and with
    /// abstentions; where it is not reached, it is above. The solver's tolerance is 1e-8.
    #[test]
    fn the_bound_is_the_optimum_over_all_releases() {
        let mut reached = 0;
        for (m, r) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)] {
            for v in 1..=r {
                for (epsilon, delta) in [(0.0, 0.1), (1.0, 0.0), (1.0, 0.02), (0.3, 0.4)] {
                    let (most, bound) =
                        (most_often(m, r, v, epsilon, delta), p_value(m, r, v, epsilon, delta));
                    assert!(most <= bound + 1e-6, "{m} {r} {v} {epsilon} {delta}: {most} > {bound}");
                    reached += usize::from(most > bound - 1e-6);
                }
            }
        }
        assert!(reached >= 30, "{reached}");
    }

    /// Specification: a claim is read at the δ at which one run shows most of it.
    #[test]
    fn claims_are_read_at_the_smallest_delta_they_hold_for() {
        let (epsilon, delta) = (Epsilon::parse("1").unwrap(), Delta::parse("1e-6").unwrap());
        let rho = Rho::parse("0.1").unwrap();
        let at = |claim: &Loss| claimed(claim, 1000).unwrap().1;
        assert_eq!(at(&Loss::pure(epsilon.clone())), 0.0);
        let stated = Loss::approximate(epsilon, delta.clone());
        assert!((at(&stated) / 1e-6 - 1.0).abs() < 1e-9);
        // A ρ beside it is converted at a δ that does not stand in the way.
        assert!(at(&stated.and(Guarantee::ZeroConcentrated { rho: rho.clone() })) < 1e-13);
        // An approximate ρ holds at its own δ and a little more.
        assert!((at(&Loss::approximate_zcdp(rho, delta)) / 1e-6 - 1.0).abs() < 1e-6);
    }

    struct Scored(usize);

    impl Canaries for Scored {
        fn name(&self) -> String {
            "everything told".to_owned()
        }

        fn claim(&self) -> Loss {
            Loss::pure(Epsilon::parse("1").unwrap())
        }

        fn count(&self) -> usize {
            self.0
        }

        fn scores(&mut self, present: &[bool], _: &mut dyn SecureBits) -> Result<Vec<f64>, AuditError> {
            Ok(present.iter().map(|bit| if *bit { f64::INFINITY } else { f64::NAN }).collect())
        }
    }

    /// Odd counts, tiny counts and odd scores: no canary is guessed twice, and what was guessed is counted.
    #[test]
    fn few_canaries_are_guessed_once_each() {
        let rates = crate::Rates { false_alarm: 1e-9, doubt: 0.05 };
        for count in 1..40 {
            let found = one_run(&mut Scored(count), rates, &mut seeded(count as u64)).unwrap();
            assert!(found.right <= found.guessed && (1..=count).contains(&found.guessed), "{found:?}");
            assert!(count > 10 || !found.refuted(), "{found:?}");
        }
    }

    struct Responses {
        epsilon: &'static str,
        claimed: &'static str,
        count: usize,
    }

    impl Canaries for Responses {
        fn name(&self) -> String {
            "randomized response".to_owned()
        }

        fn claim(&self) -> Loss {
            Loss::pure(Epsilon::parse(self.claimed).unwrap())
        }

        fn count(&self) -> usize {
            self.count
        }

        fn scores(&mut self, present: &[bool], bits: &mut dyn SecureBits) -> Result<Vec<f64>, AuditError> {
            let epsilon: f64 = self.epsilon.parse().unwrap();
            let truth = epsilon.exp() / (1.0 + epsilon.exp());
            let mut told = |bit: bool| bit == (bits.take(53) as f64 / 2f64.powi(53) < truth);
            Ok(present.iter().map(|bit| f64::from(told(*bit))).collect())
        }
    }

    /// False alarm: 1e-9 for the first. Power: at ε = 2 a guess is right with probability 0.88, at 1 with 0.73; 1,000
    /// guesses tell them apart by ten deviations.
    #[test]
    fn one_run_clears_what_is_true_and_refutes_what_is_not() {
        let rates = crate::Rates { false_alarm: 1e-9, doubt: 0.05 };
        let mut honest = Responses { epsilon: "1", claimed: "1", count: 20_000 };
        let found = one_run(&mut honest, rates, &mut seeded(1)).unwrap();
        assert!(!found.refuted() && found.lower > 0.9 && found.lower <= 1.05, "{found:?}");
        let mut lying = Responses { epsilon: "2", claimed: "1", count: 1000 };
        assert!(one_run(&mut lying, rates, &mut seeded(2)).unwrap().refuted());
        let mut none = Responses { epsilon: "2", claimed: "1", count: 0 };
        assert!(one_run(&mut none, rates, &mut seeded(3)).is_err());
    }
}
