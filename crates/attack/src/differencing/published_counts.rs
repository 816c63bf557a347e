//! Counts that somebody published, as a table: who is certain from them, and what noise makes of it.
//!
//! A row is a count: a 1 for everybody whom it counts, a 0 for the others, and the number at the end.

mod page;

use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;
use pointillist_render::decimals::significant;
use pointillist_render::page::Page;
use pointillist_render::text::shown;
use serde::{Serialize, Serializer};

use super::{Certain, Inference, LinearAttack, LinearQuestions, Reason};
use crate::records::{NamedRecords, Records};
use crate::serialized;
use crate::{AttackError, Comparison};

/// The name of the last column.
const COUNT: &str = "count";
/// People that a screen and a page name.
pub const NAMED_MAX: usize = 40;
/// Letters of a formula that they show.
const WHY_MAX: usize = 60;
/// The columns of [`Outcome::named`].
pub const NAMED_COLUMNS: [&str; 4] = ["person", "has it", "because", "with noise"];

/// Published counts, and what private ones in their place would cost.
#[derive(Clone, Debug)]
pub struct Settings {
    /// One column a person, and a last column `count`.
    pub table: NamedRecords,
    /// The price of all counts together.
    pub price: Spend,
}

/// Who is certain from the counts, and what noise makes of the formulas that tell.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "difference")]
pub struct Outcome {
    /// Where the counts come from.
    pub source: Source,
    /// How many people there are.
    #[serde(serialize_with = "how_many")]
    pub people: Vec<String>,
    /// How many counts were published.
    pub questions: usize,
    /// The price of all private counts together.
    #[serde(rename = "epsilon", serialize_with = "serialized::epsilon_of")]
    pub price: Spend,
    /// Everybody whose answer is certain from exact counts.
    pub determined: Vec<CertainPerson>,
    #[serde(skip)]
    private: LinearAttack,
}

/// A table of counts.
#[derive(Clone, Debug, Serialize)]
pub struct Source {
    /// The name of its file.
    pub counts: String,
}

/// Somebody whose answer is certain.
#[derive(Clone, Debug, Serialize)]
pub struct CertainPerson {
    /// The name of their column.
    pub person: String,
    /// Whether they have it.
    #[serde(serialize_with = "zero_or_one")]
    pub value: bool,
    /// Why: by a combination of the answers themselves, where there is one.
    pub because: String,
    /// What the same formula makes of private counts.
    pub private: Option<f64>,
    /// The standard deviation of that.
    pub private_deviation: Option<f64>,
}

/// Solves the counts, and the same counts with noise.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { table, price } = settings;
    let in_table = |error: AttackError| error.about(&table.name);
    let Published { people, questions, answers } = read(&table.records).map_err(in_table)?;
    let certain = questions.certain(&answers).map_err(in_table)?;
    let private = questions.attack_answers(&answers, &price, bits)?;
    let determined = certain.iter().map(|certain| CertainPerson::new(certain, &people, &private)).collect();
    let source = Source { counts: table.name };
    Ok(Outcome { source, people, questions: answers.len(), price, determined, private })
}

/// What a table of counts says.
struct Published {
    people: Vec<String>,
    questions: LinearQuestions,
    answers: Vec<i128>,
}

fn read(table: &Records) -> Result<Published, AttackError> {
    let Some((last, people)) = table.columns().split_last().filter(|(last, _)| *last == COUNT) else {
        return Err(AttackError::new(
            format!("the last column is not `{COUNT}`"),
            "write one column a person, and the published number in a last column `count`",
        ));
    };
    if let Some(twice) = twice(people) {
        return Err(AttackError::new(
            format!("two columns are named `{}`", shown(twice)),
            "give every person a name of their own",
        ));
    }
    let mut weights = Vec::new();
    let mut answers = Vec::new();
    for (number, row) in (1..).zip(table.rows()) {
        let (count, flags) = row.split_last().expect("a row has as many fields as there are columns");
        let flag = |(flag, person): (&String, &String)| match flag.trim() {
            "0" => Ok(0),
            "1" => Ok(1),
            other => Err(AttackError::new(
                format!("row {number} has `{}` for {}", shown(other), shown(person)),
                "write 1 for everybody whom the row counts and 0 for the others",
            )),
        };
        let flags: Vec<i64> = flags.iter().zip(people).map(flag).collect::<Result<_, _>>()?;
        let asked: i128 = flags.iter().map(|flag| i128::from(*flag)).sum();
        let answer: i128 = count.trim().parse().map_err(|_| {
            AttackError::new(
                format!("row {number} has the {last} `{}`", shown(count)),
                "a count is a whole number",
            )
        })?;
        if answer < 0 {
            return Err(AttackError::new(
                format!("row {number} has the negative count {answer}"),
                "nobody counts below zero",
            ));
        }
        if answer > asked {
            return Err(AttackError::new(
                format!("row {number} counts {answer} of {asked} people"),
                "a count is at most the number of people in its row",
            ));
        }
        weights.push(flags);
        answers.push(answer);
    }
    Ok(Published { people: people.to_vec(), questions: LinearQuestions::new(weights)?, answers })
}

