//! Brute force over neighbours: the planner's claims against the engine's integers.
//!
//! **Specification.** Over at least [`ACCEPTED_MIN`] statements that the planner accepts, on small hostile
//! tables, under one hash key: when any one person leaves (any one row, where rows are people), at most
//! `groups_moved` groups change, in each of them `people` by one or not at all and every measure by something
//! between its `person_bounds`; over all groups the change stays within `sensitivities` in L1 and in L2², and
//! within what the bought noise hides. The same holds for a newcomer with fifty rows that repeat other people's.
//! Values outside of their declared bounds are among those that conditions, keys and arguments see.
//! Order of rows, ends of batches, number of partitions and of passes do not show. Statements that are not
//! accepted are refused, never a panic. Where nobody has more groups than are kept, groups are those of the
//! definition, computed row by row.
//! **Power.** Over the run the claims are reached exactly for counts, people, sums, means, squares, products, values and weights, in one
//! group and over several: a claim smaller by any amount would be seen. Sixteen broken aggregations and three
//! broken claims are each noticed by the same checker, which never objects to the definition itself.
//! **Chance.** Seeds are fixed: the test says the same on every machine.

mod grammar;
mod moved;
mod reference;
mod through_relations;
mod town;
mod training;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pointillist_catalog::Catalog;
use pointillist_plan::{Aggregation, Ownership, PrivatePlan};
use pointillist_query::{Options, plan};

use self::grammar::{Question, UNSTABLE};
use self::moved::{Claims, Vector, check, vector};
use self::reference::{MUTANTS, Mutant, reference};
use self::town::{NEWCOMER, Row};
use crate::aggregate::aggregate_with;
use crate::bound::HashKey;
use crate::relation::Prepared;
use crate::rows::{MemoryTable, Origin};
use crate::tests::Chance;
use crate::{EngineOptions, Groups};

const ACCEPTED_MIN: usize = 2_000;
/// Every construct is in at least so many accepted statements.
const FEATURE_MIN: usize = 15;

/// One runtime for all.
struct Bench {
    runtime: tokio::runtime::Runtime,
    catalog: Catalog,
}

impl Bench {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Self { runtime, catalog: town::catalog() }
    }

    fn plan(&self, question: &Question) -> Result<PrivatePlan, pointillist_query::Refusal> {
        let _named = NamedWhenPanicking(&question.sql);
        plan(&self.catalog, &question.sql, &Options::default())
    }

    /// The engine's groups, all rows in one batch.
    fn run(&self, aggregation: &Aggregation, rows: &[Row], hash_key: u64) -> Vector {
        vector(&self.groups(aggregation, &[vec![rows.to_vec()]], hash_key, 1 << 20))
    }

    fn groups(
        &self,
        aggregation: &Aggregation,
        partitions: &[Vec<Vec<Row>>],
        hash_key: u64,
        memory_bytes: usize,
    ) -> Groups {
        // Every table of the question has the same rows.
        let table = |name: &str| {
            let batch = |rows: &Vec<Row>| town::whole_batch(&self.catalog, name, rows);
            MemoryTable(partitions.iter().map(|batches| batches.iter().map(batch).collect()).collect())
        };
        let names = aggregation.relation.tables();
        let tables: BTreeMap<&str, MemoryTable> = names.into_iter().map(|name| (name, table(name))).collect();
        let origins = |name: &str| tables.get(name).map(|table| table as &dyn Origin);
        let options = EngineOptions { memory_bytes, threads: 1 };
        let groups = self.runtime.block_on(async {
            let prepared = Prepared::new(&aggregation.relation, &origins, 1).await?;
            aggregate_with(HashKey::fixed(hash_key), Arc::new(prepared), aggregation, &options).await
        });
        groups.unwrap_or_else(|error| panic!("{error}: {aggregation:#?}"))
    }
}

/// Says which statement it was.
struct NamedWhenPanicking<'a>(&'a str);

impl Drop for NamedWhenPanicking<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the statement was: {}", self.0);
        }
    }
}

