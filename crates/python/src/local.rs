//! The local model: everyone randomizes their own answer, and whoever collects reports estimates.
//!
//! A survey is public; its lines travel between the two sides. The same functions serve the command line.

mod refusal;
mod texts;

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use pointillist_local::{
    Domain, Forecast, LocalError, MemoryFile, MemoryFileError, Protocol, Question, Range, ReportsFile,
    Survey, SurveyDesign, SurveyEstimates,
};
use pointillist_noise::with_system_bits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, ParameterError};
use pointillist_render::survey::{
    NoteWays, error_chart, estimate_notes, forecast_facts, question_facts, share_chart,
};
use pointillist_render::svg::Drawing;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::errors::{raised, wrong};
use crate::interrupt::interruptible;
use crate::submodule;
use refusal::{of_memory, of_stream, refused};
use texts::{Texts, text_or_mark};

/// Bytes of a file read at once.
const BUFFER: usize = 1 << 17;

/// What is asked, before it is a survey.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Asked {
    answers: Option<Vec<String>>,
    other: bool,
    values: Option<u64>,
    mean: Option<(String, String)>,
    steps: u64,
    words: Option<String>,
    length: Option<u32>,
    method: String,
    epsilon: String,
}

impl Asked {
    fn design(self) -> PyResult<SurveyDesign> {
        let epsilon = parameter(Epsilon::parse(&self.epsilon))?;
        let question = match (self.answers, self.values, self.mean, self.words) {
            (Some(answers), None, None, None) => Question::Shares(domain(answers, self.other)?),
            (None, Some(values), None, None) => {
                Question::Shares(Domain::numbers(values).map_err(|error| refused(&error))?)
            }
            (None, None, Some((lower, upper)), None) => {
                let end = |text: &str| Rational::parse(text).map_err(|error| raised(&error));
                let range = Range::new(end(&lower)?, end(&upper)?, self.steps);
                Question::Mean(range.map_err(|error| refused(&error))?)
            }
            (None, None, None, Some(alphabet)) => {
                let length = self.length.ok_or_else(|| {
                    wrong(
                        "nothing says how long words are",
                        "give length, how many characters of a word count",
                    )
                })?;
                Question::Words { alphabet, length }
            }
            (None, None, None, None) => return Err(refused(&LocalError::NoQuestion)),
            _ => {
                return Err(wrong(
                    "more than one question is asked",
                    "give one of answers, values, mean and words",
                ));
            }
        };
        Ok(SurveyDesign::Asked { question, method: self.method, epsilon })
    }
}

/// How answers are randomized, and what they stand for.
#[pyclass(frozen, name = "Survey", module = "pointillist._native.local")]
struct NativeSurvey {
    survey: Survey,
}

#[pymethods]
impl NativeSurvey {
    /// The line that sets the method up.
    #[getter]
    fn setting(&self) -> String {
        self.survey.to_string()
    }

    /// The lines on top of reports.
    #[getter]
    fn header(&self) -> String {
        self.survey.header()
    }

    /// The name of the method.
    #[getter]
    fn method(&self) -> String {
        self.survey.method()
    }

