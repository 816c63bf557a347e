//! `SET`, `SHOW` and `RESET` as PostgreSQL's clients know them.

use super::*;

fn after(name: &str, value: &str) -> String {
    let mut settings = Settings::new("ana");
    match settings.set(name, value) {
        Ok(_) => settings.get(name).unwrap_or_default().to_owned(),
        Err(error) => error.sqlstate.to_owned(),
    }
}

#[test]
fn a_session_starts_as_clients_expect_it() {
    let settings = Settings::new("ana");
    let reported = settings.reported();
    for (name, value) in [
        ("server_encoding", "UTF8"),
        ("client_encoding", "UTF8"),
        ("DateStyle", "ISO, MDY"),
        ("integer_datetimes", "on"),
        ("standard_conforming_strings", "on"),
        ("TimeZone", "UTC"),
        ("IntervalStyle", "postgres"),
        ("is_superuser", "off"),
        ("session_authorization", "ana"),
        ("application_name", ""),
        ("default_transaction_read_only", "off"),
        ("in_hot_standby", "off"),
    ] {
        assert!(reported.contains(&(name, value.to_owned())), "{name}");
    }
    assert!(settings.get("server_version").is_some_and(|version| version.starts_with("15.0 (Pointillist ")));
    assert_eq!(settings.get("server_version_num"), Some("150000"));
    assert_eq!(settings.get("SEARCH_PATH"), Some("\"$user\", public"));
    assert_eq!(settings.get("time  zone"), Some("UTC"));
    assert_eq!(settings.get("Transaction Isolation Level"), Some("read committed"));
    assert_eq!(settings.get("nothing"), None);
    assert_eq!(settings.all().len(), SETTINGS.len());
}

#[test]
fn values_are_kept_as_postgresql_shows_them_or_refused() {
    for (name, value, expected) in [
        ("client_encoding", "'utf-8'", "UTF8"),
        ("client_encoding", "UNICODE", "UTF8"),
        ("client_encoding", "latin1", "22023"),
        ("datestyle", "ISO", "ISO, MDY"),
        ("datestyle", "iso, dmy", "ISO, DMY"),
        ("datestyle", "German", "22023"),
        ("statement_timeout", "5000", "5s"),
        ("statement_timeout", "1500", "1500ms"),
        ("statement_timeout", "2 min", "2min"),
        ("statement_timeout", "-1", "22023"),
        ("statement_timeout", "99999999999", "22023"),
        ("extra_float_digits", "3", "3"),
        ("extra_float_digits", "4", "22023"),
        ("jit", "TRUE", "on"),
        ("standard_conforming_strings", "off", "22023"),
        ("standard_conforming_strings", "true", "on"),
        ("TIME ZONE", "Europe/Paris", "Europe/Paris"),
        ("timezone", "utc", "UTC"),
        ("timezone", "a b", "22023"),
        ("application_name", "dé\nja", "d??ja"),
        ("is_superuser", "on", "55P02"),
        ("server_version", "16", "55P02"),
        ("session_authorization", "bo", "55P02"),
        ("nothing", "1", "42704"),
        ("pointillist.epsilon", "0.5", "0.5"),
        ("other.thing", "x", "x"),
        ("a..b", "x", "42704"),
        ("transaction_isolation", "Repeatable Read", "repeatable read"),
    ] {
        assert_eq!(after(name, value), expected, "{name} = {value}");
    }
}

#[test]
fn reset_goes_back_to_where_the_session_started() {
    let mut settings = Settings::new("ana");
    assert_eq!(settings.set("timezone", "Asia/Tokyo"), Ok(Some("TimeZone")));
    settings.keep_as_start();
    assert_eq!(settings.set("timezone", "UTC"), Ok(Some("TimeZone")));
    assert_eq!(settings.set("work_mem", "8MB"), Ok(None));
    assert_eq!(settings.set("pointillist.epsilon", "1"), Ok(None));
    assert_eq!(settings.reset("TIMEZONE"), Ok(Some("TimeZone")));
    assert_eq!(settings.get("timezone"), Some("Asia/Tokyo"));
    assert_eq!(settings.set("application_name", "x"), Ok(Some("application_name")));
    assert_eq!(settings.reset_all(), ["application_name"]);
    assert_eq!((settings.get("work_mem"), settings.get("pointillist.epsilon")), (Some("4MB"), None));
    assert_eq!(settings.reset("nothing").unwrap_err().sqlstate, "42704");
    assert_eq!(settings.reset("no.such"), Ok(None));
}

#[test]
fn a_session_stays_small() {
    let mut settings = Settings::new("ana");
    for number in 0..CUSTOM_MAX {
        assert_eq!(settings.set(&format!("a.b{number}"), "x"), Ok(None));
    }
    assert_eq!(settings.set("a.one_more", "x").unwrap_err().sqlstate, "54000");
    assert_eq!(settings.set("a.b0", "y"), Ok(None));
    assert_eq!(settings.set("a.b0", &"y".repeat(VALUE_MAX + 1)).unwrap_err().sqlstate, "22023");
}
