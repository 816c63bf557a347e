//! `pointillist local plan`: which method, and how wrong it will be, before anybody is asked.
//!
//! **Local.** The standard error of a share is that of a value which few people hold,
//! `√(q(1−q)/h)/((p−q)√n)`; of a mean, the largest that any answers can cause. **Curator.** The standard
//! deviation of discrete Laplace noise on a count, or on a sum of steps, over n. Everything here is
//! arithmetic on public settings, in floats: nothing is released, and nothing but a forecast depends on it.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_local::shuffle::{Randomizer, epsilon_local_lower, epsilon_upper};
use pointillist_local::{MeanOracle, auto, outlook};
use pointillist_privacy::{Delta, Epsilon};
use serde_json::{Map, Value, json};

use super::presentation::{cost_json, named, significant};
use super::survey::{MISS_OF_A_WORD, Survey, SurveyArguments};
use crate::failure::Failure;
use crate::ink::Ink;
use crate::output_file::write_output;
use crate::table::{Cell, Side, Table, Tone};
use crate::terminal::Json;
use pointillist_render::chart::{Chart, Scale, Series};
use pointillist_render::decimals::{exact, grouped_count, long_lower, long_upper, short_lower, short_upper};
use pointillist_render::svg::Drawing;

/// Half the width of a normal 95 % interval, in standard errors.
const RADIUS: f64 = 1.959_963_984_540_054;
/// People for whom a method is chosen before it is known how many are needed.
const PEOPLE_USUAL: u64 = 1_000_000;
/// The bounds for shufflers are computed for so many people at most, which is a true bound for more.
const SHUFFLED_MAX: u64 = 1_000_000_000;
/// Points of a curve, from a thousandth of the people to a thousand times as many.
const POINTS: i32 = 25;

/// What would be asked, of how many.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist local plan --answers yes,no --epsilon 1 --people 10000
  pointillist local plan --values 1000 --epsilon 2 --people 1000000 --plot errors.svg
  pointillist local plan --answers yes,no --epsilon 1 --error 0.01
  pointillist local plan --answers yes,no --method rappor --epsilon 2 --people 100000
  pointillist local plan --mean 0 120 --epsilon 1 --people 50000 --json
  pointillist local plan --values 16 --epsilon 1 --people 1000000 --shuffle --delta 1e-9

