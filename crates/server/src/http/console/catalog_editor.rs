//! The owner edits the catalog: checked beside its text, saved whole, used at once or not at all.
//!
//! **Guarantee.** A text is written only in place of the one that its editor saw. What does not load, or does not agree with the ledger, is
//! taken back: the file and the service go on as they were. Loading is the same as after `pointillist reload`. What is said of a text
//! follows from the text: two homes that differ in data give the same page.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use pointillist_access::Verb;
use pointillist_catalog::Catalog;
use pointillist_catalog::edit::replace_catalog;
use pointillist_console::{CatalogEditor, Checked, Form, Section};
use pointillist_curator::Home;
use pointillist_errors::Explained;
use sha2::{Digest, Sha256};

use super::guard::{self, Visit, replied, visit};
use super::reply::{self, TurnedAway};
use crate::reload::Reloader;
use crate::service::Service;

/// `GET /catalog/edit`.
pub(crate) async fn editor(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let parts = request.into_parts().0;
        let visit = visit(&service, &parts, &[Verb::Reload], Some(Section::Catalog))?;
        let (_, path) = sources(&service)?;
        let text = std::fs::read_to_string(&path).map_err(|_| unread())?;
        let checked = checked(&service, &visit, &path, &text).await;
        Ok(page(&visit, text.clone(), version(&text), checked, None))
    })
    .await
}

/// `POST /catalog/check`: what a text would mean; nothing is written.
pub(crate) async fn check(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let (visit, form) = guard::form(&service, request, &[Verb::Reload], Some(Section::Catalog)).await?;
        let (_, path) = sources(&service)?;
        let text = written(&form);
        let checked = checked(&service, &visit, &path, &text).await;
        Ok(page(&visit, text, form.text("version").to_owned(), checked, None))
    })
    .await
}

/// `POST /catalog/save`: writes the text and uses it, or neither.
pub(crate) async fn save(State(service): State<Arc<Service>>, request: Request) -> Response {
    replied(service, request, async |service, request| {
        let (visit, form) = guard::form(&service, request, &[Verb::Reload], Some(Section::Catalog)).await?;
        let (reloader, path) = sources(&service)?;
        let (text, seen) = (written(&form), form.text("version").to_owned());
        let checked = checked(&service, &visit, &path, &text).await;
        if let Checked::Mistake(..) = checked {
            let told = Err("Nothing was saved: the text is no catalog.".to_owned());
            return Ok(page(&visit, text, seen, checked, Some(told)));
        }
        let (to_write, path_of) = (text.clone(), path.clone());
        let saved = tokio::task::spawn_blocking(move || saved(&reloader, &path_of, &seen, &to_write)).await;
        let told = saved.map_err(|_| unread())?;
        let on_disk = std::fs::read_to_string(&path).map_err(|_| unread())?;
        Ok(page(&visit, text, version(&on_disk), checked, Some(told)))
    })
    .await
}

/// Writes the text in place of the one that was seen and loads it; puts the old one back where it does not load.
fn saved(reloader: &Reloader, path: &Path, seen: &str, text: &str) -> Result<String, String> {
    let before = std::fs::read_to_string(path).map_err(|error| format!("Nothing was saved: {error}."))?;
    if version(&before) != seen {
        return Err(
            "Nothing was saved: somebody else changed the catalog meanwhile. Load the page again.".to_owned()
        );
    }
    replace_catalog(path, &before, text).map_err(|error| format!("Nothing was saved: {error}."))?;
    match reloader.reload() {
        Ok(reloaded) => Ok(format!("Saved, and in use: {}.", reloaded.words.join("; "))),
        Err(error) => {
            let words = error.explanation().text();
            match replace_catalog(path, text, &before) {
                Ok(()) => Err(format!("Not used, and the old text is back: {words}")),
                Err(undone) => Err(format!("Not used: {words}. The new text is still in the file: {undone}")),
            }
        }
    }
}

/// What a text means. No file of data is opened: what is in them is for the owner at the machine.
async fn checked(service: &Arc<Service>, visit: &Visit, path: &Path, text: &str) -> Checked {
    let (path, text) = (path.to_owned(), text.to_owned());
    let looked = service.read(&visit.person().name, move |_| {
        let catalog = match Catalog::parse(&text) {
            Ok(catalog) => catalog,
            Err(error) => return Checked::Mistake(error.to_string(), error.hint()),
        };
        match Home::of(&path, catalog).check_declarations() {
            Ok(check) => Checked::Catalog(Box::new(check)),
            Err(error) => Checked::Mistake(error.to_string(), error.hint()),
        }
    });
    looked.await.unwrap_or(Checked::Not)
}

fn page(
    visit: &Visit,
    text: String,
    version: String,
    checked: Checked,
    told: Option<Result<String, String>>,
) -> Response {
    let visitor = visit.visitor();
    reply::page(CatalogEditor { visitor: &visitor, text, version, checked, told }.page())
}

/// Who loads, and where the catalog is.
fn sources(service: &Service) -> Result<(Arc<Reloader>, PathBuf), TurnedAway> {
    let none = || TurnedAway::failed("This server was not started from a file, and has nothing to edit.");
    let reloader = service.reloader().ok_or_else(none)?;
    let path = reloader.catalog_file().ok_or_else(none)?;
    Ok((reloader, path))
}

/// A text as a browser sends it, with the line ends of a file.
fn written(form: &Form) -> String {
    let mut text = form.get("text").unwrap_or_default().replace("\r\n", "\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn version(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unread() -> TurnedAway {
    TurnedAway::failed("The catalog could not be read.")
}
