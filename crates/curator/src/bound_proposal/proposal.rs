//! What the histograms say, in words and as lines of a catalog.

use std::num::NonZeroU64;

use pointillist_catalog::{Catalog, Column, ColumnType, Protection, Value, toml_key};
use pointillist_numbers::Rational;
use pointillist_render::decimals::{grouped, grouped_count, significant};
use serde::Serialize;

use super::buckets::Bucket;
use super::{BoundQuestion, Finds, Histogram};
use crate::reply::Reply;
use crate::tables::typed_number;

/// A bound this many times nearer to zero than the other one is moved to zero: sums do not notice, means hardly do, and
/// nobody near zero is moved.
const NEAR_ZERO: u64 = 10;

/// Bounds that the owner may accept.
#[derive(Clone, Debug)]
pub struct BoundProposal {
    /// The table.
    pub table: String,
    /// The column, where bounds of its values were looked for.
    pub column: Option<String>,
    /// What is proposed, key by key.
    pub bounds: Vec<ProposedBound>,
    /// A bound is proposed where more people than this reach it.
    pub threshold: i64,
    /// The lines to write into the catalog; `None` where nothing is proposed, or what is changes nothing.
    pub toml: Option<String>,
    /// What to know about them, in words.
    pub notes: Vec<String>,
    /// The histograms, what they cost and what is left.
    pub reply: Reply,
}

/// One key of the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProposedBound {
    /// `lower`, `upper`, `max_groups` or `max_contributions`.
    pub key: &'static str,
    /// What the catalog says.
    pub now: Option<String>,
    /// What is proposed; `None` where nothing stands out.
    pub proposed: Option<String>,
}

impl BoundQuestion {
    /// What the answer to this question proposes; `None` where it is the answer to another one.
    pub(crate) fn proposal(&self, reply: Reply) -> Option<BoundProposal> {
        let people = self.histograms.iter().map(|histogram| counts(histogram, &reply));
        let people = people.collect::<Option<Vec<Vec<i64>>>>()?;
        let ends = |finds: Finds| {
            let place = self.histograms.iter().position(|histogram| histogram.finds == finds)?;
            self.histograms[place].buckets.standing_out(&people[place], self.threshold)
        };
        let (bounds, toml, notes) = match &self.column {
            Some(column) => {
                let both = ends(Finds::Both);
                let lowest = both.or_else(|| ends(Finds::Lower)).map(|(lowest, _)| lowest);
                let highest = both.or_else(|| ends(Finds::Upper)).map(|(_, highest)| highest);
                self.of_values(column, lowest, highest)
            }
            None => self.of_limits(
                ends(Finds::Groups).map(|(_, highest)| highest),
                ends(Finds::Rows).map(|(_, highest)| highest),
            ),
        };
        Some(BoundProposal {
            table: self.table.name.clone(),
            column: self.column.as_ref().map(|column| column.name.clone()),
            bounds,
            threshold: self.threshold,
            toml,
            notes,
            reply,
        })
    }

