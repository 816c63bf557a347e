use pointillist_testkit::seeded;

use super::*;
use crate::{
    CodeBlocks, ColumnEncoding, ColumnKind, Fitted, Label, Model, NumberUnit, Prediction, RowsError,
};

/// Rows of a number from 0 to 100, a category of three and a target; the target follows from both.
struct Made {
    target: Target,
    rows: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Target {
    Two,
    Three,
    Number,
    Nothing,
}

impl CodeBlocks for Made {
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
        let mut codes = Vec::new();
        for row in 0..self.rows {
            let (number, category) = (row * 37 % 101, row % 3);
            codes.extend([1 + number, 1 + category]);
            match self.target {
                Target::Two => codes.push(1 + u32::from(number > 50)),
                Target::Three => codes.push(1 + category),
                Target::Number => codes.push(1 + number / 2 + 20 * category),
                Target::Nothing => {}
            }
        }
        codes.chunks(3 * 2 * 100).for_each(each);
        Ok(())
    }
}

fn column(name: &str, kind: ColumnKind) -> ColumnEncoding {
    ColumnEncoding { name: name.to_owned(), kind, nullable: false }
}

fn number(name: &str, upper: f64) -> ColumnEncoding {
    column(name, ColumnKind::Number { lower: 0.0, upper, steps: upper as u32, unit: NumberUnit::default() })
}

fn category(name: &str) -> ColumnEncoding {
    let values = ["a", "b", "c"].map(|value| Some(Label::Text(value.to_owned())));
    column(name, ColumnKind::Category { values: values.to_vec() })
}

fn encoding(recipe: &Recipe, target: Target) -> Encoding {
    let target = match target {
        Target::Two => Some(column("large", ColumnKind::Truth)),
        Target::Three => Some(category("same")),
        Target::Number => Some(number("sum", 100.0)),
        Target::Nothing => None,
    };
    Encoding::new(vec![number("number", 100.0), category("category")], target, recipe.row_length()).unwrap()
}

fn rho(text: &str) -> Spend {
    Spend::Concentrated(Rho::parse(text).unwrap())
}

const FITTING: [(Family, Target); 9] = [
    (Family::Logistic, Target::Two),
    (Family::SupportVector, Target::Two),
    (Family::Softmax, Target::Three),
    (Family::Linear, Target::Number),
    (Family::NaiveBayes, Target::Three),
    (Family::Additive, Target::Two),
    (Family::Additive, Target::Number),
    (Family::Clusters, Target::Nothing),
    (Family::Moments, Target::Nothing),
];

/// Specification: whatever is trained loses the price, for one row of a person and for several.
#[test]
fn every_trainer_loses_its_price() {
    for (family, target) in FITTING {
        for k in [1, 3] {
            let recipe = Recipe::new(family);
            let spend = rho("0.01");
            let trainer: Trainer = recipe.trainer(encoding(&recipe, target), k, &spend).unwrap();
            let (lost, _) = trainer.loss().approximate_rho().expect("it has a rho");
            assert!(lost.value() <= spend.rho().unwrap().value(), "{family} {k}: {lost}");
            assert!(!trainer.outlook().is_empty());
        }
    }
    let pure = Spend::Pure(Epsilon::parse("1").unwrap());
    for (family, method) in [(Family::Logistic, "objective"), (Family::SupportVector, "output")] {
        let recipe = Recipe::new(family).with_settings(&format!("method = {method}")).unwrap();
        let trainer = recipe.trainer(encoding(&recipe, Target::Two), 2, &pure).unwrap();
        assert_eq!(trainer.loss().pure_epsilon().unwrap(), Epsilon::parse("1").unwrap(), "{family}");
    }
    for (family, target) in FITTING.into_iter().skip(2) {
        let recipe = Recipe::new(family);
        assert!(recipe.trainer(encoding(&recipe, target), 1, &pure).is_err(), "{family} has no pure method");
    }
}

