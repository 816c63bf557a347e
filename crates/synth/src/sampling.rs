//! Rows drawn from a graphical model, with less variance than independent draws have.
//!
//! **Guarantee.** Rows are a function of a model, which is a function of released numbers, and of fresh bits: drawing them loses nothing.
//! **Neighbours.** Those of the synthesizer that released the numbers.
//! **Proof.** Post-processing: nothing here sees private rows.
//!
//! Column by column, parents before children: rows that agree on all columns a new one depends on share its codes out in the model's
//! proportions, by systematic draws ([`share_out`]): each code gets its share rounded down or up, and its share exactly on the mean. Every group begins
//! anew, so that nothing is carried from one to the next that their order could turn into a pattern. Within a group a random order
//! decides which row gets which code.

use crate::PublicCoins;
use crate::graphical_model::GraphicalModel;
use crate::propagation::Clique;

/// So many rows, column by column, of the model's codes.
pub(crate) fn sample(model: &GraphicalModel, rows: usize, coins: &mut PublicCoins) -> Vec<Vec<u32>> {
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); model.domain.attributes()];
    for part in &model.components {
        for (clique, table) in part.propagation.cliques.iter().zip(&part.beliefs.cliques) {
            sample_clique(model, clique, table, rows, &mut columns, coins);
        }
    }
    columns
}

fn sample_clique(
    model: &GraphicalModel,
    clique: &Clique,
    table: &[f64],
    rows: usize,
    columns: &mut [Vec<u32>],
    coins: &mut PublicCoins,
) {
    let mut keys: Vec<usize> = vec![0; rows];
    for attribute in &clique.columns[..clique.shared] {
        let size = model.domain.size(*attribute);
        keys.iter_mut().zip(&columns[*attribute]).for_each(|(key, code)| *key = *key * size + *code as usize);
    }
    let mut left = clique.cells / clique.rows;
    for attribute in &clique.columns[clique.shared..] {
        let size = model.domain.size(*attribute);
        let width = left;
        left /= size;
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_unstable_by_key(|row| (keys[*row as usize], *row));
        let mut column = vec![0; rows];
        let mut weights = vec![0.0; size];
        let mut codes: Vec<u32> = Vec::new();
        for group in order.chunk_by(|one, next| keys[*one as usize] == keys[*next as usize]) {
            let start = keys[group[0] as usize] * width;
            let cells = table[start..start + width].chunks_exact(left);
            weights.iter_mut().zip(cells).for_each(|(weight, cells)| *weight = crate::broadcast::sum(cells));
            codes.clear();
            share_out(group.len(), &weights, coins, &mut codes);
            shuffle(&mut codes, coins);
            group.iter().zip(&codes).for_each(|(row, code)| column[*row as usize] = *code);
        }
        keys.iter_mut().zip(&column).for_each(|(key, code)| *key = *key * size + *code as usize);
        columns[*attribute] = column;
    }
}

/// So many codes in proportion to the weights; a code without weight is given to nobody unless all are.
///
/// The codes lie one behind the other on a line as long as the group, each as long as its share; they get the points at a random distance
/// below one from the beginning, and then one apart. A stretch of length x holds ⌊x⌋ or ⌈x⌉ of them, and x on the mean.
pub(crate) fn share_out(count: usize, weights: &[f64], coins: &mut PublicCoins, codes: &mut Vec<u32>) {
    let total: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    let usable = total > 0.0 && total.is_finite();
    let share = |weight: f64| if usable { weight / total } else { even };
    let mut point = coins.unit();
    let (mut end, mut last) = (0.0, 0);
    for (code, weight) in weights.iter().enumerate() {
        let stretch = share(*weight) * count as f64;
        if stretch <= 0.0 {
            continue;
        }
        (end, last) = (end + stretch, code);
        while point < end && codes.len() < count {
            codes.push(code as u32);
            point += 1.0;
        }
    }
    // What rounding of floats took from the end of the line.
    codes.resize(count, last as u32);
}

