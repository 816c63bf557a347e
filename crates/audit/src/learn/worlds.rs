//! Small tables with and without somebody, and what is seen of a model.

use pointillist_learn::{GridNumbers, LearnError, MemoryRows};
use pointillist_noise::SecureBits;
use pointillist_privacy::Loss;

use super::RADIUS;
use crate::{Observation, Part, Subject, Trial};

/// Rows with their targets, and the row that an adversary looks for.
pub(super) struct World {
    pub rows: MemoryRows,
    wanted: Vec<f64>,
}

/// Rows of two features and a target.
pub(super) type Table = Vec<([f64; 2], f64)>;

impl World {
    /// This table, of people with so many rows each.
    pub fn new(table: &[([f64; 2], f64)], rows_per_person: u32, wanted: [f64; 2]) -> Self {
        let x = table.iter().flat_map(|(row, _)| *row).collect();
        let y = table.iter().map(|(_, target)| *target).collect();
        Self { rows: MemoryRows::new(x, y, 2, RADIUS, rows_per_person), wanted: wanted.to_vec() }
    }

    /// Released numbers, the score of the wanted row by each group of as many, and how long the whole is.
    pub fn seen(&self, name: &str, numbers: &GridNumbers) -> Observation {
        let values = numbers.to_f64();
        let mut seen = listed(Observation::new(), name, numbers);
        for (place, own) in values.chunks_exact(self.wanted.len()).enumerate() {
            let score: f64 = own.iter().zip(&self.wanted).map(|(a, b)| a * b).sum();
            seen = seen.with(format!("score {} of the newcomer", place + 1), score);
        }
        seen.with("length", values.iter().map(|value| value * value).sum::<f64>().sqrt())
    }
}

/// Released numbers, each a part.
pub(super) fn listed(seen: Observation, name: &str, numbers: &GridNumbers) -> Observation {
    let values = numbers.values.iter().enumerate();
    values.fold(seen, |seen, (place, value)| seen.with(format!("{name} {}", place + 1), Part::from(*value)))
}

/// A pair of tables, in a few words.
pub(super) struct Pair {
    pub name: &'static str,
    pub sides: [World; 2],
}

/// A trainer on pairs. A fit that fails is a release too, seen as a word.
pub(super) fn trained(
    name: impl Into<String>,
    claim: Loss,
    pairs: Vec<Pair>,
    fit: impl Fn(&World, &mut dyn SecureBits) -> Result<Observation, LearnError> + Send + 'static,
) -> Trial<World> {
    let trial = Trial::new(name, claim, move |world: &World, bits| {
        fit(world, bits).unwrap_or_else(|error| Observation::of(error.to_string()))
    });
    let add = |trial: Trial<World>, Pair { name, sides: [left, right] }| trial.pair(name, left, right);
    pairs.into_iter().fold(trial, add)
}

/// The same as a subject that draws so many releases a second.
pub(super) fn subject(trial: Trial<World>, releases_a_second: usize) -> Box<dyn Subject> {
    Box::new(trial.slow(releases_a_second))
}

/// A table, and the same with somebody who brings these rows.
fn joined(name: &'static str, crowd: Table, newcomer: &[([f64; 2], f64)], rows_per_person: u32) -> Pair {
    let mut with = crowd.clone();
    with.extend(newcomer);
    let wanted = newcomer.first().map_or([RADIUS, 0.0], |(row, _)| *row);
    let side = |table: &Table| World::new(table, rows_per_person, wanted);
    Pair { name, sides: [side(&crowd), side(&with)] }
}

/// Somebody with this many rows joins, by targets of two classes: `other` is that of the crowd.
pub(super) fn joining(rows_per_person: u32, own: f64, other: f64) -> Vec<Pair> {
    let k = rows_per_person as usize;
    let longest = ([RADIUS, 0.0], own);
    let crowd = vec![([RADIUS, 0.0], other); 20];
    let cancelling: Table = (0..k).map(|at| ([RADIUS, 0.0], if at % 2 == 0 { own } else { other })).collect();
    vec![
        joined("nobody, or somebody with the longest rows", vec![], &vec![longest; k], rows_per_person),
        joined("the longest rows against a crowd", crowd, &vec![longest; k], rows_per_person),
        joined(
            "rows that are longer in both features",
            vec![([0.5, -0.5], other); 4],
            &vec![([1e9, 1e9], own); k],
            rows_per_person,
        ),
        joined("rows of both classes", vec![([RADIUS, 0.0], own); 3], &cancelling, rows_per_person),
        joined(
            "what is no number, and no target",
            vec![([1.0, 1.0], other); 4],
            &vec![([f64::NAN, f64::NEG_INFINITY], f64::NAN); k],
            rows_per_person,
        ),
    ]
}

/// How many rows tables have of which one row is exchanged.
pub(super) const ROWS_PUBLIC: u64 = 8;

/// One of eight rows is exchanged, by targets of two classes.
pub(super) fn exchanging() -> Vec<Pair> {
    let pair = |name, crowd: ([f64; 2], f64), left: ([f64; 2], f64), right: ([f64; 2], f64)| {
        let side = |last| {
            let mut table = vec![crowd; ROWS_PUBLIC as usize - 1];
            table.push(last);
            World::new(&table, 1, [RADIUS, 0.0])
        };
        Pair { name, sides: [side(left), side(right)] }
    };
    let row = |along: f64, target: f64| ([along, 0.0], target);
    vec![
        pair("one changes class, the others are at zero", row(0.0, 1.0), row(RADIUS, -1.0), row(RADIUS, 1.0)),
        pair("one leaves a crowd", row(RADIUS, -1.0), row(RADIUS, -1.0), row(RADIUS, 1.0)),
        pair("one turns round", ([0.0, RADIUS], 1.0), row(RADIUS, 1.0), ([-1e9, 0.0], 1.0)),
    ]
}
