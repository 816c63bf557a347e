//! A question about a graph, of the catalog or of a file, and the way to its answer.

use std::io::IsTerminal;
use std::path::PathBuf;

use indicatif::ProgressBar;
use pointillist_curator::json::Account;
use pointillist_curator::{Answer, Ask, GraphQuote, OWNER, Quote, Reply};
use pointillist_graph::read::{FirstLine, Format};
use pointillist_graph::{Method, Privacy, Public, Question, Statistic};
use pointillist_noise::with_system_bits;
use pointillist_privacy::{Delta, Epsilon, Loss};
use pointillist_query::Options;

use super::load::load;
use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::question::options;

/// Which graph, at which price, by which method.
#[derive(clap::Args)]
pub struct GraphArguments {
    /// A graph of the catalog, charged to its ledger
    #[arg(long, value_name = "NAME", conflicts_with = "file", required_unless_present = "file")]
    graph: Option<String>,
    /// A file of ties in place of a catalog's graph: a one-off by the owner, which no ledger guards
    #[arg(long, value_name = "PATH", requires = "privacy")]
    file: Option<PathBuf>,
    /// What is protected in --file: edge (one tie) or node (a person with all their ties)
    #[arg(long, value_name = "edge|node", conflicts_with = "graph")]
    privacy: Option<String>,
    /// The ids of all nodes of --file, one a line; public under edge privacy
    #[arg(long, value_name = "PATH", requires = "file")]
    nodes: Option<PathBuf>,
    /// What --file begins with [default: edge]
    #[arg(long, value_name = "WHAT", requires = "file", value_enum)]
    first_line: Option<FirstLineWord>,
    /// What --nodes begins with [default: a node; a public list is looked at]
    #[arg(long, value_name = "WHAT", requires = "nodes", value_enum)]
    nodes_first_line: Option<NodesFirstLineWord>,
    /// Who asks: an analyst of the catalog, or the owner
    #[arg(long = "as", value_name = "ANALYST", default_value = OWNER, conflicts_with = "file")]
    analyst: String,
    /// A name for this request: repeating it with the same name never pays twice
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    request_id: Option<String>,
    /// How the statistic is made private [default: the best known]
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    home: HomeArguments,
    #[command(flatten)]
    price: PriceArguments,
}

/// What the first line of a list of nodes is, after comments.
#[derive(Clone, Copy, clap::ValueEnum)]
enum NodesFirstLineWord {
    /// A node like all others
    Node,
    /// The names of the columns
    Names,
    /// How many nodes there are
    Counts,
}

/// What the first line of a file is, after comments.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub enum FirstLineWord {
    /// A tie like all others
    #[default]
    Edge,
    /// The names of the columns
    Names,
    /// How many nodes and ties there are
    Counts,
}

impl FirstLineWord {
    /// What that is for a reader.
    pub fn first_line(self) -> FirstLine {
        match self {
            Self::Edge => FirstLine::Edge,
            Self::Names => FirstLine::Names,
            Self::Counts => FirstLine::Counts,
        }
    }
}

/// The price.
#[derive(clap::Args)]
#[command(next_help_heading = "Price")]
struct PriceArguments {
    /// The whole answer's ε
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// The whole answer's ρ, for graphs of the catalog
    #[arg(long, value_name = "R", allow_hyphen_values = true, conflicts_with = "file")]
    rho: Option<String>,
    /// The δ of methods that need one
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    delta: Option<String>,
}

/// An answer, and who answered.
pub enum Answered {
    /// The curator, from the ledger's budget.
    Charged(Box<Reply>),
    /// The owner's own run over a file.
    OneOff {
        /// The figures.
        answer: Answer,
        /// What it costs, which nobody keeps account of.
        loss: Loss,
    },
}

impl GraphArguments {
    /// What the graph is called.
    pub fn name(&self) -> String {
        match (&self.graph, &self.file) {
            (Some(name), _) => name.clone(),
            (None, Some(path)) => path.display().to_string(),
            (None, None) => "a graph".to_owned(),
        }
    }
}

impl Answered {
    /// What was paid, in words.
    pub fn price(&self) -> String {
        match self {
            Self::Charged(reply) => reply.price_words(),
            Self::OneOff { loss, .. } => loss.to_string(),
        }
    }

    /// The figures as a table.
    pub fn answer(&self) -> &Answer {
        match self {
            Self::Charged(reply) => &reply.answer,
            Self::OneOff { answer, .. } => answer,
        }
    }

    /// Who keeps account of it.
    pub fn account(&self) -> Account<'_> {
        match self {
            Self::Charged(reply) => Account::Charged(reply),
            Self::OneOff { loss, .. } => Account::Uncharged(loss),
        }
    }
}

/// What is known before anything is paid.
pub enum Offered {
    /// By the curator.
    Quoted(Box<Quote>),
    /// For the owner's own run over a file.
    OneOff {
        /// What the mechanism says in advance.
        quote: GraphQuote,
        /// What it would cost, which nobody keeps account of.
        loss: Loss,
    },
}

