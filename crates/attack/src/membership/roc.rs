//! Scores of members and outsiders: who is accused at which threshold.

/// One point of the receiver operating characteristic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RocPoint {
    /// The fraction of outsiders who are accused.
    pub false_positive: f64,
    /// The fraction of members who are.
    pub true_positive: f64,
}

/// The scores of two groups, neither empty, highest first.
pub(super) struct Scores {
    members: Vec<f64>,
    outsiders: Vec<f64>,
}

impl Scores {
    pub(super) fn new(mut members: Vec<f64>, mut outsiders: Vec<f64>) -> Self {
        for scores in [&mut members, &mut outsiders] {
            scores.sort_unstable_by(|left, right| right.total_cmp(left));
        }
        Self { members, outsiders }
    }

    /// The lowest threshold that accuses at most this fraction of the outsiders.
    pub(super) fn accusing_at_most(&self, rate: f64) -> RocPoint {
        let allowed = (rate * self.outsiders.len() as f64).floor() as usize;
        match self.outsiders.get(allowed) {
            Some(threshold) => self.above(*threshold),
            None => self.above(f64::NEG_INFINITY),
        }
    }

    /// The probability that a member scores above an outsider, ties counting one half.
    pub(super) fn area(&self) -> f64 {
        let beaten = |member: &f64| {
            let above = self.outsiders.partition_point(|outsider| outsider > member);
            let not_below = self.outsiders.partition_point(|outsider| outsider >= member);
            self.outsiders.len() as f64 - (above + not_below) as f64 / 2.0
        };
        self.members.iter().map(beaten).sum::<f64>() / (self.members.len() * self.outsiders.len()) as f64
    }

    /// A point for every distinct score of an outsider as the threshold, and the one where everybody is
    /// accused.
    pub(super) fn curve(&self) -> Vec<RocPoint> {
        let mut thresholds = self.outsiders.clone();
        thresholds.dedup();
        thresholds.push(f64::NEG_INFINITY);
        thresholds.into_iter().map(|threshold| self.above(threshold)).collect()
    }

    /// The fraction of members above each outsider in turn, from the highest: what an attacker finds whose threshold is
    /// the score of the i-th of n outsiders, and who accuses a fresh outsider with probability i/(n + 1).
    pub(super) fn above_each_outsider(&self) -> Vec<f64> {
        self.outsiders.iter().map(|threshold| self.above(*threshold).true_positive).collect()
    }

    fn above(&self, threshold: f64) -> RocPoint {
        let fraction =
            |scores: &[f64]| scores.partition_point(|score| *score > threshold) as f64 / scores.len() as f64;
        RocPoint { false_positive: fraction(&self.outsiders), true_positive: fraction(&self.members) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(false_positive: f64, true_positive: f64) -> RocPoint {
        RocPoint { false_positive, true_positive }
    }

    #[test]
    fn a_small_curve_is_as_drawn_by_hand() {
        let scores = Scores::new(vec![4.0, 1.0, 3.0, 2.0], vec![2.0, 0.0, 2.0, 0.5, 3.5]);
        assert_eq!(
            scores.curve(),
            [point(0.0, 0.25), point(0.2, 0.5), point(0.6, 1.0), point(0.8, 1.0), point(1.0, 1.0)]
        );
        // 4 beats five, 3 beats four, 2 beats two and ties with two, 1 beats two: 14 of 20.
        assert!((scores.area() - 14.0 / 20.0).abs() < 1e-12);
        assert_eq!(scores.above_each_outsider(), [0.25, 0.5, 0.5, 1.0, 1.0]);
        assert_eq!(scores.accusing_at_most(0.0), point(0.0, 0.25));
        assert_eq!(scores.accusing_at_most(0.05), point(0.0, 0.25));
        // Two of five would be allowed, but two outsiders share a score: only one is accused.
        assert_eq!(scores.accusing_at_most(0.4), point(0.2, 0.5));
        assert_eq!(scores.accusing_at_most(1.0), point(1.0, 1.0));
    }
}
