//! What synthesizers promise of the tables they make.

use pointillist_privacy::{Epsilon, Rho, Spend};
use pointillist_synth::{Domain, Measured, MemoryCodes, Method, Model, PublicCoins, Recipe, Synthesizer};
use pointillist_testkit::seeded;

pub const METHODS: [Method; 4] = Method::ALL;

pub fn rho(text: &str) -> Spend {
    Spend::Concentrated(Rho::parse(text).unwrap())
}

/// A chain: each column mostly repeats the one before.
pub fn chain(rows: usize, sizes: &[u32]) -> MemoryCodes {
    let mut words = seeded(99);
    let mut codes = Vec::new();
    for _ in 0..rows {
        let mut before = (words() % 3) as u32;
        for size in sizes {
            let code =
                if words().is_multiple_of(5) { (words() % u64::from(*size)) as u32 } else { before % size };
            codes.push(code);
            before = code;
        }
    }
    MemoryCodes::new(codes, sizes.len())
}

fn synthesizer(method: Method, sizes: &[u32], spend: &Spend) -> Synthesizer {
    Recipe::new(method).synthesizer(Domain::new(sizes.to_vec()).unwrap(), 1, spend).unwrap()
}

pub fn counts(columns: &[Vec<u32>], set: &[usize], sizes: &[u32]) -> Vec<f64> {
    let cells: u32 = set.iter().map(|column| sizes[*column]).product();
    let mut counts = vec![0.0; cells as usize];
    for row in 0..columns[0].len() {
        counts[set.iter().fold(0, |cell, c| cell * sizes[*c] as usize + columns[*c][row] as usize)] += 1.0;
    }
    counts
}

pub fn truth(rows: &MemoryCodes, d: usize) -> Vec<Vec<u32>> {
    use pointillist_synth::CodeRows as _;
    let mut columns = vec![Vec::new(); d];
    rows.for_each_codes(&mut |block| {
        block
            .chunks_exact(d)
            .for_each(|row| row.iter().zip(&mut columns).for_each(|(code, column)| column.push(*code)));
    })
    .unwrap();
    columns
}

/// Specification: with a large price every method's rows have the pairs of a chain, and a model read back is the model.
#[test]
fn with_little_noise_rows_have_the_marginals_of_the_table() {
    let sizes = [3, 4, 2, 5];
    let rows = chain(20_000, &sizes);
    let columns = truth(&rows, 4);
    for method in METHODS {
        let synthesizer = synthesizer(method, &sizes, &rho("100"));
        let mut bits = seeded(5);
        let measured = synthesizer.fit(&rows, &mut bits, &mut |_| ()).unwrap();
        let model = synthesizer.model(measured).unwrap();
        assert!((model.total() - 20_000.0).abs() < 50.0, "{method}: {}", model.total());
        let drawn = model.sample(Some(20_000), &mut PublicCoins::of(&[b"drawn"])).unwrap();
        for pair in [[0, 1], [1, 2], [2, 3]] {
            let (have, want) = (counts(&drawn, &pair, &sizes), counts(&columns, &pair, &sizes));
            let distance: f64 = have.iter().zip(&want).map(|(a, b)| (a - b).abs()).sum::<f64>() / 20_000.0;
            assert!(distance < 0.05, "{method} {pair:?}: {distance}");
            let cells = model.marginal(&pair).unwrap();
            let distance: f64 = have.iter().zip(&cells).map(|(a, b)| (a - b).abs()).sum::<f64>() / 20_000.0;
            assert!(distance < 0.02, "{method} {pair:?}: rows and model are {distance} apart");
        }
        let text = serde_json::to_string(&model).unwrap();
        let read: Model = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let coins = || PublicCoins::of(&[b"again"]);
        assert_eq!(read.sample(None, &mut coins()).unwrap(), model.sample(None, &mut coins()).unwrap());
    }
}

/// Specification: the loss that is stated is the price, exactly, in both currencies, for any recipe.
#[test]
fn the_loss_is_the_price() {
    let mut words = seeded(7);
    for _ in 0..60 {
        let sizes: Vec<u32> = (0..1 + words() % 7).map(|_| 1 + (words() % 6) as u32).collect();
        let price = format!("{}/{}", 1 + words() % 1000, 1 + words() % 1000);
        let degree = 1 + words() % 3;
        for method in METHODS {
            let recipe = Recipe::new(method).with_settings(&format!("degree = {degree}")).unwrap();
            let domain = Domain::new(sizes.clone()).unwrap();
            let made = recipe.synthesizer(domain.clone(), 1 + (words() % 3) as u32, &rho(&price)).unwrap();
            assert_eq!(made.loss().rho().unwrap(), Rho::parse(&price).unwrap());
            assert!(!made.outlook().is_empty() && !made.mechanism().is_empty());
            let pure = recipe.synthesizer(domain, 1, &Spend::Pure(Epsilon::parse(&price).unwrap()));
            match method {
                Method::Aim => assert!(pure.is_err()),
                _ => {
                    assert_eq!(pure.unwrap().loss().pure_epsilon().unwrap(), Epsilon::parse(&price).unwrap())
                }
            }
        }
    }
}

