//! A hospital that does not exist: the same people every time, with the habits of real ones.
//!
//! The dice here make up *data*, and are no source of noise: they are a plain xorshift with a fixed start, so
//! that everyone who runs the demo meets the same hospital. Noise comes from the operating system, elsewhere.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use pointillist_catalog::calendar::date_text;

/// Where people live and are treated, with how many of a hundred do.
pub const REGIONS: [(&str, u32); 4] = [("north", 31), ("south", 24), ("east", 27), ("west", 18)];
/// How expensive each region is.
const PRICE_LEVELS: [f64; 4] = [0.94, 0.81, 1.02, 1.27];
/// The first day of the year that the hospital is about: 2025-01-01.
const NEW_YEAR: i32 = 20_089;
/// Nobody comes more often than this in a year; the catalog says so.
pub const VISITS_MAX: usize = 6;
/// How many people, next to Ada, have the rare condition.
const RARE_PEOPLE: usize = 70;
/// The rare condition.
pub const RARE: &str = "porphyria";

/// A ward: how often the young, the grown and the old come, how much a day costs, and whether winter matters.
struct Ward {
    name: &'static str,
    by_age: [u32; 3],
    cost: f64,
    winter: bool,
}

const fn ward(name: &'static str, by_age: [u32; 3], cost: f64, winter: bool) -> Ward {
    Ward { name, by_age, cost, winter }
}

const WARDS: [Ward; 13] = [
    ward("emergency", [3000, 2300, 1500], 310.0, false),
    ward("general medicine", [900, 1900, 2100], 240.0, false),
    ward("paediatrics", [4200, 0, 0], 230.0, true),
    ward("maternity", [0, 1300, 0], 820.0, false),
    ward("surgery", [500, 1500, 1200], 1150.0, false),
    ward("orthopaedics", [600, 1000, 1300], 640.0, false),
    ward("cardiology", [60, 700, 2000], 760.0, false),
    ward("respiratory", [600, 500, 1100], 420.0, true),
    ward("oncology", [40, 380, 700], 1500.0, false),
    ward("neurology", [90, 380, 500], 590.0, false),
    // Too rare to be shown: keys have to be earned.
    ward("burns", [10, 6, 3], 2100.0, false),
    ward("transplant", [2, 3, 2], 3900.0, false),
    ward("tropical diseases", [1, 1, 0], 680.0, false),
];

const HOSPITALS: [(&str, &str, u32); 8] = [
    ("Northgate", "north", 640),
    ("St Bride", "north", 210),
    ("Southbank", "south", 520),
    ("Harbour", "south", 180),
    ("Eastfield", "east", 560),
    ("Old Mill", "east", 240),
    ("Westbrook", "west", 410),
    ("The Limes", "west", 120),
];

const FIRST_NAMES: [&str; 24] = [
    "Ana", "Ben", "Chloe", "Dario", "Emma", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Katya", "Liam",
    "Mei", "Noah", "Olga", "Paul", "Quinn", "Rosa", "Sami", "Tara", "Umar", "Vera", "Wei", "Zoe",
];
const LAST_NAMES: [&str; 24] = [
    "Abbott", "Baker", "Costa", "Dubois", "Evans", "Fischer", "Garcia", "Hansen", "Ito", "Jensen", "Kaya",
    "Lopez", "Moreau", "Novak", "Okafor", "Petrov", "Rossi", "Santos", "Tanaka", "Usman", "Vogel", "Weber",
    "Young", "Zhang",
];
const DRUGS: [&str; 8] = [
    "amoxicillin",
    "atorvastatin",
    "ibuprofen",
    "insulin",
    "metformin",
    "omeprazole",
    "ramipril",
    "salbutamol",
];

