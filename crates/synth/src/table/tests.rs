use pointillist_privacy::{Epsilon, Rho};
use pointillist_testkit::seeded;

use super::bins::Bins;
use super::*;
use crate::{MemoryCodes, Method};

fn recipe(settings: &str) -> TableRecipe {
    TableRecipe::new(Method::Mst).with_settings(settings).unwrap()
}

fn bins(attribute: Attribute, settings: &str, histogram: &[i64]) -> Bins {
    let layout = TableLayout::new(vec![attribute], &recipe(settings)).unwrap();
    let histograms: Vec<Vec<i64>> = [histogram.to_vec()].into_iter().filter(|it| !it.is_empty()).collect();
    layout.bins(&histograms).unwrap().remove(0)
}

/// Specification: every cell is in the bin whose range it lies in, ranges follow each other without gaps, and a cell that is drawn
/// for a bin lies in it.
#[test]
fn bins_cut_the_cells_of_a_column_without_gaps() {
    let long = |len: usize| (0..len as i64).map(|at| (at * 7919) % 23 - 4).collect::<Vec<_>>();
    for (attribute, settings, histogram) in [
        (Attribute::listed(5), "bins = 2", vec![]),
        (Attribute::ordered(1, 3), "bins = 8", vec![]),
        (Attribute::ordered(0, 1000), "bins = 7", vec![]),
        (Attribute::ordered(1, 1000), "bins = 7, binning = quantile", long(1000)),
        (Attribute::ordered(1, 5000), "bins = 16, binning = quantile", long(1000)),
        (Attribute::ordered(0, 100), "bins = 99, binning = quantile", long(100)),
        (Attribute::ordered(0, 100), "bins = 5, binning = quantile", vec![0; 100]),
        (Attribute::ordered(0, 100), "bins = 5, binning = quantile", vec![-9; 100]),
    ] {
        let bins = bins(attribute, settings, &histogram);
        let mut next = 0;
        for bin in 0..bins.count() {
            let (first, last) = bins.cells(bin);
            assert_eq!(first, next, "{attribute:?} {settings}: bin {bin}");
            assert!(last >= first);
            assert!((first..=last).all(|cell| bins.bin(cell) == bin), "{attribute:?} {settings}: bin {bin}");
            let mut coins = PublicCoins::of(&[&bin.to_be_bytes()]);
            assert!((0..50).all(|_| (first..=last).contains(&bins.draw(bin, &mut coins))));
            next = last + 1;
        }
        assert_eq!(next, attribute.cells(), "{attribute:?} {settings}");
        // A cell that no column has ends in the last bin and does not end the program.
        assert!(bins.bin(u32::MAX) < bins.count());
    }
}

#[test]
fn even_bins_end_where_people_ask() {
    let ages = bins(Attribute::ordered(0, 121), "bins = 32", &[]);
    assert_eq!((ages.count(), ages.cells(0), ages.cells(24)), (25, (0, 4), (120, 120)));
    let cents = bins(Attribute::ordered(1, 15_001), "bins = 32", &[]);
    assert_eq!((ages.bin(65), cents.cells(1), cents.cells(2)), (13, (1, 500), (501, 1000)));
    let huge = bins(Attribute::ordered(0, u32::MAX - 1), "bins = 2", &[]);
    assert!(huge.count() <= 2 && huge.bin(u32::MAX) < 2);
}

#[test]
fn quantile_bins_have_about_as_many_rows_each() {
    let histogram: Vec<i64> = (0..100).map(|at| if at < 10 { 1000 } else { 10 }).collect();
    let bins = bins(Attribute::ordered(0, 100), "bins = 10, binning = quantile", &histogram);
    for bin in 0..9 {
        let (first, last) = bins.cells(bin);
        let inside: i64 = histogram[first as usize..=last as usize].iter().sum();
        assert!((900..=1300).contains(&inside), "bin {bin} has {inside}");
    }
}

/// Specification: what bins and counts lose together is what was paid, exactly, and the noise of bins is for k rows in each of the
/// binned columns.
#[test]
fn a_price_is_split_between_bins_and_counts_and_nothing_is_left() {
    let attributes = vec![Attribute::ordered(1, 5000), Attribute::listed(3), Attribute::ordered(0, 400)];
    for settings in ["bins = 8", "bins = 8, binning = quantile", "binning = quantile, binning_percent = 33"] {
        let recipe = recipe(settings);
        let layout = TableLayout::new(attributes.clone(), &recipe).unwrap();
        let rho = Rho::parse("0.0377").unwrap();
        let made = recipe.synthesizer(layout.clone(), 3, &Spend::Concentrated(rho.clone())).unwrap();
        assert_eq!(made.loss().rho(), Some(rho), "{settings}");
        let epsilon = Epsilon::parse("0.7").unwrap();
        let made = recipe.synthesizer(layout, 3, &Spend::Pure(epsilon.clone())).unwrap();
        assert_eq!(made.loss().pure_epsilon(), Some(epsilon), "{settings}");
    }
}

