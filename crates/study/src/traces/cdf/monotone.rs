//! The nearest monotone function, in the sum of squares: pool adjacent violators. Post-processing of released numbers.

/// The values of the nearest function that never falls.
pub(super) fn nearest(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for value in values {
        let mut pool = (*value, 1);
        while let Some((mean, count)) = pools.last().copied().filter(|(mean, _)| *mean > pool.0) {
            pools.pop();
            let joint = count + pool.1;
            pool = ((mean * count as f64 + pool.0 * pool.1 as f64) / joint as f64, joint);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violators_are_pooled_and_others_stay() {
        assert_eq!(nearest(&[1.0, 3.0, 2.0, 4.0]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(nearest(&[3.0, 2.0, 1.0]), [2.0; 3]);
        assert_eq!(nearest(&[1.0, 2.0]), [1.0, 2.0]);
        assert!(nearest(&[]).is_empty());
    }
}
