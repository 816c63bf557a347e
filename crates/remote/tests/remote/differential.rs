//! The contract of engines, held against each other: a server and the engine in this process, over the same hostile rows.
//!
//! **Specification.** What a server does not refuse before the payment it answers, with the very integers that the embedded
//! engine has under the same key: keys, people and every total, for keys at random and for one under which many ranks tie.
//! Nothing that rows hold makes a statement fail.
//! **Power.** Every kind of relation, of owner, of group and of measure is in at least [`FEATURE_MIN`] compared aggregations of the
//! default run; less than a third of them is refused.
//! **Chance.** Seeds are fixed. `POINTILLIST_DIFFERENTIAL=5000` asks so many questions instead.

use std::collections::BTreeMap;
use std::sync::Arc;

use pointillist_catalog::Value;
use pointillist_engine::{Choice, ChoiceKey, Embedded, Engine, EngineOptions, Groups, Prepared};
use pointillist_plan::Aggregation;
use pointillist_testkit::postgres::PostgresServer;

use crate::aggregations::{aggregation, features};
use crate::chance::Chance;
use crate::world::{Asked, Host, Place, World};

/// How many aggregations are tried unless the environment says otherwise.
const TRIED: usize = 3_000;
/// How many aggregations are about one world.
const EACH_WORLD: usize = 30;
/// Every feature is in at least so many compared aggregations of a default run.
const FEATURE_MIN: usize = 10;

/// What aggregations can be about, but for different values, which no server counts.
const FEATURES: usize = 26;

/// Keys with their people and totals.
pub(crate) type Numbers = Vec<(Vec<Option<Value>>, Vec<i128>)>;

pub(crate) fn numbers(groups: &Groups) -> Numbers {
    let totals = |at: usize| (0..groups.measures()).map(move |measure| groups.totals(measure)[at]);
    let row = |(at, key): (usize, &Vec<Option<Value>>)| {
        (key.clone(), std::iter::once(groups.people()[at]).chain(totals(at)).collect())
    };
    groups.keys().iter().enumerate().map(row).collect()
}

pub(crate) fn wanted(default: usize) -> usize {
    let given = std::env::var("POINTILLIST_DIFFERENTIAL").ok();
    given.and_then(|count| count.parse().ok()).unwrap_or(default)
}

pub(crate) fn key(chance: &mut Chance) -> ChoiceKey {
    // Under a key of ones, sums of the parts of a number are its rank: many are equal.
    match chance.one_in(3) {
        true => ChoiceKey::from_words(|| 0),
        false => ChoiceKey::from_words(|| chance.word()),
    }
}

/// What was asked, and what became of it.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) tried: usize,
    pub(crate) compared: usize,
    groups: usize,
    nonzero: usize,
    chosen: usize,
    pub(crate) refused: BTreeMap<String, usize>,
    pub(crate) features: BTreeMap<&'static str, usize>,
    wrong: usize,
}

impl Tally {
    /// Asks both engines. After an error of the server's its session is of no more use.
    pub(crate) fn ask(
        &mut self,
        chance: &mut Chance,
        engine: &Arc<Engine>,
        (world, session): (&World, &dyn Asked),
        (name, aggregation): (&str, &Aggregation),
    ) -> Result<(), ()> {
        self.tried += 1;
        let prepared = match session.prepare(aggregation) {
            Ok(prepared) => prepared,
            Err(refusal) => {
                let reason = refusal.message().to_owned();
                // The planner of the server has no reason of its own: that is a mistake of the lowering.
                let ours = ["the server ", "Spark cannot plan", "Spark would answer"];
                let is_ours =
                    ours.iter().any(|begin| reason.starts_with(begin)) || reason.contains("please report");
                if is_ours {
                    self.is_wrong(&format!("{name}: {reason}\n{aggregation:?}"));
                }
                self.refused_for(reason);
                return if is_ours { Err(()) } else { Ok(()) };
            }
        };
        let choice = Choice::With(key(chance));
        let elsewhere = prepared.aggregate(aggregation, &choice);
        let scan = match engine.scan(&world.sources(), aggregation) {
            Ok(scan) => scan,
            Err(error) => {
                self.refused_for(format!("embedded: {error}"));
                return Ok(());
            }
        };
        let here = Embedded::new(Arc::clone(engine), scan.clone()).aggregate(aggregation, &choice);
        let here = match here {
            Ok(groups) => numbers(&groups),
            Err(error) => {
                self.refused_for(format!("embedded: {error}"));
                return Ok(());
            }
        };
        let Ok(elsewhere) = elsewhere else {
            self.is_wrong(&format!("{name}: failed after it was prepared\n{aggregation:?}"));
            return Err(());
        };
        let elsewhere = numbers(&elsewhere);
        if here != elsewhere {
            let different: Vec<_> = here.iter().filter(|row| !elsewhere.contains(row)).take(5).collect();
            let instead: Vec<_> = elsewhere.iter().filter(|row| !here.contains(row)).take(5).collect();
            self.is_wrong(&format!("{name}: {aggregation:?}\nhere {different:?}\nthere {instead:?}"));
        }
        // Under another key others of a person's groups may be kept: then the choice mattered.
        let other = Choice::With(ChoiceKey::from_words(|| 5));
        let again = Embedded::new(Arc::clone(engine), scan).aggregate(aggregation, &other);
        self.chosen += usize::from(again.is_ok_and(|again| numbers(&again) != here));
        self.compared += 1;
        self.groups += here.len();
        self.nonzero += usize::from(here.iter().any(|(_, numbers)| numbers[0] > 0));
        features(aggregation).into_iter().for_each(|feature| *self.features.entry(feature).or_default() += 1);
        Ok(())
    }

