//! The demo as people read it: question, answer beside the truth, price; a refusal; an attack; the budget.

use std::io::Write;
use std::path::Path;

use pointillist_catalog::Value;
use pointillist_curator::words::{amount_lower, amount_upper, part_spent};
use pointillist_curator::{Answer, Reply};
use pointillist_demo::{Demonstration, Differencing, FORBIDDEN, QUESTIONS, Question, RARE, Truths};
use pointillist_errors::Explained;
use pointillist_ledger::Balance;
use pointillist_privacy::Amount;

use crate::commands::budget;
use crate::failure::Failure;
use crate::table::{Cell, Side, Table, Tone};
use pointillist_render::decimals::{glance_upper, grouped, grouped_count};
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text::wrapped;
use pointillist_render::text_bar::bar;

/// The last line: the way to the console.
const CONSOLE: &str = "In a browser: run `pointillist serve --demo`, open http://127.0.0.1:8433 and sign in with a name and a password that it prints.";

/// Columns of the story.
const WIDTH: usize = 88;
/// A demonstration in a folder, to be told.
pub struct Story<'a> {
    /// Where everything is.
    pub folder: &'a Path,
    /// The questions, their answers and the attack.
    pub demo: &'a Demonstration,
}

impl Story<'_> {
    /// Tells the story.
    pub fn tell(&self, out: &mut impl Write, style: TerminalStyle) -> Result<(), Failure> {
        let mut teller = Teller { out, style };
        self.opening(&mut teller)?;
        for (index, (question, reply)) in QUESTIONS.iter().zip(&self.demo.replies).enumerate() {
            self.question(&mut teller, index, question, reply)?;
        }
        self.refused(&mut teller)?;
        self.attacked(&mut teller)?;
        self.ending(&mut teller)
    }

    fn opening(&self, teller: &mut Teller<'_, impl Write>) -> Result<(), Failure> {
        let [patients, visits, prescriptions, hospitals] =
            self.demo.hospital.sizes().map(|(name, rows)| format!("{} {name}", grouped_count(rows as u64)));
        let folder = self.folder.display();
        teller.line(&teller.style.strong("Pointillist: see the picture, never the dot"))?;
        teller.blank()?;
        teller.words(&format!(
            "{folder} holds a made-up hospital: {patients}, {visits}, {prescriptions}, {hospitals}. \
             Its owner lets analysts ask until everything ever answered amounts to ε = 4 at δ = 1e-9 for any one \
             patient. You look over Ana's shoulder. Because nobody in this hospital is real, we can show you \
             the truth beside every answer; Ana never sees it. Error bars (± and intervals) hold with 95 %."
        ))
    }

    fn question(
        &self,
        teller: &mut Teller<'_, impl Write>,
        index: usize,
        question: &Question,
        reply: &Reply,
    ) -> Result<(), Failure> {
        teller.heading(&format!("{}  {}", index + 1, question.title))?;
        teller.code(&format!("{}\n{}", question.sql, question.flags()))?;
        let truths = Truths::of(question, &self.demo.hospital, &reply.answer);
        teller.table(&truth_table(&truths, &reply.answer, question.bars))?;
        teller.words(&format!("{} {}", question.lesson, truths.words()))?;
        teller.money(reply)?;
        if index == 0 {
            let [again, other] = &self.demo.repeats;
            teller.line("")?;
            teller.words(&format!(
                "Asked again, it is {}: the same answer, {}. Asking often does not wash the noise out. When Ben asks \
                 the same, he gets it too: {}.",
                only_number(&again.answer),
                "for free",
                if other.answer == reply.answer {
                    "his own share pays, and the patients lose nothing more"
                } else {
                    "his own share pays"
                },
            ))?;
        }
        Ok(())
    }

    fn refused(&self, teller: &mut Teller<'_, impl Write>) -> Result<(), Failure> {
        teller.heading("6  And what about Ada Byron?")?;
        let style = teller.style;
        for (sql, refusal) in FORBIDDEN.iter().zip(&self.demo.refusals) {
            teller.code(sql)?;
            for (index, line) in refusal.explanation().text().lines().enumerate() {
                let mark = if index == 0 { "✗ " } else { "  " };
                for (index, line) in wrapped(line, WIDTH - 7).iter().enumerate() {
                    let mark = if index == 0 { mark } else { "  " };
                    teller.line(&format!("     {}", style.alarm(&format!("{mark}{line}"))))?;
                }
            }
            teller.blank()?;
        }
        teller.words("Both were refused before anything was read or paid: what cannot be proven private gets no answer, \
                      and what the owner did not declare does not exist.")
    }

    fn attacked(&self, teller: &mut Teller<'_, impl Write>) -> Result<(), Failure> {
        teller.heading("7  The attack of the lectures: the same number twice, once without one person")?;
        teller.words(&format!(
            "Ada is 101, and nobody else is over a hundred. Who counts the patients with {RARE} once with and once \
             without the 101-year-olds learns whether Ada is one of them. The true numbers are 71 and 70: without \
             noise, one subtraction tells. With Pointillist the attacker sees this, each attempt worded anew for \
             fresh noise:"
        ))?;
        teller.blank()?;
        let [with, without] = Differencing::questions(0);
        teller.code(&format!("{with}\n--epsilon {}", Differencing::EPSILON))?;
        teller.code(&format!("… AND {}", without.rsplit(" AND ").next().unwrap_or_default()))?;
        teller.table(&self.attack_table())?;
        let right = self.demo.attack.right_guesses();
        let attempts = self.demo.attack.attempts.len();
        let here = Differencing::best_guess_upper(self.demo.attack.cost);
        let everything =
            self.scope_balance().and_then(|balance| balance.granted).map(Differencing::best_guess_upper);
        teller.words(&format!(
            "{right} of {attempts} guesses were right; tossing a coin, half of them would be. Luck aside, there is a \
             theorem: all these answers together cost {}, and whoever starts at even odds and makes the best of them \
             is right with probability at most {} (½ + ½·√(ρ/2)). Even when the whole budget is spent, by all \
             analysts together, whether her record is there at all is guessed right with at most {}.",
            amount_upper(pointillist_privacy::Currency::Zcdp, self.demo.attack.cost),
            percent_upper(here),
            percent_upper(everything.unwrap_or(1.0)),
        ))
    }

    fn ending(&self, teller: &mut Teller<'_, impl Write>) -> Result<(), Failure> {
        teller.heading("What is left")?;
        for line in budget::lines(&self.demo.curator.balances()?, teller.style) {
            teller.line(&format!("   {line}"))?;
        }
        teller.heading("Your turn")?;
        for command in self.next_commands() {
            teller.line(&format!("   {command}"))?;
        }
        teller.blank()?;
        teller.words(CONSOLE)
    }

    /// What to try next, ready to be pasted.
    pub fn next_commands(&self) -> Vec<String> {
        let folder = quoted(&self.folder.display().to_string());
        vec![
            format!("cd {folder}"),
            "pointillist explain \"SELECT sex, avg(systolic) FROM patients GROUP BY sex\" --epsilon 0.5".to_owned(),
            "pointillist query   \"SELECT sex, avg(systolic) FROM patients GROUP BY sex\" --epsilon 0.5 --as ana".to_owned(),
            "pointillist query   \"SELECT count(*) FROM visits WHERE cost > 2000\" --error 400 --json".to_owned(),
            "pointillist rehearse \"SELECT ward, sum(cost) FROM visits GROUP BY ward\"".to_owned(),
            "pointillist budget history".to_owned(),
            "pointillist check".to_owned(),
        ]
    }

    /// What the patients' budget holds.
    pub fn scope_balance(&self) -> Option<Balance> {
        self.demo.curator.ledger().balance("patients").ok().flatten()
    }

    fn attack_table(&self) -> Table {
        let mut table = Table::new();
        let attempts = &self.demo.attack.attempts;
        let error = format!(" ± {}", grouped(&format!("{:.0}", self.demo.attack.error_95.ceil())));
        let number = |value: i64| Cell::with_faint(grouped(&value.to_string()), error.clone());
        table.filled_column(
            "attempt",
            Side::Right,
            Tone::Plain,
            (1..=attempts.len()).map(|n| Cell::from(n.to_string())),
        );
        table.filled_column(
            "with",
            Side::Right,
            Tone::Plain,
            attempts.iter().map(|attempt| number(attempt.with)),
        );
        table.filled_column(
            "without",
            Side::Right,
            Tone::Plain,
            attempts.iter().map(|attempt| number(attempt.without)),
        );
        let differences = attempts.iter().map(|attempt| Cell::from(format!("{:+}", attempt.difference())));
        table.filled_column("difference", Side::Right, Tone::Plain, differences);
        let guesses = attempts.iter().map(|attempt| match attempt.says_she_is_there() {
            true => Cell::from("she is one of them"),
            false => Cell::from("she is not"),
        });
        table.filled_column("best guess", Side::Left, Tone::Plain, guesses);
        let verdicts = attempts
            .iter()
            .map(|attempt| Cell::from(if attempt.says_she_is_there() { "right" } else { "wrong" }));
        table.filled_column("which is", Side::Left, Tone::Accent, verdicts);
        table
    }
}

