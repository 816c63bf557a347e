//! The same attack on counts with noise: no rows to join, but a count for every class and value.
//!
//! **What is released.** How many rows have each combination of the columns that outsiders know and the
//! sensitive value. Where the combinations are public, as with a voters' list, every one gets a count with
//! noise (`histogram.rs`, ε for one more or one fewer person). Where they are not, only those that many
//! people share (`stability_histogram.rs`, ε and δ).
//! **What the attacker does.** Knowing in which class a person is, they take the likeliest value. We grant
//! them the true share of every value as knowledge beforehand, which is more than they have.
//! **What anybody can reach.** Exchanging a person's value takes one out and puts one in: 2ε and δ' = (1 +
//! e^ε)·δ. For an attacker to whom the likeliest of m values had probability q beforehand, a guess is right
//! with probability at most B·(1 + (m − 1)·δ'·e^−2ε), B = q/(q + (1 − q)·e^−2ε). *Proof.* Let p(v) ≤ q be the
//! probabilities beforehand and x(v) the probability that v is guessed when it is true. When another value is
//! true, v is guessed with probability at least (x(v) − δ')·e^−2ε. So 1 = Σ P[v is guessed] ≥ Σ x(v)·(p(v) +
//! (1 − p(v))·e^−2ε) − (m − 1)·δ'·e^−2ε. Now p ≤ B·(p + (1 − p)·e^−2ε) for p ≤ q, and the sum of x(v)·p(v),
//! which is the probability of being right, follows.
//! **Exactness.** Counts and noise are integers; shares and bounds are floats for a reader and back no
//! release.

use std::collections::{BTreeMap, HashMap};

use pointillist_mechanisms::ContributionBound;
use pointillist_mechanisms::Histogram;
use pointillist_mechanisms::StabilityHistogram;
use pointillist_noise::SecureBits;
use pointillist_privacy::{Delta, Epsilon, Neighbours, Spend};
use serde::{Serialize, Serializer};

use super::{Guesses, Linked, keys};
use crate::AttackError;
use crate::anonymity::classes::classes;
use crate::records::Records;

/// Guesses the sensitive value of the people that a join identified, from counts over the classes of the
/// public list.
pub fn identified(
    secret: &Records,
    public: &Records,
    (on, sensitive): (&[&str], &str),
    linked: &Linked,
    epsilon: &Epsilon,
    releases: usize,
    bits: &mut (impl SecureBits + ?Sized),
) -> Result<Guesses, AttackError> {
    let ours = on.iter().map(|name| secret.column(name)).collect::<Result<Vec<_>, _>>()?;
    let theirs = on.iter().map(|name| public.column(name)).collect::<Result<Vec<_>, _>>()?;
    let values = Values::of(secret, sensitive)?;
    let mut class_of: HashMap<Vec<&str>, usize> = HashMap::new();
    for key in keys(public, &theirs) {
        let next = class_of.len();
        class_of.entry(key).or_insert(next);
    }
    let count = values.shares.len();
    let cells = class_of.len() * count;
    let mut counts = vec![0i128; cells];
    for (row, key) in keys(secret, &ours).enumerate() {
        // Rows of people who are not on the list are in no public class and count nowhere.
        if let Some(class) = class_of.get(&key) {
            counts[class * count + values.of_row[row]] += 1;
        }
    }
    let people: Vec<(usize, usize)> = linked
        .identified
        .iter()
        .filter_map(|known| {
            let key: Vec<&str> =
                theirs.iter().map(|column| public.rows()[known.person][*column].trim()).collect();
            Some((*class_of.get(&key)?, values.of_row[known.row]))
        })
        .collect();
    let mut right = 0;
    if !people.is_empty() {
        let keys: Vec<(usize, usize)> =
            (0..class_of.len()).flat_map(|class| (0..count).map(move |value| (class, value))).collect();
        let price = Spend::Pure(epsilon.clone());
        let histogram = Histogram::new(keys, &ContributionBound::one_row(), Neighbours::AddRemove, &price)?;
        for _ in 0..releases {
            let released = histogram.release_bounded(&counts, bits)?;
            for (class, truth) in &people {
                let seen = &released[class * count..(class + 1) * count];
                right += usize::from(values.likeliest_of_one(seen, epsilon) == *truth);
            }
        }
    }
    let nothing = people.iter().filter(|(_, truth)| *truth == values.commonest()).count();
    Ok(Guesses {
        people: people.len(),
        from_rows: share(people.len() as f64, people.len()),
        from_counts: share(right as f64 / releases.max(1) as f64, people.len()),
        from_nothing: share(nothing as f64, people.len()),
        right_upper: right_value_upper(epsilon, None, values.shares[values.commonest()], count),
        cells,
        releases,
    })
}

