//! What is asked and how answers are randomized, by flags.

use std::path::PathBuf;

use pointillist_local::{AUTO, Domain, LocalError, Question, Range, StreamError, Survey, SurveyDesign};
use pointillist_numbers::Rational;
use pointillist_privacy::Epsilon;

use super::input;
use super::words::{of_stream, with_flags};
use crate::failure::Failure;
use crate::parsed_argument::parsed;

/// Steps of a range, where nobody says how many: a thousandth of its width is far below the noise.
const STEPS_USUAL: u64 = 1000;
const METHODS: &str = "auto, or one of randomized-response, k-ary-response, unary-encoding, \
    symmetric-unary-encoding, local-hashing, hadamard-response, subset-selection, and rappor for questions \
    that are asked again and again; sign-mean or window-mean for numbers";

/// Which answers there are.
#[derive(clap::Args)]
pub struct AnswerArguments {
    /// The possible answers, with commas between them
    #[arg(long, value_name = "A,B,…", allow_hyphen_values = true, conflicts_with = "answers_file")]
    answers: Option<String>,
    /// A file of the possible answers, one a line
    #[arg(long, value_name = "PATH")]
    answers_file: Option<PathBuf>,
    /// Count every answer that is not listed as one more value
    #[arg(long)]
    other: bool,
}

impl AnswerArguments {
    /// The list, if one is given.
    pub fn list(&self) -> Result<Option<Domain>, Failure> {
        match (&self.answers, &self.answers_file) {
            (Some(answers), _) => Ok(Some(Domain::parse_list(answers, self.other).map_err(with_flags)?)),
            (None, Some(path)) => {
                let listed = Domain::read_list(input::file(path)?, self.other);
                Ok(Some(listed.map_err(|error| match error {
                    StreamError::NotText { line } => Failure::wrong(
                        format!("line {line} of {} is not text", path.display()),
                        "write one answer a line, in UTF-8",
                    ),
                    error => of_stream(error),
                })?))
            }
            (None, None) if self.other => Err(Failure::wrong(
                "--other needs a list to be other than",
                "give --answers or --answers-file",
            )),
            (None, None) => Ok(None),
        }
    }
}

/// What is asked, and how answers are randomized.
#[derive(clap::Args)]
pub struct SurveyArguments {
    /// The ε of one report: the most that whoever reads it can learn (of rappor: of all reports from one
    /// memory)
    #[arg(
        long,
        value_name = "E",
        allow_hyphen_values = true, value_parser = parsed::<Epsilon>,
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
    #[arg(long, value_name = "METHOD", default_value = AUTO, conflicts_with = "setting", help = METHODS)]
    method: String,
    /// All of the above in one line, such as "randomized-response gamma=1/4"
    #[arg(long, value_name = "LINE")]
    setting: Option<String>,
}

impl SurveyArguments {
    /// The survey as far as it is settled.
    pub fn design(&self) -> Result<SurveyDesign, Failure> {
        let domain = match self.values {
            Some(values) => Some(Domain::numbers(values)?),
            None => self.answers.list()?,
        };
        match (&self.setting, &self.epsilon) {
            (Some(line), _) => Ok(SurveyDesign::Fixed(Survey::parse(line, domain).map_err(with_flags)?)),
            (None, Some(epsilon)) => Ok(SurveyDesign::Asked {
                question: self.question(domain)?,
                method: self.method.clone(),
                epsilon: epsilon.clone(),
            }),
            (None, None) => unreachable!("clap asks for one of the two"),
        }
    }

    /// The survey, for so many people.
    pub fn survey(&self, people: u64) -> Result<Survey, Failure> {
        self.design()?.survey(people).map_err(with_flags)
    }

    fn question(&self, domain: Option<Domain>) -> Result<Question, Failure> {
        match (domain, &self.mean, &self.words) {
            (Some(domain), _, _) => Ok(Question::Shares(domain)),
            (None, Some(ends), _) => {
                let end = |place: usize| Rational::parse(&ends[place]).map_err(Failure::request);
                Ok(Question::Mean(Range::new(end(0)?, end(1)?, self.steps.unwrap_or(STEPS_USUAL))?))
            }
            (None, None, Some(alphabet)) => {
                Ok(Question::Words { alphabet: alphabet.clone(), length: self.length.unwrap_or_default() })
            }
            (None, None, None) => Err(with_flags(LocalError::NoQuestion)),
        }
    }
}
