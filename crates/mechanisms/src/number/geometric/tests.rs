//! The law against golden numbers, the loss against exact output probabilities, releases against both.

use pointillist_errors::Explained as _;
use pointillist_numbers::Enclosure;
use pointillist_testkit::{Distinguisher, assert_distribution, max_log_ratio, renyi_divergence, seeded};

use super::*;
use crate::golden_numbers::{GoldenLaw, assert_encloses, assert_upper, precision_for};

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn mechanism(sensitivity: &str, epsilon: &str) -> GeometricMechanism {
    let sensitivity = SensitivityL1::parse(sensitivity).unwrap();
    GeometricMechanism::new(&sensitivity, &Epsilon::parse(epsilon).unwrap()).unwrap()
}

fn beta(text: &str) -> FailureProbability {
    FailureProbability::parse(text).unwrap()
}

fn law(scale: &str) -> DiscreteLaplaceLaw {
    DiscreteLaplaceLaw::new(&rational(scale)).unwrap()
}

/// The output probabilities of an answer under noise of this scale, over values within `reach` of zero.
fn outputs(scale: f64, answer: i64, reach: i64) -> Vec<f64> {
    let ratio = (-1.0 / scale).exp();
    let centre = (1.0 - ratio) / (1.0 + ratio);
    (-reach..=reach).map(|value| centre * (-((value - answer).abs() as f64) / scale).exp()).collect()
}

#[test]
fn probabilities_match_golden_values() {
    for (scale, points) in LAPLACE {
        for (value, probability, cumulative) in *points {
            let value = i128::from(*value);
            let got = law(scale).probability(value, precision_for(probability));
            assert_encloses(&got, probability, "1e-12", scale);
            assert_encloses(
                &law(scale).cumulative(value, precision_for(cumulative)),
                cumulative,
                "1e-12",
                scale,
            );
        }
    }
    // The magnitudes that make the noise are one-sided geometric: (1 − a)·a^k, and 1 − a^(k+1) up to k.
    for (scale, points) in GEOMETRIC {
        for (value, probability, cumulative) in *points {
            let precision = precision_for(probability);
            let (value, one) = (u128::try_from(*value).unwrap(), Enclosure::integer(1, precision));
            let power = |k| law(scale).power(k, precision);
            assert_encloses(&(&(&one - &power(1)) * &power(value)), probability, "1e-12", scale);
            assert_encloses(&(&one - &power(value + 1)), cumulative, "1e-12", scale);
        }
    }
}

#[test]
fn error_bounds_match_golden_values() {
    let cases = [
        ("1", "0.05", 4, "0.02677960986539690386", "0.07279452687033098209"),
        ("10", "0.01", 47, "0.009549662365488156534", "0.01055400912377900675"),
        ("5/2", "1e-6", 35, "9.95651966312838844e-7", "1.485338193600587069e-6"),
        ("100", "1e-15", 3455, "9.937832991094011395e-16", "1.003770987310906382e-15"),
        ("1/2", "0.5", 1, "0.2384058440442351119", "1"),
    ];
    for (scale, rare, magnitude, tail, tail_below) in cases {
        assert_eq!(law(scale).least_rare_magnitude(&rational(rare)), magnitude, "scale {scale}");
        assert_encloses(&law(scale).tail(magnitude, 256), tail, "1e-10", scale);
        assert_encloses(&law(scale).tail(magnitude - 1, 256), tail_below, "1e-10", scale);
        let epsilon = rational(scale).reciprocal().unwrap().to_string();
        assert_eq!(mechanism("1", &epsilon).error_bound(&beta(rare)), magnitude);
    }
}

/// Specification: among 10,000 first names, each person having one, no count errs by 13 or more but in 5 % of
/// releases.
#[test]
fn ten_thousand_names_err_by_twelve_at_most() {
    let names = mechanism("1", "1");
    assert_eq!(names.error_bound_all(&beta("0.05"), 10_000), 13);
    assert_eq!(names.error_bound_all(&beta("0.05"), 0), names.error_bound(&beta("0.05")));
}

#[test]
fn huge_and_tiny_scales_have_error_bounds() {
    let least = beta("1e-60");
    let huge = mechanism("1e30", "1");
    let magnitude = huge.error_bound_all(&least, u64::MAX);
    let allowed = rational("1e-60") / Rational::from(u64::MAX);
    assert!(huge.law().tail(magnitude, 700).upper() <= allowed);
    assert!(huge.law().tail(magnitude - 1, 700).lower() > allowed);
    assert_eq!(mechanism("1", "1e6").error_bound(&least), 1);
}

