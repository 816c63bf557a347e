//! The law against golden numbers, the loss against exact output probabilities, releases against both.

use pointillist_errors::Explained as _;
use pointillist_numbers::Enclosure;
use pointillist_testkit::{Distinguisher, assert_distribution, hockey_stick, renyi_divergence, seeded};

use super::*;
use crate::golden_numbers::{GoldenLaw, assert_encloses, precision_for};

fn rational(text: &str) -> Rational {
    Rational::parse(text).unwrap()
}

fn beta(text: &str) -> FailureProbability {
    FailureProbability::parse(text).unwrap()
}

fn law(variance: &str) -> DiscreteGaussianLaw {
    DiscreteGaussianLaw::new(&rational(variance)).unwrap()
}

fn with_variance(variance: &str, sensitivity: &str) -> DiscreteGaussianMechanism {
    let sensitivity = SensitivityL2::parse(sensitivity).unwrap();
    DiscreteGaussianMechanism::with_variance(&rational(variance), &sensitivity).unwrap()
}

/// The output probabilities of an answer under noise of this σ, over values within `reach` of zero.
fn outputs(sigma: f64, answer: i64, reach: i64) -> Vec<f64> {
    let weight = |value: i64| (-(value as f64).powi(2) / (2.0 * sigma * sigma)).exp();
    let total: f64 = (-10 * reach..=10 * reach).map(weight).sum();
    (-reach..=reach).map(|value| weight(value - answer) / total).collect()
}

#[test]
fn probabilities_match_golden_values() {
    for (variance, points) in GAUSSIAN {
        let law = law(variance);
        for (value, probability, cumulative) in *points {
            let got = law.probability(*value, precision_for(probability)).unwrap();
            assert_encloses(&got, probability, "1e-12", variance);
            let precision = precision_for(cumulative);
            let got = if *value < 0 {
                law.upper_tail(-value, precision).unwrap()
            } else {
                &Enclosure::integer(1, precision) - &law.upper_tail(value + 1, precision).unwrap()
            };
            assert_encloses(&got, cumulative, "1e-12", variance);
        }
    }
    assert_encloses(&law("7/3").normaliser(200).unwrap(), "3.82893793587103843601253798457", "1e-12", "7/3");
    assert_encloses(&law("1/4").normaliser(200).unwrap(), "1.27134152218901522522238257879", "1e-12", "1/4");
    let both_sides = &law("2").upper_tail(-3, 200).unwrap() + &law("2").upper_tail(4, 200).unwrap();
    assert_encloses(&both_sides, "1", "1e-50", "symmetry");
}

#[test]
fn error_bounds_match_golden_values() {
    let cases = [
        ("1", "0.05", 3, "0.009134342835606505323", "0.117116275284217075"),
        ("25", "0.01", 14, "0.006840629144329297534", "0.01227381683780354446"),
        ("9/4", "1e-6", 8, "3.623947009570827874e-7", "1.02904558617970905e-5"),
        ("100", "1e-15", 81, "8.05652915415267063e-16", "1.816107132122645521e-15"),
        ("1/4", "0.5", 1, "0.2134292929580521003", "1"),
    ];
    for (variance, rare, magnitude, tail, tail_below) in cases {
        assert_eq!(
            with_variance(variance, "1").error_bound(&beta(rare)),
            magnitude as u128,
            "σ² = {variance}"
        );
        let both = |m: i64| law(variance).upper_tail(m, 256).unwrap().mul_integer(2);
        assert_encloses(&both(magnitude), tail, "1e-9", variance);
        if magnitude > 1 {
            assert_encloses(&both(magnitude - 1), tail_below, "1e-9", variance);
        }
    }
}

/// Specification: the error bound stays below the sub-Gaussian bound of the header.
#[test]
fn error_bounds_stay_below_the_sub_gaussian_one() {
    for variance in ["0.01", "1", "77", "5000", "2000000"] {
        for rare in ["0.5", "0.01", "1e-12"] {
            let sigma = rational(variance).to_f64_upper().sqrt();
            let limit = 1.0 + sigma * (2.0 * (2.0 / rational(rare).to_f64_upper()).ln()).sqrt();
            let bound = with_variance(variance, "1").error_bound(&beta(rare)) as f64;
            assert!(bound < limit + 1e-9, "σ² = {variance}, β = {rare}: {bound} of {limit}");
        }
    }
}

