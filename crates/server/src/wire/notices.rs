//! What goes with an answer, for people to read: price, errors, notes, and what is left.
//!
//! The words are the curator's, the same behind every door. Clients that do not want them say so with `client_min_messages`.

use pointillist_curator::{Answer, FREE, Reply};
use pointillist_render::decimals::{grouped, readable};

use super::refusal::Failure;

/// The most notes of one answer; a hostile statement could have thousands.
const NOTES_MAX: usize = 32;

/// What goes with an answer that was paid for, now or before.
pub(crate) fn of_reply(reply: &Reply) -> Vec<Failure> {
    let mut notices = vec![notice(format!("price: {}", reply.paid_words()))];
    notices.extend(errors(&reply.answer));
    notices.extend(
        reply.answer.notes.iter().take(NOTES_MAX).map(|note| notice(format!("note: {}", readable(note)))),
    );
    let (left, whose, more) = (reply.left_words(), reply.whose_words(), reply.more_words());
    notices.push(notice(format!("left: {left} {whose}; {more}")));
    notices
}

/// What goes with an answer that costs nothing.
pub(crate) fn of_public() -> Vec<Failure> {
    vec![notice(format!("price: {FREE}"))]
}

/// How wrong each column may be, as far as one number says that.
fn errors(answer: &Answer) -> impl Iterator<Item = Failure> {
    let columns = answer.columns.iter().enumerate().take(NOTES_MAX);
    columns.filter_map(|(index, column)| {
        let release = column.release.as_ref()?;
        let name = &column.name;
        let words = match (release.error_95, release.rank_error_95) {
            (Some(error), _) => format!("± {} with 95 %", grouped(&answer.digits(index).high(error))),
            (None, Some(rows)) => {
                let rows = grouped(&rows.to_string());
                let word = if rows == "1" { "row" } else { "rows" };
                format!("its rank is off by at most {rows} {word} with 95 %")
            }
            (None, None) => "an interval in every row: SET pointillist.intervals = on shows them".to_owned(),
        };
        Some(notice(format!("error: {name}: {words}")))
    })
}

/// A notice: nothing is wrong.
pub(crate) fn notice(message: impl Into<String>) -> Failure {
    Failure { severity: "NOTICE", ..Failure::new("00000", message) }
}

/// A warning: something was asked for that changes nothing.
pub(crate) fn warning(sqlstate: &'static str, message: impl Into<String>) -> Failure {
    Failure { severity: "WARNING", ..Failure::new(sqlstate, message) }
}

/// Whether somebody with this `client_min_messages` wants to see it.
pub(crate) fn is_wanted(notice: &Failure, client_min_messages: Option<&str>) -> bool {
    match client_min_messages.map(str::to_lowercase).as_deref() {
        Some("error" | "fatal" | "panic") => false,
        Some("warning") => notice.severity == "WARNING",
        _ => true,
    }
}

/// Whether somebody with this `client_min_messages` wants to see notices at all.
pub(crate) fn are_wanted(client_min_messages: Option<&str>) -> bool {
    is_wanted(&notice(String::new()), client_min_messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_choose_what_they_hear() {
        let (notice, warning) = (notice("price"), warning("25P01", "there is no transaction in progress"));
        for (level, hears_notices, hears_warnings) in [
            (None, true, true),
            (Some("debug1"), true, true),
            (Some("WARNING"), false, true),
            (Some("error"), false, false),
        ] {
            assert_eq!(is_wanted(&notice, level), hears_notices, "{level:?}");
            assert_eq!(is_wanted(&warning, level), hears_warnings, "{level:?}");
        }
    }
}
