//! The siege in words, in JSON and on a page.

use serde_json::{Value, json};

use super::Story;
use crate::answer::money::amount_upper;
use crate::commands::attack::output::paragraph;
use crate::ink::Ink;
use crate::table::{Side, Table, Tone as CellTone};
use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{grouped_count, percent};
use pointillist_render::page::{Block, Page, Tone};
use pointillist_render::text::wrapped;

/// Columns that sentences are wrapped to.
const WIDTH: usize = 92;
const HEAD: [&str; 6] = ["attack", "price each", "answered", "refused", "spent", "bits known"];

impl Story {
    /// Words for people.
    pub(super) fn tell(&self) {
        let ink = Ink::for_stdout();
        for line in wrapped(&self.opening(), WIDTH) {
            println!("{line}");
        }
        println!();
        println!("{}", ink.alarm("publishers without a budget"));
        draw(&["answers", "answered", "bits known"], &self.careless_rows(), ink);
        println!();
        println!("{}", ink.accent("Pointillist, asked in SQL by an analyst"));
        draw(&HEAD, &self.campaign_rows(), ink);
        println!();
        paragraph(&ink.strong("the door"), &self.door());
        println!();
        paragraph(&ink.strong("the bound"), &self.theorem());
    }

    /// One object for scripts.
    pub(super) fn json(&self) -> Value {
        let careless: Vec<Value> = self
            .careless
            .iter()
            .map(|careless| {
                json!({
                    "answers": careless.name,
                    "answered": careless.answered,
                    "recovered": careless.recovery.fraction(),
                })
            })
            .collect();
        let campaigns: Vec<Value> = self
            .campaigns
            .iter()
            .map(|campaign| {
                json!({
                    "strategy": campaign.name,
                    "price": campaign.price.loss().to_string(),
                    "answered": campaign.answered,
                    "refused": campaign.refused,
                    "granted": campaign.balance.granted.loss().to_string(),
                    "spent": campaign.balance.spent.loss().to_string(),
                    "recovered": campaign.recovery.fraction(),
                    "refusal": campaign.refusal,
                })
            })
            .collect();
        let symbol = self.campaigns.first().map(|main| main.balance.currency.symbol());
        json!({
            "attack": "reconstruct",
            "curator": true,
            "settings": self.asked,
            "secret": self.origin,
            "people": self.people,
            "recovered_blindly": self.blindly,
            "careless": careless,
            "counted_in": symbol.map(String::from),
            "campaigns": campaigns,
            "closed": {
                "repeated_for_free": self.afterwards.repeated,
                "recognised_for_free": self.afterwards.recognised,
                "reworded_refused": self.afterwards.refused,
                "accomplice": self.afterwards.accomplice,
            },
            "bound_counting": self.bounds[0],
            "bound_any": self.bounds[1],
        })
    }

    /// A page.
    pub(super) fn report(&self) -> Page {
        let main = &self.campaigns[0];
        let lead = format!(
            "Publishers without a budget gave away {} and {} of the secret bits. Pointillist closed its door after {} \
             answers, with {} known.",
            percent(self.careless[0].recovery.fraction()),
            percent(self.careless[1].recovery.fraction()),
            grouped_count(main.answered as u64),
            percent(main.recovery.fraction()),
        );
        let table = |head: &[&str], rows| Block::Table {
            head: head.iter().map(|name| (*name).to_owned()).collect(),
            rows,
        };
        Page::new("A reconstruction attack on Pointillist, through its own front door", lead)
            .section(
                "Everybody's bit from counts",
                vec![
                    Block::text(self.opening()),
                    Block::figure(
                        &self.chart(),
                        "Every point is the attack on the answers so far. At the dashed line the ledger refused the next \
                         question: there are no more answers, and the attacker knows what they knew.",
                    ),
                    table(&["answers", "answered", "bits known"], self.careless_rows()),
                ],
            )
            .section(
                "Other ways to spend the same budget",
                vec![table(&HEAD, self.campaign_rows()), Block::verdict(Tone::Calm, self.theorem())],
            )
            .section("At the closed door", vec![Block::text(self.door())])
    }

    fn opening(&self) -> String {
        format!(
            "{} people have a secret bit: {}. Giving everybody the more common one is right for {}.",
            grouped_count(self.people as u64),
            self.meaning,
            percent(self.blindly)
        )
    }

