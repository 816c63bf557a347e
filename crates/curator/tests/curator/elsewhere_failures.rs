//! What happens to a server between the debit and the answer, through the whole curator; and a server that is away before it.
//!
//! **Specification.** After the debit: the price is charged once, the failure says the same whatever it was, nothing of an answer is
//! seen, and the same curator answers the next question. Before it: the words say that the server is away, nothing is charged and
//! nothing written, and the same curator answers when the server is back. A wire that nothing comes through ends by the clock.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pointillist_curator::{AskError, OWNER, ReplyClock};
use pointillist_errors::Explained;
use pointillist_testkit::postgres::PostgresServer;
use pointillist_testkit::spark::SparkServer;

use crate::clinic::{CANARY, Clinic, ask, open, target_rows, visits};
use crate::cut_wire::{Happening, Wire};
use crate::elsewhere::{catalog, count, database, fill, rows_of};
use crate::elsewhere_spark::{options, visits_in};

/// A clinic whose visits are at the end of a wire, beside one that has them in a file.
struct Wired {
    wire: Wire,
    clinic: Arc<Clinic>,
    files: Clinic,
    asked: usize,
}

/// How long a server may take to let somebody in again.
const PATIENCE: Duration = Duration::from_secs(30);

fn spent(clinic: &Clinic) -> u128 {
    clinic.curator.ledger().balance("patients").unwrap().unwrap().spent.loss_units
}

impl Wired {
    fn new(wire: Wire, catalog: &str, clock: ReplyClock) -> Self {
        let rows = visits(60) + &target_rows();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("people.csv"), "age,region\n1,north\n").unwrap();
        // Enough for counts without noise.
        let catalog = catalog.replace("rho = 50,", "rho = 50000,");
        let curator = open(folder.path(), &catalog, clock);
        let files = Clinic::with_catalog(&crate::clinic::CATALOG.replace("rho = 50,", "rho = 50000,"), &rows);
        Self { wire, clinic: Arc::new(Clinic { folder, curator }), files, asked: 0 }
    }

    /// A question that was not asked before: about visits with a ward, under a name of its own. At this price the noise is zero.
    fn question(&mut self) -> String {
        self.asked += 1;
        format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 40, max_contributions = 1, max_groups = 1) count(*) \
             FROM visits WHERE name <> 'nobody{}'",
            self.asked
        )
    }

    /// Specification: answered, at the price that the same question has in files.
    fn is_answered(&mut self) {
        let sql = self.question();
        let before = [&*self.clinic, &self.files].map(spent);
        // A server that lost a session ends all others a moment later and recovers: until then nobody is let in.
        let begun = Instant::now();
        let reply = loop {
            match self.clinic.curator.ask(&ask(OWNER, &sql, None)) {
                Ok(reply) => break reply,
                Err(AskError::Away { .. }) if begun.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                Err(error) => panic!("{error}"),
            }
        };
        let expected = self.files.ask(&sql).unwrap();
        assert_eq!(count(&reply), count(&expected));
        let after = [&*self.clinic, &self.files].map(spent);
        assert_eq!(after[0] - before[0], after[1] - before[1]);
    }

    /// Specification: charged once, and one constant failure.
    fn fails(&mut self, what: &str, happening: Happening) {
        let sql = self.question();
        let before = [&*self.clinic, &self.files].map(spent);
        let (clinic, was) = (Arc::clone(&self.clinic), before[0]);
        self.wire.after_payment(happening, move || spent(&clinic) > was);
        let outcome = self.clinic.curator.ask(&ask(OWNER, &sql, None));
        assert!(self.wire.has_happened(), "{what} did not happen");
        let Err(error) = outcome else { panic!("{what}: answered {:?}", count(&outcome.unwrap())) };
        assert!(matches!(error, AskError::Failed), "{what}: {error:?}");
        let words = error.explanation().text();
        assert!(words.starts_with("this question was charged, but could not be answered"), "{words}");
        assert!(!format!("{error:?} {words}").contains(CANARY));
        self.files.ask(&sql).unwrap();
        let after = [&*self.clinic, &self.files].map(spent);
        assert!(after[1] > before[1]);
        assert_eq!(after[0] - before[0], after[1] - before[1], "{what}: charged once");
    }

    /// Specification: said in words, and nothing is charged or written.
    fn is_away(&mut self) {
        let sql = self.question();
        let state = |clinic: &Clinic| (spent(clinic), clinic.curator.ledger().public_bytes().unwrap());
        let before = state(&self.clinic);
        let error = self.clinic.curator.ask(&ask(OWNER, &sql, None)).unwrap_err();
        assert!(matches!(error, AskError::Away { .. }), "{error:?}");
        assert_eq!(
            error.to_string(),
            "the server that holds the rows of `visits` cannot be asked now; nothing was charged"
        );
        assert!(error.hint().is_some());
        assert_eq!(state(&self.clinic), before);
    }
}

