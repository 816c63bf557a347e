//! A folder with a small catalog and its data, to ask questions in.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use super::{stderr, stdout};

const CATALOG: &str = r#"
[scope.people]
budget = { epsilon = 4.0, delta = 1e-9 }

[table.visits]
scope = "people"
source = "visits.csv"
privacy_unit = "person"
max_groups = 2
max_contributions = 2

[table.visits.columns]
region = { type = "text", public_keys = ["north", "south"] }
ward   = { type = "text" }
cost   = { type = "decimal", lower = 0, upper = 100, step = 0.01 }

[analyst.ana]
shares = { people = { rho = 0.05, delta = 1e-10 } }

[analyst.ben]
shares = { people = { rho = 0.05 } }

[analyst.eve]
"#;

/// The count that several tests ask for.
pub const COUNT: &str = "SELECT region, count(*) AS n FROM visits GROUP BY region";

/// It is removed when the test ends.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// A thousand people with two visits each: one in the north for 10.50, one in the south for 20.25. Three of them
    /// are in a ward of their own.
    pub fn new() -> Self {
        let temporary = tempfile::tempdir().expect("a folder for temporary files");
        let folder = Self(temporary);
        fs::create_dir(folder.path()).expect("a folder");
        let mut visits = String::from("person,region,ward,cost\n");
        for person in 0..1000 {
            let ward = if person < 3 { "secret ward" } else { "general" };
            write!(visits, "{person},north,{ward},10.50\n{person},south,general,20.25\n")
                .expect("a string grows");
        }
        fs::write(folder.join("visits.csv"), visits).expect("a file");
        fs::write(folder.join("pointillist.toml"), CATALOG).expect("a file");
        folder
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().join("work")
    }

    /// Where the user's state is kept: outside of the folder that the catalog stands in.
    pub fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    /// A file or folder in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// A line as a shell reads it, in the folder.
    pub fn shell(&self, script: &str) -> Output {
        let state = self.state();
        Command::new("sh")
            .args(["-c", script])
            .current_dir(self.path())
            .env("XDG_STATE_HOME", state)
            .output()
            .expect("sh")
    }

    /// Changes the catalog.
    pub fn edit(&self, from: &str, to: &str) {
        let path = self.join("pointillist.toml");
        let text = fs::read_to_string(&path).expect("a catalog");
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replace(from, to)).expect("a file");
    }

    /// Runs a command here.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pointillist"));
        command.args(arguments).current_dir(self.path()).env("XDG_STATE_HOME", self.state());
        command.output().expect("the binary runs")
    }

    /// What a command that succeeds prints for people.
    pub fn words(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// The one JSON object of a command that succeeds, with nothing else on either stream.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stdout(&output).lines().count(), 1, "{arguments:?}");
        serde_json::from_str(&stdout(&output)).expect("JSON")
    }

    /// The words of a command that ends with this code and prints nothing else.
    pub fn refused(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        let words = stderr(&output);
        assert!(words.starts_with("error: ") && words.contains("\nhint: "), "{arguments:?}: {words}");
        words
    }
}
