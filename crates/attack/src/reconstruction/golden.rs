//! Cases computed elsewhere: secrets, questions and answers from a stream that anybody can repeat, and what
//! exact solvers make of them.
//!
//! The stream is x ← 6364136223846793005·x + 1442695040888963407 modulo 2^64, giving x >> 32 after each step.
//! Secrets are the top bits of the stream of `seed`, questions row by row those of `seed + 1`, errors E·(2u −
//! 1) with u the outputs over 2^32 of `seed + 2`.

use super::*;

/// A linear program, its optimum for both norms, and the guess that rounding its solution gives.
struct Program {
    people: usize,
    questions: usize,
    error: f64,
    seed: u64,
    /// The first numbers of the questions' stream.
    stream: [u32; 3],
    secret_begins: &'static str,
    secret_ones: usize,
    questions_ones: usize,
    answer_first: f64,
    answer_last: f64,
    sum: f64,
    sum_at_secret: f64,
    largest: f64,
    wrong: usize,
    wrong_slack: usize,
}

#[rustfmt::skip]
const PROGRAMS: [Program; 11] = [
    Program { people: 64, questions: 256, error: 0.8, seed: 1000,
        stream: [1_819_885_727, 936_689_545, 2_939_607_611], secret_begins: "0110001100010100",
        secret_ones: 27, questions_ones: 8272,
        answer_first: 16.429_961_089_789_9, answer_last: 11.516_535_443_440_1,
        sum: 90.054_437_118_3, sum_at_secret: 105.465_372_349, largest: 0.695_488_936_493,
        wrong: 0, wrong_slack: 2 },
    Program { people: 64, questions: 256, error: 2.0, seed: 1010,
        stream: [3_752_643_172, 1_267_774_941, 493_025_504], secret_begins: "1101011111010011",
        secret_ones: 35, questions_ones: 8223,
        answer_first: 21.874_923_364_259_3, answer_last: 19.108_449_752_442_5,
        sum: 216.300_758_051, sum_at_secret: 259.477_537_66, largest: 1.738_411_066_73,
        wrong: 3, wrong_slack: 2 },
    Program { people: 64, questions: 256, error: 4.0, seed: 1020,
        stream: [1_390_433_321, 1_598_860_337, 2_341_410_693], secret_begins: "1111000110001000",
        secret_ones: 33, questions_ones: 8150,
        answer_first: 18.349_888_008_087_9, answer_last: 15.851_121_792_569_8,
        sum: 462.622_488_283, sum_at_secret: 531.023_381_855, largest: 3.673_686_117_02,
        wrong: 9, wrong_slack: 2 },
    Program { people: 64, questions: 256, error: 8.0, seed: 1030,
        stream: [3_323_190_766, 1_929_945_733, 4_189_795_883], secret_begins: "0010100001000001",
        secret_ones: 24, questions_ones: 8088,
        answer_first: 9.899_858_575_314_28, answer_last: 5.970_688_164_234_16,
        sum: 965.837_716_462, sum_at_secret: 1_032.058_768_03, largest: 7.239_335_048_96,
        wrong: 14, wrong_slack: 2 },
    Program { people: 64, questions: 640, error: 4.0, seed: 1040,
        stream: [960_980_915, 2_261_031_129, 1_743_213_776], secret_begins: "1000111010110111",
        secret_ones: 29, questions_ones: 20_409,
        answer_first: 14.549_970_567_226_4, answer_last: 16.115_163_592_621_7,
        sum: 1_215.460_825_09, sum_at_secret: 1_278.726_817_76, largest: 3.828_334_392_93,
        wrong: 3, wrong_slack: 2 },
    Program { people: 128, questions: 512, error: 1.131_370_849_898_476_2, seed: 1050,
        stream: [2_893_738_360, 2_592_116_525, 3_591_598_966], secret_begins: "0010101001101110",
        secret_ones: 62, questions_ones: 32_672,
        answer_first: 27.911_058_907_752_5, answer_last: 33.065_636_962_794_5,
        sum: 251.955_132_371, sum_at_secret: 295.344_477_49, largest: 1.006_354_219_77,
        wrong: 0, wrong_slack: 3 },
    Program { people: 128, questions: 512, error: 3.394_112_549_695_428, seed: 1060,
        stream: [531_528_509, 2_923_201_921, 1_145_016_859], secret_begins: "1001110010100001",
        secret_ones: 65, questions_ones: 32_848,
        answer_first: 37.787_913_044_859_5, answer_last: 28.986_015_796_596_5,
        sum: 751.451_054_711, sum_at_secret: 869.767_879_756, largest: 3.037_132_044_36,
        wrong: 6, wrong_slack: 3 },
    Program { people: 128, questions: 512, error: 6.788_225_099_390_856, seed: 1070,
        stream: [2_464_285_954, 3_254_287_318, 2_993_402_049], secret_begins: "0011010001111010",
        secret_ones: 60, questions_ones: 32_632,
        answer_first: 38.685_298_732_922_9, answer_last: 42.550_241_406_457_8,
        sum: 1_612.528_891_06, sum_at_secret: 1_807.227_505_12, largest: 6.052_506_871_64,
        wrong: 26, wrong_slack: 3 },
    Program { people: 256, questions: 768, error: 1.6, seed: 1080,
        stream: [102_076_103, 3_585_372_714, 546_819_942], secret_begins: "1001001110011011",
        secret_ones: 119, questions_ones: 98_364,
        answer_first: 64.580_054_274_201_4, answer_last: 61.060_663_273_185_5,
        sum: 523.288_855_418, sum_at_secret: 630.100_319_4, largest: 1.387_374_781_87,
        wrong: 0, wrong_slack: 6 },
    Program { people: 256, questions: 768, error: 4.8, seed: 1090,
        stream: [2_034_833_548, 3_916_458_110, 2_395_205_132], secret_begins: "0110011111000100",
        secret_ones: 148, questions_ones: 98_041,
        answer_first: 78.060_212_358_087_3, answer_last: 85.802_667_933_702_5,
        sum: 1_516.064_862_95, sum_at_secret: 1_873.308_309_3, largest: 4.211_839_912_72,
        wrong: 25, wrong_slack: 6 },
    Program { people: 64, questions: 192, error: 0.0, seed: 1100,
        stream: [3_967_590_993, 4_247_543_506, 4_243_590_321], secret_begins: "1110000100011111",
        secret_ones: 35, questions_ones: 6071,
        answer_first: 16.0, answer_last: 15.0,
        sum: 0.0, sum_at_secret: 0.0, largest: 0.0,
        wrong: 0, wrong_slack: 2 },
];

