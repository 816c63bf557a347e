//! What columns become, and that no row is ever too long.

use super::*;
use crate::{Block, Rows, RowsError};

fn number(name: &str, lower: f64, upper: f64, steps: u32, nullable: bool) -> ColumnEncoding {
    let unit = NumberUnit::Number;
    ColumnEncoding { name: name.to_owned(), kind: ColumnKind::Number { lower, upper, steps, unit }, nullable }
}

fn category(name: &str, values: &[Option<&str>]) -> ColumnEncoding {
    let values = values.iter().map(|value| value.map(|text| Label::Text(text.to_owned()))).collect();
    ColumnEncoding { name: name.to_owned(), kind: ColumnKind::Category { values }, nullable: true }
}

fn truth(name: &str, nullable: bool) -> ColumnEncoding {
    ColumnEncoding { name: name.to_owned(), kind: ColumnKind::Truth, nullable }
}

fn encoding(row_length: RowLength) -> Encoding {
    let columns = vec![
        number("age", 0.0, 100.0, 100, true),
        category("education", &[Some("none"), Some("Bachelors"), None]),
        truth("smoker", false),
    ];
    Encoding::new(columns, Some(truth("rich", true)), row_length).unwrap()
}

/// The features before the row was shortened, as far as their ratio to the constant tells.
fn ratios(encoding: &Encoding, codes: &[u32]) -> Vec<f64> {
    let mut features = vec![f64::NAN; encoding.dimension()];
    encoding.features(codes, &mut features);
    let constant = features[features.len() - 1];
    features.iter().map(|feature| (feature / constant * 1e9).round() / 1e9).collect()
}

