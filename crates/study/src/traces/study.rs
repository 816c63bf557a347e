//! A study of one trace: what SQL can ask is asked of a curator, what it cannot say is a named mechanism on the same ledger.
//!
//! **Order.** Tables and catalogs are written, with a budget that pays for everything that will be asked; then each question is charged before a row is
//! read for it. Asked again in the same folder, everything is given again for nothing.
//! **Truth.** Of a made-up trace it is known, and stands beside the answers. Of a real one it is private, and nothing of it is shown.

mod answers;
mod named;
mod spending;

use std::path::{Path, PathBuf};

use pointillist_curator::{Ask, Clock, Curator, Home, OWNER, Reply};
use pointillist_numbers::decimal_lower;
use pointillist_privacy::Epsilon;
use pointillist_query::Options;

use self::named::Named;
use super::accuracy::Paid;
use super::cdf::Estimate;
use super::error::TraceError;
use super::folder::StudyFolder;
use super::made_up::{self, Size};
use super::payment::Purse;
use super::questions::{SqlQuestion, Table, questions};
use super::read::{self, Network};
use super::rows::Rows;
use super::table_file::{write_crossings, write_keystrokes, write_packets, write_routes, write_sightings};
use super::trace::{Packets, Routes};
use super::{Unit, link_volume};

/// Where the trace comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A trace that never was.
    MadeUp {
        /// How large.
        size: Size,
        /// The number of the trace: the same number is the same trace.
        number: u64,
    },
    /// A capture, or a table of packets.
    File {
        /// Where.
        path: PathBuf,
        /// Which addresses of a capture are hosts of the inside.
        internal: Vec<Network>,
    },
}

/// What to study.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where everything is written.
    pub folder: PathBuf,
    /// The price of each question, at δ = 1e-6.
    pub epsilon: Epsilon,
    /// Whose rows are hidden; each unit has a home of its own.
    pub units: Vec<Unit>,
    /// What is studied.
    pub source: Source,
}

/// How a question was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// In SQL.
    Sql(String),
    /// As a named mechanism.
    Named(String),
}

/// An answer in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was asked.
    pub title: String,
    /// In SQL, or as a named mechanism.
    pub way: Way,
    /// What came back.
    pub answer: String,
    /// The truth, where nobody is in the trace.
    pub truth: Option<String>,
    /// What it costs, in ρ and δ.
    pub price: String,
}

/// A released distribution function.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// `size` or `port`.
    pub column: &'static str,
    /// Of which rows.
    pub of: String,
    /// By which method.
    pub estimate: Estimate,
    /// One value a cell.
    pub cdf: Vec<f64>,
    /// How far it is from the truth at most, where nobody is in the trace.
    pub error: Option<f64>,
}

/// What one unit's home has said.
#[derive(Clone, Debug)]
pub struct UnitStudy {
    /// Whose rows are hidden.
    pub unit: Unit,
    /// The catalog of the home.
    pub catalog: PathBuf,
    /// The answers.
    pub findings: Vec<Finding>,
    /// The distribution functions.
    pub curves: Vec<Curve>,
    /// Scores of the intervals of a day.
    pub scores: Option<Vec<f64>>,
    /// What everything together costs.
    pub spent: String,
}

/// What was studied.
#[derive(Clone, Debug)]
pub struct TraceStudy {
    /// The price of each question.
    pub epsilon: Epsilon,
    /// The units.
    pub units: Vec<UnitStudy>,
    /// The true distribution functions of sizes and ports, where nobody is in the trace.
    pub true_cdfs: Option<[Vec<f64>; 2]>,
    /// The intervals in which bursts were planted.
    pub bursts: Vec<usize>,
    /// What the trace is, in words.
    pub about: String,
}

/// What is known of a trace in which nobody is.
pub(super) struct Truth {
    pub(super) packets: Packets,
    pub(super) planted: Vec<made_up::PlantedString>,
    pub(super) stones: Vec<made_up::Pair>,
    pub(super) bursts: Vec<made_up::Burst>,
    pub(super) routes: Routes,
}