/// Guesses everybody's sensitive value: from the classes of a table that others publish, and from our counts
/// over the classes of the original. Rows of the two tables are in the same order.
pub fn everybody(
    original: &Records,
    published: &Records,
    (known, sensitive): (&[&str], &str),
    (epsilon, delta): (&Epsilon, &Delta),
    releases: usize,
    bits: &mut (impl SecureBits + ?Sized),
) -> Result<Guesses, AttackError> {
    let people: Vec<(usize, usize)> = (0..original.rows().len()).map(|row| (row, row)).collect();
    let from_rows = right_by_class(published, known, sensitive)?;
    let first = (original, known);
    both(&[first], &people, sensitive, (epsilon, delta), releases, bits)
        .map(|guesses| Guesses { from_rows, ..guesses })
}

/// Guesses the sensitive value of people who are in all of these tables, of each of which we release counts
/// at this price: `people` has a row of the first table and one of the last. `from_rows` is left at zero.
pub fn both(
    tables: &[(&Records, &[&str])],
    people: &[(usize, usize)],
    sensitive: &str,
    (epsilon, delta): (&Epsilon, &Delta),
    releases: usize,
    bits: &mut (impl SecureBits + ?Sized),
) -> Result<Guesses, AttackError> {
    let histogram = StabilityHistogram::new(&ContributionBound::one_row(), epsilon, delta)?;
    let sides: Vec<Side<'_>> = tables
        .iter()
        .map(|(records, known)| Side::of(records, known, sensitive))
        .collect::<Result<_, _>>()?;
    let (Some(first), Some(last)) = (sides.first(), sides.last()) else {
        return Err(AttackError::new("there is no table", "name one or two"));
    };
    let outside = people
        .iter()
        .any(|(row, other)| *row >= first.values.of_row.len() || *other >= last.values.of_row.len());
    if outside {
        return Err(AttackError::new("a person's row is not in the table", "count rows from zero"));
    }
    let commonest = first.values.name(first.values.commonest());
    let truth = |row: usize| first.values.name(first.values.of_row[row]);
    let mut right = 0;
    for _ in 0..releases {
        let released: Vec<BTreeMap<(usize, usize), i128>> = sides
            .iter()
            .map(|side| histogram.release_bounded(side.counts.clone(), bits).into_iter().collect())
            .collect();
        for (row, other) in people {
            let mut seen: BTreeMap<&str, i128> = BTreeMap::new();
            for (side, released) in sides.iter().zip(&released) {
                let class = side.class_of[if std::ptr::eq(side, first) { *row } else { *other }];
                for ((_, value), count) in released.range((class, 0)..(class + 1, 0)) {
                    *seen.entry(side.values.name(*value)).or_default() += count;
                }
            }
            let guess = seen.iter().max_by_key(|(_, count)| **count).map_or(commonest, |(value, _)| *value);
            right += usize::from(guess == truth(*row));
        }
    }
    let nothing = people.iter().filter(|(row, _)| truth(*row) == commonest).count();
    // Everybody is in each of the tables, so prices add up.
    let times = sides.len() as u32;
    let values = first.values.shares.len();
    Ok(Guesses {
        people: people.len(),
        from_rows: 0.0,
        from_counts: share(right as f64 / releases.max(1) as f64, people.len()),
        from_nothing: share(nothing as f64, people.len()),
        right_upper: right_value_upper_of(
            f64::from(times) * epsilon.to_f64_upper(),
            f64::from(times) * delta.to_f64_upper(),
            first.values.shares[first.values.commonest()],
            values,
        ),
        cells: sides.iter().map(|side| side.counts.len()).sum(),
        releases,
    })
}

/// How likely a value is guessed right at most, at ε (and δ) for one more or one fewer person, by somebody to
/// whom the likeliest of so many values had probability `prior` beforehand.
pub fn right_value_upper(epsilon: &Epsilon, delta: Option<&Delta>, prior: f64, values: usize) -> f64 {
    right_value_upper_of(epsilon.to_f64_upper(), delta.map_or(0.0, Delta::to_f64_upper), prior, values)
}

fn right_value_upper_of(epsilon: f64, delta: f64, prior: f64, values: usize) -> f64 {
    let shrunk = (-2.0 * epsilon).exp();
    let prior = prior.clamp(0.0, 1.0);
    let odds = prior + (1.0 - prior) * shrunk;
    let bound = if odds > 0.0 { prior / odds } else { 1.0 };
    // δ'·e^−2ε = (e^−2ε + e^−ε)·δ, which is finite for every ε.
    let slipped = (shrunk + (-epsilon).exp()) * delta * values.saturating_sub(1) as f64;
    (bound * (1.0 + slipped)).min(1.0)
}

/// What remains of the classes of a table when only keys that many people share are released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Surviving {
    /// Classes of the table.
    #[serde(rename = "exact")]
    pub classes: usize,
    /// Classes of one person.
    #[serde(rename = "exact_of_one")]
    pub alone: usize,
    /// Classes that were released.
    pub released: usize,
    /// Classes of one person that were released.
    #[serde(rename = "released_of_one")]
    pub released_alone: usize,
    /// People in the smallest class that was released; `None` when nothing was.
    #[serde(rename = "smallest_released")]
    pub smallest: Option<usize>,
    /// The count with noise that a class needs to be released.
    #[serde(serialize_with = "as_i64")]
    pub threshold: i128,
}

