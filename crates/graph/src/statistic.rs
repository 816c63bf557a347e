//! What can be asked about a graph, what is protected, and by which method: the words of the command line.

use std::fmt;
use std::str::FromStr;

use crate::GraphError;

/// What neighbouring graphs differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Privacy {
    /// One tie; the list of nodes is public.
    Edge,
    /// One node with all its ties; how many nodes there are is private.
    Node,
}

/// A statistic of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Statistic {
    /// How many nodes there are.
    Nodes,
    /// How many ties there are.
    Edges,
    /// The largest number of ties of a node.
    MaxDegree,
    /// A number of ties that all but a few nodes stay within.
    DegreeBound,
    /// The largest k for which some part of the graph gives every member k ties inside it.
    Degeneracy,
    /// How many pieces the graph falls into.
    Components,
    /// Three nodes tied to each other.
    Triangles,
    /// A node and this many of its neighbours, at least 2.
    Stars(u32),
    /// A tie and this many common neighbours of its ends, at least 2.
    KTriangles(u32),
    /// Four nodes tied to each other.
    FourCliques,
    /// Four nodes tied in a ring.
    Rectangles,
    /// How many nodes have each degree.
    Degrees,
    /// The share of 2-stars that are closed to triangles.
    GlobalClustering,
    /// The mean over all nodes of the share of neighbours' pairs that are tied.
    AverageClustering,
}

/// How a statistic is made private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The best that is known for the statistic.
    #[default]
    Auto,
    /// Noise at smooth sensitivity, a Laplace law with power tails; pure.
    Smooth,
    /// Noise at smooth sensitivity, Student's t with three degrees of freedom; pure.
    StudentT,
    /// A noisy maximum degree first, then the count; needs a δ.
    NoisyMaxDegree,
    /// A noisy maximum of common neighbours first, then the count; needs a δ.
    NoisyCommonNeighbours,
    /// Rungs of equal probability around the count; pure.
    Ladder,
    /// A proposed bound on the common neighbours of two nodes, tested first; needs a δ.
    ProposeTestRelease(u64),
    /// Ties dropped until no node has too many, the threshold chosen privately; pure.
    Projection,
    /// The largest fractional set of ties with bounded degrees, by maximum flow; pure.
    Flow,
    /// The largest fractional packing of copies, a certified linear programme; pure.
    Packing,
    /// A projection to bounded degree that is tested first, then the mechanism for edge privacy; needs a δ.
    Restricted,
}

const METHODS: [(Method, &str); 10] = [
    (Method::Auto, "auto"),
    (Method::Smooth, "smooth"),
    (Method::StudentT, "student-t"),
    (Method::NoisyMaxDegree, "noisy-max-degree"),
    (Method::NoisyCommonNeighbours, "noisy-common-neighbours"),
    (Method::Ladder, "ladder"),
    (Method::Projection, "projection"),
    (Method::Flow, "flow"),
    (Method::Packing, "packing"),
    (Method::Restricted, "restricted"),
];

const PLAIN: [(Statistic, &str); 12] = [
    (Statistic::Nodes, "nodes"),
    (Statistic::Edges, "edges"),
    (Statistic::MaxDegree, "max-degree"),
    (Statistic::DegreeBound, "degree-bound"),
    (Statistic::Degeneracy, "degeneracy"),
    (Statistic::Components, "components"),
    (Statistic::Triangles, "triangles"),
    (Statistic::FourCliques, "four-cliques"),
    (Statistic::Rectangles, "rectangles"),
    (Statistic::Degrees, "degrees"),
    (Statistic::GlobalClustering, "global-clustering"),
    (Statistic::AverageClustering, "average-clustering"),
];

impl Statistic {
    /// What can be asked, as it is written; of numbered ones the smallest.
    pub fn names() -> Vec<String> {
        let numbered = [Self::Stars(2), Self::KTriangles(2)];
        PLAIN.iter().map(|(plain, _)| *plain).chain(numbered).map(|statistic| statistic.to_string()).collect()
    }
}

impl Method {
    /// The methods, as they are written; but for one whose bound the asker proposes.
    pub fn names() -> Vec<String> {
        METHODS.iter().map(|(_, word)| (*word).to_owned()).collect()
    }
}

impl fmt::Display for Privacy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Edge => "edge",
            Self::Node => "node",
        })
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stars(leaves) => write!(out, "{leaves}-stars"),
            Self::KTriangles(count) => write!(out, "{count}-triangles"),
            plain => {
                out.write_str(PLAIN.iter().find(|(known, _)| known == plain).map_or("", |(_, word)| word))
            }
        }
    }
}

