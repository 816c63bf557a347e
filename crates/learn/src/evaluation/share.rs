//! A share of rows, from two noisy counts.
//!
//! **Claim.** If a and b are within r and s of the true counts, the true share a/(a + b) is in [`of_counts`]: it rises
//! with a and falls with b, and true counts are not negative. Where there may be no rows at all, it may be anything.

use crate::Interval;

/// The share of the first count, each count with how far it may be off.
pub(super) fn of_counts((part, part_radius): (f64, f64), (rest, rest_radius): (f64, f64)) -> Interval {
    let share =
        |part: f64, rest: f64, empty: f64| if part + rest > 0.0 { part / (part + rest) } else { empty };
    let low = share((part - part_radius).max(0.0), (rest + rest_radius).max(0.0), 0.0);
    let high = share((part + part_radius).max(0.0), (rest - rest_radius).max(0.0), 1.0);
    let estimate = share(part.max(0.0), rest.max(0.0), 0.5);
    Interval { estimate: estimate.clamp(low.min(high), high.max(low)), low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification (all small counts, all errors within the radius): the true share is inside, and reached at both ends.
    #[test]
    fn the_true_share_is_inside() {
        for (part, rest) in (0..8i32).flat_map(|part| (0..8i32).map(move |rest| (part, rest))) {
            let truth = f64::from(part) / f64::from((part + rest).max(1));
            for (u, v) in (-2..=2i32).flat_map(|u| (-3..=3i32).map(move |v| (u, v))) {
                let found = of_counts((f64::from(part + u), 2.0), (f64::from(rest + v), 3.0));
                assert!(
                    part + rest == 0 || (found.low <= truth && truth <= found.high),
                    "{part} {rest} {u} {v}: {found:?}"
                );
                assert!(found.low <= found.estimate && found.estimate <= found.high);
            }
        }
        let tight = of_counts((8.0, 2.0), (4.0, 2.0));
        assert_eq!((tight.low, tight.high), (0.5, 10.0 / 12.0));
    }
}
