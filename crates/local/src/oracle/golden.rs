//! Values computed elsewhere, from closed forms with many digits and from enumeration.

use pointillist_mechanisms::LogisticCoin;
use pointillist_numbers::{Rational, UBig};
use pointillist_privacy::Epsilon;

use super::*;
use crate::Collector;

/// A decimal with an exponent of any size, exactly.
fn decimal(text: &str) -> Rational {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap();
    let power = Rational::from(UBig::from(10u8).pow(exponent.unsigned_abs() as usize));
    let mantissa = Rational::parse(mantissa).unwrap();
    if exponent >= 0 { mantissa * power } else { mantissa / power }
}

#[track_caller]
fn assert_near(got: &Rational, want: &str, relative: &str) {
    let want = decimal(want);
    let allowed = want.abs() * decimal(relative);
    assert!((got - &want).abs() <= allowed, "{} is not {}", got.to_f64_upper(), want.to_f64_upper());
}

#[track_caller]
fn assert_float_near(got: f64, want: &str, relative: &str) {
    assert_near(&Rational::from_f64(got).unwrap(), want, relative);
}

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn binary(gamma: &str) -> BinaryResponse {
    BinaryResponse::with_gamma(decimal(gamma)).unwrap()
}

#[test]
fn a_gamma_costs_its_epsilon() {
    let cases = [
        ("0.25", "1.09861228866810969139524523692", "0.75"),
        ("0.1", "0.405465108108164381978013115464", "0.6"),
        ("0.4", "2.19722457733621938279049047385", "0.9"),
        ("0.001", "0.00400000533334613336990487568291", "0.501"),
        ("0.499", "6.9067547786485535185538313818", "0.999"),
        ("2.5e-07", "0.00000100000000000008333333333334583", "0.50000025"),
    ];
    for (gamma, loss, truth) in cases {
        let binary = binary(gamma);
        assert_near(binary.loss().pure_epsilon().unwrap().value(), loss, "1e-12");
        assert!(
            *binary.loss().pure_epsilon().unwrap().value()
                >= decimal(loss) * decimal("0.9999999999999999999")
        );
        assert_float_near(binary.rates().own, truth, "1e-12");
    }
}

#[test]
fn an_epsilon_has_its_gamma() {
    let cases = [
        ("1.0", "0.231058578630004879251159241822", "0.268941421369995120748840758178"),
        ("0.1", "0.0249791874789399860991931826041", "0.475020812521060013900806817396"),
        ("1e-06", "0.00000024999999999997916666666666875", "0.499999750000000000020833333333"),
        ("50.0", "0.499999999999999999999807125015", "1.92874984796391778301697080893e-22"),
    ];
    for (loss, gamma, lie) in cases {
        let rates = BinaryResponse::new(&epsilon(loss)).rates();
        assert_float_near(rates.gap / 2.0, gamma, "1e-12");
        assert_float_near(rates.other, lie, "1e-12");
    }
}

#[test]
fn surveys_are_estimated_as_expected() {
    let cases = [
        ("0.25", 100, 60, ["70.0", "0.7", "75.0", "0.0075"]),
        ("0.1", 1000, 480, ["400.0", "0.4", "6000.0", "0.006"]),
        ("0.4", 10, 9, ["10.0", "1.0", "1.40625", "0.0140625"]),
        ("0.001", 1000000, 500100, ["550000.0", "0.55", "62499750000.0", "0.06249975"]),
    ];
    for (gamma, n, ones, [count, share, variance_count, variance_share]) in cases {
        let oracle = Oracle::Binary(binary(gamma));
        let mut collector = Collector::new(oracle);
        for person in 0..n {
            collector.absorb(&Report::Value(u64::from(person < ones))).unwrap();
        }
        let yes = &collector.estimates()[1];
        assert_float_near(yes.count, count, "1e-12");
        assert_float_near(yes.share, share, "1e-12");
        assert_float_near(yes.variance_share, variance_share, "1e-12");
        assert_float_near(collector.oracle().rates().variance_count(n, 0.123), variance_count, "1e-12");
    }
}

