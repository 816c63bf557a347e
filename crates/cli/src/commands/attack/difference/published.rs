//! Counts that somebody published, as a file: who is certain from them, and what noise makes of it.
//!
//! A row is a count: a 1 for everybody whom it counts, a 0 for the others, and the number at the end.

use std::path::Path;

use pointillist_attack::AttackError;
use pointillist_attack::differencing::{Certain, Inference, LinearAttack, LinearQuestions, Reason};
use pointillist_attack::limits;
use pointillist_attack::records::Records;
use pointillist_mechanisms::additive_noise::Price;
use serde_json::{Value, json};

use crate::bar::percent;
use crate::commands::attack::shown;
use crate::failure::Failure;
use crate::ink::Ink;
use crate::report_arguments::ReportArguments;
use crate::table::{Side, Table, Tone};
use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::significant;
use pointillist_render::page::{Block, Page, Tone as Feeling};
use pointillist_render::text::shown as spelled;

/// The name of the last column.
const COUNT: &str = "count";
/// People that a screen and a page name.
const NAMED: usize = 40;
/// People whose names fit into a drawing.
const LABELLED: usize = 8;
/// Letters of a formula that they show.
const WHY_MAX: usize = 60;

/// What the counts tell.
struct Found {
    people: Vec<String>,
    answers: Vec<i128>,
    certain: Vec<Certain>,
    private: LinearAttack,
}

/// Reads, solves, prints.
pub(super) fn run(path: &Path, price: &Price, json: bool, report: &ReportArguments) -> Result<(), Failure> {
    let (people, questions, answers) = read(path)?;
    let progress = shown::working(format!("solving {} counts of {} people", answers.len(), people.len()));
    let certain = questions.certain(&answers).map_err(|error| in_file(path, &error))?;
    let private = shown::drawn(|bits| questions.attack_answers(&answers, price, bits))?;
    progress.finish_and_clear();
    let found = Found { people, answers, certain, private };
    report.write(|| Ok(found.page(path)))?;
    if json {
        found.print_json(path);
    } else {
        found.print();
    }
    Ok(())
}

type Counts = (Vec<String>, LinearQuestions, Vec<i128>);

fn read(path: &Path) -> Result<Counts, Failure> {
    let table = shown::records(path)?;
    let bad =
        |what: String, hint: &str| Failure::Request(format!("{}: {what}\nhint: {hint}", path.display()));
    let Some((last, people)) = table.columns().split_last().filter(|(last, _)| *last == COUNT) else {
        return Err(bad(
            format!("the last column is not `{COUNT}`"),
            "write one column a person, and the published number in a last column `count`",
        ));
    };
    if let Some(twice) = twice(people) {
        return Err(bad(
            format!("two columns are named `{}`", spelled(twice)),
            "give every person a name of their own",
        ));
    }
    let mut weights = Vec::new();
    let mut answers = Vec::new();
    for (number, row) in rows(&table) {
        let (count, flags) = row.split_last().expect("a row has as many fields as there are columns");
        let flag = |(flag, person): (&String, &String)| match flag.trim() {
            "0" => Ok(0),
            "1" => Ok(1),
            other => Err(bad(
                format!("row {number} has `{}` for {}", spelled(other), spelled(person)),
                "write 1 for everybody whom the row counts and 0 for the others",
            )),
        };
        let flags: Vec<i64> = flags.iter().zip(people).map(flag).collect::<Result<_, _>>()?;
        let asked: i128 = flags.iter().map(|flag| i128::from(*flag)).sum();
        let answer: i128 = count.trim().parse().map_err(|_| {
            bad(format!("row {number} has the {last} `{}`", spelled(count)), "a count is a whole number")
        })?;
        if answer < 0 {
            return Err(bad(
                format!("row {number} has the negative count {answer}"),
                "nobody counts below zero",
            ));
        }
        if answer > asked {
            return Err(bad(
                format!("row {number} counts {answer} of {asked} people"),
                "a count is at most the number of people in its row",
            ));
        }
        weights.push(flags);
        answers.push(answer);
    }
    let questions = LinearQuestions::new(weights).map_err(|error| in_file(path, &error))?;
    Ok((people.to_vec(), questions, answers))
}