#[test]
fn a_rho_buys_its_exact_variance() {
    let root_five = SensitivityL2::from_squared(Rational::from(5)).unwrap();
    let rho = Rho::parse("0.3").unwrap();
    let mechanism = DiscreteGaussianMechanism::for_rho(&rho, &root_five).unwrap();
    assert_eq!(*mechanism.variance_parameter(), rational("25/3"));
    assert_eq!(mechanism.loss(), Loss::zcdp(rho));
    assert_eq!(with_variance("7", "3").loss(), Loss::zcdp(Rho::parse("9/14").unwrap()));
}

/// Specification: every order's divergence of the exact output probabilities stays below α·ρ, for every shift
/// up to Δ; a σ² short by three parts in a hundred does not.
#[test]
fn exact_output_probabilities_keep_rho() {
    for (variance, sensitivity) in [("1", 1i64), ("0.25", 1), ("30", 4), ("9", 2)] {
        let mechanism = with_variance(variance, &sensitivity.to_string());
        let rho = mechanism.loss().rho().unwrap().to_f64_upper();
        let sigma = rational(variance).to_f64_upper().sqrt();
        let divergence = |sigma: f64, shift: i64, order: f64| {
            // Beyond 38 σ a weight leaves the range of floats.
            let reach = (37.0 * sigma) as i64 - shift;
            renyi_divergence(&outputs(sigma, 0, reach), &outputs(sigma, shift, reach), order)
        };
        for shift in 1..=sensitivity {
            for order in [1.0, 1.5, 2.0, 4.0] {
                assert!(divergence(sigma, shift, order) <= order * rho * (1.0 + 1e-9), "σ² = {variance}");
            }
        }
        assert!(divergence(sigma * 0.97f64.sqrt(), sensitivity, 2.0) > 2.0 * rho * 1.02, "planted: σ² short");
    }
}

/// Specification: δ encloses the hockey-stick divergence of the exact output probabilities, which is largest
/// at the full shift, in both directions.
#[test]
fn delta_is_the_exact_one() {
    let cases = [
        ("1", 1i64, "1"),
        ("9", 1, "0.1"),
        ("30", 4, "2"),
        ("0.25", 1, "3"),
        ("2", 7, "0.5"),
        ("100", 3, "0.01"),
    ];
    for (variance, sensitivity, epsilon) in cases {
        let law = law(variance);
        let sigma = rational(variance).to_f64_upper().sqrt();
        let e = rational(epsilon).to_f64_upper();
        let reach = (30.0 * sigma) as i64 + 30;
        let exact = |shift: i64| hockey_stick(&outputs(sigma, shift, reach), &outputs(sigma, 0, reach), e);
        let delta = law.delta_of(&UBig::from(sensitivity.unsigned_abs()), &rational(epsilon)).unwrap();
        let (lower, upper) = (delta.lower().to_f64_lower(), delta.upper().to_f64_upper());
        let largest = exact(sensitivity);
        assert!((lower - largest).abs() <= 1e-9 * largest + 1e-14, "σ² = {variance}: {lower} for {largest}");
        assert!((upper - largest).abs() <= 1e-9 * largest + 1e-14, "σ² = {variance}: {upper} for {largest}");
        for shift in -sensitivity..=sensitivity {
            assert!(exact(shift) <= upper * (1.0 + 1e-9) + 1e-14, "shift {shift}");
        }
        let mechanism = with_variance(variance, &sensitivity.to_string());
        let claimed = mechanism.delta(&Epsilon::parse(epsilon).unwrap()).unwrap();
        assert!(*claimed.value() >= delta.upper());
        let loss = mechanism.loss_of_one(&Epsilon::parse(epsilon).unwrap()).unwrap();
        assert_eq!(loss.approximate_epsilon(), Some((Epsilon::parse(epsilon).unwrap(), claimed)));
        assert!(loss.rho().is_some());
    }
}

