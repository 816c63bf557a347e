//! A PostgreSQL server for one test, or one for all tests of a program.
//!
//! **Guarantee.** It listens on a Unix socket in a folder of its own (and, where asked, on 127.0.0.1 under TLS), and neither
//! the server nor its folder outlives the program that tests, however that ends: a guard process waits for the end of a
//! pipe that only the program holds open (`guard.rs`). Where PostgreSQL is not installed, a test says `SKIPPED` and passes;
//! with `POINTILLIST_POSTGRES=required` in the environment it fails instead.

mod certificate;
mod guard;
mod program;

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub use certificate::Certificate;
use guard::Guard;
use program::Programs;

/// How long a server may take to start; machines are busy when tests run.
const START_TIME: Duration = Duration::from_secs(60);

/// What a server is started with.
#[derive(Clone, Debug, Default)]
pub struct PostgresOptions {
    /// Whether what is committed is on the disk, as in production. Off is faster.
    pub fsync: bool,
    /// Whether it also listens on 127.0.0.1, under TLS alone and with passwords (SCRAM).
    pub tls: bool,
    /// More settings.
    pub settings: Vec<(&'static str, String)>,
}

/// A running server. Its superuser is `postgres`, who needs no password on the socket.
pub struct PostgresServer {
    programs: Programs,
    options: PostgresOptions,
    folder: PathBuf,
    port: u16,
    certificate: Option<Certificate>,
    child: Option<Child>,
    _guard: Guard,
}

impl PostgresServer {
    /// A server as fast as it can be. `None`, and a loud line, where PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        Self::start_with(PostgresOptions::default())
    }

    /// One that also listens on 127.0.0.1 under TLS.
    pub fn start_with_tls() -> Option<Self> {
        Self::start_with(PostgresOptions { tls: true, ..PostgresOptions::default() })
    }

    /// A server of your own making.
    pub fn start_with(options: PostgresOptions) -> Option<Self> {
        let Some(programs) = Programs::find() else {
            assert!(
                std::env::var_os("POINTILLIST_POSTGRES").is_none_or(|value| value != "required"),
                "PostgreSQL is required and was not found"
            );
            eprintln!("SKIPPED: PostgreSQL's programs are not installed, and this test needs them");
            return None;
        };
        let folder = new_folder();
        let guard = Guard::over(&folder);
        programs.give(&folder);
        programs.make_cluster(&folder.join("data"));
        let certificate = options.tls.then(|| {
            let certificate = Certificate::of(&["localhost"]);
            fs::write(folder.join("server.pem"), &certificate.pem).expect("a folder of ours");
            fs::write(folder.join("server.key"), &certificate.key).expect("a folder of ours");
            set_mode(&folder.join("server.key"), 0o600);
            programs.give(&folder.join("server.pem"));
            programs.give(&folder.join("server.key"));
            let rules = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
            fs::write(folder.join("data/pg_hba.conf"), rules).expect("a cluster of ours");
            certificate
        });
        let mut server =
            Self { programs, options, folder, port: 5432, certificate, child: None, _guard: guard };
        server.run();
        Some(server)
    }

    /// The one server of this program, for tests that make a database of their own in it.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<PostgresServer>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// The address of a database on the socket, for the superuser.
    pub fn url(&self, database: &str) -> String {
        self.url_for("postgres", database)
    }

    /// The address of a database on the socket, for a role.
    pub fn url_for(&self, role: &str, database: &str) -> String {
        format!("postgres://{role}@/{database}?host={}&port={}", self.folder.display(), self.port)
    }

    /// The address of a database under TLS, for a role, with the right roots.
    ///
    /// # Panics
    /// For a server without TLS.
    pub fn tls_url_for(&self, role: &str, database: &str) -> String {
        let roots = self.folder.join("server.pem");
        assert!(self.certificate.is_some(), "this server was started without TLS");
        format!(
            "postgres://{role}@localhost:{}/{database}?sslmode=verify-full&sslrootcert={}",
            self.port,
            roots.display()
        )
    }

    /// The folder with the socket.
    pub fn socket_dir(&self) -> &Path {
        &self.folder
    }

