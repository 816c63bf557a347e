//! Lines from a file or a pipe, with a bar that shows how far they are read.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Read};
use std::path::Path;

use crate::failure::Failure;
use crate::progress::{self, ProgressBar};

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
        Failure::wrong(
            format!("{} cannot be read: {error}", path.display()),
            "give a file with one line a person, or - for standard input",
        )
    })?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    Ok(buffered(Box::new(file), true, Some(length)))
}

fn buffered(input: Box<dyn Read>, is_watched: bool, length: Option<u64>) -> Input {
    // The bar goes away with the reader.
    let bar = if is_watched { progress::reading(length) } else { ProgressBar::hidden() };
    BufReader::with_capacity(BUFFER, Box::new(bar.wrap_read(input)))
}
