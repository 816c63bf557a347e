//! One survey: how answers are randomized, by flags or by the line that travels with the reports.

use std::fmt::Write;

use pointillist_local::rappor::Rappor;
use pointillist_local::{LocalError, MeanOracle, Method, Oracle, PrefixTree, Range, auto};
use pointillist_noise::SystemBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Loss};

use super::answers::{AnswerArguments, Answers};
use crate::failure::Failure;

/// Steps of a range, where nobody says how many: a thousandth of its width is far below the noise.
const STEPS_USUAL: u64 = 1000;
/// How often a search may miss a word. It tries at most 2^20 words at its last level, each of which stands
/// out although nobody holds it with at most this probability: in all, no search in more than 4 of 100 finds
/// a word of nobody's, and frequent words, of which there are few, are missed by far fewer.
pub const MISS_OF_A_WORD: f64 = 0.04 / (1 << 20) as f64;
const METHODS: &str = "auto, or one of randomized-response, k-ary-response, unary-encoding, \
    symmetric-unary-encoding, local-hashing, hadamard-response, subset-selection, and rappor for questions \
    that are asked again and again; sign-mean or window-mean for numbers";

/// What is asked, and how answers are randomized.
#[derive(clap::Args)]
pub struct SurveyArguments {
    /// The ε of one report: the most that whoever reads it can learn (of rappor: of all reports from one
    /// memory)
    #[arg(
        long,
        value_name = "E",
        allow_hyphen_values = true,
        required_unless_present = "setting",
        conflicts_with = "setting"
    )]
    epsilon: Option<Epsilon>,
    /// Answers are the numbers 0, 1, … below this one
    #[arg(long, value_name = "N", conflicts_with_all = ["answers", "answers_file", "other", "mean", "words"])]
    values: Option<u64>,
    #[command(flatten)]
    answers: AnswerArguments,
    /// Answers are numbers in this range, and their mean is asked for; those outside count as its ends
    #[arg(
        long,
        num_args = 2,
        value_names = ["LOWER", "UPPER"],
        allow_hyphen_values = true,
        conflicts_with_all = ["answers", "answers_file", "other", "words", "setting"]
    )]
    mean: Option<Vec<String>>,
    /// Into how many steps the range is cut [default: 1000]
    #[arg(long, value_name = "N", requires = "mean")]
    steps: Option<u64>,
    /// Answers are words of these characters, and the frequent ones are searched for
    #[arg(
        long,
        value_name = "ALPHABET",
        requires = "length",
        conflicts_with_all = ["answers", "answers_file", "other", "setting"]
    )]
    words: Option<String>,
    /// How many characters of a word count
    #[arg(long, value_name = "N", requires = "words")]
    length: Option<u32>,
    #[arg(long, value_name = "METHOD", default_value = "auto", conflicts_with = "setting", help = METHODS)]
    method: String,
    /// All of the above in one line, such as "randomized-response gamma=1/4"
    #[arg(long, value_name = "LINE")]
    setting: Option<String>,
}

/// How answers are randomized and what they are.
#[allow(clippy::large_enum_variant, reason = "there is one of them in a program")]
pub enum Survey {
    /// Which share of the people holds each of some values.
    Shares {
        /// The method.
        oracle: Oracle,
        /// What the values stand for.
        answers: Answers,
    },
    /// The mean of bounded numbers.
    Mean(MeanOracle),
    /// Frequent words that nobody listed.
    Words(PrefixTree),
}

impl SurveyArguments {
    /// The survey, for so many people.
    pub fn survey(&self, people: u64) -> Result<Survey, Failure> {
        match (&self.setting, &self.epsilon) {
            (Some(line), _) => Survey::of_line(line, self.answers()?),
            (None, Some(epsilon)) => self.survey_at(epsilon, people),
            (None, None) => unreachable!("clap asks for one of the two"),
        }
    }

