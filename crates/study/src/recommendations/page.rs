//! The report: what privacy has cost, in pictures first.

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::{glance_upper, grouped_count};
use pointillist_render::page::{Block, Page, Tone};

use super::settings::MEAN_CAP;
use super::{RatingStudy, Scores, Source, StudyOutcome, StudyRelease, Unit};

/// What is covered, in a sentence that belongs on every report.
pub const COVERED: &str = "Everything that was released is (ε, δ)-differentially private for the unit named. What is predicted for a person is \
    computed from released numbers and from their own ratings, and shown to them alone; so what anybody else is shown depends on that person no more \
    than the released numbers do (joint differential privacy). Predictions for somebody that are published to others are not covered.";

/// The page of a study.
pub fn page(study: &RatingStudy, outcome: &StudyOutcome) -> Page {
    let mut page = Page::new("Recommendations that show nobody's ratings", lead(outcome));
    let mut first = Vec::new();
    for unit in &study.units {
        let caption = format!(
            "Root mean square error on ratings that were held back, in stars, against ε; unit: {}. The dashed lines are what learning without \
             privacy reaches, and what one number for everything does.",
            unit_words(*unit)
        );
        first.push(Block::figure(&chart(outcome, *unit), caption));
    }
    first.push(table(outcome));
    page = page.section("What privacy costs", first);
    page = page.section("What is covered", covered(study, outcome));
    page = page.section("What was paid", paid(study, outcome));
    if let Source::Files { .. } = study.source {
        page = page.section("The best liked", vec![Block::text(LIKED), liked(outcome)]);
    }
    page.section("How it was learnt", vec![Block::text(how(study))])
}

const LIKED: &str = "Items that are most surely liked, by released numbers of the largest ε: each is drawn towards what its genres and its period say, as far \
    as little is known of it. The error is that of the estimate, noise and chance together.";

fn unit_words(unit: Unit) -> &'static str {
    match unit {
        Unit::Person => "all ratings of one person",
        Unit::Rating => "what one person said of one item",
    }
}

/// The release of the largest ε for the first unit.
fn largest(outcome: &StudyOutcome) -> Option<&StudyRelease> {
    let unit = outcome.releases.first()?.unit;
    outcome.releases.iter().filter(|release| release.unit == unit).max_by(|a, b| a.epsilon.cmp(&b.epsilon))
}

