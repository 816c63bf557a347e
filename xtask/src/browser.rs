//! `cargo xtask browser`: a real browser walks every page of the console, over a server of made-up people.
//!
//! The walk is `walk.mjs` in `crates/server/tests/browser`. playwright-core, which drives the browser, and axe-core, which looks at
//! accessibility, are installed below `target/peers` where the machine lets us; without them, without node or without a Chromium the
//! walk is skipped with a loud line. With `pictures`, photographs of every page go to `docs/images/console`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::clients::{Server, build, has};

const WALK: &str = "crates/server/tests/browser/walk.mjs";
const PICTURES: &str = "docs/images/console";
/// Under these names Debian and others have it.
const CHROMIUMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const PACKAGES: [&str; 2] = ["playwright-core@1", "axe-core@4"];

/// How the walk ended.
pub enum Walked {
    Passed(String),
    Skipped(String),
    Failed(String),
}

/// Starts a server and walks.
pub fn run(root: &Path, pictures: bool) -> Walked {
    let Some(chromium) = CHROMIUMS.into_iter().find(|name| has(name)) else {
        return skipped("no Chromium is installed (Debian: chromium)");
    };
    if !has("node") || !has("npm") {
        return skipped("node and npm are not installed (Debian: nodejs, npm)");
    }
    let peers = match installed(root) {
        Ok(peers) => peers,
        Err(reason) => return skipped(&reason),
    };
    let server = match build(root).and_then(|()| Server::start(root)) {
        Ok(server) => server,
        Err(problem) => return Walked::Failed(problem),
    };
    let mut walk = Command::new("node");
    walk.arg(root.join(WALK)).env("POINTILLIST_PEERS", peers).env("CHROMIUM", path_of(chromium));
    walk.env("POINTILLIST_HTTP", &server.http).env("POINTILLIST_PEOPLE", &server.people);
    if pictures {
        walk.env("POINTILLIST_SCREENSHOTS", root.join(PICTURES));
    }
    match walk.status() {
        Ok(status) if status.success() => {
            Walked::Passed("the console, walked in a browser: passed".to_owned())
        }
        Ok(_) => Walked::Failed("the walk found something wrong\nhint: its words are above".to_owned()),
        Err(error) => skipped(&error.to_string()),
    }
}

fn skipped(reason: &str) -> Walked {
    Walked::Skipped(format!("!!! the walk through the console: SKIPPED, {reason}"))
}

/// The folder with the packages.
fn installed(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/peers/browser");
    let is_there = |package: &str| {
        folder.join("node_modules").join(package.split('@').next().unwrap_or(package)).exists()
    };
    if !PACKAGES.iter().all(|package| is_there(package)) {
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("target/peers cannot be written: {error}"))?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix", "."]).args(PACKAGES);
        npm.current_dir(&folder)
            .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if !npm.status().is_ok_and(|status| status.success())
            || !PACKAGES.iter().all(|package| is_there(package))
        {
            return Err(format!("{} could not be installed from npm", PACKAGES.join(" and ")));
        }
    }
    Ok(folder)
}

/// Where a program is: a browser is started by its whole path.
fn path_of(program: &str) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.exists());
    found.unwrap_or_else(|| PathBuf::from(program))
}
