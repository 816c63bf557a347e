//! What a session has set about its questions: `pointillist.epsilon` and the other options, `pointillist.intervals`, and
//! `pointillist.request_id`.
//!
//! They are kept as text among all other settings and read when a question is asked. `SET`, `set_config` and the options of a
//! connection are the same, and refuse at once what a question would refuse later. A session has one price at a time.
//!
//! `pointillist.request_id` names the next question that goes to the curator, and only that: once a question was answered or
//! charged under it, it is empty again, in a transaction or not; a question that was refused leaves it. Whoever lost a connection sets it again, repeats the question, and pays once.

use std::time::Duration;

use pointillist_pg_catalog::{SettingCall, Settings};
use pointillist_query::{Options, SessionOptions};

use super::refusal::Failure;

const PREFIX: &str = "pointillist.";
/// Options of which a session has one at a time.
const PRICES: [&str; 3] = ["epsilon", "rho", "error"];
pub(crate) const INTERVALS: &str = "pointillist.intervals";
pub(crate) const REQUEST_ID: &str = "pointillist.request_id";

/// Sets something, if its value is one.
///
/// # Errors
/// As [`Settings::set`], and 22023 for a price or another option that no question would take.
pub(crate) fn set(settings: &mut Settings, name: &str, value: &str) -> Result<(), Failure> {
    let key = name.trim().to_lowercase();
    let own = key.strip_prefix(PREFIX);
    match own {
        None | Some("request_id") => {}
        Some("intervals") => {
            truth(value).ok_or_else(|| {
                Failure::new("22023", "parameter \"pointillist.intervals\" requires a Boolean value")
            })?;
        }
        Some(option) => SessionOptions::default().set(option, value)?,
    }
    settings.set(name, value)?;
    if let Some(price) = own.filter(|own| PRICES.contains(own)) {
        for other in PRICES.iter().filter(|other| **other != price) {
            let other = format!("{PREFIX}{other}");
            if settings.get(&other).is_some() {
                settings.set(&other, "")?;
            }
        }
    }
    Ok(())
}

/// Does what `set_config` did: the same as `SET` or `RESET`.
///
/// # Errors
/// As [`set`].
pub(crate) fn call(settings: &mut Settings, call: &SettingCall) -> Result<(), Failure> {
    match &call.value {
        Some(value) => set(settings, &call.name, value),
        None => {
            settings.reset(&call.name)?;
            Ok(())
        }
    }
}

/// Whether somebody may begin with these settings, which came with their connection.
///
/// # Errors
/// 22023 for what `SET` would refuse, and for two prices.
pub(crate) fn check(settings: &Settings) -> Result<(), Failure> {
    let mut trial = settings.clone();
    let mut prices = 0;
    for (name, value, _) in settings.all() {
        let Some(own) = name.strip_prefix(PREFIX) else { continue };
        prices += usize::from(PRICES.contains(&own) && !value.is_empty());
        if !value.is_empty() {
            set(&mut trial, &name, &value)?;
        }
    }
    if prices > 1 {
        return Err(Failure::new("22023", "a session has one of pointillist.epsilon, rho and error"));
    }
    Ok(())
}

/// The options of the next question.
///
/// # Errors
/// 22023 for what came past `SET` and is no option.
pub(crate) fn options(settings: &Settings) -> Result<Options, Failure> {
    let mut options = Options::default();
    for (name, value, _) in settings.all() {
        let Some(option) = name.strip_prefix(PREFIX) else { continue };
        if !value.is_empty() && !matches!(option, "intervals" | "request_id") {
            options.set(option, &value)?;
        }
    }
    Ok(options)
}

/// Whether answers show the ends of intervals.
pub(crate) fn intervals(settings: &Settings) -> bool {
    settings.get(INTERVALS).and_then(truth).unwrap_or(false)
}

/// The name of the next question, where it has one.
pub(crate) fn request_id(settings: &Settings) -> Option<String> {
    settings.get(REQUEST_ID).filter(|id| !id.is_empty()).map(str::to_owned)
}

/// How long a statement may take; `None` for ever.
pub(crate) fn statement_timeout(settings: &Settings) -> Option<Duration> {
    let text = settings.get("statement_timeout")?.trim().to_lowercase();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok()?;
    let microseconds = match text[digits..].trim() {
        "us" => 1,
        "" | "ms" => 1_000,
        "s" => 1_000_000,
        "min" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    };
    (number > 0).then(|| Duration::from_micros(number.saturating_mul(microseconds)))
}

fn truth(value: &str) -> Option<bool> {
    match value.to_lowercase().as_str() {
        "on" | "true" | "yes" | "1" | "t" => Some(true),
        "off" | "false" | "no" | "0" | "f" | "" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_one_price_and_refuses_what_is_none() {
        let mut settings = Settings::new("ana");
        set(&mut settings, "pointillist.epsilon", "0.5").unwrap();
        set(&mut settings, "pointillist.max_groups", "3").unwrap();
        assert!(options(&settings).unwrap().epsilon.is_some());
        set(&mut settings, "pointillist.rho", "0.1").unwrap();
        let now = options(&settings).unwrap();
        assert!(now.epsilon.is_none() && now.rho.is_some() && now.max_groups.is_some());
        assert_eq!(set(&mut settings, "pointillist.epsilon", "many").unwrap_err().sqlstate, "22023");
        assert_eq!(options(&settings).unwrap(), now, "what is refused changes nothing");
        assert!(set(&mut settings, "pointillist.epsilom", "1").is_err());
        assert!(set(&mut settings, INTERVALS, "perhaps").is_err());
        set(&mut settings, INTERVALS, "on").unwrap();
        assert!(intervals(&settings));
        settings.set("pointillist.epsilon", "nonsense").unwrap();
        assert!(options(&settings).is_err(), "whatever came past SET is looked at when a question is asked");
        assert!(check(&settings).is_err());
        assert!(set(&mut settings, "Pointillist.Epsilon", "many").is_err(), "names are of any case");
    }

    #[test]
    fn a_connection_begins_with_settings_that_are_some() {
        let with = |pairs: &[(&str, &str)]| {
            let mut settings = Settings::new("ana");
            for (name, value) in pairs {
                settings.set(name, value).unwrap();
            }
            check(&settings).map_err(|failure| failure.sqlstate)
        };
        assert_eq!(with(&[("pointillist.epsilon", "0.5"), ("my.own", "abc")]), Ok(()));
        assert_eq!(with(&[("pointillist.epsilon", "abc")]), Err("22023"));
        assert_eq!(with(&[("pointillist.epsilon", "0.5"), ("pointillist.rho", "0.1")]), Err("22023"));
    }

    #[test]
    fn timeouts_are_read_with_and_without_units() {
        let mut settings = Settings::new("ana");
        for (text, expected) in
            [("0", None), ("1500", Some(1500)), ("2s", Some(2000)), ("1min", Some(60_000))]
        {
            settings.set("statement_timeout", text).unwrap();
            assert_eq!(statement_timeout(&settings), expected.map(Duration::from_millis), "{text}");
        }
    }
}
