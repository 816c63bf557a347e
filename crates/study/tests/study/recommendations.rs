//! Recommendations, from a file of ratings to a report; and attempts to find somebody in what was released.

use std::fs;
use std::path::Path;

use pointillist_audit::{Finding, Observation, Settings as AuditSettings, Trial, audit};
use pointillist_curator::Home;
use pointillist_errors::{Explained, Kind};
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Loss, Rho};
use pointillist_render::page::MadeBy;
use pointillist_study::recommendations::{
    CATALOG, COVERED, Catalogue, CovarianceSettings, Evaluation, Learner, MadeUp, Method, Points, Preset,
    RatingFile, RatingFormat, RatingStudy, Ratings, RatingsBuilder, RecommendationError, Released, Settings,
    Source, StarScale, Unit, page,
};
use pointillist_testkit::seeded;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::parse(text).unwrap()
}

fn delta() -> Delta {
    Delta::parse("1e-6").unwrap()
}

/// A study of a file in this folder.
fn study(folder: &Path, epsilons: &[&str]) -> RatingStudy {
    let ratings = RatingFile {
        path: folder.join("ratings.csv"),
        format: RatingFormat::Csv,
        scale: StarScale::parse("0..10").unwrap(),
    };
    RatingStudy {
        folder: folder.join("study"),
        source: Source::Files { ratings, items: folder.join("movies.csv") },
        preset: Preset::Sparse,
        units: vec![Unit::Person],
        epsilons: epsilons.iter().map(|text| epsilon(text)).collect(),
        delta: delta(),
    }
}

/// Twenty films, and forty people who rate ten of them each.
fn write_files(folder: &Path) {
    let genre = |film: usize| if film.is_multiple_of(2) { "Drama" } else { "Comedy|Short" };
    let films =
        (0..20).map(|film| format!("f{film},\"Film <{film}>, The ({})\",{}\n", 1970 + 3 * film, genre(film)));
    fs::write(folder.join("movies.csv"), format!("movieId,title,genres\n{}", films.collect::<String>()))
        .unwrap();
    let mut text = "userId,movieId,rating,timestamp\n".to_owned();
    for person in 0..40usize {
        for at in 0..10 {
            let film = (7 * person + 3 * at) % 20;
            text += &format!("secret-person-{person},f{film},{},{at}\n", (person + film) % 11);
        }
    }
    fs::write(folder.join("ratings.csv"), text).unwrap();
}

/// Specification: the price is in the ledger before the ratings are opened: a study whose ratings are not there has paid.
#[test]
fn a_study_pays_before_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    fs::remove_file(folder.path().join("ratings.csv")).unwrap();
    let study = study(folder.path(), &["1"]);
    let error = study.run(&|_, _| ()).unwrap_err();
    assert!(matches!(error, RecommendationError::Unreadable { .. }), "{error}");
    let verified = Home::open(&study.folder.join(CATALOG)).unwrap().verify().unwrap();
    let rho = zcdp_rho_lower(&epsilon("1"), &delta()).unwrap();
    let spent = verified.spent.iter().find(|spent| spent.account.analyst.is_none()).expect("a scope");
    assert!(spent.account.scope == "people" && spent.amount.loss() >= *rho.value(), "{spent:?}");
}

/// Specification: the same study has the same numbers, for free; another one is refused by the budget before anything is read, and the chain of
/// records holds throughout.
#[test]
fn a_study_is_paid_once_and_another_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let study = study(folder.path(), &["1", "4"]);
    let first = study.run(&|_, _| ()).unwrap();
    assert!(!first.payments[0].is_repeat);
    assert_eq!((first.sizes[0], first.sizes[1] + first.sizes[2], first.passed_over), (40, 400, 0));
    let again = study.run(&|_, _| ()).unwrap();
    assert!(again.payments[0].is_repeat);
    let numbers = |outcome: &pointillist_study::recommendations::StudyOutcome| -> Vec<Released> {
        outcome.releases.iter().map(|release| release.released.clone()).collect()
    };
    assert_eq!(numbers(&first), numbers(&again));
    let other = RatingStudy { epsilons: vec![epsilon("2")], ..study.clone() };
    fs::remove_file(folder.path().join("ratings.csv")).unwrap();
    let refused = other.run(&|_, _| ()).unwrap_err();
    assert_eq!(refused.kind(), Kind::Budget, "{refused}");
    let verified = Home::open(&study.folder.join(CATALOG)).unwrap().verify().unwrap();
    let paid = first.payments[0].price.amount();
    assert_eq!(verified.spent[0].amount, paid, "one payment, no more");
}

