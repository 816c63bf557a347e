//! `cargo xtask deb`: the binary that people install, as a package for Debian and its relatives.
//!
//! The recipe is `packaging/debian`; manual pages and completions come from the binary itself, the list of what is in it from
//! `sbom.rs`. The same commit and the same binary give the same bytes: times are the commit's, owners are root, nothing is packed
//! in the order in which a disk happens to list it. What the package needs is read from the binary, by `dpkg-shlibdeps` where it
//! is installed. It is a package to install and not one of the distribution: there is no source package.

mod depends;
mod licence_texts;

use crate::clients::has;
use crate::{cargo, sbom, shipped_crates};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RECIPE: &str = "packaging/debian";
const DOCUMENTS: &str = "usr/share/doc/pointillist";
const MANUAL: &str = "usr/share/man/man1";
/// Where each shell looks for the completions of packages.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/pointillist"),
    ("zsh", "usr/share/zsh/vendor-completions/_pointillist"),
    ("fish", "usr/share/fish/vendor_completions.d/pointillist.fish"),
];
/// Whom mail of the package goes to where nobody says otherwise. The domain is reserved for addresses that do not exist.
const NOBODY: (&str, &str) = ("The Pointillist developers", "developers@pointillist.invalid");

/// Builds in release and packs; good news says where, how large, and what it needs.
pub fn run(root: &Path) -> Result<String, String> {
    need_tools()?;
    build_release(root)?;
    let package = pack(root, "deb", &source_date_epoch(root)?)?;
    let bytes = fs::metadata(&package.path).map_err(|error| error.to_string())?.len();
    let advice = if package.has_maintainer {
        ""
    } else {
        "\nnobody is named as its maintainer: set DEBFULLNAME and DEBEMAIL before others get it"
    };
    Ok(format!(
        "{}: {:.1} MB, {:.1} MB installed\nDepends: {}\nsha256: {}{advice}",
        package.path.display(),
        bytes as f64 / 1e6,
        package.installed_kib as f64 * 1024.0 / 1e6,
        package.depends,
        first_word(&output(Command::new("sha256sum").arg(&package.path))?),
    ))
}

/// The tools without which there is no package, or what to install.
pub fn need_tools() -> Result<(), String> {
    for (tool, package) in [("dpkg-deb", "dpkg"), ("gzip", "gzip"), ("md5sum", "coreutils")] {
        if !has(tool) {
            return Err(format!(
                "!!! a package cannot be made here: there is no `{tool}`\nhint: install `{package}` (Debian: apt-get install {package}; macOS: brew install {package})"
            ));
        }
    }
    Ok(())
}

/// The binary as people get it, from exactly what the lock file pins.
pub fn build_release(root: &Path) -> Result<(), String> {
    let status = cargo::command(root).args(["build", "--release", "--locked"]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("the binary does not build in release".to_owned()),
        Err(error) => Err(format!("`cargo build` could not be started: {error}")),
    }
}

/// A package that was made.
pub struct Package {
    pub path: PathBuf,
    pub installed_kib: u64,
    pub depends: String,
    has_maintainer: bool,
}

/// Lays everything out in a folder of this name below the target folder, and packs it from there. The time of everything in
/// it is `epoch`, in seconds.
pub fn pack(root: &Path, folder: &str, epoch: &str) -> Result<Package, String> {
    let target = cargo::target_directory(root)?;
    let (folder, binary) = (target.join(folder), target.join("release/pointillist"));
    // What an earlier run left must not be taken for what this one made.
    let _ = fs::remove_dir_all(&folder);
    let tree = Tree { place: folder.join("root") };
    let maintainer = maintainer(|name| std::env::var(name).ok());
    let version = version(root)?;
    lay_out(root, &binary, &tree)?;
    let changelog = changelog(&version, &maintainer.0, &mail_date(epoch)?);
    tree.write_compressed(&format!("{DOCUMENTS}/changelog"), changelog.as_bytes())?;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
    let depends = depends::of(&binary, &folder)?;
    let installed_kib = installed_kib(&tree.place)?;
    let control = filled(
        &recipe(root, "control")?,
        &[
            ("VERSION", &version),
            ("ARCHITECTURE", &architecture),
            ("MAINTAINER", &maintainer.0),
            ("INSTALLED_SIZE", &installed_kib.to_string()),
            ("DEPENDS", &depends),
        ],
    )?;
    let sums = md5sums(&tree.place)?;
    tree.write("DEBIAN/control", control.as_bytes(), 0o644)?;
    tree.write("DEBIAN/md5sums", sums.as_bytes(), 0o644)?;
    tree.write("DEBIAN/postinst", recipe(root, "postinst")?.as_bytes(), 0o755)?;
    let path = folder.join(format!("pointillist_{version}_{architecture}.deb"));
    let mut pack = Command::new("dpkg-deb");
    // Compressed by one thread: how many there are decides where blocks end.
    pack.args(["--root-owner-group", "--threads-max=1", "-Zxz", "--build"]).arg(&tree.place).arg(&path);
    output(pack.env("SOURCE_DATE_EPOCH", epoch))?;
    Ok(Package { path, installed_kib, depends, has_maintainer: maintainer.1 })
}

