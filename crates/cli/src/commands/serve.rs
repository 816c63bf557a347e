//! `pointillist serve`: the catalog behind the Postgres wire and HTTP, until it is told to end.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use pointillist_access::{Access, Role};
use pointillist_catalog::{Catalog, Protection, Table};
use pointillist_demo::{CATALOG, Hospital};
use pointillist_server::{
    Addresses, DemoPerson, LogTarget, Running, ServerOptions, SourceFiles, TlsFiles, access_file, let_demo_in,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::message::{is_quiet, say};
use crate::terminal::Json;

/// Patients of the hospital that is made up to be served.
const PEOPLE: usize = 10_000;

/// Where, and for whom.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist serve --demo
  pointillist serve --postgres 127.0.0.1:5433 --http 127.0.0.1:8433
  pointillist serve --http off --tls-certificate server.pem --tls-key server.key --postgres 0.0.0.0:5432

Addresses, certificates and limits may stand in [service] of the catalog. Without a certificate only addresses of
this machine are listened on. Who may come in: `pointillist analyst add NAME`. The log is one JSON object a line, on
stderr; -q leaves it out. SIGHUP, or `pointillist reload`, reads catalog, people and certificates again; SIGTERM ends it once everything
that was asked is recorded and sent.")]
pub struct Arguments {
    /// A made-up hospital with two analysts, their passwords and tokens
    #[arg(long)]
    demo: bool,
    /// Where the made-up hospital is written [default: a folder that is removed at the end]
    #[arg(long, value_name = "DIR", requires = "demo")]
    folder: Option<PathBuf>,
    /// The Postgres wire, or `off` [default: 127.0.0.1:5433]
    #[arg(long, value_name = "ADDRESS")]
    postgres: Option<String>,
    /// HTTP, or `off` [default: 127.0.0.1:8433]
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// The certificate chain of both doors, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// Its key, as PEM, readable by its owner alone
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Print one JSON object when the doors are open
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    home: HomeArguments,
}

/// Serves until a signal says otherwise.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    leave_no_core();
    if !arguments.demo {
        return serve(arguments, &arguments.home, &[]);
    }
    let made = match &arguments.folder {
        Some(_) => None,
        None => Some(Temporary::new()?),
    };
    let folder = arguments.folder.as_deref().or(made.as_ref().map(|made| made.0.as_path()));
    let folder = folder.unwrap_or(Path::new("."));
    pointillist_demo::write(folder, &Hospital::made_up(PEOPLE, || {}))?;
    let people = let_demo_in(folder)?;
    serve(arguments, &HomeArguments { catalog: folder.join(CATALOG), wait: arguments.home.wait }, &people)
}

/// Memory of this process holds rows, answers and secrets: none of it is written to a disk when it dies.
fn leave_no_core() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    if let Err(error) = setrlimit(Resource::Core, none) {
        say(format_args!("note: core dumps could not be switched off: {error}"));
    }
}

fn serve(arguments: &Arguments, place: &HomeArguments, people: &[DemoPerson]) -> Result<(), Failure> {
    let home = place.open()?;
    let (postgres, http) = (arguments.postgres.as_deref(), arguments.http.as_deref());
    let mut options = ServerOptions::declared(&home, postgres, http)?;
    let access = access_file(&home.folder)?;
    if let (Some(certificate), Some(key)) = (&arguments.tls_certificate, &arguments.tls_key) {
        options.tls = Some(TlsFiles { certificate: certificate.clone(), key: key.clone() });
    }
    if arguments.demo {
        options.database = "hospital".to_owned();
    }
    if is_quiet() {
        options.log = LogTarget::Nowhere;
    }
    options.sources = Some(SourceFiles { catalog: place.catalog.clone(), access: access.clone() });
    let access = Access::load(&access)?;
    let ready = Ready {
        scheme: if options.tls.is_some() { "https" } else { "http" },
        database: options.database.clone(),
        user: access.people().find(|person| person.role == Role::Analyst).map(|person| person.name),
        table: table_to_ask(&home.catalog),
    };
    let is_empty = access.people().next().is_none();
    let running = Running::start(home, access, options)?;
    if is_empty {
        say("note: nobody may come in yet; `pointillist analyst add NAME`, then `pointillist reload`");
    }
    ready.tell(&running.addresses(), people, arguments.json)?;
    running.until_told().map_err(|error| Failure::environment(format!("signals cannot be heard: {error}")))
}

