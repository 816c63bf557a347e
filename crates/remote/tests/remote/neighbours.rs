//! Brute force over neighbours, on the server: what the plan claims about one person against the server's integers.
//!
//! **Specification.** Under one key, when any one person leaves, at most `groups_moved` groups of an aggregation change, in
//! each of them `people` by one or not at all, and every measure by something between its `person_bounds`.
//! **Power.** Over a default run the claims are reached for every quantity: a claim smaller by any amount would be seen.

use std::collections::BTreeMap;

use pointillist_engine::{Choice, ChoiceKey};
use pointillist_mechanisms::ContributionBound;
use pointillist_plan::{Aggregation, Excess, Form, Join, JoinKind, Measure, Owner, Quantity, Relation, Scan};
use pointillist_testkit::postgres::PostgresServer;

use crate::aggregations::aggregation;
use crate::cells::{Datum, Store};
use crate::chance::Chance;
use crate::differential::{Numbers, key, numbers, wanted};
use crate::world::{Host, Place, World};

/// How many aggregations are looked at unless the environment says otherwise.
const TRIED: usize = 250;
const EACH_WORLD: usize = 25;

/// What a person moved beyond the claims, and which claims were reached.
fn check(aggregation: &Aggregation, with: &Numbers, without: &Numbers) -> Result<Vec<String>, String> {
    let nothing = &vec![0; aggregation.measures.len() + 1];
    let [with, without]: [BTreeMap<_, _>; 2] =
        [with, without].map(|numbers| numbers.iter().map(|(key, numbers)| (key, numbers)).collect());
    let keys = with.keys().chain(without.keys().filter(|key| !with.contains_key(*key)));
    let changes = keys.map(|key| {
        let (with, without) = (with.get(key).unwrap_or(&nothing), without.get(key).unwrap_or(&nothing));
        with.iter().zip(without.iter()).map(|(with, without)| with - without).collect::<Vec<i128>>()
    });
    let changes: Vec<Vec<i128>> = changes.filter(|change| change.iter().any(|number| *number != 0)).collect();
    let mut reached = Vec::new();
    if changes.len() as u64 > aggregation.groups_moved() {
        return Err(format!("{} groups move", changes.len()));
    }
    if changes.len() as u64 == aggregation.groups_moved() && changes.len() > 1 {
        reached.push("groups".to_owned());
    }
    if changes.iter().any(|change| !(0..=1).contains(&change[0])) {
        return Err("people".to_owned());
    }
    for (at, measure) in aggregation.measures.iter().enumerate() {
        let (low, high) = measure.person_bounds(&aggregation.bound);
        let class = match &measure.quantity {
            Quantity::Rows => "rows",
            Quantity::People => "people",
            Quantity::PeopleCut => "people cut",
            Quantity::Total { units, excess, .. } => match (units.form, excess) {
                (Form::CentredSquare, _) => "squares",
                (Form::Linear { .. }, Excess::Clamp) => "sums",
                (Form::Linear { .. }, Excess::Thin { .. }) => "means",
            },
            Quantity::Product { .. } => "products",
            Quantity::Distinct { .. } | Quantity::Quantile { .. } => "others",
        };
        for change in &changes {
            let change = change[at + 1];
            if change < low || change > high {
                return Err(format!("{class} by {change}, not between {low} and {high}"));
            }
            if change != 0 && (change == low || change == high) {
                reached.push(format!("{class} {}", if change == low { "low" } else { "high" }));
            }
        }
    }
    Ok(reached)
}

#[test]
fn nobody_moves_the_integers_of_postgresql_further_than_the_plan_claims() {
    let Some(server) = PostgresServer::shared() else { return };
    let reached = leave(&mut Place::new(&server.new_database("neighbours")), wanted(TRIED), EACH_WORLD);
    for class in ["rows", "people", "people cut", "sums", "means", "squares", "products"] {
        assert!(reached.contains_key(&format!("{class} high")), "nobody reached the claim about {class}");
    }
    for what in ["groups", "sums low", "means low"] {
        assert!(reached.contains_key(what), "nobody reached the claim: {what}");
    }
}

/// Lets everybody of some worlds leave, one by one; which claims were reached how often.
pub(crate) fn leave(host: &mut dyn Host, wanted: usize, each_world: usize) -> BTreeMap<String, usize> {
    let (mut tried, mut compared, mut moved) = (0, 0, 0);
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0.. {
        if tried >= wanted {
            break;
        }
        let mut chance = Chance(0xD1FF_0004 + (seed << 32));
        let world = World::random(&mut chance, 16, 3);
        let world = host.fit(&mut chance, world);
        // First everybody, then everybody but one.
        let worlds: Vec<World> = std::iter::once(world.clone())
            .chain(world.people().iter().map(|person| world.without(person)))
            .collect();
        let places: Vec<String> = worlds.iter().map(|world| host.put(world)).collect();
        let mut sessions: Vec<_> = places.iter().map(|place| host.session(place)).collect();
        for _ in 0..each_world {
            let depth = chance.below(3);
            let aggregation = aggregation(&mut chance, depth);
            let key: ChoiceKey = key(&mut chance);
            let mut results = Vec::new();
            for session in &sessions {
                let Ok(prepared) = session.prepare(&aggregation) else { break };
                let groups = prepared.aggregate(&aggregation, &Choice::With(key.clone()));
                results.push(numbers(&groups.unwrap_or_else(|error| panic!("{error}: {aggregation:?}"))));
            }
            if results.len() < sessions.len() {
                sessions = places.iter().map(|place| host.session(place)).collect();
                continue;
            }
            tried += 1;
            for without in &results[1..] {
                compared += 1;
                moved += usize::from(results[0] != *without);
                match check(&aggregation, &results[0], without) {
                    Ok(claims) => {
                        claims.into_iter().for_each(|claim| *reached.entry(claim).or_default() += 1)
                    }
                    Err(what) => panic!("{what}: {aggregation:?}\n{:?}\n{without:?}", results[0]),
                }
            }
        }
        drop(sessions);
        places.iter().for_each(|place| host.remove(place));
    }
    println!("aggregations {tried}, neighbours {compared}, of which {moved} differ; reached {reached:?}");
    reached
}