#[test]
fn delta_is_available_at_extremes_or_refused_with_a_hint() {
    let one = |text: &str| Epsilon::parse(text).unwrap();
    let far = with_variance("1000000", "1").delta(&one("1000000")).unwrap();
    assert_eq!(far, Delta::parse("1e-60").unwrap());
    assert!(with_variance("1048576", "1000").delta(&one("0.001")).is_ok());
    // A single integer answer of sensitivity √2 moves by one.
    let root_two = SensitivityL2::from_squared(Rational::from(2)).unwrap();
    let mechanism = DiscreteGaussianMechanism::with_variance(&rational("9"), &root_two).unwrap();
    assert_eq!(mechanism.delta(&one("1")).unwrap(), with_variance("9", "1").delta(&one("1")).unwrap());
    for (variance, sensitivity, hint) in [
        ("1048577", "1", "convert ρ"),
        ("1", "0.5", "in units of the integer answer"),
        ("1", "1000", "use more noise"),
    ] {
        let message = with_variance(variance, sensitivity).delta(&one("1")).unwrap_err().explanation().text();
        assert!(message.contains(hint), "{message}");
    }
}

/// Specification: single answers and long vectors have the same, exact law. False alarm: 1e-9 a case (χ²).
#[test]
fn releases_have_the_stated_law() {
    let mut bits = seeded(1);
    for variance in ["2", "100"] {
        let mechanism = with_variance(variance, "1");
        let exact = outputs(rational(variance).to_f64_upper().sqrt(), -3, 200);
        let pmf = |value: i64| exact[usize::try_from(value + 200).unwrap()];
        let single: Vec<i64> = (0..20_000).map(|_| mechanism.release(-3, &mut bits) as i64).collect();
        assert_distribution(single, pmf, -200..=200, "single answers");
        let long = mechanism.release_all(&[-3; 60_000], &mut bits);
        assert_distribution(long.iter().map(|value| *value as i64), pmf, -200..=200, "a vector");
        assert_eq!(mechanism.release_all(&[1; 5], &mut bits).len(), 5);
    }
}

/// Specification: no event tells neighbours apart better than the exact (ε, δ) allows; half the σ is caught.
/// False alarm: 1e-9 a check.
#[test]
fn neighbouring_counts_cannot_be_told_apart() {
    let draws = |variance: &str, answer: i128, seed: u64| {
        with_variance(variance, "1").release_all(&[answer; 40_000], &mut seeded(seed))
    };
    for epsilon in ["0.5", "1", "2"] {
        let delta = with_variance("1", "1").delta(&Epsilon::parse(epsilon).unwrap()).unwrap();
        let claim = Distinguisher::new(rational(epsilon).to_f64_upper(), delta.to_f64_upper());
        claim.assert_private(&draws("1", 10, 1), &draws("1", 11, 2), "discrete Gaussian");
        claim.assert_leaks(&draws("0.25", 10, 1), &draws("0.25", 11, 2), "half the σ");
    }
}

#[test]
fn sums_saturate_after_the_noise_and_bad_parameters_are_refused() {
    let mechanism = with_variance("1e40", "1");
    let mut bits = seeded(2);
    let seen: Vec<i128> = (0..50).map(|_| mechanism.release(1 << 125, &mut bits)).collect();
    assert!(seen.contains(&(1 << 125)) && seen.iter().any(|value| *value != (1 << 125)));
    let one = SensitivityL2::parse("1").unwrap();
    for variance in ["0", "-1", "1e-9", "1e70"] {
        let error = DiscreteGaussianMechanism::with_variance(&rational(variance), &one).unwrap_err();
        assert!(error.explanation().text().contains("hint: "), "{variance}");
    }
}

