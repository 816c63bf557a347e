//! A private mechanism on a class of data sets, extended to all of them: for twice the price.
//!
//! Sometimes a mechanism is good and private as long as data sets are as one hopes: graphs in which nobody has many ties,
//! tables without large values. One may not use it, since data sets are not always as one hopes. The theorem says that
//! this is no obstacle in principle: there is a mechanism for all data sets that does the same wherever the hope is true.
//!
//! **Guarantee.** Let X be data sets, d the number of steps from one to another through neighbours *of all X*, H a part of
//! X, and `f_h`, for every h in H, a law over finitely many outcomes with
//!
//! ```text
//!     f_h(y) ≤ b^d(h, h') · f_h'(y)        for all h, h' in H and all y, where b = e^ε.        (1)
//! ```
//!
//! Then [`extend`] gives a law for every x in X from which H can be reached; on H it is `f_h` itself, and between any two
//! data sets it is `2ε·d`-private. What does not satisfy (1) is refused ([`ExtensionError::NotPrivateOnClass`]).
//! **Neighbours.** Whatever [`DataSets`] says. (1) is about distances and not about neighbours within H: where the shortest
//! ways leave H, a mechanism may be private for all neighbours of H and satisfy nothing of it. If everything that is left
//! when rows or nodes go stays in H, as with degrees and values that are bounded, then a shortest way stays in H (first
//! everything goes, then everything comes), and neighbours decide.
//! **Proof.** Let `g_x(y) = min over h in H of b^d(x, h) · f_h(y)`, `Z_x` the sum of `g_x(y)` over all y, and
//! `g_x(y)/Z_x` the law at x.
//! *On H*: h' = h gives `g_h ≤ f_h`, and (1) gives `f_h(y) ≤ b^d(h, h') · f_h'(y)` for every h', so that `g_h = f_h` and
//! `Z_h = 1`. *Between x and x'*: `d(x, h) ≤ d(x, x') + d(x', h)`, hence `g_x ≤ b^d(x, x') · g_x'`; summed over y,
//! `Z_x ≤ b^d(x, x') · Z_x'`. With x and x' exchanged the second says `1/Z_x ≤ b^d(x, x')/Z_x'`, and the product of the
//! two is `b^(2·d(x, x'))`. *It is a law*: with x' = h in H, `b^-d(x, h) ≤ Z_x ≤ b^d(x, h)`, neither zero nor infinite.
//! **Source.** The statement is that of Borgs, Chayes, Smith, Zadik, "Private Algorithms Can Always Be Extended" (2018,
//! arXiv:1810.12518), of which we have read the abstract, as the lecture on graphs of "Applied Privacy for Data Science"
//! (Harvard CS 208, 2022) quotes it; (1) is the lecture's definition of being private on H. The proof above is written out for
//! finitely many outcomes. Theirs is for all spaces of outcomes; there densities take the place of probabilities and the
//! smallest of uncountably many needs care, which nothing here needs.
//!
//! **What no extension can avoid.** Let x be outside of H, N its neighbours in H, and q any law for x whose ratios to those of N are
//! at most c. Then `q(y) ≥ f_h(y)/c` and `q(y) ≤ c·f_h(y)` for all h in N; summed over y,
//!
//! ```text
//!     c ≥ Σ_y max over h in N of f_h(y)        and        c ≥ 1/Σ_y min over h in N of f_h(y).        (2)
//! ```
//!
//! [`least_ratio`] is the largest of these numbers. *So two is needed*: let H be the tables of one row, one of k values, each two
//! steps from the others by way of the empty table. The mechanism names a value, the row's own b² times as likely as each of the
//! others, which is (1). At the empty table (2) says `c ≥ k·b²/(b² + k − 1)`, which tends to b² as k grows, so that no factor below
//! two serves for all classes, whatever ε is; and `c ≥ (b² + k − 1)/k`, which for k = 2 is (b² + 1)/2, more than b.
//!
//! **When it is not needed.** Where a mechanism is a number plus noise, a Lipschitz extension of the number (McShane) gives the same for ε
//! alone; `sensitivity.rs` and the mechanisms of [`node`](crate::node) live on that. The theorem is for choices, models and whatever else is no number.
//!
//! **Exactness.** b is a fraction, and so is everything else: laws are compared and never approximated.
//! **Not covered.** Real data. All data sets are listed, and there are 2^(n(n−1)/2) graphs over n people alone. This is a
//! proof that one can look at; nothing here publishes.