/// People, error bound, seed, secret, last answer, how many candidates are consistent and how far the
/// farthest is.
#[rustfmt::skip]
const EXHAUSTIVE: [(usize, f64, u64, &str, f64, usize, usize); 7] = [
    (4, 0.5, 2000, "0111", 3.238_759_571_453_56, 1, 0),
    (6, 0.6, 2010, "110100", 2.612_075_416_836_89, 1, 0),
    (8, 0.75, 2020, "11100100", 3.676_253_244_164_4, 1, 0),
    (8, 1.5, 2030, "01100011", 3.590_339_846_210_55, 1, 0),
    (10, 1.0, 2040, "1101101110", 6.121_757_863_089_44, 1, 0),
    (10, 2.0, 2050, "0111110101", 7.818_303_165_957_33, 1, 0),
    (10, 0.4, 2060, "1101100110", 5.878_618_121_147_16, 1, 0),
];

fn stream(seed: u64) -> impl Iterator<Item = u32> {
    let step = |x: u64| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    std::iter::successors(Some(step(seed)), move |x| Some(step(*x))).map(|x| (x >> 32) as u32)
}

fn flags(seed: u64) -> impl Iterator<Item = bool> {
    stream(seed).map(|output| output >> 31 == 1)
}

fn errors(seed: u64, bound: f64) -> impl Iterator<Item = f64> {
    stream(seed).map(move |output| bound * (2.0 * (f64::from(output) / 2f64.powi(32)) - 1.0))
}

fn text(flags: &[bool]) -> String {
    flags.iter().map(|flag| if *flag { '1' } else { '0' }).collect()
}

/// An oracle that reads its answers from a list.
struct Listed(std::vec::IntoIter<f64>);

impl Oracle for Listed {
    fn answer(&mut self, _: &Subset<'_>) -> Option<f64> {
        self.0.next()
    }
}

