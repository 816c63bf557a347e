//! Exact noise, as arrays of NumPy.
//!
//! Draws come in batches, each split over all cores; every core borrows bits of its own. Between two batches somebody may
//! interrupt. Values beyond 64 bits become the ends of the range.

use std::thread;
use std::time::{Duration, Instant};

use numpy::{IntoPyArray, PyArray1};
use pointillist_noise::{
    Bernoulli, EntropyError, Geometric, IntegerNoise, L2Laplace, LaplaceLogNormal, NoiseError, NoiseLaw,
    PowerTailedLaplace, RoundedGaussian, StudentT, SystemBits, bernoulli_exp, uniform_u64_below,
    with_system_bits,
};
use pointillist_numbers::Rational;
use pyo3::prelude::*;

use crate::errors::{raised, wrong};
use crate::submodule;

/// Draws of the first batch of a sampler whose speed is not known yet.
const BATCH_FIRST: usize = 1 << 12;
/// A batch is twice as long as the last while it takes less time than this, and half as long beyond four times of it.
const BATCH_TIME: Duration = Duration::from_millis(25);
/// Fewer draws than this are not worth another thread.
const SHARE_LEAST: usize = 1 << 11;
/// The most numbers of a vector, which is drawn as a whole: its digits take some hundred megabytes.
const DIMENSION_MAX: usize = 1 << 20;

/// An array of NumPy with one axis.
type Array<'py, T> = PyResult<Bound<'py, PyArray1<T>>>;

/// Discrete Laplace or discrete Gaussian noise.
#[pyfunction]
fn integer_noise<'py>(py: Python<'py>, law: &str, scale: &str, size: usize) -> Array<'py, i64> {
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
    let noise = checked(IntegerNoise::new(law, &number(scale, "scale")?, size as u64))?;
    draws(py, size, |bits| saturated(noise.sample(bits)))
}

/// Geometric counts of ratio exp(−1/scale).
#[pyfunction]
fn geometric<'py>(py: Python<'py>, scale: &str, size: usize) -> Array<'py, i64> {
    let noise = checked(Geometric::new(&number(scale, "scale")?))?;
    draws(py, size, |bits| saturated(noise.sample(bits)))
}

/// Normal noise, rounded to the nearest integer.
#[pyfunction]
fn rounded_gaussian<'py>(py: Python<'py>, sigma: &str, size: usize) -> Array<'py, i64> {
    let noise = checked(RoundedGaussian::new(&number(sigma, "sigma")?))?;
    draws(py, size, |bits| saturated(noise.sample(bits)))
}

/// Student t noise, rounded down.
#[pyfunction]
fn student_t<'py>(py: Python<'py>, degrees: u32, scale: &str, size: usize) -> Array<'py, i64> {
    let noise = checked(StudentT::new(degrees, &number(scale, "scale")?))?;
    draws(py, size, |bits| saturated(noise.sample(bits)))
}

/// Laplace noise whose scale is log-normal, rounded down.
#[pyfunction]
fn laplace_log_normal<'py>(py: Python<'py>, scale: &str, shape: &str, size: usize) -> Array<'py, i64> {
    let noise = checked(LaplaceLogNormal::new(&number(scale, "scale")?, &number(shape, "shape")?))?;
    draws(py, size, |bits| saturated(noise.sample(bits)))
}

/// Nearly Laplace in the middle, polynomial far out, rounded down.
#[pyfunction]
fn power_tailed_laplace<'py>(py: Python<'py>, power: u32, scale: &str, size: usize) -> Array<'py, i64> {
    let noise = checked(PowerTailedLaplace::new(power, &number(scale, "scale")?))?;
    draws(py, size, |bits| saturated(noise.sample(bits)))
}

/// Vectors whose density falls with their Euclidean norm, rounded, one behind the other.
#[pyfunction]
fn l2_laplace<'py>(py: Python<'py>, dimension: usize, scale: &str, size: usize) -> Array<'py, i64> {
    if !(1..=DIMENSION_MAX).contains(&dimension) {
        return Err(wrong(
            format!("a vector of {dimension} numbers cannot be drawn"),
            format!("take 1 to {DIMENSION_MAX} dimensions"),
        ));
    }
    let noise = checked(L2Laplace::new(dimension, &number(scale, "scale")?))?;
    rows(py, dimension, size, |bits, row| {
        row.iter_mut().zip(noise.sample(bits)).for_each(|(place, value)| *place = saturated(value));
    })
}

/// Tosses of a coin of rational bias.
#[pyfunction]
fn bernoulli<'py>(py: Python<'py>, probability: &str, size: usize) -> Array<'py, bool> {
    let coin = checked(Bernoulli::new(number(probability, "probability")?))?;
    draws(py, size, |bits| coin.sample(bits))
}

