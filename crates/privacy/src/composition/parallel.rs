//! Parallel composition: releases about different people do not add up.
//!
//! **Guarantee.** The data are cut into cells, and one release looks at each cell. If every unit
//! contributes to at most `cells_per_unit_max` cells, the releases together cost what the most expensive
//! `cells_per_unit_max` of them cost together: neighbours differ in those cells only, and on the others the
//! outputs have the same distribution.
//! **Neighbours.** Add/remove, for the parts and for the whole. For replace-one ask the result for
//! [`Loss::replace_one`]: a replacement takes a unit out of its cells and puts another into cells of its
//! own, and the two may be the same cells, so that no cheaper rule is true.
//! **Conditions,** each of them necessary:
//! * The cells are fixed by public keys, before and independently of the data. A partition computed from
//!   the data is a release of its own.
//! * Which cell a unit is in depends on that unit alone.
//! * The losses are fixed before the first answer. A loss for one cell chosen in the light of another
//!   cell's answer is sequential composition: use a [`crate::filter`] for each cell, all with budgets fixed
//!   in advance.
//!
//! **Source.** McSherry (2009), PINQ, Theorem 4, for pure ε and one cell a unit; in general, from
//! sequential composition of the cells that differ.
//! **Exactness.** That of [`Loss::then`].

use crate::{Delta, Epsilon, Guarantee, Loss, ParameterError, Rho};

/// The loss of one release per cell, each unit in at most `cells_per_unit_max` cells.
///
/// # Errors When there is no cell, when a unit may be in no cell, or when the cells have no kind of
/// guarantee in common whose sum promises anything.
pub fn parallel(cells: &[Loss], cells_per_unit_max: usize) -> Result<Loss, ParameterError> {
    if cells.is_empty() || cells_per_unit_max == 0 {
        return Err(ParameterError::NothingToCompose);
    }
    let pure = dearest(cells, cells_per_unit_max, Loss::pure_epsilon, |a, b| a.plus(b).ok());
    let pure = pure.map(|epsilon| Guarantee::Pure { epsilon });
    let concentrated = dearest(cells, cells_per_unit_max, Loss::rho, |a, b| a.plus(b).ok());
    let concentrated = concentrated.map(|rho| Guarantee::ZeroConcentrated { rho });
    // Of pairs, the dearest in each number separately: never less than any one choice of cells.
    let approximate = split(cells, cells_per_unit_max, Loss::approximate_epsilon, Epsilon::plus);
    let approximate = approximate.map(|(epsilon, delta)| Guarantee::Approximate { epsilon, delta });
    let approximate_concentrated = split(cells, cells_per_unit_max, Loss::approximate_rho, Rho::plus);
    let approximate_concentrated =
        approximate_concentrated.map(|(rho, delta)| Guarantee::ApproximateZeroConcentrated { rho, delta });

    let mut guarantees = [pure, concentrated, approximate, approximate_concentrated].into_iter().flatten();
    let first = guarantees.next().ok_or(ParameterError::PromisesNothing {
        parameter: "loss",
        reached: "more than any guarantee holds".to_owned(),
        hint: "let each unit be in fewer cells, or release with guarantees of the same kind",
    })?;
    Ok(guarantees.fold(Loss::new(first), Loss::and))
}

/// The sum of the `count` largest values, if every cell has one.
fn dearest<T: Ord + Clone>(
    cells: &[Loss],
    count: usize,
    value: impl Fn(&Loss) -> Option<T>,
    plus: impl Fn(&T, &T) -> Option<T>,
) -> Option<T> {
    let mut values: Vec<T> = cells.iter().map(value).collect::<Option<_>>()?;
    values.sort_unstable_by(|a, b| b.cmp(a));
    let mut largest = values.into_iter().take(count);
    let first = largest.next()?;
    largest.try_fold(first, |sum, value| plus(&sum, &value))
}

fn split<T: Ord + Clone>(
    cells: &[Loss],
    count: usize,
    pair: impl Fn(&Loss) -> Option<(T, Delta)>,
    plus: impl Fn(&T, &T) -> Result<T, ParameterError>,
) -> Option<(T, Delta)> {
    let loss = dearest(cells, count, |cell| pair(cell).map(|(loss, _)| loss), |a, b| plus(a, b).ok())?;
    let delta = dearest(cells, count, |cell| pair(cell).map(|(_, delta)| delta), |a, b| a.plus(b).ok())?;
    Some((loss, delta))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::parse(text).unwrap()
    }

    fn rho(text: &str) -> Rho {
        Rho::parse(text).unwrap()
    }

    fn delta(text: &str) -> Delta {
        Delta::parse(text).unwrap()
    }

    #[test]
    fn units_in_one_cell_pay_for_the_dearest_cell() {
        let cells = ["0.1", "0.5", "0.25"].map(|e| Loss::pure(epsilon(e)));
        let whole = parallel(&cells, 1).unwrap();
        assert_eq!((whole.pure_epsilon(), whole.rho()), (Some(epsilon("0.5")), Some(rho("0.125"))));
    }

    #[test]
    fn units_in_two_cells_pay_for_the_two_dearest() {
        let cells = ["0.1", "0.5", "0.25"].map(|e| Loss::pure(epsilon(e)));
        let whole = parallel(&cells, 2).unwrap();
        assert_eq!(whole.pure_epsilon(), Some(epsilon("0.75")));
        assert_eq!(whole.rho(), Some(rho("0.15625")));
        let all = parallel(&cells, 7).unwrap();
        assert_eq!(all.pure_epsilon(), Some(epsilon("0.85")), "there are no more than three");
    }

    #[test]
    fn different_kinds_meet_in_what_they_share() {
        let cells = [
            Loss::zcdp(rho("0.1")),
            Loss::approximate(epsilon("1"), delta("1e-6")),
            Loss::pure(epsilon("0.2")),
        ];
        let whole = parallel(&cells, 1).unwrap();
        assert_eq!((whole.pure_epsilon(), whole.rho()), (None, None));
        assert_eq!(whole.approximate_rho(), Some((rho("0.5"), delta("1e-6"))));
    }

    #[test]
    fn replacing_a_unit_costs_a_group_of_two() {
        let cells = [Loss::zcdp(rho("0.1")), Loss::zcdp(rho("0.05"))];
        let whole = parallel(&cells, 1).unwrap().replace_one().unwrap();
        assert_eq!(whole.rho(), Some(rho("0.4")), "both in one cell, which sees two changes");
    }

    #[test]
    fn nothing_in_parallel_is_refused_with_a_hint() {
        let cell = Loss::pure(epsilon("900000"));
        for refusal in [
            parallel(&[], 1).unwrap_err(),
            parallel(std::slice::from_ref(&cell), 0).unwrap_err(),
            parallel(&[cell.clone(), cell], 2).unwrap_err(),
        ] {
            assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
        }
    }
}
