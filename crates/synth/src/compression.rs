//! Rare values merged: codes whose noisy count is within a few standard deviations of nothing become one code of their column.
//!
//! **Guarantee.** The maps are a function of noisy counts that are already released; nothing here sees rows.
//! **Source.** McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, section 3.3 (MST's domain compression, three standard deviations).

use crate::Domain;
use crate::graphical_model::Observation;

/// For each column the code that stands for each of its codes; none where all codes stay.
pub(crate) type Maps = Vec<Option<Vec<u32>>>;

/// The map of a column with these noisy counts. Codes that stay keep their order; the merged ones come last.
pub(crate) fn map_of(noisy: &[i64], threshold: f64) -> Option<Vec<u32>> {
    let rare = |count: &&i64| (**count as f64) < threshold;
    let merged = noisy.iter().filter(rare).count();
    if merged < 2 {
        return None;
    }
    let last = (noisy.len() - merged) as u32;
    let mut next = 0;
    let code = |count: &i64| match rare(&count) {
        true => last,
        false => {
            next += 1;
            next - 1
        }
    };
    Some(noisy.iter().map(code).collect())
}

/// The domain that maps lead to.
pub(crate) fn target(domain: &Domain, maps: &Maps) -> Option<Domain> {
    let size = |(attribute, size): (usize, &u32)| match maps.get(attribute).and_then(Option::as_ref) {
        Some(map) => map.iter().max().map_or(1, |last| last + 1),
        None => *size,
    };
    Domain::new(domain.sizes().iter().enumerate().map(size).collect()).ok()
}

/// Whether this is a map of a column with so many codes.
pub(crate) fn is_map(map: &[u32], size: usize) -> bool {
    let Some(last) = map.iter().max() else { return false };
    if map.len() != size || *last as usize >= size {
        return false;
    }
    let mut used = vec![false; *last as usize + 1];
    map.iter().for_each(|code| used[*code as usize] = true);
    used.into_iter().all(|used| used)
}

/// The noisy counts of a column, merged: sums have as many times the variance as they have terms.
pub(crate) fn merged(attribute: usize, noisy: &[i64], variance: f64, map: Option<&Vec<u32>>) -> Observation {
    let attributes = vec![attribute];
    let Some(map) = map else {
        let values: Vec<f64> = noisy.iter().map(|count| *count as f64).collect();
        return Observation { attributes, variances: vec![variance; values.len()], values };
    };
    let size = map.iter().max().map_or(1, |last| *last as usize + 1);
    let (mut values, mut variances) = (vec![0.0; size], vec![0.0; size]);
    for (code, count) in map.iter().zip(noisy) {
        values[*code as usize] += *count as f64;
        variances[*code as usize] += variance;
    }
    Observation { attributes, values, variances }
}

/// How the rows of each merged code are shared out: by the noisy counts, drawn towards their mean as far as they differ by noise alone (James
/// and Stein 1961), then brought to the nearest that are not negative and add up to their sum; evenly where that is nothing.
pub(crate) fn shares(noisy: &[i64], map: &[u32], variance: f64) -> Vec<f64> {
    let size = map.iter().max().map_or(1, |last| *last as usize + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); size];
    map.iter().enumerate().for_each(|(code, into)| members[*into as usize].push(code));
    let mut shares = vec![0.0; map.len()];
    for codes in members {
        let counts: Vec<f64> = codes.iter().map(|code| noisy[*code] as f64).collect();
        let sum: f64 = counts.iter().sum();
        let mean = sum / counts.len() as f64;
        let spread: f64 = counts.iter().map(|count| (count - mean).powi(2)).sum();
        let noise = variance * (counts.len() as f64 - 3.0).max(0.0);
        let kept = if spread > noise { 1.0 - noise / spread } else { 0.0 };
        let drawn: Vec<f64> = counts.iter().map(|count| mean + kept * (count - mean)).collect();
        let nearest = nearest_on_simplex(&drawn, sum);
        for (code, count) in codes.iter().zip(&nearest) {
            shares[*code] = if sum > 0.0 { count / sum } else { 1.0 / codes.len() as f64 };
        }
    }
    shares
}

/// The point of {x ≥ 0, Σ x = sum} at least distance from `values`: max(0, y − λ) for one λ, which sorting finds.
pub(crate) fn nearest_on_simplex(values: &[f64], sum: f64) -> Vec<f64> {
    if sum <= 0.0 {
        return vec![0.0; values.len()];
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let (mut total, mut lambda) = (0.0, 0.0);
    for (index, value) in sorted.iter().enumerate() {
        total += value;
        let next = (total - sum) / (index + 1) as f64;
        if *value <= next {
            break;
        }
        lambda = next;
    }
    values.iter().map(|value| (value - lambda).max(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_codes_become_the_last() {
        assert_eq!(map_of(&[50, 1, 40, -3], 10.0), Some(vec![0, 2, 1, 2]));
        assert_eq!(map_of(&[50, 1, 40], 10.0), None, "one rare code is as well by itself");
        assert_eq!(map_of(&[1, 2], 10.0), Some(vec![0, 0]));
        assert!(is_map(&[0, 2, 1, 2], 4) && !is_map(&[0, 2], 2) && !is_map(&[0, 2, 2], 3) && !is_map(&[], 0));
        let domain = Domain::new(vec![4, 3]).unwrap();
        assert_eq!(target(&domain, &vec![Some(vec![0, 2, 1, 2]), None]).unwrap().sizes(), [3, 3]);
    }

    #[test]
    fn sums_have_the_variance_of_their_terms() {
        let merged = merged(7, &[50, 1, 40, -3], 2.0, Some(&vec![0, 2, 1, 2]));
        assert_eq!((merged.values, merged.variances), (vec![50.0, 40.0, -2.0], vec![2.0, 2.0, 4.0]));
    }

    #[test]
    fn shares_of_every_code_add_up_to_one() {
        for noisy in [[50, 1, 40, -3], [50, 9, 40, 3], [-5, -5, -5, -5]] {
            let shares = shares(&noisy, &[0, 2, 1, 2], 4.0);
            assert!(shares.iter().all(|share| *share >= 0.0));
            assert!((shares[1] + shares[3] - 1.0).abs() < 1e-12 && shares[0] == 1.0 && shares[2] == 1.0);
        }
        assert_eq!(shares(&[50, 9, 40, 3], &[0, 2, 1, 2], 4.0)[1], 0.75);
        let even = shares(&[3, -4, 1, 0, 2], &[0; 5], 100.0);
        assert!(
            even.iter().all(|share| (share - 0.2).abs() < 1e-12),
            "what is noise alone is shared out evenly"
        );
    }
}
