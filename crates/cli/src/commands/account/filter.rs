//! `pointillist account filter`: how many more questions of a price fit into a budget.

use pointillist_privacy::conversion::{pure_rho_upper, zcdp_rho_lower};
use pointillist_privacy::filter::{AdvancedFilter, BasicFilter, BudgetFilter, Filter, PureFilter};
use pointillist_privacy::{Budget, Currency, Delta, Epsilon, EpsilonDelta, Guarantee, Loss, Price, Rho};
use serde_json::{Value, json};

use super::answer::{Answer, exact, refuse, short_lower};
use crate::failure::Failure;

/// The sentence that every reader of a tight accountant needs here.
const WHY_NOT_TIGHT: &str = "\
A tight accountant (`account compose`) may not decide here: its theorem fixes all losses in advance, and whoever
chooses the next question in the light of the last answer could then spend more than the budget.";

/// A budget and the price of a question.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account filter --budget-epsilon 1 --budget-delta 1e-6 --epsilon 0.01
  pointillist account filter --budget-epsilon 1 --budget-delta 1e-6 --rho 0.001 --asked 10
  pointillist account filter --budget-rho 0.5 --budget-delta 1e-9 --epsilon 0.1 --delta 1e-12

Filters hold even when every question, and its price, is chosen in the light of all answers before it. Where a
question has a δ of its own, half of an (ε, δ) budget's δ pays for those and half for the filter.")]
pub struct Arguments {
    /// The budget's ε
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    budget_epsilon: Option<Epsilon>,
    /// The budget's δ; none means 0
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    budget_delta: Option<Delta>,
    /// The budget's ρ, in place of ε
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    budget_rho: Option<Rho>,
    /// The ε of one question
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<Epsilon>,
    /// The δ of one question; none means 0
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<Delta>,
    /// The ρ of one question, in place of ε
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<Rho>,
    /// How many questions of this price were asked already
    #[arg(long, value_name = "N", default_value_t = 0)]
    asked: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How many questions one filter admits in all.
struct Count {
    name: &'static str,
    rule: String,
    admits: u64,
}

/// Prints how many more questions fit.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let question = QuestionLoss::of(arguments)?;
    let budget_delta = arguments.budget_delta.clone().unwrap_or_else(Delta::zero);
    let (budget, counts, json_budget) = match (&arguments.budget_epsilon, &arguments.budget_rho) {
        (Some(epsilon), None) => (
            format!("(ε = {}, δ = {})", exact(epsilon.value()), exact(budget_delta.value())),
            within_epsilon(epsilon, &budget_delta, &question)?,
            json!({ "epsilon": exact(epsilon.value()), "delta": exact(budget_delta.value()) }),
        ),
        (None, Some(rho)) => (
            format!("(ρ = {}, δ = {})", exact(rho.value()), exact(budget_delta.value())),
            vec![zcdp(
                &BudgetFilter::new(Budget::zcdp(rho, &budget_delta)),
                &question,
                "Σρ and Σδ within the budget".into(),
            )?],
            json!({ "rho": exact(rho.value()), "delta": exact(budget_delta.value()) }),
        ),
        (Some(_), Some(_)) => return Err(refuse("the budget has both an ε and a ρ", "give one of the two")),
        (None, None) => {
            return Err(refuse(
                "there is no budget",
                "give --budget-epsilon, with --budget-delta where there is one, or --budget-rho",
            ));
        }
    };
    let most = counts.iter().map(|count| count.admits).max().unwrap_or(0);
    // Among equals the first is the simplest.
    let best = counts.iter().position(|count| count.admits == most);
    let asked = arguments.asked;
    let more: Vec<String> = counts.iter().map(|count| more_in_words(count.admits, asked)).collect();
    let width = more.iter().map(String::len).max().unwrap_or(0);
    let rows = counts.iter().zip(more).enumerate().map(|(index, (count, more))| {
        let mark = if Some(index) == best { "  ← most" } else { "" };
        [format!("{more:>width$} more   {}", count.name), format!("{}{mark}", count.rule)]
    });
    let filters: Vec<Value> = counts
        .iter()
        .map(|count| {
            json!({
                "filter": count.name.replace(' ', "_").to_lowercase(),
                "admits": count.admits,
                "how_many_more": count.admits.saturating_sub(asked),
            })
        })
        .collect();
    let answer = Answer {
        heading: format!(
            "Questions of {} within a budget of {budget}, {asked} asked already:",
            question.words
        ),
        rows: rows.collect(),
        note: WHY_NOT_TIGHT.into(),
        json: json!({
            "budget": json_budget,
            "price": question.json,
            "asked": asked,
            "filters": filters,
            "best": best.map(|index| counts[index].name.replace(' ', "_").to_lowercase()),
        }),
    };
    answer.print(arguments.json)
}

