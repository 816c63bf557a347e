//! A server that is away, comes back, hangs, or is told to stop.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use pointillist_spark::{Address, Operation, Session, SessionOptions, SparkError, Token};
use pointillist_testkit::spark::SparkServer;

use crate::{open, open_with, query};

/// Longer than any test may take.
const LONG: &str = "SELECT sum(hash(id, id + 1, id + 2)) FROM range(0, 40000000000, 1, 4000)";

/// Where Spark plans a statement anew as it runs, one that is called off while a stage begins leaves that stage behind: it runs
/// to its end for nobody, and other statements wait for it.
const PLAN_ONCE: &[(&str, &str)] = &[("spark.sql.adaptive.enabled", "false")];

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Specification: nobody there is said at once, with the address and no more.
#[test]
fn nobody_at_the_address_is_said() {
    let address = Address::parse("sc://127.0.0.1:1/").unwrap();
    let session = Session::open(&address, None, SessionOptions::default()).unwrap();
    let error = session.version().unwrap_err();
    assert_eq!(error, SparkError::Unreachable { server: "sc://127.0.0.1:1/".to_owned() });
    assert!(matches!(query(&session, "SELECT 1", &[]), Err(SparkError::Unreachable { .. })));
}

/// Specification: a server that takes the connection and never says a word is not waited for.
#[test]
fn a_silent_server_is_not_waited_for() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = Address::parse(&format!("sc://{}/", silent.local_addr().unwrap())).unwrap();
    let options =
        SessionOptions { call_max: seconds(1), statement_max: seconds(1), ..SessionOptions::default() };
    let session = Session::open(&address, None, options).unwrap();
    let begun = Instant::now();
    assert_eq!(session.version(), Err(SparkError::Timeout));
    assert_eq!(query(&session, "SELECT 1", &[]).unwrap_err(), SparkError::Timeout);
    assert!(begun.elapsed() < seconds(20));
}

/// Specification: a token does not travel where others read it, whatever the owner wrote about the network.
#[test]
fn a_token_never_travels_in_the_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    std::fs::write(&path, "dapi").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let address = Address::parse("sc://192.0.2.1/;use_ssl=false").unwrap();
    let opened = Session::open(&address, Some(Token::from_file(&path).unwrap()), SessionOptions::default());
    assert_eq!(opened.err(), Some(SparkError::OpenToken));
}

/// Specification: an interrupt from another thread ends a statement, there is no answer, and the session goes on.
#[test]
fn a_statement_is_called_off_from_another_thread() {
    let Some(server) = SparkServer::shared() else { return };
    let session =
        open_with(server, SessionOptions { statement_max: seconds(90), ..SessionOptions::default() });
    session.configure(PLAN_ONCE).unwrap();
    let operation = Operation::new().unwrap();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| session.query(&operation, LONG, &[], &mut |_| ()));
        std::thread::sleep(seconds(5));
        assert!(session.interrupt(&operation).is_ok());
        assert_eq!(running.join().unwrap(), Err(SparkError::Interrupted));
    });
    assert_eq!(query(&session, "SELECT 1", &[]).unwrap()[0].num_rows(), 1);
}

/// Specification: past its deadline a statement is an error, and does not run on in the cluster.
#[test]
fn a_deadline_ends_the_statement_in_the_cluster_too() {
    let Some(server) = SparkServer::shared() else { return };
    let session =
        open_with(server, SessionOptions { statement_max: seconds(3), ..SessionOptions::default() });
    session.configure(PLAN_ONCE).unwrap();
    let operation = Operation::new().unwrap();
    let begun = Instant::now();
    assert_eq!(session.query(&operation, LONG, &[], &mut |_| ()), Err(SparkError::Timeout));
    assert!(begun.elapsed() < seconds(20));
    assert_eq!(session.interrupt(&operation), Ok(false), "it was running on");
    let small = SessionOptions { answer_bytes_max: 1 << 20, ..SessionOptions::default() };
    let too_large = query(&open_with(server, small), "SELECT id FROM range(1000000)", &[]).unwrap_err();
    assert_eq!(too_large, SparkError::TooLarge { bytes_max: 1 << 20 });
}

/// Specification: a server that dies is an error at once; when it is back, a session of before is refused, for its settings are
/// gone, and a new one works.
#[test]
fn a_session_does_not_outlive_its_server() {
    let Some(mut server) = SparkServer::start() else { return };
    let session =
        open_with(&server, SessionOptions { statement_max: seconds(90), ..SessionOptions::default() });
    session.configure(&[("spark.sql.session.timeZone", "Asia/Tokyo")]).unwrap();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| query(&session, LONG, &[]));
        std::thread::sleep(seconds(3));
        server.kill();
        let error = running.join().unwrap().unwrap_err();
        assert!(matches!(error, SparkError::Unreachable { .. }), "{error:?}");
    });
    assert!(matches!(session.version(), Err(SparkError::Unreachable { .. })));
    server.restart();
    assert_eq!(session.setting("spark.sql.session.timeZone"), Err(SparkError::SessionLost));
    assert_eq!(query(&session, "SELECT 1", &[]).unwrap_err(), SparkError::SessionLost);
    assert_eq!(query(&open(&server), "SELECT 1", &[]).unwrap()[0].num_rows(), 1);
}
