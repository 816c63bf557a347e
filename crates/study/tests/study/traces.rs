//! The study of traces from end to end: tables, questions, named mechanisms, one ledger a unit.

use std::path::Path;

use pointillist_curator::Home;
use pointillist_privacy::Epsilon;
use pointillist_study::traces::made_up::Size;
use pointillist_study::traces::read::Network;
use pointillist_study::traces::study::{Finding, Settings, Source, TraceStudy, UnitStudy, Way, study};
use pointillist_study::traces::{TraceError, Unit, page, summary};

const SMALL: Size = Size { hosts: 150, link_hosts: 120, interactive: 40, hours: 1 };

fn settings(folder: &Path, epsilon: &str, units: &[Unit]) -> Settings {
    Settings {
        folder: folder.to_owned(),
        epsilon: Epsilon::parse(epsilon).unwrap(),
        units: units.to_vec(),
        source: Source::MadeUp { size: SMALL, number: 3 },
    }
}

fn run(settings: &Settings) -> TraceStudy {
    study(settings, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"))
}

fn spent(unit: &UnitStudy) -> String {
    let home = Home::open(&unit.catalog).unwrap();
    assert!(home.ledger().unwrap().verify().is_ok(), "the ledger is whole");
    let balance = home.reader().unwrap().unwrap().balance(unit.unit.scope()).unwrap();
    assert_eq!(balance.unreleased.loss_units, 0, "every payment has its answer");
    format!("{:?}", balance.spent)
}

fn answer<'s>(unit: &'s UnitStudy, beginning: &str) -> &'s Finding {
    unit.findings
        .iter()
        .find(|finding| finding.title.starts_with(beginning))
        .unwrap_or_else(|| panic!("{beginning}"))
}

/// Specification: at a price at which noise is nearly nothing, what is asked in SQL and as named mechanisms is the truth, for either unit; the
/// ledgers are whole and have been told what was bought; and asked again everything is the same and free. Noise of ε = 2000 moves no
/// count by more than a few: the chance of a false alarm is far below 1e-9.
#[test]
fn at_a_huge_price_every_answer_is_the_truth_and_is_paid_for_once() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(&folder.path().join("net"), "2000", &[Unit::Host, Unit::Packet]);
    let found = run(&settings);
    let [host, packet] = &found.units[..] else { panic!("two units") };
    let is_sql = |finding: &&Finding| matches!(&finding.way, Way::Sql(sql) if sql.starts_with("SELECT"));
    assert_eq!(host.findings.iter().filter(is_sql).count(), 7);
    assert_eq!(packet.findings.iter().filter(is_sql).count(), 5);
    // Of 150 hosts three worms have infected 39 each, and a host keeps two strings at most.
    for question in ["Which strings do many hosts", "And how many hosts are those"] {
        let truth = answer(host, question).truth.clone().unwrap();
        assert!(truth.starts_with("worms found: 3 of 3 on 39 hosts"), "{truth}");
    }
    let worms = Some("worms found: 3 of 3 on 39 hosts; 0 other strings");
    assert_eq!(answer(packet, "Which strings do many hosts").truth.as_deref(), worms);
    let stones = answer(packet, "stepping stones by itemsets");
    assert_eq!(
        stones.truth.as_deref(),
        Some("2 of 2 planted are among them, and 0 others"),
        "{}",
        stones.answer
    );
    let hosts = answer(host, "How many hosts have two");
    assert!(hosts.answer.starts_with("about 2 hosts"), "{}", hosts.answer);
    let same = |unit: &UnitStudy, question: &str| {
        let found = answer(unit, question);
        assert_eq!(Some(&found.answer), found.truth.as_ref(), "{question}");
    };
    same(packet, "packets and copies");
    for curve in &packet.curves {
        let within = 2e-3;
        assert!(
            curve.error.unwrap() < within,
            "{} {} {:?}",
            curve.column,
            curve.estimate.name(),
            curve.error
        );
    }
    for curve in host.curves.iter().filter(|curve| curve.of == "average host") {
        assert!(curve.error.unwrap() < 1e-2, "{} {} {:?}", curve.column, curve.estimate.name(), curve.error);
    }
    let paid = [spent(host), spent(packet)];
    let again = run(&settings);
    assert_eq!([spent(&again.units[0]), spent(&again.units[1])], paid, "asked again it is free");
    for (first, second) in found.units.iter().zip(&again.units) {
        assert_eq!(first.findings, second.findings);
        assert_eq!(first.curves, second.curves);
    }
    let history = Home::open(&packet.catalog).unwrap().history(false).unwrap();
    let named = |entry: &pointillist_curator::HistoryEntry| {
        entry.sql.as_deref() == Some("stepping stones by itemsets (6 conversations a bucket)")
    };
    assert!(history.iter().any(named), "the owner finds what was bought");
    let html = page::page(&found, None).to_html(&pointillist_render::page::MadeBy {
        command: "pointillist study traces".to_owned(),
        date: "today".to_owned(),
    });
    assert!(html.contains("What cannot be asked") && html.contains("square root"));
    assert_eq!(summary::summary(&found, None)["units"].as_array().unwrap().len(), 2);
}