Without a curator errors fall as 1/(ε√n), with one as 1/(εn). That gap is a theorem and no method closes it;
a shuffler between respondents and collector closes part of it.")]
pub struct Arguments {
    #[command(flatten)]
    survey: SurveyArguments,
    /// How many people will answer
    #[arg(long, value_name = "N", required_unless_present = "error", conflicts_with = "error")]
    people: Option<u64>,
    /// Find out how many people it takes for a 95 % interval of this half width
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    error: Option<f64>,
    /// Say what a shuffler would add, who hides which report came from whom
    #[arg(long, requires = "delta")]
    shuffle: bool,
    /// The δ of the shuffled reports together
    #[arg(long, value_name = "D", allow_hyphen_values = true, requires = "shuffle")]
    delta: Option<Delta>,
    /// Draw both errors against the number of people into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the forecast.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let forecast = Forecast::of(arguments)?;
    if let Some(path) = &arguments.plot {
        write_output(path, &forecast.chart()?.to_svg())?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", Json(&forecast.json()))?;
    } else {
        for line in forecast.lines(Ink::for_stdout()) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

struct Forecast {
    survey: Survey,
    people: u64,
    figures: Figures,
    candidates: Vec<Candidate>,
    is_automatic: bool,
    shuffled: Option<Shuffled>,
}

/// What is to be expected.
enum Figures {
    Errors {
        /// The standard error without a curator.
        local: f64,
        /// The standard error with one.
        central: f64,
        /// No local method errs by less than this in more than three of four surveys.
        floor: Option<f64>,
        /// The standard error of a random sample of people, at most.
        sampling: f64,
    },
    Words {
        /// Words as frequent as this are found.
        least_share: f64,
    },
}

struct Candidate {
    name: &'static str,
    standard_error: f64,
    line_bytes_max: Option<u64>,
}

/// What a shuffler adds.
struct Shuffled {
    delta: Delta,
    /// The ε of all reports together.
    epsilon: Epsilon,
    /// What everyone may spend for the ε that was asked for, and the survey that results; none where the
    /// method is given with its price.
    spent: Option<(Epsilon, Survey, f64)>,
}

impl Forecast {
    fn of(arguments: &Arguments) -> Result<Self, Failure> {
        let people = match (arguments.people, arguments.error) {
            (Some(0), _) => {
                return Err(Failure::Request("nobody is asked\nhint: ask at least one person".to_owned()));
            }
            (Some(people), _) => people,
            (None, Some(error)) => people_for(arguments, error)?,
            (None, None) => unreachable!("clap asks for one of the two"),
        };
        let survey = arguments.survey.survey(people)?;
        let figures = Figures::of(&survey, people)?;
        let shuffled = match &arguments.delta {
            Some(delta) => Some(Shuffled::of(arguments, &survey, people, delta)?),
            None => None,
        };
        let candidates = candidates(&survey, people)?;
        let is_automatic = arguments.survey.is_automatic();
        Ok(Self { survey, people, figures, candidates, is_automatic, shuffled })
    }

    fn lines(&self, ink: Ink) -> Vec<String> {
        let people = grouped_count(self.people);
        let epsilon = short_upper(self.survey.epsilon().value());
        let what = match &self.survey {
            Survey::Shares { answers, .. } => {
                format!("which of {} values each of {people} people holds", grouped_count(answers.values()))
            }
            Survey::Mean(_) => format!("the mean of a number that each of {people} people has"),
            Survey::Words(_) => format!("the frequent words of {people} people"),
        };
        let mut lines = named("asks", &format!("{what}, with ε = {epsilon} a report"), ink);
        lines.extend(named("method", &self.survey.line(), ink));
        if let Some(all) = self.survey.epsilon_for_ever() {
            lines.extend(named("memory", &self.memory_words(&all), ink));
        }
        if self.candidates.len() > 1 {
            lines.extend(named("", self.why(), ink));
            lines.extend(self.table().lines("           ", ink));
        }
        match &self.figures {
            Figures::Errors { local, central, floor, sampling } => {
                let whose = match &self.survey {
                    Survey::Shares { .. } => "for a value that few people hold",
                    _ => "at most",
                };
                let radius = |error: f64| significant(RADIUS * error);
                let local_words = format!("± {} with 95 %, {whose}", radius(*local));
                lines.extend(named("local", &local_words, ink));
                let ratio = local / central;
                let compared = if ratio >= 1.0 {
                    format!("{} times less", significant(ratio))
                } else {
                    format!("{} times more", significant(1.0 / ratio))
                };
                let central_words = format!("± {} with 95 %, {compared}", radius(*central));
                lines.extend(named("curator", &central_words, ink));
                if ratio > 1.0 {
                    let needed = significant(self.people as f64 * ratio * ratio);
                    let words = format!("{needed} people without a curator are as good as {people} with one");
                    lines.extend(named("", &words, ink));
                }
                if let Some(floor) = floor {
                    let words = format!(
                        "whatever the method: in one of four surveys of some population a local estimate is \
                         off by {} or more",
                        significant(*floor)
                    );
                    lines.extend(named("floor", &words, ink));
                }
                let words = format!(
                    "up to ± {} comes on top of both when the {people} are a random sample of more people",
                    radius(*sampling)
                );
                lines.extend(named("sampling", &words, ink));
            }
            Figures::Words { least_share } => {
                let words = match least_share {
                    share if *share <= 1.0 => format!(
                        "all words that about {} % or more hold, and none that nobody holds, in at least 95 \
                         of 100 surveys",
                        significant(100.0 * share)
                    ),
                    _ => "no word can be told from noise: ask more people, shorten the words or spend more"
                        .to_owned(),
                };
                lines.extend(named("finds", &words, ink));
            }
        }
        if let Some(shuffled) = &self.shuffled {
            lines.extend(self.shuffled_lines(shuffled, ink));
        }
        lines
    }

    /// What a memory is worth.
    fn memory_words(&self, all: &Epsilon) -> String {
        let one = self.survey.epsilon();
        let reports = (all.to_f64_upper() / one.to_f64_upper()).floor().max(1.0);
        format!(
            "however often they are asked, all reports from one memory cost ε = {} together; without a \
             memory {} reports would",
            short_upper(all.value()),
            grouped_count(reports as u64 + 1)
        )
    }

    fn shuffled_lines(&self, shuffled: &Shuffled, ink: Ink) -> Vec<String> {
        let delta = exact(shuffled.delta.value());
        let together = short_upper(shuffled.epsilon.value());
        let words = format!(
            "the reports in random order, their senders removed: ε = {together} together, at δ = {delta}"
        );
        let mut lines = named("shuffled", &words, ink);
        if let Some((epsilon, survey, error)) = &shuffled.spent {
            let error = match &self.figures {
                Figures::Errors { .. } => format!("± {} with 95 %", significant(RADIUS * error)),
                Figures::Words { .. } => format!("words from {} % on", significant(100.0 * error)),
            };
            let spent = short_lower(epsilon.value());
            let words = format!(
                "so for ε = {} together everyone may spend ε = {spent}: {error}, by {}. Should the shuffler \
                 side with the collector, ε = {spent} is what protects each",
                short_upper(self.survey.epsilon().value()),
                survey.line().split(' ').next().unwrap_or_default()
            );
            lines.extend(named("", &words, ink));
        }
        lines
    }

    /// Why this method.
    fn why(&self) -> &'static str {
        let name = self.method();
        match self.candidates.first() {
            _ if self.survey.rappor().is_some() => {
                "as you asked; methods that forget, at the ε of one report:"
            }
            _ if !self.is_automatic => "as you asked; the others:",
            Some(best) if best.name == name => "the least error of all that apply:",
            _ => "within 2 % of the least error, and the shortest reports:",
        }
    }

    fn method(&self) -> String {
        self.survey.line().split(' ').next().unwrap_or_default().to_owned()
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        let name = |one: &Candidate| Cell::from(one.name);
        table.filled_column("method", Side::Left, Tone::Plain, self.candidates.iter().map(name));
        let error = |one: &Candidate| Cell::from(significant(one.standard_error));
        table.filled_column("standard error", Side::Right, Tone::Plain, self.candidates.iter().map(error));
        if self.candidates.iter().any(|one| one.line_bytes_max.is_some()) {
            let bytes = |one: &Candidate| Cell::from(one.line_bytes_max.map_or(String::new(), grouped_count));
            table.filled_column(
                "bytes a report",
                Side::Right,
                Tone::Plain,
                self.candidates.iter().map(bytes),
            );
        }
        table
    }

    fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("setting".to_owned(), self.survey.line().into());
        object.insert("method".to_owned(), self.method().into());
        object.insert("people".to_owned(), self.people.into());
        object.insert("cost".to_owned(), cost_json(&self.survey));
        let error = |error: f64| json!({ "standard_error": error, "error_95": RADIUS * error });
        match &self.figures {
            Figures::Errors { local, central, floor, sampling } => {
                let ratio = local / central;
                object.insert("local".to_owned(), error(*local));
                object.insert("central".to_owned(), error(*central));
                object.insert("ratio".to_owned(), ratio.into());
                object.insert(
                    "people_for_central_error".to_owned(),
                    (self.people as f64 * ratio * ratio).into(),
                );
                object.insert("local_floor".to_owned(), (*floor).into());
                object.insert("sampling".to_owned(), error(*sampling));
            }
            Figures::Words { least_share } => {
                object.insert("least_share".to_owned(), (*least_share).into());
            }
        }
        let candidates = self.candidates.iter().map(|one| {
            json!({
                "method": one.name,
                "standard_error": one.standard_error,
                "line_bytes_max": one.line_bytes_max,
            })
        });
        object.insert("candidates".to_owned(), candidates.collect());
        if let Some(shuffled) = &self.shuffled {
            let mut part = Map::new();
            part.insert("epsilon".to_owned(), long_upper(shuffled.epsilon.value()).into());
            part.insert("delta".to_owned(), exact(shuffled.delta.value()).into());
            if let Some((epsilon, survey, figure)) = &shuffled.spent {
                part.insert("epsilon_local".to_owned(), long_lower(epsilon.value()).into());
                part.insert("setting".to_owned(), survey.line().into());
                match &self.figures {
                    Figures::Errors { .. } => part.insert("local".to_owned(), error(*figure)),
                    Figures::Words { .. } => part.insert("least_share".to_owned(), (*figure).into()),
                };
            }
            object.insert("shuffle".to_owned(), Value::Object(part));
        }
        Value::Object(object)
    }

