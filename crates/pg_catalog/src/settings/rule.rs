//! What a setting may be: values as they are kept, or nothing.

use super::table::{Rule, Setting};

/// The value as PostgreSQL shows it; `None` where the setting cannot have it.
pub(super) fn accepted(setting: &Setting, value: &str) -> Option<String> {
    match setting.rule {
        Rule::Fixed => None,
        Rule::Switch => switch(value),
        Rule::OneOf(words) => one_of(words, value),
        Rule::Number(least, greatest) => {
            let number: i64 = value.trim().parse().ok()?;
            (least..=greatest).contains(&number).then(|| number.to_string())
        }
        Rule::Duration => duration(value),
        Rule::Text => Some(value.to_owned()),
        Rule::ProgramName => Some(program_name(value)),
        Rule::Encoding => encoding(value),
        Rule::DateStyle => date_style(value),
        Rule::TimeZone => time_zone(value),
    }
}

fn switch(value: &str) -> Option<String> {
    let word = value.trim().to_ascii_lowercase();
    let begins = |whole: &str, least: usize| word.len() >= least && whole.starts_with(&word);
    if begins("true", 1) || begins("yes", 1) || word == "on" || word == "1" {
        return Some("on".to_owned());
    }
    let is_off = begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0";
    is_off.then(|| "off".to_owned())
}

/// Switches that cannot be turned are words too, and take `true` for `on`.
fn one_of(words: &[&str], value: &str) -> Option<String> {
    let word = value.trim().to_ascii_lowercase();
    if words.contains(&word.as_str()) {
        return Some(word);
    }
    switch(value).filter(|word| words.contains(&word.as_str()))
}

/// `5000`, `5s`, `1 min`; shown in the largest unit that divides it, as PostgreSQL does.
fn duration(value: &str) -> Option<String> {
    const UNITS: [(&str, i64); 5] =
        [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1)];
    let text = value.trim();
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = (text[..end].parse::<i64>().ok()?, text[end..].trim());
    let factor = match unit {
        "" => 1,
        unit => UNITS.iter().find(|(name, _)| *name == unit)?.1,
    };
    let milliseconds = number.checked_mul(factor).filter(|all| *all <= i32::MAX.into())?;
    if milliseconds == 0 {
        return Some("0".to_owned());
    }
    let (name, size) = UNITS.iter().find(|(_, size)| milliseconds % size == 0)?;
    Some(format!("{}{name}", milliseconds / size))
}

/// PostgreSQL's own rule: 63 bytes of printable ASCII.
fn program_name(value: &str) -> String {
    let clean = |sign: char| if (' '..='~').contains(&sign) { sign } else { '?' };
    value.chars().take(63).map(clean).collect()
}

fn encoding(value: &str) -> Option<String> {
    let bare = value.trim().trim_matches(['\'', '"']).to_ascii_lowercase();
    let letters: String = bare.chars().filter(char::is_ascii_alphanumeric).collect();
    matches!(letters.as_str(), "utf8" | "unicode").then(|| "UTF8".to_owned())
}

fn date_style(value: &str) -> Option<String> {
    let mut order = "MDY";
    for word in value.trim_matches(['\'', '"']).split(',') {
        match word.trim().to_ascii_lowercase().as_str() {
            "iso" | "default" => {}
            "mdy" | "us" | "noneuro" | "noneuropean" => order = "MDY",
            "dmy" | "euro" | "european" => order = "DMY",
            "ymd" => order = "YMD",
            _ => return None,
        }
    }
    Some(format!("ISO, {order}"))
}

fn time_zone(value: &str) -> Option<String> {
    let name = value.trim().trim_matches(['\'', '"']);
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "/_+-:<>.".contains(sign);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_sign) {
        return None;
    }
    let is_utc = name.eq_ignore_ascii_case("utc") || name.eq_ignore_ascii_case("z");
    Some(if is_utc { "UTC".to_owned() } else { name.to_owned() })
}
