//! Numbers sorted into few bins, so that whatever learns from them counts instead of sorting.

/// Where a column is cut: one bin for what is not a number, then one a value or one a quantile.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// The largest value of each bin but the last.
    cuts: Vec<f64>,
}

impl Bins {
    /// At most `count` bins of about the same weight; few values get one each.
    pub fn learn(values: impl Iterator<Item = f64>, count: usize) -> Self {
        let mut values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
        values.sort_by(f64::total_cmp);
        let mut distinct = values.clone();
        distinct.dedup();
        let mut cuts: Vec<f64> = if distinct.len() <= count {
            distinct
        } else {
            (1..=count).map(|place| values[(place * values.len() / count).max(1) - 1]).collect()
        };
        cuts.dedup();
        cuts.pop();
        Self { cuts }
    }

    /// How many bins there are, the one of what is not a number among them.
    pub fn count(&self) -> usize {
        self.cuts.len() + 2
    }

    /// The bin of a value; zero is what is not a number.
    pub fn of(&self, value: f64) -> usize {
        if value.is_nan() { 0 } else { 1 + self.cuts.partition_point(|cut| *cut < value) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_get_a_bin_each_and_many_share() {
        let few = Bins::learn([3.0, 1.0, 3.0, f64::NAN, 2.0].into_iter(), 8);
        assert_eq!([1.0, 2.0, 3.0, 9.0, f64::NAN, 0.0].map(|value| few.of(value)), [1, 2, 3, 3, 0, 1]);
        assert_eq!(few.count(), 4);
        let many = Bins::learn((0..1000).map(f64::from), 4);
        assert_eq!([0.0, 249.0, 250.0, 999.0].map(|value| many.of(value)), [1, 1, 2, 4]);
        let none = Bins::learn(std::iter::empty(), 4);
        assert_eq!((none.of(1.0), none.of(f64::NAN), none.count()), (1, 0, 2));
    }
}
