//! Broken randomizers.

use pointillist_local::rappor::Rappor;
use pointillist_local::{Domain, Oracle, PrefixTree, Protocol, Report};
use pointillist_mechanisms::LogisticCoin;
use pointillist_noise::{SecureBits, uniform_u64_below};
use pointillist_numbers::Rational;
use pointillist_privacy::{Delta, Loss};

use super::{Claiming, Planted, one, planted};
use crate::AuditError;
use crate::local::{Held, linked, memory_subject, protocol_subject, shuffled_claim};
use crate::{Observation, Trial};

/// The prime of the hash functions here.
const PRIME: u64 = (1 << 31) - 1;

/// Every broken randomizer.
pub(super) fn all() -> Result<Vec<Planted>, AuditError> {
    Ok(vec![
        planted("the truth is kept as if there were two values, not five", kary_of_two()),
        planted("all bits are kept with e^ε where two may differ: e^(ε/2) is right", unary_at_full_price()),
        planted("one and a half times the price is spent", unary_charged_too_low()?),
        planted("the cell is kept as if there were two cells, not four", hashing_of_two_cells()),
        planted("which index is asked about depends on the answer", hadamard_of_own_index()),
        planted("the coin is for sets of three, and the sets have one member", subset_of_another_size()),
        planted("the truth is told with 5/6, and 3/4 was charged", coin_of_another_bias()?),
        planted("the permanent response is drawn anew for every report", memory_forgotten()?),
        planted("two hash functions are used, and one is charged", memory_of_two_blocks()?),
        planted(
            "no report lies far from the answer: the reports at one end rule the other out",
            window_of_half(),
        ),
        planted("answers outside the range are not moved to its end", window_without_clamping()),
        planted("reports stay in the order of their senders", shuffled_in_order()?),
        planted("reports arrive in the order of the answers", sorted_by_answer()),
        planted("every level is reported, each at the whole price", tree_of_all_levels()?),
        planted("answers that are not listed are refused, and the refusal shows", refusals_that_show()?),
    ])
}

fn claim() -> Loss {
    Loss::pure(one())
}

/// A coin that shows true with e^ε against so many others.
fn coin(others: u64) -> LogisticCoin {
    LogisticCoin::new(one().value().clone(), others)
}

/// Any number below `count` but this one.
fn another(value: u64, count: u64, bits: &mut dyn SecureBits) -> u64 {
    let drawn = uniform_u64_below(count - 1, bits);
    if drawn < value { drawn } else { drawn + 1 }
}

/// The subject of a randomizer of the values 0 and 1, and of 0 and the last.
fn values(
    name: &str,
    count: u64,
    release: impl Fn(&Held, &mut dyn SecureBits) -> Observation + Send + 'static,
) -> Trial<Held> {
    [[0, 1], [0, count - 1]].into_iter().fold(Trial::new(name, claim(), release), |trial, pair| {
        let [left, right] = pair.map(|own| Held { own, pair });
        trial.pair(format!("{} or {}", pair[0], pair[1]), left, right)
    })
}

fn kary_of_two() -> Trial<Held> {
    let (count, coin) = (5, coin(1));
    values("k-ary response", count, move |held, bits| {
        let keep = coin.sample(bits);
        Observation::of(if keep { held.own } else { another(held.own, count, bits) })
    })
}

fn unary_at_full_price() -> Trial<Held> {
    let (count, coin) = (4, coin(1));
    values("unary encoding", count, move |held, bits| {
        (0..count).fold(Observation::new(), |seen, value| {
            let bit = (value == held.own) == coin.sample(bits);
            seen.with(format!("bit {value}"), bit)
        })
    })
}

fn unary_charged_too_low() -> Result<Claiming<impl super::Subject>, AuditError> {
    let spent: Protocol = "unary-encoding values=4 epsilon=1.5".parse()?;
    Ok(Claiming::new("unary encoding", protocol_subject(spent, None)?, claim()))
}

fn hashing_of_two_cells() -> Trial<Held> {
    let (cells, coin) = (4, coin(1));
    values("local hashing", 6, move |held, bits| {
        let [multiplier, shift] = [(); 2].map(|()| uniform_u64_below(PRIME, bits));
        let cell_of = |value: u64| (multiplier * value + shift) % PRIME * cells / PRIME;
        let own = cell_of(held.own);
        let cell = if coin.sample(bits) { own } else { another(own, cells, bits) };
        let [first, second] = held.pair.map(|value| i64::from(cell_of(value) == cell));
        let seen = Observation::new().with("multiplier", multiplier).with("shift", shift).with("cell", cell);
        seen.with("leans", first - second)
    })
}