/// All files but those that speak of the package itself.
fn lay_out(root: &Path, binary: &Path, tree: &Tree) -> Result<(), String> {
    let program = fs::read(binary).map_err(|error| format!("{}: {error}", binary.display()))?;
    tree.write("usr/bin/pointillist", &program, 0o755)?;
    let pages = tree.place.join(MANUAL);
    output(Command::new(binary).args(["--quiet", "man", "--output"]).arg(&pages))?;
    for page in files_below(&pages)? {
        let text = fs::read(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        fs::remove_file(&page).map_err(|error| error.to_string())?;
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        tree.write_compressed(&format!("{MANUAL}/{name}"), &text)?;
    }
    for (shell, path) in COMPLETIONS {
        let script = output(Command::new(binary).args(["completions", shell]))?;
        tree.write(path, script.as_bytes(), 0o644)?;
    }
    for (from, to) in [
        ("pointillist@.service", "usr/lib/systemd/system/pointillist@.service"),
        ("sysusers.conf", "usr/lib/sysusers.d/pointillist.conf"),
    ] {
        tree.write(to, recipe(root, from)?.as_bytes(), 0o644)?;
    }
    let shipped = shipped_crates::read(root)?;
    let mit = read(&root.join("LICENSE-MIT"))?;
    let copyright = filled(&recipe(root, "copyright")?, &[("MIT", &indented(licence_body(&mit)))])?;
    tree.write(&format!("{DOCUMENTS}/copyright"), copyright.as_bytes(), 0o644)?;
    tree.write_compressed(
        &format!("{DOCUMENTS}/pointillist.cdx.json"),
        sbom::text(root, &shipped)?.as_bytes(),
    )?;
    tree.write_compressed(
        &format!("{DOCUMENTS}/licences-of-dependencies.txt"),
        licence_texts::collect(root, &shipped)?.as_bytes(),
    )?;
    tree.write_compressed(&format!("{DOCUMENTS}/NEWS"), read(&root.join("CHANGELOG.md"))?.as_bytes())
}

/// The files of the package, from the root of the system that it is installed on.
struct Tree {
    place: PathBuf,
}

impl Tree {
    /// Modes are said and not left to the umask of whoever packs.
    fn write(&self, path: &str, bytes: &[u8], mode: u32) -> Result<(), String> {
        let whole = self.place.join(path);
        let failed = |error: std::io::Error| format!("{} cannot be written: {error}", whole.display());
        fs::create_dir_all(whole.parent().unwrap_or(&self.place)).map_err(failed)?;
        let folders = whole.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.place));
        for folder in folders {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).map_err(failed)?;
        }
        fs::write(&whole, bytes).map_err(failed)?;
        fs::set_permissions(&whole, fs::Permissions::from_mode(mode)).map_err(failed)
    }

    /// Under its name with `.gz`, and with neither name nor time inside.
    fn write_compressed(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("gzip: {error}");
        let mut gzip = Command::new("gzip");
        let mut gzip =
            gzip.arg("-9nc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut stdin = gzip.stdin.take().ok_or("gzip has no input")?;
        // A thread of its own: gzip writes before it has read everything.
        let compressed = std::thread::scope(|scope| {
            let feeder = scope.spawn(move || stdin.write_all(bytes));
            let compressed = gzip.wait_with_output();
            feeder.join().map_err(|_| std::io::Error::other("the feeder died"))??;
            compressed
        })
        .map_err(failed)?;
        if !compressed.status.success() {
            return Err(format!("{path} could not be compressed"));
        }
        self.write(&format!("{path}.gz"), &compressed.stdout, 0o644)
    }
}