/// Specification: a folder is of one trace at one price; anything else is refused, and nothing of what is there is touched.
#[test]
fn a_folder_holds_one_study() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().join("net");
    let tiny = |epsilon: &str| Settings {
        source: Source::MadeUp {
            size: Size { hosts: 5, link_hosts: 5, interactive: 4, hours: 1 },
            number: 0,
        },
        ..settings(&here, epsilon, &[Unit::Packet])
    };
    run(&tiny("1"));
    let packets = std::fs::read(here.join("data/packets.csv")).unwrap();
    let larger = Settings {
        source: Source::MadeUp {
            size: Size { hosts: 6, link_hosts: 5, interactive: 4, hours: 1 },
            number: 0,
        },
        ..settings(&here, "1", &[Unit::Host])
    };
    let refused = study(&larger, &mut |_| {}).unwrap_err();
    assert!(matches!(refused, TraceError::OtherStudy { .. }), "{refused}");
    assert_eq!(std::fs::read(here.join("data/packets.csv")).unwrap(), packets);
    let refused = study(&tiny("2"), &mut |_| {}).unwrap_err();
    assert!(matches!(refused, TraceError::OtherStudy { .. }), "{refused}");
    std::fs::write(folder.path().join("thesis.txt"), "years of work").unwrap();
    let refused = study(&settings(folder.path(), "1", &[Unit::Host]), &mut |_| {}).unwrap_err();
    assert!(matches!(refused, TraceError::Occupied { .. }), "{refused}");
}

/// Specification: of a real trace no truth is shown, anywhere; its tables are read by their owner alone.
#[test]
fn of_a_real_trace_no_truth_is_shown() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("packets.csv");
    let mut text = "host,peer,port,kind,time_us,size,flow,seq,payload\n".to_owned();
    for host in 0..40 {
        for seq in 0..5 {
            let time = 1_000_000 * host + 1_000 * seq;
            let kind = if seq == 0 { "syn" } else { "data" };
            text +=
                &format!("10.0.0.{host},1.1.1.1,22,{kind},{time},{},7,{seq},cafe{host}\n", 100 * seq + 40);
        }
    }
    std::fs::write(&trace, text).unwrap();
    let internal: Vec<Network> = vec!["10.0.0.0/8".parse().unwrap()];
    let settings = Settings {
        source: Source::File { path: trace, internal },
        ..settings(&folder.path().join("net"), "1", &[Unit::Host])
    };
    let nothing = Source::File { path: folder.path().join("nothing.csv"), internal: Vec::new() };
    let refused = study(&Settings { source: nothing, ..settings.clone() }, &mut |_| {}).unwrap_err();
    assert!(matches!(refused, TraceError::Unreadable { .. }) && !settings.folder.exists(), "{refused}");
    let found = run(&settings);
    assert!(found.true_cdfs.is_none() && found.bursts.is_empty());
    assert!(found.units[0].findings.iter().all(|finding| finding.truth.is_none()));
    assert!(found.units[0].curves.iter().all(|curve| curve.error.is_none()));
    let mode = std::fs::metadata(settings.folder.join("data/packets.csv")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}