#[test]
fn kary_responses_have_their_rates_and_variances() {
    let cases = [
        (
            "1.0",
            4,
            1000,
            [
                "0.47536688641867169109765348261",
                "0.174877704527109436300782172463",
                "1598.06736888472410806623655793",
                "1947.253393006319962697237761",
            ],
            "1.0",
            "1e-11",
        ),
        (
            "0.1",
            10,
            100,
            [
                "0.109366870390957031097446899349",
                "0.0989592366232269965447281222946",
                "82318.3719293042145626497528092",
                "84600.3715960502264724208113637",
            ],
            "0.1",
            "1e-11",
        ),
        (
            "5.0",
            2,
            50,
            [
                "0.993307149075715144440638019619",
                "0.00669285092428485555936198038133",
                "0.341483644009602828119506988762",
                "0.341483644009602828119506988762",
            ],
            "5.0",
            "1e-11",
        ),
        (
            "1e-06",
            100,
            10000,
            [
                "0.0100000099000048510015519903562",
                "0.00999999989999995099998432332974",
                "989999020000407499.918333337458",
                "989999314000260499.942833337458",
            ],
            "0.000001",
            "1e-09",
        ),
        (
            "50.0",
            3,
            10,
            [
                "0.99999999999999999999961425003",
                "1.92874984796391778301659880133e-22",
                "1.92874984796391778301845883932e-21",
                "2.50737480235309311792377328656e-21",
            ],
            "50.0",
            "1e-11",
        ),
        (
            "2.0",
            1024,
            100000,
            [
                "0.007171132161385461628621140377",
                "0.000970507202188284006228131827588",
                "2521773.89019756056257647356385",
                "7320604.8169023094473188254793",
            ],
            "2.0",
            "1e-11",
        ),
    ];
    for (loss, values, n, [p, q, variance_at_0, variance_at_03], ratio, tolerance) in cases {
        let response = KaryResponse::new(&epsilon(loss), values).unwrap();
        let rates = response.rates();
        assert_float_near(rates.own, p, tolerance);
        assert_float_near(rates.other, q, tolerance);
        assert_float_near(rates.variance_count(n, 0.0), variance_at_0, tolerance);
        assert_float_near(rates.variance_count(n, 0.3), variance_at_03, tolerance);
        assert_near(response.loss().pure_epsilon().unwrap().value(), ratio, "0");
    }
}

#[test]
fn unary_encodings_have_their_rates_and_variances() {
    let cases = [
        (
            "1.0",
            4,
            1000,
            [
                "0.5",
                "0.268941421369995120748840758178",
                "3682.69437683116927578165409087",
                "0.622459331201854564638900565746",
                "3917.69808903276376485095678589",
            ],
            "1e-11",
        ),
        (
            "0.1",
            10,
            100,
            [
                "0.5",
                "0.475020812521060013900806817396",
                "39966.6833267218907830607176255",
                "0.512497396484210343661501332129",
                "39991.6677082300024277548648854",
            ],
            "1e-11",
        ),
        (
            "5.0",
            128,
            1000,
            [
                "0.5",
                "0.00669285092428485555936198038133",
                "27.318691520768226249560559101",
                "0.924141819978756448806693823354",
                "97.4224080658763831818933777936",
            ],
            "1e-11",
        ),
        (
            "1e-06",
            16,
            10000,
            [
                "0.5",
                "0.499999750000000000020833333333",
                "39999999999996666.6666666668333",
                "0.500000124999999999997395833333",
                "39999999999999166.6666666666771",
            ],
            "1e-09",
        ),
        (
            "50.0",
            8,
            10,
            [
                "0.5",
                "1.92874984796391778301697080893e-22",
                "7.71499939185567113207234732689e-21",
                "0.99999999998611205613522885439",
                "1.38879438653497705642625832136e-10",
            ],
            "1e-11",
        ),
    ];
    for (loss, values, n, [p, q, variance, symmetric_p, symmetric_variance], tolerance) in cases {
        let optimised = UnaryEncoding::optimised(&epsilon(loss), values).unwrap().rates();
        assert_float_near(optimised.own, p, tolerance);
        assert_float_near(optimised.other, q, tolerance);
        assert_float_near(optimised.variance_count(n, 0.0), variance, tolerance);
        let symmetric = UnaryEncoding::symmetric(&epsilon(loss), values).unwrap().rates();
        assert_float_near(symmetric.own, symmetric_p, tolerance);
        assert_float_near(symmetric.variance_count(n, 0.0), symmetric_variance, tolerance);
    }
}

