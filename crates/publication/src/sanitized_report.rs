//! The page of a sanitized table: what was counted and how well, in pictures, for people who were not there.
//!
//! Everything on it was released or is public, unless an exact comparison is added, and then the page begins with a warning.

use pointillist_curator::FittedTable;
use pointillist_render::chart::{Bar, BarChart, HeatCell, HeatMap, fits_a_page};
use pointillist_render::decimals::{grouped_count, significant};
use pointillist_render::page::{Block, Page, Tone};
use pointillist_render::svg::Colour;
use pointillist_render::text::shown;

use crate::files::value_text;
use crate::sanitized_compare::ExactComparison;
use crate::sanitized_file::SanitizedFile;
use crate::sanitized_private::{PrivateComparison, PrivateDistance};

/// So many columns get a picture.
const COLUMNS_MAX: usize = 24;
/// More bars than this are no picture.
const BARS_MAX: usize = 40;
/// So many standard deviations hold 95 % of any of these noises (`synth/src/measured_marginal.rs`).
const Z_95: f64 = 2.17;

/// A page about a sanitized table.
pub struct SanitizedReport<'a> {
    file: &'a SanitizedFile,
    fitted: &'a FittedTable,
    exact: Option<&'a ExactComparison>,
    private: Option<&'a PrivateComparison>,
}

impl<'a> SanitizedReport<'a> {
    /// From released and public things alone.
    pub fn new(file: &'a SanitizedFile, fitted: &'a FittedTable) -> Self {
        Self { file, fitted, exact: None, private: None }
    }

    /// With what real rows say exactly: not for publication.
    #[must_use]
    pub fn with_exact(self, exact: &'a ExactComparison) -> Self {
        Self { exact: Some(exact), ..self }
    }

    /// With a comparison that was released: it may be published as the rest.
    #[must_use]
    pub fn with_private(self, private: &'a PrivateComparison) -> Self {
        Self { private: Some(private), ..self }
    }

    /// The page.
    pub fn page(&self) -> Page {
        let privacy = self.file.privacy();
        let title = format!("A sanitized table of {}", shown(&privacy.tables));
        let lead = format!(
            "{} made-up rows to see the picture by, never the dot: nobody in them exists, and whether any one person is in the \
             real rows hardly changes the chances of this table.",
            grouped_count(self.fitted.row_count())
        );
        let mut page = Page::new(title, lead);
        if let Some(exact) = self.exact {
            page = page.section("", vec![
                Block::verdict(Tone::Alarm, "NOT FOR PUBLICATION: this page compares with real rows exactly. Nothing protects \
                                             the people in them on it."),
                Block::text(format!(
                    "Over all pairs of columns the shares of rows differ by {} on the mean, where 0 is the same and 2 nothing in \
                     common. {} real rows were read.",
                    significant(exact.mean_distance()),
                    grouped_count(exact.rows)
                )),
            ]);
        }
        if let Some(private) = self.private {
            page = page.section("How far it is from the real rows", distances(private));
        }
        page = page.section("What was counted together", self.together());
        let cells = self.fitted.cells(None);
        for (column, cells) in cells.iter().enumerate().take(COLUMNS_MAX) {
            page = page.section(shown(&self.fitted.columns()[column].name), self.column(column, cells));
        }
        page.section("What is protected, and what it cost", self.protection())
            .section("How to use it", usage())
    }

    fn name(&self, column: usize) -> String {
        shown(&self.fitted.columns()[column].name)
    }

    fn together(&self) -> Vec<Block> {
        let sets = self.fitted.model().of_bins().measured_sets();
        let rows: Vec<Vec<String>> = sets
            .iter()
            .filter_map(|set| {
                let measured = self.fitted.model().measured(set)?;
                let names: Vec<String> = set.iter().map(|at| self.name(*at)).collect();
                let names = if names.is_empty() { "all rows".to_owned() } else { names.join(" × ") };
                let error = significant(Z_95 * measured.deviation);
                Some(vec![names, measured.values.len().to_string(), format!("± {error}")])
            })
            .collect();
        let head = ["columns", "cells", "noise of a cell, 95 %"].map(str::to_owned).to_vec();
        let mut blocks = vec![
            Block::text(
                "Counts of these columns were released with noise, and the made-up rows follow them as well as one table can. What \
                 was not counted together is made up as if it had nothing to do with each other beyond what these counts imply: \
                 do not look for more in it.",
            ),
            Block::Table { head, rows },
        ];
        blocks.extend(self.heat());
        blocks
    }

    /// Which pairs of columns were counted together; with exact numbers, how far each pair is off.
    fn heat(&self) -> Option<Block> {
        let count = self.fitted.columns().len();
        if count < 2 || !fits_a_page(count) {
            return None;
        }
        let sets = self.fitted.model().of_bins().measured_sets();
        let counted =
            |left: usize, right: usize| sets.iter().any(|set| set.contains(&left) && set.contains(&right));
        let distance = |left: usize, right: usize| {
            let pair = (left.min(right), left.max(right));
            self.exact?
                .pairs
                .iter()
                .find(|(one, other, _)| (*one, *other) == pair)
                .map(|(_, _, distance)| *distance)
        };
        let cell = |left: usize, right: usize| match (left == right, distance(left, right)) {
            (true, _) => HeatCell::default(),
            (false, Some(distance)) => {
                HeatCell { value: Some(distance), label: format!("{distance:.2}"), crossed: false }
            }
            (false, None) => {
                let is_counted = counted(left, right);
                let label = if is_counted { "✓" } else { "" };
                HeatCell {
                    value: Some(f64::from(u8::from(is_counted))),
                    label: label.to_owned(),
                    crossed: false,
                }
            }
        };
        let names: Vec<String> = (0..count).map(|at| self.name(at)).collect();
        let map = HeatMap {
            title: match self.exact {
                Some(_) => "Distance of made-up from real rows".to_owned(),
                None => "Counted together".to_owned(),
            },
            x_name: String::new(),
            rows: names
                .iter()
                .enumerate()
                .map(|(left, name)| (name.clone(), (0..count).map(|right| cell(left, right)).collect()))
                .collect(),
            columns: names,
        };
        let caption = match self.exact {
            Some(_) => "The darker, the further apart. Not for publication.",
            None => "Pairs with a mark were counted together; of the others only what these imply is known.",
        };
        Some(Block::figure(&map, caption))
    }