/// A file of the recipe with every `@NAME@` filled in; one that nobody fills in is an error.
fn filled(template: &str, values: &[(&str, &str)]) -> Result<String, String> {
    let mut text = template.to_owned();
    for (name, value) in values {
        let place = format!("@{name}@");
        if !text.contains(&place) {
            return Err(format!("the recipe has no place for {place}"));
        }
        text = text.replace(&place, value);
    }
    let is_open = |word: &str| word.len() > 2 && word.starts_with('@') && word.ends_with('@');
    match text.split_whitespace().find(|word| is_open(word)) {
        Some(open) => Err(format!("nobody knows what {open} of the recipe is")),
        None => Ok(text),
    }
}

/// Terms without the title and the line of the copyright, which stand elsewhere in a Debian copyright file.
fn licence_body(licence: &str) -> &str {
    licence.find("Permission is hereby granted").map_or(licence, |start| &licence[start..])
}

/// As the long part of a field: each line behind a blank, an empty one as a dot.
fn indented(text: &str) -> String {
    let line = |line: &str| if line.trim().is_empty() { " .".to_owned() } else { format!(" {line}") };
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// In the form that Debian's tools read; the news themselves are in a file of their own.
fn changelog(version: &str, maintainer: &str, date: &str) -> String {
    format!(
        "pointillist ({version}) unstable; urgency=medium\n\n  * What is new for users, with what changed for privacy first, is in NEWS.gz.\n\n -- {maintainer}  {date}\n"
    )
}

/// Who looks after the package, as Debian's own tools are told, and whether anybody said so.
fn maintainer(variable: impl Fn(&str) -> Option<String>) -> (String, bool) {
    match (variable("DEBFULLNAME"), variable("DEBEMAIL")) {
        (Some(name), Some(mail)) => (format!("{name} <{mail}>"), true),
        _ => (format!("{} <{}>", NOBODY.0, NOBODY.1), false),
    }
}

fn version(root: &Path) -> Result<String, String> {
    let metadata = cargo::metadata_of_members(root)?;
    let package =
        cargo::packages(&metadata)?.iter().find(|package| package["name"] == shipped_crates::PACKAGE);
    cargo::text_field(package.ok_or("there is no package with the binary")?, "version").map(str::to_owned)
}

/// When what is packed was written: the last commit's time in seconds, unless the caller knows better.
pub fn source_date_epoch(root: &Path) -> Result<String, String> {
    match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(epoch) => Ok(epoch),
        Err(_) => {
            let mut git = Command::new("git");
            git.current_dir(root).args(["log", "-1", "--format=%ct"]);
            Ok(output(&mut git)?.trim().to_owned())
        }
    }
}

fn mail_date(epoch: &str) -> Result<String, String> {
    let mut date = Command::new("date");
    Ok(output(date.args(["-u", "-R", "-d", &format!("@{epoch}")]).env("LC_ALL", "C"))?.trim().to_owned())
}

/// As Debian counts: files in whole KiB, rounded up, and one for everything else.
fn installed_kib(place: &Path) -> Result<u64, String> {
    let mut kib = 0;
    for entry in fs::read_dir(place).map_err(|error| format!("{}: {error}", place.display()))? {
        let entry = entry.map_err(|error| error.to_string())?;
        let about = entry.metadata().map_err(|error| error.to_string())?;
        kib += if about.is_dir() { 1 + installed_kib(&entry.path())? } else { about.len().div_ceil(1024) };
    }
    Ok(kib)
}

/// Every file below, in the order of their paths.
fn files_below(place: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(place).map_err(|error| format!("{}: {error}", place.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn md5sums(place: &Path) -> Result<String, String> {
    let mut command = Command::new("md5sum");
    for file in files_below(place)? {
        command.arg(file.strip_prefix(place).map_err(|error| error.to_string())?);
    }
    output(command.current_dir(place))
}

fn recipe(root: &Path, name: &str) -> Result<String, String> {
    read(&root.join(RECIPE).join(name))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// What a program prints, or why it failed.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("`{name}` could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{name}` did not answer with text"))
}

#[cfg(test)]
mod tests;