    fn of_values(&self, column: &Column, lowest: Option<&Bucket>, highest: Option<&Bucket>) -> Proposed {
        let now = bounds_of(&column.kind);
        let mut notes = Vec::new();
        let ends = lowest.and_then(|bucket| bucket.low.clone());
        let ends = ends.zip(highest.and_then(|bucket| bucket.high.clone()));
        let ends = ends.filter(|(low, high)| low < high).map(|(low, high)| rounded_to_zero(low, high));
        let proposed = ends.and_then(|(low, high)| {
            let accepted = accepted(&self.catalog, &self.table.name, with_bounds(column, &low, &high));
            if accepted.is_none() {
                notes.push(format!(
                    "{} to {} has too many steps: declare a larger step",
                    typed_number(&low),
                    typed_number(&high)
                ));
            }
            Some((accepted?, low, high))
        });
        match (&proposed, lowest, highest) {
            (Some((_, low, high)), ..) => notes.extend(value_notes(column, now.as_ref(), (low, high), self.threshold)),
            (None, None, _) | (None, _, None) => notes.push(self.too_few()),
            (None, Some(lowest), Some(highest)) if lowest.low.is_none() || highest.high.is_none() => notes.push(
                "many people have values beyond 5·10¹⁸: look at how the column is stored before it is bounded".to_owned(),
            ),
            (None, Some(_), Some(_)) if notes.is_empty() => {
                notes.push("the values that stand out are all the same: there is nothing to bound".to_owned());
            }
            (None, Some(_), Some(_)) => {}
        }
        let (low, high) =
            proposed.as_ref().map(|(_, low, high)| (typed_number(low), typed_number(high))).unzip();
        let (now_low, now_high) = now.map(|(low, high)| (typed_number(&low), typed_number(&high))).unzip();
        let changes = (&now_low, &now_high) != (&low, &high);
        let toml = proposed.filter(|_| changes).map(|(column, ..)| {
            format!("[table.{}.columns]\n{}\n", toml_key(&self.table.name), column.to_toml())
        });
        let bound = |key, now, proposed| ProposedBound { key, now, proposed };
        (vec![bound("lower", now_low, low), bound("upper", now_high, high)], toml, notes)
    }

    fn of_limits(&self, groups: Option<&Bucket>, rows: Option<&Bucket>) -> Proposed {
        let (now_groups, now_rows) = match &self.table.protection {
            Protection::Private { max_groups, max_contributions, .. } => (*max_groups, *max_contributions),
            Protection::Public => (None, None),
        };
        let count = |bucket: Option<&Bucket>| {
            let end = bucket?.high.as_ref()?;
            u64::try_from(end.floor()).ok().and_then(NonZeroU64::new)
        };
        let mut notes = Vec::new();
        let (mut bounds, mut lines) = (Vec::new(), String::new());
        let asked = |finds: Finds| self.histograms.iter().any(|histogram| histogram.finds == finds);
        let limits = [
            ("max_groups", Finds::Groups, now_groups, count(groups)),
            ("max_contributions", Finds::Rows, now_rows, count(rows)),
        ];
        for (key, finds, now, proposed) in limits {
            if !asked(finds) {
                notes.push(format!(
                    "nothing is said about {key}: no column has public keys; name those that questions group by"
                ));
                continue;
            }
            let text = |count: NonZeroU64| count.to_string();
            bounds.push(ProposedBound { key, now: now.map(text), proposed: proposed.map(text) });
            match proposed {
                None => notes.push(format!("{key}: {}", self.too_few())),
                Some(proposed) => {
                    notes.extend(limit_note(key, now, proposed));
                    if now != Some(proposed) {
                        lines.push_str(&format!("{key} = {proposed}\n"));
                    }
                }
            }
        }
        if bounds.iter().any(|bound| bound.proposed.is_some()) {
            let people = grouped_count(self.threshold.unsigned_abs());
            notes.push(format!(
                "up to about {people} people may have more: what they have beyond is left out"
            ));
        }
        let toml = (!lines.is_empty()).then(|| format!("[table.{}]\n{lines}", toml_key(&self.table.name)));
        (bounds, toml, notes)
    }

    fn too_few(&self) -> String {
        format!(
            "nothing stands out: no bucket holds more than {} people, as far as the noise shows; offer a higher price, or \
             declare what you know",
            grouped_count(self.threshold.unsigned_abs())
        )
    }
}

type Proposed = (Vec<ProposedBound>, Option<String>, Vec<String>);

/// The noisy counts of a histogram, bucket by bucket.
fn counts(histogram: &Histogram, reply: &Reply) -> Option<Vec<i64>> {
    let mut people = vec![None; histogram.buckets.all.len()];
    for row in &reply.answer.rows {
        let [Some(Value::Text(finds)), Some(Value::Integer(bucket)), Some(Value::Integer(count))] =
            row.values.as_slice()
        else {
            return None;
        };
        if finds == histogram.finds.word() {
            *people.get_mut(usize::try_from(*bucket).ok()?)? = Some(*count);
        }
    }
    people.into_iter().collect()
}

