//! How wrong private statistics of real graphs are, beside published reference values.
//!
//! Every figure is a mean over real releases, drawn from the operating system's bits, for one public setting that is the
//! same for all graphs. Reference values are means that were computed from formulas, independently of this code.

use std::path::{Path, PathBuf};
use std::time::Instant;

use pointillist_graph::kernel::{degrees, triangles};
use pointillist_graph::read::{Reading, read_graph_file};
use pointillist_graph::{Graph, Mechanism, Method, Privacy, Public, Question, Statistic, plan};
use pointillist_noise::{SystemBits, with_system_bits};
use pointillist_privacy::{Delta, Epsilon};

const EPSILONS: [&str; 4] = ["0.1", "0.5", "1", "2"];

/// Mean errors in % of all triangles at ε = 0.1, 0.5, 1: Student t with three degrees of freedom under edge privacy.
const EDGE_TRIANGLES: [(&str, [f64; 3]); 10] = [
    ("ca-GrQc.txt", [2.49, 0.379, 0.189]),
    ("ca-HepTh.txt", [3.54, 0.364, 0.180]),
    ("ca-HepPh.txt", [0.201, 0.0401, 0.0201]),
    ("ca-AstroPh.txt", [0.388, 0.0776, 0.0388]),
    ("facebook_combined.txt", [0.272, 0.0545, 0.0272]),
    ("email-Enron.txt", [0.865, 0.173, 0.0865]),
    ("wiki-Vote.txt", [1.38, 0.277, 0.138]),
    ("soc-Epinions1-undirected.txt", [0.556, 0.111, 0.0556]),
    ("deezer_HU_edges.csv", [1.16, 0.0905, 0.0428]),
    ("git_web_ml_edges.csv", [6.89, 1.38, 0.689]),
];

/// L1 error of the degree sequence a node at ε = 0.1 and 1, under edge privacy.
const EDGE_DEGREES: [(&str, [f64; 2]); 4] = [
    ("ca-GrQc.txt", [0.25, 0.027]),
    ("facebook_combined.txt", [1.12, 0.133]),
    ("email-Enron.txt", [0.16, 0.026]),
    ("deezer_HU_edges.csv", [0.056, 0.004]),
];

/// Mean errors in % of all ties at ε = 0.5, 1, 2 under node privacy.
const NODE_EDGES: [(&str, [f64; 3]); 8] = [
    ("ca-GrQc.txt", [5.15, 3.08, 0.93]),
    ("ca-HepTh.txt", [2.18, 1.59, 0.59]),
    ("facebook_combined.txt", [4.77, 2.52, 2.25]),
    ("email-Enron.txt", [7.32, 4.06, 2.23]),
    ("ca-AstroPh.txt", [1.87, 0.97, 0.76]),
    ("soc-Epinions1-undirected.txt", [4.23, 2.53, 1.35]),
    ("deezer_HU_edges.csv", [0.21, 0.16, 0.13]),
    ("git_web_ml_edges.csv", [13.6, 9.77, 6.99]),
];

/// Mean errors in % of all triangles at ε = 0.5, 1, 2 under node privacy; their grids began at a point chosen for each
/// graph, ours is one for all.
const NODE_TRIANGLES: [(&str, [f64; 3]); 6] = [
    ("deezer_HU_edges.csv", [2.8, 1.5, 0.9]),
    ("ca-AstroPh.txt", [7.5, 3.9, 2.5]),
    ("facebook_combined.txt", [16.4, 8.3, 2.7]),
    ("email-Enron.txt", [24.4, 14.3, 8.0]),
    ("ca-HepTh.txt", [24.5, 15.2, 7.3]),
    ("ca-GrQc.txt", [47.3, 21.5, 7.3]),
];

/// Graphs that no reference value and no constant was chosen on.
const OTHERS: [&str; 8] = [
    "ca-CondMat-lcc.txt",
    "loc-brightkite-lcc.txt",
    "deezer_RO_edges.csv",
    "deezer_europe_edges.csv",
    "lastfm_asia_edges.csv",
    "facebook_page_page_edges.csv",
    "twitch_DE_edges.csv",
    "email-Eu-core.txt",
];

struct Bench {
    folder: PathBuf,
    draws: usize,
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let folder = std::env::var_os("POINTILLIST_GRAPHS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/graphs"),
        PathBuf::from,
    );
    if !folder.is_dir() {
        println!("SKIPPED: the graphs are not here; name their folder in POINTILLIST_GRAPHS");
        return;
    }
    let bench = Bench { folder, draws: if quick { 100 } else { 400 } };
    let started = Instant::now();
    println!("mean error over {} releases, beside the reference value where there is one\n", bench.draws);
    bench.edge_triangles();
    bench.edge_degrees();
    bench.node("ties", Statistic::Edges, &NODE_EDGES);
    bench.node("triangles", Statistic::Triangles, &NODE_TRIANGLES);
    bench.node(
        "2-stars",
        Statistic::Stars(2),
        &[("facebook_combined.txt", [f64::NAN; 3]), ("email-Enron.txt", [f64::NAN; 3])],
    );
    println!("\n{:.0} s in all", started.elapsed().as_secs_f64());
}