/// Specification: the page says what is covered, holds no id of a person, and escapes titles.
#[test]
fn the_report_says_what_is_covered_and_names_nobody() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let study = RatingStudy { units: vec![Unit::Person, Unit::Rating], ..study(folder.path(), &["1"]) };
    let outcome = study.run(&|_, _| ()).unwrap();
    let made_by = MadeBy { command: "pointillist study".to_owned(), date: "2026-11-18".to_owned() };
    let html = page(&study, &outcome).to_html(&made_by);
    assert!(html.contains(COVERED) && html.contains("for the owner"), "the sentence about what is covered");
    assert!(html.contains("Film &lt;") && !html.contains("Film <"), "titles are texts");
    let released = fs::read_to_string(study.folder.join("released-person-1.json")).unwrap();
    for text in [&html, &released] {
        assert!(!text.contains("secret-person"));
    }
    assert!(html.contains("what one person said of one item"));
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    for (name, text) in
        [("thesis.txt", "years of work"), (CATALOG, "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n")]
    {
        let study = RatingStudy {
            folder: folder.path().join(name.replace('.', "-")),
            ..study(folder.path(), &["1"])
        };
        fs::create_dir(&study.folder).unwrap();
        fs::write(study.folder.join(name), text).unwrap();
        let error = study.run(&|_, _| ()).unwrap_err();
        assert!(matches!(error, RecommendationError::Occupied { .. }), "{error}");
        assert_eq!(fs::read_dir(&study.folder).unwrap().count(), 1);
    }
}

/// Specification: with 50,000 people the private covariance beats the private means clearly at ε = 1, and ridge beats nearest neighbours. The seed
/// is fixed.
#[test]
fn the_covariance_pays_with_fifty_thousand_people() {
    let population = MadeUp { number: 7, ..MadeUp::new(50_000) };
    let catalogue = population.catalogue();
    let (kept, held) = population.ratings().split(0);
    let learner = Learner::new(&catalogue, Settings::dense(Unit::Person, 1.0)).unwrap();
    let rho = zcdp_rho_lower(&epsilon("1"), &delta()).unwrap();
    let model = learner.model(&learner.release(&kept, &rho, &mut seeded(1)).unwrap());
    let evaluation = Evaluation::new(&kept, &held, catalogue.len());
    let error = |method| evaluation.scores(&model, method).top_500;
    let (global, items, means, factors) = (
        error(Method::GlobalMean),
        error(Method::ItemMean),
        error(Method::PersonAndItem),
        error(Method::Factors),
    );
    let neighbours = evaluation.neighbour_scores(&model).top_500;
    assert!(
        factors < means - 0.03 && means < items - 0.05 && items < global - 0.05,
        "{global} {items} {means} {factors}"
    );
    assert!(factors < neighbours && neighbours < means, "{factors} {neighbours} {means}");
}

const ITEMS: usize = 12;
const PAIRED: usize = 6;

/// A small world in which everybody rates the first items, and perhaps somebody else.
fn world(canary: &[(u32, f64)]) -> Ratings {
    let mut builder = RatingsBuilder::default();
    for id in 0..6u64 {
        let person = builder.person(id);
        (0..PAIRED as u32).for_each(|item| builder.rate(person, item, Points::from_f64(5.0), 0));
    }
    if !canary.is_empty() {
        let person = builder.person(99);
        canary.iter().for_each(|(item, points)| builder.rate(person, *item, Points::from_f64(*points), 0));
    }
    builder.finish()
}

/// Settings in which everything is small enough to be seen.
fn small(unit: Unit) -> Settings {
    let covariance = CovarianceSettings {
        items: PAIRED,
        item_share_percent: 30,
        ..Settings::dense(unit, 1.0).covariance.unwrap()
    };
    Settings { covariance: Some(covariance), ..Settings::dense(unit, 1.0) }
}

/// Somebody's ratings: the best for even items, the worst for odd ones.
fn alternating(items: usize) -> Vec<(u32, f64)> {
    (0..items).map(|item| (item as u32, if item.is_multiple_of(2) { 10.0 } else { 0.0 })).collect()
}

/// Ratings, and which of a canary's items an adversary looks for: those of one side, and of what is added on the other.
type World = (Ratings, std::ops::Range<usize>);

