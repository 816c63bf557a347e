//! Exact noise, as arrays of NumPy.

use numpy::{IntoPyArray, PyArray1};
use pointillist_noise::{IntegerNoise, NoiseLaw, with_system_bits};
use pointillist_numbers::Rational;
use pyo3::prelude::*;

use crate::errors::{raised, wrong};
use crate::submodule;

/// Draws between two looks at signals.
const BATCH: usize = 1 << 20;

/// Integer noise of a law: exactly that law but for values beyond 64 bits, which become the ends of the range.
#[pyfunction]
fn integer_noise<'py>(
    py: Python<'py>,
    law: &str,
    scale: &str,
    size: usize,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let law = match law {
        "discrete_laplace" => NoiseLaw::DiscreteLaplace,
        "discrete_gaussian" => NoiseLaw::DiscreteGaussian,
        other => {
            return Err(wrong(
                format!("there is no law `{other}`"),
                "take discrete_laplace or discrete_gaussian",
            ));
        }
    };
    let scale = Rational::parse(scale).map_err(|error| raised(&error))?;
    let noise = IntegerNoise::new(law, &scale, size as u64).map_err(|error| raised(&error))?;
    let mut drawn: Vec<i64> = Vec::with_capacity(size);
    while drawn.len() < size {
        let part = BATCH.min(size - drawn.len());
        let (drawn, noise) = (&mut drawn, &noise);
        let draw = py.detach(|| {
            with_system_bits(|bits| {
                let ends = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
                drawn.extend(noise.sample_many(part as u64, bits).map(ends));
            })
        });
        draw.map_err(|error| raised(&error))?;
        py.check_signals()?;
    }
    Ok(drawn.into_pyarray(py))
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "noise")?;
    module.add_function(wrap_pyfunction!(integer_noise, &module)?)
}
