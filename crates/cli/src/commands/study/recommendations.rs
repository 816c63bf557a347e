//! `pointillist study recommendations`: films that people rate, and what the privacy of their ratings costs.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_errors::Explained;
use pointillist_privacy::{Delta, Epsilon};
use pointillist_study::recommendations::{
    CATALOG, COVERED, MadeUp, Preset, RatingFile, RatingFormat, RatingStudy, RecommendationError, Scores,
    Source, StarScale, StudyOutcome, Unit, page,
};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::message::say;
use crate::parsed_argument::parsed;
use crate::progress;
use crate::report_arguments::write_page;
use crate::table::{Cell, Side, Table, Tone};
use crate::terminal::Json;
use pointillist_render::decimals::{glance_upper, grouped_count};
use pointillist_render::terminal_style::TerminalStyle;
use pointillist_render::text::wrapped;

/// Columns of sentences.
const WIDTH: usize = 88;

/// Whose ratings, and at which price.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist study recommendations --made-up 50000 --epsilon 0.5,1,2,4
  pointillist study recommendations --ratings ml-latest-small/ratings.csv --items ml-latest-small/movies.csv \\
      --stars 0.5..5 --preset dense --epsilon 1 --folder films
  pointillist study recommendations --ratings ml-100k/u.data --items ml-100k/u.item --unit rating --epsilon 1
  pointillist budget verify --catalog films/pointillist.toml

Formats: ratings.csv (with a header: userId,movieId,rating,timestamp), u.data (tabs), ratings.dat (::); items: movies.csv, movies.dat, u.item;
packed with gzip or not. The items are public, and their file is required: which items there are must not depend on who rated them.
A fifth of the ratings is held back to say how good the predictions are; those errors are exact, for the owner, and not released.
The price of all ε together is charged in the folder before the ratings are opened; the same study asked again is free.")]
pub struct Arguments {
    /// The file of ratings; private
    #[arg(long, value_name = "FILE", requires = "items", conflicts_with = "made_up")]
    ratings: Option<PathBuf>,
    /// The file of items that can be rated; public
    #[arg(long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// The lowest and the highest rating that can be given
    #[arg(long, value_name = "LOW..HIGH", default_value = "1..5")]
    stars: String,
    /// Ratings of so many people who do not exist
    #[arg(long, value_name = "PEOPLE", required_unless_present = "ratings")]
    made_up: Option<usize>,
    /// The wanted ε, or several between commas: one release each
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parsed::<Epsilon>, default_value = "1")]
    epsilon: Vec<Epsilon>,
    /// How likely the promise may fail: the δ beside every ε
    #[arg(long, value_name = "DELTA", value_parser = parsed::<Delta>, default_value = "1e-6")]
    delta: Delta,
    /// Whose secret is kept: all ratings of a person, or each rating by itself; both between commas
    #[arg(long, value_name = "UNIT", value_delimiter = ',', default_value = "person")]
    unit: Vec<UnitWord>,
    /// About how much people rate: sparse (a few each), dense (ten and more) [default: sparse for files, dense for made-up people]
    #[arg(long, value_name = "PRESET")]
    preset: Option<PresetWord>,
    /// Where the ledger, the released numbers and the report go
    #[arg(long, value_name = "DIR", default_value = "pointillist-recommendations")]
    folder: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum UnitWord {
    Person,
    Rating,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PresetWord {
    Sparse,
    Dense,
}

impl Arguments {
    fn study(&self) -> Result<RatingStudy, Failure> {
        let source = match (&self.ratings, &self.items, self.made_up) {
            (Some(ratings), Some(items), None) => {
                let format = RatingFormat::of(ratings).ok_or_else(|| {
                    Failure::wrong(
                        format!("it is not known how ratings are written in {}", ratings.display()),
                        "name a file that ends in .csv, .data or .dat, packed with gzip or not",
                    )
                })?;
                let ratings =
                    RatingFile { path: ratings.clone(), format, scale: StarScale::parse(&self.stars)? };
                Source::Files { ratings, items: items.clone() }
            }
            (None, _, Some(people @ 1..=10_000_000)) => Source::MadeUp(MadeUp::new(people)),
            (None, _, Some(people)) => {
                return Err(Failure::wrong(
                    format!("{people} made-up people"),
                    "ask for 1 to 10000000; at 50000 the covariance begins to pay",
                ));
            }
            _ => {
                return Err(Failure::wrong(
                    "nobody's ratings",
                    "name --ratings FILE and --items FILE, or --made-up PEOPLE",
                ));
            }
        };
        let preset = match (self.preset, self.made_up) {
            (Some(PresetWord::Sparse), _) | (None, None) => Preset::Sparse,
            (Some(PresetWord::Dense), _) | (None, Some(_)) => Preset::Dense,
        };
        let mut units: Vec<Unit> = Vec::new();
        for word in &self.unit {
            let unit = match word {
                UnitWord::Person => Unit::Person,
                UnitWord::Rating => Unit::Rating,
            };
            if !units.contains(&unit) {
                units.push(unit);
            }
        }
        let (folder, delta) = (self.folder.clone(), self.delta.clone());
        Ok(RatingStudy { folder, source, preset, units, epsilons: self.epsilon.clone(), delta })
    }
}

/// Studies, and says what was found.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let study = arguments.study()?;
    let bar = progress::bar(1000, "{msg:12} {wide_bar} {elapsed}");
    let outcome = study.run(&|stage, done| {
        bar.set_message(stage);
        bar.set_position((1000.0 * done) as u64);
    });
    bar.finish_and_clear();
    let outcome = outcome.map_err(|error| named_folder(&error))?;
    let report = study.folder.join("report.html");
    write_page(&report, &page(&study, &outcome))?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", Json(&object(&study, &outcome)))?;
    } else {
        tell(&mut out, &study, &outcome)?;
    }
    out.flush()?;
    if outcome.passed_over > 0 {
        let lines = grouped_count(outcome.passed_over);
        say(format!("note: {lines} lines of the file are no ratings of known items, and were passed over"));
    }
    say(format!("report written to {}", report.display()));
    Ok(())
}