/// A count that has reached the largest one stands for that many or more.
fn more_in_words(admits: u64, asked: u64) -> String {
    match (admits, admits.checked_sub(asked)) {
        (u64::MAX, _) => "over 10^19".to_owned(),
        (_, Some(more)) => more.to_string(),
        (_, None) => "no".to_owned(),
    }
}

/// What one question loses, in the words of every filter.
struct QuestionLoss {
    /// In ε and δ, where it is known in these.
    epsilon_delta: Option<EpsilonDelta>,
    loss: Loss,
    has_delta: bool,
    words: String,
    json: Value,
}

impl QuestionLoss {
    fn of(arguments: &Arguments) -> Result<Self, Failure> {
        let delta = arguments.delta.clone().unwrap_or_else(Delta::zero);
        let has_delta = !delta.is_zero();
        let delta_text = exact(delta.value());
        match (&arguments.epsilon, &arguments.rho) {
            (Some(epsilon), None) => {
                let text = exact(epsilon.value());
                let loss = Loss::approximate(epsilon.clone(), delta.clone());
                let loss = match pure_rho_upper(epsilon) {
                    Ok(rho) if !has_delta => loss.and(Guarantee::ZeroConcentrated { rho }),
                    _ => loss,
                };
                Ok(Self {
                    epsilon_delta: Some(EpsilonDelta { epsilon: epsilon.clone(), delta }),
                    loss,
                    has_delta,
                    words: format!("(ε = {text}, δ = {delta_text})"),
                    json: json!({ "epsilon": text, "delta": delta_text }),
                })
            }
            (None, Some(rho)) => {
                let text = exact(rho.value());
                Ok(Self {
                    epsilon_delta: None,
                    loss: Loss::approximate_zcdp(rho.clone(), delta),
                    has_delta,
                    words: format!("(ρ = {text}, δ = {delta_text})"),
                    json: json!({ "rho": text, "delta": delta_text }),
                })
            }
            (Some(_), Some(_)) => Err(refuse("the question has both an ε and a ρ", "give one of the two")),
            (None, None) => Err(refuse(
                "the question has no price",
                "give --epsilon, with --delta where there is one, or --rho",
            )),
        }
    }
}

/// Every filter that keeps an (ε, δ) budget for questions of this price.
fn within_epsilon(epsilon: &Epsilon, delta: &Delta, question: &QuestionLoss) -> Result<Vec<Count>, Failure> {
    // The δ of the questions is paid from the same budget as the slack of the filter.
    let (slack, failures) = if question.has_delta && !delta.is_zero() {
        let half = delta.divided_by(2).map_err(Failure::request)?;
        (half.clone(), half)
    } else {
        (delta.clone(), Delta::zero())
    };
    let mut counts = Vec::new();
    if let Some(cost) = &question.epsilon_delta {
        let filter = BasicFilter::new(epsilon.clone(), delta.clone());
        let rule = "Σε and Σδ within the budget".to_owned();
        counts.push(Count { name: "basic", rule, admits: filter.how_many_more(cost) });
        if !delta.is_zero() {
            let filter = AdvancedFilter::new(epsilon.clone(), &slack, &failures).map_err(Failure::request)?;
            let rule = "√(2·ln(1/δ)·Σε²) + ½·Σε² within ε".to_owned();
            counts.push(Count { name: "advanced", rule, admits: filter.how_many_more(cost) });
        }
        if !delta.is_zero() && !question.has_delta {
            let filter = PureFilter::new(epsilon.clone(), delta.clone()).map_err(Failure::request)?;
            let rule = "whichever of the two still holds; pure questions only".to_owned();
            let admits = filter.how_many_more(&cost.epsilon);
            counts.push(Count { name: "basic or advanced", rule, admits });
        }
    }
    if !delta.is_zero() {
        let filter = BudgetFilter::within(epsilon, &slack, &failures).map_err(Failure::request)?;
        let rho = zcdp_rho_lower(epsilon, &slack).map_err(Failure::request)?;
        let rule = format!("Σρ within {}, what the ledger enforces", short_lower(rho.value()));
        counts.push(zcdp(&filter, question, rule)?);
    }
    if counts.is_empty() {
        return Err(refuse(
            "no filter counts ρ against a budget of pure ε",
            "give the budget a δ, such as --budget-delta 1e-9, or price the question with --epsilon",
        ));
    }
    Ok(counts)
}

fn zcdp(filter: &BudgetFilter, question: &QuestionLoss, rule: String) -> Result<Count, Failure> {
    let cost = Price::of_loss(Currency::Zcdp, &question.loss).ok_or_else(|| {
        refuse("the price is too large to be counted as ρ", "give the question a smaller ε, such as 0.1")
    })?;
    Ok(Count { name: "approximate zCDP", rule, admits: filter.how_many_more(&cost) })
}
