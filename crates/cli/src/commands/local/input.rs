//! Lines from a file or a pipe, with a bar that shows how far they are read.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Read};
use std::path::Path;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::failure::Failure;

/// Bytes read at once.
const BUFFER: usize = 1 << 17;

/// Where lines are read from.
pub type Input = BufReader<Box<dyn Read>>;

/// Standard input. A bar is shown while others feed it, unless what is printed shows the progress.
pub fn standard_input(prints_as_it_reads: bool) -> Input {
    let is_fed = !io::stdin().is_terminal() && !prints_as_it_reads;
    buffered(Box::new(io::stdin().lock()), is_fed, None)
}

/// A file; `-` is standard input.
pub fn file(path: &Path) -> Result<Input, Failure> {
    if path.as_os_str() == "-" {
        return Ok(standard_input(false));
    }
    let file = File::open(path).map_err(|error| {
        Failure::Request(format!(
            "{} cannot be read: {error}\nhint: give a file with one line a person, or - for standard input",
            path.display()
        ))
    })?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    Ok(buffered(Box::new(file), true, Some(length)))
}

fn buffered(input: Box<dyn Read>, is_watched: bool, length: Option<u64>) -> Input {
    let bar = if is_watched && io::stderr().is_terminal() { bar(length) } else { ProgressBar::hidden() };
    // The bar goes away with the reader.
    let bar = bar.with_finish(ProgressFinish::AndClear);
    BufReader::with_capacity(BUFFER, Box::new(bar.wrap_read(input)))
}

/// Bytes of so many, or of nobody knows how many.
fn bar(length: Option<u64>) -> ProgressBar {
    let template = match length {
        Some(_) => "{wide_bar} {bytes}/{total_bytes}",
        None => "{spinner} {bytes} read",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    length.map_or_else(ProgressBar::new_spinner, ProgressBar::new).with_style(style)
}
