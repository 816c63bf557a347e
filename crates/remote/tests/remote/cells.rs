//! Hostile values of every type that a column of a server may have, in the server's words and as Arrow has them.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float32Array, Float64Array, Int16Array, Int32Array, Int64Array,
    StringArray, TimestampMicrosecondArray,
};
use pointillist_catalog::calendar;

use crate::chance::Chance;

/// What a column is stored as on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Int8,
    Int4,
    Int2,
    Float8,
    Float4,
    Numeric,
    Text,
    Varchar,
    Label,
    Uuid,
    Padded,
    Boolean,
    Date,
    Timestamp,
    Zoned,
}

/// A value: as the server reads it, and as a file holds it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Datum {
    Whole(i64),
    Double(f64),
    Single(f32),
    /// Digits, of which a file has a text.
    Decimal(String),
    Text(String),
    Boolean(bool),
    Date(String, i32),
    Moment(String, i64),
}

pub(crate) type Cell = Option<Datum>;

impl Store {
    /// The type on the server.
    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::Int2 => "int2",
            Self::Float8 => "float8",
            Self::Float4 => "float4",
            Self::Numeric => "numeric",
            Self::Text => "text",
            Self::Varchar => "varchar",
            Self::Label => "public.label",
            Self::Uuid => "uuid",
            Self::Padded => "char(6)",
            Self::Boolean => "bool",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::Zoned => "timestamptz",
        }
    }

    /// The same on Spark, of which a text is what has no type of its own there; decimals have several.
    pub(crate) fn spark(self) -> &'static str {
        match self {
            Self::Int8 => "BIGINT",
            Self::Int4 => "INT",
            Self::Int2 => "SMALLINT",
            Self::Float8 => "DOUBLE",
            Self::Float4 => "FLOAT",
            Self::Numeric | Self::Text | Self::Varchar | Self::Label | Self::Uuid | Self::Padded => "STRING",
            Self::Boolean => "BOOLEAN",
            Self::Date => "DATE",
            Self::Timestamp => "TIMESTAMP_NTZ",
            Self::Zoned => "TIMESTAMP",
        }
    }

    /// The column of a file that holds the same.
    pub(crate) fn array(self, cells: &[Cell]) -> ArrayRef {
        macro_rules! of {
            ($array:ty, $variant:ident, $value:expr) => {
                cells
                    .iter()
                    .map(|cell| match cell {
                        Some(Datum::$variant(value)) => Some($value(value)),
                        None => None,
                        Some(other) => panic!("{other:?} in a column of {self:?}"),
                    })
                    .collect::<$array>()
            };
        }
        let text = |text: &String| text.clone();
        match self {
            Self::Int8 => Arc::new(of!(Int64Array, Whole, |value: &i64| *value)),
            Self::Int4 => Arc::new(of!(Int32Array, Whole, |value: &i64| i32::try_from(*value).unwrap())),
            Self::Int2 => Arc::new(of!(Int16Array, Whole, |value: &i64| i16::try_from(*value).unwrap())),
            Self::Float8 => Arc::new(of!(Float64Array, Double, |value: &f64| *value)),
            Self::Float4 => Arc::new(of!(Float32Array, Single, |value: &f32| *value)),
            // No decimal of Arrow has thousands of digits; a text is read digit by digit.
            Self::Numeric => Arc::new(of!(StringArray, Decimal, text)),
            Self::Text | Self::Varchar | Self::Label | Self::Uuid | Self::Padded => {
                Arc::new(of!(StringArray, Text, text))
            }
            Self::Boolean => Arc::new(of!(BooleanArray, Boolean, |value: &bool| *value)),
            Self::Date => Arc::new(
                cells
                    .iter()
                    .map(|cell| match cell {
                        Some(Datum::Date(_, days)) => Some(*days),
                        _ => None,
                    })
                    .collect::<Date32Array>(),
            ),
            Self::Timestamp | Self::Zoned => {
                let moments = cells.iter().map(|cell| match cell {
                    Some(Datum::Moment(_, micros)) => Some(*micros),
                    _ => None,
                });
                let moments = moments.collect::<TimestampMicrosecondArray>();
                match self {
                    Self::Zoned => Arc::new(moments.with_timezone("UTC")),
                    _ => Arc::new(moments),
                }
            }
        }
    }

    /// A value that makes trouble, or NULL.
    pub(crate) fn cell(self, chance: &mut Chance) -> Cell {
        if chance.one_in(7) {
            return None;
        }
        let small = [0, 1, 1, 2, 3, -1, -2, 7];
        Some(match self {
            Self::Int8 => Datum::Whole(match chance.below(3) {
                // Ties of ranks under a key of ones: each of these has the same hash.
                0 => *chance.pick(&[1, 1 << 31, 1 << 62]),
                1 => *chance.pick(&[i64::MIN, i64::MAX, i64::MIN + 1, -(1 << 31), 1 << 53, (1 << 53) + 1]),
                _ => *chance.pick(&small),
            }),
            Self::Int4 => Datum::Whole(*chance.pick(&[0, 1, 2, -1, i32::MIN.into(), i32::MAX.into(), 100])),
            Self::Int2 => Datum::Whole(*chance.pick(&[0, 1, 2, -1, i16::MIN.into(), i16::MAX.into()])),
            Self::Float8 => Datum::Double(*chance.pick(&[
                0.0,
                -0.0,
                1.5,
                1.5,
                -2.0,
                0.1,
                0.25,
                2.5,
                -0.5,
                f64::MAX,
                f64::MIN,
                5e-324,
                -5e-324,
                2.2e-308,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                9_223_372_036_854_775_808.0,
                -9_223_372_036_854_775_808.0,
                1e-310,
                4_503_599_627_370_497.5,
                0.499_999_999_999_999_94,
            ])),
            Self::Float4 => Datum::Single(*chance.pick(&[
                0.0,
                -0.0,
                0.1,
                1.5,
                -2.5,
                f32::MAX,
                f32::MIN,
                1e-45,
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
            ])),
            Self::Numeric => Datum::Decimal(decimal(chance)),
            Self::Text | Self::Varchar => Datum::Text(text(chance)),
            Self::Label => Datum::Text((*chance.pick(&["north", "south", "", "it's", "Zebra"])).to_owned()),
            Self::Uuid => Datum::Text(uuid(chance.below(4))),
            // As the server gives them back: without blanks at the end.
            Self::Padded => Datum::Text((*chance.pick(&["", "a", " b", "é😀"])).to_owned()),
            Self::Boolean => Datum::Boolean(chance.one_in(2)),
            Self::Date => date(chance),
            Self::Timestamp | Self::Zoned => moment(chance, self == Self::Zoned),
        })
    }
}