fn twice(names: &[String]) -> Option<&str> {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

impl CertainPerson {
    fn new(certain: &Certain, people: &[String], private: &LinearAttack) -> Self {
        let of_person = |inference: &&Inference| inference.found.person == certain.person;
        let private = private.inferences.iter().find(of_person);
        Self {
            person: people[certain.person].clone(),
            value: certain.value,
            because: private.map_or_else(|| because(&certain.reason), |found| found.found.to_string()),
            private: private.map(|found| found.private),
            private_deviation: private.map(|found| found.private_deviation),
        }
    }
}

impl Outcome {
    /// The first of those who are certain, as people read them: who, what, why, and what noise leaves of it.
    pub fn named(&self) -> Vec<[String; 4]> {
        let row = |certain: &CertainPerson| {
            let private = certain.private.zip(certain.private_deviation).map_or_else(
                || "–".to_owned(),
                |(value, deviation)| format!("{value:.1} ± {}", significant(deviation)),
            );
            let value = if certain.value { "yes" } else { "no" };
            [shown(&certain.person), value.to_owned(), shortened(&certain.because), private]
        };
        self.determined.iter().take(NAMED_MAX).map(row).collect()
    }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        match self.determined.len() {
            0 => format!(
                "Adding and subtracting these counts, and counts of nobody and of everybody, give away none \
                 of the {} people. In rare cases several counts together still do.",
                self.people.len()
            ),
            some => format!(
                "{} counts of {} people tell for certain about {some} of them.",
                self.questions,
                self.people.len()
            ),
        }
    }

    fn with(&self) -> String {
        let widest = self.private.inferences.iter().map(|found| found.private_deviation);
        match widest.reduce(f64::min) {
            None => format!(
                "At {} for all counts together, a count of nobody or of everybody is no longer known as \
                 one, and no formula gives a person's bit.",
                self.price
            ),
            Some(least) => format!(
                "At {} for all counts together, the same formulas give each person's bit and noise of a \
                 deviation of {} or more.",
                self.price,
                significant(least)
            ),
        }
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        Ok(page::page(self))
    }
}

fn how_many<S: Serializer>(people: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    people.len().serialize(serializer)
}

fn zero_or_one<S: Serializer>(value: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    u8::from(*value).serialize(serializer)
}

/// A text that fits into a cell.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(WHY_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn because(reason: &Reason) -> String {
    match reason {
        Reason::Combination(found) => found.to_string(),
        Reason::Rest(found) => format!("{found}, less those who are certain"),
        Reason::Nobody(question) => format!("answer {} counts nobody else", question + 1),
        Reason::Everybody(question) => format!("answer {} counts everybody", question + 1),
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::Epsilon;
    use pointillist_testkit::seeded;

    use super::*;

    fn solved(text: &str) -> Result<Outcome, AttackError> {
        let table = NamedRecords { name: "counts.csv".to_owned(), records: Records::from_csv(text)? };
        run(Settings { table, price: Spend::Pure(Epsilon::parse("1").unwrap()) }, &mut seeded(1))
    }

    /// Specification: scripts get these members, and no others. Ana is the difference of the first two counts, Cleo
    /// follows, and the last count says that Dan has nothing.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let found = solved(
            "Ana,Ben,Cleo,Dan,Eve,Fay,count\n1,1,1,0,1,1,3\n0,1,1,0,1,1,2\n0,1,0,0,1,1,2\n0,0,0,1,0,0,0\n",
        );
        let found = serde_json::to_value(found.unwrap()).unwrap();
        let names: Vec<&String> = found.as_object().unwrap().keys().collect();
        assert_eq!(names, ["attack", "determined", "epsilon", "people", "questions", "source"]);
        assert_eq!((&found["people"], &found["source"]["counts"]), (&6.into(), &"counts.csv".into()));
        let determined = found["determined"].as_array().unwrap();
        let certain: Vec<(&str, u64)> = determined
            .iter()
            .map(|one| (one["person"].as_str().unwrap(), one["value"].as_u64().unwrap()))
            .collect();
        assert_eq!(certain, [("Ana", 1), ("Cleo", 0), ("Dan", 0)]);
        let names: Vec<&String> = determined[0].as_object().unwrap().keys().collect();
        assert_eq!(names, ["because", "person", "private", "private_deviation", "value"]);
        assert_eq!(determined[0]["because"], "answer 1 − answer 2");
    }

    #[test]
    fn counts_that_cannot_be_are_named() {
        for (text, words) in [
            ("a,b,count\n1,1,-1\n", "counts.csv: row 1 has the negative count -1"),
            ("a,b,count\n1,1,2\n1,0,2\n", "counts.csv: row 2 counts 2 of 1 people"),
            ("a,b,count\n1,x,1\n", "counts.csv: row 1 has `x` for b"),
            ("a,b,count\n1,1,one\n", "counts.csv: row 1 has the count `one`"),
            ("a,b,n\n1,1,1\n", "counts.csv: the last column is not `count`"),
            ("a,a,count\n1,1,1\n", "counts.csv: two columns are named `a`"),
            ("a,b,count\n", "counts.csv: 0 questions"),
        ] {
            let error = solved(text).unwrap_err();
            assert!(error.to_string().starts_with(words), "{text:?}: {error}");
        }
    }
}
