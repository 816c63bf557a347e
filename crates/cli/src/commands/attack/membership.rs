//! `pointillist attack membership`.

mod page;
mod people;

use clap::ValueEnum;
use pointillist_attack::limits;
use pointillist_attack::membership::{Membership, Power, Releases, Statistic, Study};
use pointillist_mechanisms::additive_noise::Price;
use serde_json::{Value, json};

use super::shown;
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;
use people::PeopleArguments;

/// With fewer people in a group, measured rates jump.
const ENOUGH: usize = 100;
/// Private releases whose mean is shown: a bound is about the mean, and a single release strays.
const RELEASES: usize = 40;

/// What the bound needs where two tables are compared.
const ONE_POPULATION: &str = " That holds for members and outsiders of one population; where the two tables \
     differ in more than membership, the difference tells them apart as well, and would without the \
     study.";

/// A study, made up or of files.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack membership --members 100 --positions 5000 --epsilon 1 --json
  pointillist attack membership --members cases.csv --outsiders others.csv --report membership.html
  pointillist attack membership --records survey.csv --columns region,job,income --members 50

Tables have a header and one row a person. Genotypes are 0, 1 or 2 copies of an allele in every
column (or 0 and 1), of which the frequencies are published; of any other table, how often each
value occurs in each column. What the population looks like is learnt from --reference, or else
from a random half of the outsiders, who are then not accused.")]
pub struct Arguments {
    #[command(flatten)]
    people: PeopleArguments,
    /// What the attacker adds up
    #[arg(long, value_name = "STATISTIC", value_enum, default_value = "likelihood-ratio")]
    statistic: StatisticWord,
    /// The price of all frequencies together
    #[arg(long, value_name = "E", default_value = "1", allow_hyphen_values = true)]
    epsilon: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// The statistics by name.
#[derive(Clone, Copy, ValueEnum)]
enum StatisticWord {
    /// How much nearer the person is to the group than to the population
    Distance,
    /// How much likelier the person is as a member
    LikelihoodRatio,
    /// How much the group leans the person's way
    Correlation,
}

impl From<StatisticWord> for Statistic {
    fn from(word: StatisticWord) -> Self {
        match word {
            StatisticWord::Distance => Self::Distance,
            StatisticWord::LikelihoodRatio => Self::LikelihoodRatio,
            StatisticWord::Correlation => Self::Correlation,
        }
    }
}

/// What was published and who was told by it.
struct Found {
    /// What the study is, in words.
    study: String,
    /// For scripts.
    origin: Value,
    /// Whether members and outsiders were drawn from the same people, as the bound has it.
    one_population: bool,
    /// How many frequencies were published.
    cells: usize,
    price: Price,
    /// By the chosen statistic.
    exact: Membership,
    private: Releases,
    /// By every statistic: on exact frequencies and on private ones.
    all: Vec<(Membership, Releases)>,
}

/// Publishes, attacks, compares.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    let price = shown::price(&arguments.epsilon)?;
    let people = arguments.people.people()?;
    let chosen = Statistic::from(arguments.statistic);
    let progress = shown::working("publishing frequencies and accusing everybody");
    let found = shown::drawn(|bits| {
        let study = people.study(bits)?;
        let exact = study.publish();
        let mut attacks = |statistic| {
            let private = study.attack_releases(&price, statistic, RELEASES, bits)?;
            Ok((study.attack(&exact, statistic)?, private))
        };
        let all: Vec<(Membership, Releases)> = Statistic::ALL
            .into_iter()
            .map(&mut attacks)
            .collect::<Result<_, pointillist_attack::AttackError>>()?;
        let place = Statistic::ALL.iter().position(|statistic| *statistic == chosen);
        let (exact, private) = all[place.expect("every statistic was tried")].clone();
        let cells = cells(&study);
        Ok(Found {
            study: people.words(),
            origin: people.json(),
            one_population: people.are_one_population(),
            cells,
            price,
            exact,
            private,
            all,
        })
    })?;
    progress.finish_and_clear();
    arguments.report.write(|| Ok(page::page(&found)))?;
    if arguments.json {
        print_json(&found);
    } else {
        shown::side_by_side(&found.without(), &found.with());
    }
    Ok(())
}

fn cells(study: &Study) -> usize {
    study.publish().frequencies().len()
}

impl Found {
    fn without(&self) -> String {
        format!("{}. {}", self.study, self.exact.summary())
    }

    fn with(&self) -> String {
        let two_tables = if self.one_population { "" } else { ONE_POPULATION };
        format!("{}{two_tables}{}", self.found_privately(), self.note())
    }

    /// What the attack finds in the mean over releases, and what it can find at most.
    fn found_privately(&self) -> String {
        let upper = |rate: f64| 100.0 * limits::true_positive_upper(&self.price, rate);
        format!(
            "Released at {} in total, {RELEASES} times with fresh noise, the same attack finds {:.1} % and \
             {:.1} % in the mean. At this price no attack finds more than {:.1} % and {:.1} % in the mean \
             over releases.",
            self.price,
            100.0 * self.private.at_5_percent(),
            100.0 * self.private.at_1_percent(),
            upper(0.05),
            upper(0.01)
        )
    }

    /// What to know about rates of few people.
    fn note(&self) -> String {
        let (members, outsiders) = (self.exact.members, self.exact.outsiders);
        if members.min(outsiders) >= ENOUGH {
            return String::new();
        }
        format!(" Rates of {members} members and {outsiders} outsiders are rough.")
    }
}

fn print_json(found: &Found) {
    let power = |power: &Power| {
        json!({
            "false_positive": power.false_positive,
            "true_positive": power.true_positive,
            "true_positive_upper": power.true_positive_upper,
        })
    };
    let side = |side: &Membership| {
        json!({
            "area": side.area,
            "at_5_percent": power(&side.at_5_percent),
            "at_1_percent": power(&side.at_1_percent),
        })
    };
    let upper = |rate: f64| limits::true_positive_upper(&found.price, rate);
    let mean = |side: &Releases| {
        let power = |rate: f64, mean: f64| json!({ "false_positive_upper": rate, "true_positive": mean, "true_positive_upper": upper(rate) });
        json!({
            "releases": side.attacks.len(),
            "area": side.area(),
            "at_5_percent": power(0.05, side.at_5_percent()),
            "at_1_percent": power(0.01, side.at_1_percent()),
        })
    };
    let statistic = |(exact, private): &(Membership, Releases)| {
        let name = exact.statistic.to_string();
        json!({ "statistic": name, "without": side(exact), "with": mean(private) })
    };
    let exact = &found.exact;
    shown::json([
        ("attack", json!("membership")),
        ("source", found.origin.clone()),
        ("members", json!(exact.members)),
        ("outsiders", json!(exact.outsiders)),
        ("positions", json!(exact.positions)),
        ("frequencies", json!(found.cells)),
        ("epsilon", shown::epsilon_json(&found.price)),
        ("one_population", json!(found.one_population)),
        ("statistic", json!(exact.statistic.to_string())),
        ("area", json!(exact.area)),
        ("area_private", json!(found.private.area())),
        ("without", side(exact)),
        ("with", mean(&found.private)),
        ("statistics", found.all.iter().map(statistic).collect()),
    ]);
}
