//! `pointillist study traces`: what a network carries, hiding hosts or packets.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use pointillist_errors::Explained;
use pointillist_privacy::Epsilon;
use pointillist_study::traces::made_up::Size;
use pointillist_study::traces::read::Network;
use pointillist_study::traces::study::{Settings, Source, TraceStudy, Way, study};
use pointillist_study::traces::{TraceError, Unit, accuracy, page, summary};

use crate::failure::Failure;
use crate::message::say;
use crate::output_file::check_output;
use crate::parsed_argument::parsed;
use crate::progress;
use crate::report_arguments::write_page;
use crate::terminal::Json;
use pointillist_render::text::wrapped;

/// Columns of sentences.
const WIDTH: usize = 100;

/// Which trace, whose rows are hidden, and at which price.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist study traces                                        made-up packets, hosts and packets hidden side by side
  pointillist study traces --folder net --epsilon 0.1 --rounds 20   and how exact everything is, over twenty made-up traces
  pointillist study traces --trace campus.pcap --internal 10.0.0.0/8 --folder campus --unit host
  pointillist budget verify --catalog net/host/pointillist.toml

A capture is pcap or pcapng, of Ethernet or bare IP. A table of packets is CSV; its first line names host, peer, port, kind (syn, synack, data), time_us, size,
flow and seq, and may name payload. What SQL can ask is asked in SQL, what it cannot say is a named mechanism, and both are charged to the ledger in
FOLDER/host or FOLDER/packet before rows are read; asked again in the same folder everything is free.
Of a real trace no truth is shown. Hiding packets hides no host: choose --unit packet for real traces only if that is what you mean.")]
pub struct Arguments {
    /// Where tables, ledgers and the report go; a folder that holds anything else is left alone
    #[arg(long, value_name = "DIR", default_value = "pointillist-traces")]
    folder: PathBuf,
    /// Whose rows are hidden: all of a host's, or one packet [default: both for made-up traces, host for real ones]
    #[arg(long, value_name = "UNIT")]
    unit: Option<UnitWord>,
    /// The price of each question, at δ = 1e-6
    #[arg(long, value_name = "E", value_parser = parsed::<Epsilon>, default_value = "1", allow_hyphen_values = true)]
    epsilon: Epsilon,
    /// A capture, or a table of packets, in place of a made-up trace; private
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Networks whose addresses are hosts of the inside, for captures; public
    #[arg(long, value_name = "NETWORK", value_delimiter = ',', value_parser = parsed::<Network>,
        default_value = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7")]
    internal: Vec<Network>,
    /// A tenth of the hosts, in a made-up trace
    #[arg(long, conflicts_with = "trace")]
    quick: bool,
    /// Measure how exact everything is at ε = 0.1, 1 and 10, over so many made-up traces (about half a minute each)
    #[arg(long, value_name = "N", default_value = "0")]
    rounds: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum UnitWord {
    Host,
    Packet,
    Both,
}

impl Arguments {
    fn settings(&self) -> Settings {
        let size = if self.quick { Size::QUICK } else { Size::FULL };
        let source = match &self.trace {
            Some(path) => Source::File { path: path.clone(), internal: self.internal.clone() },
            None => Source::MadeUp { size, number: 0 },
        };
        let units = match (self.unit, &self.trace) {
            (Some(UnitWord::Host), _) | (None, Some(_)) => vec![Unit::Host],
            (Some(UnitWord::Packet), _) => vec![Unit::Packet],
            (Some(UnitWord::Both), _) | (None, None) => vec![Unit::Host, Unit::Packet],
        };
        Settings { folder: self.folder.clone(), epsilon: self.epsilon.clone(), units, source }
    }
}

/// Studies, and says what was found.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.rounds > 1_000 {
        return Err(Failure::wrong(
            format!("{} rounds", arguments.rounds),
            "ask for 1000 at most; 20 are plenty",
        ));
    }
    let settings = arguments.settings();
    let (report, results) = (arguments.folder.join("report.html"), arguments.folder.join("results.json"));
    if report.exists() {
        check_output(&report)?;
    }
    let spinner = progress::spinner("");
    let mut told = |words: &str| spinner.set_message(words.to_owned());
    let found = study(&settings, &mut told).map_err(|error| named_folder(&error))?;
    let size = if arguments.quick { Size::QUICK } else { Size::FULL };
    let accuracy = match arguments.rounds {
        0 => None,
        rounds => Some(accuracy::measure(rounds, &size, &mut told)?),
    };
    spinner.finish_and_clear();
    write_page(&report, &page::page(&found, accuracy.as_ref()))?;
    let object = summary::summary(&found, accuracy.as_ref());
    std::fs::write(&results, format!("{}\n", Json(&object)))?;
    let mut out = BufWriter::new(io::stdout().lock());
    match arguments.json {
        true => writeln!(out, "{}", Json(&object))?,
        false => tell(&mut out, &found)?,
    }
    out.flush()?;
    say(format!("report written to {}", report.display()));
    Ok(())
}

/// What is wrong with a folder is mended by naming another.
fn named_folder(error: &TraceError) -> Failure {
    match error {
        TraceError::Occupied { .. } | TraceError::OtherStudy { .. } | TraceError::Unwritable { .. } => {
            let hint = format!("{} (--folder DIR names one)", error.hint().unwrap_or_default());
            Failure::explained(error.explanation().with_hint(hint))
        }
        _ => Failure::of(error),
    }
}

fn tell(out: &mut impl Write, found: &TraceStudy) -> Result<(), Failure> {
    for unit in &found.units {
        writeln!(out, "Hiding a {}, ε = {} a question: {}\n", unit.unit.name(), found.epsilon, found.about)?;
        for finding in &unit.findings {
            let way = match &finding.way {
                Way::Sql(_) => "SQL",
                Way::Named(_) => "named mechanism",
            };
            writeln!(out, "  {} [{way}]", finding.title)?;
            let truth = finding.truth.as_ref().map(|truth| format!("   truth: {truth}"));
            for line in std::iter::once(finding.answer.clone()).chain(truth) {
                wrapped(&line, WIDTH).iter().try_for_each(|line| writeln!(out, "      {line}"))?;
            }
        }
        writeln!(out, "\n  all of it costs {}", unit.spent)?;
        writeln!(out, "  verify: pointillist budget verify --catalog {}\n", unit.catalog.display())?;
    }
    Ok(())
}
