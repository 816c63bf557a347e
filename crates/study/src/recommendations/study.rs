//! The study itself: pay, read, learn, record, and only then look at how good it is.
//!
//! **Guarantee.** Before the file of ratings is opened, the whole price of what will be released of it, Σρ over the wanted ε, is durable in the ledger of the
//! study's folder, and is never refunded. What is released is recorded there before anybody sees it; asked again, the same study gets the same
//! numbers for free.
//! **Neighbours.** Those of the [`Unit`]; each unit has a scope and a charge of its own.
//! **Proof.** `learner.rs` for each release; prices in ρ add up (Bun and Steinke 2016, Lemma 2.3), and are rounded up each.
//! **Not covered.** The errors of predictions, which are computed from ratings that were held back, exactly: they are for the owner. How long
//! the study takes.

use std::path::PathBuf;

use pointillist_curator::OWNER;
use pointillist_ledger::{Charge, Charged, Digest, Ledger, Question, Receipt};
use pointillist_noise::with_system_bits;
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Amount, Currency, Delta, Epsilon, Price, Rho};

use super::folder;
use super::model::Method;
use super::{
    Catalogue, Evaluation, Learner, MadeUp, Model, RatingFile, Ratings, RecommendationError, Released,
    Scores, Settings, Unit, read_catalogue,
};

/// Where ratings come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Nobody gave them.
    MadeUp(MadeUp),
    /// A file, and the public file of items.
    Files {
        /// Private.
        ratings: RatingFile,
        /// Public.
        items: PathBuf,
    },
}

/// Which settings: chosen by whoever knows about how much people rate, and not by the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// [`Settings::sparse`].
    Sparse,
    /// [`Settings::dense`].
    Dense,
}

impl Preset {
    fn settings(self, unit: Unit, epsilon: f64) -> Settings {
        match self {
            Self::Sparse => Settings::sparse(unit, epsilon),
            Self::Dense => Settings::dense(unit, epsilon),
        }
    }

    /// The preset in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sparse => "sparse",
            Self::Dense => "dense",
        }
    }
}

/// A study that can be run.
#[derive(Clone, Debug)]
pub struct RatingStudy {
    /// Where its ledger, its numbers and its page are.
    pub folder: PathBuf,
    /// Whose ratings.
    pub source: Source,
    /// How they are learnt from.
    pub preset: Preset,
    /// Whose secret is kept; one after the other.
    pub units: Vec<Unit>,
    /// The wanted privacy, one release each.
    pub epsilons: Vec<Epsilon>,
    /// How likely the promise may fail, beside every ε.
    pub delta: Delta,
}