impl Bench {
    fn load(&self, name: &str) -> Graph {
        let path = self.folder.join(format!("{name}.gz"));
        read_graph_file(path, &Reading::default(), &|_| {}).expect("the graph can be read").graph
    }

    fn edge_triangles(&self) {
        println!("edge privacy, triangles: mean error in % (ε = {})", EPSILONS.join(", "));
        println!("{:<30} {:<36} {:<36} reference (0.1, 0.5, 1)", "", "smooth", "student-t");
        for (name, reference) in EDGE_TRIANGLES {
            let graph = self.load(name);
            let truth = triangles::count(&graph) as f64;
            let row = |method| {
                let errors = EPSILONS.map(|epsilon| {
                    let mechanism = mechanism(Statistic::Triangles, Privacy::Edge, method, epsilon, &graph);
                    self.mean_error(mechanism.as_ref(), &graph, truth)
                });
                errors.map(percent).join(" ")
            };
            println!(
                "{name:<30} {:<36} {:<36} {}",
                row(Method::Smooth),
                row(Method::StudentT),
                reference.map(percent).join(" ")
            );
        }
    }

    fn edge_degrees(&self) {
        println!("\nedge privacy, degrees: L1 error a node (ε = {})", EPSILONS.join(", "));
        for (name, reference) in EDGE_DEGREES {
            let graph = self.load(name);
            let truth = degrees::at_least(&graph);
            let errors = EPSILONS.map(|epsilon| {
                let mechanism = mechanism(Statistic::Degrees, Privacy::Edge, Method::Auto, epsilon, &graph);
                let rounds = self.draws.div_ceil(10);
                let draw = mechanism.counted(&graph);
                let error = |bits: &mut SystemBits| {
                    let answer = mechanism.present(&draw(bits)).expect("its own numbers");
                    let shown = answer.estimates.iter().map(|estimate| estimate.value.as_f64());
                    let shown: Vec<f64> = shown.collect();
                    let at = |degree: usize| truth.get(degree).copied().unwrap_or(0) as f64;
                    let wrong = (1..shown.len().max(truth.len()))
                        .map(|degree| (shown.get(degree).copied().unwrap_or(0.0) - at(degree)).abs());
                    wrong.sum::<f64>() / f64::from(graph.nodes())
                };
                mean(rounds, error)
            });
            println!(
                "{name:<30} {:<36} reference (0.1, 1) {}",
                errors.map(|error| format!("{error:<8.4}")).join(" "),
                reference.map(|error| format!("{error:<8.3}")).join(" ")
            );
        }
    }

    fn node(&self, what: &str, statistic: Statistic, references: &[(&str, [f64; 3])]) {
        println!("\nnode privacy, {what}: mean error in % (ε = {})", EPSILONS.join(", "));
        let others = OTHERS.iter().map(|name| (*name, None));
        for (name, reference) in references.iter().map(|(name, known)| (*name, Some(*known))).chain(others) {
            let started = Instant::now();
            let graph = self.load(name);
            let truth = match statistic {
                Statistic::Edges => graph.edges() as f64,
                Statistic::Triangles => triangles::count(&graph) as f64,
                _ => pointillist_graph::kernel::stars::count(&graph, 2) as f64,
            };
            let errors = EPSILONS.map(|epsilon| {
                let mechanism = mechanism(statistic, Privacy::Node, Method::Auto, epsilon, &graph);
                percent(self.mean_error(mechanism.as_ref(), &graph, truth))
            });
            let known = reference.filter(|known| known[0].is_finite());
            let reference = known.map_or_else(
                || "not used for choosing constants".to_owned(),
                |known| format!("reference (0.5, 1, 2) {}", known.map(percent).join(" ")),
            );
            println!(
                "{name:<30} {:<36} {reference}  [{:.1} s]",
                errors.join(" "),
                started.elapsed().as_secs_f64()
            );
        }
    }

    fn mean_error(&self, mechanism: &dyn Mechanism, graph: &Graph, truth: f64) -> f64 {
        let draw = mechanism.counted(graph);
        mean(self.draws, |bits| {
            let answer = mechanism.present(&draw(bits)).expect("its own numbers");
            (answer.estimates[0].value.as_f64() - truth).abs() / truth * 100.0
        })
    }
}

fn mechanism(
    statistic: Statistic,
    privacy: Privacy,
    method: Method,
    epsilon: &str,
    graph: &Graph,
) -> Box<dyn Mechanism> {
    let question = Question {
        statistic,
        privacy,
        method,
        epsilon: Epsilon::parse(epsilon).expect("an ε"),
        delta: Some(Delta::parse("1e-6").expect("a δ")),
    };
    let nodes = (privacy == Privacy::Edge).then(|| graph.nodes());
    plan(&question, &Public { nodes, listed: true }).expect("this can be asked")
}

fn mean(rounds: usize, mut error: impl FnMut(&mut SystemBits) -> f64) -> f64 {
    let sum = with_system_bits(|bits| (0..rounds).map(|_| error(bits)).sum::<f64>());
    sum.expect("random bits") / rounds as f64
}

fn percent(value: f64) -> String {
    format!("{:<8}", format!("{value:.3}"))
}