    /// The port, which is also the end of the socket's name.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Makes an empty database whose name begins with this word, and gives its address for the superuser.
    pub fn new_database(&self, word: &str) -> String {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("{word}_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.url(&name)
    }

    /// Runs statements as the superuser, through PostgreSQL's own client, and gives what it prints: one line a row, columns
    /// separated by `|`.
    ///
    /// # Panics
    /// Where a statement fails.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let output = self
            .programs
            .command("psql")
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", database])
            .arg("-h")
            .arg(&self.folder)
            .args(["-p", &self.port.to_string(), "-c", statements])
            .env("PGOPTIONS", "-c client_min_messages=warning")
            .output()
            .expect("psql is beside the server");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// What the server wrote into its log.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.folder.join("log")).unwrap_or_default()).into_owned()
    }

    /// Kills a backend as the kernel does when memory is short. The server then ends every other session and recovers.
    pub fn kill_backend_hard(&self, pid: i64) {
        signal("KILL", pid);
    }

    /// Stops a backend in its tracks, as if the network to it were cut.
    pub fn pause_backend(&self, pid: i64) {
        signal("STOP", pid);
    }

    /// Lets a paused backend go on.
    pub fn resume_backend(&self, pid: i64) {
        signal("CONT", pid);
    }

    /// Ends the server at once, as [`Self::stop`] does, and does not wait for its end. [`Self::restart`] starts it again.
    pub fn crash(&self) {
        if let Some(child) = &self.child {
            signal("QUIT", i64::from(child.id()));
        }
    }

    /// Ends the server at once, without a checkpoint: what it holds then is what its log of writes says.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            signal("QUIT", i64::from(child.id()));
            let _ = child.wait();
        }
    }

    /// Starts a stopped server on the same data, at the same address.
    pub fn restart(&mut self) {
        self.stop();
        self.run();
    }

    fn run(&mut self) {
        if self.options.tls && self.port == 5432 {
            self.port = free_port();
        }
        let log = File::options().create(true).append(true).open(self.folder.join("log"));
        let log = log.expect("a folder of ours");
        let mut command = self.programs.server_command();
        command.arg("-D").arg(self.folder.join("data"));
        for (name, value) in self.settings() {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        // A group of its own: an interrupt at the terminal is for the tests, and the guard ends the server after them.
        command.process_group(0).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let mut child = command.spawn().expect("PostgreSQL's server starts");
        let begin = Instant::now();
        while !self.is_ready() {
            let ended = child.try_wait().expect("a child of ours");
            let is_late = begin.elapsed() > START_TIME;
            assert!(ended.is_none() && !is_late, "PostgreSQL does not start:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
        self.child = Some(child);
    }

    /// The last line of the file that the server keeps says so.
    fn is_ready(&self) -> bool {
        let status = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap_or_default();
        status.lines().last().is_some_and(|line| line.trim() == "ready")
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let on = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
        let in_folder = |name: &str| self.folder.join(name).display().to_string();
        let mut settings = vec![
            ("unix_socket_directories", self.folder.display().to_string()),
            ("listen_addresses", if self.options.tls { "127.0.0.1" } else { "" }.to_owned()),
            ("port", self.port.to_string()),
            ("fsync", on(self.options.fsync)),
            ("synchronous_commit", "on".to_owned()),
            ("full_page_writes", on(self.options.fsync)),
            ("shared_buffers", "16MB".to_owned()),
            ("max_connections", "60".to_owned()),
            ("autovacuum", "off".to_owned()),
        ];
        if self.options.tls {
            settings.push(("ssl", "on".to_owned()));
            settings.push(("ssl_cert_file", in_folder("server.pem")));
            settings.push(("ssl_key_file", in_folder("server.key")));
        }
        settings.extend(self.options.settings.iter().cloned());
        settings
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // Then the guard goes, and takes the folder with it.
        self.stop();
    }
}

fn signal(name: &str, pid: i64) {
    let _ = std::process::Command::new("kill").args(["-s", name, &pid.to_string()]).status();
}

/// A folder in `/tmp`, whose path is short enough for a socket wherever temporary files usually are.
fn new_folder() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = PathBuf::from(format!("/tmp/pointillist-postgres-{}-{number}", std::process::id()));
        match fs::create_dir(&path) {
            Ok(()) => {
                set_mode(&path, 0o700);
                return path;
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => panic!("no folder for a server: {error}"),
        }
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("a file of ours");
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("a bound socket").port()
}

#[cfg(test)]
mod tests;
