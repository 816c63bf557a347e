//! Everything that is seen of what a function of Python returned.

use pointillist_audit::{Observation, Part};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};

use crate::errors::wrong;

/// Things that are seen of one release, at most: all releases are kept until they are counted.
const PARTS_MAX: usize = 4096;
/// Lists within lists, at most.
const DEPTH_MAX: usize = 8;

/// A release as it is seen. Nothing is a release too: one of which nothing is seen.
pub fn observation(value: &Bound<'_, PyAny>) -> PyResult<Observation> {
    let mut seen = Seen(Observation::new());
    seen.add(String::new(), value, 0)?;
    Ok(seen.0)
}

struct Seen(Observation);

impl Seen {
    fn put(&mut self, name: String, part: impl Into<Part>) -> PyResult<()> {
        if self.0.parts().len() >= PARTS_MAX {
            return Err(wrong(
                format!("a release has more than {PARTS_MAX} parts"),
                "return what tells most about it, such as a few of its numbers",
            ));
        }
        let name = if name.is_empty() { "answer".to_owned() } else { name };
        self.0 = std::mem::take(&mut self.0).with(name, part);
        Ok(())
    }

    fn add(&mut self, name: String, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        if depth > DEPTH_MAX {
            return Err(wrong("a release is nested too deeply", "return a flat list or a dict"));
        }
        if value.is_none() {
            return Ok(());
        }
        if let Ok(truth) = value.cast::<PyBool>() {
            return self.put(name, truth.is_true());
        }
        if value.is_instance_of::<PyInt>() {
            return match value.extract::<i128>() {
                Ok(number) => self.put(name, number),
                // Beyond 128 bits every digit is still seen.
                Err(_) => self.put(name, value.call_method1("__format__", ("x",))?.to_string()),
            };
        }
        if value.is_instance_of::<PyFloat>() {
            return self.put(name, value.extract::<f64>()?);
        }
        if let Ok(text) = value.cast::<PyString>() {
            return self.put(name, text.to_string_lossy().into_owned());
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            let digits: String = bytes.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            return self.put(name, digits);
        }
        if let Ok(named) = value.cast::<PyDict>() {
            for (key, value) in named {
                // The text "1" and the number 1 are two names.
                let key = match key.is_instance_of::<PyString>() {
                    true => key.to_string(),
                    false => format!("{} ({})", key.repr()?, key.get_type().name()?),
                };
                self.add(inside(&name, &key), &value, depth + 1)?;
            }
            return Ok(());
        }
        if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
            for member in value.try_iter()? {
                self.put(inside(&name, &format!("has {}", member?.repr()?)), true)?;
            }
            return self.put(inside(&name, "length"), value.len()?);
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            for (place, part) in value.try_iter()?.enumerate() {
                self.add(inside(&name, &format!("part {}", place + 1)), &part?, depth + 1)?;
            }
            return self.put(inside(&name, "length"), value.len()?);
        }
        self.add_other(name, value, depth)
    }

    /// Arrays and numbers of NumPy, and exact numbers.
    fn add_other(&mut self, name: String, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        if value.hasattr("dtype")? && value.hasattr("tolist")? {
            let listed = value.call_method0("tolist")?;
            if !listed.get_type().is(value.get_type()) {
                return self.add(name, &listed, depth + 1);
            }
        }
        if value.hasattr("__float__")? {
            let near = value.call_method0("__float__")?;
            let same = near.eq(value)?;
            self.put(name.clone(), near.extract::<f64>()?)?;
            // A fraction that no float is has digits that a float does not show.
            return if same { Ok(()) } else { self.put(inside(&name, "exactly"), value.str()?.to_string()) };
        }
        Err(wrong(
            format!("a release is a {}, of which nothing can be seen", value.get_type().name()?),
            "return a number, a text, bytes, a truth value, None, or a list, an array or a dict of those",
        ))
    }
}

fn inside(name: &str, part: &str) -> String {
    if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") }
}