/// Followed by a colon and the bound that is proposed.
const PROPOSE: &str = "propose-test-release";

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::ProposeTestRelease(bound) = self {
            return write!(out, "{PROPOSE}:{bound}");
        }
        out.write_str(METHODS.iter().find(|(known, _)| known == self).map_or("", |(_, word)| word))
    }
}

/// The word that begins as this one does: `triangle`, `Nodes` and `components2` have one.
fn near<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    let text = text.to_lowercase();
    let alike = |word: &&&str| text.len() >= 3 && (word.starts_with(&text) || text.starts_with(**word));
    words.iter().find(alike).copied()
}

impl FromStr for Statistic {
    type Err = GraphError;

    /// `triangles`, `2-stars`, `stars` (2-stars), `3-triangles`, …
    fn from_str(text: &str) -> Result<Self, GraphError> {
        if let Some((plain, _)) = PLAIN.iter().find(|(_, word)| *word == text) {
            return Ok(*plain);
        }
        let numbered = match text.split_once('-') {
            None if text == "stars" => Some((2, "stars")),
            None => None,
            Some((number, kind)) => number.parse().ok().map(|number: u32| (number, kind)),
        };
        match numbered {
            Some((leaves @ 2..=8, "stars")) => Ok(Self::Stars(leaves)),
            Some((count @ 2..=8, "triangles")) => Ok(Self::KTriangles(count)),
            Some((1, "triangles")) => Ok(Self::Triangles),
            _ => {
                let words: Vec<&str> = PLAIN.iter().map(|(_, word)| *word).collect();
                let near =
                    near(text, &words).map_or_else(String::new, |word| format!("did you mean `{word}`? "));
                Err(GraphError::unknown(
                    format!("there is no statistic `{text}` of graphs"),
                    format!(
                        "{near}ask for {}, 2-stars to 8-stars, or 2-triangles to 8-triangles",
                        words.join(", ")
                    ),
                ))
            }
        }
    }
}

impl FromStr for Method {
    type Err = GraphError;

    /// `smooth`, `ladder`, `propose-test-release:50`, …
    fn from_str(text: &str) -> Result<Self, GraphError> {
        if let Some((method, _)) = METHODS.iter().find(|(_, word)| *word == text) {
            return Ok(*method);
        }
        if let Some(rest) = text.strip_prefix(PROPOSE) {
            let bound = rest.strip_prefix(':').and_then(|bound| bound.parse().ok());
            return bound.map(Self::ProposeTestRelease).ok_or_else(|| {
                GraphError::unknown(
                    format!("`{text}` proposes no bound"),
                    format!("say how many common neighbours two nodes have at most: {PROPOSE}:50"),
                )
            });
        }
        let words: Vec<&str> = METHODS.iter().map(|(_, word)| *word).collect();
        Err(GraphError::unknown(
            format!("there is no method `{text}`"),
            format!("write one of {}, {PROPOSE}:BOUND", words.join(", ")),
        ))
    }
}

impl FromStr for Privacy {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        match text {
            "edge" => Ok(Self::Edge),
            "node" => Ok(Self::Node),
            _ => Err(GraphError::unknown(
                format!("there is no graph privacy `{text}`"),
                "write edge (one tie is protected) or node (a person with all their ties)",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained as _;

    #[test]
    fn every_word_is_read_as_it_is_printed() {
        let numbered = (2..=8).flat_map(|k| [Statistic::Stars(k), Statistic::KTriangles(k)]);
        for statistic in PLAIN.iter().map(|(plain, _)| *plain).chain(numbered) {
            assert_eq!(statistic.to_string().parse(), Ok(statistic));
        }
        for (method, word) in METHODS {
            assert_eq!(word.parse(), Ok(method));
            assert_eq!(method.to_string(), word);
        }
        let proposed = Method::ProposeTestRelease(50);
        assert_eq!(
            (proposed.to_string().parse(), proposed.to_string().as_str()),
            (Ok(proposed), "propose-test-release:50")
        );
        assert!("propose-test-release".parse::<Method>().unwrap_err().explanation().text().contains(":50"));
        assert_eq!("stars".parse(), Ok(Statistic::Stars(2)));
        assert_eq!("1-triangles".parse(), Ok(Statistic::Triangles));
        for unknown in ["", "1-stars", "9-stars", "-stars", "x-triangles", "triangle"] {
            assert!(
                unknown.parse::<Statistic>().unwrap_err().explanation().text().contains("hint:"),
                "{unknown}"
            );
        }
        for (slip, meant) in [("triangle", "triangles"), ("Nodes", "nodes"), ("componentss", "components")] {
            let said = slip.parse::<Statistic>().unwrap_err().explanation().text();
            assert!(said.contains(&format!("did you mean `{meant}`?")), "{said}");
        }
        assert!(!"cows".parse::<Statistic>().unwrap_err().explanation().text().contains("did you mean"));
    }
}
