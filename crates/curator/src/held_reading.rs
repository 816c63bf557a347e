//! A question that is part of a larger one, whose answer the asker holds.
//!
//! **Guarantee.** The wider question adds up the same numbers before noise (`query/src/wider.rs`), and the asker has paid for
//! its answer: showing some of its groups is post-processing, and free. It is taken only if its noise is no larger than what
//! the question would buy, and only if the question itself is not held: asked again, it has the answer that it had.

use pointillist_ledger::{HeldAnswer, Question};
use pointillist_plan::{Draw, PrivatePlan, Release, StatementPlan};
use pointillist_query::wider;

use crate::basket::{Basket, Bill};
use crate::error::AskError;
use crate::reuse::conform;
use crate::rows::RowQuestion;
use pointillist_catalog::Catalog;

/// The statement as part of a larger one that the asker holds already, if they do. `landed` waits until nothing of
/// the asker's is on its way about a topic.
pub(crate) fn as_held<L>(
    catalog: &Catalog,
    statement: &StatementPlan,
    held: impl Fn(&Question) -> Result<Vec<HeldAnswer>, AskError>,
    landed: impl Fn(&dyn Bill) -> L,
) -> Result<Option<StatementPlan>, AskError> {
    let Some(asked) = statement.only() else { return Ok(None) };
    // Where noisy numbers pick groups, bars are for all groups at once, of which the wider question has more.
    if asked.answer.picks_by_noise(&asked.aggregation) {
        return Ok(None);
    }
    let Some(mut wider) = wider(catalog, asked) else { return Ok(None) };
    wider
        .notes
        .insert(0, "these numbers are part of a larger answer that was released to you before".to_owned());
    let larger = StatementPlan::of(wider.clone());
    let question = RowQuestion::new(larger.clone(), catalog)?;
    let basket = {
        let _landed = landed(&question);
        Basket::of(&question, &held)?
    };
    if !basket.is_free {
        return Ok(None);
    }
    let as_released = match basket.held.first().and_then(Option::as_ref) {
        Some(recorded) => conform(&wider, recorded).map(|(plan, _)| plan),
        None => Some(wider),
    };
    let Some(as_released) = as_released else { return Ok(None) };
    let own = RowQuestion::new(statement.clone(), catalog)?;
    let own_basket = {
        let _landed = landed(&own);
        Basket::of(&own, &held)?
    };
    if own_basket.is_free || !no_worse(&as_released, asked) {
        return Ok(None);
    }
    Ok(Some(larger))
}

/// Whether no noise is larger, measure by measure: both have the same ones. A choice is not compared, and bought.
fn no_worse(released: &PrivatePlan, asked: &PrivatePlan) -> bool {
    let no_worse = |(released, asked): (&Release, &Release)| match (&released.draw, &asked.draw) {
        (Draw::Noise(released), Draw::Noise(asked)) => {
            released.law() == asked.law() && released.scale_upper() <= asked.scale_upper()
        }
        _ => false,
    };
    released.releases.len() == asked.releases.len()
        && released.releases.iter().zip(&asked.releases).all(no_worse)
}
