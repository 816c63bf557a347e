//! Synthesizers that are broken on purpose, each claiming what the right one would.
//!
//! **Never use anything here to protect anybody.** Where it can be, a leak is our own synthesizer, given wrong parameters; what a
//! careless implementer forgot is the one line that differs.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Epsilon, Loss, Spend};
use pointillist_synth::{CodeRows, Domain, Measured, MemoryCodes, Method, PublicCoins, Recipe, Synthesizer};

use super::evidence::{cells, seen};
use super::synthesizers::small;
use super::worlds::{Row, World, joined};
use crate::{Observation, Planted, Trial};

/// Why the parameters below never fail.
const CONSTANT: &str = "the parameters of a planted leak are constants";

/// Every broken synthesizer, with as many releases as show it.
pub(crate) fn planted() -> Vec<Planted> {
    vec![
        leak("A marginal is released twice, and paid for once.", 6000, released_twice()),
        leak("The list of values was read from the data.", 1000, values_of_data()),
        leak("As many rows are made up as there were.", 1000, exact_rows()),
        leak("Rare values are merged by their true counts.", 1000, merged_by_true_counts()),
        leak("Bins end at the true median.", 1000, bins_of_data()),
        leak("The pair that is measured is the best one, chosen without noise.", 1000, exact_choice()),
        leak("A person has three rows, and the noise is for one.", 6000, three_rows_for_one()),
    ]
}

fn leak(flaw: &'static str, releases: usize, trial: Trial<World>) -> Planted {
    Planted { subject: Box::new(trial), flaw, releases }
}

/// What everything here claims.
fn price() -> Spend {
    Spend::Pure(Epsilon::parse("1").expect(CONSTANT))
}

fn broken(
    name: &str,
    release: impl Fn(&World, &mut dyn SecureBits) -> Observation + Send + 'static,
) -> Trial<World> {
    let claim: Loss = price().loss();
    Trial::new(format!("synth: {name}"), claim, release)
}

fn between(trial: Trial<World>, name: &'static str, crowd: &[Row], newcomer: &[Row]) -> Trial<World> {
    let [left, right] = joined(name, crowd, newcomer).sides;
    trial.pair(name, left, right)
}

/// MST of columns of these sizes.
fn mst(sizes: &[u32]) -> Synthesizer {
    let recipe = Recipe::new(Method::Mst).with_settings("merge = 0, iterations = 3").expect(CONSTANT);
    recipe.synthesizer(Domain::new(sizes.to_vec()).expect(CONSTANT), 1, &price()).expect(CONSTANT)
}

fn fit(synthesizer: &Synthesizer, rows: &MemoryCodes, bits: &mut dyn SecureBits) -> Measured {
    synthesizer.fit(rows, bits, &mut |_| ()).expect("rows in memory stay")
}

/// The rows of a world, as whoever cheats sees them.
fn true_rows(world: &World) -> Vec<Row> {
    let mut rows = Vec::new();
    let columns = world.newcomer.first().map_or(1, Vec::len);
    let read =
        world.rows.for_each_codes(&mut |block| rows.extend(block.chunks_exact(columns).map(<[u32]>::to_vec)));
    read.expect("rows in memory stay");
    rows
}

fn released_twice() -> Trial<World> {
    let synthesizer = mst(&[2]);
    let trial = broken("a marginal released twice", move |world, bits| {
        let mut measured = fit(&synthesizer, &world.rows, bits);
        measured.marginals.extend(fit(&synthesizer, &world.rows, bits).marginals);
        seen(world, &measured, &[2])
    });
    between(trial, "one more of a value", &vec![vec![0]; 9], &[vec![1]])
}

fn values_of_data() -> Trial<World> {
    let trial = broken("the values of the data", |world, bits| {
        let last = true_rows(world).iter().map(|row| row[0]).max().unwrap_or(0);
        let measured = fit(&mst(&[last + 1]), &world.rows, bits);
        cells(Observation::new(), "value", &measured.marginals[0].cells)
    });
    between(trial, "somebody with a value of their own", &vec![vec![1]; 9], &[vec![2]])
}

fn exact_rows() -> Trial<World> {
    let synthesizer = small(Method::Mst, 1, &price()).expect(CONSTANT);
    let trial = broken("as many rows as there were", move |world, bits| {
        let model = synthesizer.model(fit(&synthesizer, &world.rows, bits)).expect("its own numbers");
        let rows = true_rows(world).len() as u64;
        let made_up = model.sample(Some(rows), &mut PublicCoins::of(&[b"planted"])).expect(CONSTANT);
        Observation::new().with("rows", made_up[0].len())
    });
    between(trial, "one more in a crowd", &vec![vec![0, 0, 0]; 9], &[vec![0, 0, 0]])
}

/// Values that fewer than three rows have become one.
fn merged_by_true_counts() -> Trial<World> {
    let trial = broken("values merged by true counts", |world, bits| {
        let rows = true_rows(world);
        let is_rare = |code: u32| rows.iter().filter(|row| row[0] == code).count() < 3;
        let stay: Vec<u32> = (0..4).filter(|code| !is_rare(*code)).collect();
        let place = |code: u32| stay.iter().position(|own| *own == code).unwrap_or(stay.len()) as u32;
        let merged = MemoryCodes::new(rows.iter().map(|row| place(row[0])).collect(), 1);
        let measured = fit(&mst(&[stay.len() as u32 + 1]), &merged, bits);
        cells(Observation::new(), "value", &measured.marginals[0].cells)
    });
    let crowd: Vec<Row> = [0, 0, 0, 0, 1, 1, 1, 2, 2].map(|code| vec![code]).to_vec();
    between(trial, "a third with a value", &crowd, &[vec![2]])
}

fn bins_of_data() -> Trial<World> {
    let synthesizer = mst(&[2]);
    let trial = broken("bins that end at the median", move |world, bits| {
        let mut values: Vec<u32> = true_rows(world).iter().map(|row| row[0]).collect();
        values.sort_unstable();
        let median = values[values.len() / 2];
        let bins = MemoryCodes::new(values.iter().map(|value| u32::from(*value > median)).collect(), 1);
        let measured = fit(&synthesizer, &bins, bits);
        cells(Observation::new(), "bin", &measured.marginals[0].cells).with("end of the first bin", median)
    });
    let crowd: Vec<Row> = [1, 2, 3, 7, 8].map(|value| vec![value]).to_vec();
    between(trial, "one more above the median", &crowd, &[vec![9]])
}

/// Of two pairs the one that differs in more rows is measured.
fn exact_choice() -> Trial<World> {
    let synthesizer = mst(&[2, 2]);
    let trial = broken("a pair chosen without noise", move |world, bits| {
        let rows = true_rows(world);
        let differing = |other: usize| rows.iter().filter(|row| row[0] != row[other]).count();
        let chosen = if differing(2) > differing(1) { 2 } else { 1 };
        let pair = MemoryCodes::new(rows.iter().flat_map(|row| [row[0], row[chosen]]).collect(), 2);
        let measured = fit(&synthesizer, &pair, bits);
        cells(Observation::new(), &format!("columns 0 and {chosen}"), &measured.marginals[0].cells)
    });
    between(trial, "somebody breaks a tie", &vec![vec![0, 1, 1]; 6], &[vec![1, 1, 0]])
}

fn three_rows_for_one() -> Trial<World> {
    let synthesizer = mst(&[2]);
    let trial = broken("the noise of one row", move |world, bits| {
        seen(world, &fit(&synthesizer, &world.rows, bits), &[2])
    });
    between(trial, "somebody with three rows", &vec![vec![0]; 9], &vec![vec![1]; 3])
}
