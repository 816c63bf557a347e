//! Mechanisms on classes of tiny graphs and tables, extended, and what is seen of the theorem by looking at everything.

use pointillist_numbers::{Enclosure, Rational};

use super::law::power;
use super::small_graphs::SmallGraphs;
use super::small_tables::SmallTables;
use super::{DataSets, ExtensionError, Law, extend, least_ratio, worst_ratio};
use crate::Graph;
use crate::kernel::{degrees, triangles};
use crate::sensitivity::{Change, Query, restricted};

/// What is extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// The number of ties with noise; from graphs of bounded degree, under node privacy.
    Edges,
    /// The number of triangles with noise; from graphs of bounded degree, under node privacy.
    Triangles,
    /// The name of somebody with many ties; from graphs of bounded degree, under node privacy.
    Hub,
    /// The sum of values with noise; from tables of bounded values.
    Sum,
    /// Somebody's value or another one; from tables of one row.
    Response,
}

/// A mechanism on a class of tiny data sets.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Which data sets there are, in words.
    pub space: String,
    /// Which of them are neighbours, in words.
    pub neighbours: &'static str,
    /// Which of them are in the class, in words.
    pub class: String,
    /// What the mechanism does there, in words.
    pub mechanism: String,
    /// The data sets and their neighbours.
    pub data_sets: DataSets,
    /// The law of the mechanism at every data set of the class.
    pub laws: Vec<Option<Law>>,
    /// e^ε of the mechanism on the class.
    pub base: Rational,
}

/// What is seen when the laws of all neighbours are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many data sets there are.
    pub data_sets: usize,
    /// How many pairs of them are neighbours.
    pub neighbours: usize,
    /// How many are in the class.
    pub members: usize,
    /// How many outcomes there are.
    pub outcomes: usize,
    /// Whether the extension has the law of the mechanism, exactly, at every data set of the class.
    pub is_equal_on_class: bool,
    /// e^ε.
    pub base: Rational,
    /// e^2ε, which the theorem promises for all neighbours.
    pub promised: Rational,
    /// The largest ratio at any neighbours and outcome; nothing if it has no bound.
    pub worst: Option<Rational>,
    /// A ratio that no extension can stay below.
    pub least: Option<Rational>,
}

/// How many people, rows or values an example has at most, so that everything can be listed.
const PEOPLE_MAX: u32 = 5;
const ROWS_MAX: u32 = 4;
const VALUE_MAX: u32 = 4;
const ANSWERS_MAX: u32 = 20;
/// How far values may lie above those of the class.
const VALUES_BEYOND: u32 = 2;

impl Example {
    /// The example at a size: people of a graph, rows of a table or values of an answer; from the class with this bound on degrees or
    /// values; with noise, weights or answers that fall by a factor. What is not given is small.
    pub fn instance(
        self,
        size: Option<u32>,
        bound: Option<u32>,
        factor: &Rational,
    ) -> Result<Instance, ExtensionError> {
        if *factor <= Rational::one() || *factor > Rational::from(100) {
            return Err(ExtensionError::Factor { factor: factor.clone() });
        }
        let people = || within("the number of people", size.unwrap_or(4), 1, PEOPLE_MAX);
        let degree = || within("the bound of the degrees", bound.unwrap_or(2), 0, PEOPLE_MAX);
        match self {
            Self::Edges => counted(Query::Edges, people()?, degree()?, factor),
            Self::Triangles => counted(Query::Triangles, people()?, degree()?, factor),
            Self::Hub => hub(people()?, degree()?, factor),
            Self::Sum => {
                let rows = within("the number of rows", size.unwrap_or(3), 1, ROWS_MAX)?;
                sum(rows, within("the bound of the values", bound.unwrap_or(2), 0, VALUE_MAX)?, factor)
            }
            Self::Response if bound.is_some() => Err(ExtensionError::NoBound),
            Self::Response => {
                response(within("the number of values", size.unwrap_or(5), 2, ANSWERS_MAX)?, factor)
            }
        }
    }
}

fn within(what: &'static str, got: u32, least: u32, most: u32) -> Result<u32, ExtensionError> {
    let range = ExtensionError::Range { what, got, least, most };
    if (least..=most).contains(&got) { Ok(got) } else { Err(range) }
}

impl Instance {
    /// The law at every data set.
    pub fn extension(&self) -> Result<Vec<Law>, ExtensionError> {
        extend(&self.data_sets, &self.laws, &self.base)
    }

    /// Compares laws for all data sets with those of the class and with those of neighbours, one by one.
    pub fn report(&self, extension: &[Law]) -> Report {
        let members =
            || self.laws.iter().zip(extension).filter_map(|(law, other)| Some((law.as_ref()?, other)));
        Report {
            data_sets: self.data_sets.count(),
            neighbours: self.data_sets.neighbours().count() / 2,
            members: members().count(),
            outcomes: extension.first().map_or(0, Law::outcomes),
            is_equal_on_class: members().all(|(law, other)| law == other),
            base: self.base.clone(),
            promised: self.base.squared(),
            worst: worst_ratio(&self.data_sets, |data_set| extension.get(data_set)),
            least: least_ratio(&self.data_sets, &self.laws),
        }
    }
}

