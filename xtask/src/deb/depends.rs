//! Which packages of Debian the binary needs: by `dpkg-shlibdeps`, or from the binary's own tables.
//!
//! The tables name the libraries that are loaded, and of each the newest version of a symbol that is used. Only libraries that
//! every Debian calls by the same name are known here; another one is an error and not left out.

use super::output;
use crate::clients::has;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The library's file, its package, and how its symbols' versions begin.
const LIBRARIES: [(&str, &str, &str); 8] = [
    ("libc.so.", "libc6", "GLIBC_"),
    ("libm.so.", "libc6", "GLIBC_"),
    ("libdl.so.", "libc6", "GLIBC_"),
    ("libpthread.so.", "libc6", "GLIBC_"),
    ("librt.so.", "libc6", "GLIBC_"),
    ("ld-linux", "libc6", "GLIBC_"),
    ("libgcc_s.so.", "libgcc-s1", "GCC_"),
    ("libz.so.", "zlib1g", "ZLIB_"),
];

/// The field `Depends` for this binary. Debian's tool wants a folder of its own, which it gets in `scratch`.
pub fn of(binary: &Path, scratch: &Path) -> Result<String, String> {
    if has("dpkg-shlibdeps") {
        let folder = scratch.join("shlibdeps");
        fs::create_dir_all(folder.join("debian")).map_err(|error| error.to_string())?;
        let control = "Source: pointillist\n\nPackage: pointillist\nArchitecture: any\n";
        fs::write(folder.join("debian/control"), control).map_err(|error| error.to_string())?;
        let mut tool = Command::new("dpkg-shlibdeps");
        tool.current_dir(&folder).arg("-O").arg(binary);
        let text = output(&mut tool)?;
        let depends = text.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
        return depends.map(str::to_owned).ok_or_else(|| format!("`dpkg-shlibdeps` did not say: {text}"));
    }
    if !has("readelf") {
        return Err("!!! what the binary needs cannot be found out: there is neither `dpkg-shlibdeps` nor `readelf`\n\
                    hint: install `dpkg-dev` or `binutils`"
            .to_owned());
    }
    let tables = output(Command::new("readelf").args(["-dVW"]).arg(binary).env("LC_ALL", "C"))?;
    from_tables(&tables)
}

/// From what `readelf -dVW` prints.
fn from_tables(tables: &str) -> Result<String, String> {
    let mut packages: BTreeMap<&str, Option<Version>> = BTreeMap::new();
    let bracketed = |line: &str| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned());
    for library in tables.lines().filter(|line| line.contains("(NEEDED)")).filter_map(bracketed) {
        let known = LIBRARIES.iter().find(|(file, ..)| library.starts_with(file));
        let (_, package, prefix) = known.ok_or_else(|| {
            format!("the package of {library} is not known\nhint: install `dpkg-dev`, whose dpkg-shlibdeps knows it")
        })?;
        let names = tables.lines().filter_map(|line| line.split_once("Name: ")?.1.split_whitespace().next());
        let newest = names.filter_map(|name| Version::parse(name.strip_prefix(prefix)?)).max();
        let so_far = packages.entry(package).or_default();
        *so_far = so_far.take().max(newest);
    }
    if packages.is_empty() {
        return Err("the binary names no library that it needs".to_owned());
    }
    let each = packages.iter().map(|(package, version)| match version {
        Some(version) => format!("{package} (>= {})", version.text),
        None => (*package).to_owned(),
    });
    Ok(each.collect::<Vec<_>>().join(", "))
}

/// A version of numbers and dots, compared number by number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    numbers: Vec<u32>,
    text: String,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let numbers = text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>()?;
        Some(Self { numbers, text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "\
 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libm.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [ld-linux-x86-64.so.2]
  000000: Version: 1  File: libgcc_s.so.1  Cnt: 2
  0x0010:   Name: GCC_3.0  Flags: none  Version: 9
  0x0020:   Name: GCC_4.2.0  Flags: none  Version: 5
  0x0060: Version: 1  File: libc.so.6  Cnt: 4
  0x0070:   Name: GLIBC_2.9  Flags: none  Version: 13
  0x0080:   Name: GLIBC_2.34  Flags: none  Version: 4
  0x0090:   Name: GLIBC_2.2.5  Flags: none  Version: 2
  0x00a0:   Name: GLIBC_PRIVATE  Flags: none  Version: 3
";

    #[test]
    fn the_newest_symbol_decides_and_versions_are_compared_as_numbers() {
        assert_eq!(from_tables(TABLES).unwrap(), "libc6 (>= 2.34), libgcc-s1 (>= 4.2.0)");
    }

    #[test]
    fn a_library_that_is_not_known_is_not_left_out() {
        let tables = TABLES.replace("libm.so.6", "libssl.so.3");
        assert!(from_tables(&tables).unwrap_err().contains("libssl.so.3"));
        assert!(from_tables("").is_err());
    }
}