    /// Both errors against the number of people; the method stays the same.
    fn chart(&self) -> Result<Chart, Failure> {
        let Figures::Errors { local, central, sampling, .. } = &self.figures else {
            return Err(Failure::Request(
                "a search for words has no curve\nhint: leave --plot out".to_owned(),
            ));
        };
        let factors =
            (0..POINTS).map(|point| 10f64.powf(6.0 * f64::from(point) / f64::from(POINTS - 1) - 3.0));
        let factors: Vec<f64> = factors.filter(|factor| self.people as f64 * factor >= 10.0).collect();
        let curve = |name: &str, error: f64, power: f64| Series {
            name: name.to_owned(),
            points: factors
                .iter()
                .map(|factor| (self.people as f64 * factor, RADIUS * error * factor.powf(power)))
                .collect(),
            ..Series::default()
        };
        let what = if matches!(self.survey, Survey::Mean(_)) { "mean" } else { "share" };
        Ok(Chart {
            title: format!("95 % error of a {what} at ε = {}", short_upper(self.survey.epsilon().value())),
            x_name: "people".to_owned(),
            y_name: "half width of the interval".to_owned(),
            x_scale: Scale::Logarithmic,
            y_scale: Scale::Logarithmic,
            series: vec![
                curve(&format!("local, {}", self.method()), *local, -0.5),
                curve("curator", *central, -1.0),
                curve("sampling alone, at most", *sampling, -0.5),
            ],
        })
    }
}

