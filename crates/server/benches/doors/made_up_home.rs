//! A small table of made-up people, with many analysts.

use std::fmt::Write;
use std::path::Path;

use pointillist_access::{Access, Password, Role, TokenTerms};
use pointillist_curator::Home;
use pointillist_server::{Limits, Running, ServerOptions};

/// Analysts; clients share them.
const ANALYSTS: usize = 64;
const ROWS: usize = 1_000;

pub struct MadeUpHome {
    folder: tempfile::TempDir,
    logins: Vec<Login>,
    access: Access,
}

#[derive(Clone)]
pub struct Login {
    pub name: String,
    pub password: String,
    pub token: String,
}

impl MadeUpHome {
    pub fn new() -> Self {
        // On the disk of the working folder: a temporary folder may be in memory, where nothing is durable.
        let folder = tempfile::tempdir_in(".").expect("a folder");
        let mut rows = String::from("id,region,cost\n");
        for row in 0..ROWS {
            let region = ["north", "south", "east", "west"][row % 4];
            writeln!(rows, "{row},{region},{}", row * 7 % 1_000).expect("a string grows");
        }
        std::fs::write(folder.path().join("visits.csv"), rows).expect("a file");
        let mut catalog = String::from(
            "[scope.people]\nbudget = { rho = 1000000, delta = 1e-9 }\n[table.visits]\nscope = \"people\"\nsource = \"visits.csv\"\n\
             privacy_unit = \"id\"\nmax_groups = 1\nmax_contributions = 1\n[table.visits.columns]\n\
             region = { type = \"text\", public_keys = [\"north\", \"south\", \"east\", \"west\"] }\n\
             cost = { type = \"decimal\", lower = 0, upper = 1000, step = 0.01 }\n",
        );
        let mut access = Access::new().expect("random bits");
        let mut logins = Vec::new();
        for analyst in 0..ANALYSTS {
            let name = format!("ana{analyst}");
            writeln!(catalog, "[analyst.{name}]\nshares = {{ people = {{ rho = 10000 }} }}")
                .expect("a string grows");
            let password = Password::made().expect("random bits");
            access.add(&name, Role::Analyst, Some(&password)).expect("a new person");
            let token = access
                .create_token(&name, TokenTerms::default(), std::time::SystemTime::now())
                .expect("random bits");
            let password = password.text().to_owned();
            logins.push(Login { name, password, token: token.text });
        }
        std::fs::write(folder.path().join("pointillist.toml"), catalog).expect("a file");
        Self { folder, logins, access }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn login(&self, client: usize) -> Login {
        self.logins[client % ANALYSTS].clone()
    }

    pub fn serve(&self) -> Running {
        let home = Home::open(&self.folder.path().join("pointillist.toml")).expect("a catalog");
        let local = Some("127.0.0.1:0".parse().expect("an address"));
        let options = ServerOptions {
            postgres: local,
            http: local,
            database: "postgres".to_owned(),
            limits: Limits::default(),
            ..ServerOptions::default()
        };
        Running::start(home, self.access.clone(), options).expect("a server")
    }
}
