//! Words of a caller as a question about a graph.

use pointillist_graph::{Method, Privacy, Question, Statistic};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_query::epsilon_of_rho;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{raised, wrong};

/// The question about a statistic. `price` has `privacy` and `epsilon` or `rho`, and may have `delta` and `method`, all texts.
pub fn read(statistic: &str, price: &Bound<'_, PyDict>) -> PyResult<Question> {
    let statistic: Statistic =
        statistic.replace('_', "-").parse().map_err(|error: pointillist_graph::GraphError| raised(&error))?;
    of(statistic, price, &Rational::one())
}

/// The question about the triangles of a graph that is to be made up, for half of the price.
pub fn half(price: &Bound<'_, PyDict>) -> PyResult<Question> {
    of(Statistic::Triangles, price, &Rational::ratio(1, 2))
}

fn of(statistic: Statistic, price: &Bound<'_, PyDict>, part: &Rational) -> PyResult<Question> {
    let given = |name: &str| -> PyResult<Option<String>> {
        Ok(price.get_item(name)?.map(|text| text.extract()).transpose()?.flatten())
    };
    let privacy: Privacy = given("privacy")?
        .unwrap_or_default()
        .parse()
        .map_err(|error: pointillist_graph::GraphError| raised(&error))?;
    let method = given("method")?.map(|word| word.replace('_', "-").parse::<Method>()).transpose();
    let method = method.map_err(|error| raised(&error))?.unwrap_or_default();
    let epsilon = match (given("epsilon")?, given("rho")?) {
        (Some(epsilon), None) => {
            let epsilon = Epsilon::parse(&epsilon).map_err(|error| raised(&error))?;
            Epsilon::new(epsilon.value() * part).map_err(|error| raised(&error))?
        }
        (None, Some(rho)) => {
            let rho = Rho::parse(&rho).map_err(|error| raised(&error))?;
            let rho = Rho::new(rho.value() * part).map_err(|error| raised(&error))?;
            epsilon_of_rho(&rho).map_err(|error| raised(&error))?
        }
        (None, None) => return Err(wrong("a one-off needs a price", "give epsilon=1, for example")),
        (Some(_), Some(_)) => {
            return Err(wrong("there are two prices", "give epsilon or rho, and not both"));
        }
    };
    let delta = given("delta")?.map(|delta| Delta::parse(&delta)).transpose();
    let delta = delta.map_err(|error| raised(&error))?.filter(|delta| !delta.is_zero());
    Ok(Question { statistic, privacy, method, epsilon, delta })
}
