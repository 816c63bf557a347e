//! Attacks on tables of people: who is alone, who is named by a public list, what hiding them in crowds leaves, who took part.

use pointillist_attack::anonymity::{anonymize as anonymity, intersect as intersection};
use pointillist_attack::linkage::examples::{hospital_and_voters, patients_and_voters, two_hospitals};
use pointillist_attack::linkage::{ReleasePrice, link as linking, unique as uniqueness};
use pointillist_attack::membership::{self as study, Columns, People, Statistic, TableKind};
use pointillist_attack::records::Records;
use pyo3::prelude::*;
use serde_json::{Value, json};

use super::outcome::{Outcome, epsilon, price, read};
use super::tables::Table;
use crate::errors::wrong;

/// Rows without names, joined with a public list that has them: two tables, a made-up town, or a made-up hospital.
#[pyfunction]
#[pyo3(signature = (tables, town, on, sensitive, epsilon))]
fn link(
    py: Python<'_>,
    tables: Option<(Table, Table)>,
    town: Option<usize>,
    on: Vec<String>,
    sensitive: Option<String>,
    epsilon: &str,
) -> PyResult<Outcome> {
    let epsilon = self::epsilon(epsilon)?;
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        let (secret, public) = match (tables, town) {
            (Some((secret, public)), _) => (secret.read()?.records, public.read()?.records),
            (None, Some(people)) => patients_and_voters(people),
            (None, None) => hospital_and_voters(),
        };
        linking::run(linking::Settings { secret, public, on, sensitive, epsilon }, bits)
    };
    Outcome::of(py, attack, |outcome: &linking::Outcome| {
        let pairs = outcome.linked.identified.iter().map(|found| (found.row, found.person));
        json!({ "identified": pairs.collect::<Vec<_>>() })
    })
}

/// Who is alone on which columns.
#[pyfunction]
#[pyo3(signature = (table, columns, epsilon, delta))]
fn unique(
    py: Python<'_>,
    table: Option<Table>,
    columns: Vec<String>,
    epsilon: &str,
    delta: &str,
) -> PyResult<Outcome> {
    let price = read(ReleasePrice::parse(epsilon, delta))?;
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        let table = Table::or_town(table).read()?;
        uniqueness::run(uniqueness::Settings { table, columns, price }, bits)
    };
    Outcome::of(py, attack, |_| Value::Null)
}

/// A table made k-anonymous, and what still works against it.
#[pyfunction]
#[pyo3(signature = (table, known, sensitive, k, method, epsilon, delta))]
#[expect(clippy::too_many_arguments, reason = "everything that a caller may say, once")]
fn anonymize(
    py: Python<'_>,
    table: Option<Table>,
    known: Vec<String>,
    sensitive: String,
    k: usize,
    method: &str,
    epsilon: &str,
    delta: &str,
) -> PyResult<Outcome> {
    let method = match method {
        "auto" => None,
        "exact" => Some(anonymity::Method::Exact),
        "matching" => Some(anonymity::Method::Matching),
        "mondrian" => Some(anonymity::Method::Mondrian),
        other => {
            return Err(wrong(
                format!("there is no method `{}`", other.chars().take(40).collect::<String>()),
                "take 'auto', 'exact', 'matching' or 'mondrian'",
            ));
        }
    };
    let price = read(ReleasePrice::parse(epsilon, delta))?;
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        let table = Table::or_town(table).read()?;
        anonymity::run(anonymity::Settings { table, known, sensitive, k, method, price }, bits)
    };
    Outcome::of(
        py,
        attack,
        |outcome: &anonymity::Outcome| json!({ "published": columns_of(&outcome.published), "how": outcome.how(), "measures": outcome.measures() }),
    )
}

/// The columns of a table with their values.
fn columns_of(table: &Records) -> Value {
    let values = |place: usize| table.rows().iter().map(|row| row[place].clone()).collect::<Vec<String>>();
    let columns = table.columns().iter().enumerate();
    columns
        .map(|(place, name)| (name.clone(), json!(values(place))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Two k-anonymous tables that share people.
#[pyfunction]
#[pyo3(signature = (tables, known, known_second, sensitive, person, k, epsilon, delta))]
#[expect(clippy::too_many_arguments, reason = "everything that a caller may say, once")]
fn intersect(
    py: Python<'_>,
    tables: Option<(Table, Table)>,
    known: Vec<String>,
    known_second: Vec<String>,
    sensitive: String,
    person: Option<String>,
    k: Option<usize>,
    epsilon: &str,
    delta: &str,
) -> PyResult<Outcome> {
    let price = read(ReleasePrice::parse(epsilon, delta))?;
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        let (first, second, person) = match tables {
            Some((first, second)) => (first.read()?.records, second.read()?.records, person),
            None => {
                let (first, second) = two_hospitals();
                (first, second, Some("name".to_owned()))
            }
        };
        let settings =
            intersection::Settings { first, second, known, known_second, sensitive, person, k, price };
        intersection::run(settings, bits)
    };
    Outcome::of(py, attack, |_| Value::Null)
}

/// Whose membership is asked about: tables of members, outsiders and others, one table to split, or so many made-up people.
#[derive(FromPyObject)]
enum Study {
    Tables(Table, Table, Option<Table>),
    Split(Table, Option<usize>),
    #[pyo3(transparent)]
    MadeUp([Option<usize>; 3]),
}

/// Who took part in a study, from its published frequencies.
#[pyfunction]
#[pyo3(signature = (asked, columns, kind, statistic, epsilon))]
fn membership(
    py: Python<'_>,
    asked: Study,
    columns: Vec<String>,
    kind: Option<&str>,
    statistic: &str,
    epsilon: &str,
) -> PyResult<Outcome> {
    let statistic = match statistic {
        "distance" => Statistic::Distance,
        "likelihood-ratio" => Statistic::LikelihoodRatio,
        "correlation" => Statistic::Correlation,
        other => {
            return Err(wrong(
                format!("there is no statistic `{}`", other.chars().take(40).collect::<String>()),
                "take 'distance', 'likelihood-ratio' or 'correlation'",
            ));
        }
    };
    let kind = match kind {
        None => None,
        Some("genotypes") => Some(TableKind::Genotypes),
        Some("records") => Some(TableKind::Records),
        Some(other) => {
            return Err(wrong(
                format!("tables hold no `{}`", other.chars().take(40).collect::<String>()),
                "take 'genotypes' or 'records'",
            ));
        }
    };
    let (price, columns) = (price(Some(epsilon), None)?, Columns { names: columns, kind });
    let attack = move |bits: &mut pointillist_noise::SystemBits| {
        let people = match asked {
            Study::MadeUp([members, outsiders, positions]) => People::made_up(members, outsiders, positions),
            Study::Split(table, members) => People::split(&table.read()?, members, &columns)?,
            Study::Tables(members, outsiders, reference) => {
                let reference = reference.map(Table::read).transpose()?;
                People::of_tables(&members.read()?, &outsiders.read()?, reference.as_ref(), &columns)?
            }
        };
        study::run(study::Settings { people, statistic, price }, bits)
    };
    Outcome::of(py, attack, |_| Value::Null)
}

/// Adds the functions.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(link, module)?)?;
    module.add_function(wrap_pyfunction!(unique, module)?)?;
    module.add_function(wrap_pyfunction!(anonymize, module)?)?;
    module.add_function(wrap_pyfunction!(intersect, module)?)?;
    module.add_function(wrap_pyfunction!(membership, module)?)
}
