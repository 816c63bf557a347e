//! Observations as rows of numbers, for whatever learns from them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Observation, Part};

/// Parts that become columns, at most.
const NAMES_MAX: usize = 96;
/// Words of a part that become columns, at most.
const WORDS_MAX: usize = 12;
/// Letters of a word that are shown.
const LETTERS_SHOWN: usize = 60;
/// Remainders by this tell those by 2, 3, 4, 5, 6, 10, 12 and 15, and are few enough to be counted one by one.
const REMAINDERS: i128 = 60;
/// So many values of a part are told apart one by one, without remainders.
const VALUES_FEW: usize = 64;
/// Whole numbers up to this are exact as floats.
const EXACT_MAX: u128 = 1 << 53;

/// How far whole numbers are above the multiples of a number, moved by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remainder {
    by: i128,
    /// At least zero and below `by`.
    from: i128,
}

impl Remainder {
    fn of(self, value: i128) -> i128 {
        (value.rem_euclid(self.by) - self.from).rem_euclid(self.by)
    }
}

/// One number of an observation.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Whether the part is there.
    Present(String),
    /// Its value.
    Value(String),
    /// The largest power of two that divides its value: what floating-point noise gives away.
    Grain(String),
    /// The remainder of a whole number by another, or the last six bits of a float: what large values hide below the digits
    /// that a float keeps of them.
    Rest(String, Remainder),
    /// Whether it is this word.
    Is(String, String),
    /// How long the word is.
    Letters(String),
    /// How many parts there are.
    Length,
}

impl Column {
    /// The column in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Present(name) => format!("{name} is there"),
            Self::Value(name) => name.clone(),
            Self::Grain(name) => format!("last bit of {name}"),
            Self::Rest(name, Remainder { by: REMAINDERS, .. }) => format!("last digits of {name}"),
            Self::Rest(name, Remainder { by, from }) => {
                format!("remainder of {name} by {by}, from {from} on")
            }
            Self::Is(name, word) => {
                let shown: String = word.chars().take(LETTERS_SHOWN).collect();
                let more = if shown.len() < word.len() { "…" } else { "" };
                format!("{name} is {shown:?}{more}")
            }
            Self::Letters(name) => format!("length of {name}"),
            Self::Length => "number of parts".to_owned(),
        }
    }

    /// The number; a missing one is not a number.
    fn of(&self, seen: &Observation) -> f64 {
        let part = |name: &String| seen.parts().get(name);
        match self {
            Self::Present(name) => f64::from(part(name).is_some()),
            Self::Value(name) => match part(name) {
                Some(Part::Integer(value)) => *value as f64,
                Some(Part::Real(value)) => *value,
                _ => f64::NAN,
            },
            Self::Grain(name) => part(name).map_or(f64::NAN, grain),
            Self::Rest(name, rest) => match part(name) {
                Some(Part::Integer(value)) => rest.of(*value) as f64,
                Some(Part::Real(value)) => (value.to_bits() & 63) as f64,
                _ => f64::NAN,
            },
            Self::Is(name, word) => f64::from(matches!(part(name), Some(Part::Word(seen)) if seen == word)),
            Self::Letters(name) => match part(name) {
                Some(Part::Word(word)) => word.len() as f64,
                _ => f64::NAN,
            },
            Self::Length => seen.parts().len() as f64,
        }
    }
}

/// The exponent of the lowest bit that is set.
fn grain(part: &Part) -> f64 {
    match part {
        Part::Integer(0) => 128.0,
        Part::Integer(value) => f64::from(value.trailing_zeros()),
        Part::Real(value) if *value == 0.0 || !value.is_finite() => {
            2000.0 + f64::from(value.is_sign_negative())
        }
        Part::Real(value) => {
            let bits = value.to_bits();
            let exponent = ((bits >> 52) & 0x7ff) as i32;
            let mantissa = bits & ((1 << 52) - 1);
            let (mantissa, exponent) =
                if exponent == 0 { (mantissa, -1074) } else { (mantissa | 1 << 52, exponent - 1075) };
            f64::from(exponent + mantissa.trailing_zeros() as i32)
        }
        Part::Word(_) => f64::NAN,
    }
}

