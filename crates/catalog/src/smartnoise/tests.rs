use super::*;
#[test]
fn show2() {
    let (t, n) = import("Database:\n  PUMS:\n    PUMS:\n      rows: 1000\n      max_ids: 4\n      age:\n        type: int\n        lower: 0\n        upper: 100.0\n      sex:\n        type: string\n      pid:\n        type: int\n        private_id: True\n").unwrap();
    println!("{t}\n{n:#?}");
    let mut d = crate::Draft::new();
    use crate::GuessedType::*;
    d.add(crate::DraftTable::new("data/Visits 2026.csv.gz", [("patient_id".into(), Integer), ("cost".into(), Number), ("Full Name".into(), Text), ("ward".into(), Unknown), ("day".into(), Date)]));
    println!("{}", d.to_toml());
    println!("{}", crate::Catalog::parse(&d.to_toml()).unwrap_err());
}
