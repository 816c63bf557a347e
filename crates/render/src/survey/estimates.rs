//! What reports say, as rows, sentences and a chart.

use pointillist_local::{EstimatedFigures, EstimatedShare, Interval, SurveyEstimates};

use crate::chart::{Bar, BarChart};
use crate::decimals::{short_upper, significant};
use crate::svg::Colour;
use crate::text::shown;

/// Rows that people look at.
pub const ROWS_MAX: usize = 24;

/// A share that people look at.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateRow<'a> {
    /// The answer or the word.
    pub name: String,
    /// How often it is held.
    pub share: &'a EstimatedShare,
    /// Its share in the nearest distribution; none of words.
    pub normalised: Option<f64>,
}

/// The shares in the order of the answers; where there are too many, the largest of them first. A mean has none.
pub fn estimate_rows(figures: &EstimatedFigures) -> Vec<EstimateRow<'_>> {
    let mut rows: Vec<EstimateRow<'_>> = match figures {
        EstimatedFigures::Shares { estimates } => estimates
            .iter()
            .map(|row| EstimateRow {
                name: shown(&row.answer),
                share: &row.share,
                normalised: Some(row.normalised),
            })
            .collect(),
        EstimatedFigures::Mean(_) => Vec::new(),
        EstimatedFigures::Words { words, .. } => words
            .iter()
            .map(|row| EstimateRow { name: row.word.clone(), share: &row.share, normalised: None })
            .collect(),
    };
    if rows.len() > ROWS_MAX {
        rows.sort_by(|a, b| b.share.share.total_cmp(&a.share.share));
        rows.truncate(ROWS_MAX);
    }
    rows
}

/// What the two kinds of intervals are worth.
pub fn interval_words(estimates: &SurveyEstimates) -> String {
    let which = match &estimates.figures {
        EstimatedFigures::Shares { .. } => ", for one answer fixed in advance",
        EstimatedFigures::Mean(_) => "",
        EstimatedFigures::Words { .. } => ", for one word fixed in advance",
    };
    format!(
        "about the people who reported{which}: the normal one is the usual approximation, good for many \
         reports and no guarantee; the guaranteed one holds in at least 95 of 100 surveys"
    )
}

/// How a door says what to do about a note.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoteWays {
    /// Behind "search for a larger share".
    pub larger_share: &'static str,
    /// Behind a note that not all rows are shown.
    pub all_rows: &'static str,
}

/// What to keep in mind about the figures.
pub fn estimate_notes(estimates: &SurveyEstimates, ways: NoteWays) -> Vec<String> {
    let mut notes = Vec::new();
    let all = match &estimates.figures {
        EstimatedFigures::Shares { estimates } => estimates.len(),
        EstimatedFigures::Mean(_) => 0,
        EstimatedFigures::Words { words, least_share, cut } => {
            notes.push(format!(
                "in at least 95 of 100 surveys all words that {} % or more hold are found, and none that \
                 nobody holds; those between may be found or not",
                significant(100.0 * least_share)
            ));
            if *cut {
                notes.push(format!(
                    "there was no room to follow all branches, so that some words may be missing: \
                     search for a larger share{}",
                    ways.larger_share
                ));
            }
            words.len()
        }
    };
    if all > ROWS_MAX {
        notes.push(format!(
            "the {ROWS_MAX} largest of {all} are shown, and the largest of many look larger than they are{}",
            ways.all_rows
        ));
    }
    notes
}

/// The shares with both intervals; `None` for a mean, which is one number.
pub fn share_chart(estimates: &SurveyEstimates) -> Option<BarChart> {
    if matches!(estimates.figures, EstimatedFigures::Mean(_)) {
        return None;
    }
    let percent = |interval: Interval| (100.0 * interval.lower, 100.0 * interval.upper);
    let bar = |EstimateRow { name, share, .. }: EstimateRow<'_>| Bar {
        name,
        value: 100.0 * share.share,
        likely: percent(share.normal),
        sure: percent(share.guaranteed),
        label: String::new(),
        colour: Colour::BLUE,
    };
    Some(BarChart {
        title: format!("Estimated shares, reports at ε = {}", short_upper(estimates.cost.epsilon.value())),
        axis: "% of those who reported".to_owned(),
        likely_name: "95 %, normal".to_owned(),
        sure_name: "95 %, guaranteed".to_owned(),
        bars: estimate_rows(&estimates.figures).into_iter().map(bar).collect(),
        ..BarChart::default()
    })
}

#[cfg(test)]
mod tests {
    use pointillist_local::ReportsFile;

    use super::*;

    fn estimates(text: &str) -> SurveyEstimates {
        ReportsFile::read(text.as_bytes(), None, None).unwrap().estimates(None).unwrap()
    }

    /// Specification: all rows in the order of the answers while they fit; else the largest, and a note says so.
    #[test]
    fn many_answers_are_cut_to_the_largest() {
        let few = estimates("# k-ary-response values=3 epsilon=1\n2\n2\n0\n");
        let names: Vec<String> = estimate_rows(&few.figures).into_iter().map(|row| row.name).collect();
        assert_eq!(names, ["0", "1", "2"]);
        assert!(estimate_notes(&few, NoteWays::default()).is_empty());
        let many = estimates("# k-ary-response values=40 epsilon=1\n31\n31\n7\n");
        let rows = estimate_rows(&many.figures);
        assert_eq!((rows.len(), rows[0].name.as_str(), rows[1].name.as_str()), (ROWS_MAX, "31", "7"));
        assert!(estimate_notes(&many, NoteWays::default())[0].contains("the 24 largest of 40"));
        assert_eq!(share_chart(&many).unwrap().bars.len(), ROWS_MAX);
    }

    #[test]
    fn names_are_shown_and_not_obeyed() {
        let hostile =
            estimates("# k-ary-response values=2 epsilon=1\n# answers [\"\\u001b[31m\",\"b\"]\n0\n");
        assert_eq!(estimate_rows(&hostile.figures)[0].name, "\\u{1b}[31m");
        let mean = estimates("# sign-mean lower=0 upper=10 steps=100 epsilon=1\n1\n");
        assert!(share_chart(&mean).is_none() && estimate_rows(&mean.figures).is_empty());
    }
}
