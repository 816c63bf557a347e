//! How far long work is: bars and spinners on stderr, where a person is looking, gone when the work is.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressFinish, ProgressStyle};

pub use indicatif::ProgressBar;

/// Between two pictures of a spinner.
const TICK: Duration = Duration::from_millis(120);

/// A bar of so many steps, drawn by a template of `indicatif`.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    shown(|| ProgressBar::new(length).with_style(style))
}

/// Something that turns while nobody knows how long it takes.
pub fn spinner(words: impl Into<String>) -> ProgressBar {
    shown(|| {
        let bar = ProgressBar::new_spinner().with_message(words.into());
        bar.enable_steady_tick(TICK);
        bar
    })
}

/// Bytes that are read: a bar where it is known how many there are.
pub fn reading(length: Option<u64>) -> ProgressBar {
    match length {
        Some(length) => bar(length, "{wide_bar} {bytes}/{total_bytes}"),
        None => bar(0, "{spinner} {bytes} read"),
    }
}

fn shown(made: impl FnOnce() -> ProgressBar) -> ProgressBar {
    match io::stderr().is_terminal() {
        true => made().with_finish(ProgressFinish::AndClear),
        false => ProgressBar::hidden(),
    }
}