    fn column(&self, column: usize, cells: &[u32]) -> Vec<Block> {
        let (model, about) = (self.fitted.model(), &self.fitted.columns()[column]);
        let bins = model.bin_count(column);
        let mut made_up = vec![0.0f64; bins as usize];
        cells.iter().for_each(|cell| made_up[model.bin_of(column, *cell) as usize] += 1.0);
        let measured = model.measured(&[column]);
        let text = |cell: u32| about.value(cell).as_ref().map_or_else(|| "nothing".to_owned(), value_text);
        let name = |bin: u32| match model.cells_of(column, bin) {
            (first, last) if first == last => text(first),
            (first, last) => format!("{} to {}", text(first), text(last)),
        };
        let mut places: Vec<u32> = (0..bins).collect();
        if places.len() > BARS_MAX {
            places.sort_by(|one, other| made_up[*other as usize].total_cmp(&made_up[*one as usize]));
            places.truncate(BARS_MAX);
        }
        let bar = |bin: u32| {
            let (at, value) = (bin as usize, made_up[bin as usize]);
            // Of values that were counted as one, nothing is known alone.
            let alone = measured.as_ref().filter(|measured| measured.groups[0].is_none());
            let interval = alone.map_or((value, value), |measured| {
                let (centre, error) = (measured.values[at], Z_95 * measured.deviation);
                ((centre - error).max(0.0), (centre + error).max(0.0))
            });
            let mut name = name(bin);
            if let Some(exact) = self.exact {
                name = format!("{name} (really {})", grouped_count(exact.counts[column][at] as u64));
            }
            Bar {
                name: shown(&name),
                value,
                likely: interval,
                sure: interval,
                label: String::new(),
                colour: Colour::BLUE,
            }
        };
        let chart = BarChart {
            title: self.name(column),
            axis: "rows".to_owned(),
            likely_name: "where the number of bounded real rows lies with 95 %".to_owned(),
            bars: places.iter().map(|bin| bar(*bin)).collect(),
            ..BarChart::default()
        };
        let mut caption = "The bar counts made-up rows; the line says where the count of real rows lies, as far as its noise tells.".to_owned();
        if bins as usize > BARS_MAX {
            caption.push_str(&format!(" These are the {BARS_MAX} largest of {bins}."));
        }
        vec![Block::figure(&chart, caption)]
    }

    fn protection(&self) -> Vec<Block> {
        let privacy = self.file.privacy();
        let mut blocks = vec![Block::facts([
            ("protected", privacy.unit_words()),
            ("price", privacy.price.clone()),
            ("budget of", privacy.scope.clone()),
            ("method", privacy.mechanism.clone()),
        ])];
        if !privacy.notes.is_empty() {
            blocks.push(Block::text(privacy.notes.join("\n\n")));
        }
        blocks
    }
}

/// The distances, the furthest first.
fn distances(private: &PrivateComparison) -> Vec<Block> {
    let mut parts: Vec<&PrivateDistance> = private.parts.iter().collect();
    parts.sort_by(|one, other| other.share.total_cmp(&one.share));
    let left_out = parts.len().saturating_sub(BARS_MAX);
    parts.truncate(BARS_MAX);
    let percent = |share: f64| 100.0 * share;
    let bar = |distance: &PrivateDistance| {
        let interval = (percent(distance.interval.0), percent(distance.interval.1));
        Bar {
            name: shown(&distance.part),
            value: percent(distance.share),
            likely: interval,
            sure: interval,
            label: String::new(),
            colour: Colour::BLUE,
        }
    };
    let chart = BarChart {
        title: "Rows that would have to be others, in per cent".to_owned(),
        axis: "per cent of rows".to_owned(),
        likely_name: "where the distance lies with 95 %".to_owned(),
        bars: parts.into_iter().map(bar).collect(),
        ..BarChart::default()
    };
    let mut caption = "0 is the same table by these columns, 100 nothing in common. Compared in the bins of this page's columns where they are even.".to_owned();
    if left_out > 0 {
        caption.push_str(&format!(" The {left_out} nearest are left out."));
    }
    let mut blocks = Vec::new();
    if let Some(mean) = &private.mean {
        let [share, lower, upper] =
            [mean.share, mean.interval.0, mean.interval.1].map(|share| significant(percent(share)));
        blocks.push(Block::text(format!(
            "On the mean {share} % of rows would have to be others, between {lower} and {upper} % with 95 %. This comparison with \
             the private rows cost {} of its own, is noisy like everything here, and may be published.",
            private.price
        )));
    }
    blocks.push(Block::figure(&chart, caption));
    blocks
}

fn usage() -> Vec<Block> {
    vec![
        Block::text(
            "Whatever is computed from these rows is free and needs no permission. Counts over columns that were counted together \
             are as good as their noise; averages, models and tables over others are as good as the assumption that there is no \
             more to them. The command says which is which.",
        ),
        Block::Code(
            "pointillist synth count table.json \"age >= 65 AND region = 'north'\"\npointillist synth sample table.json --rows 10000 --output rows.csv"
                .to_owned(),
        ),
    ]
}