/// An answer with the truth beside it.
fn truth_table(truths: &Truths, answer: &Answer, bars: bool) -> Table {
    let mut table = answer.table();
    let last = answer.columns.len().saturating_sub(1);
    let digits = answer.digits(last);
    let text =
        |value: &Option<f64>| value.and_then(Value::number).and_then(|value| digits.value(Some(&value)));
    let cells = truths
        .of_rows
        .iter()
        .map(|value| Cell::from(text(value).map_or_else(String::new, |text| grouped(&text))));
    table.filled_column("truth", Side::Right, Tone::Accent, cells);
    if bars {
        let number = |row: &pointillist_curator::Row| match &row.values[last] {
            Some(Value::Integer(value)) => *value as f64,
            Some(Value::Number(value)) => *value,
            _ => 0.0,
        };
        let most = answer.rows.iter().map(number).fold(1.0, f64::max);
        let drawn = |row| bar(number(row).max(0.0) / most, 24).trim_end_matches('░').to_owned();
        table.filled_column(
            "",
            Side::Left,
            Tone::Plain,
            answer.rows.iter().map(|row| Cell::from(drawn(row))),
        );
    }
    table
}

/// The number of an answer that has one.
fn only_number(answer: &Answer) -> String {
    let value = answer.rows.first().and_then(|row| answer.digits(0).value(row.values[0].as_ref()));
    grouped(&value.unwrap_or_default())
}

