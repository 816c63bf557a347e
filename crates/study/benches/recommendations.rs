//! Errors of private recommendations beside the plainest methods and beside learning without privacy, and how long it takes.
//!
//! Films: the public table MovieTweetings 100K (16,554 people, 10,506 films), from the folder `shared/data/tables` beside the repository or from
//! `--tables FOLDER`; a fifth of the ratings is held back, another fifth in every run. Made-up people: 50,000 of them and 2,000 items, another
//! population in every run. Noise is exact and drawn from seeds of its own. `--runs N` (10), `--first N` (0), `--only films|made-up|time`,
//! `--unit person|rating`, `--epsilon LIST`, `--people N`, and `--set NAME=VALUE` for one of the settings.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon, Rho};
use pointillist_study::recommendations::{
    Catalogue, Evaluation, Learner, MadeUp, Method, Model, RatingFile, RatingFormat, Ratings, Scores,
    Settings, StarScale, Unit, read_catalogue,
};
use pointillist_testkit::seeded;

const DELTA: &str = "1e-6";

fn main() {
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let runs: u64 = option("--runs").map_or(10, |text| text.parse().expect("a number of runs"));
    let first: u64 = option("--first").map_or(0, |text| text.parse().expect("a number of runs to leave out"));
    let runs = first..first + runs;
    let only = option("--only");
    let wants = |part: &str| only.as_deref().is_none_or(|only| only == part);
    let unit = option("--unit");
    let units = [Unit::Person, Unit::Rating];
    let units = units.into_iter().filter(|one| unit.as_deref().is_none_or(|unit| unit == one.word()));
    let epsilons = option("--epsilon").unwrap_or_else(|| "0.5,1,2,4,10".to_owned());
    let epsilons: Vec<&str> = epsilons.split(',').collect();
    for unit in units {
        if wants("films") {
            films(unit, &epsilons, runs.clone());
        }
        if wants("made-up") {
            made_up(unit, &epsilons, runs.clone());
        }
    }
    if wants("time") {
        timed();
    }
}

fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn rho(epsilon: &str) -> Rho {
    zcdp_rho_lower(&Epsilon::parse(epsilon).expect("an epsilon"), &Delta::parse(DELTA).expect("a delta"))
        .expect("a price")
}

/// Means and standard errors of several runs, one column a method.
#[derive(Default)]
struct Columns(Vec<Vec<Scores>>);

impl Columns {
    fn add(&mut self, scores: Vec<Scores>) {
        self.0.resize(scores.len(), Vec::new());
        self.0.iter_mut().zip(scores).for_each(|(column, score)| column.push(score));
    }

    fn print(&self, name: &str) {
        let mean = |column: &[Scores], of: fn(&Scores) -> f64| {
            column.iter().map(of).sum::<f64>() / column.len() as f64
        };
        let cells: Vec<String> = self
            .0
            .iter()
            .map(|column| {
                format!(
                    "{:.3} / {:.3}",
                    mean(column, |score| score.top_500),
                    mean(column, |score| score.top_2000)
                )
            })
            .collect();
        let error = self.0.last().map_or(0.0, |column| {
            let centre = mean(column, |score| score.top_500);
            let square = mean(column, |score| score.top_500.powi(2)) - centre * centre;
            (square.max(0.0) / (column.len() as f64 - 1.0).max(1.0)).sqrt()
        });
        println!("| {name} | {} | {error:.4} |", cells.join(" | "));
    }
}

fn head(title: &str, columns: &[&str]) {
    println!("\n{title}\n");
    println!("| ε | {} | s.e. |", columns.join(" | "));
    println!("|{}", "---|".repeat(columns.len() + 2));
}

fn films(unit: Unit, epsilons: &[&str], runs: Range<u64>) {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/tables");
    let folder = option("--tables").map_or(beside, PathBuf::from);
    let (path, items) =
        (folder.join("movietweetings_100k.csv.gz"), folder.join("movietweetings_100k_items.csv.gz"));
    if !path.exists() || !items.exists() {
        println!("SKIPPED: {} is not there.", path.display());
        return;
    }
    let catalogue = read_catalogue(&items).expect("a catalogue");
    let scale = StarScale::parse("0..10").expect("a scale");
    let file = RatingFile { path, format: RatingFormat::Csv, scale };
    let (ratings, passed_over) = file.read(&catalogue).expect("ratings");
    println!("{} people, {} ratings, {passed_over} lines passed over", ratings.people(), ratings.len());
    let methods = [Method::GlobalMean, Method::ItemMean, Method::PersonAndItem, Method::Genres];
    head(
        &format!(
            "MovieTweetings, unit: one {}, {} splits; top 500 / top 2000 films",
            unit.word(),
            runs.end - runs.start
        ),
        &methods.map(Method::name),
    );
    for epsilon in epsilons {
        let mut columns = Columns::default();
        let settings = changed(Settings::sparse(unit, epsilon.parse().expect("a number")));
        for run in runs.clone() {
            let (kept, held) = ratings.split(run);
            let learner = Learner::new(&catalogue, settings.clone()).expect("settings");
            let released = learner.release(&kept, &rho(epsilon), &mut seeded(1000 + run)).expect("a release");
            columns.add(scores(&learner.model(&released), &kept, &held, &catalogue, &methods));
        }
        columns.print(epsilon);
    }
    let mut columns = Columns::default();
    for run in runs.clone() {
        let (kept, held) = ratings.split(run);
        let settings = Settings::sparse(Unit::Rating, 10.0).without_privacy();
        let learner = Learner::new(&catalogue, settings).expect("settings");
        let model = learner.model(&learner.without_privacy(&kept).expect("sums"));
        columns.add(scores(&model, &kept, &held, &catalogue, &methods));
    }
    columns.print("not private");
}

