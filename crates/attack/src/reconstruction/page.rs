//! The report of a reconstruction: how much is recovered as answers get worse, and where ours stand.

use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;
use pointillist_privacy::{Epsilon, Spend};
use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent, short_upper, significant};
use pointillist_render::page::{Block, Page, Tone};

use super::{Answers, Attacked, Method, Outcome, SweepPoint, sweep};
use crate::AttackError;

/// Largest errors of the other publishers, in roots of the people.
const ERRORS: [f64; 9] = [0.02, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 32.0];
/// People in the plot at most: thirteen attacks on more would take minutes.
const SWEPT_MOST: usize = 4096;
/// Our prices, in multiples of the one asked for.
const PRICES: [u64; 4] = [1, 10, 100, 1000];

/// How much of a secret is recovered, as a page; the bits draw better and worse answers.
pub(super) fn page(outcome: &Outcome, bits: &mut dyn SecureBits) -> Result<Page, AttackError> {
    let (people, price) = (outcome.people, outcome.price());
    let (others, ours) = (&outcome.others.recovery, &outcome.ours.recovery);
    let questions = grouped_count(outcome.questions as u64);
    let lead = format!(
        "From {questions} slightly wrong counts an attacker recovers {} of {} secrets; from as many counts \
         at {} in total, {} — and giving everybody the more common answer already gets {}.",
        percent(others.fraction()),
        grouped_count(people as u64),
        price,
        percent(ours.fraction()),
        percent(others.fraction_blindly())
    );
    let done = format!(
        "Each of {} people has a secret bit: {}. Somebody answers {questions} questions of the form “how \
         many of these people have it?”, each about a random half of them. No answer is exact: each is off \
         by up to {} people. The attacker knows who was counted in which question, looks for the bits that \
         fit all answers best ({}), and rounds.\n\nNo single answer tells anything about anybody. Together \
         they tell nearly everything, as long as their errors are well below the square root of the number \
         of people, here {} (Dinur and Nissim 2003).",
        grouped_count(people as u64),
        outcome.secret.meaning(),
        significant(outcome.error),
        outcome.others.result.method,
        significant((people as f64).sqrt())
    );
    let why = format!(
        "Our answers carry noise for the price of all of them together: {}. The noise of each answer grows \
         with the number of questions, so that asking more does not help.\n\nThis is no luck of the draw. At \
         this price nobody, whatever they know and compute, guesses a bit that was a fair coin to them in \
         more than {} of all cases: e^ε/(1 + e^ε). The price of that promise is the error: it takes a \
         question about many people for an answer to be of use.",
        price,
        percent(outcome.right_upper)
    );
    let (points, mine) = swept(outcome, bits)?;
    Ok(Page::new("Secrets from many slightly wrong counts", lead)
        .section("What was done", vec![Block::text(done)])
        .section(
            "What was learnt",
            vec![
                Block::side_by_side(learnt(&outcome.others), learnt(&outcome.ours)),
                Block::figure(&chart(swept_people(outcome), &points, &mine), caption(outcome)),
            ],
        )
        .section(
            "Why the private answers resist",
            vec![
                Block::text(why),
                Block::facts([
                    ("people", grouped_count(people as u64)),
                    ("questions", questions),
                    ("error of others’ answers", format!("up to {}", significant(outcome.error))),
                    ("price of all our answers", price.to_string()),
                    ("blind guess", percent(others.fraction_blindly())),
                ]),
                table(&points, &mine),
                Block::verdict(
                    Tone::Plain,
                    "Too many answers that are too accurate destroy privacy: whoever answers has to count \
                     what is answered, and stop or blur in time.",
                ),
            ],
        ))
}

fn learnt(side: &Attacked) -> String {
    let right = &side.recovery;
    format!(
        "{} of {} bits are right: {}. Giving everybody the more common bit gets {}.",
        grouped_count(right.right as u64),
        grouped_count(right.people as u64),
        percent(right.fraction()),
        percent(right.fraction_blindly())
    )
}

