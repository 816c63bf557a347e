//! What the catalog's `[service]` says about doors, as options of a server.

use std::net::SocketAddr;
use std::path::Path;

use pointillist_catalog::Doors;
use pointillist_curator::Home;

use crate::server::{ServeError, ServerOptions, TlsFiles};

/// Where the Postgres wire is, unless somebody says otherwise: beside a PostgreSQL of the same machine.
const POSTGRES: &str = "127.0.0.1:5433";
/// Where HTTP is.
const HTTP: &str = "127.0.0.1:8433";
/// A door that stays closed.
const OFF: &str = "off";
/// The database, where the folder has no name.
const DATABASE: &str = "pointillist";

impl ServerOptions {
    /// What a catalog declares, with these addresses in place of the declared ones where they are given.
    ///
    /// # Errors
    /// When an address is none.
    pub fn declared(home: &Home, postgres: Option<&str>, http: Option<&str>) -> Result<Self, ServeError> {
        let doors = &home.catalog.service.doors;
        let mut options = Self {
            postgres: address(postgres.or(doors.postgres.as_deref()).unwrap_or(POSTGRES))?,
            http: address(http.or(doors.http.as_deref()).unwrap_or(HTTP))?,
            database: doors.database.clone().unwrap_or_else(|| folder_name(&home.folder)),
            tls: declared_tls(home),
            ..Self::default()
        };
        options.limit(doors);
        Ok(options)
    }

    fn limit(&mut self, doors: &Doors) {
        let limits = &mut self.limits;
        for (limit, declared) in [
            (&mut limits.connections, doors.connections),
            (&mut limits.connections_per_person, doors.connections_per_person),
            (&mut limits.questions, doors.questions),
            (&mut limits.questions_per_person, doors.questions_per_person),
        ] {
            if let Some(declared) = declared {
                *limit = usize::try_from(declared.get()).unwrap_or(usize::MAX);
            }
        }
    }
}

/// The files of the declared certificate.
pub(crate) fn declared_tls(home: &Home) -> Option<TlsFiles> {
    let [certificate, key] = home.catalog.service.doors.tls.as_ref()?;
    Some(TlsFiles { certificate: home.folder.join(certificate), key: home.folder.join(key) })
}

/// What differs between two declarations and is read only at a start, by the names that the catalog has for it.
pub(crate) fn waiting_for_restart(before: &Doors, after: &Doors) -> Vec<&'static str> {
    let limits = |doors: &Doors| {
        [doors.connections, doors.connections_per_person, doors.questions, doors.questions_per_person]
    };
    let differs = [
        ("postgres", before.postgres != after.postgres),
        ("http", before.http != after.http),
        ("database", before.database != after.database),
        ("tls", before.tls.is_some() != after.tls.is_some()),
        ("limits", limits(before) != limits(after)),
    ];
    differs.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
}

fn address(text: &str) -> Result<Option<SocketAddr>, ServeError> {
    match text {
        OFF => Ok(None),
        text => text.parse().map(Some).map_err(|_| ServeError::NoAddress { text: text.to_owned() }),
    }
}

/// The folder of the catalog by its own name, as far as a database can have it.
fn folder_name(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or(DATABASE);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    match name.chars().all(is_plain) {
        true => name.to_owned(),
        false => DATABASE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pointillist_catalog::Catalog;

    use super::*;

    #[test]
    fn flags_come_before_the_catalog_and_the_catalog_before_what_is_usual() {
        let home = |text: &str| Home::new("/srv/clinic".into(), Catalog::parse(text).expect("a catalog"));
        let usual = ServerOptions::declared(&home(""), None, None).expect("options");
        assert_eq!(usual.postgres, POSTGRES.parse().ok());
        assert_eq!((usual.http, usual.database.as_str()), (HTTP.parse().ok(), "clinic"));
        let text = "[service]\npostgres = \"off\"\nhttp = \"127.0.0.1:1\"\ndatabase = \"d\"\n\
                    tls = { certificate = \"a.pem\", key = \"/k.pem\" }\nlimits = { connections = 7 }\n";
        let declared = ServerOptions::declared(&home(text), None, Some("[::1]:2")).expect("options");
        assert_eq!((declared.postgres, declared.http), (None, "[::1]:2".parse().ok()));
        assert_eq!((declared.limits.connections, declared.database.as_str()), (7, "d"));
        let tls = declared.tls.expect("files");
        assert_eq!((tls.certificate, tls.key), ("/srv/clinic/a.pem".into(), "/k.pem".into()));
        assert!(ServerOptions::declared(&home(""), Some("localhost"), None).is_err());
    }
}
