//! From a draft to what came of it, through the same calls as every other door.
//!
//! **Pressing twice.** A question is asked under a name that is made from the form's own number and from every word of it: the same form, sent
//! again because somebody pressed twice, loaded the page again or lost the connection, is the same request, and is paid once.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use pointillist_access::Verb;
use pointillist_console::ask::{Copies, Draft, Outcome, PaidFacts, Panel, Receipt};
use pointillist_console::{
    AnswerTable, FIRST_PRICE, Ladder, QuoteFacts, ROWS_MAX, Share, moment_text, price_text, steps,
};
use pointillist_curator::{Answer, Ask, AskError, Executed, Paid, Quote, Reply};
use pointillist_errors::{Explained, Explanation};
use pointillist_query::Options;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::guard::Visit;
use super::reply::TurnedAway;
use super::sessions::random_text;
use crate::service::Service;

/// What stands beside and below a question.
pub(super) struct Asked {
    pub(super) panel: Panel,
    pub(super) ladder: Option<Ladder>,
    pub(super) preview: Option<AnswerTable>,
    pub(super) outcome: Option<Outcome>,
}

impl From<Panel> for Asked {
    fn from(panel: Panel) -> Self {
        Self { panel, ladder: None, preview: None, outcome: None }
    }
}

impl From<Explanation> for Asked {
    fn from(said: Explanation) -> Self {
        Panel::Refused(said).into()
    }
}

/// A new draft: this statement at this price, or at the price to begin with.
pub(super) fn draft(sql: String, epsilon: Option<&str>) -> Draft {
    let epsilon = epsilon.map(str::trim).filter(|price| !price.is_empty()).unwrap_or(FIRST_PRICE);
    Draft { sql, epsilon: epsilon.to_owned(), nonce: random_text().unwrap_or_default(), ..Draft::default() }
}

/// The question of a draft, at this price.
fn ask(visit: &Visit, draft: &Draft, epsilon: &str) -> Result<Ask, Box<Asked>> {
    let asker = visit.asker().map_err(|_| Box::new(Asked::from(Panel::Empty)))?;
    let mut options = Options::default();
    for (name, value) in [
        ("epsilon", epsilon),
        ("max_groups", draft.max_groups.as_str()),
        ("max_contributions", draft.max_contributions.as_str()),
    ] {
        options.set(name, value).map_err(|refusal| Box::new(Asked::from(refusal.explanation())))?;
    }
    Ok(Ask { options, ..Ask::new(draft.sql.clone(), asker) })
}

/// The name of the request: of this form, and of every word in it.
fn request_id(draft: &Draft) -> String {
    let mut hash = Sha256::new();
    for part in [&draft.nonce, &draft.sql, &draft.epsilon, &draft.max_groups, &draft.max_contributions] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let digits: String = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("console-{digits}")
}

/// What a draft would cost, at its price and at those of the slider, and how it would look.
pub(super) async fn quote(service: &Arc<Service>, visit: &Visit, draft: &Draft) -> Result<Asked, TurnedAway> {
    if draft.sql.trim().is_empty() {
        return Ok(Panel::Empty.into());
    }
    visit.exchange.note_statement(&draft.sql);
    let ask = match ask(visit, draft, &draft.epsilon) {
        Ok(ask) => ask,
        Err(refused) => return Ok(*refused),
    };
    if Service::verb_of(&ask) == Verb::Catalog {
        return Ok(Panel::Listing.into());
    }
    let executed = service.explain(visit.person().role, ask.clone()).await;
    let quote = match executed {
        Ok(Executed::Quote(quote)) => quote,
        Ok(Executed::PublicQuote(quote)) => return Ok(Panel::Public { tables: quote.tables }.into()),
        Ok(_) => return Ok(Panel::Listing.into()),
        Err(error) => return Ok(error.explanation().into()),
    };
    let facts = facts(service, visit, &quote);
    let ladder = ladder(service, visit, draft, &ask).await;
    let preview = match visit.may(Verb::Rehearse) && !quote.is_free {
        true => service.rehearse(ask).await.ok().map(|rehearsal| AnswerTable::new(&rehearsal.answer)),
        false => None,
    };
    Ok(Asked { panel: Panel::Quote(Box::new(facts)), ladder, preview, outcome: None })
}

