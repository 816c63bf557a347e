//! Rows and prices that nobody would choose: a model or a clear refusal, never a panic, and never one that data decide.

use pointillist_learn::{Block, MemoryRows, Rows, RowsError};
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_testkit::seeded;

use crate::trainers::{Price, Shape, trainers};

/// Numbers that break sums, products and comparisons.
const NUMBERS: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    5e-324,
    -0.0,
    1.0,
    -1.0,
    1e-160,
    1e160,
    0.3,
];
/// Targets in and out of every range.
const TARGETS: [f64; 10] =
    [1.0, -1.0, 0.0, 2.0, 3.0, -7.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn price(epsilon: &str, delta: &str, rho: &str) -> Price {
    Price {
        epsilon: Epsilon::parse(epsilon).unwrap(),
        delta: Delta::parse(delta).unwrap(),
        rho: Rho::parse(rho).unwrap(),
    }
}

/// Tables of one shape: nobody, fewer rows than features, constant columns, one class, and what is no number anywhere.
fn tables(shape: Shape) -> Vec<(&'static str, MemoryRows)> {
    let Shape { dimension: d, norm_bound, rows_per_person } = shape;
    let rows = |x: Vec<f64>, y: Vec<f64>| MemoryRows::new(x, y, d, norm_bound, rows_per_person);
    let mixed = |n: usize, step: usize| {
        let x = (0..n * d).map(|at| NUMBERS[at * step % NUMBERS.len()]).collect();
        rows(x, (0..n).map(|at| TARGETS[at * 3 % TARGETS.len()]).collect())
    };
    let mut random = seeded(3);
    let mut unit = || random() as f64 / u64::MAX as f64 * 2.0 - 1.0;
    let spread: Vec<f64> = (0..30 * d).map(|_| unit() * norm_bound).collect();
    vec![
        ("nobody", rows(vec![], vec![])),
        ("fewer rows than features", rows(vec![0.5; d], vec![1.0])),
        ("constant columns", rows(vec![norm_bound; 20 * d], (0..20).map(|at| f64::from(at % 3)).collect())),
        ("all zero", rows(vec![0.0; 20 * d], vec![-1.0; 20])),
        ("one class", rows(spread.clone(), vec![1.0; 30])),
        ("no class", rows(spread, vec![f64::NAN; 30])),
        ("what is no number", mixed(24, 1)),
        ("what is no number, otherwise", mixed(25, 5)),
        ("more than a block", mixed(1500, 7)),
    ]
}

/// Specification: whatever the price and the shape, each trainer is made or says why not; what is made fits every table of its
/// shape or none, with the same words drawn, the same number of results, and the same error. Power: a panic, an error or a size
/// that data decide, and noise drawn by what is in the rows are all seen.
#[test]
fn every_table_ends_with_the_same_kind_of_answer() {
    let prices = [
        price("5.5e-20", "1e-60", "5.5e-20"),
        price("1e-6", "1e-12", "1e-12"),
        price("1", "1e-6", "0.5"),
        price("100000/99", "0.5", "1000"),
        price("1000000", "0.999", "1000000"),
    ];
    let mut made = std::collections::BTreeMap::new();
    for (dimension, norm_bound) in [(1, 1.0), (5, 1.0), (3, 1e-8), (3, 1e8)] {
        for rows_per_person in [1, u32::MAX] {
            let shape = Shape { dimension, norm_bound, rows_per_person };
            let tables = tables(shape);
            for price in &prices {
                for trainer in trainers(shape, price) {
                    // Where rows are exchanged, a person has one.
                    let refuses = trainer.is_of_single_rows() && rows_per_person > 1;
                    let fit = match trainer.made {
                        Ok((_, fit)) => fit,
                        Err(error) => {
                            assert!(error.to_string().len() > 15, "{}: {error}", trainer.name);
                            continue;
                        }
                    };
                    *made.entry(trainer.name).or_insert(0) += 1;
                    let mut first = None;
                    for (name, table) in &tables {
                        let mut bits = seeded(7);
                        let ended = fit(table, &mut bits).map(|released| released.len());
                        let told = (ended, bits());
                        let what = format!("{} on {name}, {shape:?}, {price:?}", trainer.name);
                        assert_eq!(*first.get_or_insert(told.clone()), told, "{what}");
                        assert_eq!(told.0.is_ok(), !refuses, "{what}: {told:?}");
                    }
                }
            }
        }
    }
    // Refusing everything would pass what is above: at the usual price every trainer is made.
    assert!(made.len() == 19 && made.values().all(|count| *count >= 4), "{made:?}");
}

/// Specification: bounds that are none, no features and no rows are refused in words, by every trainer that uses them.
#[test]
fn shapes_that_are_none_are_refused() {
    let usual = price("1", "1e-6", "0.5");
    let shape = |dimension, norm_bound, rows_per_person| Shape { dimension, norm_bound, rows_per_person };
    for norm_bound in [f64::NAN, 0.0, -1.0, f64::INFINITY, 5e-324, f64::MAX] {
        for trainer in trainers(shape(2, norm_bound, 1), &usual) {
            // Additive models look at bins alone, and need no bound; naive Bayes has bounds of its own.
            let bounded = !trainer.name.starts_with("additive") && trainer.name != "naive Bayes";
            assert!(trainer.made.is_err() || !bounded, "{} took a norm of {norm_bound}", trainer.name);
        }
    }
    for (dimension, rows_per_person) in [(0, 1), (2, 0)] {
        for trainer in trainers(shape(dimension, 1.0, rows_per_person), &usual) {
            let refused = trainer.made.is_err() || (trainer.is_of_single_rows() && rows_per_person == 0);
            assert!(refused, "{} took {dimension} features, {rows_per_person} rows", trainer.name);
        }
    }
}

/// Rows that declare one thing and hold another.
struct Lying {
    declared: (usize, f64, u32),
    x: Vec<f64>,
    y: Vec<f64>,
    gone: bool,
}

impl Rows for Lying {
    fn dimension(&self) -> usize {
        self.declared.0
    }

    fn norm_bound(&self) -> f64 {
        self.declared.1
    }

    fn rows_per_person(&self) -> u32 {
        self.declared.2
    }

    fn for_each_block(&self, each: &mut dyn FnMut(&Block<'_>)) -> Result<(), RowsError> {
        each(&Block { x: &[], y: &[], dimension: self.declared.0 });
        each(&Block { x: &self.x, y: &self.y, dimension: self.declared.0 });
        if self.gone { Err(RowsError) } else { Ok(()) }
    }
}

/// Specification: rows that declare more than the noise is made for are refused, and so is a bound that is no number; rows that
/// went away are an error. Rows that break their promise (numbers that are none, rows too long) end with a model all the same.
#[test]
fn rows_that_declare_too_much_are_refused() {
    let shape = Shape { dimension: 2, norm_bound: 1.0, rows_per_person: 2 };
    let lying = |declared, value: f64, gone| Lying { declared, x: vec![value; 6], y: vec![value; 3], gone };
    for trainer in trainers(shape, &price("1", "1e-6", "0.5")) {
        let k = if trainer.is_of_single_rows() { 1 } else { 2 };
        let (_, fit) = trainer.made.unwrap();
        let refused = |declared| fit(&lying(declared, 0.5, false), &mut seeded(1)).is_err();
        assert!(refused((3, 1.0, k)) && refused((1, 1.0, k)), "{}: features", trainer.name);
        assert!(refused((2, 1.0, k + 1)) && refused((2, 1.0, u32::MAX)), "{}: rows", trainer.name);
        if !trainer.name.starts_with("additive") && trainer.name != "naive Bayes" {
            for bound in [1.0 + f64::EPSILON, f64::INFINITY, f64::NAN, -2.0] {
                assert!(refused((2, bound, k)), "{}: a norm of {bound}", trainer.name);
            }
        }
        assert!(fit(&lying((2, 1.0, k), 0.5, true), &mut seeded(1)).is_err(), "{}: gone", trainer.name);
        for value in NUMBERS {
            let released = fit(&lying((2, 1.0, k), value, false), &mut seeded(1));
            assert!(released.is_ok(), "{} {value}: {released:?}", trainer.name);
        }
    }
}
