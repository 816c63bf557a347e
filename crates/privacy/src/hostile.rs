//! The strings of the threat model (L10) that no parameter accepts.

use crate::ParameterError;
use pointillist_errors::Explained as _;

/// Every text here is refused, whatever the parameter, with a message that says what to write instead.
pub(crate) fn assert_refuses_hostile_texts<T: std::fmt::Debug>(
    parse: impl Fn(&str) -> Result<T, ParameterError>,
) {
    let digits = "9".repeat(10_000);
    let zeros = format!("0.{}1", "0".repeat(9_998));
    let texts = [
        "NaN",
        "nan",
        "-0",
        "-0.0",
        "-0e5",
        "-1e-9",
        "5e-324",
        "1e-400",
        "1e-401",
        "1e309",
        "0x1p-3",
        "１",
        "1_0",
        "+inf",
        "-inf",
        "Infinity",
        "",
        " ",
        "0.5 ",
        "0,5",
        "1e",
        "--1",
        "1/0",
        "-1/-2",
        "1/-2",
        "0.5\u{0}",
        "½",
        "1e+",
        "1e9999999999999999999",
        "1e400/1e-400",
        "١",
        &digits,
        &zeros,
    ];
    for text in texts {
        let shown: String = text.chars().take(20).collect();
        let message = parse(text).expect_err(&shown).explanation().text();
        assert!(message.contains("\nhint: "), "{shown}: {message}");
        assert!(message.chars().count() < 400, "{shown}: a message stays short");
    }
}

/// Every float here is refused, whatever the parameter.
pub(crate) fn assert_refuses_hostile_floats<T: std::fmt::Debug>(
    from_f64: impl Fn(f64) -> Result<T, ParameterError>,
) {
    let subnormal = f64::MIN_POSITIVE / 2.0;
    for value in
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, -1.0, 5e-324, subnormal, -subnormal, f64::MAX]
    {
        let message = from_f64(value).expect_err(&value.to_string()).explanation().text();
        assert!(message.contains("\nhint: "), "{value}: {message}");
    }
}
