//! Batches of what is built in: every mechanism, trainer, synthesizer, randomizer, statistic and question, and leaks that are planted.

use pointillist_graph::{Graph, Privacy, Public, Question};
use pointillist_local::Protocol;
use pointillist_privacy::{Delta, Epsilon};

use crate::{
    AuditError, Batch, Canaries, Subject, Suspect, canaries, graph_pairs, graph_subject, graphs, learn,
    local, local_canaries, mechanisms, planted, planted_worlds, protocol_subject, query, synth,
    synth_canaries,
};

/// Respondents in one run.
const RESPONDENTS: usize = 10_000;
/// The δ of graph statistics that need one: large, so that it can be measured.
const GRAPH_DELTA: &str = "0.02";

impl Batch {
    /// Every mechanism, trainer and synthesizer at this price, or those whose names begin like these, in small or large letters.
    ///
    /// # Errors
    /// When one of them takes no such price, or a name is nobody's.
    pub fn mechanisms(epsilon: &Epsilon, names: &[String]) -> Result<Self, AuditError> {
        let subjects = mechanisms(epsilon).map_err(|error| not_at(epsilon, &error))?;
        let mut batch = Self::new("mechanisms", subjects);
        batch.suspects.extend(real(learn(epsilon).map_err(|error| not_at(epsilon, &error))?));
        batch.suspects.extend(real(synth(epsilon).map_err(|error| not_at(epsilon, &error))?));
        batch.choose(names)?;
        batch.canaries = canaries(epsilon)?;
        batch.canaries.extend(synth_canaries(epsilon).map_err(|error| not_at(epsilon, &error))?);
        batch.canaries.retain(|canaries| is_chosen(&canaries.name(), names));
        Ok(batch)
    }

    /// Every local randomizer at this price.
    ///
    /// # Errors
    /// When one of them takes no such price.
    pub fn local(epsilon: &Epsilon) -> Result<Self, AuditError> {
        Ok(Self { canaries: respondents(epsilon)?, ..Self::new("local randomizers", local(epsilon)?) })
    }

    /// The local randomizer that a line sets up.
    ///
    /// # Errors
    /// When the line sets up none.
    pub fn local_method(line: &str) -> Result<Self, AuditError> {
        let protocol: Protocol = line.parse()?;
        let subject: Box<dyn Subject> = Box::new(protocol_subject(protocol.clone(), None)?);
        let canaries: Box<dyn Canaries> = Box::new(local_canaries(protocol, RESPONDENTS)?);
        Ok(Self { canaries: vec![canaries], ..Self::new(line, vec![subject]) })
    }

    /// Every statistic of graphs at this price, on small graphs.
    ///
    /// # Errors
    /// When one of them takes no such price.
    pub fn graphs(epsilon: &Epsilon) -> Result<Self, AuditError> {
        Ok(Self::new("statistics of graphs", small_graphs(epsilon)?))
    }

    /// A question about somebody's graph. What is found was computed from the graph without noise: it is for its owner.
    ///
    /// # Errors
    /// When no mechanism answers the question.
    pub fn graph(question: &Question, graph: Graph, listed: bool, name: &str) -> Result<Self, AuditError> {
        let nodes = (question.privacy == Privacy::Edge).then(|| graph.nodes());
        let public = Public { nodes, listed };
        let subject: Box<dyn Subject> =
            Box::new(graph_subject(question, &public, graph_pairs(graph, question.privacy))?);
        let title = format!("{} of {name}, for the owner only", question.statistic);
        let own = "These numbers come from your own graph: they are for you, and nothing here was charged.";
        Ok(Self { notes: vec![own.to_owned()], ..Self::new(title, vec![subject]) })
    }

    /// Every planted leak, or those whose names begin like these.
    ///
    /// # Errors
    /// When a name is nobody's.
    pub fn planted(names: &[String]) -> Result<Self, AuditError> {
        let mut batch = Self { suspects: leaks(), ..Self::new("planted leaks", Vec::new()) };
        batch.choose(names)?;
        Ok(batch)
    }

    /// Everything that is built in, questions to a curator too, and every planted leak.
    ///
    /// # Errors
    /// When something takes no such price, and when a curator cannot be set up.
    pub fn everything(epsilon: &Epsilon) -> Result<Self, AuditError> {
        let mut batch =
            Self { title: "everything that is built in".to_owned(), ..Self::mechanisms(epsilon, &[])? };
        batch.suspects.extend(real(local(epsilon)?));
        batch.suspects.extend(real(small_graphs(epsilon)?));
        let questions = query::built_in(epsilon)?;
        batch.suspects.extend(real(questions.subjects));
        batch.suspects.extend(leaks());
        batch.canaries.extend(questions.canaries);
        batch.canaries.extend(respondents(epsilon)?);
        Ok(batch)
    }

    /// Keeps the suspects that are named; all, where nobody is.
    fn choose(&mut self, names: &[String]) -> Result<(), AuditError> {
        let is_known =
            |name: &&String| self.suspects.iter().any(|suspect| begins(suspect.subject.name(), name));
        if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
            let known: Vec<&str> = self.suspects.iter().map(|suspect| suspect.subject.name()).collect();
            return Err(AuditError::new(
                format!("nothing here is called {unknown}"),
                format!("choose from {}", known.join(", ")),
            ));
        }
        self.suspects.retain(|suspect| is_chosen(suspect.subject.name(), names));
        Ok(())
    }
}

fn real(subjects: Vec<Box<dyn Subject>>) -> Vec<Suspect> {
    subjects.into_iter().map(Suspect::from).collect()
}

fn small_graphs(epsilon: &Epsilon) -> Result<Vec<Box<dyn Subject>>, AuditError> {
    graphs(epsilon, &Delta::parse(GRAPH_DELTA)?).map_err(|error| not_at(epsilon, &error))
}

fn leaks() -> Vec<Suspect> {
    let all = planted().into_iter().chain(planted_worlds()).chain(learn::planted()).chain(synth::planted());
    all.map(Suspect::from).collect()
}

fn respondents(epsilon: &Epsilon) -> Result<Vec<Box<dyn Canaries>>, AuditError> {
    let mut all: Vec<Box<dyn Canaries>> = Vec::new();
    for line in [
        format!("randomized-response epsilon={epsilon}"),
        format!("k-ary-response values=4 epsilon={epsilon}"),
        format!("local-hashing values=8 epsilon={epsilon}"),
    ] {
        let protocol: Protocol = line.parse()?;
        all.push(Box::new(local_canaries(protocol, RESPONDENTS)?));
    }
    Ok(all)
}

/// One of many takes no such price; its own hint speaks of parameters that nobody gave here.
fn not_at(epsilon: &Epsilon, error: &AuditError) -> AuditError {
    AuditError::new(
        format!("not everything here takes ε = {epsilon}: {error}"),
        "audit at a price that shows something, such as 1",
    )
}

fn is_chosen(subject: &str, names: &[String]) -> bool {
    names.is_empty() || names.iter().any(|name| begins(subject, name))
}

/// Whether a name begins like this, in small or large letters.
fn begins(subject: &str, name: &str) -> bool {
    subject.to_lowercase().starts_with(&name.to_lowercase())
}
