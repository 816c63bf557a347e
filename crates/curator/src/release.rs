//! From raw groups to released numbers: the only place where the two meet.
//!
//! **Guarantee.** The numbers in a [`Released`] satisfy the plan's cost for neighbours that differ in one
//! person. The groups of the aggregation move, between neighbours, in at most g of them and there by at most
//! the bounds that the plan's noises were made for (`plan/src/sensitivity.rs`); a quantile is chosen in each group from
//! the weights of its values, for a price that counts g groups. Noises and choices are independent, so the
//! losses of all measures and of the choice of keys add up to the cost. Where keys are earned, measures are
//! released for shown keys only: that is noise for every key of the smaller data set followed by a selection,
//! on the event that no key of the one person alone is shown (`mechanisms/src/keys/earned_keys.rs`).
//! **Pay, then release.** What is released is a [`Purchase`]: the plan that a receipt was compared with, question, price
//! and population (`order.rs`). The receipt exists only once the debit is durable; recording the answer consumes it. The
//! bits are the operating system's by type, [`SystemBits`]: not even a build with scripted bits for audits can bring others.
//! **Shape.** With public groups the shape is the plan's. Otherwise the shown keys are in the order of the
//! groups, which are sorted by key.

use pointillist_catalog::Value;
use pointillist_engine::Groups;
use pointillist_graph::{Graph, Mechanism};
use pointillist_noise::{SystemBits, noisy_sum};
use pointillist_plan::{Draw, PrivatePlan};

use crate::graphs::recorded;
use crate::order::Purchase;
use crate::publication::MeasuredTable;
use crate::rehearsal::MadeUpGroups;

/// Numbers that may leave, with the keys of their groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Released {
    /// The keys of the shown groups.
    pub(crate) keys: Vec<Vec<Option<Value>>>,
    /// For each measure of the plan, the noisy number of every shown group; of a quantile, the index of its grid point.
    pub(crate) measures: Vec<Vec<i128>>,
}

/// Adds the plan's noise to the groups that may be shown.
pub(crate) fn release(groups: &Groups, paid: &Purchase<'_, PrivatePlan>, bits: &mut SystemBits) -> Released {
    noised(groups, paid.work(), bits)
}

/// The same for groups of made-up rows, which nobody pays for.
pub(crate) fn rehearse_release(groups: &MadeUpGroups, plan: &PrivatePlan, bits: &mut SystemBits) -> Released {
    noised(groups.groups(), plan, bits)
}

/// What a graph's mechanism releases, as it is recorded.
pub(crate) fn release_graph(
    graph: &Graph,
    paid: &Purchase<'_, dyn Mechanism>,
    bits: &mut SystemBits,
) -> Released {
    recorded(paid.work().release(graph, bits))
}

/// What is measured of a table's groups, one list of noisy integers a measurement.
pub(crate) fn release_measured(
    groups: &Groups,
    paid: &Purchase<'_, MeasuredTable>,
    bits: &mut SystemBits,
) -> Option<Vec<Released>> {
    let noisy = paid.work().noised(groups.totals(0), bits)?;
    // Integers of sums and residuals have no keys of their own: where they stand is the plan's.
    let unnamed = |noisy: Vec<i128>| Released { keys: vec![Vec::new(); noisy.len()], measures: vec![noisy] };
    Some(noisy.into_iter().map(unnamed).collect())
}

/// Both: private to this file, so that whoever wants numbers out shows one of the two keys.
fn noised(groups: &Groups, plan: &PrivatePlan, bits: &mut SystemBits) -> Released {
    let shown: Vec<usize> = match &plan.selection {
        None => (0..groups.keys().len()).collect(),
        Some(selection) => {
            let choice = selection.release(groups.people(), bits);
            choice.iter().enumerate().filter(|(_, noisy)| noisy.is_some()).map(|(index, _)| index).collect()
        }
    };
    let measures = plan.releases.iter().enumerate().map(|(measure, release)| {
        let noise = match &release.draw {
            Draw::Noise(noise) => noise.sample_many(shown.len(), bits),
            Draw::Choice(choice) => {
                let point = |group: &usize| i128::from(choice.release(groups.weights(measure, *group), bits));
                return shown.iter().map(point).collect();
            }
        };
        let totals = groups.totals(measure);
        shown.iter().zip(noise).map(|(group, noise)| noisy_sum(totals[*group], noise)).collect()
    });
    let measures = measures.collect();
    // The keys of public groups are the plan's, those of earned ones were chosen above.
    let keys = shown.iter().map(|group| groups.keys()[*group].clone()).collect();
    Released { keys, measures }
}