    /// The same question at this price.
    pub fn survey_at(&self, epsilon: &Epsilon, people: u64) -> Result<Survey, Failure> {
        match (self.answers()?, &self.mean, &self.words) {
            (Some(answers), _, _) => {
                let oracle = match self.method.as_str() {
                    "auto" => auto(answers.values(), epsilon, people)?.oracle,
                    "rappor" => Oracle::Rappor(Rappor::for_ever(epsilon, answers.values())?),
                    name => Oracle::new(Method::parse(name)?, epsilon, answers.values())?,
                };
                Ok(Survey::Shares { oracle, answers })
            }
            (None, Some(ends), _) => {
                let end = |place: usize| Rational::parse(&ends[place]).map_err(Failure::request);
                let range = Range::new(end(0)?, end(1)?, self.steps.unwrap_or(STEPS_USUAL))?;
                Ok(Survey::Mean(match self.method.as_str() {
                    "auto" => MeanOracle::auto(epsilon, range),
                    "sign-mean" => MeanOracle::sign(epsilon, range),
                    "window-mean" => MeanOracle::window(epsilon, range),
                    _ => {
                        return Err(Failure::Request(
                            "there is no such method for means\nhint: the methods are auto, sign-mean and window-mean"
                                .to_owned(),
                        ));
                    }
                }))
            }
            (None, None, Some(alphabet)) => {
                if self.method != "auto" {
                    return Err(Failure::Request(
                        "words have one method\nhint: leave --method out".to_owned(),
                    ));
                }
                let length = self.length.unwrap_or_default();
                Ok(Survey::Words(PrefixTree::new(epsilon, alphabet, length)?))
            }
            (None, None, None) => Err(Failure::Request(
                "nothing says what the answers are\n\
                 hint: give --answers yes,no or --values 10, --mean 0 100 for numbers, or --words with an alphabet"
                    .to_owned(),
            )),
        }
    }

    /// Whether the price of one report is given apart from the method.
    pub fn has_price(&self) -> bool {
        self.setting.is_none() && self.method != "rappor"
    }

    /// Whether the method is left to us.
    pub fn is_automatic(&self) -> bool {
        self.has_price() && self.method == "auto"
    }

    fn answers(&self) -> Result<Option<Answers>, Failure> {
        match self.values {
            Some(values) => Ok(Some(Answers::numbers(values)?)),
            None => self.answers.list(),
        }
    }
}

impl Survey {
    /// Reads the line that sets a survey up. Without answers the values are numbers.
    pub fn of_line(line: &str, answers: Option<Answers>) -> Result<Self, Failure> {
        let survey = match line.split(' ').find(|word| !word.is_empty()) {
            Some("sign-mean" | "window-mean") => Self::Mean(line.parse()?),
            Some("prefix-tree") => Self::Words(line.parse()?),
            _ => {
                let oracle: Oracle = line.parse()?;
                let numbers = Answers::numbers(oracle.values())?;
                Self::Shares { oracle, answers: numbers }
            }
        };
        match answers {
            Some(answers) => survey.with_answers(answers),
            None => Ok(survey),
        }
    }

    /// The same survey with names for its values.
    pub fn with_answers(self, answers: Answers) -> Result<Self, Failure> {
        match self {
            Self::Shares { oracle, .. } if oracle.values() == answers.values() => {
                Ok(Self::Shares { oracle, answers })
            }
            Self::Shares { oracle, .. } => Err(Failure::Request(format!(
                "the method has {} values and the list {}\n\
                 hint: list every answer, in the order of their values; --other stands for the last",
                oracle.values(),
                answers.values()
            ))),
            Self::Mean(_) | Self::Words(_) => Err(Failure::Request(
                "numbers and words have no list of answers\nhint: leave --answers out".to_owned(),
            )),
        }
    }

    /// The line that sets it up: public, and all that a collector must know.
    pub fn line(&self) -> String {
        match self {
            Self::Shares { oracle, .. } => oracle.to_string(),
            Self::Mean(oracle) => oracle.to_string(),
            Self::Words(tree) => tree.to_string(),
        }
    }

    /// What one report costs its sender.
    pub fn loss(&self) -> Loss {
        match self {
            Self::Shares { oracle, .. } => oracle.loss(),
            Self::Mean(oracle) => oracle.loss(),
            Self::Words(tree) => tree.loss(),
        }
    }

    /// The method that can remember, if it is one.
    pub fn rappor(&self) -> Option<&Rappor> {
        match self {
            Self::Shares { oracle: Oracle::Rappor(rappor), .. } => Some(rappor),
            _ => None,
        }
    }

    /// The ε of all reports from one memory together; none where nothing is remembered.
    pub fn epsilon_for_ever(&self) -> Option<Epsilon> {
        self.rappor()?.loss_for_ever().pure_epsilon()
    }

    /// The ε of one report.
    pub fn epsilon(&self) -> Epsilon {
        self.loss().pure_epsilon().expect("every randomizer here is pure")
    }

    /// Appends one person's report to the text. The error does not repeat the answer.
    #[inline]
    pub fn randomize(
        &self,
        answer: &str,
        bits: &mut SystemBits,
        text: &mut String,
    ) -> Result<(), LocalError> {
        match self {
            Self::Shares { oracle, answers } => {
                oracle.randomize(answers.value(answer)?, bits)?.write(text);
            }
            Self::Mean(oracle) => {
                oracle.randomize(oracle.range().parse_answer(answer)?, bits)?.write(text);
            }
            Self::Words(tree) => {
                write!(text, "{}", tree.randomize(answer, bits)?).expect("a string grows");
            }
        }
        Ok(())
    }
}