/// The rows without each person in turn; where rows are people, without each row.
fn neighbours(aggregation: &Aggregation, rows: &[Row]) -> Vec<Vec<Row>> {
    if aggregation.ownership() == Ownership::EachRow {
        return (0..rows.len()).map(|left_out| [&rows[..left_out], &rows[left_out + 1..]].concat()).collect();
    }
    let people: BTreeSet<usize> = rows.iter().filter_map(|row| row.owner).collect();
    people
        .iter()
        .map(|person| rows.iter().filter(|row| row.owner != Some(*person)).cloned().collect())
        .collect()
}

/// The rows in any order, cut into any batches and partitions.
fn cut(chance: &mut Chance, rows: &[Row]) -> Vec<Vec<Vec<Row>>> {
    let mut rows = rows.to_vec();
    chance.shuffle(&mut rows);
    let mut partitions = vec![Vec::new(); 1 + chance.below(3)];
    while !rows.is_empty() {
        let batch = rows.split_off(rows.len() - 1 - chance.below(rows.len().min(3)));
        let at = chance.below(partitions.len());
        partitions[at].push(batch);
    }
    partitions
}

#[test]
fn nobody_moves_the_integers_further_than_the_plan_claims() {
    let bench = Bench::new();
    let (mut accepted, mut refused, mut unstable, mut compared, mut defined) = (0, 0, 0, 0, 0);
    let mut features: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    let mut refusals: BTreeMap<&str, usize> = BTreeMap::new();
    let mut outside: BTreeMap<&str, usize> = BTreeMap::new();
    for number in 0.. {
        if accepted == ACCEPTED_MIN {
            break;
        }
        // Each question has its own chance: what the planner says about others does not change it.
        let mut chance = Chance(0x4853_0003 + (number << 32));
        let question = grammar::question(&mut chance);
        unstable += usize::from(question.features.contains(UNSTABLE));
        let plan = match bench.plan(&question) {
            Ok(plan) => plan,
            Err(refusal) => {
                assert!(!refusal.message().is_empty() && !refusal.hint().is_empty(), "{}", question.sql);
                *refusals.entry(refusal.sqlstate()).or_default() += 1;
                refused += 1;
                assert!(refused < ACCEPTED_MIN, "the grammar is mostly refused: {refusals:?}");
                continue;
            }
        };
        accepted += 1;
        question.features.iter().for_each(|feature| *features.entry(feature).or_default() += 1);
        let _named = NamedWhenPanicking(&question.sql);
        let (aggregation, claims) = (&plan.aggregation, Claims::of(&plan));
        for _ in 0..2 {
            let rows = town::rows(&mut chance);
            for place in town::places_of_values_outside(aggregation, &rows) {
                *outside.entry(place).or_default() += 1;
            }
            let hash_key = chance.word();
            let whole = bench.groups(aggregation, &[vec![rows.clone()]], hash_key, 1 << 20);
            let with = vector(&whole);
            // The definition reads one table; relations have their own (`relation/tests`).
            if aggregation.relation.table().is_some() {
                let (by_definition, chosen) = reference(aggregation, &rows, None);
                if !chosen {
                    assert_eq!(with, by_definition, "{}\n{rows:#?}", question.sql);
                    defined += 1;
                }
            }
            for rest in neighbours(aggregation, &rows) {
                let without = bench.run(aggregation, &rest, hash_key);
                let moved = check(&with, &without, &claims).unwrap_or_else(|violation| {
                    panic!(
                        "{violation:?}: {}\n{claims:#?}\n{rows:#?}\nand {rest:#?}\n{with:?}\n{without:?}",
                        question.sql
                    )
                });
                moved.0.into_iter().for_each(|what| *reached.entry(what).or_default() += 1);
                compared += 1;
            }
            let partitions = cut(&mut chance, &rows);
            let memory = if chance.one_in(4) { 0 } else { 1 << 20 };
            let shuffled = bench.groups(aggregation, &partitions, hash_key, memory);
            assert_eq!(with, vector(&shuffled), "{}\n{rows:#?}", question.sql);
            assert_eq!(whole.keys(), shuffled.keys(), "the order of keys: {}", question.sql);
            // A row that is a person adds itself and nothing else; a crowd of rows needs somebody to own it.
            if aggregation.ownership() != Ownership::EachRow {
                let crowd = town::with_newcomer(&mut chance, &rows, 50);
                assert!(crowd.iter().filter(|row| row.owner == Some(NEWCOMER)).count() == 50);
                let crowded = bench.run(aggregation, &crowd, hash_key);
                let moved = check(&crowded, &with, &claims).unwrap_or_else(|violation| {
                    panic!("{violation:?}: {}\n{claims:#?}\n{rows:#?}\nand {crowd:#?}", question.sql)
                });
                moved.0.into_iter().for_each(|what| *reached.entry(what).or_default() += 1);
                compared += 1;
            }
        }
    }
    println!("accepted {accepted}, refused {refused} {refusals:?}, unstable among all {unstable}");
    println!("compared {compared}, as defined {defined}");
    println!("features {features:#?}\nreached {reached:#?}\noutside {outside:?}");
    for place in ["conditions", "keys", "arguments"] {
        let count = outside.get(place).copied().unwrap_or(0);
        assert!(count >= FEATURE_MIN, "{count} tables with values outside of their bounds in {place}");
    }
    assert!(unstable >= 3 * FEATURE_MIN, "{unstable} statements with joins and the like, refused or not");
    let rare: Vec<_> =
        features.iter().filter(|(name, count)| **name != UNSTABLE && **count < FEATURE_MIN).collect();
    assert!(features.len() >= 60 && rare.is_empty(), "{} features, rare: {rare:?}", features.len());
    for class in ["rows", "people", "sums", "means", "squares", "products", "values", "weights"] {
        for how in ["high", "in one group", "over groups"] {
            let what = format!("{class} {how}");
            assert!(reached.contains_key(&what), "no person ever reached the claim: {what}");
        }
    }
    for what in ["groups", "sums low", "means low", "products low", "people cut high"] {
        assert!(reached.contains_key(what), "no person ever reached the claim: {what}");
    }
}