/// Which numbers are looked at: learnt from some observations, used for others.
#[derive(Clone, Debug)]
pub struct Features {
    columns: Vec<Column>,
}

/// Something that may become a column: how often it is there on either side, and how far the sides are apart.
struct Offer<T> {
    what: T,
    counts: [usize; 2],
    apart: f64,
}

/// How far two counts are apart, in deviations.
fn counts_apart([left, right]: [usize; 2]) -> f64 {
    (left as f64 - right as f64).abs() / ((left + right) as f64).sqrt().max(1.0)
}

/// Half of the offers that are kept are the most frequent ones, the others those that differ most between the sides.
fn kept<T>(mut offers: Vec<Offer<T>>, most: usize) -> Vec<Offer<T>> {
    offers.sort_by_key(|offer| std::cmp::Reverse(offer.counts[0] + offer.counts[1]));
    let split = if offers.len() > most { most / 2 } else { offers.len() };
    offers[split..].sort_by(|a, b| b.apart.total_cmp(&a.apart));
    offers.truncate(most);
    offers
}

/// Sums of a part's values on one side.
#[derive(Clone, Copy, Default)]
struct Sums {
    there: usize,
    values: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, part: &Part) {
        self.there += 1;
        let value = match part {
            Part::Integer(value) => *value as f64,
            Part::Real(value) if value.is_finite() => *value,
            _ => 0.0,
        };
        self.values += value;
        self.squares += value * value;
    }

    /// How far two means are apart, in deviations; zero where floats do not reach.
    fn means_apart(a: &Self, b: &Self) -> f64 {
        let mean = |sums: &Self| sums.values / sums.there.max(1) as f64;
        let variance = |sums: &Self| {
            (sums.squares / sums.there.max(1) as f64 - mean(sums).powi(2)).max(0.0) / sums.there.max(1) as f64
        };
        let apart = (mean(a) - mean(b)).abs() / (variance(a) + variance(b)).sqrt().max(f64::MIN_POSITIVE);
        if apart.is_nan() { 0.0 } else { apart }
    }
}

/// The remainders of a part that are looked at; none where its values are few and exact.
fn remainders<'a>(sides: [impl Iterator<Item = &'a Part> + Clone; 2]) -> BTreeSet<Remainder> {
    let mut values = BTreeSet::new();
    let few = sides.clone().into_iter().flatten().all(|part| {
        match part {
            Part::Integer(value) if value.unsigned_abs() > EXACT_MAX => return false,
            Part::Integer(value) => values.insert((*value as f64).to_bits()),
            Part::Real(value) => values.insert(value.to_bits()),
            Part::Word(_) => false,
        };
        values.len() <= VALUES_FEW
    });
    if few {
        return BTreeSet::new();
    }
    let steps = sides.into_iter().filter_map(common_step);
    steps.chain([Remainder { by: REMAINDERS, from: 0 }]).collect()
}

/// What all whole numbers of a part have in common on one side: they differ by multiples of a number, and their remainder,
/// from the first on, is zero. Noise that is coarser than what it hides leaves the rest as it was.
fn common_step<'a>(parts: impl Iterator<Item = &'a Part>) -> Option<Remainder> {
    let mut values =
        parts.filter_map(|part| if let Part::Integer(value) = part { Some(*value) } else { None });
    let first = values.next()?;
    let mut step = 0u128;
    for value in values {
        let mut other = value.abs_diff(first);
        while other != 0 {
            (step, other) = (other, step % other);
        }
        if step == 1 {
            return None;
        }
    }
    let by = i128::try_from(step).ok().filter(|step| *step > 1)?;
    Some(Remainder { by, from: first.rem_euclid(by) })
}

