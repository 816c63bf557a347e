//! What Python's tests cannot see: every part of the module has a stub, and every stub a part.
//!
//! The module itself is tested in `python/tests`, with an interpreter. That this file is here makes cargo build the module
//! together with everybody else's tests, from the same compiled dependencies.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn every_submodule_has_a_stub_and_every_stub_a_submodule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source: String =
        files_below(&root.join("src")).iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let named = source.match_indices("submodule(parent, \"").map(|(at, start)| {
        let rest = &source[at + start.len()..];
        rest[..rest.find('"').unwrap()].to_owned()
    });
    let stubs = files_below(&root.join("../../python/pointillist/_native"));
    let stubs = stubs.iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let stubs: BTreeSet<String> = stubs.filter(|name| name != "__init__").collect();
    assert_eq!(named.collect::<BTreeSet<String>>(), stubs);
}
