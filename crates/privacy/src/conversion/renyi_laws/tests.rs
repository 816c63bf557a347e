//! The curves against frozen reference values, against each other, and against finite sums.

use pointillist_errors::Explained as _;
use pointillist_testkit::renyi_divergence;

use super::*;
use crate::{Delta, SensitivityL2};

struct Case {
    curve: RenyiCurve,
    count: u64,
    divergences: [&'static str; 20],
    delta: &'static str,
    epsilon: &'static str,
    order: &'static str,
    epsilon_mironov: &'static str,
}

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn loss(sigma: &str) -> GaussianDp {
    GaussianDp::from_mechanism(&SensitivityL2::parse("1").unwrap(), &Scale::parse(sigma).unwrap()).unwrap()
}

fn gaussian(sigma: &str) -> RenyiCurve {
    RenyiCurve::gaussian(&loss(sigma), &Order::usual()).unwrap()
}

fn laplace(scale: &str) -> RenyiCurve {
    let unit = SensitivityL1::parse("1").unwrap();
    RenyiCurve::laplace(&unit, &Scale::parse(scale).unwrap(), &Order::usual()).unwrap()
}

fn response(truth: &str) -> RenyiCurve {
    RenyiCurve::randomized_response(&rational(truth), &Order::usual()).unwrap()
}

fn sampled(sigma: &str, rate: &str) -> RenyiCurve {
    let rate = SamplingRate::parse(rate).unwrap();
    RenyiCurve::poisson_subsampled_gaussian(&rate, &loss(sigma), &Order::usual()).unwrap()
}

/// The frozen reference values `zcdp-rdp-*`, at the usual orders.
fn cases() -> Vec<Case> {
    vec![
        Case {
            curve: gaussian("1"),
            count: 1,
            divergences: [
                "1.0", "1.5", "2.0", "2.5", "3.0", "3.5", "4.0", "5.0", "6.0", "7.0", "8.0", "10.0", "12.0",
                "14.0", "16.0", "24.0", "32.0", "64.0", "128.0", "256.0",
            ],
            delta: "1e-5",
            epsilon: "4.75272833681982225560600439474",
            order: "5",
            epsilon_mironov: "5.30258509299404568401799145468",
        },
        Case {
            curve: gaussian("4"),
            count: 100,
            divergences: [
                "6.25", "9.375", "12.5", "15.625", "18.75", "21.875", "25.0", "31.25", "37.5", "43.75",
                "50.0", "62.5", "75.0", "87.5", "100.0", "150.0", "200.0", "400.0", "800.0", "1600.0",
            ],
            delta: "1e-6",
            epsilon: "15.3279840265399178243783386301",
            order: "3",
            epsilon_mironov: "16.2827552789821370520539743641",
        },
        Case {
            curve: laplace("2"),
            count: 20,
            divergences: [
                "4.0060779234723192446",
                "5.4245286461451352753",
                "6.4185306035743501416",
                "7.1053063680982055416",
                "7.5890562129061668295",
                "7.9408287471558264195",
                "8.2053576352458307313",
                "8.5738077293454966698",
                "8.8171303995179433044",
                "8.9895719025285486009",
                "9.1181355889300801452",
                "9.2970217164765252519",
                "9.4155706336500305091",
                "9.499904685143579469",
                "9.562968500908525217",
                "9.709499625237170253",
                "9.7824431736193906614",
                "9.8914593257891639401",
                "9.9457888513157535719",
                "9.9729091921365119884",
            ],
            delta: "1e-6",
            epsilon: "9.74766115423991797083695711476",
            order: "10",
            epsilon_mironov: "9.99994541632039510796767645362",
        },
        Case {
            curve: response("0.75"),
            count: 30,
            divergences: [
                "25.418935811616108411",
                "28.704739302556377989",
                "30.086119364176521314",
                "30.801134146451545829",
                "31.232310095412623331",
                "31.519961433910774507",
                "31.725445791071587972",
                "31.999428421405326307",
                "32.173781189749221263",
                "32.29448695438563738",
                "32.383004515139732125",
                "32.504133808803636646",
                "32.583131174236619967",
                "32.638721912874645267",
                "32.67996665444479307",
                "32.774741805286834831",
                "32.82137719697101411",
                "32.890412264975940916",
                "32.924523710343081221",
                "32.94147930158232513",
            ],
            delta: "1e-5",
            epsilon: "32.9011138402800986090038399383",
            order: "20",
            epsilon_mironov: "32.9640094884022277293268549298",
        },
        Case {
            curve: sampled("1", "0.01"),
            count: 1000,
            divergences: [
                "0.17181342207454793099",
                "0.26463757458466134821",
                "0.36315404891075671856",
                "0.46866724216915480302",
                "0.58349814893817419389",
                "0.71364645509635872186",
                "0.89364390760603184735",
                "38.270418894948469894",
                "978.01171802536186624",
                "2040.8275189351563547",
                "3087.8507836962445937",
                "5152.4530196774994654",
                "7194.6050339177441272",
                "9224.267955464573911",
                "11246.275937048068835",
                "19296.847469629183284",
                "27321.731874551780198",
                "59358.568631445073267",
                "123376.77032308646514",
                "251385.81773928394759",
            ],
            delta: "1e-5",
            epsilon: "2.10775307545156529446140556107",
            order: "8",
            epsilon_mironov: "2.53834754545892162164370580549",
        },
        Case {
            curve: sampled("0.6", "0.004"),
            count: 5000,
            divergences: [
                "1.2065136745310325289",
                "2.4670132146559761736",
                "11.50641208885436522",
                "992.91166899830286749",
                "8539.4987263589869234",
                "16402.67306882061356",
                "24004.355422344189997",
                "38769.661586643624416",
                "53216.273781430364047",
                "67491.278818348865872",
                "81663.3195491791312",
                "109828.56826856127608",
                "137859.04448651581571",
                "165814.64709256612961",
                "193724.35942035256321",
                "305138.63928467505367",
                "416398.92867117589113",
                "861064.20394848071789",
                "1750062.2092489006192",
                "3527894.2249298660235",
            ],
            delta: "1e-8",
            epsilon: "10.7225823341899396820016037013",
            order: "3",
            epsilon_mironov: "11.6773535866321589096772394353",
        },
        Case {
            curve: sampled("2", "0.1"),
            count: 100,
            divergences: [
                "0.28362282662636223117",
                "0.43736583485770579997",
                "0.60032829644896481019",
                "0.77369684897958642667",
                "0.95891710161371632128",
                "1.1577791328852422449",
                "1.3725430103219917918",
                "1.8624254258198793309",
                "2.4669598870602436739",
                "3.2700771682607884047",
                "4.5291839083621958764",
                "18.83136134465592378",
                "63.009266268112834353",
                "112.34783929355331719",
                "162.72023010194358335",
                "364.84962812819102858",
                "566.086725841519933",
                "1367.9284315722684136",
                "2968.8385161543232568",
                "6169.2908869641973796",
            ],
            delta: "1e-15",
            epsilon: "5.29393666871813072134728394363",
            order: "12",
            epsilon_mironov: "5.60684865023394233389956888912",
        },
        Case {
            curve: gaussian("1000"),
            count: 1,
            divergences: [
                "1.0e-6", "1.5e-6", "2.0e-6", "2.5e-6", "3.0e-6", "3.5e-6", "4.0e-6", "5.0e-6", "6.0e-6",
                "7.0e-6", "8.0e-6", "0.00001", "0.000012", "0.000014", "0.000016", "0.000024", "0.000032",
                "0.000064", "0.000128", "0.000256",
            ],
            delta: "1e-15",
            epsilon: "0.053683453950637309864123550277",
            order: "512",
            epsilon_mironov: "0.0678465604597077989437766571825",
        },
    ]
}

/// Divergences to the 20 digits printed, ε to the 30 printed, never below but for the last digit.
#[test]
fn curves_match_the_reference() {
    for case in cases() {
        let curve = case.curve.times(case.count);
        for ((order, divergence), reference) in curve.points().iter().zip(case.divergences) {
            let reference = rational(reference);
            let error = (divergence - &reference).abs();
            assert!(error <= &reference * &rational("1e-18"), "{order}: {}", divergence.to_f64_upper());
        }
        let delta = Delta::parse(case.delta).unwrap();
        let found = curve.epsilon_upper(&delta).unwrap();
        assert_eq!(found.order, Order::parse(case.order).unwrap());
        let old = curve.epsilon_mironov_upper(&delta).unwrap();
        for (epsilon, reference) in [(found.epsilon, case.epsilon), (old.epsilon, case.epsilon_mironov)] {
            let reference = rational(reference);
            let error = (epsilon.value() - &reference).abs();
            assert!(error <= &reference * &rational("1e-27"), "{}", epsilon.to_f64_upper());
        }
    }
}

/// Randomized response with odds e^ε is the worst ε-private mechanism, so Laplace noise of the same ε costs
/// no more at any order, and a pure curve lies above both.
#[test]
fn every_pure_mechanism_lies_below_randomized_response() {
    let pure = RenyiCurve::pure(&Epsilon::parse("0.5").unwrap(), &Order::usual()).unwrap();
    for ((_, worst), (order, noise)) in pure.points().iter().zip(laplace("2").points()) {
        assert!(noise < worst, "{order}");
    }
    // ln 3 rounded up: a truth of 0.75 has exactly these odds.
    let odds = Enclosure::ln_of(&Rational::from(3), 200).unwrap().upper();
    let pure = RenyiCurve::pure(&Epsilon::new(odds).unwrap(), &Order::usual()).unwrap();
    for ((_, upper), (order, exact)) in pure.points().iter().zip(response("0.75").points()) {
        assert!(upper >= exact && upper - exact < rational("1e-50"), "{order}");
    }
}

#[test]
fn randomized_response_is_a_finite_sum() {
    let curve = response("0.9");
    for (order, divergence) in curve.points().iter().take(10) {
        let measured = renyi_divergence(&[0.9, 0.1], &[0.1, 0.9], order.to_f64_upper());
        assert!((divergence.to_f64_upper() - measured).abs() < 1e-12, "{order}");
    }
    assert_eq!(curve, response("0.1"), "a lie told often is a truth");
}

/// The sampled Gaussian by numerical integration of its Rényi integral, at an order and a noise where a plain
/// midpoint sum is good to nine digits.
#[test]
fn the_sampled_gaussian_is_an_integral() {
    let (rate, mu, order) = (0.1f64, 0.5f64, 3.0f64);
    let curve = sampled("2", "0.1");
    let step = 0.002;
    let integral: f64 = (-10_000..10_000)
        .map(|i| {
            let x = (f64::from(i) + 0.5) * step;
            let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            let ratio = 1.0 - rate + rate * (mu * x - mu * mu / 2.0).exp();
            density * ratio.powf(order) * step
        })
        .sum();
    let divergence = curve.at(&Order::parse("3").unwrap()).unwrap().to_f64_upper();
    assert!((divergence - integral.ln() / (order - 1.0)).abs() < 1e-9, "{divergence}");
}

#[test]
fn sampling_everybody_amplifies_nothing() {
    assert_eq!(sampled("2", "1"), gaussian("2"));
    for ((order, some), (_, all)) in sampled("2", "0.999").points().iter().zip(gaussian("2").points()) {
        assert!(some < all, "{order}");
    }
}

#[test]
fn orders_the_formula_does_not_cover_are_refused() {
    let rate = SamplingRate::parse("0.1").unwrap();
    for order in ["1.5", "5000", "2.000001"] {
        let orders = [Order::parse(order).unwrap()];
        let refusal = RenyiCurve::poisson_subsampled_gaussian(&rate, &loss("1"), &orders).unwrap_err();
        assert!(refusal.explanation().text().contains("\nhint: list whole orders"), "{refusal}");
    }
    for truth in ["0", "1", "-0.5", "2"] {
        let refusal = RenyiCurve::randomized_response(&rational(truth), &Order::usual()).unwrap_err();
        assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
    }
}

/// ε from 1e-6 to a million, orders from just above one to the largest: finite, and at most ε.
#[test]
fn extreme_values_stay_in_bounds() {
    let orders = ["1.0000001", "2", "1e6", "1e12"].map(|text| Order::parse(text).unwrap());
    for text in ["5.5e-20", "1e-6", "50", "1e6"] {
        let epsilon = Epsilon::parse(text).unwrap();
        let curve = RenyiCurve::pure(&epsilon, &orders).unwrap();
        for (order, divergence) in curve.points() {
            assert!(divergence <= epsilon.value() && !divergence.is_negative(), "{text} {order}");
        }
        let sensitivity = SensitivityL1::new(epsilon.value().clone()).unwrap();
        let noise = RenyiCurve::laplace(&sensitivity, &Scale::parse("1").unwrap(), &orders).unwrap();
        for ((order, less), (_, more)) in noise.points().iter().zip(curve.points()) {
            assert!(less <= more, "{text} {order}");
        }
    }
    let tiny = SamplingRate::parse("1e-15").unwrap();
    let curve = RenyiCurve::poisson_subsampled_gaussian(&tiny, &loss("1e6"), &Order::usual()).unwrap();
    assert!(curve.points().iter().all(|(_, divergence)| divergence.is_positive()));
}
