//! How fast graphs are read and counted, beside kernels that follow the definitions, in one run.
//!
//! Real graphs are read from the folder that `POINTILLIST_GRAPHS` names, or from `shared/data/graphs` beside the
//! workspace, and every count is compared with what is known about them. A graph of ten million pairs with a few
//! large hubs is made here. One thread is timed by its processor time, the mean of enough runs for the machine's
//! coarse clock, so that other work matters less; all threads by the wall clock, the best of some runs. `--quick`
//! leaves the large graph out.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use pointillist_graph::Graph;
use pointillist_graph::kernel::{common_neighbours, components, cores, degrees, stars, triangles};
use pointillist_graph::read::{FirstLine, Loaded, Reading, read_graph_file};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Nodes, ties, triangles, largest degree, most triangles through a node, most common neighbours, 2-stars, components,
/// degeneracy.
type Counts = [u64; 9];

const GRAPHS: [(&str, FirstLine, Counts); 20] = [
    ("karate.txt", FirstLine::Counts, [34, 78, 45, 17, 18, 10, 528, 1, 4]),
    ("ca-GrQc.txt", FirstLine::Edge, [5242, 14_484, 48_260, 81, 1179, 61, 229_867, 355, 43]),
    ("ca-HepTh.txt", FirstLine::Edge, [9877, 25_973, 28_339, 65, 505, 34, 299_356, 429, 31]),
    ("ca-HepPh.txt", FirstLine::Edge, [12_008, 118_489, 3_358_499, 491, 39_633, 450, 15_278_011, 278, 238]),
    (
        "ca-AstroPh.txt",
        FirstLine::Counts,
        [18_772, 198_050, 1_351_441, 504, 11_269, 350, 12_749_380, 290, 56],
    ),
    ("ca-CondMat-lcc.txt", FirstLine::Edge, [21_363, 91_286, 171_051, 279, 1615, 163, 1_959_916, 1, 25]),
    (
        "facebook_combined.txt",
        FirstLine::Edge,
        [4039, 88_234, 1_612_010, 1045, 30_025, 293, 9_314_849, 1, 115],
    ),
    (
        "email-Enron.txt",
        FirstLine::Counts,
        [36_692, 183_831, 727_044, 1383, 17_744, 420, 25_566_893, 1065, 43],
    ),
    ("email-Eu-core.txt", FirstLine::Edge, [1005, 16_064, 105_461, 345, 5549, 173, 1_183_216, 20, 34]),
    ("wiki-Vote.txt", FirstLine::Edge, [7115, 100_762, 608_389, 1065, 30_940, 562, 14_545_580, 24, 53]),
    (
        "soc-Epinions1-undirected.txt",
        FirstLine::Edge,
        [75_877, 405_739, 1_624_481, 3044, 48_674, 603, 74_201_120, 1, 67],
    ),
    (
        "loc-brightkite-lcc.txt",
        FirstLine::Edge,
        [56_739, 212_945, 494_408, 1134, 11_517, 272, 13_421_648, 1, 52],
    ),
    ("CollegeMsg.txt", FirstLine::Edge, [1899, 13_838, 14_319, 255, 1095, 111, 755_882, 4, 20]),
    ("deezer_RO_edges.csv", FirstLine::Names, [41_773, 125_826, 31_791, 112, 186, 39, 1_267_134, 1, 7]),
    ("deezer_HU_edges.csv", FirstLine::Names, [47_538, 222_887, 98_087, 112, 327, 28, 3_166_684, 1, 11]),
    ("deezer_europe_edges.csv", FirstLine::Names, [28_281, 92_752, 45_034, 172, 312, 62, 1_408_453, 1, 12]),
    ("lastfm_asia_edges.csv", FirstLine::Names, [7624, 27_806, 40_433, 216, 1669, 91, 679_080, 1, 20]),
    (
        "facebook_page_page_edges.csv",
        FirstLine::Names,
        [22_470, 170_823, 794_953, 709, 16_219, 653, 10_265_342, 1, 56],
    ),
    (
        "git_web_ml_edges.csv",
        FirstLine::Names,
        [37_700, 289_003, 523_810, 9458, 80_286, 2411, 127_167_272, 1, 34],
    ),
    (
        "twitch_DE_edges.csv",
        FirstLine::Names,
        [9498, 153_138, 603_088, 4259, 59_415, 1432, 38_933_277, 1, 43],
    ),
];