/// What a study found.
#[derive(Clone, Debug)]
pub struct StudyOutcome {
    /// The items.
    pub catalogue: Catalogue,
    /// How many people there are, and ratings to learn from and held back. Private data.
    pub sizes: [usize; 3],
    /// How many lines were passed over. Private data.
    pub passed_over: u64,
    /// Stars of one point.
    pub stars_a_point: f64,
    /// One for each unit and ε.
    pub releases: Vec<StudyRelease>,
    /// Without privacy: methods and their errors. Private data.
    pub without_privacy: Vec<(&'static str, Scores)>,
    /// What was paid, one for each unit.
    pub payments: Vec<StudyPayment>,
}

/// One release, and how good it is.
#[derive(Clone, Debug)]
pub struct StudyRelease {
    /// Whose secret is kept.
    pub unit: Unit,
    /// How much of it may show.
    pub epsilon: Epsilon,
    /// The same as ρ.
    pub rho: Rho,
    /// What was released.
    pub released: Released,
    /// What follows from it.
    pub model: Model,
    /// Methods and their errors. Private data.
    pub scores: Vec<(&'static str, Scores)>,
}

/// What was paid for the releases of one unit.
#[derive(Clone, Debug)]
pub struct StudyPayment {
    /// Which scope paid.
    pub scope: &'static str,
    /// How much.
    pub price: Price,
    /// The number of the record that paid.
    pub reserve_seq: u64,
    /// Whether it was paid for before, and the numbers are those of then.
    pub is_repeat: bool,
}

/// Which part of the ratings is held back.
const PART: u64 = 0;

/// The scope that pays for a unit.
pub(super) fn scope_of(unit: Unit) -> &'static str {
    match unit {
        Unit::Person => "people",
        Unit::Rating => "single_ratings",
    }
}

impl RatingStudy {
    /// Runs it. `tell` is told what is done now, and about how much of all is done.
    ///
    /// # Errors
    /// When files cannot be read, the folder is somebody else's, or the budget does not hold the price.
    pub fn run(&self, tell: &dyn Fn(&'static str, f64)) -> Result<StudyOutcome, RecommendationError> {
        let prices = self.rhos()?;
        let catalogue = match &self.source {
            Source::MadeUp(population) => population.catalogue(),
            Source::Files { items, .. } => read_catalogue(items)?,
        };
        let learners = self.learners(&catalogue)?;
        let price = total_price(&prices);
        let scopes: Vec<&'static str> = self.units.iter().map(|unit| scope_of(*unit)).collect();
        let curator = folder::open(&self.folder, &scopes, price, &self.delta)?;
        let ledger = curator.ledger();
        tell("paying", 0.0);
        let mut charged = Vec::new();
        for unit in &self.units {
            charged.push(ledger.charge(self.charge(*unit, price, &catalogue))?);
        }
        tell("reading", 0.05);
        let (ratings, passed_over) = self.read(&catalogue)?;
        let (kept, held) = ratings.split(PART);
        let mut outcome = StudyOutcome {
            sizes: [ratings.people(), kept.len(), held.len()],
            passed_over,
            stars_a_point: self.stars_a_point(),
            releases: Vec::new(),
            without_privacy: Vec::new(),
            payments: Vec::new(),
            catalogue: catalogue.clone(),
        };
        let evaluation = Evaluation::new(&kept, &held, catalogue.len());
        let steps = (learners.len() + 1) as f64;
        let mut done = 0.0;
        for ((unit, charged), learners) in self.units.iter().zip(charged).zip(learners.chunks(prices.len())) {
            let (all, payment) = self.released(ledger, *unit, price, charged, |_: &Receipt| {
                learners.iter().zip(&prices).map(|(learner, rho)| learn(learner, &kept, rho)).collect()
            })?;
            outcome.payments.push(payment);
            for (place, (learner, released)) in learners.iter().zip(all).enumerate() {
                tell("learning", 0.1 + 0.85 * done / steps);
                done += 1.0;
                let model = learner.model(&released);
                let scores = scores(&evaluation, &model, learner.settings(), &catalogue);
                let (epsilon, rho) = (self.epsilons[place].clone(), prices[place].clone());
                outcome.releases.push(StudyRelease { unit: *unit, epsilon, rho, released, model, scores });
            }
        }
        tell("comparing", 0.1 + 0.85 * done / steps);
        outcome.without_privacy = self.without_privacy(&catalogue, &kept, &evaluation)?;
        folder::write_releases(&self.folder, &outcome)?;
        Ok(outcome)
    }

    /// What every ε costs.
    fn rhos(&self) -> Result<Vec<Rho>, RecommendationError> {
        if self.epsilons.is_empty() || self.units.is_empty() {
            return Err(RecommendationError::Settings {
                what: "a study that releases nothing".to_owned(),
                hint: "name at least one epsilon and one unit",
            });
        }
        Ok(self
            .epsilons
            .iter()
            .map(|epsilon| zcdp_rho_lower(epsilon, &self.delta))
            .collect::<Result<_, _>>()?)
    }

    /// One for each unit and ε.
    fn learners<'c>(&self, catalogue: &'c Catalogue) -> Result<Vec<Learner<'c>>, RecommendationError> {
        let mut learners = Vec::new();
        for unit in &self.units {
            for epsilon in &self.epsilons {
                learners.push(Learner::new(catalogue, self.preset.settings(*unit, epsilon.to_f64_upper()))?);
            }
        }
        Ok(learners)
    }

    /// Everything that decides what is asked: the source, the items, the settings and the prices.
    fn charge(&self, unit: Unit, price: Price, catalogue: &Catalogue) -> Charge {
        let source = match &self.source {
            Source::MadeUp(population) => format!("{population:?}"),
            Source::Files { ratings, .. } => {
                let place = std::fs::canonicalize(&ratings.path).unwrap_or_else(|_| ratings.path.clone());
                format!("{} {:?} {:?}", place.display(), ratings.format, ratings.scale)
            }
        };
        let epsilons: Vec<String> = self.epsilons.iter().map(ToString::to_string).collect();
        let settings: Vec<Settings> =
            self.epsilons.iter().map(|epsilon| self.preset.settings(unit, epsilon.to_f64_upper())).collect();
        let text = format!(
            "recommendations 1\n{source}\npart {PART}\n{epsilons:?} {}\n{settings:?}\n{price}\n{:?}",
            self.delta,
            catalogue.items().iter().map(|item| &item.id).collect::<Vec<_>>(),
        );
        Charge {
            request_id: None,
            analyst: OWNER.to_owned(),
            scope: scope_of(unit).to_owned(),
            price,
            question: Question::new(text.as_bytes()),
            request: Digest::of("study request", &[text.as_bytes()]),
        }
    }

