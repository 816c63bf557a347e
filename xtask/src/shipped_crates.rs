//! Which crates are in the binary that people install, and which only helped to build it.
//!
//! `cargo tree` knows: it chooses features for `pointillist-cli` alone, as the release build does, whereas `cargo metadata`
//! answers for all members of the workspace together. A crate is linked if normal dependencies lead to it without passing a
//! procedural macro, which runs inside the compiler; everything else that the build needs is a crate of the build.

use crate::cargo;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The package with the binary.
pub const PACKAGE: &str = "pointillist-cli";

/// A crate and its version: at most one source for both is in the lock file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrateVersion {
    pub name: String,
    pub version: String,
}

/// What the binary is made of.
#[derive(Debug)]
pub struct ShippedCrates {
    pub binary: CrateVersion,
    /// Linked into it, the package itself included.
    pub linked: BTreeSet<CrateVersion>,
    /// Needed to build it: build scripts, procedural macros, and what those need.
    pub build_only: BTreeSet<CrateVersion>,
    /// Who depends on whom, for normal and for build dependencies.
    pub edges: BTreeMap<CrateVersion, BTreeSet<CrateVersion>>,
}

/// Asks cargo, for the machine that it runs on.
pub fn read(root: &Path) -> Result<ShippedCrates, String> {
    shipped(&cargo_tree(root, "normal")?, &cargo_tree(root, "normal,build")?)
}

fn cargo_tree(root: &Path, edges: &str) -> Result<String, String> {
    let ask = |network: &[&str]| {
        let mut command = cargo::command(root);
        command.args(["tree", "--package", PACKAGE, "--edges", edges, "--prefix", "depth", "--locked"]);
        command.args(["--charset", "ascii", "--format", "\t{p}\t{f}"]).args(network);
        let output =
            command.output().map_err(|error| format!("`cargo tree` could not be started: {error}"))?;
        if output.status.success() {
            String::from_utf8(output.stdout).map_err(|_| "`cargo tree` did not answer with text".to_owned())
        } else {
            Err(format!("`cargo tree` failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
    };
    ask(&["--offline"]).or_else(|_| ask(&[]))
}

/// From the two trees as text: without and with build dependencies.
fn shipped(normal: &str, everything: &str) -> Result<ShippedCrates, String> {
    let (normal, everything) = (Tree::parse(normal)?, Tree::parse(everything)?);
    let linked: BTreeSet<CrateVersion> = normal.linked().into_iter().map(|node| node.package).collect();
    let mut edges: BTreeMap<CrateVersion, BTreeSet<CrateVersion>> = BTreeMap::new();
    for (node, below) in &everything.edges {
        let below = below.iter().map(|node| node.package.clone());
        edges.entry(node.package.clone()).or_default().extend(below);
    }
    let build_only = edges.keys().filter(|package| !linked.contains(package)).cloned().collect();
    Ok(ShippedCrates { binary: everything.top.package, linked, build_only, edges })
}

/// A line of the tree. The same crate with other features, for a build script say, has other dependencies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    package: CrateVersion,
    is_macro: bool,
    features: String,
}

struct Tree {
    top: Node,
    edges: BTreeMap<Node, BTreeSet<Node>>,
}

impl Tree {
    fn parse(text: &str) -> Result<Self, String> {
        let mut path: Vec<Node> = Vec::new();
        let mut top = None;
        let mut edges: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let strange = || format!("`cargo tree` wrote a line that is not understood: {line}");
            let (depth, node) = node(line).ok_or_else(strange)?;
            if depth > path.len() {
                return Err(strange());
            }
            path.truncate(depth);
            match path.last() {
                Some(above) => {
                    edges.entry(above.clone()).or_default().insert(node.clone());
                }
                None if top.is_none() => top = Some(node.clone()),
                None => return Err(strange()),
            }
            edges.entry(node.clone()).or_default();
            path.push(node);
        }
        Ok(Self { top: top.ok_or("`cargo tree` wrote nothing")?, edges })
    }

    /// What the linker sees, from the top down.
    fn linked(&self) -> BTreeSet<Node> {
        let mut seen = BTreeSet::new();
        let mut open = vec![&self.top];
        while let Some(node) = open.pop() {
            if !node.is_macro && seen.insert(node.clone()) {
                open.extend(&self.edges[node]);
            }
        }
        seen
    }
}

/// Depth and node of a line such as `2⇥syn v2.0.1 (proc-macro)⇥full,parsing (*)`.
fn node(line: &str) -> Option<(usize, Node)> {
    let mut fields = line.split('\t');
    let (depth, package, features) = (fields.next()?, fields.next()?, fields.next()?);
    let mut words = package.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    let node = Node {
        package: CrateVersion { name: name.to_owned(), version: version.to_owned() },
        is_macro: package.contains("(proc-macro)"),
        features: features.trim_end_matches("(*)").trim_end().to_owned(),
    };
    Some((depth.parse().ok()?, node))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// `app` links `noise` and `shared`, and builds with the macro `derive` and the build script's `cc`; both need `shared`,
    /// and the macro needs `syn`.
    pub fn example() -> ShippedCrates {
        let normal = "0\tapp v1.0.0 (/a)\t\n1\tderive v2.0.0 (proc-macro)\t\n2\tshared v3.0.0\tstd\n2\tsyn v4.0.0\tfull\n\
                      1\tnoise v5.0.0+c.1\t\n2\tshared v3.0.0\tstd (*)\n";
        let everything = "0\tapp v1.0.0 (/a)\t\n1\tderive v2.0.0 (proc-macro)\t\n2\tshared v3.0.0\tstd\n2\tsyn v4.0.0\tfull\n\
                          1\tnoise v5.0.0+c.1\t\n2\tcc v6.0.0\t\n3\tshared v3.0.0\tstd (*)\n2\tshared v3.0.0\tstd (*)\n";
        shipped(normal, everything).unwrap()
    }

    fn names(crates: &BTreeSet<CrateVersion>) -> Vec<&str> {
        crates.iter().map(|package| package.name.as_str()).collect()
    }

    #[test]
    fn what_macros_and_build_scripts_need_is_not_linked_unless_the_binary_needs_it_too() {
        let shipped = example();
        assert_eq!(names(&shipped.linked), ["app", "noise", "shared"]);
        assert_eq!(names(&shipped.build_only), ["cc", "derive", "syn"]);
        assert_eq!(shipped.binary.name, "app");
    }

    #[test]
    fn dependencies_that_are_shown_once_are_known_everywhere() {
        let shipped = example();
        let below = |name: &str| {
            names(shipped.edges.iter().find(|(package, _)| package.name == name).expect("it is there").1)
        };
        assert_eq!(below("app"), ["derive", "noise"]);
        assert_eq!(below("noise"), ["cc", "shared"]);
        assert_eq!(below("shared"), [""; 0]);
    }

    #[test]
    fn lines_that_are_not_understood_are_refused() {
        for text in [
            "",
            "0\tapp 1.0.0\t\n",
            "0\tapp v1.0.0\n",
            "0\tapp v1.0.0\t\n2\tfar v1.0.0\t\n",
            "0\ta v1.0.0\t\n0\tb v1.0.0\t\n",
        ] {
            assert!(Tree::parse(text).is_err(), "{text}");
        }
    }
}
