//! Many connections at once: slow ones, too many, and keys that are guessed.

use super::*;

/// Specification: sockets that say nothing, or a byte now and then, from the very address of somebody who logs in, do not keep
/// them out: neither by number (there are five times as many as places) nor by time.
#[tokio::test]
async fn slow_clients_keep_nobody_out() {
    let limits = Limits { connections: 64, login: Duration::from_secs(30), ..Limits::default() };
    let site = Site::open(limits).await;
    let mut slow = Vec::new();
    for number in 0..320 {
        let mut client = site.connect().await;
        if number % 2 == 0 {
            client.send(&[0]).await;
        }
        slow.push(client);
    }
    for client in &mut slow {
        client.send(&[0]).await;
    }
    let begin = Instant::now();
    assert!(is_let_in(&site.connect().await.enter("ana", "pencil").await));
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    site.stops().await;
}

#[tokio::test]
async fn whoever_does_not_log_in_in_time_is_left() {
    let limits = Limits { login: Duration::from_millis(300), ..Limits::default() };
    let site = Site::open(limits).await;
    let mut silent = site.connect().await;
    let mut halfway = site.connect().await;
    halfway.start((3, 0), &[("user", "ana"), ("database", "clinic")]).await;
    let begin = Instant::now();
    halfway.read().await.expect("an offer");
    assert_eq!(halfway.read().await, None);
    assert_eq!(silent.read().await, None);
    assert!(begin.elapsed() < Duration::from_secs(5));
    site.stops().await;
}

/// Specification: when everybody who is in is let in, one more is told so; those who left hold nothing.
#[tokio::test]
async fn places_of_those_who_left_are_free_again() {
    let limits = Limits { connections: 8, ..impatient() };
    let site = Site::open(limits).await;
    for _ in 0..50 {
        assert!(is_let_in(&site.connect().await.enter("ana", "pencil").await));
        // A session that its client left takes a moment to end.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let places = Arc::clone(&site.service.connections);
    let taken = timeout(Duration::from_secs(5), places.acquire_many(8)).await;
    assert!(taken.is_ok(), "all places come back");
    let said = site.connect().await.read_until_let_in().await;
    assert_eq!(refusal(&said).0, "53300");
    drop(taken);
    let _of_ana: Vec<_> = std::iter::from_fn(|| site.service.connection_of("ana")).collect();
    assert_eq!(refusal(&site.connect().await.enter("ana", "pencil").await).0, "53300");
    site.stops().await;
}

/// Specification: a thousand guesses at keys, and packets that are none, are told nothing and stop nobody.
#[tokio::test]
async fn a_storm_of_cancelling_harms_nobody() {
    let site = Site::open(impatient()).await;
    let said = site.connect().await.enter("ana", "pencil").await;
    let number = said.last().unwrap().1[..4].to_vec();
    for guess in 0..1_000_u32 {
        let mut client = site.connect().await;
        let key = guess.to_be_bytes();
        client.send(&[b"\0\0\0\x10\x04\xd2\x16\x2e".as_slice(), &number, &key].concat()).await;
        if guess % 100 == 0 {
            assert_eq!(client.read().await, None, "no answer");
        }
    }
    assert!(is_let_in(&site.connect().await.enter("ana", "pencil").await));
    site.stops().await;
}

#[tokio::test]
async fn a_server_that_stops_does_not_wait_for_whoever_says_nothing() {
    let site = Site::open(impatient()).await;
    let mut silent = site.connect().await;
    silent.send(&[0]).await;
    let begin = Instant::now();
    site.stops().await;
    assert!(begin.elapsed() < Duration::from_secs(2));
    assert_eq!(silent.read().await, None);
}

/// Specification: guesses at a name from one place wait longer and longer, right ones among them, whether somebody has the
/// name or not; the right password ends that.
#[tokio::test]
async fn guesses_are_slowed_down() {
    let site = Site::open(impatient()).await;
    for user in ["ana", "bob"] {
        for _ in 0..5 {
            assert_eq!(refusal(&site.connect().await.enter(user, "wrong").await).0, "28P01");
        }
        let begin = Instant::now();
        assert_eq!(refusal(&site.connect().await.enter(user, "wrong").await).0, "28P01");
        assert!(begin.elapsed() >= Duration::from_millis(200), "{user}: {:?}", begin.elapsed());
    }
    let begin = Instant::now();
    assert!(is_let_in(&site.connect().await.enter("ana", "pencil").await));
    assert!(begin.elapsed() >= Duration::from_millis(400));
    site.stops().await;
}