impl Figures {
    fn of(survey: &Survey, people: u64) -> Result<Self, Failure> {
        let n = people as f64;
        Ok(match survey {
            Survey::Shares { oracle, .. } => {
                let expected = outlook(oracle.values(), &survey.epsilon(), people)?;
                Self::Errors {
                    local: local_error(survey, people),
                    central: expected.central_error,
                    floor: Some(expected.local_floor),
                    sampling: 0.5 / n.sqrt(),
                }
            }
            Survey::Mean(oracle) => {
                let range = oracle.range();
                let width = (range.upper() - range.lower()).to_f64_upper();
                let steps = range.steps() as f64;
                // Noise on the sum of steps, which one person moves by all of them.
                let rate = survey.epsilon().to_f64_upper() / steps;
                let deviation = (2.0 * (-rate).exp()).sqrt() / -(-rate).exp_m1();
                Self::Errors {
                    local: local_error(survey, people),
                    central: deviation * width / steps / n,
                    floor: None,
                    sampling: width / 2.0 / n.sqrt(),
                }
            }
            Survey::Words(_) => Self::Words { least_share: local_error(survey, people) },
        })
    }
}

/// The standard error without a curator; of words, the least share that is found.
fn local_error(survey: &Survey, people: u64) -> f64 {
    let n = people as f64;
    match survey {
        Survey::Shares { oracle, .. } => oracle.rates().variance_count(people, 0.0).sqrt() / n,
        Survey::Mean(oracle) => (oracle.variance_max() / n).sqrt(),
        Survey::Words(tree) => tree.least_share(people, MISS_OF_A_WORD),
    }
}

