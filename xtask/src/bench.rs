//! `cargo xtask bench NAME`: one benchmark, in release mode.

use crate::{Failure, cargo, peer};
use std::path::Path;

struct Benchmark {
    name: &'static str,
    about: &'static str,
    package: &'static str,
    target: &'static str,
    /// Those that it has unless somebody says otherwise.
    options: &'static [&'static str],
}

const BENCHMARKS: [Benchmark; 24] = [
    Benchmark {
        name: "accounting",
        about: "milliseconds and certified gap of the accountants, beside dp-accounting",
        package: "pointillist-privacy",
        target: "accounting",
        options: &[],
    },
    Benchmark {
        name: "attack",
        about: "how long reconstructions and linkage take, beside one pass over their input",
        package: "pointillist-attack",
        target: "attack",
        options: &[],
    },
    Benchmark {
        name: "audit",
        about: "how long audits take, beside the drawing of their releases",
        package: "pointillist-audit",
        target: "audit",
        options: &[],
    },
    Benchmark {
        name: "doors",
        about: "questions a second through the wire and HTTP, beside what the ledger alone does on the same disk",
        package: "pointillist-server",
        target: "doors",
        options: &[],
    },
    Benchmark {
        name: "doors-soak",
        about: "mixed load through both doors for ten minutes, or `--soak MINUTES`, and the memory it takes",
        package: "pointillist-server",
        target: "doors",
        options: &["--soak", "10"],
    },
    Benchmark {
        name: "graph",
        about: "loading and exact counts of graphs, checked, beside naive kernels, networkx, igraph and others",
        package: "pointillist-graph",
        target: "graph",
        options: &[],
    },
    Benchmark {
        name: "graph-accuracy",
        about: "mean errors of private statistics of real graphs, beside reference values",
        package: "pointillist-graph",
        target: "graph_accuracy",
        options: &[],
    },
    Benchmark {
        name: "ledger",
        about: "answers a second that a ledger sells, on a disk and in PostgreSQL, by one server and by three",
        package: "pointillist-ledger",
        target: "ledger",
        options: &[],
    },
    Benchmark {
        name: "learn-adult",
        about: "accuracy on Adult by objective perturbation, beside published figures",
        package: "pointillist-learn",
        target: "adult",
        options: &[],
    },
    Benchmark {
        name: "learn-classifiers",
        about: "accuracy of gradient descent, additive models and naive Bayes on Adult and on digits",
        package: "pointillist-learn",
        target: "classifiers",
        options: &[],
    },
    Benchmark {
        name: "learn-kdd-wdbc",
        about: "accuracy of logistic regression on KDD Cup 1999 and breast cancer, beside published methods",
        package: "pointillist-learn",
        target: "kdd_wdbc",
        options: &[],
    },
    Benchmark {
        name: "learn-regression",
        about: "R² of private linear regression on housing and bicycles, beside least squares",
        package: "pointillist-learn",
        target: "regression",
        options: &[],
    },
    Benchmark {
        name: "learn-stream",
        about: "seconds and peak memory of models of ten million rows by a hundred columns, through the curator",
        package: "pointillist-demo",
        target: "learn_stream",
        options: &[],
    },
    Benchmark {
        name: "local",
        about: "answers randomized and reports collected a second, for each method of the local model",
        package: "pointillist-local",
        target: "local",
        options: &[],
    },
    Benchmark {
        name: "noise",
        about: "exact samples a second, for each distribution over small and large scales, beside OpenDP",
        package: "pointillist-noise",
        target: "noise",
        options: &[],
    },
    Benchmark {
        name: "postgres",
        about: "bounded questions in PostgreSQL beside the raw GROUP BY of the same server",
        package: "pointillist-remote",
        target: "postgres",
        options: &[],
    },
    Benchmark {
        name: "query",
        about: "processor time and memory of private aggregation, beside the raw query in DataFusion",
        package: "pointillist-curator",
        target: "query",
        options: &[],
    },
    Benchmark {
        name: "releases",
        about: "errors of tables published together, beside flat, hierarchical and wavelet releases of the same price",
        package: "pointillist-workload",
        target: "releases",
        options: &[],
    },
    Benchmark {
        name: "reply-timing",
        about: "what the time of a reply tells about one person: pairs of neighbours through the wire, idle and busy",
        package: "pointillist-server",
        target: "reply_timing",
        options: &[],
    },
    Benchmark {
        name: "spark",
        about: "bounded questions on Spark with one and two executors, beside the raw GROUP BY and Tumult Analytics",
        package: "pointillist-remote",
        target: "spark",
        options: &[],
    },
    Benchmark {
        name: "sql-accuracy",
        about: "errors of private answers about real tables, and how often their bars hold",
        package: "pointillist-curator",
        target: "sql_accuracy",
        options: &[],
    },
    Benchmark {
        name: "study-recommendations",
        about: "errors of private recommendations beside means and beside learning without privacy, and their time",
        package: "pointillist-study",
        target: "recommendations",
        options: &[],
    },
    Benchmark {
        name: "synth",
        about: "errors of sanitized tables, beside those of the authors' code, with seconds and memory",
        package: "pointillist-synth",
        target: "synth",
        options: &[],
    },
    Benchmark {
        name: "tpch",
        about: "the 22 questions of TPC-H with customers as people, beside DataFusion and DuckDB without privacy",
        package: "pointillist-curator",
        target: "tpch",
        options: &[],
    },
];

/// The benchmarks that exist, one a line.
pub fn list() -> String {
    let mut text = String::from("The benchmarks; run one with `cargo xtask bench NAME`:\n\n");
    for benchmark in &BENCHMARKS {
        text.push_str(&format!("  {:<17} {}\n", benchmark.name, benchmark.about));
    }
    // Built and run by pip and Python, not by cargo: see `python_bench.rs`.
    text.push_str("  python            the Python module beside OpenDP, dp-accounting, diffprivlib and SmartNoise; `--rows N`\n");
    text
}

/// Runs one benchmark. What follows its name is handed to the benchmark itself, and to its peer.
pub fn run(root: &Path, name: &str, options: &[&str]) -> Result<(), Failure> {
    let benchmark = find(name)?;
    // What is said last counts. Both `bench noise --quick` and `bench noise -- --quick` read naturally, so both work.
    let options = options.strip_prefix(&["--"]).unwrap_or(options);
    let status = cargo::command(root)
        .args(["bench", "--locked", "--package", benchmark.package, "--bench", benchmark.target, "--"])
        .args(benchmark.options)
        .args(options)
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
        assert!(find("noise").is_ok_and(|benchmark| benchmark.package == "pointillist-noise"));
    }
}