fn in_file(path: &Path, error: &AttackError) -> Failure {
    Failure::Request(format!("{}: {error}", path.display()))
}

fn rows(table: &Records) -> impl Iterator<Item = (usize, &Vec<String>)> {
    table.rows().iter().enumerate().map(|(row, fields)| (row + 1, fields))
}

fn twice(names: &[String]) -> Option<&str> {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

impl Found {
    /// What the same formula makes of private counts.
    fn privately(&self, certain: &Certain) -> Option<&Inference> {
        self.private.inferences.iter().find(|inference| inference.found.person == certain.person)
    }

    /// Why somebody is certain: by a combination of the answers themselves, where there is one.
    fn why(&self, certain: &Certain) -> String {
        self.privately(certain).map_or_else(|| because(&certain.reason), |found| found.found.to_string())
    }

    fn exactly(&self) -> String {
        match self.certain.len() {
            0 => format!(
                "Adding and subtracting these counts, and counts of nobody and of everybody, give away none \
                 of the {} people. In rare cases several counts together still do.",
                self.people.len()
            ),
            some => format!(
                "{} counts of {} people tell for certain about {some} of them.",
                self.answers.len(),
                self.people.len()
            ),
        }
    }

    fn with_noise(&self) -> String {
        let widest = self.private.inferences.iter().map(|found| found.private_deviation);
        match widest.reduce(f64::min) {
            None => format!(
                "At {} for all counts together, a count of nobody or of everybody is no longer known as \
                 one, and no formula gives a person's bit.",
                self.private.price
            ),
            Some(least) => format!(
                "At {} for all counts together, the same formulas give each person's bit and noise of a \
                 deviation of {} or more.",
                self.private.price,
                significant(least)
            ),
        }
    }

    /// The rows that people see: who, what, why, and what is left of it.
    fn rows(&self) -> Vec<[String; 4]> {
        let row = |certain: &Certain| {
            let private = self.privately(certain).map_or_else(
                || "–".to_owned(),
                |found| format!("{:.1} ± {}", found.private, significant(found.private_deviation)),
            );
            let value = if certain.value { "yes" } else { "no" };
            [spelled(&self.people[certain.person]), value.to_owned(), shortened(&self.why(certain)), private]
        };
        self.certain.iter().take(NAMED).map(row).collect()
    }

    fn print(&self) {
        shown::side_by_side(&self.exactly(), &self.with_noise());
        if self.certain.is_empty() {
            return;
        }
        let rows = self.rows();
        let mut table = Table::new();
        let columns = ["person", "has it", "because", "with noise"];
        for (place, name) in columns.into_iter().enumerate() {
            let tone = [Tone::Plain, Tone::Plain, Tone::Faint, Tone::Accent][place];
            let cells = rows.iter().map(|row| row[place].clone().into());
            table.filled_column(name, if place == 3 { Side::Right } else { Side::Left }, tone, cells);
        }
        for line in table.lines("  ", Ink::for_stdout()) {
            println!("{line}");
        }
        if self.certain.len() > NAMED {
            println!("  and {} more: --json lists all of them", self.certain.len() - NAMED);
        }
    }

    fn print_json(&self, path: &Path) {
        let person = |certain: &Certain| {
            let private = self.privately(certain);
            json!({
                "person": self.people[certain.person],
                "value": u8::from(certain.value),
                "because": self.why(certain),
                "private": private.map(|found| found.private),
                "private_deviation": private.map(|found| found.private_deviation),
            })
        };
        shown::json([
            ("attack", json!("difference")),
            ("source", json!({ "counts": path.display().to_string() })),
            ("people", json!(self.people.len())),
            ("questions", json!(self.answers.len())),
            ("epsilon", shown::epsilon_json(&self.private.price)),
            ("determined", Value::Array(self.certain.iter().map(person).collect())),
        ]);
    }

    fn page(&self, path: &Path) -> Page {
        let done = format!(
            "{} lists {} published counts of {} people: who was counted, and how many of them have it. The \
             attacker looks for people whose answer follows: counts that add up and cancel until one person \
             is left, counts of nobody, counts of everybody, and what these make certain in turn. No guess \
             is involved.",
            path.display(),
            self.answers.len(),
            self.people.len()
        );
        let why = format!(
            "A formula that cancels everybody else's bits does not cancel noise: it adds it up. Our counts \
             carry exact noise for {} in total, calibrated to the largest number of counts that one person \
             is in. Whatever is combined, nobody's bit can be told from the answers with more certainty than \
             that price allows: a guess between two equally likely answers is right with probability at most \
             {}.",
            self.private.price,
            percent(limits::right_guess_upper(&self.private.price))
        );
        let mut learnt = vec![Block::side_by_side(self.exactly(), self.with_noise())];
        if !self.certain.is_empty() {
            if !self.private.inferences.is_empty() {
                learnt.push(Block::figure(
                    &self.chart(),
                    "Everybody whom a combination of the counts determines. From exact counts the formula \
                     gives zero or one; from private counts it gives the same and noise.",
                ));
            }
            learnt.push(Block::Table {
                head: ["person", "has it", "because", "with noise"].map(str::to_owned).to_vec(),
                rows: self.rows().into_iter().map(Vec::from).collect(),
            });
        }
        let tone = if self.certain.is_empty() { Feeling::Calm } else { Feeling::Alarm };
        learnt.push(Block::verdict(tone, self.exactly()));
        Page::new("Who is certain from published counts", self.exactly() + " " + &self.with_noise())
            .section("What was done", vec![Block::text(done)])
            .section("What was learnt", learnt)
            .section("Why private counts resist", vec![Block::text(why)])
    }

    fn chart(&self) -> Chart {
        let inferences = || self.private.inferences.iter().take(NAMED).zip(1..);
        let dots = |value: &dyn Fn(&Inference) -> f64| -> Vec<(f64, f64)> {
            inferences().map(|(found, place)| (f64::from(place), value(found))).collect()
        };
        let exact_value = |found: &Inference| found.exact.to_f64_upper();
        let mut exact = Series::new(Mark::Dots, "from exact counts", dots(&exact_value));
        if self.private.inferences.len() <= LABELLED {
            exact.labels = inferences().map(|(found, _)| self.people[found.found.person].clone()).collect();
        }
        let mut private =
            Series::new(Mark::Dots, "from private counts, and their deviation", dots(&|found| found.private));
        let around = |(found, place): (&Inference, i32)| {
            let (value, deviation) = (exact_value(found), found.private_deviation);
            (f64::from(place), value - deviation, value + deviation)
        };
        private.band = inferences().map(around).collect();
        // A little room on the right, and whole numbers below.
        let right = (inferences().count() as f64 + 1.0).max(6.0);
        let line = |name: &str, value| Series {
            labels: vec![name.to_owned()],
            ..Series::new(Mark::Reference, "", vec![(0.0, value), (right, value)])
        };
        Chart {
            title: "The same formula on exact and on private counts".to_owned(),
            x_name: "people whom the counts determine".to_owned(),
            y_name: "what the formula gives".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            series: vec![private, exact, line("", 0.0), line("0: no, 1: yes", 1.0)],
        }
    }
}

/// A text that fits into a cell.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(WHY_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn because(reason: &Reason) -> String {
    match reason {
        Reason::Combination(found) => found.to_string(),
        Reason::Rest(found) => format!("{found}, less those who are certain"),
        Reason::Nobody(question) => format!("answer {} counts nobody else", question + 1),
        Reason::Everybody(question) => format!("answer {} counts everybody", question + 1),
    }
}
