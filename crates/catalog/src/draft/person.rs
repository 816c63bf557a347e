//! Columns that name people, by their names alone.

/// Whether a column's name suggests that its values name people. Names only: values are never looked at.
pub(crate) fn looks_like_a_person(name: &str) -> bool {
    const PEOPLE: [&str; 14] = [
        "patient",
        "person",
        "user",
        "customer",
        "client",
        "member",
        "visitor",
        "student",
        "employee",
        "household",
        "subject",
        "respondent",
        "citizen",
        "account",
    ];
    const HANDLES: [&str; 14] = [
        "id", "ids", "uid", "pid", "uuid", "guid", "ssn", "email", "mail", "phone", "passport", "iban",
        "username", "login",
    ];
    const NAMED: [&str; 7] = ["first", "last", "full", "family", "given", "sur", "middle"];
    let words = words(name);
    let Some(last) = words.last().map(String::as_str) else {
        return false;
    };
    let first = words[0].as_str();
    HANDLES.contains(&last)
        || (words.len() == 1 && (PEOPLE.contains(&last) || ["name", "surname"].contains(&last)))
        || (last == "name" && (NAMED.contains(&first) || PEOPLE.contains(&first)))
        || (words.len() == 1 && PEOPLE.iter().any(|person| last == format!("{person}id")))
}

/// `patient_id`, `patientId` and `Patient ID` are all `patient`, `id`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for letter in name.chars() {
        let starts = !letter.is_alphanumeric() || (lower_before && letter.is_uppercase());
        if starts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().expect("there is a first word").extend(letter.to_lowercase());
        }
        lower_before = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
