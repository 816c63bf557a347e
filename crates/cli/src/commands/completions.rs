//! `pointillist completions`: what a shell needs to complete our words.

use std::io::{self, Write};

use clap_complete::{Shell, generate};

use crate::command_line;
use crate::failure::Failure;

/// For which shell.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist completions bash > ~/.local/share/bash-completion/completions/pointillist
  pointillist completions zsh > ~/.zfunc/_pointillist
  pointillist completions fish > ~/.config/fish/completions/pointillist.fish")]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints them.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    // Written to memory first: the generator does not expect a reader who leaves.
    let mut script = Vec::new();
    generate(arguments.shell, &mut command_line(), "pointillist", &mut script);
    let mut out = io::stdout().lock();
    out.write_all(&script)?;
    Ok(out.flush()?)
}
