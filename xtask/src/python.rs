//! `cargo xtask python`: the module as Python sees it, in an interpreter with the libraries that people use it with.
//!
//! The module is the one that was built beside the tests, from the same compiled dependencies; `cargo xtask wheel` builds it as
//! people get it: in release, by pip, in a fresh environment, and says how large the wheel is and what is in it. Packages come
//! from PyPI, into `target/peers`; where they cannot be had, everything here is skipped with a loud line.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{cargo, clients, peer};

/// Its first line says what the tests need.
const REQUIREMENTS: &str = "python/tests/conftest.py";

/// How it ended.
pub enum Tested {
    Passed(String),
    Skipped(String),
    Failed(String),
}

/// Builds the module as the tests do, and tests it: behaviour, examples, types.
pub fn run(root: &Path) -> Tested {
    let python = match peer::python_for(root, &root.join(REQUIREMENTS)) {
        Ok(python) => python,
        Err(reason) => return Tested::Skipped(format!("!!! the Python module: SKIPPED, {reason}")),
    };
    let tested = clients::build(root).and_then(|()| {
        let target = cargo::target_directory(root)?;
        let packages = laid_out(root, &target)?;
        tests(root, &python, &packages, &target.join("debug/pointillist"))?;
        types(root, &python)
    });
    match tested {
        Ok(words) => Tested::Passed(format!("the Python module: passed{words}")),
        Err(problem) => Tested::Failed(problem),
    }
}

/// Builds a wheel in release, installs it by pip, and tests what was installed.
pub fn wheel(root: &Path) -> Result<String, String> {
    let (place, name) = installed_wheel(root)?;
    let python = peer::python_for(root, &root.join(REQUIREMENTS))?;
    clients::build(root)?;
    tests(root, &python, &place, &cargo::target_directory(root)?.join("debug/pointillist"))?;
    Ok(format!("{name}: built, installed and tested"))
}

/// Builds a wheel in release, says what is in it, and installs it into a folder of its own: that folder, and the wheel's name.
pub fn installed_wheel(root: &Path) -> Result<(PathBuf, String), String> {
    let python = peer::python_for(root, &root.join(REQUIREMENTS))?;
    let target = cargo::target_directory(root)?;
    let wheels = target.join("wheels");
    // What an earlier run left must not be taken for what this one made.
    let _ = fs::remove_dir_all(&wheels);
    let mut build = Command::new(&python);
    build.args(["-m", "pip", "wheel", "--no-deps", "--wheel-dir"]).arg(&wheels).arg(root);
    // What pip says while it builds is no result: a benchmark's page is made of standard output.
    build.env("CARGO_TARGET_DIR", &target).stdout(std::io::stderr());
    succeeded(build, "the wheel does not build")?;
    let wheel = fs::read_dir(&wheels).into_iter().flatten().flatten().map(|entry| entry.path());
    let wheel = wheel.into_iter().find(|path| path.extension() == Some(OsStr::new("whl")));
    let wheel = wheel.ok_or("there is no wheel")?;
    let bytes = fs::metadata(&wheel).map_err(|error| error.to_string())?.len();
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!("{name}: {:.1} MB.", bytes as f64 / 1e6);
    let mut list = Command::new(&python);
    list.args(["-m", "zipfile", "-l"]).arg(&wheel).stdout(std::io::stderr());
    succeeded(list, "the wheel cannot be read")?;
    let place = wheels.join("installed");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&place).arg(&wheel);
    succeeded(install, "the wheel cannot be installed")?;
    Ok((place, name))
}

/// The package as it would be installed: the Python files, and the compiled module beside them.
fn laid_out(root: &Path, target: &Path) -> Result<PathBuf, String> {
    let packages = target.join("python");
    let _ = fs::remove_dir_all(&packages);
    copy_folder(&root.join("python/pointillist"), &packages.join("pointillist"))?;
    let names = ["lib_native.so", "lib_native.dylib"];
    let places = names
        .into_iter()
        .flat_map(|name| [target.join("debug/deps").join(name), target.join("debug").join(name)]);
    let newest = places
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .max()
        .ok_or("the module was not built")?;
    let module = packages.join("pointillist/_native.abi3.so");
    fs::copy(newest.1, module).map_err(|error| format!("the module cannot be copied: {error}"))?;
    Ok(packages)
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} cannot be copied: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if name != "__pycache__" {
                copy_folder(&path, &to.join(name))?;
            }
        } else if path.extension() != Some(OsStr::new("so")) {
            fs::copy(&path, to.join(name)).map_err(failed)?;
        }
    }
    Ok(())
}

/// The tests, and the examples in the texts of the package.
fn tests(root: &Path, python: &Path, packages: &Path, program: &Path) -> Result<(), String> {
    let mut tests = Command::new(python);
    tests.args(["-m", "pytest", "-q", "--doctest-modules", "-p", "no:cacheprovider"]);
    tests.arg(root.join("python/tests")).arg(packages.join("pointillist"));
    tests.current_dir(root).env("PYTHONPATH", packages).env("POINTILLIST", program);
    tests.env("PYTHONDONTWRITEBYTECODE", "1");
    succeeded(tests, "the first failing test above names the behaviour that broke")
}

/// The types: by mypy, and by pyright where its other half can be had from npm.
fn types(root: &Path, python: &Path) -> Result<String, String> {
    let package = root.join("python/pointillist");
    let cache = root.join("target/mypy");
    let mut mypy = Command::new(python);
    mypy.args(["-m", "mypy", "--strict", "--cache-dir"]).arg(cache).arg(&package);
    succeeded(mypy.current_dir(root), "mypy found types that do not go together")?;
    let pyright = |arguments: &[&str]| {
        let mut command = Command::new(python);
        command.args(["-m", "pyright", "--pythonpath"]).arg(python).args(arguments);
        command.current_dir(root);
        command
    };
    let is_there = pyright(&["--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        return Ok("\n!!! pyright: SKIPPED, it could not be installed".to_owned());
    }
    succeeded(pyright(&[]), "pyright found types that do not go together")?;
    Ok(String::new())
}

fn succeeded(mut command: impl std::borrow::BorrowMut<Command>, hint: &str) -> Result<(), String> {
    match command.borrow_mut().status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("hint: {hint}")),
        Err(error) => Err(format!("Python could not be started: {error}")),
    }
}