/// Releases how many people have each combination of these columns, where the combinations are not public.
pub fn surviving(
    records: &Records,
    columns: &[&str],
    epsilon: &Epsilon,
    delta: &Delta,
    bits: &mut (impl SecureBits + ?Sized),
) -> Result<Surviving, AttackError> {
    let columns = columns.iter().map(|name| records.column(name)).collect::<Result<Vec<_>, _>>()?;
    let sizes: Vec<usize> = classes(records, &columns).iter().map(Vec::len).collect();
    let histogram = StabilityHistogram::new(&ContributionBound::one_row(), epsilon, delta)?;
    let counts = sizes.iter().map(|size| *size as i128).enumerate().collect();
    let released: Vec<usize> =
        histogram.release_bounded(counts, bits).into_iter().map(|(class, _)| sizes[class]).collect();
    Ok(Surviving {
        classes: sizes.len(),
        alone: sizes.iter().filter(|size| **size == 1).count(),
        released: released.len(),
        released_alone: released.iter().filter(|size| **size == 1).count(),
        smallest: released.iter().copied().min(),
        threshold: histogram.threshold(),
    })
}

/// Thresholds are far below 2^63 at every price there is.
fn as_i64<S: Serializer>(threshold: &i128, serializer: S) -> Result<S::Ok, S::Error> {
    (*threshold as i64).serialize(serializer)
}

fn share(part: f64, whole: usize) -> f64 {
    part / whole.max(1) as f64
}

/// The share of rows whose value is right when the most common value of their class is guessed; among equals,
/// by a fair choice.
fn right_by_class(records: &Records, known: &[&str], sensitive: &str) -> Result<f64, AttackError> {
    let known = known.iter().map(|name| records.column(name)).collect::<Result<Vec<_>, _>>()?;
    let sensitive = records.column(sensitive)?;
    let mut right = 0;
    for class in classes(records, &known) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for row in class {
            *counts.entry(records.rows()[row][sensitive].as_str()).or_default() += 1;
        }
        // Whichever of the most common is said, it is right for as many.
        right += counts.values().max().unwrap_or(&0);
    }
    Ok(share(right as f64, records.rows().len()))
}

/// The sensitive column as numbers.
struct Values<'r> {
    names: Vec<&'r str>,
    of_row: Vec<usize>,
    shares: Vec<f64>,
}

impl<'r> Values<'r> {
    fn of(records: &'r Records, sensitive: &str) -> Result<Self, AttackError> {
        let column = records.column(sensitive)?;
        if records.rows().is_empty() {
            return Err(AttackError::new("the table has no rows", "name a table with people in it"));
        }
        let mut codes: BTreeMap<&str, usize> =
            records.rows().iter().map(|row| (row[column].as_str(), 0)).collect();
        codes.values_mut().enumerate().for_each(|(next, code)| *code = next);
        let of_row: Vec<usize> = records.rows().iter().map(|row| codes[row[column].as_str()]).collect();
        let mut shares = vec![0.0; codes.len()];
        of_row.iter().for_each(|value| shares[*value] += 1.0 / of_row.len() as f64);
        Ok(Self { names: codes.into_keys().collect(), of_row, shares })
    }

    fn name(&self, value: usize) -> &'r str {
        self.names[value]
    }

    fn commonest(&self) -> usize {
        let most = |best: usize, next: usize| if self.shares[next] > self.shares[best] { next } else { best };
        (0..self.shares.len()).fold(0, most)
    }

    /// The likeliest value of a class that is known to have one row: a count of c makes the value e^(ε·(|c| −
    /// |c − 1|)) times as likely as another whose count says nothing, which is e^ε above zero and e^−ε
    /// otherwise.
    fn likeliest_of_one(&self, seen: &[((usize, usize), i128)], epsilon: &Epsilon) -> usize {
        let epsilon = epsilon.to_f64_upper();
        let score =
            |value: usize| self.shares[value].ln() + if seen[value].1 > 0 { epsilon } else { -epsilon };
        (0..seen.len()).fold(0, |best, next| if score(next) > score(best) { next } else { best })
    }
}

/// A table of which counts are released.
struct Side<'r> {
    values: Values<'r>,
    class_of: Vec<usize>,
    counts: BTreeMap<(usize, usize), i128>,
}

impl<'r> Side<'r> {
    fn of(records: &'r Records, known: &[&str], sensitive: &str) -> Result<Self, AttackError> {
        let known = known.iter().map(|name| records.column(name)).collect::<Result<Vec<_>, _>>()?;
        let values = Values::of(records, sensitive)?;
        let mut side = Self { class_of: vec![0; records.rows().len()], counts: BTreeMap::new(), values };
        for (class, rows) in classes(records, &known).into_iter().enumerate() {
            for row in rows {
                side.class_of[row] = class;
                *side.counts.entry((class, side.values.of_row[row])).or_default() += 1;
            }
        }
        Ok(side)
    }
}

#[cfg(test)]
mod tests;
