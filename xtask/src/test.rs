//! `cargo xtask test`: the one command that must be green before a change is shared.
//!
//! Cheap steps come first and all of them run, so that one round shows everything that is quickly known;
//! the expensive ones follow only when the cheap ones are green, and stop at the first failure.

use crate::advisories::Advisories;
use crate::{
    advisories, book, browser, cargo, clients, library_user, licences, package, python, tidy, toolchain,
};
use std::path::Path;
use std::time::{Duration, Instant};

/// How one step ended.
#[derive(Debug, PartialEq)]
enum Outcome {
    Passed,
    /// The step needs a tool this machine lacks; the text says how to get it.
    Skipped(String),
    Failed(String),
}

struct Step {
    name: &'static str,
    cost: Cost,
    run: fn(&Path) -> Outcome,
}

#[derive(Clone, Copy, PartialEq)]
enum Cost {
    Cheap,
    Expensive,
}

impl Step {
    const fn cheap(name: &'static str, run: fn(&Path) -> Outcome) -> Self {
        let cost = Cost::Cheap;
        Self { name, cost, run }
    }

    const fn expensive(name: &'static str, run: fn(&Path) -> Outcome) -> Self {
        let cost = Cost::Expensive;
        Self { name, cost, run }
    }
}

const STEPS: [Step; 15] = [
    Step::cheap("compiler", promised_compiler),
    Step::cheap("format", format),
    Step::cheap("tidy", |root| checked(tidy::run(root))),
    Step::cheap("licences", |root| checked(licences::run(root))),
    Step::cheap("advisories", looked_for_advisories),
    Step::cheap("package", |root| checked(package::run(root))),
    Step::expensive("secure bits", |root| checked(library_user::run(root))),
    Step::expensive("clippy", clippy),
    Step::expensive("tests", tests),
    Step::expensive("book", built_the_book),
    Step::expensive("clients", |root| checked(clients::run(root))),
    Step::expensive("python", tested_in_python),
    Step::expensive("browser", walked_in_a_browser),
    Step::expensive("doc tests", doc_tests),
    Step::expensive("docs", docs),
];

/// Runs every step and ends with a summary; an error when any step failed.
pub fn run(root: &Path) -> Result<(), String> {
    run_steps(&STEPS, root)
}

fn run_steps(steps: &[Step], root: &Path) -> Result<(), String> {
    let started = Instant::now();
    let mut summary = Vec::new();
    let mut failed = Vec::new();
    let mut skipped = Vec::new();
    for step in steps {
        if step.cost == Cost::Expensive && !failed.is_empty() {
            summary.push(format!("  {:<11} not run", step.name));
            continue;
        }
        println!("==> {}", step.name);
        let step_started = Instant::now();
        let outcome = (step.run)(root);
        let elapsed = seconds(step_started.elapsed());
        let verdict = match &outcome {
            Outcome::Passed => "passed",
            Outcome::Skipped(reason) => {
                shout(reason);
                skipped.push(step.name);
                "SKIPPED"
            }
            Outcome::Failed(reason) => {
                eprintln!("{reason}");
                failed.push(step.name);
                "FAILED"
            }
        };
        println!("<== {} {verdict} in {elapsed}", step.name);
        summary.push(format!("  {:<11} {verdict:<7} {elapsed:>8}", step.name));
    }
    println!("\n{}", summary.join("\n"));
    let elapsed = seconds(started.elapsed());
    if !failed.is_empty() {
        return Err(format!("\nRed after {elapsed}: {} failed.", failed.join(", ")));
    }
    let reservation =
        if skipped.is_empty() { String::new() } else { format!(", but without {}", skipped.join(", ")) };
    println!("\nGreen after {elapsed}{reservation}.");
    Ok(())
}

fn format(root: &Path) -> Outcome {
    with_component(root, "fmt", "rustfmt", || {
        cargo_step(root, &["fmt", "--all", "--check"], "run `cargo fmt --all` and look at what it changed")
    })
}

/// A newer compiler is no mistake: the step says loudly what the run does not check.
fn promised_compiler(root: &Path) -> Outcome {
    toolchain::run(root).map_or_else(Outcome::Skipped, |good_news| checked(Ok(good_news)))
}

fn looked_for_advisories(root: &Path) -> Outcome {
    match advisories::run(root) {
        Advisories::None(good_news) => checked(Ok(good_news)),
        Advisories::Found(warnings) => Outcome::Failed(warnings),
        // In continuous integration as well: the list changes daily, and a run must not turn red on its own.
        Advisories::NotLooked(reason) => Outcome::Skipped(reason),
    }
}

fn clippy(root: &Path) -> Outcome {
    with_component(root, "clippy", "clippy", || {
        cargo_step(
            root,
            &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
            "each warning above names its place and usually its cure",
        )
    })
}

fn tests(root: &Path) -> Outcome {
    if std::env::var_os("POINTILLIST_SPARK_HOME").is_none() {
        shout("Without the tests that need Spark: `cargo xtask test-spark` runs them.");
    }
    let hint = "the first failing test above names the behaviour that broke";
    if cargo::has_subcommand(root, "nextest") {
        println!("Running the tests with nextest, because it is installed: every test in its own process.");
        cargo_step(root, &["nextest", "run", "--workspace", "--locked"], hint)
    } else {
        shout(
            "Running the tests with plain `cargo test`, because `cargo nextest` is not installed.\n\
             The same tests run; nextest is only faster and kinder to read.",
        );
        // `--tests` leaves the doc tests out: they are the next step, with either runner.
        cargo_step(root, &["test", "--workspace", "--tests", "--locked"], hint)
    }
}