mod data_sets;
mod error;
mod example;
mod law;
mod ratio;
mod small_graphs;
mod small_tables;

use std::collections::BTreeMap;

use pointillist_numbers::Rational;

pub use data_sets::DataSets;
pub use error::ExtensionError;
pub use example::{Example, Instance, Report, epsilons};
pub use law::Law;
pub use ratio::{least_ratio, worst_ratio};

/// The law at every data set, from those of a class; `class[x]` is the law at `x` where `x` belongs to it, and `base` is b.
pub fn extend(
    data_sets: &DataSets,
    class: &[Option<Law>],
    base: &Rational,
) -> Result<Vec<Law>, ExtensionError> {
    if *base < Rational::one() {
        return Err(ExtensionError::Base { base: base.clone() });
    }
    let groups = Group::all(data_sets, class, base)?;
    check_class(&groups)?;
    let law = |data_set: usize| {
        let near: Vec<&[Rational]> = groups.iter().filter_map(|group| group.bound_at(data_set)).collect();
        let outcomes = near.first().ok_or(ExtensionError::Unreachable { data_set })?.len();
        let smallest = |outcome: usize| near.iter().map(|bound| &bound[outcome]).min().cloned();
        Law::from_weights((0..outcomes).filter_map(smallest).collect())
    };
    (0..data_sets.count()).map(law).collect()
}

/// The members of the class that have one law. They count together: only the nearest of them matters.
struct Group<'a> {
    law: &'a Law,
    members: Vec<usize>,
    /// How far every data set is from the nearest member.
    distances: Vec<Option<usize>>,
    /// `b^d` times the law, for every distance d that occurs.
    bounds: Vec<Vec<Rational>>,
}

impl<'a> Group<'a> {
    fn all(
        data_sets: &DataSets,
        class: &'a [Option<Law>],
        base: &Rational,
    ) -> Result<Vec<Self>, ExtensionError> {
        if class.len() != data_sets.count() {
            return Err(ExtensionError::Size { laws: class.len(), data_sets: data_sets.count() });
        }
        let mut members: BTreeMap<&Law, Vec<usize>> = BTreeMap::new();
        for (data_set, law) in class.iter().enumerate() {
            if let Some(law) = law {
                members.entry(law).or_default().push(data_set);
            }
        }
        let mut counts = members.keys().map(|law| law.outcomes());
        let first = counts.next().ok_or(ExtensionError::EmptyClass)?;
        if counts.any(|count| count != first) {
            return Err(ExtensionError::Outcomes);
        }
        Ok(members.into_iter().map(|(law, members)| Self::new(data_sets, law, members, base)).collect())
    }

    fn new(data_sets: &DataSets, law: &'a Law, members: Vec<usize>, base: &Rational) -> Self {
        let distances = data_sets.distances(&members);
        let farthest = distances.iter().flatten().max().copied().unwrap_or_default();
        let raised = |bound: &Vec<Rational>| Some(bound.iter().map(|part| part * base).collect());
        let bounds = std::iter::successors(Some(law.probabilities().to_vec()), raised);
        Self { law, members, distances, bounds: bounds.take(farthest + 1).collect() }
    }

    /// `b^d` times the law, d steps from the nearest member.
    fn bound_at(&self, data_set: usize) -> Option<&[Rational]> {
        self.distances[data_set].map(|distance| self.bounds[distance].as_slice())
    }
}

/// Condition (1), for all pairs of the class. The nearest members of two groups decide for all.
fn check_class(groups: &[Group<'_>]) -> Result<(), ExtensionError> {
    for from in groups {
        for to in groups {
            let reached = |member: &usize| from.distances[*member].map(|distance| (distance, *member));
            let Some((distance, member)) = to.members.iter().filter_map(reached).min() else {
                continue;
            };
            let bound = &from.bounds[distance];
            let too_likely = |outcome: &usize| to.law.probabilities()[*outcome] > bound[*outcome];
            if let Some(outcome) = (0..bound.len()).find(too_likely) {
                return Err(ExtensionError::NotPrivateOnClass { member, distance, outcome });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
