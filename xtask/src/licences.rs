//! `cargo xtask licences`: whoever builds Pointillist may do so under terms we have read.
//!
//! Every package that the lock file pins, on any platform and for tests as well, must offer a choice of
//! licences from [`ACCEPTED`]. This is our own small check, and not a tool to install, because it must work
//! on a fresh machine with only Rust.

mod expression;

use crate::cargo;
use expression::Expression;
use serde_json::Value;
use std::path::Path;

/// Licences whose terms we accept, by SPDX name. All are permissive: none asks anything of the code that
/// merely uses a dependency. MPL-2.0 and the GPL family are deliberately absent.
const ACCEPTED: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    // The Boost licence asks nothing of binaries, and of source no more than MIT does.
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Checks every package, and returns either a line of good news or all refusals.
pub fn run(root: &Path) -> Result<String, String> {
    let metadata = cargo::metadata_of_everything(root)?;
    let packages = cargo::packages(&metadata)?;
    let mut refusals = Vec::new();
    for package in packages {
        refusals.extend(refusal(package)?);
    }
    if refusals.is_empty() {
        Ok(format!("The licences of {} packages are all accepted.", packages.len()))
    } else {
        Err(refusals.join("\n"))
    }
}

/// Why a package of `cargo metadata` is refused, if it is.
fn refusal(package: &Value) -> Result<Option<String>, String> {
    let name = cargo::text_field(package, "name")?;
    let version = cargo::text_field(package, "version")?;
    let Some(licence) = package["license"].as_str() else {
        return Ok(Some(format!(
            "{name} {version} does not name its licence\n\
             hint: choose another crate, or ask its authors to fill in the `license` field of its manifest"
        )));
    };
    let reason = match Expression::parse(licence) {
        Ok(expression) if expression.is_satisfied_by(&is_accepted) => return Ok(None),
        Ok(_) => "which our list does not accept".to_string(),
        Err(error) => format!("which is not a licence expression: {error}"),
    };
    Ok(Some(format!(
        "{name} {version} is licensed as `{licence}`, {reason}\n\
         hint: choose another crate (`cargo tree --invert {name}@{version} --target all` shows who asked for it);\n      \
         if the terms are permissive, add the licence to ACCEPTED in xtask/src/licences.rs and argue for it in the commit"
    )))
}

fn is_accepted(licence: &str) -> bool {
    ACCEPTED.iter().any(|accepted| accepted.eq_ignore_ascii_case(licence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal_of(licence: &str) -> Option<String> {
        refusal(&json!({ "name": "borrowed", "version": "1.2.3", "license": licence })).unwrap()
    }

    #[test]
    fn the_licences_of_the_ecosystem_are_accepted() {
        let common = [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Unlicense OR MIT",
            "MIT OR LGPL-3.0",
            "BSD-2-Clause OR Apache-2.0 OR MIT",
        ];
        for licence in common {
            assert_eq!(refusal_of(licence), None, "{licence}");
        }
    }

    #[test]
    fn a_licence_that_asks_something_of_our_code_is_refused() {
        for licence in ["LGPL-3.0", "MIT AND LGPL-3.0", "MPL-2.0", "GPL-2.0+ OR MPL-2.0"] {
            assert!(refusal_of(licence).is_some(), "{licence}");
        }
    }

    #[test]
    fn a_refusal_names_the_crate_its_version_its_licence_and_the_way_out() {
        let message = refusal_of("MIT AND LGPL-3.0").unwrap();
        for part in ["borrowed 1.2.3", "`MIT AND LGPL-3.0`", "cargo tree --invert borrowed@1.2.3", "ACCEPTED"]
        {
            assert!(message.contains(part), "{part} is missing from: {message}");
        }
    }

    #[test]
    fn a_package_without_a_licence_is_refused() {
        let silent = json!({ "name": "silent", "version": "0.1.0", "license": null });
        assert!(refusal(&silent).unwrap().unwrap().contains("does not name its licence"));
    }

    #[test]
    fn a_licence_that_cannot_be_read_is_refused_and_not_guessed() {
        assert!(refusal_of("MIT OR").unwrap().contains("not a licence expression"));
    }
}
