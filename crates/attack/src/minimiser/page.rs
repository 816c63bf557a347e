//! The report of a model: what the exact minimiser tells of one row, and what ours leaves to guess.

use pointillist_privacy::Spend;
use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent};
use pointillist_render::page::{Block, Page, Tone};

use super::{Guesses, Outcome};
use crate::Comparison;

/// What models tell, as a page.
pub(super) fn page(outcome: &Outcome) -> Page {
    let named = outcome.named();
    let lead = format!(
        "A model of {} people, released exactly, gives away a whole row of its training data; at {} a guess of the label from \
         the same knowledge is right {} of the time.",
        grouped_count(outcome.people as u64),
        named.price,
        percent(named.label_right)
    );
    let done = "A logistic regression with a penalty is trained on everybody, and its coefficients are published. The attacker knows \
                every row but one. At the minimum the gradient is zero: what the penalty and the known rows add up to is the \
                unknown row, times a number between zero and one. The intercept is a feature that everybody has, so \
                that number is known too, and dividing by it gives features and label. There is nothing to search and \
                nothing to guess.";
    let why = format!(
        "Our trainer minimises the same loss with a random slope added. What the known rows leave is then the person and the \
         slope, and the slope is drawn so that every model is nearly as likely with the person as without: at most e^ε times. \
         The person may be one of many or the only one; the attacker may know everything else.\n\nWhether the person is there at all \
         is the question that the promise is about. Another label takes two steps, one person out and one in, and so its bound \
         is higher: {} against {}.",
        percent(named.label_upper),
        percent(named.presence_upper)
    );
    Page::new("A model and the last person in it", lead)
        .section("What was done", vec![Block::text(done)])
        .section(
            "What was learnt",
            vec![
                Block::side_by_side(outcome.without(), outcome.with()),
                Block::figure(
                    &chart(outcome),
                    "How often guesses from our models are right, against the price; dashed, what no guess can pass. From the \
                     exact model both are always right.",
                ),
            ],
        )
        .section(
            "Why the private model resists",
            vec![
                Block::text(why),
                table(&outcome.points),
                Block::verdict(
                    Tone::Plain,
                    "An average over many people is not anonymous because it is an average. Noise at a price makes it so.",
                ),
            ],
        )
}

fn number(price: &Spend) -> f64 {
    match price {
        Spend::Pure(epsilon) => epsilon.value().to_f64_nearest(),
        Spend::Concentrated(rho) => rho.value().to_f64_nearest(),
    }
}

fn chart(outcome: &Outcome) -> Chart {
    let line = |share: &dyn Fn(&Guesses) -> f64| -> Vec<(f64, f64)> {
        outcome.points.iter().map(|point| (number(&point.price), share(point))).collect()
    };
    let series = vec![
        Series::new(Mark::DottedLine, "label", line(&|point| point.label_right)),
        Series::new(Mark::DottedLine, "presence", line(&|point| point.presence_right)),
        Series::new(Mark::Reference, "label, at most", line(&|point| point.label_upper)),
        Series::new(Mark::Reference, "presence, at most", line(&|point| point.presence_upper)),
    ];
    Chart {
        title: "Right guesses about the last person".to_owned(),
        x_name: match outcome.named().price {
            Spend::Pure(_) => "price of the model, ε".to_owned(),
            Spend::Concentrated(_) => "price of the model, ρ".to_owned(),
        },
        y_name: "share of right guesses".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Linear,
        series,
    }
}

fn table(points: &[Guesses]) -> Block {
    let row = |point: &Guesses| {
        let shares = [point.label_right, point.label_upper, point.presence_right, point.presence_upper];
        std::iter::once(point.price.to_string()).chain(shares.map(percent)).collect()
    };
    let head = ["price", "label right", "at most", "presence right", "at most"];
    Block::Table { head: head.map(str::to_owned).to_vec(), rows: points.iter().map(row).collect() }
}