#[test]
fn columns_become_features_of_their_names() {
    let encoding = encoding(RowLength::Clip);
    let names = [
        "age",
        "age is missing",
        "education = none",
        "education = Bachelors",
        "education = NULL",
        "smoker",
        "constant",
    ];
    assert_eq!(encoding.feature_names(), names);
    assert_eq!(ratios(&encoding, &[26, 2, 2]), [0.25, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0]);
    assert_eq!(ratios(&encoding, &[0, 0, 0]), [0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0], "NULL, unlisted, NULL");
    assert_eq!(ratios(&encoding, &[101, 3, 1]), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
    // What there is not says nothing, and does not panic.
    assert_eq!(ratios(&encoding, &[u32::MAX, 4, 3]), ratios(&encoding, &[0, 0, 0]));
    assert_eq!(ratios(&encoding, &[]), ratios(&encoding, &[0, 0, 0]));
}

#[test]
fn values_are_encoded_as_codes_are() {
    let encoding = encoding(RowLength::Clip);
    let text = |text: &str| Some(Label::Text(text.to_owned()));
    let of_codes = |codes: &[u32]| {
        let mut features = vec![0.0; encoding.dimension()];
        encoding.features(codes, &mut features);
        features
    };
    let cases: [(Vec<Option<Label>>, [u32; 3]); 6] = [
        (vec![Some(Label::Integer(25)), text("Bachelors"), Some(Label::Truth(true))], [26, 2, 2]),
        (vec![Some(Label::Number(25.4)), None, Some(Label::Truth(false))], [26, 3, 1]),
        (vec![Some(Label::Number(1e300)), text("PhD"), None], [101, 0, 0]),
        (vec![Some(Label::Integer(i64::MIN)), text("none")], [1, 1, 0]),
        (vec![Some(Label::Number(f64::NAN)), text(""), text("true")], [0, 0, 0]),
        (vec![Some(Label::Number(f64::INFINITY)), Some(Label::Integer(1)), None], [101, 0, 0]),
    ];
    for (values, codes) in cases {
        assert_eq!(encoding.features_of(&values), of_codes(&codes), "{values:?}");
    }
}

/// Specification: the sum of squares of every row is at most that of the bound, as floats and therefore with margin as
/// reals, for all combinations of codes; and all but [`RowLength::Clip`] divide every row by the same number.
#[test]
fn no_row_is_longer_than_its_bound() {
    for row_length in [RowLength::Clip, RowLength::Scale, RowLength::Whole] {
        let encoding = encoding(row_length);
        let mut constants = Vec::new();
        for age in [0, 1, 2, 50, 51, 100, 101, 102] {
            for education in 0..5 {
                for smoker in 0..4 {
                    let mut features = vec![0.0; encoding.dimension()];
                    encoding.features(&[age, education, smoker], &mut features);
                    let square: f64 = features.iter().map(|feature| feature * feature).sum();
                    assert!(
                        square <= encoding.norm_bound().powi(2)
                            && features.iter().all(|feature| feature.is_finite()),
                        "{square}"
                    );
                    constants.push(features[features.len() - 1]);
                }
            }
        }
        let same = constants.iter().all(|constant| (constant - constants[0]).abs() < 1e-12);
        assert_eq!(same, row_length != RowLength::Clip, "{row_length:?}");
        assert!(row_length != RowLength::Whole || constants.iter().all(|constant| *constant == 1.0));
    }
    // The longest row there can be is as long as that: 1.25 + 1 + 1 + 1.
    for (row_length, longest) in [(RowLength::Scale, 1.0), (RowLength::Whole, 4.25)] {
        let encoding = encoding(row_length);
        let mut features = vec![0.0; encoding.dimension()];
        encoding.features(&[0, 1, 2], &mut features);
        let square: f64 = features.iter().map(|feature| feature * feature).sum();
        assert!((square - longest).abs() < 1e-9 && square <= encoding.norm_bound().powi(2), "{square}");
    }
}

#[test]
fn targets_are_what_trainers_expect() {
    let with = |target: ColumnEncoding| {
        Encoding::new(vec![truth("x", false)], Some(target), RowLength::Clip).unwrap()
    };
    let targets = |encoding: &Encoding, codes: std::ops::Range<u32>| {
        codes.map(|code| encoding.target_of(code)).collect::<Vec<_>>()
    };
    let two = with(truth("t", true));
    assert_eq!(targets(&two, 0..4), [None, Some(-1.0), Some(1.0), None]);
    let named = with(category("t", &[Some("<=50K"), Some(">50K")]));
    assert_eq!(targets(&named, 0..4), [None, Some(-1.0), Some(1.0), None]);
    let names = TargetKind::TwoClasses(["<=50K".to_owned(), ">50K".to_owned()]);
    assert_eq!(named.target_kind(), Some(names));
    let three = with(category("t", &[Some("a"), None, Some("c")]));
    assert_eq!(targets(&three, 0..5), [None, Some(0.0), Some(1.0), Some(2.0), None]);
    let classes = ["a", "NULL", "c"].map(str::to_owned).to_vec();
    assert_eq!(three.target_kind(), Some(TargetKind::Classes(classes)));
    let income = with(number("t", 0.0, 1000.0, 4, false));
    assert_eq!(targets(&income, 0..7), [None, Some(-1.0), Some(-0.5), Some(0.0), Some(0.5), Some(1.0), None]);
    assert_eq!(income.number_of(0.5), Some(750.0));
    assert_eq!((income.number_of(9.0), income.number_of(f64::NAN)), (Some(1000.0), Some(500.0)));
    assert_eq!(two.number_of(0.5), None);
}

/// Codes in memory.
struct Codes(Vec<Vec<u32>>);

impl CodeBlocks for Codes {
    fn for_each_codes(&self, each: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
        self.0.iter().for_each(|block| each(block));
        Ok(())
    }
}

#[test]
fn rows_without_a_target_are_left_out_and_others_stay_in_order() {
    let encoding = encoding(RowLength::Clip);
    let codes = Codes(vec![vec![1, 1, 1, 2, 2, 2, 2, 0, 3, 3, 1, 1], vec![4, 1, 1, 0], vec![5, 0, 0, 2]]);
    let rows = EncodedRows::new(&codes, &encoding, 3);
    assert_eq!((rows.dimension(), rows.norm_bound(), rows.rows_per_person()), (7, 1.0, 3));
    let mut seen = Vec::new();
    let mut walk = |block: &Block<'_>| {
        for row in 0..block.len() {
            seen.push((block.row(row)[0] / block.row(row)[6], block.y[row]));
        }
    };
    rows.for_each_block(&mut walk).unwrap();
    let ages: Vec<f64> = seen.iter().map(|(age, _)| (age * 100.0).round()).collect();
    let targets: Vec<f64> = seen.iter().map(|(_, target)| *target).collect();
    assert_eq!((ages, targets), (vec![0.0, 2.0, 4.0], vec![1.0, -1.0, 1.0]));
}

