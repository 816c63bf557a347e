//! `cargo xtask bench NAME`: one benchmark, in release mode; `bench all`: every one, and the page of their results.

mod all;
mod machine;
mod page;

use crate::{Failure, cargo, peer, python_bench, spark};
use std::path::Path;

pub use all::run as run_all;

/// Where benchmarks are built: with what tests and benchmarks alone need, the tree is another one than that of the program.
const TARGET_DIRECTORY: &str = "target/benches";
/// Built and run by pip and Python, not by cargo: see `python_bench.rs`.
const PYTHON: (&str, &str) =
    ("python", "the Python module beside OpenDP, dp-accounting, diffprivlib and SmartNoise; `--rows N`");

struct Benchmark {
    name: &'static str,
    about: &'static str,
    /// The program that cargo builds. Names are unique in the workspace.
    target: &'static str,
    /// Those that it has unless somebody says otherwise.
    options: &'static [&'static str],
}

const BENCHMARKS: [Benchmark; 24] = [
    Benchmark {
        name: "accounting",
        about: "milliseconds and certified gap of the accountants, beside dp-accounting",
        target: "accounting",
        options: &[],
    },
    Benchmark {
        name: "attack",
        about: "how long reconstructions and linkage take, beside one pass over their input",
        target: "attack",
        options: &[],
    },
    Benchmark {
        name: "audit",
        about: "how long audits take, beside the drawing of their releases",
        target: "audit",
        options: &[],
    },
    Benchmark {
        name: "doors",
        about: "questions a second through the wire and HTTP, beside what the ledger alone does on the same disk",
        target: "doors",
        options: &[],
    },
    Benchmark {
        name: "doors-soak",
        about: "mixed load through both doors for ten minutes, or `--soak MINUTES`, and the memory it takes",
        target: "doors",
        options: &["--soak", "10"],
    },
    Benchmark {
        name: "graph",
        about: "loading and exact counts of graphs, checked, beside naive kernels, networkx, igraph and others",
        target: "graph",
        options: &[],
    },
    Benchmark {
        name: "graph-accuracy",
        about: "mean errors of private statistics of real graphs, beside reference values",
        target: "graph_accuracy",
        options: &[],
    },
    Benchmark {
        name: "ledger",
        about: "answers a second that a ledger sells, on a disk and in PostgreSQL, by one server and by three",
        target: "ledger",
        options: &[],
    },
    Benchmark {
        name: "learn-adult",
        about: "accuracy on Adult by objective perturbation, beside published figures",
        target: "adult",
        options: &[],
    },
    Benchmark {
        name: "learn-classifiers",
        about: "accuracy of gradient descent, additive models and naive Bayes on Adult and on digits",
        target: "classifiers",
        options: &[],
    },
    Benchmark {
        name: "learn-kdd-wdbc",
        about: "accuracy of logistic regression on KDD Cup 1999 and breast cancer, beside published methods",
        target: "kdd_wdbc",
        options: &[],
    },
    Benchmark {
        name: "learn-regression",
        about: "R² of private linear regression on housing and bicycles, beside least squares",
        target: "regression",
        options: &[],
    },
    Benchmark {
        name: "learn-stream",
        about: "seconds and peak memory of models of ten million rows by a hundred columns, through the curator",
        target: "learn_stream",
        options: &[],
    },
    Benchmark {
        name: "local",
        about: "answers randomized and reports collected a second, for each method of the local model",
        target: "local",
        options: &[],
    },
    Benchmark {
        name: "noise",
        about: "exact samples a second, for each distribution over small and large scales, beside OpenDP",
        target: "noise",
        options: &[],
    },
    Benchmark {
        name: "postgres",
        about: "bounded questions in PostgreSQL beside the raw GROUP BY of the same server",
        target: "postgres",
        options: &[],
    },
    Benchmark {
        name: "query",
        about: "processor time and memory of private aggregation, beside the raw query in DataFusion",
        target: "query",
        options: &[],
    },
    Benchmark {
        name: "releases",
        about: "errors of tables published together, beside flat, hierarchical and wavelet releases of the same price",
        target: "releases",
        options: &[],
    },
    Benchmark {
        name: "reply-timing",
        about: "what the time of a reply tells about one person: pairs of neighbours through the wire, idle and busy",
        target: "reply_timing",
        options: &[],
    },
    Benchmark {
        name: "spark",
        about: "bounded questions on Spark with one and two executors, beside the raw GROUP BY and Tumult Analytics",
        target: "spark",
        options: &[],
    },
    Benchmark {
        name: "sql-accuracy",
        about: "errors of private answers about real tables, and how often their bars hold",
        target: "sql_accuracy",
        options: &[],
    },
    Benchmark {
        name: "study-recommendations",
        about: "errors of private recommendations beside means and beside learning without privacy, and their time",
        target: "recommendations",
        options: &[],
    },
    Benchmark {
        name: "synth",
        about: "errors of sanitized tables, beside those of the authors' code, with seconds and memory",
        target: "synth",
        options: &[],
    },
    Benchmark {
        name: "tpch",
        about: "the 22 questions of TPC-H with customers as people, beside DataFusion and DuckDB without privacy",
        target: "tpch",
        options: &[],
    },
];