/// Someone who does not exist.
pub struct Patient {
    /// The name. The catalog does not declare it, so that no analyst can ask for it.
    pub name: String,
    /// `f` or `m`.
    pub sex: char,
    /// In years, at most 99; Ada alone is older.
    pub age: u32,
    /// A position in the list of regions.
    pub region: usize,
    /// Whether they have a lasting condition.
    pub chronic: bool,
    /// The name of the condition that matters most, if any.
    pub condition: &'static str,
    /// Blood pressure in mmHg.
    pub systolic: u32,
}

/// One stay or consultation.
pub struct Visit {
    /// A position in the list of patients.
    pub patient: usize,
    /// Where.
    hospital: usize,
    /// In which ward.
    pub ward: &'static str,
    /// Days since 1970-01-01.
    pub day: i32,
    /// In cents.
    pub cents: u64,
}

impl Visit {
    /// The region of the hospital.
    pub fn region(&self) -> &'static str {
        HOSPITALS[self.hospital].1
    }

    /// 1 to 12.
    pub fn month(&self) -> usize {
        date_text(self.day)[5..7].parse().expect("a day is written 2025-12-31")
    }
}

/// What a doctor wrote down.
struct Prescription {
    visit: usize,
    drug: &'static str,
    days: u32,
}

/// A made-up hospital group: its people, their stays and what they were given.
pub struct Hospital {
    /// Ada Byron, 101 years old, is the first.
    pub patients: Vec<Patient>,
    /// In the order of days.
    pub visits: Vec<Visit>,
    prescriptions: Vec<Prescription>,
}

impl Hospital {
    /// A hospital of so many people; `each` is called for every one.
    pub fn made_up(people: usize, each: impl Fn()) -> Self {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let mut patients = vec![ada()];
        let mut visits = Vec::new();
        for index in 1..people {
            let mut patient = patient(&mut dice);
            if index.is_multiple_of(people / (RARE_PEOPLE + 1))
                && index / (people / (RARE_PEOPLE + 1)) <= RARE_PEOPLE
            {
                patient.chronic = true;
                patient.condition = RARE;
            }
            patients.push(patient);
        }
        for (index, patient) in patients.iter().enumerate() {
            visit_often(&mut visits, &mut dice, index, patient);
            each();
        }
        visits.sort_by_key(|visit| (visit.day, visit.patient));
        let prescriptions = (0..visits.len()).filter_map(|visit| prescription(&mut dice, visit)).collect();
        Self { patients, visits, prescriptions }
    }

    /// Writes the tables as CSV.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let data = folder.join("data");
        fs::create_dir_all(&data)?;
        let mut text = String::from("id,name,sex,age,region,chronic,condition,systolic\n");
        for (index, patient) in self.patients.iter().enumerate() {
            let Patient { name, sex, age, region, chronic, condition, systolic } = patient;
            let region = REGIONS[*region].0;
            line(
                &mut text,
                format_args!(
                    "{},{name},{sex},{age},{region},{chronic},{condition},{systolic}",
                    person(index)
                ),
            );
        }
        fs::write(data.join("patients.csv"), &text)?;
        text = String::from("id,patient_id,hospital,region,ward,day,cost\n");
        for (index, visit) in self.visits.iter().enumerate() {
            let (hospital, region, day) = (HOSPITALS[visit.hospital].0, visit.region(), date_text(visit.day));
            let (whole, cents) = (visit.cents / 100, visit.cents % 100);
            line(
                &mut text,
                format_args!(
                    "v{index:06},{},{hospital},{region},{},{day},{whole}.{cents:02}",
                    person(visit.patient),
                    visit.ward
                ),
            );
        }
        fs::write(data.join("visits.csv"), &text)?;
        text = String::from("id,visit_id,drug,days\n");
        for (index, Prescription { visit, drug, days }) in self.prescriptions.iter().enumerate() {
            line(&mut text, format_args!("r{index:06},v{visit:06},{drug},{days}"));
        }
        fs::write(data.join("prescriptions.csv"), &text)?;
        text = String::from("hospital,region,beds\n");
        for (hospital, region, beds) in HOSPITALS {
            line(&mut text, format_args!("{hospital},{region},{beds}"));
        }
        fs::write(data.join("hospitals.csv"), &text)
    }

    /// How many rows each table has.
    pub fn sizes(&self) -> [(&'static str, usize); 4] {
        [
            ("patients", self.patients.len()),
            ("visits", self.visits.len()),
            ("prescriptions", self.prescriptions.len()),
            ("hospitals", HOSPITALS.len()),
        ]
    }
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string succeeds");
    text.push('\n');
}

