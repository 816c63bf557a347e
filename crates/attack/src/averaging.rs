//! Averaging: the same noisy question, asked again and again.
//!
//! **Setting.** A publisher adds fresh noise of deviation σ to every answer and keeps no account. The average
//! of r answers to one question is off by σ/√r only: a hundred repetitions give another digit. Three ways to
//! answer a repetition:
//! * *Fresh noise for free*: the error falls like 1/√r. What was really paid is r times the price of one
//!   answer.
//! * *The recorded answer*: the same question gets the same answer. Asking again costs nothing and teaches
//!   nothing.
//! * *A budget*: r answers share the price of one. Laplace noise of scale r/ε each leaves the average off by
//!   √r·σ, worse than a single answer; Gaussian noise of σ²·r each leaves it off by σ, exactly as one answer.
//!
//! **What is measured.** The root of the mean squared error of the average over many trials, and how often
//! the rounded average is the truth.

mod page;

use pointillist_mechanisms::AdditiveNoise;
use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;
use pointillist_render::page::Page;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::condition::{Condition, all_of, rows_where};
use crate::deviation::deviation;
use crate::records::NamedRecords;
use crate::serialized;
use crate::{AttackError, Comparison};

/// The most repetitions of a question.
const REPETITIONS_MAX: usize = 1 << 16;
/// Surveys that are simulated.
const TRIALS: usize = 200;
/// The most answers drawn for each curve.
const DRAWS_MAX: usize = 1 << 24;

/// The attack on the three publishers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Averaging {
    /// The true answer.
    pub truth: u64,
    /// What one answer costs, and what all answers share where there is a budget.
    #[serde(rename = "epsilon", serialize_with = "serialized::epsilon_of")]
    pub price: Spend,
    /// The standard deviation of one answer.
    pub deviation: f64,
    /// Over how many tries errors are taken.
    pub trials: usize,
    /// One for every number of repetitions: the figures of a plot.
    pub points: Vec<Point>,
}

/// What an average over so many repetitions is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How often the question was asked.
    pub repetitions: usize,
    /// What theory says of fresh noise: σ/√r.
    pub fresh_expected: f64,
    /// Fresh noise, no account.
    pub fresh: Accuracy,
    /// How many times the price of one answer that really costs.
    pub fresh_price_factor: usize,
    /// The recorded answer again.
    pub recorded: Accuracy,
    /// Fresh noise, and all repetitions together at the price of one.
    pub shared: Accuracy,
}

/// How good an average is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// The root of the mean squared error.
    pub error: f64,
    /// The fraction of trials in which the average, rounded, is the truth.
    pub exact_fraction: f64,
}

impl Averaging {
    /// The attack in words.
    pub fn summary(&self) -> String {
        let last = self.last();
        format!(
            "One answer at {} is off by {:.2}. The average of {} answers with fresh noise and no account is \
             off by {:.2}, and rounds to the truth {:.0} % of the time; that really costs {} times the \
             price. A curator that repeats its recorded answer leaves the error at {:.2}; one that makes the \
             repetitions share the price leaves it at {:.2}.",
            self.price,
            self.deviation,
            last.repetitions,
            last.fresh.error,
            100.0 * last.fresh.exact_fraction,
            last.fresh_price_factor,
            last.recorded.error,
            last.shared.error
        )
    }
}

/// Asks one counting question 1, 2, 4, … up to `repetitions_max` times, and measures the average over
/// `trials` trials.
pub fn attack(
    truth: i128,
    price: &Spend,
    repetitions_max: usize,
    trials: usize,
    bits: &mut dyn SecureBits,
) -> Result<Averaging, AttackError> {
    let too_many = trials.checked_mul(repetitions_max).is_none_or(|draws| draws > DRAWS_MAX);
    if repetitions_max == 0 || trials == 0 || repetitions_max > REPETITIONS_MAX || too_many {
        return Err(AttackError::new(
            format!("{repetitions_max} repetitions cannot be tried {trials} times"),
            "ask 1 to 65536 times, in at least one trial, such as 1000 repetitions and 200 trials",
        ));
    }
    let truth = u64::try_from(truth).map_err(|_| {
        AttackError::new(
            format!("{truth} is not a count"),
            "counts are whole numbers from zero on, below 2^64",
        )
    })?;
    let noise = AdditiveNoise::for_number(1, price)?;
    let deviation = deviation(&noise);
    let mut numbers: Vec<usize> = std::iter::successors(Some(1), |number| Some(number * 2))
        .take_while(|r| *r < repetitions_max)
        .collect();
    numbers.push(repetitions_max);
    // Only the errors matter, and noise does not depend on the truth: errors of averages are averages of
    // noise.
    let fresh = noise.sample_many(trials * repetitions_max, bits);
    let by_trial: Vec<&[i128]> = fresh.chunks(repetitions_max).collect();
    let points = numbers.into_iter().map(|repetitions| {
        let share = match price {
            Spend::Pure(epsilon) => Spend::Pure(epsilon.divided_by(repetitions as u64)?),
            Spend::Concentrated(rho) => Spend::Concentrated(rho.divided_by(repetitions as u64)?),
        };
        let shared = AdditiveNoise::for_number(1, &share)?.sample_many(trials * repetitions, bits);
        Ok(Point {
            repetitions,
            fresh_expected: deviation / (repetitions as f64).sqrt(),
            fresh: Accuracy::of(by_trial.iter().map(|errors| &errors[..repetitions])),
            fresh_price_factor: repetitions,
            recorded: Accuracy::of(by_trial.iter().map(|errors| &errors[..1])),
            shared: Accuracy::of(shared.chunks(repetitions)),
        })
    });
    let points: Result<Vec<Point>, AttackError> = points.collect();
    Ok(Averaging { truth, price: price.clone(), deviation, trials, points: points? })
}

