//! Tables and prices that nobody hopes for.

use pointillist_privacy::{Epsilon, Rho, Spend};
use pointillist_synth::{
    CodeRows, Domain, MemoryCodes, Method, Model, PublicCoins, Recipe, RowsError, SynthError,
};
use pointillist_testkit::seeded;

use crate::synthesizers::{METHODS, rho};

fn all_the_way(
    method: Method,
    sizes: &[u32],
    rows: &dyn CodeRows,
    k: u32,
    spend: &Spend,
) -> Result<Model, SynthError> {
    let made = Recipe::new(method).synthesizer(Domain::new(sizes.to_vec())?, k, spend)?;
    let mut bits = seeded(3);
    let measured =
        made.fit(rows, &mut bits, &mut |progress| assert!((0.0..=1.0).contains(&progress.done)))?;
    let model = made.model(measured)?;
    assert!(model.total() >= 1.0 && model.total().is_finite());
    let columns = model.sample(Some(50), &mut PublicCoins::of(&[b"50"]))?;
    assert_eq!(columns.len(), sizes.len());
    for (column, size) in columns.iter().zip(sizes) {
        assert!(column.len() == 50 && column.iter().all(|code| code < size));
    }
    for (attribute, size) in sizes.iter().enumerate() {
        let cells = model.marginal(&[attribute])?;
        assert_eq!(cells.len(), *size as usize);
        assert!(cells.iter().all(|cell| cell.is_finite() && *cell >= 0.0));
        let sum: f64 = cells.iter().sum();
        assert!((sum / model.total() - 1.0).abs() < 1e-6, "{sum} of {}", model.total());
    }
    Ok(model)
}

/// Specification: no rows, one row, all rows alike, codes beyond the end, columns of one value, one column, many rows a person, and prices
/// from nothing to everything: a model or a refusal, and no panic.
#[test]
fn whatever_the_table_there_is_a_model_or_a_refusal() {
    let tables: [(&[u32], Vec<u32>); 7] = [
        (&[3, 2, 4], vec![]),
        (&[3, 2, 4], vec![0, 1, 3]),
        (&[3, 2, 4], [2, 0, 1].repeat(500)),
        (&[3, 2, 4], [u32::MAX, 7, 9].repeat(50)),
        (&[1, 1, 1], [0, 0, 0].repeat(50)),
        (&[1], vec![0; 10]),
        (&[5], vec![1, 4, 4, 2]),
    ];
    for (sizes, codes) in tables {
        let rows = MemoryCodes::new(codes, sizes.len());
        for method in METHODS {
            for k in [1, 1000, u32::MAX] {
                for price in ["1e-9", "0.01", "1", "1000"] {
                    all_the_way(method, sizes, &rows, k, &rho(price)).unwrap();
                    let pure = Spend::Pure(Epsilon::parse(price).unwrap());
                    let made = all_the_way(method, sizes, &rows, k, &pure);
                    assert_eq!(
                        made.is_err(),
                        method == Method::Aim,
                        "{method} {price} {k} {sizes:?} {:?}",
                        made.err()
                    );
                }
                // What cannot be split further is refused; a price of a column by itself need not be.
                let _ = all_the_way(method, sizes, &rows, k, &Spend::Concentrated(Rho::least()));
            }
        }
    }
}

/// Specification: a column of a million declared values is merged or refused, in bounded memory.
#[test]
fn a_column_of_a_million_values_is_merged_or_refused() {
    let sizes = [1_000_000, 4, 3];
    let codes = (0..5000u32).flat_map(|row| [row % 3, row % 4, row % 2]).collect();
    let rows = MemoryCodes::new(codes, 3);
    for method in [Method::Mst, Method::Aim, Method::Mwem] {
        let model = all_the_way(method, &sizes, &rows, 1, &rho("0.5")).unwrap();
        if method != Method::Mwem {
            assert!(model.bytes() < 1 << 23, "rare values are merged: {}", model.bytes());
        }
    }
    let refused =
        all_the_way(Method::Residual, &[1_000_000, 64, 3], &rows, 1, &rho("0.5")).unwrap_err().to_string();
    assert!(refused.contains("choose fewer columns"), "{refused}");
}

#[test]
fn rows_that_go_away_are_an_error() {
    struct Gone;
    impl CodeRows for Gone {
        fn for_each_codes(&self, _: &mut dyn FnMut(&[u32])) -> Result<(), RowsError> {
            Err(RowsError)
        }
    }
    for method in METHODS {
        assert_eq!(
            all_the_way(method, &[2, 2], &Gone, 1, &rho("1")).unwrap_err(),
            SynthError::Rows(RowsError)
        );
    }
}

#[test]
fn questions_that_no_model_answers_are_refused() {
    let rows = MemoryCodes::new(vec![0, 1, 1, 0], 2);
    let model = all_the_way(Method::Mst, &[2, 2], &rows, 1, &rho("1")).unwrap();
    for wrong in [vec![2], vec![1, 0], vec![0, 0]] {
        assert!(model.marginal(&wrong).is_err() && model.measured(&wrong).is_none(), "{wrong:?}");
    }
    assert!(model.sample(Some(u64::MAX), &mut PublicCoins::of(&[])).is_err());
    let text = serde_json::to_string(&model).unwrap();
    for (from, to) in
        [("\"total\":", "\"total\":-"), ("[2,2]", "[3,2]"), ("\"merged\":false", "\"merged\":7")]
    {
        assert!(text.contains(from), "{from}");
        assert!(serde_json::from_str::<Model>(&text.replacen(from, to, 1)).is_err(), "{to}");
    }
}
