//! `cargo xtask install-check`: is the package one that a stranger can install, use and remove?
//!
//! A minimal Debian (of the suite that this machine has) is made below `target/install-check`, once, by debootstrap. In a copy of it
//! the package is installed by apt with what it needs, and looked at the way a newcomer would: the version, the demonstration as
//! nobody in particular, the manual, completions, the user of the unit. Then it is purged, and nothing may be left but data that
//! somebody put there. The package is also made a second time, and must be the same bytes. Nothing is mounted into the root, so that
//! removing it removes nothing else. Without root, debootstrap or the network all of this is skipped with a loud line.

use crate::clients::has;
use crate::{cargo, deb};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the minimal Debian gets beside itself: the manual, and what makes users of units where no systemd runs.
const EXTRAS: [&str; 3] = ["man-db", "bash-completion", "systemd-standalone-sysusers"];
/// Folders in which apt, dpkg and the manual keep their own books. What happens there is theirs.
const BOOKKEEPING: [&str; 7] =
    ["/var/lib/dpkg", "/var/lib/apt", "/var/cache", "/var/log", "/tmp", "/var/lib/systemd", "/etc/.pwd.lock"];
/// Somebody's file, which a purge must leave alone.
const DATA: &str = "/var/lib/pointillist/hospital/visits.csv";

/// How it ended.
pub enum Checked {
    Passed(String),
    Skipped(String),
    Failed(String),
}

/// Makes the package, and a root to install it in.
pub fn run(root: &Path) -> Checked {
    if let Err(reason) = can_run() {
        return Checked::Skipped(format!("!!! the installation in a fresh Debian: SKIPPED, {reason}"));
    }
    let base = match cargo::target_directory(root)
        .and_then(|target| fresh_base(&target.join("install-check")))
    {
        Ok(base) => base,
        Err(reason) => {
            return Checked::Skipped(format!("!!! the installation in a fresh Debian: SKIPPED, {reason}"));
        }
    };
    match check(root, &base) {
        Ok(words) => Checked::Passed(words),
        Err(problem) => Checked::Failed(problem),
    }
}

fn can_run() -> Result<(), String> {
    deb::need_tools()?;
    for tool in ["debootstrap", "chroot", "apt-get"] {
        if !has(tool) {
            return Err(format!("there is no `{tool}` (Debian: apt-get install debootstrap)"));
        }
    }
    match Command::new("id").arg("-u").output() {
        Ok(id) if id.stdout == b"0\n" => Ok(()),
        _ => Err("it needs root, for debootstrap and chroot".to_owned()),
    }
}

/// A minimal Debian that is copied for every check, and made when there is none.
fn fresh_base(folder: &Path) -> Result<PathBuf, String> {
    let (base, ready) = (folder.join("base"), folder.join("base-is-ready"));
    if ready.exists() {
        return Ok(base);
    }
    let _ = fs::remove_dir_all(&base);
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let suite = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME=")).unwrap_or("stable");
    println!("(debootstrap makes a minimal {suite}; this happens once)");
    let include = format!("--include={}", EXTRAS.join(","));
    let mut make = Command::new("debootstrap");
    make.args(["--variant=minbase", &include, suite]).arg(&base).stdout(Stdio::null());
    match make.status() {
        Ok(status) if status.success() => {}
        _ => return Err(format!("debootstrap could not make a {suite}: is there a network?")),
    }
    fs::write(ready, "").map_err(|error| error.to_string())?;
    Ok(base)
}

fn check(root: &Path, base: &Path) -> Result<String, String> {
    deb::build_release(root)?;
    // Asked once: somebody may commit in between.
    let epoch = deb::source_date_epoch(root)?;
    let package = deb::pack(root, "deb", &epoch)?;
    let again = deb::pack(root, "install-check/again", &epoch)?;
    let bytes = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    if bytes(&package.path)? != bytes(&again.path)? {
        return Err(format!(
            "the same binary was packed twice, and the packages differ: {} and {}\nhint: `diffoscope` shows where",
            package.path.display(),
            again.path.display()
        ));
    }
    let place = base.with_file_name("root");
    let _ = fs::remove_dir_all(&place);
    finished(Command::new("cp").arg("-a").arg(base).arg(&place), "the minimal Debian cannot be copied")?;
    let name = package.path.file_name().unwrap_or_default();
    fs::copy(&package.path, place.join("tmp").join(name)).map_err(|error| error.to_string())?;
    let system = System { place };
    let before = system.paths()?;
    let (_, installing) = system.run(&format!(
        "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /tmp/{}",
        name.to_string_lossy()
    ))?;
    let demonstration = system.looks_installed()?;
    system.run(&format!("install -D -o pointillist -m 0600 /dev/null {DATA}"))?;
    let (_, removing) =
        system.run("DEBIAN_FRONTEND=noninteractive apt-get purge -y --auto-remove pointillist")?;
    let left = left_over(&before, &system.paths()?);
    if !left.is_empty() {
        return Err(format!("a purge leaves these behind:\n{}", left.join("\n")));
    }
    if !system.place.join(DATA.trim_start_matches('/')).exists() {
        return Err(format!("a purge removes data: {DATA}"));
    }
    Ok(format!(
        "{}: the same bytes twice; installed by apt in {:.1} s, demonstrated in {:.1} s, looked at, purged in {:.1} s",
        name.to_string_lossy(),
        installing.as_secs_f64(),
        demonstration.as_secs_f64(),
        removing.as_secs_f64(),
    ))
}

