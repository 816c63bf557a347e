//! A client of the wire: asks, waits, asks again.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::sync::{Barrier, Semaphore};

use crate::made_up_home::Login;
use crate::{Work, next_number};

pub async fn run(
    address: SocketAddr,
    login: &Login,
    work: Work,
    entrance: &Semaphore,
    barrier: &Barrier,
    seconds: Duration,
) -> Vec<Duration> {
    let mut config = tokio_postgres::Config::new();
    config.host(address.ip().to_string()).port(address.port());
    config.user(&login.name).password(&login.password).dbname("postgres");
    let entering = entrance.acquire().await.expect("it is never closed");
    let (client, connection) = config.connect(tokio_postgres::NoTls).await.expect("the server lets us in");
    drop(entering);
    let connection = tokio::spawn(connection);
    let price = "SET pointillist.rho = 0.0001; SET client_min_messages = warning";
    client.batch_execute(price).await.expect("a price");
    if work == Work::Repeat {
        client.simple_query(&work.statement(0)).await.expect("the first answer");
    }
    barrier.wait().await;
    let (begin, mut taken) = (Instant::now(), Vec::new());
    while begin.elapsed() < seconds {
        let asked = Instant::now();
        client.simple_query(&work.statement(next_number())).await.expect("an answer");
        taken.push(asked.elapsed());
    }
    drop(client);
    connection.abort();
    taken
}
