//! What to expect of a survey, in sentences and as a chart.

use pointillist_local::forecast::{ForecastFigures, MethodReason, Shuffled, ShuffledFigure};
use pointillist_local::{Forecast, Protocol};

use super::Fact;
use crate::chart::{Chart, Scale, Series};
use crate::decimals::{exact, grouped_count, short_lower, short_upper, significant};

/// What is asked, and by which method.
pub fn question_facts(forecast: &Forecast) -> Vec<Fact> {
    let people = grouped_count(forecast.people);
    let asked = match forecast.survey.protocol() {
        Protocol::Frequency(oracle) => {
            format!("which of {} values each of {people} people holds", grouped_count(oracle.values()))
        }
        Protocol::Mean(_) => format!("the mean of a number that each of {people} people has"),
        Protocol::Strings(_) => format!("the frequent words of {people} people"),
    };
    let mut facts = vec![
        ("asks", format!("{asked}, with ε = {} a report", price(forecast))),
        ("method", forecast.setting.clone()),
    ];
    if let (Some(all), Some(reports)) =
        (&forecast.cost.epsilon_of_one_memory, forecast.reports_worth_a_memory())
    {
        facts.push((
            "memory",
            format!(
                "however often they are asked, all reports from one memory cost ε = {} together; without a memory {} \
                 reports would",
                short_upper(all.value()),
                grouped_count(reports)
            ),
        ));
    }
    facts
}

/// What to expect.
pub fn forecast_facts(forecast: &Forecast) -> Vec<Fact> {
    let mut facts = figures(forecast);
    if let Some(shuffle) = &forecast.shuffle {
        facts.extend(shuffled(forecast, shuffle));
    }
    facts
}

/// Why a method was taken, above those that were compared.
pub fn reason_words(reason: MethodReason) -> &'static str {
    match reason {
        MethodReason::AskedToRemember => "as you asked; methods that forget, at the ε of one report:",
        MethodReason::Asked => "as you asked; the others:",
        MethodReason::LeastError => "the least error of all that apply:",
        MethodReason::ShortestReports => "within 2 % of the least error, and the shortest reports:",
    }
}

fn figures(forecast: &Forecast) -> Vec<Fact> {
    let people = grouped_count(forecast.people);
    let (local, central, ratio, needed, floor, sampling) = match &forecast.figures {
        ForecastFigures::Errors {
            local,
            central,
            ratio,
            people_for_central_error,
            local_floor,
            sampling,
        } => (local, central, *ratio, *people_for_central_error, local_floor, sampling),
        ForecastFigures::Words { least_share } if *least_share <= 1.0 => {
            let words = format!(
                "all words that about {} % or more hold, and none that nobody holds, in at least 95 of 100 surveys",
                significant(100.0 * least_share)
            );
            return vec![("finds", words)];
        }
        ForecastFigures::Words { .. } => {
            let words = "no word can be told from noise: ask more people, shorten the words or spend more";
            return vec![("finds", words.to_owned())];
        }
    };
    let whose = match forecast.survey.protocol() {
        Protocol::Frequency(_) => "for a value that few people hold",
        _ => "at most",
    };
    let compared = if ratio >= 1.0 {
        format!("{} times less", significant(ratio))
    } else {
        format!("{} times more", significant(1.0 / ratio))
    };
    let mut words = vec![
        ("local", format!("± {} with 95 %, {whose}", significant(local.error_95))),
        ("curator", format!("± {} with 95 %, {compared}", significant(central.error_95))),
    ];
    if ratio > 1.0 {
        let needed = significant(needed);
        words.push(("", format!("{needed} people without a curator are as good as {people} with one")));
    }
    if let Some(floor) = floor {
        let floor = significant(*floor);
        words.push((
            "floor",
            format!(
                "whatever the method: in one of four surveys of some population a local estimate is off by {floor} \
                 or more"
            ),
        ));
    }
    let sampling = significant(sampling.error_95);
    words.push((
        "sampling",
        format!(
            "up to ± {sampling} comes on top of both when the {people} are a random sample of more people"
        ),
    ));
    words
}