/// A random order.
pub(crate) fn shuffle(codes: &mut [u32], coins: &mut PublicCoins) {
    for last in (1..codes.len()).rev() {
        codes.swap(last, coins.below(last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Domain;
    use crate::component::Effort;
    use crate::graphical_model::Observation;

    /// Specification: codes are shared out in number, never where there is no weight, each rounded down or up; and over 30,000 groups each
    /// code gets its part. With less than one code of each a group, deviations are below 87, so that 600 would be 6.9 of them:
    /// seen with probability below 1e-11.
    #[test]
    fn sharing_out_keeps_the_proportions() {
        let mut coins = PublicCoins::of(&[b"rounding"]);
        let mut seen = [0usize; 4];
        let shares = [0.5, 0.3, 0.2, 0.0];
        for group in 0..30_000 {
            let mut codes = Vec::new();
            let count = group % 4;
            share_out(count, &shares, &mut coins, &mut codes);
            assert_eq!(codes.len(), count);
            for (code, share) in shares.iter().enumerate() {
                let got = codes.iter().filter(|given| **given == code as u32).count() as f64;
                assert!((got - share * count as f64).abs() < 1.0 + 1e-9);
            }
            codes.iter().for_each(|code| seen[*code as usize] += 1);
        }
        assert_eq!(seen[3], 0);
        for (seen, share) in seen.iter().zip(shares) {
            assert!((*seen as f64 - share * 45_000.0).abs() <= 600.0, "{seen} for {share}");
        }
        for hostile in [[0.0; 4], [f64::NAN; 4], [f64::INFINITY; 4]] {
            let mut codes = Vec::new();
            share_out(8, &hostile, &mut coins, &mut codes);
            assert_eq!(codes.len(), 8);
        }
    }

    /// Specification: in a clique of three columns, of which the last depends on the second alone, rows have that dependence, though no group
    /// has more than two rows. Of 500 rows each, 5 % and 95 % of independent draws would deviate by less than 4.9 rows: 34
    /// would be seven deviations.
    #[test]
    fn dependence_survives_groups_of_few_rows() {
        let (many, rows) = (500usize, 1_000);
        let domain = Domain::new(vec![many as u32, 2, 2]).unwrap();
        let ill = [0.05, 0.95];
        let cell = |cell: usize| {
            let (b, c) = (cell / 2 % 2, cell % 2);
            if c == 1 { ill[b] } else { 1.0 - ill[b] }
        };
        let values: Vec<f64> = (0..many * 4).map(cell).collect();
        let cells = values.len();
        let clique = Observation { attributes: vec![0, 1, 2], variances: vec![1.0; cells], values };
        let mut model = GraphicalModel::uniform(&domain, 1.0);
        model.fit(&[clique], Effort { iterations: 3000, least_gain: 0.0 });
        for coins in [b"one", b"two"] {
            let columns = sample(&model, rows, &mut PublicCoins::of(&[coins]));
            for (b, share) in ill.iter().enumerate() {
                let of_b = columns[1].iter().zip(&columns[2]).filter(|(code, _)| **code == b as u32);
                let (all, ill) = of_b.fold((0.0, 0.0), |(all, ill), (_, c)| (all + 1.0, ill + f64::from(*c)));
                assert!((ill - share * all).abs() <= 34.0, "{ill} of {all} for {share}");
            }
        }
    }

    /// Specification: the pairs of a tree that rows are drawn from come out as the model has them, but for a few of each.
    #[test]
    fn rows_have_the_marginals_of_their_model() {
        let domain = Domain::new(vec![3, 2, 4]).unwrap();
        let pair = |attributes: [usize; 2], cells: usize| {
            let values: Vec<f64> = (0..cells).map(|cell| ((cell * 7 + 3) % 11) as f64 * 100.0).collect();
            let sum: f64 = values.iter().sum();
            let values: Vec<f64> = values.iter().map(|value| value * 10_000.0 / sum).collect();
            Observation { attributes: attributes.to_vec(), variances: vec![1.0; cells], values }
        };
        let mut model = GraphicalModel::uniform(&domain, 1.0);
        model.fit(&[pair([0, 1], 6), pair([1, 2], 8)], Effort { iterations: 2000, least_gain: 0.0 });
        let columns = sample(&model, 10_000, &mut PublicCoins::of(&[b"rows"]));
        for attributes in [vec![0], vec![0, 1], vec![1, 2]] {
            let cells = model.marginal(&attributes);
            let mut counts = vec![0.0; cells.len()];
            let mut places = vec![0; 10_000];
            for attribute in &attributes {
                let codes = places.iter_mut().zip(&columns[*attribute]);
                codes.for_each(|(place, code)| *place = *place * domain.size(*attribute) + *code as usize);
            }
            places.into_iter().for_each(|place: usize| counts[place] += model.total / 10_000.0);
            for (count, cell) in counts.iter().zip(&cells) {
                assert!((count - cell).abs() < 4.0, "{attributes:?}: {count} for {cell}");
            }
        }
    }
}
