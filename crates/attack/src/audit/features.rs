//! Observations as rows of numbers, for whatever learns from them.

use std::collections::BTreeMap;

use super::{Observation, Part};

/// Parts that become columns, at most.
const NAMES_MAX: usize = 96;
/// Words of a part that become columns, at most.
const WORDS_MAX: usize = 12;

/// One number of an observation.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Whether the part is there.
    Present(String),
    /// Its value.
    Value(String),
    /// The largest power of two that divides its value: what floating-point noise gives away.
    Grain(String),
    /// Whether it is this word.
    Is(String, String),
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
            Self::Is(name, word) => format!("{name} is {word:?}"),
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
            Self::Is(name, word) => f64::from(matches!(part(name), Some(Part::Word(seen)) if seen == word)),
            Self::Length => seen.parts().len() as f64,
        }
    }
}

/// The exponent of the lowest bit that is set.
fn grain(part: &Part) -> f64 {
    match part {
        Part::Integer(0) => 128.0,
        Part::Integer(value) => f64::from(value.trailing_zeros()),
        Part::Real(value) if *value == 0.0 || !value.is_finite() => 2000.0,
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

impl Features {
    /// The columns that say something about these observations.
    pub fn learn<'a>(observations: impl Iterator<Item = &'a Observation> + Clone) -> Self {
        let total = observations.clone().count();
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let mut words: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for seen in observations.clone() {
            for (name, part) in seen.parts() {
                *names.entry(name).or_default() += 1;
                if let Part::Word(word) = part {
                    *words.entry((name, word)).or_default() += 1;
                }
            }
        }
        // The parts that are there half of the time say most by their presence, the frequent ones by their value.
        let mut names: Vec<(&str, usize)> = names.into_iter().collect();
        names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        names.truncate(NAMES_MAX);
        let mut columns = vec![Column::Length];
        for (name, count) in names {
            if count < total {
                columns.push(Column::Present(name.to_owned()));
            }
            columns.push(Column::Value(name.to_owned()));
            columns.push(Column::Grain(name.to_owned()));
            let mut of_name: Vec<(&str, usize)> = words
                .iter()
                .filter(|((part, _), _)| *part == name)
                .map(|((_, word), count)| (*word, *count))
                .collect();
            of_name.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let of_name = of_name.into_iter().take(WORDS_MAX);
            columns.extend(of_name.map(|(word, _)| Column::Is(name.to_owned(), word.to_owned())));
        }
        columns.retain(|column| {
            let mut values = observations.clone().map(|seen| column.of(seen).to_bits());
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
        let features = Features::learn(seen.iter());
        let names: Vec<String> = features.columns().iter().map(Column::describe).collect();
        assert_eq!(
            names,
            ["number of parts", "answer", "last bit of answer", "ward is there", "ward is \"heart\""]
        );
        assert_eq!(features.row(&seen[0]), [3.0, 4.0, 2.0, 1.0, 1.0]);
    }

    #[test]
    fn grains_are_the_lowest_bits() {
        for (value, exponent) in [(1.0, 0.0), (0.75, -2.0), (6.0, 1.0), (5e-324, -1074.0), (-0.1, -55.0)] {
            assert_eq!(grain(&Part::Real(value)), exponent, "{value}");
        }
        assert_eq!((grain(&Part::Integer(12)), grain(&Part::Integer(-1))), (2.0, 0.0));
    }
}
