//! The report of an anonymized table: what it still tells, for every k, and what it has lost.

use pointillist_attack::anonymity::still_works::homogeneity;
use pointillist_attack::anonymity::{information_lost, measure};

use super::{EXACT_MAX, Found, Method, ROWS, anonymized};
use crate::bar::percent;
use crate::commands::attack::release;
use crate::failure::Failure;
use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::grouped_count;
use pointillist_render::page::{Block, Page, Tone};

/// The largest k that the plots show.
const SWEEP_MAX: usize = 20;

/// What is left to learn at one k, as shares of all rows.
struct Point {
    k: usize,
    certain: f64,
    one_guess_away: f64,
    lost: f64,
    l_distinct: usize,
    t: f64,
}

impl Found<'_> {
    pub(super) fn page(&self) -> Result<Page, Failure> {
        let (k, sensitive) = (self.arguments.k, &self.arguments.sensitive);
        let lead = format!(
            "A table in which every row looks like {} still gives the {sensitive} of {} of {} people away \
             for certain, and saying the most common value of somebody's class is right for {} of them. From \
             counts with noise at {} a guess is right for {}; without any data, for {}.",
            self.others(),
            self.disclosed.certain,
            grouped_count(self.disclosed.rows as u64),
            percent(self.guesses.from_rows),
            self.price.with_threshold(),
            percent(self.guesses.from_counts),
            percent(self.guesses.from_nothing)
        );
        let done = format!(
            "The table is {}. Outsiders know {} of everybody and want to know {sensitive}. For them the \
             table was made {k}-anonymous: {}. Then they were let loose on it.",
            self.arguments.table.name(),
            self.arguments.known.join(", "),
            self.how()
        );
        let points = self.sweep()?;
        let rows = self.published.rows().iter().take(ROWS).cloned().collect();
        let sample = Block::Table { head: self.published.columns().to_vec(), rows };
        let why = format!(
            "k-anonymity hides which row is whose. It does not hide what all rows of a class have in common, \
             and a large k only makes such classes rarer while it takes the table's use away. It is a \
             property of a table, not of how the table was made, so it promises nothing when a second table \
             comes out.\n\nPointillist publishes counts with noise instead, at {}. The promise is about the \
             release: whatever anybody knew before, one person's row changes no outcome's probability by \
             more than a factor of e^ε (but for δ). It holds for every later release too, and prices add \
             up.",
            self.price.with_threshold()
        );
        Ok(Page::new("A table in which everybody looks like others", lead)
            .section("What was done", vec![Block::text(done), sample])
            .section(
                "What was learnt",
                vec![
                    Block::side_by_side(self.still_works(), self.with()),
                    release::guesses_figure(
                        &self.guesses,
                        sensitive,
                        &format!("the {k}-anonymous rows"),
                        &self.price.pure(),
                    ),
                    Block::figure(
                        &self.sweep_chart(&points),
                        "What the classes give away, for every k: the value itself, or two of which an \
                         outsider has to rule out one. The rest is safe from this attack, and from this one \
                         only.",
                    ),
                    Block::figure(
                        &self.lost_chart(&points),
                        "What the columns no longer tell: ranges and sets lose the share of their column \
                         that they cover, stars everything.",
                    ),
                ],
            )
            .section(
                "Why counts with noise resist",
                vec![
                    Block::text(why),
                    Block::text(self.measures()),
                    table(&points),
                    Block::verdict(Tone::Plain, "A crowd that agrees keeps nobody's secret."),
                ],
            ))
    }

    fn sweep_chart(&self, points: &[Point]) -> Chart {
        let series = vec![
            line(Mark::DottedLine, "safe", points, |point| 1.0 - point.certain - point.one_guess_away),
            line(Mark::DottedLine, "certain", points, |point| point.certain),
            line(Mark::DottedLine, "one guess away", points, |point| point.one_guess_away),
        ];
        chart(
            format!("What is given away by {}, made k-anonymous", self.arguments.table.name()),
            "% of people",
            series,
        )
    }

    fn lost_chart(&self, points: &[Point]) -> Chart {
        let series = vec![line(Mark::DottedLine, "information lost", points, |point| point.lost)];
        let title = format!("What is lost of {}, made k-anonymous", self.arguments.table.name());
        chart(title, "% of what the known columns told", series)
    }

    /// Every k that makes sense, by one method, so that points compare.
    fn sweep(&self) -> Result<Vec<Point>, Failure> {
        let (known, sensitive) = (self.arguments.known(), self.arguments.sensitive.as_str());
        let rows = self.original.rows().len();
        let method = if rows <= EXACT_MAX { Method::Exact } else { Method::Mondrian };
        (2..=SWEEP_MAX.min(rows))
            .map(|k| {
                let (published, ..) = anonymized(&self.original, &known, k, method)?;
                let found = homogeneity(&published, &known, sensitive)?;
                let measured = measure(&published, &known, Some(sensitive))?;
                let share = |part: usize| part as f64 / rows.max(1) as f64;
                Ok(Point {
                    k,
                    certain: share(found.certain),
                    one_guess_away: share(found.one_guess_away),
                    lost: information_lost(&self.original, &published, &known)?,
                    l_distinct: measured.l_distinct.unwrap_or(0),
                    t: measured.t.unwrap_or(0.0),
                })
            })
            .collect()
    }
}

fn line(mark: Mark, name: &str, points: &[Point], value: impl Fn(&Point) -> f64) -> Series {
    Series::new(mark, name, points.iter().map(|point| (point.k as f64, 100.0 * value(point))).collect())
}

fn chart(title: String, y_name: &str, series: Vec<Series>) -> Chart {
    Chart {
        title,
        x_name: "rows that look alike, k".to_owned(),
        y_name: y_name.to_owned(),
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        series,
    }
}

fn table(points: &[Point]) -> Block {
    let row = |point: &Point| {
        vec![
            point.k.to_string(),
            percent(point.certain),
            percent(point.one_guess_away),
            percent(point.lost),
            point.l_distinct.to_string(),
            format!("{:.2}", point.t),
        ]
    };
    let head = ["k", "certain", "one guess away", "information lost", "l", "t"];
    Block::Table { head: head.map(str::to_owned).to_vec(), rows: points.iter().map(row).collect() }
}