/// Tosses of a coin of bias exp(−γ).
#[pyfunction(name = "bernoulli_exp")]
fn bernoulli_exp_tosses<'py>(py: Python<'py>, gamma: &str, size: usize) -> Array<'py, bool> {
    let gamma = number(gamma, "gamma")?;
    if gamma.is_negative() {
        return Err(wrong(
            format!("gamma is {gamma}, and exp of a positive number is no probability"),
            "write zero or a positive number, such as 1/3",
        ));
    }
    draws(py, size, |bits| bernoulli_exp(&gamma, bits))
}

/// Uniform integers from zero to below a bound.
#[pyfunction]
fn uniform_below<'py>(py: Python<'py>, bound: u64, size: usize) -> Array<'py, i64> {
    if bound == 0 || bound > 1 << 63 {
        return Err(wrong(
            format!("no uniform integer of 64 bits is below {bound}"),
            "write a bound from 1 to 2**63",
        ));
    }
    draws(py, size, |bits| uniform_u64_below(bound, bits) as i64)
}

/// A parameter by its text.
fn number(text: &str, name: &str) -> PyResult<Rational> {
    use pointillist_errors::Explained;
    Rational::parse(text).map_err(|error| raised(&error.explanation().about(name)))
}

fn checked<T>(made: Result<T, NoiseError>) -> PyResult<T> {
    made.map_err(|error| raised(&error))
}

/// The nearest integer of 64 bits.
fn saturated(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

fn no_room(size: usize) -> PyErr {
    wrong(format!("there is no memory for {size} values"), "draw fewer at a time")
}

/// So many draws as an array.
fn draws<'py, T: numpy::Element + Copy + Default>(
    py: Python<'py>,
    size: usize,
    draw: impl Fn(&mut SystemBits) -> T + Sync,
) -> Array<'py, T> {
    rows(py, 1, size, |bits, row| row.iter_mut().for_each(|value| *value = draw(bits)))
}

/// So many rows of a width, each drawn as a whole, one behind the other.
fn rows<'py, T: numpy::Element + Copy + Default>(
    py: Python<'py>,
    width: usize,
    size: usize,
    draw: impl Fn(&mut SystemBits, &mut [T]) + Sync,
) -> Array<'py, T> {
    let all = width.checked_mul(size).ok_or_else(|| no_room(size))?;
    let mut values: Vec<T> = Vec::new();
    // Memory that is not there is an error, and not the end of the process.
    values.try_reserve_exact(all).map_err(|_| no_room(all))?;
    let (mut done, mut batch) = (0, BATCH_FIRST.div_ceil(width));
    while done < size {
        let count = batch.min(size - done);
        let start = Instant::now();
        let (values, draw) = (&mut values, &draw);
        py.detach(|| extend(values, width, count, draw)).map_err(|error| raised(&error))?;
        done += count;
        let took = start.elapsed();
        if took < BATCH_TIME {
            batch = batch.saturating_mul(2);
        } else if took > 4 * BATCH_TIME {
            batch = (batch / 2).max(1);
        }
        py.check_signals()?;
    }
    Ok(values.into_pyarray(py))
}

/// So many more rows, drawn by all cores.
fn extend<T: Copy + Default + Send>(
    values: &mut Vec<T>,
    width: usize,
    count: usize,
    draw: &(impl Fn(&mut SystemBits, &mut [T]) + Sync),
) -> Result<(), EntropyError> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = count.div_ceil(cores).max(SHARE_LEAST.div_ceil(width));
    let start = values.len();
    values.resize(start + width * count, T::default());
    let fill = |part: &mut [T]| {
        with_system_bits(|bits| part.chunks_exact_mut(width).for_each(|row| draw(bits, row)))
    };
    let fill = &fill;
    thread::scope(|scope| {
        let mut parts = values[start..].chunks_mut(share * width);
        // The first share is drawn here, so that few draws need no thread.
        let first = parts.next();
        let others: Vec<_> = parts.map(|part| scope.spawn(move || fill(part))).collect();
        let here = first.map_or(Ok(()), fill);
        others.into_iter().map(joined).fold(here, Result::and)
    })
}

/// What a thread brought; its panic is ours.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Adds the module.
pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = submodule(parent, "noise")?;
    module.add_function(wrap_pyfunction!(integer_noise, &module)?)?;
    module.add_function(wrap_pyfunction!(geometric, &module)?)?;
    module.add_function(wrap_pyfunction!(rounded_gaussian, &module)?)?;
    module.add_function(wrap_pyfunction!(student_t, &module)?)?;
    module.add_function(wrap_pyfunction!(laplace_log_normal, &module)?)?;
    module.add_function(wrap_pyfunction!(power_tailed_laplace, &module)?)?;
    module.add_function(wrap_pyfunction!(l2_laplace, &module)?)?;
    module.add_function(wrap_pyfunction!(bernoulli, &module)?)?;
    module.add_function(wrap_pyfunction!(bernoulli_exp_tosses, &module)?)?;
    module.add_function(wrap_pyfunction!(uniform_below, &module)?)
}