impl Accuracy {
    /// The errors of the answers of each trial.
    fn of<'a>(trials: impl Iterator<Item = &'a [i128]>) -> Self {
        let (mut count, mut squares, mut exact) = (0, 0.0, 0);
        for errors in trials {
            let average = errors.iter().map(|error| *error as f64).sum::<f64>() / errors.len() as f64;
            count += 1;
            squares += average * average;
            exact += usize::from(average.abs() < 0.5);
        }
        Self { error: (squares / f64::from(count)).sqrt(), exact_fraction: exact as f64 / f64::from(count) }
    }
}

/// The three ways by their errors, and once more with how often each rounds to the truth.
impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Point", 9)?;
        members.serialize_field("repetitions", &self.repetitions)?;
        members.serialize_field("fresh", &self.fresh.error)?;
        members.serialize_field("recorded", &self.recorded.error)?;
        members.serialize_field("shared", &self.shared.error)?;
        members.serialize_field("fresh_expected", &self.fresh_expected)?;
        members.serialize_field("fresh_price_factor", &self.fresh_price_factor)?;
        members.serialize_field("without", &self.fresh)?;
        members.serialize_field("with_record", &self.recorded)?;
        members.serialize_field("with_budget", &self.shared)?;
        members.end()
    }
}

/// What is counted, and how many there are.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    source: Source,
    #[serde(skip)]
    truth: i128,
    /// Such as "rows of people.csv have illness = flu".
    #[serde(skip)]
    what: String,
}

/// Where the count comes from.
#[derive(Clone, Debug, Serialize)]
enum Source {
    #[serde(rename = "a number")]
    Number,
    #[serde(untagged)]
    Table {
        file: String,
        #[serde(rename = "where")]
        conditions: Vec<Condition>,
    },
}

impl Question {
    /// A count that somebody has.
    pub fn of_count(truth: i128) -> Self {
        Self { source: Source::Number, truth, what: "people have it".to_owned() }
    }

    /// How many rows of a table meet some conditions.
    pub fn of_table(table: &NamedRecords, conditions: &[Condition]) -> Result<Self, AttackError> {
        let truth = rows_where(table, conditions)?.into_iter().filter(|row| *row).count() as i128;
        let what = format!("rows of {} have {}", table.name, all_of(conditions));
        let source = Source::Table { file: table.name.clone(), conditions: conditions.to_vec() };
        Ok(Self { source, truth, what })
    }
}

/// A count that is asked for again and again.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is counted.
    pub question: Question,
    /// The price of one answer.
    pub price: Spend,
    /// How often it is asked at most.
    pub repetitions_max: usize,
}

/// What averages of fresh, of recorded and of budgeted answers tell.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "average")]
pub struct Outcome {
    /// What was counted.
    #[serde(flatten)]
    pub question: Question,
    /// How good the averages are.
    #[serde(flatten)]
    pub found: Averaging,
}

/// Asks, many times over.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { question, price, repetitions_max } = settings;
    let found = attack(question.truth, &price, repetitions_max, TRIALS, bits)?;
    Ok(Outcome { question, found })
}

