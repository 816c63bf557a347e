use pointillist_testkit::seeded;

use super::super::*;

fn show(subject: &mut dyn Subject, releases: usize) {
    let start = std::time::Instant::now();
    let found = audit(subject, &Settings::new(releases), &mut seeded(7), &mut |_, _| ()).unwrap();
    let closest = found.closest().unwrap();
    println!(
        "{} {:>6} ms  {} | {} | {} claimed {:.3} verdict {:.3} lower {:.3} | {:?}",
        if found.refuted() { "REFUTED" } else { "cleared" },
        start.elapsed().as_millis(),
        found.subject,
        found.neighbours,
        closest.measure.symbol(),
        closest.measure.claimed(),
        closest.lower_verdict,
        closest.lower,
        closest.event.as_ref().map(|event| (&event.description, event.there, event.elsewhere))
    );
}

#[test]
fn tmp_planted() {
    for mut planted in planted_worlds() {
        println!("  {}", planted.flaw);
        show(planted.subject.as_mut(), 4000);
    }
}

#[test]
fn tmp_local() {
    for mut subject in local(&pointillist_privacy::Epsilon::parse("1").unwrap()).unwrap() {
        show(subject.as_mut(), 4000);
    }
}

#[test]
fn tmp_graphs() {
    for mut subject in graphs(
        &pointillist_privacy::Epsilon::parse("2").unwrap(),
        &pointillist_privacy::Delta::parse("0.01").unwrap(),
    )
    .unwrap()
    {
        show(subject.as_mut(), 2000);
    }
}

#[test]
fn tmp_speed() {
    let mut bits = seeded(7);
    for mut subject in graphs(&pointillist_privacy::Epsilon::parse("2").unwrap(), &pointillist_privacy::Delta::parse("0.01").unwrap()).unwrap() {
        let start = std::time::Instant::now();
        for pair in 0..7 {
            for _ in 0..60 {
                subject.release(pair, Side::Left, &mut bits).unwrap();
            }
        }
        println!("{:>8.1} us  {}", start.elapsed().as_micros() as f64 / 420.0, subject.name());
    }
}