    /// The recorded numbers, learnt now against the receipt where there are none yet.
    fn released(
        &self,
        ledger: &Ledger,
        unit: Unit,
        price: Price,
        charged: Charged,
        learn: impl FnOnce(&Receipt) -> Result<Vec<Released>, RecommendationError>,
    ) -> Result<(Vec<Released>, StudyPayment), RecommendationError> {
        let scope = scope_of(unit);
        match charged {
            Charged::Fresh(receipt) => {
                let released = learn(&receipt)?;
                let bytes = serde_json::to_vec(&released).map_err(|_| RecommendationError::Recorded)?;
                let reserve_seq = receipt.seq();
                ledger.record(receipt, &bytes)?;
                Ok((released, StudyPayment { scope, price, reserve_seq, is_repeat: false }))
            }
            Charged::Repeat(repeated) => {
                let released: Vec<Released> =
                    serde_json::from_slice(&repeated.answer).map_err(|_| RecommendationError::Recorded)?;
                if released.len() != self.epsilons.len() {
                    return Err(RecommendationError::Recorded);
                }
                let reserve_seq = repeated.reserve_seq;
                Ok((released, StudyPayment { scope, price, reserve_seq, is_repeat: true }))
            }
        }
    }

    fn read(&self, catalogue: &Catalogue) -> Result<(Ratings, u64), RecommendationError> {
        match &self.source {
            Source::MadeUp(population) => Ok((population.ratings(), 0)),
            Source::Files { ratings, .. } => ratings.read(catalogue),
        }
    }

    fn stars_a_point(&self) -> f64 {
        match &self.source {
            Source::MadeUp(_) => 1.0,
            Source::Files { ratings, .. } => ratings.scale.stars_a_point(),
        }
    }

    /// The same methods from exact sums.
    fn without_privacy(
        &self,
        catalogue: &Catalogue,
        kept: &Ratings,
        evaluation: &Evaluation<'_>,
    ) -> Result<Vec<(&'static str, Scores)>, RecommendationError> {
        let learner = Learner::new(catalogue, self.preset.settings(Unit::Rating, 10.0).without_privacy())?;
        let model = learner.model(&learner.without_privacy(kept)?);
        Ok(scores(evaluation, &model, learner.settings(), catalogue))
    }
}

/// All of it, each part rounded up.
fn total_price(rhos: &[Rho]) -> Price {
    let parts = rhos.iter().map(|rho| Price::zcdp(rho, &Delta::zero()).amount());
    let total = parts.fold(Amount::ZERO, Amount::plus);
    Price::from_units(Currency::Zcdp, total).expect("every part is at least one unit")
}

fn learn(learner: &Learner<'_>, kept: &Ratings, rho: &Rho) -> Result<Released, RecommendationError> {
    with_system_bits(|bits| learner.release(kept, rho, bits))?
}

/// Every method that these settings allow.
fn scores(
    evaluation: &Evaluation<'_>,
    model: &Model,
    settings: &Settings,
    catalogue: &Catalogue,
) -> Vec<(&'static str, Scores)> {
    let mut methods = vec![Method::GlobalMean, Method::ItemMean, Method::PersonAndItem];
    let genres = !catalogue.genres().is_empty();
    methods.extend(genres.then_some(Method::Genres));
    methods.extend(settings.covariance.is_some().then_some(Method::Factors));
    methods.extend((genres && settings.covariance.is_some()).then_some(Method::FactorsAndGenres));
    let mut scores: Vec<_> =
        methods.into_iter().map(|method| (method.name(), evaluation.scores(model, method))).collect();
    if settings.covariance.is_some() {
        scores.push((NEIGHBOURS, evaluation.neighbour_scores(model)));
    }
    scores
}

/// What predictions from nearest neighbours are called.
pub(super) const NEIGHBOURS: &str = "nearest neighbours";
