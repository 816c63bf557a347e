//! The attack on a study's exact frequencies, and on many private releases of them.

use pointillist_noise::SecureBits;
use pointillist_privacy::Spend;
use pointillist_render::page::Page;
use serde::Serialize;

use super::page;
use super::people::People;
use super::{MeanPower, Membership, Releases, Statistic};
use crate::serialized;
use crate::{AttackError, Comparison, limits};

/// With fewer people in a group, measured rates jump.
const ENOUGH: usize = 100;
/// Private releases whose mean is shown: a bound is about the mean, and a single release strays.
pub(super) const RELEASES: usize = 40;
/// What the bound needs where two tables are compared.
pub(super) const ONE_POPULATION: &str = " That holds for members and outsiders of one population; where the two \
     tables differ in more than membership, the difference tells them apart as well, and would without the study.";

/// A study and what the attacker adds up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Who took part in the study, and who did not.
    pub people: People,
    /// What the attacker adds up.
    pub statistic: Statistic,
    /// The price of all frequencies together.
    pub price: Spend,
}

/// Whom the attack finds from exact frequencies, and whom from private ones.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "attack", rename = "membership")]
pub struct Outcome {
    /// Where the people come from.
    #[serde(rename = "source")]
    pub people: People,
    /// How many members were tried.
    pub members: usize,
    /// How many outsiders were tried.
    pub outsiders: usize,
    /// Over how many positions.
    pub positions: usize,
    /// How many frequencies were published.
    pub frequencies: usize,
    /// The price of all of them together.
    #[serde(rename = "epsilon", serialize_with = "serialized::epsilon_of")]
    pub price: Spend,
    /// Whether members and outsiders were drawn from the same people, as the bound has it.
    pub one_population: bool,
    /// The area under the curve from exact frequencies, by the chosen statistic.
    pub area: f64,
    /// The area in the mean over private releases.
    pub area_private: f64,
    /// By the chosen statistic.
    #[serde(flatten)]
    pub chosen: ByStatistic,
    /// How well every statistic does, the chosen one among them.
    pub statistics: Vec<ByStatistic>,
}

/// How well one statistic tells members from outsiders.
#[derive(Clone, Debug, Serialize)]
pub struct ByStatistic {
    /// What the attacker adds up over positions.
    pub statistic: Statistic,
    /// Whom it tells from exact frequencies.
    #[serde(rename = "without")]
    pub exact: Membership,
    /// From private ones, in the mean.
    #[serde(rename = "with")]
    pub mean: MeanPower,
    /// From every private release.
    #[serde(skip)]
    pub private: Releases,
}

/// Publishes, attacks, compares.
pub fn run(settings: Settings, bits: &mut dyn SecureBits) -> Result<Outcome, AttackError> {
    let Settings { people, statistic: chosen, price } = settings;
    let study = people.study(bits)?;
    let exact = study.publish();
    let attack = |statistic| {
        let private = study.attack_releases(&price, statistic, RELEASES, bits)?;
        let exact = study.attack(&exact, statistic)?;
        Ok(ByStatistic { statistic, exact, mean: private.mean_power(&price), private })
    };
    let statistics: Vec<ByStatistic> =
        Statistic::ALL.into_iter().map(attack).collect::<Result<_, AttackError>>()?;
    let chosen = statistics.iter().find(|by| by.statistic == chosen);
    let chosen = chosen.expect("every statistic was tried").clone();
    Ok(Outcome {
        one_population: people.are_one_population(),
        people,
        members: chosen.exact.members,
        outsiders: chosen.exact.outsiders,
        positions: chosen.exact.positions,
        frequencies: exact.frequencies().len(),
        price,
        area: chosen.exact.area,
        area_private: chosen.private.area(),
        chosen,
        statistics,
    })
}

impl Outcome {
    /// What to know about rates of few people.
    pub(super) fn note(&self) -> String {
        if self.members.min(self.outsiders) >= ENOUGH {
            return String::new();
        }
        format!(" Rates of {} members and {} outsiders are rough.", self.members, self.outsiders)
    }
}

impl Comparison for Outcome {
    fn without(&self) -> String {
        format!("{}. {}", self.people, self.chosen.exact.summary())
    }

    fn with(&self) -> String {
        let upper = |rate: f64| 100.0 * limits::true_positive_upper(&self.price, rate);
        format!(
            "Released at {} in total, {RELEASES} times with fresh noise, the same attack finds {:.1} % and \
             {:.1} % in the mean. At this price no attack finds more than {:.1} % and {:.1} % in the mean \
             over releases.{}{}",
            self.price,
            100.0 * self.chosen.private.at_5_percent(),
            100.0 * self.chosen.private.at_1_percent(),
            upper(0.05),
            upper(0.01),
            if self.one_population { "" } else { ONE_POPULATION },
            self.note()
        )
    }

    fn page(&self, _: &mut dyn SecureBits) -> Result<Page, AttackError> {
        Ok(page::page(self))
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::Epsilon;
    use pointillist_testkit::seeded;

    use super::*;

    /// Specification: scripts get these members, and no others.
    #[test]
    fn an_outcome_is_an_object_for_scripts() {
        let settings = Settings {
            people: People::made_up(Some(10), None, Some(50)),
            statistic: Statistic::Correlation,
            price: Spend::Pure(Epsilon::parse("1").unwrap()),
        };
        let outcome = run(settings, &mut seeded(1)).unwrap();
        assert!(outcome.with().ends_with("Rates of 10 members and 10 outsiders are rough."));
        let found = serde_json::to_value(outcome).unwrap();
        let names = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let expected = [
            "area",
            "area_private",
            "attack",
            "epsilon",
            "frequencies",
            "members",
            "one_population",
            "outsiders",
            "positions",
            "source",
            "statistic",
            "statistics",
            "with",
            "without",
        ];
        assert_eq!(names(&found), expected);
        assert_eq!(
            (&found["source"], &found["statistic"]),
            (&"made up".into(), &"correlation statistic".into())
        );
        assert_eq!((&found["frequencies"], &found["outsiders"]), (&50.into(), &10.into()));
        assert_eq!(names(&found["without"]), ["area", "at_1_percent", "at_5_percent"]);
        let power = ["false_positive", "true_positive", "true_positive_upper"];
        assert_eq!(names(&found["without"]["at_5_percent"]), power);
        assert_eq!(names(&found["with"]), ["area", "at_1_percent", "at_5_percent", "releases"]);
        let mean = ["false_positive_upper", "true_positive", "true_positive_upper"];
        assert_eq!(names(&found["with"]["at_1_percent"]), mean);
        assert_eq!(names(&found["statistics"][2]), ["statistic", "with", "without"]);
    }
}
