use super::*;

#[test]
fn a_server_starts_answers_and_leaves_nothing_behind() {
    let Some(mut server) = PostgresServer::start() else { return };
    server.sql("postgres", "CREATE TABLE kept (n int8); INSERT INTO kept VALUES (7)");
    server.restart();
    assert_eq!(server.sql("postgres", "SELECT n, 'é' FROM kept"), "7|é");
    assert_eq!(server.sql("postgres", "SHOW server_encoding"), "UTF8");
    let folder = server.socket_dir().to_owned();
    let pid = server.sql("postgres", "SELECT pg_backend_pid()");
    drop(server);
    assert!(!folder.exists());
    assert!(!Path::new("/proc").join(pid).exists());
}

/// Specification: the end of the program is the end of its server, even if nothing of it is dropped.
#[test]
fn a_guard_ends_a_server_that_nobody_stopped() {
    let Some(mut server) = PostgresServer::start() else { return };
    let mut child = server.child.take().expect("a running server");
    let folder = server.socket_dir().to_owned();
    // Waited for by somebody, as the system does for a process whose parent is gone.
    let waiting = std::thread::spawn(move || child.wait());
    // As at the end of a process: the pipe is closed, and the server was not told.
    drop(server);
    assert!(waiting.join().expect("no panic").is_ok());
    assert!(!folder.exists());
}
