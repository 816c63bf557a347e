//! Made-up tables: the examples that run without files.

use crate::records::{NamedRecords, Records};

/// People of the town, unless somebody says otherwise: enough for classes in which everybody has the same illness.
pub const TOWN_PEOPLE: usize = 600;
/// The people of two hospitals: the first has those up to the second number, the second from the first on.
const HOSPITALS: (usize, usize, usize) = (300, 450, 750);

/// A made-up hospital and a made-up voters' list, in which a governor lives.
pub fn hospital_and_voters() -> (Records, Records) {
    let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let table = |columns: &str, rows: &[&str]| {
        Records::new(split(columns), rows.iter().map(|row| split(row)).collect())
            .expect("rows of equal length")
    };
    let hospital = table(
        "born,sex,zip,illness",
        &[
            "1945-07-31,m,02138,collapse",
            "1962-03-12,f,02139,fracture",
            "1962-03-12,f,02139,asthma",
            "1971-11-02,f,02138,migraine",
            "1950-01-20,m,02141,diabetes",
            "1983-05-05,m,02139,fracture",
        ],
    );
    let voters = table(
        "name,born,sex,zip",
        &[
            "William W.,1945-07-31,m,02138",
            "Ada B.,1962-03-12,f,02139",
            "Cora D.,1962-03-12,f,02139",
            "Eve F.,1971-11-02,f,02138",
            "Gus H.,1950-01-20,m,02141",
            "Ida J.,1990-09-09,f,02142",
        ],
    );
    (hospital, voters)
}

/// Illnesses of the town, and how many of a hundred people have each.
const ILLNESSES: [(&str, u64); 18] = [
    ("hypertension", 14),
    ("diabetes", 10),
    ("asthma", 9),
    ("depression", 8),
    ("migraine", 7),
    ("arthritis", 6),
    ("allergy", 6),
    ("influenza", 5),
    ("fracture", 5),
    ("anaemia", 4),
    ("gout", 4),
    ("eczema", 4),
    ("cancer", 3),
    ("hepatitis", 3),
    ("epilepsy", 3),
    ("glaucoma", 3),
    ("pneumonia", 3),
    ("HIV", 3),
];
const SYLLABLES: [&str; 16] =
    ["an", "be", "co", "da", "el", "fi", "go", "ha", "il", "jo", "ka", "lu", "mi", "no", "or", "pa"];

/// A made-up town of so many people and the words for it.
pub fn named_town(people: usize) -> NamedRecords {
    NamedRecords { name: format!("a made-up town of {people} people"), records: town(people) }
}

/// A made-up town of so many people: the patients without names, two thirds of everybody, and the voters with names.
pub fn patients_and_voters(people: usize) -> (Records, Records) {
    let town = town(people);
    let patients = town.rows().iter().enumerate().filter(|(person, _)| person % 3 != 0);
    let patients = part_of(&town, patients.map(|(_, row)| row.clone()).collect());
    let only = |table: &Records, columns: &[&str]| table.only(columns).expect("the town has these columns");
    (only(&patients, &["born", "sex", "zip", "illness"]), only(&town, &["name", "born", "sex", "zip"]))
}

/// Two hospitals of a made-up town that share a hundred and fifty patients.
pub fn two_hospitals() -> (Records, Records) {
    let (second_from, first_to, people) = HOSPITALS;
    let town = town(people);
    (part_of(&town, town.rows()[..first_to].to_vec()), part_of(&town, town.rows()[second_from..].to_vec()))
}

fn part_of(table: &Records, rows: Vec<Vec<String>>) -> Records {
    Records::new(table.columns().to_vec(), rows).expect("rows of one table are of equal length")
}

/// A made-up town of so many people: name, year of birth, sex, one of 24 postcodes, illness. Always the same.
pub fn town(people: usize) -> Records {
    let columns = ["name", "born", "sex", "zip", "illness"].map(str::to_owned).to_vec();
    let rows = (0..people as u64).map(|person| {
        let mut state = person.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x243f_6a88_85a3_08d3;
        // Numbers without pattern, from the person's number alone.
        let mut below = |bound: u64| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)) % bound
        };
        let syllables: String = (0..3).map(|_| SYLLABLES[below(16) as usize]).collect();
        let name = format!("{}{} {}", syllables[..1].to_uppercase(), &syllables[1..], person + 1);
        let born = 1940 + below(70);
        let sex = ["f", "m"][below(2) as usize];
        // Some quarters are larger than others.
        let zip = 2100 + below(24).min(below(24));
        let mut place = below(100);
        let illness = ILLNESSES.iter().find(|(_, share)| {
            let here = place < *share;
            place = place.saturating_sub(*share);
            here
        });
        let illness = illness.map_or("gout", |(illness, _)| illness);
        vec![name, born.to_string(), sex.to_owned(), format!("0{zip}"), illness.to_owned()]
    });
    Records::new(columns, rows.collect()).expect("five fields each")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linkage::uniqueness;

    #[test]
    fn a_town_is_always_the_same_and_most_people_are_unique() {
        let place = town(500);
        assert_eq!(place, town(500));
        assert_eq!(place.rows()[..200], town(200).rows()[..]);
        let unique = uniqueness(&place, &["born", "sex", "zip"]).unwrap();
        assert!(unique[0].columns.len() == 3 && unique[0].share > 0.6, "{unique:?}");
        assert_eq!(uniqueness(&place, &["name"]).unwrap()[0].unique, 500);
        let common = place.rows().iter().filter(|row| row[4] == "hypertension").count();
        assert!((45..95).contains(&common), "{common}");
    }
}