/// What a quote says to whoever asks.
fn facts(service: &Service, visit: &Visit, quote: &Quote) -> QuoteFacts {
    let share = visit.shares.iter().find(|share| share.scope == quote.scope);
    QuoteFacts::new(quote, share, &service.declared().home.catalog)
}

/// The same question at every price of the slider.
async fn ladder(service: &Arc<Service>, visit: &Visit, draft: &Draft, ask: &Ask) -> Option<Ladder> {
    let prices = Ladder::prices(&draft.epsilon);
    let asks: Vec<Option<Ask>> = prices
        .iter()
        .map(|price| {
            let mut options = ask.options.clone();
            options.set("epsilon", price).ok()?;
            Some(Ask { options, ..ask.clone() })
        })
        .collect();
    let hides = visit.person().role == pointillist_access::Role::Curator;
    let quotes = service.read(&ask.analyst, move |declared| -> Vec<Option<Quote>> {
        let quoted = |ask: &Option<Ask>| {
            let mut quote = declared.curator.quote(ask.as_ref()?).ok()?;
            if hides {
                (quote.is_free, quote.more) = (false, None);
            }
            Some(quote)
        };
        asks.iter().map(quoted).collect()
    });
    let quotes = quotes.await?;
    Ladder::new(&draft.epsilon, steps(&prices, quotes, |quote| facts(service, visit, quote)))
}

/// The same question on made-up rows.
pub(super) async fn rehearse(
    service: &Arc<Service>,
    visit: &Visit,
    draft: &Draft,
) -> Result<Asked, TurnedAway> {
    let mut asked = quote(service, visit, draft).await?;
    let Ok(ask) = ask(visit, draft, &draft.epsilon) else { return Ok(asked) };
    match service.rehearse(ask).await {
        Ok(rehearsal) => {
            let price = price_text(&rehearsal.price, rehearsal.epsilon_at_delta.as_ref());
            asked.outcome = Some(Outcome::Rehearsal { table: AnswerTable::new(&rehearsal.answer), price });
        }
        Err(error) if matches!(asked.panel, Panel::Quote(_)) => return Ok(error.explanation().into()),
        Err(_) => {}
    }
    Ok(asked)
}

/// The answer, paid for once, at the price that the button said: where it has another one by now, that is shown, and nothing is paid.
pub(super) async fn answer(
    service: &Arc<Service>,
    visit: &mut Visit,
    draft: &Draft,
    offered: &str,
    address: &str,
) -> Result<Asked, TurnedAway> {
    if draft.sql.trim().is_empty() {
        return Ok(Panel::Empty.into());
    }
    visit.exchange.note_statement(&draft.sql);
    let ask = match ask(visit, draft, &draft.epsilon) {
        Ok(ask) => Ask { request_id: Some(request_id(draft)), ..ask },
        Err(refused) => return Ok(*refused),
    };
    let verb = Service::verb_of(&ask);
    visit.exchange.note_caller(&visit.person().name.clone(), verb.word());
    if !visit.may(verb) {
        return Err(TurnedAway::Forbidden);
    }
    if verb == Verb::Explain {
        return quote(service, visit, draft).await;
    }
    if let Ok(Executed::Quote(now)) = service.explain(visit.person().role, ask.clone()).await
        && !now.is_free
        && facts(service, visit, &now).price != offered
    {
        return quote(service, visit, draft).await;
    }
    let executed = service.execute(ask).await;
    Ok(match executed {
        Ok(Executed::Answer(reply)) => {
            visit.refresh(service);
            paid(visit, draft, &reply, address)
        }
        Ok(Executed::Public(public)) => Asked {
            outcome: Some(Outcome::Public { table: AnswerTable::new(&public.answer) }),
            ..Panel::Public { tables: public.tables.clone() }.into()
        },
        Ok(Executed::List(list)) => Asked {
            outcome: Some(Outcome::List {
                headings: list.headings.iter().map(|heading| (*heading).to_owned()).collect(),
                rows: list.rows,
            }),
            ..Panel::Listing.into()
        },
        Ok(Executed::Quote(_) | Executed::PublicQuote(_)) => Panel::Listing.into(),
        Err(error) => {
            // What was charged in vain is gone from the budget as well.
            visit.refresh(service);
            refused(&error)
        }
    })
}

