//! `pointillist attack reconstruct`.

mod page;
mod secret;

use pointillist_attack::limits;
use pointillist_attack::reconstruction::{
    Answers, Method, Norm, Reconstruction, Recovery, SecretOracle, attack,
};
use pointillist_mechanisms::additive_noise::Price;
use serde_json::json;

use super::shown;
use super::through_curator::{self, Siege};
use crate::failure::Failure;
use crate::report_arguments::ReportArguments;
use pointillist_render::decimals::significant;
pub use secret::{Secret, SecretArguments};

/// People whose secret is made up, unless others are asked for, and fewer where every question goes to a ledger.
const PEOPLE: usize = 1024;
const PEOPLE_OF_CURATOR: usize = 256;
/// The linear programme is for few people.
const PROGRAMME_MOST: usize = 300;

/// Who is counted in which question is a bit in memory.
const BITS_MAX: usize = 1 << 31;

/// A secret column and how it is asked about.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist attack reconstruct
  pointillist attack reconstruct --people 4096 --error 16 --epsilon 1 --json
  pointillist attack reconstruct people.csv --column illness --value flu --report reconstruct.html
  pointillist attack reconstruct --curator --budget 1 --epsilon 0.01 --report siege.html

Every question is the number of ones among some of the people; the attack knows who was counted and
computes everybody's bit from the answers. With --curator it asks Pointillist itself, in SQL, as an
analyst with a share, and gets answers until the ledger refuses.")]
pub struct Arguments {
    #[command(flatten)]
    secret: SecretArguments,
    /// Questions a person
    #[arg(long, value_name = "N", default_value_t = 4)]
    questions: usize,
    /// The largest error of the answers that others publish [default: a quarter of the root of the people]
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    error: Option<f64>,
    /// The price of all our answers together; with --curator, of each question [default: 1, or 0.02]
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// Attack Pointillist itself: real SQL and a real ledger, until the budget is spent
    #[arg(long)]
    curator: bool,
    /// What all answers of the curator may cost together
    #[arg(long, value_name = "E", default_value = "1", requires = "curator", allow_hyphen_values = true)]
    budget: String,
    /// The δ of that budget; the ledger then counts ρ in place of ε
    #[arg(long, value_name = "D", requires = "curator", allow_hyphen_values = true)]
    delta: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// What was asked and what the attack made of it.
struct Found {
    secret: Secret,
    questions: usize,
    error: f64,
    price: Price,
    others: Attacked,
    ours: Attacked,
}

/// One attack and how well it went.
pub struct Attacked {
    /// What the attack made of the answers.
    pub result: Reconstruction,
    /// Against the secret.
    pub recovery: Recovery,
}

/// The method for so many people.
pub fn method_for(people: usize) -> Method {
    if people <= PROGRAMME_MOST { Method::LinearProgram(Norm::Sum) } else { Method::LeastSquares }
}

/// Attacks a publisher who answers this way.
pub fn attacked(secret: &[bool], questions: usize, answers: &Answers) -> Result<Attacked, Failure> {
    shown::drawn(|bits| {
        let mut oracle = SecretOracle::new(secret, answers, questions, bits)?;
        let result = attack(secret.len(), questions, method_for(secret.len()), &mut oracle, bits)?;
        let recovery = result.recovery(secret)?;
        Ok(Attacked { result, recovery })
    })
}

/// Asks, decodes, compares.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.report.check()?;
    if arguments.curator {
        return besiege(arguments);
    }
    let price = shown::price(arguments.epsilon.as_deref().unwrap_or("1"))?;
    let secret = arguments.secret.secret(PEOPLE)?;
    let people = secret.bits.len();
    check_size(people, arguments.questions)?;
    let questions = people.saturating_mul(arguments.questions);
    let error = arguments.error(people);
    let progress = shown::working(format!("asking {questions} questions about {people} people, twice"));
    let others = attacked(&secret.bits, questions, &Answers::ErrorUpTo(error))?;
    let ours = attacked(&secret.bits, questions, &Answers::Private(price.clone()))?;
    progress.finish_and_clear();
    let found = Found { secret, questions, error, price, others, ours };
    arguments.report.write(|| page::page(&found))?;
    if arguments.json {
        print_json(&found);
    } else {
        let [others, ours] =
            [&found.others, &found.ours].map(|side| side.result.summary(Some(&side.recovery)));
        shown::side_by_side(&found.without(&others), &found.with(&ours));
    }
    Ok(())
}