    fn careless_rows(&self) -> Vec<Vec<String>> {
        let row = |careless: &super::Careless| {
            vec![
                careless.name.clone(),
                grouped_count(careless.answered as u64),
                percent(careless.recovery.fraction()),
            ]
        };
        self.careless.iter().map(row).collect()
    }

    fn campaign_rows(&self) -> Vec<Vec<String>> {
        let row = |campaign: &super::Campaign| {
            let currency = campaign.balance.currency;
            vec![
                campaign.name.to_owned(),
                amount_upper(currency, campaign.price),
                grouped_count(campaign.answered as u64),
                grouped_count(campaign.refused as u64),
                amount_upper(currency, campaign.balance.spent),
                percent(campaign.recovery.fraction()),
            ]
        };
        self.campaigns.iter().map(row).collect()
    }

    fn door(&self) -> String {
        let (main, after) = (&self.campaigns[0], &self.afterwards);
        let first_line = |words: &str| words.lines().next().unwrap_or_default().to_owned();
        format!(
            "After {} answers the curator said: “{}.” The first question, asked {} times again, got its recorded answer \
             each time, for nothing. Put in {} other ways, it was recognised {} times and got the same answer; {} times \
             it was a new question, and refused. An accomplice with a share of their own heard: “{}.”",
            grouped_count(main.answered as u64),
            first_line(&main.refusal),
            after.repeated,
            after.recognised + after.refused,
            after.recognised,
            after.refused,
            first_line(&after.accomplice),
        )
    }

    fn theorem(&self) -> String {
        let balance = &self.campaigns[0].balance;
        let share = |campaign: &super::Campaign| campaign.recovery.fraction();
        let best = self.campaigns.iter().max_by(|a, b| share(a).total_cmp(&share(b)));
        format!(
            "For {} in all, whatever is asked, a bit is guessed right with probability at most {} by who \
             counts the people that have it, and at most {} by anyone. Here “{}” got furthest, with {}; \
             luck with so many people easily moves that by {:.0} points.",
            amount_upper(balance.currency, balance.granted),
            percent(self.bounds[0]),
            percent(self.bounds[1]),
            best.map_or("", |best| best.name),
            percent(best.map_or(0.0, share)),
            // Two standard deviations of the share of heads.
            100.0 / (self.people as f64).sqrt(),
        )
    }

    fn chart(&self) -> Chart {
        let points = |curve: &[(usize, f64)]| -> Vec<(f64, f64)> {
            curve.iter().map(|(answers, share)| (*answers as f64, 100.0 * share)).collect()
        };
        let mut series: Vec<Series> = self
            .careless
            .iter()
            .map(|careless| Series::new(Mark::Line, careless.name.clone(), points(&careless.curve)))
            .collect();
        let closed = self.campaigns[0].answered as f64;
        let farthest = self.careless.iter().map(|careless| careless.answered as f64).fold(closed, f64::max);
        let mut ours = points(&self.curve);
        // Behind the door the attacker knows what they knew.
        ours.extend(ours.last().map(|(_, share)| (farthest, *share)));
        series.push(Series::new(Mark::Line, "Pointillist", ours));
        series.push(Series::new(Mark::Reference, "its door closes", vec![(closed, 0.0), (closed, 100.0)]));
        let bound = 100.0 * self.bounds[1];
        series.push(Series::new(
            Mark::Line,
            "what any attack on its budget gets, at most",
            vec![(0.0, bound), (farthest, bound)],
        ));
        Chart {
            title: "Bits of the secret that the attacker has".to_owned(),
            x_name: "questions answered".to_owned(),
            y_name: "bits guessed right, in percent".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            series,
        }
    }
}

/// A table whose first column are words and whose others are numbers.
fn draw(head: &[&str], rows: &[Vec<String>], ink: Ink) {
    let mut table = Table::new();
    for (index, name) in head.iter().enumerate() {
        let side = if index == 0 { Side::Left } else { Side::Right };
        let tone = if index + 1 == head.len() { CellTone::Accent } else { CellTone::Plain };
        table.filled_column(*name, side, tone, rows.iter().map(|row| row[index].clone().into()));
    }
    for line in table.lines("  ", ink) {
        println!("{line}");
    }
}