impl Report {
    /// Whether what was seen is what the theorem says.
    pub fn is_as_promised(&self) -> bool {
        self.is_equal_on_class && self.worst.as_ref().is_some_and(|worst| *worst <= self.promised)
    }
}

/// How many times ε a ratio is, its logarithm over that of the base, between two bounds. Nothing where ε is 0.
pub fn epsilons(ratio: &Rational, base: &Rational) -> Option<Enclosure> {
    let ln = |value: &Rational| Enclosure::ln_of(value, 64);
    if ratio == base && *base != Rational::one() {
        return Some(Enclosure::integer(1, 64));
    }
    ln(ratio)?.checked_div(&ln(base)?)
}

/// A count of bounded sensitivity with noise.
fn counted(query: Query, people: u32, degree: u32, factor: &Rational) -> Result<Instance, ExtensionError> {
    let small = SmallGraphs::all(people);
    let value = |graph: &Graph| match query {
        Query::Triangles => triangles::count(graph) as usize,
        _ => graph.edges() as usize,
    };
    let is_member = |graph: &&Graph| degrees::max(graph) <= degree;
    let largest = small.graphs.iter().filter(is_member).map(value).max().unwrap_or_default();
    let law =
        |graph: &Graph| is_member(&graph).then(|| Law::of_count(value(graph), largest, factor)).transpose();
    let sensitivity = restricted(query, Change::Node, degree) as usize;
    Ok(Instance {
        space: format!("graphs of at most {people} people"),
        neighbours: "one person less, with all their ties",
        class: bounded_degree(degree),
        mechanism: format!(
            "the number of {query} with geometric noise, {factor} times less likely with every unit; restricted sensitivity {sensitivity}"
        ),
        laws: small.graphs.iter().map(law).collect::<Result<_, _>>()?,
        data_sets: small.data_sets,
        base: power(factor, sensitivity),
    })
}

/// A choice: every name has the weight `factor^ties`, also that of somebody who is not there.
fn hub(people: u32, degree: u32, factor: &Rational) -> Result<Instance, ExtensionError> {
    let small = SmallGraphs::all(people);
    let ties = |graph: &Graph, name: u32| {
        let node = (0..graph.nodes()).find(|node| graph.label(*node) == u128::from(name));
        node.map_or(0, |node| graph.degree(node) as usize)
    };
    let law = |graph: &Graph| {
        let weights = || (0..people).map(|name| power(factor, ties(graph, name))).collect();
        (degrees::max(graph) <= degree).then(|| Law::from_weights(weights())).transpose()
    };
    let laws: Vec<Option<Law>> = small.graphs.iter().map(law).collect::<Result<_, _>>()?;
    // Taking nodes away raises no degree, so shortest ways stay in the class and its neighbours decide; `extend` checks that.
    let base =
        worst_ratio(&small.data_sets, |data_set| laws[data_set].as_ref()).ok_or(ExtensionError::NotALaw)?;
    Ok(Instance {
        space: format!("graphs of at most {people} people"),
        neighbours: "one person less, with all their ties",
        class: bounded_degree(degree),
        mechanism: format!("one of {people} names, each in proportion to {factor}^ties: who has the most?"),
        data_sets: small.data_sets,
        laws,
        base,
    })
}

/// A sum of bounded values with noise.
fn sum(rows: u32, bound: u32, factor: &Rational) -> Result<Instance, ExtensionError> {
    let small = SmallTables::all(rows as usize, bound + VALUES_BEYOND);
    let largest = (rows * bound) as usize;
    let law = |table: &Vec<u32>| {
        let sum = table.iter().sum::<u32>() as usize;
        let is_member = table.iter().all(|value| *value <= bound);
        is_member.then(|| Law::of_count(sum, largest, factor)).transpose()
    };
    Ok(Instance {
        space: format!("tables of at most {rows} rows with values from 0 to {}", bound + VALUES_BEYOND),
        neighbours: "one row less",
        class: format!("no value above {bound}"),
        mechanism: format!("the sum with geometric noise, {factor} times less likely with every unit"),
        laws: small.tables.iter().map(law).collect::<Result<_, _>>()?,
        data_sets: small.data_sets,
        base: power(factor, bound as usize),
    })
}

/// An answer of one person: two steps from every other, hence the square.
fn response(values: u32, factor: &Rational) -> Result<Instance, ExtensionError> {
    let small = SmallTables::all(2, values - 1);
    let law = |table: &Vec<u32>| match table.as_slice() {
        [own] => {
            let weight = |value: u32| if value == *own { factor.squared() } else { Rational::one() };
            Law::from_weights((0..values).map(weight).collect()).map(Some)
        }
        _ => Ok(None),
    };
    Ok(Instance {
        space: format!("tables of at most 2 rows, each one of {values} values"),
        neighbours: "one row less",
        class: "exactly one row".to_owned(),
        mechanism: format!(
            "one of the values, the row's own {} times as likely as each of the others",
            factor.squared()
        ),
        laws: small.tables.iter().map(law).collect::<Result<_, _>>()?,
        data_sets: small.data_sets,
        base: factor.clone(),
    })
}

fn bounded_degree(degree: u32) -> String {
    format!("nobody has more than {degree} ties")
}
