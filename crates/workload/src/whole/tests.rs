use pointillist_testkit::seeded;

use super::*;
use crate::Attribute;

fn cube() -> Cube {
    let places = Attribute::levels(vec![vec![0, 0], vec![1, 0, 1, 1]]).unwrap();
    Cube::new(vec![
        Attribute::categories(3).unwrap(),
        places,
        Attribute::tree(5, 2).unwrap(),
        Attribute::categories(2).unwrap(),
    ])
}

/// Estimates that agree: sums of one signed table.
fn estimates(cube: &Cube, tables: &[&[usize]], seed: u64) -> (Vec<i128>, Vec<(Depths, Vec<f64>)>) {
    let finest = cube.finest();
    let mut words = seeded(seed);
    let cells = cube.cells(&finest).unwrap();
    let truth: Vec<i128> = (0..cells).map(|_| i128::from((words() >> 61) * (words() & 1))).collect();
    let noisy: Vec<f64> = truth.iter().map(|x| *x as f64 + (words() >> 50) as f64 / 1500.0 - 5.46).collect();
    let table = |depths: &&[usize]| (depths.to_vec(), cube.sum_to(&finest, &noisy, depths).unwrap());
    (truth, tables.iter().map(table).collect())
}

fn check(cube: &Cube, tables: &[&[usize]], seed: u64) -> Vec<Vec<i128>> {
    let (_, estimates) = estimates(cube, tables, seed);
    let whole = whole_numbers(cube, &estimates).unwrap();
    assert!(whole.iter().flatten().all(|value| *value >= 0), "{tables:?}");
    for (one, (depths, _)) in estimates.iter().enumerate() {
        for (other, (beside, _)) in estimates.iter().enumerate() {
            let shared = meet(depths, beside);
            let sums = |index: usize, depths: &Depths| cube.sum_to(depths, &whole[index], &shared).unwrap();
            assert_eq!(sums(one, depths), sums(other, beside), "{depths:?} and {beside:?}");
        }
    }
    whole
}

/// Specification: whatever is published together agrees on everything it shares, and has no negative number.
#[test]
fn whole_tables_agree_wherever_they_overlap() {
    let cube = cube();
    let lists: [&[&[usize]]; 9] = [
        &[&[1, 0, 0, 0]],
        &[&[0, 0, 0, 0], &[0, 1, 0, 0], &[0, 2, 0, 0]],
        &[&[1, 0, 0, 0], &[1, 2, 0, 0], &[1, 2, 3, 0], &[1, 2, 3, 1]],
        &[&[1, 2, 0, 0], &[1, 0, 3, 0], &[0, 2, 3, 0], &[1, 0, 0, 1], &[0, 2, 0, 1], &[0, 0, 3, 1]],
        &[&[1, 1, 0, 0], &[0, 2, 0, 1], &[0, 2, 0, 0]],
        &[&[1, 2, 3, 0], &[1, 0, 0, 0], &[0, 2, 0, 0], &[0, 0, 3, 0]],
        &[&[1, 2, 3, 1], &[1, 0, 0, 0], &[0, 2, 0, 0], &[0, 0, 3, 0], &[0, 0, 0, 1]],
        &[&[1, 2, 0, 1], &[1, 2, 0, 0], &[0, 2, 0, 1]],
        &[&[0, 0, 1, 0], &[0, 0, 2, 0], &[0, 0, 3, 1], &[1, 0, 2, 0]],
    ];
    for (index, tables) in lists.iter().enumerate() {
        for seed in 0..10 {
            check(&cube, tables, 100 * index as u64 + seed);
        }
    }
}

/// Specification: three-way tables that share two-way ones come from one joint table, and agree all the same.
#[test]
fn three_way_tables_agree_through_their_joint_table() {
    let cube = cube();
    let tables: [&[usize]; 4] = [&[1, 2, 3, 0], &[1, 2, 0, 1], &[1, 0, 3, 1], &[0, 2, 3, 1]];
    for seed in 0..5 {
        check(&cube, &tables, seed);
    }
}

#[test]
fn a_joint_table_that_is_too_large_is_not_tried() {
    let cube = Cube::new(vec![Attribute::categories(60).unwrap(); 4]);
    let depths: [Depths; 4] = [vec![1, 1, 1, 0], vec![1, 1, 0, 1], vec![1, 0, 1, 1], vec![0, 1, 1, 1]];
    let estimates: Vec<(Depths, Vec<f64>)> =
        depths.iter().map(|depths| (depths.clone(), vec![1.0; 216_000])).collect();
    assert_eq!(whole_numbers(&cube, &estimates), None);
}

/// Specification: whole estimates of people stay as they are.
#[test]
fn tables_that_are_whole_already_do_not_change() {
    let cube = cube();
    let finest = cube.finest();
    let mut words = seeded(77);
    let truth: Vec<i128> = (0..cube.cells(&finest).unwrap()).map(|_| i128::from(words() >> 58)).collect();
    let tables: [&[usize]; 5] = [&[1, 2, 0, 0], &[1, 0, 3, 0], &[0, 2, 3, 0], &[1, 0, 0, 1], &[0, 1, 0, 0]];
    let sums = |depths: &&[usize]| cube.sum_to(&finest, &truth, depths).unwrap();
    let exact: Vec<Vec<i128>> = tables.iter().map(sums).collect();
    let floats = |values: &Vec<i128>| values.iter().map(|value| *value as f64).collect();
    let estimates: Vec<(Depths, Vec<f64>)> =
        tables.iter().zip(&exact).map(|(depths, values)| (depths.to_vec(), floats(values))).collect();
    assert_eq!(whole_numbers(&cube, &estimates).unwrap(), exact);
}

#[test]
fn what_is_no_table_is_refused() {
    let cube = cube();
    assert_eq!(whole_numbers(&cube, &[(vec![1, 0, 0, 0], vec![1.0])]), None);
    assert_eq!(whole_numbers(&cube, &[(vec![1, 0, 0, 0], vec![1.0, f64::NAN, 2.0])]), None);
    assert_eq!(whole_numbers(&cube, &[]), Some(vec![]));
}