/// The benchmarks that exist, one a line.
pub fn list() -> String {
    let mut text = String::from("The benchmarks; run one with `cargo xtask bench NAME`:\n\n");
    for (name, about) in catalogue().chain([("all", all::ABOUT)]) {
        text.push_str(&format!("  {name:<21} {about}\n"));
    }
    text
}

/// Names, and what each is about.
fn catalogue() -> impl Iterator<Item = (&'static str, &'static str)> {
    BENCHMARKS.iter().map(|benchmark| (benchmark.name, benchmark.about)).chain([PYTHON])
}

/// Runs one benchmark. What follows its name is handed to the benchmark itself, and to its peer.
pub fn run(root: &Path, name: &str, options: &[&str]) -> Result<(), Failure> {
    // What is said last counts. Both `bench noise --quick` and `bench noise -- --quick` read naturally, so both work.
    let options = options.strip_prefix(&["--"]).unwrap_or(options);
    if name == PYTHON.0 {
        return python_bench::run(root, options).map_err(Failure::Problem);
    }
    let benchmark = find(name)?;
    let mut command = cargo::command(root);
    // Of the whole workspace, so that all benchmarks share what they are built of.
    command.args(["bench", "--locked", "--workspace", "--target-dir", TARGET_DIRECTORY]);
    command.args(["--bench", benchmark.target, "--"]).args(benchmark.options).args(options);
    if name == "spark" {
        match spark::home(root) {
            Ok(home) => command.env("POINTILLIST_SPARK_HOME", home),
            Err(reason) => {
                println!("SKIPPED: {reason}");
                return Ok(());
            }
        };
    }
    let status = command
        .status()
        .map_err(|error| Failure::Problem(format!("`cargo bench` could not be started: {error}")))?;
    if !status.success() {
        return Err(Failure::Problem(format!("the benchmark `{name}` failed; its output above says why")));
    }
    peer::run(root, name, options);
    Ok(())
}

fn find(name: &str) -> Result<&'static Benchmark, Failure> {
    BENCHMARKS
        .iter()
        .find(|benchmark| benchmark.name == name)
        .ok_or_else(|| Failure::Usage(format!("there is no benchmark `{name}`\n\n{}", list())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_benchmark_is_refused_with_the_list_of_those_that_exist() {
        let Err(Failure::Usage(message)) = find("nosie") else { panic!("`nosie` is not a benchmark") };
        assert!(message.contains("`nosie`") && message.contains("exact samples a second"), "{message}");
    }

    #[test]
    fn a_known_benchmark_is_found() {
        assert!(find("noise").is_ok_and(|benchmark| benchmark.target == "noise"));
    }

    #[test]
    fn names_and_targets_are_unique_but_for_the_long_run_of_one() {
        let names: std::collections::BTreeSet<&str> = catalogue().map(|(name, _)| name).collect();
        assert_eq!(names.len(), BENCHMARKS.len() + 1);
        let targets: std::collections::BTreeSet<&str> =
            BENCHMARKS.iter().map(|benchmark| benchmark.target).collect();
        assert_eq!(targets.len(), BENCHMARKS.len() - 1, "`doors-soak` alone shares its program");
    }
}
