//! How wrong the numbers may be, in words, and why each table was measured as it was.

use pointillist_render::decimals::{grouped_count, significant};
use pointillist_render::page::Block;

use super::figure;
use super::numbers::sentence;
use crate::{Published, PublishedTable};

/// So many tables are compared; more would be no comparison.
const TABLES_MAX: usize = 40;

const WORDS: &str = "Noise was added to every number before it was published, and how much noise is no secret. Of all \
    intervals on this page, about 19 in 20 hold the number without noise; one in 20 does not, and nobody can say which. \
    The interval speaks of the noise alone. It does not say whether the data is complete or true, and not how the \
    number would differ in another year.\n\nCounts by columns are never below zero, and add up. That makes very small \
    counts a little too large on average and large ones a little too small, and some of them leave their interval, which is the \
    estimate's; whoever adds or divides numbers should take the column that ends in _estimate, which \
    is right on average and may be negative.";

pub(super) fn blocks(published: &Published) -> Vec<Block> {
    let mut blocks = vec![Block::text(WORDS)];
    let rows: Vec<Vec<String>> = published.tables.iter().take(TABLES_MAX).flat_map(measured_rows).collect();
    if !rows.is_empty() {
        let head = ["table", "number", "cells", "middle error", "largest error", "too noisy"];
        blocks.push(Block::Table { head: head.map(str::to_owned).to_vec(), rows });
        blocks.push(Block::text(
            "An error is what the noise stays within with 95 %; at least half of a table's cells have no larger error \
             than the middle one. Too noisy are cells whose noise is so large that the number is of no use; that is judged by the \
             noise, which is public, and not by the data.",
        ));
    }
    blocks
}

fn measured_rows(table: &PublishedTable) -> Vec<Vec<String>> {
    let one = |at: usize| {
        let errors = errors(table, at);
        let cells = table.rows.iter().filter_map(|row| row.cells.get(at));
        let noisy = cells.filter(|cell| cell.is_noisy).count();
        vec![
            table.name.clone(),
            table.measures[at].name.clone(),
            grouped_count(table.rows.len() as u64),
            errors.get(errors.len() / 2).map_or_else(String::new, |middle| figure::error(*middle)),
            errors.last().map_or_else(String::new, |largest| figure::error(*largest)),
            grouped_count(noisy as u64),
        ]
    };
    (0..table.measures.len()).map(one).collect()
}

/// The errors of one measure, from the smallest.
pub(super) fn errors(table: &PublishedTable, measure: usize) -> Vec<f64> {
    let cells = table.rows.iter().filter_map(|row| row.cells.get(measure)?.error_95);
    let mut errors: Vec<f64> = cells.filter(|error| error.is_finite()).collect();
    errors.sort_by(f64::total_cmp);
    errors
}

/// How a table was measured, for those who want to know.
pub(super) fn method(table: &PublishedTable) -> Block {
    let mut blocks = vec![Block::text(sentence(&table.method))];
    blocks.extend(strategies(table));
    blocks.extend([
        Block::text("It was measured with this statement, whose keys are shown as the codebook says:"),
        Block::Code(table.sql.clone()),
    ]);
    Block::Folded { summary: "How this table was measured".to_owned(), blocks }
}

/// The ways to measure a table that were compared.
fn strategies(table: &PublishedTable) -> Vec<Block> {
    let Some(chosen) = table.strategies.iter().find(|line| line.is_chosen) else {
        return Vec::new();
    };
    if table.strategies.len() < 2 {
        return Vec::new();
    }
    let rows = table.strategies.iter().map(|line| {
        let times =
            if chosen.expected_error > 0.0 { line.expected_error / chosen.expected_error } else { 1.0 };
        vec![
            line.name.clone(),
            significant(line.expected_error),
            if line.is_chosen {
                "chosen".to_owned()
            } else {
                format!("{} times as much noise", significant(times))
            },
        ]
    });
    let why = format!(
        "Why this was measured as “{}”: at the same price, this is what each way would have cost in noise. The choice looks \
         at the plan alone, never at data.",
        chosen.name
    );
    let head = ["way to measure", "expected error", ""].map(str::to_owned).to_vec();
    vec![Block::text(sentence(&why)), Block::Table { head, rows: rows.collect() }]
}
