//! `pointillist release explain` and `list`: what a plan would be, and what was released.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use pointillist_curator::List;
use pointillist_publication::{PlanFile, released, released_list};
use pointillist_render::terminal_style::TerminalStyle;
use serde_json::json;

use super::Common;
use crate::failure::Failure;
use crate::table::of_list;
use crate::terminal::print_json;
use pointillist_curator::words::laid_out;

/// Which plan.
#[derive(clap::Args)]
pub struct ExplainArguments {
    /// The plan
    #[arg(value_name = "PLAN.toml")]
    plan: PathBuf,
    #[command(flatten)]
    common: Common,
}

/// Explains and prints.
pub fn explain(arguments: &ExplainArguments) -> Result<(), Failure> {
    let plan = PlanFile::load(&arguments.plan)?;
    let expected = pointillist_publication::explain(&arguments.common.home.open()?, &plan)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.common.json {
        print_json(&mut out, &expected.to_json(&plan))?;
        return Ok(out.flush()?);
    }
    print_list(&mut out, &expected.list())?;
    for line in laid_out(&expected.lines(), TerminalStyle::for_stdout()) {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

/// Lists and prints.
pub fn list(arguments: &Common) -> Result<(), Failure> {
    let releases = released(&arguments.home.open()?)?;
    let mut out = BufWriter::new(io::stdout().lock());
    match releases.as_slice() {
        _ if arguments.json => print_json(&mut out, &json!({ "releases": releases }))?,
        [] => writeln!(out, "Nothing was released yet.")?,
        releases => print_list(&mut out, &released_list(releases))?,
    }
    Ok(out.flush()?)
}

fn print_list(out: &mut impl Write, list: &List) -> io::Result<()> {
    of_list(list).lines("", TerminalStyle::for_stdout()).iter().try_for_each(|line| writeln!(out, "{line}"))
}