/// What somebody who looks for a canary makes of a release: everything along its direction.
fn evidence(released: &Released, added: &std::ops::Range<usize>) -> Observation {
    let sign = |item: usize| if item.is_multiple_of(2) { 1.0 } else { -1.0 };
    let liked: f64 = added.clone().map(|item| sign(item) * released.items[item] as f64).sum();
    let counted: f64 = added.clone().map(|item| released.items[ITEMS + item] as f64).sum();
    let pairs = released.pairs.as_ref().expect("pairs");
    let (mut together, mut at, mut looked) = (0.0, 0, 0u32);
    for row in 0..pairs.chosen.len() {
        for column in row + 1..pairs.chosen.len() {
            let [row, column] = [row, column].map(|at| pairs.chosen[at] as usize);
            // A pair tells of what was added if one of its items was, and the other is the canary's too.
            if row.max(column) < added.end && (added.contains(&row) || added.contains(&column)) {
                together += sign(row) * sign(column) * pairs.triangle[at] as f64;
                looked += 1;
            }
            at += 1;
        }
    }
    let scaled = |total: f64, sigma: f64, count: f64| total / (sigma * count.max(1.0).sqrt());
    let sums = scaled(liked, released.items_sigma, added.len() as f64);
    let counts = scaled(counted, released.items_sigma, added.len() as f64);
    let products = scaled(together, pairs.sigma, f64::from(looked));
    Observation::new()
        .with("how many", released.mean[1])
        .with("liked", sums)
        .with("counted", counts)
        .with("together", products)
        .with("weight", pairs.weight)
        .with("all", 2.0 * sums + counts + 2.0 * products)
}

/// Audits releases with these settings at the price `spent` that claim `claimed`: worlds with and without a canary, a person or a rating.
fn audited(settings: &Settings, canary: Unit, spent: &str, claimed: &str, seed: u64) -> Finding {
    let (catalogue, settings) = (Catalogue::numbered(ITEMS), settings.clone());
    let rho = Rho::parse(spent).unwrap();
    let release = move |(ratings, added): &World, bits: &mut dyn pointillist_noise::SecureBits| {
        let learner = Learner::new(&catalogue, settings.clone()).expect("settings");
        evidence(&learner.release(ratings, &rho, bits).expect("a release"), added)
    };
    let trial = Trial::new("recommendations", Loss::zcdp(Rho::parse(claimed).unwrap()), release);
    let pair = |without: usize, with: usize| {
        [without, with].map(|items| (world(&alternating(items)), without..with))
    };
    let pairs = match canary {
        Unit::Person => {
            [("a person with two ratings", pair(0, 2)), ("a person who rates everything", pair(0, ITEMS))]
        }
        Unit::Rating => [("a second rating", pair(1, 2)), ("a sixth rating", pair(5, 6))],
    };
    let mut trial =
        pairs.into_iter().fold(trial, |trial, (name, [left, right])| trial.pair(name, left, right));
    audit(&mut trial, &AuditSettings::new(2500), &mut seeded(seed), &mut |_, _| ()).unwrap()
}

/// Specification: no audit refutes the claim, for people or for ratings, and each sees a tenth of it.
/// False alarm: 1e-9 each, and seeds are fixed.
#[test]
fn a_canary_is_not_found_beyond_the_claim() {
    for (seed, unit) in [(1, Unit::Person), (2, Unit::Rating)] {
        let found = audited(&small(unit), unit, "1", "1", seed);
        let closest = found.closest().unwrap();
        println!("{unit:?}: {} of {} ({})", closest.lower, closest.measure.claimed(), found.neighbours);
        assert!(!found.refuted(), "{unit:?}: {} of {}", closest.lower, closest.measure.claimed());
        assert!(closest.tightness() > 0.1, "{unit:?}: the audit is too weak: {}", closest.tightness());
    }
}

/// Planted: noise for one rating that is said to protect a person, and a quarter of the noise. Both are found.
#[test]
fn broken_releases_are_caught() {
    let found = audited(&small(Unit::Rating), Unit::Person, "1", "1", 3);
    assert!(found.refuted(), "{:?}", found.closest().map(|closest| closest.lower));
    for unit in [Unit::Person, Unit::Rating] {
        assert!(audited(&small(unit), unit, "16", "1", 4).refuted(), "a quarter of the noise");
    }
}