/// The method with the smallest error.
fn best<'s>(scores: &'s [(&'static str, Scores)]) -> Option<&'s (&'static str, Scores)> {
    scores.iter().min_by(|a, b| a.1.top_500.total_cmp(&b.1.top_500))
}

fn lead(outcome: &StudyOutcome) -> String {
    let stars = |score: &Scores| format!("{:.3}", score.top_500 * outcome.stars_a_point);
    let Some(release) = largest(outcome) else { return String::new() };
    let (Some(private), Some(exact)) = (best(&release.scores), best(&outcome.without_privacy)) else {
        return String::new();
    };
    let plain = release.scores.first().map_or_else(String::new, |(_, score)| stars(score));
    format!(
        "At ε = {} ({}) predictions are {} stars off; without privacy {}, and one mean for everything {plain}.",
        release.epsilon,
        unit_words(release.unit),
        stars(&private.1),
        stars(&exact.1),
    )
}

fn chart(outcome: &StudyOutcome, unit: Unit) -> Chart {
    let releases: Vec<&StudyRelease> =
        outcome.releases.iter().filter(|release| release.unit == unit).collect();
    let point = |release: &StudyRelease, score: &Scores| {
        (release.epsilon.to_f64_upper(), score.top_500 * outcome.stars_a_point)
    };
    let names = releases.first().map(|release| release.scores.iter().map(|(name, _)| *name).collect());
    let names: Vec<&str> = names.unwrap_or_default();
    let mut series: Vec<Series> = names
        .iter()
        .enumerate()
        .skip(1)
        .map(|(at, name)| {
            let points = releases.iter().map(|release| point(release, &release.scores[at].1)).collect();
            Series::new(Mark::DottedLine, *name, points)
        })
        .collect();
    let ends = || releases.iter().map(|release| release.epsilon.to_f64_upper());
    let (low, high) = (ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max));
    let level =
        |name: &str, value: f64| Series::new(Mark::Reference, name, vec![(low, value), (high, value)]);
    if let Some((name, score)) = best(&outcome.without_privacy) {
        series.push(level(&format!("without privacy: {name}"), score.top_500 * outcome.stars_a_point));
    }
    if let Some((_, score)) = outcome.without_privacy.first() {
        series.push(level("global mean", score.top_500 * outcome.stars_a_point));
    }
    Chart {
        title: format!("Error of predictions, unit: one {}", unit.word()),
        x_name: "ε".to_owned(),
        y_name: "error, stars".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Tight,
        series,
    }
}

fn table(outcome: &StudyOutcome) -> Block {
    let names: Vec<&str> = outcome
        .releases
        .first()
        .map_or_else(Vec::new, |release| release.scores.iter().map(|(name, _)| *name).collect());
    let mut head = vec!["unit".to_owned(), "ε".to_owned(), "ρ".to_owned()];
    head.extend(names.iter().map(ToString::to_string));
    let stars = |score: &Scores| format!("{:.3}", score.top_500 * outcome.stars_a_point);
    let mut rows: Vec<Vec<String>> = outcome
        .releases
        .iter()
        .map(|release| {
            let mut row = vec![
                release.unit.word().to_owned(),
                release.epsilon.to_string(),
                glance_upper(release.rho.value()),
            ];
            row.extend(release.scores.iter().map(|(_, score)| stars(score)));
            row
        })
        .collect();
    let mut last = vec!["not private".to_owned(), "∞".to_owned(), String::new()];
    let found = |name: &&str| outcome.without_privacy.iter().find(|(other, _)| other == name);
    last.extend(names.iter().map(|name| found(name).map_or_else(String::new, |(_, score)| stars(score))));
    rows.push(last);
    Block::Table { head, rows }
}

fn covered(study: &RatingStudy, outcome: &StudyOutcome) -> Vec<Block> {
    let errors = match study.source {
        Source::MadeUp(_) => {
            "Nobody in these ratings exists, so that the errors above may be shown to anybody."
        }
        Source::Files { .. } => {
            "The errors above were computed from ratings that were held back, exactly and without noise: they are for the owner of the \
             ratings, and nobody paid for them. What may be published are the files named released-…, and whatever follows from them. The split is \
             random, not by time: predictions of the future would be somewhat worse."
        }
    };
    let mut blocks = vec![Block::verdict(Tone::Calm, COVERED), Block::text(errors)];
    if outcome.releases.iter().any(|release| release.unit == Unit::Rating) {
        let weaker = "Where the unit is a rating, a person with n ratings is protected n times less: at ε for each, n·ε for all of them. \
            The numbers for single ratings are what the literature shows; those for whole people stand beside them.";
        blocks.push(Block::text(weaker));
    }
    blocks
}

fn paid(study: &RatingStudy, outcome: &StudyOutcome) -> Vec<Block> {
    let facts = outcome.payments.iter().map(|payment| {
        let when = if payment.is_repeat {
            "paid earlier, the same numbers for free"
        } else {
            "paid before a row was read"
        };
        let together = payment.price.epsilon_at(&study.delta);
        let together = together.map_or_else(String::new, |all| {
            format!(", all together ε = {}", glance_upper(all.epsilon.value()))
        });
        let rho = glance_upper(&payment.price.amount().loss());
        let words = format!("ρ = {rho}{together}: {when}, record {}", payment.reserve_seq);
        (format!("paid by {}", payment.scope), words)
    });
    let each = outcome.releases.iter().map(|release| {
        let name = format!("{}, ε = {}", release.unit.word(), release.epsilon);
        let numbers = release.released.items.len()
            + 2
            + release.released.pairs.as_ref().map_or(0, |pairs| pairs.triangle.len() + 1);
        let words =
            format!("ρ = {}: {} numbers", glance_upper(release.rho.value()), grouped_count(numbers as u64));
        (name, words)
    });
    let facts: Vec<(String, String)> =
        facts.chain(each).chain([("δ".to_owned(), study.delta.to_string())]).collect();
    let verify =
        format!("pointillist budget verify --catalog {}", study.folder.join(super::CATALOG).display());
    vec![Block::facts(facts), Block::Code(verify)]
}

fn liked(outcome: &StudyOutcome) -> Block {
    let mut rows = Vec::new();
    if let Some(release) = largest(outcome) {
        let model = &release.model;
        // Whatever is estimated badly is often far above: sorted by what is surely liked.
        let surely = |item: usize| model.effect(item) - 1.96 * model.deviation(item);
        let mut order: Vec<usize> = (0..outcome.catalogue.len()).collect();
        order.sort_by(|a, b| surely(*b).total_cmp(&surely(*a)));
        for item in order.into_iter().take(10) {
            let points = (model.mean() + model.effect(item)).clamp(0.0, 10.0);
            rows.push(vec![
                outcome.catalogue.items()[item].title.clone(),
                format!("{:.1} of 10", points),
                format!("± {:.1}", 1.96 * model.deviation(item)),
            ]);
        }
    }
    Block::Table { head: ["item", "liked", "95 %"].map(String::from).to_vec(), rows }
}

fn how(study: &RatingStudy) -> String {
    let pairs = match study.preset {
        super::Preset::Sparse => {
            "Everything was spent on the items, as people here rate few: which genres somebody likes is learnt from their own ratings, \
             on their own side."
        }
        super::Preset::Dense => {
            "The rest was spent on pairs of items: products of what is left of two ratings of one person when mean, item and the person's own \
             habit are taken off. What stands out of the noise became factors; squares were not released, as nothing needs them."
        }
    };
    format!(
        "Three releases, each from exact integers with exact discrete Gaussian noise. First the mean of all ratings, to which a person adds as much as \
         {MEAN_CAP} ratings. Then how much each item of the public catalogue is liked and how often it was rated; somebody with many ratings counts less \
         with each. {pairs}\n\nEffects of items are drawn towards what is public of them (empirical Bayes), factors are those of the noisy matrix beyond the \
         edge of its noise, and predictions are a ridge regression of a person's own ratings. The settings ({}) were fixed before any of these \
         ratings was read: whoever tries several and keeps the best looks at the data once more.",
        study.preset.word()
    )
}