/// A Debian in a folder.
struct System {
    place: PathBuf,
}

impl System {
    /// What a line of shell prints in there, and how long it takes.
    fn run(&self, line: &str) -> Result<(String, Duration), String> {
        self.run_as("0:0", line)
    }

    fn run_as(&self, user: &str, line: &str) -> Result<(String, Duration), String> {
        let mut command = Command::new("chroot");
        command.arg(format!("--userspec={user}")).arg(&self.place).args(["/bin/bash", "-ec", line]);
        command
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", "/tmp");
        let start = Instant::now();
        let output = command.output().map_err(|error| format!("`chroot` could not be started: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            return Err(format!("in a fresh Debian this fails: {line}\n{text}{}", complaint.trim()));
        }
        Ok((text, start.elapsed()))
    }

    /// Walks through what a newcomer would look at. The time that the demonstration took.
    fn looks_installed(&self) -> Result<Duration, String> {
        let version = self.run("pointillist --version")?.0;
        if !version.starts_with("pointillist ") {
            return Err(format!("the version is strange: {version}"));
        }
        let changed = self.run("dpkg --verify pointillist")?.0;
        if !changed.is_empty() {
            return Err(format!("files differ from the package's sums:\n{changed}"));
        }
        self.run("getent passwd pointillist && [ ! -e /etc/systemd/system/multi-user.target.wants/pointillist@.service ]")?;
        self.run(
            "for page in pointillist pointillist-query pointillist-study-traces; do man -w $page; done",
        )?;
        // Every command that the manual's first page lists has a page.
        self.run(
            "pages=$(man pointillist | grep -o 'pointillist-[a-z-]*(1)' | tr -d '()1' | sort -u); [ $(wc -w <<< \"$pages\") -gt 20 ]; \
             for page in $pages; do man -w $page; done",
        )?;
        self.run(". /usr/share/bash-completion/completions/pointillist && complete -p pointillist")?;
        self.run("head -1 /usr/share/zsh/vendor-completions/_pointillist | grep -qx '#compdef pointillist'")?;
        self.run("grep -q '^complete -c pointillist' /usr/share/fish/vendor_completions.d/pointillist.fish")?;
        let (story, demonstration) = self.run_as("65534:65534", "cd \"$(mktemp -d)\" && pointillist demo")?;
        if !story.contains("average_cost") {
            return Err(format!("the demonstration says something else:\n{story}"));
        }
        Ok(demonstration)
    }

    /// Every path in there.
    fn paths(&self) -> Result<BTreeSet<String>, String> {
        let mut find = Command::new("find");
        let output = find.arg(".").current_dir(&self.place).output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().map(|line| line.trim_start_matches('.').to_owned()).collect())
    }
}

/// What is there after and was not before; without the books of others, and without data and the folders that lead to it.
fn left_over(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    let is_bookkeeping = |path: &str| BOOKKEEPING.iter().any(|folder| Path::new(path).starts_with(folder));
    let leads_to_data = |path: &str| Path::new(DATA).starts_with(path);
    // The files of accounts are copied by whoever adds one, and the account stays: its number must not become somebody else's.
    let is_account =
        |path: &str| matches!(path, "/etc/passwd-" | "/etc/group-" | "/etc/shadow-" | "/etc/gshadow-");
    let new = after.difference(before).filter(|path| !is_bookkeeping(path) && !leads_to_data(path));
    new.filter(|path| !is_account(path)).cloned().collect()
}

fn finished(command: &mut Command, problem: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(problem.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_purge_leaves_is_found_and_data_is_not_blamed() {
        let set = |paths: &[&str]| paths.iter().map(ToString::to_string).collect::<BTreeSet<String>>();
        let before = set(&["/usr", "/usr/bin", "/var/lib"]);
        let good = set(&[
            "/usr",
            "/usr/bin",
            "/var/lib",
            "/var/lib/pointillist/hospital",
            DATA,
            "/var/log/dpkg.log",
            "/etc/passwd-",
        ]);
        assert_eq!(left_over(&before, &good), [""; 0]);
        let bad =
            set(&["/usr", "/usr/bin", "/usr/bin/pointillist", "/var/lib/pointillist/other", "/var/logs"]);
        assert_eq!(
            left_over(&before, &bad),
            ["/usr/bin/pointillist", "/var/lib/pointillist/other", "/var/logs"]
        );
    }
}
