//! Rows drawn from a graphical model, with less variance than independent draws have.
//!
//! **Guarantee.** Rows are a function of a model, which is a function of released numbers, and of fresh bits: drawing them loses nothing.
//! **Neighbours.** Those of the synthesizer that released the numbers.
//! **Proof.** Post-processing: nothing here sees private rows.
//!
//! Column by column, parents before children: rows that agree on all columns a new one depends on share it out in the model's proportions,
//! rounded down, and what rounding leaves over is carried to the next group of rows, in the order of their codes. So the counts of
//! a column together with the first columns it depends on are off by about one, where independent draws are off by the root of the count.
//! Within a group a random order decides which row gets which code.

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
        let mut rounding = Rounding::new(size, coins);
        let mut weights = vec![0.0; size];
        let mut codes: Vec<u32> = Vec::new();
        for group in order.chunk_by(|one, next| keys[*one as usize] == keys[*next as usize]) {
            let start = keys[group[0] as usize] * width;
            let cells = table[start..start + width].chunks_exact(left);
            weights.iter_mut().zip(cells).for_each(|(weight, cells)| *weight = crate::broadcast::sum(cells));
            codes.clear();
            rounding.share_out(group.len(), &weights, &mut codes);
            shuffle(&mut codes, coins);
            group.iter().zip(&codes).for_each(|(row, code)| column[*row as usize] = *code);
        }
        keys.iter_mut().zip(&column).for_each(|(key, code)| *key = *key * size + *code as usize);
        columns[*attribute] = column;
    }
}

/// What rounding has left over so far, for each code.
pub(crate) struct Rounding {
    carried: Vec<f64>,
    order: Vec<usize>,
    counts: Vec<usize>,
}

impl Rounding {
    /// Begins at random, so that no code is preferred.
    pub fn new(size: usize, coins: &mut PublicCoins) -> Self {
        let carried = (0..size).map(|_| coins.unit() - 0.5).collect();
        Self { carried, order: Vec::new(), counts: vec![0; size] }
    }

    /// So many codes in proportion to the weights; a code without weight is given to nobody unless all are.
    pub fn share_out(&mut self, count: usize, weights: &[f64], codes: &mut Vec<u32>) {
        let total: f64 = weights.iter().sum();
        let even = 1.0 / weights.len() as f64;
        let usable = total > 0.0 && total.is_finite();
        let share = |weight: f64| if usable { weight / total } else { even };
        self.order.clear();
        let mut given = 0;
        for (code, weight) in weights.iter().enumerate() {
            let wanted = share(*weight) * count as f64;
            self.counts[code] = 0;
            if wanted > 0.0 {
                self.carried[code] += wanted;
                let whole = self.carried[code].floor().max(0.0) as usize;
                self.counts[code] = whole;
                self.carried[code] -= whole as f64;
                given += whole;
                self.order.push(code);
            }
        }
        // The largest rests are rounded up; where carried rests gave out too many, the smallest are taken back.
        let carried = &mut self.carried;
        while given < count {
            self.order.sort_unstable_by(|one, other| {
                carried[*other].total_cmp(&carried[*one]).then(one.cmp(other))
            });
            for code in self.order.iter().take(count - given) {
                self.counts[*code] += 1;
                carried[*code] -= 1.0;
                given += 1;
            }
        }
        while given > count {
            self.order.sort_unstable_by(|one, other| {
                carried[*one].total_cmp(&carried[*other]).then(one.cmp(other))
            });
            for code in &self.order {
                if given > count && self.counts[*code] > 0 {
                    self.counts[*code] -= 1;
                    carried[*code] += 1.0;
                    given -= 1;
                }
            }
        }
        for code in &self.order {
            codes.extend(std::iter::repeat_n(*code as u32, self.counts[*code]));
        }
    }
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

    /// Specification: codes are shared out in number, never where there is no weight, and over many groups each code gets its
    /// part but for a few.
    #[test]
    fn sharing_out_keeps_the_proportions() {
        let mut rounding = Rounding::new(4, &mut PublicCoins::of(&[b"rounding"]));
        let mut seen = [0usize; 4];
        for group in 0..1000 {
            let mut codes = Vec::new();
            let count = group % 4;
            rounding.share_out(count, &[0.5, 0.3, 0.2, 0.0], &mut codes);
            assert_eq!(codes.len(), count);
            codes.iter().for_each(|code| seen[*code as usize] += 1);
        }
        assert_eq!(seen[3], 0);
        for (seen, share) in seen.iter().zip([0.5, 0.3, 0.2]) {
            assert!((*seen as f64 - share * 1500.0).abs() <= 3.0, "{seen} for {share}");
        }
        for hostile in [[0.0; 4], [f64::NAN; 4], [f64::INFINITY; 4]] {
            let mut codes = Vec::new();
            rounding.share_out(8, &hostile, &mut codes);
            assert_eq!(codes.len(), 8);
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