/// Specification: on the exact output probabilities, every shift up to Δ₁ keeps ε, and Δ₁ itself reaches it.
#[test]
fn exact_output_probabilities_keep_epsilon() {
    for (sensitivity, epsilon) in [(1i64, 1.0), (1, 0.1), (3, 0.5), (10, 2.0)] {
        let mechanism = mechanism(&sensitivity.to_string(), &epsilon.to_string());
        let scale = mechanism.scale().to_f64_upper();
        let spent =
            |scale: f64, shift: i64| max_log_ratio(&outputs(scale, 0, 40), &outputs(scale, shift, 40));
        for shift in 0..=sensitivity {
            assert!(spent(scale, shift) <= epsilon * (1.0 + 1e-9));
        }
        assert!(spent(scale, sensitivity) >= epsilon * (1.0 - 1e-9));
        // Planted leaks: half the scale, and a scale short by three parts in a hundred.
        assert!(spent(scale * 0.5, sensitivity) > epsilon * 1.9);
        assert!(spent(scale * 0.97, sensitivity) > epsilon * 1.02);
    }
}

/// Specification: the stated ρ bounds the divergence of every order, and is reached as the order falls to
/// one; it lies below ε²/2, and moving one coordinate by everything is the worst case.
#[test]
fn the_rho_of_discrete_laplace_noise_is_exact() {
    for (shift, epsilon) in [(1i64, 1.0), (2, 1.0), (3, 0.3), (7, 4.0), (40, 1.0), (5, 10.0)] {
        let mechanism = mechanism(&shift.to_string(), &epsilon.to_string());
        let scale = mechanism.scale().to_f64_upper();
        let rho = mechanism.loss().rho().unwrap().to_f64_upper();
        let reach = (60.0 * scale) as i64 + 60;
        let divergence = |moved: i64, order: f64| {
            renyi_divergence(&outputs(scale, 0, reach), &outputs(scale, moved, reach), order)
        };
        for order in [1.0, 1.001, 1.1, 1.5, 2.0, 3.0, 8.0, 32.0] {
            assert!(divergence(shift, order) <= order * rho * (1.0 + 1e-9), "d = {shift}, α = {order}");
            for part in 1..shift {
                let split = divergence(part, order) + divergence(shift - part, order);
                assert!(split <= order * rho * (1.0 + 1e-9), "d = {part} + {}, α = {order}", shift - part);
            }
        }
        assert!(divergence(shift, 1.0) >= rho * (1.0 - 1e-9), "d = {shift} is not tight");
        assert!(rho < epsilon * epsilon / 2.0);
    }
    // ε·tanh(ε/2) for a count, and towards ε − 1 + e^−ε for a fine grid.
    let rho = |sensitivity: &str| mechanism(sensitivity, "1").loss().rho().unwrap();
    assert_upper(rho("1").value(), "0.46211715726000975850231848364", "1e-20", "count");
    assert_upper(rho("1e9").value(), "0.36787944117144232159", "1e-12", "fine grid");
    let tiny = mechanism("1e20", "1e-9").loss().rho().unwrap().to_f64_upper();
    assert!((tiny / 5e-19 - 1.0).abs() < 0.11, "ρ = {tiny}, where the ledger counts in 2^-64");
}

/// Specification: single answers and long vectors have the same, exact law. False alarm: 1e-9 a case (χ²).
#[test]
fn releases_have_the_stated_law() {
    let mut bits = seeded(1);
    for (sensitivity, epsilon) in [("1", "1"), ("5", "0.5")] {
        let mechanism = mechanism(sensitivity, epsilon);
        let exact = outputs(mechanism.scale().to_f64_upper(), 7, 400);
        let pmf = |value: i64| exact[usize::try_from(value + 400).unwrap()];
        let single: Vec<i64> = (0..60_000).map(|_| mechanism.release(7, &mut bits) as i64).collect();
        assert_distribution(single, pmf, -400..=400, "single answers");
        let long = mechanism.release_all(&[7; 60_000], &mut bits);
        assert_distribution(long.iter().map(|value| *value as i64), pmf, -400..=400, "a vector");
        assert_eq!(mechanism.release_all(&[7; 5], &mut bits).len(), 5);
    }
}

