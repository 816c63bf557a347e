//! A process that outlives the tests by a moment, to end what they started.
//!
//! It reads from a pipe that nothing is written to. The end of the pipe is the end of the program that holds it, be it by
//! a return, a panic, an abort or a kill; then it ends the server, which takes its sessions along, and removes the folder.
//! A signal on the parent's death would not do: it is sent when the *thread* ends that started the child.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const SCRIPT: &str = r#"
cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
    # A session that was paused cannot end by itself.
    for session in $(ps -o pid= --ppid "$pid" 2>/dev/null); do kill -CONT "$session" 2>/dev/null; done
    kill -QUIT "$pid" 2>/dev/null
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -KILL "$pid" 2>/dev/null
fi
rm -rf "$1"
"#;

pub(super) struct Guard(Child);

impl Guard {
    /// Watches over a folder and the server in it.
    pub(super) fn over(folder: &Path) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "guard"]).arg(folder);
        // Nothing that a test runner could wait for, and no signal that is meant for the tests.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Self(command.spawn().expect("a shell"))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