/// How many people it takes.
fn people_for(arguments: &Arguments, error: f64) -> Result<u64, Failure> {
    if !(error.is_finite() && error > 0.0) {
        return Err(Failure::Request(
            "the error is not a positive number\nhint: write --error 0.01 for one percentage point"
                .to_owned(),
        ));
    }
    let needed = |guess: u64| -> Result<u64, Failure> {
        let survey = arguments.survey.survey(guess)?;
        if matches!(survey, Survey::Words(_)) {
            return Err(Failure::Request(
                "a search for words has no error to reach\nhint: give --people and see what is found"
                    .to_owned(),
            ));
        }
        // Variances fall as one over the people.
        let one = (RADIUS * local_error(&survey, 1) / error).powi(2).ceil();
        Ok((one as u64).max(1))
    };
    needed(needed(PEOPLE_USUAL)?)
}

fn candidates(survey: &Survey, people: u64) -> Result<Vec<Candidate>, Failure> {
    Ok(match survey {
        Survey::Shares { oracle, .. } => {
            let choice = auto(oracle.values(), &survey.epsilon(), people)?;
            let candidates = choice.candidates.iter().map(|one| Candidate {
                name: one.method.name(),
                standard_error: one.share_error,
                line_bytes_max: Some(one.line_bytes_max),
            });
            candidates.collect()
        }
        Survey::Mean(oracle) => {
            let both = [MeanOracle::sign, MeanOracle::window]
                .map(|method| method(&survey.epsilon(), oracle.range().clone()));
            let mut both: Vec<Candidate> = ["sign-mean", "window-mean"]
                .into_iter()
                .zip(both)
                .map(|(name, oracle)| Candidate {
                    name,
                    standard_error: (oracle.variance_max() / people as f64).sqrt(),
                    line_bytes_max: None,
                })
                .collect();
            both.sort_by(|a, b| a.standard_error.total_cmp(&b.standard_error));
            both
        }
        Survey::Words(_) => Vec::new(),
    })
}

impl Shuffled {
    fn of(arguments: &Arguments, survey: &Survey, people: u64, delta: &Delta) -> Result<Self, Failure> {
        if delta.is_zero() {
            return Err(Failure::Request(
                "shuffling gains nothing at δ = 0\nhint: give a small δ, such as --delta 1e-9".to_owned(),
            ));
        }
        let asked = survey.epsilon();
        let (people_all, people) = (people, people.min(SHUFFLED_MAX));
        let epsilon = epsilon_upper(randomizer(survey), &asked, people, delta)?;
        let spent = if arguments.survey.has_price() {
            // The better bound is for responses only, and the method depends on the price that the bound
            // allows: try it, and keep it if the method is still a response.
            let mut tried = None;
            for known in [Randomizer::Response, Randomizer::Any] {
                let local = epsilon_local_lower(known, &asked, people, delta)?;
                let again = arguments.survey.survey_at(&local, people)?;
                if known == Randomizer::Any || randomizer(&again) == known {
                    let error = local_error(&again, people_all);
                    tried = Some((local, again, error));
                    break;
                }
            }
            tried
        } else {
            None
        };
        Ok(Self { delta: delta.clone(), epsilon, spent })
    }
}

/// What a proof may use of the method.
fn randomizer(survey: &Survey) -> Randomizer {
    match survey {
        Survey::Shares { oracle, .. } => Randomizer::of(oracle),
        Survey::Mean(oracle) => Randomizer::of_mean(oracle),
        Survey::Words(_) => Randomizer::Any,
    }
}