fn hadamard_of_own_index() -> Trial<Held> {
    let (order, coin) = (3, coin(1));
    values("Hadamard response", 7, move |held, bits| {
        let odd = |index: u64| ((held.own + 1) & index).count_ones() % 2;
        // The index should be any of eight; here it is one at which the answer's row has a plus.
        let index = loop {
            let drawn = bits.take(order) as u64;
            if odd(drawn) == 0 {
                break drawn;
            }
        };
        Observation::new().with("index", index).with("sign", coin.sample(bits))
    })
}

fn subset_of_another_size() -> Trial<Held> {
    let (count, size) = (6u64, 3u64);
    let others = Rational::from(count - size) / Rational::from(size);
    let coin = LogisticCoin::new(one().value().clone(), others);
    values("subset selection", count, move |held, bits| {
        let inside = coin.sample(bits);
        Observation::new().with("member 0", if inside { held.own } else { another(held.own, count, bits) })
    })
}

fn coin_of_another_bias() -> Result<Claiming<impl super::Subject>, AuditError> {
    let [spent, charged] = ["randomized-response gamma=1/3", "randomized-response gamma=1/4"];
    let charged: Protocol = charged.parse()?;
    Ok(Claiming::new("randomized response", protocol_subject(spent.parse()?, None)?, charged.loss()))
}

fn rappor(line: &str) -> Result<Rappor, AuditError> {
    match line.parse::<Oracle>()? {
        Oracle::Rappor(rappor) => Ok(rappor),
        other => Err(AuditError::new(format!("{other} is not a memory"), "write a line of rappor")),
    }
}

fn memory_forgotten() -> Result<Trial<Held>, AuditError> {
    let rappor = rappor("rappor values=3 f=0.5 p=0.25 q=0.75")?;
    let claim = rappor.loss_for_ever();
    let release = move |held: &Held, bits: &mut dyn SecureBits| {
        let reports: Vec<Report> =
            (0..20).map(|_| rappor.report(&rappor.remember(held.own, bits), bits)).collect();
        linked(&rappor, &reports, held)
    };
    let [left, right] = [0, 1].map(|own| Held { own, pair: [0, 1] });
    Ok(Trial::new("RAPPOR, 20 reports", claim, release).pair("0 or 1", left, right))
}

fn memory_of_two_blocks() -> Result<Claiming<impl super::Subject>, AuditError> {
    let spent = rappor("rappor values=4 f=0.5 p=0.1 q=0.9 blocks=2 width=8")?;
    let charged = rappor("rappor values=4 f=0.5 p=0.1 q=0.9 blocks=1 width=8")?;
    Ok(Claiming::new("RAPPOR, 20 reports", memory_subject(spent, 20), charged.loss_for_ever()))
}

fn window_of_half() -> Trial<u64> {
    let (steps, window) = (20, 12);
    let coin = LogisticCoin::new(one().value().clone(), Rational::ratio(20, 12));
    let release = move |step: &u64, bits: &mut dyn SecureBits| {
        if coin.sample(bits) {
            return Observation::of(step + uniform_u64_below(window, bits));
        }
        // The rest should be any of the other numbers; here it is one of the ten next to the window.
        let beside = uniform_u64_below(steps / 2, bits);
        Observation::of(if *step >= steps / 2 { step - 1 - beside } else { step + window + beside })
    };
    Trial::new("window mean", claim(), release).pair("both ends", 0, steps).pair("the middle", 9, 10)
}

fn window_without_clamping() -> Trial<u64> {
    let (steps, window) = (20, 12);
    let coin = LogisticCoin::new(one().value().clone(), Rational::ratio(20, 12));
    let release = move |step: &u64, bits: &mut dyn SecureBits| {
        let outside = uniform_u64_below(steps, bits);
        let report = match coin.sample(bits) {
            true => step + uniform_u64_below(window, bits),
            false if outside < *step => outside,
            false => outside + window,
        };
        Observation::of(report)
    };
    Trial::new("window mean", claim(), release).pair("both ends", 0, steps).pair(
        "the end and beyond",
        steps,
        2 * steps,
    )
}