/// Specification: a person of more pairs than are looked at has no rows in a join, and the rows of everybody else are what they
/// are without that person.
#[test]
fn a_person_of_too_many_pairs_moves_nobody_else() {
    let Some(server) = PostgresServer::shared() else { return };
    let mut place = Place::new(&server.new_database("pairs"));
    // Like a row that a world has, for two people of a few rows and one of many.
    let mut chance = Chance(0xD1FF_0005);
    let mut world = World::random(&mut chance, 8, 3);
    for table in ["visits", "drugs"] {
        let table = world.0.get_mut(table).unwrap();
        table.columns[0].1 = Store::Int8;
        let row = table.rows[0].clone();
        table.rows.clear();
        for (person, count) in [(1, 300), (2, 3), (3, 1)] {
            let mut row = row.clone();
            row[0] = Some(Datum::Whole(person));
            table.rows.extend(std::iter::repeat_n(row, count));
        }
    }
    let scan = |table: &str| {
        Relation::Table(Scan {
            table: table.to_owned(),
            columns: Vec::new(),
            filter: None,
            owner: Owner::Column("person".to_owned()),
        })
    };
    for (kind, expected) in [(JoinKind::Inner, 10), (JoinKind::Left, 10), (JoinKind::Full, 10)] {
        let (left, right) = (scan("visits"), scan("drugs"));
        let join = Join { left, right, kind, keys: Vec::new(), condition: None };
        let aggregation = Aggregation {
            relation: Relation::Join(Box::new(join)),
            filter: None,
            bound: ContributionBound::new(1, 1_000_000).unwrap(),
            keys: Vec::new(),
            domain: None,
            measures: vec![Measure { counted: None, quantity: Quantity::Rows }],
        };
        for world in [&world, &world.without("1")] {
            let schema = place.put(world);
            let prepared =
                place.session(&schema).prepare(&aggregation).unwrap_or_else(|error| panic!("{error:?}"));
            let groups = prepared.aggregate(&aggregation, &Choice::Fresh).unwrap();
            assert_eq!(numbers(&groups), [(Vec::new(), vec![2, expected])], "{kind:?}");
        }
    }
}

/// Specification: one row of one person, joined with five public rows sixteen times, would be 5^16 pairs. They are counted and not
/// made: the person has no rows in the join, and there is an answer in no time, as there is without that person. Whose rows make a
/// server work for hours would otherwise be told by its patience.
#[test]
fn one_row_does_not_become_more_than_a_server_can_pair() {
    let Some(server) = PostgresServer::shared() else { return };
    let mut place = Place::new(&server.new_database("fans"));
    let mut chance = Chance(0xD1FF_0006);
    let mut world = World::random(&mut chance, 8, 3);
    let people = world.0.get_mut("visits").unwrap();
    people.columns[0].1 = Store::Int8;
    people.rows.truncate(1);
    people.rows[0][0] = Some(Datum::Whole(1));
    let public = world.0.get_mut("places").unwrap();
    let row = public.rows[0].clone();
    public.rows = vec![row; 5];
    let scan = |table: &str, owner: Owner| {
        Relation::Table(Scan { table: table.to_owned(), columns: Vec::new(), filter: None, owner })
    };
    let mut relation = scan("visits", Owner::Column("person".to_owned()));
    for joined in 1..=16_u32 {
        let right = scan("places", Owner::Nobody);
        let join = Join { left: relation, right, kind: JoinKind::Inner, keys: Vec::new(), condition: None };
        relation = Relation::Join(Box::new(join));
        let aggregation = Aggregation {
            relation: relation.clone(),
            filter: None,
            bound: ContributionBound::new(1, 1_000_000).unwrap(),
            keys: Vec::new(),
            domain: None,
            measures: vec![Measure { counted: None, quantity: Quantity::Rows }],
        };
        if ![2, 6, 7, 16].contains(&joined) {
            continue;
        }
        // 5^6 pairs are made, and 5^7 are too many.
        let expected = if joined <= 6 { [1, 5_i128.pow(joined)] } else { [0, 0] };
        let schema = place.put(&world);
        let prepared =
            place.session(&schema).prepare(&aggregation).unwrap_or_else(|error| panic!("{error:?}"));
        let groups = prepared.aggregate(&aggregation, &Choice::Fresh).unwrap();
        assert_eq!(numbers(&groups), [(Vec::new(), expected.to_vec())], "{joined} joins");
    }
}