fn person(index: usize) -> String {
    format!("p{index:05}")
}

/// The person whom the attack is about: the oldest by far, so that a filter on age is a filter on her.
fn ada() -> Patient {
    let (name, condition) = ("Ada Byron".to_owned(), RARE);
    Patient { name, sex: 'f', age: 101, region: 0, chronic: true, condition, systolic: 148 }
}

fn patient(dice: &mut Dice) -> Patient {
    let name = format!("{} {}", dice.pick(&FIRST_NAMES), dice.pick(&LAST_NAMES));
    let sex = if dice.chance(0.52) { 'f' } else { 'm' };
    // Fewer old people than young ones, and few who are very old.
    let age = (99.0 * dice.unit().powf(0.85) * (0.55 + 0.45 * dice.unit())) as u32;
    let region = dice.weighted(REGIONS.iter().map(|(_, weight)| *weight));
    let chronic = dice.chance(0.04 + 0.62 * logistic((f64::from(age) - 62.0) / 11.0));
    let condition = match (chronic, age) {
        (false, _) => "none",
        (true, 0..18) => dice.pick(&["asthma", "asthma", "diabetes"]),
        (true, _) => dice.pick(&["asthma", "diabetes", "hypertension", "hypertension", "arthritis"]),
    };
    let raised = if condition == "hypertension" { 14.0 } else { 0.0 };
    let systolic = 101.0 + 0.34 * f64::from(age) + raised + 11.0 * dice.bell();
    Patient { name, sex, age, region, chronic, condition, systolic: systolic.clamp(80.0, 220.0) as u32 }
}

/// Most people come once or twice, some often: the old and the chronically ill.
fn visit_often(visits: &mut Vec<Visit>, dice: &mut Dice, index: usize, patient: &Patient) {
    let again = 0.34 + 0.16 * f64::from(u32::from(patient.chronic)) + 0.0022 * f64::from(patient.age);
    let mut count = 1;
    while count < VISITS_MAX && dice.chance(again) {
        count += 1;
    }
    let mut usual: Option<&Ward> = None;
    // People are treated near home, and elsewhere when they travel: in at most one other region.
    let elsewhere = dice.weighted(REGIONS.iter().map(|(_, weight)| *weight));
    for _ in 0..count {
        let ward = match usual {
            Some(ward) if dice.chance(0.62) => ward,
            _ => ward_for(dice, patient),
        };
        usual = usual.or(Some(ward));
        let place = if dice.chance(0.93) { patient.region } else { elsewhere };
        let region = REGIONS[place].0;
        let large = usize::from(!dice.chance(0.7));
        let hospital =
            HOSPITALS.iter().position(|(_, of, _)| *of == region).expect("every region has two") + large;
        let nights = if dice.chance(0.4) { dice.weighted([50, 25, 12, 8, 5]) as f64 } else { 0.0 };
        let cost = PRICE_LEVELS[place] * ward.cost * (1.0 + 0.35 * nights) * (0.5 * dice.bell()).exp();
        let cents = (100.0 * cost.clamp(20.0, 20_000.0)).round() as u64;
        visits.push(Visit { patient: index, hospital, ward: ward.name, day: day(dice, ward.winter), cents });
    }
}

