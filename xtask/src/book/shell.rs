//! Runs one block of a page as a reader would: by bash, in the page's folder, with `pointillist` on the path.
//!
//! What a page does stays below the folder of the book: it has a home of its own, where a new catalog proposes to keep its anchor.
//! Blocks have no business with the network beyond this machine; proxies that do not exist keep clients that heed them from it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::page::Block;

const POLL: Duration = Duration::from_millis(5);
/// A server that was told to end may take a moment.
const GRACE: Duration = Duration::from_secs(5);

/// Where the blocks of one page run.
pub struct Shell {
    /// Below which the page's commands work.
    pub folder: PathBuf,
    /// The home of whoever types.
    pub home: PathBuf,
    /// The folder of our program, before those of the machine.
    pub programs: PathBuf,
    /// After this a block has failed.
    pub longest: Duration,
}

/// How a block ended as it should.
#[derive(Debug)]
pub enum Ran {
    /// What it printed, to both streams.
    Printed(String),
    /// The program that this machine lacks.
    Skipped(String),
}

impl Shell {
    /// Runs a block.
    ///
    /// # Errors
    /// Why the page is wrong, and what the block printed.
    pub fn run(&self, block: &Block) -> Result<Ran, String> {
        if let Some(missing) = block.needs.iter().find(|program| !self.has(program)) {
            return Ok(Ran::Skipped(missing.clone()));
        }
        let log = self.home.with_extension("printed");
        let started = Instant::now();
        let mut child = self.start(block, &log).map_err(|error| format!("bash does not start: {error}"))?;
        let group = child.id();
        let ended = self.wait(&mut child, started);
        // Whatever it left running is ended before anything else is decided.
        let is_left = stays(group);
        if is_left {
            kill(group);
        }
        let printed = fs::read(&log).map_err(|error| format!("what it printed is not readable: {error}"))?;
        let printed = self.readable(&String::from_utf8_lossy(&printed));
        let failed = |problem: String| Err(format!("{problem}\n{}", quoted(block, &printed)));
        let Some(status) = ended.map_err(|error| format!("bash is lost: {error}"))? else {
            return failed(format!("it has not ended after {} s", self.longest.as_secs()));
        };
        match (status.code(), block.refused) {
            (None, _) => failed(format!("it ended by signal {}", status.signal().unwrap_or_default())),
            (Some(0), true) => failed("it is marked `refused` and ended with 0".to_owned()),
            (Some(code), false) if code != 0 => failed(format!("it ended with {code}")),
            _ if is_left => failed("it left a process running: end it in the same block".to_owned()),
            _ => Ok(Ran::Printed(printed)),
        }
    }

    fn start(&self, block: &Block, log: &Path) -> io::Result<Child> {
        let printed = File::create(log)?;
        let mut bash = Command::new("bash");
        bash.args(["-euo", "pipefail", "-c", &block.script]).current_dir(&self.folder);
        bash.env_clear().env("PATH", self.path()).env("HOME", &self.home);
        bash.env("LANG", "C.UTF-8").env("TERM", "dumb").env("USER", "you");
        let nowhere = "http://127.0.0.1:9";
        for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            bash.env(name, nowhere);
        }
        bash.env("no_proxy", "127.0.0.1,localhost").env("NO_PROXY", "127.0.0.1,localhost");
        bash.env("PIP_NO_INDEX", "1").env("CARGO_NET_OFFLINE", "true");
        bash.stdin(Stdio::null()).stdout(printed.try_clone()?).stderr(printed).process_group(0).spawn()
    }

    fn wait(&self, child: &mut Child, started: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if started.elapsed() > self.longest {
                kill(child.id());
                child.wait()?;
                return Ok(None);
            }
            thread::sleep(POLL);
        }
    }

    fn path(&self) -> OsString {
        let machine = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.programs.clone()).chain(std::env::split_paths(&machine));
        std::env::join_paths(folders).unwrap_or(machine)
    }

    fn has(&self, program: &str) -> bool {
        std::env::split_paths(&self.path()).any(|folder| folder.join(program).is_file())
    }

    /// Without colours, and with `~` for the page's home: the machine that builds the book is of no interest.
    fn readable(&self, printed: &str) -> String {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let folder = self.folder.to_string_lossy();
        let home = self.home.to_string_lossy();
        without_colours(printed).replace(&*folder, &format!("~/{name}")).replace(&*home, "~")
    }
}

/// Whether processes of a group go on, once they had their time to end.
fn stays(group: u32) -> bool {
    let until = Instant::now() + GRACE;
    while is_alive(group) {
        if Instant::now() > until {
            return true;
        }
        thread::sleep(POLL);
    }
    false
}