/// Specification: with a large price every model says of rows what is so; through the bytes that are recorded, too.
#[test]
fn models_say_what_is_so() {
    let row =
        |number: i64, category: &str| [Some(Label::Integer(number)), Some(Label::Text(category.to_owned()))];
    for (family, target) in FITTING {
        let recipe = Recipe::new(family).with_settings("rows = 3000").unwrap();
        let trainer = recipe.trainer(encoding(&recipe, target), 1, &rho("1000")).unwrap();
        let fitted = trainer.fit(&Made { target, rows: 3000 }, &mut seeded(7)).unwrap();
        let recorded = Fitted::from_bytes(&fitted.to_bytes()).expect("it was written");
        let model = trainer.model(recorded);
        let said = |number: i64, category: &str| model.predict(&row(number, category));
        match target {
            Target::Two => {
                for (number, class) in [(5, "false"), (95, "true")] {
                    let Prediction::Class { class: said, probability } = said(number, "b") else {
                        panic!("{family}")
                    };
                    assert!(said == class && probability > 0.5, "{family}: {number} is {said}");
                }
            }
            Target::Three => {
                for class in ["a", "b", "c"] {
                    let Prediction::Class { class: said, .. } = said(50, class) else { panic!("{family}") };
                    assert_eq!(said, class, "{family}");
                }
            }
            Target::Number => {
                let Prediction::Number(said) = said(60, "b") else { panic!("{family}") };
                assert!((said - 50.0).abs() < 12.0, "{family}: {said} for 50");
            }
            Target::Nothing if family == Family::Clusters => {
                assert!(matches!(said(5, "a"), Prediction::Cluster(_)));
            }
            Target::Nothing => {
                let rows = model.numbers()[0].value;
                assert!((rows - 3000.0).abs() < 30.0, "{rows} rows");
                let mean = model.numbers().into_iter().find(|number| number.part == "mean").unwrap();
                assert!(mean.feature == "number" && (mean.value - 0.5).abs() < 0.02, "{mean:?}");
            }
        }
        assert!(model.numbers().iter().all(|number| number.value.is_finite()), "{family}");
        let text = serde_json::to_string(&model).unwrap();
        assert_eq!(serde_json::from_str::<Model>(&text).unwrap().numbers(), model.numbers(), "{family}");
    }
}

/// Specification: targets that a model cannot say and settings that there are not are refused, with a word about what to do.
#[test]
fn what_does_not_fit_is_refused() {
    let wrong = [
        (Family::Logistic, Target::Three),
        (Family::Logistic, Target::Number),
        (Family::SupportVector, Target::Nothing),
        (Family::Softmax, Target::Number),
        (Family::Linear, Target::Two),
        (Family::NaiveBayes, Target::Number),
        (Family::Additive, Target::Three),
        (Family::Clusters, Target::Two),
        (Family::Moments, Target::Number),
    ];
    for (family, target) in wrong {
        let recipe = Recipe::new(family);
        assert!(recipe.trainer(encoding(&recipe, target), 1, &rho("1")).is_err(), "{family}");
    }
    for (family, target, settings) in [
        (Family::Softmax, Target::Three, "steps = 4000000"),
        (Family::Additive, Target::Two, "bins = 4000000"),
        (Family::Clusters, Target::Nothing, "clusters = 100000"),
    ] {
        let recipe = Recipe::new(family).with_settings(settings).unwrap();
        let refused = recipe.trainer(encoding(&recipe, target), 1, &rho("1")).err().unwrap();
        assert!(refused.to_string().contains("memory"), "{family}: {refused}");
    }
    let values = (0..5_000).map(|value| Some(Label::Integer(value))).collect();
    let wide = column("wide", ColumnKind::Category { values });
    let wide = Encoding::new(vec![wide], None, Recipe::new(Family::Moments).row_length()).unwrap();
    assert!(Recipe::new(Family::Moments).trainer(wide, 1, &rho("1")).is_err());
    for settings in ["lambda", "lamda = 1", "steps = -1", "method = magic", "rows = many", "bins = 1.5"] {
        assert!(Recipe::new(Family::Logistic).with_settings(settings).is_err(), "{settings}");
    }
    for family in Family::ALL {
        assert_eq!(Family::parse(family.name()), Ok(family));
    }
    assert!(Family::parse("oracle").is_err());
}