/// Specification: no event tells neighbouring counts apart better than ε allows; half the scale is caught.
/// False alarm: 1e-9 a check.
#[test]
fn neighbouring_counts_cannot_be_told_apart() {
    let claim = Distinguisher::new(1.0, 0.0);
    let draws = |mechanism: &GeometricMechanism, answer: i128, seed: u64| {
        mechanism.release_all(&[answer; 10_000], &mut seeded(seed))
    };
    let honest = mechanism("1", "1");
    claim.assert_private(&draws(&honest, 100, 1), &draws(&honest, 101, 2), "geometric");
    let planted = mechanism("1", "2");
    claim.assert_leaks(&draws(&planted, 100, 1), &draws(&planted, 101, 2), "half the scale");
}

#[test]
fn sums_beyond_the_range_saturate_after_the_noise() {
    let mechanism = mechanism("1e20", "0.1");
    let mut bits = seeded(3);
    for end in [1 << 125, -(1 << 125)] {
        let seen: Vec<i128> = (0..50).map(|_| mechanism.release(end, &mut bits)).collect();
        assert!(seen.contains(&end) && seen.iter().any(|value| *value != end));
        assert!(mechanism.release_all(&[end; 50], &mut bits).contains(&end));
        assert!(mechanism.release_all(&[end * 3; 50], &mut bits).iter().all(|value| *value == end));
    }
}

#[test]
fn sensitivities_are_rounded_to_whole_units() {
    assert_eq!(mechanism("2.9", "1").scale(), mechanism("2", "1").scale());
    let small = SensitivityL1::parse("0.5").unwrap();
    let epsilon = Epsilon::parse("1").unwrap();
    let message = GeometricMechanism::new(&small, &epsilon).unwrap_err().explanation().text();
    assert!(message.contains("hint: give the sensitivity in units of the integer answer"), "{message}");
    let wide = SensitivityL1::parse("1e35").unwrap();
    assert!(GeometricMechanism::new(&wide, &epsilon).unwrap_err().explanation().text().contains("hint: "));
}

