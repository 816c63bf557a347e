//! The demo for scripts: the same story as one JSON object.

use pointillist_curator::json::AmountJson;
use pointillist_demo::{Differencing, FORBIDDEN, QUESTIONS, Truths};
use pointillist_errors::Explained;
use pointillist_privacy::Currency;
use serde_json::{Value, json};

use super::render::Story;
use crate::failure::Failure;

/// The whole story.
pub fn tell(story: &Story<'_>) -> Result<Value, Failure> {
    let questions = QUESTIONS.iter().zip(&story.demo.replies).map(|(question, reply)| {
        let truths = Truths::of(question, &story.demo.hospital, &reply.answer);
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
    let attempts = story.demo.attack.attempts.iter().enumerate().map(|(index, attempt)| {
        let [with, without] = Differencing::questions(index);
        json!({
            "sql": [with, without],
            "answers": [attempt.with, attempt.without],
            "difference": attempt.difference(),
            "guess_is_right": attempt.says_she_is_there(),
        })
    });
    let refusals = FORBIDDEN.iter().zip(&story.demo.refusals).map(
        |(sql, refusal)| json!({ "sql": sql, "sqlstate": refusal.kind().sqlstate(), "words": refusal.explanation().text() }),
    );
    let sizes: serde_json::Map<String, Value> =
        story.demo.hospital.sizes().iter().map(|(name, rows)| ((*name).to_owned(), json!(rows))).collect();
    Ok(json!({
        "folder": story.folder,
        "made_up": true,
        "tables": sizes,
        "questions": questions.collect::<Vec<_>>(),
        "repeats": story.demo.repeats.iter().map(|reply| reply.paid.word()).collect::<Vec<_>>(),
        "refusals": refusals.collect::<Vec<_>>(),
        "attack": {
            "truth": Differencing::TRUTH,
            "attempts": attempts.collect::<Vec<_>>(),
            "cost": AmountJson::new(Currency::Zcdp, story.demo.attack.cost),
            "best_guess_upper": Differencing::best_guess_upper(story.demo.attack.cost),
        },
        "budget": story.demo.curator.balances()?,
        "next": story.next_commands(),
    }))
}
