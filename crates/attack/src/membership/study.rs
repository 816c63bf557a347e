//! The people of a study, and everybody's score.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{Published, Statistic};
use crate::AttackError;
use crate::records::Records;

/// Values that fit into a quarter of a gibibyte.
const VALUES_MAX: usize = 1 << 28;
/// A value is stored in a byte.
const LEVELS_MAX: usize = 256;

/// What stands at one position.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Position {
    /// So many copies of an allele that may or may not be there; its count is published.
    Alleles { copies: u8 },
    /// One of several values; the count of each is published: a one-way marginal.
    Category { column: String, values: Vec<String> },
}

impl Position {
    /// How many counts are published.
    pub(super) fn cells(&self) -> usize {
        match self {
            Self::Alleles { .. } => 1,
            Self::Category { values, .. } => values.len(),
        }
    }

    /// What a person adds to the whole of a position's counts.
    pub(super) fn weight(&self) -> u8 {
        match self {
            Self::Alleles { copies } => *copies,
            Self::Category { .. } => 1,
        }
    }
}

/// Members, outsiders, and what is known of the population they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    pub(super) positions: Vec<Position>,
    /// One value a position, person after person.
    pub(super) members: Vec<u8>,
    pub(super) outsiders: Vec<u8>,
    /// The population's frequency of every published cell, strictly between zero and one.
    pub(super) population: Vec<f64>,
}

impl Study {
    /// Genotypes: a row of 0, 1 or 2 copies of an allele for each person, or of 0 and 1 for each flag.
    ///
    /// `outsiders` measure false accusations; `reference` gives the population's frequencies. Take different
    /// people for the two: outsiders who shaped the reference look less like members than strangers do.
    pub fn from_genotypes(
        members: &[Vec<u8>],
        outsiders: &[Vec<u8>],
        reference: &[Vec<u8>],
    ) -> Result<Self, AttackError> {
        let width = members.first().map_or(0, Vec::len);
        let groups = [("members", members), ("outsiders", outsiders), ("reference", reference)];
        for (name, group) in groups {
            check_group(name, group.len(), width)?;
            if let Some(row) = group.iter().position(|row| row.len() != width) {
                return Err(AttackError::new(
                    format!(
                        "row {} of the {name} has {} positions, the first member {width}",
                        row + 1,
                        group[row].len()
                    ),
                    "give everybody the same positions in the same order",
                ));
            }
            if let Some(value) = group.iter().flatten().find(|value| **value > 2) {
                return Err(AttackError::new(
                    format!("{value} is not a genotype"),
                    "write 0, 1 or 2 copies of the allele, or 0 and 1 for a flag",
                ));
            }
        }
        let everybody = members.iter().chain(outsiders).chain(reference);
        let copies = everybody.flatten().copied().max().unwrap_or(0).max(1);
        let positions = vec![Position::Alleles { copies }; width];
        let flat = |group: &[Vec<u8>]| group.concat();
        Ok(Self::of(positions, flat(members), flat(outsiders), &flat(reference)))
    }

    /// A table of categories, of which one-way marginals are published: the named columns of three tables, as
    /// above.
    pub fn from_records(
        members: &Records,
        outsiders: &Records,
        reference: &Records,
        columns: &[&str],
    ) -> Result<Self, AttackError> {
        let groups = [("members", members), ("outsiders", outsiders), ("reference", reference)];
        for (name, group) in groups {
            check_group(name, group.rows().len(), columns.len())?;
        }
        let mut positions = Vec::new();
        let mut places: [Vec<usize>; 3] = Default::default();
        for column in columns {
            let mut values = BTreeSet::new();
            for ((_, group), places) in groups.iter().zip(&mut places) {
                let place = group.column(column)?;
                places.push(place);
                values.extend(group.rows().iter().map(|row| row[place].as_str()));
            }
            if values.len() > LEVELS_MAX {
                return Err(AttackError::new(
                    format!("column `{column}` has {} different values", values.len()),
                    format!("take columns of at most {LEVELS_MAX} values, or round them into groups"),
                ));
            }
            let values = values.into_iter().map(str::to_owned).collect();
            positions.push(Position::Category { column: (*column).to_owned(), values });
        }
        let coded = |group: &Records, places: &[usize]| -> Vec<u8> {
            let code = |(position, place): (&Position, &usize), row: &[String]| match position {
                Position::Category { values, .. } => values.binary_search(&row[*place]).unwrap_or(0) as u8,
                Position::Alleles { .. } => 0,
            };
            let row = |row: &Vec<String>| -> Vec<u8> {
                positions.iter().zip(places).map(|pair| code(pair, row)).collect()
            };
            group.rows().iter().flat_map(row).collect()
        };
        let [members, outsiders, reference] =
            [(members, &places[0]), (outsiders, &places[1]), (reference, &places[2])]
                .map(|(group, places)| coded(group, places));
        Ok(Self::of(positions, members, outsiders, &reference))
    }

