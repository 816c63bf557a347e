//! `pointillist account compose`: what a fixed list of mechanisms costs together.

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use pointillist_numbers::{Rational, decimal_lower, decimal_upper};
use pointillist_privacy::Delta;
use pointillist_privacy::account::{Account, Release, Statement, best};
use pointillist_privacy::amplification::SamplingRate;
use pointillist_privacy::{Epsilon, Rho, Scale, SensitivityL1, SensitivityL2};
use serde_json::{Map, json};

use super::specification;
use crate::failure::Failure;
use crate::message::say;
use crate::output_file::write_output;
use crate::terminal::Json;
use pointillist_render::chart::{Chart, Scale as AxisScale, Series};
use pointillist_render::svg::Drawing;

/// Digits that people read.
const DIGITS: usize = 6;
/// Points of a plotted curve.
const POINTS: i32 = 33;

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

/// Prints every accountant's ε, best first marked.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let statement = statement(arguments)?;
    let delta = Delta::parse(&arguments.delta).map_err(Failure::request)?;
    let accounts = statement.accounts(&delta).map_err(Failure::request)?;
    let best = best(&accounts).map(|account| account.accountant);
    if let Some(file) = &arguments.plot {
        write_plot(file, &profile_chart(&statement, &accounts, &delta)?)?;
    }
    if let Some(file) = &arguments.plot_uses {
        write_plot(file, &uses_chart(&statement, &delta)?)?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.json {
        let results: Vec<_> = accounts.iter().filter_map(as_json).collect();
        let skipped: Map<_, _> = accounts
            .iter()
            .filter_map(|account| {
                Some((account.accountant.to_owned(), json!(account.epsilon.as_ref().err()?)))
            })
            .collect();
        writeln!(
            out,
            "{}",
            Json(
                &json!({ "delta": arguments.delta, "best": best, "results": results, "not_applicable": skipped })
            )
        )?;
    } else {
        print(&mut out, &accounts, best, &arguments.delta)?;
    }
    out.flush()?;
    match best {
        Some(_) => Ok(()),
        None => Err(Failure::Request(
            "no accountant has an ε for this list at this δ\nhint: with δ = 0 only pure mechanisms have one; ask for a larger δ".to_owned(),
        )),
    }
}

fn statement(arguments: &Arguments) -> Result<Statement, Failure> {
    if let Some(file) = &arguments.spec {
        return specification::parse(&read(file)?);
    }
    let rate =
        arguments.sampling_rate.as_deref().map(SamplingRate::parse).transpose().map_err(Failure::request)?;
    let release = if let Some(sigma) = &arguments.gaussian {
        let sensitivity = SensitivityL2::parse("1").map_err(Failure::request)?;
        Release::Gaussian {
            sigma: Scale::parse(sigma).map_err(Failure::request)?,
            sensitivity,
            sampling_rate: rate,
        }
    } else if let Some(scale) = &arguments.laplace {
        let sensitivity = SensitivityL1::parse("1").map_err(Failure::request)?;
        Release::Laplace {
            scale: Scale::parse(scale).map_err(Failure::request)?,
            sensitivity,
            sampling_rate: rate,
        }
    } else if let Some(epsilon) = &arguments.pure {
        Release::Pure { epsilon: Epsilon::parse(epsilon).map_err(Failure::request)? }
    } else if let Some(rho) = &arguments.zcdp {
        Release::Zcdp { rho: Rho::parse(rho).map_err(Failure::request)? }
    } else {
        return Err(Failure::Request(
            "there is nothing to compose\nhint: give --spec FILE, or one of --gaussian, --laplace, --pure, --zcdp with --count"
                .to_owned(),
        ));
    };
    let mut statement = Statement::new();
    statement.add(release, arguments.count);
    Ok(statement)
}

fn read(file: &Path) -> Result<String, Failure> {
    let explain = |error: io::Error| {
        Failure::Request(format!(
            "{} cannot be read: {error}\nhint: give the path of a JSON file, or -",
            file.display()
        ))
    };
    if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(explain)?;
        return Ok(text);
    }
    fs::read_to_string(file).map_err(explain)
}

