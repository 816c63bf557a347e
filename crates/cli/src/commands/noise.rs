//! `pointillist noise`: exact noise for scripts.

use std::io::{self, BufWriter, IsTerminal, Write};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use pointillist_noise::{DiscreteGaussian, DiscreteLaplace, NoiseTable, SystemBits, with_system_bits};
use pointillist_numbers::Rational;

use crate::failure::Failure;

/// Values drawn between two writes, and between two looks at the clock.
const BATCH: u64 = 8192;
/// Fewer values than this are not worth preparing a table for.
const TABLE_WORTH: u64 = 2000;

/// What to draw.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist noise --distribution discrete-laplace --scale 10 --count 1000000 > noise.txt
  pointillist noise --distribution discrete-gaussian --scale 10/3 --count 5 --json

The noise alone is not a private answer: add it once to an integer whose sensitivity you know, with a scale of
sensitivity/ε (discrete-laplace: ε-DP) or sensitivity/√(2ρ) (discrete-gaussian: ρ-zCDP), and count what you spend.")]
pub struct Arguments {
    /// The law of the noise
    #[arg(long, value_enum)]
    distribution: Distribution,
    /// The scale: b of exp(-|k|/b), or σ of exp(-k²/2σ²); a decimal or a fraction
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    scale: String,
    /// How many values to draw
    #[arg(long, value_name = "N", default_value_t = 1)]
    count: u64,
    /// Print one JSON object instead of one value a line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Distribution {
    /// Two-sided geometric noise, for pure differential privacy
    DiscreteLaplace,
    /// Gaussian noise on the integers, for zero-concentrated differential privacy
    DiscreteGaussian,
}

impl Distribution {
    fn name(self) -> &'static str {
        match self {
            Self::DiscreteLaplace => "discrete-laplace",
            Self::DiscreteGaussian => "discrete-gaussian",
        }
    }
}

/// Either sampler has the same law; the table costs half a millisecond first and a few nanoseconds a draw then.
enum Sampler {
    Laplace(DiscreteLaplace),
    Gaussian(DiscreteGaussian),
    Table(NoiseTable),
}

impl Sampler {
    fn new(distribution: Distribution, scale: &Rational, count: u64) -> Result<Self, Failure> {
        let many = count >= TABLE_WORTH;
        Ok(match distribution {
            Distribution::DiscreteLaplace => {
                let noise = DiscreteLaplace::new(scale).map_err(Failure::request)?;
                if many { Self::Table(noise.table()) } else { Self::Laplace(noise) }
            }
            Distribution::DiscreteGaussian => {
                if !scale.is_positive() {
                    // The square would hide a sign.
                    DiscreteLaplace::new(scale).map_err(Failure::request)?;
                }
                let noise = DiscreteGaussian::new(&scale.squared()).map_err(Failure::request)?;
                if many { Self::Table(noise.table()) } else { Self::Gaussian(noise) }
            }
        })
    }

    fn sample(&self, bits: &mut SystemBits) -> i128 {
        match self {
            Self::Laplace(noise) => noise.sample(bits),
            Self::Gaussian(noise) => noise.sample(bits),
            Self::Table(table) => table.sample(bits),
        }
    }
}

/// Streams the values to stdout.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let scale = Rational::parse(&arguments.scale).map_err(Failure::request)?;
    let sampler = Sampler::new(arguments.distribution, &scale, arguments.count)?;
    let progress = progress_bar(arguments.count);
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    with_system_bits(|bits| {
        if arguments.json {
            // Every string here is our own or a parsed number, so nothing needs escaping.
            let name = arguments.distribution.name();
            write!(
                out,
                "{{\"distribution\":\"{name}\",\"scale\":\"{scale}\",\"count\":{},\"values\":[",
                arguments.count
            )?;
        }
        let mut left = arguments.count;
        while left > 0 {
            let part = left.min(BATCH);
            for index in 0..part {
                let value = sampler.sample(bits);
                if !arguments.json {
                    writeln!(out, "{value}")?;
                } else if left == arguments.count && index == 0 {
                    write!(out, "{value}")?;
                } else {
                    write!(out, ",{value}")?;
                }
            }
            left -= part;
            progress.inc(part);
        }
        if arguments.json {
            writeln!(out, "]}}")?;
        }
        out.flush()
    })
    .map_err(|error| Failure::Environment(error.to_string()))??;
    progress.finish_and_clear();
    Ok(())
}

/// A bar on stderr while the values go into a file or a pipe; on a terminal the values themselves are the progress.
fn progress_bar(count: u64) -> ProgressBar {
    if io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} values, {eta} left");
    ProgressBar::new(count).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