/// In continuous integration as well: mdBook is not part of the toolchain, and the line is loud.
fn built_the_book(root: &Path) -> Outcome {
    match book::run(root) {
        book::Built::Passed(good_news) => checked(Ok(good_news)),
        book::Built::Skipped(reason) => Outcome::Skipped(reason),
        book::Built::Failed(reason) => Outcome::Failed(reason),
    }
}

/// In continuous integration as well: a browser is not part of the toolchain, and the line is loud.
fn walked_in_a_browser(root: &Path) -> Outcome {
    match browser::run(root, false) {
        browser::Walked::Passed(good_news) => checked(Ok(good_news)),
        browser::Walked::Skipped(reason) => Outcome::Skipped(reason),
        browser::Walked::Failed(reason) => Outcome::Failed(reason),
    }
}

/// In continuous integration as well: packages of Python are not part of the toolchain, and the line is loud.
fn tested_in_python(root: &Path) -> Outcome {
    match python::run(root) {
        python::Tested::Passed(good_news) => checked(Ok(good_news)),
        python::Tested::Skipped(reason) => Outcome::Skipped(reason),
        python::Tested::Failed(reason) => Outcome::Failed(reason),
    }
}

fn doc_tests(root: &Path) -> Outcome {
    cargo_step(
        root,
        &["test", "--workspace", "--doc", "--locked"],
        "the example above no longer does what its page says; fix whichever of the two is wrong",
    )
}

fn docs(root: &Path) -> Outcome {
    let mut command = cargo::command(root);
    // With all features, so that every room stands behind the front door of the library too.
    command.args(["doc", "--workspace", "--no-deps", "--all-features", "--locked"]);
    let own_flags = std::env::var("RUSTDOCFLAGS").unwrap_or_default();
    command.env("RUSTDOCFLAGS", format!("{own_flags} -D warnings").trim());
    status_of(command, "a link or a code block in the documentation is broken")
}

/// Runs a step that needs a component of the toolchain. Without the component, a newcomer's machine skips
/// the step with a loud line; continuous integration fails, because nobody reads its loud lines.
fn with_component(root: &Path, subcommand: &str, component: &str, step: impl FnOnce() -> Outcome) -> Outcome {
    if cargo::has_subcommand(root, subcommand) {
        step()
    } else {
        missing_component(component, in_continuous_integration(std::env::var("CI").ok().as_deref()))
    }
}

fn missing_component(component: &str, in_continuous_integration: bool) -> Outcome {
    let reason =
        format!("{component} is not installed\nhint: install it with `rustup component add {component}`");
    if in_continuous_integration { Outcome::Failed(reason) } else { Outcome::Skipped(reason) }
}

fn in_continuous_integration(variable: Option<&str>) -> bool {
    !matches!(variable, None | Some("" | "0" | "false"))
}

fn cargo_step(root: &Path, arguments: &[&str], hint: &str) -> Outcome {
    let mut command = cargo::command(root);
    command.args(arguments);
    status_of(command, hint)
}

fn status_of(mut command: std::process::Command, hint: &str) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(_) => Outcome::Failed(format!("hint: {hint}")),
        Err(error) => Outcome::Failed(format!("cargo could not be started: {error}")),
    }
}

fn checked(outcome: Result<String, String>) -> Outcome {
    match outcome {
        Ok(good_news) => {
            println!("{good_news}");
            Outcome::Passed
        }
        Err(findings) => Outcome::Failed(findings),
    }
}

/// Prints what must not be overlooked between the lines of cargo.
fn shout(text: &str) {
    println!("!!!");
    for line in text.lines() {
        println!("!!! {line}");
    }
    println!("!!!");
}

fn seconds(elapsed: Duration) -> String {
    format!("{:.1} s", elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSING: fn(&Path) -> Outcome = |_| Outcome::Passed;
    const FAILING: fn(&Path) -> Outcome = |_| Outcome::Failed("broken on purpose".to_string());
    const UNREACHABLE: fn(&Path) -> Outcome = |_| panic!("an expensive step ran after a failure");

    #[test]
    fn all_green_steps_make_a_green_run() {
        let steps = [Step::cheap("one", PASSING)];
        assert_eq!(run_steps(&steps, Path::new(".")), Ok(()));
    }

    #[test]
    fn cheap_failures_are_all_reported_and_nothing_expensive_runs_after_them() {
        let steps = [
            Step::cheap("first", FAILING),
            Step::cheap("second", FAILING),
            Step::expensive("third", UNREACHABLE),
        ];
        let message = run_steps(&steps, Path::new(".")).expect_err("two steps failed");
        assert!(message.contains("first, second failed"), "{message}");
    }

    #[test]
    fn the_first_expensive_failure_ends_the_run() {
        let steps = [Step::expensive("first", FAILING), Step::expensive("second", UNREACHABLE)];
        assert!(run_steps(&steps, Path::new(".")).is_err());
    }

    #[test]
    fn a_skipped_step_does_not_make_the_run_red() {
        let skipped = |_: &Path| Outcome::Skipped("no such tool here".to_string());
        let steps = [Step::cheap("one", skipped)];
        assert_eq!(run_steps(&steps, Path::new(".")), Ok(()));
    }

    #[test]
    fn a_missing_component_is_skipped_at_home_and_fails_in_continuous_integration() {
        let Outcome::Skipped(reason) = missing_component("clippy", false) else {
            panic!("a newcomer without clippy must still get to a green run");
        };
        assert!(reason.contains("rustup component add clippy"), "{reason}");
        assert!(matches!(missing_component("clippy", true), Outcome::Failed(_)));
    }

    #[test]
    fn only_a_set_variable_means_continuous_integration() {
        assert!(in_continuous_integration(Some("true")));
        assert!(in_continuous_integration(Some("1")));
        assert!(!in_continuous_integration(Some("false")));
        assert!(!in_continuous_integration(None));
    }
}
