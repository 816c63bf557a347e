//! The owner's own audit of a question: asked many times on made-up people, in sandboxes whose ledgers are in memory.
//!
//! **Guarantee.** No row of the owner's is read and nothing is charged: the worlds are made up from the catalog. One audit runs at a time; its
//! page is kept for whoever asked for it until the next one.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use pointillist_access::Verb;
use pointillist_audit::query::{QuestionRequest, Rows, audit_question};
use pointillist_audit::{Audited, Findings, RunSettings, page as audit_report, words};
use pointillist_console::{AuditOutcome, AuditPage, Section, moment_text};
use pointillist_errors::Explained;
use pointillist_query::Options;
use pointillist_render::decimals::{significant, significant_lower};
use pointillist_render::page::MadeBy;
use pointillist_render::text::in_a_shell;
use tokio::sync::Semaphore;

use super::guard::{self, replied, visit};
use super::reply::{self, TurnedAway};
use crate::service::Service;

/// Releases of either neighbour: enough to see a sensitivity that is wrong by half, within a minute.
const RELEASES: usize = 2_000;
/// The price to begin with: at a small one no audit sees anything.
const PRICE: &str = "4";

/// The owner's own audits.
pub(crate) struct Audits {
    place: Arc<Semaphore>,
    /// Whose the last one was, and its page.
    last: Mutex<Option<(String, String)>>,
}

impl Default for Audits {
    fn default() -> Self {
        Self { place: Arc::new(Semaphore::new(1)), last: Mutex::default() }
    }
}

/// `GET /desk/audit`.
pub(crate) async fn page(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        let visit = visit(&service, &parts, &[Verb::Reload], Some(Section::Desk))?;
        let visitor = visit.visitor();
        let (sql, epsilon) = (String::new(), PRICE.to_owned());
        Ok(reply::page(AuditPage { visitor: &visitor, sql, epsilon, outcome: AuditOutcome::None }.page()))
    })
    .await
}

/// `POST /desk/audit`.
pub(crate) async fn audit(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let (visit, form) = guard::form(&service, request, &[Verb::Reload], Some(Section::Desk)).await?;
        let sql = form.get("sql").unwrap_or_default().replace("\r\n", "\n");
        let epsilon = form.text("epsilon").to_owned();
        let busy = |_| TurnedAway::failed("Another audit is running.");
        let place = Arc::clone(&service.audits.place).try_acquire_owned().map_err(busy)?;
        let (declared, asked, price) = (service.declared(), sql.clone(), epsilon.clone());
        let audited = tokio::task::spawn_blocking(move || {
            // Whoever hangs up gives the place back when the audit ends, not before.
            let _place = place;
            let mut options = Options::default();
            options.set("epsilon", &price).map_err(|refusal| refusal.explanation())?;
            let request = QuestionRequest { sql: &asked, options, person: None, rows: Rows::MadeUp };
            let settings = RunSettings { releases: Some(RELEASES), ..RunSettings::default() };
            audit_question(&declared.home.catalog, &request, &settings, &|_| {})
                .map_err(|error| error.explanation())
        });
        let audited = audited.await.map_err(|_| TurnedAway::failed("The audit did not end."))?;
        let outcome = match audited {
            Err(said) => {
                AuditOutcome::Refused(said.message().to_owned(), said.hint_text().map(str::to_owned))
            }
            Ok(findings) => {
                let page = whole(&findings, &sql, &epsilon);
                let mut last = service.audits.last.lock().unwrap_or_else(PoisonError::into_inner);
                *last = Some((visit.person().name.clone(), page));
                ended(&findings)
            }
        };
        let visitor = visit.visitor();
        Ok(reply::page(AuditPage { visitor: &visitor, sql, epsilon, outcome }.page()))
    })
    .await
}

/// `GET /desk/audit/page`: the whole report of the last audit, to be kept.
pub(crate) async fn whole_page(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        let visit = visit(&service, &parts, &[Verb::Reload], Some(Section::Desk))?;
        let last = service.audits.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let page = last.filter(|(whose, _)| *whose == visit.person().name).ok_or(TurnedAway::NotFound)?.1;
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"audit.html\"")),
        ];
        Ok((headers, page).into_response())
    })
    .await
}

fn whole(findings: &Findings, sql: &str, epsilon: &str) -> String {
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (sql, epsilon) = (in_a_shell(sql), in_a_shell(epsilon));
    let command = format!("pointillist audit query {sql} --epsilon {epsilon} --releases {RELEASES}");
    audit_report::page(findings).to_html(&MadeBy { command, date: moment_text(now) })
}

fn ended(findings: &Findings) -> AuditOutcome {
    let lines = findings.audited.iter().filter_map(|audited| {
        let measured = audited.finding.closest()?;
        let symbol = measured.measure.symbol();
        let claimed = format!("{symbol}\u{a0}{}", significant(measured.measure.claimed()));
        let seen = format!("{symbol}\u{a0}{}", significant_lower(measured.lower.max(0.0)));
        Some([format!("{}: {}", audited.finding.subject, audited.finding.neighbours), claimed, seen])
    });
    AuditOutcome::Ended {
        summary: words::summary(findings),
        is_calm: findings.unexpected().is_none(),
        has_power: findings.audited.iter().any(Audited::has_power),
        lines: lines.collect(),
    }
}
