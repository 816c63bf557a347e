//! `pointillist account compose`: what a fixed list of mechanisms costs together.

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use pointillist_errors::Explained;
use pointillist_privacy::account::specification::{self, EXAMPLE, Fields};
use pointillist_privacy::account::{Release, Statement, best};
use pointillist_privacy::amplification::SamplingRate;
use pointillist_privacy::{Delta, Epsilon, Rho, Scale, SensitivityL1, SensitivityL2};
use pointillist_render::calculator::{
    composition_json, composition_lines, profile_chart, repeated_use_chart,
};
use pointillist_render::chart::Chart;
use pointillist_render::svg::Drawing;
use serde_json::Value;

use super::print::hinted;
use crate::failure::Failure;
use crate::message::say;
use crate::output_file::write_output;
use crate::terminal::Json;

/// The list, by a file or by flags.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist account compose --gaussian 50 --count 10000 --delta 1e-6
  pointillist account compose --gaussian 1 --sampling-rate 0.01 --count 10000 --delta 1e-6 --plot-uses uses.svg
  pointillist account compose --spec spec.json --delta 1e-6 --plot profile.svg --json

A spec is a JSON list; `-` reads it from standard input:
  [{\"mechanism\": \"gaussian\", \"sigma\": \"50\", \"sensitivity\": \"1\", \"count\": 10000},
   {\"mechanism\": \"laplace\", \"scale\": \"100\", \"count\": 10000},
   {\"mechanism\": \"gaussian\", \"sigma\": \"1\", \"sampling_rate\": \"0.01\", \"count\": 10000},
   {\"mechanism\": \"randomized_response\", \"epsilon\": \"0.1\"}, {\"mechanism\": \"pure\", \"epsilon\": \"0.5\"},
   {\"mechanism\": \"approximate\", \"epsilon\": \"0.5\", \"delta\": \"1e-9\"}, {\"mechanism\": \"zcdp\", \"rho\": \"0.01\"}]

The list must be fixed before anything runs. When prices depend on earlier answers, use `account filter`.")]
pub struct Arguments {
    /// A JSON file with the list of mechanisms, or - for standard input
    #[arg(long, value_name = "FILE", group = "list")]
    spec: Option<PathBuf>,
    /// Gaussian noise of this standard deviation on an answer of sensitivity 1
    #[arg(long, value_name = "SIGMA", group = "list")]
    gaussian: Option<String>,
    /// Laplace noise of this scale on an answer of sensitivity 1
    #[arg(long, value_name = "SCALE", group = "list")]
    laplace: Option<String>,
    /// A mechanism of which only its pure ε is known
    #[arg(long, value_name = "EPSILON", group = "list")]
    pure: Option<String>,
    /// A mechanism of which only its ρ is known
    #[arg(long, value_name = "RHO", group = "list")]
    zcdp: Option<String>,
    /// The rate of a Poisson sample, with --gaussian or --laplace
    #[arg(long, value_name = "Q", conflicts_with_all = ["spec", "pure", "zcdp"])]
    sampling_rate: Option<String>,
    /// How often the mechanism runs
    #[arg(long, value_name = "K", default_value_t = 1, conflicts_with = "spec")]
    count: u64,
    /// The δ at which ε is wanted
    #[arg(long, value_name = "DELTA", default_value = "1e-6")]
    delta: String,
    /// Draw δ against ε into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw ε against how often the whole list runs into this SVG file
    #[arg(long, value_name = "FILE")]
    plot_uses: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints every accountant's ε, the best one marked.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let statement = statement(arguments)?;
    let delta = Delta::parse(&arguments.delta)?;
    let accounts = statement.accounts(&delta)?;
    if let Some(file) = &arguments.plot {
        write_plot(file, &profile_chart(statement.profile(&delta)?))?;
    }
    if let Some(file) = &arguments.plot_uses {
        let curves = statement.repeated_use(&delta)?;
        write_plot(file, &repeated_use_chart(curves, &delta))?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", Json(&composition_json(&accounts, &arguments.delta)))?;
    } else {
        for line in composition_lines(&accounts, &arguments.delta) {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    match best(&accounts) {
        Some(_) => Ok(()),
        None => Err(Failure::wrong(
            "no accountant has an ε for this list at this δ",
            "with δ = 0 only pure mechanisms have one; ask for a larger δ",
        )),
    }
}

fn statement(arguments: &Arguments) -> Result<Statement, Failure> {
    if let Some(file) = &arguments.spec {
        return parsed(&read(file)?);
    }
    let sampling_rate = arguments.sampling_rate.as_deref().map(SamplingRate::parse).transpose()?;
    let release = if let Some(sigma) = &arguments.gaussian {
        let (sigma, sensitivity) = (Scale::parse(sigma)?, SensitivityL2::parse("1")?);
        Release::Gaussian { sigma, sensitivity, sampling_rate }
    } else if let Some(scale) = &arguments.laplace {
        let (scale, sensitivity) = (Scale::parse(scale)?, SensitivityL1::parse("1")?);
        Release::Laplace { scale, sensitivity, sampling_rate }
    } else if let Some(epsilon) = &arguments.pure {
        Release::Pure { epsilon: Epsilon::parse(epsilon)? }
    } else if let Some(rho) = &arguments.zcdp {
        Release::Zcdp { rho: Rho::parse(rho)? }
    } else {
        return Err(Failure::wrong(
            "there is nothing to compose",
            "give --spec FILE, or one of --gaussian, --laplace, --pure, --zcdp with --count",
        ));
    };
    let mut statement = Statement::new();
    statement.add(release, arguments.count);
    Ok(statement)
}

fn read(file: &Path) -> Result<String, Failure> {
    let explain = |error: io::Error| {
        Failure::wrong(
            format!("{} cannot be read: {error}", file.display()),
            "give the path of a JSON file, or -",
        )
    };
    if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(explain)?;
        return Ok(text);
    }
    fs::read_to_string(file).map_err(explain)
}

/// A JSON list of objects. Numbers that carry a promise may be strings or JSON numbers; both are read as the decimals
/// they are written as.
fn parsed(text: &str) -> Result<Statement, Failure> {
    let refuse = |what: String| Failure::wrong(what, EXAMPLE);
    let list: Value =
        serde_json::from_str(text).map_err(|error| refuse(format!("the list is not JSON: {error}")))?;
    let list = list.as_array().ok_or_else(|| refuse("the list is not a JSON array".to_owned()))?;
    let mut entries = Vec::new();
    for (number, entry) in (1..).zip(list) {
        let object = entry.as_object().ok_or_else(|| refuse(format!("entry {number} is not an object")))?;
        let mut fields = Fields::new();
        for (name, value) in object {
            let text = match value {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => {
                    let what = format!("entry {number}: `{name}` is neither a string nor a number");
                    return Err(refuse(what));
                }
            };
            fields.insert(name.clone(), text);
        }
        entries.push(fields);
    }
    specification::statement(entries).map_err(|error| hinted(&error, error.hint()))
}

fn write_plot(file: &Path, chart: &Chart) -> Result<(), Failure> {
    write_output(file, &chart.to_svg())?;
    say(format!("wrote {}", file.display()));
    Ok(())
}
