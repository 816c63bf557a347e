//! A Spark Connect server for one test, or one for all tests of a program.
//!
//! **Guarantee.** It listens on 127.0.0.1 alone, keeps everything in a folder of its own, and neither the server, its executors
//! nor its folder outlive the program that tests, however that ends: a guard process waits for the end of a pipe that only the
//! program holds open.
//!
//! Spark takes seconds and a gigabyte, so that tests start it only where `POINTILLIST_SPARK_HOME` names an environment with
//! `pyspark[connect]` (`cargo xtask test-spark` makes one). Without it, or without Java, a test says `SKIPPED` and passes; with
//! `POINTILLIST_SPARK=required` as well it fails instead.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long a server may take to start; machines are busy when tests run.
const START_TIME: Duration = Duration::from_secs(180);
const CLASS: &str = "org.apache.spark.sql.connect.service.SparkConnectServer";
const EXECUTOR: &str = "CoarseGrainedExecutorBackend";
/// Ends a group of processes and removes a folder once nobody holds its standard input any more.
const GUARD: &str = "cat >/dev/null; kill -s KILL -- \"-$1\" 2>/dev/null; sleep 0.2; rm -rf \"$2\"";

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct SparkOptions {
    /// How many executors, each a process of its own with one core; none: everything in the server's process.
    pub executors: usize,
    /// Memory of the server and of each executor, in megabytes.
    pub memory_mb: usize,
    /// More settings.
    pub settings: Vec<(&'static str, String)>,
}

impl Default for SparkOptions {
    fn default() -> Self {
        Self { executors: 2, memory_mb: 1024, settings: Vec::new() }
    }
}

/// A running server.
pub struct SparkServer {
    home: PathBuf,
    options: SparkOptions,
    folder: tempfile::TempDir,
    port: u16,
    running: Option<Running>,
}

struct Running {
    child: Child,
    guard: Child,
}

impl SparkServer {
    /// A server with two executors. `None`, and a loud line, where the machine has no Spark or nobody asked for it.
    pub fn start() -> Option<Self> {
        Self::start_with(SparkOptions::default())
    }

    /// The one server of this program, for tests that make tables of their own in it.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<SparkServer>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// A server of your own making.
    ///
    /// # Panics
    /// Where Spark is there and does not start.
    pub fn start_with(options: SparkOptions) -> Option<Self> {
        let home = match spark_home() {
            Ok(home) => home,
            Err(reason) => {
                assert!(
                    std::env::var_os("POINTILLIST_SPARK").is_none_or(|value| value != "required"),
                    "Spark is required: {reason}"
                );
                eprintln!("SKIPPED: {reason}, and this test needs Spark (`cargo xtask test-spark` runs it)");
                return None;
            }
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Workers of a local cluster write below their home; this one is ours.
        fs::create_dir(folder.path().join("home")).expect("a folder of ours");
        for entry in fs::read_dir(&home).expect("Spark's folder").flatten() {
            symlink(entry.path(), folder.path().join("home").join(entry.file_name()))
                .expect("a folder of ours");
        }
        let port = free_port();
        let mut server = Self { home: folder.path().join("home"), options, folder, port, running: None };
        server.run();
        Some(server)
    }

    /// The server's address.
    pub fn url(&self) -> String {
        format!("sc://127.0.0.1:{}/", self.port)
    }

    /// A folder that the server and its executors can read and write, removed with the server.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Ends the server and its executors at once, as a power failure would.
    pub fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            kill_group(running.child.id());
            // Gone either way.
            let _ = running.child.wait();
            end_guard(&mut running.guard);
        }
    }

    /// Starts it again after [`Self::kill`], at the same address; what it held in memory is gone.
    pub fn restart(&mut self) {
        self.kill();
        self.run();
    }

    /// The processes of the executors.
    pub fn executors(&self) -> Vec<u32> {
        let Some(running) = &self.running else { return Vec::new() };
        let output = Command::new("ps").args(["-eo", "pid=,pgid=,args="]).output().expect("ps");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let group = running.child.id().to_string();
        let executor = |line: &str| {
            let mut words = line.split_whitespace();
            let (pid, pgid) = (words.next()?, words.next()?);
            (pgid == group && line.contains(EXECUTOR)).then(|| pid.parse().ok())?
        };
        text.lines().filter_map(executor).collect()
    }

    /// Ends one process at once.
    pub fn kill_process(&self, pid: u32) {
        let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
    }

    fn run(&mut self) {
        let folder = self.folder.path();
        let log = File::create(folder.join("server.log")).expect("a folder of ours");
        let master = match self.options.executors {
            0 => "local[2]".to_owned(),
            executors => format!("local-cluster[{executors},1,{}]", self.options.memory_mb),
        };
        let memory = format!("{}m", self.options.memory_mb);
        let mut command = Command::new("bash");
        command.arg(self.home.join("bin/spark-submit"));
        command.args(["--master", &master, "--driver-memory", &memory, "--class", CLASS]);
        let mut settings = vec![
            ("spark.connect.grpc.binding.address", "127.0.0.1".to_owned()),
            ("spark.connect.grpc.binding.port", self.port.to_string()),
            ("spark.driver.host", "127.0.0.1".to_owned()),
            ("spark.driver.bindAddress", "127.0.0.1".to_owned()),
            ("spark.executor.memory", memory.clone()),
            ("spark.ui.enabled", "false".to_owned()),
            ("spark.local.dir", folder.join("local").display().to_string()),
            ("spark.sql.warehouse.dir", folder.join("warehouse").display().to_string()),
            ("spark.sql.shuffle.partitions", "4".to_owned()),
        ];
        settings.extend(self.options.settings.iter().cloned());
        for (key, value) in settings {
            command.arg("--conf").arg(format!("{key}={value}"));
        }
        command.arg("spark-internal");
        command.env("SPARK_HOME", &self.home).env("SPARK_LOCAL_IP", "127.0.0.1").current_dir(folder);
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a file of ours")).stderr(log);
        // A group of its own, which its executors belong to as well.
        let mut child = command.process_group(0).spawn().expect("bash");
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "guard", &child.id().to_string()]).arg(folder);
        guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let guard = guard.spawn().expect("a shell");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = child.try_wait().expect("a child of ours").is_some();
            if ended || begun.elapsed() > START_TIME {
                let log = fs::read_to_string(folder.join("server.log")).unwrap_or_default();
                kill_group(child.id());
                panic!("Spark did not start:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        self.running = Some(Running { child, guard });
    }
}

impl Drop for SparkServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn kill_group(group: u32) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).stderr(Stdio::null()).status();
}

/// Ends the guard before its pipe, so that it removes nothing: the server may be started again in its folder.
fn end_guard(guard: &mut Child) {
    let _ = guard.kill();
    let _ = guard.wait();
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port of this machine");
    listener.local_addr().expect("it is bound").port()
}

/// Spark's own folder, or why there is none.
fn spark_home() -> Result<PathBuf, String> {
    let named = std::env::var_os("POINTILLIST_SPARK_HOME").ok_or("POINTILLIST_SPARK_HOME is not set")?;
    let java = Command::new("java").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !java.is_ok_and(|status| status.success()) {
        return Err("Java is not installed".to_owned());
    }
    let named = PathBuf::from(named);
    let packages = fs::read_dir(named.join("lib")).into_iter().flatten().flatten();
    let packages = packages.map(|entry| entry.path().join("site-packages/pyspark"));
    let is_home =
        |folder: &PathBuf| folder.join("bin/spark-submit").is_file() && folder.join("jars").is_dir();
    let mut folders = std::iter::once(named.clone()).chain(packages);
    folders.find(is_home).ok_or_else(|| format!("there is no Spark in {}", named.display()))
}
