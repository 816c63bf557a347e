use pointillist_privacy::{Epsilon, Rho};
use pointillist_testkit::seeded;

use super::*;
use crate::{ColumnEncoding, ColumnKind, Family, NumberUnit, Recipe, RowsError};

/// Rows of codes in memory.
struct Codes(Vec<u32>);

impl CodeBlocks for Codes {
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
        each(&self.0);
        Ok(())
    }
}

fn number(name: &str) -> ColumnEncoding {
    let kind = ColumnKind::Number { lower: 0.0, upper: 100.0, steps: 100, unit: NumberUnit::Number };
    ColumnEncoding { name: name.to_owned(), kind, nullable: false }
}

fn rho(text: &str) -> Spend {
    Spend::Concentrated(Rho::parse(text).unwrap())
}

/// A model of rows whose target is 1 where the only column is above 50, trained with next to no noise, and the rows: three
/// of four are as the rule says.
fn model(family: Family, target: ColumnEncoding, rows: &Codes) -> Arc<Model> {
    let recipe = Recipe::new(family);
    let encoding = crate::Encoding::new(vec![number("x")], Some(target), recipe.row_length()).unwrap();
    let trainer = recipe.trainer(encoding, 1, &rho("100000")).unwrap();
    let fitted = trainer.fit(rows, &mut seeded(1)).unwrap();
    Arc::new(trainer.model(fitted))
}

fn truths() -> Codes {
    let row = |at: u32| [at % 101 + 1, 1 + u32::from((at % 101 > 50) != (at / 101).is_multiple_of(4))];
    Codes((0..404).flat_map(row).collect())
}

fn classifier() -> Arc<Model> {
    let target = ColumnEncoding { name: "y".to_owned(), kind: ColumnKind::Truth, nullable: false };
    model(Family::Logistic, target, &truths())
}

/// Specification: at next to no noise every measure says what is counted here by hand, and its interval holds it.
#[test]
fn measures_say_what_is_so() {
    let (model, rows) = (classifier(), truths());
    let found = |measure| {
        let evaluation = ModelEvaluation::new(Arc::clone(&model), measure, 1, &rho("100000")).unwrap();
        assert_eq!(evaluation.loss(), rho("100000").loss());
        let released = evaluation.release(&rows, &mut seeded(2)).unwrap();
        evaluation.numbers(&released).unwrap()
    };
    let mut tables = [[0.0; 2]; 2];
    for row in rows.0.chunks_exact(2) {
        let mut features = vec![0.0; model.encoding().dimension()];
        model.encoding().features(&row[..1], &mut features);
        tables[row[1] as usize - 1][model.class_number(&features)] += 1.0;
    }
    let [[nn, np], [pn, pp]] = tables;
    let near = |number: &EvaluationNumber, truth: f64| {
        let (low, high) = number.interval.unwrap();
        assert!((number.value - truth).abs() < 0.02, "{number:?} {truth}");
        assert!(low <= truth && truth <= high, "{number:?} {truth}");
    };
    let accuracy = found(Measure::Accuracy);
    near(&accuracy[0], (nn + pp) / 404.0);
    assert!((0.7..0.8).contains(&accuracy[0].value));
    let confusion = found(Measure::Confusion);
    for (number, truth) in confusion.iter().zip([nn, np, pn, pp]) {
        assert!((number.value - truth).abs() < 0.5, "{number:?}");
    }
    assert_eq!(confusion[1].part, "false taken for true");
    near(&confusion[4], nn / (nn + np));
    near(&confusion[7], pp / (pp + np));
    let area = found(Measure::Area);
    assert!((0.6..0.8).contains(&area[0].value), "{area:?}");
    assert_eq!(found(Measure::Calibration).len(), 2 * CALIBRATION_BUCKETS);
    let target = number("y");
    let line = Codes((0..404u32).flat_map(|at| [at % 101 + 1, (at % 101) / 2 + 10]).collect());
    let linear = self::model(Family::Linear, target, &line);
    let evaluation = ModelEvaluation::new(linear, Measure::RSquared, 1, &rho("100000")).unwrap();
    let released = evaluation.release(&line, &mut seeded(2)).unwrap();
    let found = evaluation.numbers(&released).unwrap();
    assert!(found[0].value > 0.9 && found[1].value == 404.0, "{found:?}");
}

/// Specification: a measure that does not fit is refused before rows are looked at, and so are integers of something else.
#[test]
fn what_does_not_fit_is_refused() {
    let model = classifier();
    let new = |measure| ModelEvaluation::new(Arc::clone(&model), measure, 1, &rho("1"));
    assert!(new(Measure::RSquared).is_err());
    let accuracy = new(Measure::Accuracy).unwrap();
    assert!(accuracy.numbers(&[1]).is_none() && accuracy.numbers(&[1, i128::MAX]).is_none());
    assert!(new(Measure::Confusion).unwrap().numbers(&[1, 2]).is_none());
    assert!(Measure::parse("acuracy").is_err());
    for measure in Measure::ALL {
        assert_eq!(Measure::parse(measure.name()), Ok(measure));
    }
    let pure = Spend::Pure(Epsilon::parse("0.5").unwrap());
    let pure = ModelEvaluation::new(Arc::clone(&model), Measure::Area, 3, &pure).unwrap();
    assert_eq!(pure.loss().pure_epsilon(), Some(Epsilon::parse("0.5").unwrap()));
}

/// Specification: whatever codes rows have, and whatever numbers a model is made of, there is an answer.
#[test]
fn hostile_rows_and_models_have_an_answer() {
    let rows = Codes(vec![0, 1, u32::MAX, 2, 7, u32::MAX, 101, 1]);
    for bits in [i32::MIN, -2000, 0, 2000, i32::MAX] {
        let mut text = serde_json::to_value(&*classifier()).unwrap();
        text["fitted"]["margin"]["coefficients"]["bits"] = bits.into();
        let model: Model = serde_json::from_value(text).unwrap();
        let model = Arc::new(model);
        for measure in [Measure::Accuracy, Measure::Confusion, Measure::Area, Measure::Calibration] {
            let evaluation = ModelEvaluation::new(Arc::clone(&model), measure, 1, &rho("1")).unwrap();
            let released = evaluation.release(&rows, &mut seeded(3)).unwrap();
            assert!(evaluation.numbers(&released).is_some());
        }
    }
}
