//! Two counts that differ by one person: exact ones reveal the person, private ones the person and noise.

mod page;

use std::collections::BTreeMap;

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;
use pointillist_render::page::Page;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::condition::{Condition, all_of, rows_where};
use crate::records::NamedRecords;
use crate::serialized;
use crate::{AttackError, Comparison, limits};

/// Pairs that are drawn to see how often a guess is right.
const TRIALS: usize = 10_000;
/// The most repetitions of the private pair.
const TRIALS_MAX: usize = 1 << 22;

/// Pairs that are shown one by one: a single one may happen to be the truth.
const SHOWN: usize = 5;

/// Two counts of people who have something: with one person and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    with: u64,
    without: u64,
}

impl Counts {
    /// 71 with the person and 70 without: the example of EE359, Data Mining (Shanghai Jiao Tong University), lecture 11,
    /// "Differential Privacy".
    pub const EXAMPLE: Self = Self { with: 71, without: 70 };

    /// Two counts; the person adds zero or one.
    pub fn new(with: i128, without: i128) -> Result<Self, AttackError> {
        let count = |value: i128| {
            u64::try_from(value).map_err(|_| {
                AttackError::new(
                    format!("{value} is not a count"),
                    "counts are whole numbers from zero on, below 2^64",
                )
            })
        };
        let counts = Self { with: count(with)?, without: count(without)? };
        if !(0..=1).contains(&(with - without)) {
            return Err(AttackError::new(
                format!("the counts {with} and {without} differ by more than one person"),
                "give the count with the person first; it is the same as the count without, or one more",
            ));
        }
        Ok(counts)
    }

    /// The count with the person.
    pub fn with(&self) -> u64 {
        self.with
    }

    /// The count without the person.
    pub fn without(&self) -> u64 {
        self.without
    }

    /// What exact counts reveal, with certainty: whether the person has it.
    pub fn reveal(&self) -> bool {
        self.with > self.without
    }
}

/// The attack on both kinds of counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Differencing {
    /// The exact counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// What each private count cost.
    #[serde(rename = "epsilon", serialize_with = "serialized::epsilon_of")]
    pub price_each: Spend,
    /// Pairs of private counts, each as a curator might have published it: the first few that were drawn.
    #[serde(serialize_with = "as_floats")]
    pub released: Vec<(i128, i128)>,
    /// How often each difference came up when the pair was drawn again and again: the figures of a plot.
    #[serde(skip)]
    pub differences: Vec<(i128, usize)>,
    /// How many pairs were drawn.
    pub trials: usize,
    /// In which fraction of them "one if the difference is at least one" was the right guess; from exact counts it is
    /// always right.
    #[serde(rename = "right")]
    pub right_fraction: f64,
    /// How often any guess about one person can be right at this price.
    pub right_upper: f64,
}

impl Differencing {
    /// The attack in words.
    pub fn summary(&self) -> String {
        let Counts { with, without } = self.counts;
        let verdict = if self.counts.reveal() { "has it" } else { "does not have it" };
        format!(
            "Exact counts: {with} − {without} = {}, so the person {verdict}, for certain. {}",
            with - without,
            self.private_summary()
        )
    }

    /// What private counts tell, in words.
    pub fn private_summary(&self) -> String {
        let differences: Vec<String> =
            self.released.iter().map(|(with, without)| signed(with.saturating_sub(*without))).collect();
        let first = self.released.first().map_or_else(String::new, |(with, without)| {
            format!("{} − {} = {}", signed(*with), signed(*without), differences[0])
        });
        let again = match differences.get(1..) {
            None | Some([]) => String::new(),
            Some(others) => format!("; drawn again, the difference is {}", others.join(", ")),
        };
        format!(
            "Private counts at {} each: {first}{again}: the person and the noise of both. A guess from such a \
             pair was right in {:.1} % of {} draws, give or take a point; no guess at this price is right \
             with probability above {:.1} %.",
            self.price_each,
            100.0 * self.right_fraction,
            self.trials,
            100.0 * self.right_upper
        )
    }
}

/// With, without, and what the two reveal.
impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Counts", 3)?;
        members.serialize_field("with", &self.with)?;
        members.serialize_field("without", &self.without)?;
        members.serialize_field("revealed", &self.reveal())?;
        members.end()
    }
}

/// JSON has no integers of 128 bits.
fn as_floats<S: Serializer>(pairs: &[(i128, i128)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pairs.iter().map(|(with, without)| (*with as f64, *without as f64)))
}

/// A whole number with a minus as long as the one between the counts.
fn signed(number: i128) -> String {
    number.to_string().replace('-', "−")
}

/// Takes the difference of exact counts, and of private ones at this price each, `trials` times with fresh
/// noise.
pub fn attack(
    counts: &Counts,
    price_each: &Spend,
    trials: usize,
    bits: &mut dyn SecureBits,
) -> Result<Differencing, AttackError> {
    if trials == 0 || trials > TRIALS_MAX {
        return Err(AttackError::new(
            format!("{trials} private pairs cannot be drawn"),
            format!("draw between one and {TRIALS_MAX} pairs, such as 10000"),
        ));
    }
    let noise = AdditiveNoise::for_number(1, price_each)?;
    let noisy = noise.sample_many(2 * trials, bits);
    let (with, without) = (i128::from(counts.with), i128::from(counts.without));
    // The noise of one count has far fewer than 127 bits at any price that exists.
    let pairs = noisy
        .as_chunks::<2>()
        .0
        .iter()
        .map(|[first, second]| (with.saturating_add(*first), without.saturating_add(*second)));
    let mut differences = BTreeMap::new();
    let mut right = 0u32;
    for (with, without) in pairs.clone() {
        let difference = with.saturating_sub(without);
        *differences.entry(difference).or_insert(0) += 1;
        right += u32::from((difference >= 1) == counts.reveal());
    }
    Ok(Differencing {
        counts: *counts,
        price_each: price_each.clone(),
        released: pairs.clone().take(SHOWN).collect(),
        differences: differences.into_iter().collect(),
        trials,
        right_fraction: f64::from(right) / trials as f64,
        right_upper: limits::right_guess_upper(price_each),
    })
}

