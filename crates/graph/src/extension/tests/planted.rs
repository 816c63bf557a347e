//! Constructions and mechanisms that are wrong, and what notices each.

use super::*;
use crate::kernel::degrees;

/// What may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// The law of the nearest member in place of the smallest bound.
    Nearest,
    /// The bounds as they are.
    NotNormalised,
    /// Two steps cost no more than one.
    OneStep,
    /// The largest bound in place of the smallest.
    Largest,
}

/// The construction without its check, with a flaw.
fn extended(instance: &Instance, flaw: Flaw) -> Result<Vec<Law>, ExtensionError> {
    let law = |data_set: usize| {
        let distances = instance.data_sets.distances(&[data_set]);
        let members = instance.laws.iter().zip(&distances);
        let members: Vec<(usize, &Law)> =
            members.filter_map(|(law, distance)| Some(((*distance)?, law.as_ref()?))).collect();
        if flaw == Flaw::Nearest {
            let nearest = members.iter().min_by_key(|(distance, _)| *distance).unwrap();
            return Ok(nearest.1.clone());
        }
        let bound = |outcome: usize| {
            let bounds = members.iter().map(|(distance, law)| {
                let steps = if flaw == Flaw::OneStep { *distance.min(&1) } else { *distance };
                &law::power(&instance.base, steps) * &law.probabilities()[outcome]
            });
            if flaw == Flaw::Largest { bounds.max() } else { bounds.min() }.unwrap()
        };
        let bounds = (0..members[0].1.outcomes()).map(bound).collect();
        if flaw == Flaw::NotNormalised { Law::new(bounds) } else { Law::from_weights(bounds) }
    };
    (0..instance.data_sets.count()).map(law).collect()
}

/// How many rows there are, with noise, from tables that are empty or full: between them is nothing of the class.
fn empty_or_full() -> Instance {
    let small = SmallTables::all(4, 1);
    let two = Rational::from(2);
    let law = |table: &Vec<u32>| {
        table.len().is_multiple_of(4).then(|| Law::of_count(table.len(), 4, &two).unwrap())
    };
    Instance {
        space: "tables of at most 4 rows with values 0 and 1".to_owned(),
        neighbours: "one row less",
        class: "no row or four".to_owned(),
        mechanism: "the number of rows with noise".to_owned(),
        laws: small.tables.iter().map(law).collect(),
        data_sets: small.data_sets,
        base: two.clone(),
    }
}

/// Specification: each flaw is seen by the comparisons of a report, or is no law; and the construction without one is fine.
#[test]
fn broken_constructions_are_noticed() {
    for instance in [instance(Example::Hub, 4, 1, "2"), empty_or_full()] {
        let seen = |flaw| extended(&instance, flaw).map(|laws| instance.report(&laws));
        let sound = seen(Flaw::None).unwrap();
        assert_eq!(sound, instance.report(&instance.extension().unwrap()));
        assert!(sound.is_as_promised(), "{sound:?}");
        for flaw in [Flaw::OneStep, Flaw::Largest] {
            let report = seen(flaw).unwrap();
            assert!(!report.is_equal_on_class && !report.is_as_promised(), "{flaw:?} {report:?}");
        }
    }
    // Bounds add up to one where they are laws themselves, as for counts with noise; for a choice they do not.
    let choice = instance(Example::Hub, 4, 1, "2");
    assert_eq!(extended(&choice, Flaw::NotNormalised), Err(ExtensionError::NotALaw));
    // Halfway, the nearest member changes from one end to the other: four steps in one.
    let instance = empty_or_full();
    let nearest = instance.report(&extended(&instance, Flaw::Nearest).unwrap());
    assert!(nearest.is_equal_on_class && !nearest.is_as_promised(), "{nearest:?}");
    assert_eq!((nearest.worst, nearest.promised), (Some(Rational::from(16)), Rational::from(4)));
}

/// Graphs of exactly four people are never neighbours of each other. So a mechanism that names the number of ties is private for all
/// neighbours of this class, at any price, and must not be extended.
fn counted_among_four(base: &Rational, factor: &Rational) -> Instance {
    let small = SmallGraphs::all(4);
    let law = |graph: &Graph| {
        let is_member = graph.nodes() == 4 && degrees::max(graph) <= 2;
        is_member.then(|| Law::of_count(graph.edges() as usize, 4, factor).unwrap())
    };
    Instance {
        space: "graphs of at most 4 people".to_owned(),
        neighbours: "one person less, with all their ties",
        class: "exactly 4 people, nobody with more than 2 ties".to_owned(),
        mechanism: "the number of ties with noise".to_owned(),
        laws: small.graphs.iter().map(law).collect(),
        data_sets: small.data_sets,
        base: base.clone(),
    }
}

/// Specification: being private for neighbours within the class is not enough, and what is not private along all distances is refused by
/// name; where the check were missing, the law of the class would be lost. Enough noise for the distances is extended.
#[test]
fn a_mechanism_that_is_private_for_neighbours_of_its_class_only_is_refused() {
    let (two, ten) = (Rational::from(2), Rational::from(10));
    let loud = counted_among_four(&two, &ten);
    let own = worst_ratio(&loud.data_sets, |data_set| loud.laws[data_set].as_ref());
    assert_eq!(own, Some(Rational::one()), "no neighbours, no loss");
    let refusal = loud.extension().unwrap_err();
    assert!(matches!(refusal, ExtensionError::NotPrivateOnClass { distance: 2, .. }), "{refusal}");
    let unchecked = loud.report(&extended(&loud, Flaw::None).unwrap());
    assert!(!unchecked.is_equal_on_class);
    // Somebody who goes and comes again with other ties moves the number of ties by two in two steps.
    let quiet = counted_among_four(&two, &two);
    assert!(quiet.report(&quiet.extension().unwrap()).is_as_promised());
    let nearly = counted_among_four(&fraction("1.999"), &two);
    assert!(matches!(nearly.extension(), Err(ExtensionError::NotPrivateOnClass { .. })));
}