    fn of(positions: Vec<Position>, members: Vec<u8>, outsiders: Vec<u8>, reference: &[u8]) -> Self {
        let counts = counts(&positions, reference);
        let people = (reference.len() / positions.len()) as f64;
        let mut counts = counts.into_iter().map(|count| count as f64);
        let mut population = Vec::new();
        for position in &positions {
            // Half a count more for every possibility: nothing is impossible because a sample lacks it.
            let possibilities = position.cells().max(2) as f64;
            let total = people * f64::from(position.weight()) + possibilities / 2.0;
            population.extend(counts.by_ref().take(position.cells()).map(|count| (count + 0.5) / total));
        }
        Self { positions, members, outsiders, population }
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.members.len() / self.positions.len()
    }

    /// How many outsiders there are.
    pub fn outsiders(&self) -> usize {
        self.outsiders.len() / self.positions.len()
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// What is counted, in the order of publication.
    pub fn cells(&self) -> Vec<String> {
        let name = |(index, position): (usize, &Position)| match position {
            Position::Alleles { .. } => vec![format!("position {}", index + 1)],
            Position::Category { column, values } => {
                values.iter().map(|value| format!("{column} = {value}")).collect()
            }
        };
        self.positions.iter().enumerate().flat_map(name).collect()
    }

    /// The scores of members and of outsiders.
    pub(super) fn scores(
        &self,
        published: &Published,
        statistic: Statistic,
    ) -> Result<(Vec<f64>, Vec<f64>), AttackError> {
        if published.frequencies().len() != self.population.len() {
            return Err(AttackError::new(
                format!(
                    "{} frequencies do not fit {} cells",
                    published.frequencies().len(),
                    self.population.len()
                ),
                "attack what this study published",
            ));
        }
        let mut tables = Vec::with_capacity(self.positions.len());
        let mut start = 0;
        for position in &self.positions {
            let cells = start..start + position.cells();
            start = cells.end;
            let (published, population) = (&published.frequencies()[cells.clone()], &self.population[cells]);
            // A quarter of one member: below the least frequency that can be, but not zero.
            let least = 0.25 / (self.members() as f64 * f64::from(position.weight()));
            tables.push(match position {
                Position::Alleles { copies } => {
                    statistic.of_alleles(*copies, published[0], population[0], least)
                }
                Position::Category { .. } => statistic.of_category(published, population, least),
            });
        }
        let score = |person: &[u8]| -> f64 {
            person.iter().zip(&tables).map(|(value, table)| table[usize::from(*value)]).sum()
        };
        let all = |group: &[u8]| group.par_chunks(self.positions.len()).map(score).collect();
        Ok((all(&self.members), all(&self.outsiders)))
    }
}

/// Refuses groups without people or positions, and those beyond memory.
pub(super) fn check_group(name: &str, people: usize, positions: usize) -> Result<(), AttackError> {
    if people == 0 || positions == 0 {
        return Err(AttackError::new(
            format!("the {name} are {people} people with {positions} positions"),
            "give at least one person and one position in every group; a hundred of each make a picture",
        ));
    }
    if people.checked_mul(positions).is_none_or(|values| values > VALUES_MAX) {
        return Err(AttackError::new(
            format!("{people} {name} with {positions} positions do not fit into memory"),
            "keep people times positions below 2^28",
        ));
    }
    Ok(())
}

/// The counts that a study of this group would publish.
pub(super) fn counts(positions: &[Position], group: &[u8]) -> Vec<u64> {
    let starts: Vec<usize> = positions
        .iter()
        .scan(0, |start, position| {
            let own = *start;
            *start += position.cells();
            Some(own)
        })
        .collect();
    let mut counts = vec![0; positions.iter().map(Position::cells).sum()];
    for person in group.chunks(positions.len()) {
        for ((position, start), value) in positions.iter().zip(&starts).zip(person) {
            match position {
                Position::Alleles { .. } => counts[*start] += u64::from(*value),
                Position::Category { .. } => counts[*start + usize::from(*value)] += 1,
            }
        }
    }
    counts
}