/// What is wrong with a folder is mended by naming another.
fn named_folder(error: &RecommendationError) -> Failure {
    match error {
        RecommendationError::Occupied { .. } | RecommendationError::Unwritable { .. } => {
            let hint = format!("{} (--folder DIR names one)", error.hint().unwrap_or_default());
            Failure::explained(error.explanation().with_hint(hint))
        }
        RecommendationError::Charge(_) => {
            let hint = "this folder was granted the price of its first study; study in another folder (--folder DIR), or let its \
                        owner grant more in its catalog";
            Failure::explained(error.explanation().with_hint(hint))
        }
        _ => Failure::of(error),
    }
}

fn tell(out: &mut impl Write, study: &RatingStudy, outcome: &StudyOutcome) -> Result<(), Failure> {
    let style = TerminalStyle::for_stdout();
    let stars = |score: &Scores| format!("{:.3}", score.top_500 * outcome.stars_a_point);
    let mut table = Table::new();
    let rows = || outcome.releases.iter();
    let last = |text: &str| [Cell::from(text.to_owned())];
    let units = rows().map(|release| Cell::from(release.unit.word().to_owned()));
    table.filled_column("unit", Side::Left, Tone::Plain, units.chain(last("not private")));
    let epsilons = rows().map(|release| Cell::from(release.epsilon.to_string()));
    table.filled_column("ε", Side::Right, Tone::Plain, epsilons.chain(last("∞")));
    let rhos = rows().map(|release| Cell::from(glance_upper(release.rho.value())));
    table.filled_column("ρ", Side::Right, Tone::Plain, rhos.chain(last("")));
    for (at, (name, _)) in outcome.releases.first().map_or(&[][..], |first| &first.scores).iter().enumerate()
    {
        let cells = rows().map(|release| Cell::from(stars(&release.scores[at].1)));
        let exact = outcome.without_privacy.iter().find(|(other, _)| other == name);
        let exact = Cell::from(exact.map_or_else(String::new, |(_, score)| stars(score)));
        table.filled_column(*name, Side::Right, Tone::Accent, cells.chain([exact]));
    }
    writeln!(
        out,
        "Error of predictions in stars (root mean square, on ratings held back, of the 500 most rated items):\n"
    )?;
    table.lines("   ", style).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)?;
    wrapped(COVERED, WIDTH).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    for payment in &outcome.payments {
        let price = glance_upper(&payment.price.amount().loss());
        let when = if payment.is_repeat { "paid before" } else { "paid" };
        writeln!(out, "{when}: ρ = {price} from {} (record {})", payment.scope, payment.reserve_seq)?;
    }
    writeln!(out, "verify: pointillist budget verify --catalog {}", study.folder.join(CATALOG).display())?;
    Ok(())
}

fn object(study: &RatingStudy, outcome: &StudyOutcome) -> Value {
    let scores = |scores: &[(&'static str, Scores)]| -> Value {
        let one = |(name, score): &(&'static str, Scores)| {
            let [top_500, top_2000, all] =
                [score.top_500, score.top_2000, score.all].map(|error| error * outcome.stars_a_point);
            json!({ "method": name, "rmse_top_500": top_500, "rmse_top_2000": top_2000, "rmse_all": all })
        };
        scores.iter().map(one).collect()
    };
    let releases: Vec<Value> = outcome
        .releases
        .iter()
        .map(|release| {
            json!({
                "unit": release.unit.word(),
                "epsilon": release.epsilon.to_string(),
                "rho": glance_upper(release.rho.value()),
                "factors": release.model.rank(),
                "scores": scores(&release.scores),
            })
        })
        .collect();
    let payments: Vec<Value> = outcome
        .payments
        .iter()
        .map(|payment| {
            json!({
                "scope": payment.scope,
                "price": payment.price.to_string(),
                "record": payment.reserve_seq,
                "repeated": payment.is_repeat,
            })
        })
        .collect();
    json!({
        "folder": study.folder,
        "delta": study.delta.to_string(),
        "preset": study.preset.word(),
        "covered": COVERED,
        "releases": releases,
        "without_privacy": scores(&outcome.without_privacy),
        "payments": payments,
    })
}