fn rounded_to_zero(low: Rational, high: Rational) -> (Rational, Rational) {
    let times = Rational::from(NEAR_ZERO);
    if low.is_positive() && low.clone() * times.clone() <= high {
        (Rational::zero(), high)
    } else if high.is_negative() && high.clone() * times >= low {
        (low, Rational::zero())
    } else {
        (low, high)
    }
}

fn bounds_of(kind: &ColumnType) -> Option<(Rational, Rational)> {
    match kind {
        ColumnType::Integer { bounds } => {
            bounds.map(|(low, high)| (Rational::from(low), Rational::from(high)))
        }
        ColumnType::Number { bounds, .. } => bounds.clone(),
        _ => None,
    }
}

/// The same column between these bounds.
fn with_bounds(column: &Column, low: &Rational, high: &Rational) -> Option<Column> {
    let whole = |value: &Rational| i64::try_from(value.floor()).ok();
    let kind = match &column.kind {
        ColumnType::Integer { .. } => ColumnType::Integer { bounds: Some((whole(low)?, whole(high)?)) },
        ColumnType::Number { step, .. } => {
            ColumnType::Number { bounds: Some((low.clone(), high.clone())), step: step.clone() }
        }
        _ => return None,
    };
    Some(Column { kind, ..column.clone() })
}

/// The column, if the catalog would be understood with it.
fn accepted(catalog: &Catalog, table: &str, column: Option<Column>) -> Option<Column> {
    let (mut catalog, column) = (catalog.clone(), column?);
    let columns = &mut catalog.tables.get_mut(table)?.columns;
    *columns.iter_mut().find(|known| known.name == column.name)? = column.clone();
    Catalog::parse(&catalog.to_toml()).ok().map(|_| column)
}

/// What bounds would change for sums, and for whoever is beyond them.
fn value_notes(
    column: &Column,
    now: Option<&(Rational, Rational)>,
    (low, high): (&Rational, &Rational),
    threshold: i64,
) -> Vec<String> {
    let name = &column.name;
    let largest = |low: &Rational, high: &Rational| low.abs().max(high.abs()).to_f64_nearest();
    let sums = match now {
        None => format!("SUM({name}) and AVG({name}) can be asked; they cannot without bounds"),
        Some((low_now, high_now)) => match factor_words(largest(low_now, high_now), largest(low, high)) {
            Some(words) => format!("SUM({name}) has {words}"),
            None => format!("the noise of SUM({name}) stays as it is"),
        },
    };
    let people = grouped_count(threshold.unsigned_abs());
    vec![
        sums,
        format!("up to about {people} people may have values beyond: sums take them as the nearest bound"),
    ]
}

/// What a limit would change for counts.
fn limit_note(key: &str, now: Option<NonZeroU64>, proposed: NonZeroU64) -> Option<String> {
    let Some(now) = now else {
        return Some(format!("{key} = {proposed}: questions need not say it any more"));
    };
    let (before, after) = (now.get() as f64, proposed.get() as f64);
    let words = match key {
        // One person moves so many groups, in the Euclidean norm.
        "max_groups" => factor_words(before.sqrt(), after.sqrt()),
        _ => factor_words(before, after),
    }?;
    Some(format!("{key} = {proposed}, and not {}: counts have {words}", grouped(&now.to_string())))
}

/// `3.2 times less noise`; `None` where it is the same.
fn factor_words(before: f64, after: f64) -> Option<String> {
    match before / after {
        factor if factor > 1.0 => Some(format!("{} times less noise", significant(factor))),
        factor if factor < 1.0 => {
            Some(format!("{} times the noise, and cuts fewer people", significant(1.0 / factor)))
        }
        _ => None,
    }
}