fn refused(error: &AskError) -> Asked {
    error.explanation().into()
}

fn paid(visit: &Visit, draft: &Draft, reply: &Reply, address: &str) -> Asked {
    let share = visit.shares.iter().find(|share| share.scope == reply.receipt.scope);
    let spent = share.map(Share::spent);
    let price = price_text(&reply.price, reply.epsilon_at_delta.as_ref());
    let price = match reply.paid {
        Paid::InFull => Some(price),
        Paid::Nothing => None,
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let receipt = Receipt {
        paid: price.clone().unwrap_or_else(|| "free".to_owned()),
        scope: reply.receipt.scope.clone(),
        analyst: reply.receipt.analyst.clone(),
        left: reply.more_words(),
        seal: reply.receipt.hash.clone(),
        moment: moment_text(now),
    };
    let copies = copies(draft, &reply.answer, address);
    let outcome = Outcome::Answer { table: AnswerTable::new(&reply.answer), receipt, copies };
    Asked { outcome: Some(outcome), ..Panel::Paid(PaidFacts { price, spent }).into() }
}

/// The question and its answer for other programs.
fn copies(draft: &Draft, answer: &Answer, address: &str) -> Copies {
    let mut csv = Vec::new();
    let csv = (answer.rows.len() <= ROWS_MAX && answer.write_csv(&mut csv, None).is_ok())
        .then(|| String::from_utf8_lossy(&csv).into_owned());
    let mut question = json!({ "sql": draft.sql, "epsilon": draft.epsilon });
    for (name, value) in [("max_groups", &draft.max_groups), ("max_contributions", &draft.max_contributions)]
    {
        if !value.is_empty() {
            question[name] = json!(value);
        }
    }
    // Texts of JSON are texts of Python; a shell takes what stands between single quotes as it is.
    let fields: Vec<String> = question
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("    {}: {value},", json!(name)))
        .collect();
    let python = format!(
        "import json, os, urllib.request\n\nquestion = {{\n{}\n}}\nrequest = urllib.request.Request(\n    \
         {},\n    json.dumps(question).encode(),\n    {{\"Authorization\": \"Bearer \" + os.environ[\"TOKEN\"], \
         \"Content-Type\": \"application/json\"}},\n)\nanswer = json.load(urllib.request.urlopen(request))\n\
         print(answer[\"rows\"])\n",
        fields.join("\n"),
        json!(format!("{address}/v1/query")),
    );
    let curl = format!(
        "curl {address}/v1/query -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\\n  -d '{}'\n",
        question.to_string().replace('\'', "'\\''")
    );
    Copies { csv, python, curl }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: the same form is the same request; another word, or another form, is another one.
    #[test]
    fn a_request_is_named_by_its_form_and_its_words() {
        let first = Draft { nonce: "n".to_owned(), sql: "SELECT 1".to_owned(), ..draft(String::new(), None) };
        let id = request_id(&first);
        assert_eq!(id, request_id(&first.clone()));
        assert!(
            id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
            "{id}"
        );
        for other in [
            Draft { nonce: "m".to_owned(), ..first.clone() },
            Draft { sql: "SELECT 2".to_owned(), ..first.clone() },
            Draft { epsilon: "0.5".to_owned(), ..first.clone() },
            Draft { max_groups: "1".to_owned(), ..first.clone() },
            Draft { max_contributions: "1".to_owned(), ..first.clone() },
            Draft { nonce: "nS".to_owned(), sql: "ELECT 1".to_owned(), ..first.clone() },
        ] {
            assert_ne!(request_id(&other), id, "{other:?}");
        }
    }

    #[test]
    fn what_is_copied_holds_any_text() {
        let draft = Draft { sql: "SELECT 'it''s \"x\"'\n-- $HOME".to_owned(), ..draft(String::new(), None) };
        let answer = Answer { columns: Vec::new(), rows: Vec::new(), notes: Vec::new() };
        let copies = copies(&draft, &answer, "http://127.0.0.1:1");
        assert!(copies.curl.contains("it'\\'''\\''s") && !copies.curl.contains("'it''s"), "{}", copies.curl);
        assert!(
            copies.python.contains("\\\"x\\\"") && copies.python.contains("\\n-- $HOME"),
            "{}",
            copies.python
        );
    }
}
