//! A classifier that adds many weak signs up: logistic regression.
//!
//! Newton's method with a ridge, on columns that are centred, scaled and cut at a few deviations. How well it tells sides
//! apart is measured on releases it has not seen, so nothing here can raise a false alarm.

/// Columns that are used, at most.
const WIDTH_MAX: usize = 64;
/// Newton steps.
const STEPS: usize = 8;
/// Values are cut at this many deviations.
const CUT: f64 = 4.0;

/// A trained direction.
#[derive(Clone, Debug)]
pub struct Logistic {
    centres: Vec<f64>,
    scales: Vec<f64>,
    /// One a column, then the constant.
    weights: Vec<f64>,
}

impl Logistic {
    /// Learns to tell rows of the left from rows of the right.
    pub fn train(rows: &[Vec<f64>], is_left: &[bool]) -> Self {
        let width = rows.first().map_or(0, Vec::len).min(WIDTH_MAX);
        let (mut centres, mut scales) = (Vec::new(), Vec::new());
        for column in 0..width {
            let mut values: Vec<f64> =
                rows.iter().map(|row| row[column]).filter(|value| value.is_finite()).collect();
            values.sort_by(f64::total_cmp);
            let at = |part: f64| values.get((part * values.len() as f64) as usize).copied().unwrap_or(0.0);
            let (low, centre, high) = (at(0.1), at(0.5), at(0.9));
            centres.push(centre);
            let spread = (high - low) / 2.56;
            let range = values.last().unwrap_or(&1.0) - values.first().unwrap_or(&0.0);
            scales.push([spread, range].into_iter().find(|scale| *scale > 0.0).unwrap_or(1.0));
        }
        let mut model = Self { centres, scales, weights: vec![0.0; width + 1] };
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| model.standardized(row)).collect();
        for _ in 0..STEPS {
            model.step(&rows, is_left);
        }
        model
    }

    /// The higher, the more it looks like the left.
    pub fn score(&self, row: &[f64]) -> f64 {
        dot(&self.weights, &self.standardized(row))
    }

    fn standardized(&self, row: &[f64]) -> Vec<f64> {
        let scaled = row.iter().zip(&self.centres).zip(&self.scales).map(|((value, centre), scale)| {
            let deviations = (value - centre) / scale;
            // Not a number where the value is none, or where differences are too large for a float.
            if deviations.is_nan() { 0.0 } else { deviations.clamp(-CUT, CUT) }
        });
        scaled.chain([1.0]).collect()
    }

    /// One Newton step of the penalised likelihood.
    fn step(&mut self, rows: &[Vec<f64>], is_left: &[bool]) {
        let width = self.weights.len();
        let mut gradient: Vec<f64> = self.weights.iter().map(|weight| -weight).collect();
        let mut curvature = vec![vec![0.0; width]; width];
        for (place, line) in curvature.iter_mut().enumerate() {
            line[place] = 1.0;
        }
        for (row, left) in rows.iter().zip(is_left) {
            let chance = 1.0 / (1.0 + (-dot(&self.weights, row)).exp());
            let weight = chance * (1.0 - chance);
            for i in 0..width {
                gradient[i] += (f64::from(*left) - chance) * row[i];
                for j in 0..=i {
                    curvature[i][j] += weight * row[i] * row[j];
                }
            }
        }
        let step = solved(curvature, gradient);
        for (weight, step) in self.weights.iter_mut().zip(step) {
            *weight += step.clamp(-5.0, 5.0);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a positive definite system, of which the lower half is given, by Cholesky's method.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let width = right.len();
    for i in 0..width {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - sum;
            matrix[i][j] = if i == j { rest.max(1e-12).sqrt() } else { rest / matrix[j][j] };
        }
    }
    for i in 0..width {
        let sum: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    for i in (0..width).rev() {
        let sum: f64 = (i + 1..width).map(|k| matrix[k][i] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use pointillist_noise::BitSource;
    use pointillist_testkit::seeded;

    use super::*;

    #[test]
    fn a_system_is_solved() {
        let solution = solved(vec![vec![4.0, 0.0], vec![2.0, 3.0]], vec![10.0, 8.0]);
        // 4x + 2y = 10 and 2x + 3y = 8.
        assert!((solution[0] - 1.75).abs() < 1e-12 && (solution[1] - 1.5).abs() < 1e-12, "{solution:?}");
    }

    /// Forty columns, each a coin that leans by five hundredths: together they tell, alone they do not. The left has
    /// 22 of 40 in the mean and the right 18, deviation 3.15: the sum is right with probability 0.74; four deviations of
    /// a binomial of 2,000 are 0.04.
    #[test]
    fn weak_signs_add_up() {
        let mut bits = seeded(2);
        let mut draw = |left: bool| -> Vec<f64> {
            (0..40).map(|_| f64::from(bits.take(10) < if left { 563 } else { 461 })).collect()
        };
        let sides: Vec<bool> = (0..4000).map(|place| place % 2 == 0).collect();
        let rows: Vec<Vec<f64>> = sides.iter().map(|left| draw(*left)).collect();
        let model = Logistic::train(&rows, &sides);
        let right = sides[..2000].iter().map(|left| (*left, draw(*left)));
        let right = right.filter(|(left, row)| (model.score(row) > 0.0) == *left).count();
        assert!(right > 1400, "{right} of 2000");
    }

    #[test]
    fn nothing_to_learn_is_no_trouble() {
        let model = Logistic::train(&[vec![f64::NAN], vec![f64::INFINITY]], &[true, false]);
        assert!(model.score(&[1.0]).is_finite());
        let far: Vec<Vec<f64>> =
            (0..20).map(|row| vec![if row < 10 { f64::MAX } else { f64::MIN }]).collect();
        let model = Logistic::train(&far, &[true; 20]);
        assert!(far.iter().all(|row| model.score(row).is_finite()));
        assert!(Logistic::train(&[], &[]).score(&[]).is_finite());
    }
}
