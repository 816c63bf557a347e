//! `pointillist noise`: exact noise for scripts.

use std::io::{self, BufWriter, IsTerminal, Write};

use clap::ValueEnum;
use pointillist_noise::{IntegerNoise, NoiseLaw, with_system_bits};
use pointillist_numbers::Rational;

use crate::failure::Failure;
use crate::progress::{self, ProgressBar};

/// Values drawn between two looks at the clock.
const BATCH: u64 = 8192;

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

/// Streams the values to stdout.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let scale = Rational::parse(&arguments.scale).map_err(Failure::request)?;
    let law = match arguments.distribution {
        Distribution::DiscreteLaplace => NoiseLaw::DiscreteLaplace,
        Distribution::DiscreteGaussian => NoiseLaw::DiscreteGaussian,
    };
    let noise = IntegerNoise::new(law, &scale, arguments.count).map_err(Failure::request)?;
    // Every string here is our own or a parsed number, so nothing needs escaping.
    let (start, first, next, end) = if arguments.json {
        let count = arguments.count;
        let name = law.name();
        let start =
            format!("{{\"distribution\":\"{name}\",\"scale\":\"{scale}\",\"count\":{count},\"values\":[");
        (start, "", ",", "]}\n")
    } else {
        (String::new(), "", "\n", if arguments.count > 0 { "\n" } else { "" })
    };
    // On a terminal the values themselves are the progress.
    let progress = match io::stdout().is_terminal() {
        true => ProgressBar::hidden(),
        false => progress::bar(arguments.count, "{bar:40} {human_pos}/{human_len} values, {eta} left"),
    };
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    with_system_bits(|bits| {
        write!(out, "{start}")?;
        let mut before = first;
        let mut left = arguments.count;
        while left > 0 {
            let part = left.min(BATCH);
            for value in noise.sample_many(part, bits) {
                write!(out, "{before}{value}")?;
                before = next;
            }
            left -= part;
            progress.inc(part);
        }
        write!(out, "{end}")?;
        out.flush()
    })
    .map_err(|error| Failure::of(&error))??;
    progress.finish_and_clear();
    Ok(())
}