/// What is counted, and whom the second count leaves out.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    source: Source,
    #[serde(skip)]
    counts: Counts,
    /// Such as "rows of people.csv have illness = flu".
    #[serde(skip)]
    what: String,
    /// Such as "the row with name = Ana".
    #[serde(skip)]
    whom: String,
}

/// Where the two counts come from.
#[derive(Clone, Debug, Serialize)]
enum Source {
    #[serde(rename = "numbers")]
    Numbers,
    #[serde(untagged)]
    Table {
        file: String,
        #[serde(rename = "where")]
        conditions: Vec<Condition>,
        except: Vec<Condition>,
    },
}

impl Question {
    /// Two counts that somebody has.
    pub fn of_counts(counts: Counts) -> Self {
        let (what, whom) = ("people have it".to_owned(), "the person".to_owned());
        Self { source: Source::Numbers, counts, what, whom }
    }

    /// How many rows of a table meet some conditions, with and without the one row that meets the exception.
    pub fn of_table(
        table: &NamedRecords,
        conditions: &[Condition],
        except: &[Condition],
    ) -> Result<Self, AttackError> {
        let counted = rows_where(table, conditions)?;
        let left_out = rows_where(table, except)?;
        let whom = all_of(except);
        match left_out.iter().filter(|row| **row).count() {
            1 => {}
            rows => {
                return Err(AttackError::new(
                    format!("{rows} rows of {} have {whom}, and the attack is about one person", table.name),
                    "add another exception until one row is left",
                ));
            }
        }
        let count = |with: bool| {
            let rows = counted.iter().zip(&left_out).filter(|(counted, out)| **counted && (with || !**out));
            rows.count() as i128
        };
        Ok(Self {
            source: Source::Table {
                file: table.name.clone(),
                conditions: conditions.to_vec(),
                except: except.to_vec(),
            },
            counts: Counts::new(count(true), count(false))?,
            what: format!("rows of {} have {}", table.name, all_of(conditions)),
            whom: format!("the row with {whom}"),
        })
    }
}

/// A question and what each private count costs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is counted, with whom and without.
    pub question: Question,
    /// The price of each of them.
    pub price_each: Spend,
}

/// What the two counts tell about one person, exact and private.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "difference")]
pub struct Outcome {
    /// What was counted.
    #[serde(flatten)]
    pub question: Question,
    /// What the differences were.
    #[serde(flatten)]
    pub found: Differencing,
}

/// Subtracts, exact counts once and private ones many times.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let found = attack(&settings.question.counts, &settings.price_each, TRIALS, bits)?;
    Ok(Outcome { question: settings.question, found })
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        let Question { counts, what, whom, .. } = &self.question;
        let verdict = if counts.reveal() { "is one of them" } else { "is none of them" };
        format!(
            "How many {what}? {}. And without {whom}? {}. The difference is {}, so {whom} {verdict}, for certain.",
            counts.with,
            counts.without,
            counts.with - counts.without,
        )
    }

    fn with(&self) -> String {
        self.found.private_summary()
    }

    fn page(&self, bits: &mut dyn SecureBits) -> Result<Page, AttackError> {
        page::page(self, bits)
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::Epsilon;
    use pointillist_testkit::seeded;
    use serde_json::json;

    use super::*;
    use crate::records::Records;

    /// Specification: scripts get these members, and no others.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let records = Records::from_csv("name,sex,illness\nAna,f,flu\nBen,m,flu\nCleo,f,cold\n").unwrap();
        let table = NamedRecords { name: "people.csv".to_owned(), records };
        let condition = |text: &str| vec![text.parse::<Condition>().unwrap()];
        let ask = |except: &str| Question::of_table(&table, &condition("illness=flu"), &condition(except));
        let price_each = Spend::Pure(Epsilon::parse("0.5").unwrap());
        let settings = Settings { question: ask("name=Ana").unwrap(), price_each: price_each.clone() };
        let found = serde_json::to_value(run(settings, &mut seeded(1)).unwrap()).unwrap();
        let names: Vec<&String> = found.as_object().unwrap().keys().collect();
        let expected = [
            "attack",
            "epsilon",
            "released",
            "revealed",
            "right",
            "right_upper",
            "source",
            "trials",
            "with",
            "without",
        ];
        assert_eq!(names, expected);
        let source = json!({ "file": "people.csv", "where": ["illness = flu"], "except": ["name = Ana"] });
        assert_eq!((&found["attack"], &found["source"]), (&"difference".into(), &source));
        assert_eq!((&found["with"], &found["revealed"]), (&2.into(), &true.into()));
        assert!(found["released"][0][1].is_f64() && found["epsilon"] == "0.5", "{found}");
        let numbers = Settings { question: Question::of_counts(Counts::EXAMPLE), price_each };
        let found = serde_json::to_value(run(numbers, &mut seeded(1)).unwrap()).unwrap();
        assert_eq!((&found["source"], &found["with"]), (&"numbers".into(), &71.into()));
        let error = ask("illness=flu").unwrap_err();
        assert!(error.to_string().starts_with("2 rows of people.csv have illness = flu"), "{error}");
    }
}
