//! The closest sequence that never rises.
//!
//! **Guarantee.** Of all sequences `x_1 ≥ x_2 ≥ …`, the result has the least `Σ w_i·(x_i − y_i)²`, up to the
//! rounding of floats. It only reads numbers that were released, so it is free of privacy cost.
//! **Method.** Neighbouring values that rise are pooled into their weighted mean, again and again; every
//! value enters a pool once and leaves it once, so the time is linear.
//! **Error.** No larger than before, in the largest deviation: if `|y_i − c_i| ≤ δ` for all i and c never
//! rises, then `|x_i − c_i| ≤ δ` for all i. *Proof.* `x_i` is the least over `a ≤ i` of the largest over
//! `b ≥ i` of the weighted mean of `y_a … y_b`. Each of these means is within δ of the same mean of c, and c
//! is its own closest sequence. ∎
//! **Source.** Ayer, Brunk, Ewing, Reid, Silverman (1955), pool adjacent violators; Barlow and others (1972)
//! for the formula with least and largest means. Both are compared with brute force below.

/// The closest sequence to `values` that never rises, for these positive weights.
///
/// # Panics
/// When there are not as many weights as values.
pub fn never_rising(values: &[f64], weights: &[f64]) -> Vec<f64> {
    assert_eq!(values.len(), weights.len(), "one weight for each value");
    let mut pools: Vec<Pool> = Vec::new();
    for (value, weight) in values.iter().zip(weights) {
        let mut pool = Pool { mean: *value, weight: *weight, length: 1 };
        while let Some(before) = pools.pop_if(|before| before.mean < pool.mean) {
            let weight = before.weight + pool.weight;
            // A step towards the later mean stays between the two means, which a quotient of sums may not.
            let mean = before.mean + (pool.mean - before.mean) * (pool.weight / weight);
            pool = Pool { mean, weight, length: before.length + pool.length };
        }
        pools.push(pool);
    }
    pools.iter().flat_map(|pool| std::iter::repeat_n(pool.mean, pool.length)).collect()
}

/// Values that share their weighted mean.
struct Pool {
    mean: f64,
    weight: f64,
    length: usize,
}

#[cfg(test)]
mod tests {
    use pointillist_testkit::seeded;

    use super::*;

    fn mean(values: &[f64], weights: &[f64]) -> f64 {
        let sum: f64 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        sum / weights.iter().sum::<f64>()
    }

    fn distance(values: &[f64], weights: &[f64], fit: &[f64]) -> f64 {
        values.iter().zip(weights).zip(fit).map(|((y, w), x)| w * (x - y) * (x - y)).sum()
    }

    /// The best of all ways to cut the sequence into pieces whose means never rise: the closest sequence is
    /// constant on pieces and takes their means.
    fn by_brute_force(values: &[f64], weights: &[f64]) -> Vec<f64> {
        let mut best: Option<(f64, Vec<f64>)> = None;
        for cuts in 0u32..1 << (values.len() - 1) {
            let mut fit = Vec::new();
            let mut start = 0;
            for end in 1..=values.len() {
                if end == values.len() || cuts >> (end - 1) & 1 == 1 {
                    fit.extend(vec![mean(&values[start..end], &weights[start..end]); end - start]);
                    start = end;
                }
            }
            let far = distance(values, weights, &fit);
            if fit.is_sorted_by(|a, b| a >= b) && best.as_ref().is_none_or(|(least, _)| far < *least) {
                best = Some((far, fit));
            }
        }
        best.expect("one piece never rises").1
    }

    fn random(length: usize, words: &mut impl FnMut() -> u64) -> (Vec<f64>, Vec<f64>) {
        let values = (0..length).map(|_| (words() % 21) as f64 - 10.0).collect();
        let weights = (0..length).map(|_| (words() % 5 + 1) as f64).collect();
        (values, weights)
    }

    #[test]
    fn the_closest_sequence_is_found() {
        let mut words = seeded(1);
        for round in 0..800 {
            let (values, weights) = random(1 + round % 8, &mut words);
            let fit = never_rising(&values, &weights);
            assert!(fit.is_sorted_by(|a, b| a >= b));
            for (ours, best) in fit.iter().zip(by_brute_force(&values, &weights)) {
                assert!((ours - best).abs() < 1e-9, "{values:?} {weights:?}");
            }
        }
        assert_eq!(never_rising(&[], &[]), [0.0; 0]);
        assert_eq!(never_rising(&[3.0, 2.0, 2.0, -1.0], &[1.0; 4]), [3.0, 2.0, 2.0, -1.0], "nothing to do");
    }

    #[test]
    fn the_largest_error_never_grows() {
        let mut words = seeded(2);
        for _ in 0..2000 {
            let (mut truth, weights) = random(8, &mut words);
            truth.sort_by(|a, b| b.total_cmp(a));
            let (noise, _) = random(8, &mut words);
            let noisy: Vec<f64> = truth.iter().zip(&noise).map(|(c, z)| c + z).collect();
            let largest = noise.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            for (x, c) in never_rising(&noisy, &weights).iter().zip(&truth) {
                assert!((x - c).abs() <= largest + 1e-9);
            }
        }
    }
}