#[test]
fn rappor_costs_what_its_paper_says() {
    let cases = [
        (
            "0.5",
            2,
            "0.5",
            "0.75",
            ["4.39444915467243876558098094769", "0.6875", "0.5625", "1.07428586416672818355209302867"],
        ),
        (
            "0.25",
            1,
            "0.5",
            "0.75",
            ["3.89182029811062661021070548689", "0.71875", "0.53125", "0.813106495638924293762732310241"],
        ),
        (
            "0.75",
            4,
            "0.4",
            "0.6",
            ["4.08660499012792546564411277043", "0.525", "0.475", "0.800667668455860291932564387823"],
        ),
        (
            "0.1",
            2,
            "0.5",
            "0.75",
            ["11.7777559166657618400361097276", "0.7375", "0.5125", "1.96600917121527015539484339761"],
        ),
        (
            "0.99",
            2,
            "0.25",
            "0.9",
            ["0.0800026668266780961270568604112", "0.57825", "0.57175", "0.0531977679736192983490314488748"],
        ),
    ];
    for (f, hashes, p, q, [for_ever, q_star, p_star, one]) in cases {
        let chances = Chances { forget: decimal(f), one_over_one: decimal(q), one_over_zero: decimal(p) };
        let rows = Rows::Hashed { blocks: hashes, width: 64 };
        let rappor = Rappor::new(1000, rows, chances).unwrap();
        assert_near(rappor.loss_for_ever().pure_epsilon().unwrap().value(), for_ever, "1e-11");
        assert_near(rappor.loss_of_one().pure_epsilon().unwrap().value(), one, "1e-11");
        let [shown, other] = rappor.one_rates();
        assert_eq!((shown, other), (decimal(q_star), decimal(p_star)));
    }
}

/// The variances of the methods beside each other, a person, near a count of zero.
#[test]
fn methods_have_the_variances_of_the_literature() {
    for (loss, values, figures) in [
        ("1", 1024, [347.0, 3.92, 3.68, 3.68, 4.68, 3.67]),
        ("4", 1024, [0.375, 0.181, 0.076, 0.076, 1.08, 0.074]),
        ("1", 16, [5.66, 3.92, 3.68, 3.68, 4.68, 3.11]),
        ("4", 16, [0.0239, 0.181, 0.076, 0.076, 1.08, 0.0239]),
    ] {
        let methods = [
            Method::KaryResponse,
            Method::SymmetricUnaryEncoding,
            Method::UnaryEncoding,
            Method::LocalHashing,
            Method::HadamardResponse,
            Method::SubsetSelection,
        ];
        for (method, figure) in methods.into_iter().zip(figures) {
            let got = Oracle::new(method, &epsilon(loss), values).unwrap().rates().variance_count(1, 0.0);
            assert!((got / figure - 1.0).abs() < 0.01, "{} at ε = {loss}: {got}", method.name());
        }
    }
    // The coins of both encodings are the ones the formulas name.
    let coin = LogisticCoin::new(Rational::one(), 1);
    assert_near(&coin.other_probability(200).upper(), "0.268941421369995120748840758178", "1e-11");
}
