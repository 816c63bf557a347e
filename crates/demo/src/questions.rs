//! Five questions that tell something, each with the truth that only a made-up hospital can show.

use std::collections::BTreeMap;

use crate::Hospital;

/// A question of the story.
pub struct Question {
    /// What is asked, in words.
    pub title: &'static str,
    /// What to look at in the answer.
    pub lesson: &'static str,
    /// What is asked, in SQL: keys first, the number last.
    pub sql: &'static str,
    /// The price, in the words of the command line.
    pub options: &'static [(&'static str, &'static str)],
    /// The true number of every group, by the text of its key; no key, no text.
    pub truth: fn(&Hospital) -> BTreeMap<String, f64>,
    /// Whether the numbers are drawn as bars too.
    pub bars: bool,
}

impl Question {
    /// The price as flags of the command line.
    pub fn flags(&self) -> String {
        let flags = self.options.iter().map(|(name, value)| format!("--{} {value}", name.replace('_', "-")));
        flags.collect::<Vec<_>>().join(" ")
    }
}

/// The questions, in order.
pub const QUESTIONS: [Question; 5] = [
    Question {
        title: "How many patients are there?",
        lesson: "One number, a little off on purpose: nobody can tell from it whether you are in.",
        sql: "SELECT count(*) AS patients FROM patients",
        options: &[("epsilon", "0.25")],
        truth: patients,
        bars: false,
    },
    Question {
        title: "What does a visit cost on average, region by region?",
        lesson: "The owner declared the regions, so all four appear, whatever is in the data. Hardly anyone \
                 is treated in more than two of them, so Ana asks for two: less noise.",
        sql: "SELECT region, avg(cost) AS average_cost\nFROM visits GROUP BY region",
        options: &[("epsilon", "1"), ("max_groups", "2")],
        truth: average_cost,
        bars: false,
    },
    Question {
        title: "Which wards are visited most?",
        lesson: "Wards were not declared: a ward appears only if enough people make its name harmless.",
        sql: "SELECT ward, count(*) AS visits\nFROM visits GROUP BY ward ORDER BY visits DESC",
        options: &[("epsilon", "0.75")],
        truth: visits_by_ward,
        bars: false,
    },
    Question {
        title: "How many in a hundred live with a chronic condition, by age?",
        lesson: "Arithmetic on noisy counts is free, and its error is carried along.",
        sql: "SELECT CASE WHEN age < 18 THEN 'children' WHEN age < 65 THEN 'adults'\n            \
              ELSE 'older people' END AS people,\n       \
              100.0 * count(*) FILTER (WHERE chronic) / count(*) AS percent_chronic\n\
              FROM patients GROUP BY 1 ORDER BY 2",
        options: &[("epsilon", "0.5")],
        truth: percent_chronic,
        bars: false,
    },
    Question {
        title: "When do people come?",
        lesson: "The winter is there; no single visit is. Some come in six different months, and six is what \
                 Ana pays for.",
        sql: "SELECT date_trunc('month', day) AS month, count(*) AS visits\nFROM visits GROUP BY 1 ORDER BY 1",
        options: &[("epsilon", "1"), ("max_groups", "6")],
        truth: visits_by_month,
        bars: true,
    },
];

fn patients(hospital: &Hospital) -> BTreeMap<String, f64> {
    BTreeMap::from([(String::new(), hospital.patients.len() as f64)])
}

fn average_cost(hospital: &Hospital) -> BTreeMap<String, f64> {
    let costs = hospital.visits.iter().map(|visit| (visit.region().to_owned(), visit.cents as f64 / 100.0));
    averages(costs)
}

fn visits_by_ward(hospital: &Hospital) -> BTreeMap<String, f64> {
    counts(hospital.visits.iter().map(|visit| visit.ward.to_owned()))
}

fn percent_chronic(hospital: &Hospital) -> BTreeMap<String, f64> {
    let band = |age: u32| match age {
        0..18 => "children",
        18..65 => "adults",
        _ => "older people",
    };
    averages(
        hospital
            .patients
            .iter()
            .map(|patient| (band(patient.age).to_owned(), if patient.chronic { 100.0 } else { 0.0 })),
    )
}

fn visits_by_month(hospital: &Hospital) -> BTreeMap<String, f64> {
    counts(hospital.visits.iter().map(|visit| format!("2025-{:02}-01", visit.month())))
}

fn counts(keys: impl Iterator<Item = String>) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_insert(0.0) += 1.0;
    }
    counts
}

fn averages(values: impl Iterator<Item = (String, f64)>) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (key, value) in values {
        let (sum, count) = sums.entry(key).or_default();
        *sum += value;
        *count += 1.0;
    }
    sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
}
