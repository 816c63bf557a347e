//! The report of an intersection: what two tables tell that neither tells.

use super::Found;
use crate::bar::percent;
use crate::commands::attack::release;
use crate::failure::Failure;
use pointillist_render::chart::{Bar, BarChart};
use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::decimals::grouped_count;
use pointillist_render::page::{Block, Page, Tone};
use pointillist_render::svg::Colour;

/// The largest k that the plot shows.
const SWEEP_MAX: usize = 20;

impl Found<'_> {
    pub(super) fn page(&self) -> Result<Page, Failure> {
        let (found, sensitive) = (&self.intersected, &self.arguments.sensitive);
        let lead = format!(
            "{} share {} people. Alone, they give the {sensitive} of {} of these away; together, that of {}.",
            self.how(),
            grouped_count(found.people as u64),
            percent(self.share(found.certain_alone)),
            percent(self.share(found.certain))
        );
        let done = format!(
            "The tables have {} and {} rows, and {} people are in both. The attacker knows in which class of \
             each table a person is, because {} say so, and takes the values of {sensitive} that stand in \
             both classes: the person's own is one of them.",
            grouped_count(self.tables.first.rows().len() as u64),
            grouped_count(self.tables.second.rows().len() as u64),
            grouped_count(found.people as u64),
            self.arguments.known.join(", ")
        );
        let why = format!(
            "Each publisher kept its promise, and the promise does not add up: being one of many in two \
             crowds is not being one of many when the crowds share only you. Nobody can keep it alone, for \
             nobody knows what others will publish.\n\nDifferential privacy adds up. Two releases at {} are \
             together a release at twice that price, whoever makes them and whether or not they know of each \
             other. At that price a guess is right with probability at most {}, for somebody who knew no \
             more than how common values are; what was reached is {}.",
            self.price.with_threshold(),
            percent(self.guesses.right_upper),
            percent(self.guesses.from_counts)
        );
        let mut learnt = vec![
            Block::side_by_side(self.without(), self.with()),
            Block::figure(
                &self.people_chart(),
                "People who are in both tables. Certain: one value is left. One guess away: two are.",
            ),
            Block::figure(
                &self.left_chart(),
                "How many values are possible for a person: after the better table, and after both.",
            ),
            release::guesses_figure(&self.guesses, sensitive, "both tables' rows", &self.price.pure()),
        ];
        if !self.arguments.published {
            learnt.push(Block::figure(
                &self.sweep_chart()?,
                "People whose value is certain, against k: from both tables, and from the better one alone.",
            ));
        }
        Ok(Page::new("Two anonymous tables that share people", lead)
            .section("What was done", vec![Block::text(done)])
            .section("What was learnt", learnt)
            .section(
                "Why counts with noise resist",
                vec![
                    Block::text(why),
                    Block::verdict(Tone::Plain, "Two crowds that share one face show it."),
                ],
            ))
    }

    fn people_chart(&self) -> BarChart {
        let found = &self.intersected;
        let bar = |name: &str, people: usize, colour| {
            let share = self.share(people);
            let label = format!("{} ({})", grouped_count(people as u64), percent(share));
            Bar::plain(name, 100.0 * share, label, colour)
        };
        BarChart {
            title: "What the tables give away".to_owned(),
            axis: format!("% of {} people", found.people),
            bars: vec![
                bar("certain from one table", found.certain_alone, Colour::BLUE),
                bar("certain from both", found.certain, Colour::ORANGE),
                bar("one guess away from one table", found.one_guess_away_alone, Colour::BLUE),
                bar("one guess away from both", found.one_guess_away, Colour::ORANGE),
            ],
            ..BarChart::default()
        }
    }

    fn left_chart(&self) -> Chart {
        let left = &self.intersected.left;
        let most = left.iter().map(|(alone, _)| *alone).max().unwrap_or(1);
        let line = |mark, name: &str, part: &dyn Fn(&(usize, usize)) -> usize| {
            let people = |values: usize| left.iter().filter(|left| part(left) == values).count() as f64;
            Series::new(mark, name, (1..=most).map(|values| (values as f64, people(values))).collect())
        };
        Chart {
            title: "Values that are possible for a person".to_owned(),
            x_name: "values that are left".to_owned(),
            y_name: "people".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            series: vec![
                line(Mark::DottedLine, "one table", &|left| left.0),
                line(Mark::DottedLine, "both tables", &|left| left.1),
            ],
        }
    }

    fn sweep_chart(&self) -> Result<Chart, Failure> {
        let rows = self.tables.first.rows().len().min(self.tables.second.rows().len());
        let (mut alone, mut both) = (Vec::new(), Vec::new());
        for k in 2..=SWEEP_MAX.min(rows) {
            let found = self.arguments.intersected(&self.tables, k)?;
            alone.push((k as f64, 100.0 * self.share(found.certain_alone)));
            both.push((k as f64, 100.0 * self.share(found.certain)));
        }
        Ok(Chart {
            title: "Certain, for every k".to_owned(),
            x_name: "rows that look alike in each table, k".to_owned(),
            y_name: "% of people".to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            series: vec![
                Series::new(Mark::DottedLine, "one table", alone),
                Series::new(Mark::DottedLine, "both tables", both),
            ],
        })
    }
}