/// Everything leaves after so many seconds, whenever it is ready.
fn clock(seconds: u32) -> ReplyClock {
    ReplyClock { quantum: Some(Duration::from_secs(1)), quanta: NonZeroU32::new(seconds) }
}

/// Specification: a wire that nothing comes through ends by the clock, and the next question is answered by it.
fn silence_ends_by_the_clock(mut wired: Wired, seconds: u64) {
    wired.is_answered();
    let begun = Instant::now();
    wired.fails("silence", Happening::Silence);
    let taken = begun.elapsed();
    let clock = Duration::from_secs(seconds);
    assert!(taken >= clock && taken < clock + Duration::from_secs(20), "{taken:?}");
    wired.is_answered();
}

/// A clinic at the end of a wire to a database with the visits, and the database's name.
fn postgres(server: &PostgresServer, clock: ReplyClock) -> (Wired, String) {
    let (url, name) = database(server, "wired");
    fill(server, &name, &rows_of(&(visits(60) + &target_rows())));
    // It lives as long as the wire.
    let end = tempfile::tempdir().unwrap().keep();
    let wire = Wire::between_sockets(server.socket_dir(), server.port(), &end);
    let url = url.replace(&server.socket_dir().display().to_string(), &end.display().to_string());
    (Wired::new(wire, &catalog(&url, "postgres:clinic/public.visits"), clock), name)
}

#[test]
fn postgresql_that_fails_after_the_debit_is_paid_once_and_answers_again() {
    let Some(server) = PostgresServer::start() else { return };
    let (mut wired, name) = postgres(&server, ReplyClock::IMMEDIATE);
    let server = Arc::new(Mutex::new(server));
    let to = |act: fn(&mut PostgresServer, i64)| {
        let (server, name) = (Arc::clone(&server), name.clone());
        Happening::To(Box::new(move || {
            let mut server = server.lock().unwrap();
            let of = format!(
                "SELECT pid FROM pg_stat_activity WHERE application_name = 'pointillist' AND datname = '{name}'"
            );
            let pid = server.sql("postgres", &of).parse().unwrap();
            act(&mut server, pid);
        }))
    };
    wired.is_answered();
    wired.fails("a connection that ends", Happening::Close);
    wired.is_answered();
    wired.fails("half of an answer", Happening::Half);
    wired.is_answered();
    wired.fails(
        "an administrator",
        to(|server, pid| drop(server.sql("postgres", &format!("SELECT pg_terminate_backend({pid})")))),
    );
    wired.is_answered();
    wired.fails("the kernel", to(|server, pid| server.kill_backend_hard(pid)));
    wired.is_answered();
    wired.fails("a server that is gone", to(|server, _| server.stop()));
    // Away until it is back, for the same curator.
    wired.is_away();
    server.lock().unwrap().restart();
    wired.is_answered();
}

#[test]
fn a_wire_to_postgresql_that_nothing_comes_through_ends_by_the_clock() {
    let Some(server) = PostgresServer::start() else { return };
    silence_ends_by_the_clock(postgres(&server, clock(8)).0, 8);
}

fn spark(server: &SparkServer, clock: ReplyClock) -> Wired {
    let (_, source) = visits_in(server, "wired", &rows_of(&(visits(60) + &target_rows())));
    let port = server.url().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
    let (wire, port) = Wire::between_ports(port);
    Wired::new(wire, &catalog(&format!("sc://127.0.0.1:{port}/"), &source), clock)
}

#[test]
fn spark_that_fails_after_the_debit_is_paid_once_and_answers_again() {
    let Some(server) = SparkServer::start_with(options()) else { return };
    let mut wired = spark(&server, ReplyClock::IMMEDIATE);
    wired.is_answered();
    wired.fails("a connection that ends", Happening::Close);
    wired.is_answered();
    wired.fails("half of an answer", Happening::Half);
    wired.is_answered();
    silence_ends_by_the_clock(spark(&server, clock(30)), 30);
    let server = Arc::new(Mutex::new(server));
    let killed = Arc::clone(&server);
    wired.fails("a server that is gone", Happening::To(Box::new(move || killed.lock().unwrap().kill())));
    // Away until it is back, for the same curator.
    wired.is_away();
    server.lock().unwrap().restart();
    wired.is_answered();
}
