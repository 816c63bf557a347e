//! Answers about public tables: no cost, no receipt.

use serde::{Serialize, Serializer};

use super::answer::AnswerJson;
use crate::public_answer::{PublicAnswer, PublicQuote};

#[derive(Serialize)]
struct PublicAnswerJson<'a> {
    #[serde(flatten)]
    answer: AnswerJson<'a>,
    free: bool,
    public_tables: &'a [String],
}

impl Serialize for PublicAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = AnswerJson::new(&self.answer);
        PublicAnswerJson { answer, free: true, public_tables: &self.tables }.serialize(serializer)
    }
}

#[derive(Serialize)]
struct PublicQuoteJson<'a> {
    free: bool,
    public_tables: &'a [String],
    plan: &'a str,
}

impl Serialize for PublicQuote {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PublicQuoteJson { free: true, public_tables: &self.tables, plan: &self.plan }.serialize(serializer)
    }
}
