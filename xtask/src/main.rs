//! The habits of the project, automated: `cargo xtask test` and friends.
//!
//! Everything here runs on a fresh machine that has Rust and nothing else, so that the one test command
//! means the same for a newcomer and for continuous integration.

mod advisories;
mod audit;
mod bench;
mod book;
mod browser;
mod cargo;
mod clients;
mod deb;
mod fuzz;
mod install_check;
mod library_user;
mod licences;
mod mutants;
mod package;
mod peer;
mod python;
mod python_bench;
mod sbom;
mod shipped_crates;
mod spark;
mod test;
mod tidy;
mod toolchain;

use std::process::ExitCode;

const HELP: &str = "\
The habits of the project, automated.

Usage: cargo xtask COMMAND

  test         everything that must be green before a change is shared: format, tidiness, licences, lints, tests, docs
  tidy         the rules of the house that the compiler cannot check, such as which crate may depend on which
  licences     every dependency's licence, against the list we accept
  advisories   published warnings about dependencies, where cargo-audit or cargo-deny has a copy of the list
  package      packs every crate that may be published, without publishing it
  secure-bits  a program outside of this workspace, which must not compile with bits that it chose
  clients      psql, psycopg, pandas, SQLAlchemy, asyncpg and pgjdbc against a server of made-up people
  browser      Chromium walks every page of the console, over a server of made-up people; `browser pictures` keeps photographs
  book         everything people read as one book: its commands run, mdBook builds it, every link is followed; [--page NAME]
  python       the Python module with its libraries: tests, examples and types
  test-spark   the tests that need a Spark Connect server; installs one below target, and needs Java
  wheel        the module as people get it: built in release by pip, installed, tested; its size and what is in it
  deb          the binary as a Debian package, in target/deb: built in release, with manual, completions and unit
  sbom         what is in that binary, as CycloneDX: target/pointillist.cdx.json
  install-check  the package in a fresh Debian: installed, used, purged; needs root, debootstrap and the network
  audit        every claim, every planted leak: minutes of measuring, and a page in target/audit.html
  fuzz         mutated bytes into everything that reads bytes from outside: [TARGET] [--seconds 60]
  mutants      one change at a time in code that protects people: does a test notice? hours for all; name one crate
  bench NAME   one benchmark in release mode; without a name, the list of benchmarks
  bench all    every benchmark beside its peers, and docs/benchmarks.md written anew; hours. [--only NAME,NAME]
  help         this text

Example: cargo xtask test
";

/// Why a command did not succeed, and therefore which exit code it ends with.
enum Failure {
    /// The request itself is wrong, and the caller can fix it: exit code 2.
    Usage(String),
    /// The command ran and found a problem: exit code 1.
    Problem(String),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Problem(message)) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
        Err(Failure::Usage(message)) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["help" | "--help" | "-h"] | [_, "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["test"] => test::run(&workspace_root()?).map_err(Failure::Problem),
        ["tidy"] => report(tidy::run(&workspace_root()?)),
        ["licences"] => report(licences::run(&workspace_root()?)),
        ["package"] => report(package::run(&workspace_root()?)),
        ["secure-bits"] => report(library_user::run(&workspace_root()?)),
        ["clients"] => report(clients::run(&workspace_root()?)),
        ["browser"] => walked(browser::run(&workspace_root()?, false)),
        ["browser", "pictures"] => walked(browser::run(&workspace_root()?, true)),
        ["python"] => match python::run(&workspace_root()?) {
            python::Tested::Passed(words) | python::Tested::Skipped(words) => report(Ok(words)),
            python::Tested::Failed(words) => report(Err(words)),
        },
        ["test-spark"] => report(spark::run(&workspace_root()?)),
        ["wheel"] => report(python::wheel(&workspace_root()?)),
        ["deb"] => report(deb::run(&workspace_root()?)),
        ["sbom"] => report(sbom::run(&workspace_root()?)),
        ["install-check"] => match install_check::run(&workspace_root()?) {
            install_check::Checked::Passed(words) | install_check::Checked::Skipped(words) => {
                report(Ok(words))
            }
            install_check::Checked::Failed(words) => report(Err(words)),
        },
        ["advisories"] => match advisories::run(&workspace_root()?) {
            advisories::Advisories::None(good_news) => report(Ok(good_news)),
            advisories::Advisories::Found(words) | advisories::Advisories::NotLooked(words) => {
                report(Err(words))
            }
        },
        ["book", options @ ..] => book::run_command(&workspace_root()?, options),
        ["fuzz", options @ ..] => fuzz::run(&workspace_root()?, options),
        ["mutants", options @ ..] => mutants::run(&workspace_root()?, options),
        ["audit", options @ ..] => audit::run(&workspace_root()?, options),
        ["bench"] => {
            print!("{}", bench::list());
            Ok(())
        }
        ["bench", "all", options @ ..] => bench::run_all(&workspace_root()?, options),
        ["bench", name, options @ ..] => bench::run(&workspace_root()?, name, options),
        [
            command @ ("test" | "tidy" | "licences" | "advisories" | "package" | "secure-bits" | "clients"
            | "browser" | "python" | "test-spark" | "wheel" | "deb" | "sbom" | "install-check"),
            unexpected,
            ..,
        ] => Err(Failure::Usage(format!(
            "`cargo xtask {command}` takes no arguments, but got `{unexpected}`\n\
             hint: run `cargo xtask {command}` on its own"
        ))),
        [unknown, ..] => Err(Failure::Usage(format!(
            "there is no command `{unknown}`\nhint: `cargo xtask help` lists the commands"
        ))),
    }
}

/// A walk that could not begin is no failure, and says so loudly.
fn walked(walked: browser::Walked) -> Result<(), Failure> {
    match walked {
        browser::Walked::Passed(words) | browser::Walked::Skipped(words) => report(Ok(words)),
        browser::Walked::Failed(words) => report(Err(words)),
    }
}

/// Prints the good news of a check, or hands its findings on.
fn report(outcome: Result<String, String>) -> Result<(), Failure> {
    let good_news = outcome.map_err(Failure::Problem)?;
    println!("{good_news}");
    Ok(())
}

fn workspace_root() -> Result<std::path::PathBuf, Failure> {
    cargo::workspace_root().map_err(Failure::Problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage_error(words: &[&str]) -> String {
        let arguments: Vec<String> = words.iter().map(ToString::to_string).collect();
        match run(&arguments) {
            Err(Failure::Usage(message)) => message,
            _ => panic!("{words:?} is a wrong request and must be refused as one"),
        }
    }

    #[test]
    fn an_unknown_command_is_named_and_the_help_is_pointed_to() {
        let message = usage_error(&["tset"]);
        assert!(message.contains("`tset`") && message.contains("cargo xtask help"), "{message}");
    }

    #[test]
    fn an_argument_that_would_be_ignored_is_refused() {
        assert!(usage_error(&["tidy", "--fix"]).contains("`--fix`"));
    }

    #[test]
    fn the_help_has_a_line_for_every_command() {
        for command in [
            "test",
            "tidy",
            "licences",
            "advisories",
            "package",
            "secure-bits",
            "browser",
            "book",
            "python",
            "test-spark",
            "wheel",
            "deb",
            "sbom",
            "install-check",
            "audit",
            "mutants",
            "bench",
            "help",
        ] {
            assert!(HELP.lines().any(|line| line.trim_start().starts_with(command)), "{command}");
        }
    }
}
