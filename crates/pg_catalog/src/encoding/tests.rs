//! What PostgreSQL 15 writes and reads, and bytes that nobody would write.

use super::*;
use crate::PgValue;

fn of(base: Base) -> PgType {
    PgType::of(base)
}

fn read(text: &str, kind: PgType) -> PgValue {
    decode_text(text.as_bytes(), kind).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn written(text: &str, kind: PgType) -> String {
    encode_text(&read(text, kind), kind).unwrap_or_else(|| "NULL".to_owned())
}

fn refused(text: &str, kind: PgType) -> &'static str {
    decode_text(text.as_bytes(), kind)
        .map_or_else(|error| error.sqlstate, |value| panic!("{text}: {value:?}"))
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .chunks(2)
        .map(|pair| pair.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ")
}

fn binary(text: &str, kind: PgType) -> String {
    hex(&encode_binary(&read(text, kind), kind).unwrap_or_default())
}

#[test]
fn decimal_numbers_are_groups_of_four_digits() {
    let kind = of(Base::Numeric);
    for (text, bytes) in [
        ("-12345.678", "0003 0001 4000 0003 0001 0929 1a7c"),
        ("0", "0000 0000 0000 0000"),
        ("0.0001", "0001 ffff 0000 0004 0001"),
        ("0.00", "0000 0000 0000 0002"),
        ("10000", "0001 0001 0000 0000 0001"),
        ("1.50", "0002 0000 0000 0002 0001 1388"),
        ("NaN", "0000 0000 c000 0000"),
        ("Infinity", "0000 0000 d000 0020"),
        ("-Infinity", "0000 0000 f000 0020"),
        ("0.00000001", "0001 fffe 0000 0008 0001"),
        (
            "123456789012345678901234567890.123",
            "0009 0007 0000 0003 000c 0d80 1ed2 04d2 162e 2334 0d80 1ed2 04ce",
        ),
    ] {
        assert_eq!(binary(text, kind), bytes, "{text}");
        let value = read(text, kind);
        let back = decode_binary(&encode_binary(&value, kind).unwrap(), kind).unwrap();
        assert_eq!(encode_text(&back, kind).as_deref(), Some(text));
    }
}

#[test]
fn decimal_numbers_are_read_as_they_are_written() {
    let kind = of(Base::Numeric);
    for (text, digits) in [
        (" 007.50 ", "7.50"),
        ("-0.0", "0.0"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1.5e-3", "0.0015"),
        ("-12.34E1", "-123.4"),
        ("123e-2", "1.23"),
        ("0e100000", "0"),
        ("0.000e2", "0.0"),
        ("+nan", "refused"),
        ("1e", "refused"),
        ("", "refused"),
        (".", "refused"),
        ("1 2", "refused"),
        ("0x10", "refused"),
    ] {
        match digits {
            "refused" => assert_eq!(refused(text, kind), "22P02", "{text}"),
            digits => assert_eq!(written(text, kind), digits, "{text}"),
        }
    }
    for text in ["1e131072", "1e-16384", "1e2147483647", "1e-2147483648"] {
        assert_eq!(refused(text, kind), "22003", "{text}");
    }
    assert_eq!(written("1e400", kind).len(), 401);
}

/// Specification: memory is a small multiple of what was sent; zeros that only an exponent or a weight asks for are few.
#[test]
fn few_bytes_do_not_become_many_zeros() {
    let kind = of(Base::Numeric);
    for text in ["1e401", "1e131071", "1e-16000", "0e-16000"] {
        assert_eq!(refused(text, kind), "22003", "{text}");
    }
    let header = |count: u16, weight: i16, scale: u16| {
        let parts = [count, weight as u16, 0, scale, 1];
        parts[..4 + usize::from(count)].iter().flat_map(|part| part.to_be_bytes()).collect::<Vec<u8>>()
    };
    for bytes in [header(1, i16::MAX, 0), header(1, 102, 0), header(0, 0, 16_383), header(1, 0, 405)] {
        assert!(decode_binary(&bytes, kind).is_err(), "{bytes:?}");
    }
    assert!(decode_binary(&header(1, 100, 0), kind).is_ok());
    assert!(decode_binary(&header(0, i16::MAX, 2), kind).is_ok());
}

#[test]
fn days_and_moments_are_of_the_proleptic_gregorian_calendar() {
    for (text, days) in [
        ("2000-01-01", 0),
        ("1999-12-31", -1),
        ("1970-01-01", -10_957),
        ("2024-02-29", 8825),
        ("0001-01-01", -730_119),
        ("0001-12-31 BC", -730_120),
        ("4714-11-24 BC", -2_451_545),
        ("5874897-12-31", 2_145_031_948),
        ("infinity", i32::MAX),
        ("-infinity", i32::MIN),
    ] {
        assert_eq!(read(text, of(Base::Date)), PgValue::Date(days), "{text}");
        assert_eq!(written(text, of(Base::Date)), text);
    }
    for (text, printed) in [
        ("2020-01-01 +00", "2020-01-01"),
        ("1970-01-01T00:00:00.000+00:00", "1970-01-01"),
        ("20200131", "2020-01-31"),
        ("2020-1-3", "2020-01-03"),
    ] {
        assert_eq!(written(text, of(Base::Date)), printed);
    }
    for text in [
        "",
        "today!",
        "2020-13-01",
        "2023-02-29",
        "2020-01",
        "0000-01-01",
        "2020-01-01 25:00",
        "2020-01-01 x",
    ] {
        assert!(["22007", "22008"].contains(&refused(text, of(Base::Date))), "{text}");
    }
}

#[test]
fn an_offset_moves_a_moment_only_where_the_type_has_time_zones() {
    for (text, plain, zoned) in [
        ("2020-01-01 00:00:00+00", "2020-01-01 00:00:00", "2020-01-01 00:00:00+00"),
        ("2020-01-01T12:30:59.5Z", "2020-01-01 12:30:59.5", "2020-01-01 12:30:59.5+00"),
        ("2020-01-01 00:30+02", "2020-01-01 00:30:00", "2019-12-31 22:30:00+00"),
        ("2020-01-01 00:00:00-03:30", "2020-01-01 00:00:00", "2020-01-01 03:30:00+00"),
        ("2020-01-01 24:00:00 UTC", "2020-01-02 00:00:00", "2020-01-02 00:00:00+00"),
        ("2020-01-01 23:59:59.9999999", "2020-01-02 00:00:00", "2020-01-02 00:00:00+00"),
        ("0044-03-15 01:00:00 BC", "0044-03-15 01:00:00 BC", "0044-03-15 01:00:00+00 BC"),
        ("2020-01-01", "2020-01-01 00:00:00", "2020-01-01 00:00:00+00"),
    ] {
        assert_eq!(written(text, of(Base::Timestamp)), plain, "{text}");
        assert_eq!(written(text, of(Base::Timestamptz)), zoned, "{text}");
    }
    assert_eq!(binary("2000-01-01 00:00:01", of(Base::Timestamp)), "0000 0000 000f 4240");
    assert_eq!(binary("infinity", of(Base::Timestamp)), "7fff ffff ffff ffff");
}

#[test]
fn booleans_are_read_in_every_spelling() {
    for text in ["t", "TRUE", "true", "1", "on", "y", " yes "] {
        assert_eq!(read(text, of(Base::Bool)), PgValue::Bool(true), "{text}");
    }
    for text in ["f", "FALSE", "0", "off", "n", "no"] {
        assert_eq!(read(text, of(Base::Bool)), PgValue::Bool(false), "{text}");
    }
    for text in ["", "o", "2", "truer", "nope"] {
        assert_eq!(refused(text, of(Base::Bool)), "22P02", "{text}");
    }
}

#[test]
fn whole_numbers_fit_their_type_or_are_refused() {
    assert_eq!(read(" -32768 ", of(Base::Int2)), PgValue::Int(-32_768));
    for (text, base, sqlstate) in [
        ("32768", Base::Int2, "22003"),
        ("2147483648", Base::Int4, "22003"),
        ("9223372036854775808", Base::Int8, "22003"),
        ("1.0", Base::Int4, "22P02"),
        ("", Base::Int4, "22P02"),
        ("-", Base::Int8, "22P02"),
        ("4294967296", Base::Oid, "22003"),
    ] {
        assert_eq!(refused(text, of(base)), sqlstate, "{text}");
    }
    assert_eq!(read("-1", of(Base::Oid)), PgValue::Int(4_294_967_295));
    assert_eq!(encode_binary(&PgValue::Int(70_000), of(Base::Int2)), None, "too large is not another number");
    assert_eq!(binary("258", of(Base::Int4)), "0000 0102");
}

#[test]
fn floats_print_as_postgresql_prints_them() {
    for (value, text) in [
        (1.0, "1"),
        (0.1, "0.1"),
        (1e14, "100000000000000"),
        (1e15, "1e+15"),
        (1.5e-5, "1.5e-05"),
        (0.0001, "0.0001"),
        (-1.234_567_890_123_456_8e17, "-1.2345678901234568e+17"),
        (1e300, "1e+300"),
        (f64::NAN, "NaN"),
        (f64::NEG_INFINITY, "-Infinity"),
        (-0.0, "-0"),
    ] {
        assert_eq!(encode_text(&PgValue::Float(value), of(Base::Float8)).as_deref(), Some(text));
    }
    assert_eq!(encode_text(&PgValue::Float(f64::from(0.1_f32)), of(Base::Float4)).as_deref(), Some("0.1"));
    assert_eq!(encode_text(&PgValue::Float(1e6), of(Base::Float4)).as_deref(), Some("1e+06"));
    assert_eq!(refused("1e400", of(Base::Float8)), "22003");
    assert_eq!(refused("infinit", of(Base::Float8)), "22P02");
}

#[test]
fn arrays_are_read_and_written_with_quotes_where_they_are_needed() {
    let kind = PgType::array(Base::Text);
    for (text, printed) in [
        ("{a,\"b c\",NULL}", "{a,\"b c\",NULL}"),
        ("{ \"p\" , f }", "{p,f}"),
        ("{}", "{}"),
        ("{\"\",\"null\",\"a\\\"b\",\"a\\\\b\"}", "{\"\",\"null\",\"a\\\"b\",\"a\\\\b\"}"),
        ("[0:1]={a,b}", "[0:1]={a,b}"),
        ("{a b }", "{\"a b\"}"),
    ] {
        assert_eq!(written(text, kind), printed, "{text}");
        let bytes = encode_binary(&read(text, kind), kind).unwrap();
        assert_eq!(decode_binary(&bytes, kind).unwrap(), read(text, kind), "{text}");
    }
    for text in ["", "a", "{", "{a", "{a,}", "{,}", "{\"a}", "{{a}}", "{\"a\"b}", "[x:1]={a}", "{a\\", "{\\"]
    {
        assert_eq!(refused(text, kind), "22P02", "{text}");
    }
    assert_eq!(binary("{}", kind), "0000 0000 0000 0000 0000 0019");
    assert_eq!(
        binary("{1,NULL}", PgType::array(Base::Int2)),
        "0000 0001 0000 0001 0000 0015 0000 0002 0000 0001 0000 0002 0001 ffff ffff"
    );
}

#[test]
fn vectors_begin_at_zero() {
    let kind = of(Base::Int2Vector);
    assert_eq!(written("1 2", kind), "1 2");
    assert_eq!(
        binary("1 2", kind),
        "0000 0001 0000 0000 0000 0015 0000 0002 0000 0000 0000 0002 0001 0000 0002 0002"
    );
    assert_eq!(written("", of(Base::OidVector)), "");
}

#[test]
fn intervals_print_as_postgresql_prints_them() {
    for (text, printed) in [
        ("1 year 2 mons 3 days 04:05:06.7", "1 year 2 mons 3 days 04:05:06.7"),
        ("-30 day", "-30 days"),
        ("-1 mon +1 day", "-1 mons +1 day"),
        ("0", "00:00:00"),
        ("1 day ago", "-1 days"),
        ("P1DT2H", "1 day 02:00:00"),
        ("1.5 hours", "01:30:00"),
        ("1.5 days", "1 day 12:00:00"),
        ("-04:05", "-04:05:00"),
    ] {
        assert_eq!(written(text, of(Base::Interval)), printed, "{text}");
    }
    assert_eq!(
        binary("1 mon 2 days 00:00:01", of(Base::Interval)),
        "0000 0000 000f 4240 0000 0002 0000 0001"
    );
    for text in ["", "day", "1 fortnight", "P", "1:2:3:4", "99999999999 years"] {
        assert_eq!(refused(text, of(Base::Interval)), "22P02", "{text}");
    }
}

#[test]
fn odd_types_keep_to_their_formats() {
    assert_eq!(encode_text(&PgValue::Null, of(Base::Void)).as_deref(), Some(""));
    assert_eq!(encode_binary(&PgValue::Null, of(Base::Void)), Some(Vec::new()));
    let class = PgValue::Reg { oid: 1259, name: "pg_class".to_owned() };
    assert_eq!(encode_text(&class, of(Base::Regclass)).as_deref(), Some("pg_class"));
    assert_eq!(encode_binary(&class, of(Base::Regclass)), Some(vec![0, 0, 4, 235]));
    assert_eq!(read("\"visits\"", of(Base::Regclass)), PgValue::text("\"visits\""), "others look it up");
    assert_eq!(encode_binary(&PgValue::text("r"), of(Base::Char)), Some(vec![b'r']));
    assert_eq!(encode_binary(&PgValue::text(""), of(Base::Char)), Some(vec![0]));
    assert_eq!(decode_binary(&[200], of(Base::Char)).unwrap(), PgValue::text("\\310"));
    assert_eq!(encode_binary(&PgValue::text("\\310"), of(Base::Char)), Some(vec![200]));
    assert_eq!(written("a\\001", of(Base::Bytea)), "\\x6101");
    assert_eq!(encode_binary(&PgValue::text("\\x6101"), of(Base::Bytea)), Some(vec![0x61, 1]));
    let row =
        PgValue::Record(vec![("x".to_owned(), PgValue::Int(1)), ("n".to_owned(), PgValue::text("a b"))]);
    assert_eq!(encode_text(&row, of(Base::Record)).as_deref(), Some("(1,\"a b\")"));
    assert_eq!(decode_text(b"a\0b", of(Base::Text)).unwrap_err().sqlstate, "22021");
    assert_eq!(decode_binary(&[0xff], of(Base::Text)).unwrap_err().sqlstate, "22021");
}

/// Specification: whatever the bytes, reading ends with a value or an error; what was read can be written in both formats,
/// and what was written in binary reads back as the same value.
#[test]
fn no_bytes_make_reading_or_writing_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let signs = b"0123456789-+:. eTZ{}\",\\()[]=NULLinfty\x00\x01\xff";
    let kinds: Vec<PgType> = PgType::all().collect();
    for round in 0..60_000 {
        let kind = kinds[round % kinds.len()];
        let length = (random() % 40) as usize;
        let is_text = random() % 2 == 0;
        let mut bytes: Vec<u8> = (0..length)
            .map(|_| if is_text { signs[(random() % signs.len() as u64) as usize] } else { random() as u8 })
            .collect();
        if !is_text && kind.element().is_some() && bytes.len() > 12 {
            // A header that is right brings the rest of the bytes to the test.
            bytes[..4].copy_from_slice(&1_i32.to_be_bytes());
            bytes[8..12].copy_from_slice(&kind.element().unwrap().oid().to_be_bytes());
        }
        for value in [decode_text(&bytes, kind), decode_binary(&bytes, kind)].into_iter().flatten() {
            let text = encode_text(&value, kind);
            let written = encode_binary(&value, kind);
            let Some(written) = written else { continue };
            let back =
                decode_binary(&written, kind).unwrap_or_else(|error| panic!("{value:?} {kind:?}: {error}"));
            assert_eq!(encode_text(&back, kind), text, "{value:?} {kind:?}");
        }
    }
}