/// One place behind the point, rounded up.
fn percent_upper(probability: f64) -> String {
    format!("{:.1} %", ((probability * 1000.0).ceil() / 10.0).min(100.0))
}

/// A path for a shell.
fn quoted(path: &str) -> String {
    let plain = |sign: char| sign.is_alphanumeric() || "/._-~".contains(sign);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// Lines with one margin.
struct Teller<'a, W: Write> {
    out: &'a mut W,
    style: TerminalStyle,
}

impl<W: Write> Teller<'_, W> {
    fn line(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{text}")?)
    }

    fn blank(&mut self) -> Result<(), Failure> {
        self.line("")
    }

    fn heading(&mut self, text: &str) -> Result<(), Failure> {
        self.blank()?;
        self.blank()?;
        let rule = "─".repeat(WIDTH.saturating_sub(text.chars().count() + 1));
        self.line(&format!("{} {}", self.style.strong(text), self.style.faint(&rule)))?;
        self.blank()
    }

    fn words(&mut self, text: &str) -> Result<(), Failure> {
        wrapped(text, WIDTH - 3).iter().try_for_each(|line| self.line(&format!("   {line}")))
    }

    fn code(&mut self, text: &str) -> Result<(), Failure> {
        for (index, line) in text.lines().enumerate() {
            let mark = if index == 0 { "   › " } else { "     " };
            self.line(&format!("{}{}", self.style.faint(mark), self.style.faint(line)))?;
        }
        Ok(())
    }

    fn table(&mut self, table: &Table) -> Result<(), Failure> {
        table.lines("   ", self.style).iter().try_for_each(|line| self.line(line))
    }

    fn money(&mut self, reply: &Reply) -> Result<(), Failure> {
        let price = reply.price;
        let left: Amount = reply.left.remaining.unwrap_or_default();
        let epsilon = reply.epsilon_at_delta.as_ref();
        let epsilon =
            epsilon.map_or_else(String::new, |at| format!(" (ε = {})", glance_upper(at.epsilon.value())));
        let line = format!(
            "paid {}{epsilon}   Ana has {} left  {}",
            amount_upper(price.currency(), price.amount()),
            amount_lower(reply.left.currency, left),
            bar(part_spent(&reply.left), 10),
        );
        let line = self.style.faint(&line);
        self.line(&format!("   {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_rounded_up_and_paths_are_quoted() {
        assert_eq!(percent_upper(0.5123), "51.3 %");
        assert_eq!(percent_upper(1.0), "100.0 %");
        assert_eq!(quoted("/tmp/a b"), "'/tmp/a b'");
        assert_eq!(quoted("pointillist-demo"), "pointillist-demo");
    }
}
