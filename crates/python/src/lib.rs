//! The notebook door: what `import pointillist` calls, compiled.
//!
//! Python's side (`python/pointillist`) has the names, the types and the words; here stand the calls that it cannot make
//! itself, one file for each of its modules, as thin as a door is. Parameters that carry a promise come in as texts and are
//! read exactly; results go out as the JSON of every door, as Arrow batches or as arrays of NumPy. Long work runs without
//! the interpreter's lock and can be interrupted ([`interrupt`]); errors keep message, hint and kind ([`errors`]).

mod accounting;
mod attack;
mod audit;
mod curator;
mod errors;
mod graph;
mod interrupt;
mod local;
mod mechanisms;
mod migration;
mod models;
mod noise;

use pyo3::prelude::*;

/// The compiled part of `pointillist`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    std::panic::set_hook(Box::new(tell_the_place));
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    noise::register(module)?;
    mechanisms::register(module)?;
    models::register(module)?;
    accounting::register(module)?;
    local::register(module)?;
    graph::register(module)?;
    migration::register(module)?;
    curator::register(module)?;
    attack::register(module)?;
    audit::register(module)
}

/// A panic is a mistake of ours. What it would say may hold a value of somebody's row, so only the place is told.
fn tell_the_place(panic: &std::panic::PanicHookInfo<'_>) {
    let place =
        panic.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    eprintln!("pointillist: a mistake of ours{place}\nhint: please report it, without your data");
}

/// A module inside of `_native`, of this name.
fn submodule<'py>(parent: &Bound<'py, PyModule>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    let module = PyModule::new(parent.py(), name)?;
    parent.add_submodule(&module)?;
    // So that it is imported by its name as a file would be.
    let modules = parent.py().import("sys")?.getattr("modules")?;
    modules.set_item(format!("pointillist._native.{name}"), &module)?;
    Ok(module)
}