/// The attack on publishers with larger and larger errors, and on ours at higher and higher prices.
fn swept(
    outcome: &Outcome,
    bits: &mut dyn SecureBits,
) -> Result<(Vec<SweepPoint>, Vec<SweepPoint>), AttackError> {
    let people = swept_people(outcome);
    let root = (people as f64).sqrt();
    let mut publishers: Vec<Answers> =
        ERRORS.iter().map(|factor| Answers::ErrorUpTo(factor * root)).collect();
    // A multiple beyond the largest ε there is has no point.
    let prices = PRICES
        .iter()
        .filter_map(|times| Epsilon::new(outcome.epsilon.value() * &Rational::from(*times)).ok());
    publishers.extend(prices.map(|epsilon| Answers::Private(Spend::Pure(epsilon))));
    // Least squares for few people as well: the linear programme would take minutes for all of these.
    let secret = &outcome.secret.bits()[..people];
    let questions = outcome.questions / outcome.people * people;
    let mut points = sweep(secret, questions, Method::LeastSquares, &publishers, bits)?;
    let mine = points.split_off(ERRORS.len());
    Ok((points, mine))
}

fn chart(people: usize, others: &[SweepPoint], mine: &[SweepPoint]) -> Chart {
    let point = |point: &SweepPoint| (point.error_deviation, 100.0 * point.recovery.fraction());
    let all = || others.iter().chain(mine).map(|point| point.error_deviation);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let root = (people as f64).sqrt();
    let mut series = vec![
        Series::new(Mark::Dots, "Pointillist, at this ε in total", mine.iter().map(point).collect()),
        Series::new(Mark::DottedLine, "answers with errors", others.iter().map(point).collect()),
        Series::new(Mark::Reference, "", vec![(low, 50.0), (high, 50.0)]),
        Series::new(Mark::Reference, "", vec![(root, 0.0), (root, 100.0)]),
    ];
    series[0].labels = mine.iter().map(price_words).collect();
    series[2].labels = vec!["50 %: a coin".to_owned()];
    series[3].labels = vec!["√people".to_owned()];
    Chart {
        title: format!("Secrets of {} people recovered, as answers get worse", grouped_count(people as u64)),
        x_name: "standard deviation of an answer's error (people)".to_owned(),
        y_name: "% of secret bits that are right".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Linear,
        series,
    }
}

/// How many people the plot is about.
fn swept_people(outcome: &Outcome) -> usize {
    outcome.people.min(SWEPT_MOST)
}

fn caption(outcome: &Outcome) -> String {
    let people = match swept_people(outcome) {
        people if people < outcome.people => {
            format!(" The plot is about the first {people} people.")
        }
        _ => String::new(),
    };
    format!(
        "The same questions, answered better and worse, and decoded by least squares. While errors are well \
         below the square root of the number of people, nearly everybody is recovered. Our answers stand at \
         the error that their price asks for: at a larger ε there is less noise, and it protects as little \
         as others' errors do.{people}"
    )
}

fn table(others: &[SweepPoint], mine: &[SweepPoint]) -> Block {
    let row = |point: &SweepPoint| {
        let how = match &point.answers {
            Answers::Private(_) => format!("Pointillist, {} in total", price_words(point)),
            Answers::ErrorUpTo(error) => format!("errors up to {}", significant(*error)),
            Answers::Exact => "exact".to_owned(),
        };
        vec![how, significant(point.error_deviation), percent(point.recovery.fraction())]
    };
    Block::Table {
        head: ["answers", "deviation", "recovered"].map(str::to_owned).to_vec(),
        rows: others.iter().chain(mine).map(row).collect(),
    }
}

fn price_words(point: &SweepPoint) -> String {
    match &point.answers {
        Answers::Private(Spend::Pure(epsilon)) => format!("ε = {}", short_upper(epsilon.value())),
        other => other.to_string(),
    }
}