/// Specification: what the released numbers' noise tells of their prices is never more than was charged: Σ k²/(2σ²) of all marginals, the
/// choices being paid besides.
#[test]
fn the_noise_that_is_written_down_costs_no_more_than_was_charged() {
    use pointillist_numbers::Rational;
    use pointillist_synth::Noise;
    let sizes = [3, 4, 2, 5, 3];
    let rows = chain(3000, &sizes);
    for (method, share) in [
        (Method::Mst, Rational::ratio(2, 3)),
        (Method::Aim, Rational::one()),
        (Method::Mwem, Rational::one()),
    ] {
        for k in [1u32, 3] {
            let domain = Domain::new(sizes.to_vec()).unwrap();
            let made = Recipe::new(method).synthesizer(domain, k, &rho("0.3")).unwrap();
            let measured = made.fit(&rows, &mut seeded(8), &mut |_| ()).unwrap();
            let square = Rational::from(k).squared();
            let cost = |noise: &Noise| match noise {
                Noise::Gaussian(variance) => &square / &(variance * &Rational::from(2)),
                Noise::Laplace(_) => panic!("a price in ρ buys Gaussian noise"),
            };
            let spent =
                measured.marginals.iter().fold(Rational::zero(), |sum, marginal| sum + cost(&marginal.noise));
            assert!(spent <= Rational::parse("0.3").unwrap() * share.clone(), "{method}: {spent}");
            if method == Method::Mst {
                assert_eq!(spent, Rational::parse("0.2").unwrap());
            }
        }
    }
}

#[test]
fn released_numbers_come_back_as_they_were_and_others_are_refused() {
    let sizes = [3, 4, 2];
    let rows = chain(500, &sizes);
    let domain = Domain::new(sizes.to_vec()).unwrap();
    for method in METHODS {
        let made = synthesizer(method, &sizes, &rho("0.5"));
        let measured = made.fit(&rows, &mut seeded(9), &mut |_| ()).unwrap();
        let bytes = measured.to_bytes();
        assert_eq!(Measured::from_bytes(&bytes, &domain).unwrap(), measured);
        for other in [vec![3, 4], vec![3, 4, 3], vec![4, 4, 2]] {
            let other = Domain::new(other).unwrap();
            assert!(Measured::from_bytes(&bytes, &other).is_err(), "{method} {other:?}");
        }
        assert!(Measured::from_bytes(&bytes[..bytes.len() / 2], &domain).is_err());
        for at in (0..bytes.len()).step_by(7) {
            // Whatever is changed is refused or makes a model: nothing panics.
            let mut changed = bytes.clone();
            changed[at] = b'7';
            if let Ok(measured) = Measured::from_bytes(&changed, &domain) {
                let _ = made.model(measured);
            }
        }
    }
}

/// Specification: numbers of one method are refused by another, or make a model; nothing panics.
#[test]
fn numbers_of_another_method_do_not_panic() {
    let sizes = [3, 4, 2];
    let rows = chain(500, &sizes);
    for from in METHODS {
        let measured =
            synthesizer(from, &sizes, &rho("0.5")).fit(&rows, &mut seeded(9), &mut |_| ()).unwrap();
        for to in METHODS {
            let _ = synthesizer(to, &sizes, &rho("0.5")).model(measured.clone());
        }
    }
}

/// Specification: no model is larger than it may be, whatever is chosen.
#[test]
fn no_model_is_larger_than_it_may_be() {
    let sizes = [6, 5, 7, 4, 8, 6];
    let rows = chain(5000, &sizes);
    for method in METHODS {
        for (settings, bytes) in [
            ("model_megabytes = 0.002", 2097u64),
            ("model_megabytes = 0.01", 10485),
            ("model_megabytes = 0.05", 52428),
        ] {
            let recipe = Recipe::new(method).with_settings(settings).unwrap();
            let made = recipe.synthesizer(Domain::new(sizes.to_vec()).unwrap(), 1, &rho("5")).unwrap();
            let measured = made.fit(&rows, &mut seeded(10), &mut |_| ()).unwrap();
            let model = made.model(measured).unwrap();
            assert!(model.bytes() <= bytes, "{method}, {settings}: {}", model.bytes());
        }
    }
}

/// Specification: the standard deviation that is stated for a measured cell is that of its noise. Over 400 releases the mean square of
/// (value − truth)/deviation is 1 within 0.25: under a normal law of independent cells a false alarm has probability below 1e-9.
#[test]
fn error_bars_of_measured_marginals_are_true() {
    let sizes = [2, 3, 2];
    let rows = chain(2000, &sizes);
    let columns = truth(&rows, 3);
    for method in [Method::Mst, Method::Aim, Method::Residual] {
        let made = Recipe::new(method).with_settings("merge = 0, iterations = 1").unwrap();
        let made = made.synthesizer(Domain::new(sizes.to_vec()).unwrap(), 1, &rho("0.05")).unwrap();
        let (mut squares, mut cells) = (0.0, 0.0);
        for seed in 0..400 {
            let model = made.model(made.fit(&rows, &mut seeded(seed), &mut |_| ()).unwrap()).unwrap();
            assert!(!model.measured_sets().is_empty());
            let known = model.measured(&[0]).unwrap();
            let expected = counts(&columns, &[0], &sizes);
            for (value, truth) in known.values.iter().zip(&expected) {
                squares += ((value - truth) / known.deviation).powi(2);
                cells += 1.0;
            }
        }
        let mean = squares / cells;
        assert!((0.75..1.25).contains(&mean), "{method}: {mean}");
    }
}