/// σ², then value, probability and cumulative probability; probabilities down to 1e-2172.
const GAUSSIAN: &[GoldenLaw] = &[
    (
        "1",
        &[
            (0, "0.3989422782668617056", "0.6994711391334308528"),
            (1, "0.2419707232244606097", "0.9414418623578914625"),
            (-1, "0.2419707232244606097", "0.3005288608665691472"),
            (2, "0.05399096622430528482", "0.9954328285821967473"),
            (3, "0.004431848388225065633", "0.999864676970421813"),
            (5, "1.486719506779492023e-6", "0.999999993914977409"),
            (10, "7.694598585535884962e-23", "1"),
            (-10, "7.694598585535884962e-23", "7.69481046960649393e-23"),
            (50, "5.40514917527204709e-544", "1"),
        ],
    ),
    (
        "1/4",
        &[
            (0, "0.7865707070419478997", "0.8932853535209739499"),
            (1, "0.1064507694231447242", "0.9997361229441186741"),
            (-1, "0.1064507694231447242", "0.1067146464790260501"),
            (2, "0.0002638650764154286168", "0.9999999880205341027"),
            (3, "1.197945593603315732e-8", "0.9999999999999900387"),
            (5, "1.517098131620028326e-22", "1"),
            (10, "1.088532469508211595e-87", "1"),
            (-10, "1.088532469508211595e-87", "1.088532469508211596e-87"),
            (50, "2.650502708750459696e-2172", "1"),
        ],
    ),
    (
        "2",
        &[
            (0, "0.2820947917738781394", "0.6410473958869390697"),
            (1, "0.2196956447338611954", "0.8607430406208002651"),
            (-1, "0.2196956447338611954", "0.3589526041130609303"),
            (2, "0.1037768743551486743", "0.9645199149759489394"),
            (3, "0.02973257230590734246", "0.9942524872818562819"),
            (5, "0.0005445710575881774223", "0.9999638046779674727"),
            (10, "3.917716632754333771e-12", "0.9999999999999793762"),
            (-10, "3.917716632754333771e-12", "3.938340481860976537e-12"),
            (50, "1.038350265909974168e-272", "1"),
        ],
    ),
    (
        "9",
        &[
            (0, "0.1329807601338108926", "0.5664903800669054463"),
            (1, "0.1257944092309977213", "0.6922847892979031677"),
            (-1, "0.1257944092309977213", "0.4335096199330945537"),
            (2, "0.1064826685074507367", "0.7987674578053539044"),
            (3, "0.08065690817304778327", "0.8794243659784016876"),
            (5, "0.0331590462642495609", "0.9672534371346491218"),
            (10, "0.0005140929987637020651", "0.9997810934809571555"),
            (-10, "0.0005140929987637020651", "0.0007329995178065465665"),
            (50, "6.384262992519950229e-62", "1"),
        ],
    ),
    (
        "7/3",
        &[
            (0, "0.2611690282654089921", "0.630584514132704496"),
            (1, "0.210794157681163739", "0.841378671813868235"),
            (-1, "0.210794157681163739", "0.369415485867295504"),
            (2, "0.1108330437276753909", "0.952211715541543626"),
            (3, "0.03796240724408083434", "0.9901741227856244603"),
            (5, "0.001231243899093604099", "0.9998759246927097337"),
            (10, "1.29006426888126473e-10", "0.9999999999985564477"),
            (-10, "1.29006426888126473e-10", "1.304499792208412496e-10"),
            (50, "5.743326562240077719e-234", "1"),
        ],
    ),
    (
        "100",
        &[
            (0, "0.03989422804014326779", "0.5199471140200716339"),
            (1, "0.03969525474770117655", "0.5596423687677728104"),
            (-1, "0.03969525474770117655", "0.4800528859799283661"),
            (2, "0.0391042693975455878", "0.5987466381653183982"),
            (3, "0.03813878154605240856", "0.6368854197113708068"),
            (5, "0.03520653267642994778", "0.7089189664181330854"),
            (10, "0.02419707245191433498", "0.8532415727619272656"),
            (-10, "0.02419707245191433498", "0.1709554996899870694"),
            (50, "1.486719514734297708e-7", "0.9999997815123574213"),
        ],
    ),
    (
        "1/50",
        &[
            (0, "0.9999999999722241123", "0.9999999999861120561"),
            (1, "1.388794386457827063e-11", "1"),
            (-1, "1.388794386457827063e-11", "1.388794386457827063e-11"),
            (2, "3.72007597591750755e-44", "1"),
            (3, "1.921947727770465264e-98", "1"),
            (5, "3.680855854699561564e-272", "1"),
            (10, "1.835672669111169455e-1086", "1"),
            (-10, "1.835672669111169455e-1086", "1.835672669111169455e-1086"),
        ],
    ),
    (
        "10000",
        &[
            (0, "0.003989422804014326779", "0.5019947114020071634"),
            (1, "0.003989223337860821456", "0.5059839347398679848"),
            (-1, "0.003989223337860821456", "0.4980052885979928366"),
            (2, "0.00398862499923666103", "0.5099725597391046459"),
            (3, "0.003987627967620996696", "0.5139601877067256426"),
            (5, "0.003984439140947639995", "0.5219308593897193325"),
            (10, "0.003969525474770117655", "0.5418122692189760008"),
            (-10, "0.003969525474770117655", "0.4621572562557941168"),
            (50, "0.003520653267642994778", "0.6932213209622495402"),
        ],
    ),
];
