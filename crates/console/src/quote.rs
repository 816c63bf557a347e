//! What a quote says, in words that a nurse understands: price, error bar, what bounding changes, how many more.

use pointillist_catalog::{Catalog, ColumnType};
use pointillist_curator::words::{part_of_budget, part_of_left, part_spent};
use pointillist_curator::{AggregateQuote, Quote, QuoteKeys, QuoteSubject, RowQuote, TYPICAL_ROWS};
use pointillist_plan::Ownership;
use pointillist_render::decimals::{grouped, grouped_count, readable};

use crate::Share;
use crate::money::{error_text, odds_text, part_text, price_text};

/// Everything that the panel beside a question says.
#[derive(Clone, Debug, PartialEq)]
pub struct QuoteFacts {
    /// The price.
    pub price: String,
    /// By which factor something can become more likely.
    pub odds: Option<String>,
    /// Which part of what is left it takes.
    pub part_of_left: Option<String>,
    /// Which part of the share is spent, and which the question would take.
    pub gauge: Option<(f64, f64)>,
    /// How many such questions fit.
    pub more: Option<u64>,
    /// Whether the asker has these numbers already.
    pub is_free: bool,
    /// Whether the answer can be had.
    pub fits: bool,
    /// How wrong the numbers may be, one a column.
    pub errors: Vec<ErrorFact>,
    /// What happens to somebody who has more rows than count.
    pub bounding: Vec<String>,
    /// What to know besides.
    pub notes: Vec<String>,
    /// The whole quote, line by line, for whoever wants to know.
    pub details: Vec<(String, String)>,
}

/// How wrong a number may be.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorFact {
    /// The number, as the question names it.
    pub name: String,
    /// `± 304`, or why there is no such number yet.
    pub text: String,
    /// What that means.
    pub words: String,
    /// In the number's own unit; of a rank or of noise where nothing else is known. Only ratios of it are used.
    pub size: Option<f64>,
}

impl QuoteFacts {
    /// What a quote says to whoever asks; `share` is what they have.
    pub fn new(quote: &Quote, share: Option<&Share>, catalog: &Catalog) -> Self {
        let at = quote.epsilon_at_delta.as_ref();
        let balance = share.filter(|share| share.scope == quote.scope).map(|share| &share.balance);
        let gauge = balance.and_then(|of| Some((part_spent(of), part_of_budget(quote.price.amount(), of)?)));
        let left = balance.and_then(|of| part_of_left(&quote.price, of)).filter(|part| part.is_finite());
        let details = quote.lines().into_iter().map(|line| (line.name.to_owned(), line.text));
        Self {
            price: price_text(&quote.price, at),
            odds: odds_text(at),
            part_of_left: left.map(|part| part_text(part.min(1.0))),
            gauge,
            more: quote.more,
            is_free: quote.is_free,
            fits: quote.fits(),
            errors: errors(&quote.subject),
            bounding: bounding(&quote.subject, catalog),
            notes: quote.notes.iter().map(|note| readable(note)).collect(),
            details: details.collect(),
        }
    }

    /// How many more fit, in words.
    pub fn more_words(&self) -> Option<String> {
        Some(match self.more? {
            0 => "no more like this".to_owned(),
            1 => "one more like this".to_owned(),
            more => format!("about {} more like this", grouped_count(more)),
        })
    }
}

fn errors(subject: &QuoteSubject) -> Vec<ErrorFact> {
    let of_rows = |rows: &RowQuote| -> Vec<ErrorFact> {
        let each = match rows.keys {
            QuoteKeys::One => "",
            QuoteKeys::Public | QuoteKeys::Earned(_) => "in each group, ",
        };
        rows.aggregates.iter().map(|aggregate| aggregate_error(aggregate, each)).collect()
    };
    let outlook = |name: String, words: &[String], error: Option<f64>| {
        let text = error.map_or_else(|| "with the answer".to_owned(), error_text);
        let words = match error {
            Some(_) => "19 times in 20".to_owned(),
            None => words
                .first()
                .cloned()
                .unwrap_or_else(|| "it depends on the data, and comes with it".to_owned()),
        };
        vec![ErrorFact { name, text, words, size: error }]
    };
    match subject {
        QuoteSubject::Rows(rows) => of_rows(rows),
        QuoteSubject::Statement(statement) => {
            statement.releases.iter().flat_map(|release| of_rows(&release.rows)).collect()
        }
        QuoteSubject::Graph(graph) => outlook(graph.statistic.to_string(), &graph.outlook, graph.error_95),
        QuoteSubject::Model(model) => outlook(model.family.name().to_owned(), &model.outlook, None),
        QuoteSubject::Table(table) => outlook("table".to_owned(), &table.outlook, None),
        QuoteSubject::Evaluation(it) => outlook(it.measure.to_owned(), &it.outlook, None),
    }
}