/// Specification: one person with k rows moves the histograms by at most k·√m in L2, whatever the rows hold. The noise is the same in
/// both fits, since it is drawn before rows are read, and so it cancels.
#[test]
fn a_person_moves_histograms_by_no_more_than_their_noise_is_for() {
    let recipe = recipe("bins = 4, binning = quantile");
    let attributes = vec![Attribute::ordered(1, 5000), Attribute::listed(3), Attribute::ordered(0, 400)];
    let layout = TableLayout::new(attributes, &recipe).unwrap();
    let (k, columns) = (3, layout.quantile_columns());
    assert_eq!(columns, [0, 2]);
    let quantiles = QuantileBins::new(columns, k, &Spend::Concentrated(Rho::parse("0.01").unwrap())).unwrap();
    let scale = quantiles.words();
    // σ² = k² m / (2ρ) = 9 · 2 / 0.02 = 900.
    assert!(scale.ends_with("scale 30.0"), "{scale}");
    let release = |codes: &[u32]| {
        let rows = MemoryCodes::new(codes.to_vec(), 3);
        quantiles.release(&layout, &rows, &mut seeded(7)).unwrap()
    };
    let others = [17, 2, 399, 0, 0, 0, 4999, 1, 30];
    for person in [[1, 0, 0], [u32::MAX, 9, u32::MAX], [0, 0, 77]] {
        let with: Vec<u32> = others.iter().copied().chain(person).chain(person).chain(person).collect();
        let (with, without) = (release(&with), release(&others));
        let moved = with.iter().flatten().zip(without.iter().flatten()).map(|(with, without)| with - without);
        let squares: i64 = moved.map(|moved| moved * moved).sum();
        assert!(squares <= 9 * 2, "{person:?}: {squares}");
    }
}

#[test]
fn settings_that_are_not_known_are_refused_with_those_that_are() {
    let refused =
        |settings: &str| TableRecipe::new(Method::Mst).with_settings(settings).unwrap_err().to_string();
    assert!(refused("bin = 4").contains("there is no setting `bin`; there are bins, binning"));
    assert!(refused("bins = 1").contains("from 2 to 1024"));
    assert!(refused("binning = fine").contains("`fine` is no value"));
    assert!(refused("bins").contains("write it as bins = 16"));
    assert!(refused("binning_percent = 90").contains("from 1 to 50"));
    // A file says what it likes.
    for recipe in [TableRecipe { bins: 0, ..recipe("") }, TableRecipe { binning_percent: 101, ..recipe("") }]
    {
        assert!(TableLayout::new(vec![Attribute::ordered(0, 9)], &recipe).is_err());
    }
}

#[test]
fn made_up_rows_come_again_and_lie_in_their_columns() {
    let recipe = recipe("bins = 4, binning = quantile");
    let attributes = vec![Attribute::ordered(1, 5000), Attribute::listed(3), Attribute::ordered(0, 400)];
    let layout = TableLayout::new(attributes.clone(), &recipe).unwrap();
    let codes: Vec<u32> = (0..3000u32).flat_map(|at| [at % 5001, at % 3, at % 400]).collect();
    let spend = Spend::Concentrated(Rho::parse("5").unwrap());
    let made = recipe.synthesizer(layout, 1, &spend).unwrap();
    let measured = made.fit(&MemoryCodes::new(codes, 3), &mut seeded(3), &mut |_| {}).unwrap();
    let again = TableMeasured::from_bytes(&measured.to_bytes()).unwrap();
    assert_eq!(again, measured);
    let model = made.model(&measured).unwrap();
    let sample = |rows| model.sample(rows, &mut PublicCoins::of(&[b"table"])).unwrap();
    assert_eq!(sample(500), sample(500));
    for (column, attribute) in sample(2000).iter().zip(&attributes) {
        assert_eq!(column.len(), 2000);
        assert!(column.iter().all(|cell| *cell < attribute.cells()));
    }
    assert!((model.total() - 3000.0).abs() < 100.0, "{}", model.total());
    // Numbers of other columns are refused and do not end the program.
    let other = TableLayout::new(attributes[..2].to_vec(), &recipe).unwrap();
    let other = recipe.synthesizer(other, 1, &spend).unwrap();
    assert!(other.model(&measured).is_err());
}