fn near(got: f64, want: f64, tolerance: f64) -> bool {
    (got - want).abs() <= tolerance * want.abs() + tolerance
}

/// The questions, the answers and the secret, after checking that the streams are the ones meant.
fn repeated(case: &Program) -> (Queries, Vec<f64>, Vec<bool>) {
    assert_eq!(stream(case.seed + 1).take(3).collect::<Vec<u32>>(), case.stream);
    let secret: Vec<bool> = flags(case.seed).take(case.people).collect();
    assert_eq!(text(&secret[..16]), case.secret_begins);
    assert_eq!(secret.iter().filter(|bit| **bit).count(), case.secret_ones);
    let asked: Vec<bool> = flags(case.seed + 1).take(case.questions * case.people).collect();
    assert_eq!(asked.iter().filter(|bit| **bit).count(), case.questions_ones);
    let rows: Vec<Vec<bool>> = asked.chunks(case.people).map(<[bool]>::to_vec).collect();
    let queries = Queries::from_rows(&rows).unwrap();
    let true_count = |subset: Subset| subset.members().filter(|person| secret[*person]).count() as f64;
    let noise = errors(case.seed + 2, case.error);
    let answers: Vec<f64> =
        queries.subsets().zip(noise).map(|(subset, noise)| true_count(subset) + noise).collect();
    assert!(near(answers[0], case.answer_first, 1e-10), "{} {}", answers[0], case.answer_first);
    assert!(near(answers[case.questions - 1], case.answer_last, 1e-10));
    (queries, answers, secret)
}

/// Specification: the optimum of the sum of errors within 1e-6, and as many wrong bits as the exact solution
/// has, a few more allowed where coordinates lie near one half.
#[test]
fn the_least_sum_of_errors_agrees_with_exact_solvers() {
    for case in &PROGRAMS {
        let (queries, answers, secret) = repeated(case);
        let errors_at_secret = queries.subsets().zip(&answers).map(|(subset, answer)| {
            (subset.members().filter(|person| secret[*person]).count() as f64 - answer).abs()
        });
        assert!(near(errors_at_secret.sum(), case.sum_at_secret, 1e-9), "seed {}", case.seed);
        let mut oracle = Listed(answers.into_iter());
        let found = attack_with(&queries, Method::LinearProgram(Norm::Sum), &mut oracle).unwrap();
        assert!(near(found.objective, case.sum, 1e-6), "seed {}: {}", case.seed, found.objective);
        let wrong = found.recovery(&secret).unwrap().wrong();
        assert!(wrong <= case.wrong + case.wrong_slack, "seed {}: {wrong}", case.seed);
    }
}

/// Specification: the optimum of the largest error within 1e-6.
#[test]
fn the_least_largest_error_agrees_with_exact_solvers() {
    for case in &PROGRAMS {
        let (queries, answers, _) = repeated(case);
        let (_, objective) = decode(&queries, &answers, Method::LinearProgram(Norm::Largest), None).unwrap();
        assert!(near(objective, case.largest, 1e-6), "seed {}: {objective}", case.seed);
    }
}

/// Specification: brute force agrees with brute force, and the theorem's bound holds.
#[test]
fn exhaustive_search_agrees_with_brute_force() {
    for (people, bound, seed, expected, answer_last, count, farthest) in EXHAUSTIVE {
        let secret: Vec<bool> = flags(seed).take(people).collect();
        assert_eq!(text(&secret), expected);
        let mask = (0..people).filter(|person| secret[*person]).map(|person| 1 << person).sum::<u32>();
        let counts = (0..1u32 << people).map(|subset| f64::from((subset & mask).count_ones()));
        let answers: Vec<f64> =
            counts.zip(errors(seed + 2, bound)).map(|(count, error)| count + error).collect();
        assert!(near(*answers.last().unwrap(), answer_last, 1e-10));
        let found = exhaustive(people, bound, &mut Listed(answers.into_iter())).unwrap();
        assert_eq!((found.consistent_count(), found.farthest(&secret).unwrap()), (count, Some(farthest)));
        assert!(near(found.distance_bound().unwrap(), 4.0 * bound, 1e-9));
        assert_eq!(found.guess(), secret);
    }
}
