//! A question about a graph, of the catalog or of a file, and the way to its answer.

use std::path::{Path, PathBuf};

use pointillist_curator::json::Account;
use pointillist_curator::{
    Answer, Ask, Assumption, EdgeFile, NodeFile, OWNER, OneOff, OneOffQuote, Quote, Reply,
};
use pointillist_graph::read::FirstLine;
use pointillist_graph::{Method, Question, Statistic};
use pointillist_privacy::{Delta, Epsilon};
use pointillist_query::Options;

use crate::failure::Failure;
use crate::home::HomeArguments;
use crate::progress::{self, ProgressBar};
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

impl NodesFirstLineWord {
    fn first_line(self) -> FirstLine {
        match self {
            Self::Node => FirstLine::Edge,
            Self::Names => FirstLine::Names,
            Self::Counts => FirstLine::Counts,
        }
    }
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

/// One question about a graph.
#[derive(Clone)]
pub struct Wanted {
    /// What is asked.
    pub statistic: Statistic,
    /// How it is made private.
    pub method: Method,
    /// The price.
    pub options: Options,
    /// A name for the request.
    pub request_id: Option<String>,
}

/// An answer, and who answered.
pub enum Answered {
    /// The curator, from the ledger's budget.
    Charged(Box<Reply>),
    /// The owner's own run over a file.
    OneOff(Box<OneOff>),
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
            Self::OneOff(one_off) => one_off.loss.to_string(),
        }
    }

    /// The figures as a table.
    pub fn answer(&self) -> &Answer {
        match self {
            Self::Charged(reply) => &reply.answer,
            Self::OneOff(one_off) => &one_off.answer,
        }
    }

    /// Who keeps account of it.
    pub fn account(&self) -> Account<'_> {
        match self {
            Self::Charged(reply) => Account::Charged(reply),
            Self::OneOff(one_off) => Account::Uncharged(&one_off.loss),
        }
    }
}

/// What is known before anything is paid.
pub enum Offered {
    /// By the curator.
    Quoted(Box<Quote>),
    /// For the owner's own run over a file.
    OneOff(OneOffQuote),
}

impl GraphArguments {
    /// Pays and answers.
    pub fn answer(&self, statistic: Statistic) -> Result<Answered, Failure> {
        self.answer_to(self.wanted(statistic)?)
    }

    /// Pays and answers one question.
    pub fn answer_to(&self, wanted: Wanted) -> Result<Answered, Failure> {
        if let Some(path) = &self.file {
            let (question, file) = (self.question(wanted)?, self.edge_file(path));
            let bar = reading_bar(path);
            let mut one_off = file.release(&question, &|bytes| bar.set_position(bytes))?;
            bar.finish_and_clear();
            let flag = |assumption: &Assumption| match assumption {
                Assumption::IdsArePublic => "give --nodes if there are others",
                Assumption::FirstLineIsATie => "give --first-line names if it names columns",
            };
            let note = |assumption| format!("{}; {}", Assumption::words(assumption), flag(&assumption));
            one_off.answer.notes.extend(one_off.assumptions.iter().copied().map(note));
            return Ok(Answered::OneOff(Box::new(one_off)));
        }
        let curator = self.home.curator()?;
        let waiting = progress::spinner("counting …");
        let reply = curator.ask(&self.ask(wanted));
        waiting.finish_and_clear();
        Ok(Answered::Charged(Box::new(reply?)))
    }

    /// What an answer would cost; free.
    pub fn offer(&self, statistic: Statistic) -> Result<Offered, Failure> {
        self.offer_of(self.wanted(statistic)?)
    }

    /// What one answer would cost; free.
    pub fn offer_of(&self, wanted: Wanted) -> Result<Offered, Failure> {
        if let Some(path) = &self.file {
            return Ok(Offered::OneOff(self.edge_file(path).quote(&self.question(wanted)?, &|_| {})?));
        }
        Ok(Offered::Quoted(Box::new(self.home.open()?.quote(&self.ask(wanted))?)))
    }

    /// A question at the whole price.
    pub fn wanted(&self, statistic: Statistic) -> Result<Wanted, Failure> {
        let method = self.method.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        let PriceArguments { epsilon, rho, delta } = &self.price;
        let options = options(&[("epsilon", epsilon), ("rho", rho), ("delta", delta)])?;
        Ok(Wanted { statistic, method, options, request_id: self.request_id.clone() })
    }

    fn edge_file(&self, path: &Path) -> EdgeFile {
        let list = |nodes: &PathBuf| {
            let first_line = self.nodes_first_line.map(NodesFirstLineWord::first_line);
            NodeFile { path: nodes.clone(), first_line }
        };
        EdgeFile {
            path: path.to_owned(),
            first_line: self.first_line.map(FirstLineWord::first_line),
            nodes: self.nodes.as_ref().map(list),
        }
    }

    fn ask(&self, Wanted { statistic, method, options, request_id }: Wanted) -> Ask {
        let graph = self.graph.as_deref().unwrap_or_default();
        Ask { request_id, ..Ask::about_graph(graph, statistic, method, options, &self.analyst) }
    }

    /// The question about a file.
    fn question(&self, Wanted { statistic, method, options, .. }: Wanted) -> Result<Question, Failure> {
        let privacy = self.privacy.as_deref().unwrap_or_default().parse()?;
        let Options { epsilon, delta, .. } = options;
        let missing = || Failure::wrong("a one-off needs a price", "write --epsilon 1, for example");
        let epsilon: Epsilon = epsilon.ok_or_else(missing)?;
        let delta = delta.filter(|delta: &Delta| !delta.is_zero());
        Ok(Question { statistic, privacy, method, epsilon, delta })
    }
}

/// How much of a file of ties is read.
pub fn reading_bar(path: &Path) -> ProgressBar {
    let length = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    progress::bar(length, "reading the graph {wide_bar} {bytes}/{total_bytes}")
}