    /// Said at once: a run may take an hour.
    fn is_wrong(&mut self, what: &str) {
        self.wrong += 1;
        println!("WRONG {}", what.chars().take(6_000).collect::<String>());
    }

    fn refused_for(&mut self, reason: String) {
        *self.refused.entry(reason).or_default() += 1;
    }

    /// Less than a third is refused; and in a run of `full` questions or more every feature is seen at least so often.
    pub(crate) fn assert_power(&self, full: usize, feature_min: usize) {
        let refused: usize = self.refused.values().sum();
        assert!(3 * refused < self.tried, "{refused} of {} are refused: that tests nothing", self.tried);
        if self.tried >= full {
            let seen = self.features.iter().filter(|(feature, _)| **feature != "values");
            let rare: Vec<_> = seen.clone().filter(|(_, count)| **count < feature_min).collect();
            assert!(seen.count() >= FEATURES && rare.is_empty(), "{:?}, rare: {rare:?}", self.features);
        }
    }

    pub(crate) fn print(&self, what: &str) {
        println!(
            "{what}: tried {}, compared {} ({} with somebody in them, {} in which the choice matters, {} groups), refused {}",
            self.tried,
            self.compared,
            self.nonzero,
            self.chosen,
            self.groups,
            self.refused.values().sum::<usize>()
        );
        self.refused.iter().for_each(|(reason, count)| println!("  {count:5} {reason}"));
        println!("features {:?}", self.features);
        assert!(self.wrong == 0, "{} of {} are wrong", self.wrong, self.tried);
    }
}

#[test]
fn the_same_integers_come_from_postgresql() {
    let Some(server) = PostgresServer::shared() else { return };
    let mut place = Place::new(&server.new_database("differential"));
    let tally = compare(&mut place, wanted(TRIED));
    tally.print("PostgreSQL against the embedded engine");
    tally.assert_power(TRIED, FEATURE_MIN);
}

/// Asks a server and the embedded engine so many questions, each about some of the worlds.
pub(crate) fn compare(host: &mut dyn Host, tried: usize) -> Tally {
    let engine = Arc::new(Engine::new(EngineOptions { memory_bytes: 1 << 24, threads: 1 }).unwrap());
    let mut tally = Tally::default();
    let first = std::env::var("POINTILLIST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    for seed in first.. {
        if tally.tried >= tried {
            break;
        }
        let mut chance = Chance(0xD1FF_0001 + (seed << 32));
        let people = *chance.pick(&[3, 5, 13]);
        let world = World::random(&mut chance, 40, people);
        let world = host.fit(&mut chance, world);
        let place = host.put(&world);
        let mut session = host.session(&place);
        for number in 0..EACH_WORLD {
            let mut chance = Chance(0xD1FF_0002 + (seed << 32) + ((number as u64) << 20));
            let depth = chance.below(3);
            let aggregation = aggregation(&mut chance, depth);
            let name = format!("world {seed}, question {number}");
            if tally.ask(&mut chance, &engine, (&world, &*session), (&name, &aggregation)).is_err() {
                session = host.session(&place);
            }
        }
        drop(session);
        host.remove(&place);
    }
    tally
}