/// Specification: a row is in the bins of its values, whatever all rows are divided by.
#[test]
fn columns_become_bins() {
    assert!(encoding(RowLength::Clip).bins(4).is_err(), "a shortened row has lost its places");
    for row_length in [RowLength::Scale, RowLength::Whole] {
        let encoding = encoding(row_length);
        let bins = encoding.bins(4).unwrap();
        let sizes: Vec<usize> = bins.iter().map(crate::Feature::bins).collect();
        assert_eq!(sizes, [4, 2, 3, 2], "age, whether it is missing, education, smoker");
        let of = |codes: &[u32]| {
            let mut features = vec![0.0; encoding.dimension()];
            encoding.features(codes, &mut features);
            bins.iter().map(|bin| bin.bin(&features)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[1, 1, 1]), [0, 0, 0, 0]);
        assert_eq!(of(&[31, 2, 2]), [1, 0, 1, 1]);
        assert_eq!(of(&[101, 3, 2]), [3, 0, 2, 1]);
        assert_eq!(of(&[0, 3, 2]), [2, 1, 2, 1], "in the middle, and missing");
        let (numbers, others) = encoding.evidence().unwrap();
        assert_eq!((numbers.len(), others.len()), (1, 3));
        let mut features = vec![0.0; encoding.dimension()];
        encoding.features(&[101, 1, 1], &mut features);
        assert!((features[numbers[0].column] - numbers[0].high).abs() < 1e-12, "the upper bound is the end");
    }
}

/// Specification: the columns of Adult make the 109 features of the reference: 8 categories of 9, 16, 7, 15, 6, 5, 2 and 42
/// values, 6 numbers and the constant.
#[test]
fn adult_has_109_features() {
    let many = |count: usize| {
        let names: Vec<String> = (0..count).map(|value| value.to_string()).collect();
        let values: Vec<Option<&str>> = names.iter().map(|name| Some(name.as_str())).collect();
        category("c", &values)
    };
    let mut columns: Vec<ColumnEncoding> = [9, 16, 7, 15, 6, 5, 2, 42].into_iter().map(many).collect();
    columns.extend((0..6).map(|_| number("n", 0.0, 1.0, 10, false)));
    assert_eq!(Encoding::new(columns, None, RowLength::Clip).unwrap().dimension(), 109);
}

#[test]
fn an_encoding_survives_its_file_and_a_wrong_file_is_refused() {
    let encoding = encoding(RowLength::Scale);
    let text = serde_json::to_string(&encoding).unwrap();
    assert_eq!(serde_json::from_str::<Encoding>(&text).unwrap(), encoding);
    let expected = r#"{"columns":[{"name":"age","type":"number","lower":0.0,"upper":100.0,"steps":100,"unit":"number","nullable":true},{"name":"education","type":"category","values":["none","Bachelors",null],"nullable":true},{"name":"smoker","type":"truth","nullable":false}],"target":{"name":"rich","type":"truth","nullable":true},"row_length":"scale"}"#;
    assert_eq!(text, expected);
    let wrong = [
        r#"{"columns":[],"target":null}"#,
        r#"{"columns":[{"name":"a","type":"number","lower":1.0,"upper":1.0,"steps":5}],"target":null}"#,
        r#"{"columns":[{"name":"a","type":"number","lower":0.0,"upper":1.0,"steps":0}],"target":null}"#,
        r#"{"columns":[{"name":"a","type":"number","lower":-1.7e308,"upper":1.7e308,"steps":5}],"target":null}"#,
        r#"{"columns":[{"name":"a","type":"category","values":[]}],"target":null}"#,
        r#"{"columns":[{"name":"a","type":"category","values":[1, 1.0]}],"target":null}"#,
        r#"{"columns":[{"name":"a","type":"truth"}],"target":{"name":"t","type":"category","values":["x"]}}"#,
    ];
    for text in wrong {
        assert!(serde_json::from_str::<Encoding>(text).is_err(), "{text}");
    }
}
