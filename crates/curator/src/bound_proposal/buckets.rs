//! The buckets that a person's number falls into: a public partition of all numbers, the same whatever the data.
//!
//! **Why these.** Their ends are the bounds that will be proposed, so they are numbers that people write: 1, 2, 5, 10, 20 …
//! and the same below zero, with zero alone between them; counts of rows and of groups have ends a factor of 1.5 apart. Any
//! partition has the same sensitivity: a person is in one bucket, and adding or removing them moves its count by one.

use std::fmt::Write;

use pointillist_numbers::Rational;

/// Powers of ten of the first and the last end, for whole numbers: the last is 5·10¹⁸, below the end of 64 bits.
const WHOLE: std::ops::RangeInclusive<i32> = 0..=18;
/// The same for numbers with a fraction.
const DECIMAL: std::ops::RangeInclusive<i32> = -9..=18;

/// From which number to which; no end where the last bucket has none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bucket {
    pub(super) low: Option<Rational>,
    pub(super) high: Option<Rational>,
}

/// Buckets from below, each number in exactly one.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    /// What holds of a number in this bucket or below it, as SQL writes it; of all buckets but the last.
    conditions: Vec<String>,
    pub(super) all: Vec<Bucket>,
}

impl Buckets {
    /// Of values of a column: whole numbers, or with a fraction.
    pub(super) fn of_values(whole: bool) -> Self {
        let powers = if whole { WHOLE } else { DECIMAL };
        let ends: Vec<String> =
            powers.flat_map(|power| [1, 2, 5].map(|digit| decimal(digit, power))).collect();
        let (minus, zero) = (|end: &String| format!("-{end}"), "0".to_owned());
        let mut buckets = Self { conditions: Vec::new(), all: Vec::new() };
        let mut low = None;
        // Below zero a bucket holds its lower end, above zero its upper one, so that zero is alone.
        for end in ends.iter().rev().map(minus).chain([zero.clone()]) {
            buckets.push(format!("< {end}"), low.replace(end.clone()), Some(end));
        }
        for end in std::iter::once(zero).chain(ends) {
            buckets.push(format!("<= {end}"), low.replace(end.clone()), Some(end));
        }
        buckets.all.push(Bucket { low: low.as_deref().map(number), high: None });
        buckets
    }

    /// Of counts of rows or groups: one, and from there in steps of a factor 1.5, up to the most that there may be.
    pub(super) fn of_counts(most: u64) -> Self {
        let mut buckets = Self { conditions: Vec::new(), all: Vec::new() };
        let (mut low, mut end) = (None, 1_u64);
        loop {
            let text = end.min(most).to_string();
            buckets.push(format!("<= {text}"), low.replace(text.clone()), Some(text));
            if end >= most {
                break;
            }
            end += end.div_ceil(2);
        }
        buckets.all.push(Bucket { low: low.as_deref().map(number), high: None });
        buckets
    }

    fn push(&mut self, condition: String, low: Option<String>, high: Option<String>) {
        self.conditions.push(condition);
        self.all.push(Bucket { low: low.as_deref().map(number), high: high.as_deref().map(number) });
    }

    /// The number of the bucket of an expression, in SQL: constants alone, so that all keys are public.
    pub(super) fn sql(&self, of: &str) -> String {
        let mut sql = String::from("CASE");
        for (bucket, condition) in self.conditions.iter().enumerate() {
            write!(sql, " WHEN {of} {condition} THEN {bucket}").expect("writing to a string succeeds");
        }
        format!("{sql} ELSE {} END", self.conditions.len())
    }

    /// The lowest and the highest bucket that more people are in than this.
    pub(super) fn standing_out(&self, people: &[i64], threshold: i64) -> Option<(&Bucket, &Bucket)> {
        let mut found = self.all.iter().zip(people).filter(|(_, people)| **people > threshold);
        let (lowest, _) = found.next()?;
        Some((lowest, found.next_back().map_or(lowest, |(highest, _)| highest)))
    }
}

/// `5·10^-2` as `0.05`.
fn decimal(digit: u32, power: i32) -> String {
    match usize::try_from(power) {
        Ok(zeros) => format!("{digit}{}", "0".repeat(zeros)),
        Err(_) => format!("0.{}{digit}", "0".repeat(power.unsigned_abs() as usize - 1)),
    }
}

fn number(text: &str) -> Rational {
    Rational::parse(text).expect("ends of buckets are decimals")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: buckets follow one another without a gap, zero is alone, and both ends are open.
    #[test]
    fn buckets_are_a_partition() {
        for (buckets, zero) in [
            (Buckets::of_values(true), true),
            (Buckets::of_values(false), true),
            (Buckets::of_counts(1_000_000_000), false),
        ] {
            let all = &buckets.all;
            assert_eq!(all.len(), buckets.conditions.len() + 1);
            assert!(all[0].low.is_none() && all[all.len() - 1].high.is_none());
            assert!(all.windows(2).all(|pair| pair[0].high.is_some() && pair[0].high == pair[1].low));
            assert!(all.iter().all(|bucket| bucket.low <= bucket.high || bucket.high.is_none()));
            let alone = |bucket: &&Bucket| bucket.low.is_some() && bucket.low == bucket.high;
            let alone: Vec<&Bucket> = all.iter().filter(alone).collect();
            assert_eq!(alone.len(), usize::from(zero));
            assert!(alone.iter().all(|bucket| bucket.low == Some(Rational::zero())));
        }
        assert_eq!(Buckets::of_values(true).all.len(), 117);
        assert_eq!(Buckets::of_values(false).all.len(), 171);
    }

    #[test]
    fn ends_are_numbers_that_people_write() {
        let sql = Buckets::of_values(false).sql("x");
        assert!(sql.starts_with("CASE WHEN x < -5000000000000000000 THEN 0 WHEN x < -2000000000000000000"));
        assert!(sql.contains(
            "WHEN x < -0.000000001 THEN 83 WHEN x < 0 THEN 84 WHEN x <= 0 THEN 85 WHEN x <= 0.000000001"
        ));
        assert!(sql.ends_with("WHEN x <= 5000000000000000000 THEN 169 ELSE 170 END"), "{sql}");
        let counts = Buckets::of_counts(20).sql("n");
        let expected = ["1", "2", "3", "5", "8", "12", "18", "20"];
        assert!(expected.iter().all(|end| counts.contains(&format!("n <= {end} THEN"))), "{counts}");
    }

    #[test]
    fn only_what_more_people_reach_than_the_threshold_stands_out() {
        let buckets = Buckets::of_counts(5);
        let ends = |people: [i64; 5]| {
            buckets.standing_out(&people, 10).map(|(low, high)| (low.high.clone(), high.high.clone()))
        };
        let end = |value: i64| Some(Rational::from(value));
        assert_eq!(ends([500, 20, 11, 10, 1]), Some((end(1), end(3))));
        assert_eq!(ends([0, 0, 11, 0, 0]), Some((end(3), end(3))));
        assert_eq!(ends([10, 10, 10, 10, 10]), None);
        assert_eq!(ends([0, 0, 0, 0, 11]), Some((None, None)), "beyond the last end");
    }
}