/// Whether a group has a process that is more than a name: one that ended and that nobody asked about is none. Where there is no
/// `/proc` it counts all the same.
fn is_alive(group: u32) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else {
        return bash(&format!("kill -0 -- -{group}"));
    };
    let is_ours = |stat: &str| {
        // The name stands in brackets and may contain anything; state, parent and group follow it.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let is_ended = fields.next().is_none_or(|state| state == "Z" || state == "X");
        !is_ended && fields.nth(1) == Some(&group.to_string())
    };
    let stats = processes.flatten().map(|process| fs::read_to_string(process.path().join("stat")));
    stats.flatten().any(|stat| is_ours(&stat))
}

/// Ends all processes of a group.
fn kill(group: u32) {
    bash(&format!("kill -KILL -- -{group}"));
}

fn bash(script: &str) -> bool {
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).stdout(Stdio::null()).stderr(Stdio::null());
    bash.status().is_ok_and(|status| status.success())
}

/// The block and what it printed, for whoever repairs it.
fn quoted(block: &Block, printed: &str) -> String {
    let lines = |text: &str, mark: &str| -> String {
        text.trim_end().lines().map(|line| format!("  {mark} {line}\n")).collect()
    };
    let printed = if printed.trim().is_empty() { "(nothing)" } else { printed };
    format!("  the block:\n{}  it printed:\n{}", lines(&block.script, "$"), lines(printed, "|"))
}

/// Text without the sequences by which terminals are told to colour it.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let sequence = part.strip_prefix('[').unwrap_or(part);
        plain.push_str(sequence.split_once(char::is_alphabetic).map_or("", |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its folders are removed with it.
    struct Fresh(Shell);

    impl std::ops::Deref for Fresh {
        type Target = Shell;

        fn deref(&self) -> &Shell {
            &self.0
        }
    }

    impl Drop for Fresh {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(self.0.folder.parent().expect("a folder in a folder"));
        }
    }

    fn shell(name: &str) -> Fresh {
        let place = std::env::temp_dir().join(format!("pointillist-book-{}-{name}", std::process::id()));
        let (folder, home) = (place.join("page"), place.join("home"));
        fs::create_dir_all(&folder).expect("a folder");
        fs::create_dir_all(&home).expect("a folder");
        let longest = Duration::from_secs(20);
        Fresh(Shell { folder, home, programs: place, longest })
    }

    fn block(script: &str) -> Block {
        Block { script: script.to_owned(), ..Block::default() }
    }

    fn printed(shell: &Shell, script: &str) -> String {
        match shell.run(&block(script)) {
            Ok(Ran::Printed(printed)) => printed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn both_streams_are_kept_in_order_and_paths_of_this_machine_are_not() {
        let shell = shell("streams");
        assert_eq!(printed(&shell, "echo a; echo b >&2; echo c"), "a\nb\nc\n");
        assert_eq!(printed(&shell, "pwd; echo $HOME/x"), "~/page\n~/x\n");
        assert_eq!(printed(&shell, "printf '\\033[1;31mred\\033[0m\\n'"), "red\n");
    }

    /// A planted failure, in the middle of a block and in the middle of a pipe.
    #[test]
    fn a_block_that_fails_is_found_and_quoted() {
        let shell = shell("fails");
        for script in
            ["echo before; false; echo after", "echo before; false | cat; echo after", "echo before; $NONE"]
        {
            let problem = shell.run(&block(script)).expect_err(script);
            assert!(problem.contains("it ended with 1"), "{problem}");
            assert!(problem.contains("$ echo before") && problem.contains("| before"), "{problem}");
            assert!(!problem.contains("| after"), "{problem}");
        }
    }

    #[test]
    fn a_refusal_must_refuse() {
        let shell = shell("refused");
        let refused = |script| Block { refused: true, ..block(script) };
        assert!(matches!(shell.run(&refused("exit 3")), Ok(Ran::Printed(_))));
        assert!(shell.run(&refused("true")).expect_err("it succeeds").contains("ended with 0"));
        assert!(shell.run(&refused("kill -TERM $$")).expect_err("a signal").contains("signal 15"));
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let shell = shell("needs");
        let needs = vec!["sh".to_owned(), "no-such-program".to_owned()];
        let skipped = shell.run(&Block { needs, ..block("exit 1") });
        assert!(matches!(skipped, Ok(Ran::Skipped(missing)) if missing == "no-such-program"));
    }

    #[test]
    fn what_does_not_end_is_ended_and_so_is_what_is_left_behind() {
        let mut shell = shell("ends");
        let left = shell.run(&block("sleep 60 & echo $! > left")).expect_err("it leaves a process");
        assert!(left.contains("left a process"), "{left}");
        assert_eq!(printed(&shell, "sleep 60 & kill $!; wait $! || true"), "");
        shell.0.longest = Duration::from_millis(200);
        let problem = shell.run(&block("echo begun; sleep 60")).expect_err("it sleeps");
        assert!(problem.contains("has not ended") && problem.contains("| begun"), "{problem}");
    }
}
