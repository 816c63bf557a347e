//! How far a few people can move a median.
//!
//! **Guarantee.** For n values in a public range, the median is the value of rank ⌈n/2⌉, and
//! `LS^(k) = max over t = 0…k+1 of x_{m+t} − x_{m+t−k−1}` is the largest distance of the medians of two data
//! sets one replacement apart, of which one is within k replacements of the data; values of rank 0 or less
//! are the lower end, beyond n the upper end.
//! **Neighbours.** Replace one value by another of the range. The number of values is public.
//! **Source.** Nissim, Raskhodnikova, Smith (2007), Proposition 3.4 (the number as quoted elsewhere; the
//! paper was not at hand).
//! *Proof.* One replacement shifts ranks by at most one, so the local sensitivity of y is the larger of the
//! two gaps next to its median, `y_{m+1} − y_m` and `y_m − y_{m−1}`; replacing by an end of the range attains
//! both. Let y be k replacements from x and take such a gap, with c values of y at or below it, c being m − 1
//! or m. Of x, let i values be at or below it and r inside it. The r are among those replaced, so
//! `c − k ≤ i ≤ c + k − r`, and the gap is at most `x_{i+r+1} − x_i`. Hence the integers from `i + r − k` to
//! i include a p between `m − k − 1` and m, and the gap is at most `x_{p+k+1} − x_p`, a term of the maximum.
//! Conversely, move the k values strictly between the ranks `m + t − k − 1` and `m + t` to the ends of the
//! range, k + 1 − t of them to the lower end (k when t = 0) and the others to the upper: the gap between
//! these two ranks is then next to the median. ∎ Tests repeat the definition by brute force on integer grids
//! with n up to 5, odd and even.
//! **Exactness.** Integers only. Values outside the range are moved to its ends, row by row.
//! **Not covered.** Add/remove neighbours, under which n and the rank move too. Nothing here is private by
//! itself.

use crate::MechanismError;

/// Sorted data between their public ends: `lower, x_1, …, x_n, upper`.
#[derive(Clone)]
pub struct MedianData {
    padded: Vec<i64>,
    rank: usize,
}

/// The data stay out of logs.
impl std::fmt::Debug for MedianData {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("MedianData").finish_non_exhaustive()
    }
}

/// Refuses a range that is empty or reversed.
pub(crate) fn check_range(lower: i64, upper: i64) -> Result<(), MechanismError> {
    if lower < upper {
        return Ok(());
    }
    Err(MechanismError::BoundsReversed { lower: lower.to_string(), upper: upper.to_string() })
}

impl MedianData {
    /// The data, in any order, each moved into `lower ..= upper`.
    ///
    /// # Errors
    /// When the ends are reversed or there are no values; the number of values is public.
    pub fn new(values: &[i64], lower: i64, upper: i64) -> Result<Self, MechanismError> {
        check_range(lower, upper)?;
        if values.is_empty() {
            return Err(MechanismError::invalid("no values have no median", "give at least one value"));
        }
        let mut padded = Vec::with_capacity(values.len() + 2);
        padded.push(lower);
        padded.extend(values.iter().map(|value| value.clamp(&lower, &upper)));
        padded.push(upper);
        padded.sort_unstable();
        Ok(Self { padded, rank: values.len().div_ceil(2) })
    }

    /// The value of rank ⌈n/2⌉: the lower median when n is even.
    pub fn median(&self) -> i64 {
        self.padded[self.rank]
    }

    /// The largest local sensitivity of the median within `distance` replacements: `LS^(distance)`.
    pub fn local_sensitivity_at(&self, distance: u64) -> u64 {
        let last = self.padded.len() - 1;
        let span = match usize::try_from(distance) {
            Ok(distance) if distance < last => distance + 1,
            _ => last,
        };
        // Pairs `span` apart with the rank between them; where one end would leave the data, it is the end of
        // the range.
        (0..=span)
            .map(|t| {
                let high = (self.rank + t).min(last);
                let low = (self.rank + t).saturating_sub(span).min(last);
                self.gap(low, high)
            })
            .max()
            .expect("there is at least one pair")
    }

    /// The fewest replacements after which the local sensitivity is above `bound`; `None` when the whole
    /// range is not.
    pub fn distance_beyond(&self, bound: u64) -> Option<u64> {
        let last = self.padded.len() - 1;
        let mut least: Option<usize> = None;
        let mut high = last;
        // As the lower value falls, the nearest value more than `bound` above it can only come closer.
        for low in (0..=self.rank).rev() {
            while high > self.rank && self.gap(low, high - 1) > bound {
                high -= 1;
            }
            if self.gap(low, high) > bound {
                let distance = high - low - 1;
                least = Some(least.map_or(distance, |so_far| so_far.min(distance)));
            }
        }
        least.map(|distance| distance as u64)
    }

    /// The padded values: index 0 is the lower end, n + 1 the upper end.
    pub(crate) fn padded(&self) -> &[i64] {
        &self.padded
    }

    /// The index of the median among the padded values.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    pub(crate) fn gap(&self, low: usize, high: usize) -> u64 {
        self.padded[high].abs_diff(self.padded[low])
    }
}

#[cfg(test)]
pub(crate) mod tests;
