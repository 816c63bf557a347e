//! A client of HTTP: one connection that is kept, one request after the other.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Barrier;

use crate::made_up_home::Login;
use crate::{Work, next_number};

pub async fn run(
    address: SocketAddr,
    login: &Login,
    work: Work,
    barrier: &Barrier,
    seconds: Duration,
) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    stream.set_nodelay(true).expect("a socket");
    if work == Work::Repeat {
        ask(&mut stream, login, work).await;
    }
    barrier.wait().await;
    let (begin, mut taken) = (Instant::now(), Vec::new());
    while begin.elapsed() < seconds {
        let asked = Instant::now();
        ask(&mut stream, login, work).await;
        taken.push(asked.elapsed());
    }
    taken
}

/// So many requests on one connection, repetitions and quotes in turn; gives their number.
pub async fn some(address: SocketAddr, login: &Login, requests: u64) -> u64 {
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    stream.set_nodelay(true).expect("a socket");
    for request in 0..requests {
        let work = if request.is_multiple_of(2) { Work::Repeat } else { Work::Explain };
        ask(&mut stream, login, work).await;
    }
    requests
}

async fn ask(stream: &mut TcpStream, login: &Login, work: Work) {
    let (path, sql) = match work {
        Work::Explain => ("explain", Work::Repeat.statement(0)),
        Work::Repeat | Work::Fresh => ("query", work.statement(next_number())),
    };
    let body = format!("{{\"sql\": \"{sql}\", \"rho\": \"0.0001\"}}");
    let request = format!(
        "POST /v1/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        login.token,
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut reply = Vec::new();
    loop {
        let mut piece = [0; 8192];
        let read = stream.read(&mut piece).await.expect("a reply");
        assert!(read > 0, "the server hung up: {}", String::from_utf8_lossy(&reply));
        reply.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&reply);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            assert!(head.starts_with("HTTP/1.1 200"), "{text}");
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if length.is_none_or(|length: usize| body.len() >= length) {
                return;
            }
        }
    }
}