/// The smooth sensitivity of triangles, the largest of `exp(-β s)` times the local sensitivity at distance s, that is
/// known for these graphs: the frontier decides it.
const SMOOTH: [(&str, f64, f64); 3] =
    [("ca-HepTh.txt", 0.1 / 6.0, 37.245), ("ca-GrQc.txt", 0.01, 67.618), ("ca-HepTh.txt", 0.01, 43.417)];

const LARGE_PAIRS: usize = 10_000_000;
const LARGE_SCALE: u32 = 20;
const ROUNDS: usize = 5;
/// Processor time comes in steps of a few milliseconds.
const LONG_ENOUGH: Duration = Duration::from_millis(100);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test` runs benchmark targets too; there is nothing to test here.
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    let pools = Pools::new();
    if arguments.iter().any(|argument| argument == "--memory") {
        read(&large_file(), FirstLine::Edge);
        println!("{}", peak_mib());
        return;
    }
    println!(
        "ms; column 1: processor time on one thread; column {0}: wall clock on {0} threads, best of {ROUNDS}\n",
        pools.threads
    );
    let wrong = real_graphs(&pools);
    if !arguments.iter().any(|argument| argument == "--quick") {
        large_graph(&pools);
    }
    if wrong > 0 {
        println!("\n{wrong} counts are WRONG, see above.");
        std::process::exit(1);
    }
}

/// Reads, counts and checks every real graph; how many figures are not what they should be.
fn real_graphs(pools: &Pools) -> usize {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/graphs");
    let folder = std::env::var_os("POINTILLIST_GRAPHS").map_or(beside, PathBuf::from);
    if !folder.is_dir() {
        println!("SKIPPED all real graphs: there is no folder {}.", folder.display());
        println!("Set POINTILLIST_GRAPHS to a folder with the lists of ties.\n");
        return 0;
    }
    let all = pools.threads;
    println!(
        "| graph | ties | load, 1 | load, {all} | triangles, naive | 1 | {all} | most common neighbours, naive | 1 \
         | {all} | frontier, 1 | {all} | cores, 1 | components, 1 |"
    );
    println!("| --- |{}", " ---: |".repeat(13));
    let mut wrong = 0;
    let mut checked = 0;
    for (name, first_line, expected) in GRAPHS {
        let path = folder.join(format!("{name}.gz"));
        if !path.exists() {
            println!("SKIPPED {name}: it is not in the folder.");
            continue;
        }
        let (load, loaded) = pools.time(ROUNDS, || read(&path, first_line));
        let graph = &loaded.graph;
        let (naive_triangles, slow_triangles) = pools.alone(|| naive::triangles(graph));
        let (naive_common, slow_stairs) = pools.alone(|| naive::stairs(graph));
        let (triangle_time, found) = pools.time(ROUNDS, || triangles::count(graph));
        let (max_time, most_common) = pools.time(ROUNDS, || common_neighbours::max(graph));
        let (frontier_time, frontier) = pools.time(ROUNDS, || common_neighbours::frontier(graph));
        let (core_time, degeneracy) = pools.alone(|| cores::degeneracy(graph));
        let (component_time, pieces) = pools.alone(|| components::count(graph));
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            graph.edges(),
            ms(load.alone),
            ms(load.all),
            ms(naive_triangles),
            ms(triangle_time.alone),
            ms(triangle_time.all),
            ms(naive_common),
            ms(max_time.alone),
            ms(max_time.all),
            ms(frontier_time.alone),
            ms(frontier_time.all),
            ms(core_time),
            ms(component_time),
        );
        let most_through = triangles::per_node(graph).into_iter().max().unwrap_or(0);
        let counts = [
            u64::from(graph.nodes()),
            graph.edges(),
            found,
            u64::from(degrees::max(graph)),
            most_through,
            u64::from(most_common),
            u64::try_from(stars::count(graph, 2)).expect("few stars"),
            u64::from(pieces),
            u64::from(degeneracy),
        ];
        let mut problem = |what: &str, is_right: bool| {
            checked += 1;
            if !is_right {
                wrong += 1;
                println!("WRONG {what} of {name}");
            }
        };
        for (what, (count, expected)) in COUNTS.iter().zip(counts.iter().zip(&expected)) {
            problem(&format!("number of {what} ({count}, not {expected})"), count == expected);
        }
        problem("triangles, naive", slow_triangles == found);
        problem("frontier", naive::frontier(&slow_stairs) == frontier);
        problem("detected first line", read(&path, FirstLine::Detect).first_line == first_line);
        for (_, beta, expected) in SMOOTH.iter().filter(|(of, ..)| *of == name) {
            problem("smooth sensitivity", (smooth(&frontier, *beta) - expected).abs() < 0.0006);
        }
    }
    println!("\n{checked} figures checked, {wrong} wrong.\n");
    wrong
}

const COUNTS: [&str; 9] = [
    "nodes",
    "ties",
    "triangles",
    "ties of a node",
    "triangles through a node",
    "common neighbours",
    "2-stars",
    "components",
    "degeneracy",
];

fn read(path: &Path, first_line: FirstLine) -> Loaded {
    read_graph_file(path, &Reading { first_line, nodes: None }, &|_| ()).expect("a readable file")
}

fn smooth(frontier: &[(u32, u32)], beta: f64) -> f64 {
    let at = |s: u32| frontier.iter().map(|(a, b)| a + (s + s.min(*b)) / 2).max().unwrap_or(0);
    (0..10_000).map(|s| (-beta * f64::from(s)).exp() * f64::from(at(s))).fold(0.0, f64::max)
}

/// Ten million pairs, some of them repeated, over a million possible nodes.
fn large_graph(pools: &Pools) {
    let path = large_file();
    let memory = Command::new(std::env::current_exe().expect("a program")).arg("--memory").output();
    let memory =
        memory.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let pairs = skewed_pairs(LARGE_SCALE, LARGE_PAIRS);
    let megabytes = path.metadata().expect("a file").len() as f64 / 1e6;
    let (load, loaded) = pools.time(2, || read(&path, FirstLine::Edge));
    let graph = &loaded.graph;
    println!(
        "{LARGE_PAIRS} pairs, {megabytes:.0} MB of text: {} nodes, {} ties, largest degree {}\n",
        graph.nodes(),
        graph.edges(),
        degrees::max(graph)
    );
    println!("| ten million pairs | s, 1 thread | s, {} threads | |", pools.threads);
    println!("| --- | ---: | ---: | --- |");
    let row = |name: &str, times: Times, result: String| {
        println!("| {name} | {} | {} | {result} |", seconds(times.alone), seconds(times.all));
    };
    row("load the text", load, format!("{memory} MiB of memory at most, in a process of its own"));
    let (build, built) = pools.time(2, || Graph::from_pairs(1 << LARGE_SCALE, pairs.iter().copied()));
    row("build from pairs", build, format!("{} ties", built.edges()));
    drop(built);
    let (times, found) = pools.time(2, || triangles::count(graph));
    row("triangles", times, found.to_string());
    let (times, through) = pools.time(2, || triangles::per_node(graph).into_iter().max());
    row("triangles through each node", times, format!("{} at most", through.unwrap_or(0)));
    let (times, most) = pools.time(3, || common_neighbours::max(graph));
    row("most common neighbours", times, most.to_string());
    let (times, frontier) = pools.time(3, || common_neighbours::frontier(graph));
    row("frontier", times, format!("{frontier:?}"));
    let (times, degeneracy) = pools.time(3, || cores::degeneracy(graph));
    row("cores (one thread)", times, format!("degeneracy {degeneracy}"));
    let (times, pieces) = pools.time(3, || components::count(graph));
    row("components (one thread)", times, pieces.to_string());
    let (alone, slow) = pools.alone(|| naive::triangles(graph));
    println!("| triangles, naive | {} | | {slow} |", seconds(alone));
    let wedges = stars::count(graph, 2);
    println!("| most common neighbours, naive | not run | | {:.1} billion steps |", 2e-9 * wedges as f64);
}

/// The large graph as text; the peers read it too.
fn large_file() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("graph-large.txt");
    if !path.exists() {
        let mut file = BufWriter::new(File::create(&path).expect("a file"));
        let write = |(u, v)| writeln!(file, "{u}\t{v}").expect("room on the disk");
        skewed_pairs(LARGE_SCALE, LARGE_PAIRS).into_iter().for_each(write);
        file.flush().expect("room on the disk");
    }
    path
}

/// Pairs drawn by going down a square of squares (Chakrabarti, Zhan and Faloutsos, 2004), with the weights 0.57, 0.19,
/// 0.19 and 0.05: degrees fall like a power. The same pairs every time.
fn skewed_pairs(scale: u32, pairs: usize) -> Vec<(u32, u32)> {
    let mut state = 1u64;
    // SplitMix64: a counter and a mixer.
    let mut word = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let share = |percent: u64| percent * (1 << 16) / 100;
    let mut pair = || {
        let (mut u, mut v, mut bits) = (0, 0, 0);
        for level in 0..scale {
            if level % 4 == 0 {
                bits = word();
            }
            let draw = bits & 0xFFFF;
            bits >>= 16;
            let below =
                u32::from(draw >= share(57)) + u32::from(draw >= share(76)) + u32::from(draw >= share(95));
            (u, v) = (u << 1 | below >> 1, v << 1 | below & 1);
        }
        (u, v)
    };
    (0..pairs).map(|_| pair()).collect()
}

/// What the kernels compute, as the definitions say it.
mod naive {
    use super::Graph;

    /// For every tie, its common neighbours: the shorter row, looked up in the longer one.
    pub fn triangles(graph: &Graph) -> u64 {
        let common = |(u, v): (u32, u32)| {
            let (shorter, longer) = if graph.degree(u) < graph.degree(v) { (u, v) } else { (v, u) };
            graph.neighbours(shorter).iter().filter(|w| graph.has_edge(longer, **w)).count() as u64
        };
        graph.pairs().map(common).sum::<u64>() / 3
    }

    /// For every number of common neighbours, one more than the largest sum of degrees (less two if tied) of all pairs
    /// that have at least so many: all paths of two ties, one by one.
    pub fn stairs(graph: &Graph) -> Vec<u64> {
        let degree = |node: u32| u64::from(graph.degree(node));
        let longest = (0..graph.nodes()).map(|node| graph.degree(node)).max().unwrap_or(0);
        let mut stairs = vec![0u64; longest as usize + 1];
        let mut by_degree: Vec<u32> = (0..graph.nodes()).collect();
        by_degree.sort_by_key(|node| u32::MAX - graph.degree(*node));
        let mut common = vec![0u32; graph.nodes() as usize];
        let mut touched = Vec::new();
        for i in 0..graph.nodes() {
            for k in graph.neighbours(i) {
                for j in graph.neighbours(*k).iter().filter(|j| **j != i) {
                    if common[*j as usize] == 0 {
                        touched.push(*j);
                    }
                    common[*j as usize] += 1;
                }
            }
            let height = |j: u32| degree(i) + degree(j) + 1 - 2 * u64::from(graph.has_edge(i, j));
            for j in &touched {
                let step = &mut stairs[common[*j as usize] as usize];
                if degree(i) + degree(*j) + 1 > *step {
                    *step = height(*j).max(*step);
                }
            }
            for j in by_degree.iter().filter(|j| **j != i && common[**j as usize] == 0) {
                if degree(i) + degree(*j) < stairs[0] {
                    break;
                }
                stairs[0] = height(*j).max(stairs[0]);
            }
            touched.drain(..).for_each(|j| common[j as usize] = 0);
        }
        for step in (1..stairs.len()).rev() {
            stairs[step - 1] = stairs[step - 1].max(stairs[step]);
        }
        stairs
    }

    /// The points where the stairs fall.
    pub fn frontier(stairs: &[u64]) -> Vec<(u32, u32)> {
        let falls = |a: &usize| stairs[*a] > stairs.get(a + 1).copied().unwrap_or(0);
        (0..stairs.len()).filter(falls).map(|a| (a as u32, (stairs[a] - 1) as u32 - 2 * a as u32)).collect()
    }
}

/// One thread and all threads.
struct Pools {
    one: ThreadPool,
    all: ThreadPool,
    threads: usize,
}

/// On one thread, and on all.
#[derive(Clone, Copy)]
struct Times {
    alone: Duration,
    all: Duration,
}

impl Pools {
    fn new() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        Self { one: pool(1), all: pool(threads), threads }
    }

    fn time<T: Send>(&self, rounds: usize, run: impl Fn() -> T + Send + Sync) -> (Times, T) {
        let (alone, mut result) = self.alone(&run);
        let mut all = Duration::MAX;
        for _ in 0..rounds {
            let start = Instant::now();
            result = self.all.install(&run);
            all = all.min(start.elapsed());
        }
        (Times { alone, all }, result)
    }

    /// On one thread, by its processor time.
    fn alone<T: Send>(&self, run: impl Fn() -> T + Send + Sync) -> (Duration, T) {
        self.one.install(|| {
            let start = Instant::now();
            let time = || processor_time().unwrap_or_else(|| start.elapsed());
            let before = time();
            let mut runs = 1;
            let mut result = run();
            while time() - before < LONG_ENOUGH {
                result = run();
                runs += 1;
            }
            ((time() - before) / runs, result)
        })
    }
}

/// How long this thread has run, where the machine says so.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The most memory this process has had; zero where the machine does not say.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}