impl Features {
    /// The columns that say something about these observations of both sides.
    pub fn learn<'a>(left: &'a [&'a Observation], right: &'a [&'a Observation]) -> Self {
        let both = || left.iter().chain(right).copied();
        let total = left.len() + right.len();
        let mut names: BTreeMap<&str, [Sums; 2]> = BTreeMap::new();
        let mut words: BTreeMap<(&str, &str), [usize; 2]> = BTreeMap::new();
        for (side, observations) in [left, right].into_iter().enumerate() {
            for (name, part) in observations.iter().flat_map(|seen| seen.parts()) {
                names.entry(name).or_default()[side].add(part);
                if let Part::Word(word) = part {
                    words.entry((name, word)).or_default()[side] += 1;
                }
            }
        }
        let offers = names.into_iter().map(|(what, [a, b])| {
            let counts = [a.there, b.there];
            Offer { what, counts, apart: counts_apart(counts).max(Sums::means_apart(&a, &b)) }
        });
        // Presence, values and words come first: not everything that learns looks at all columns.
        let (mut columns, mut fine) = (vec![Column::Length], Vec::new());
        for Offer { what: name, counts: [a, b], .. } in kept(offers.collect(), NAMES_MAX) {
            if a + b < total {
                columns.push(Column::Present(name.to_owned()));
            }
            columns.push(Column::Value(name.to_owned()));
            fine.push(Column::Grain(name.to_owned()));
            let parts =
                |side: &'a [&'a Observation]| side.iter().filter_map(move |seen| seen.parts().get(name));
            let rests = remainders([parts(left), parts(right)]).into_iter();
            fine.extend(rests.map(|rest| Column::Rest(name.to_owned(), rest)));
            let of_name = words.range((name, "")..).take_while(|((part, _), _)| *part == name);
            let of_name: Vec<Offer<&str>> = of_name
                .map(|((_, what), counts)| Offer {
                    what: *what,
                    counts: *counts,
                    apart: counts_apart(*counts),
                })
                .collect();
            if of_name.len() > WORDS_MAX {
                columns.push(Column::Letters(name.to_owned()));
            }
            let of_name = kept(of_name, WORDS_MAX).into_iter();
            columns.extend(of_name.map(|word| Column::Is(name.to_owned(), word.what.to_owned())));
        }
        columns.append(&mut fine);
        columns.retain(|column| {
            let mut values = both().map(|seen| column.of(seen).to_bits());
            values.next().is_some_and(|first| values.any(|value| value != first))
        });
        Self { columns }
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// One observation's numbers.
    pub fn row(&self, seen: &Observation) -> Vec<f64> {
        self.columns.iter().map(|column| column.of(seen)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_never_change_are_left_out() {
        let seen = [
            Observation::of(4).with("ward", "heart").with("always", 1),
            Observation::of(6).with("always", 1),
        ];
        let features = Features::learn(&[&seen[0]], &[&seen[1]]);
        let names: Vec<String> = features.columns().iter().map(Column::describe).collect();
        assert_eq!(
            names,
            ["number of parts", "answer", "ward is there", "ward is \"heart\"", "last bit of answer"]
        );
        assert_eq!(features.row(&seen[0]), [3.0, 4.0, 1.0, 1.0, 2.0]);
    }

    #[test]
    fn long_words_are_shown_by_their_beginning() {
        assert_eq!(
            Column::Is("a".into(), "b".repeat(1 << 20)).describe(),
            format!("a is {:?}…", "b".repeat(60))
        );
    }

    #[test]
    fn steps_are_what_differences_share() {
        let step = |values: &[i128]| {
            let parts: Vec<Part> = values.iter().map(|value| Part::Integer(*value)).collect();
            common_step(parts.iter()).map(|rest| rest.by)
        };
        assert_eq!((step(&[7, 27, -33]), step(&[1, 2]), step(&[5, 5])), (Some(20), None, None));
        // Further apart than half of all numbers.
        assert_eq!(step(&[i128::MIN, i128::MAX]), None);
        assert_eq!(step(&[i128::MIN, 0, 1 << 100]), Some(1 << 100));
    }

    #[test]
    fn grains_are_the_lowest_bits() {
        for (value, exponent) in [(1.0, 0.0), (0.75, -2.0), (6.0, 1.0), (5e-324, -1074.0), (-0.1, -55.0)] {
            assert_eq!(grain(&Part::Real(value)), exponent, "{value}");
        }
        assert_eq!((grain(&Part::Integer(12)), grain(&Part::Integer(-1))), (2.0, 0.0));
    }
}
