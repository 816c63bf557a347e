//! What is asked, before anybody knows by which method: a question becomes a survey once it has a price.

use pointillist_privacy::Epsilon;

use crate::rappor::Rappor;
use crate::{Domain, LocalError, MeanOracle, Method, Oracle, PrefixTree, Protocol, Range, Survey, auto};

/// The name that leaves the choice of a method to us.
pub const AUTO: &str = "auto";
/// The name of the method that remembers, whose price is that of all reports from one memory.
const RAPPOR: &str = "rappor";

/// What people are asked for.
#[derive(Clone, Debug)]
pub enum Question {
    /// One of some values; how often each is held is wanted.
    Shares(Domain),
    /// A number in a public range; the mean is wanted.
    Mean(Range),
    /// A word of a public alphabet; the frequent ones are wanted.
    Words {
        /// The characters of words, each once.
        alphabet: String,
        /// How many characters of a word count.
        length: u32,
    },
}

impl Question {
    /// The survey that asks it: by this method, or by the best one for so many people where it is [`AUTO`].
    /// ε is that of one report; of rappor, that of all reports from one memory.
    pub fn survey(&self, method: &str, epsilon: &Epsilon, people: u64) -> Result<Survey, LocalError> {
        match self {
            Self::Shares(domain) => {
                let oracle = match method {
                    AUTO => auto(domain.values(), epsilon, people)?.oracle,
                    RAPPOR => Oracle::Rappor(Rappor::for_ever(epsilon, domain.values())?),
                    name => Oracle::new(Method::parse(name)?, epsilon, domain.values())?,
                };
                Survey::new(Protocol::Frequency(oracle), Some(domain.clone()))
            }
            Self::Mean(range) => {
                let oracle = match method {
                    AUTO => MeanOracle::auto,
                    "sign-mean" => MeanOracle::sign,
                    "window-mean" => MeanOracle::window,
                    _ => {
                        return Err(LocalError::refused(
                            "there is no such method for means",
                            "the methods are auto, sign-mean and window-mean",
                        ));
                    }
                };
                Survey::new(Protocol::Mean(oracle(epsilon, range.clone())), None)
            }
            Self::Words { .. } if method != AUTO => {
                Err(LocalError::refused("words have one method", "leave the method out"))
            }
            Self::Words { alphabet, length } => {
                Survey::new(Protocol::Strings(PrefixTree::new(epsilon, alphabet, *length)?), None)
            }
        }
    }
}

/// A survey that is planned: set up already, or a question that a method is yet to be found for.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them in a program")]
pub enum SurveyDesign {
    /// Set up already, by a line.
    Fixed(Survey),
    /// A question with its price.
    Asked {
        /// What is asked.
        question: Question,
        /// By which method, or [`AUTO`].
        method: String,
        /// At which price.
        epsilon: Epsilon,
    },
}

impl SurveyDesign {
    /// The survey, for so many people.
    pub fn survey(&self, people: u64) -> Result<Survey, LocalError> {
        match self {
            Self::Fixed(survey) => Ok(survey.clone()),
            Self::Asked { question, method, epsilon } => question.survey(method, epsilon, people),
        }
    }

    /// The same question at another price of one report; `None` where it has none, see
    /// [`has_price`](Self::has_price).
    pub fn survey_at(&self, epsilon: &Epsilon, people: u64) -> Option<Result<Survey, LocalError>> {
        match self {
            Self::Asked { question, method, .. } if self.has_price() => {
                Some(question.survey(method, epsilon, people))
            }
            _ => None,
        }
    }

    /// Whether the price of one report is given apart from the method, so that it can be another.
    pub fn has_price(&self) -> bool {
        matches!(self, Self::Asked { method, .. } if method != RAPPOR)
    }

    /// Whether the method is left to us.
    pub fn is_automatic(&self) -> bool {
        matches!(self, Self::Asked { method, .. } if method == AUTO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: Question, method: &str) -> Result<String, LocalError> {
        Ok(question.survey(method, &Epsilon::parse("2").unwrap(), 1000)?.to_string())
    }

    #[test]
    fn questions_become_surveys_by_any_of_their_methods() {
        let shares = || Question::Shares(Domain::parse_list("a,b,c", false).unwrap());
        let mean = || Question::Mean(Range::new(0.into(), 10.into(), 100).unwrap());
        let words = || Question::Words { alphabet: "abc".to_owned(), length: 3 };
        for (question, method, line) in [
            (shares(), "auto", "k-ary-response values=3 epsilon=2"),
            (shares(), "oue", "unary-encoding values=3 epsilon=2"),
            (shares(), "rappor", "rappor values=3 f="),
            (mean(), "auto", "window-mean lower=0 upper=10 steps=100 epsilon=2"),
            (mean(), "sign-mean", "sign-mean lower=0 upper=10 steps=100 epsilon=2"),
            (words(), "auto", "prefix-tree alphabet=abc length=3"),
        ] {
            let found = asked(question, method).unwrap();
            assert!(found.starts_with(line), "{found}");
        }
        for (question, method) in
            [(shares(), "sign-mean"), (mean(), "k-ary-response"), (words(), "sign-mean")]
        {
            assert!(asked(question, method).is_err(), "{method}");
        }
    }

    /// Specification: what is set up already, and rappor, whose ε is not that of one report, have no other price.
    #[test]
    fn only_a_question_can_have_another_price() {
        let design = |method: &str| SurveyDesign::Asked {
            question: Question::Shares(Domain::numbers(4).unwrap()),
            method: method.to_owned(),
            epsilon: Epsilon::parse("1").unwrap(),
        };
        let three = Epsilon::parse("3").unwrap();
        let again = design("auto").survey_at(&three, 10).unwrap().unwrap();
        assert_eq!(again.to_string(), "k-ary-response values=4 epsilon=3");
        assert!(design("auto").is_automatic() && !design("krr").is_automatic());
        assert!(design("rappor").survey_at(&three, 10).is_none());
        let fixed = SurveyDesign::Fixed(Survey::parse("randomized-response gamma=1/4", None).unwrap());
        assert!(fixed.survey_at(&three, 10).is_none() && !fixed.is_automatic());
        assert_eq!(fixed.survey(10).unwrap().to_string(), "randomized-response gamma=0.25");
    }
}
