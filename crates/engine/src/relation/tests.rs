//! Operators against their definition, on random relations over small hostile tables.

mod cases;
mod execution;
mod naive;
mod trees;
mod world;

use std::collections::BTreeMap;

use pointillist_catalog::Value;
use pointillist_plan::Relation;

use self::naive::{Mutant, Row, is_public, naive};
use self::world::{LinkMutant, World};
use super::{Context, Table, rows_of};
use crate::bound::HashKey;
use crate::tests::Chance;

const TREES: u64 = 4_000;

/// The engine's rows of a relation over leaves as the definition has them.
fn evaluated(relation: &Relation, world: &World) -> Vec<Row> {
    let leaves = |leaf: &Relation| -> Option<Table> {
        let rows = world.leaf(leaf, None)?;
        Some(world::table(&rows, &leaf.types(), !is_public(leaf)))
    };
    let context = Context::people(HashKey::fixed(7));
    let table =
        rows_of(&context, relation, &leaves, 64).unwrap_or_else(|error| panic!("{error}: {relation:#?}"));
    world::rows(&table)
}

fn defined(
    relation: &Relation,
    world: &World,
    mutant: Option<Mutant>,
    link_mutant: Option<LinkMutant>,
) -> Vec<Row> {
    let mut rows = naive(relation, &|leaf| world.leaf(leaf, link_mutant), mutant);
    rows.sort();
    rows
}

fn of_others(rows: &[Row], person: &Value) -> Vec<Row> {
    rows.iter().filter(|row| row.owner.as_ref() != Some(person)).cloned().collect()
}

fn names(relation: &Relation, seen: &mut BTreeMap<String, usize>) {
    let text = format!("{relation:?}");
    let name = match relation {
        Relation::Join(join) => format!("{:?}", join.kind),
        _ => text.split(|letter: char| !letter.is_alphabetic()).next().unwrap().to_owned(),
    };
    *seen.entry(name).or_default() += 1;
    relation.inputs().into_iter().for_each(|input| names(input, seen));
}

/// Specification: rows of people's and of public relations are those of the definition, and when a person leaves, the rows
/// of others stay as they are.
#[test]
fn relations_are_as_defined_and_local() {
    let (mut with_rows, mut left) = (0, 0);
    let mut seen = BTreeMap::new();
    for number in 0..TREES {
        let mut chance = Chance(0x7265_6c00 + (number << 32));
        let people = !chance.one_in(4);
        let depth = 1 + chance.below(4);
        let relation = trees::tree(&mut chance, depth, people);
        let world = World::random(&mut chance);
        let rows = evaluated(&relation, &world);
        assert_eq!(rows, defined(&relation, &world, None, None), "{relation:#?}\n{world:#?}");
        names(&relation, &mut seen);
        with_rows += usize::from(!rows.is_empty());
        for person in world.people().iter().filter(|_| people) {
            let rest = evaluated(&relation, &world.without(person));
            assert_eq!(rest, of_others(&rows, person), "{relation:#?}\n{world:#?}");
            left += usize::from(rest.len() < rows.len());
        }
    }
    println!("{with_rows} with rows, {left} people with rows, {seen:#?}");
    assert!(with_rows as u64 > TREES / 3 && left as u64 > TREES / 2);
    assert!(seen.len() == 13 && seen.values().all(|count| *count > 50), "{seen:?}");
}

/// Specification: operators that look at other people's rows, and links with one owner or none, are not local, and the
/// worlds above show it.
#[test]
fn operators_that_are_not_local_are_noticed() {
    let mut noticed: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..1_000 {
        let mut chance = Chance(0x7265_6c01 + (number << 32));
        let depth = 1 + chance.below(3);
        let relation = trees::tree(&mut chance, depth, true);
        let world = World::random(&mut chance);
        let mutants = [
            (Some(Mutant::AnyOwnerJoins), None),
            (Some(Mutant::AnyOwnerGroups), None),
            (None, Some(LinkMutant::FirstOwner)),
            (None, Some(LinkMutant::OneOwnerOrNone)),
            (None, None),
        ];
        for (mutant, link) in mutants {
            let rows = defined(&relation, &world, mutant, link);
            for person in world.people() {
                let rest = defined(&relation, &world.without(&person), mutant, link);
                let moved = rest != of_others(&rows, &person);
                *noticed.entry(format!("{mutant:?} {link:?}")).or_default() += usize::from(moved);
            }
        }
    }
    println!("{noticed:#?}");
    assert_eq!(noticed.remove("None None"), Some(0));
    assert!(noticed.len() == 4 && noticed.values().all(|count| *count > 5), "{noticed:?}");
}