/// Parameter, then value, probability and cumulative probability.
const LAPLACE: &[GoldenLaw] = &[
    (
        "1",
        &[
            (0, "0.4621171572600097585", "0.7310585786300048793"),
            (1, "0.1700034015685479199", "0.9010619801985527992"),
            (-1, "0.1700034015685479199", "0.2689414213699951207"),
            (2, "0.0625407563662817098", "0.963602736564834509"),
            (3, "0.02300745850246703912", "0.9866101950673015481"),
            (5, "0.003113720912985989627", "0.9981878869569502613"),
            (10, "2.098008648164360962e-5", "0.9999877900783595794"),
            (-10, "2.098008648164360962e-5", "3.319000812206423058e-5"),
            (50, "8.913083968067617067e-23", "1"),
        ],
    ),
    (
        "1/2",
        &[
            (0, "0.7615941559557648881", "0.8807970779778824441"),
            (1, "0.10307056080762242", "0.983867638785504864"),
            (-1, "0.10307056080762242", "0.1192029220221175559"),
            (2, "0.01394908354025609161", "0.9978167223257609557"),
            (3, "0.001887803171811730257", "0.9997045254975726859"),
            (5, "3.457632118791066e-5", "0.9999945881957127129"),
            (10, "1.56976255337626075e-9", "0.9999999997543044655"),
            (-10, "1.56976255337626075e-9", "1.815458087907409289e-9"),
            (50, "2.833188123048906827e-44", "1"),
        ],
    ),
    (
        "3",
        &[
            (0, "0.1651404129246293537", "0.5825702064623146769"),
            (1, "0.1183282765015813958", "0.7008984829638960727"),
            (-1, "0.1183282765015813958", "0.4174297935376853231"),
            (2, "0.08478591503961582771", "0.7856843980035119004"),
            (3, "0.06075176282153387756", "0.846436160825045778"),
            (5, "0.03119099504398325767", "0.9211576961032107096"),
            (10, "0.005891217992035741422", "0.9851086123223916719"),
            (-10, "0.005891217992035741422", "0.02078260566964406951"),
            (50, "9.541397762715426239e-9", "0.9999999758819562843"),
        ],
    ),
    (
        "10/3",
        &[
            (0, "0.1488850336233179743", "0.5744425168116589872"),
            (1, "0.1102967456949641596", "0.6847392625066231468"),
            (-1, "0.1102967456949641596", "0.4255574831883410128"),
            (2, "0.08170983889272727381", "0.7664491013993504206"),
            (3, "0.06053213746070004694", "0.8269812388600504675"),
            (5, "0.03322074139607529941", "0.9050452906238227352"),
            (10, "0.007412549347955853892", "0.9788127404900459555"),
            (-10, "0.007412549347955853892", "0.02859980885790989844"),
            (50, "4.554427727336532381e-8", "0.9999998698209783858"),
        ],
    ),
    (
        "100",
        &[
            (0, "0.004999958333749995784", "0.5024999791668749979"),
            (1, "0.004950207917081950642", "0.5074501870839569485"),
            (-1, "0.004950207917081950642", "0.4975000208331250021"),
            (2, "0.004900952525330800711", "0.5123511396092877492"),
            (3, "0.004852187232916324578", "0.5172033268422040738"),
            (5, "0.004756107488340557432", "0.5267633414938132742"),
            (10, "0.00452414938899772481", "0.5498433656765190758"),
            (-10, "0.00452414938899772481", "0.454680783712478649"),
            (50, "0.003032628026705064309", "0.6982509841570358204"),
        ],
    ),
    (
        "1/50",
        &[
            (0, "1", "1"),
            (1, "1.928749847963917783e-22", "1"),
            (-1, "1.928749847963917783e-22", "1.928749847963917783e-22"),
            (2, "3.720075976020835963e-44", "1"),
            (3, "7.17509597316441042e-66", "1"),
            (5, "2.669190215541276393e-109", "1"),
            (10, "7.124576406741285532e-218", "1"),
            (-10, "7.124576406741285532e-218", "7.124576406741285532e-218"),
            (50, "1.835672669162156893e-1086", "1"),
        ],
    ),
    (
        "1000000",
        &[
            (0, "4.999999999999583333e-7", "0.50000025"),
            (1, "4.999995000002083333e-7", "0.5000007499995000002"),
            (-1, "4.999995000002083333e-7", "0.49999975"),
            (2, "4.999990000009583328e-7", "0.5000012499985000011"),
            (3, "4.999985000022083312e-7", "0.5000017499970000034"),
            (5, "4.999975000062083231e-7", "0.5000027499925000135"),
            (10, "4.999950000249582504e-7", "0.5000052499725000958"),
            (-10, "4.999950000249582504e-7", "0.4999952500224999291"),
            (50, "4.999750006249479189e-7", "0.500025249362510729"),
        ],
    ),
];

/// One-sided: scale, then value, probability and cumulative probability.
const GEOMETRIC: &[GoldenLaw] = &[
    (
        "1",
        &[
            (0, "0.6321205588285576784", "0.6321205588285576784"),
            (1, "0.2325441579348296297", "0.8646647167633873081"),
            (2, "0.08554821486874874891", "0.950212931632136057"),
            (5, "0.004259194822419108674", "0.9975212478233336416"),
            (10, "2.869822897223919222e-5", "0.9999832982992097543"),
            (100, "2.351536504846982963e-44", "1"),
        ],
    ),
    (
        "5/2",
        &[
            (0, "0.3296799539643606993", "0.3296799539643606993"),
            (1, "0.2209910819184177093", "0.5506710358827784086"),
            (2, "0.1481347522050194948", "0.6988057880877979034"),
            (5, "0.04461732994720018852", "0.9092820467105874966"),
            (10, "0.006038298985665739115", "0.9877226600969315588"),
            (100, "1.400597235308826942e-18", "0.9999999999999999972"),
        ],
    ),
    (
        "100",
        &[
            (0, "0.009950166250831946426", "0.009950166250831946426"),
            (1, "0.009851160442412751353", "0.01980132669324469778"),
            (2, "0.009753139758247125288", "0.02955446645149182307"),
            (5, "0.009464890916465299554", "0.05823546641575129046"),
            (10, "0.009003282739431322487", "0.1041658647034717493"),
            (100, "0.003660461599919001838", "0.6357810204284766802"),
        ],
    ),
    (
        "1/10",
        &[
            (0, "0.9999546000702375151", "0.9999546000702375151"),
            (1, "4.539786860886241298e-5", "0.9999999979388463776"),
            (2, "2.061060046208869426e-9", "0.9999999999999064238"),
            (5, "1.928662282856290818e-22", "1"),
            (10, "3.71990708483281351e-44", "1"),
            (100, "5.07572844937203076e-435", "1"),
        ],
    ),
];
