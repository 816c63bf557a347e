use pointillist_testkit::seeded;

use super::*;
use crate::{ColumnEncoding, ColumnKind, Family, NumberUnit, RowsError};

struct Codes(Vec<u32>);

impl CodeBlocks for Codes {
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
        self.0.chunks(2048).for_each(each);
        Ok(())
    }
}

fn encoding(recipe: &Recipe) -> Encoding {
    let kind = ColumnKind::Number { lower: 0.0, upper: 100.0, steps: 100, unit: NumberUnit::Number };
    let x = ColumnEncoding { name: "x".to_owned(), kind, nullable: false };
    let y = ColumnEncoding { name: "y".to_owned(), kind: ColumnKind::Truth, nullable: false };
    Encoding::new(vec![x], Some(y), recipe.row_length()).unwrap()
}

fn rows() -> Codes {
    Codes((0..3000u32).flat_map(|at| [at % 101 + 1, 1 + u32::from(at % 101 > 30)]).collect())
}

fn trainer(settings: &str, spend: &Spend) -> Result<Trainer, LearnError> {
    let recipe = Recipe::new(Family::Logistic).with_settings(settings)?;
    recipe.trainer(encoding(&recipe), 1, spend)
}

fn rho(text: &str) -> Spend {
    Spend::Concentrated(Rho::parse(text).unwrap())
}

/// Specification: the whole costs what was named, in either currency, and what a run may spend passes neither that nor, by random
/// stopping, all of it. Power: a run with one part more would pass it.
#[test]
fn the_price_is_for_all_runs() {
    for spend in [rho("0.5"), rho("0.001"), Spend::Pure(Epsilon::parse("1").unwrap())] {
        assert_eq!(*trainer("tune = lambda 100 1000 10000", &spend).unwrap().loss(), spend.loss());
        let law = StoppingLaw::new(Rational::zero(), Rational::ratio(1, 24)).unwrap();
        let (run, stopping) = price_of_a_run(&law, &spend).unwrap();
        let value = |spend: &Spend| match spend {
            Spend::Pure(epsilon) => epsilon.value().clone(),
            Spend::Concentrated(rho) => rho.value().clone(),
        };
        let lost = |loss: Loss| match &spend {
            Spend::Pure(_) => loss.pure_epsilon().unwrap().value().clone(),
            Spend::Concentrated(_) => loss.rho().unwrap().value().clone(),
        };
        assert!(lost(stopping.loss()) <= value(&spend));
        let more = value(&run) + value(&spend) * Rational::ratio(1, u128::from(PARTS));
        let more = match &spend {
            Spend::Pure(_) => Loss::pure(Epsilon::new(more).unwrap()),
            Spend::Concentrated(_) => Loss::zcdp(Rho::new(more).unwrap()),
        };
        assert!(lost(RandomStopping::new(law, &more).unwrap().loss()) > value(&spend));
    }
}

/// Specification: what all runs together lose is the price, exactly, where each value is tried once; chance decides in pure ε from three
/// values on.
#[test]
fn the_cheaper_way_is_taken() {
    for values in 2..=VALUES_MAX {
        let (run, way) = repetition(values, &rho("0.5")).unwrap();
        assert!(matches!(way, Repetition::Each), "{values}");
        let all = run.rho().unwrap().value() * &Rational::from(values as u64);
        assert!(all <= Rational::ratio(1, 2) && all > Rational::ratio(49, 100), "{values}");
    }
    let pure = Spend::Pure(Epsilon::parse("1").unwrap());
    assert!(matches!(repetition(2, &pure).unwrap().1, Repetition::Each));
    let (run, way) = repetition(3, &pure).unwrap();
    assert!(matches!(way, Repetition::Random(_)));
    assert_eq!(run.loss().pure_epsilon(), Some(Epsilon::parse("0.5").unwrap()));
}

/// Specification: of a penalty that leaves nothing and one that fits, the one that fits is kept. False alarm in ρ, where both are tried:
/// below 1e-9: the bad one says the larger class of every row, its score is 1,000 lower and more, and noise has a deviation of about one. In pure ε, with chance: with
/// γ = 1/24 and two bad values of three all runs are bad with probability ln(1/(1 − 2/3·23/24))/ln 24 = 0.32; of 100 seeds more
/// than 75 have a probability below e^(−38) (Chernoff), and none at all one below e^(−38).
#[test]
fn the_better_value_is_kept() {
    let rows = rows();
    let pure = Spend::Pure(Epsilon::parse("20").unwrap());
    for (settings, spend, good, seeds) in [
        ("tune = lambda 1000000000 1", rho("10"), 1, 20),
        ("tune = lambda 1000000000 2000000000 1", pure, 2, 100),
    ] {
        let trainer = trainer(settings, &spend).unwrap();
        let mut bad = 0;
        for seed in 0..seeds {
            let trained = trainer.train(&rows, &mut seeded(seed)).unwrap();
            let candidate = trained.candidate.unwrap();
            bad += u64::from(candidate != good);
            let again = Trained::from_bytes(&trained.to_bytes()).unwrap();
            assert_eq!(again, trained);
            let model = trainer.model_of(again).unwrap();
            let lambda = [1e9, if good == 2 { 2e9 } else { 1.0 }, 1.0][candidate as usize];
            assert_eq!(
                (model.recipe().lambda, &model.recipe().tune),
                (Some(lambda), &None),
                "the file says which"
            );
        }
        match good {
            1 => assert_eq!(bad, 0),
            _ => assert!((1..=75).contains(&bad), "{bad}"),
        }
        let fitted = trainer.fit(&rows, &mut seeded(1)).unwrap();
        assert!(trainer.model_of(Trained { candidate: Some(3), fitted }).is_none());
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    for settings in [
        "tune = lambda 1",
        "tune = lambda",
        "tune =",
        "tune = rows 1 2",
        "tune = tune 1 2",
        "tune = depth 1 2",
        "tune = lambda 1 x",
    ] {
        assert!(trainer(settings, &rho("1")).is_err(), "{settings}");
    }
    let clusters = Recipe::new(Family::Clusters).with_settings("tune = clusters 2 3").unwrap();
    let without = Encoding::new(encoding(&clusters).columns().to_vec(), None, clusters.row_length()).unwrap();
    assert!(clusters.trainer(without, 1, &rho("1")).is_err());
    assert_eq!(Tuning::parse("lambda: 1 10").unwrap(), Tuning::parse(" lambda 1  10 ").unwrap());
}

/// Specification: a recipe without `tune` is written as it always was: recorded models are found by these words.
#[test]
fn words_of_plain_recipes_stay_as_they_were() {
    let recipe = Recipe::new(Family::Logistic).with_settings("lambda = 0.5").unwrap();
    assert_eq!(
        format!("{recipe:?}"),
        "Recipe { family: Logistic, method: Objective, lambda: Some(0.5), steps: None, clusters: None, bins: None, rows: None }"
    );
}