/// Studies a trace; `told` hears what is done next.
///
/// # Errors
/// When the folder cannot be used, the trace cannot be read, or a question is not answered.
pub fn study(settings: &Settings, told: &mut dyn FnMut(&str)) -> Result<TraceStudy, TraceError> {
    let folder = planned(settings)?;
    let paid = Paid::new(&settings.epsilon)?;
    let bought: Vec<Bought> = settings
        .units
        .iter()
        .map(|unit| Bought::new(*unit, &folder, settings, &paid))
        .collect::<Result<_, _>>()?;
    for bought in &bought {
        folder.check_catalog(bought.unit, &bought.rho, &bought.delta)?;
    }
    let (truth, about) = prepare(settings, &folder, told)?;
    let mut units = Vec::new();
    for bought in &bought {
        folder.write_catalog(bought.unit, &bought.rho, &bought.delta)?;
        units.push(of_unit(&folder, bought, &paid, truth.as_ref(), told)?);
    }
    let bursts = truth.iter().flat_map(|truth| &truth.bursts).map(|burst| usize::from(burst.bin)).collect();
    let true_cdfs = truth.as_ref().map(|truth| named::true_cdfs(&truth.packets.rows));
    Ok(TraceStudy { epsilon: settings.epsilon.clone(), units, true_cdfs, bursts, about })
}

/// Where the study goes; nothing is written yet.
fn planned(settings: &Settings) -> Result<StudyFolder, TraceError> {
    let (tables, version) = match &settings.source {
        Source::MadeUp { size, number } => {
            let Size { hosts, link_hosts, interactive, hours } = size;
            (Table::ALL.to_vec(), format!("made up {number} {hosts} {link_hosts} {interactive} {hours}"))
        }
        // No word about the rows of a real trace is public: its name says which import it is, and a folder holds one.
        Source::File { path, .. } => (
            vec![Table::Packets, Table::Payloads, Table::Keystrokes],
            format!("imported from {}", file_name(path)),
        ),
    };
    StudyFolder::plan(&settings.folder, tables, version)
}

/// Everything that is bought where this is the unit, and the budget that pays for it.
struct Bought {
    unit: Unit,
    asked: Vec<&'static SqlQuestion>,
    mechanisms: NamedMechanisms,
    rho: String,
    delta: String,
}

impl Bought {
    fn new(unit: Unit, folder: &StudyFolder, settings: &Settings, paid: &Paid) -> Result<Self, TraceError> {
        let asked: Vec<&SqlQuestion> =
            questions(unit).iter().filter(|question| folder.tables.contains(&question.table)).collect();
        let mechanisms = named::mechanisms(unit, &folder.tables, &settings.epsilon, paid)?;
        let (rho, delta) = spending::budget(&asked, &mechanisms, paid);
        Ok(Self { unit, asked, mechanisms, rho, delta })
    }
}

/// Writes the tables.
fn prepare(
    settings: &Settings,
    folder: &StudyFolder,
    told: &mut dyn FnMut(&str),
) -> Result<(Option<Truth>, String), TraceError> {
    match &settings.source {
        Source::MadeUp { size, number } => {
            told("making a trace up");
            folder.make()?;
            let packets = made_up::flows(*number, size);
            let worms = made_up::worms(*number, size, made_up::first_packets(&packets));
            let stones = made_up::stones(*number, size);
            let volumes = made_up::volumes(*number, size);
            let routes = made_up::routes(*number, size);
            write_packets(&folder.file(Table::Packets), &packets)?;
            write_sightings(&folder.file(Table::Payloads), &worms.sightings)?;
            write_keystrokes(&folder.file(Table::Keystrokes), &stones.keystrokes)?;
            write_crossings(&folder.file(Table::Crossings), &volumes.crossings)?;
            write_routes(&folder.file(Table::Paths), &routes)?;
            let about = format!(
                "trace {number} of those that never were ({} packets of {} hosts; {} planted strings, {} stepping stones, {} bursts)",
                packets.rows.len(),
                packets.hosts.len(),
                worms.planted.len(),
                stones.planted.len(),
                volumes.bursts.len()
            );
            let (planted, stones, bursts) = (worms.planted, stones.planted, volumes.bursts);
            Ok((Some(Truth { packets, planted, stones, bursts, routes }), about))
        }
        Source::File { path, internal } => {
            // What was paid for in this folder is about the rows that were imported first.
            if !folder.file(Table::Keystrokes).exists() {
                told("reading the trace");
                let read = read::trace(path, internal)?;
                folder.make()?;
                write_packets(&folder.file(Table::Packets), &read.packets)?;
                write_sightings(&folder.file(Table::Payloads), &read.sightings)?;
                write_keystrokes(&folder.file(Table::Keystrokes), &read.keystrokes)?;
            }
            Ok((None, format!("the packets of {}", file_name(path))))
        }
    }
}