    /// What is wanted: shares, a mean or words.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.survey.protocol() {
            Protocol::Frequency(_) => "shares",
            Protocol::Mean(_) => "mean",
            Protocol::Strings(_) => "words",
        }
    }

    /// What a report costs its sender, as JSON.
    #[getter]
    fn cost(&self) -> PyResult<String> {
        json(&self.survey.cost())
    }

    /// How many values there are; none where answers are numbers or words.
    #[getter]
    fn values(&self) -> Option<u64> {
        self.survey.domain().map(Domain::values)
    }

    /// What a value stands for; none past the end.
    fn label(&self, value: u64) -> Option<String> {
        self.survey.domain()?.label(value)
    }

    /// One person's report.
    fn report(&self, answer: &Bound<'_, PyString>) -> PyResult<String> {
        let (answer, mut line) = (text_or_mark(answer), String::new());
        let drawn = with_system_bits(|bits| self.survey.randomize_line(answer, bits, &mut line));
        drawn.map_err(|error| raised(&error))?.map_err(|error| refused(&error))?;
        Ok(line)
    }

    /// One report for each answer, in their order.
    fn randomize<'py>(&self, answers: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
        Texts::read(answers)?.randomized(&self.survey, answers.py())
    }

    /// One report from the memory in a file, and whether it was there; otherwise of an answer that is remembered first.
    #[pyo3(signature = (path, answer))]
    fn remembered(
        &self,
        py: Python<'_>,
        path: PathBuf,
        answer: Option<Bound<'_, PyString>>,
    ) -> PyResult<(String, bool)> {
        let answer = answer.as_ref().map(text_or_mark);
        let drawn = py.detach(|| {
            with_system_bits(|bits| {
                let file = MemoryFile::new(path, &self.survey)?;
                let recalled = file.recall()?;
                let is_old = recalled.is_some();
                let memory = match (recalled, answer) {
                    (Some(memory), _) => memory,
                    (None, Some(answer)) => file.remember(answer, bits)?,
                    (None, None) => return Err(MemoryFileError::NoAnswer),
                };
                Ok((file.report_line(&memory, bits), is_old))
            })
        });
        drawn.map_err(|error| raised(&error))?.map_err(|error| of_memory(&error))
    }

    /// What to expect of it.
    #[pyo3(signature = (people, error, delta))]
    fn forecast(
        &self,
        py: Python<'_>,
        people: Option<u64>,
        error: Option<f64>,
        delta: Option<&str>,
    ) -> PyResult<Expected> {
        expected(py, SurveyDesign::Fixed(self.survey.clone()), people, error, delta)
    }

    /// What reports say, by their lines or by their file.
    #[pyo3(signature = (reports, skip_bad, at_least))]
    fn estimate(
        &self,
        py: Python<'_>,
        reports: Reports<'_>,
        skip_bad: bool,
        at_least: Option<f64>,
    ) -> PyResult<Estimated> {
        let setting = Some(self.survey.to_string());
        estimated(py, reports, setting, self.survey.domain().cloned(), skip_bad, at_least)
    }
}

/// A survey for so many people.
#[pyfunction]
fn survey(py: Python<'_>, asked: Asked, people: u64) -> PyResult<NativeSurvey> {
    let design = asked.design()?;
    let survey = py.detach(|| design.survey(people)).map_err(|error| refused(&error))?;
    Ok(NativeSurvey { survey })
}

/// A survey by its line, or by the lines on top of reports.
#[pyfunction]
#[pyo3(signature = (text, answers, other))]
fn parse(text: &str, answers: Option<Vec<String>>, other: bool) -> PyResult<NativeSurvey> {
    let answers = listed(answers, other)?;
    let survey = if text.trim_start().starts_with('#') {
        ReportsFile::read(text.as_bytes(), None, answers).map_err(|error| of_stream(&error))?.survey
    } else {
        Survey::parse(text.trim(), answers).map_err(|error| refused(&error))?
    };
    Ok(NativeSurvey { survey })
}

/// What to expect of a survey that is not set up yet.
#[pyfunction]
#[pyo3(signature = (asked, people, error, delta))]
fn plan(
    py: Python<'_>,
    asked: Asked,
    people: Option<u64>,
    error: Option<f64>,
    delta: Option<&str>,
) -> PyResult<Expected> {
    expected(py, asked.design()?, people, error, delta)
}

/// What reports say that begin with the lines of their survey, or come with them.
#[pyfunction]
#[pyo3(signature = (reports, setting, answers, other, skip_bad, at_least))]
fn estimate(
    py: Python<'_>,
    reports: Reports<'_>,
    setting: Option<String>,
    answers: Option<Vec<String>>,
    other: bool,
    skip_bad: bool,
    at_least: Option<f64>,
) -> PyResult<Estimated> {
    estimated(py, reports, setting, listed(answers, other)?, skip_bad, at_least)
}

