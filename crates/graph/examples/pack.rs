use pointillist_graph::{Graph, node::packing::*};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(format!("/tmp/pk/{}.edges", args[1])).unwrap();
    let mut lines = text.lines();
    let n: u32 = lines.next().unwrap().trim().parse().unwrap();
    let pairs = lines.map(|l| { let (a, b) = l.split_once(' ').unwrap(); (a.parse().unwrap(), b.parse().unwrap()) });
    let graph = Graph::from_pairs(n, pairs.collect::<Vec<_>>());
    let start = std::time::Instant::now();
    let copies = match args[2].as_str() { "t" => Copies::triangles(&graph), "c" => Copies::four_cliques(&graph), _ => Copies::rectangles(&graph) };
    println!("{} copies {} listed {:?}", args[1], copies.count(), start.elapsed());
    let taus: Vec<u64> = if args.len() > 3 { args[3..].iter().map(|t| t.parse().unwrap()).collect() } else { (5..=20).map(|k| 1 << k).collect() };
    let start = std::time::Instant::now();
    packed(&copies, &taus);
    println!("{} total {:?}", args[1], start.elapsed());
}
