//! What a release cost: what the ledger took, what that means, and what it would have been otherwise.

use pointillist_privacy::{EpsilonDelta, Price};
use pointillist_render::decimals::{glance_upper, grouped_count, short_upper, significant};
use pointillist_render::page::Block;

use crate::{Accounting, ReleaseFacts};

const ACCOUNTS: &str = "Privacy is paid for from a budget that the owner of the data has declared once and for all. The \
    ledger takes the price before anything is read, and never gives it back. The same release can be accounted for in \
    several ways; all of them are true, and the smallest says most.";
const TOGETHER: &str = "Tables that count the same rows were measured together: what one of them says is used in the others. Had every \
    measurement been paid for on its own under the ledger's rule, this would have been the sum.";

pub(super) fn blocks(facts: &ReleaseFacts) -> Vec<Block> {
    let accounting = &facts.accounting;
    let mut rows = vec![("taken by the ledger", price(&accounting.charged))];
    rows.extend(
        accounting.tight.as_ref().map(|tight| ("that is, by the tight account", epsilon_delta(tight))),
    );
    rows.extend(
        accounting.by_filter.as_ref().map(|rule| ("that is, by the ledger's rule", epsilon_delta(rule))),
    );
    rows.push(("sum of the parts", price(&accounting.sum_of_parts)));
    let mut blocks = vec![Block::text(ACCOUNTS), Block::facts(rows), Block::text(TOGETHER), measured(facts)];
    blocks.extend(groups(accounting));
    blocks.extend(event_level(accounting));
    blocks.extend(earlier(facts));
    blocks
}

fn price(price: &Price) -> String {
    let amount = price.amount();
    let loss = format!("{} = {}", price.currency().symbol(), short_upper(&amount.loss()));
    if amount.delta_units == 0 { loss } else { format!("{loss} and δ = {}", short_upper(&amount.delta())) }
}

fn epsilon_delta(said: &EpsilonDelta) -> String {
    let epsilon = short_upper(said.epsilon.value());
    if said.delta.is_zero() {
        format!("ε = {epsilon}")
    } else {
        format!("ε = {epsilon} at δ = {}", short_upper(said.delta.value()))
    }
}

fn measured(facts: &ReleaseFacts) -> Block {
    let head = ["measured", "noise", "scale", "one person moves it by", "price"].map(str::to_owned).to_vec();
    let rows = facts.measured.iter().map(|line| {
        let (law, scale) = (line.mechanism.replace('_', " "), line.scale.clone());
        vec![line.what.clone(), law, scale, line.sensitivity.clone(), line.price.clone()]
    });
    Block::Table { head, rows: rows.collect() }
}

fn groups(accounting: &Accounting) -> Vec<Block> {
    if accounting.groups.is_empty() {
        return Vec::new();
    }
    let rows = accounting.groups.iter().map(|group| {
        let up = |value: f64| {
            pointillist_numbers::Rational::from_f64(value)
                .map_or_else(|_| value.to_string(), |exact| glance_upper(&exact))
        };
        vec![
            grouped_count(group.size),
            up(group.epsilon),
            if group.delta > 0.0 { up(group.delta) } else { "0".to_owned() },
        ]
    });
    let head = ["people", "ε for all of them together", "at δ"].map(str::to_owned).to_vec();
    vec![
        Block::text(
            "A group of people, such as a household, is protected less than one person: if all of them were left out, \
             the answers could change by this much.",
        ),
        Block::Table { head, rows: rows.collect() },
    ]
}

fn event_level(accounting: &Accounting) -> Option<Block> {
    let factor = accounting.event_level_factor?;
    Some(Block::text(format!(
        "The promise is about people, with everything that they contributed. Had only single rows been protected, so that \
         a person with many rows could be found by all of them together, {} times less noise would have been enough. That \
         weaker promise was not made.",
        significant(factor)
    )))
}

fn earlier(facts: &ReleaseFacts) -> Vec<Block> {
    if facts.earlier.is_empty() {
        return vec![Block::text("This plan was not released before.")];
    }
    let rows = facts.earlier.iter().map(|release| {
        vec![
            release.released_on.clone(),
            release.seq.to_string(),
            price(&release.charged),
            price(&release.together),
        ]
    });
    let head = ["released before", "record", "cost", "together with this one"].map(str::to_owned).to_vec();
    vec![
        Block::text(
            "The same plan was released before. Whoever has both learns from both, so what they cost adds up; the last \
             column is what was lost since then, this release included.",
        ),
        Block::Table { head, rows: rows.collect() },
    ]
}