fn shuffled(forecast: &Forecast, shuffled: &Shuffled) -> Vec<Fact> {
    let (together, delta) = (short_upper(shuffled.epsilon.value()), exact(shuffled.delta.value()));
    let mut words = vec![(
        "shuffled",
        format!(
            "the reports in random order, their senders removed: ε = {together} together, at δ = {delta}"
        ),
    )];
    if let Some(price_each) = &shuffled.price {
        let error = match price_each.figure {
            ShuffledFigure::Local(error) => format!("± {} with 95 %", significant(error.error_95)),
            ShuffledFigure::LeastShare(share) => format!("words from {} % on", significant(100.0 * share)),
        };
        let spent = short_lower(price_each.epsilon_local.value());
        words.push((
            "",
            format!(
                "so for ε = {} together everyone may spend ε = {spent}: {error}, by {}. Should the shuffler side with \
                 the collector, ε = {spent} is what protects each",
                price(forecast),
                price_each.method
            ),
        ));
    }
    words
}

/// Errors with and without a curator against the number of people; `None` for words, which have none.
pub fn error_chart(forecast: &Forecast) -> Option<Chart> {
    let curves = forecast.curves()?;
    let series = |name: &str, points| Series { name: name.to_owned(), points, ..Series::default() };
    let what = if matches!(forecast.survey.protocol(), Protocol::Mean(_)) { "mean" } else { "share" };
    Some(Chart {
        title: format!("95 % error of a {what} at ε = {}", price(forecast)),
        x_name: "people".to_owned(),
        y_name: "half width of the interval".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        series: vec![
            series(&format!("local, {}", forecast.method), curves.local),
            series("curator", curves.central),
            series("sampling alone, at most", curves.sampling),
        ],
    })
}

/// The ε of one report.
fn price(forecast: &Forecast) -> String {
    short_upper(forecast.cost.epsilon.value())
}

#[cfg(test)]
mod tests {
    use pointillist_local::{Question, Survey, SurveyDesign};
    use pointillist_privacy::{Delta, Epsilon};

    use super::*;

    fn said(facts: &[Fact]) -> String {
        facts.iter().map(|(name, words)| format!("{name}: {words}\n")).collect()
    }

    #[test]
    fn a_yes_or_no_question_is_compared_with_a_curator() {
        let survey = Survey::parse("randomized-response epsilon=1", None).unwrap();
        let delta = Delta::parse("1e-6").unwrap();
        let forecast = Forecast::new(&SurveyDesign::Fixed(survey), 10_000, Some(&delta)).unwrap();
        let words = said(&question_facts(&forecast)) + &said(&forecast_facts(&forecast));
        for part in [
            "asks: which of 2 values each of 10,000 people holds, with ε = 1 a report",
            "local: ± 0.0188 with 95 %, for a value that few people hold",
            "curator: ± 0.000266 with 95 %, 70.7 times less",
            ": 50,000,000 people without a curator are as good as 10,000 with one",
            "is off by 0.00206 or more",
            "sampling: up to ± 0.00980 comes on top",
            "together, at δ = 1e-6",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        let chart = error_chart(&forecast).unwrap();
        assert_eq!(chart.title, "95 % error of a share at ε = 1");
        assert_eq!(chart.series.len(), 3);
    }

    #[test]
    fn words_have_a_share_and_no_curve() {
        let design = |epsilon: &str| SurveyDesign::Asked {
            question: Question::Words { alphabet: "abc".to_owned(), length: 3 },
            method: "auto".to_owned(),
            epsilon: Epsilon::parse(epsilon).unwrap(),
        };
        let found = Forecast::new(&design("4"), 30_000, None).unwrap();
        assert!(said(&forecast_facts(&found)).contains("finds: all words that about "));
        assert!(error_chart(&found).is_none());
        let lost = Forecast::new(&design("0.01"), 10, None).unwrap();
        assert!(said(&forecast_facts(&lost)).contains("no word can be told from noise"));
    }
}