fn as_json(account: &Account) -> Option<serde_json::Value> {
    let epsilon = account.epsilon.as_ref().ok()?;
    let mut result = json!({ "accountant": account.accountant, "epsilon": epsilon.upper });
    if epsilon.lower > 0.0 {
        result["epsilon_lower"] = json!(epsilon.lower);
    }
    Some(result)
}

fn print(out: &mut impl Write, accounts: &[Account], best: Option<&str>, delta: &str) -> io::Result<()> {
    writeln!(out, "ε at δ = {delta}, rounded up")?;
    for account in accounts {
        let mark = if Some(account.accountant) == best { "→" } else { " " };
        let text = match &account.epsilon {
            Ok(epsilon) => {
                let exact = |value: f64| Rational::from_f64(value).unwrap_or_else(|_| Rational::zero());
                let upper = decimal_upper(&exact(epsilon.upper), DIGITS);
                if epsilon.lower > 0.0 {
                    format!("{upper:<12} at least {}", decimal_lower(&exact(epsilon.lower), DIGITS))
                } else {
                    upper
                }
            }
            Err(reason) => format!("–            {reason}"),
        };
        writeln!(out, "{mark} {:9} {:32} {text}", account.accountant, account.method)?;
    }
    Ok(())
}

/// δ against ε: each accountant's curve, from many small δ read the other way round.
fn profile_chart(statement: &Statement, accounts: &[Account], delta: &Delta) -> Result<Chart, Failure> {
    let least = delta.to_f64_upper().clamp(1e-15, 1e-2) * 1e-3;
    let deltas: Vec<f64> =
        (0..POINTS).map(|i| least * (0.5 / least).powf(f64::from(i) / f64::from(POINTS - 1))).collect();
    let rows: Vec<(f64, Vec<Account>)> = deltas
        .into_iter()
        .map(|value| {
            let delta = Delta::from_f64(value).map_err(Failure::request)?;
            Ok((value, statement.accounts(&delta).map_err(Failure::request)?))
        })
        .collect::<Result<_, Failure>>()?;
    let curve = |index: usize| Series {
        name: accounts[index].accountant.to_owned(),
        points: rows
            .iter()
            .filter_map(|(delta, accounts)| Some((accounts[index].epsilon.as_ref().ok()?.upper, *delta)))
            .collect(),
        ..Series::default()
    };
    // A sum of ε far to the right would press the other curves against the axis.
    let epsilon = |index: usize| accounts[index].epsilon.as_ref().map_or(f64::INFINITY, |found| found.upper);
    let smallest = (0..accounts.len()).map(epsilon).fold(f64::INFINITY, f64::min);
    let near = (0..accounts.len()).filter(|index| epsilon(*index) <= 3.0 * smallest.max(f64::MIN_POSITIVE));
    Ok(Chart {
        title: "Privacy profile".to_owned(),
        x_name: "ε".to_owned(),
        y_name: "δ".to_owned(),
        x_scale: AxisScale::Linear,
        y_scale: AxisScale::Logarithmic,
        series: near.map(curve).collect(),
    })
}

/// ε against the number of times the whole list runs: 1, 2, 4, …
fn uses_chart(statement: &Statement, delta: &Delta) -> Result<Chart, Failure> {
    let mut series: Vec<Series> = Vec::new();
    for power in 0..=10 {
        let times = 1u64 << power;
        let accounts =
            statement.repeated(times).and_then(|all| all.accounts(delta)).map_err(Failure::request)?;
        for account in accounts {
            let Ok(epsilon) = &account.epsilon else { continue };
            let point = (times as f64, epsilon.upper);
            match series.iter_mut().find(|series| series.name == account.accountant) {
                Some(series) => series.points.push(point),
                None => series.push(Series {
                    name: account.accountant.to_owned(),
                    points: vec![point],
                    ..Series::default()
                }),
            }
        }
    }
    Ok(Chart {
        title: format!("ε at δ = {delta} after repeated use"),
        x_name: "how often the list runs".to_owned(),
        y_name: "ε".to_owned(),
        x_scale: AxisScale::Logarithmic,
        y_scale: AxisScale::Logarithmic,
        series,
    })
}

fn write_plot(file: &Path, chart: &Chart) -> Result<(), Failure> {
    write_output(file, &chart.to_svg())?;
    say(format!("wrote {}", file.display()));
    Ok(())
}