/// Specification: the checker that accepts every answer above objects to each broken aggregation on some table,
/// and to true answers under claims that are too small; and never to the definition under the plan's claims.
#[test]
fn planted_leaks_are_noticed() {
    let bench = Bench::new();
    let mut noticed: BTreeMap<Mutant, usize> = BTreeMap::new();
    let (mut fewer_groups, mut half_a_person, mut less_noise) = (0, 0, 0);
    let mut accepted = 0;
    for number in 0.. {
        if accepted == 300 {
            break;
        }
        let mut chance = Chance(0x4853_0005 + (number << 32));
        let question = grammar::question(&mut chance);
        let Ok(plan) = bench.plan(&question) else { continue };
        // Where every row is a person, there is nothing to break; the definition reads one table.
        if plan.aggregation.ownership() == Ownership::EachRow || plan.aggregation.relation.table().is_none() {
            continue;
        }
        accepted += 1;
        let (aggregation, claims) = (&plan.aggregation, Claims::of(&plan));
        let mut small = [claims.clone(), claims.clone(), claims.clone()];
        small[0].groups = claims.groups - 1;
        for (at, claim) in claims.measures.iter().enumerate() {
            let (low, high) = claim.person;
            small[1].measures[at].person = (low / 2, high / 2);
            small[2].measures[at] = claim.with_half_the_noise();
        }
        for _ in 0..4 {
            let rows = town::rows(&mut chance);
            let (with, _) = reference(aggregation, &rows, None);
            let neighbours = neighbours(aggregation, &rows);
            for rest in &neighbours {
                let (without, _) = reference(aggregation, rest, None);
                assert!(check(&with, &without, &claims).is_ok(), "{}\n{rows:#?}", question.sql);
                let caught =
                    small.each_ref().map(|claims| usize::from(check(&with, &without, claims).is_err()));
                fewer_groups += caught[0];
                half_a_person += caught[1];
                less_noise += caught[2];
            }
            for mutant in MUTANTS {
                let (with, _) = reference(aggregation, &rows, Some(mutant));
                for rest in &neighbours {
                    let (without, _) = reference(aggregation, rest, Some(mutant));
                    *noticed.entry(mutant).or_default() +=
                        usize::from(check(&with, &without, &claims).is_err());
                }
            }
        }
    }
    println!("noticed {noticed:#?}, claims {fewer_groups} {half_a_person} {less_noise}");
    for mutant in MUTANTS {
        assert!(noticed[&mutant] > 0, "{mutant:?} was never noticed");
    }
    assert!(fewer_groups > 0 && half_a_person > 0 && less_noise > 0, "too small claims were never noticed");
}