/// Reports in memory, or where they are.
#[derive(FromPyObject)]
enum Reports<'py> {
    Lines(Bound<'py, PyList>),
    File(PathBuf),
}

/// A forecast: its JSON, its picture where it has one, its sentences, and the survey.
type Expected = (String, Option<String>, Vec<(&'static str, String)>, NativeSurvey);

fn expected(
    py: Python<'_>,
    design: SurveyDesign,
    people: Option<u64>,
    error: Option<f64>,
    delta: Option<&str>,
) -> PyResult<Expected> {
    let delta = delta.map(|text| parameter(Delta::parse(text))).transpose()?;
    let forecast = interruptible(py, move || match (people, error) {
        (Some(people), None) => Some(Forecast::new(&design, people, delta.as_ref())),
        (None, Some(error)) => Some(Forecast::for_error(&design, error, delta.as_ref())),
        _ => None,
    })?;
    let one = || wrong("it takes either people or an error", "give one of people and error");
    let forecast = forecast.ok_or_else(one)?.map_err(|error| refused(&error))?;
    let facts = [question_facts(&forecast), forecast_facts(&forecast)].concat();
    let svg = error_chart(&forecast).map(|chart| chart.to_svg());
    Ok((json(&forecast)?, svg, facts, NativeSurvey { survey: forecast.survey }))
}

/// Estimates: their JSON, their picture where they have one, and what to keep in mind.
type Estimated = (String, Option<String>, Vec<String>);

fn estimated(
    py: Python<'_>,
    reports: Reports<'_>,
    setting: Option<String>,
    answers: Option<Domain>,
    skip_bad: bool,
    at_least: Option<f64>,
) -> PyResult<Estimated> {
    let file = match reports {
        Reports::Lines(list) => {
            let lines = Texts::read(&list)?.lines();
            interruptible(py, move || ReportsFile::read(lines.as_bytes(), setting.as_deref(), answers))?
        }
        Reports::File(path) => {
            let file = File::open(&path).map_err(|error| {
                let what = format!("{} cannot be read: {error}", path.display());
                wrong(what, "give a file with one report a line, or a list of reports")
            })?;
            let input = BufReader::with_capacity(BUFFER, file);
            interruptible(py, move || ReportsFile::read(input, setting.as_deref(), answers))?
        }
    };
    let file = file.map_err(|error| of_stream(&error))?;
    let file = if skip_bad { file } else { file.without_bad_lines().map_err(|error| refused(&error))? };
    let estimates: SurveyEstimates =
        interruptible(py, move || file.estimates(at_least))?.map_err(|error| refused(&error))?;
    let svg = share_chart(&estimates).map(|chart| chart.to_svg());
    let ways = NoteWays { larger_share: " with at_least", all_rows: "" };
    Ok((json(&estimates)?, svg, estimate_notes(&estimates, ways)))
}

fn listed(answers: Option<Vec<String>>, other: bool) -> PyResult<Option<Domain>> {
    match answers {
        Some(answers) => domain(answers, other).map(Some),
        None if other => Err(wrong("other needs a list to be other than", "give answers")),
        None => Ok(None),
    }
}

fn domain(answers: Vec<String>, other: bool) -> PyResult<Domain> {
    if answers.iter().any(String::is_empty) {
        return Err(refused(&LocalError::EmptyAnswer));
    }
    let domain = if other { Domain::labels_and_other(answers) } else { Domain::labels(answers) };
    domain.map_err(|error| refused(&error))
}

fn parameter<T>(read: Result<T, ParameterError>) -> PyResult<T> {
    read.map_err(|error| raised(&error))
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| wrong(error.to_string(), "please report this"))
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "local")?;
    module.add_class::<NativeSurvey>()?;
    module.add_function(wrap_pyfunction!(survey, &module)?)?;
    module.add_function(wrap_pyfunction!(parse, &module)?)?;
    module.add_function(wrap_pyfunction!(plan, &module)?)?;
    module.add_function(wrap_pyfunction!(estimate, &module)?)
}