/// Refuses what does not fit into memory, in terms of the options.
fn check_size(people: usize, questions_each: usize) -> Result<(), Failure> {
    let bits = people.checked_mul(people).and_then(|pairs| pairs.checked_mul(questions_each));
    if bits.is_some_and(|bits| bits <= BITS_MAX) {
        return Ok(());
    }
    let hint = match (BITS_MAX / questions_each.max(1)).isqrt() {
        0 => "lower --questions; four a person are plenty".to_owned(),
        people => format!("give --people {people} or fewer, or lower --questions"),
    };
    Err(Failure::Request(format!(
        "{people} people with {questions_each} questions each do not fit into memory\nhint: {hint}"
    )))
}

/// The same against a curator.
fn besiege(arguments: &Arguments) -> Result<(), Failure> {
    let secret = arguments.secret.secret(PEOPLE_OF_CURATOR)?;
    let siege = Siege {
        secret: &secret,
        is_made_up: arguments.secret.is_made_up(),
        budget: &arguments.budget,
        delta: arguments.delta.as_deref(),
        epsilon: arguments.epsilon.as_deref().unwrap_or("0.02"),
        questions: arguments.questions,
        error: arguments.error(secret.bits.len()),
    };
    through_curator::run(&siege, arguments.json, &arguments.report)
}

impl Arguments {
    fn error(&self, people: usize) -> f64 {
        self.error.unwrap_or(0.25 * (people as f64).sqrt())
    }
}

impl Found {
    fn without(&self, summary: &str) -> String {
        format!(
            "The secret is {}. Every answer is off by up to {}. {summary}",
            self.secret.meaning,
            significant(self.error)
        )
    }

    fn with(&self, summary: &str) -> String {
        format!(
            "The same questions at {} for all answers together. {summary} At this price no computation \
             guesses a bit that was a fair coin to it in more than {:.1} % of all cases.{}",
            self.price,
            100.0 * limits::right_guess_upper(&self.price),
            self.luck()
        )
    }

    /// Why a share is above the bound, where it is.
    fn luck(&self) -> &'static str {
        let share = self.ours.recovery.fraction();
        if share <= limits::right_guess_upper(&self.price) {
            ""
        } else if share <= self.ours.recovery.fraction_blindly() {
            " More are right here because one bit is so common that guessing it blindly gets as far."
        } else {
            " More are right here by the luck of one run, or because one bit is more common."
        }
    }
}

fn print_json(found: &Found) {
    let side = |side: &Attacked| {
        json!({
            "method": side.result.method.to_string(),
            "questions": side.result.planned,
            "answered": side.result.answered,
            "recovered": side.recovery.fraction(),
            "right": side.recovery.right,
            "wrong": side.recovery.wrong(),
        })
    };
    shown::json([
        ("attack", json!("reconstruct")),
        ("secret", found.secret.origin.clone()),
        ("people", json!(found.secret.bits.len())),
        ("questions", json!(found.questions)),
        ("error", json!(found.error)),
        ("epsilon", shown::epsilon_json(&found.price)),
        ("recovered", json!(found.others.recovery.fraction())),
        ("recovered_private", json!(found.ours.recovery.fraction())),
        ("recovered_blindly", json!(found.others.recovery.fraction_blindly())),
        ("right_upper", json!(limits::right_guess_upper(&found.price))),
        ("without", side(&found.others)),
        ("with", side(&found.ours)),
    ]);
}
