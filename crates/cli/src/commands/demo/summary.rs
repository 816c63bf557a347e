//! The demo for scripts: the same story as one JSON object.

use pointillist_errors::Explained;
use serde_json::{Value, json};

use super::attack::{self, best_guess_upper};
use super::questions::QUESTIONS;
use super::story::{FORBIDDEN, Story, truths};
use crate::answer::money;
use crate::commands::budget;
use crate::failure::Failure;

/// The whole story.
pub fn tell(story: &Story<'_>) -> Result<Value, Failure> {
    let questions = QUESTIONS.iter().zip(&story.replies).map(|(question, reply)| {
        let truths = truths(question, story.hospital, &reply.answer);
        json!({
            "question": question.title,
            "sql": question.sql,
            "flags": question.flags(),
            "reply": reply,
            "truth": truths.of_rows,
            "truths_inside": truths.inside,
            "not_shown": truths.hidden,
        })
    });
    let attempts = story.attack.attempts.iter().enumerate().map(|(index, attempt)| {
        let [with, without] = attack::questions(index);
        json!({
            "sql": [with, without],
            "answers": [attempt.with, attempt.without],
            "difference": attempt.difference(),
            "guess_is_right": attempt.says_she_is_there(),
        })
    });
    let refusals = FORBIDDEN.iter().zip(&story.refusals).map(
        |(sql, refusal)| json!({ "sql": sql, "sqlstate": refusal.kind().sqlstate(), "words": refusal.explanation().text() }),
    );
    let sizes: serde_json::Map<String, Value> =
        story.hospital.sizes().iter().map(|(name, rows)| ((*name).to_owned(), json!(rows))).collect();
    let balances = story.curator.ledger().balances()?;
    Ok(json!({
        "folder": story.folder,
        "made_up": true,
        "tables": sizes,
        "questions": questions.collect::<Vec<_>>(),
        "repeats": story.repeats.iter().map(|reply| reply.paid.word()).collect::<Vec<_>>(),
        "refusals": refusals.collect::<Vec<_>>(),
        "attack": {
            "truth": [71, 70],
            "attempts": attempts.collect::<Vec<_>>(),
            "cost": money::amount_json("", pointillist_ledger::Currency::Zcdp, story.attack.cost),
            "best_guess_upper": best_guess_upper(story.attack.cost),
        },
        "budget": budget::as_json(story.curator.catalog(), &balances),
        "next": story.next_commands(),
    }))
}
