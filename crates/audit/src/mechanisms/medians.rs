//! Answers that are quiet where the data are stable: medians and modes, tests of stability, bounds that are
//! noisy themselves.

use pointillist_mechanisms::TestedOutcome;
use pointillist_mechanisms::{NoisyLocalBound, local_sensitivity::noisy_local_bound};
use pointillist_mechanisms::{ProposeTestRelease, local_sensitivity::propose_test_release};
use pointillist_mechanisms::{PtrMedian, local_sensitivity::ptr_median};
use pointillist_mechanisms::{SmoothMedian, local_sensitivity::smooth_median};
use pointillist_mechanisms::{StableMode, local_sensitivity::mode_stability};
use pointillist_privacy::{Epsilon, Neighbours};

use super::{Subjects, Terms, l1, named};
use crate::{AuditError, Observation, Part, Trial};

pub(super) fn subjects(terms: &Terms) -> Subjects {
    Ok(vec![
        Box::new(smooth_medians(terms)?),
        Box::new(proposed(terms)?),
        Box::new(proposed_medians(terms)?),
        Box::new(modes(terms, "add or remove", Neighbours::AddRemove)?),
        Box::new(modes(terms, "replace one", Neighbours::ReplaceOne)?),
        Box::new(bounded(terms)?),
    ])
}

fn outcome<T: Into<Part>>(outcome: TestedOutcome<T>) -> Observation {
    match outcome {
        TestedOutcome::Released { value } => Observation::of(value),
        TestedOutcome::Refused => Observation::of("refused"),
    }
}

/// Each step of two costs half.
fn half(terms: &Terms) -> Result<Epsilon, AuditError> {
    Ok(terms.epsilon.divided_by(2)?)
}

fn smooth_medians(terms: &Terms) -> Result<Trial<Vec<i64>>, AuditError> {
    let mechanism = SmoothMedian::new(&terms.epsilon, 0, 30)?;
    Ok(Trial::new(smooth_median::CARD.name, mechanism.loss(), move |values: &Vec<i64>, bits| {
        Observation::of(mechanism.release(values, bits).expect("there are values"))
    })
    .pair("from end to end", vec![0, 0, 30], vec![0, 30, 30])
    .pair("one alone", vec![0], vec![30])
    .pair("dense, one leaves for the top", vec![15; 5], vec![15, 15, 15, 15, 30])
    .pair("from beyond to beyond", vec![i64::MIN, 10, 20], vec![10, 20, i64::MAX])
    .slow(1_000))
}

/// An answer, and how far the data are from instability. Where both are unstable, answers may be any distance
/// apart.
fn proposed(terms: &Terms) -> Result<Trial<(i64, u64)>, AuditError> {
    let half = half(terms)?;
    let mechanism = ProposeTestRelease::new(&l1(2)?, &half, &half, &terms.delta)?;
    let near = u64::try_from(mechanism.test().threshold()).unwrap_or(0);
    Ok(Trial::new(
        propose_test_release::CARD.name,
        mechanism.loss(),
        move |(answer, distance): &(i64, u64), bits| outcome(mechanism.release(*answer, *distance, bits)),
    )
    .pair("both unstable, answers far apart", (0, 0), (1_000, 0))
    .pair("one unstable, answers two apart", (0, 0), (2, 1))
    .pair("near the threshold, answers two apart", (0, near), (2, near + 1))
    .pair("both stable, answers two apart", (0, 1_000), (2, 1_001)))
}

fn proposed_medians(terms: &Terms) -> Result<Trial<Vec<i64>>, AuditError> {
    let half = half(terms)?;
    let mechanism = PtrMedian::new(0, 100, 2, &half, &half, &terms.delta)?;
    let heap = |left: usize, right: usize| [vec![40; left], vec![60; right]].concat();
    Ok(Trial::new(ptr_median::CARD.name, mechanism.loss(), move |values: &Vec<i64>, bits| {
        outcome(mechanism.release(values, bits).expect("there are values"))
    })
    .pair("the median jumps between two heaps", heap(6, 5), heap(5, 6))
    .pair("one leaves a heap", heap(15, 0), heap(14, 1))
    .pair("one leaves a large heap", heap(31, 0), heap(30, 1))
    .pair("from beyond to beyond", vec![i64::MIN], vec![i64::MAX]))
}

fn modes(terms: &Terms, variant: &str, neighbours: Neighbours) -> Result<Trial<Vec<u64>>, AuditError> {
    let mechanism = StableMode::new(&terms.epsilon, &terms.delta, neighbours)?;
    let (name, claim) = (named(&mode_stability::CARD, variant), mechanism.loss());
    let trial = Trial::new(name, claim, move |counts: &Vec<u64>, bits| {
        outcome(mechanism.release(counts, bits).expect("there are categories"))
    });
    Ok(match neighbours {
        Neighbours::AddRemove => trial
            .pair("the mode changes", vec![5, 5], vec![5, 6])
            .pair("a tie, or a lead of one", vec![5, 5, 0], vec![6, 5, 0])
            .pair("a lead of three or four", vec![8, 5], vec![9, 5])
            .pair("nobody, or one for the last", vec![0, 0], vec![0, 1]),
        Neighbours::ReplaceOne => trial
            .pair("the mode changes", vec![5, 5], vec![4, 6])
            .pair("a lead of four or six", vec![9, 5], vec![10, 4])
            .pair("one alone", vec![1, 0], vec![0, 1]),
    })
}

/// An answer and a bound on how far a neighbour's may be; the bound moves by at most one.
fn bounded(terms: &Terms) -> Result<Trial<(i64, u64)>, AuditError> {
    let half = half(terms)?;
    let mechanism = NoisyLocalBound::new(&half, &half, &terms.delta, 1, 30)?;
    Ok(Trial::new(
        noisy_local_bound::CARD.name,
        mechanism.loss(),
        move |(answer, bound): &(i64, u64), bits| {
            let released = mechanism.release(*answer, *bound, bits);
            Observation::of(released.value).with("bound", released.bound)
        },
    )
    .pair("the bound and the answer move", (0, 5), (5, 6))
    .pair("the answer moves by the bound", (0, 10), (10, 10))
    .pair("the bound alone moves", (0, 0), (0, 1))
    .pair("beyond the public maximum", (0, 30), (30, u64::MAX)))
}
