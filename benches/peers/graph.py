# requires: networkx==3.6.1 igraph==1.0.0 rustworkx==0.18.1 networkit==11.2.2
"""The same counts by other libraries: processor time on one thread, and whether they find the same."""

import gzip
import os
import pathlib
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("POINTILLIST_GRAPHS", ROOT.parent / "shared/data/graphs"))
LARGE = ROOT / "target/benches/tmp/graph-large.txt"

# Triangles and degeneracy, and whether the first line is a tie.
GRAPHS = {
    "ca-HepPh.txt": (3358499, 238, True),
    "email-Enron.txt": (727044, 43, False),
    "soc-Epinions1-undirected.txt": (1624481, 67, True),
}


def timed(run):
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def ties(path, first_is_tie):
    """Every tie once, over nodes numbered from zero."""
    with gzip.open(path, "rt") as file:
        lines = [line.split()[:2] for line in file if line.strip() and not line.startswith("#")]
    number = {}
    pairs = set()
    for u, v in lines if first_is_tie else lines[1:]:
        u, v = number.setdefault(u, len(number)), number.setdefault(v, len(number))
        if u != v:
            pairs.add((min(u, v), max(u, v)))
    return len(number), sorted(pairs)


def closed(share, degrees):
    """How many triangles make this share of 2-stars closed."""
    return round(share * sum(d * (d - 1) // 2 for d in degrees) / 3)


def with_networkx(nodes, pairs):
    import networkx as nx

    graph = nx.Graph(pairs)
    yield "networkx"
    yield lambda: sum(nx.triangles(graph).values()) // 3
    yield lambda: max(nx.core_number(graph).values())


def with_igraph(nodes, pairs):
    import igraph

    yield from of_igraph(igraph.Graph(n=nodes, edges=pairs))


def of_igraph(graph):
    yield "igraph"
    yield lambda: closed(graph.transitivity_undirected(), graph.degree())
    yield lambda: max(graph.coreness())


def with_rustworkx(nodes, pairs):
    import rustworkx as rx

    graph = rx.PyGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from_no_data(pairs)
    yield "rustworkx"
    yield lambda: closed(rx.transitivity(graph), [graph.degree(node) for node in range(nodes)])
    yield lambda: max(rx.core_number(graph).values())


def with_networkit(nodes, pairs):
    import networkit as nk

    graph = nk.Graph(nodes)
    for u, v in pairs:
        graph.addEdge(u, v)
    yield from of_networkit(graph)


def of_networkit(graph):
    import networkit as nk

    def triangles():
        graph.indexEdges()
        return round(sum(nk.sparsification.TriangleEdgeScore(graph).run().scores()) / 3)

    yield "networkit"
    yield triangles
    yield lambda: nk.centrality.CoreDecomposition(graph).run().maxCoreNumber()


def row(name, counts, expected=None, loading=None):
    try:
        counts = counts()
        library, triangles, cores = next(counts), next(counts), next(counts)
    except ImportError as error:
        print(f"SKIPPED: {error}.")
        return
    triangle_time, found = timed(triangles)
    core_time, degeneracy = timed(cores)
    if expected is not None:
        assert (found, degeneracy) == expected, f"{library} finds {found} and {degeneracy} in {name}"
    loading = f"{loading:.3f}" if loading is not None else ""
    print(f"| {library}: {name} | {loading} | {triangle_time:.3f} | {found} | {core_time:.3f} | {degeneracy} |", flush=True)


print("| library and graph | load, s | triangles, s | | cores, s | |")
print("| --- | ---: | ---: | ---: | ---: | ---: |")
try:
    import networkit

    networkit.setNumberOfThreads(1)
except ImportError:
    pass
os.environ["RAYON_NUM_THREADS"] = "1"

for name, (triangles, degeneracy, first_is_tie) in GRAPHS.items():
    path = FOLDER / f"{name}.gz"
    if not path.exists():
        print(f"SKIPPED {name}: there is no {path}.")
        continue
    data = ties(path, first_is_tie)
    for library in (with_networkx, with_igraph, with_rustworkx, with_networkit):
        row(name, lambda: library(*data), (triangles, degeneracy))

if LARGE.exists():
    try:
        import igraph

        loading, graph = timed(lambda: igraph.Graph.Read_Edgelist(str(LARGE), directed=False).simplify())
        row("ten million pairs", lambda: of_igraph(graph), loading=loading)
        del graph
    except ImportError as error:
        print(f"SKIPPED: {error}.")
    try:
        import networkit as nk

        def load():
            graph = nk.readGraph(str(LARGE), nk.Format.EdgeListTabZero)
            graph.removeMultiEdges()
            graph.removeSelfLoops()
            return graph

        loading, graph = timed(load)
        row("ten million pairs", lambda: of_networkit(graph), loading=loading)
    except ImportError as error:
        print(f"SKIPPED: {error}.")
else:
    print(f"SKIPPED ten million pairs: there is no {LARGE}; the benchmark writes it.")