impl Datum {
    /// In the words of the server.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Double(value) => format!("{value:?}"),
            Self::Single(value) => format!("{value:?}"),
            Self::Decimal(text) | Self::Text(text) | Self::Date(text, _) | Self::Moment(text, _) => {
                text.clone()
            }
            Self::Boolean(value) => value.to_string(),
        }
    }
}

pub(crate) fn uuid(number: usize) -> String {
    format!("0000000{number}-abcd-4000-8000-00000000000{}", ["0", "f", "a", "1"][number % 4])
}

fn decimal(chance: &mut Chance) -> String {
    match chance.below(9) {
        0 => (*chance.pick(&["NaN", "Infinity", "-Infinity"])).to_owned(),
        1 => format!("{}{}", ["", "-"][chance.below(2)], "7".repeat(*chance.pick(&[40, 309, 310, 3000]))),
        2 => format!(
            "{}0.{}3",
            ["", "-"][chance.below(2)],
            "0".repeat(*chance.pick(&[30, 322, 323, 324, 400, 4000]))
        ),
        3 => (*chance.pick(&[
            "9223372036854775807",
            "9223372036854775807.4",
            "9223372036854775807.5",
            "-9223372036854775808.5",
            "-9223372036854775808.4",
            "9223372036854775808",
        ]))
        .to_owned(),
        4 => format!("{}.5{}", chance.below(4), "0".repeat(chance.below(900))),
        5 => format!("-{}.5", chance.below(4)),
        6 => (*chance.pick(&["1.50", "1.5", "1", "1.000", "0", "-0.0", "0.1", "2.4999999999999999999999"]))
            .to_owned(),
        // Around the largest float, and around half of the least.
        7 => match chance.below(2) {
            0 => format!("17976931348623158{}", "0".repeat(292)),
            _ => format!("0.{}24703282292062327208", "0".repeat(323)),
        },
        _ => chance.below(5).to_string(),
    }
}

pub(crate) fn text(chance: &mut Chance) -> String {
    match chance.below(14) {
        0 => "x".repeat(*chance.pick(&[9_999, 10_000, 10_001, 20_000])),
        1 => format!("{}{}", "y".repeat(*chance.pick(&[9_996, 9_997, 9_998, 9_999])), "😀é"),
        2 => (*chance.pick(&["'", "\"", "\\", "\\'; DROP TABLE visits; --", "$$", "$1", "/*", "U&'\\0041'"]))
            .to_owned(),
        3 => (*chance.pick(&["é", "e\u{301}", "\u{1F9D0}", "\u{212A}", "ß", "İ", "\u{ffff}a", "\u{feff}"]))
            .to_owned(),
        4 => (*chance.pick(&["a ", " a", "A", "a\n", "a\tb", "%", "_", "a|b"])).to_owned(),
        _ => (*chance.pick(&["", "a", "a", "b", "ab", "z"])).to_owned(),
    }
}

fn date(chance: &mut Chance) -> Datum {
    let beyond: [(&str, i32); 6] = [
        ("infinity", i32::MAX),
        ("-infinity", i32::MIN),
        ("0001-12-31 BC", -719_163),
        ("4713-01-01 BC", -2_440_550),
        ("10000-01-01", 2_932_897),
        ("5874897-12-31", 2_145_031_948),
    ];
    if chance.one_in(4) {
        let (text, days) = chance.pick(&beyond);
        return Datum::Date((*text).to_owned(), *days);
    }
    let days = *chance.pick(&[calendar::DAYS.0, calendar::DAYS.1, 0, -1, 18_321, 18_322, 18_323]);
    Datum::Date(calendar::date_text(days), days)
}

fn moment(chance: &mut Chance, zoned: bool) -> Datum {
    let beyond: [(&str, i64); 5] = [
        ("infinity", i64::MAX),
        ("-infinity", i64::MIN),
        ("0001-12-31 23:59:59.999999 BC", calendar::MOMENTS.0 - 1),
        ("10000-01-01 00:00:00", calendar::MOMENTS.1 + 1),
        ("294276-12-31 23:59:59.999999", 9_223_371_331_199_999_999),
    ];
    let zone = if zoned { "+00" } else { "" };
    if chance.one_in(4) {
        let (text, micros) = chance.pick(&beyond);
        let text = match text.strip_suffix(" BC") {
            Some(before) => format!("{before}{zone} BC"),
            None if text.contains("inf") => (*text).to_owned(),
            None => format!("{text}{zone}"),
        };
        return Datum::Moment(text, *micros);
    }
    let micros =
        *chance.pick(&[calendar::MOMENTS.0, calendar::MOMENTS.1, 0, -1, 1, 1_582_934_400_000_000, 999_999]);
    Datum::Moment(format!("{}{zone}", calendar::timestamp_text(micros)), micros)
}