fn ward_for(dice: &mut Dice, patient: &Patient) -> &'static Ward {
    let band = usize::from(patient.age >= 18) + usize::from(patient.age >= 65);
    let fits =
        |ward: &Ward| ward.name != "maternity" || (patient.sex == 'f' && (18..46).contains(&patient.age));
    let weights = WARDS.iter().map(|ward| if fits(ward) { ward.by_age[band] } else { 0 });
    &WARDS[dice.weighted(weights)]
}

/// A day of the year; coughs come in winter, everything else a little less in August.
fn day(dice: &mut Dice, winter: bool) -> i32 {
    loop {
        let day = (365.0 * dice.unit()) as i32;
        let turn = std::f64::consts::TAU * f64::from(day - 15) / 365.0;
        let chance = if winter { 0.5 + 0.48 * turn.cos() } else { 0.86 + 0.12 * turn.cos() };
        if dice.chance(chance) {
            return NEW_YEAR + day.min(364);
        }
    }
}

fn prescription(dice: &mut Dice, visit: usize) -> Option<Prescription> {
    let drug = dice.pick(&DRUGS);
    let days = [5, 7, 10, 14, 28][dice.weighted([3, 3, 2, 2, 1])];
    dice.chance(0.6).then_some(Prescription { visit, drug, days })
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Marsaglia's xorshift with a multiplication at the end: good enough to make people up, and for nothing else.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Between 0 and 1, below 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Roughly normal: twelve units less six.
    fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.unit() * list.len() as f64) as usize]
    }

    /// A position, in proportion to the weights.
    fn weighted(&mut self, weights: impl IntoIterator<Item = u32>) -> usize {
        let weights: Vec<u32> = weights.into_iter().collect();
        let mut left = self.unit() * f64::from(weights.iter().sum::<u32>());
        for (index, weight) in weights.iter().enumerate() {
            left -= f64::from(*weight);
            if left < 0.0 {
                return index;
            }
        }
        weights.iter().rposition(|weight| *weight > 0).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn everyone_meets_the_same_hospital() {
        let [first, second] = [0, 1].map(|_| Hospital::made_up(2_000, || {}));
        assert_eq!(first.sizes(), second.sizes());
        assert!(first.visits.iter().zip(&second.visits).all(|(a, b)| (a.day, a.cents) == (b.day, b.cents)));
    }

    /// Specification: the catalog's bounds hold, so that bounding takes nothing away from the demo's truths.
    #[test]
    fn the_made_up_people_keep_to_the_declared_bounds() {
        let hospital = Hospital::made_up(4_000, || {});
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        let mut regions: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for visit in &hospital.visits {
            *rows.entry(visit.patient).or_default() += 1;
            regions.entry(visit.patient).or_default().insert(visit.region());
            assert!(date_text(visit.day).starts_with("2025-"));
        }
        assert!(rows.values().all(|rows| *rows <= VISITS_MAX));
        assert!(regions.values().all(|regions| regions.len() <= 2));
        let beyond = hospital.visits.iter().filter(|visit| visit.cents > 500_000).count();
        assert!(beyond * 100 < hospital.visits.len(), "clamping touches few visits: {beyond}");
    }

    /// Specification: the example of "Differential Privacy" (Shanghai Jiao Tong, EE359, lecture 11), 71 with the person and 70 without.
    #[test]
    fn seventy_one_people_have_the_rare_condition_and_ada_is_one() {
        for people in [4_000, 40_000] {
            let hospital = Hospital::made_up(people, || {});
            let rare = |patient: &&Patient| patient.condition == RARE;
            assert_eq!(hospital.patients.iter().filter(rare).count(), 71);
            let old = hospital.patients.iter().filter(|patient| patient.age > 100).count();
            assert_eq!((old, hospital.patients[0].age), (1, 101));
        }
    }

    #[test]
    fn weights_decide() {
        let mut dice = Dice(1);
        assert!((0..1000).all(|_| dice.weighted([0, 3, 0]) == 1));
    }
}
