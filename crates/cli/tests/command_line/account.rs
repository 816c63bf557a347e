//! The calculators of `pointillist account`: golden numbers, hints, exit codes.

use serde_json::Value;

use super::{pointillist, stderr, stdout};

/// Splits a command line at blanks and runs `pointillist account` with it.
fn account(line: &str) -> std::process::Output {
    let arguments: Vec<&str> = ["account"].into_iter().chain(line.split_whitespace()).collect();
    pointillist(&arguments)
}

/// The JSON of a command that succeeds, with nothing else on either stream.
fn json(line: &str) -> Value {
    let output = account(&format!("{line} --json"));
    assert!(output.status.success(), "{line}: {}", stderr(&output));
    assert!(output.stderr.is_empty(), "{line}: {}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 1, "{line}");
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

/// What people read.
fn words(line: &str) -> String {
    let output = account(line);
    assert!(output.status.success(), "{line}: {}", stderr(&output));
    stdout(&output)
}

/// A decimal string of the JSON.
fn number(value: &Value, key: &str) -> f64 {
    let text = value[key].as_str().unwrap_or_else(|| panic!("{key} is a string in {value}"));
    text.parse().expect("a decimal")
}

/// At or above the reference, and above by at most a relative margin. Strings round up, and the reference is a float.
fn assert_upper(found: f64, reference: f64, margin: f64) {
    assert!(found >= reference * (1.0 - 1e-15), "{found} is below {reference}");
    assert!(found <= reference * (1.0 + margin), "{found} is far above {reference}");
}

fn assert_refused(line: &str, says: &str) {
    let output = account(line);
    assert_eq!(output.status.code(), Some(2), "{line}: {}", stdout(&output));
    assert!(output.stdout.is_empty(), "{line}");
    let message = stderr(&output);
    assert!(message.contains("\nhint: ") && message.contains(says), "{line}: {message}");
}

#[test]
fn rho_becomes_epsilon_and_delta() {
    let at_delta = json("convert --rho 0.1 --delta 1e-6");
    assert_upper(number(&at_delta, "epsilon"), 2.141_938_928_385_473_6, 1e-12);
    assert_upper(number(&at_delta, "epsilon_classical"), 2.450_788_000_476_799_6, 1e-12);
    assert_eq!(at_delta["given"], serde_json::json!({ "rho": "0.1", "delta": "1e-6" }));

    let back = json(&format!("convert --rho 0.1 --epsilon {}", at_delta["epsilon"].as_str().unwrap()));
    assert!((number(&back, "delta") - 1e-6).abs() < 1e-15);
    assert!(number(&back, "delta_classical") > 1e-6);
    assert!(json("convert --rho 3 --epsilon 2")["delta_classical"].is_null(), "ε below ρ");

    let text = words("convert --rho 0.1 --delta 1e-6");
    assert!(
        text.contains("ε = 2.14194") && text.contains("ε = 2.45079") && text.contains("Rounded up"),
        "{text}"
    );
}

#[test]
fn pure_epsilon_becomes_rho() {
    let pure = json("convert --epsilon 1");
    assert_upper(number(&pure, "rho"), 0.462_117_157_260_009_76, 1e-14);
    assert_eq!((pure["rho_customary"].as_str(), pure["delta"].as_str()), (Some("0.5"), Some("0")));
    assert!(json("convert --epsilon 1e6")["rho_customary"].is_null(), "5e11 is out of range");
    assert!(words("convert --epsilon 0.5").contains("(ε = 0.5, δ = 0)"));
}

/// Specification: the ρ of a budget is rounded down, and its conversion fits.
#[test]
fn a_budget_becomes_the_rho_that_fits() {
    for (epsilon, delta) in [("1", "1e-6"), ("0.1", "1e-15"), ("50", "1e-5")] {
        let rho = json(&format!("convert --epsilon {epsilon} --delta {delta}"));
        let rho = rho["rho"].as_str().expect("a string");
        let back = json(&format!("convert --rho {rho} --delta {delta}"));
        let (found, budget) = (number(&back, "epsilon"), epsilon.parse::<f64>().unwrap());
        assert!(found <= budget && found >= budget * (1.0 - 1e-9), "{epsilon} {delta}: {found}");
    }
    assert!(words("convert --epsilon 1 --delta 1e-6").contains("ρ = 0.0243559"));
}

/// Specification: Gaussian noise of the calibrated σ is Δ/σ-GDP, and converts back to what it was calibrated for.
#[test]
fn gaussian_and_bounded_range_guarantees_convert() {
    let half = json("convert --mu 0.5 --delta 1e-6");
    assert_eq!(half["rho"], "0.125");
    assert!(number(&half, "epsilon") < number(&half, "epsilon_by_rho"));
    let back = json("convert --mu 1/3.730631634815942 --epsilon 1");
    assert!((number(&back, "delta") / 1e-5 - 1.0).abs() < 1e-9, "{back}");
    assert_eq!(json("convert --mu 1")["rho"], "0.5");
    let range = json("convert --eta 0.1 --delta 0.5");
    assert_eq!((range["rho"].as_str(), range["epsilon_pure"].as_str()), (Some("0.00125"), Some("0.1")));
    assert!(number(&range, "epsilon") < 0.1, "at a large δ the way by ρ is shorter");
    assert_eq!(json("convert --eta 2")["rho"], "0.5");
}

#[test]
fn conversions_without_a_question_get_a_hint() {
    for (line, says) in [
        ("convert", "nothing to convert"),
        ("convert --rho 1", "add --delta"),
        ("convert --delta 1e-6", "δ alone"),
        ("convert --rho 1 --epsilon 1 --delta 1e-6", "leave out"),
        ("convert --mu 1 --epsilon 1 --delta 1e-6", "leave out"),
        ("convert --rho 1 --mu 1 --delta 1e-6", "exactly one"),
        ("convert --eta 1 --rho 1", "exactly one"),
        ("convert --eta 1 --epsilon 1", "--eta alone"),
        ("convert --epsilon 1 --delta 0", "δ = 0"),
        ("convert --rho 1 --delta 0", "delta = 0"),
        ("convert --rho 100 --epsilon 0.001", "promises nothing"),
        ("convert --mu 0 --delta 1e-6", "mu squared"),
        ("convert --mu x", "not a number"),
    ] {
        assert_refused(line, says);
    }
    for epsilon in ["NaN", "inf", "0", "-1", "-0", "1e7", "ten", "1e400", "1/0"] {
        assert_refused(&format!("convert --epsilon {epsilon}"), "--epsilon");
    }
    for delta in ["1", "2", "-1e-6", "1e-61", "nan"] {
        assert_refused(&format!("convert --rho 1 --delta {delta}"), "--delta");
    }
}

/// The frozen value for (1, 1e-5); k uses take √k times as much.
#[test]
fn gaussian_noise_is_calibrated_analytically() {
    let one = json("calibrate --mechanism gaussian --epsilon 1 --delta 1e-5");
    assert_upper(number(&one, "sigma"), 3.730_631_634_815_942, 1e-7);
    assert!(number(&one, "delta_reached") <= 1e-5);
    for (count, factor) in [(4, 2.0), (10_000, 100.0)] {
        let many = json(&format!("calibrate --mechanism gaussian --epsilon 1 --delta 1e-5 --count {count}"));
        assert_upper(number(&many, "sigma"), factor * 3.730_631_634_815_942, 1e-7);
        assert_eq!(many["count"], count);
    }
    let wide = json("calibrate --mechanism gaussian --epsilon 1 --delta 1e-5 --sensitivity 5/2");
    assert_upper(number(&wide, "sigma"), 2.5 * 3.730_631_634_815_942, 1e-7);
    for (epsilon, delta) in [("1e-6", "1e-15"), ("50", "1e-5"), ("1e6", "0.9"), ("1e-19", "1e-60")] {
        let line = format!("calibrate --mechanism gaussian --epsilon {epsilon} --delta {delta}");
        assert!(number(&json(&line), "sigma") > 0.0);
    }
    assert!(words("calibrate --mechanism gaussian --epsilon 1 --delta 1e-5").contains("σ = 3.73064"));
}

/// σ = Δ·√(k/(2ρ)), for both kinds of Gaussian noise.
#[test]
fn gaussian_noise_is_calibrated_for_rho() {
    for mechanism in ["gaussian", "discrete-gaussian"] {
        let line = format!("calibrate --mechanism {mechanism} --rho 0.1 --sensitivity 3 --count 7");
        assert_upper(number(&json(&line), "sigma"), 3.0 * 35f64.sqrt(), 1e-15);
    }
}

#[test]
fn pure_losses_take_k_times_the_scale() {
    for mechanism in ["laplace", "discrete-laplace"] {
        let line = format!("calibrate --mechanism {mechanism} --epsilon 0.5 --sensitivity 3 --count 10");
        assert_eq!(json(&line)["scale"], "60");
        assert_eq!(json(&format!("{line} --delta 0"))["scale"], "60");
    }
    assert_eq!(
        json("calibrate --mechanism laplace --epsilon 0.3")["scale"],
        "3.3333333333333334",
        "rounded up"
    );
}

/// Specification: with a δ, the accountant's reference (scale 100, 10 000 uses, ε between 4.8762 and 4.8763) is found
/// again, and one use is within a thousandth of the closed form δ = 1 − exp((ε − 1/b)/2).
#[test]
fn laplace_noise_with_a_delta_follows_the_accountant() {
    let many = json("calibrate --mechanism laplace --epsilon 4.8763 --delta 1e-6 --count 10000");
    assert!((99.95..=100.1).contains(&number(&many, "scale")), "{many}");
    for (epsilon, delta) in [("1", 0.01f64), ("0.2", 0.05), ("1", 1e-6)] {
        let one = json(&format!("calibrate --mechanism laplace --epsilon {epsilon} --delta {delta}"));
        let exact = 1.0 / (epsilon.parse::<f64>().unwrap() - 2.0 * (-delta).ln_1p());
        assert_upper(number(&one, "scale"), exact, 1e-3);
    }
    let scaled =
        json("calibrate --mechanism laplace --epsilon 4.8763 --delta 1e-6 --count 10000 --sensitivity 1/4");
    assert!((24.98..=25.03).contains(&number(&scaled, "scale")), "{scaled}");
    // Far more uses than anyone convolves: by way of ρ, quickly.
    let most = json("calibrate --mechanism laplace --epsilon 1 --delta 1e-15 --count 1000000000");
    assert!((230_000.0..250_000.0).contains(&number(&most, "scale")), "{most}");
}

/// Specification: integer noise needs a little more than noise on the line, and ρ a little more than the accountant.
#[test]
fn integer_noise_with_a_delta_lies_between_its_bounds() {
    let line = "--epsilon 1 --delta 1e-6 --count 100";
    let continuous = number(&json(&format!("calibrate --mechanism laplace {line}")), "scale");
    let discrete = number(&json(&format!("calibrate --mechanism discrete-laplace {line}")), "scale");
    assert!(continuous * 0.999 <= discrete && discrete <= continuous * 1.02, "{continuous} {discrete}");
    let analytic = number(&json(&format!("calibrate --mechanism gaussian {line}")), "sigma");
    let integers = json(&format!("calibrate --mechanism discrete-gaussian {line}"));
    let (one, any) = (number(&integers, "sigma"), number(&integers, "sigma_any_dimension"));
    assert!(analytic * 0.999 <= one && one < any && any <= analytic * 1.1, "{analytic} {one} {any}");
    let wide = json("calibrate --mechanism discrete-laplace --epsilon 1 --delta 1e-9 --sensitivity 1e20");
    assert_eq!(wide["scale"], "100000000000000000000", "losses that are not listed are added up");
}

/// ε·tanh(ε/2) = 0.1 at ε = 0.45097…; ln 3 is the survey with two coins.
#[test]
fn randomized_response_tells_how_often_to_lie() {
    let coins = json("calibrate --mechanism randomized-response --epsilon 1.0986122886681098");
    assert!((number(&coins, "truth_probability") - 0.75).abs() < 1e-15);
    assert!((number(&coins, "gamma") - 0.25).abs() < 1e-15);
    let four = json("calibrate --mechanism randomized-response --epsilon 2 --count 4");
    assert_eq!(four["epsilon_each"], "0.5");
    assert!((number(&four, "truth_probability") + number(&four, "lie_probability") - 1.0).abs() < 1e-15);
    let approximate = json("calibrate --mechanism randomized-response --epsilon 2 --delta 1e-6 --count 100");
    assert!((0.045..0.046).contains(&number(&approximate, "epsilon_each")), "{approximate}");
    let concentrated = json("calibrate --mechanism randomized-response --rho 0.1");
    let each = number(&concentrated, "epsilon_each");
    let rho = each * (each / 2.0).tanh();
    assert!(rho <= 0.1 && rho > 0.0999, "{concentrated}");
}

#[test]
fn calibrations_without_a_target_get_a_hint() {
    for (line, says) in [
        ("--mechanism gaussian", "no target"),
        ("--mechanism gaussian --delta 1e-6", "no target"),
        ("--mechanism gaussian --epsilon 1", "δ = 0"),
        ("--mechanism gaussian --epsilon 1 --delta 0", "δ = 0"),
        ("--mechanism discrete-gaussian --epsilon 1", "δ = 0"),
        ("--mechanism gaussian --epsilon 1 --rho 1", "twice"),
        ("--mechanism gaussian --rho 1 --delta 1e-6", "twice"),
        ("--mechanism laplace --epsilon 1 --count 0", "at least one use"),
        ("--mechanism laplace --epsilon 1e-19 --count 100", "too small"),
        ("--mechanism laplace --epsilon 1 --sensitivity 0", "sensitivity"),
        ("--mechanism gaussian --rho 1 --sensitivity -1", "sensitivity"),
        ("--mechanism discrete-laplace --epsilon 1 --sensitivity 0.5", "less than one"),
        ("--mechanism randomized-response --epsilon 1 --sensitivity 2", "no sensitivity"),
        ("--mechanism gaussian --epsilon NaN --delta 1e-6", "not a number"),
    ] {
        assert_refused(&format!("calibrate {line}"), says);
    }
    assert_eq!(account("calibrate --mechanism cauchy --epsilon 1").status.code(), Some(2));
    assert_eq!(account("calibrate --epsilon 1").status.code(), Some(2));
}

#[test]
fn sampling_amplifies() {
    let sampled = json("amplify --epsilon 1 --delta 1e-6 --sampling-rate 0.01");
    assert_upper(number(&sampled, "epsilon"), 0.017_036_863_236_176_55, 1e-14);
    assert_eq!(sampled["delta"], "1e-8");
    assert_eq!(json("amplify --epsilon 2 --sampling-rate 1")["epsilon"], "2");
    let before = json("amplify --epsilon 0.1 --delta 1e-6 --sampling-rate 0.01 --inverse");
    assert_eq!(before["delta"], "1e-4");
    let after =
        json(&format!("amplify --epsilon {} --sampling-rate 0.01", before["epsilon"].as_str().unwrap()));
    assert!(number(&after, "epsilon") <= 0.1 && number(&after, "epsilon") > 0.099_999_999);
    let text = words("amplify --epsilon 1 --delta 1e-6 --sampling-rate 0.01");
    assert!(text.contains("ε = 0.0170369") && text.contains("δ = 1e-8"), "{text}");
}

/// The authors' own interval for 10⁵ reports of ε = 4 at δ = 10⁻⁶.
#[test]
fn shuffling_amplifies() {
    let shuffled = json("amplify --epsilon 4 --delta 1e-6 --shuffle 100000");
    assert!((0.1675..0.1728).contains(&number(&shuffled, "epsilon")), "{shuffled}");
    let alone = number(&json("amplify --epsilon 4 --delta 1e-6 --shuffle 1"), "epsilon");
    assert!((3.9..=4.0).contains(&alone), "nobody to hide behind: {alone}");
}

#[test]
fn amplification_by_nothing_gets_a_hint() {
    for (line, says) in [
        ("amplify --epsilon 1", "--sampling-rate"),
        ("amplify --epsilon 1 --sampling-rate 0.1 --shuffle 100", "one of them"),
        ("amplify --epsilon 1 --sampling-rate 1.5", "at most 1"),
        ("amplify --epsilon 1 --sampling-rate 0", "empty sample"),
        ("amplify --epsilon 1 --sampling-rate -0.1", "negative"),
        ("amplify --epsilon 1 --shuffle 100", "δ = 0"),
        ("amplify --epsilon 1 --shuffle 100 --delta 0", "δ = 0"),
        ("amplify --epsilon 1 --delta 1e-6 --shuffle 0", "reports"),
        ("amplify --epsilon 1 --delta 1e-6 --shuffle 100 --inverse", "--inverse"),
        ("amplify --epsilon 1 --delta 0.5 --sampling-rate 0.1 --inverse", "publishing the sample"),
        ("amplify --epsilon nan --sampling-rate 0.1", "not a number"),
    ] {
        assert_refused(line, says);
    }
    assert_eq!(account("amplify --sampling-rate 0.1").status.code(), Some(2));
}

#[test]
fn groups_pay_more() {
    let three = json("group --epsilon 0.5 --delta 1e-6 --size 3");
    assert_eq!(three["epsilon"], "1.5");
    assert_upper(number(&three, "delta"), 5.367_003_099_159_173e-6, 1e-14);
    let pure = json("group --epsilon 0.1 --size 10");
    assert_eq!((pure["epsilon"].as_str(), pure["delta"].as_str()), (Some("1"), Some("0")));
    assert_eq!(json("group --rho 0.01 --size 10")["rho"], "1");
    let text = words("group --epsilon 0.5 --delta 1e-6 --size 3");
    assert!(text.contains("ε = 1.5") && text.contains("δ = 5.36701e-6"), "{text}");
}

#[test]
fn groups_without_a_guarantee_get_a_hint() {
    for (line, says) in [
        ("group --size 3", "no guarantee"),
        ("group --delta 1e-6 --size 3", "no guarantee"),
        ("group --epsilon 1 --rho 1 --size 3", "one of them"),
        ("group --rho 1 --delta 1e-6 --size 3", "account convert"),
        ("group --epsilon 1 --size 0", "at least 1"),
        ("group --rho 1 --size 0", "at least 1"),
        ("group --epsilon 1 --delta 1e-6 --size 100", "smaller group"),
        ("group --epsilon -1 --size 2", "negative"),
    ] {
        assert_refused(line, says);
    }
    assert_eq!(account("group --epsilon 1").status.code(), Some(2));
}

/// How many more each filter admits, by name.
fn more(line: &str) -> Vec<(String, u64)> {
    let value = json(line);
    let filters = value["filters"].as_array().expect("an array");
    let entry = |filter: &Value| {
        (filter["filter"].as_str().unwrap().to_owned(), filter["how_many_more"].as_u64().unwrap())
    };
    filters.iter().map(entry).collect()
}

/// The threat model's vectors: basic, advanced, either, and approximate zCDP.
#[test]
fn filters_admit_what_the_threat_model_says() {
    for (each, budget, basic, advanced, best) in [
        ("0.1", "1", 10, 3, "basic"),
        ("0.01", "1", 100, 349, "approximate_zcdp"),
        ("0.05", "2", 40, 54, "approximate_zcdp"),
    ] {
        let line = format!("filter --budget-epsilon {budget} --budget-delta 1e-6 --epsilon {each}");
        let found = more(&line);
        let either = basic.max(advanced);
        let expected = [("basic", basic), ("advanced", advanced), ("basic_or_advanced", either)];
        assert_eq!(found[..3], expected.map(|(name, count)| (name.to_owned(), count)));
        assert_eq!(found[3].0, "approximate_zcdp");
        assert_eq!(json(&line)["best"], best, "{line}");
    }
    for (each, count) in [("0.01", 487), ("0.1", 4)] {
        let found = more(&format!("filter --budget-epsilon 1 --budget-delta 1e-6 --epsilon {each}"));
        assert_eq!(found[3], ("approximate_zcdp".to_owned(), count));
    }
}

#[test]
fn questions_asked_already_are_taken_off() {
    let line = "filter --budget-epsilon 1 --budget-delta 1e-6 --epsilon 0.1 --asked 5";
    let counts: Vec<u64> = more(line).into_iter().map(|(_, count)| count).collect();
    assert_eq!(counts, [5, 0, 5, 0]);
    let text = words(line);
    assert!(text.contains("5 more   basic") && text.contains("no more   advanced"), "{text}");
    assert!(text.contains("← most") && text.contains("A tight accountant"), "{text}");
    assert_eq!(json(line)["filters"][0]["admits"], 10);
}

/// Specification: each budget is counted by the filters that are proven for it and for the price, and no others.
#[test]
fn only_filters_that_apply_are_listed() {
    let names = |line: &str| more(line).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("filter --budget-epsilon 1 --epsilon 0.1"), ["basic"]);
    assert_eq!(names("filter --budget-epsilon 1 --budget-delta 1e-6 --rho 0.001"), ["approximate_zcdp"]);
    assert_eq!(
        names("filter --budget-epsilon 1 --budget-delta 1e-6 --epsilon 0.1 --delta 1e-9"),
        ["basic", "advanced", "approximate_zcdp"]
    );
    for price in ["--rho 0.001", "--epsilon 0.1", "--epsilon 0.1 --delta 1e-9"] {
        let line = format!("filter --budget-rho 0.5 --budget-delta 1e-6 {price}");
        assert_eq!(names(&line), ["approximate_zcdp"]);
    }
    assert_eq!(more("filter --budget-rho 1 --rho 0.125"), [("approximate_zcdp".to_owned(), 8)]);
    assert_eq!(more("filter --budget-rho 1 --rho 0.125 --delta 1e-9"), [("approximate_zcdp".to_owned(), 0)]);
}

#[test]
fn filters_without_a_budget_or_price_get_a_hint() {
    for (line, says) in [
        ("filter --epsilon 1", "no budget"),
        ("filter --budget-delta 1e-6 --epsilon 1", "no budget"),
        ("filter --budget-epsilon 1", "no price"),
        ("filter --budget-epsilon 1 --delta 1e-6", "no price"),
        ("filter --budget-epsilon 1 --budget-rho 1 --epsilon 1", "both"),
        ("filter --budget-epsilon 1 --epsilon 1 --rho 1", "both"),
        ("filter --budget-epsilon 1 --rho 0.1", "--budget-delta"),
        ("filter --budget-rho 1 --epsilon 1e5 --delta 1e-6", "too large"),
        ("filter --budget-epsilon NaN --epsilon 1", "--budget-epsilon"),
        ("filter --budget-rho 0 --epsilon 1", "--budget-rho"),
        ("filter --budget-epsilon 1 --budget-delta 1 --epsilon 1", "--budget-delta"),
    ] {
        assert_refused(line, says);
    }
}

#[test]
fn every_calculator_has_help_with_examples() {
    for calculator in ["convert", "calibrate", "amplify", "group", "filter"] {
        let help = words(&format!("{calculator} --help"));
        assert!(help.contains("Examples:") && help.contains(&format!("pointillist account {calculator} --")));
        assert!(help.contains("--json"));
    }
}

/// Specification: the examples in the help run as printed.
#[test]
fn examples_in_the_help_run() {
    let mut examples = 0;
    for calculator in ["convert", "calibrate", "amplify", "group", "filter"] {
        let help = words(&format!("{calculator} --help"));
        for line in help.lines().filter_map(|line| line.trim().strip_prefix("pointillist account ")) {
            // Three blanks start an explanation.
            let command = line.split("   ").next().expect("a line has a start");
            json(command);
            examples += 1;
        }
    }
    assert!(examples >= 15, "{examples}");
}