fn aggregate_error(aggregate: &AggregateQuote, each: &str) -> ErrorFact {
    let noise = &aggregate.noise;
    let size = |error: &pointillist_numbers::Rational| error.to_f64_upper();
    let (text, words, known) = match (&noise.error_95, &aggregate.error_typical, &noise.rank_error_95) {
        (Some(error), _, _) => (error_text(size(error)), format!("{each}19 times in 20"), Some(size(error))),
        (None, Some(typical), _) => (
            format!("about {}", error_text(size(typical))),
            format!("where a group has {} rows; more where it has fewer", grouped_count(TYPICAL_ROWS)),
            Some(size(typical)),
        ),
        (None, None, Some(rank)) => (
            format!("{} rows", error_text(size(rank))),
            "to either side of the middle, 19 times in 20".to_owned(),
            Some(size(rank)),
        ),
        (None, None, None) => (
            "with the answer".to_owned(),
            "an error bar of its own in every row".to_owned(),
            Some(size(&noise.scale_upper)),
        ),
    };
    ErrorFact { name: aggregate.name.clone(), text, words, size: known }
}

/// What happens to a person, release by release; the same sentence is said once.
fn bounding(subject: &QuoteSubject, catalog: &Catalog) -> Vec<String> {
    let mut sentences = Vec::new();
    let rows: Vec<&RowQuote> = match subject {
        QuoteSubject::Rows(rows) => vec![rows],
        QuoteSubject::Statement(statement) => {
            statement.releases.iter().map(|release| &release.rows).collect()
        }
        _ => Vec::new(),
    };
    for rows in rows {
        for sentence in row_sentences(rows, catalog) {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    sentences
}

fn row_sentences(rows: &RowQuote, catalog: &Catalog) -> Vec<String> {
    let mut sentences = Vec::new();
    let is_grouped = rows.keys != QuoteKeys::One;
    let within = if is_grouped { " in a group" } else { "" };
    match &rows.owner {
        Ownership::EachRow | Ownership::Nobody => {
            sentences.push("Every row is taken for another person.".to_owned());
        }
        Ownership::People(_) => {
            let (most, table) = (grouped_count(rows.rows_max), &rows.table);
            sentences.push(match rows.rows_max {
                1 => format!("Of each person, one row of {table}{within} counts."),
                _ => format!(
                    "Someone with more than {most} rows of {table}{within} counts with {most} of them."
                ),
            });
            if is_grouped {
                let most = grouped_count(rows.groups_max);
                sentences.push(match rows.groups_max {
                    1 => "Each person counts in one group.".to_owned(),
                    _ => format!("Someone in more than {most} groups counts in {most} of them."),
                });
            }
        }
    }
    if let QuoteKeys::Earned(keys) = rows.keys {
        let people = grouped(&keys.people_95.to_string());
        sentences.push(format!(
            "A group is shown when enough people are in it: one of {people} nearly always is."
        ));
    }
    sentences.extend(clamped(rows, catalog));
    sentences
}

/// Numbers beyond their bounds count as the bound.
fn clamped(rows: &RowQuote, catalog: &Catalog) -> Vec<String> {
    let table = catalog.table(&rows.table);
    let column = |name: &String| table.and_then(|table| table.column(name));
    rows.columns
        .iter()
        .filter_map(|name| match &column(name)?.kind {
            ColumnType::Integer { bounds: Some((low, high)) } => {
                Some((name, low.to_string(), high.to_string()))
            }
            ColumnType::Number { bounds: Some((low, high)), .. } => {
                let digits = pointillist_render::decimals::exact;
                Some((name, digits(low), digits(high)))
            }
            _ => None,
        })
        .map(|(name, low, high)| {
            format!(
                "In sums and averages, a {name} below {} counts as {}, one above {} as {}.",
                grouped(&low),
                grouped(&low),
                grouped(&high),
                grouped(&high)
            )
        })
        .collect()
}