/// The name of a file as words that a catalog can hold.
fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_plain = |sign: &char| sign.is_ascii_alphanumeric() || "._-".contains(*sign);
    name.chars().filter(is_plain).take(60).collect()
}

fn of_unit(
    folder: &StudyFolder,
    bought: &Bought,
    paid: &Paid,
    truth: Option<&Truth>,
    told: &mut dyn FnMut(&str),
) -> Result<UnitStudy, TraceError> {
    let Bought { unit, asked, mechanisms, .. } = bought;
    let unit = *unit;
    let home = Home::open(&folder.catalog(unit))?;
    let mut study = UnitStudy {
        unit,
        catalog: folder.catalog(unit),
        findings: Vec::new(),
        curves: Vec::new(),
        scores: None,
        spent: String::new(),
    };
    let curator = home.curator(Clock::Immediate)?;
    let mut replies = Vec::new();
    for question in asked.iter().copied() {
        told(&format!("{} level: {}", unit.name(), question.name));
        let reply = ask(&curator, question, paid)?;
        study.findings.push(answers::finding(question, &reply, truth));
        replies.push((question, reply));
    }
    // A ledger has one writer: the curator lets go of it before named mechanisms pay.
    drop(curator);
    answers::distributions(&replies, truth, &mut study);
    let purse = Purse::open(&home, unit.scope(), &folder.version)?;
    let rows = Rows::of(folder);
    for mechanism in mechanisms {
        told(&format!("{} level: {}", unit.name(), mechanism.words.name));
        let released = purse.buy(&mechanism.words, &mechanism.loss(), |receipt, bits| {
            mechanism.release(&rows, receipt, bits)
        })?;
        named::read(mechanism, &released, truth, &mut study)?;
    }
    drop(purse);
    study.spent = spending::spent(&home, unit);
    Ok(study)
}

fn ask(curator: &Curator, question: &SqlQuestion, paid: &Paid) -> Result<Reply, TraceError> {
    let failed = |source| TraceError::Ask { question: question.name.to_owned(), source: Box::new(source) };
    let rho = if question.earns_keys { &paid.rho_with_keys } else { &paid.rho };
    let mut price = vec![("rho", spending::decimal(rho))];
    if question.earns_keys {
        price.push(("delta", decimal_lower(paid.delta_of_keys.value(), spending::DIGITS)));
    }
    if let Some((groups, rows)) = question.bounds {
        price.push(("max_groups", groups.to_string()));
        price.push(("max_contributions", rows.to_string()));
    }
    let mut options = Options::default();
    for (name, value) in price {
        options.set(name, &value).map_err(|refusal| failed(refusal.into()))?;
    }
    curator.ask(&Ask { options, ..Ask::new(question.sql, OWNER) }).map_err(failed)
}

impl UnitStudy {
    /// The scores of intervals, from volumes that were released.
    fn score(&mut self, volumes: &[f64]) {
        self.scores = Some(link_volume::scores(volumes));
    }
}

/// What is bought as a named mechanism.
pub(super) type NamedMechanisms = Vec<Named>;