impl GraphArguments {
    /// Pays and answers.
    pub fn answer(&self, statistic: Statistic) -> Result<Answered, Failure> {
        if self.file.is_some() {
            return self.one_off(statistic);
        }
        let curator = self.home.curator()?;
        let waiting = spinner();
        let reply = curator.ask(&self.ask(statistic)?);
        waiting.finish_and_clear();
        Ok(Answered::Charged(Box::new(reply?)))
    }

    /// What an answer would cost; free.
    pub fn offer(&self, statistic: Statistic) -> Result<Offered, Failure> {
        if self.file.is_some() {
            let question = self.question(statistic)?;
            let nodes = match question.privacy {
                Privacy::Node => None,
                Privacy::Edge => Some(self.load(Privacy::Edge)?.nodes()),
            };
            let mechanism = pointillist_graph::plan(&question, &self.public(nodes))?;
            let quote = GraphQuote::new(&question, mechanism.as_ref());
            return Ok(Offered::OneOff { quote, loss: mechanism.loss() });
        }
        Ok(Offered::Quoted(Box::new(self.home.open()?.quote(&self.ask(statistic)?)?)))
    }

    fn ask(&self, statistic: Statistic) -> Result<Ask, Failure> {
        let graph = self.graph.as_deref().unwrap_or_default();
        let ask = Ask::about_graph(graph, statistic, self.method()?, self.options()?, &self.analyst);
        Ok(Ask { request_id: self.request_id.clone(), ..ask })
    }

    fn options(&self) -> Result<Options, Failure> {
        let PriceArguments { epsilon, rho, delta } = &self.price;
        options(&[("epsilon", epsilon), ("rho", rho), ("delta", delta)])
    }

    fn method(&self) -> Result<Method, Failure> {
        let method = self.method.as_deref().map(str::parse).transpose().map_err(Failure::request)?;
        Ok(method.unwrap_or_default())
    }

    /// The question about a file.
    fn question(&self, statistic: Statistic) -> Result<Question, Failure> {
        let privacy = self.privacy.as_deref().unwrap_or_default().parse().map_err(Failure::request)?;
        let Options { epsilon, delta, .. } = self.options()?;
        let missing = "a one-off needs a price\nhint: write --epsilon 1, for example";
        let epsilon: Epsilon = epsilon.ok_or_else(|| Failure::Request(missing.to_owned()))?;
        let delta = delta.filter(|delta: &Delta| !delta.is_zero());
        Ok(Question { statistic, privacy, method: self.method()?, epsilon, delta })
    }

    fn load(&self, privacy: Privacy) -> Result<pointillist_graph::Graph, Failure> {
        let path = self.file.as_deref().expect("only asked for files");
        // A public list may be looked at; a private one is read record by record.
        let nodes_first_line = match (self.nodes_first_line, privacy) {
            (Some(NodesFirstLineWord::Names), _) => FirstLine::Names,
            (Some(NodesFirstLineWord::Counts), _) => FirstLine::Counts,
            (Some(NodesFirstLineWord::Node), _) | (None, Privacy::Node) => FirstLine::Edge,
            (None, Privacy::Edge) => FirstLine::Detect,
        };
        let nodes = self.nodes.as_deref().map(|nodes| (nodes, nodes_first_line));
        Ok(load(path, self.first_line.unwrap_or_default().first_line(), nodes)?.graph)
    }

    /// What everybody may know about a file.
    fn public(&self, nodes: Option<u32>) -> Public {
        Public { nodes, listed: self.nodes.is_some() }
    }

    fn one_off(&self, statistic: Statistic) -> Result<Answered, Failure> {
        let question = self.question(statistic)?;
        if question.privacy == Privacy::Node {
            // What is refused is refused by the question alone, before the file is looked at.
            pointillist_graph::plan(&question, &self.public(None))?;
        }
        let graph = self.load(question.privacy)?;
        let nodes = (question.privacy == Privacy::Edge).then(|| graph.nodes());
        let mechanism = pointillist_graph::plan(&question, &self.public(nodes))?;
        let waiting = spinner();
        let released = with_system_bits(|bits| mechanism.release(&graph, bits)).map_err(Failure::request)?;
        waiting.finish_and_clear();
        let mistake = || Failure::Environment("the mechanism does not know its own numbers".to_owned());
        let mut answer = mechanism.present(&released).ok_or_else(mistake)?;
        if self.nodes.is_none() && question.privacy == Privacy::Edge {
            let note =
                "the ids that occur in the file are taken to be public; give --nodes if there are others";
            answer.notes.push(note.to_owned());
        }
        let is_csv = |path: &PathBuf| matches!(Format::of_file(path), Format::Csv { .. });
        if self.first_line.is_none() && self.file.as_ref().is_some_and(is_csv) {
            let note =
                "the first line of the file counts as a tie; give --first-line names if it names columns";
            answer.notes.push(note.to_owned());
        }
        let answer = Answer::of_graph(&answer, mechanism.name(), None);
        Ok(Answered::OneOff { answer, loss: mechanism.loss() })
    }
}

fn spinner() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner().with_message("counting …");
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    bar
}