impl Averaging {
    /// What the most repetitions lead to.
    fn last(&self) -> &Point {
        self.points.last().expect("a question is asked at least once")
    }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        let (found, last) = (&self.found, self.found.last());
        format!(
            "How many {}? {}. One answer at {} is off by {:.2}. With fresh noise and no account, the average \
             of {} answers is off by {:.2} and rounds to the truth {:.0} % of the time; that really costs {} \
             times the price.",
            self.question.what,
            found.truth,
            found.price,
            found.deviation,
            last.repetitions,
            last.fresh.error,
            100.0 * last.fresh.exact_fraction,
            last.fresh_price_factor
        )
    }

    fn with(&self) -> String {
        let last = self.found.last();
        format!(
            "The same question gets the recorded answer: after {} times the error is still {:.2}, and nothing \
             more was paid. Repetitions worded anew, which share the price of one answer, leave it at {:.2}.",
            last.repetitions, last.recorded.error, last.shared.error
        )
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        Ok(page::page(self))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_errors::Explained;
    use pointillist_privacy::{Epsilon, Rho};
    use pointillist_testkit::{hoeffding_radius, seeded};

    use super::*;

    fn pure(epsilon: &str) -> Spend {
        Spend::Pure(Epsilon::parse(epsilon).unwrap())
    }

    /// Specification: with fresh noise the error falls as σ/√r and 1024 repetitions give the truth; the
    /// recorded answer stays where it is; repetitions that share the price make it worse (Laplace) or leave
    /// it (Gaussian).
    /// False alarm: below 1e-9. The mean square of 2000 averages is within 45 % of its mean but for a chance
    /// below 1e-9: even for single Laplace draws, of kurtosis 6, its relative deviation is √(5/2000) = 5 %,
    /// and heavier averages have less. At r = 1024 the deviation 14.14/32 = 0.442 puts 74.2 % within one half
    /// (normal), give or take 0.074 (Hoeffding) and 0.02 (not normal).
    #[test]
    fn averages_of_free_answers_find_the_truth_and_of_ours_do_not() {
        let found = attack(4711, &pure("0.1"), 1024, 2000, &mut seeded(1)).unwrap();
        assert!((found.deviation - 14.142).abs() < 0.01);
        let near = |got: f64, want: f64| (0.55..1.45).contains(&(got / want).powi(2));
        for point in &found.points {
            let root = (point.repetitions as f64).sqrt();
            assert!(near(point.fresh.error, point.fresh_expected), "{point:?}");
            assert!(near(point.recorded.error, found.deviation));
            assert!(near(point.shared.error, found.deviation * root), "{point:?}");
            assert_eq!(point.recorded, found.points[0].fresh);
        }
        let last = found.points.last().unwrap();
        let radius = hoeffding_radius(2000, 1e-9) + 0.02;
        assert!((last.fresh.exact_fraction - 0.742).abs() < radius, "{last:?}");
        assert!(last.recorded.exact_fraction < 0.05 + radius && last.shared.exact_fraction < radius);
        let rho = Spend::Concentrated(Rho::parse("0.005").unwrap());
        let gaussian = attack(4711, &rho, 100, 2000, &mut seeded(2)).unwrap();
        assert_eq!(
            gaussian.points.iter().map(|p| p.repetitions).collect::<Vec<_>>(),
            [1, 2, 4, 8, 16, 32, 64, 100]
        );
        assert!(gaussian.points.iter().all(|point| near(point.shared.error, 10.0)));
    }

    #[test]
    fn the_summary_says_what_it_costs() {
        let summary = attack(100, &pure("1"), 100, 100, &mut seeded(3)).unwrap().summary();
        assert!(
            summary.starts_with("One answer at ε = 1 is off by 1.36. The average of 100 answers"),
            "{summary}"
        );
        assert!(summary.contains("that really costs 100 times the price"), "{summary}");
    }

    #[test]
    fn what_cannot_be_asked_is_refused_with_a_hint() {
        let run = |truth, repetitions, trials| attack(truth, &pure("1"), repetitions, trials, &mut seeded(0));
        for (truth, repetitions, trials) in [
            (-1, 10, 10),
            (i128::MAX, 10, 10),
            (1, 0, 10),
            (1, 10, 0),
            (1, usize::MAX, 2),
            (1, 2, usize::MAX),
            (1, 1 << 17, 1),
        ] {
            assert!(run(truth, repetitions, trials).unwrap_err().hint().is_some());
        }
        assert_eq!(run(0, 1, 1).unwrap().points.len(), 1);
        // Shares below the smallest price there is are refused, not rounded to nothing.
        let least = attack(1, &pure("1/18446744073709551616"), 4, 2, &mut seeded(0)).unwrap_err();
        assert!(least.hint().is_some(), "{least}");
    }

    /// Specification: scripts get these members, and no others.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let settings = Settings { question: Question::of_count(71), price: pure("0.1"), repetitions_max: 4 };
        let found = serde_json::to_value(run(settings, &mut seeded(1)).unwrap()).unwrap();
        let names: Vec<&String> = found.as_object().unwrap().keys().collect();
        assert_eq!(names, ["attack", "deviation", "epsilon", "points", "source", "trials", "truth"]);
        assert_eq!((&found["source"], &found["truth"]), (&"a number".into(), &71.into()));
        assert_eq!((&found["trials"], &found["points"].as_array().unwrap().len()), (&200.into(), &3));
        let point: Vec<&String> = found["points"][0].as_object().unwrap().keys().collect();
        let expected = [
            "fresh",
            "fresh_expected",
            "fresh_price_factor",
            "recorded",
            "repetitions",
            "shared",
            "with_budget",
            "with_record",
            "without",
        ];
        assert_eq!(point, expected);
        let accuracy: Vec<&String> = found["points"][0]["without"].as_object().unwrap().keys().collect();
        assert_eq!(accuracy, ["error", "exact_fraction"]);
    }
}