/// Something to ask about: about people where there is such a table, since a public one shows neither noise nor a price.
fn table_to_ask(catalog: &Catalog) -> Option<String> {
    let is_private = |table: &&Table| matches!(table.protection, Protection::Private { .. });
    let tables = || catalog.tables.values();
    tables().find(is_private).or_else(|| tables().next()).map(|table| table.name.clone())
}

/// What is said when the doors are open.
struct Ready {
    scheme: &'static str,
    database: String,
    /// Somebody who may ask.
    user: Option<String>,
    /// Something to ask about.
    table: Option<String>,
}

impl Ready {
    fn tell(&self, addresses: &Addresses, people: &[DemoPerson], json: bool) -> Result<(), Failure> {
        let first = people.first();
        let postgres = addresses.postgres.map(|address| {
            let who = first.map_or(String::new(), |who| format!("{}:{}@", who.name, who.password.text()));
            format!("postgres://{who}{address}/{}", self.database)
        });
        let http = addresses.http.map(|address| format!("{}://{address}", self.scheme));
        let mut out = io::stdout().lock();
        if json {
            let one = |who: &DemoPerson| json!({ "name": who.name, "password": who.password.text(), "token": who.token });
            let mut ready = json!({ "postgres": postgres, "http": http, "console": http.as_ref().map(|http| format!("{http}/")), "token": first.map(|who| &who.token) });
            if !people.is_empty() {
                ready["people"] = people.iter().map(one).collect::<Vec<Value>>().into();
            }
            writeln!(out, "{}", Json(&ready))?;
            return Ok(out.flush()?);
        }
        let token = first.map_or("$TOKEN", |who| who.token.as_str());
        if let Some(postgres) = postgres {
            let user = self.user.as_deref().unwrap_or("USER");
            let postgres = match first {
                Some(_) => postgres,
                None => postgres.replacen("postgres://", &format!("postgres://{user}@"), 1),
            };
            writeln!(out, "psql \"{postgres}\"")?;
        }
        let table = self.table.as_deref().unwrap_or("TABLE");
        if let Some(http) = http {
            writeln!(
                out,
                "curl {http}/v1/query -H \"Authorization: Bearer {token}\" -H 'Content-Type: application/json' \\\n  \
                 -d '{{\"sql\": \"SELECT count(*) FROM {table}\", \"epsilon\": \"0.1\"}}'"
            )?;
        }
        let console = addresses.http.map(|address| format!("{}://{address}/", self.scheme));
        for who in people.iter().skip(1) {
            writeln!(out, "{}: password {}, token {}", who.name, who.password.text(), who.token)?;
        }
        match (console, first) {
            (Some(console), Some(who)) => {
                writeln!(out, "open {console} in a browser: {}, password {}", who.name, who.password.text())?;
            }
            (Some(console), None) => writeln!(out, "open {console} in a browser")?,
            (None, _) => {}
        }
        Ok(out.flush()?)
    }
}

/// A folder of ours that is gone when we are.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("pointillist-demo-{}", std::process::id()));
        let made = fs::DirBuilder::new().mode(0o700).create(&folder);
        let failed =
            |error| Failure::outside(format!("{}: {error}", folder.display()), "give a folder: --folder DIR");
        made.map_err(failed)?;
        Ok(Self(folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What is left of a made-up hospital is about nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: the example that is shown asks about people, though a public table comes first by its name.
    #[test]
    fn the_example_asks_about_people_where_it_can() {
        let public =
            "[table.a]\npublic = true\nsource = \"a.csv\"\n[table.a.columns]\nx = { type = \"text\" }\n";
        let private = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n[table.b]\nscope = \"people\"\nsource = \"b.csv\"\n\
                       privacy_unit = \"row\"\n[table.b.columns]\nx = { type = \"text\" }\n";
        let asked =
            |text: &str| table_to_ask(&Catalog::parse(text).unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(asked(&format!("{public}{private}")).as_deref(), Some("b"));
        assert_eq!(asked(public).as_deref(), Some("a"));
        assert_eq!(asked(""), None);
    }
}
