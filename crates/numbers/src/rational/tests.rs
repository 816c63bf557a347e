//! The exactness claims of rationals, repeated with a second big-number library.

use num_bigint::{BigInt, BigUint};
use pointillist_errors::Explained as _;

use super::*;

fn parse(text: &str) -> Rational {
    Rational::parse(text).expect("a number")
}

#[test]
fn decimals_are_read_exactly() {
    assert_eq!(parse("0.1"), Rational::ratio(1, 10));
    assert_eq!(parse("1e-6"), Rational::ratio(1, 1_000_000));
    assert_eq!(parse("-2.50"), Rational::ratio(-5, 2));
    assert_eq!(parse(".5"), Rational::ratio(1, 2));
    assert_eq!(parse("3."), Rational::from(3));
    assert_eq!(parse("+12E2"), Rational::from(1200));
    assert_eq!(parse("10/4"), Rational::ratio(5, 2));
}

#[test]
fn nonsense_is_refused_with_a_hint() {
    let hostile = [
        "",
        " ",
        "NaN",
        "nan",
        "inf",
        "+inf",
        "-Infinity",
        "0x1p-3",
        "1_0",
        "１",
        "1e",
        "e5",
        ".",
        "--1",
        "1..2",
        "1/0",
        "1/-3",
        "1e309999",
        "1e-401",
        "1 2",
        "0.1.2",
        "1/2/3",
        "١",
        "1e5e5",
        "1e+-5",
        "1e\u{2212}5",
    ];
    for text in hostile {
        let error = Rational::parse(text).expect_err(text).explanation().text();
        assert!(error.contains("hint:"), "{text}: {error}");
    }
    assert!(matches!(Rational::parse(&"9".repeat(10_000)), Err(NumberError::TooLong { length: 10_000 })));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -1e-310] {
        assert!(Rational::from_f64(value).is_err(), "{value}");
    }
}

#[test]
fn display_parses_back_to_the_same_number() {
    for text in ["0.1", "-12.5", "10/3", "1000000", "0.000001", "0", "-7/11", "0.0625"] {
        assert_eq!(parse(text).to_string(), text);
    }
}

#[test]
fn floats_bracket_the_number_as_tightly_as_floats_can() {
    for text in [
        "0.1",
        "1/3",
        "-2/3",
        "1e22",
        "1e300",
        "-1e-300",
        "0",
        "0.5",
        "1e-320",
        "123456789123456789123456789",
    ] {
        let exact = parse(text);
        let (lower, upper) = (exact.to_f64_lower(), exact.to_f64_upper());
        assert!(Rational::exact(lower) <= exact && exact <= Rational::exact(upper), "{text}");
        assert!(lower == upper || lower.next_up() == upper, "{text}: {lower} {upper}");
    }
    assert!(
        Rational::zero().to_f64_lower().is_sign_positive()
            && Rational::zero().to_f64_upper().is_sign_positive()
    );
    assert_eq!(parse("1e400").to_f64_upper(), f64::INFINITY);
    assert_eq!(parse("1e400").to_f64_lower(), f64::MAX);
    assert_eq!(parse("1e-400").to_f64_lower(), 0.0);
    assert_eq!(parse("1e-400").to_f64_upper(), 5e-324);
    for text in [
        "0.1",
        "5e-10",
        "0.3333333333333333333333",
        "123456789.123456789",
        "9007199254740993",
        "1e-400",
        "-0.7",
    ] {
        assert_eq!(parse(text).to_f64_nearest(), text.parse::<f64>().unwrap(), "{text}");
    }
}

#[test]
fn outward_rounding_never_crosses_the_number() {
    for text in ["1/3", "-1/3", "0.1", "7", "1e-30", "12345.678"] {
        let exact = parse(text);
        for bits in [0, 1, 10, 64] {
            assert!(exact.round_up_to_bits(bits) >= exact && exact.round_down_to_bits(bits) <= exact);
            assert!(
                exact.round_up_to_bits(bits) - exact.round_down_to_bits(bits)
                    <= Rational::power_of_two(-bits)
            );
        }
    }
    let tiny = parse("1e-30").round_up_significant(20);
    assert!(tiny >= parse("1e-30") && tiny <= parse("1.00001e-30"));
}

