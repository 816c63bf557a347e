//! Whatever ends a statement after the payment is the same failure, without a part of an answer, and the next question works.

use std::time::{Duration, Instant};

use pointillist_catalog::Value;
use pointillist_errors::{Explained, Kind};
use pointillist_lowering::Statement;
use pointillist_plan::Type;
use pointillist_remote::spark::{NoAnswer, Session, Times};
use pointillist_testkit::spark::{SparkOptions, SparkServer};

use crate::spark_preflight::statement;
use crate::spark_questions::{cluster, name, session};

/// Longer than a test takes, with the name of somebody in its rows.
fn slow() -> Statement {
    let text = "SELECT w, CAST(count(*) AS STRING) FROM (SELECT concat(s.w, hash(r.id) % 3) AS w FROM `stays` s \
                JOIN range(0, 20000000000, 1, 2000) r ON pmod(hash(r.id, s.a), 3) = 1) x GROUP BY w";
    statement("stays", text, &[Type::Text], &["w", "a"])
}

fn quick() -> Statement {
    let text = "SELECT w, CAST(count(*) AS STRING) FROM `stays` GROUP BY w ORDER BY w";
    statement("stays", text, &[Type::Text], &["w"])
}

fn fill(server: &SparkServer) {
    let owner = session(server);
    let path = server.folder().join("stays");
    // Files of its own, which are there when the server is started again.
    let columns = "a BIGINT, w STRING";
    let table = format!("CREATE TABLE stays ({columns}) USING parquet LOCATION '{}'", path.display());
    owner.command(&table, &[]).unwrap();
    if !path.exists() || std::fs::read_dir(&path).unwrap().next().is_none() {
        owner
            .command("INSERT INTO stays VALUES (1, 'Gundula Stein'), (2, 'Gundula Stein'), (3, NULL)", &[])
            .unwrap();
    }
}

fn begin(server: &SparkServer, times: &Times) -> Session {
    let session = cluster(server).begin(&[name("stays")], times).unwrap();
    session.prepare(&slow()).unwrap();
    session.prepare(&quick()).unwrap();
    session
}

/// Specification: the failure says the same whatever it was, and nothing of rows.
fn is_the_one_failure(failure: &NoAnswer) {
    let said = format!("{failure} {failure:?} {:?} {}", failure.hint(), failure.explanation().text());
    assert_eq!(
        said,
        "the server that holds the rows gave no answer NoAnswer None the server that holds the rows gave no answer"
    );
    assert_eq!(failure.kind(), Kind::ChargedInVain);
    assert!(std::error::Error::source(failure).is_none());
    assert!(!failure.words_for_log().contains("Gundula"), "not even the owner's log quotes a row");
}

/// Specification: whoever asks next is answered.
fn next_question_works(server: &SparkServer) {
    let rows = begin(server, &Times::default()).run(&quick()).unwrap();
    let stein = Some(Value::Text("Gundula Stein".to_owned()));
    assert!(rows == [(vec![None], vec![1]), (vec![stein], vec![2])]);
}

/// Specification: a deadline, a call from another thread, a row that makes a statement fail, and the death of the server.
#[test]
fn spark_failures_after_the_payment_are_one_failure() {
    // See `spark/tests/spark/failures.rs`: a stage that is left behind would make the next question wait.
    let settings = vec![("spark.sql.adaptive.enabled", "false".to_owned())];
    let options = SparkOptions { settings, ..SparkOptions::default() };
    let Some(mut server) = SparkServer::start_with(options) else { return };
    fill(&server);

    let short = Times { statement: Duration::from_secs(4), ..Times::default() };
    let begun = Instant::now();
    is_the_one_failure(&begin(&server, &short).run(&slow()).unwrap_err());
    assert!(begun.elapsed() < Duration::from_secs(90));

    let question = begin(&server, &Times::default());
    let running = Session::running().unwrap();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| question.run_as(&running, &slow(), &mut |_| ()));
        std::thread::sleep(Duration::from_secs(4));
        question.call_off(&running);
        is_the_one_failure(&run.join().unwrap().unwrap_err());
    });
    drop(question);

    let failing = statement(
        "stays",
        "SELECT CAST(w AS BIGINT), CAST(count(*) AS STRING) FROM `stays` GROUP BY 1",
        &[Type::Integer],
        &["w"],
    );
    let question = begin(&server, &Times::default());
    question.prepare(&failing).unwrap();
    let failure = question.run(&failing).unwrap_err();
    is_the_one_failure(&failure);
    assert!(failure.words_for_log().contains("CAST_INVALID_INPUT"), "{}", failure.words_for_log());
    next_question_works(&server);

    let question = begin(&server, &Times { statement: Duration::from_secs(90), ..Times::default() });
    std::thread::scope(|scope| {
        let run = scope.spawn(|| question.run(&slow()));
        std::thread::sleep(Duration::from_secs(3));
        server.kill();
        is_the_one_failure(&run.join().unwrap().unwrap_err());
    });
    server.restart();
    fill(&server);
    // Paid for or not: a session of before has lost its settings, and does not run.
    is_the_one_failure(&question.run(&quick()).unwrap_err());
    assert!(question.prepare(&quick()).is_err());
    next_question_works(&server);
}

/// Specification: an executor that dies is nothing to whoever asks: its tasks run again, and the answer is the same; a cluster
/// whose executors keep dying gives no answer at all, and says so at the deadline.
#[test]
fn spark_loses_an_executor_and_answers_the_same_or_not_at_all() {
    let settings = vec![("spark.task.maxFailures", "2".to_owned())];
    let Some(server) = SparkServer::start_with(SparkOptions { settings, ..SparkOptions::default() }) else {
        return;
    };
    fill(&server);
    let text = "SELECT CAST(NULL AS STRING) AS w, CAST(count(*) AS STRING) FROM `stays` s \
                JOIN range(0, 300000000, 1, 60) r ON pmod(hash(r.id, s.a), 3) = 1";
    let long = statement("stays", text, &[Type::Text], &["a"]);
    let question = begin(&server, &Times::default());
    question.prepare(&long).unwrap();
    let expected = question.run(&long).unwrap();
    let again = std::thread::scope(|scope| {
        let run = scope.spawn(|| question.run(&long));
        std::thread::sleep(Duration::from_secs(2));
        let executors = server.executors();
        assert!(!executors.is_empty());
        server.kill_process(executors[0]);
        run.join().unwrap()
    });
    assert!(again.unwrap() == expected, "an answer after a loss is the same answer");
    let question = begin(&server, &Times { statement: Duration::from_secs(25), ..Times::default() });
    let never = std::thread::scope(|scope| {
        let run = scope.spawn(|| question.run(&slow()));
        while !run.is_finished() {
            server.executors().into_iter().for_each(|pid| server.kill_process(pid));
            std::thread::sleep(Duration::from_millis(500));
        }
        run.join().unwrap()
    });
    is_the_one_failure(&never.unwrap_err());
}
