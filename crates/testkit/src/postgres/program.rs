//! PostgreSQL's programs on this machine, and under whose name they run.
//!
//! The server refuses to run as root. Root therefore runs it as `postgres` or, where there is no such user, as `nobody`.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) struct Programs {
    folder: PathBuf,
    user: Option<User>,
}

/// Somebody else, as whom the server runs.
struct User {
    uid: u32,
    gid: u32,
}

impl Programs {
    /// Where `POINTILLIST_POSTGRES_BIN` says, or the newest below Debian's folder, or beside a `postgres` in the path.
    pub(super) fn find() -> Option<Self> {
        let named = std::env::var_os("POINTILLIST_POSTGRES_BIN").map(PathBuf::from);
        let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut installed: Vec<_> = installed.map(|entry| entry.path().join("bin")).collect();
        installed.sort_by_key(|path| {
            let version = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
            std::cmp::Reverse(version.and_then(|version| version.parse::<f64>().ok()).unwrap_or(0.0) as u64)
        });
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = named.into_iter().chain(installed).chain(std::env::split_paths(&path));
        let is_complete =
            |folder: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).is_file());
        let folder = folders.into_iter().find(is_complete)?;
        // Whose process this is, by whom its folder in /proc or its own files belong to; without `unsafe`, by asking `id`.
        let user = if id(&["-u"])? == 0 { Some(User::other()?) } else { None };
        Some(Self { folder, user })
    }

    /// A program that runs as we do.
    pub(super) fn command(&self, name: &str) -> Command {
        Command::new(self.folder.join(name))
    }

    /// The server, as whoever may run it.
    pub(super) fn server_command(&self) -> Command {
        self.as_user("postgres")
    }

    /// Makes a file or a folder the server's own.
    pub(super) fn give(&self, path: &Path) {
        if let Some(user) = &self.user {
            std::os::unix::fs::chown(path, Some(user.uid), Some(user.gid)).expect("root may do that");
        }
    }

    /// A new cluster: UTF-8, bytewise order, no passwords on the socket. Made once and copied from then on, because making
    /// one takes seconds and every test has a process of its own.
    pub(super) fn make_cluster(&self, data: &Path) {
        let Some(template) = self.template() else { return self.initialise(data) };
        if !template.is_dir() {
            self.initialise(data);
            let fresh = template.with_extension(std::process::id().to_string());
            // Another process may be first; its cluster is as good.
            if !copy(data, &fresh) || fs::rename(&fresh, &template).is_err() {
                let _ = fs::remove_dir_all(&fresh);
            }
            return;
        }
        assert!(copy(&template, data), "the cluster is copied");
        if self.user.is_some() {
            self.give_all(data);
        }
    }

    fn initialise(&self, data: &Path) {
        let mut command = self.as_user("initdb");
        command.arg("-D").arg(data).args([
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C",
            "-A",
            "trust",
            "-U",
            "postgres",
        ]);
        command.current_dir("/");
        let output = command.stdin(Stdio::null()).output().expect("initdb starts");
        assert!(output.status.success(), "initdb: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// In the folder of build products, beside what else cargo throws away.
    fn template(&self) -> Option<PathBuf> {
        let program = std::env::current_exe().ok()?;
        let target = program.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file())?;
        let changed = fs::metadata(self.folder.join("initdb")).ok()?.mtime();
        let name = self.folder.display().to_string().replace('/', "_");
        Some(target.join(format!("postgres_cluster{name}_{changed}")))
    }

    fn give_all(&self, path: &Path) {
        self.give(path);
        if path.is_dir() && !path.is_symlink() {
            for entry in fs::read_dir(path).expect("a folder of ours").flatten() {
                self.give_all(&entry.path());
            }
        }
    }

    fn as_user(&self, name: &str) -> Command {
        let program = self.folder.join(name);
        let Some(user) = &self.user else { return Command::new(program) };
        let mut command = Command::new("setpriv");
        command.arg(format!("--reuid={}", user.uid)).arg(format!("--regid={}", user.gid));
        command.arg("--clear-groups").arg(program);
        command
    }
}

impl User {
    fn other() -> Option<Self> {
        ["postgres", "nobody"].iter().find_map(|name| {
            Some(Self { uid: id(&["-u", name])?, gid: id(&["-g", name])? }).filter(|user| user.uid != 0)
        })
    }
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn copy(from: &Path, to: &Path) -> bool {
    Command::new("cp").arg("-Rp").arg(from).arg(to).status().is_ok_and(|status| status.success())
}