/// A preset with what `--set NAME=VALUE` says instead.
fn changed(mut settings: Settings) -> Settings {
    let arguments: Vec<String> = std::env::args().collect();
    for pair in arguments.windows(2).filter(|pair| pair[0] == "--set") {
        let (name, value) = pair[1].split_once('=').expect("NAME=VALUE");
        let number: f64 = value.parse().expect("a number");
        match (name, &mut settings.covariance) {
            ("half_range", _) => settings.half_range = number,
            ("cap", _) => settings.cap = number as u32,
            ("count_weight", _) => settings.count_weight = number,
            ("item_variance", _) => settings.item_variance = number,
            ("rating_variance", _) => settings.rating_variance = number,
            ("prediction_variance", _) => settings.prediction_variance = number,
            ("person_variance", _) => settings.person_variance = number,
            ("genre_variance", _) => settings.genre_variance = number,
            ("items", Some(covariance)) => covariance.items = number as usize,
            ("item_share_percent", Some(covariance)) => covariance.item_share_percent = number as u32,
            ("bound", Some(covariance)) => covariance.bound = number,
            ("pair_cap", Some(covariance)) => covariance.cap = number as u32,
            ("product_variance", Some(covariance)) => covariance.product_variance = number,
            ("rank", Some(covariance)) => covariance.rank = number as usize,
            ("edge", Some(covariance)) => covariance.edge = number,
            ("stretch", Some(covariance)) => covariance.stretch = number,
            (other, _) => panic!("there is no setting {other}"),
        }
    }
    settings
}

fn made_up(unit: Unit, epsilons: &[&str], runs: Range<u64>) {
    let people = option("--people").map_or(50_000, |text| text.parse().expect("a number of people"));
    head(
        &format!(
            "{people} made-up people, unit: one {}, {} populations; top 500 / top 2000 items",
            unit.word(),
            runs.end - runs.start
        ),
        &[
            "item means",
            "person and item",
            "the same for the whole price",
            "nearest neighbours",
            "covariance",
        ],
    );
    let methods = [Method::ItemMean, Method::PersonAndItem, Method::Factors];
    for epsilon in epsilons.iter().copied().map(Some).chain([None]) {
        let mut columns = Columns::default();
        for run in runs.clone() {
            let population = MadeUp { number: 100 + run, ..MadeUp::new(people) };
            let catalogue = population.catalogue();
            let (kept, held) = population.ratings().split(run);
            let settings = match epsilon {
                Some(epsilon) => changed(Settings::dense(unit, epsilon.parse().expect("a number"))),
                None => Settings::dense(Unit::Rating, 10.0).without_privacy(),
            };
            let learner = Learner::new(&catalogue, settings).expect("settings");
            let released = match epsilon {
                Some(epsilon) => {
                    learner.release(&kept, &rho(epsilon), &mut seeded(2000 + run)).expect("a release")
                }
                None => learner.without_privacy(&kept).expect("sums"),
            };
            let model = learner.model(&released);
            let mut found = scores(&model, &kept, &held, &catalogue, &methods);
            let evaluation = Evaluation::new(&kept, &held, catalogue.len());
            found.insert(2, evaluation.neighbour_scores(&model));
            found.insert(2, whole_price(learner.settings(), epsilon, run, &catalogue, &evaluation, &kept));
            columns.add(found);
        }
        columns.print(epsilon.unwrap_or("not private"));
    }
}

/// The honest opponent: everything is spent on means.
fn whole_price(
    settings: &Settings,
    epsilon: Option<&str>,
    run: u64,
    catalogue: &Catalogue,
    evaluation: &Evaluation<'_>,
    kept: &Ratings,
) -> Scores {
    let settings = Settings { covariance: None, ..settings.clone() };
    let learner = Learner::new(catalogue, settings).expect("settings");
    let released = match epsilon {
        Some(epsilon) => learner.release(kept, &rho(epsilon), &mut seeded(3000 + run)).expect("a release"),
        None => learner.without_privacy(kept).expect("sums"),
    };
    evaluation.scores(&learner.model(&released), Method::PersonAndItem)
}

fn scores(
    model: &Model,
    kept: &Ratings,
    held: &Ratings,
    catalogue: &Catalogue,
    methods: &[Method],
) -> Vec<Scores> {
    let evaluation = Evaluation::new(kept, held, catalogue.len());
    methods.iter().map(|method| evaluation.scores(model, *method)).collect()
}

fn timed() {
    let start = Instant::now();
    let population = MadeUp::new(50_000);
    let (catalogue, ratings) = (population.catalogue(), population.ratings());
    println!(
        "\n{} people made up in {:.2} s: {} ratings",
        ratings.people(),
        start.elapsed().as_secs_f64(),
        ratings.len()
    );
    for items in [500, 1000] {
        let mut settings = Settings::dense(Unit::Person, 1.0);
        settings.covariance.as_mut().expect("a covariance").items = items;
        let learner = Learner::new(&catalogue, settings).expect("settings");
        let start = Instant::now();
        learner.without_privacy(&ratings).expect("sums");
        let sums = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let released = learner.release(&ratings, &rho("1"), &mut seeded(1)).expect("a release");
        let release = start.elapsed().as_secs_f64();
        let start = Instant::now();
        learner.model(&released);
        let pairs = items * (items - 1) / 2;
        println!(
            "{items} items, {pairs} pairs: sums {sums:.3} s, release with noise {release:.3} s, cleaning {:.2} s",
            start.elapsed().as_secs_f64()
        );
    }
}