/// Specification: + - * / and comparison of rationals, and the integer operations below them, agree with an
/// independent library, on every small operand and on wide ones that cross word boundaries.
#[test]
fn two_big_number_libraries_agree() {
    let check = |a: &Rational, b: &Rational| {
        let pair = |x: &Rational| -> (BigInt, BigInt) {
            (x.numerator().to_string().parse().unwrap(), x.denominator().to_string().parse().unwrap())
        };
        let same = |found: &Rational, over: BigInt, under: BigInt| {
            let (numerator, denominator) = pair(found);
            assert_eq!(numerator * &under, over * denominator, "{a} {b}");
        };
        let ((an, ad), (bn, bd)) = (pair(a), pair(b));
        same(&(a + b), &an * &bd + &bn * &ad, &ad * &bd);
        same(&(a - b), &an * &bd - &bn * &ad, &ad * &bd);
        same(&(a * b), &an * &bn, &ad * &bd);
        if !b.is_zero() {
            same(&(a / b), &an * &bd, &ad * &bn);
        }
        assert_eq!(a.cmp(b), (&an * &bd).cmp(&(&bn * &ad)));
    };
    let small: Vec<Rational> =
        (-15..=15).flat_map(|n| (1..=13u128).map(move |d| Rational::ratio(n, d))).collect();
    for a in &small {
        for b in &small {
            check(a, b);
        }
    }
    // Wide operands from a plain congruential stream: no randomness is needed, only variety.
    let mut state = 1u64;
    let mut word = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        // Runs of zeros and ones are where carries go wrong.
        match state >> 61 {
            0 => 0,
            1 => u64::MAX,
            _ => state ^ (state >> 29),
        }
    };
    for round in 0..3_000 {
        let mut wide = |words: usize| UBig::from_words(&(0..words).map(|_| word()).collect::<Vec<_>>());
        let (a, b) = (wide(1 + round % 9), wide(1 + round / 9 % 5));
        let (x, y): (BigUint, BigUint) = (a.to_string().parse().unwrap(), b.to_string().parse().unwrap());
        let same = |ours: UBig, theirs: BigUint| assert_eq!(ours.to_string(), theirs.to_string());
        same(&a * &b, &x * &y);
        same(&a + &b, &x + &y);
        same(&a << 67, &x << 67);
        same(&a >> 67, &x >> 67);
        if b != UBig::ZERO {
            same(&a / &b, &x / &y);
            same(&a % &b, &x % &y);
        }
        if a != UBig::ZERO && b != UBig::ZERO {
            let (c, d) = (wide(3) + UBig::ONE, wide(4) + UBig::ONE);
            check(&Rational::new(a.clone(), c).unwrap(), &Rational::new(-IBig::from(b.clone()), d).unwrap());
        }
    }
}

/// The nearest float is one of the two around a number, and no other is nearer; subnormals and what is too large as well.
#[test]
fn the_nearest_float_is_nearest() {
    for text in
        ["0.1", "-0.1", "1/3", "-2/3", "1e22", "123456789.987654321", "3e-324", "7.4e-324", "-1e-310", "0"]
    {
        let exact = parse(text);
        let nearest = exact.to_f64_nearest();
        let far = |float: f64| (&exact - &Rational::exact(float)).abs();
        assert!(
            [nearest.next_up(), nearest.next_down()].into_iter().all(|other| far(nearest) <= far(other)),
            "{text}"
        );
    }
    // Halfway between two floats, the one with an even last bit.
    assert_eq!(Rational::from((1u64 << 53) + 1).to_f64_nearest(), 2f64.powi(53));
    assert_eq!((parse("1e400").to_f64_nearest(), parse("-1e400").to_f64_nearest()), (f64::MAX, f64::MIN));
    assert!(Rational::zero().to_f64_nearest().is_sign_positive());
}
