//! Every day by hand, known days, and what is no day.

use super::*;

fn day(text: &str) -> i32 {
    parse_date(text).unwrap()
}

/// Counted by hand, without a formula: 3,652,059 days.
#[test]
fn every_day_of_the_calendar_has_its_name_and_back() {
    let mut name = Civil { year: 1, month: 1, day: 1 };
    let (mut weekday, mut of_year) = (1, 1);
    for count in DAYS.0..=DAYS.1 {
        assert_eq!((civil(count), days(name)), (Some(name), Some(count)));
        assert_eq!((day_of_week(count), day_of_year(name)), (weekday, of_year));
        weekday = (weekday + 1) % 7;
        of_year += 1;
        name.day += 1;
        if name.day > month_length(name.year, name.month) {
            name = Civil { year: name.year, month: name.month + 1, day: 1 };
        }
        if name.month > 12 {
            name = Civil { year: name.year + 1, month: 1, day: 1 };
            of_year = 1;
        }
    }
    assert_eq!(name, Civil { year: 10_000, month: 1, day: 1 });
    for outside in [i32::MIN, DAYS.0 - 1, DAYS.1 + 1, i32::MAX] {
        assert_eq!((civil(outside), add_months(outside, 0)), (None, None));
    }
}

#[test]
fn known_days_are_where_they_are() {
    assert_eq!((day("1970-01-01"), day("2000-02-29"), day("1969-12-31")), (0, 11_016, -1));
    assert_eq!((day("0001-01-01"), day("9999-12-31")), (DAYS.0, DAYS.1));
    assert_eq!(day_of_week(day("2026-03-01")), 0, "a Sunday");
    assert_eq!(day_of_year(civil(day("2024-12-31")).unwrap()), 366);
}

/// The examples of ISO 8601 and the ends of the calendar.
#[test]
fn iso_weeks_belong_to_the_year_of_their_thursday() {
    for (text, week) in [
        ("1977-01-01", 53),
        ("1977-01-02", 53),
        ("1977-12-31", 52),
        ("1978-01-01", 52),
        ("1978-01-02", 1),
        ("1980-12-29", 1),
        ("2004-12-31", 53),
        ("2010-01-03", 53),
        ("2010-01-04", 1),
        ("0001-01-01", 1),
        ("9999-12-31", 52),
    ] {
        assert_eq!(iso_week(day(text)), Some(week), "{text}");
    }
}

#[test]
fn months_are_added_and_days_cut_to_the_last() {
    assert_eq!(add_months(day("2024-01-31"), 1), Some(day("2024-02-29")));
    assert_eq!(add_months(day("2023-01-31"), 1), Some(day("2023-02-28")));
    assert_eq!(add_months(day("2024-02-29"), -12), Some(day("2023-02-28")));
    assert_eq!(add_months(day("2024-11-30"), 3), Some(day("2025-02-28")));
    assert_eq!(add_months(day("9999-12-01"), 1), None);
    assert_eq!(add_months(day("0001-01-31"), -1), None);
    for months in [i64::MIN, i64::MAX] {
        assert_eq!(add_months(0, months), None);
    }
}

#[test]
fn moments_are_read_in_one_notation_only() {
    assert_eq!(parse_date_or_timestamp("1970-01-01 00:00:01.5"), Some(1_500_000));
    assert_eq!(parse_date_or_timestamp("1970-01-01T00:01"), Some(60_000_000));
    assert_eq!(parse_date_or_timestamp("1969-12-31t23:59:59.999999"), Some(-1));
    assert_eq!(parse_date_or_timestamp("1970-01-02"), Some(DAY));
    for not_one in [
        "",
        "1970",
        "1970-1-1",
        "1970-01-32",
        "1970-02-29",
        "0000-01-01",
        "10000-01-01",
        "-001-01-01",
        "1970-01-01 ",
        "1970-01-01 1:00",
        "1970-01-01 24:00",
        "1970-01-01 00:60",
        "1970-01-01 00:00:60",
        "1970-01-01 00:00:00.",
        "1970-01-01 00:00:00.1234567",
        "1970-01-01 00:00Z",
        "1970-01-0é",
        "+970-01-01",
        "1970-01-01 00:00:0é",
    ] {
        assert_eq!(parse_date_or_timestamp(not_one), None, "{not_one:?}");
    }
}

#[test]
fn known_days_have_their_numbers() {
    for (text, days) in [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2000-02-29", 11_016),
        ("2020-01-01", 18_262),
        ("2026-12-31", 20_818),
        ("0001-01-01", -719_162),
        ("9999-12-31", 2_932_896),
    ] {
        assert_eq!(parse_date(text), Some(days), "{text}");
        assert_eq!(date_text(days), text);
    }
}

#[test]
fn days_of_the_whole_calendar_come_back() {
    // 97 has no factor in common with the lengths of years and cycles: every kind of day is visited.
    for days in (-719_162..=2_932_896).step_by(97) {
        assert_eq!(parse_date(&date_text(days)), Some(days));
    }
}

#[test]
fn what_is_no_day_is_refused() {
    for text in [
        "2021-02-29",
        "1900-02-29",
        "2020-13-01",
        "2020-00-10",
        "2020-01-00",
        "2020-1-1",
        "0000-01-01",
        "",
        "２０２０-01-01",
        "2020-01-01 ",
    ] {
        assert_eq!(parse_date(text), None, "{text}");
    }
}

#[test]
fn moments_are_counted_in_microseconds() {
    for (text, micros) in [
        ("1970-01-01T00:00:00", 0),
        ("1969-12-31T23:59:59.999999", -1),
        ("2020-01-01T12:30:15.5", 18_262 * DAY + 45_015_500_000),
    ] {
        assert_eq!(parse_timestamp(text), Some(micros), "{text}");
        assert_eq!(timestamp_text(micros), text);
    }
    assert_eq!(parse_timestamp("2020-01-01 12:30"), parse_timestamp("2020-01-01T12:30:00"));
    for text in [
        "2020-01-01",
        "2020-01-01T24:00:00",
        "2020-01-01T23:59:60",
        "2020-01-01T00:00:00Z",
        "2020-01-01T00:00:00.1234567",
        "2020-01-01T00:00:00.",
        "2020-01-01T00-00",
        "2020-01-0１T00:00",
    ] {
        assert_eq!(parse_timestamp(text), None, "{text}");
    }
}