fn shuffled_in_order() -> Result<Trial<Vec<u64>>, AuditError> {
    let (people, oracle): (usize, Oracle) = (200, "k-ary-response values=2 epsilon=1".parse()?);
    let claim = shuffled_claim(&oracle, people as u64, &Delta::parse("0.01")?)?;
    let release = move |answers: &Vec<u64>, bits: &mut dyn SecureBits| {
        let reports = answers.iter().filter_map(|answer| match oracle.randomize(*answer, bits) {
            Ok(Report::Value(value)) => Some(value),
            _ => None,
        });
        let reports: Vec<u64> = reports.collect();
        // Of two hundred places a few are enough to see, the one in question among them.
        let places = reports.iter().take(4).enumerate();
        let seen = places
            .fold(Observation::new(), |seen, (place, report)| seen.with(format!("report {place}"), *report));
        seen.with("reports of 1", reports.iter().sum::<u64>())
    };
    let [left, right] =
        [0, 1].map(|own| std::iter::once(own).chain((1..people as u64).map(|k| k % 2)).collect());
    Ok(Trial::new("shuffled responses", claim, release).slow(10_000).pair("one holds 0 or 1", left, right))
}

fn sorted_by_answer() -> Trial<u64> {
    let (people, coin) = (9, coin(1));
    let release = move |own: &u64, bits: &mut dyn SecureBits| {
        // Everybody's answer is randomized well; but whoever answers 0 is asked first, and reports carry names.
        let mut answers: Vec<(u64, u64)> =
            (0..people).map(|name| (if name == 4 { *own } else { name % 2 }, name)).collect();
        answers.sort_unstable();
        answers.iter().zip(0u64..).fold(Observation::new(), |seen, ((answer, name), place)| {
            let report = u64::from((*answer == 1) == coin.sample(bits));
            seen.with(format!("report of {name}"), report).with(format!("place of {name}"), place)
        })
    };
    Trial::new("randomized response of nine", claim(), release).pair("one holds 0 or 1", 0, 1)
}

fn tree_of_all_levels() -> Result<Trial<[&'static str; 3]>, AuditError> {
    let Protocol::Strings(tree) = "prefix-tree alphabet=ab length=3 stride=1 epsilon=1".parse()? else {
        return Err(AuditError::new("this is not a tree", "write a line of prefix-tree"));
    };
    let release = move |[own, first, second]: &[&str; 3], bits: &mut dyn SecureBits| {
        (0..tree.levels()).fold(Observation::new(), |seen, level| {
            let leans = leaning_at(&tree, level, own, [first, second], bits);
            seen.with(format!("leans at {level}"), leans)
        })
    };
    Ok(Trial::new("prefix tree", claim(), release).pair(
        "\"aaa\" or \"bbb\"",
        ["aaa", "aaa", "bbb"],
        ["bbb", "aaa", "bbb"],
    ))
}

/// How far a report at one level leans to the first of two strings.
fn leaning_at(tree: &PrefixTree, level: u64, own: &str, pair: [&str; 2], bits: &mut dyn SecureBits) -> i64 {
    loop {
        // The level of a report is uniform, so one that is repeated until it fits is a report at that level.
        match tree.randomize(own, bits) {
            Ok(report) if report.level == level => {
                let [first, second] = pair.map(|text| tree.supports(&report, text) == Ok(true));
                return i64::from(first) - i64::from(second);
            }
            Ok(_) => {}
            Err(_) => return 0,
        }
    }
}

fn refusals_that_show() -> Result<Trial<&'static str>, AuditError> {
    let labels = Domain::labels(["flu", "cold"].map(str::to_owned).to_vec())?;
    let protocol: Protocol = "k-ary-response values=2 epsilon=1".parse()?;
    let release = move |answer: &&str, bits: &mut dyn SecureBits| {
        let mut line = String::new();
        match protocol.randomize_line(Some(&labels), answer, bits, &mut line) {
            Ok(()) => Observation::of(line),
            Err(_) => Observation::of("refused"),
        }
    };
    let trial = Trial::new("k-ary response with labels", claim(), release);
    Ok(trial.pair("two that are listed", "flu", "cold").pair("one that is not listed", "flu", "gout"))
}
